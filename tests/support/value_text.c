/* A recursive descent over the notation; the text is trusted to end where its brackets do. */
#include "tests/support/value_text.h"

#include <ctype.h>

struct reader {
    struct pk_arena *arena;
    const char *at;
};

static pk_value read_value(struct reader *in);

static void skip_blanks(struct reader *in)
{
    while (*in->at == ' ')
        in->at++;
}

static bool accept(struct reader *in, const char *text)
{
    skip_blanks(in);
    if (strncmp(in->at, text, strlen(text)) != 0)
        return false;
    in->at += strlen(text);
    return true;
}

static void expect(struct reader *in, const char *text)
{
    if (!accept(in, text))
        pk_bug("expected '%s' at: %s", text, in->at);
}

/* Up to the closing quote, which is taken. */
static pk_slice read_quoted(struct reader *in)
{
    const char *start = in->at;

    while (*in->at != '\'' && *in->at != '\0')
        in->at++;
    expect(in, "'");
    return pk_arena_dup(in->arena, pk_slice_of(start, (size_t)(in->at - start) - 1));
}

static unsigned hex_digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(tolower(c) - 'a' + 10);
}

static pk_value read_binary(struct reader *in)
{
    pk_slice hex = read_quoted(in);
    char *bytes = pk_arena_alloc(in->arena, hex.len / 2 + 1);

    for (size_t i = 0; i < hex.len / 2; i++)
        bytes[i] = (char)(hex_digit(hex.data[2 * i]) * 16 + hex_digit(hex.data[2 * i + 1]));
    return pk_value_binary(pk_slice_of(bytes, hex.len / 2));
}

static pk_value read_number(struct reader *in)
{
    size_t len = strspn(in->at, "+-.0123456789eE");
    struct pk_num num;

    if (pk_num_parse(pk_slice_of(in->at, len), &num) != PK_NUM_OK)
        pk_bug("no value at: %s", in->at);
    in->at += len;
    return pk_value_number(in->arena, &num);
}

static pk_value read_set(struct reader *in)
{
    struct pk_value_vec members = {NULL, 0, 0};
    enum pk_kind kind = PK_STRING_SET;

    do {
        pk_value_vec_add(&members, in->arena, read_value(in));
    } while (accept(in, ","));
    expect(in, ">>");
    if (pk_value_kind(members.data[0]) == PK_NUMBER)
        kind = PK_NUMBER_SET;
    else if (pk_value_kind(members.data[0]) == PK_BINARY)
        kind = PK_BINARY_SET;
    return pk_value_set(kind, members.data, members.len, NULL);
}

static pk_value read_list(struct reader *in)
{
    struct pk_value_vec items = {NULL, 0, 0};

    if (accept(in, "]"))
        return pk_value_list(NULL, 0);
    do {
        pk_value_vec_add(&items, in->arena, read_value(in));
    } while (accept(in, ","));
    expect(in, "]");
    return pk_value_list(items.data, items.len);
}

static pk_value read_map(struct reader *in)
{
    struct pk_member_vec members = {NULL, 0, 0};

    if (accept(in, "}"))
        return pk_value_map(NULL, 0);
    do {
        pk_slice name;
        skip_blanks(in);
        name = pk_slice_of(in->at, strcspn(in->at, ":"));
        in->at += name.len;
        expect(in, ":");
        pk_member_vec_add(&members, in->arena, pk_arena_dup(in->arena, name), read_value(in));
    } while (accept(in, ","));
    expect(in, "}");
    return pk_value_map(members.data, members.len);
}

static pk_value read_value(struct reader *in)
{
    if (accept(in, "'"))
        return pk_value_string(read_quoted(in));
    if (accept(in, "x'"))
        return read_binary(in);
    if (accept(in, "<<"))
        return read_set(in);
    if (accept(in, "["))
        return read_list(in);
    if (accept(in, "{"))
        return read_map(in);
    if (accept(in, "true"))
        return pk_value_bool(true);
    if (accept(in, "false"))
        return pk_value_bool(false);
    if (accept(in, "null"))
        return pk_value_null();
    return read_number(in);
}

pk_value value_text_parse(struct pk_arena *arena, const char *text)
{
    struct reader in = {arena, text};
    pk_value value = read_value(&in);

    skip_blanks(&in);
    if (*in.at != '\0')
        pk_bug("left over: %s", in.at);
    return value;
}

pk_view value_text_view(struct pk_arena *arena, const char *text)
{
    return pk_view_of(arena, value_text_parse(arena, text));
}

static void print(struct pk_buf *out, pk_value value);

static void print_items(struct pk_buf *out, pk_value value, const char *open, const char *close)
{
    pk_buf_add_cstr(out, open);
    for (uint32_t i = 0; i < value.len; i++) {
        if (i > 0)
            pk_buf_add_byte(out, ',');
        print(out, value.u.items[i]);
    }
    pk_buf_add_cstr(out, close);
}

static void print_members(struct pk_buf *out, pk_value value)
{
    pk_buf_add_byte(out, '{');
    for (uint32_t i = 0; i < value.len; i++) {
        if (i > 0)
            pk_buf_add_byte(out, ',');
        pk_buf_add(out, value.u.members[i].name);
        pk_buf_add_byte(out, ':');
        print(out, value.u.members[i].value);
    }
    pk_buf_add_byte(out, '}');
}

static void print(struct pk_buf *out, pk_value value)
{
    char digits[PK_NUM_TEXT_MAX];
    struct pk_num num;

    switch (pk_value_kind(value)) {
    case PK_MISSING:
        pk_buf_add_cstr(out, "MISSING");
        break;
    case PK_NULL:
        pk_buf_add_cstr(out, "null");
        break;
    case PK_BOOL:
        pk_buf_add_cstr(out, value.boolean ? "true" : "false");
        break;
    case PK_NUMBER:
        num = pk_value_num(value);
        pk_buf_add(out, pk_slice_of(digits, pk_num_format(&num, digits)));
        break;
    case PK_STRING:
        pk_buf_printf(out, "'%.*s'", PK_FMT(pk_value_bytes(value)));
        break;
    case PK_BINARY:
        pk_buf_add_cstr(out, "x'");
        for (uint32_t i = 0; i < value.len; i++)
            pk_buf_printf(out, "%02x", (unsigned)(unsigned char)value.u.bytes[i]);
        pk_buf_add_byte(out, '\'');
        break;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        print_items(out, value, "<<", ">>");
        break;
    case PK_LIST:
        print_items(out, value, "[", "]");
        break;
    case PK_MAP:
        print_members(out, value);
        break;
    }
}

const char *value_text_print(struct pk_arena *arena, pk_value value)
{
    struct pk_buf out = PK_BUF_INIT;
    pk_slice text;

    print(&out, value);
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text.data;
}

const char *value_text_print_view(struct pk_arena *arena, pk_view view)
{
    return value_text_print(arena, pk_view_decode(arena, view));
}
