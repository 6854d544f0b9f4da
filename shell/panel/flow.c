/* Wrapping; see flow.h. */
#include "shell/panel/flow.h"

#include <wchar.h>

#include "engine/base/utf8.h"

enum { TAB = 8 };

struct walk {
    const struct sh_flow *flow;
    int row, column;
    enum sh_ink ink;
    pk_slice run; /* characters in a row with one ink, not drawn yet … */
    int run_at;   /* … that begin in this column */
};

/* Rows above and below the area cost no drawing: a line may have a million characters. */
static void draw_run(struct walk *walk)
{
    const struct sh_flow *flow = walk->flow;
    bool seen = flow->area != NULL && walk->row >= flow->skip &&
                walk->row - flow->skip < flow->area->height;

    if (seen && walk->run.len > 0)
        sh_put(flow->area, walk->row - flow->skip, walk->run_at, walk->ink, walk->run);
    walk->run.len = 0;
}

static void break_row(struct walk *walk)
{
    draw_run(walk);
    walk->row++;
    walk->column = 0;
}

/* As the canvas counts: what combines with nothing sits on a blank. */
static int width_of(const struct walk *walk, uint32_t code)
{
    int width = code < 0x7f ? 1 : wcwidth((wchar_t)code);

    if (width == 0)
        return walk->run.len == 0;
    return width == 2 && !walk->flow->ascii ? 2 : 1;
}

static void add_character(struct walk *walk, pk_slice character, uint32_t code)
{
    int width = width_of(walk, code);

    if (width > 0 && walk->column + width > walk->flow->columns && walk->column > 0)
        break_row(walk);
    if (walk->run.len == 0) {
        walk->run = pk_slice_of(character.data, 0);
        walk->run_at = walk->column;
    }
    walk->run.len += character.len;
    walk->column += width;
}

static void add_tab(struct walk *walk)
{
    int next = (walk->column / TAB + 1) * TAB;

    draw_run(walk);
    walk->column = next < walk->flow->columns ? next : walk->flow->columns;
}

/* ---- inks ------------------------------------------------------------------------------------ */

static enum sh_ink ink_of(unsigned code, enum sh_ink plain)
{
    switch (code) {
    case 1:
        return SH_INK_STRONG;
    case 2:
        return SH_INK_DIM;
    case 31:
        return SH_INK_ALERT;
    case 32:
        return SH_INK_GOOD;
    case 33:
        return SH_INK_WARN;
    default:
        return plain;
    }
}

/* Takes an escape sequence off the front. The last number of SGR decides. */
static void take_sequence(struct walk *walk, pk_slice *text)
{
    unsigned code = 0;
    size_t pos = 2;

    draw_run(walk);
    if (text->len < 2 || text->data[1] != '[') {
        *text = pk_slice_skip(*text, 1);
        return;
    }
    for (; pos < text->len && text->data[pos] >= 0x20 && text->data[pos] < 0x40; pos++) {
        char c = text->data[pos];

        code = c >= '0' && c <= '9' ? (code * 10 + (unsigned)(c - '0')) % 1000 : 0;
    }
    if (pos < text->len && text->data[pos] == 'm')
        walk->ink = ink_of(code, walk->flow->ink);
    *text = pk_slice_skip(*text, pos + 1);
}

/* ---- walking --------------------------------------------------------------------------------- */

static void walk_character(struct walk *walk, pk_slice *text)
{
    pk_slice rest = *text;
    uint32_t code = (unsigned char)rest.data[0];

    if (code < 0x80 || !pk_utf8_take(&rest, &code))
        rest = pk_slice_skip(*text, 1);
    add_character(walk, pk_slice_of(text->data, text->len - rest.len), code);
    *text = rest;
}

/* The cursor stands where the next character would begin. */
static void note_mark(struct sh_flow *flow, const struct walk *walk)
{
    bool full = walk->column >= flow->columns;

    flow->mark_row = walk->row + full;
    flow->mark_column = full ? 0 : walk->column;
}

int sh_flow(struct sh_flow *flow, pk_slice text)
{
    struct walk walk = {.flow = flow, .ink = flow->ink};
    const char *begin = text.data;

    flow->mark_row = flow->mark_column = -1;
    while (text.len > 0) {
        if ((size_t)(text.data - begin) == flow->mark)
            note_mark(flow, &walk);
        if (text.data[0] == '\033') {
            take_sequence(&walk, &text);
        } else if (text.data[0] == '\t') {
            add_tab(&walk);
            text = pk_slice_skip(text, 1);
        } else {
            walk_character(&walk, &text);
        }
    }
    draw_run(&walk);
    if (flow->mark_row < 0)
        note_mark(flow, &walk);
    return walk.row + 1;
}
