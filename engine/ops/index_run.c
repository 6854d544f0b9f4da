/*
 * A commit holds the rows of up to COMMIT_RECORDS records of one shard and the new position in it.
 */
#include "engine/ops/index_run.h"

#include "engine/base/rng.h"
#include "engine/ops/write.h"
#include "engine/table/index.h"
#include "engine/table/partition_map.h"

enum { COMMIT_RECORDS = 256 };

/* Lag ------------------------------------------------------------------------------------------*/

bool pk_index_lags(const struct pk_engine *engine)
{
    return atomic_load(&engine->gsi_lag_ms) > 0 || atomic_load(&engine->gsi_lag_jitter_ms) > 0;
}

/* When a record is due in an index. */
static int64_t due_of(const struct pk_engine *engine, uint32_t table_id,
                      const struct pk_change *change)
{
    uint64_t jitter = atomic_load(&engine->gsi_lag_jitter_ms);
    int64_t due = change->time_ms + (int64_t)atomic_load(&engine->gsi_lag_ms);
    struct pk_rng rng;

    if (jitter == 0)
        return due;
    pk_rng_seed(&rng, atomic_load(&engine->lag_seed));
    rng.state ^= (uint64_t)table_id << 40 ^ change->sequence;
    return due + (int64_t)pk_rng_below(&rng, jitter + 1);
}

static bool is_due(const struct pk_index_run *run, const struct pk_change *change)
{
    if (run->now_ms == INT64_MAX)
        return true;
    return due_of(run->engine, run->table->id, change) <= run->now_ms;
}

/* Applying -------------------------------------------------------------------------------------*/

/* One row of the index more (sign 1) or less (-1). */
static void count_row(struct pk_index_run *run, pk_slice key, size_t size, int sign)
{
    pk_tallies_add(&run->tallies, run->index->id, pk_partitions_counted_by(run->index, key),
                   (struct pk_tally){sign, sign * (int64_t)size});
}

static void count_entry(struct pk_index_run *run, const struct pk_index_entry *entry, int sign)
{
    if (entry->key.data != NULL)
        count_row(run, entry->key, entry->size, sign);
}

/* Takes away what the store has under an entry's key. */
static enum pk_code count_stored(struct pk_index_run *run, pk_slice key, struct pk_error *err)
{
    struct pk_buf record = PK_BUF_INIT;
    pk_view item = PK_VIEW_MISSING;
    size_t size = 0;
    bool found = false;
    enum pk_code rc = PK_OK;

    if (key.data != NULL)
        rc = pk_store_get(run->engine->store, key, &record, &found, err);
    if (rc == PK_OK && found && pk_record_open(pk_buf_slice(&record), &item, &size))
        count_row(run, key, size, -1);
    pk_buf_release(&record);
    return rc;
}

/* While an index is built, what goes and comes is only known by looking. */
static enum pk_code count_built(struct pk_index_run *run, const struct pk_index_effect *effect,
                                struct pk_error *err)
{
    enum pk_code rc = count_stored(run, effect->before.key, err);

    if (rc == PK_OK && !pk_slice_equal(effect->before.key, effect->after.key))
        rc = count_stored(run, effect->after.key, err);
    count_entry(run, &effect->after, 1);
    return rc;
}

/* Queued back-pressure: the index pays when the change is applied, and in enforce it waits for what
 * it pays with (indexes.md, "Propagation tick"). */
static bool has_capacity(struct pk_index_run *run, const struct pk_index_effect *effect)
{
    struct pk_error refused = PK_ERROR_INIT;
    struct pk_demand demands[2];
    size_t count = 0;
    enum pk_code rc = PK_OK;

    if (pk_capacity_queues(run->engine) && run->index->status != PK_STATUS_CREATING)
        count = pk_effect_demands(run->table, effect, demands);
    for (size_t i = 0; i < count; i++)
        demands[i].quiet = true;
    if (count > 0) {
        rc = pk_capacity_admit(run->engine, demands, count, &refused);
        pk_capacity_dequeue(demands, count, rc == PK_OK ? (int64_t)effect->units * 1000 : 0);
    }
    pk_error_release(&refused);
    return rc == PK_OK;
}

