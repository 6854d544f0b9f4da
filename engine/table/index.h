/*
 * What a table's write means for its indexes (indexes.md §2, §3, §5).
 *
 * This module only computes: from an item before and after a write come, for each index it
 * touches, the entry that goes, the entry that comes and the write units that costs. The caller
 * decides when they are applied.
 */
#ifndef PK_TABLE_INDEX_H
#define PK_TABLE_INDEX_H

#include "engine/schema.h"
#include "engine/store/layout.h"

/* One row of an index. */
struct pk_index_entry {
    pk_slice key;  /* arena; data NULL: the item is not in the index */
    pk_view item;  /* projected */
    uint64_t size; /* of the projected item by the item-size rules */
};

struct pk_index_effect {
    const struct pk_index *index;
    struct pk_index_entry before;
    struct pk_index_entry after;
    uint64_t units; /* write units, not doubled for transactions; 0: the index is not touched */
};

/* The table's key of an item that has one (rows have); the values point into the view. */
struct pk_item_key pk_index_item_key(const struct pk_table *table, pk_view item,
                                     struct pk_arena *arena);
/* The item's entry in the index. False, and an empty entry, when it lacks an index key attribute,
 * or has one of the wrong type, empty or too long (sparse index). */
bool pk_index_entry_of(const struct pk_table *table, const struct pk_index *index, pk_view item,
                       struct pk_arena *arena, struct pk_index_entry *out);
/* Fills out, one element for each of the table's indexes, for the write from `before` to `after`
 * (either may be missing). The entries borrow the items' bytes. An index that is being deleted is
 * not touched. */
void pk_index_plan(const struct pk_table *table, pk_view before, pk_view after,
                   struct pk_arena *arena, struct pk_index_effect *out);
/* The same for one index. */
void pk_index_plan_one(const struct pk_table *table, const struct pk_index *index, pk_view before,
                       pk_view after, struct pk_arena *arena, struct pk_index_effect *out);
/* Puts a change's rows into the batch; nothing when the index is not touched. */
void pk_index_stage(const struct pk_index_effect *effect, struct pk_batch *batch);

/* Why an item may not be stored: its value for an index key attribute. */
enum pk_index_fault { PK_INDEX_FINE = 0, PK_INDEX_WRONG_TYPE, PK_INDEX_EMPTY, PK_INDEX_TOO_LONG };
/* Where the item came from decides the wording (data-model.md §5). */
enum pk_index_source {
    PK_INDEX_FROM_ITEM,      /* a put, or AttributeUpdates */
    PK_INDEX_FROM_EXPRESSION /* an UpdateExpression */
};
/* Checks the item's values for all index keys, indexes in the table's order. A value that is the
 * same as in `before` is accepted: only what a write sets can be at fault. Fills err. */
enum pk_index_fault pk_index_check(const struct pk_table *table, pk_view before, pk_view after,
                                   enum pk_index_source source, struct pk_error *err);

#endif
