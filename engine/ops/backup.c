/* See the header. */
#include "engine/ops/backup.h"

#include <stdlib.h>

#include "engine/ops/ddl.h"
#include "engine/table/backup_form.h"
#include "engine/table/descriptor.h"

/* Reading definitions --------------------------------------------------------------------------*/

/* Where a walk over the definitions puts what it finds. */
struct found {
    struct pk_arena *arena;
    struct pk_backup *list; /* arena */
    size_t count, cap;
};

static struct pk_backup *next_slot(struct found *found)
{
    if (found->count == found->cap) {
        size_t cap = found->cap == 0 ? 8 : 2 * found->cap;
        struct pk_backup *list = PK_NEW_ARRAY(found->arena, struct pk_backup, cap);

        if (found->count > 0)
            memcpy(list, found->list, found->count * sizeof(*list));
        found->list = list;
        found->cap = cap;
    }
    return &found->list[found->count];
}

enum pk_code pk_backup_read_all(const struct pk_snap *snap, struct pk_arena *arena,
                                struct pk_backup **list, size_t *count,
                                const struct pk_backup_damaged *damaged, struct pk_error *err)
{
    struct found found = {.arena = arena};
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    enum pk_code rc;

    pk_layout_meta(&prefix, PK_META_BACKUP, (pk_slice){NULL, 0});
    iter = pk_iter_new(snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        struct pk_backup *slot = next_slot(&found);
        struct pk_error ignored = PK_ERROR_INIT;
        pk_slice name = {NULL, 0};

        (void)pk_layout_parse_meta(pk_iter_key(iter), PK_META_BACKUP, &name);
        if (pk_backup_load(name, pk_iter_value(iter), arena, slot, &ignored) == PK_OK)
            found.count++;
        else if (damaged != NULL)
            damaged->tell(damaged->context, slot->id);
        pk_error_release(&ignored);
    }
    rc = pk_iter_status(iter, err);
    if (rc != PK_OK)
        pk_backup_release_all(found.list, found.count);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    *list = rc == PK_OK ? found.list : NULL;
    *count = rc == PK_OK ? found.count : 0;
    return rc;
}

static bool is_named(const struct pk_backup *backup, const struct pk_backup_name *name)
{
    return pk_slice_equal(backup->label, name->label) &&
           pk_slice_equal(backup->table->name, name->table);
}

enum pk_code pk_backup_find(struct pk_engine *engine, struct pk_arena *arena,
                            const struct pk_backup_name *name, struct pk_backup *backup,
                            struct pk_error *err)
{
    uint32_t id = pk_backup_label_id(name->label);
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    bool found = false;
    enum pk_code rc = pk_engine_need_store(engine, err);

    *backup = (struct pk_backup){.id = 0};
    if (rc != PK_OK)
        return rc;
    pk_layout_meta_id(&key, PK_META_BACKUP, id, (pk_slice){NULL, 0});
    rc = pk_store_get(engine->store, pk_buf_slice(&key), &value, &found, err);
    if (rc == PK_OK && found)
        rc = pk_backup_load(pk_slice_skip(pk_buf_slice(&key), 2), pk_buf_slice(&value), arena,
                            backup, err);
    if (rc == PK_OK && (!found || !is_named(backup, name))) {
        pk_backup_release(backup);
        rc = pk_fail(err, PK_E_BACKUP_NOT_FOUND, "%s", "");
    }
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

enum pk_code pk_engine_backup(struct pk_engine *engine, struct pk_call *call,
                              const struct pk_backup_name *name, struct pk_backup *backup,
                              struct pk_error *err)
{
    return pk_backup_find(engine, call->arena, name, backup, err);
}

enum pk_code pk_engine_list_backups(struct pk_engine *engine, struct pk_call *call,
                                    struct pk_backup **list, size_t *count, struct pk_error *err)
{
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK)
        return rc;
    return pk_backup_read_all(pk_store_live(engine->store), call->arena, list, count, NULL, err);
}

