/*
 * Changing provisioned throughput: what UpdateTable and auto scaling share, with the daily quota of
 * decreases (partitions-capacity.md §5.1).
 */
#ifndef PK_OPS_THROUGHPUT_H
#define PK_OPS_THROUGHPUT_H

#include "engine/ops/core.h"

/* Sets read and write and notes the change's time. A request that lowers either is one decrease:
 * with quota, PK_E_LIMIT_EXCEEDED when it is one too many, and nothing is changed. */
PK_MUST_CHECK enum pk_code pk_throughput_change(struct pk_throughput *throughput, int64_t read,
                                                int64_t write, bool quota, int64_t now_ms,
                                                struct pk_error *err);
/* The setting decrease.quota. */
bool pk_throughput_quota(struct pk_engine *engine);

#endif
