/*
 * Which rows of the terminal are whose: views above, then the output with its title, the line of
 * keys, and the line being typed. A terminal that is too small for views has output and prompt
 * only.
 */
#ifndef SH_PANEL_LAYOUT_H
#define SH_PANEL_LAYOUT_H

#include <stdbool.h>

enum {
    SH_LAYOUT_ROWS = 10, /* fewer rows or columns, and there are no views */
    SH_LAYOUT_COLUMNS = 24
};

struct sh_layout {
    int view_rows;             /* from row 0 on; 0: too small */
    int title_row;             /* -1: none */
    int pane_row, pane_rows;   /* pane_rows may be 0 */
    int keys_row;              /* -1: none */
    int input_row, input_rows; /* at least 1 row */
};

/* input_rows: what the line being typed would like to have; it gets a third of the screen at most,
 * and takes it from the output first. */
struct sh_layout sh_layout(int rows, int columns, int input_rows);

#endif
