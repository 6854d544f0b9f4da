/* Records are read in their order, shard by shard, so the first one of an item that is met is its
 * oldest. */
#include "engine/ops/pending.h"

#include "engine/ops/row_check.h"
#include "engine/table/index.h"

void pk_pending_release(struct pk_pending *pending)
{
    pk_map_release(&pending->items);
    pk_arena_release(&pending->arena);
}

const struct pk_pending_item *pk_pending_get(const struct pk_pending *pending, pk_slice row)
{
    return pk_map_get(&pending->items, row);
}

static bool remember(struct pk_pending *pending, const struct pk_table *table,
                     const struct pk_change *change)
{
    pk_view image = change->before.len > 0 ? change->before : change->after;
    struct pk_buf row = PK_BUF_INIT;
    struct pk_arena scratch = PK_ARENA_INIT;
    bool fine = pk_view_check(image) && pk_row_has_key(table, image);

    if (fine) {
        struct pk_item_key key = pk_index_item_key(table, image, &scratch);

        pk_layout_row(&row, table->id, &key);
        if (pk_map_get(&pending->items, pk_buf_slice(&row)) == NULL) {
            struct pk_pending_item *item = PK_NEW(&pending->arena, struct pk_pending_item);

            item->row = pk_arena_dup(&pending->arena, pk_buf_slice(&row));
            if (change->before.len > 0)
                item->before = pk_arena_dup(&pending->arena, change->before);
            pk_map_put(&pending->items, item->row, item);
        }
    }
    pk_buf_release(&row);
    pk_arena_release(&scratch);
    return fine;
}

enum pk_code pk_pending_load(struct pk_pending *pending, const struct pk_snap *snap,
                             const struct pk_table *table, const struct pk_index *index,
                             struct pk_error *err)
{
    struct pk_cursor cursor = {.table_id = table->id, .reader = index->id};
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_buf from = PK_BUF_INIT;
    struct pk_iter *iter;
    uint32_t shards = pk_log_shards(&pk_table_log(table)->log);
    enum pk_code rc = pk_cursor_load(&cursor, snap, err);

    for (uint32_t shard = 0; shard < shards && rc == PK_OK; shard++) {
        pk_buf_clear(&prefix);
        pk_layout_shard(&prefix, table->id, shard);
        pk_buf_clear(&from);
        pk_layout_change(&from, table->id, shard, pk_cursor_get(&cursor, shard));
        iter = pk_iter_new(snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
        for (pk_iter_seek(iter, pk_buf_slice(&from)); pk_iter_valid(iter) && rc == PK_OK;
             pk_iter_next(iter)) {
            struct pk_change change;

            if (!pk_change_open(pk_iter_key(iter), pk_iter_value(iter), &change) ||
                !remember(pending, table, &change))
                rc = pk_fail(err, PK_E_CORRUPT, "a change record of table '%.*s' is damaged",
                             PK_FMT(table->name));
        }
        if (rc == PK_OK)
            rc = pk_iter_status(iter, err);
        pk_iter_free(iter);
    }
    pk_cursor_release(&cursor);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    pk_buf_release(&from);
    return rc;
}