/* *waits: it is not applied, because the index has no capacity for it now. */
static enum pk_code apply_change(struct pk_index_run *run, const struct pk_change *change,
                                 bool *waits, struct pk_error *err)
{
    struct pk_index_effect effect;
    enum pk_code rc = PK_OK;

    pk_index_plan_one(run->table, run->index, change->before, change->after, &run->arena, &effect);
    *waits = effect.units > 0 && !has_capacity(run, &effect);
    if (effect.units == 0 || *waits)
        return PK_OK;
    if (run->index->status == PK_STATUS_CREATING) {
        rc = count_built(run, &effect, err);
    } else {
        count_entry(run, &effect.before, -1);
        count_entry(run, &effect.after, 1);
    }
    pk_index_stage(&effect, &run->batch);
    return rc;
}

static enum pk_code commit(struct pk_index_run *run, uint32_t shard, struct pk_error *err)
{
    enum pk_code rc;

    if (run->records == 0)
        return PK_OK;
    pk_cursor_stage(&run->reader->cursor, shard, run->at, &run->batch);
    rc = pk_store_commit(run->engine->store, &run->batch, PK_COMMIT_FAST, err);
    if (rc == PK_OK) {
        pk_tallies_apply(&run->tallies, pk_table_counters(run->table));
        pk_cursor_set(&run->reader->cursor, shard, run->at);
    }
    pk_batch_clear(&run->batch);
    pk_arena_clear(&run->arena);
    run->records = 0;
    pk_tallies_clear(&run->tallies);
    return rc;
}

/* Looking at what is there needs every record committed by itself. */
static size_t commit_records(const struct pk_index_run *run)
{
    return run->index->status == PK_STATUS_CREATING ? 1 : COMMIT_RECORDS;
}

static enum pk_code fail_damaged(const struct pk_index_run *run, struct pk_error *err)
{
    return pk_fail(err, PK_E_CORRUPT, "a change record of table '%.*s' is damaged",
                   PK_FMT(run->table->name));
}

/* Reads on in one shard; the iterator's range is what may be applied of it. */
static enum pk_code run_records(struct pk_index_run *run, uint32_t shard, struct pk_iter *iter,
                                struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (pk_iter_seek_first(iter); pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
        struct pk_change change;
        bool waits = false;

        if (!pk_change_open(pk_iter_key(iter), pk_iter_value(iter), &change))
            return fail_damaged(run, err);
        if (run->left == 0 || !is_due(run, &change)) {
            run->stopped = true;
            run->more = run->more || run->left == 0;
            break;
        }
        rc = apply_change(run, &change, &waits, err);
        if (waits) {
            run->stopped = true;
            break;
        }
        run->left--;
        run->records++;
        run->at = change.sequence + 1;
        if (rc == PK_OK && run->records >= commit_records(run))
            rc = commit(run, shard, err);
    }
    if (rc == PK_OK)
        rc = commit(run, shard, err);
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    return rc;
}

static enum pk_code run_shard(struct pk_index_run *run, uint32_t shard, struct pk_error *err)
{
    uint64_t from = pk_cursor_get(&run->reader->cursor, shard);
    struct pk_iter *iter;
    enum pk_code rc;

    if (from >= run->bound || from > pk_log_span(&run->log->log, shard).last)
        return PK_OK;
    iter =
        pk_change_iter(pk_store_live(run->engine->store), run->table->id, shard, from, run->bound);
    rc = run_records(run, shard, iter, err);
    pk_iter_free(iter);
    return rc;
}

/* A split of the index is published under apply: figures go to the partitions there are now. */
static void use_newest(struct pk_index_run *run)
{
    struct pk_table *newest;

    if (!pk_table_is_stale(run->table))
        return;
    newest = pk_catalog_get(&run->engine->catalog, run->table->name);
    for (size_t i = 0; newest != NULL && i < newest->index_count; i++) {
        if (newest->id != run->table->id || newest->indexes[i].id != run->index->id)
            continue;
        run->table = run->newest = newest;
        run->index = &newest->indexes[i];
        return;
    }
    pk_table_unref(newest);
}

/* The table's partition of the shard, or NULL when it was split. */
static const struct pk_partition_entry *partition_of(const struct pk_index_run *run, uint32_t shard)
{
    const struct pk_partitions *partitions = &run->table->partitions;

    for (uint32_t i = 0; i < partitions->count; i++) {
        if (partitions->list[i].id == shard)
            return &partitions->list[i];
    }
    return NULL;
}

