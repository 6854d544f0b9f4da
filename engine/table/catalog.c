/*
 * Definitions are always synced to the disk: they are few, and a row whose table is not known is
 * worth nothing.
 *
 * Stored: PK_META_TABLE name: descriptor; PK_META_NEXT_ID: varint; PK_META_RETIRED id: space byte;
 * PK_META_DEPARTED id: descriptor. Of backups only the ids are of interest here.
 */
#include "engine/table/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "engine/table/descriptor.h"

void pk_catalog_init(struct pk_catalog *catalog)
{
    *catalog = (struct pk_catalog){.next_id = 1};
    pthread_mutex_init(&catalog->ddl, NULL);
    pthread_mutex_init(&catalog->lock, NULL);
}

static void forget(struct pk_catalog *catalog)
{
    size_t cursor = 0;
    pk_slice name;
    void *table = NULL;

    while (pk_map_next(&catalog->tables, &cursor, &name, &table)) {
        pk_table_set_stale(table);
        pk_table_unref(table);
    }
    pk_map_release(&catalog->tables);
    free(catalog->retired);
    catalog->retired = NULL;
    catalog->retired_count = 0;
    pk_catalog_free_all(catalog->departed, catalog->departed_count);
    catalog->departed = NULL;
    catalog->departed_count = 0;
}

void pk_catalog_release(struct pk_catalog *catalog)
{
    forget(catalog);
    pthread_mutex_destroy(&catalog->ddl);
    pthread_mutex_destroy(&catalog->lock);
}

/* Loading --------------------------------------------------------------------------------------*/

static void raise_next_id(struct pk_catalog *catalog, uint32_t used)
{
    if (used >= catalog->next_id)
        catalog->next_id = used + 1;
}

static void retire(struct pk_catalog *catalog, uint32_t id, enum pk_space space)
{
    catalog->retired =
        pk_realloc(catalog->retired, catalog->retired_count + 1, sizeof(*catalog->retired));
    catalog->retired[catalog->retired_count++] = (struct pk_retired){id, space, false};
    raise_next_id(catalog, id);
}

/* The rows of a table's ids may be swept, or may not. */
static void set_awaited(struct pk_catalog *catalog, const struct pk_table *table, bool awaited)
{
    for (size_t i = 0; i < catalog->retired_count; i++) {
        struct pk_retired *retired = &catalog->retired[i];
        bool of_table = retired->id == table->id;

        for (size_t j = 0; j < table->index_count && !of_table; j++)
            of_table = retired->id == table->indexes[j].id;
        if (of_table)
            retired->awaited = awaited;
    }
}

static enum pk_code load_table(struct pk_catalog *catalog, pk_slice name, pk_slice bytes,
                               struct pk_error *err)
{
    struct pk_table *table = NULL;
    enum pk_code rc = pk_table_load(bytes, &table, err);

    if (rc != PK_OK)
        return pk_fail(err, rc, "the definition of table '%.*s' is damaged", PK_FMT(name));
    raise_next_id(catalog, table->id);
    for (size_t i = 0; i < table->index_count; i++)
        raise_next_id(catalog, table->indexes[i].id);
    pk_map_put(&catalog->tables, table->name, table);
    return PK_OK;
}

/* Takes the reference. */
static void add_departed(struct pk_catalog *catalog, struct pk_table *table_take)
{
    catalog->departed =
        pk_realloc(catalog->departed, catalog->departed_count + 1, sizeof(struct pk_table *));
    catalog->departed[catalog->departed_count++] = table_take;
}

static enum pk_code load_departed(struct pk_catalog *catalog, pk_slice name, pk_slice bytes,
                                  struct pk_error *err)
{
    struct pk_table *table = NULL;
    enum pk_code rc = pk_table_load(bytes, &table, err);

    (void)name;
    if (rc != PK_OK)
        return rc;
    raise_next_id(catalog, table->id);
    add_departed(catalog, table);
    return PK_OK;
}

static enum pk_code load_retired(struct pk_catalog *catalog, pk_slice name, pk_slice bytes,
                                 struct pk_error *err)
{
    uint32_t id = 0;
    unsigned char space = 0;

