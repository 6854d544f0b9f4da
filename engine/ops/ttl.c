#include "engine/ops/ttl.h"

#include "engine/base/hash.h"
#include "engine/ops/ddl.h"
#include "engine/ops/ttl_fill.h"
#include "engine/table/descriptor.h"

/* 5 × 365 days: what expired that long ago is left alone. */
#define TOO_OLD_S INT64_C(157680000)

/* Expiry ---------------------------------------------------------------------------------------*/

static bool is_on(const struct pk_table *table)
{
    return table->ttl == PK_TTL_ON || table->ttl == PK_TTL_FILLING;
}

/* The integer part of a positive number, when a clock can show it. */
static bool take_seconds(const struct pk_num *num, int64_t *seconds)
{
    int64_t whole = 0;

    if (num->sign <= 0 || num->exponent <= 0 || num->exponent > 12)
        return false;
    for (int i = 0; i < num->exponent; i++)
        whole = whole * 10 + (i < num->count ? num->digits[i] : 0);
    *seconds = whole;
    return whole <= PK_CLOCK_MAX_MS / 1000;
}

bool pk_ttl_expiry(const struct pk_table *table, pk_view item, int64_t *expires_s)
{
    pk_view value;
    pk_slice code;
    struct pk_num num;

    if (!is_on(table) || item.len == 0)
        return false;
    value = pk_view_member(item, table->ttl_attribute);
    code = pk_view_bytes(value);
    return pk_view_kind(value) == PK_NUMBER && pk_num_decode(&code, &num) &&
           take_seconds(&num, expires_s);
}

static bool has_expired(int64_t expires_s, int64_t now_ms)
{
    return expires_s < now_ms / 1000 && expires_s > now_ms / 1000 - TOO_OLD_S;
}

bool pk_ttl_is_expired(const struct pk_table *table, pk_view item, int64_t now_ms)
{
    int64_t expires_s = 0;

    return pk_ttl_expiry(table, item, &expires_s) && has_expired(expires_s, now_ms);
}

/* Rows of writes -------------------------------------------------------------------------------*/

static pk_slice row_key(struct pk_buf *key, const struct pk_write_step *step, int64_t expires_s)
{
    pk_buf_clear(key);
    pk_layout_expiry(key, step->table->id, (uint64_t)expires_s, &step->key);
    return pk_buf_slice(key);
}

void pk_ttl_stage(const struct pk_write_step *step, struct pk_batch *batch)
{
    struct pk_buf key = PK_BUF_INIT;
    int64_t before_s = 0;
    int64_t after_s = 0;
    bool was;
    bool is;

    if (!is_on(step->table))
        return;
    was = pk_ttl_expiry(step->table, step->before, &before_s);
    is = pk_ttl_expiry(step->table, step->after, &after_s);
    if (was && (!is || before_s != after_s))
        pk_batch_delete(batch, row_key(&key, step, before_s));
    /* While rows are being made the old item may have none yet. */
    if (is && (!was || before_s != after_s || step->table->ttl == PK_TTL_FILLING) &&
        !pk_slice_equal(step->before, step->after))
        pk_batch_put(batch, row_key(&key, step, after_s), (pk_slice){"", 0});
    if (step->expired && !(was && before_s == step->expires_s))
        pk_batch_delete(batch, row_key(&key, step, step->expires_s));
    pk_buf_release(&key);
}

/* Sweeping -------------------------------------------------------------------------------------*/

/* When an item that expires then may be deleted: once the second is over, and the delay. */
static int64_t due_of(struct pk_engine *engine, int64_t expires_s, pk_slice row)
{
    uint64_t jitter = atomic_load(&engine->ttl_jitter_ms);
    int64_t due_ms = expires_s * 1000 + (int64_t)atomic_load(&engine->ttl_delay_ms);

    if (due_ms < (expires_s + 1) * 1000)
        due_ms = (expires_s + 1) * 1000;
    if (jitter > 0)
        due_ms +=
            (int64_t)((pk_hash_md5_64('J', row) ^ atomic_load(&engine->lag_seed)) % (jitter + 1));
    return due_ms;
}

/* The table's expiry rows that are not too old at now_ms. */
static struct pk_iter *rows_of(struct pk_engine *engine, const struct pk_table *table,
                               int64_t now_ms)
{
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    int64_t first_s = now_ms / 1000 - TOO_OLD_S + 1;
    struct pk_range range;
    struct pk_iter *iter;

    pk_layout_id(&prefix, PK_SPACE_EXPIRY, table->id);
    range = pk_range_prefix(pk_buf_slice(&prefix), &upper);
    pk_layout_expiry_bound(&lower, table->id, first_s > 0 ? (uint64_t)first_s : 0);
    range.lower = pk_buf_slice(&lower);
    iter = pk_iter_new(pk_store_live(engine->store), range, PK_ITER_BULK);
    pk_buf_release(&lower);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return iter;
}

