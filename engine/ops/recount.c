/* Rows are counted in key order over the three spaces of rows: tables, then LSIs, then GSIs. */
#include "engine/ops/recount.h"

#include "engine/table/catalog.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"

void pk_recount_init(struct pk_recount *recount)
{
    *recount = (struct pk_recount){.at = PK_BUF_INIT};
    pthread_mutex_init(&recount->lock, NULL);
    atomic_init(&recount->running, false);
}

/* The caller holds the lock, or is alone. */
static void finish(struct pk_recount *recount)
{
    pk_snap_free(recount->snap);
    recount->snap = NULL;
    pk_catalog_free_all(recount->tables, recount->table_count);
    recount->tables = NULL;
    recount->table_count = 0;
    pk_buf_release(&recount->at);
    atomic_store(&recount->running, false);
}

void pk_recount_abandon(struct pk_recount *recount)
{
    finish(recount);
}

void pk_recount_release(struct pk_recount *recount)
{
    finish(recount);
    pthread_mutex_destroy(&recount->lock);
}

/* Saved figures --------------------------------------------------------------------------------*/

static void mark_key(struct pk_buf *key)
{
    pk_layout_meta(key, PK_META_CLEAN, (pk_slice){NULL, 0});
}

static enum pk_code load_table(struct pk_store *store, struct pk_table *table,
                               enum pk_counters_loaded *loaded, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf saved = PK_BUF_INIT;
    bool found = false;
    enum pk_code rc;

    pk_layout_meta_id(&key, PK_META_COUNTERS, table->id, (pk_slice){NULL, 0});
    rc = pk_store_get(store, pk_buf_slice(&key), &saved, &found, err);
    *loaded = PK_COUNTERS_DAMAGED;
    if (rc == PK_OK && found)
        *loaded = pk_counters_load(pk_table_counters(table), pk_buf_slice(&saved));
    pk_buf_release(&key);
    pk_buf_release(&saved);
    return rc;
}

/* *loaded: of all tables. */
static enum pk_code load_all(struct pk_catalog *catalog, struct pk_store *store,
                             enum pk_counters_loaded *loaded, struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(catalog, &count);
    enum pk_code rc = PK_OK;

    *loaded = PK_COUNTERS_LOADED;
    for (size_t i = 0; i < count && rc == PK_OK && *loaded != PK_COUNTERS_DAMAGED; i++) {
        enum pk_counters_loaded one = PK_COUNTERS_DAMAGED;

        rc = load_table(store, tables[i], &one, err);
        if (one != PK_COUNTERS_LOADED)
            *loaded = one;
    }
    /* What was loaded before a damaged record must not be counted twice. */
    for (size_t i = 0; i < count && *loaded == PK_COUNTERS_DAMAGED; i++)
        pk_counters_clear(pk_table_counters(tables[i]));
    pk_catalog_free_all(tables, count);
    return rc;
}

/* Whether the store was closed cleanly; if so it no longer says so. */
static enum pk_code take_mark(struct pk_store *store, bool *was_clean, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    enum pk_code rc;

    mark_key(&key);
    rc = pk_store_get(store, pk_buf_slice(&key), &value, was_clean, err);
    if (rc == PK_OK && *was_clean) {
        pk_batch_delete(&batch, pk_buf_slice(&key));
        rc = pk_store_commit(store, &batch, PK_COMMIT_SYNC, err);
    }
    pk_batch_release(&batch);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

/* Nothing to count: a new store, for one, which was never closed cleanly. */
static bool no_tables(struct pk_catalog *catalog)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(catalog, &count);

    pk_catalog_free_all(tables, count);
    return count == 0;
}

enum pk_code pk_recount_open(struct pk_recount *recount, struct pk_catalog *catalog,
                             struct pk_store *store, struct pk_error *err)
{
    bool was_clean = false;
    enum pk_counters_loaded loaded = PK_COUNTERS_DAMAGED;
    enum pk_code rc = take_mark(store, &was_clean, err);

    if (rc == PK_OK && was_clean)
        rc = load_all(catalog, store, &loaded, err);
    if (rc != PK_OK || loaded == PK_COUNTERS_LOADED || no_tables(catalog))
        return rc;
    recount->snap = pk_snap_new(store);
    recount->tables = pk_catalog_all(catalog, &recount->table_count);
    recount->gsis_only = loaded == PK_COUNTERS_WITHOUT_GSIS;
    pk_buf_clear(&recount->at);
    pk_buf_add_byte(&recount->at, PK_SPACE_GSI);
    atomic_store(&recount->running, true);
    return PK_OK;
}

