/*
 * One batch of writes through BatchWriteItem, until nothing of it is left. What an answer leaves
 * unprocessed (throttled, on an endpoint or in `enforce`) is sent again after a pause that grows,
 * as AWS asks of its clients.
 */
#ifndef CMD_BATCH_SEND_H
#define CMD_BATCH_SEND_H

#include "commands/cmd.h"
#include "commands/wire.h"

enum { CMD_BATCH_ITEMS = 25 }; /* requests that one batch takes (operations.md §8) */

/* Sends batch after batch. The sums begin at 0. */
struct cmd_batch_sender {
    struct cmd_context *context;
    int pause_max_ms;
    bool waits_never; /* gives up at once: the clock stands, no capacity will come */
    uint64_t written; /* requests that were executed */
    unsigned calls;   /* of BatchWriteItem */
    int64_t milli;    /* units that they consumed */
};

/* Sends a RequestItems object, which it consumes. *left: requests that stay unprocessed, because
 * many times in a row nothing was written; 0 on every other way. PK_E_CANCELLED, or the endpoint's
 * error; what was written before it counts. */
PK_MUST_CHECK enum pk_code cmd_batch_send(struct cmd_batch_sender *sender, cJSON *items_take,
                                          uint64_t *left, struct pk_error *err);

#endif
