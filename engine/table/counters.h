/*
 * How many items a table and its indexes hold and how many bytes: a table's and a GSI's by
 * partition, an LSI's as a whole.
 *
 * The figures live in memory and are shared by all versions of a table's descriptor. Every commit
 * adds its deltas while it holds the key's latch (of a GSI: its table's `apply`); reading is free
 * of locks. Partitions go by their ids, which only grow: a split adds cells, and what the parent's
 * cell has moves to the children's row by row (ops/split_count.h), so that sums are right all the
 * time.
 *
 * They are stored at a clean close only; after an unclean one they start at zero, take the deltas
 * of live writes, and a recount adds what was there before (ops/recount.c). Until then a figure can
 * be too small, even negative inside; it is shown as zero then.
 */
#ifndef PK_TABLE_COUNTERS_H
#define PK_TABLE_COUNTERS_H

#include "engine/base/buf.h"

struct pk_counters;

/* Items and bytes (by the item-size rules), or a change of them. */
struct pk_tally {
    int64_t items;
    int64_t bytes;
};

/* What is counted of an index. */
struct pk_counted_index {
    uint32_t id;
    uint32_t partitions; /* the next id of its partitions; 0: an LSI, which is counted as a whole */
};

/* All zero, with one reference. partitions: the next id of the table's. */
struct pk_counters *pk_counters_new(uint32_t partitions, const struct pk_counted_index *indexes,
                                    size_t index_count);
/* A copy of its own, with one reference. */
struct pk_counters *pk_counters_dup(const struct pk_counters *counters);
struct pk_counters *pk_counters_ref(struct pk_counters *counters);
/* NULL is accepted. */
void pk_counters_unref(struct pk_counters *counters);

/* partition: the id. */
void pk_counters_add(struct pk_counters *counters, uint32_t partition, struct pk_tally delta);
/* An index the counters do not know is ignored; partition 0 of an LSI is all of it. */
void pk_counters_add_index(struct pk_counters *counters, uint32_t index_id, uint32_t partition,
                           struct pk_tally delta);

/* Makes cells for the partitions below next_id, before the first of them is added to. index_id 0:
 * of the table. Not from two threads at a time, as the next two. */
void pk_counters_grow(struct pk_counters *counters, uint32_t index_id, uint32_t next_id);
/* An index more, with zeros; its slot may have been another's. As many as a table has indexes fit.
 */
void pk_counters_add_slot(struct pk_counters *counters, struct pk_counted_index index);
/* No longer counts the index. Only while nobody adds to it. */
void pk_counters_remove_slot(struct pk_counters *counters, uint32_t index_id);

/* All zero again. Only while nobody adds. */
void pk_counters_clear(struct pk_counters *counters);

struct pk_tally pk_counters_partition(const struct pk_counters *counters, uint32_t partition);
struct pk_tally pk_counters_index_partition(const struct pk_counters *counters, uint32_t index_id,
                                            uint32_t partition);
/* The sums of all partitions. */
struct pk_tally pk_counters_total(const struct pk_counters *counters);
struct pk_tally pk_counters_index(const struct pk_counters *counters, uint32_t index_id);

/* Between these two the figures of some partitions are partial: what is counted as another's still
 * moves to them. */
void pk_counters_begin_move(struct pk_counters *counters);
void pk_counters_end_move(struct pk_counters *counters);
bool pk_counters_are_moving(const struct pk_counters *counters);

/* On-disk form (do not change): version byte 2, cells, varint indexes, { index id(4) cells };
 * cells = varint number, { varint partition id, items(8) bytes(8) }, those that are not zero.
 * Version 1 knows nothing of a GSI's partitions: varint partitions, { items(8) bytes(8) }, varint
 * indexes, { index id(4) items(8) bytes(8) }. */
void pk_counters_store(const struct pk_counters *counters, struct pk_buf *out);
enum pk_counters_loaded {
    PK_COUNTERS_DAMAGED, /* malformed, or of other partitions: nothing was added */
    PK_COUNTERS_LOADED,
    PK_COUNTERS_WITHOUT_GSIS /* all but those, of which there are some */
};
/* Adds what is stored to counters that are zero. */
enum pk_counters_loaded pk_counters_load(struct pk_counters *counters, pk_slice bytes);

#endif
