/* traffic fill: one item for each key (and sort key) of the templates, so that reads find
 * something. */
#ifndef CMD_TRAFFIC_FILL_H
#define CMD_TRAFFIC_FILL_H

#include "commands/cmd.h"
#include "commands/workload/traffic_plan.h"

enum { CMD_FILL_MAX = 1000000 };

/* Writes them with BatchWriteItem, sends what stays unprocessed again after a pause, shows
 * progress. On failure the message says how many were written. On a clock that stands still it does
 * not wait for capacity that will not come. */
PK_MUST_CHECK enum pk_code cmd_traffic_fill(struct cmd_context *context,
                                            const struct traffic_plan *plan,
                                            struct cmd_result *result, struct pk_error *err);

#endif
