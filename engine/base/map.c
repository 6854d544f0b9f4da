/*
 * Open addressing with linear probing, at most three quarters full.
 *
 * Invariant: no slot between an entry's home (its hash modulo cap) and the entry is empty. Removal
 * keeps it by moving later entries back, so there are no tombstones.
 */
#include "engine/base/map.h"

#include <stdlib.h>

#include "engine/base/hash.h"

enum { CAP_MIN = 8 };

void pk_map_release(struct pk_map *map)
{
    for (size_t i = 0; i < map->cap; i++) {
        /* keys are copies made here; the slice type is const for its readers */
        if (map->slots[i].key.data != NULL)
            free((void *)(uintptr_t)map->slots[i].key.data);
    }
    free(map->slots);
    *map = (struct pk_map)PK_MAP_INIT;
}

/* The slot that holds the key, or the empty one where it would go. The map has slots. */
static struct pk_map_slot *slot_find(const struct pk_map *map, pk_slice key)
{
    size_t i = pk_hash_fast(key) & (map->cap - 1);

    while (map->slots[i].key.data != NULL && !pk_slice_equal(map->slots[i].key, key))
        i = (i + 1) & (map->cap - 1);
    return &map->slots[i];
}

static void grow(struct pk_map *map)
{
    struct pk_map bigger = {.cap = map->cap == 0 ? CAP_MIN : map->cap * 2, .used = map->used};

    bigger.slots = pk_calloc(bigger.cap, sizeof(*bigger.slots));
    for (size_t i = 0; i < map->cap; i++) {
        if (map->slots[i].key.data != NULL)
            *slot_find(&bigger, map->slots[i].key) = map->slots[i];
    }
    free(map->slots);
    *map = bigger;
}

void *pk_map_get(const struct pk_map *map, pk_slice key)
{
    return map->used == 0 ? NULL : slot_find(map, key)->value;
}

void *pk_map_put(struct pk_map *map, pk_slice key, void *value)
{
    if (value == NULL)
        pk_bug("map value is NULL");
    if (map->used + 1 > map->cap / 4 * 3)
        grow(map);

    struct pk_map_slot *slot = slot_find(map, key);
    void *before = slot->value;
    if (slot->key.data == NULL) {
        slot->key = pk_slice_of(pk_memdup_cstr(key.data, key.len), key.len);
        map->used++;
    }
    slot->value = value;
    return before;
}

/* Closes the hole at index `hole`: an entry further on moves into it unless its home lies behind
 * the hole (cyclically), where a search for it would no longer pass. */
static void close_hole(struct pk_map *map, size_t hole)
{
    size_t mask = map->cap - 1;

    for (size_t i = (hole + 1) & mask; map->slots[i].key.data != NULL; i = (i + 1) & mask) {
        size_t home = pk_hash_fast(map->slots[i].key) & mask;
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        map->slots[hole] = map->slots[i];
        hole = i;
    }
    map->slots[hole] = (struct pk_map_slot){{NULL, 0}, NULL};
}

void *pk_map_remove(struct pk_map *map, pk_slice key)
{
    if (map->used == 0)
        return NULL;

    struct pk_map_slot *slot = slot_find(map, key);
    void *before = slot->value;
    if (slot->key.data != NULL) {
        free((void *)(uintptr_t)slot->key.data);
        close_hole(map, (size_t)(slot - map->slots));
        map->used--;
    }
    return before;
}

bool pk_map_next(const struct pk_map *map, size_t *cursor, pk_slice *key, void **value)
{
    while (*cursor < map->cap) {
        const struct pk_map_slot *slot = &map->slots[(*cursor)++];
        if (slot->key.data == NULL)
            continue;
        if (key != NULL)
            *key = slot->key;
        if (value != NULL)
            *value = slot->value;
        return true;
    }
    return false;
}
