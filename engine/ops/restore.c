/* See the header; engine/backup.h has the contract of the operation. */
#include "engine/ops/restore.h"

#include <stdlib.h>

#include "engine/ops/ddl.h"
#include "engine/ops/table_log.h"
#include "engine/ops/tallies.h"
#include "engine/store/key_code.h"
#include "engine/store/position.h"
#include "engine/table/descriptor.h"
#include "engine/table/index.h"
#include "engine/table/partition_map.h"
#include "engine/table/table_spec.h"

#define PREFIX "One or more parameter values were invalid: "

/* The new table's definition -------------------------------------------------------------------*/

/* The backup's table and what the request wants otherwise become what CreateTable would be given,
 * and its checks are those of CreateTable. */
struct making {
    const struct pk_table *from;
    const struct pk_restore_request *request;
    struct pk_arena *arena;
    struct pk_table_spec spec;
};

static const struct pk_key_element *elements_of(struct pk_arena *arena,
                                                const struct pk_key_schema *key, size_t *count)
{
    struct pk_key_element *elements =
        PK_NEW_ARRAY(arena, struct pk_key_element, (size_t)key->hash_count + key->range_count);
    size_t n = 0;

    for (size_t i = 0; i < key->hash_count; i++)
        elements[n++] = (struct pk_key_element){key->hash[i].name, false};
    for (size_t i = 0; i < key->range_count; i++)
        elements[n++] = (struct pk_key_element){key->range[i].name, true};
    *count = n;
    return elements;
}

static struct pk_index_spec index_spec_of(const struct making *to, const struct pk_index *index)
{
    struct pk_index_spec spec = {
        .name = index->name,
        .local = index->local,
        .projection_given = true,
        .projection_type_given = true,
        .projection = index->projection,
        .include = index->include,
        .include_count = index->include_count,
        .include_given = index->projection == PK_PROJECT_INCLUDE,
        .throughput = {.read = index->throughput.read, .write = index->throughput.write},
        .max = index->max,
    };

    spec.keys = elements_of(to->arena, &index->key, &spec.key_count);
    spec.throughput_given =
        !index->local && to->from->billing == PK_PROVISIONED && to->spec.billing == PK_PROVISIONED;
    return spec;
}

static bool same_keys(const struct pk_index_spec *a, const struct pk_index_spec *b)
{
    if (a->key_count != b->key_count)
        return false;
    for (size_t i = 0; i < a->key_count; i++) {
        if (a->keys[i].range != b->keys[i].range ||
            !pk_slice_equal(a->keys[i].name, b->keys[i].name))
            return false;
    }
    return true;
}

/* The names of INCLUDE in any order. */
static bool same_projection(const struct pk_index_spec *a, const struct pk_index_spec *b)
{
    if (a->projection != b->projection || a->include_count != b->include_count)
        return false;
    for (size_t i = 0; i < a->include_count; i++) {
        bool found = false;

        for (size_t k = 0; k < b->include_count; k++)
            found = found || pk_slice_equal(a->include[i], b->include[k]);
        if (!found)
            return false;
    }
    return true;
}

/* One index that is asked for: it must be one of the backup's. */
static enum pk_code choose_index(const struct making *to, const struct pk_index_spec *wanted,
                                 struct pk_index_spec *chosen, struct pk_error *err)
{
    for (size_t i = 0; i < to->from->index_count; i++) {
        const struct pk_index *index = &to->from->indexes[i];

        if (index->local != wanted->local || !pk_slice_equal(index->name, wanted->name))
            continue;
        *chosen = index_spec_of(to, index);
        if (!same_keys(chosen, wanted) || !same_projection(chosen, wanted))
            break;
        if (wanted->throughput_given) {
            chosen->throughput_given = true;
            chosen->throughput = wanted->throughput;
        }
        if (wanted->max.read >= 0 || wanted->max.write >= 0)
            chosen->max = wanted->max;
        return PK_OK;
    }
    return pk_fail(err, PK_E_VALIDATION,
                   PREFIX "Index %.*s is none of the backup's: indexes can be left out of a "
                          "restore, not added or changed",
                   PK_FMT(wanted->name));
}

