/* What makes a stored row a good one, for check and repair. */
#ifndef PK_OPS_ROW_CHECK_H
#define PK_OPS_ROW_CHECK_H

#include "engine/schema.h"
#include "engine/store/layout.h"

/* True when the item has the table's key attributes with their types. */
bool pk_row_has_key(const struct pk_table *table, pk_view item);
/* What is wrong with a row of the table, or NULL; then *item and *size are set. */
const char *pk_row_fault(const struct pk_table *table, pk_slice key, pk_slice record, pk_view *item,
                         uint64_t *size);
/* The table that has this id, or an index with it; borrowed, or NULL. */
const struct pk_table *pk_row_owner(struct pk_table *const *tables, size_t count, uint32_t id);
/* Finds the smallest id above *id that has rows in the space. False at the end, and on a failure,
 * which *rc tells. */
bool pk_row_next_id(const struct pk_snap *snap, enum pk_space space, uint32_t *id, enum pk_code *rc,
                    struct pk_error *err);

#endif
