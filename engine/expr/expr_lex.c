/* Longest match; only four blanks separate tokens. Characters are ASCII except in UNKNOWN, which
 * takes a whole UTF-8 character so that messages stay valid text. */
#include "engine/expr/expr_lex.h"

#include "engine/base/utf8.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_id(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

/* Bytes of the run of id characters that begins at text[from]. */
static size_t id_run(pk_slice text, size_t from)
{
    size_t end = from;

    while (end < text.len && is_id(text.data[end]))
        end++;
    return end - from;
}

static size_t int_run(pk_slice text)
{
    size_t end = 1;

    if (text.data[0] == '0')
        return 1;
    while (end < text.len && is_digit(text.data[end]))
        end++;
    return end;
}

/* A kind for a symbol at the front of the text, and its length; UNKNOWN when it is none. */
static enum pk_token_kind symbol(pk_slice text, size_t *len)
{
    static const struct {
        char text[3];
        enum pk_token_kind kind;
    } symbols[] = {
        {"<>", PK_TOKEN_NE},         {"<=", PK_TOKEN_LE},   {">=", PK_TOKEN_GE},
        {"<", PK_TOKEN_LT},          {">", PK_TOKEN_GT},    {"=", PK_TOKEN_EQ},
        {"(", PK_TOKEN_OPEN},        {")", PK_TOKEN_CLOSE}, {"[", PK_TOKEN_OPEN_INDEX},
        {"]", PK_TOKEN_CLOSE_INDEX}, {".", PK_TOKEN_DOT},   {",", PK_TOKEN_COMMA},
        {"+", PK_TOKEN_PLUS},        {"-", PK_TOKEN_MINUS},
    };

    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        const char *candidate = symbols[i].text;

        if (text.data[0] == candidate[0] && pk_slice_starts(text, pk_slice_cstr(candidate))) {
            *len = strlen(candidate);
            return symbols[i].kind;
        }
    }
    return PK_TOKEN_UNKNOWN;
}

static size_t unknown_run(pk_slice text)
{
    pk_slice rest = text;
    uint32_t code_point;

    return pk_utf8_take(&rest, &code_point) ? text.len - rest.len : 1;
}

static enum pk_token_kind classify(pk_slice rest, size_t *len)
{
    char c = rest.data[0];
    enum pk_token_kind kind;

    if (is_letter(c)) {
        *len = id_run(rest, 0);
        return PK_TOKEN_NAME;
    }
    if (is_digit(c)) {
        *len = int_run(rest);
        return PK_TOKEN_INT;
    }
    if ((c == '#' || c == ':') && id_run(rest, 1) > 0) {
        *len = 1 + id_run(rest, 1);
        return c == '#' ? PK_TOKEN_NAME_REF : PK_TOKEN_VALUE_REF;
    }
    kind = symbol(rest, len);
    if (kind == PK_TOKEN_UNKNOWN)
        *len = unknown_run(rest);
    return kind;
}

struct pk_token pk__lex(pk_slice text, size_t position)
{
    struct pk_token token = {PK_TOKEN_END, {(uint32_t)text.len, 0}};
    size_t len = 0;

    while (position < text.len && is_blank(text.data[position]))
        position++;
    if (position < text.len) {
        token.kind = classify(pk_slice_skip(text, position), &len);
        token.span = (struct pk_span){(uint32_t)position, (uint32_t)len};
    }
    return token;
}
