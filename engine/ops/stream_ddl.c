/* A stream that is enabled begins with the next sequence of the log, and one that is disabled ends
 * before it: what is in flight over there concurs with the definition. */
#include "engine/ops/stream_ddl.h"

#include "engine/log/stream.h"
#include "engine/ops/table_log.h"
#include "engine/table/descriptor.h"

static uint64_t retention(struct pk_engine *engine)
{
    return atomic_load(&engine->stream_retention_ms);
}

/* No earlier than the label of a dropped table's stream of that name: labels tell them apart. */
static int64_t free_label(struct pk_engine *engine, pk_slice table, int64_t now_ms)
{
    size_t count = 0;
    struct pk_table **departed = pk_catalog_departed(&engine->catalog, &count);

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < departed[i]->stream_count; k++) {
            if (pk_slice_equal(departed[i]->name, table) &&
                departed[i]->streams[k].label_ms >= now_ms)
                now_ms = departed[i]->streams[k].label_ms + 1;
        }
    }
    pk_catalog_free_all(departed, count);
    return now_ms;
}

void pk_stream_create(struct pk_engine *engine, struct pk_table *table, int64_t now_ms)
{
    if (table->stream != PK_STREAM_OFF)
        pk_stream_open(table, pk_table_arena(table), free_label(engine, table->name, now_ms), 1);
}

enum pk_code pk_stream_change(struct pk_engine *engine, struct pk_table *table,
                              enum pk_stream_view view, int64_t now_ms, struct pk_error *err)
{
    uint64_t next = pk_log_next(&pk_table_log(table)->log);

    if ((view != PK_STREAM_OFF) == (table->stream != PK_STREAM_OFF))
        return pk_fail(err, PK_E_VALIDATION,
                       view != PK_STREAM_OFF
                           ? "Table already has an enabled stream: TableName: %.*s"
                           : "Table does not have a stream to disable: "
                             "TableName: %.*s",
                       PK_FMT(table->name));
    (void)pk_stream_forget(table, now_ms, retention(engine));
    if (view == PK_STREAM_OFF) {
        pk_stream_close(table, now_ms, next);
    } else {
        table->stream = view;
        pk_stream_open(table, pk_table_arena(table), free_label(engine, table->name, now_ms), next);
    }
    return PK_OK;
}

struct pk_table *pk_stream_depart(struct pk_engine *engine, const struct pk_table *table,
                                  int64_t now_ms)
{
    struct pk_table *departed = pk_table_copy(table);

    (void)pk_stream_forget(departed, now_ms, retention(engine));
    if (departed->stream_count == 0) {
        pk_table_unref(departed);
        return NULL;
    }
    /* Writers may be at work still: what they commit before the drop belongs to the stream. */
    if (departed->stream != PK_STREAM_OFF)
        pk_stream_close(departed, now_ms, INT64_MAX);
    return departed;
}

/* When the last stream of a dropped table is over. */
static int64_t over_ms(struct pk_engine *engine, const struct pk_table *departed)
{
    return departed->streams[departed->stream_count - 1].closed_ms + (int64_t)retention(engine) + 1;
}

enum pk_code pk_stream_tick(struct pk_engine *engine, int64_t now_ms, struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **departed = pk_catalog_departed(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        if (over_ms(engine, departed[i]) <= now_ms)
            rc = pk_catalog_forget(&engine->catalog, engine->store, departed[i], err);
    }
    pk_catalog_free_all(departed, count);
    return rc;
}

int64_t pk_stream_next_due(struct pk_engine *engine)
{
    size_t count = 0;
    struct pk_table **departed = pk_catalog_departed(&engine->catalog, &count);
    int64_t due_ms = INT64_MAX;

    for (size_t i = 0; i < count; i++) {
        int64_t over = over_ms(engine, departed[i]);

        due_ms = over < due_ms ? over : due_ms;
    }
    pk_catalog_free_all(departed, count);
    return due_ms;
}
