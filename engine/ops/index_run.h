/*
 * One GSI is brought forward: the change records that it has not applied yet become its rows
 * (indexes.md §8).
 *
 * Records of a shard are applied in their order, never beyond the smallest sequence in flight; the
 * index's position is committed with the rows. With lag a record is due at its time + lag + jitter,
 * and what is behind it in its shard waits for it. The jitter comes from the seed, the table and
 * the sequence, so a run repeats exactly.
 *
 * An index that is being built is not read yet: it has no lag, and its rows are counted by looking
 * at what is there, because the backfill may have been before or after a record.
 */
#ifndef PK_OPS_INDEX_RUN_H
#define PK_OPS_INDEX_RUN_H

#include "engine/ops/table_log.h"
#include "engine/ops/tallies.h"

/* One index on its way to a target. The caller may set bound, now_ms and left; afterwards it may
 * read `more`. The rest is the run's. */
struct pk_index_run {
    struct pk_engine *engine;
    const struct pk_table *table; /* borrowed */
    const struct pk_index *index; /* a GSI of it that is not being deleted */
    struct pk_table_log *log;
    uint64_t bound; /* only records below it */
    int64_t now_ms; /* only records that are due; INT64_MAX: whatever the lag */
    size_t left;    /* so many records may be read */
    bool more;      /* out: records were left that could be applied now */

    struct pk_index_reader *reader;
    struct pk_table *newest; /* a reference to what table is, when it had become stale */
    bool stopped;            /* something below the bound is left */
    bool held; /* some of it is of a partition that was split: its children wait for it */

    /* the commit under way */
    struct pk_batch batch;
    struct pk_arena arena;
    size_t records;
    uint64_t at; /* the position after it */
    struct pk_tallies tallies;
};

/* Whether records wait before they are due. */
bool pk_index_lags(const struct pk_engine *engine);

/* To everything that is logged, whatever the lag; bound is yet to be set. Owns nothing. */
struct pk_index_run pk_index_run_of(struct pk_engine *engine, const struct pk_table *table,
                                    const struct pk_index *index);
/* Under apply, once: applies what the run says, as far as the index has capacity for it. What was
 * committed before a failure stays. PK_E_IO, PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_index_run_apply(struct pk_index_run *run, struct pk_error *err);
/* Takes apply. Brings *due_ms (simulated time) forward to when the next record of the index is due,
 * if that is earlier. PK_E_IO. */
PK_MUST_CHECK enum pk_code pk_index_run_due(struct pk_index_run *run, int64_t *due_ms,
                                            struct pk_error *err);

#endif
