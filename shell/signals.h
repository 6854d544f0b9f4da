/*
 * Signals as flags. INT, TERM, HUP, TSTP and WINCH are blocked in every thread and open only inside
 * sh_signals_wait(), on the main thread; handlers set a flag, whoever waits looks at the flags.
 * PIPE is ignored: a write says so itself.
 *
 * The flags are the one piece of mutable global state besides readline's callbacks: a handler has
 * no other way to reach anything.
 */
#ifndef SH_SIGNALS_H
#define SH_SIGNALS_H

#include <poll.h>
#include <spawn.h>
#include <stdbool.h>

/* Blocks and installs. Call before any thread is started. */
void sh_signals_install(void);
/* Waits until a descriptor is ready (its count is returned), a signal has come or the time is over
 * (0); timeout_ms -1: no limit. */
int sh_signals_wait(struct pollfd *fds, nfds_t count, int timeout_ms);
/* True when the signal has come since it was last taken. */
bool sh_signals_take(int signal);
/* As take, but the flag stays. */
bool sh_signals_pending(int signal);
/* Stops the process as Ctrl-Z does by default; returns when it is continued. */
void sh_signals_suspend(void);
/* Makes a child start with default handlers and nothing blocked. */
void sh_signals_child(posix_spawnattr_t *attributes);

#endif
