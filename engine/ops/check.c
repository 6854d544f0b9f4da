/*
 * Reads everything and compares (design: nothing but the rows of the tables is believed).
 *
 * While all latches are held for a moment nothing commits: a snapshot is taken and the counters are
 * copied, so they must agree to the byte although writes go on while the check runs. An index is
 * right when each item's entry is in it, as it should be, and it has no more rows than that. A GSI
 * that has not followed yet is compared with what it has seen.
 */
#include "engine/ops/core.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/ops/backup_check.h"
#include "engine/ops/fault.h"
#include "engine/ops/log_check.h"
#include "engine/ops/pending.h"
#include "engine/ops/propagate.h"
#include "engine/ops/row_check.h"
#include "engine/ops/ttl_check.h"
#include "engine/store/key_code.h"
#include "engine/store/position.h"
#include "engine/table/descriptor.h"
#include "engine/table/index.h"
#include "engine/table/partition_map.h"

/* One more GSI than there may be: created while another one goes. */
enum { INDEXES_MAX = PK_GSI_MAX + PK_LSI_MAX + 1 };
enum { RECOUNT_ROWS = 20000, CANCEL_EVERY = 256 };

struct check {
    struct pk_engine *engine;
    struct pk_call *call;
    struct pk_faults faults;
    struct pk_check_result *result;
    struct pk_snap *snap;
    struct pk_table **tables;
    size_t table_count;
    struct pk_counters **counted; /* the tables' counters as they were at the snapshot */
    struct pk_retired *retired;
    size_t retired_count;
};

/* One table while its rows are read. */
struct table_check {
    struct check *all;
    const struct pk_table *table;
    struct pk_counters *found;
    struct pk_arena arena; /* cleared after each row */
    uint64_t index_rows[INDEXES_MAX];
    struct pk_pending pending[INDEXES_MAX]; /* of GSIs: what they have not seen */
    struct pk_buf collection;               /* key prefix of the one under way */
    uint64_t collection_bytes;
    uint64_t collections;
};

/* Preparing ------------------------------------------------------------------------------------*/

/* Under ddl no further split can begin. */
static enum pk_code finish_split_counts(struct check *check, struct pk_error *err)
{
    bool more = true;

