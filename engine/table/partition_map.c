/* See the header. */
#include "engine/table/partition_map.h"

#include <stdlib.h>

#include "engine/base/buf.h"
#include "engine/store/layout.h"
#include "engine/store/position.h"
#include "engine/store/token_part.h"

void pk_partitions_even(struct pk_partitions *map, uint32_t count, struct pk_arena *arena)
{
    struct pk_partition_entry *list = PK_NEW_ARRAY(arena, struct pk_partition_entry, count);

    for (uint32_t i = 0; i < count; i++) {
        char token[PK_TOKEN_LEN];

        list[i].id = list[i].parent = i;
        list[i].first = (pk_slice){NULL, 0};
        if (i == 0)
            continue;
        pk_token_store(pk_partition_first(i, count), token);
        list[i].first = pk_arena_dup(arena, pk_slice_of(token, PK_TOKEN_LEN));
    }
    *map = (struct pk_partitions){.list = list, .count = count, .next_id = count, .even = true};
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t *first = a;
    const uint32_t *second = b;

    return *first < *second ? -1 : *first > *second;
}

static bool has_repeated_ids(const struct pk_partitions *map)
{
    uint32_t *ids = pk_calloc(map->count, sizeof(*ids));
    bool repeated = false;

    for (uint32_t i = 0; i < map->count; i++)
        ids[i] = map->list[i].id;
    qsort(ids, map->count, sizeof(*ids), compare_ids);
    for (uint32_t i = 1; i < map->count; i++)
        repeated = repeated || ids[i] == ids[i - 1];
    free(ids);
    return repeated;
}

/* Nothing lies before it: token 0, or no token at all. */
static bool is_start(pk_slice position)
{
    return position.len < PK_TOKEN_LEN ||
           (position.len == PK_TOKEN_LEN && pk_position_token(position) == 0);
}

bool pk_partitions_check(const struct pk_partitions *map)
{
    if (map->count == 0 || map->count > PK_PARTITIONS_MAX || map->next_id > 2 * PK_PARTITIONS_MAX)
        return false;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct pk_partition_entry *one = &map->list[i];

        if (one->id >= map->next_id || one->parent > one->id)
            return false;
        if (i == 0
                ? one->first.len != 0
                : is_start(one->first) || pk_slice_compare(map->list[i - 1].first, one->first) >= 0)
            return false;
    }
    return !has_repeated_ids(map);
}

/* Finding --------------------------------------------------------------------------------------*/

/* How many partitions begin before the position. */
static uint32_t begin_before(const struct pk_partitions *map, pk_slice position)
{
    uint32_t low = 0;
    uint32_t high = map->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (pk_slice_compare(map->list[middle].first, position) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t pk_partitions_find(const struct pk_partitions *map, pk_slice position)
{
    uint32_t at;

    if (map->even)
        return pk_partition_of(pk_position_token(position), map->count);
    at = begin_before(map, position);
    if (at < map->count && pk_slice_equal(map->list[at].first, position))
        return at;
    return at == 0 ? 0 : at - 1;
}

uint32_t pk_partitions_find_before(const struct pk_partitions *map, pk_slice position)
{
    uint32_t at = begin_before(map, position);

    return at == 0 ? 0 : at - 1;
}

uint32_t pk_partitions_id_of(const struct pk_partitions *map, pk_slice row)
{
    return map->list[pk_partitions_find(map, pk_layout_position(row))].id;
}

uint32_t pk_partitions_counted_by(const struct pk_index *index, pk_slice row)
{
    return index->local ? 0 : pk_partitions_id_of(&index->partitions, row);
}

uint64_t pk_partitions_first_token(const struct pk_partitions *map, uint32_t i)
{
    return pk_position_token(map->list[i].first);
}

uint64_t pk_partitions_last_token(const struct pk_partitions *map, uint32_t i)
{
    pk_slice end;

    if (i + 1 >= map->count)
        return UINT64_MAX;
    end = map->list[i + 1].first;
    /* A border inside a token leaves both sides something of it. */
    return end.len > PK_TOKEN_LEN ? pk_position_token(end) : pk_position_token(end) - 1;
}

/* Splitting ------------------------------------------------------------------------------------*/

static int compare_slices(const void *a, const void *b)
{
    const pk_slice *first = a;
    const pk_slice *second = b;

    return pk_slice_compare(*first, *second);
}

/* The boundaries that are none yet, sorted, in the arena. */
static pk_slice *new_borders(const struct pk_partitions *map, const pk_slice *boundaries,
                             size_t *count, struct pk_arena *arena)
{
    pk_slice *borders = PK_NEW_ARRAY(arena, pk_slice, *count);
    size_t n = 0;
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++) {
        if (!is_start(boundaries[i]))
            borders[n++] = boundaries[i];
    }
    if (n > 0)
        qsort(borders, n, sizeof(*borders), compare_slices);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = begin_before(map, borders[i]);

        if ((at < map->count && pk_slice_equal(map->list[at].first, borders[i])) ||
            (kept > 0 && pk_slice_equal(borders[kept - 1], borders[i])))
            continue;
        borders[kept++] = borders[i];
    }
    *count = kept;
    return borders;
}

/* The border lies before the end of partition i. */
static bool ends_behind(const struct pk_partitions *map, uint32_t i, pk_slice border)
{
    return i + 1 == map->count || pk_slice_compare(border, map->list[i + 1].first) < 0;
}

bool pk_partitions_split(struct pk_partitions *map, const pk_slice *boundaries, size_t count,
                         struct pk_arena *arena)
{
    pk_slice *borders = new_borders(map, boundaries, &count, arena);
    struct pk_partition_entry *list;
    uint32_t n = 0;
    size_t at = 0;

    if (count > PK_PARTITIONS_MAX - (size_t)map->count)
        return false;
    if (count == 0)
        return true;
    list = PK_NEW_ARRAY(arena, struct pk_partition_entry, map->count + count);
    for (uint32_t i = 0; i < map->count; i++) {
        const struct pk_partition_entry *old = &map->list[i];

        list[n] = *old;
        if (at < count && ends_behind(map, i, borders[at])) {
            list[n].id = map->next_id++;
            list[n].parent = old->id;
        }
        for (n++; at < count && ends_behind(map, i, borders[at]); at++)
            list[n++] = (struct pk_partition_entry){map->next_id++, old->id,
                                                    pk_arena_dup(arena, borders[at])};
    }
    map->list = list;
    map->count = n;
    map->even = false;
    return true;
}
