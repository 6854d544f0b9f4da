/* Strings as JSON, wherever in them the byte stands that needs an escape. */
#include "commands/api/json_out.h"

#include <criterion/criterion.h>

enum { LENGTH_MAX = 100 };

static const struct {
    char byte;
    const char *escape;
} escapes[] = {
    {'"', "\\\""},       {'\\', "\\\\"},   {'\n', "\\n"},    {'\r', "\\r"},
    {'\t', "\\t"},       {'\b', "\\b"},    {'\f', "\\f"},    {'\0', "\\u0000"},
    {'\x1f', "\\u001f"}, {'\x7f', "\x7f"}, {'\xc3', "\xc3"}, {' ', " "},
};

static void expect_string(pk_slice text, size_t at, const char *escape)
{
    struct pk_buf out = PK_BUF_INIT, expected = PK_BUF_INIT;

    json_out_string(&out, text);
    pk_buf_add_byte(&expected, '"');
    pk_buf_add(&expected, pk_slice_of(text.data, at));
    pk_buf_add_cstr(&expected, escape);
    pk_buf_add(&expected, pk_slice_skip(text, at + 1));
    pk_buf_add_byte(&expected, '"');
    cr_assert(pk_slice_equal(pk_buf_slice(&out), pk_buf_slice(&expected)),
              "byte at %zu of %zu: %s and not %s", at, text.len, out.data, expected.data);
    pk_buf_release(&out);
    pk_buf_release(&expected);
}

Test(json_out, an_escape_at_every_place)
{
    char text[LENGTH_MAX];

    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        for (size_t len = 1; len <= LENGTH_MAX; len++) {
            for (size_t at = 0; at < len; at++) {
                memset(text, 'x', len);
                text[at] = escapes[i].byte;
                expect_string(pk_slice_of(text, len), at, escapes[i].escape);
            }
        }
    }
}

Test(json_out, all_bytes_need_an_escape)
{
    struct pk_buf out = PK_BUF_INIT;
    char text[LENGTH_MAX];

    memset(text, '"', sizeof(text));
    json_out_string(&out, pk_slice_of(text, sizeof(text)));
    cr_assert_eq(out.len, 2 + 2 * sizeof(text));
    pk_buf_clear(&out);
    json_out_string(&out, PK_LIT(""));
    cr_assert_str_eq(out.data, "\"\"");
    pk_buf_release(&out);
}
