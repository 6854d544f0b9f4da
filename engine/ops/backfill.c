/* A step looks the table up anew: between two of them its definition may have changed. */
#include "engine/ops/backfill.h"

#include "engine/ops/capacity.h"
#include "engine/ops/ddl.h"
#include "engine/ops/ddl_index.h"
#include "engine/ops/propagate.h"
#include "engine/ops/tallies.h"
#include "engine/table/descriptor.h"
#include "engine/table/index.h"
#include "engine/table/partition_map.h"

enum { COMMIT_ITEMS = 256 };

/* Position -------------------------------------------------------------------------------------*/

static void position_key(const struct pk_index *index, struct pk_buf *key)
{
    pk_layout_meta_id(key, PK_META_BACKFILL, index->id, (pk_slice){NULL, 0});
}

static void stage_position(const struct pk_index *index, pk_slice row, struct pk_batch *batch)
{
    struct pk_buf key = PK_BUF_INIT;

    position_key(index, &key);
    pk_batch_put(batch, pk_buf_slice(&key), row);
    pk_buf_release(&key);
}

static void stage_no_position(const struct pk_index *index, struct pk_batch *batch)
{
    struct pk_buf key = PK_BUF_INIT;

    position_key(index, &key);
    pk_batch_delete(batch, pk_buf_slice(&key));
    pk_buf_release(&key);
}

/* The row after which to go on; empty: from the beginning. */
static enum pk_code load_position(struct pk_engine *engine, const struct pk_index *index,
                                  struct pk_buf *row, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    bool found = false;
    enum pk_code rc;

    position_key(index, &key);
    rc = pk_store_get(engine->store, pk_buf_slice(&key), row, &found, err);
    pk_buf_release(&key);
    return rc;
}

/* Copying --------------------------------------------------------------------------------------*/

struct copying {
    struct pk_engine *engine;
    const struct pk_table *table;
    const struct pk_index *index;
    struct pk_iter *iter; /* made under apply: it shows no change whose record was applied later */
    struct pk_batch batch;
    struct pk_arena arena;
    struct pk_tallies tallies;
};

/* What is there already was put by a change record, or by a copy whose counters were lost. */
static enum pk_code copy_item(struct copying *to, struct pk_error *err)
{
    struct pk_index_entry entry;
    struct pk_buf old = PK_BUF_INIT;
    struct pk_tally added;
    pk_view item = PK_VIEW_MISSING;
    size_t size = 0;
    bool found = false;
    enum pk_code rc;

    /* A damaged row is check's to tell; one without the key attributes is not in the index. */
    if (!pk_record_open(pk_iter_value(to->iter), &item, NULL) ||
        !pk_index_entry_of(to->table, to->index, item, &to->arena, &entry))
        return PK_OK;
    added = (struct pk_tally){1, (int64_t)entry.size};
    rc = pk_store_get(to->engine->store, entry.key, &old, &found, err);
    if (rc == PK_OK && found && pk_record_open(pk_buf_slice(&old), &item, &size))
        added = (struct pk_tally){0, (int64_t)entry.size - (int64_t)size};
    pk_tallies_add(&to->tallies, to->index->id, pk_partitions_counted_by(to->index, entry.key),
                   added);
    pk_record_put(&to->batch, entry.key, entry.size, entry.item);
    pk_buf_release(&old);
    return rc;
}

/* Copies the next items in one commit; *end: there are no more. */
static enum pk_code copy_some(struct copying *to, bool *end, struct pk_error *err)
{
    struct pk_buf last = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < COMMIT_ITEMS && pk_iter_valid(to->iter) && rc == PK_OK; i++) {
        rc = copy_item(to, err);
        pk_buf_clear(&last);
        pk_buf_add(&last, pk_iter_key(to->iter));
        pk_iter_next(to->iter);
    }
    if (rc == PK_OK)
        rc = pk_iter_status(to->iter, err);
    *end = !pk_iter_valid(to->iter);
    if (rc == PK_OK && last.len > 0) {
        stage_position(to->index, pk_buf_slice(&last), &to->batch);
        rc = pk_store_commit(to->engine->store, &to->batch, PK_COMMIT_FAST, err);
        if (rc == PK_OK)
            pk_tallies_apply(&to->tallies, pk_table_counters(to->table));
    }
    pk_batch_release(&to->batch);
    pk_arena_release(&to->arena);
    pk_tallies_release(&to->tallies);
    pk_buf_release(&last);
    return rc;
}

