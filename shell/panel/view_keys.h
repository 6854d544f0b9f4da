/* From the terminal's keys to those that views know. */
#ifndef SH_PANEL_VIEW_KEYS_H
#define SH_PANEL_VIEW_KEYS_H

#include "shell/keys.h"
#include "shell/panel/view.h"

/* False: a key that views do not know. code: of SH_TTY_TEXT. */
bool sh_view_key_of(enum sh_tty_key key, uint32_t code, struct sh_key *out);
/* The view that a function key shows; false: it shows none. */
bool sh_view_of_key(enum sh_tty_key key, enum sh_view_id *id);

#endif
