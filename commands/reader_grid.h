/* The readers of a table's streams as rows of a result, below its shards (`stream shards`). */
#ifndef CMD_READER_GRID_H
#define CMD_READER_GRID_H

#include "commands/cmd.h"

struct cJSON;

/* Asks Pksk.Snapshot and adds a grid, a row a reader; nothing when nobody reads, or when the
 * endpoint cannot say. `shards` is the list of DescribeStream, whose places are the numbers of the
 * shards; readers of other streams are left out. */
PK_MUST_CHECK enum pk_code cmd_reader_grid(struct cmd_context *context, pk_slice table,
                                           const struct cJSON *shards, struct cmd_result *result,
                                           struct pk_error *err);

#endif
