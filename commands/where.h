/* where KEY, also reached as describe key KEY. */
#ifndef CMD_WHERE_H
#define CMD_WHERE_H

#include "commands/cmd.h"

PK_MUST_CHECK enum pk_code cmd_where_run(struct cmd_context *context,
                                         const struct cmd_statement *statement,
                                         struct cmd_result *result, struct pk_error *err);

#endif
