/*
 * The panel beside the prompt: one terminal split into a view above, the output of statements, and
 * the line being typed. Everything here is called on the main thread.
 *
 * While it is on, readline draws nothing and the writer's bytes for the terminal come here
 * (output.h). The data of the views is fetched on a thread of its own (feed.h), so a slow store or
 * endpoint never delays a key.
 */
#ifndef SH_PANEL_PANEL_H
#define SH_PANEL_PANEL_H

#include <poll.h>

#include "shell/panel/view.h"
#include "shell/shell.h"

struct sh_panel;

/* Turns it on; on already: PK_OK. In the init file: once there is a prompt. PK_E_USAGE with a clear
 * message where there is none, or a terminal it cannot be drawn on. */
PK_MUST_CHECK enum pk_code sh_panel_on(struct sh *sh, struct pk_error *err);
/* There is a prompt now: turns it on if the init file said so. */
void sh_panel_begin(struct sh *sh);
/* Gives the plain terminal back, with what it showed before. What was typed is kept. */
void sh_panel_off(struct sh *sh);
bool sh_panel_is_on(const struct sh *sh);
/* The panel's key was taken by the line editor: F9 turns it on or off (why it cannot be turned on
 * is said), others ask for a statement. */
void sh_panel_obey_key(struct sh *sh);
/* The statement that a key asked for, not run yet; false: there is none. */
bool sh_panel_wish(struct sh *sh, struct pk_buf *statement);
/* The prompt is back: the panel shows the table that is current now, where statements go now. */
void sh_panel_follow(struct sh *sh);
/* What the last command did, from its footer; for the status line, when the panel is on. */
void sh_panel_last(struct sh *sh, pk_slice footer);
/* Turns it off and frees what it remembered. */
void sh_panel_close(struct sh *sh);

/* Brings a view to the front; after sh_panel_on. */
void sh_panel_show(struct sh *sh, enum sh_view_id id);
/* The screen as it was drawn last, as text. False: nothing was drawn yet. */
bool sh_panel_text(const struct sh *sh, struct pk_buf *out);

/* ---- what the main loop calls, whether it is on or not -------------------------------------- */

/* Draws what is due; milliseconds until more is, -1: nothing will be. */
int sh_panel_draw(struct sh *sh);
/* What to wait on while a statement runs, for keys and for data; -1: nothing. */
void sh_panel_fds(const struct sh *sh, struct pollfd fds[2]);
/* While a statement runs: takes the keys that are there, and obeys a new size. */
void sh_panel_pump(struct sh *sh);
/* Stops the process, with the terminal given back meanwhile. */
void sh_panel_suspend(struct sh *sh);
/* Another program has the terminal in between. */
void sh_panel_lend(struct sh *sh);
void sh_panel_take_back(struct sh *sh);

#endif