/* Under apply. */
static enum pk_code copy_chunk(struct pk_engine *engine, const struct pk_table *table,
                               const struct pk_index *index, bool *end, struct pk_error *err)
{
    struct copying to = {.engine = engine, .table = table, .index = index};
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_buf from = PK_BUF_INIT;
    enum pk_code rc = load_position(engine, index, &from, err);

    if (rc != PK_OK)
        return rc;
    pk_layout_id(&prefix, PK_SPACE_TABLE, table->id);
    to.iter = pk_iter_new(pk_store_live(engine->store),
                          pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    pk_iter_seek(to.iter, from.len > 0 ? pk_buf_slice(&from) : pk_buf_slice(&prefix));
    if (pk_iter_valid(to.iter) && pk_slice_equal(pk_iter_key(to.iter), pk_buf_slice(&from)))
        pk_iter_next(to.iter);
    rc = copy_some(&to, end, err);
    pk_iter_free(to.iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    pk_buf_release(&from);
    return rc;
}

/* False when the index, or its table, is no longer there. Under apply. */
static bool is_there(const struct pk_table *table, const struct pk_index *index)
{
    struct pk_table_log *log = pk_table_log(table);

    return !log->dropped && pk_table_log_reader(log, index->id) != NULL;
}

static enum pk_code copy(struct pk_engine *engine, const struct pk_table *table,
                         const struct pk_index *index, size_t max, bool *end, struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(table);
    enum pk_code rc = PK_OK;

    *end = false;
    for (size_t done = 0; done < max && rc == PK_OK && !*end; done += COMMIT_ITEMS) {
        pthread_mutex_lock(&log->apply);
        if (is_there(table, index))
            rc = copy_chunk(engine, table, index, end, err);
        else
            *end = true;
        pthread_mutex_unlock(&log->apply);
    }
    return rc;
}

/* Definitions ----------------------------------------------------------------------------------*/

/* A change of one index' definition, prepared under ddl: the newest descriptor and a copy. */
struct redefining {
    struct pk_table *now;
    struct pk_table *copy;
    const struct pk_index *index; /* of the newest */
};

/* False when the index is gone, or no longer in that state. */
static bool begin(struct pk_engine *engine, const struct pk_table *table, uint32_t index_id,
                  enum pk_status status, struct redefining *of)
{
    *of = (struct redefining){.now = pk_catalog_get(&engine->catalog, table->name)};
    for (size_t i = 0; of->now != NULL && i < of->now->index_count; i++) {
        if (of->now->indexes[i].id == index_id && of->now->indexes[i].status == status)
            of->index = &of->now->indexes[i];
    }
    if (of->index != NULL)
        of->copy = pk_table_copy(of->now);
    return of->index != NULL;
}

static struct pk_index *copied(const struct redefining *of)
{
    return &of->copy->indexes[of->index - of->now->indexes];
}

static void finish(struct redefining *of)
{
    pk_table_unref(of->now);
    pk_table_unref(of->copy);
}

static enum pk_code set_backfilling(struct pk_engine *engine, const struct redefining *of,
                                    struct pk_error *err)
{
    copied(of)->backfilling = true;
    return pk_ddl_publish(engine, of->copy, err);
}

/* All that the copy of items may have been ahead of is applied: from here on an image before a
 * change is what the index has. */
static enum pk_code set_active(struct pk_engine *engine, const struct redefining *of,
                               struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(of->now);
    struct pk_batch batch = PK_BATCH_INIT;
    enum pk_code rc;

    copied(of)->status = PK_STATUS_ACTIVE;
    copied(of)->backfilling = false;
    stage_no_position(of->index, &batch);
    pthread_mutex_lock(&log->apply);
    rc = pk_propagate_to_end(engine, of->now, of->index, err);
    if (rc == PK_OK)
        rc = pk_catalog_replace(&engine->catalog, engine->store, of->copy, &batch, err);
    pthread_mutex_unlock(&log->apply);
    if (rc == PK_OK)
        pk_latch_pass(&engine->latches);
    pk_batch_release(&batch);
    return rc;
}

static enum pk_code remove_index(struct pk_engine *engine, const struct redefining *of,
                                 struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(of->now);
    struct pk_batch batch = PK_BATCH_INIT;
    uint32_t id = of->index->id;
    struct pk_index_reader *reader;
    enum pk_code rc;

    pk_ddl_remove_index(of->copy, id);
    stage_no_position(of->index, &batch);
    pk_log_stage_mark(&log->log, &batch);
    pthread_mutex_lock(&log->apply);
    reader = pk_table_log_reader(log, id);
    if (reader != NULL)
        pk_cursor_stage_drop(&reader->cursor, &batch);
    rc = pk_catalog_drop_index(&engine->catalog, engine->store, of->copy, id, &batch, err);
    if (rc == PK_OK)
        pk_table_log_remove_reader(log, id);
    pthread_mutex_unlock(&log->apply);
    if (rc == PK_OK) {
        pk_latch_pass(&engine->latches);
        pk_capacity_define(engine, of->copy);
    }
    pk_batch_release(&batch);
    return rc;
}

typedef enum pk_code change(struct pk_engine *engine, const struct redefining *of,
                            struct pk_error *err);

static enum pk_code redefine(struct pk_engine *engine, const struct pk_table *table,
                             const struct pk_index *index, change *with, struct pk_error *err)
{
    struct redefining of;
    enum pk_code rc = PK_OK;

    pthread_mutex_lock(&engine->catalog.ddl);
    if (begin(engine, table, index->id, index->status, &of))
        rc = with(engine, &of, err);
    finish(&of);
    pthread_mutex_unlock(&engine->catalog.ddl);
    return rc;
}

/* Steps ----------------------------------------------------------------------------------------*/

static enum pk_code step(struct pk_engine *engine, const struct pk_table *table,
                         const struct pk_index *index, size_t max, struct pk_error *err)
{
    bool end = false;
    enum pk_code rc;

    if (index->status == PK_STATUS_DELETING)
        return redefine(engine, table, index, remove_index, err);
    if (!index->backfilling)
        return redefine(engine, table, index, set_backfilling, err);
    rc = copy(engine, table, index, max, &end, err);
    if (rc == PK_OK && end)
        rc = redefine(engine, table, index, set_active, err);
    return rc;
}

static bool is_moving(const struct pk_index *index)
{
    return !index->local &&
           (index->status == PK_STATUS_CREATING || index->status == PK_STATUS_DELETING);
}

/* An index is being created or deleted. */
static bool is_due(struct pk_engine *engine)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    bool due = false;

    for (size_t t = 0; t < count; t++) {
        for (size_t i = 0; i < tables[t]->index_count; i++)
            due = due || is_moving(&tables[t]->indexes[i]);
    }
    pk_catalog_free_all(tables, count);
    return due;
}

enum pk_code pk_backfill_tick(struct pk_engine *engine, size_t max, bool *more,
                              struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    for (size_t t = 0; t < count && rc == PK_OK; t++) {
        for (size_t i = 0; i < tables[t]->index_count && rc == PK_OK; i++) {
            if (is_moving(&tables[t]->indexes[i]))
                rc = step(engine, tables[t], &tables[t]->indexes[i], max, err);
        }
    }
    pk_catalog_free_all(tables, count);
    *more = rc == PK_OK && is_due(engine);
    return rc;
}
