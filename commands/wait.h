/* Waiting for what a foreign endpoint does after it has answered. */
#ifndef CMD_WAIT_H
#define CMD_WAIT_H

#include "commands/cmd.h"

enum cmd_wait_for {
    CMD_WAIT_ACTIVE, /* after CreateTable */
    CMD_WAIT_GONE    /* after DeleteTable */
};

/* Pauses; false when the statement is to stop. */
bool cmd_pause_ms(const struct cmd_context *context, int ms);

/* Returns when the table is so; at most ten minutes, and shows that it waits. A store of pksk does
 * it before it answers, or when its clock says so, which may stand still: there nothing is waited
 * for. PK_E_CANCELLED, or the endpoint's error. */
PK_MUST_CHECK enum pk_code cmd_wait_table(struct cmd_context *context, pk_slice name,
                                          enum cmd_wait_for what, struct pk_error *err);

#endif
