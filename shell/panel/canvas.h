/*
 * A grid of cells that views draw into. It knows no terminal, so that a screen can be compared as
 * text, saved to a file, and copied to curses by whoever has a terminal.
 *
 * Invariants: a cell holds one cluster of UTF-8 (a character and what combines with it), never a
 * control character. A character two columns wide sits in a cell of width 2 whose right neighbour
 * has width 0 and no text; whatever overwrites one half blanks the other. Nothing is drawn outside:
 * every call clips, and a canvas may have no cells at all.
 */
#ifndef SH_PANEL_CANVAS_H
#define SH_PANEL_CANVAS_H

#include <stdint.h>

#include "engine/base/buf.h"
#include "shell/panel/ink.h"

/* A base of up to four bytes and what combines with it; further marks are left out (a cell of
 * curses takes four). */
enum { SH_CELL_BYTES = 13, SH_CELL_MARKS = 4 };

struct sh_cell {
    char text[SH_CELL_BYTES]; /* NUL-ended; empty where width is 0 */
    uint8_t width;            /* 1, 2, or 0: the right half of the cell before */
    uint8_t ink;              /* enum sh_ink */
};

struct sh_canvas {
    int height, width;
    bool ascii;            /* our symbols are put as their ASCII kin, other characters as "?" */
    struct sh_cell *cells; /* row by row */
};

#define SH_CANVAS_INIT                                                                             \
    {                                                                                              \
        0, 0, false, NULL                                                                          \
    }

/* More cells than that are not drawn: a terminal that claims to be larger is cut. */
enum { SH_CANVAS_ROWS_MAX = 500, SH_CANVAS_COLUMNS_MAX = 1000 };

/* Blanks of that size; sizes below 0 count as 0. Usable again and again on one canvas. */
void sh_canvas_reset(struct sh_canvas *canvas, const struct sh_look *look, int height, int width);
void sh_canvas_release(struct sh_canvas *canvas);
/* NULL outside. */
const struct sh_cell *sh_canvas_at(const struct sh_canvas *canvas, int y, int x);
/* The canvas as text, a line a row, without blanks at the ends of lines: `panel save`. */
void sh_canvas_text(const struct sh_canvas *canvas, struct pk_buf *out);

/* A rectangle of a canvas, with coordinates of its own. What lies outside the canvas or of the
 * rectangle is cut off. */
struct sh_area {
    struct sh_canvas *canvas;
    int y, x, height, width;
};
struct sh_area sh_area_whole(struct sh_canvas *canvas);
/* A part of an area, clipped to it. */
struct sh_area sh_area_part(const struct sh_area *area, int y, int x, int height, int width);

/* Where something is drawn, and how many columns it may take. */
struct sh_spot {
    int y, x, width;
};
static inline struct sh_spot sh_at(int y, int x, int width)
{
    return (struct sh_spot){y, x, width};
}

/* Writes text at (y, x), cut at the area's right edge without a mark; returns the column behind it.
 * The text is made safe here (text_safe.h): escapes, one line, bytes that are not UTF-8 shown. */
int sh_put(const struct sh_area *area, int y, int x, enum sh_ink ink, pk_slice text);
/* The same in the place's columns at most, "…" ("~" in ASCII) where text was cut off. */
int sh_put_cut(const struct sh_area *area, struct sh_spot place, enum sh_ink ink, pk_slice text);
/* Right-aligned in the place; text that is too wide is cut as above. */
void sh_put_right(const struct sh_area *area, struct sh_spot place, enum sh_ink ink, pk_slice text);
/* One of our own symbols (one column), in every cell of the place. */
void sh_put_repeat(const struct sh_area *area, struct sh_spot place, enum sh_ink ink,
                   const char *symbol);
/* Gives the cells of the place another ink, leaving their text. */
void sh_put_ink(const struct sh_area *area, struct sh_spot place, enum sh_ink ink);
/* Bytes of safe text that fit the columns, whole characters. */
size_t sh_fit(const struct sh_area *area, pk_slice safe, int columns);
/* Columns the text would take in sh_put. */
int sh_width(const struct sh_area *area, pk_slice text);

#endif
