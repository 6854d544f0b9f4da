/*
 * How far rows were made is stored under PK_META_EXPIRY (do not change): time of the enabling (8),
 * key of the last row of the table that was looked at. Making a row again does no harm, so the
 * position is saved once a step and not with each row.
 */
#include "engine/ops/ttl_fill.h"

#include "engine/ops/ddl.h"
#include "engine/ops/item_key.h"
#include "engine/ops/ttl.h"
#include "engine/table/descriptor.h"

/* Position -------------------------------------------------------------------------------------*/

static void position_key(struct pk_buf *key, const struct pk_table *table)
{
    pk_layout_meta_id(key, PK_META_EXPIRY, table->id, (pk_slice){NULL, 0});
}

/* The key of the row to go on behind; empty at the beginning. */
static enum pk_code load_position(struct pk_engine *engine, const struct pk_table *table,
                                  struct pk_buf *position, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    bool found = false;
    uint64_t enabled_ms = 0;
    pk_slice rest;
    enum pk_code rc;

    position_key(&key, table);
    rc = pk_store_get(engine->store, pk_buf_slice(&key), &value, &found, err);
    rest = pk_buf_slice(&value);
    if (rc == PK_OK && found && pk_take_u64be(&rest, &enabled_ms) &&
        (int64_t)enabled_ms == table->ttl_changed_ms)
        pk_buf_add(position, rest);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

static enum pk_code save_position(struct pk_engine *engine, const struct pk_table *table,
                                  pk_slice position, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    enum pk_code rc;

    position_key(&key, table);
    pk_buf_add_u64be(&value, (uint64_t)table->ttl_changed_ms);
    pk_buf_add(&value, position);
    rc = pk_store_put(engine->store, pk_buf_slice(&key), pk_buf_slice(&value), err);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

enum pk_code pk_ttl_restart(struct pk_engine *engine, const struct pk_table *table,
                            struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    enum pk_code rc;

    position_key(&key, table);
    pk_batch_delete(&batch, pk_buf_slice(&key));
    rc = pk_store_commit(engine->store, &batch, PK_COMMIT_FAST, err);
    pk_batch_release(&batch);
    pk_buf_release(&key);
    return rc;
}

/* Making rows ----------------------------------------------------------------------------------*/

/* Under the item's latch. */
static enum pk_code make_row(struct pk_engine *engine, const struct pk_table *table, pk_slice row,
                             const struct pk_item_key *key, struct pk_error *err)
{
    struct pk_buf record = PK_BUF_INIT;
    struct pk_buf expiry = PK_BUF_INIT;
    pk_view item = PK_VIEW_MISSING;
    int64_t expires_s = 0;
    bool found = false;
    enum pk_code rc = pk_store_get(engine->store, row, &record, &found, err);

    if (rc == PK_OK && found && pk_record_open(pk_buf_slice(&record), &item, NULL) &&
        pk_ttl_expiry(table, item, &expires_s)) {
        pk_layout_expiry(&expiry, table->id, (uint64_t)expires_s, key);
        rc = pk_store_put(engine->store, pk_buf_slice(&expiry), (pk_slice){"", 0}, err);
    }
    pk_buf_release(&record);
    pk_buf_release(&expiry);
    return rc;
}

static enum pk_code fill_row(struct pk_engine *engine, const struct pk_table *table, pk_slice row,
                             struct pk_error *err)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_layout_parts parts = {0};
    struct pk_item_key key = {0};
    enum pk_code rc = PK_OK;

    if (pk_layout_parse(row, &arena, &parts) && parts.count == 1U + table->key.range_count) {
        uint32_t stripe;

        key.pk = parts.values[0];
        key.sk = parts.count > 1 ? parts.values[1] : pk_value_missing();
        stripe = pk_latch_stripe(pk_item_key_latch(table, &key, row, &arena));
        pk_latch_lock(&engine->latches, stripe);
        rc = make_row(engine, table, row, &key, err);
        pk_latch_unlock(&engine->latches, stripe);
    }
    pk_arena_release(&arena);
    return rc;
}

/* Whether the row, as it is now, needs an expiry row: most items of most tables have none, and then
 * no latch is taken. One that gets its expiry later is written by a writer who makes the row. */
static bool needs_row(const struct pk_table *table, pk_slice record)
{
    pk_view item = PK_VIEW_MISSING;
    int64_t expires_s = 0;

    return pk_record_open(record, &item, NULL) && pk_ttl_expiry(table, item, &expires_s);
}

static enum pk_code fill(struct pk_engine *engine, const struct pk_table *table, size_t max,
                         bool *more, struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_buf position = PK_BUF_INIT;
    struct pk_iter *iter;
    enum pk_code rc = load_position(engine, table, &position, err);

    pk_layout_id(&prefix, PK_SPACE_TABLE, table->id);
    iter = pk_iter_new(pk_store_live(engine->store), pk_range_prefix(pk_buf_slice(&prefix), &upper),
                       PK_ITER_BULK);
    if (position.len == 0)
        pk_iter_seek_first(iter);
    else
        pk_iter_seek(iter, pk_buf_slice(&position));
    for (size_t n = 0; n < max && rc == PK_OK && pk_iter_valid(iter); n++) {
        if (needs_row(table, pk_iter_value(iter)))
            rc = fill_row(engine, table, pk_iter_key(iter), err);
        pk_iter_next(iter);
    }
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    *more = pk_iter_valid(iter);
    if (rc == PK_OK && *more)
        rc = save_position(engine, table, pk_iter_key(iter), err);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    pk_buf_release(&position);
    return rc;
}

/* Removing rows --------------------------------------------------------------------------------*/

static enum pk_code clear(struct pk_engine *engine, const struct pk_table *table, size_t max,
                          bool *more, struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    size_t deleted = 0;
    enum pk_code rc;

    pk_layout_id(&prefix, PK_SPACE_EXPIRY, table->id);
    rc = pk_store_delete_some(engine->store, pk_range_prefix(pk_buf_slice(&prefix), &upper), max,
                              &deleted, err);
    *more = deleted == max;
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

/* Steps ----------------------------------------------------------------------------------------*/

static enum pk_code publish(struct pk_engine *engine, const struct pk_table *table,
                            enum pk_ttl_state state, struct pk_error *err)
{
    struct pk_table *copy = pk_table_copy(table);
    enum pk_code rc;

    copy->ttl = state;
    rc = pk_ddl_publish(engine, copy, err);
    pk_table_unref(copy);
    return rc;
}

enum pk_code pk_ttl_fill_locked(struct pk_engine *engine, const struct pk_table *table, size_t max,
                                bool *more, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    *more = false;
    switch (table->ttl) {
    case PK_TTL_FILLING:
        rc = fill(engine, table, max, more, err);
        if (rc == PK_OK && !*more)
            rc = publish(engine, table, PK_TTL_ON, err);
        if (rc == PK_OK && !*more)
            rc = pk_ttl_restart(engine, table, err);
        break;
    case PK_TTL_CLEARING:
        rc = clear(engine, table, max, more, err);
        if (rc == PK_OK && !*more)
            rc = publish(engine, table, PK_TTL_OFF, err);
        break;
    case PK_TTL_OFF:
    case PK_TTL_ON:
        break;
    }
    return rc;
}

enum pk_code pk_ttl_fill_step(struct pk_engine *engine, pk_slice name, size_t max, bool *more,
                              struct pk_error *err)
{
    struct pk_table *table;
    enum pk_code rc = PK_OK;

    /* Waiting here would be against the order of locks; the next tick comes soon. */
    if (pthread_mutex_trylock(&engine->catalog.ddl) != 0) {
        *more = false;
        return PK_OK;
    }
    table = pk_catalog_get(&engine->catalog, name);
    if (table != NULL)
        rc = pk_ttl_fill_locked(engine, table, max, more, err);
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(table);
    return rc;
}
