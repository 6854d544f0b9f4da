/* Expiry rows of the items that a table had before its TTL was enabled, and of those it keeps when
 * it is disabled. */
#ifndef PK_OPS_TTL_FILL_H
#define PK_OPS_TTL_FILL_H

#include "engine/ops/core.h"

/* Rows that are handled before the call that enables or disables returns. */
enum { PK_TTL_FILL_AT_ONCE = 2000 };

/* Handles up to max rows of the table and publishes the end; *more: it is not done. Under
 * catalog.ddl; table is the published descriptor. */
PK_MUST_CHECK enum pk_code pk_ttl_fill_locked(struct pk_engine *engine,
                                              const struct pk_table *table, size_t max, bool *more,
                                              struct pk_error *err);
/* The same from a tick, for the table of that name; does nothing while a definition changes: the
 * writers of the old one may be at work still. */
PK_MUST_CHECK enum pk_code pk_ttl_fill_step(struct pk_engine *engine, pk_slice name, size_t max,
                                            bool *more, struct pk_error *err);

/* Forgets how far rows were made, so that making them begins again. */
PK_MUST_CHECK enum pk_code pk_ttl_restart(struct pk_engine *engine, const struct pk_table *table,
                                          struct pk_error *err);

#endif