    if (!pk_take_u32be(&name, &id) || !pk_take_byte(&bytes, &space) ||
        (space != PK_SPACE_TABLE && space != PK_SPACE_LSI && space != PK_SPACE_GSI &&
         space != PK_SPACE_CHANGE && space != PK_SPACE_BACKUP))
        return pk_fail(err, PK_E_CORRUPT, "the list of dropped tables is damaged");
    retire(catalog, id, (enum pk_space)space);
    return PK_OK;
}

static enum pk_code load_backup(struct pk_catalog *catalog, pk_slice name, pk_slice bytes,
                                struct pk_error *err)
{
    uint32_t id = 0;

    (void)bytes;
    (void)err;
    if (pk_take_u32be(&name, &id))
        raise_next_id(catalog, id);
    return PK_OK;
}

typedef enum pk_code load_one(struct pk_catalog *catalog, pk_slice name, pk_slice bytes,
                              struct pk_error *err);

static enum pk_code load_kind(struct pk_catalog *catalog, struct pk_store *store,
                              enum pk_meta_kind kind, load_one *load, struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter = NULL;
    enum pk_code rc = PK_OK;

    pk_layout_meta(&prefix, kind, (pk_slice){NULL, 0});
    iter = pk_iter_new(pk_store_live(store), pk_range_prefix(pk_buf_slice(&prefix), &upper),
                       PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
        pk_slice name;

        if (pk_layout_parse_meta(pk_iter_key(iter), kind, &name))
            rc = load(catalog, name, pk_iter_value(iter), err);
    }
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

static enum pk_code load_next_id(struct pk_catalog *catalog, pk_slice name, pk_slice bytes,
                                 struct pk_error *err)
{
    uint64_t next = 0;

    if (name.len != 0)
        return PK_OK;
    if (!pk_take_varint(&bytes, &next) || next == 0 || next > UINT32_MAX)
        return pk_fail(err, PK_E_CORRUPT, "the counter of table ids is damaged");
    raise_next_id(catalog, (uint32_t)next - 1);
    return PK_OK;
}

enum pk_code pk_catalog_load(struct pk_catalog *catalog, struct pk_store *store,
                             struct pk_error *err)
{
    enum pk_code rc;

    pthread_mutex_lock(&catalog->lock);
    forget(catalog);
    rc = load_kind(catalog, store, PK_META_TABLE, load_table, err);
    if (rc == PK_OK)
        rc = load_kind(catalog, store, PK_META_RETIRED, load_retired, err);
    if (rc == PK_OK)
        rc = load_kind(catalog, store, PK_META_DEPARTED, load_departed, err);
    if (rc == PK_OK)
        rc = load_kind(catalog, store, PK_META_BACKUP, load_backup, err);
    if (rc == PK_OK)
        rc = load_kind(catalog, store, PK_META_NEXT_ID, load_next_id, err);
    pthread_mutex_unlock(&catalog->lock);
    return rc;
}

/* Looking up -----------------------------------------------------------------------------------*/

struct pk_table *pk_catalog_get(struct pk_catalog *catalog, pk_slice name)
{
    struct pk_table *table;

    pthread_mutex_lock(&catalog->lock);
    table = pk_map_get(&catalog->tables, name);
    if (table != NULL)
        pk_table_ref(table);
    pthread_mutex_unlock(&catalog->lock);
    return table;
}

static int compare_tables(const void *a, const void *b)
{
    struct pk_table *const *first = a;
    struct pk_table *const *second = b;

    return pk_slice_compare((*first)->name, (*second)->name);
}

struct pk_table **pk_catalog_all(struct pk_catalog *catalog, size_t *count)
{
    struct pk_table **tables;
    size_t cursor = 0;
    size_t n = 0;
    pk_slice name;
    void *table = NULL;

    pthread_mutex_lock(&catalog->lock);
    tables = pk_calloc(catalog->tables.used, sizeof(struct pk_table *));
    while (pk_map_next(&catalog->tables, &cursor, &name, &table))
        tables[n++] = pk_table_ref(table);
    pthread_mutex_unlock(&catalog->lock);
    if (n > 0)
        qsort(tables, n, sizeof(struct pk_table *), compare_tables);
    *count = n;
    return tables;
}

void pk_catalog_free_all(struct pk_table **tables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pk_table_unref(tables[i]);
    free(tables);
}

size_t pk_catalog_names(struct pk_catalog *catalog, struct pk_arena *arena, pk_slice after,
                        size_t limit, pk_slice *names, bool *more)
{
    size_t count = 0;
    size_t n = 0;
    struct pk_table **tables = pk_catalog_all(catalog, &count);

    *more = false;
    for (size_t i = 0; i < count; i++) {
        if (after.data != NULL && pk_slice_compare(tables[i]->name, after) <= 0)
            continue;
        if (n == limit) {
            *more = true;
            break;
        }
        names[n++] = pk_arena_dup(arena, tables[i]->name);
    }
    pk_catalog_free_all(tables, count);
    return n;
}

struct pk_table **pk_catalog_departed(struct pk_catalog *catalog, size_t *count)
{
    struct pk_table **tables;

    pthread_mutex_lock(&catalog->lock);
    *count = catalog->departed_count;
    tables = pk_calloc(*count, sizeof(struct pk_table *));
    for (size_t i = 0; i < *count; i++)
        tables[i] = pk_table_ref(catalog->departed[i]);
    pthread_mutex_unlock(&catalog->lock);
    return tables;
}

struct pk_retired *pk_catalog_retired(struct pk_catalog *catalog, size_t *count)
{
    struct pk_retired *copy = NULL;

    pthread_mutex_lock(&catalog->lock);
    *count = catalog->retired_count;
    if (*count > 0) {
        copy = pk_calloc(*count, sizeof(*copy));
        memcpy(copy, catalog->retired, *count * sizeof(*copy));
    }
    pthread_mutex_unlock(&catalog->lock);
    return copy;
}

/* Changing -------------------------------------------------------------------------------------*/

static void stage_table(struct pk_batch *batch, const struct pk_table *table)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    pk_layout_meta(&key, PK_META_TABLE, table->name);
    pk_table_store(table, &value);
    pk_batch_put(batch, pk_buf_slice(&key), pk_buf_slice(&value));
    pk_buf_release(&key);
    pk_buf_release(&value);
}

