/* Expiry rows in check and repair. */
#ifndef PK_OPS_TTL_CHECK_H
#define PK_OPS_TTL_CHECK_H

#include "engine/ops/core.h"
#include "engine/ops/fault.h"

/* Reports an item (its row's key and content) that should have an expiry row and has none. One that
 * is too much is no fault: it goes when it is due. */
PK_MUST_CHECK enum pk_code pk_ttl_check_item(const struct pk_snap *snap,
                                             const struct pk_table *table, pk_slice row,
                                             pk_view item, struct pk_faults *faults,
                                             struct pk_error *err);
/* Makes the expiry rows of a table with TTL anew. Nobody else is using the engine. */
PK_MUST_CHECK enum pk_code pk_ttl_rebuild(struct pk_engine *engine, const struct pk_table *table,
                                          struct pk_error *err);

#endif
