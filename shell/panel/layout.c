/* Dividing rows; see layout.h. */
#include "shell/panel/layout.h"

enum { PANE_ROWS_MIN = 3 };

static int clamp(int n, int low, int high)
{
    return n > high ? high : n < low ? low : n;
}

static struct sh_layout without_views(int rows, int input)
{
    int left = rows - input;
    int title = left >= 3;

    return (struct sh_layout){.title_row = title ? 0 : -1,
                              .pane_row = title,
                              .pane_rows = left - title,
                              .keys_row = -1,
                              .input_row = left,
                              .input_rows = input};
}

struct sh_layout sh_layout(int rows, int columns, int input_rows)
{
    int input = clamp(input_rows, 1, rows / 3 > 1 ? rows / 3 : 1);

    rows = rows < 1 ? 1 : rows;
    if (rows < SH_LAYOUT_ROWS || columns < SH_LAYOUT_COLUMNS)
        return without_views(rows, input);

    int most = rows - 3; /* title, keys, one row of input */
    int pane = most * 3 / 10 < PANE_ROWS_MIN ? PANE_ROWS_MIN : most * 3 / 10;
    int view = most - pane;

    pane -= input - 1;
    if (pane < 1) {
        view -= 1 - pane;
        pane = 1;
    }
    return (struct sh_layout){.view_rows = view,
                              .title_row = view,
                              .pane_row = view + 1,
                              .pane_rows = pane,
                              .keys_row = view + 1 + pane,
                              .input_row = view + 2 + pane,
                              .input_rows = input};
}
