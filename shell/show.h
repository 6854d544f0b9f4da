/* From a statement's result to bytes for the writer: streams, colour, width, pager. */
#ifndef SH_SHOW_H
#define SH_SHOW_H

#include "shell/shell.h"

/* (job) Runs one statement and shows what comes of it. Returns an exit code. */
int sh_execute(struct sh *sh, pk_slice text);
/* (job) Shows a result; err NULL: it succeeded. source: the text that spans point into. */
void sh_show(struct sh *sh, const struct cmd_result *result, pk_slice source,
             const struct pk_error *err);
/* True when bars and maps are drawn with ASCII alone (set symbols). */
bool sh_ascii(const struct sh *sh);
/* (job) Shows an error that belongs to no statement. */
void sh_show_error(struct sh *sh, const struct pk_error *err);
/* (job) One line of chatter, a blank before it. */
void sh_note(struct sh *sh, const char *format, ...) PK_PRINTF(2, 3);

#endif
