/*
 * Splits as changes of a definition: from a descriptor on, a partition is two
 * (partitions-capacity.md §3.2, §10.6). Who decides that and when is not known here
 * (ops/capacity.h).
 *
 * A split moves no data. It is published as any change of a definition: commit, publish, mark the
 * old descriptor stale, pass through every latch once. So the writers of the parent have finished
 * before its stream shard closes, in the same commit as the split; parent and children never
 * interleave for a key. Figures of the children are counted from a snapshot taken at that moment,
 * while live writes add their deltas.
 */
#ifndef PK_OPS_SPLIT_H
#define PK_OPS_SPLIT_H

#include "engine/ops/core.h"

struct pk_split {
    uint32_t table_id;
    uint32_t index_id;          /* 0: the table itself */
    const pk_slice *boundaries; /* positions: row keys behind the id; each the first of a new upper
                                   partition. One that is a border already is left out */
    size_t count;
};
/* Makes all of them in one commit. PK_E_NOT_FOUND: the table or index is gone. PK_E_LIMIT_EXCEEDED:
 * there would be more than PK_PARTITIONS_MAX. PK_E_IO. Takes catalog.ddl. */
PK_MUST_CHECK enum pk_code pk_split_partitions(struct pk_engine *engine,
                                               const struct pk_split *split, int64_t now_ms,
                                               struct pk_error *err);

#endif
