/* Verifies a table's change log in a snapshot. */
#ifndef PK_OPS_LOG_CHECK_H
#define PK_OPS_LOG_CHECK_H

#include "engine/ops/fault.h"
#include "engine/ops/table_log.h"

/* What records of a table are held against. */
struct pk_log_judge {
    const struct pk_table *table;
    uint64_t next;     /* the next sequence */
    uint32_t *numbers; /* owned; by partition id: 1 + its number, 0 of one that was split */
};
struct pk_log_judge pk_log_judge_new(const struct pk_table *table);
void pk_log_judge_release(struct pk_log_judge *judge);
/* What is wrong with a change record of the table, or NULL. */
const char *pk_log_fault(const struct pk_log_judge *judge, pk_slice key, pk_slice value);
/* Every record decodes, lies below the next sequence and in the shard of its partition, no index
 * has read beyond the end, and the open shards of an enabled stream are the partitions. Faults are
 * told, not returned. */
PK_MUST_CHECK enum pk_code pk_log_check(const struct pk_table *table, const struct pk_snap *snap,
                                        struct pk_faults *faults, struct pk_error *err);

#endif
