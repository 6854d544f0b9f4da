/*
 * One table's capacity, while a tick (or a change of its definition) works on it: what the files of
 * capacity_*.c do for each other, besides what capacity.h says.
 *
 * Decisions are made under the capacity's lock; the definition is changed without it, because
 * catalog.ddl comes before it (engine.c). What became stale in between changes nothing.
 */
#ifndef PK_OPS_CAPACITY_WORK_H
#define PK_OPS_CAPACITY_WORK_H

#include "engine/ops/capacity.h"

struct pk_capacity_work {
    struct pk_engine *engine;
    struct pk_table *table;
    struct pk_capacity *capacity; /* the table's */
    int64_t now_ms;
    struct pk_sim_settings sim;
    struct pk_arena arena; /* of boundaries */
};

/* What the metric periods that ended say of the table or of a GSI. */
struct pk_capacity_verdict {
    uint32_t index_id;
    bool grown;          /* on demand: its warm throughput is more now */
    int64_t read, write; /* units to provision; 0: no change */
};

/* capacity_split.c. Each takes the capacity's lock and catalog.ddl, and fails as
 * pk_split_partitions() does. */

/* Publishes the splits for heat and for size whose time has come. index_id 0: of the table. */
PK_MUST_CHECK enum pk_code pk_capacity_finish_splits(struct pk_capacity_work *work,
                                                     uint32_t index_id, struct pk_error *err);
/* All partitions in two, until there are as many as are needed
 * (partitions-capacity.md §3.2). */
PK_MUST_CHECK enum pk_code pk_capacity_split_evenly(struct pk_capacity_work *work,
                                                    uint32_t index_id, uint32_t needed,
                                                    struct pk_error *err);
/* How many partitions the throughput of the table (index NULL) or an index needs
 * (partitions-capacity.md §3.1): provisioned by the sum rule, warm units a second and on demand by
 * the greater of the two. */
uint32_t pk_capacity_needed(const struct pk_capacity_work *work, const struct pk_index *index,
                            int64_t warm_read, int64_t warm_write);

/* capacity_period.c */

/* Under the capacity's lock: judges the metric periods that have ended, each side by its verdict in
 * [PK_CAPACITY_SIDES]; those that say nothing stay as they are. */
void pk_capacity_end_periods(struct pk_capacity_work *work, struct pk_capacity_verdict *verdicts);
/* Changes the definition as the verdict says, and splits what then has too few partitions. What
 * the quota of decreases forbids is not done. PK_E_NOT_FOUND: the table is gone; PK_E_IO. */
PK_MUST_CHECK enum pk_code pk_capacity_act(struct pk_capacity_work *work,
                                           const struct pk_capacity_verdict *verdict,
                                           struct pk_error *err);

#endif
