/*
 * Counters after an unclean close (design: table/counters.h).
 *
 * At a clean close the counters of every table are saved, with a mark. Opening takes the mark away,
 * so it is missing whenever the figures cannot be believed. Then a snapshot is taken before the
 * first write, the counters start at zero, live writes add their deltas, and ticks add what the
 * snapshot holds, a slice at a time: to the partitions as they were at the snapshot. When one of
 * them was split meanwhile, what it gets moves on to its children with the rest (split_count.h).
 */
#ifndef PK_OPS_RECOUNT_H
#define PK_OPS_RECOUNT_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/store/store.h"

struct pk_catalog;
struct pk_table;

struct pk_recount {
    pthread_mutex_t lock;     /* guards the rest but `running` */
    struct pk_snap *snap;     /* NULL: nothing to count */
    struct pk_table **tables; /* references: as they were at the snapshot */
    size_t table_count;
    struct pk_buf at; /* the key from which to go on */
    bool gsis_only;
    atomic_bool running;
};

void pk_recount_init(struct pk_recount *recount);
void pk_recount_release(struct pk_recount *recount);

/* Loads the saved counters and takes the mark away, or begins a recount. No write may have
 * happened. */
PK_MUST_CHECK enum pk_code pk_recount_open(struct pk_recount *recount, struct pk_catalog *catalog,
                                           struct pk_store *store, struct pk_error *err);
/* Counts up to max_rows rows; *more: some are left. */
PK_MUST_CHECK enum pk_code pk_recount_step(struct pk_recount *recount, size_t max_rows, bool *more,
                                           struct pk_error *err);
/* Gives up a recount and its snapshot. */
void pk_recount_abandon(struct pk_recount *recount);
/* Saves the counters and the mark; abandons a recount that has not finished instead. */
PK_MUST_CHECK enum pk_code pk_recount_close(struct pk_recount *recount, struct pk_catalog *catalog,
                                            struct pk_store *store, struct pk_error *err);

#endif