/* The indexes of one kind: those asked for, or all. */
static enum pk_code choose_indexes(const struct making *to, bool local,
                                   const struct pk_index_spec **list, size_t *count,
                                   struct pk_error *err)
{
    const struct pk_restore_request *request = to->request;
    bool given = local ? request->locals_given : request->globals_given;
    const struct pk_index_spec *wanted = local ? request->locals : request->globals;
    size_t wanted_count = local ? request->local_count : request->global_count;
    struct pk_index_spec *specs =
        PK_NEW_ARRAY(to->arena, struct pk_index_spec, wanted_count + to->from->index_count);
    enum pk_code rc = PK_OK;

    *list = specs;
    *count = 0;
    for (size_t i = 0; i < wanted_count && rc == PK_OK; i++)
        rc = choose_index(to, &wanted[i], &specs[(*count)++], err);
    for (size_t i = 0; i < to->from->index_count && !given; i++) {
        if (to->from->indexes[i].local == local)
            specs[(*count)++] = index_spec_of(to, &to->from->indexes[i]);
    }
    return rc;
}

static bool is_key_of(const struct pk_index_spec *specs, size_t count, pk_slice name)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < specs[i].key_count; k++) {
            if (pk_slice_equal(specs[i].keys[k].name, name))
                return true;
        }
    }
    return false;
}

/* Those that are still of use. */
static void choose_attributes(struct making *to)
{
    struct pk_table_spec *spec = &to->spec;
    struct pk_key_attr *attributes =
        PK_NEW_ARRAY(to->arena, struct pk_key_attr, to->from->attribute_count);

    for (size_t i = 0; i < to->from->attribute_count; i++) {
        pk_slice name = to->from->attributes[i].name;

        if (pk_key_schema_has(&to->from->key, name) ||
            is_key_of(spec->locals, spec->local_count, name) ||
            is_key_of(spec->globals, spec->global_count, name))
            attributes[spec->attribute_count++] = to->from->attributes[i];
    }
    spec->attributes = attributes;
}

static enum pk_code make_spec(struct making *to, struct pk_error *err)
{
    const struct pk_restore_request *request = to->request;
    const struct pk_table *from = to->from;
    struct pk_table_spec *spec = &to->spec;
    enum pk_code rc;

    *spec = (struct pk_table_spec){
        .name = request->target,
        .billing = request->billing_given ? request->billing : from->billing,
        .throughput_given = request->throughput_given,
        .throughput = request->throughput,
        .max = request->max_given ? request->max : from->max,
        .class_given = from->class_given,
        .infrequent_access = from->infrequent_access,
    };
    if (!spec->throughput_given && spec->billing == PK_PROVISIONED &&
        from->billing == PK_PROVISIONED) {
        spec->throughput_given = true;
        spec->throughput.read = from->throughput.read;
        spec->throughput.write = from->throughput.write;
    }
    spec->keys = elements_of(to->arena, &from->key, &spec->key_count);
    rc = choose_indexes(to, true, &spec->locals, &spec->local_count, err);
    if (rc == PK_OK)
        rc = choose_indexes(to, false, &spec->globals, &spec->global_count, err);
    if (rc != PK_OK)
        return rc;
    choose_attributes(to);
    return pk_table_spec_check(spec, err);
}

/* Beginning ------------------------------------------------------------------------------------*/

static enum pk_code check_target(struct pk_engine *engine, pk_slice name, struct pk_error *err)
{
    struct pk_table *existing = pk_catalog_get(&engine->catalog, name);
    enum pk_code rc = PK_OK;

