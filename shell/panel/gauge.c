/* Bars and shades; see gauge.h. */
#include "shell/panel/gauge.h"

int sh_share(int64_t amount, int64_t limit)
{
    if (amount <= 0 || limit <= 0)
        return 0;
    if (amount >= limit)
        return 1000;
    if (amount > INT64_MAX / 1000)
        return (int)(amount / (limit / 1000));

    int share = (int)(amount * 1000 / limit);

    return share == 0 ? 1 : share;
}

static const char *const EIGHTHS[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

/* The last cell of an ASCII bar: it takes half a cell to count. */
static void put_ascii_bar(const struct sh_area *area, int y, int x, int eighths, enum sh_ink ink)
{
    int cells = (eighths + 4) / 8;

    if (cells == 0)
        sh_put_repeat(area, y, x, 1, ink, ":");
    sh_put_repeat(area, y, x, cells, ink, "#");
}

void sh_put_bar(const struct sh_area *area, int y, int x, int width, enum sh_ink ink, int share)
{
    int eighths = share >= 1000 ? width * 8 : share * width * 8 / 1000;

    if (width <= 0)
        return;
    if (share <= 0) {
        sh_put_repeat(area, y, x, 1, SH_INK_DIM, area->canvas->ascii ? "." : "·");
        return;
    }
    if (eighths == 0)
        eighths = 1;
    if (area->canvas->ascii) {
        put_ascii_bar(area, y, x, eighths, ink);
        return;
    }
    sh_put_repeat(area, y, x, eighths / 8, ink, "█");
    if (eighths % 8 != 0)
        sh_put_repeat(area, y, x + eighths / 8, 1, ink, EIGHTHS[eighths % 8]);
}

void sh_put_thick_bar(const struct sh_area *area, int y, int x, int height, int width,
                      enum sh_ink ink, int share)
{
    for (int i = 0; i < height; i++)
        sh_put_bar(area, y + i, x, width, ink, share);
}

struct sh_shade sh_shade(int share, bool refused, bool utf8)
{
    if (refused)
        return (struct sh_shade){utf8 ? "╳" : "!", SH_INK_REFUSED};
    if (share <= 0)
        return (struct sh_shade){utf8 ? "·" : ".", SH_INK_HEAT};

    int heat = 1 + share * (SH_HEATS - 1) / 1001;
    enum sh_ink ink = (enum sh_ink)(SH_INK_HEAT + (heat < SH_HEATS ? heat : SH_HEATS - 1));

    if (share <= 250)
        return (struct sh_shade){utf8 ? "░" : ":", ink};
    if (share <= 500)
        return (struct sh_shade){utf8 ? "▒" : "+", ink};
    if (share <= 850)
        return (struct sh_shade){utf8 ? "▓" : "*", ink};
    return (struct sh_shade){utf8 ? "█" : "#", ink};
}
