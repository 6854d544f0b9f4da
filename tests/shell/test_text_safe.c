/* Escaping and measuring: what reaches a terminal, and how wide it is. */
#include <criterion/criterion.h>

#include <locale.h>

#include "shell/render/text_safe.h"

TestSuite(text_safe);

static void use_utf8(void)
{
    cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
}

Test(text_safe, escapes)
{
    static const struct {
        const char *text;
        size_t len;
        enum sh_text_lines lines;
        const char *expected;
    } rows[] = {
        {"", 0, SH_TEXT_ONE_LINE, ""},
        {"plain", 5, SH_TEXT_ONE_LINE, "plain"},
        {"a\nb\tc\rd", 7, SH_TEXT_ONE_LINE, "a\\nb\\tc\\rd"},
        {"a\nb\tc\rd", 7, SH_TEXT_LINES, "a\nb\tc\\rd"},
        {"\033[31mred", 8, SH_TEXT_ONE_LINE, "\\e[31mred"},
        {"\033]0;title\007", 10, SH_TEXT_LINES, "\\e]0;title\\x07"},
        {"nul\0end", 7, SH_TEXT_ONE_LINE, "nul\\x00end"},
        {"\x7f", 1, SH_TEXT_ONE_LINE, "\\x7f"},
        {"\xc2\x9b"
         "31m",
         5, SH_TEXT_ONE_LINE, "\\u009b31m"},
        {"\xff\xfe", 2, SH_TEXT_ONE_LINE, "\\xff\\xfe"},
        {"cut \xe2\x82", 6, SH_TEXT_ONE_LINE, "cut \\xe2\\x82"},
        {"user\xe2\x80\xaetxt", 10, SH_TEXT_ONE_LINE, "user\\u202etxt"},
        {"a\xe2\x80\xa8"
         "b",
         5, SH_TEXT_LINES, "a\\u2028b"},
        {"back\\slash", 10, SH_TEXT_ONE_LINE, "back\\slash"},
        {"München 日本 🎵", 20, SH_TEXT_ONE_LINE, "München 日本 🎵"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_buf out = PK_BUF_INIT;

        sh_text_safe(&out, pk_slice_of(rows[i].text, rows[i].len), rows[i].lines);
        cr_expect(pk_slice_is(pk_buf_slice(&out), rows[i].expected), "row %zu: %.*s", i,
                  (int)out.len, out.data);
        pk_buf_release(&out);
    }
}

Test(text_safe, widths)
{
    static const struct {
        const char *text;
        size_t columns;
    } rows[] = {
        {"", 0},      {"abc", 3}, {"é", 1}, {"e\xcc\x81", 1}, /* combining accent */
        {"日本", 4},  {"ｱ", 1},   {"─", 1}, {"🎵", 2},
        {"a\xff", 2}, /* not UTF-8: a column, so that nothing is lost */
    };

    use_utf8();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect_eq(sh_text_width(pk_slice_cstr(rows[i].text)), rows[i].columns, "row %zu: %zu", i,
                     sh_text_width(pk_slice_cstr(rows[i].text)));
}

Test(text_safe, fits)
{
    static const struct {
        const char *text;
        size_t columns;
        const char *expected;
        size_t used;
    } rows[] = {
        {"abcdef", 6, "abcdef", 6}, {"abcdef", 7, "abcdef", 6},
        {"abcdef", 5, "abcd…", 5},  {"abcdef", 1, "…", 1},
        {"abcdef", 0, "", 0},       {"", 0, "", 0},
        {"日本語", 6, "日本語", 6}, {"日本語", 5, "日本…", 5},
        {"日本語", 4, "日…", 3}, /* a wide character does not fit beside the mark */
        {"日本語", 2, "…", 1},      {"e\xcc\x81xyz", 2, "e\xcc\x81…", 2},
    };

    use_utf8();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_buf out = PK_BUF_INIT;
        size_t used = sh_text_fit(&out, pk_slice_cstr(rows[i].text), rows[i].columns);

        cr_expect(pk_slice_is(pk_buf_slice(&out), rows[i].expected), "row %zu: %.*s", i,
                  (int)out.len, out.data);
        cr_expect_eq(used, rows[i].used, "row %zu: %zu columns", i, used);
        pk_buf_release(&out);
    }
}
