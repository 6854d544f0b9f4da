/* Writing what was read and checked: through the API, so that it also works on an endpoint. */
#ifndef CMD_TRANSFER_SEND_H
#define CMD_TRANSFER_SEND_H

#include "commands/transfer/transfer.h"

/* Creates the tables that are missing, all of them before the first record, and writes the records
 * of all. On failure the tables that were created here are dropped again; of one that was there
 * before, err says how many records were written. */
PK_MUST_CHECK enum pk_code transfer_send(struct cmd_context *context, struct transfer *transfer,
                                         struct pk_error *err);

#endif
