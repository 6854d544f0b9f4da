/*
 * What the session has consumed: by table and operation, from the ConsumedCapacity of its answers.
 * It belongs to a context, and begins anew when that is connected elsewhere.
 */
#ifndef CMD_SPENT_H
#define CMD_SPENT_H

#include "commands/cmd.h"

struct cmd_spent_row {
    char *table;
    char *operation;
    uint64_t requests;
    int64_t read_milli, write_milli; /* units */
};

struct cmd_spent {
    struct cmd_spent_row *rows; /* owned, by table and operation */
    size_t count;
    int64_t since_ms; /* of the real clock */
};

/* NULL is accepted. */
void cmd_spent_free(struct cmd_spent *spent);
/* What requests of one operation on a table consumed together (a traffic). */
struct cmd_spent_sum {
    const char *table, *operation;
    uint64_t requests;
    int64_t read_milli, write_milli;
};
void cmd_spent_add_sum(struct cmd_context *context, const struct cmd_spent_sum *sum);
/* Adds what the answer says. A request that asked for no ConsumedCapacity adds nothing. */
void cmd_spent_add(struct cmd_context *context, const char *operation, const struct cJSON *request,
                   const struct cJSON *answer);

#endif
