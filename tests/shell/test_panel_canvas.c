/* Cells and columns, bars and shades, and the seconds that the model keeps. */
#include <criterion/criterion.h>

#include <locale.h>
#include <stdlib.h>

#include "shell/panel/gauge.h"
#include "shell/panel/panel_model.h"
#include "tests/support/panel_fixture.h"

static void setup(void)
{
    cr_assert_not_null(setlocale(LC_ALL, "C.UTF-8"));
}

TestSuite(panel_canvas, .init = setup);

static const struct sh_look UTF8 = {.utf8 = true};
static const struct sh_look ASCII = {.utf8 = false};

static void expect_canvas(const struct sh_canvas *canvas, const char *expected, const char *what)
{
    struct pk_buf text = PK_BUF_INIT;

    sh_canvas_text(canvas, &text);
    if (text.data == NULL)
        pk_buf_reserve(&text, 1)[0] = '\0';
    cr_expect_str_eq(text.data, expected, "%s: '%s' instead of '%s'", what, text.data, expected);
    pk_buf_release(&text);
}

Test(panel_canvas, text_is_cut_at_columns)
{
    static const struct {
        const char *text;
        int width;
        bool utf8;
        const char *expected;
    } cases[] = {
        {"abc", 3, true, "abc\n"},
        {"abcd", 3, true, "ab…\n"},
        {"abcd", 3, false, "ab~\n"},
        {"abcd", 1, true, "…\n"},
        {"abcd", 0, true, "\n"},
        {"日本", 4, true, "日本\n"},
        {"日本", 3, true, "日…\n"},
        {"a日本", 3, true, "a…\n"}, /* no half of a wide character */
        {"日本", 4, false, "??\n"},
        {"e\xcc\x81x", 2, true, "e\xcc\x81x\n"},
        {"\xcc\x81", 2, true, " \xcc\x81\n"}, /* a mark needs something to sit on */
        {"e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81", 2, true,
         "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\n"},
        {"\033[2J", 6, true, "\\e[2J\n"},
        {"\033[2J", 3, true, "\\e…\n"},
        {"a\nb\t", 8, true, "a\\nb\\t\n"},
        {"\xff", 8, true, "\\xff\n"},
        {"\xe2\x80\xae", 8, true, "\\u202e\n"},
        {"1 → 2 · é", 9, false, "1 > 2 - ?\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct sh_canvas canvas = SH_CANVAS_INIT;
        struct sh_area area;

        sh_canvas_reset(&canvas, cases[i].utf8 ? &UTF8 : &ASCII, 1, 12);
        area = sh_area_whole(&canvas);
        sh_put_cut(&area, sh_at(0, 0, cases[i].width), SH_INK_TEXT, pk_slice_cstr(cases[i].text));
        expect_canvas(&canvas, cases[i].expected, cases[i].text);
        sh_canvas_release(&canvas);
    }
}

/* A long text whose beginning is cut in the middle of a character is not shown broken. */
Test(panel_canvas, long_text_is_cut_between_characters)
{
    struct pk_buf text = PK_BUF_INIT;
    struct sh_canvas canvas = SH_CANVAS_INIT;
    struct sh_area area;

    for (int shift = 0; shift < 3; shift++) {
        pk_buf_clear(&text);
        for (int i = 0; i < shift; i++)
            pk_buf_add_byte(&text, 'a');
        for (int i = 0; i < 1000; i++)
            pk_buf_add_cstr(&text, "日");
        sh_canvas_reset(&canvas, &UTF8, 1, 6 + shift);
        area = sh_area_whole(&canvas);
        cr_expect_eq(sh_put_cut(&area, sh_at(0, 0, 5 + shift), SH_INK_TEXT, pk_buf_slice(&text)),
                     5 + shift);
        expect_canvas(&canvas, &"aa日日…\n"[2 - shift], "long");
    }
    sh_canvas_release(&canvas);
    pk_buf_release(&text);
}

Test(panel_canvas, halves_of_wide_characters_are_blanked)
{
    static const struct {
        int x;
        const char *over, *expected;
    } cases[] = {
        {0, "x", "x 本\n"}, {1, "x", " x本\n"}, {2, "x", "日x\n"},
        {3, "x", "日 x\n"}, {1, "語", " 語\n"}, {3, "語", "日本\n"}, /* does not fit: as it was */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct sh_canvas canvas = SH_CANVAS_INIT;
        struct sh_area area;

        sh_canvas_reset(&canvas, &UTF8, 1, 4);
        area = sh_area_whole(&canvas);
        sh_put(&area, 0, 0, SH_INK_TEXT, PK_LIT("日本"));
        sh_put(&area, 0, cases[i].x, SH_INK_TEXT, pk_slice_cstr(cases[i].over));
        expect_canvas(&canvas, cases[i].expected, cases[i].over);
        sh_canvas_release(&canvas);
    }
}

Test(panel_canvas, areas_clip)
{
    struct sh_canvas canvas = SH_CANVAS_INIT;
    struct sh_area area;
    struct sh_area part;

    sh_canvas_reset(&canvas, &UTF8, 3, 8);
    area = sh_area_whole(&canvas);
    part = sh_area_part(&area, 1, 2, 9, 3);
    cr_expect_eq(part.height, 2);
    cr_expect_eq(part.width, 3);
    sh_put(&part, 0, 0, SH_INK_TEXT, PK_LIT("abcdef"));
    sh_put(&part, 1, -1, SH_INK_TEXT, PK_LIT("xyz"));
    sh_put(&part, 2, 0, SH_INK_TEXT, PK_LIT("below"));
    sh_put(&part, -1, 0, SH_INK_TEXT, PK_LIT("above"));
    sh_put_repeat(&area, sh_at(0, 5, 99), SH_INK_RULE, "─");
    sh_put_right(&area, sh_at(2, 5, 3), SH_INK_TEXT, PK_LIT("7"));
    expect_canvas(&canvas, "     ───\n  abc\n  yz   7\n", "areas");
    cr_expect_null(sh_canvas_at(&canvas, 3, 0));
    cr_expect_eq(sh_canvas_at(&canvas, 0, 5)->ink, SH_INK_RULE);
    sh_canvas_reset(&canvas, &UTF8, -1, 100000);
    cr_expect_eq(canvas.height, 0);
    cr_expect_eq(canvas.width, SH_CANVAS_COLUMNS_MAX);
    expect_canvas(&canvas, "", "no rows");
    sh_canvas_release(&canvas);
}

Test(panel_canvas, bars)
{
    static const struct {
        int64_t amount, limit;
        const char *utf8, *ascii;
    } cases[] = {
        {0, 3000, "·\n", ".\n"},
        {-5, 3000, "·\n", ".\n"},
        {5, 0, "·\n", ".\n"},
        {1, 3000, "▏\n", ":\n"},
        {682, 3000, "██▎\n", "##\n"},
        {1500, 3000, "█████\n", "#####\n"},
        {2999, 3000, "█████████▉\n", "##########\n"},
        {3000, 3000, "██████████\n", "##########\n"},
        {INT64_MAX, 3000, "██████████\n", "##########\n"},
        {INT64_MAX / 2, INT64_MAX, "█████\n", "#####\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int utf8 = 0; utf8 < 2; utf8++) {
            struct sh_canvas canvas = SH_CANVAS_INIT;
            struct sh_area area;

            sh_canvas_reset(&canvas, utf8 ? &UTF8 : &ASCII, 1, 12);
            area = sh_area_whole(&canvas);
            sh_put_bar(&area, sh_at(0, 0, 10), SH_INK_READ,
                       sh_share(cases[i].amount, cases[i].limit));
            expect_canvas(&canvas, utf8 ? cases[i].utf8 : cases[i].ascii, "bar");
            sh_canvas_release(&canvas);
        }
}

Test(panel_canvas, shades_rise)
{
    static const struct {
        int share;
        bool refused;
        const char *utf8, *ascii;
    } cases[] = {{0, false, "·", "."},    {1, false, "░", ":"},   {250, false, "░", ":"},
                 {251, false, "▒", "+"},  {501, false, "▓", "*"}, {851, false, "█", "#"},
                 {1000, false, "█", "#"}, {10, true, "╳", "!"}};
    unsigned last = 0;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct sh_shade shade = sh_shade(cases[i].share, cases[i].refused, true);

        cr_expect_str_eq(shade.symbol, cases[i].utf8);
        cr_expect_str_eq(sh_shade(cases[i].share, cases[i].refused, false).symbol, cases[i].ascii);
        if (!cases[i].refused) {
            cr_expect_geq((unsigned)shade.ink, last);
            last = shade.ink;
        }
    }
    cr_expect_eq(last, (unsigned)(SH_INK_HEAT + SH_HEATS - 1));
}

/* Without colours no ink asks for one; with a theme every cell has its paint. */
Test(panel_canvas, inks_keep_to_the_colours_there_are)
{
    static const int colours[] = {0, 8, 256};

    for (size_t c = 0; c < 3; c++)
        for (int theme = SH_THEME_AUTO; theme <= SH_THEME_LIGHT; theme++)
            for (unsigned ink = 0; ink < SH_INKS + 5; ink++) {
                struct sh_look look = {.colours = colours[c], .theme = (enum sh_theme)theme};
                struct sh_ink_style style = sh_ink_style(&look, ink);

                cr_expect_lt(style.fg, colours[c] == 0 ? 0 : colours[c]);
                cr_expect_lt(style.bg, colours[c] == 0 ? 0 : colours[c]);
                cr_expect_eq(style.bg >= 0, colours[c] > 0 && theme != SH_THEME_AUTO);
                cr_expect(style.fg < 0 || style.fg != style.bg, "ink %u is not to be seen", ink);
            }
}

/* ---- the model ------------------------------------------------------------------------------- */

static void expect_second(const struct sh_model *model, uint32_t id, int64_t second, bool known,
                          bool refused, int share)
{
    struct sh_model_second found = sh_model_at(model, id, second);

    cr_expect_eq(found.known, known, "partition %u second %lld", id, (long long)second);
    cr_expect_eq(found.refused, refused, "partition %u second %lld", id, (long long)second);
    cr_expect_eq(found.share, share, "partition %u second %lld: %d", id, (long long)second,
                 found.share);
}

Test(panel_canvas, model_goes_on_over_a_split)
{
    struct panel_fixture before;
    struct panel_fixture after;
    struct sh_model *model = sh_model_new();
    int64_t now = 0;

    panel_fixture_hot(&before);
    panel_fixture_split(&after);
    now = before.snapshot.time_ms / 1000;
    cr_expect_eq(sh_model_wants(model), 300u);
    sh_model_feed(model, &before.snapshot);
    cr_expect_eq(sh_model_now(model), now);
    expect_second(model, 3, now - 1, true, true, 1000);
    expect_second(model, 3, now - 38, true, false, 1000);
    expect_second(model, 3, now - 39, true, false,
                  sh_share(before.snapshot.partitions[2].read_milli[261] / 1000, 3000) / 10 * 10 +
                      10);
    expect_second(model, 3, now, false, false, 0);
    expect_second(model, 3, now - 301, false, false, 0);
    sh_model_feed(model, &after.snapshot);
    cr_expect_eq(sh_model_born(model, 5), now);
    cr_expect_eq(sh_model_born(model, 1), -1);
    cr_expect(sh_model_is_heir(model, 5));
    cr_expect_not(sh_model_is_heir(model, 6));
    expect_second(model, 5, now - 2, true, true, 1000); /* its parent's */
    expect_second(model, 6, now + 31, true, false,
                  sh_share(after.snapshot.partitions[3].read_milli[31] / 1000, 3000) / 10 * 10 +
                      10);
    panel_fixture_release(&before);
    panel_fixture_release(&after);
    sh_model_free(model);
}

/* Few seconds are asked for once all are there; a gap, a partition not seen before, another table
 * and a clock that goes back ask for all. */
Test(panel_canvas, model_asks_for_what_it_lacks)
{
    struct panel_fixture fixture;
    struct sh_model *model = sh_model_new();

    panel_fixture_hot(&fixture);
    for (int i = 0; i < 4; i++)
        sh_model_feed(model, &fixture.snapshot);
    cr_expect_eq(sh_model_wants(model), 8u);
    for (size_t i = 0; i < 4; i++)
        fixture.snapshot.partitions[i].history_count = 8;
    fixture.snapshot.time_ms += 8000;
    sh_model_feed(model, &fixture.snapshot);
    cr_expect_eq(sh_model_wants(model), 8u);
    fixture.snapshot.time_ms += 9000;
    sh_model_feed(model, &fixture.snapshot);
    cr_expect_eq(sh_model_wants(model), 300u, "a second is missing");
    for (int i = 0; i < 3; i++)
        sh_model_feed(model, &fixture.snapshot);
    cr_expect_eq(sh_model_wants(model), 8u);
    fixture.snapshot.partitions[0].id = 77;
    sh_model_feed(model, &fixture.snapshot);
    cr_expect_eq(sh_model_wants(model), 300u, "a new partition");
    fixture.snapshot.time_ms -= 100000;
    sh_model_feed(model, &fixture.snapshot);
    cr_expect_eq(sh_model_wants(model), 300u);
    cr_expect_not(sh_model_at(model, 1, fixture.snapshot.time_ms / 1000 + 50).known);
    fixture.snapshot.speed = 100;
    sh_model_feed(model, &fixture.snapshot);
    cr_expect_eq(sh_model_wants(model), 300u);
    panel_fixture_release(&fixture);
    sh_model_free(model);
}

/* A limit that changes does not repaint what was before. */
Test(panel_canvas, model_keeps_seconds_as_they_were)
{
    struct panel_fixture fixture;
    struct sh_model *model = sh_model_new();
    int64_t now = 0;
    int before = 0;

    panel_fixture_hot(&fixture);
    now = fixture.snapshot.time_ms / 1000;
    sh_model_feed(model, &fixture.snapshot);
    before = sh_model_at(model, 1, now - 5).share;
    cr_expect_lt(before, 500);
    for (size_t i = 0; i < 4; i++)
        fixture.snapshot.partitions[i].read.limit = 30;
    fixture.snapshot.time_ms += 1000;
    sh_model_feed(model, &fixture.snapshot);
    expect_second(model, 1, now - 5, true, false, before);
    expect_second(model, 1, now, true, false, 1000);
    panel_fixture_release(&fixture);
    sh_model_free(model);
}

/* More partitions than are kept: the latest seen stay, and it costs no more. */
Test(panel_canvas, model_forgets_those_not_seen)
{
    struct panel_fixture fixture;
    struct sh_model *model = sh_model_new();

    panel_fixture_many(&fixture, 10000, 0, 3000);
    sh_model_feed(model, &fixture.snapshot);
    cr_expect(sh_model_at(model, 1, sh_model_now(model) - 1).known);
    cr_expect_not(sh_model_at(model, 2999, sh_model_now(model) - 1).known);
    panel_fixture_release(&fixture);
    panel_fixture_many(&fixture, 10000, 5000, 256);
    fixture.snapshot.time_ms += 1000;
    sh_model_feed(model, &fixture.snapshot);
    cr_expect(sh_model_at(model, 5001, sh_model_now(model) - 1).known);
    panel_fixture_release(&fixture);
    sh_model_free(model);
}
