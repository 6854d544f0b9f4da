/*
 * The inside of a table's descriptor (schema.h): its memory, its life and its stored form.
 *
 * A descriptor is built or changed only before it is published in the catalog; afterwards it is
 * immutable. When another one takes its place, or the table is dropped, it becomes stale: a writer
 * checks that under its key's latch, a reader after it has taken its snapshot, and starts again
 * with the newest one.
 */
#ifndef PK_TABLE_DESCRIPTOR_H
#define PK_TABLE_DESCRIPTOR_H

#include <stdatomic.h>

#include "engine/base/buf.h"
#include "engine/schema.h"
#include "engine/table/counters.h"

/* An empty descriptor with one reference, no counters yet. */
struct pk_table *pk_table_new(void);
/* Where everything the descriptor points to lives. */
struct pk_arena *pk_table_arena(struct pk_table *table);
/* A copy that may be changed until it is published; it shares the counters and the companion. */
struct pk_table *pk_table_copy(const struct pk_table *table);

/* Gives the table its counters, all zero. Once, when its partitions and indexes are known. */
void pk_table_count(struct pk_table *table);
/* What the counters keep of an index. */
struct pk_counted_index pk_index_counted(const struct pk_index *index);
/* Borrowed. */
struct pk_counters *pk_table_counters(const struct pk_table *table);

/* What the operations keep beside a table while the engine is open: the head of a struct of theirs,
 * shared by all versions of the descriptor and freed with the last of them. */
struct pk_companion {
    atomic_uint refs;
    void (*free)(struct pk_companion *companion);
};
/* Once, before the table is published; the table owns that reference. */
void pk_table_set_companion(struct pk_table *table, struct pk_companion *companion_take);
/* Borrowed; NULL when none was set. */
struct pk_companion *pk_table_companion(const struct pk_table *table);

bool pk_table_is_stale(const struct pk_table *table);
void pk_table_set_stale(struct pk_table *table);

/* Tags: replaces those of equal key and keeps the order by key; removes those named. */
void pk_table_set_tags(struct pk_table *table, const struct pk_tag *tags, size_t count);
void pk_table_remove_tags(struct pk_table *table, const pk_slice *keys, size_t count);

/* On-disk form (do not change): version byte 1, then an item (item.h) whose attributes are named
 * below in descriptor.c; new ones may be added, an absent one is its zero. The reference returned
 * has counters. PK_E_CORRUPT when the bytes are no descriptor. */
void pk_table_store(const struct pk_table *table, struct pk_buf *out);
PK_MUST_CHECK enum pk_code pk_table_load(pk_slice bytes, struct pk_table **out,
                                         struct pk_error *err);

#endif
