/*
 * How large item collections are, on tables with an LSI: the 10 GB rule needs it exactly
 * (indexes.md §7), so the size is a row that every write under the collection's latch keeps.
 *
 * Stored under PK_META_COLLECTION (do not change): bytes(8) of the items and of their LSI entries.
 * A collection without items has no row.
 */
#ifndef PK_OPS_COLLECTION_H
#define PK_OPS_COLLECTION_H

#include "engine/ops/core.h"
#include "engine/store/key_code.h"
#include "engine/table/index.h"

/* The collections that one commit touches, each once. */
struct pk_collection_size {
    pk_slice key; /* of the size row */
    uint64_t bytes;
};
struct pk_collection_sizes {
    struct pk_collection_size *list; /* arena, room for one a write */
    size_t count;
};

/* What one write does to its collection. */
struct pk_collection_growth {
    const struct pk_table *table;
    const struct pk_item_key *key;
    uint64_t before; /* bytes of the item and its LSI entries */
    uint64_t after;
    uint64_t bytes; /* result: of the whole collection */
};

/* The bytes of an item of that size with its LSI entries: `after` tells which side of the effects
 * (one for each of the table's indexes) counts. */
uint64_t pk_collection_item_bytes(const struct pk_table *table, uint64_t item_size,
                                  const struct pk_index_effect *effects, bool after);
/* Adds the growth to its collection, which is read on its first mention; growth->bytes is its size
 * then. PK_E_COLLECTION_SIZE when a growing write takes it above the limit. */
PK_MUST_CHECK enum pk_code pk_collection_grow(struct pk_engine *engine, struct pk_arena *arena,
                                              struct pk_collection_sizes *sizes,
                                              struct pk_collection_growth *growth,
                                              struct pk_error *err);
/* Puts the size rows into the batch. */
void pk_collection_stage(const struct pk_collection_sizes *sizes, struct pk_batch *batch);

#endif
