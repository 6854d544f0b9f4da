/* A backup's row is that of its table but for space and id, so it is judged as the row of a table
 * that has the backup's id. */
#include "engine/ops/backup_check.h"

#include <inttypes.h>

#include "engine/ops/backup.h"
#include "engine/ops/row_check.h"
#include "engine/table/backup_form.h"

enum { CANCEL_EVERY = 256, COMMIT_ROWS = 500 };

/* One backup while its rows are read. */
struct walk {
    struct pk_backup *backup; /* its table has the backup's id meanwhile */
    struct pk_faults *faults;
    struct pk_buf row; /* the key as of a table */
    struct pk_arena arena;
    uint64_t items, bytes;
};

/* What is wrong with the row, or NULL; then it was counted. */
static const char *judge(struct walk *to, pk_slice key, pk_slice record)
{
    const char *fault;
    uint64_t size = 0;
    pk_view item;

    pk_arena_clear(&to->arena);
    pk_buf_clear(&to->row);
    pk_layout_moved(&to->row, PK_SPACE_TABLE, to->backup->id, key);
    fault = pk_row_fault(to->backup->table, pk_buf_slice(&to->row), record, &item, &size);
    if (fault != NULL)
        return fault;
    to->items++;
    to->bytes += size;
    return NULL;
}

static struct pk_iter *rows_of(const struct pk_snap *snap, uint32_t id)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;

    pk_layout_id(&prefix, PK_SPACE_BACKUP, id);
    iter = pk_iter_new(snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    pk_iter_seek_first(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return iter;
}

static void walk_begin(struct walk *to, struct pk_backup *backup, struct pk_faults *faults)
{
    *to = (struct walk){.backup = backup, .faults = faults, .row = PK_BUF_INIT};
    backup->table->id = backup->id;
}

static void walk_end(struct walk *to)
{
    pk_buf_release(&to->row);
    pk_arena_release(&to->arena);
}

/* Check ----------------------------------------------------------------------------------------*/

/* A block that cannot be read is a fault, not the end of the check. */
static enum pk_code end_of_rows(const struct walk *to, const struct pk_iter *iter,
                                struct pk_error *err)
{
    struct pk_error status = PK_ERROR_INIT;
    enum pk_code rc = pk_iter_status(iter, &status);

    if (rc == PK_E_CORRUPT) {
        pk_fault(to->faults, "backup '%.*s': %s", PK_FMT(to->backup->name), status.message);
        pk_error_release(&status);
        return PK_OK;
    }
    if (rc != PK_OK)
        pk_error_move(err, &status);
    return rc;
}

static enum pk_code check_rows(const struct pk_backup_check *check, struct walk *to,
                               struct pk_error *err)
{
    struct pk_iter *iter = rows_of(check->snap, to->backup->id);
    size_t n = 0;
    enum pk_code rc = PK_OK;

    for (; pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
        const char *fault = judge(to, pk_iter_key(iter), pk_iter_value(iter));

        if (fault != NULL)
            pk_fault(to->faults, "backup '%.*s': item %s: %s", PK_FMT(to->backup->name),
                     pk_fault_key(&to->arena, pk_iter_key(iter)), fault);
        if (++n % CANCEL_EVERY == 0)
            rc = pk_call_check(check->call, err);
    }
    if (rc == PK_OK)
        rc = end_of_rows(to, iter, err);
    pk_iter_free(iter);
    return rc;
}

/* One that is being created has what was copied so far. */
static void compare_counts(const struct walk *to)
{
    const struct pk_backup *backup = to->backup;

    if (backup->status == PK_BACKUP_AVAILABLE &&
        (to->items != backup->items || to->bytes != backup->bytes))
        pk_fault(to->faults,
                 "backup '%.*s' has %" PRIu64 " items, %" PRIu64 " bytes; recorded are %" PRIu64
                 " and %" PRIu64,
                 PK_FMT(backup->name), to->items, to->bytes, backup->items, backup->bytes);
}

static enum pk_code check_one(const struct pk_backup_check *check, struct pk_backup *backup,
                              struct pk_error *err)
{
    struct walk to;
    enum pk_code rc;

    walk_begin(&to, backup, check->faults);
    rc = check_rows(check, &to, err);
    if (rc == PK_OK)
        compare_counts(&to);
    check->result->backups++;
    check->result->bytes += to.bytes;
    walk_end(&to);
    return rc;
}

static bool is_known(const struct pk_backup_check *check, const struct pk_backup *list,
                     size_t count, uint32_t id)
{
    for (size_t i = 0; i < check->retired_count; i++) {
        if (check->retired[i].id == id)
            return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i].id == id)
            return true;
    }
    return false;
}

static enum pk_code check_orphans(const struct pk_backup_check *check, const struct pk_backup *list,
                                  size_t count, struct pk_error *err)
{
    uint32_t id = 0;
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && pk_row_next_id(check->snap, PK_SPACE_BACKUP, &id, &rc, err)) {
        if (!is_known(check, list, count, id))
            pk_fault(check->faults, "there are rows of an unknown backup, number %u", id);
    }
    return rc;
}