/* The key of the row's item, as a map. */
static pk_value key_of(const struct pk_table *table, const struct pk_layout_parts *parts,
                       struct pk_arena *arena)
{
    struct pk_member *members = PK_NEW_ARRAY(arena, struct pk_member, parts->count);

    members[0] = (struct pk_member){table->key.hash[0].name, parts->values[0]};
    if (parts->count > 1)
        members[1] = (struct pk_member){table->key.range[0].name, parts->values[1]};
    return pk_value_map(members, parts->count);
}

struct sweep {
    struct pk_engine *engine;
    const struct pk_table *table;
    int64_t now_ms;
    size_t left;
};

/* Deletes the row's item when it has really expired, else the row alone. */
static enum pk_code delete_item(struct sweep *sweep, const struct pk_layout_parts *parts,
                                struct pk_arena *arena, struct pk_error *err)
{
    struct pk_call call = {.arena = arena};
    struct pk_write request = {
        .kind = PK_WRITE_DELETE,
        .table = sweep->table->name,
        .item = key_of(sweep->table, parts, arena),
    };
    struct pk_write_step step = {
        .request = &request,
        .mode = PK_WRITE_ALONE,
        .expired = true,
        .expires_s = (int64_t)parts->token,
        .now_ms = sweep->now_ms,
    };
    struct pk_write_result result;

    return pk_write_one(sweep->engine, &call, &step, &result, err);
}

static enum pk_code sweep_row(struct sweep *sweep, pk_slice row, struct pk_error *err)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_layout_parts parts = {0};
    enum pk_code rc = PK_OK;

    if (!pk_layout_parse(row, &arena, &parts) || parts.count != 1U + sweep->table->key.range_count)
        rc = pk_fail(err, PK_E_CORRUPT, "an expiry row of table '%.*s' is damaged",
                     PK_FMT(sweep->table->name));
    else if (due_of(sweep->engine, (int64_t)parts.token, row) <= sweep->now_ms) {
        sweep->left--;
        rc = delete_item(sweep, &parts, &arena, err);
    }
    pk_arena_release(&arena);
    /* An item that a transaction holds, or whose table is gone, waits for the next tick. */
    if (rc == PK_E_TXN_CONFLICT || rc == PK_E_NOT_FOUND) {
        pk_error_release(err);
        rc = PK_OK;
    }
    return rc;
}

/* The earliest a row of that second may be due: without jitter. */
static int64_t earliest_due(struct pk_engine *engine, pk_slice row)
{
    uint64_t expires_s = 0;
    int64_t due_ms;

    row = pk_slice_skip(row, 5);
    if (!pk_take_u64be(&row, &expires_s) || expires_s > (uint64_t)PK_CLOCK_MAX_MS / 1000)
        return INT64_MAX;
    due_ms = (int64_t)expires_s * 1000 + (int64_t)atomic_load(&engine->ttl_delay_ms);
    return due_ms > ((int64_t)expires_s + 1) * 1000 ? due_ms : ((int64_t)expires_s + 1) * 1000;
}

static enum pk_code sweep_table(struct sweep *sweep, struct pk_error *err)
{
    struct pk_iter *iter = rows_of(sweep->engine, sweep->table, sweep->now_ms);
    enum pk_code rc = PK_OK;

    for (pk_iter_seek_first(iter); pk_iter_valid(iter) && rc == PK_OK && sweep->left > 0;
         pk_iter_next(iter)) {
        if (earliest_due(sweep->engine, pk_iter_key(iter)) > sweep->now_ms)
            break;
        rc = sweep_row(sweep, pk_iter_key(iter), err);
    }
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    return rc;
}

/* The rows that go are always the first, and what LevelDB keeps of them until it compacts lies in
 * the way of every later look at the first row: unless they are cleared away, a sweep that deletes
 * item by item gets slower with each. */
enum { COMPACT_ROWS = 1000 };

static void clear_swept(const struct sweep *sweep, uint64_t deleted)
{
    uint64_t now_s = sweep->now_ms > 0 ? (uint64_t)sweep->now_ms / 1000 : 0;
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;

    if (deleted == 0 ||
        atomic_fetch_add(&sweep->engine->ttl_swept, deleted) + deleted < COMPACT_ROWS)
        return;
    atomic_store(&sweep->engine->ttl_swept, 0);
    pk_layout_expiry_bound(&lower, sweep->table->id, 0);
    pk_layout_expiry_bound(&upper, sweep->table->id, now_s);
    pk_store_compact(sweep->engine->store,
                     (struct pk_range){pk_buf_slice(&lower), pk_buf_slice(&upper)});
    pk_buf_release(&lower);
    pk_buf_release(&upper);
}

/* Ticks ----------------------------------------------------------------------------------------*/