static void stage_next_id(struct pk_batch *batch, uint32_t next_id)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    pk_layout_meta(&key, PK_META_NEXT_ID, (pk_slice){NULL, 0});
    pk_buf_add_varint(&value, next_id);
    pk_batch_put(batch, pk_buf_slice(&key), pk_buf_slice(&value));
    pk_buf_release(&key);
    pk_buf_release(&value);
}

/* Puts the table in the place of the one of its name, which becomes stale. */
static void publish(struct pk_catalog *catalog, struct pk_table *table, uint32_t next_id)
{
    struct pk_table *old;

    pthread_mutex_lock(&catalog->lock);
    catalog->next_id = next_id;
    old = pk_map_put(&catalog->tables, table->name, pk_table_ref(table));
    pthread_mutex_unlock(&catalog->lock);
    if (old == NULL)
        return;
    pk_table_set_stale(old);
    pk_table_unref(old);
}

void pk_catalog_number(struct pk_catalog *catalog, struct pk_table *table)
{
    uint32_t next_id = catalog->next_id;
    bool is_new = table->id == 0;

    if (is_new)
        table->id = next_id++;
    for (size_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].id != 0)
            continue;
        table->indexes[i].id = next_id++;
        if (!is_new)
            pk_counters_add_slot(pk_table_counters(table), pk_index_counted(&table->indexes[i]));
    }
    if (is_new)
        pk_table_count(table);
}

bool pk_catalog_is_unused(const struct pk_catalog *catalog)
{
    return catalog->next_id == 1;
}

/* Above all ids of the table. */
static uint32_t next_id_after(const struct pk_catalog *catalog, const struct pk_table *table)
{
    uint32_t next_id = catalog->next_id;

    if (table->id >= next_id)
        next_id = table->id + 1;
    for (size_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].id >= next_id)
            next_id = table->indexes[i].id + 1;
    }
    return next_id;
}

/* batch: what else belongs into the commit. */
static enum pk_code commit_table(struct pk_catalog *catalog, struct pk_store *store,
                                 struct pk_table *table, struct pk_batch *batch,
                                 struct pk_error *err)
{
    uint32_t next_id = next_id_after(catalog, table);
    enum pk_code rc;

