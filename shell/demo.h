/*
 * Scripts that are shown to a room, and that check their own figures: statements are echoed and
 * stand a while (settings echo and pace), and `expect` looks at what the last one has shown.
 */
#ifndef SH_DEMO_H
#define SH_DEMO_H

#include "shell/shell.h"

/* (job) A statement begins: what was shown before is what `expect` looks at. */
void sh_demo_begin(struct sh *sh);
/* (job) Shows a statement of a file with the comments before it, as the settings say. `text` begins
 * where the one before has ended, `body` lies in it; without data: there are comments only. */
void sh_demo_echo(struct sh *sh, pk_slice text, pk_slice body);

extern const struct cmd_entry sh_expect_entry;

#endif
