/* Readers sit in slots that never move, so that a read can ask without a lock how far an index
 * is. */
#include "engine/ops/table_log.h"

#include <stdlib.h>

#include "engine/log/stream.h"
#include "engine/ops/capacity.h"

/* Life -----------------------------------------------------------------------------------------*/

static void free_log(struct pk_companion *companion)
{
    struct pk_table_log *log = (struct pk_table_log *)companion;

    for (size_t i = 0; i < PK_GSI_MAX + 1; i++)
        pk_cursor_release(&log->readers[i].cursor);
    pk_capacity_free(log->capacity);
    pthread_mutex_destroy(&log->apply);
    pk_log_release(&log->log);
    free(log);
}

void pk_table_log_new(struct pk_table *table)
{
    struct pk_table_log *log = pk_calloc(1, sizeof(*log));

    atomic_init(&log->companion.refs, 1);
    log->companion.free = free_log;
    log->capacity = pk_capacity_new(table->id);
    pk_log_init(&log->log, table->id, 1);
    if (pthread_mutex_init(&log->apply, NULL) != 0)
        pk_bug("a lock cannot be made");
    for (size_t i = 0; i < PK_GSI_MAX + 1; i++) {
        atomic_init(&log->readers[i].index_id, 0);
        atomic_init(&log->readers[i].applied, 0);
    }
    for (size_t i = table->local_count; i < table->index_count; i++)
        pk_table_log_add_reader(log, table->indexes[i].id, 0);
    pk_table_set_companion(table, &log->companion);
}

struct pk_table_log *pk_table_log(const struct pk_table *table)
{
    return (struct pk_table_log *)pk_table_companion(table);
}

/* A table that was there before: reads log and cursors. */
static enum pk_code open_log(struct pk_table *table, struct pk_store *store, struct pk_error *err)
{
    struct pk_table_log *log;
    enum pk_code rc;

    pk_table_log_new(table);
    log = pk_table_log(table);
    rc = pk_log_open(&log->log, store, err);
    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++) {
        struct pk_cursor *cursor = &pk_table_log_reader(log, table->indexes[i].id)->cursor;

        rc = pk_cursor_load(cursor, pk_store_live(store), err);
        if (rc == PK_OK)
            pk_log_raise(&log->log, pk_cursor_max(cursor));
    }
    pk_log_raise(&log->log, pk_stream_next_sequence(table));
    return rc;
}

enum pk_code pk_table_log_open_all(struct pk_engine *engine, struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        rc = open_log(tables[i], engine->store, err);
        if (rc == PK_OK)
            pk_capacity_define(engine, tables[i]);
    }
    pk_catalog_free_all(tables, count);
    return rc;
}

bool pk_table_log_wanted(const struct pk_table *table)
{
    if (table->stream != PK_STREAM_OFF)
        return true;
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (table->indexes[i].status != PK_STATUS_DELETING)
            return true;
    }
    return false;
}

/* Readers --------------------------------------------------------------------------------------*/

struct pk_index_reader *pk_table_log_reader(struct pk_table_log *log, uint32_t index_id)
{
    for (size_t i = 0; i < PK_GSI_MAX + 1; i++) {
        if (atomic_load(&log->readers[i].index_id) == index_id)
            return &log->readers[i];
    }
    return NULL;
}

struct pk_index_reader *pk_table_log_add_reader(struct pk_table_log *log, uint32_t index_id,
                                                uint64_t begin)
{
    struct pk_index_reader *reader = pk_table_log_reader(log, 0);

    if (reader == NULL)
        pk_bug("no slot is free for the reader of index %u", index_id);
    reader->cursor =
        (struct pk_cursor){.table_id = log->log.table_id, .reader = index_id, .begin = begin};
    atomic_store(&reader->applied, begin);
    atomic_store(&reader->index_id, index_id);
    return reader;
}

void pk_table_log_remove_reader(struct pk_table_log *log, uint32_t index_id)
{
    struct pk_index_reader *reader = pk_table_log_reader(log, index_id);

    if (reader == NULL)
        return;
    atomic_store(&reader->index_id, 0);
    pk_cursor_release(&reader->cursor);
}
