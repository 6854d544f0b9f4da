/* PartiQL typed at the prompt: sent as ExecuteStatement, shown with what it stood for. */
#ifndef CMD_CMD_PARTIQL_H
#define CMD_CMD_PARTIQL_H

#include "commands/cmd.h"
#include "commands/partiql.h"

/* Runs the statement, or adds it to the open transaction. */
PK_MUST_CHECK enum pk_code cmd_partiql_run(struct cmd_context *context, pk_slice text,
                                           struct cmd_result *result, struct pk_error *err);
/* Table descriptors for partiql_explain from the schema cache of the context. */
struct partiql_schema_source cmd_partiql_schema(struct cmd_context *context);

#endif
