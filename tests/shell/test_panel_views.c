/*
 * The panel's screens as goldens (tests/shell/panel, UPDATE=1 rewrites them), what hostile data
 * does to them, and the keys of each view.
 */
#include <criterion/criterion.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/panel_fixture.h"

static void setup(void)
{
    cr_assert_not_null(setlocale(LC_ALL, "C.UTF-8"));
}

TestSuite(panel_views, .init = setup);

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws frame into a screen with the line of keys in its last row. */
static void draw(struct sh_views *views, struct sh_canvas *canvas, const struct sh_frame *frame,
                 int height, int width)
{
    struct sh_canvas view = SH_CANVAS_INIT;

    sh_canvas_reset(canvas, &frame->look, height, width);
    sh_canvas_reset(&view, &frame->look, height - 1, width);
    sh_views_draw(views, &view, frame);
    if (view.height > 0 && view.width > 0)
        memcpy(canvas->cells, view.cells,
               (size_t)view.height * (size_t)view.width * sizeof(*view.cells));
    sh_views_draw_keys(views, canvas, height - 1, frame);
    sh_canvas_release(&view);
}

/* Every row's cells add up to the width, wide ones are followed by their right half, and no cell
 * holds a control character. */
static void expect_sound(const struct sh_canvas *canvas, const char *what)
{
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++) {
            const struct sh_cell *cell = sh_canvas_at(canvas, y, x);
            const struct sh_cell *next = sh_canvas_at(canvas, y, x + 1);

            cr_assert(cell->width <= 2 && cell->ink < SH_INKS, "%s: (%d, %d)", what, y, x);
            cr_assert_eq(cell->width == 0, cell->text[0] == '\0', "%s: (%d, %d)", what, y, x);
            if (cell->width == 2)
                cr_assert(next != NULL && next->width == 0, "%s: (%d, %d)", what, y, x);
            for (const char *c = cell->text; *c != '\0'; c++)
                cr_assert((unsigned char)*c >= 0x20 && *c != 0x7f, "%s: (%d, %d)", what, y, x);
            for (const char *c = cell->text; canvas->ascii && *c != '\0'; c++)
                cr_assert((unsigned char)*c < 0x80, "%s: not ASCII at (%d, %d)", what, y, x);
        }
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    struct pk_buf text = PK_BUF_INIT;
    int c;

    while (file != NULL && (c = fgetc(file)) != EOF)
        pk_buf_add_byte(&text, (unsigned char)c);
    if (file != NULL)
        fclose(file);
    return pk_buf_detach(&text);
}

static void expect_golden(const struct sh_canvas *canvas, const char *name)
{
    struct pk_buf text = PK_BUF_INIT;
    char path[200];

    snprintf(path, sizeof(path), "tests/shell/panel/%s.txt", name);
    expect_sound(canvas, name);
    sh_canvas_text(canvas, &text);
    if (getenv("UPDATE") != NULL) {
        FILE *file = fopen(path, "w");

        cr_assert_not_null(file, "%s", path);
        fwrite(text.data, 1, text.len, file);
        fclose(file);
    } else {
        char *golden = read_file(path);

        cr_expect_str_eq(text.data, golden, "%s is\n%s\ninstead of\n%s", path, text.data, golden);
        free(golden);
    }
    pk_buf_release(&text);
}

/* ---- goldens --------------------------------------------------------------------------------- */

static const struct size {
    int height, width;
} SIZES[] = {{24, 80}, {40, 120}, {60, 200}};

Test(panel_views, each_view_at_each_size)
{
    struct panel_fixture fixture;

    panel_fixture_hot(&fixture);
    for (int id = 0; id < SH_VIEWS; id++)
        for (size_t s = 0; s < sizeof(SIZES) / sizeof(*SIZES); s++)
            for (int utf8 = 0; utf8 < 2; utf8++) {
                struct sh_views *views = sh_views_new();
                struct sh_canvas canvas = SH_CANVAS_INIT;
                char name[80];

                fixture.frame.look.utf8 = utf8;
                sh_views_show(views, (enum sh_view_id)id);
                draw(views, &canvas, &fixture.frame, SIZES[s].height, SIZES[s].width);
                snprintf(name, sizeof(name), "%s-%dx%d%s", sh_view_name((enum sh_view_id)id),
                         SIZES[s].width, SIZES[s].height, utf8 ? "" : "-ascii");
                expect_golden(&canvas, name);
                sh_canvas_release(&canvas);
                sh_views_free(views);
            }
    panel_fixture_release(&fixture);
}

