/*
 * What transactions are at work on, by exact key, and which client tokens are in use.
 *
 * A transaction enters all its keys before it takes latches and leaves before it gives them back.
 * Whoever meets a key that is entered has a real conflict (TransactionConflict), not just two keys
 * on one stripe. Correctness does not depend on it, the latches see to that: this is how DynamoDB
 * answers instead of waiting.
 */
#ifndef PK_OPS_INFLIGHT_H
#define PK_OPS_INFLIGHT_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/map.h"

struct pk_inflight {
    pthread_mutex_t lock; /* guards the map */
    struct pk_map keys;
    atomic_size_t count; /* of keys: lets writers pass without the lock when there are none */
};

void pk_inflight_init(struct pk_inflight *inflight);
void pk_inflight_release(struct pk_inflight *inflight);

/* Enters all keys (each once in the list), or none: then conflict[i] tells which are taken. True
 * when entered. */
bool pk_inflight_enter(struct pk_inflight *inflight, const pk_slice *keys, size_t count,
                       bool *conflict);
void pk_inflight_leave(struct pk_inflight *inflight, const pk_slice *keys, size_t count);
bool pk_inflight_has(struct pk_inflight *inflight, pk_slice key);

#endif
