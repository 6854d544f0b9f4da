/* The prompt: read, split, run, until the person leaves. */
#ifndef SH_REPL_H
#define SH_REPL_H

#include "shell/shell.h"

/* Runs the interactive loop on the terminal. Returns the exit code. */
int sh_repl(struct sh *sh, bool quiet);

#endif
