/*
 * Two passes over each table: the first removes what is no item, then its indexes are emptied, and
 * the second puts in the entries of what is left. Rows come in key order, so a collection's rows
 * are together.
 *
 * Rows whose table is not known stay: their definition is lost, not they. Their ids are never given
 * out again.
 */
#include "engine/ops/rebuild.h"

#include "engine/ops/backup_check.h"
#include "engine/ops/log_check.h"
#include "engine/ops/row_check.h"
#include "engine/ops/table_log.h"
#include "engine/ops/ttl_check.h"
#include "engine/store/key_code.h"
#include "engine/store/position.h"
#include "engine/table/descriptor.h"
#include "engine/table/index.h"
#include "engine/table/partition_map.h"

enum { COMMIT_ROWS = 500 };

struct rebuild {
    struct pk_engine *engine;
    const struct pk_table *table;
    struct pk_faults *lost;
    struct pk_batch batch;
    struct pk_arena arena; /* cleared after each row */
    size_t staged;
    struct pk_buf collection; /* key prefix of the one under way */
    uint64_t collection_bytes;
    struct pk_log_judge judge;
};

static enum pk_code flush(struct rebuild *to, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    if (to->batch.count > 0)
        rc = pk_store_commit(to->engine->store, &to->batch, PK_COMMIT_FAST, err);
    pk_batch_clear(&to->batch);
    to->staged = 0;
    return rc;
}

typedef void row_step(struct rebuild *to, pk_slice key, pk_slice record);

/* The table's rows of one space. */
static enum pk_code walk(struct rebuild *to, enum pk_space space, row_step *row,
                         struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    enum pk_code rc = PK_OK;

    pk_layout_id(&prefix, space, to->table->id);
    iter = pk_iter_new(pk_store_live(to->engine->store),
                       pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
        pk_arena_clear(&to->arena);
        row(to, pk_iter_key(iter), pk_iter_value(iter));
        if (++to->staged >= COMMIT_ROWS)
            rc = flush(to, err);
    }
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

static void drop_bad_row(struct rebuild *to, pk_slice key, pk_slice record)
{
    pk_view item;
    uint64_t size = 0;
    const char *fault = pk_row_fault(to->table, key, record, &item, &size);

    if (fault == NULL)
        return;
    pk_fault(to->lost, "table '%.*s': item %s was dropped: it %s", PK_FMT(to->table->name),
             pk_fault_key(&to->arena, key), fault);
    pk_batch_delete(&to->batch, key);
}

static void stage_collection(struct rebuild *to)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    if (to->table->local_count > 0 && to->collection.len > 0) {
        pk_layout_meta_id(&key, PK_META_COLLECTION, to->table->id,
                          pk_layout_position(pk_buf_slice(&to->collection)));
        pk_buf_add_u64be(&value, to->collection_bytes);
        pk_batch_put(&to->batch, pk_buf_slice(&key), pk_buf_slice(&value));
    }
    pk_buf_release(&key);
    pk_buf_release(&value);
}

static void enter_collection(struct rebuild *to, pk_slice row)
{
    pk_slice rest = pk_position_codes(pk_layout_position(row));
    pk_slice code;

    if (to->collection.len > 0 && pk_slice_starts(row, pk_buf_slice(&to->collection)))
        return;
    stage_collection(to);
    pk_buf_clear(&to->collection);
    to->collection_bytes = 0;
    if (pk_key_take_code(&rest, &code))
        pk_buf_add(&to->collection, pk_slice_of(row.data, row.len - rest.len));
}

static void add_row(struct rebuild *to, pk_slice key, pk_slice record)
{
    struct pk_counters *counters = pk_table_counters(to->table);
    pk_view item;
    uint64_t size = 0;

    if (pk_row_fault(to->table, key, record, &item, &size) != NULL)
        return;
    enter_collection(to, key);
    to->collection_bytes += size;
    pk_counters_add(counters, pk_partitions_id_of(&to->table->partitions, key),
                    (struct pk_tally){1, (int64_t)size});
    for (size_t i = 0; i < to->table->index_count; i++) {
        const struct pk_index *index = &to->table->indexes[i];
        struct pk_index_entry entry;

        if (!pk_index_entry_of(to->table, index, item, &to->arena, &entry))
            continue;
        pk_record_put(&to->batch, entry.key, entry.size, entry.item);
        pk_counters_add_index(counters, index->id, pk_partitions_counted_by(index, entry.key),
                              (struct pk_tally){1, (int64_t)entry.size});
        if (index->local)
            to->collection_bytes += entry.size;
    }
}