static void tell_damaged(void *context, uint32_t id)
{
    pk_fault(context, "the definition of backup number %u is damaged", id);
}

enum pk_code pk_backup_check(const struct pk_backup_check *check, struct pk_error *err)
{
    const struct pk_backup_damaged damaged = {tell_damaged, check->faults};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_backup *list = NULL;
    size_t count = 0;
    enum pk_code rc = pk_backup_read_all(check->snap, &arena, &list, &count, &damaged, err);

    for (size_t i = 0; i < count && rc == PK_OK; i++)
        rc = check_one(check, &list[i], err);
    if (rc == PK_OK)
        rc = check_orphans(check, list, count, err);
    pk_backup_release_all(list, count);
    pk_arena_release(&arena);
    return rc;
}

/* Repair ---------------------------------------------------------------------------------------*/

static enum pk_code drop_bad_rows(struct pk_engine *engine, struct walk *to, struct pk_error *err)
{
    struct pk_iter *iter = rows_of(pk_store_live(engine->store), to->backup->id);
    struct pk_batch batch = PK_BATCH_INIT;
    enum pk_code rc = PK_OK;

    for (; pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
        const char *fault = judge(to, pk_iter_key(iter), pk_iter_value(iter));

        if (fault == NULL)
            continue;
        pk_fault(to->faults, "backup '%.*s': item %s was dropped: it %s", PK_FMT(to->backup->name),
                 pk_fault_key(&to->arena, pk_iter_key(iter)), fault);
        pk_batch_delete(&batch, pk_iter_key(iter));
        if (batch.count < COMMIT_ROWS)
            continue;
        rc = pk_store_commit(engine->store, &batch, PK_COMMIT_FAST, err);
        pk_batch_clear(&batch);
    }
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    if (rc == PK_OK && batch.count > 0)
        rc = pk_store_commit(engine->store, &batch, PK_COMMIT_FAST, err);
    pk_iter_free(iter);
    pk_batch_release(&batch);
    return rc;
}

/* Says what the backup has now. */
static enum pk_code recount(struct pk_engine *engine, struct walk *to, uint32_t table_id,
                            struct pk_error *err)
{
    struct pk_backup *backup = to->backup;
    struct pk_batch batch = PK_BATCH_INIT;
    enum pk_code rc = PK_OK;

    if (to->items != backup->items || to->bytes != backup->bytes) {
        pk_fault(to->faults,
                 "backup '%.*s' has %" PRIu64 " items, %" PRIu64 " bytes; it had %" PRIu64
                 " and %" PRIu64,
                 PK_FMT(backup->name), to->items, to->bytes, backup->items, backup->bytes);
        backup->items = to->items;
        backup->bytes = to->bytes;
        backup->table->id = table_id;
        pk_backup_stage(backup, &batch);
        rc = pk_store_commit(engine->store, &batch, PK_COMMIT_FAST, err);
    }
    pk_batch_release(&batch);
    return rc;
}

/* Ids of damaged definitions, to be dropped once the walk over them is over. */
struct damaged {
    struct pk_buf ids; /* 4 bytes each */
};

static void note_damaged(void *context, uint32_t id)
{
    struct damaged *damaged = context;

    if (id != 0)
        pk_buf_add_u32be(&damaged->ids, id);
}

static enum pk_code drop_damaged(struct pk_engine *engine, const struct damaged *damaged,
                                 struct pk_faults *lost, struct pk_error *err)
{
    pk_slice rest = pk_buf_slice(&damaged->ids);
    uint32_t id = 0;
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && pk_take_u32be(&rest, &id)) {
        pk_fault(lost, "backup number %u was dropped: its definition is damaged", id);
        rc = pk_catalog_drop_backup(&engine->catalog, engine->store, id, err);
    }
    return rc;
}

enum pk_code pk_backup_rebuild(struct pk_engine *engine, struct pk_faults *lost,
                               struct pk_error *err)
{
    struct damaged found = {PK_BUF_INIT};
    const struct pk_backup_damaged damaged = {note_damaged, &found};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_backup *list = NULL;
    size_t count = 0;
    enum pk_code rc =
        pk_backup_read_all(pk_store_live(engine->store), &arena, &list, &count, &damaged, err);

    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        uint32_t table_id = list[i].table->id;
        struct walk to;

        walk_begin(&to, &list[i], lost);
        rc = drop_bad_rows(engine, &to, err);
        if (rc == PK_OK)
            rc = recount(engine, &to, table_id, err);
        walk_end(&to);
    }
    if (rc == PK_OK)
        rc = drop_damaged(engine, &found, lost, err);
    pk_backup_release_all(list, count);
    pk_buf_release(&found.ids);
    pk_arena_release(&arena);
    return rc;
}
