/*
 * The key code. Escaping keeps order: 00 01 (the end) is below 00 FF (a zero byte that follows),
 * which is below any other byte; so a prefix sorts first and zero bytes sort as themselves.
 */
#include "engine/store/key_code.h"

#include "engine/base/hash.h"

/* On disk: do not change. The letters are those of token(), partitions-capacity.md §10.2. */
enum { TAG_STRING = 'S', TAG_BINARY = 'B', TAG_NUMBER = 'N' };

enum { ESCAPE = 0x00, ESCAPED_ZERO = 0xFF, ESCAPE_END = 0x01 };

/* The tag of a key's kind; 0 for kinds that cannot be keys. */
static unsigned char tag_of(enum pk_kind kind)
{
    switch (kind) {
    case PK_STRING:
        return TAG_STRING;
    case PK_BINARY:
        return TAG_BINARY;
    case PK_NUMBER:
        return TAG_NUMBER;
    case PK_MISSING:
    case PK_NULL:
    case PK_BOOL:
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        return 0;
    }
    return 0;
}

static void append_escaped(struct pk_buf *key, pk_slice bytes)
{
    while (bytes.len > 0) {
        const char *zero = memchr(bytes.data, ESCAPE, bytes.len);
        size_t plain = zero == NULL ? bytes.len : (size_t)(zero - bytes.data) + 1;

        pk_buf_add(key, pk_slice_of(bytes.data, plain));
        if (zero != NULL)
            pk_buf_add_byte(key, ESCAPED_ZERO);
        bytes = pk_slice_skip(bytes, plain);
    }
}

static void append(struct pk_buf *key, enum pk_kind kind, pk_slice bytes)
{
    unsigned char tag = tag_of(kind);

    if (tag == 0)
        pk_bug("a %s cannot be part of a key", pk_kind_tag(kind));
    pk_buf_add_byte(key, tag);
    if (tag == TAG_NUMBER) {
        pk_buf_add(key, bytes);
        return;
    }
    append_escaped(key, bytes);
    pk_buf_add_byte(key, ESCAPE);
    pk_buf_add_byte(key, ESCAPE_END);
}

void pk_key_append_value(struct pk_buf *key, pk_value value)
{
    append(key, pk_value_kind(value), pk_value_bytes(value));
}

void pk_key_append_view(struct pk_buf *key, pk_view value)
{
    append(key, pk_view_kind(value), pk_view_bytes(value));
}

void pk_key_append_begin(struct pk_buf *key, pk_value value)
{
    unsigned char tag = tag_of(pk_value_kind(value));

    if (tag != TAG_STRING && tag != TAG_BINARY)
        pk_bug("nothing begins with a %s", pk_kind_tag(pk_value_kind(value)));
    pk_buf_add_byte(key, tag);
    append_escaped(key, pk_value_bytes(value));
}

void pk_key_append_token(struct pk_buf *key, uint64_t token)
{
    pk_buf_add_u64be(key, token);
}

/* Reading --------------------------------------------------------------------------------------*/

/* Length of the escaped bytes without their end, and how many zero bytes are among them. */
static bool measure(pk_slice in, size_t *length, size_t *zeros)
{
    size_t at = 0;

    *zeros = 0;
    for (;;) {
        const char *zero = at >= in.len ? NULL : memchr(in.data + at, ESCAPE, in.len - at);
        unsigned char next;

        if (zero == NULL || zero + 1 == in.data + in.len)
            return false;
        at = (size_t)(zero - in.data);
        next = (unsigned char)zero[1];
        if (next == ESCAPE_END)
            break;
        if (next != ESCAPED_ZERO)
            return false;
        (*zeros)++;
        at += 2;
    }
    *length = at;
    return true;
}

static pk_slice unescape(pk_slice escaped, size_t zeros, struct pk_arena *arena)
{
    char *bytes, *to;

    if (zeros == 0)
        return escaped;
    to = bytes = pk_arena_alloc(arena, escaped.len - zeros);
    for (size_t i = 0; i < escaped.len; i++) {
        *to++ = escaped.data[i];
        if (escaped.data[i] == ESCAPE)
            i++;
    }
    return pk_slice_of(bytes, escaped.len - zeros);
}

/* The parts of an enc(): its tag, the bytes between tag and end, the length of the whole. */
struct code {
    unsigned char tag;
    pk_slice body;
    size_t zeros;
    size_t length;
};

static bool scan(pk_slice in, struct code *code)
{
    pk_slice rest = in;
    struct pk_num ignored;

    if (!pk_take_byte(&rest, &code->tag))
        return false;
    code->body = rest;
    if (code->tag == TAG_NUMBER) {
        if (!pk_num_decode(&rest, &ignored))
            return false;
        code->body.len -= rest.len;
        code->length = 1 + code->body.len;
        return true;
    }
    if (code->tag != TAG_STRING && code->tag != TAG_BINARY)
        return false;
    if (!measure(rest, &code->body.len, &code->zeros))
        return false;
    code->length = 1 + code->body.len + 2;
    return true;
}

bool pk_key_take_code(pk_slice *in, pk_slice *bytes)
{
    struct code code;

    return scan(*in, &code) && pk_take_bytes(in, code.length, bytes);
}

bool pk_key_take_value(pk_slice *in, struct pk_arena *arena, pk_value *out)
{
    struct code code;

    if (!scan(*in, &code))
        return false;
    if (code.tag == TAG_NUMBER)
        *out = (pk_value){
            .kind = PK_NUMBER, .len = (uint32_t)code.body.len, .u.bytes = code.body.data};
    else if (code.tag == TAG_STRING)
        *out = pk_value_string(unescape(code.body, code.zeros, arena));
    else
        *out = pk_value_binary(unescape(code.body, code.zeros, arena));
    *in = pk_slice_skip(*in, code.length);
    return true;
}

/* Tokens ---------------------------------------------------------------------------------------*/

uint64_t pk_key_token(pk_value value)
{
    char text[PK_NUM_TEXT_MAX];
    struct pk_num num;
    unsigned char tag = tag_of(pk_value_kind(value));

    if (tag == 0)
        pk_bug("a %s cannot be a partition key", pk_kind_tag(pk_value_kind(value)));
    if (tag != TAG_NUMBER)
        return pk_hash_md5_64((char)tag, pk_value_bytes(value));
    num = pk_value_num(value);
    return pk_hash_md5_64((char)tag, pk_slice_of(text, pk_num_format(&num, text)));
}

uint64_t pk_key_token_many(const pk_value *values, size_t count)
{
    struct pk_buf codes = PK_BUF_INIT;
    uint64_t token;

    if (count == 1)
        return pk_key_token(values[0]);
    for (size_t i = 0; i < count; i++)
        pk_key_append_value(&codes, values[i]);
    token = pk_hash_md5_64('\0', pk_buf_slice(&codes));
    pk_buf_release(&codes);
    return token;
}
