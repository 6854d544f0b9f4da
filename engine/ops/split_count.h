/*
 * The figures of partitions that came of a split: the parent's are counted once more, by the new
 * borders.
 *
 * The split takes a snapshot at the moment at which the parent's last writer has finished and none
 * of the children's has begun. From then on the children take the deltas of live writes, and each
 * row of the snapshot moves from the parent's cell to a child's. So sums are right all the time,
 * the children's figures grow to theirs, and in the end nothing is left of the parent. What else
 * adds to the parent's cell (a recount, the count of the split it came of itself) commutes with
 * that.
 *
 * Counting goes a slice at a time, by the split itself and then by ticks. What has not finished
 * when the store is closed is counted anew at the next opening (recount.h).
 */
#ifndef PK_OPS_SPLIT_COUNT_H
#define PK_OPS_SPLIT_COUNT_H

#include <pthread.h>

#include "engine/store/store.h"
#include "engine/table/catalog.h"

struct pk_split_count;
struct pk_split_counts {
    pthread_mutex_t lock; /* guards the list; held over one slice */
    struct pk_split_count *first;
};

void pk_split_counts_init(struct pk_split_counts *counts);
void pk_split_counts_release(struct pk_split_counts *counts);

/* The partitions of the table, or of its GSI index_id, with ids from first_id on are to be counted
 * from the snapshot. table: the descriptor with the children, of which it takes a reference. */
void pk_split_counts_add(struct pk_split_counts *counts, struct pk_table *table, uint32_t index_id,
                         uint32_t first_id, struct pk_snap *snap_take);
/* Counts up to max_rows rows; *more: some are left. PK_E_IO, PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_split_counts_step(struct pk_split_counts *counts, size_t max_rows,
                                                bool *more, struct pk_error *err);
bool pk_split_counts_any(struct pk_split_counts *counts);
/* Gives up what is left, with its snapshots: the figures of those tables are worth nothing then. */
void pk_split_counts_abandon(struct pk_split_counts *counts);

#endif
