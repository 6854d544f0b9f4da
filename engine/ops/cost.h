/*
 * Capacity formulas (partitions-capacity.md §2) and ConsumedCapacity.
 *
 * All amounts are milli-units: 1 unit is 1000, and no half is lost.
 */
#ifndef PK_OPS_COST_H
#define PK_OPS_COST_H

#include "engine/ops.h"

enum pk_consistency { PK_EVENTUAL, PK_STRONG, PK_TRANSACTIONAL };

/* Reading so many bytes at once: 4 KB a unit, at least one; halved when eventual, doubled in a
 * transaction. */
int64_t pk_cost_read(uint64_t bytes, enum pk_consistency consistency);
/* Writing so many bytes: 1 KB a unit, at least one. */
int64_t pk_cost_write(uint64_t bytes);

/* An empty cost of that table, with room for its indexes, in the arena. */
struct pk_cost pk_cost_new(struct pk_arena *arena, const struct pk_table *table, bool write);
/* Adds to the share of an index. The cost has room for each index of its table once. */
void pk_cost_add_index(struct pk_cost *cost, struct pk_arena *arena, const struct pk_index *index,
                       int64_t milli);

/* Costs of several tables, in order of first mention. */
struct pk_cost_list {
    struct pk_cost *costs;
    size_t count;
};
/* Room for at most max tables. */
struct pk_cost_list pk_cost_list_new(struct pk_arena *arena, size_t max);
/* Adds one operation's cost to its table's. */
void pk_cost_list_add(struct pk_cost_list *list, struct pk_arena *arena,
                      const struct pk_cost *cost);

#endif