/* Jobs -----------------------------------------------------------------------------------------*/

/* A backup that is being copied. */
struct pk_backup_job {
    struct pk_arena arena; /* of the definition */
    struct pk_backup backup;
    struct pk_snap *snap;
    struct pk_iter *iter; /* at the next row */
    struct pk_backup_job *next;
};

static void free_job(struct pk_backup_job *job)
{
    if (job == NULL)
        return;
    pk_iter_free(job->iter);
    pk_snap_free(job->snap);
    pk_backup_release(&job->backup);
    pk_arena_release(&job->arena);
    free(job);
}

void pk_backup_jobs_init(struct pk_backup_jobs *jobs)
{
    *jobs = (struct pk_backup_jobs){.first = NULL};
    pthread_mutex_init(&jobs->lock, NULL);
}

void pk_backup_jobs_clear(struct pk_backup_jobs *jobs)
{
    while (jobs->first != NULL) {
        struct pk_backup_job *job = jobs->first;

        jobs->first = job->next;
        free_job(job);
    }
}

void pk_backup_jobs_release(struct pk_backup_jobs *jobs)
{
    pk_backup_jobs_clear(jobs);
    pthread_mutex_destroy(&jobs->lock);
}

static void add_job(struct pk_backup_jobs *jobs, struct pk_backup_job *job_take)
{
    struct pk_backup_job **end = &jobs->first;

    pthread_mutex_lock(&jobs->lock);
    while (*end != NULL)
        end = &(*end)->next;
    *end = job_take;
    pthread_mutex_unlock(&jobs->lock);
}

static struct pk_backup_job *first_job(struct pk_backup_jobs *jobs)
{
    struct pk_backup_job *job;

    pthread_mutex_lock(&jobs->lock);
    job = jobs->first;
    pthread_mutex_unlock(&jobs->lock);
    return job;
}

/* The first is the caller's from now on. */
static void take_first(struct pk_backup_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->first = jobs->first->next;
    pthread_mutex_unlock(&jobs->lock);
}

/* Copying --------------------------------------------------------------------------------------*/

static void begin_rows(struct pk_backup_job *job)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;

    pk_layout_id(&prefix, PK_SPACE_TABLE, job->backup.table->id);
    job->iter =
        pk_iter_new(job->snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    pk_iter_seek_first(job->iter);
    job->backup.items = 0;
    job->backup.bytes = 0;
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
}

/* A damaged row is check's to tell; it is no part of the backup. */
static void copy_row(struct pk_backup_job *job, struct pk_buf *key, struct pk_batch *batch)
{
    pk_slice record = pk_iter_value(job->iter);
    pk_view item;
    size_t size = 0;

    if (!pk_record_open(record, &item, &size))
        return;
    pk_buf_clear(key);
    pk_layout_moved(key, PK_SPACE_BACKUP, job->backup.id, pk_iter_key(job->iter));
    pk_batch_put(batch, pk_buf_slice(key), record);
    job->backup.items++;
    job->backup.bytes += size;
}

/* The next rows, in one commit, and with the last of them the definition. What was copied before it
 * failed is swept when the store is opened again. */
static enum pk_code copy_some(struct pk_engine *engine, struct pk_backup_job *job, size_t rows,
                              size_t *bytes, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    bool end;
    enum pk_code rc;

    for (size_t i = 0; i < rows && batch.bytes.len < PK_COPY_COMMIT_BYTES; i++) {
        if (!pk_iter_valid(job->iter))
            break;
        copy_row(job, &key, &batch);
        pk_iter_next(job->iter);
    }
    *bytes = batch.bytes.len;
    end = !pk_iter_valid(job->iter);
    rc = pk_iter_status(job->iter, err);
    if (rc == PK_OK && end) {
        job->backup.status = PK_BACKUP_AVAILABLE;
        pk_backup_stage(&job->backup, &batch);
    }
    if (rc == PK_OK && batch.count > 0)
        rc = pk_store_commit(engine->store, &batch, end ? PK_COMMIT_SYNC : PK_COMMIT_FAST, err);
    pk_batch_release(&batch);
    pk_buf_release(&key);
    return rc;
}