    if (next_id != catalog->next_id)
        stage_next_id(batch, next_id);
    stage_table(batch, table);
    rc = pk_store_commit(store, batch, PK_COMMIT_SYNC, err);
    if (rc == PK_OK)
        publish(catalog, table, next_id);
    return rc;
}

enum pk_code pk_catalog_add(struct pk_catalog *catalog, struct pk_store *store,
                            struct pk_table *table, struct pk_error *err)
{
    return pk_catalog_replace(catalog, store, table, NULL, err);
}

enum pk_code pk_catalog_replace(struct pk_catalog *catalog, struct pk_store *store,
                                struct pk_table *table, const struct pk_batch *more,
                                struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    enum pk_code rc;

    if (more != NULL)
        pk_batch_add(&batch, more);
    rc = commit_table(catalog, store, table, &batch, err);
    pk_batch_release(&batch);
    return rc;
}

static void stage_retired(struct pk_batch *batch, uint32_t id, enum pk_space space)
{
    struct pk_buf key = PK_BUF_INIT;
    const char value = (char)space;

    pk_layout_meta_id(&key, PK_META_RETIRED, id, (pk_slice){NULL, 0});
    pk_batch_put(batch, pk_buf_slice(&key), pk_slice_of(&value, 1));
    pk_buf_release(&key);
}

static void stage_departed(struct pk_batch *batch, const struct pk_table *departed)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    pk_layout_meta_id(&key, PK_META_DEPARTED, departed->id, (pk_slice){NULL, 0});
    pk_table_store(departed, &value);
    pk_batch_put(batch, pk_buf_slice(&key), pk_buf_slice(&value));
    pk_buf_release(&key);
    pk_buf_release(&value);
}

enum pk_code pk_catalog_drop_index(struct pk_catalog *catalog, struct pk_store *store,
                                   struct pk_table *table, uint32_t index_id,
                                   const struct pk_batch *more, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    enum pk_code rc;

    pk_batch_add(&batch, more);
    stage_retired(&batch, index_id, PK_SPACE_GSI);
    rc = commit_table(catalog, store, table, &batch, err);
    pk_batch_release(&batch);
    if (rc != PK_OK)
        return rc;
    pk_counters_remove_slot(pk_table_counters(table), index_id);
    pthread_mutex_lock(&catalog->lock);
    retire(catalog, index_id, PK_SPACE_GSI);
    pthread_mutex_unlock(&catalog->lock);
    return PK_OK;
}

enum pk_code pk_catalog_drop(struct pk_catalog *catalog, struct pk_store *store,
                             struct pk_table *table, struct pk_table *departed,
                             struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_table *old;
    enum pk_code rc;

    pk_layout_meta(&key, PK_META_TABLE, table->name);
    pk_batch_delete(&batch, pk_buf_slice(&key));
    pk_buf_clear(&key);
    pk_layout_meta_id(&key, PK_META_ATTACHMENT, table->id, (pk_slice){NULL, 0});
    pk_batch_delete(&batch, pk_buf_slice(&key));
    if (departed != NULL)
        stage_departed(&batch, departed);
    stage_retired(&batch, table->id, PK_SPACE_TABLE);
    for (size_t i = 0; i < table->index_count; i++)
        stage_retired(&batch, table->indexes[i].id,
                      table->indexes[i].local ? PK_SPACE_LSI : PK_SPACE_GSI);
    rc = pk_store_commit(store, &batch, PK_COMMIT_SYNC, err);
    pk_buf_release(&key);
    pk_batch_release(&batch);
    if (rc != PK_OK)
        return rc;

    pthread_mutex_lock(&catalog->lock);
    old = pk_map_remove(&catalog->tables, table->name);
    retire(catalog, table->id, PK_SPACE_TABLE);
    if (departed != NULL)
        add_departed(catalog, pk_table_ref(departed));
    for (size_t i = 0; i < table->index_count; i++)
        retire(catalog, table->indexes[i].id,
               table->indexes[i].local ? PK_SPACE_LSI : PK_SPACE_GSI);
    set_awaited(catalog, table, true);
    pthread_mutex_unlock(&catalog->lock);
    pk_table_set_stale(old);
    pk_table_unref(old);
    return PK_OK;
}

