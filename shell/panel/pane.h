/*
 * The output beside the views: what statements print, with a scrollback of its own, because the
 * terminal's is not there in full-screen mode.
 *
 * Bounded: the oldest lines go first, and that is said where they were. A line of more than 64 KB
 * is broken into several.
 */
#ifndef SH_PANEL_PANE_H
#define SH_PANEL_PANE_H

#include "shell/panel/canvas.h"

enum { SH_PANE_LINES = 10000, SH_PANE_BYTES = 4 << 20, SH_PANE_LINE_BYTES = 64 << 10 };

struct sh_pane;

struct sh_pane *sh_pane_new(void);
void sh_pane_free(struct sh_pane *pane);
/* Bytes as a terminal would get them: safe text, newlines, tabs, SGR; a carriage return begins the
 * line anew, a sequence that clears the screen scrolls everything away. */
void sh_pane_write(struct sh_pane *pane, pk_slice bytes);
/* An empty view of it; what was there can be scrolled back to. */
void sh_pane_clear(struct sh_pane *pane);
/* Scrolls by rows (positive: back) as far as there is anything. */
void sh_pane_scroll(struct sh_pane *pane, int rows);
/* Back to the newest line. */
void sh_pane_follow(struct sh_pane *pane);
/* Rows below what is shown; 0: the newest line is. */
int sh_pane_below(const struct sh_pane *pane);
/* Draws what is in view, and takes the area's size for the scrolling. */
void sh_pane_draw(struct sh_pane *pane, const struct sh_area *area);

#endif
