/* Bars of a grid's cells. */
#include "shell/render/render.h"
#include "shell/render/text_safe.h"

enum { FULL = 1000, EIGHTHS = 8 };

const char *sh_grid_heading(const struct cmd_grid *grid, size_t column)
{
    const char *heading = grid->headings == NULL ? NULL : grid->headings[column];

    return heading != NULL ? heading : grid->columns[column];
}

/* U+2588 is a whole block, U+258F an eighth. */
static void add_block(struct pk_buf *out, unsigned eighths)
{
    pk_buf_add_cstr(out, "\xE2\x96");
    pk_buf_add_byte(out, (unsigned char)(0x88 + EIGHTHS - eighths));
}

/* Rounded to the nearest step, but what is not empty shows, and what is not full does not fill. */
static size_t steps_of(unsigned thousandths, size_t most)
{
    size_t steps = ((size_t)thousandths * most + FULL / 2) / FULL;

    if (steps == 0 && thousandths > 0)
        return 1;
    return steps == most && thousandths < FULL && most > 1 ? most - 1 : steps;
}

void sh_bar(struct pk_buf *out, unsigned thousandths, size_t width, bool ascii)
{
    size_t per = ascii ? 2 : EIGHTHS;
    size_t steps = steps_of(thousandths > FULL ? FULL : thousandths, width * per);
    size_t used = steps / per;

    if (width == 0)
        return;
    for (size_t i = 0; i < used; i++)
        ascii ? pk_buf_add_byte(out, '#') : add_block(out, EIGHTHS);
    if (steps % per > 0) {
        ascii ? pk_buf_add_byte(out, '+') : add_block(out, (unsigned)(steps % per));
        used++;
    }
    if (steps == 0) {
        pk_buf_add_cstr(out, ascii ? "." : "\xC2\xB7");
        used++;
    }
    sh_text_pad(out, width - used);
}
