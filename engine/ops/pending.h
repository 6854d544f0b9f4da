/*
 * What an index has not seen yet: the state of its items when the index lags behind the table.
 *
 * For each item that has change records the index has not applied, the image before the first of
 * them is what the index shows. All of it is read from one snapshot, in which rows, records and the
 * index's position agree.
 */
#ifndef PK_OPS_PENDING_H
#define PK_OPS_PENDING_H

#include "engine/base/map.h"
#include "engine/ops/table_log.h"

struct pk_pending_item {
    pk_slice row;   /* the key of the item's row */
    pk_view before; /* missing: the index has never seen the item */
};

struct pk_pending {
    struct pk_map items; /* row key to struct pk_pending_item */
    struct pk_arena arena;
};

/* PK_E_CORRUPT for a record or position that cannot be read. */
PK_MUST_CHECK enum pk_code pk_pending_load(struct pk_pending *pending, const struct pk_snap *snap,
                                           const struct pk_table *table,
                                           const struct pk_index *index, struct pk_error *err);
void pk_pending_release(struct pk_pending *pending);
/* The item of that row, or NULL when the index has seen all of its changes. */
const struct pk_pending_item *pk_pending_get(const struct pk_pending *pending, pk_slice row);

#endif