static bool is_done(const struct pk_backup_job *job)
{
    return job->backup.status == PK_BACKUP_AVAILABLE;
}

/* A snapshot that cannot be read to its end makes no backup. */
static enum pk_code copy(struct pk_engine *engine, struct pk_backup_job *job,
                         struct pk_copy_budget budget, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && !is_done(job) && budget.rows > 0 && budget.bytes > 0) {
        size_t rows = budget.rows < PK_COPY_COMMIT_ROWS ? budget.rows : PK_COPY_COMMIT_ROWS;
        size_t bytes = 0;

        rc = copy_some(engine, job, rows, &bytes, err);
        budget.rows -= rows;
        budget.bytes -= bytes < budget.bytes ? bytes : budget.bytes;
    }
    if (rc == PK_E_CORRUPT) {
        struct pk_error ignored = PK_ERROR_INIT;

        pthread_mutex_lock(&engine->catalog.ddl);
        (void)!pk_catalog_drop_backup(&engine->catalog, engine->store, job->backup.id, &ignored);
        pthread_mutex_unlock(&engine->catalog.ddl);
        pk_error_release(&ignored);
    }
    return rc;
}

enum pk_code pk_backup_tick(struct pk_engine *engine, struct pk_copy_budget budget, bool *more,
                            struct pk_error *err)
{
    struct pk_backup_job *job = first_job(&engine->backups);
    enum pk_code rc;

    *more = false;
    if (job == NULL)
        return PK_OK;
    rc = copy(engine, job, budget, err);
    if (is_done(job) || rc == PK_E_CORRUPT) {
        take_first(&engine->backups);
        free_job(job);
    }
    *more = rc == PK_OK && first_job(&engine->backups) != NULL;
    return rc;
}

/* Creating -------------------------------------------------------------------------------------*/

static enum pk_code find_source(struct pk_engine *engine, pk_slice name, struct pk_table **table,
                                struct pk_error *err)
{
    *table = pk_catalog_get(&engine->catalog, name);
    if (*table == NULL)
        return pk_fail(err, PK_E_TABLE_NOT_FOUND, "Table not found: %.*s", PK_FMT(name));
    if (!pk_table_serves(*table))
        return pk_fail(err, PK_E_TABLE_IN_USE, "Table is being %s: %.*s",
                       (*table)->status == PK_STATUS_CREATING ? "created" : "deleted",
                       PK_FMT(name));
    return PK_OK;
}

/* Under ddl: the definition and the rows are those of one moment, for a commit that needs another
 * definition is seen by no snapshot that was taken before that. */
static enum pk_code begin(struct pk_engine *engine, pk_slice table, pk_slice name,
                          struct pk_backup_job *job, struct pk_error *err)
{
    struct pk_backup *backup = &job->backup;
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_tally total;
    enum pk_code rc = find_source(engine, table, &backup->table, err);

    if (rc != PK_OK)
        return rc;
    job->snap = pk_snap_new(engine->store);
    total = pk_counters_total(pk_table_counters(backup->table));
    backup->id = pk_catalog_next_id(&engine->catalog, &batch);
    backup->name = pk_arena_dup(&job->arena, name);
    backup->created_ms = pk_clock_now(&engine->clock);
    backup->label = pk_backup_label(&job->arena, backup->created_ms, backup->id);
    backup->items = total.items > 0 ? (uint64_t)total.items : 0;
    backup->bytes = total.bytes > 0 ? (uint64_t)total.bytes : 0;
    pk_backup_stage(backup, &batch);
    rc = pk_store_commit(engine->store, &batch, PK_COMMIT_SYNC, err);
    if (rc == PK_OK)
        pk_catalog_took_id(&engine->catalog, backup->id);
    pk_batch_release(&batch);
    return rc;
}

