/* Bars and shades: an amount against its limit, in cells. */
#ifndef SH_PANEL_GAUGE_H
#define SH_PANEL_GAUGE_H

#include "shell/panel/canvas.h"

/* A share of a limit in thousandths, 0 … 1000: of nothing, or without a limit, 0. */
int sh_share(int64_t amount, int64_t limit);

/* A bar of `share` thousandths in the cells of the place, to an eighth of a cell (ASCII: whole
 * cells); whatever is above 0 is seen, and only a whole share fills the bar. 0 is a dot. */
void sh_put_bar(const struct sh_area *area, struct sh_spot place, enum sh_ink ink, int share);
/* The same bar over `height` rows, for the projector. */
void sh_put_thick_bar(const struct sh_area *area, struct sh_spot place, int height, enum sh_ink ink,
                      int share);

/* How hot a second was, in thousandths of the limit, as a symbol and an ink. */
struct sh_shade {
    const char *symbol;
    enum sh_ink ink;
};
struct sh_shade sh_shade(int share, bool refused, bool utf8);

#endif
