/* How far global indexes are behind their tables. */
#include "engine/ops/table_log.h"

/* The reader's cursor as it is; false when the index has none. */
static bool copy_positions(struct pk_table_log *log, uint32_t index_id, struct pk_arena *arena,
                           uint64_t **at, uint32_t *shards)
{
    const struct pk_index_reader *reader;

    pthread_mutex_lock(&log->apply);
    reader = pk_table_log_reader(log, index_id);
    *shards = pk_log_shards(&log->log);
    *at = PK_NEW_ARRAY(arena, uint64_t, *shards);
    for (uint32_t shard = 0; reader != NULL && shard < *shards; shard++)
        (*at)[shard] = pk_cursor_get(&reader->cursor, shard);
    pthread_mutex_unlock(&log->apply);
    return reader != NULL;
}

struct stretch {
    uint32_t shard;
    uint64_t from;
};

static enum pk_code count_shard(struct pk_engine *engine, const struct pk_table_log *log,
                                struct stretch of, struct pk_index_lag *lag, struct pk_error *err)
{
    struct pk_iter *iter;
    struct pk_change change;
    enum pk_code rc;

    iter = pk_change_iter(pk_store_live(engine->store), log->log.table_id, of.shard, of.from,
                          UINT64_MAX);
    pk_iter_seek_first(iter);
    if (pk_iter_valid(iter) && pk_change_open(pk_iter_key(iter), pk_iter_value(iter), &change)) {
        int64_t age = pk_clock_now(&engine->clock) - change.time_ms;

        if (age > lag->oldest_ms)
            lag->oldest_ms = age;
    }
    for (; pk_iter_valid(iter) && lag->waiting < PK_INDEX_LAG_MAX; pk_iter_next(iter))
        lag->waiting++;
    rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    return rc;
}

enum pk_code pk_engine_index_lag(struct pk_engine *engine, struct pk_call *call,
                                 const struct pk_table *table, const struct pk_index *index,
                                 struct pk_index_lag *lag, struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(table);
    uint64_t *at = NULL;
    uint32_t shards = 0;
    enum pk_code rc = pk_engine_need_store(engine, err);

    *lag = (struct pk_index_lag){0};
    if (rc != PK_OK || index->local || !copy_positions(log, index->id, call->arena, &at, &shards))
        return rc;
    for (uint32_t shard = 0; shard < shards && rc == PK_OK; shard++) {
        if (at[shard] <= pk_log_span(&log->log, shard).last)
            rc = count_shard(engine, log, (struct stretch){shard, at[shard]}, lag, err);
    }
    return rc;
}