/* Draws one view of a fixture and compares it. */
static void golden_of(const struct panel_fixture *fixture, enum sh_view_id id, struct size size,
                      const char *name)
{
    struct sh_views *views = sh_views_new();
    struct sh_canvas canvas = SH_CANVAS_INIT;

    sh_views_show(views, id);
    draw(views, &canvas, &fixture->frame, size.height, size.width);
    expect_golden(&canvas, name);
    sh_canvas_release(&canvas);
    sh_views_free(views);
}

Test(panel_views, split_is_one_row_becoming_two)
{
    struct panel_fixture before;
    struct panel_fixture after;
    struct sh_views *views = sh_views_new();
    struct sh_canvas canvas = SH_CANVAS_INIT;

    panel_fixture_hot(&before);
    panel_fixture_split(&after);
    for (int id = 0; id < SH_VIEWS; id += SH_VIEW_SPLIT) {
        char name[80];

        sh_views_show(views, (enum sh_view_id)id);
        draw(views, &canvas, &before.frame, 24, 80);
        draw(views, &canvas, &after.frame, 24, 80);
        snprintf(name, sizeof(name), "%s-after-split-80x24", sh_view_name((enum sh_view_id)id));
        expect_golden(&canvas, name);
    }
    sh_canvas_release(&canvas);
    sh_views_free(views);
    panel_fixture_release(&before);
    panel_fixture_release(&after);
}

Test(panel_views, bursts_have_a_column)
{
    struct panel_fixture fixture;

    panel_fixture_provisioned(&fixture);
    golden_of(&fixture, SH_VIEW_HEAT, SIZES[0], "heat-provisioned-80x24");
    fixture.frame.focus = true;
    golden_of(&fixture, SH_VIEW_SPLIT, (struct size){20, 120}, "split-focus-120x20");
    panel_fixture_release(&fixture);
}

/* Whose rate the keys change is said, whatever else has room. */
Test(panel_views, the_traffic_that_keys_turn)
{
    struct panel_fixture fixture;

    panel_fixture_hot(&fixture);
    fixture.traffic[1] = (struct sh_traffic){PK_LIT("calm"), 20, PK_LIT("")};
    fixture.frame.traffic_count = 2;
    fixture.frame.traffic_chosen = 1;
    golden_of(&fixture, SH_VIEW_HEAT, (struct size){8, 80}, "heat-two-traffics-80x8");
    fixture.frame.focus = true;
    golden_of(&fixture, SH_VIEW_HEAT, (struct size){8, 80}, "heat-two-traffics-focus-80x8");
    golden_of(&fixture, SH_VIEW_HEAT, (struct size){8, 30}, "heat-two-traffics-focus-30x8");
    panel_fixture_release(&fixture);
}

Test(panel_views, many_partitions_keep_the_hottest)
{
    struct panel_fixture fixture;

    panel_fixture_many(&fixture, 256, 0, 256);
    golden_of(&fixture, SH_VIEW_HEAT, SIZES[0], "heat-many-80x24");
    golden_of(&fixture, SH_VIEW_HEAT, SIZES[1], "heat-many-120x40");
    golden_of(&fixture, SH_VIEW_SPLIT, SIZES[0], "split-many-80x24");
    panel_fixture_release(&fixture);
    panel_fixture_many(&fixture, 10000, 0, 256);
    golden_of(&fixture, SH_VIEW_HEAT, SIZES[0], "heat-10000-80x24");
    golden_of(&fixture, SH_VIEW_SPLIT, SIZES[0], "split-10000-80x24");
    fixture.frame.look.projector = true;
    golden_of(&fixture, SH_VIEW_HEAT, SIZES[0], "heat-projector-10000-80x24");
    panel_fixture_release(&fixture);
}