/* A later record can be due before an earlier one (jitter), or have the capacity that the earlier
 * one waits for. In a shard it waits for that one; so it must in the shards of the children (or of
 * theirs) when the partition was split in between. Parents have smaller ids, so it is known when
 * their turn comes. */
static bool must_wait(const struct pk_index_run *run, uint32_t shard)
{
    const struct pk_partition_entry *partition = run->held ? partition_of(run, shard) : NULL;

    return run->held && (partition == NULL || partition->parent != partition->id);
}

/* Something is left in the shard. */
static void hold_children(struct pk_index_run *run, uint32_t shard)
{
    if (!run->table->partitions.even && partition_of(run, shard) == NULL)
        run->held = true;
}

static enum pk_code run_in_turn(struct pk_index_run *run, uint32_t shard, struct pk_error *err)
{
    bool stopped = run->stopped;
    enum pk_code rc;

    if (must_wait(run, shard))
        return PK_OK;
    run->stopped = false;
    rc = run_shard(run, shard, err);
    if (run->stopped)
        hold_children(run, shard);
    run->stopped = run->stopped || stopped;
    return rc;
}

static enum pk_code run_shards(struct pk_index_run *run, uint32_t shards, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (uint32_t shard = 0; shard < shards && rc == PK_OK; shard++)
        rc = run_in_turn(run, shard, err);
    if (rc == PK_OK && !run->stopped)
        atomic_store(&run->reader->applied, run->bound);
    return rc;
}

enum pk_code pk_index_run_apply(struct pk_index_run *run, struct pk_error *err)
{
    /* First: whose records are there has been published. */
    uint32_t shards = pk_log_shards(&run->log->log);
    enum pk_code rc = PK_OK;

    use_newest(run);
    run->reader = pk_table_log_reader(run->log, run->index->id);
    if (!run->log->dropped && run->reader != NULL &&
        atomic_load(&run->reader->applied) < run->bound)
        rc = run_shards(run, shards, err);
    pk_table_unref(run->newest);
    pk_batch_release(&run->batch);
    pk_arena_release(&run->arena);
    pk_tallies_release(&run->tallies);
    return rc;
}

struct pk_index_run pk_index_run_of(struct pk_engine *engine, const struct pk_table *table,
                                    const struct pk_index *index)
{
    return (struct pk_index_run){
        .engine = engine,
        .table = table,
        .index = index,
        .log = pk_table_log(table),
        .now_ms = INT64_MAX,
        .left = SIZE_MAX,
        .batch = PK_BATCH_INIT,
    };
}

/* When it is due -------------------------------------------------------------------------------*/

/* When the first record is due that a reader has not applied in the shard; else unchanged. */
static enum pk_code shard_due(const struct pk_index_run *run, uint32_t shard, int64_t *due_ms,
                              struct pk_error *err)
{
    uint64_t from = pk_cursor_get(&run->reader->cursor, shard);
    struct pk_change change;
    struct pk_iter *iter;
    enum pk_code rc;

    if (from >= run->bound || from > pk_log_span(&run->log->log, shard).last)
        return PK_OK;
    iter =
        pk_change_iter(pk_store_live(run->engine->store), run->table->id, shard, from, run->bound);
    pk_iter_seek_first(iter);
    rc = pk_iter_status(iter, err);
    if (rc == PK_OK && pk_iter_valid(iter) &&
        pk_change_open(pk_iter_key(iter), pk_iter_value(iter), &change)) {
        *due_ms = due_of(run->engine, run->table->id, &change);
    }
    pk_iter_free(iter);
    return rc;
}

enum pk_code pk_index_run_due(struct pk_index_run *run, int64_t *due_ms, struct pk_error *err)
{
    uint32_t shards = pk_log_shards(&run->log->log);
    enum pk_code rc = PK_OK;

    pthread_mutex_lock(&run->log->apply);
    run->bound = pk_log_safe(&run->log->log);
    run->reader = pk_table_log_reader(run->log, run->index->id);
    for (uint32_t shard = 0; shard < shards && rc == PK_OK && run->reader != NULL; shard++) {
        int64_t due = INT64_MAX;

        if (!must_wait(run, shard))
            rc = shard_due(run, shard, &due, err);
        if (due != INT64_MAX)
            hold_children(run, shard);
        if (due < *due_ms)
            *due_ms = due;
    }
    pthread_mutex_unlock(&run->log->apply);
    return rc;
}
