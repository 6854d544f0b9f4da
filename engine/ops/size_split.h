/* Splits of partitions that are full (partitions-capacity.md §3.3). */
#ifndef PK_OPS_SIZE_SPLIT_H
#define PK_OPS_SIZE_SPLIT_H

#include "engine/ops/core.h"

/* Begins splits of those partitions of the table and its GSIs that hold more than partition.bytes.
 * Cost: reads a full partition's rows once. PK_E_IO, PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_size_split(struct pk_engine *engine, const struct pk_table *table,
                                         int64_t now_ms, struct pk_error *err);

#endif