    while (more) {
        enum pk_code rc =
            pk_split_counts_step(&check->engine->split_counts, RECOUNT_ROWS, &more, err);

        if (rc == PK_OK)
            rc = pk_call_check(check->call, err);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static enum pk_code finish_recount(struct check *check, struct pk_error *err)
{
    bool more = true;

    while (more) {
        enum pk_code rc = pk_recount_step(&check->engine->recount, RECOUNT_ROWS, &more, err);

        if (rc == PK_OK)
            rc = pk_call_check(check->call, err);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

/* Without lag nothing should be waiting: what the check must remember of it stays small. */
static enum pk_code bring_forward(struct check *check, struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&check->engine->catalog, &count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK; i++)
        rc = pk_propagate_all(check->engine, tables[i], err);
    pk_catalog_free_all(tables, count);
    return rc;
}

/* Under ddl. */
static void take_state(struct check *check)
{
    struct pk_engine *engine = check->engine;

    check->tables = pk_catalog_all(&engine->catalog, &check->table_count);
    check->retired = pk_catalog_retired(&engine->catalog, &check->retired_count);
    check->counted = pk_calloc(check->table_count, sizeof(struct pk_counters *));
    for (size_t i = 0; i < check->table_count; i++)
        pthread_mutex_lock(&pk_table_log(check->tables[i])->apply);
    pk_latch_lock_all(&engine->latches);
    check->snap = pk_snap_new(engine->store);
    for (size_t i = 0; i < check->table_count; i++)
        check->counted[i] = pk_counters_dup(pk_table_counters(check->tables[i]));
    pk_latch_unlock_all(&engine->latches);
    for (size_t i = check->table_count; i > 0; i--)
        pthread_mutex_unlock(&pk_table_log(check->tables[i - 1])->apply);
}

static void free_state(struct check *check)
{
    pk_snap_free(check->snap);
    for (size_t i = 0; i < check->table_count; i++)
        pk_counters_unref(check->counted[i]);
    free(check->counted);
    free(check->retired);
    pk_catalog_free_all(check->tables, check->table_count);
}

/* A block that cannot be read is a fault, not the end of the check. */
static enum pk_code end_of_walk(struct check *check, const struct pk_iter *iter, pk_slice table,
                                struct pk_error *err)
{
    struct pk_error status = PK_ERROR_INIT;
    enum pk_code rc = pk_iter_status(iter, &status);

    if (rc == PK_E_CORRUPT) {
        pk_fault(&check->faults, "table '%.*s': %s", PK_FMT(table), status.message);
        pk_error_release(&status);
        return PK_OK;
    }
    if (rc != PK_OK)
        pk_error_move(err, &status);
    return rc;
}

/* Index entries --------------------------------------------------------------------------------*/

/* An index that is built, or goes, has what it has: only its rows are counted. */
static bool is_complete(const struct pk_index *index)
{
    return index->status != PK_STATUS_CREATING && index->status != PK_STATUS_DELETING;
}

/* item: as the index has seen it. */
static enum pk_code check_entry(struct table_check *to, size_t i, pk_slice row, pk_view item,
                                struct pk_error *err)
{
    const struct pk_index *index = &to->table->indexes[i];
    struct pk_index_entry entry;
    struct pk_buf stored = PK_BUF_INIT;
    struct pk_buf wanted = PK_BUF_INIT;
    bool found = false;
    enum pk_code rc;

    if (!pk_index_entry_of(to->table, index, item, &to->arena, &entry))
        return PK_OK;
    rc = pk_snap_get(to->all->snap, entry.key, &stored, &found, err);
    pk_record_wrap(&wanted, entry.size, entry.item);
    if (rc == PK_OK && !found)
        pk_fault(&to->all->faults, "table '%.*s': index '%.*s' lacks the entry of item %s",
                 PK_FMT(to->table->name), PK_FMT(index->name), pk_fault_key(&to->arena, row));
    else if (rc == PK_OK && !pk_slice_equal(pk_buf_slice(&stored), pk_buf_slice(&wanted)))
        pk_fault(&to->all->faults, "table '%.*s': index '%.*s' has an old entry of item %s",
                 PK_FMT(to->table->name), PK_FMT(index->name), pk_fault_key(&to->arena, row));
    pk_counters_add_index(to->found, index->id, pk_partitions_counted_by(index, entry.key),
                          (struct pk_tally){1, (int64_t)entry.size});
    to->index_rows[i]++;
    if (index->local)
        to->collection_bytes += entry.size;
    to->all->result->index_entries++;
    pk_buf_release(&stored);
    pk_buf_release(&wanted);
    return rc;
}

/* The entries of items of which the index has not seen the last changes. */
static enum pk_code check_pending(struct table_check *to, size_t i, struct pk_error *err)
{
    size_t cursor = 0;
    pk_slice row;
    void *value = NULL;
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && pk_map_next(&to->pending[i].items, &cursor, &row, &value)) {
        const struct pk_pending_item *item = value;

        pk_arena_clear(&to->arena);
        rc = check_entry(to, i, row, item->before, err);
    }
    return rc;
}

/* The item a row of the index speaks of, as the index has seen it; missing: none. */
static enum pk_code item_behind(struct table_check *to, size_t i, pk_view entry, pk_view *item,
                                struct pk_error *err)
{
    struct pk_item_key key = pk_index_item_key(to->table, entry, &to->arena);
    const struct pk_pending_item *pending;
    struct pk_buf row = PK_BUF_INIT;
    struct pk_buf base = PK_BUF_INIT;
    bool found = false;
    enum pk_code rc = PK_OK;

    *item = PK_VIEW_MISSING;
    pk_layout_row(&row, to->table->id, &key);
    pending = pk_pending_get(&to->pending[i], pk_buf_slice(&row));
    if (pending != NULL)
        *item = pending->before;
    else
        rc = pk_snap_get(to->all->snap, pk_buf_slice(&row), &base, &found, err);
    if (found && pk_record_open(pk_buf_slice(&base), item, NULL))
        *item = pk_arena_dup(&to->arena, *item);
    pk_buf_release(&row);
    pk_buf_release(&base);
    return rc;
}

/* A row of an index that no item's entry accounts for. */
static enum pk_code check_stray(struct table_check *to, size_t i, pk_slice key, pk_slice record,
                                struct pk_error *err)
{
    const struct pk_index *index = &to->table->indexes[i];
    struct pk_index_entry entry = {0};
    pk_view item = PK_VIEW_MISSING;
    enum pk_code rc = PK_OK;

    if (pk_record_open(record, &item, NULL) && pk_row_has_key(to->table, item)) {
        rc = item_behind(to, i, item, &item, err);
        pk_index_entry_of(to->table, index, item, &to->arena, &entry);
    }
    if (rc == PK_OK && !pk_slice_equal(entry.key, key))
        pk_fault(&to->all->faults, "table '%.*s': index '%.*s' has an entry of no item: %s",
                 PK_FMT(to->table->name), PK_FMT(index->name), pk_fault_key(&to->arena, key));
    return rc;
}

static void count_incomplete(struct table_check *to, const struct pk_index *index, pk_slice row,
                             pk_slice record)
{
    pk_view item;
    size_t size = 0;

    if (pk_record_open(record, &item, &size))
        pk_counters_add_index(to->found, index->id, pk_partitions_counted_by(index, row),
                              (struct pk_tally){1, (int64_t)size});
}

/* Counts the index's rows; when there are too many, names those that are. */
static enum pk_code check_index(struct table_check *to, size_t i, struct pk_error *err)
{
    const struct pk_index *index = &to->table->indexes[i];
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    uint64_t rows = 0;
    enum pk_code rc = PK_OK;

    if (is_complete(index))
        rc = check_pending(to, i, err);
    if (rc != PK_OK)
        return rc;
    pk_layout_id(&prefix, index->local ? PK_SPACE_LSI : PK_SPACE_GSI, index->id);
    iter = pk_iter_new(to->all->snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        rows++;
        if (!is_complete(index))
            count_incomplete(to, index, pk_iter_key(iter), pk_iter_value(iter));
    }
    rc = end_of_walk(to->all, iter, to->table->name, err);
    if (rc == PK_OK && is_complete(index) && rows > to->index_rows[i]) {
        for (pk_iter_seek_first(iter); pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
            pk_arena_clear(&to->arena);
            rc = check_stray(to, i, pk_iter_key(iter), pk_iter_value(iter), err);
        }
    }
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

/* Collections ----------------------------------------------------------------------------------*/

/* The collection's rows are all read: compares its size row. */
static enum pk_code end_collection(struct table_check *to, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    uint64_t stored = 0;
    pk_slice rest;
    bool found = false;
    enum pk_code rc;

    if (to->table->local_count == 0 || to->collection.len == 0)
        return PK_OK;
    to->collections++;
    pk_layout_meta_id(&key, PK_META_COLLECTION, to->table->id,
                      pk_layout_position(pk_buf_slice(&to->collection)));
    rc = pk_snap_get(to->all->snap, pk_buf_slice(&key), &value, &found, err);
    rest = pk_buf_slice(&value);
    if (rc == PK_OK && (!pk_take_u64be(&rest, &stored) || stored != to->collection_bytes))
        pk_fault(&to->all->faults,
                 "table '%.*s': the item collection %s has %" PRIu64 " bytes, recorded are "
                 "%" PRIu64,
                 PK_FMT(to->table->name), pk_fault_key(&to->arena, pk_buf_slice(&to->collection)),
                 to->collection_bytes, stored);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

static enum pk_code enter_collection(struct table_check *to, pk_slice row, struct pk_error *err)
{
    pk_slice rest = pk_position_codes(pk_layout_position(row));
    pk_slice code;
    enum pk_code rc;

    if (to->collection.len > 0 && pk_slice_starts(row, pk_buf_slice(&to->collection)))
        return PK_OK;
    rc = end_collection(to, err);
    pk_buf_clear(&to->collection);
    to->collection_bytes = 0;
    if (pk_key_take_code(&rest, &code))
        pk_buf_add(&to->collection, pk_slice_of(row.data, row.len - rest.len));
    return rc;
}

static enum pk_code check_collection_rows(struct table_check *to, struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    uint64_t rows = 0;
    enum pk_code rc;

    pk_layout_meta_id(&prefix, PK_META_COLLECTION, to->table->id, (pk_slice){NULL, 0});
    iter = pk_iter_new(to->all->snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter))
        rows++;
    rc = end_of_walk(to->all, iter, to->table->name, err);
    if (rc == PK_OK && rows > to->collections)
        pk_fault(&to->all->faults,
                 "table '%.*s': %" PRIu64 " sizes of item collections are recorded, there are "
                 "%" PRIu64,
                 PK_FMT(to->table->name), rows, to->collections);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

/* Rows -----------------------------------------------------------------------------------------*/

static enum pk_code check_row(struct table_check *to, pk_slice key, pk_slice record,
                              struct pk_error *err)
{
    const char *fault;
    pk_view item = PK_VIEW_MISSING;
    uint64_t size = 0;
    enum pk_code rc = enter_collection(to, key, err);

    if (rc != PK_OK)
        return rc;
    fault = pk_row_fault(to->table, key, record, &item, &size);
    if (fault != NULL) {
        pk_fault(&to->all->faults, "table '%.*s': item %s: %s", PK_FMT(to->table->name),
                 pk_fault_key(&to->arena, key), fault);
        return PK_OK;
    }
    to->all->result->items++;
    to->all->result->bytes += size;
    to->collection_bytes += size;
    pk_counters_add(to->found, pk_partitions_id_of(&to->table->partitions, key),
                    (struct pk_tally){1, (int64_t)size});
    for (size_t i = 0; i < to->table->index_count && rc == PK_OK; i++) {
        if (is_complete(&to->table->indexes[i]) && pk_pending_get(&to->pending[i], key) == NULL)
            rc = check_entry(to, i, key, item, err);
    }
    if (rc == PK_OK)
        rc = pk_ttl_check_item(to->all->snap, to->table, key, item, &to->all->faults, err);
    return rc;
}

static enum pk_code check_rows(struct table_check *to, struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    size_t n = 0;
    enum pk_code rc = PK_OK;

    pk_layout_id(&prefix, PK_SPACE_TABLE, to->table->id);
    iter = pk_iter_new(to->all->snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
        pk_arena_clear(&to->arena);
        rc = check_row(to, pk_iter_key(iter), pk_iter_value(iter), err);
        if (rc == PK_OK && ++n % CANCEL_EVERY == 0)
            rc = pk_call_check(to->all->call, err);
    }
    if (rc == PK_OK)
        rc = end_of_walk(to->all, iter, to->table->name, err);
    if (rc == PK_OK)
        rc = end_collection(to, err);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

/* Counters -------------------------------------------------------------------------------------*/

static void compare_tally(struct table_check *to, const char *what, struct pk_tally counted,
                          struct pk_tally found)
{
    if (counted.items != found.items || counted.bytes != found.bytes)
        pk_fault(&to->all->faults,
                 "table '%.*s': %s has %" PRId64 " items, %" PRId64 " bytes; counted are %" PRId64
                 " and %" PRId64,
                 PK_FMT(to->table->name), what, found.items, found.bytes, counted.items,
                 counted.bytes);
}

static void check_counters(struct table_check *to, const struct pk_counters *counted)
{
    compare_tally(to, "all", pk_counters_total(counted), pk_counters_total(to->found));
    for (uint32_t i = 0; i < to->table->partitions.count; i++) {
        pk_slice what = pk_arena_printf(&to->arena, "partition %u", i);
        uint32_t id = to->table->partitions.list[i].id;

        compare_tally(to, what.data, pk_counters_partition(counted, id),
                      pk_counters_partition(to->found, id));
    }
    for (size_t i = 0; i < to->table->index_count; i++) {
        const struct pk_index *index = &to->table->indexes[i];
        pk_slice what = pk_arena_printf(&to->arena, "index '%.*s'", PK_FMT(index->name));

        compare_tally(to, what.data, pk_counters_index(counted, index->id),
                      pk_counters_index(to->found, index->id));
        for (uint32_t k = 0; k < index->partitions.count && !index->local; k++) {
            uint32_t id = index->partitions.list[k].id;
            pk_slice part = pk_arena_printf(&to->arena, "partition %u of %s", k, what.data);

            compare_tally(to, part.data, pk_counters_index_partition(counted, index->id, id),
                          pk_counters_index_partition(to->found, index->id, id));
        }
    }
}

/* Reads the change log, and what of it the GSIs have not applied. */
static enum pk_code check_log(struct table_check *to, struct pk_error *err)
{
    const struct pk_table *table = to->table;
    enum pk_code rc = pk_log_check(table, to->all->snap, &to->all->faults, err);

    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++) {
        struct pk_error damaged = PK_ERROR_INIT;

        rc = pk_pending_load(&to->pending[i], to->all->snap, table, &table->indexes[i], &damaged);
        if (rc == PK_E_CORRUPT) {
            pk_fault(&to->all->faults, "table '%.*s': index '%.*s': %s", PK_FMT(table->name),
                     PK_FMT(table->indexes[i].name), damaged.message);
            pk_error_release(&damaged);
            rc = PK_OK;
        }
        if (rc != PK_OK)
            pk_error_move(err, &damaged);
    }
    return rc;
}

static enum pk_code check_table(struct check *check, size_t at, struct pk_error *err)
{
    const struct pk_table *table = check->tables[at];
    struct table_check to = {.all = check, .table = table, .collection = PK_BUF_INIT};
    enum pk_code rc;

    to.found = pk_counters_dup(check->counted[at]);
    pk_counters_clear(to.found);
    check->result->tables++;
    rc = check_log(&to, err);
    if (rc == PK_OK)
        rc = check_rows(&to, err);
    for (size_t i = 0; i < table->index_count && rc == PK_OK; i++)
        rc = check_index(&to, i, err);
    if (rc == PK_OK && table->local_count > 0)
        rc = check_collection_rows(&to, err);
    if (rc == PK_OK)
        check_counters(&to, check->counted[at]);
    for (size_t i = 0; i < table->index_count; i++)
        pk_pending_release(&to.pending[i]);
    pk_counters_unref(to.found);
    pk_buf_release(&to.collection);
    pk_arena_release(&to.arena);
    return rc;
}

/* Orphans --------------------------------------------------------------------------------------*/

static bool is_known(const struct check *check, uint32_t id)
{
    for (size_t i = 0; i < check->retired_count; i++) {
        if (check->retired[i].id == id)
            return true;
    }
    return pk_row_owner(check->tables, check->table_count, id) != NULL;
}

static enum pk_code check_orphans(struct check *check, struct pk_error *err)
{
    static const enum pk_space spaces[] = {PK_SPACE_TABLE, PK_SPACE_LSI, PK_SPACE_GSI};
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < 3 && rc == PK_OK; i++) {
        uint32_t id = 0;

        while (rc == PK_OK && pk_row_next_id(check->snap, spaces[i], &id, &rc, err)) {
            if (!is_known(check, id))
                pk_fault(&check->faults, "there are rows of an unknown table or index, number %u",
                         id);
        }
    }
    return rc;
}

static enum pk_code check_backups(struct check *check, struct pk_error *err)
{
    const struct pk_backup_check of = {
        .snap = check->snap,
        .call = check->call,
        .retired = check->retired,
        .retired_count = check->retired_count,
        .faults = &check->faults,
        .result = check->result,
    };

    return pk_backup_check(&of, err);
}

enum pk_code pk_engine_check(struct pk_engine *engine, struct pk_call *call,
                             struct pk_check_report report, struct pk_check_result *result,
                             struct pk_error *err)
{
    struct check check = {
        .engine = engine, .call = call, .faults = {.report = report}, .result = result};
    enum pk_code rc = pk_engine_need_store(engine, err);

    *result = (struct pk_check_result){0};
    if (rc == PK_OK)
        rc = finish_recount(&check, err);
    if (rc != PK_OK)
        return rc;
    rc = bring_forward(&check, err);
    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&engine->catalog.ddl);
    rc = finish_split_counts(&check, err);
    if (rc == PK_OK)
        take_state(&check);
    pthread_mutex_unlock(&engine->catalog.ddl);
    for (size_t i = 0; i < check.table_count && rc == PK_OK; i++)
        rc = check_table(&check, i, err);
    if (rc == PK_OK)
        rc = check_orphans(&check, err);
    if (rc == PK_OK)
        rc = check_backups(&check, err);
    free_state(&check);
    pk_fault_finish(&check.faults);
    result->faults = check.faults.count;
    return rc;
}