static enum pk_code empty_range(struct pk_engine *engine, pk_slice prefix, struct pk_error *err)
{
    struct pk_buf upper = PK_BUF_INIT;
    enum pk_code rc = pk_store_delete_range(engine->store, pk_range_prefix(prefix, &upper), err);

    pk_buf_release(&upper);
    return rc;
}

static enum pk_code empty_derived(const struct rebuild *to, struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < to->table->index_count && rc == PK_OK; i++) {
        const struct pk_index *index = &to->table->indexes[i];

        pk_buf_clear(&prefix);
        pk_layout_id(&prefix, index->local ? PK_SPACE_LSI : PK_SPACE_GSI, index->id);
        rc = empty_range(to->engine, pk_buf_slice(&prefix), err);
    }
    if (rc == PK_OK) {
        pk_buf_clear(&prefix);
        pk_layout_meta_id(&prefix, PK_META_COLLECTION, to->table->id, (pk_slice){NULL, 0});
        rc = empty_range(to->engine, pk_buf_slice(&prefix), err);
    }
    pk_buf_release(&prefix);
    return rc;
}

/* Streams read what is left of the log. */
static void drop_bad_change(struct rebuild *to, pk_slice key, pk_slice value)
{
    const char *fault = pk_log_fault(&to->judge, key, value);

    if (fault == NULL)
        return;
    pk_fault(to->lost, "table '%.*s': a change record was dropped: it %s", PK_FMT(to->table->name),
             fault);
    pk_batch_delete(&to->batch, key);
}

/* The indexes have what the rows have: nothing of the log is left for them. */
static enum pk_code skip_log(struct rebuild *to, struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(to->table);
    uint64_t next = pk_log_next(&log->log);

    for (size_t i = to->table->local_count; i < to->table->index_count; i++) {
        uint32_t id = to->table->indexes[i].id;

        pk_cursor_stage_drop(&pk_table_log_reader(log, id)->cursor, &to->batch);
        pk_table_log_remove_reader(log, id);
        pk_cursor_stage_begin(&pk_table_log_add_reader(log, id, next)->cursor, next, &to->batch);
    }
    pk_log_stage_mark(&log->log, &to->batch);
    return flush(to, err);
}

static enum pk_code rebuild_table(struct pk_engine *engine, const struct pk_table *table,
                                  struct pk_faults *lost, struct pk_error *err)
{
    struct rebuild to = {.engine = engine,
                         .table = table,
                         .lost = lost,
                         .batch = PK_BATCH_INIT,
                         .judge = pk_log_judge_new(table)};
    enum pk_code rc = walk(&to, PK_SPACE_TABLE, drop_bad_row, err);

    if (rc == PK_OK)
        rc = flush(&to, err);
    if (rc == PK_OK)
        rc = empty_derived(&to, err);
    pk_counters_clear(pk_table_counters(table));
    if (rc == PK_OK)
        rc = walk(&to, PK_SPACE_TABLE, add_row, err);
    if (rc == PK_OK) {
        stage_collection(&to);
        rc = flush(&to, err);
    }
    if (rc == PK_OK)
        rc = walk(&to, PK_SPACE_CHANGE, drop_bad_change, err);
    if (rc == PK_OK)
        rc = skip_log(&to, err);
    pk_batch_release(&to.batch);
    pk_buf_release(&to.collection);
    pk_log_judge_release(&to.judge);
    pk_arena_release(&to.arena);
    return rc;
}

/* Keeps the ids of rows whose table is not known. */
static enum pk_code reserve_orphans(struct pk_engine *engine, struct pk_error *err)
{
    static const enum pk_space spaces[] = {PK_SPACE_TABLE, PK_SPACE_LSI, PK_SPACE_GSI,
                                           PK_SPACE_BACKUP};
    const struct pk_snap *live = pk_store_live(engine->store);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]) && rc == PK_OK; i++) {
        uint32_t id = 0;

        while (rc == PK_OK && pk_row_next_id(live, spaces[i], &id, &rc, err))
            rc = pk_catalog_reserve(&engine->catalog, engine->store, id, err);
    }
    return rc;
}

enum pk_code pk_rebuild(struct pk_engine *engine, struct pk_faults *lost, struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = reserve_orphans(engine, err);

    pk_recount_abandon(&engine->recount);
    pk_split_counts_abandon(&engine->split_counts);
    for (size_t i = 0; i < count && rc == PK_OK; i++)
        rc = rebuild_table(engine, tables[i], lost, err);
    for (size_t i = 0; i < count && rc == PK_OK; i++)
        rc = pk_ttl_rebuild(engine, tables[i], err);
    if (rc == PK_OK)
        rc = pk_backup_rebuild(engine, lost, err);
    pk_catalog_free_all(tables, count);
    return rc;
}
