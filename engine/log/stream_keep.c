#include "engine/log/stream_keep.h"

#include "engine/log/change_log.h"
#include "engine/store/layout.h"

/* The first sequence a stream has in the shard, UINT64_MAX: no stream reads it. */
static uint64_t first_wanted(const struct pk_table *table, uint32_t shard, int64_t oldest_ms)
{
    uint64_t first = UINT64_MAX;

    for (size_t i = 0; i < table->stream_count; i++) {
        const struct pk_stream *stream = &table->streams[i];

        if (stream->closed_ms != 0 && stream->closed_ms < oldest_ms)
            continue;
        for (size_t k = 0; k < stream->shard_count; k++) {
            if (stream->shards[k].number == shard && stream->shards[k].first < first)
                first = stream->shards[k].first;
        }
    }
    return first;
}

enum pk_code pk_stream_keep_from(struct pk_store *store, const struct pk_table *table,
                                 uint32_t shard, int64_t oldest_ms, uint64_t *keep,
                                 struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    enum pk_code rc = PK_OK;

    *keep = first_wanted(table, shard, oldest_ms);
    if (*keep == UINT64_MAX)
        return PK_OK;
    pk_layout_shard(&prefix, table->id, shard);
    iter = pk_iter_new(pk_store_live(store), pk_range_prefix(pk_buf_slice(&prefix), &upper),
                       PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        struct pk_change change;

        if (!pk_change_open(pk_iter_key(iter), pk_iter_value(iter), &change)) {
            rc = pk_fail(err, PK_E_CORRUPT, "a change record of table '%.*s' is damaged",
                         PK_FMT(table->name));
            break;
        }
        if (change.time_ms >= oldest_ms)
            break;
        if (change.sequence > *keep)
            *keep = change.sequence;
    }
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}
