/*
 * Which columns the heat view has room for, and where. Columns that say less go first; what is left
 * over goes to the bars and the map.
 */
#ifndef SH_PANEL_HEAT_LAYOUT_H
#define SH_PANEL_HEAT_LAYOUT_H

#include <stdbool.h>

enum sh_heat_column {
    SH_HEAT_NUMBER,
    SH_HEAT_TOKENS,
    SH_HEAT_LEADER,
    SH_HEAT_ITEMS,
    SH_HEAT_SIZE,
    SH_HEAT_READ_BAR,
    SH_HEAT_READ,
    SH_HEAT_WRITE_BAR,
    SH_HEAT_WRITE,
    SH_HEAT_BURST,
    SH_HEAT_THROTTLED,
    SH_HEAT_MAP,
    SH_HEAT_KEY,
    SH_HEAT_COLUMNS
};

struct sh_heat_layout {
    struct {
        int x, width; /* width 0: not there */
    } columns[SH_HEAT_COLUMNS];
};

enum sh_heat_kind {
    SH_HEAT_ROWS, /* everything in one row a partition */
    SH_HEAT_TABLE /* without map, key and throttles, which have rows of their own */
};
/* What there is to show. */
struct sh_heat_figures {
    bool burst; /* some partition has a bucket for it */
    int digits; /* of the largest partition number */
};
void sh_heat_layout(struct sh_heat_layout *layout, enum sh_heat_kind kind,
                    const struct sh_heat_figures *figures, int width);

#endif
