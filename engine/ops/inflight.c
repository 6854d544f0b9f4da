/* A set of keys behind a mutex. */
#include "engine/ops/inflight.h"

void pk_inflight_init(struct pk_inflight *inflight)
{
    *inflight = (struct pk_inflight){.keys = PK_MAP_INIT};
    pthread_mutex_init(&inflight->lock, NULL);
    atomic_init(&inflight->count, 0);
}

void pk_inflight_release(struct pk_inflight *inflight)
{
    pk_map_release(&inflight->keys);
    pthread_mutex_destroy(&inflight->lock);
}

bool pk_inflight_enter(struct pk_inflight *inflight, const pk_slice *keys, size_t count,
                       bool *conflict)
{
    bool all_free = true;

    pthread_mutex_lock(&inflight->lock);
    for (size_t i = 0; i < count; i++) {
        conflict[i] = pk_map_get(&inflight->keys, keys[i]) != NULL;
        all_free = all_free && !conflict[i];
    }
    for (size_t i = 0; i < count && all_free; i++) {
        if (pk_map_put(&inflight->keys, keys[i], inflight) != NULL)
            pk_bug("a transaction entered one key twice");
    }
    if (all_free)
        atomic_fetch_add(&inflight->count, count);
    pthread_mutex_unlock(&inflight->lock);
    return all_free;
}

void pk_inflight_leave(struct pk_inflight *inflight, const pk_slice *keys, size_t count)
{
    pthread_mutex_lock(&inflight->lock);
    for (size_t i = 0; i < count; i++) {
        if (pk_map_remove(&inflight->keys, keys[i]) == NULL)
            pk_bug("a transaction left a key it had not entered");
    }
    atomic_fetch_sub(&inflight->count, count);
    pthread_mutex_unlock(&inflight->lock);
}

bool pk_inflight_has(struct pk_inflight *inflight, pk_slice key)
{
    bool found;

    if (atomic_load(&inflight->count) == 0)
        return false;
    pthread_mutex_lock(&inflight->lock);
    found = pk_map_get(&inflight->keys, key) != NULL;
    pthread_mutex_unlock(&inflight->lock);
    return found;
}
