/*
 * The latest changes, kept in memory while somebody looks (looking.h): a ring that overwrites its
 * oldest records, bounded in number and in bytes.
 *
 * A record is made under the latch of its item, after the commit, so the records of one item stand
 * in the order of its commits. The ring's lock is held for a moment, never while somebody reads
 * what the records say: a reader references them and lets go.
 */
#ifndef PK_OPS_TAIL_H
#define PK_OPS_TAIL_H

#include <pthread.h>

#include "engine/looking.h"
#include "engine/ops/lease.h"

struct pk_write_step;
struct pk_tail_entry;

struct pk_tail {
    struct pk_lease lease;
    int64_t opened_ms; /* real time */
    pthread_mutex_t lock;         /* guards the rest */
    struct pk_tail_entry **slots; /* PK_TAIL_KEPT, by number; NULL while nobody looks */
    uint64_t next;                /* the number of the next record, from 1 */
    size_t count;
    size_t bytes;
};

void pk_tail_init(struct pk_tail *tail);
void pk_tail_release(struct pk_tail *tail);
/* Frees the records when the lease is over: called by the tick. */
void pk_tail_tick(struct pk_tail *tail);

/* Adds what a committed write did; nothing when it changed nothing. Under the item's latch. */
void pk_tail_add(struct pk_engine *engine, struct pk_tail *tail, const struct pk_write_step *step);

#endif
