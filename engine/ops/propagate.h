/*
 * GSI propagation: change records become rows of global indexes (indexes.md §8).
 *
 * With lag 0 a read of an index applies by itself what was written before it began. With lag only
 * ticks apply, and only what is due. Of one table one index at a time is brought forward
 * (index_run.h), under the table's `apply`.
 */
#ifndef PK_OPS_PROPAGATE_H
#define PK_OPS_PROPAGATE_H

#include "engine/ops/table_log.h"

/* As pk_engine_need_snapshot(), for a read of a table or index (data NULL: the table itself, an
 * unknown one is left for the caller to complain of): what was written to it before is in it. */
struct pk_propagate_source {
    pk_slice table;
    pk_slice index;
};
PK_MUST_CHECK enum pk_code pk_propagate_snapshot(struct pk_engine *engine,
                                                 const struct pk_propagate_source *source,
                                                 struct pk_table **table, struct pk_snap **snap,
                                                 struct pk_error *err);
/* Applies what was written to the table before the call to all its GSIs, when there is no lag; else
 * nothing. Not under a latch. A store that takes no writes is no error: the indexes stay as they
 * are. */
PK_MUST_CHECK enum pk_code pk_propagate_all(struct pk_engine *engine, const struct pk_table *table,
                                            struct pk_error *err);
/* Under apply: applies everything below the next sequence, whatever the lag. */
PK_MUST_CHECK enum pk_code pk_propagate_to_end(struct pk_engine *engine,
                                               const struct pk_table *table,
                                               const struct pk_index *index, struct pk_error *err);

/* Applies what is due to all indexes, at most max records each; *more: some were left. The first
 * failure is told after all were tried. */
PK_MUST_CHECK enum pk_code pk_propagate_tick(struct pk_engine *engine, int64_t now_ms, size_t max,
                                             bool *more, struct pk_error *err);
/* Applies at once, without lag, what there is capacity for, unless somebody does already: before a
 * write that needs room in a queue. Not under a latch. What fails is tried again by a tick. */
void pk_propagate_now(struct pk_engine *engine, const struct pk_table *table);
/* When the next record is due; INT64_MAX: none waits for a time. */
PK_MUST_CHECK enum pk_code pk_propagate_next_due(struct pk_engine *engine, int64_t *due_ms,
                                                 struct pk_error *err);

#endif
