/*
 * pksk panel: the views, full screen, on a terminal of their own. The store is another process's,
 * reached by the socket in its directory, or by the URL it serves; who is not there yet, or goes
 * away, is waited for, and the status line says so.
 */
#ifndef SH_PANEL_WATCH_H
#define SH_PANEL_WATCH_H

#include "shell/options.h"

/* Until q, Ctrl-C or the end of the terminal; the exit status. */
int sh_watch(const struct sh_options *options);

#endif
