/*
 * Copying a backup into the table that was made for it.
 *
 * The table is CREATING, so nobody else writes into it. Rows come in key order, each with its index
 * entries and counted into its collection, so where to go on follows from the last row that is
 * there: a restart needs no position. When all are there the table is ACTIVE, or waits for
 * table.create_delay.
 */
#ifndef PK_OPS_RESTORE_H
#define PK_OPS_RESTORE_H

#include "engine/ops/backup.h"

/* Copies into each table that is being restored. *more: another call would go on. Takes
 * catalog.ddl. */
PK_MUST_CHECK enum pk_code pk_restore_tick(struct pk_engine *engine, struct pk_copy_budget budget,
                                           bool *more, struct pk_error *err);

#endif
