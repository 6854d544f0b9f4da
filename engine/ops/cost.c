/* See the header; there is no state. */
#include "engine/ops/cost.h"

enum { READ_UNIT = 4096, WRITE_UNIT = 1024, MILLI = 1000 };

static int64_t units(uint64_t bytes, uint64_t unit)
{
    return bytes <= unit ? 1 : (int64_t)((bytes + unit - 1) / unit);
}

int64_t pk_cost_read(uint64_t bytes, enum pk_consistency consistency)
{
    int64_t milli = units(bytes, READ_UNIT) * MILLI;

    switch (consistency) {
    case PK_EVENTUAL:
        return milli / 2;
    case PK_STRONG:
        return milli;
    case PK_TRANSACTIONAL:
        return milli * 2;
    }
    return milli;
}

int64_t pk_cost_write(uint64_t bytes)
{
    return units(bytes, WRITE_UNIT) * MILLI;
}

int64_t pk_cost_total(const struct pk_cost *cost)
{
    int64_t total = cost->table_milli;

    for (size_t i = 0; i < cost->index_count; i++)
        total += cost->indexes[i].milli;
    return total;
}

struct pk_cost pk_cost_new(struct pk_arena *arena, const struct pk_table *table, bool write)
{
    return (struct pk_cost){
        .table = pk_arena_dup(arena, table->name),
        .indexes = table->index_count == 0
                       ? NULL
                       : PK_NEW_ARRAY(arena, struct pk_index_cost, table->index_count),
        .write = write,
    };
}

static void add_share(struct pk_cost *cost, pk_slice name, bool local, int64_t milli)
{
    size_t at = 0;

    while (at < cost->index_count && !pk_slice_equal(cost->indexes[at].name, name))
        at++;
    if (at == cost->index_count)
        cost->indexes[cost->index_count++] = (struct pk_index_cost){name, local, 0};
    cost->indexes[at].milli += milli;
}

void pk_cost_add_index(struct pk_cost *cost, struct pk_arena *arena, const struct pk_index *index,
                       int64_t milli)
{
    add_share(cost, pk_arena_dup(arena, index->name), index->local, milli);
}

struct pk_cost_list pk_cost_list_new(struct pk_arena *arena, size_t max)
{
    return (struct pk_cost_list){PK_NEW_ARRAY(arena, struct pk_cost, max), 0};
}

void pk_cost_list_add(struct pk_cost_list *list, struct pk_arena *arena, const struct pk_cost *cost)
{
    struct pk_cost *into = NULL;

    for (size_t i = 0; i < list->count && into == NULL; i++) {
        if (pk_slice_equal(list->costs[i].table, cost->table))
            into = &list->costs[i];
    }
    if (into == NULL) {
        into = &list->costs[list->count++];
        into->table = cost->table;
        into->indexes = PK_NEW_ARRAY(arena, struct pk_index_cost, PK_GSI_MAX + PK_LSI_MAX);
        into->write = cost->write;
    }
    into->table_milli += cost->table_milli;
    for (size_t i = 0; i < cost->index_count; i++)
        add_share(into, cost->indexes[i].name, cost->indexes[i].local, cost->indexes[i].milli);
}