enum pk_code pk_ttl_tick(struct pk_engine *engine, int64_t now_ms, size_t max, bool *more,
                         struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    *more = false;
    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        struct sweep sweep = {engine, tables[i], now_ms, max};
        bool unfinished = false;

        if (tables[i]->ttl == PK_TTL_OFF || !pk_table_serves(tables[i]))
            continue;
        if (tables[i]->ttl != PK_TTL_ON)
            rc = pk_ttl_fill_step(engine, tables[i]->name, max, &unfinished, err);
        if (rc == PK_OK && is_on(tables[i]))
            rc = sweep_table(&sweep, err);
        clear_swept(&sweep, max - sweep.left);
        *more = *more || unfinished || sweep.left == 0;
    }
    pk_catalog_free_all(tables, count);
    return rc;
}

/* With jitter a later row may be due before the first. */
static enum pk_code table_due(struct pk_engine *engine, const struct pk_table *table,
                              int64_t now_ms, int64_t *due_ms, struct pk_error *err)
{
    struct pk_iter *iter = rows_of(engine, table, now_ms);
    enum pk_code rc;

    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        pk_slice row = pk_iter_key(iter);
        uint64_t expires_s = 0;
        pk_slice rest = pk_slice_skip(row, 5);
        int64_t due;

        if (earliest_due(engine, row) >= *due_ms || !pk_take_u64be(&rest, &expires_s))
            break;
        due = due_of(engine, (int64_t)expires_s, row);
        *due_ms = due < *due_ms ? due : *due_ms;
    }
    rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    return rc;
}

enum pk_code pk_ttl_next_due(struct pk_engine *engine, int64_t *due_ms, struct pk_error *err)
{
    int64_t now_ms = pk_clock_now(&engine->clock);
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    *due_ms = INT64_MAX;
    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        if (!pk_table_serves(tables[i]))
            continue;
        if (tables[i]->ttl == PK_TTL_FILLING || tables[i]->ttl == PK_TTL_CLEARING)
            *due_ms = now_ms;
        if (is_on(tables[i]))
            rc = table_due(engine, tables[i], now_ms, due_ms, err);
    }
    pk_catalog_free_all(tables, count);
    return rc;
}

/* Enabling and disabling -----------------------------------------------------------------------*/

/* On AWS a change takes up to an hour, and another one has to wait for it. */
enum { CHANGE_MS = 3600000 };

static enum pk_code check_change(const struct pk_table *table, const struct pk_ttl_change *change,
                                 int64_t now_ms, struct pk_error *err)
{
    bool on = is_on(table);

    if (on && !pk_slice_equal(table->ttl_attribute, change->attribute))
        return pk_fail(err, PK_E_VALIDATION,
                       "TimeToLive is active on a different AttributeName: current AttributeName "
                       "is %.*s",
                       PK_FMT(table->ttl_attribute));
    if (on == change->enabled)
        return pk_fail(err, PK_E_VALIDATION, "TimeToLive is already %s",
                       on ? "enabled" : "disabled");
    if (table->ttl_changed_ms != 0 && now_ms - table->ttl_changed_ms < CHANGE_MS)
        return pk_fail(err, PK_E_VALIDATION,
                       "Time to live has been modified multiple times within a fixed interval");
    return PK_OK;
}

static void set_ttl(struct pk_table *table, const struct pk_ttl_change *change, int64_t now_ms)
{
    table->ttl = change->enabled ? PK_TTL_FILLING : PK_TTL_CLEARING;
    table->ttl_attribute = (pk_slice){NULL, 0};
    if (change->enabled)
        table->ttl_attribute = pk_arena_dup(pk_table_arena(table), change->attribute);
    table->ttl_changed_ms = now_ms;
}

enum pk_code pk_engine_update_ttl(struct pk_engine *engine, const struct pk_ttl_change *change,
                                  struct pk_error *err)
{
    int64_t now_ms = pk_clock_now(&engine->clock);
    struct pk_table *copy = NULL;
    struct pk_table *old;
    bool unfinished = false;
    enum pk_code rc;

    pthread_mutex_lock(&engine->catalog.ddl);
    old = pk_ddl_need_table(engine, change->table, err);
    rc = old == NULL ? err->code : pk_ddl_check_idle(old, err);
    if (rc == PK_OK)
        rc = check_change(old, change, now_ms, err);
    if (rc == PK_OK) {
        copy = pk_table_copy(old);
        set_ttl(copy, change, now_ms);
        rc = pk_ddl_publish(engine, copy, err);
    }
    /* A small table is ready at once. */
    if (rc == PK_OK)
        rc = pk_ttl_fill_locked(engine, copy, PK_TTL_FILL_AT_ONCE, &unfinished, err);
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(old);
    pk_table_unref(copy);
    return rc;
}
