#include "engine/ops/trim.h"

#include "engine/log/stream_keep.h"
#include "engine/ops/table_log.h"

/* Records of the shard below this one have been read by all indexes. */
static uint64_t read_by_all(struct pk_table_log *log, uint32_t shard)
{
    uint64_t keep = pk_log_safe(&log->log);

    for (size_t i = 0; i < PK_GSI_MAX + 1; i++) {
        const struct pk_index_reader *reader = &log->readers[i];

        if (atomic_load(&reader->index_id) != 0 && pk_cursor_get(&reader->cursor, shard) < keep)
            keep = pk_cursor_get(&reader->cursor, shard);
    }
    return keep;
}

static enum pk_code trim_shard(struct pk_engine *engine, const struct pk_table *table,
                               uint32_t shard, size_t *left, struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(table);
    int64_t oldest_ms =
        pk_clock_now(&engine->clock) - (int64_t)atomic_load(&engine->stream_retention_ms);
    struct pk_log_span span = pk_log_span(&log->log, shard);
    uint64_t keep = read_by_all(log, shard);
    uint64_t stream = UINT64_MAX;
    size_t deleted = 0;
    enum pk_code rc;

    if (span.last < span.first || keep <= span.first)
        return PK_OK;
    rc = pk_stream_keep_from(engine->store, table, shard, oldest_ms, &stream, err);
    if (rc == PK_OK && stream < keep)
        keep = stream;
    if (rc == PK_OK)
        rc = pk_log_trim(&log->log, engine->store, &(struct pk_log_cut){shard, keep, *left},
                         &deleted, err);
    *left -= deleted;
    return rc;
}

static enum pk_code trim_table(struct pk_engine *engine, const struct pk_table *table, size_t *left,
                               struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(table);
    uint32_t shards = pk_log_shards(&log->log);
    enum pk_code rc = PK_OK;

    pthread_mutex_lock(&log->apply);
    for (uint32_t shard = 0; shard < shards && rc == PK_OK && *left > 0 && !log->dropped; shard++)
        rc = trim_shard(engine, table, shard, left, err);
    pthread_mutex_unlock(&log->apply);
    return rc;
}

enum pk_code pk_trim_tick(struct pk_engine *engine, size_t max, bool *more, struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    size_t left = max;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK && left > 0; i++)
        rc = trim_table(engine, tables[i], &left, err);
    *more = left == 0;
    pk_catalog_free_all(tables, count);
    return rc;
}
