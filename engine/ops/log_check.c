/* The log is read by itself; whether the indexes agree with it is seen where their rows are. */
#include "engine/ops/log_check.h"

#include "engine/ops/row_check.h"

static bool is_item(const struct pk_table *table, pk_view image)
{
    return image.len == 0 || (pk_view_check(image) && pk_row_has_key(table, image));
}

const char *pk_log_fault(const struct pk_table *table, pk_slice key, pk_slice value, uint64_t next)
{
    struct pk_change change;

    if (!pk_change_open(key, value, &change))
        return "is no record";
    if (change.sequence >= next)
        return "has a number that was not drawn";
    if (!is_item(table, change.before) || !is_item(table, change.after))
        return "holds no item of the table";
    return NULL;
}

static enum pk_code check_records(const struct pk_table *table, const struct pk_snap *snap,
                                  struct pk_faults *faults, struct pk_error *err)
{
    uint64_t next = pk_log_next(&pk_table_log(table)->log);
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    enum pk_code rc;

    pk_layout_id(&prefix, PK_SPACE_CHANGE, table->id);
    iter = pk_iter_new(snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        const char *fault = pk_log_fault(table, pk_iter_key(iter), pk_iter_value(iter), next);

        if (fault != NULL)
            pk_fault(faults, "table '%.*s': a change record %s", PK_FMT(table->name), fault);
    }
    rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

static enum pk_code check_cursors(const struct pk_table *table, const struct pk_snap *snap,
                                  struct pk_faults *faults, struct pk_error *err)
{
    uint64_t next = pk_log_next(&pk_table_log(table)->log);
    enum pk_code rc = PK_OK;

    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++) {
        struct pk_cursor cursor = {.table_id = table->id, .reader = table->indexes[i].id};

        rc = pk_cursor_load(&cursor, snap, err);
        if (rc == PK_OK && pk_cursor_max(&cursor) > next)
            pk_fault(faults, "table '%.*s': index '%.*s' has read beyond the end of the change log",
                     PK_FMT(table->name), PK_FMT(table->indexes[i].name));
        pk_cursor_release(&cursor);
    }
    return rc;
}

/* What cannot be read is a fault, not the end of the check. */
static enum pk_code tell(const struct pk_table *table, enum pk_code rc, struct pk_faults *faults,
                         struct pk_error *failed, struct pk_error *err)
{
    if (rc == PK_E_CORRUPT) {
        pk_fault(faults, "table '%.*s': %s", PK_FMT(table->name), failed->message);
        pk_error_release(failed);
        return PK_OK;
    }
    if (rc != PK_OK)
        pk_error_move(err, failed);
    return rc;
}

enum pk_code pk_log_check(const struct pk_table *table, const struct pk_snap *snap,
                          struct pk_faults *faults, struct pk_error *err)
{
    struct pk_error failed = PK_ERROR_INIT;
    enum pk_code rc = check_records(table, snap, faults, &failed);

    rc = tell(table, rc, faults, &failed, err);
    if (rc == PK_OK) {
        rc = check_cursors(table, snap, faults, &failed);
        rc = tell(table, rc, faults, &failed, err);
    }
    return rc;
}