    if (existing != NULL && !pk_table_serves(existing))
        rc = pk_fail(err, PK_E_TABLE_IN_USE, "Table is being %s: %.*s",
                     existing->status == PK_STATUS_CREATING ? "created" : "deleted", PK_FMT(name));
    else if (existing != NULL)
        rc = pk_fail(err, PK_E_TABLE_EXISTS, "Table already exists: %.*s", PK_FMT(name));
    pk_table_unref(existing);
    return rc;
}

/* Under ddl. *table: a reference to what was published. */
static enum pk_code begin(struct pk_engine *engine, struct making *to,
                          const struct pk_backup *backup, struct pk_table **table,
                          struct pk_error *err)
{
    struct pk_table *made;
    enum pk_code rc = make_spec(to, err);

    if (rc == PK_OK)
        rc = check_target(engine, to->request->target, err);
    if (rc != PK_OK)
        return rc;
    made = pk_ddl_make(engine, &to->spec);
    made->status = PK_STATUS_CREATING;
    made->restore = (struct pk_restore){
        .source = pk_arena_dup(pk_table_arena(made), backup->table->name),
        .label = pk_arena_dup(pk_table_arena(made), backup->label),
        .at_ms = made->created_ms,
        .copying = backup->id,
    };
    rc = pk_catalog_add(&engine->catalog, engine->store, made, err);
    if (rc == PK_OK)
        *table = pk_table_ref(made);
    pk_table_unref(made);
    return rc;
}

/* Copying --------------------------------------------------------------------------------------*/

/* One commit. */
struct chunk {
    struct pk_engine *engine;
    const struct pk_table *table;
    struct pk_iter *iter; /* over the backup's rows */
    struct pk_arena arena;
    struct pk_batch batch;
    struct pk_buf key;
    struct pk_buf collection; /* key prefix of the one under way */
    uint64_t collection_bytes;
    struct pk_tallies tallies;
    size_t row_count;
};

static void collection_key(const struct chunk *to, struct pk_buf *key)
{
    pk_layout_meta_id(key, PK_META_COLLECTION, to->table->id,
                      pk_layout_position(pk_buf_slice(&to->collection)));
}

static void stage_collection(struct chunk *to)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    if (to->table->local_count > 0 && to->collection.len > 0) {
        collection_key(to, &key);
        pk_buf_add_u64be(&value, to->collection_bytes);
        pk_batch_put(&to->batch, pk_buf_slice(&key), pk_buf_slice(&value));
    }
    pk_buf_release(&key);
    pk_buf_release(&value);
}

