/*
 * rl_callback_read_char(), safe where a command is broken off (Ctrl-G, keys that mean nothing).
 *
 * readline jumps back then, to a place that is set anew wherever it begins to read. In 8.2 the
 * place may belong to a function that has returned: when keys that were put back (after Ctrl-R and
 * an unknown key, say) make it go on without a new one. But it draws before each such jump: whoever
 * draws says so here, and the jump comes back to us, who have not returned.
 *
 * Main thread only, as readline is.
 */
#ifndef SH_READ_CHAR_H
#define SH_READ_CHAR_H

void sh_read_char(void);
/* Part of every rl_redisplay_function. */
void sh_read_char_draws(void);

#endif
