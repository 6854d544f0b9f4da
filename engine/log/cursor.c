/* Positions in memory, by shard id; the rows behind them are few and small. */
#include "engine/log/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "engine/store/layout.h"

/* On disk: do not change. */
enum { CURSOR_VERSION = 1 };

enum { SHARD_MAX = 1 << 20 }; /* shard ids are below it */

void pk_cursor_release(struct pk_cursor *cursor)
{
    free(cursor->at);
    cursor->at = NULL;
    cursor->count = 0;
}

uint64_t pk_cursor_get(const struct pk_cursor *cursor, uint32_t shard)
{
    if (shard < cursor->count && cursor->at[shard] > cursor->begin)
        return cursor->at[shard];
    return cursor->begin;
}

void pk_cursor_set(struct pk_cursor *cursor, uint32_t shard, uint64_t sequence)
{
    if (shard >= cursor->count) {
        cursor->at = pk_realloc(cursor->at, (size_t)shard + 1, sizeof(*cursor->at));
        memset(cursor->at + cursor->count, 0,
               ((size_t)shard + 1 - cursor->count) * sizeof(*cursor->at));
        cursor->count = shard + 1;
    }
    cursor->at[shard] = sequence;
}

uint64_t pk_cursor_max(const struct pk_cursor *cursor)
{
    uint64_t max = cursor->begin;

    for (uint32_t i = 0; i < cursor->count; i++) {
        if (cursor->at[i] > max)
            max = cursor->at[i];
    }
    return max;
}

/* Rows -----------------------------------------------------------------------------------------*/

static void begin_key(const struct pk_cursor *cursor, struct pk_buf *key)
{
    pk_layout_meta_id(key, PK_META_CURSOR, cursor->table_id, (pk_slice){NULL, 0});
    pk_buf_add_u32be(key, cursor->reader);
}

static void put(const struct pk_buf *key, uint64_t sequence, struct pk_batch *batch)
{
    struct pk_buf value = PK_BUF_INIT;

    pk_buf_add_byte(&value, CURSOR_VERSION);
    pk_buf_add_u64be(&value, sequence);
    pk_batch_put(batch, pk_buf_slice(key), pk_buf_slice(&value));
    pk_buf_release(&value);
}

void pk_cursor_stage(const struct pk_cursor *cursor, uint32_t shard, uint64_t sequence,
                     struct pk_batch *batch)
{
    struct pk_buf key = PK_BUF_INIT;

    begin_key(cursor, &key);
    pk_buf_add_u32be(&key, shard);
    put(&key, sequence, batch);
    pk_buf_release(&key);
}

void pk_cursor_stage_begin(const struct pk_cursor *cursor, uint64_t sequence,
                           struct pk_batch *batch)
{
    struct pk_buf key = PK_BUF_INIT;

    begin_key(cursor, &key);
    put(&key, sequence, batch);
    pk_buf_release(&key);
}

void pk_cursor_stage_drop(const struct pk_cursor *cursor, struct pk_batch *batch)
{
    struct pk_buf key = PK_BUF_INIT;

    begin_key(cursor, &key);
    pk_batch_delete(batch, pk_buf_slice(&key));
    for (uint32_t i = 0; i < cursor->count; i++) {
        pk_buf_clear(&key);
        begin_key(cursor, &key);
        pk_buf_add_u32be(&key, i);
        if (cursor->at[i] != 0)
            pk_batch_delete(batch, pk_buf_slice(&key));
    }
    pk_buf_release(&key);
}

/* name: what follows the prefix of the reader. */
static bool take(struct pk_cursor *cursor, pk_slice name, pk_slice value)
{
    unsigned char version = 0;
    uint64_t sequence = 0;
    uint32_t shard = 0;

    if (!pk_take_byte(&value, &version) || version != CURSOR_VERSION ||
        !pk_take_u64be(&value, &sequence) || value.len != 0)
        return false;
    if (name.len == 0) {
        cursor->begin = sequence;
        return true;
    }
    if (!pk_take_u32be(&name, &shard) || name.len != 0 || shard >= SHARD_MAX)
        return false;
    pk_cursor_set(cursor, shard, sequence);
    return true;
}

enum pk_code pk_cursor_load(struct pk_cursor *cursor, const struct pk_snap *snap,
                            struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    enum pk_code rc = PK_OK;

    pk_cursor_release(cursor);
    cursor->begin = 0;
    begin_key(cursor, &prefix);
    iter = pk_iter_new(snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
        if (!take(cursor, pk_slice_skip(pk_iter_key(iter), prefix.len), pk_iter_value(iter)))
            rc = pk_fail(err, PK_E_CORRUPT, "the position of a reader of a change log is damaged");
    }
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}
