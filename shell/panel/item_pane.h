/*
 * A long text wrapped to a window, and scrolled: an item opened in full. The lines are cut anew
 * only when the text or the width changes, so that an item of 400 KB costs a frame no more than the
 * lines it shows.
 */
#ifndef SH_PANEL_ITEM_PANE_H
#define SH_PANEL_ITEM_PANE_H

#include "shell/panel/view.h"

struct sh_item_pane {
    struct pk_buf raw;  /* the text as it came */
    struct pk_buf safe; /* as it is shown, lines ended by \n */
    size_t *starts;     /* of the wrapped lines, offsets in safe; the last is its length */
    size_t count;       /* of lines */
    size_t cap;
    int width;
    size_t top; /* the line in the first row */
    int rows;   /* as last drawn */
};

void sh_item_pane_release(struct sh_item_pane *pane);
/* Shows a text; the same one again costs a comparison. */
void sh_item_pane_set(struct sh_item_pane *pane, pk_slice text);
void sh_item_pane_draw(struct sh_item_pane *pane, const struct sh_area *area);
/* Scrolling; false: no key for it. */
bool sh_item_pane_key(struct sh_item_pane *pane, const struct sh_key *key);

#endif
