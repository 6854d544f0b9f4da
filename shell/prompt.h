/* The prompt: where one is, and what is still open. */
#ifndef SH_PROMPT_H
#define SH_PROMPT_H

#include "commands/cmd.h"

/* Appends "pksk dashboard> ": endpoint when remote, current table, "*" between begin and commit.
 * open (cmd_split's) not NULL: the continuation prompt, which names it and ends in the same column.
 */
void sh_prompt(struct pk_buf *out, const struct cmd_context *context, const char *open);

#endif