Test(panel_views, nothing_to_show)
{
    struct panel_fixture fixture;

    panel_fixture_no_table(&fixture);
    for (int id = 0; id < SH_VIEWS; id++) {
        char name[80];

        snprintf(name, sizeof(name), "%s-no-table", sh_view_name((enum sh_view_id)id));
        golden_of(&fixture, (enum sh_view_id)id, (struct size){10, 60}, name);
    }
    panel_fixture_release(&fixture);
    panel_fixture_empty(&fixture);
    golden_of(&fixture, SH_VIEW_SPLIT, SIZES[0], "split-empty-80x24");
    golden_of(&fixture, SH_VIEW_HEAT, SIZES[0], "heat-empty-80x24");
    golden_of(&fixture, SH_VIEW_INDEXES, SIZES[0], "indexes-empty-80x24");
    fixture.frame.snapshot = NULL;
    fixture.frame.trouble = PK_LIT("reconnecting …");
    golden_of(&fixture, SH_VIEW_SPLIT, (struct size){10, 60}, "split-reconnecting");
    panel_fixture_release(&fixture);
}

Test(panel_views, projector_shows_few_things_large)
{
    struct panel_fixture fixture;

    panel_fixture_hot(&fixture);
    fixture.frame.look.projector = true;
    fixture.frame.prompt = false;
    for (int id = 0; id < SH_VIEWS; id++) {
        char name[80];

        snprintf(name, sizeof(name), "%s-projector-80x24", sh_view_name((enum sh_view_id)id));
        golden_of(&fixture, (enum sh_view_id)id, SIZES[0], name);
    }
    panel_fixture_release(&fixture);
    panel_fixture_many(&fixture, 256, 0, 256);
    fixture.frame.look.projector = true;
    golden_of(&fixture, SH_VIEW_HEAT, SIZES[0], "heat-projector-many-80x24");
    panel_fixture_release(&fixture);
}

/* What an in-terminal panel has of 80 columns and 24 rows. */
Test(panel_views, half_a_terminal)
{
    struct panel_fixture fixture;

    panel_fixture_hot(&fixture);
    for (int id = 0; id < SH_VIEWS; id++) {
        char name[80];

        snprintf(name, sizeof(name), "%s-80x14", sh_view_name((enum sh_view_id)id));
        golden_of(&fixture, (enum sh_view_id)id, (struct size){14, 80}, name);
    }
    panel_fixture_release(&fixture);
}

/* ---- hostile data ---------------------------------------------------------------------------- */

Test(panel_views, items_are_data)
{
    struct panel_fixture fixture;

    panel_fixture_hostile(&fixture);
    for (int utf8 = 0; utf8 < 2; utf8++)
        for (int id = 0; id < SH_VIEWS; id++) {
            char name[80];

            fixture.frame.look.utf8 = utf8;
            snprintf(name, sizeof(name), "%s-hostile%s", sh_view_name((enum sh_view_id)id),
                     utf8 ? "" : "-ascii");
            golden_of(&fixture, (enum sh_view_id)id, SIZES[0], name);
        }
    panel_fixture_release(&fixture);
}

/* Every view of every fixture at sizes down to nothing: sound cells, no crash (ASan). */
Test(panel_views, any_size)
{
    static const int sizes[] = {0, 1, 2, 3, 5, 8, 13, 23, 24, 31, 40, 79, 101, 161, 300, 700};
    static void (*const makers[])(struct panel_fixture *) = {
        panel_fixture_hot, panel_fixture_split, panel_fixture_empty, panel_fixture_hostile,
        panel_fixture_no_table};

    for (size_t m = 0; m < sizeof(makers) / sizeof(*makers); m++) {
        struct panel_fixture fixture;
        struct sh_views *views = sh_views_new();
        struct sh_canvas canvas = SH_CANVAS_INIT;

        makers[m](&fixture);
        for (size_t h = 0; h < 13; h++)
            for (size_t w = 0; w < sizeof(sizes) / sizeof(*sizes); w++)
                for (int id = 0; id < SH_VIEWS * 2; id++) {
                    sh_views_show(views, (enum sh_view_id)(id / 2));
                    fixture.frame.look.projector = id % 2;
                    fixture.frame.focus = w % 2;
                    draw(views, &canvas, &fixture.frame, sizes[h], sizes[w]);
                    cr_assert_eq(canvas.height, sizes[h]);
                    expect_sound(&canvas, sh_view_name((enum sh_view_id)(id / 2)));
                }
        sh_canvas_release(&canvas);
        sh_views_free(views);
        panel_fixture_release(&fixture);
    }
}
