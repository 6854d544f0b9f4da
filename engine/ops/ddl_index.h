/* UpdateTable's Create and Delete of a global index: the definition (operations.md §8). The rows
 * follow in the background (backfill.h). */
#ifndef PK_OPS_DDL_INDEX_H
#define PK_OPS_DDL_INDEX_H

#include "engine/ops/core.h"

/* Both change a copy that is to be published; under catalog.ddl. */

/* Appends the index, CREATING. PK_E_VALIDATION, PK_E_LIMIT_EXCEEDED. */
PK_MUST_CHECK enum pk_code pk_ddl_create_index(const struct pk_engine *engine,
                                               struct pk_table *table,
                                               const struct pk_table_change *change,
                                               const struct pk_index_spec *spec,
                                               struct pk_error *err);
/* Marks it DELETING. PK_E_NOT_FOUND, PK_E_LIMIT_EXCEEDED, PK_E_IN_USE. */
PK_MUST_CHECK enum pk_code pk_ddl_delete_index(struct pk_table *table, pk_slice name,
                                               struct pk_error *err);
/* Takes the index out, and with it definitions of attributes that no key uses any more. */
void pk_ddl_remove_index(struct pk_table *table, uint32_t index_id);

#endif