/* The chunk before may have ended in the middle of this one. */
static enum pk_code load_collection(struct chunk *to, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    bool found = false;
    pk_slice rest;
    enum pk_code rc;

    collection_key(to, &key);
    rc = pk_store_get(to->engine->store, pk_buf_slice(&key), &value, &found, err);
    rest = pk_buf_slice(&value);
    if (rc == PK_OK && found && !pk_take_u64be(&rest, &to->collection_bytes))
        rc = pk_fail(err, PK_E_CORRUPT, "the size of an item collection is damaged");
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

/* row: the key in the new table. */
static enum pk_code enter_collection(struct chunk *to, pk_slice row, struct pk_error *err)
{
    pk_slice rest = pk_position_codes(pk_layout_position(row));
    bool first = to->collection.len == 0;
    pk_slice code;

    if (to->table->local_count == 0 ||
        (!first && pk_slice_starts(row, pk_buf_slice(&to->collection))))
        return PK_OK;
    stage_collection(to);
    pk_buf_clear(&to->collection);
    to->collection_bytes = 0;
    if (pk_key_take_code(&rest, &code))
        pk_buf_add(&to->collection, pk_slice_of(row.data, row.len - rest.len));
    return first && to->collection.len > 0 ? load_collection(to, err) : PK_OK;
}

static void stage_entries(struct chunk *to, pk_view item)
{
    for (size_t i = 0; i < to->table->index_count; i++) {
        const struct pk_index *index = &to->table->indexes[i];
        struct pk_index_entry entry;

        if (!pk_index_entry_of(to->table, index, item, &to->arena, &entry))
            continue;
        pk_record_put(&to->batch, entry.key, entry.size, entry.item);
        pk_tallies_add(&to->tallies, index->id, pk_partitions_counted_by(index, entry.key),
                       (struct pk_tally){1, (int64_t)entry.size});
        if (index->local)
            to->collection_bytes += entry.size;
    }
}

static enum pk_code copy_row(struct chunk *to, struct pk_error *err)
{
    pk_slice record = pk_iter_value(to->iter);
    pk_view item;
    size_t size = 0;
    enum pk_code rc;

    /* A damaged row is check's to tell; it is passed over, so that the last row says where to go
     * on. */
    if (!pk_record_open(record, &item, &size))
        return PK_OK;
    pk_buf_clear(&to->key);
    pk_layout_moved(&to->key, PK_SPACE_TABLE, to->table->id, pk_iter_key(to->iter));
    rc = enter_collection(to, pk_buf_slice(&to->key), err);
    if (rc != PK_OK)
        return rc;
    pk_tallies_add(&to->tallies, 0,
                   pk_partitions_id_of(&to->table->partitions, pk_buf_slice(&to->key)),
                   (struct pk_tally){1, (int64_t)size});
    to->row_count++;
    to->collection_bytes += size;
    pk_batch_put(&to->batch, pk_buf_slice(&to->key), record);
    stage_entries(to, item);
    pk_arena_clear(&to->arena);
    return PK_OK;
}

/* Makes the iterator stand on the row after the last one that is there. */
static enum pk_code go_on(struct chunk *to, struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_buf from = PK_BUF_INIT;
    struct pk_iter *last;
    enum pk_code rc;

    pk_layout_id(&prefix, PK_SPACE_TABLE, to->table->id);
    last = pk_iter_new(pk_store_live(to->engine->store),
                       pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    pk_iter_seek_last(last);
    if (pk_iter_valid(last))
        pk_layout_moved(&from, PK_SPACE_BACKUP, to->table->restore.copying, pk_iter_key(last));
    rc = pk_iter_status(last, err);
    pk_iter_free(last);
    pk_buf_clear(&prefix);
    pk_layout_id(&prefix, PK_SPACE_BACKUP, to->table->restore.copying);
    to->iter = pk_iter_new(pk_store_live(to->engine->store),
                           pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    pk_iter_seek(to->iter, from.len > 0 ? pk_buf_slice(&from) : pk_buf_slice(&prefix));
    if (pk_iter_valid(to->iter) && pk_slice_equal(pk_iter_key(to->iter), pk_buf_slice(&from)))
        pk_iter_next(to->iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    pk_buf_release(&from);
    return rc;
}

/* Under apply, so that a check sees rows and counters agree. */
static enum pk_code copy_chunk(struct chunk *to, size_t rows, bool *end, struct pk_error *err)
{
    enum pk_code rc = go_on(to, err);

    while (to->row_count < rows && rc == PK_OK && pk_iter_valid(to->iter) &&
           to->batch.bytes.len < PK_COPY_COMMIT_BYTES) {
        rc = copy_row(to, err);
        pk_iter_next(to->iter);
    }
    if (rc == PK_OK)
        rc = pk_iter_status(to->iter, err);
    *end = !pk_iter_valid(to->iter);
    if (rc != PK_OK || to->row_count == 0)
        return rc;
    stage_collection(to);
    rc = pk_store_commit(to->engine->store, &to->batch, PK_COMMIT_FAST, err);
    if (rc == PK_OK)
        pk_tallies_apply(&to->tallies, pk_table_counters(to->table));
    return rc;
}

/* The next commit's worth; *bytes is what it was, *end: it was the last. */
static enum pk_code copy_some(struct pk_engine *engine, const struct pk_table *table, size_t rows,
                              size_t *bytes, bool *end, struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(table);
    struct chunk *to = pk_calloc(1, sizeof(*to));
    enum pk_code rc = PK_OK;

    to->engine = engine;
    to->table = table;
    pthread_mutex_lock(&log->apply);
    rc = copy_chunk(to, rows, end, err);
    pthread_mutex_unlock(&log->apply);
    *bytes = to->batch.bytes.len;
    pk_iter_free(to->iter);
    pk_batch_release(&to->batch);
    pk_buf_release(&to->key);
    pk_buf_release(&to->collection);
    pk_arena_release(&to->arena);
    pk_tallies_release(&to->tallies);
    free(to);
    return rc;
}

/* All is there. Whoever comes second finds it done. */
static enum pk_code finish(struct pk_engine *engine, const struct pk_table *table,
                           struct pk_error *err)
{
    struct pk_table *now;
    struct pk_table *copy = NULL;
    enum pk_code rc = PK_OK;

    pthread_mutex_lock(&engine->catalog.ddl);
    now = pk_catalog_get(&engine->catalog, table->name);
    if (now != NULL && now->id == table->id && now->restore.copying != 0) {
        copy = pk_table_copy(now);
        copy->restore.copying = 0;
        if (copy->until_ms <= pk_clock_now(&engine->clock)) {
            copy->status = PK_STATUS_ACTIVE;
            copy->until_ms = 0;
        }
        rc = pk_ddl_publish(engine, copy, err);
    }
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(now);
    pk_table_unref(copy);
    return rc;
}

static enum pk_code step(struct pk_engine *engine, const struct pk_table *table,
                         struct pk_copy_budget budget, struct pk_error *err)
{
    bool end = false;
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && !end && budget.rows > 0 && budget.bytes > 0) {
        size_t rows = budget.rows < PK_COPY_COMMIT_ROWS ? budget.rows : PK_COPY_COMMIT_ROWS;
        size_t bytes = 0;

        rc = copy_some(engine, table, rows, &bytes, &end, err);
        budget.rows -= rows;
        budget.bytes -= bytes < budget.bytes ? bytes : budget.bytes;
    }
    return rc == PK_OK && end ? finish(engine, table, err) : rc;
}

static bool is_due(struct pk_engine *engine)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    bool due = false;

    for (size_t i = 0; i < count; i++)
        due = due || tables[i]->restore.copying != 0;
    pk_catalog_free_all(tables, count);
    return due;
}

enum pk_code pk_restore_tick(struct pk_engine *engine, struct pk_copy_budget budget, bool *more,
                             struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        if (tables[i]->restore.copying != 0)
            rc = step(engine, tables[i], budget, err);
    }
    pk_catalog_free_all(tables, count);
    *more = rc == PK_OK && is_due(engine);
    return rc;
}

/* The operation --------------------------------------------------------------------------------*/

enum pk_code pk_engine_restore_backup(struct pk_engine *engine, struct pk_call *call,
                                      const struct pk_restore_request *request,
                                      struct pk_table **table, struct pk_error *err)
{
    const struct pk_copy_budget budget = {PK_COPY_ROWS_AT_ONCE, PK_COPY_BYTES_AT_ONCE};
    struct making to = {.request = request, .arena = call->arena};
    struct pk_error late = PK_ERROR_INIT;
    struct pk_backup backup;
    enum pk_code rc;

    pthread_mutex_lock(&engine->catalog.ddl);
    rc = pk_backup_find(engine, call->arena, &request->backup, &backup, err);
    to.from = backup.table;
    if (rc == PK_OK && backup.status == PK_BACKUP_CREATING)
        rc = pk_fail(err, PK_E_BACKUP_IN_USE, "Backup is being created: %.*s", PK_FMT(backup.name));
    if (rc == PK_OK)
        rc = begin(engine, &to, &backup, table, err);
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_backup_release(&backup);
    /* The table is there now: what fails from here on is tried again by ticks. */
    if (rc == PK_OK && step(engine, *table, budget, &late) != PK_OK)
        pk_error_release(&late);
    return rc;
}
