/* A hash table from byte strings to pointers. Keys are copied; values are the caller's.
 * Not thread-safe. Iteration order is unspecified. */
#ifndef PK_BASE_MAP_H
#define PK_BASE_MAP_H

#include "engine/base/mem.h"
#include "engine/base/slice.h"

struct pk_map_slot {
    pk_slice key; /* owned copy; data NULL: empty */
    void *value;
};

struct pk_map {
    struct pk_map_slot *slots;
    size_t cap; /* power of two, or 0 */
    size_t used;
};

#define PK_MAP_INIT                                                                                \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

void pk_map_release(struct pk_map *map);
/* NULL when absent. */
void *pk_map_get(const struct pk_map *map, pk_slice key);
/* Returns the value that was there before, or NULL. value may not be NULL. */
void *pk_map_put(struct pk_map *map, pk_slice key, void *value);
/* Returns the removed value, or NULL. */
void *pk_map_remove(struct pk_map *map, pk_slice key);
/* Calls back for every entry through a cursor that starts at 0; false at the end. */
bool pk_map_next(const struct pk_map *map, size_t *cursor, pk_slice *key, void **value);

#endif
