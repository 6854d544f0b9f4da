/*
 * Tables that are CREATING or DELETING for a while (table.create_delay, table.delete_delay): they
 * are in the catalog, yet nobody reads, writes or changes them (operations.md §4, §8). How long is
 * in the definition, so it goes on when the store is opened again.
 */
#ifndef PK_OPS_TABLE_STATE_H
#define PK_OPS_TABLE_STATE_H

#include "engine/ops/core.h"

/* Makes tables ACTIVE, and drops those, whose time is over at now_ms. Takes catalog.ddl. */
PK_MUST_CHECK enum pk_code pk_table_state_tick(struct pk_engine *engine, int64_t now_ms,
                                               struct pk_error *err);
/* When the next of them is due; INT64_MAX: none is in such a state. */
int64_t pk_table_state_next_due(struct pk_engine *engine);

#endif
