/*
 * The map of a table's or index' partitions (schema.h): who owns a key, and what a split makes of
 * it (partitions-capacity.md §10.2, §10.6).
 *
 * A table begins with partitions of even parts of the tokens, numbered as their ids are; then a
 * key's partition is arithmetic. Once one is split it is a search. A partition is never removed but
 * for its children, which get new ids, so ids only grow and there are less than twice
 * PK_PARTITIONS_MAX of them.
 *
 * A map belongs to a descriptor: what changes it goes to that one's arena, before it is published.
 */
#ifndef PK_TABLE_PARTITION_MAP_H
#define PK_TABLE_PARTITION_MAP_H

#include "engine/base/arena.h"
#include "engine/schema.h"

/* 0 < count <= PK_PARTITIONS_MAX. */
void pk_partitions_even(struct pk_partitions *map, uint32_t count, struct pk_arena *arena);
/* False, unless ids are below next_id and different, and the firsts are in order and whole. */
bool pk_partitions_check(const struct pk_partitions *map);

/* The number of the partition that owns the position. Cost: logarithmic once there was a split. */
uint32_t pk_partitions_find(const struct pk_partitions *map, pk_slice position);
/* The number of the last partition that owns something before the position. */
uint32_t pk_partitions_find_before(const struct pk_partitions *map, pk_slice position);
/* The id of the partition that owns the row. */
uint32_t pk_partitions_id_of(const struct pk_partitions *map, pk_slice row);
/* Under which partition an index' row is counted (counters.h): of an LSI 0. */
uint32_t pk_partitions_counted_by(const struct pk_index *index, pk_slice row);
/* First and last token of which partition i owns something. */
uint64_t pk_partitions_first_token(const struct pk_partitions *map, uint32_t i);
uint64_t pk_partitions_last_token(const struct pk_partitions *map, uint32_t i);

/* Makes each boundary (copied) the first of a partition; one that is a border already, or before
 * which there is nothing, is left out. The pieces of a partition that is cut are all its children,
 * with new ids in the order of keys. False, and nothing changed, when there would be more than
 * PK_PARTITIONS_MAX. */
bool pk_partitions_split(struct pk_partitions *map, const pk_slice *boundaries, size_t count,
                         struct pk_arena *arena);

#endif
