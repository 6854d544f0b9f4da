/*
 * Key latches: whoever changes an item holds the latch of its key from reading the old item to
 * committing the new one.
 *
 * Keys share stripes. Several are taken in the order of their stripes, each once, so two writers
 * cannot wait for each other. Nothing that can wait for long happens under a latch: no admission,
 * no back-pressure, no other lock but the store's own. Reads take none.
 */
#ifndef PK_OPS_LATCH_H
#define PK_OPS_LATCH_H

#include <pthread.h>
#include <stdint.h>

#include "engine/base/arena.h"

enum { PK_LATCH_STRIPES = 1024 };

struct pk_latches {
    pthread_mutex_t stripes[PK_LATCH_STRIPES];
};

void pk_latches_init(struct pk_latches *latches);
void pk_latches_release(struct pk_latches *latches);

/* The stripe of a row's key, or of an item collection's. */
uint32_t pk_latch_stripe(pk_slice key);

void pk_latch_lock(struct pk_latches *latches, uint32_t stripe);
void pk_latch_unlock(struct pk_latches *latches, uint32_t stripe);

/* Sorts the stripes in place and drops repeats; returns how many are left: the form the next two
 * want. */
size_t pk_latch_order(uint32_t *stripes, size_t count);
void pk_latch_lock_many(struct pk_latches *latches, const uint32_t *stripes, size_t count);
void pk_latch_unlock_many(struct pk_latches *latches, const uint32_t *stripes, size_t count);

/* All of them: while they are held nothing commits. */
void pk_latch_lock_all(struct pk_latches *latches);
void pk_latch_unlock_all(struct pk_latches *latches);
/* Takes and gives back each latch in turn: returns when every writer that held one at the call has
 * finished. A writer that comes later sees what was published before the call. */
void pk_latch_pass(struct pk_latches *latches);

#endif
