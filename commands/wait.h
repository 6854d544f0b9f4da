/* Waiting, for what a foreign endpoint does after it has answered and for capacity, as long as
 * nobody says stop. */
#ifndef CMD_WAIT_H
#define CMD_WAIT_H

#include "commands/cmd.h"

enum cmd_wait_for {
    CMD_WAIT_ACTIVE, /* after CreateTable */
    CMD_WAIT_GONE    /* after DeleteTable */
};

/* Whether the statement is to stop (Ctrl-C). */
bool cmd_is_cancelled(const struct cmd_context *context);
/* Pauses; false when the statement is to stop. */
bool cmd_pause_ms(const struct cmd_context *context, int ms);

/* Returns when the table is so; at most ten minutes, and shows that it waits. A store of pksk does
 * it before it answers, or when its clock says so, which may stand still: there nothing is waited
 * for. PK_E_CANCELLED, or the endpoint's error. */
PK_MUST_CHECK enum pk_code cmd_wait_table(struct cmd_context *context, pk_slice name,
                                          enum cmd_wait_for what, struct pk_error *err);

/* Something that takes its time on the other side. */
struct cmd_wait {
    const char *what; /* for the progress line and for who stops waiting: "backup daily" */
    /* Asks once; *done when there is nothing to wait for any more. */
    enum pk_code (*ask)(struct cmd_context *context, void *state, bool *done, struct pk_error *err);
    void *state;
};
/* Asks again and again, at growing intervals. PK_E_CANCELLED: it goes on without us. */
PK_MUST_CHECK enum pk_code cmd_wait(struct cmd_context *context, const struct cmd_wait *wait,
                                    struct pk_error *err);

#endif
