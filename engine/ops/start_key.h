/*
 * ExclusiveStartKey and LastEvaluatedKey: the key attributes of a row, as a map (operations.md §6,
 * "LastEvaluatedKey contents").
 */
#ifndef PK_OPS_START_KEY_H
#define PK_OPS_START_KEY_H

#include "engine/expr/expr_keycond.h"
#include "engine/ops/read_plan.h"

/* Checks names and types against the table's and the index's key. scan: of a scan. */
PK_MUST_CHECK enum pk_code pk_start_key_check(const struct pk_read_plan *plan, pk_value start,
                                              bool scan, struct pk_error *err);
/* Checks that a query over that range could have come to this key. */
PK_MUST_CHECK enum pk_code pk_start_key_check_range(const struct pk_read_plan *plan, pk_value start,
                                                    const struct pk_key_range *range,
                                                    struct pk_error *err);
/* Token of the row's partition key. */
uint64_t pk_start_key_token(const struct pk_read_plan *plan, pk_value start);
/* The row's key bytes, in the arena. */
pk_slice pk_start_key_row(const struct pk_read_plan *plan, pk_value start, struct pk_arena *arena);
/* The map for a row, from its (index) entry. */
pk_value pk_start_key_of(const struct pk_read_plan *plan, pk_view entry, struct pk_arena *arena);

#endif
