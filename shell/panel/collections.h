/* The collections view's two halves: its keys and requests (collections.c), its drawing
 * (view_collections.c). */
#ifndef SH_PANEL_COLLECTIONS_H
#define SH_PANEL_COLLECTIONS_H

#include "shell/panel/views.h"

/* Replaces a text; it may be a beginning of its own. */
void sh_text_set(struct pk_buf *buf, pk_slice text);
/* Asks for other rows: from that key on, or backward the last ones before it. */
void sh_collections_ask(struct sh_collections *state, pk_slice from, bool backward);
void sh_collections_draw(struct sh_views *views, const struct sh_area *area,
                         const struct sh_frame *frame);

#endif
