/* The output pane and the line being typed, drawn on a canvas. */
#include <criterion/criterion.h>

#include <locale.h>
#include <stdio.h>

#include "shell/panel/flow.h"
#include "shell/panel/pane.h"
#include "shell/panel/typed.h"

static void use_utf8(void)
{
    cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
}

TestSuite(pane, .init = use_utf8);

static const struct sh_look UTF8 = {.utf8 = true};
static const struct sh_look ASCII = {.utf8 = false};

/* The canvas as lines with '|' at their ends, so that a case is one string. */
static char *text_of(const struct sh_canvas *canvas)
{
    struct pk_buf text = PK_BUF_INIT;

    sh_canvas_text(canvas, &text);
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\n')
            text.data[i] = '|';
    return pk_buf_detach(&text);
}

static void expect_pane(struct sh_pane *pane, int rows, int columns, const char *expected)
{
    struct sh_canvas canvas = SH_CANVAS_INIT;
    struct sh_area area;
    char *text;

    sh_canvas_reset(&canvas, &UTF8, rows, columns);
    area = sh_area_whole(&canvas);
    sh_pane_draw(pane, &area);
    text = text_of(&canvas);
    cr_expect_str_eq(text, expected, "%s instead of %s", text, expected);
    free(text);
    sh_canvas_release(&canvas);
}

