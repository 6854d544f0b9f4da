/*
 * Splits as changes of a definition: from a descriptor on, a partition is two
 * (partitions-capacity.md §3.2, §10.6). Who decides that and when is not known here
 * (ops/capacity.h).
 *
 * A split moves no data. While all latches are held, so that nobody writes, the log tells where the
 * parent's stream shard ends; the borders, that end and the children's shards are one commit, which
 * is published before the latches are given back. So every record of the parent's shard is older
 * than any of a child's, and parent and children never interleave for a key. Of a GSI only the
 * figures depend on partitions: there its table's `apply` is held instead, and the base table's
 * writers go on.
 *
 * Figures of the children are counted from a snapshot taken at that moment, while live writes add
 * their deltas (split_count.h).
 */
#ifndef PK_OPS_SPLIT_H
#define PK_OPS_SPLIT_H

#include "engine/ops/core.h"

struct pk_split {
    uint32_t table_id;
    uint32_t index_id;          /* 0: the table itself */
    const pk_slice *boundaries; /* positions: row keys behind the id; each the first of a new upper
                                   partition. One that is a border already is left out. On a table
                                   with an LSI one inside an item collection means that one's begin:
                                   a collection is never cut there */
    size_t count;
};
/* Makes all of them in one commit; the pieces of one partition are all its children, with new ids
 * in the order of keys. PK_E_NOT_FOUND: the table or index is gone. PK_E_IN_USE: it is being
 * created or deleted. PK_E_LIMIT_EXCEEDED: there would be more than PK_PARTITIONS_MAX. PK_E_IO.
 * Takes catalog.ddl. */
PK_MUST_CHECK enum pk_code pk_split_partitions(struct pk_engine *engine,
                                               const struct pk_split *split, int64_t now_ms,
                                               struct pk_error *err);

#endif
