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
