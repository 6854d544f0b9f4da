/*
 * What a cell is drawn in: one ink a meaning, never a colour as such. What an ink looks like with
 * 256 colours, with 8 and with none stands in one table (ink.c); the colours are safe for
 * colour-blind eyes (blue against orange, a ramp that rises in brightness), and no meaning rests on
 * them alone: a symbol says the same.
 */
#ifndef SH_PANEL_INK_H
#define SH_PANEL_INK_H

#include <stdbool.h>
#include <stdint.h>

enum { SH_HEATS = 8, SH_PREFIXES = 6 };

enum sh_ink {
    SH_INK_TEXT,
    SH_INK_DIM,    /* what is there but not the point */
    SH_INK_STRONG, /* keys, names */
    SH_INK_RULE,   /* lines between parts, and their titles */
    SH_INK_STATUS, /* the status line */
    SH_INK_STATUS_STRONG,
    SH_INK_STATUS_ALERT,
    SH_INK_KEYS,    /* the line of keys … */
    SH_INK_KEY,     /* … and what to press */
    SH_INK_REFUSED, /* a second on the map in which something was refused */
    SH_INK_ALERT,   /* throttled, lost, at a limit */
    SH_INK_WARN,    /* near a limit, waiting */
    SH_INK_GOOD,    /* grown, fine */
    SH_INK_READ,    /* read units */
    SH_INK_WRITE,   /* write units */
    SH_INK_BURST,
    SH_INK_LIT,    /* what the last command returned */
    SH_INK_CURSOR, /* the row that Enter would open */
    SH_INK_FOUND,  /* what was searched for */
    SH_INK_INSERT,
    SH_INK_MODIFY,
    SH_INK_REMOVE,
    SH_INK_PREFIX,                             /* kinds of items: SH_PREFIXES of them */
    SH_INK_HEAT = SH_INK_PREFIX + SH_PREFIXES, /* cold to hot: SH_HEATS of them */
    SH_INKS = SH_INK_HEAT + SH_HEATS
};

enum sh_theme {
    SH_THEME_AUTO, /* the terminal's own background, whichever it is */
    SH_THEME_DARK, /* light on black, painted */
    SH_THEME_LIGHT /* dark on white, painted */
};

/* How the screen may look; does not change within a frame. */
struct sh_look {
    int colours; /* 0 (NO_COLOR, or a terminal without), 8 or 256 */
    bool utf8;   /* else every symbol is ASCII */
    bool projector;
    enum sh_theme theme;
};

/* Attributes of a cell. fg, bg: colour numbers of the terminal, -1: its default. */
struct sh_ink_style {
    int16_t fg, bg;
    bool bold, dim, reverse, underline;
};

/* ink < SH_INKS. With colours 0 both colours are -1. */
struct sh_ink_style sh_ink_style(const struct sh_look *look, unsigned ink);

#endif
