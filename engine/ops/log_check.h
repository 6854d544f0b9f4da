/* Verifies a table's change log in a snapshot. */
#ifndef PK_OPS_LOG_CHECK_H
#define PK_OPS_LOG_CHECK_H

#include "engine/ops/fault.h"
#include "engine/ops/table_log.h"

/* What is wrong with a change record of the table, or NULL; next: the next sequence. */
const char *pk_log_fault(const struct pk_table *table, pk_slice key, pk_slice value, uint64_t next);
/* Every record decodes and lies below the next sequence, and no index has read beyond the end.
 * Faults are told, not returned. */
PK_MUST_CHECK enum pk_code pk_log_check(const struct pk_table *table, const struct pk_snap *snap,
                                        struct pk_faults *faults, struct pk_error *err);

#endif