void pk_catalog_written(struct pk_catalog *catalog, const struct pk_table *table)
{
    pthread_mutex_lock(&catalog->lock);
    set_awaited(catalog, table, false);
    pthread_mutex_unlock(&catalog->lock);
}

static bool is_retired(struct pk_catalog *catalog, uint32_t id)
{
    bool found = false;

    pthread_mutex_lock(&catalog->lock);
    for (size_t i = 0; i < catalog->retired_count; i++)
        found = found || catalog->retired[i].id == id;
    pthread_mutex_unlock(&catalog->lock);
    return found;
}

enum pk_code pk_catalog_forget(struct pk_catalog *catalog, struct pk_store *store,
                               struct pk_table *departed, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    /* While its rows are being deleted the change records go with them. */
    bool going = is_retired(catalog, departed->id);
    enum pk_code rc;
    size_t i = 0;

    pk_layout_meta_id(&key, PK_META_DEPARTED, departed->id, (pk_slice){NULL, 0});
    pk_batch_delete(&batch, pk_buf_slice(&key));
    if (!going)
        stage_retired(&batch, departed->id, PK_SPACE_CHANGE);
    rc = pk_store_commit(store, &batch, PK_COMMIT_SYNC, err);
    pk_buf_release(&key);
    pk_batch_release(&batch);
    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&catalog->lock);
    while (i < catalog->departed_count && catalog->departed[i]->id != departed->id)
        i++;
    if (i < catalog->departed_count) {
        pk_table_unref(catalog->departed[i]);
        catalog->departed_count--;
        memmove(catalog->departed + i, catalog->departed + i + 1,
                (catalog->departed_count - i) * sizeof(struct pk_table *));
    }
    if (!going)
        retire(catalog, departed->id, PK_SPACE_CHANGE);
    pthread_mutex_unlock(&catalog->lock);
    return PK_OK;
}

enum pk_code pk_catalog_drop_backup(struct pk_catalog *catalog, struct pk_store *store, uint32_t id,
                                    struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    enum pk_code rc;

    pk_layout_meta_id(&key, PK_META_BACKUP, id, (pk_slice){NULL, 0});
    pk_batch_delete(&batch, pk_buf_slice(&key));
    stage_retired(&batch, id, PK_SPACE_BACKUP);
    rc = pk_store_commit(store, &batch, PK_COMMIT_SYNC, err);
    if (rc == PK_OK) {
        pthread_mutex_lock(&catalog->lock);
        retire(catalog, id, PK_SPACE_BACKUP);
        pthread_mutex_unlock(&catalog->lock);
    }
    pk_buf_release(&key);
    pk_batch_release(&batch);
    return rc;
}

uint32_t pk_catalog_next_id(struct pk_catalog *catalog, struct pk_batch *batch)
{
    stage_next_id(batch, catalog->next_id + 1);
    return catalog->next_id;
}

void pk_catalog_took_id(struct pk_catalog *catalog, uint32_t id)
{
    pthread_mutex_lock(&catalog->lock);
    raise_next_id(catalog, id);
    pthread_mutex_unlock(&catalog->lock);
}

enum pk_code pk_catalog_reserve(struct pk_catalog *catalog, struct pk_store *store, uint32_t id,
                                struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    enum pk_code rc = PK_OK;

    if (id >= catalog->next_id) {
        stage_next_id(&batch, id + 1);
        rc = pk_store_commit(store, &batch, PK_COMMIT_SYNC, err);
    }
    if (rc == PK_OK) {
        pthread_mutex_lock(&catalog->lock);
        raise_next_id(catalog, id);
        pthread_mutex_unlock(&catalog->lock);
    }
    pk_batch_release(&batch);
    return rc;
}

/* Sweeping -------------------------------------------------------------------------------------*/

enum { SWEEP_RANGES_MAX = 8, INDEX_RANGES = 3 };

/* The prefixes of everything kept under a retired id. */
static size_t retired_prefixes(const struct pk_retired *retired, bool keeps_changes,
                               struct pk_buf prefixes[SWEEP_RANGES_MAX])
{
    pk_slice none = {NULL, 0};