Test(pane, shows_what_was_written)
{
    static const struct {
        const char *written, *shown; /* in 3 rows of 8 columns */
    } cases[] = {
        {"", "|||"},
        {"one\n", "one|||"},
        {"one\ntwo\nthree\n", "one|two|three|"},
        {"one\ntwo\nthree\nfour\n", "two|three|four|"},
        {"no end", "no end|||"},
        {"\n\nx\n", "||x|"},
        {"12345678\n", "12345678|||"},
        {"123456789\n", "12345678|9||"},
        {"1234567日\n", "1234567|日||"},
        {"日本語日本\n", "日本語日|本||"},
        {"e\xcc\x81=e\n", "e\xcc\x81=e|||"},
        {"a\tb\n", "a|b||"}, /* the next multiple of eight is the next row */
        {"\033[1mbold\033[0m no\n", "bold no|||"},
        {"\033[999;999;999;999;9mx\n", "x|||"},
        {"\033[2;5Hx\n", "x|||"},
        {"\033Mx\n", "x|||"},
        /* progress, and a line that is taken back */
        {"\r 10%\r 20%", " 20%|||"},
        {"\r 20%\r    \r", "|||"},
        {"one\r\ntwo\r\n", "one|two||"},
        {"gone\033[H\033[2J\033[3Jhere\n", "here|||"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sh_pane *pane = sh_pane_new();
        struct sh_pane *bytes = sh_pane_new();

        expect_pane(pane, 3, 8, "|||");
        expect_pane(bytes, 3, 8, "|||");
        sh_pane_write(pane, pk_slice_cstr(cases[i].written));
        expect_pane(pane, 3, 8, cases[i].shown);
        for (const char *at = cases[i].written; *at != '\0'; at++)
            sh_pane_write(bytes, pk_slice_of(at, 1));
        expect_pane(bytes, 3, 8, cases[i].shown);
        sh_pane_free(pane);
        sh_pane_free(bytes);
    }
}

Test(pane, scrolls_and_stays_where_it_was_scrolled_to)
{
    struct sh_pane *pane = sh_pane_new();

    expect_pane(pane, 2, 8, "||");
    sh_pane_write(pane, PK_LIT("1\n2\n3\n4\n"));
    expect_pane(pane, 2, 8, "3|4|");
    sh_pane_scroll(pane, 1);
    expect_pane(pane, 2, 8, "2|3|");
    cr_expect_eq(sh_pane_below(pane), 1);
    sh_pane_write(pane, PK_LIT("5\n123456789\n"));
    expect_pane(pane, 2, 8, "2|3|");
    cr_expect_eq(sh_pane_below(pane), 4);
    sh_pane_scroll(pane, 100);
    expect_pane(pane, 2, 8, "1|2|");
    sh_pane_scroll(pane, -100);
    expect_pane(pane, 2, 8, "12345678|9|");
    sh_pane_scroll(pane, 2);
    sh_pane_follow(pane);
    expect_pane(pane, 2, 8, "12345678|9|");
    /* narrower: wrapped anew, still at the end */
    expect_pane(pane, 2, 3, "456|789|");
    expect_pane(pane, 3, 100, "4|5|123456789|");
    sh_pane_free(pane);
}

Test(pane, is_cleared_and_can_be_scrolled_back)
{
    struct sh_pane *pane = sh_pane_new();

    expect_pane(pane, 3, 8, "|||");
    sh_pane_write(pane, PK_LIT("1\n2\n3\n4\n"));
    sh_pane_clear(pane);
    expect_pane(pane, 3, 8, "|||");
    sh_pane_write(pane, PK_LIT("5\n"));
    expect_pane(pane, 3, 8, "5|||");
    sh_pane_scroll(pane, 1);
    expect_pane(pane, 3, 8, "4|5||");
    sh_pane_follow(pane);
    sh_pane_write(pane, PK_LIT("6\n7\n8\n"));
    expect_pane(pane, 3, 8, "6|7|8|");
    sh_pane_free(pane);
}

Test(pane, keeps_so_many_lines_and_says_so)
{
    struct sh_pane *pane = sh_pane_new();
    char line[16];

    for (int i = 0; i < SH_PANE_LINES + 5; i++)
        sh_pane_write(pane, pk_slice_of(line, (size_t)snprintf(line, sizeof(line), "%d\n", i)));
    expect_pane(pane, 2, 90, "10003|10004|");
    sh_pane_scroll(pane, 1 << 30);
    expect_pane(pane, 2, 90,
                " … 5 earlier lines are gone: at most 10000 lines and 4 MB are kept|5|");
    sh_pane_free(pane);
}

Test(pane, keeps_so_many_bytes_and_breaks_lines_that_never_end)
{
    struct sh_pane *pane = sh_pane_new();
    struct pk_buf text = PK_BUF_INIT;

    for (int i = 0; i < SH_PANE_BYTES + SH_PANE_LINE_BYTES; i++)
        pk_buf_add_byte(&text, 'x');
    pk_buf_add_cstr(&text, "\nend\n");
    sh_pane_write(pane, pk_buf_slice(&text));
    expect_pane(pane, 1, 80, "end|");
    sh_pane_scroll(pane, 1 << 30);
    expect_pane(pane, 1, 80, " … 2 earlier lines are gone: at most 10000 lines and 4 MB are kept|");
    pk_buf_release(&text);
    sh_pane_free(pane);
}

Test(pane, wraps_the_same_way_in_ascii)
{
    struct sh_pane *pane = sh_pane_new();
    struct sh_canvas canvas = SH_CANVAS_INIT;
    struct sh_area area;
    char *text;

    sh_pane_write(pane, PK_LIT("日本語=123456\ne\xcc\x81x\n"));
    sh_canvas_reset(&canvas, &ASCII, 3, 8);
    area = sh_area_whole(&canvas);
    sh_pane_draw(pane, &area);
    text = text_of(&canvas);
    cr_expect_str_eq(text, "\?\?\?=1234|56|ex|", "%s", text);
    free(text);
    sh_canvas_release(&canvas);
    sh_pane_free(pane);
}

/* ---- the line being typed -------------------------------------------------------------------- */

Test(pane, draws_the_line_being_typed)
{
    static const struct {
        const char *prompt, *text;
        size_t point;
        int rows; /* wanted, of 8 columns; drawn in 2 */
        const char *shown;
        int y, x;
    } cases[] = {
        {"> ", "", 0, 1, ">||", 0, 2},
        {"> ", "ab", 1, 1, "> ab||", 0, 3},
        {"> ", "123456", 6, 2, "> 123456||", 1, 0},
        {"> ", "123456", 2, 1, "> 123456||", 0, 4},
        {"> ", "1234567", 7, 2, "> 123456|7|", 1, 1},
        {"> ", "12345日", 8, 2, "> 12345|日|", 1, 2},
        {"> ", "日本", 3, 1, "> 日本||", 0, 4},
        {"> ", "a\nb\x7f", 2, 1, "> a^Jb^?||", 0, 5},
        {"> ", "\t\x01", 1, 1, "> ^I^A||", 0, 4},
        {"\001\033[1m\002> ", "x", 1, 1, "> x||", 0, 3},
        {"> ", "\xff!", 1, 1, "> \\xff!||", 0, 6},
        /* more than fits: the cursor's row stays in view */
        {"> ", "1234567890123456789012", 22, 4, "56789012||", 1, 0},
        {"> ", "1234567890123456789012", 0, 3, "> 123456|78901234|", 0, 2},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sh_line_view view = {.prompt = cases[i].prompt,
                                    .text = pk_slice_cstr(cases[i].text),
                                    .point = cases[i].point};
        struct sh_typed typed = SH_TYPED_INIT;
        struct sh_canvas canvas = SH_CANVAS_INIT;
        struct sh_area area;
        int y = -1;
        int x = -1;
        char *text;

        sh_canvas_reset(&canvas, &UTF8, 2, 8);
        area = sh_area_whole(&canvas);
        sh_typed_set(&typed, &view, 8, false);
        sh_typed_draw(&typed, &area, &y, &x);
        text = text_of(&canvas);
        cr_expect_eq(typed.rows, cases[i].rows, "row %zu: %d rows", i, typed.rows);
        cr_expect_str_eq(text, cases[i].shown, "row %zu: %s", i, text);
        cr_expect(y == cases[i].y && x == cases[i].x, "row %zu: cursor at %d %d", i, y, x);
        free(text);
        sh_typed_release(&typed);
        sh_canvas_release(&canvas);
    }
}
