/* The streaming JSON writer (json_out.h). Hot: a Query's page goes through here once. */
#include "commands/api/json_out.h"

#include <inttypes.h>

#include "engine/base/base64.h"

enum { PLAIN_BLOCK = 32 }; /* bytes of a string that are looked at together */

/* ---- punctuation -------------------------------------------------------------------------- */

void json_out_element(struct pk_buf *out)
{
    char last = out->len == 0 ? '[' : out->data[out->len - 1];

    if (last != '[' && last != '{' && last != ':')
        pk_buf_add_byte(out, ',');
}

void json_out_member_slice(struct pk_buf *out, pk_slice name)
{
    json_out_element(out);
    json_out_string(out, name);
    pk_buf_add_byte(out, ':');
}

void json_out_member(struct pk_buf *out, const char *name)
{
    json_out_member_slice(out, pk_slice_cstr(name));
}

/* ---- scalars ------------------------------------------------------------------------------ */

/* The letter of a short escape, or 0. */
static char short_escape(unsigned char byte)
{
    switch (byte) {
    case '"':
    case '\\':
        return (char)byte;
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    default:
        return 0;
    }
}

static bool needs_escape(char byte)
{
    return (unsigned char)byte < 0x20 || byte == '"' || byte == '\\';
}

/* Bytes instead of bool, no branches, a fixed length: compilers make a few vector instructions of
 * it. */
static bool is_block_plain(const char *block)
{
    const unsigned char *bytes = (const unsigned char *)block;
    unsigned char special = 0;

    for (size_t i = 0; i < PLAIN_BLOCK; i++)
        special |= (unsigned char)((bytes[i] < 0x20) | (bytes[i] == '"') | (bytes[i] == '\\'));
    return special == 0;
}

/* The same of eight bytes at once. A borrow can make a byte behind a special one look special too,
 * never a special one plain. */
static bool is_word_plain(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    uint64_t word, quotes, slashes;

    memcpy(&word, text, sizeof(word));
    quotes = word ^ (ones * '"');
    slashes = word ^ (ones * '\\');
    return ((((word - ones * 0x20) & ~word) | ((quotes - ones) & ~quotes) |
             ((slashes - ones) & ~slashes)) &
            tops) == 0;
}

size_t json_out_plain_length(pk_slice text)
{
    size_t n = 0;

    while (text.len - n >= PLAIN_BLOCK && is_block_plain(text.data + n))
        n += PLAIN_BLOCK;
    while (text.len - n >= sizeof(uint64_t) && is_word_plain(text.data + n))
        n += sizeof(uint64_t);
    while (n < text.len && !needs_escape(text.data[n]))
        n++;
    return n;
}

static void out_escape(struct pk_buf *out, unsigned char byte)
{
    char letter = short_escape(byte);

    if (letter == 0) {
        pk_buf_printf(out, "\\u%04x", byte);
        return;
    }
    pk_buf_add_byte(out, '\\');
    pk_buf_add_byte(out, (unsigned char)letter);
}

void json_out_string(struct pk_buf *out, pk_slice text)
{
    size_t plain = json_out_plain_length(text);
    char *to = pk_buf_reserve(out, text.len + 2);

    *to = '"';
    if (plain > 0)
        memcpy(to + 1, text.data, plain);
    out->len += 1 + plain;
    while (plain < text.len) {
        out_escape(out, (unsigned char)text.data[plain]);
        text = pk_slice_skip(text, plain + 1);
        plain = json_out_plain_length(text);
        pk_buf_add(out, (pk_slice){text.data, plain});
    }
    pk_buf_add_byte(out, '"');
}

void json_out_cstr(struct pk_buf *out, const char *text)
{
    json_out_string(out, pk_slice_cstr(text));
}

void json_out_int(struct pk_buf *out, int64_t number)
{
    pk_buf_printf(out, "%" PRId64, number);
}

void json_out_uint(struct pk_buf *out, uint64_t number)
{
    pk_buf_printf(out, "%" PRIu64, number);
}

void json_out_bool(struct pk_buf *out, bool boolean)
{
    pk_buf_add_cstr(out, boolean ? "true" : "false");
}

/* Thousandths as a decimal fraction of at least one place. */
static void out_milli(struct pk_buf *out, int64_t milli)
{
    int64_t rest = milli % 1000;

    pk_buf_printf(out, "%" PRId64 ".", milli / 1000);
    if (rest % 100 == 0)
        pk_buf_printf(out, "%" PRId64, rest / 100);
    else if (rest % 10 == 0)
        pk_buf_printf(out, "%02" PRId64, rest / 10);
    else
        pk_buf_printf(out, "%03" PRId64, rest);
}

