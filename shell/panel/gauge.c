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
static void put_ascii_bar(const struct sh_area *area, struct sh_spot place, int eighths,
                          enum sh_ink ink)
{
    int cells = (eighths + 4) / 8;

    if (cells == 0)
        sh_put_repeat(area, sh_at(place.y, place.x, 1), ink, ":");
    sh_put_repeat(area, sh_at(place.y, place.x, cells), ink, "#");
}

void sh_put_bar(const struct sh_area *area, struct sh_spot place, enum sh_ink ink, int share)
{
    int eighths = share >= 1000 ? place.width * 8 : share * place.width * 8 / 1000;
    int whole = 0;

    if (place.width <= 0)
        return;
    if (share <= 0) {
        sh_put_repeat(area, sh_at(place.y, place.x, 1), SH_INK_DIM,
                      area->canvas->ascii ? "." : "·");
        return;
    }
    if (eighths == 0)
        eighths = 1;
    if (area->canvas->ascii) {
        put_ascii_bar(area, place, eighths, ink);
        return;
    }
    whole = eighths / 8;
    sh_put_repeat(area, sh_at(place.y, place.x, whole), ink, "█");
    if (eighths % 8 != 0)
        sh_put_repeat(area, sh_at(place.y, place.x + whole, 1), ink, EIGHTHS[eighths % 8]);
}

void sh_put_thick_bar(const struct sh_area *area, struct sh_spot place, int height, enum sh_ink ink,
                      int share)
{
    for (int i = 0; i < height; i++)
        sh_put_bar(area, sh_at(place.y + i, place.x, place.width), ink, share);
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
