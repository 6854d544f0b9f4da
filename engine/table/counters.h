/*
 * How many items a table holds and how many bytes: by partition, and by index.
 *
 * The figures live in memory and are shared by all versions of a table's descriptor. Every commit
 * adds its deltas while it holds the key's latch; reading is free of locks. They are stored at a
 * clean close only; after an unclean one they start at zero, take the deltas of live writes, and a
 * recount adds what was there before (ops/recount.c). Until then a figure can be too small, even
 * negative inside; it is shown as zero then.
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

/* All zero, with one reference. */
struct pk_counters *pk_counters_new(uint32_t partitions, const uint32_t *index_ids,
                                    size_t index_count);
/* A copy of its own, with one reference. */
struct pk_counters *pk_counters_dup(const struct pk_counters *counters);
struct pk_counters *pk_counters_ref(struct pk_counters *counters);
/* NULL is accepted. */
void pk_counters_unref(struct pk_counters *counters);

void pk_counters_add(struct pk_counters *counters, uint32_t partition, struct pk_tally delta);
/* An index the counters do not know is ignored. */
void pk_counters_add_index(struct pk_counters *counters, uint32_t index_id, struct pk_tally delta);

/* An index more, with zeros; its slot may have been another's. As many as a table has indexes fit.
 * Not from two threads at a time. */
void pk_counters_add_slot(struct pk_counters *counters, uint32_t index_id);
/* No longer counts the index. Only while nobody adds to it. */
void pk_counters_remove_slot(struct pk_counters *counters, uint32_t index_id);

/* All zero again. Only while nobody adds. */
void pk_counters_clear(struct pk_counters *counters);

struct pk_tally pk_counters_partition(const struct pk_counters *counters, uint32_t partition);
struct pk_tally pk_counters_index(const struct pk_counters *counters, uint32_t index_id);
/* The sum of the partitions. */
struct pk_tally pk_counters_total(const struct pk_counters *counters);

/* On-disk form (do not change): version byte 1, varint partitions, { items(8) bytes(8) }, varint
 * indexes, { id(4) items(8) bytes(8) }. Load adds what is stored; false when malformed or of
 * another number of partitions (then nothing was added). */
void pk_counters_store(const struct pk_counters *counters, struct pk_buf *out);
bool pk_counters_load(struct pk_counters *counters, pk_slice bytes);

#endif
