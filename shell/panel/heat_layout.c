/* See heat_layout.h. */
#include "shell/panel/heat_layout.h"

/* drop: columns with the larger number go first; 0 stays as long as anything does. grow: the most
 * that a column takes of what is left over; the last with -1 takes the rest. */
static const struct {
    int width, drop, grow;
    bool in_table;
} COLUMNS[SH_HEAT_COLUMNS] = {
    [SH_HEAT_NUMBER] = {3, 0, 2, true},      [SH_HEAT_TOKENS] = {9, 2, 0, true},
    [SH_HEAT_LEADER] = {4, 10, 0, true},     [SH_HEAT_ITEMS] = {6, 7, 0, true},
    [SH_HEAT_SIZE] = {5, 6, 0, true},        [SH_HEAT_READ_BAR] = {6, 4, 14, true},
    [SH_HEAT_READ] = {7, 0, 0, true},        [SH_HEAT_WRITE_BAR] = {5, 5, 14, true},
    [SH_HEAT_WRITE] = {7, 1, 0, true},       [SH_HEAT_BURST] = {5, 9, 0, true},
    [SH_HEAT_THROTTLED] = {17, 8, 8, false}, [SH_HEAT_MAP] = {12, 3, -1, false},
    [SH_HEAT_KEY] = {11, 4, 13, false},
};

static int used(const struct sh_heat_layout *layout)
{
    int sum = 0;

    for (int c = 0; c < SH_HEAT_COLUMNS; c++)
        if (layout->columns[c].width > 0)
            sum += layout->columns[c].width + (sum > 0 ? 1 : 0);
    return sum;
}

static void drop_one(struct sh_heat_layout *layout)
{
    int which = 0;

    for (int c = 1; c < SH_HEAT_COLUMNS; c++)
        if (layout->columns[c].width > 0 && COLUMNS[c].drop > COLUMNS[which].drop)
            which = c;
        else if (layout->columns[which].width == 0)
            which = c;
    layout->columns[which].width = 0;
}

/* Shares out what is left: an eighth of it to each column that grows, the rest to the map, or to
 * the bars where there is none. */
static void grow(struct sh_heat_layout *layout, int extra)
{
    bool map = layout->columns[SH_HEAT_MAP].width > 0;
    int part = extra / 8;

    if (!map && layout->columns[SH_HEAT_READ_BAR].width > 0) {
        layout->columns[SH_HEAT_READ_BAR].width += extra / 2;
        if (layout->columns[SH_HEAT_WRITE_BAR].width > 0)
            layout->columns[SH_HEAT_WRITE_BAR].width += extra / 2;
        return;
    }

    for (int c = 0; c < SH_HEAT_COLUMNS; c++) {
        int most = COLUMNS[c].grow < part ? COLUMNS[c].grow : part;

        if (layout->columns[c].width == 0 || most <= 0)
            continue;
        if (most > extra)
            most = extra;
        layout->columns[c].width += most;
        extra -= most;
    }
    if (map)
        layout->columns[SH_HEAT_MAP].width += extra;
}

void sh_heat_layout(struct sh_heat_layout *layout, enum sh_heat_kind kind,
                    const struct sh_heat_figures *figures, int width)
{
    int x = 0;

    for (int c = 0; c < SH_HEAT_COLUMNS; c++)
        layout->columns[c].width =
            kind == SH_HEAT_ROWS || COLUMNS[c].in_table ? COLUMNS[c].width : 0;
    if (figures->digits > layout->columns[SH_HEAT_NUMBER].width)
        layout->columns[SH_HEAT_NUMBER].width = figures->digits;
    if (!figures->burst)
        layout->columns[SH_HEAT_BURST].width = 0;
    while (used(layout) > width && used(layout) > 0)
        drop_one(layout);
    grow(layout, width - used(layout));
    for (int c = 0; c < SH_HEAT_COLUMNS; c++) {
        layout->columns[c].x = x;
        if (layout->columns[c].width > 0)
            x += layout->columns[c].width + 1;
    }
}
