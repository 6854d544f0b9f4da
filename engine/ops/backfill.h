/*
 * Creating and deleting a global index of a table that has items (indexes.md §10).
 *
 *   UpdateTable  publishes the index CREATING, with a cursor at the end of the log, and waits for
 *                the writers that do not know it: from then on the log has every change
 *   1st tick     Backfilling
 *   ticks        copy the table's items, in key order; the position is committed with the rows
 *   last tick    applies the log to its end, then ACTIVE
 *
 * and DELETING, then gone at the next tick. Each step is complete in itself: what is killed goes
 * on from there when the store is opened.
 *
 * Items are copied under the table log's `apply`, so no change record is applied between reading an
 * item and writing its entry. A change that commits meanwhile has its record applied afterwards and
 * puts the entry right; one whose record was applied before is what is read.
 */
#ifndef PK_OPS_BACKFILL_H
#define PK_OPS_BACKFILL_H

#include "engine/ops/table_log.h"

/* Moves every index that is being created or deleted by a step; at most max items of each are read.
 * *more: another call would go on. Takes catalog.ddl. */
PK_MUST_CHECK enum pk_code pk_backfill_tick(struct pk_engine *engine, size_t max, bool *more,
                                            struct pk_error *err);

#endif
