/*
 * readline's commands that go through the history, made safe.
 *
 * readline keeps a list of what can be undone for the line being edited, for the line that was left
 * for the history, and for each history line; 8.2 has them share entries and frees what another
 * still holds (Ctrl-R, Esc, a letter, Page Up, a letter reads freed memory). So undo ends where a
 * line is left: before such a command what could be undone is forgotten, and lists are never
 * shared. Therefore a change of a history line is forgotten when it is left, too.
 *
 * Main thread only, as readline is.
 */
#ifndef SH_HISTORY_KEYS_H
#define SH_HISTORY_KEYS_H

/* On every key that has such a command, by default or by the user's inputrc, also when that is read
 * anew. Call it after rl_initialize(). */
void sh_history_keys_bind(void);
/* To be called when the history may have become shorter while a line is edited, as an inputrc with
 * history-size makes it: readline would go on from a place beyond its end. */
void sh_history_stay_inside(void);

#endif
