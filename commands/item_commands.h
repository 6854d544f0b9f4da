/* What get, put, edit, del and check have in common: build, then send or add to the transaction. */
#ifndef CMD_ITEM_COMMANDS_H
#define CMD_ITEM_COMMANDS_H

#include "commands/request.h"

/* Builds by `build`; inside a transaction adds the request to it, else sends it and shows what
 * came: items and footer, or the cost of a condition that failed. */
PK_MUST_CHECK enum pk_code cmd_run_item(struct cmd_context *context,
                                        const struct cmd_statement *statement,
                                        cmd_request_builder *build, struct cmd_result *result,
                                        struct pk_error *err);
/* A hint when nothing was found and a key value looks like a range. */
void cmd_hint_wildcard(const struct cmd_context *context, const struct cmd_request *request,
                       struct cmd_result *result);

#endif