/* What the caller gets: as it is now, in its own arena. */
static void hand_out(const struct pk_backup *from, struct pk_arena *arena, struct pk_backup *to)
{
    *to = *from;
    to->name = pk_arena_dup(arena, from->name);
    to->label = pk_arena_dup(arena, from->label);
    to->table = pk_table_ref(from->table);
}

enum pk_code pk_engine_create_backup(struct pk_engine *engine, struct pk_call *call, pk_slice table,
                                     pk_slice name, struct pk_backup *backup, struct pk_error *err)
{
    const struct pk_copy_budget budget = {PK_COPY_ROWS_AT_ONCE, PK_COPY_BYTES_AT_ONCE};
    struct pk_backup_job *job;
    enum pk_code rc = pk_engine_need_store(engine, err);

    *backup = (struct pk_backup){.id = 0};
    if (rc != PK_OK)
        return rc;
    job = pk_calloc(1, sizeof(*job));
    pthread_mutex_lock(&engine->catalog.ddl);
    rc = begin(engine, table, name, job, err);
    pthread_mutex_unlock(&engine->catalog.ddl);
    if (rc == PK_OK) {
        hand_out(&job->backup, call->arena, backup);
        begin_rows(job);
        rc = copy(engine, job, budget, err);
    }
    if (rc == PK_OK && is_done(job)) {
        backup->items = job->backup.items;
        backup->bytes = job->backup.bytes;
    }
    if (rc == PK_OK && !is_done(job))
        add_job(&engine->backups, job);
    else
        free_job(job);
    if (rc != PK_OK)
        pk_backup_release(backup);
    return rc;
}

/* Deleting -------------------------------------------------------------------------------------*/

/* A table is being restored from it. */
static bool is_read(struct pk_engine *engine, uint32_t id)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    bool read = false;

    for (size_t i = 0; i < count; i++)
        read = read || tables[i]->restore.copying == id;
    pk_catalog_free_all(tables, count);
    return read;
}

enum pk_code pk_engine_delete_backup(struct pk_engine *engine, struct pk_call *call,
                                     const struct pk_backup_name *name, struct pk_backup *backup,
                                     struct pk_error *err)
{
    enum pk_code rc;

    pthread_mutex_lock(&engine->catalog.ddl);
    rc = pk_backup_find(engine, call->arena, name, backup, err);
    if (rc == PK_OK && backup->status == PK_BACKUP_CREATING)
        rc =
            pk_fail(err, PK_E_BACKUP_IN_USE, "Backup is being created: %.*s", PK_FMT(backup->name));
    else if (rc == PK_OK && is_read(engine, backup->id))
        rc = pk_fail(err, PK_E_BACKUP_IN_USE, "A table is being restored from backup: %.*s",
                     PK_FMT(backup->name));
    if (rc == PK_OK)
        rc = pk_catalog_drop_backup(&engine->catalog, engine->store, backup->id, err);
    pthread_mutex_unlock(&engine->catalog.ddl);
    if (rc != PK_OK)
        pk_backup_release(backup);
    else
        backup->status = PK_BACKUP_DELETED;
    return rc;
}

/* Opening --------------------------------------------------------------------------------------*/

enum pk_code pk_backup_open_all(struct pk_engine *engine, struct pk_error *err)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_backup *list = NULL;
    size_t count = 0;
    enum pk_code rc =
        pk_backup_read_all(pk_store_live(engine->store), &arena, &list, &count, NULL, err);

    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        if (list[i].status == PK_BACKUP_CREATING)
            rc = pk_catalog_drop_backup(&engine->catalog, engine->store, list[i].id, err);
    }
    pk_backup_release_all(list, count);
    pk_arena_release(&arena);
    return rc;
}