void json_out_units(struct pk_buf *out, int64_t milli)
{
    out_milli(out, milli);
}

void json_out_time(struct pk_buf *out, int64_t ms)
{
    out_milli(out, ms);
}

void json_out_member_text(struct pk_buf *out, const char *name, pk_slice text)
{
    json_out_member(out, name);
    json_out_string(out, text);
}

/* ---- values ------------------------------------------------------------------------------- */

static void out_number(struct pk_buf *out, pk_slice code)
{
    struct pk_num num;
    char *text = pk_buf_reserve(out, PK_NUM_TEXT_MAX + 2);

    if (!pk_num_decode(&code, &num))
        pk_bug("a stored number does not decode");
    text[0] = '"';
    out->len += 1 + pk_num_format(&num, text + 1);
    pk_buf_add_byte(out, '"');
}

static void out_binary(struct pk_buf *out, pk_slice bytes)
{
    pk_buf_add_byte(out, '"');
    pk_base64_encode(out, bytes);
    pk_buf_add_byte(out, '"');
}

static void out_members(struct pk_buf *out, pk_view container);

/* The part after the type tag. */
static void out_body(struct pk_buf *out, pk_view value, enum pk_kind kind)
{
    switch (kind) {
    case PK_NULL:
        pk_buf_add_cstr(out, "true");
        return;
    case PK_BOOL:
        json_out_bool(out, pk_view_bool(value));
        return;
    case PK_NUMBER:
        out_number(out, pk_view_bytes(value));
        return;
    case PK_STRING:
        json_out_string(out, pk_view_bytes(value));
        return;
    case PK_BINARY:
        out_binary(out, pk_view_bytes(value));
        return;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
        pk_buf_add_byte(out, '[');
        out_members(out, value);
        pk_buf_add_byte(out, ']');
        return;
    case PK_MAP:
        json_out_item(out, value);
        return;
    case PK_MISSING:
        pk_bug("a missing value in a response");
    }
}

static void out_members(struct pk_buf *out, pk_view container)
{
    bool list = pk_view_kind(container) == PK_LIST;
    struct pk_view_iter iter;
    pk_view value;

    pk_view_iter_init(&iter, container);
    while (pk_view_iter_next(&iter, NULL, &value)) {
        json_out_element(out);
        if (list)
            json_out_value(out, value);
        else
            out_body(out, value, pk_view_kind(value));
    }
}

/* {"S": and its like, by kind. */
static const pk_slice heads[] = {
    [PK_MISSING] = {"", 0},
    [PK_NULL] = {"{\"NULL\":", 8},
    [PK_BOOL] = {"{\"BOOL\":", 8},
    [PK_NUMBER] = {"{\"N\":", 5},
    [PK_STRING] = {"{\"S\":", 5},
    [PK_BINARY] = {"{\"B\":", 5},
    [PK_STRING_SET] = {"{\"SS\":", 6},
    [PK_NUMBER_SET] = {"{\"NS\":", 6},
    [PK_BINARY_SET] = {"{\"BS\":", 6},
    [PK_LIST] = {"{\"L\":", 5},
    [PK_MAP] = {"{\"M\":", 5},
};

void json_out_value(struct pk_buf *out, pk_view value)
{
    enum pk_kind kind = pk_view_kind(value);

    pk_buf_add(out, heads[kind]);
    out_body(out, value, kind);
    pk_buf_add_byte(out, '}');
}

void json_out_item(struct pk_buf *out, pk_view map)
{
    struct pk_view_iter iter;
    pk_slice name;
    pk_view value;

    pk_buf_add_byte(out, '{');
    pk_view_iter_init(&iter, map);
    while (pk_view_iter_next(&iter, &name, &value)) {
        json_out_member_slice(out, name);
        json_out_value(out, value);
    }
    pk_buf_add_byte(out, '}');
}

void json_out_tree_item(struct pk_buf *out, pk_value map)
{
    struct pk_buf stored = PK_BUF_INIT;

    pk_view_encode(&stored, map);
    json_out_item(out, pk_buf_slice(&stored));
    pk_buf_release(&stored);
}

void json_out_tree_value(struct pk_buf *out, pk_value value)
{
    struct pk_buf stored = PK_BUF_INIT;

    pk_view_encode(&stored, value);
    json_out_value(out, pk_buf_slice(&stored));
    pk_buf_release(&stored);
}