enum pk_code pk_recount_close(struct pk_recount *recount, struct pk_catalog *catalog,
                              struct pk_store *store, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    size_t count = 0;
    struct pk_table **tables;
    enum pk_code rc;

    if (atomic_load(&recount->running)) {
        finish(recount);
        return PK_OK;
    }
    tables = pk_catalog_all(catalog, &count);
    for (size_t i = 0; i < count; i++) {
        pk_buf_clear(&key);
        pk_buf_clear(&value);
        pk_layout_meta_id(&key, PK_META_COUNTERS, tables[i]->id, (pk_slice){NULL, 0});
        pk_counters_store(pk_table_counters(tables[i]), &value);
        pk_batch_put(&batch, pk_buf_slice(&key), pk_buf_slice(&value));
    }
    pk_catalog_free_all(tables, count);
    pk_buf_clear(&key);
    mark_key(&key);
    pk_batch_put(&batch, pk_buf_slice(&key), (pk_slice){NULL, 0});
    rc = pk_store_commit(store, &batch, PK_COMMIT_SYNC, err);
    pk_batch_release(&batch);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

/* Counting -------------------------------------------------------------------------------------*/

/* Whose the rows under way are, as it was at the snapshot; neighbours are of one owner. */
struct owner {
    uint32_t id;
    const struct pk_table *table; /* NULL: of nobody */
    const struct pk_index *index; /* NULL: the table's own */
};

static struct owner owner_of(const struct pk_recount *recount, uint32_t id)
{
    for (size_t i = 0; i < recount->table_count; i++) {
        const struct pk_table *table = recount->tables[i];

        if (table->id == id)
            return (struct owner){id, table, NULL};
        for (size_t k = 0; k < table->index_count; k++) {
            if (table->indexes[k].id == id)
                return (struct owner){id, table, &table->indexes[k]};
        }
    }
    return (struct owner){.id = id};
}

static void count_row(const struct pk_recount *recount, struct owner *owner, pk_slice row,
                      pk_slice record)
{
    struct pk_counters *counters;
    struct pk_tally one = {1, 0};
    size_t size = 0;
    pk_slice rest = row;
    uint32_t id = 0;
    unsigned char space = 0;
    pk_view item;

    if (!pk_take_byte(&rest, &space) || !pk_take_u32be(&rest, &id) ||
        !pk_record_open(record, &item, &size))
        return;
    if (id != owner->id)
        *owner = owner_of(recount, id);
    if (owner->table == NULL)
        return;
    one.bytes = (int64_t)size;
    counters = pk_table_counters(owner->table);
    if (owner->index != NULL)
        pk_counters_add_index(counters, id, pk_partitions_counted_by(owner->index, row), one);
    else
        pk_counters_add(counters, pk_partitions_id_of(&owner->table->partitions, row), one);
}

/* Walks one space from `at` on; returns true when rows are left in it. */
static bool count_space(struct pk_recount *recount, size_t *left, struct pk_iter *iter)
{
    struct owner owner = {0};

    for (pk_iter_seek(iter, pk_buf_slice(&recount->at)); pk_iter_valid(iter); pk_iter_next(iter)) {
        if (*left == 0) {
            pk_buf_clear(&recount->at);
            pk_buf_add(&recount->at, pk_iter_key(iter));
            return true;
        }
        (*left)--;
        count_row(recount, &owner, pk_iter_key(iter), pk_iter_value(iter));
    }
    return false;
}

/* Spaces in byte order. 0 after the last. */
static enum pk_space next_space(unsigned char space)
{
    return space == PK_SPACE_GSI ? PK_SPACE_LSI : PK_SPACE_TABLE;
}

static enum pk_code step(struct pk_recount *recount, size_t max_rows, struct pk_error *err)
{
    size_t left = max_rows;

    for (;;) {
        unsigned char space = (unsigned char)recount->at.data[0];
        struct pk_buf prefix = PK_BUF_INIT;
        struct pk_buf upper = PK_BUF_INIT;
        struct pk_iter *iter;
        bool more;
        enum pk_code rc;

        pk_layout_space(&prefix, (enum pk_space)space);
        iter = pk_iter_new(recount->snap, pk_range_prefix(pk_buf_slice(&prefix), &upper),
                           PK_ITER_BULK);
        more = count_space(recount, &left, iter);
        rc = pk_iter_status(iter, err);
        pk_iter_free(iter);
        pk_buf_release(&prefix);
        pk_buf_release(&upper);
        if (rc != PK_OK || more)
            return rc;
        if (space == PK_SPACE_TABLE || recount->gsis_only) {
            finish(recount);
            return PK_OK;
        }
        pk_buf_clear(&recount->at);
        pk_layout_space(&recount->at, next_space(space));
    }
}

enum pk_code pk_recount_step(struct pk_recount *recount, size_t max_rows, bool *more,
                             struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    *more = false;
    if (!atomic_load(&recount->running))
        return PK_OK;
    pthread_mutex_lock(&recount->lock);
    if (recount->snap != NULL)
        rc = step(recount, max_rows, err);
    *more = rc == PK_OK && recount->snap != NULL;
    pthread_mutex_unlock(&recount->lock);
    return rc;
}