    pk_layout_id(&prefixes[0], retired->space, retired->id);
    pk_layout_meta_id(&prefixes[1], PK_META_COUNTERS, retired->id, none);
    if (retired->space != PK_SPACE_TABLE) {
        pk_layout_meta_id(&prefixes[2], PK_META_BACKFILL, retired->id, none);
        return INDEX_RANGES;
    }
    pk_layout_id(&prefixes[2], PK_SPACE_EXPIRY, retired->id);
    pk_layout_meta_id(&prefixes[3], PK_META_COLLECTION, retired->id, none);
    pk_layout_meta_id(&prefixes[4], PK_META_EXPIRY, retired->id, none);
    pk_layout_meta_id(&prefixes[5], PK_META_CURSOR, retired->id, none);
    pk_layout_meta_id(&prefixes[6], PK_META_LOG, retired->id, none);
    pk_layout_id(&prefixes[7], PK_SPACE_CHANGE, retired->id);
    return keeps_changes ? SWEEP_RANGES_MAX - 1 : SWEEP_RANGES_MAX;
}

/* Deletes rows of one id; *done when none is left. */
static enum pk_code sweep_id(struct pk_store *store, const struct pk_retired *retired,
                             bool keeps_changes, size_t max_rows, bool *done, struct pk_error *err)
{
    struct pk_buf prefixes[SWEEP_RANGES_MAX] = {PK_BUF_INIT};
    struct pk_buf upper = PK_BUF_INIT;
    size_t count = retired_prefixes(retired, keeps_changes, prefixes);
    size_t left = max_rows;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK && left > 0; i++) {
        size_t deleted = 0;

        rc = pk_store_delete_some(store, pk_range_prefix(pk_buf_slice(&prefixes[i]), &upper), left,
                                  &deleted, err);
        left -= deleted;
    }
    *done = left > 0;
    for (size_t i = 0; i < SWEEP_RANGES_MAX; i++)
        pk_buf_release(&prefixes[i]);
    pk_buf_release(&upper);
    return rc;
}

static enum pk_code forget_id(struct pk_catalog *catalog, struct pk_store *store, uint32_t id,
                              struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    enum pk_code rc;

    pk_layout_meta_id(&key, PK_META_RETIRED, id, (pk_slice){NULL, 0});
    pk_batch_delete(&batch, pk_buf_slice(&key));
    rc = pk_store_commit(store, &batch, PK_COMMIT_FAST, err);
    pk_buf_release(&key);
    pk_batch_release(&batch);
    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&catalog->lock);
    for (size_t i = 0; i < catalog->retired_count; i++) {
        if (catalog->retired[i].id == id) {
            catalog->retired[i] = catalog->retired[--catalog->retired_count];
            break;
        }
    }
    pthread_mutex_unlock(&catalog->lock);
    return PK_OK;
}

/* The first id whose rows nobody writes any more, or NULL. The caller holds lock. */
static const struct pk_retired *to_sweep(const struct pk_catalog *catalog)
{
    for (size_t i = 0; i < catalog->retired_count; i++) {
        if (!catalog->retired[i].awaited)
            return &catalog->retired[i];
    }
    return NULL;
}

enum pk_code pk_catalog_sweep(struct pk_catalog *catalog, struct pk_store *store, size_t max_rows,
                              bool *more, struct pk_error *err)
{
    struct pk_retired retired = {0, PK_SPACE_TABLE, false};
    const struct pk_retired *first;
    bool keeps_changes = false; /* of a departed table */
    bool done = false;
    enum pk_code rc;

    pthread_mutex_lock(&catalog->lock);
    first = to_sweep(catalog);
    if (first != NULL)
        retired = *first;
    for (size_t i = 0; i < catalog->departed_count; i++)
        keeps_changes = keeps_changes || catalog->departed[i]->id == retired.id;
    pthread_mutex_unlock(&catalog->lock);
    *more = false;
    if (first == NULL)
        return PK_OK;
    rc = sweep_id(store, &retired, keeps_changes, max_rows, &done, err);
    if (rc == PK_OK && done)
        rc = forget_id(catalog, store, retired.id, err);
    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&catalog->lock);
    *more = to_sweep(catalog) != NULL;
    pthread_mutex_unlock(&catalog->lock);
    return PK_OK;
}
