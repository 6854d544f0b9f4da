/*
 * What inks look like. Blue (reads) against orange (writes) and vermilion (refused) is the palette
 * of Okabe and Ito; the heat ramp is viridis, which rises in brightness throughout, so that it
 * reads the same in grey. On a light background the ramp runs the other way: hot is dark there.
 */
#include "shell/panel/ink.h"

struct ink_row {
    int16_t colours[3]; /* with 256 on dark and on light, with 8; -1: default */
    bool bold, dim, reverse, underline;
};

enum { ON_DARK, ON_LIGHT, OF_EIGHT };

static const struct ink_row ROWS[SH_INKS] = {
    [SH_INK_TEXT] = {.colours = {-1, -1, -1}},
    [SH_INK_DIM] = {.colours = {245, 243, -1}, .dim = true},
    [SH_INK_STRONG] = {.colours = {-1, -1, -1}, .bold = true},
    [SH_INK_RULE] = {.colours = {67, 24, 6}},
    [SH_INK_STATUS] = {.colours = {-1, -1, -1}, .reverse = true},
    [SH_INK_STATUS_STRONG] = {.colours = {-1, -1, -1}, .bold = true, .reverse = true},
    [SH_INK_STATUS_ALERT] = {.colours = {202, 166, 1}, .bold = true, .reverse = true},
    [SH_INK_KEYS] = {.colours = {245, 243, -1}, .dim = true},
    [SH_INK_KEY] = {.colours = {-1, -1, -1}, .bold = true},
    [SH_INK_REFUSED] = {.colours = {202, 166, 1}, .bold = true, .reverse = true},
    [SH_INK_ALERT] = {.colours = {202, 166, 1}, .bold = true},
    [SH_INK_WARN] = {.colours = {220, 136, 3}},
    [SH_INK_GOOD] = {.colours = {79, 29, 2}},
    [SH_INK_READ] = {.colours = {75, 25, 4}},
    [SH_INK_WRITE] = {.colours = {214, 130, 3}},
    [SH_INK_BURST] = {.colours = {145, 96, 5}},
    [SH_INK_LIT] = {.colours = {220, 130, 3}, .bold = true},
    [SH_INK_CURSOR] = {.colours = {-1, -1, -1}, .reverse = true},
    [SH_INK_FOUND] = {.colours = {220, 130, 3}, .underline = true},
    [SH_INK_INSERT] = {.colours = {79, 29, 2}},
    [SH_INK_MODIFY] = {.colours = {75, 25, 4}},
    [SH_INK_REMOVE] = {.colours = {202, 166, 1}},
    [SH_INK_PREFIX + 0] = {.colours = {110, 25, 6}},
    [SH_INK_PREFIX + 1] = {.colours = {179, 94, 3}},
    [SH_INK_PREFIX + 2] = {.colours = {115, 29, 2}},
    [SH_INK_PREFIX + 3] = {.colours = {175, 132, 5}},
    [SH_INK_PREFIX + 4] = {.colours = {74, 61, 4}},
    [SH_INK_PREFIX + 5] = {.colours = {186, 100, -1}},
    [SH_INK_HEAT + 0] = {.colours = {240, 252, 4}, .dim = true},
    [SH_INK_HEAT + 1] = {.colours = {60, 186, 4}},
    [SH_INK_HEAT + 2] = {.colours = {31, 149, 4}},
    [SH_INK_HEAT + 3] = {.colours = {36, 77, 6}},
    [SH_INK_HEAT + 4] = {.colours = {72, 36, 6}},
    [SH_INK_HEAT + 5] = {.colours = {77, 30, 2}},
    [SH_INK_HEAT + 6] = {.colours = {149, 60, 3}},
    [SH_INK_HEAT + 7] = {.colours = {227, 53, 3}, .bold = true},
};

/* The paint behind everything where a theme is asked for. */
static int16_t background(const struct sh_look *look)
{
    if (look->theme == SH_THEME_AUTO)
        return -1;
    if (look->colours >= 256)
        return look->theme == SH_THEME_LIGHT ? 231 : 16;
    return look->theme == SH_THEME_LIGHT ? 7 : 0;
}

static int16_t plain_text(const struct sh_look *look)
{
    if (look->theme == SH_THEME_AUTO)
        return -1;
    if (look->colours >= 256)
        return look->theme == SH_THEME_LIGHT ? 16 : 255;
    return look->theme == SH_THEME_LIGHT ? 0 : 7;
}

struct sh_ink_style sh_ink_style(const struct sh_look *look, unsigned ink)
{
    const struct ink_row *row = &ROWS[ink < SH_INKS ? ink : SH_INK_TEXT];
    struct sh_ink_style style = {.fg = -1,
                                 .bg = -1,
                                 .bold = row->bold,
                                 .dim = row->dim,
                                 .reverse = row->reverse,
                                 .underline = row->underline};

    if (look->colours < 8)
        return style;
    if (look->colours >= 256) {
        style.fg = row->colours[look->theme == SH_THEME_LIGHT ? ON_LIGHT : ON_DARK];
        if (style.fg >= 0)
            style.dim = false; /* the colour is dim enough */
    } else {
        style.fg = row->colours[OF_EIGHT];
    }
    style.bg = background(look);
    if (style.fg < 0)
        style.fg = plain_text(look);
    return style;
}
