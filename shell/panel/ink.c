/*
 * What inks look like. Blue (reads) against orange (writes) and vermilion (refused) is the palette
 * of Okabe and Ito; the heat ramp is viridis, which rises in brightness throughout, so that it
 * reads the same in grey. On a light background the ramp runs the other way: hot is dark there.
 */
#include "shell/panel/ink.h"

struct ink_row {
    int16_t dark, light, eight; /* colours with 256 on dark and on light, with 8; -1: default */
    bool bold, dim, reverse, underline;
};

static const struct ink_row ROWS[SH_INKS] = {
    [SH_INK_TEXT] = {-1, -1, -1},
    [SH_INK_DIM] = {245, 243, -1, .dim = true},
    [SH_INK_STRONG] = {-1, -1, -1, .bold = true},
    [SH_INK_RULE] = {67, 24, 6},
    [SH_INK_STATUS] = {-1, -1, -1, .reverse = true},
    [SH_INK_STATUS_STRONG] = {-1, -1, -1, .bold = true, .reverse = true},
    [SH_INK_STATUS_ALERT] = {202, 166, 1, .bold = true, .reverse = true},
    [SH_INK_KEYS] = {245, 243, -1, .dim = true},
    [SH_INK_KEY] = {-1, -1, -1, .bold = true},
    [SH_INK_REFUSED] = {202, 166, 1, .bold = true, .reverse = true},
    [SH_INK_ALERT] = {202, 166, 1, .bold = true},
    [SH_INK_WARN] = {220, 136, 3},
    [SH_INK_GOOD] = {79, 29, 2},
    [SH_INK_READ] = {75, 25, 4},
    [SH_INK_WRITE] = {214, 130, 3},
    [SH_INK_BURST] = {145, 96, 5},
    [SH_INK_LIT] = {220, 130, 3, .bold = true},
    [SH_INK_CURSOR] = {-1, -1, -1, .reverse = true},
    [SH_INK_FOUND] = {220, 130, 3, .underline = true},
    [SH_INK_INSERT] = {79, 29, 2},
    [SH_INK_MODIFY] = {75, 25, 4},
    [SH_INK_REMOVE] = {202, 166, 1},
    [SH_INK_PREFIX + 0] = {110, 25, 6},
    [SH_INK_PREFIX + 1] = {179, 94, 3},
    [SH_INK_PREFIX + 2] = {115, 29, 2},
    [SH_INK_PREFIX + 3] = {175, 132, 5},
    [SH_INK_PREFIX + 4] = {74, 61, 4},
    [SH_INK_PREFIX + 5] = {186, 100, -1},
    [SH_INK_HEAT + 0] = {240, 252, 4, .dim = true},
    [SH_INK_HEAT + 1] = {60, 186, 4},
    [SH_INK_HEAT + 2] = {31, 149, 4},
    [SH_INK_HEAT + 3] = {36, 77, 6},
    [SH_INK_HEAT + 4] = {72, 36, 6},
    [SH_INK_HEAT + 5] = {77, 30, 2},
    [SH_INK_HEAT + 6] = {149, 60, 3},
    [SH_INK_HEAT + 7] = {227, 53, 3, .bold = true},
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
        style.fg = look->theme == SH_THEME_LIGHT ? row->light : row->dark;
        if (style.fg >= 0)
            style.dim = false; /* the colour is dim enough */
    } else {
        style.fg = row->eight;
    }
    style.bg = background(look);
    if (style.fg < 0)
        style.fg = plain_text(look);
    return style;
}
