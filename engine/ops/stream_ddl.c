/* A stream that is enabled begins with the next sequence of the log, and one that is disabled ends
 * before it: what is in flight over there concurs with the definition. */
#include "engine/ops/stream_ddl.h"

#include "engine/log/stream.h"
#include "engine/ops/ddl.h"
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

/* Rollover -------------------------------------------------------------------------------------*/

/* Shards of a younger age would be too many to keep for the retention. */
#define ROLLOVER_MIN_MS UINT64_C(60000)

/* 0: never. */
static uint64_t rollover_age(struct pk_engine *engine)
{
    uint64_t age_ms = atomic_load(&engine->stream_rollover_ms);

    return age_ms == 0 || age_ms > ROLLOVER_MIN_MS ? age_ms : ROLLOVER_MIN_MS;
}

static int64_t rollover_due(const struct pk_table *table, uint64_t age_ms)
{
    if (table->stream == PK_STREAM_OFF)
        return INT64_MAX;
    return pk_stream_rollover_due(&table->streams[table->stream_count - 1], age_ms);
}

/* A record's shard follows from its sequence alone, so writers with the old descriptor at hand do
 * no harm. Under catalog.ddl. */
static enum pk_code roll_over(struct pk_engine *engine, const struct pk_table *table,
                              int64_t now_ms, struct pk_error *err)
{
    struct pk_table *copy = pk_table_copy(table);
    struct pk_rollover rollover = {now_ms, rollover_age(engine), retention(engine),
                                   pk_log_next(&pk_table_log(table)->log)};
    enum pk_code rc = PK_OK;

    if (pk_stream_roll_over(&copy->streams[copy->stream_count - 1], pk_table_arena(copy),
                            &rollover))
        rc = pk_ddl_publish(engine, copy, err);
    pk_table_unref(copy);
    return rc;
}

static enum pk_code roll_over_all(struct pk_engine *engine, int64_t now_ms, struct pk_error *err)
{
    uint64_t age_ms = rollover_age(engine);
    size_t count = 0;
    struct pk_table **tables;
    enum pk_code rc = PK_OK;

    if (age_ms == 0)
        return PK_OK;
    pthread_mutex_lock(&engine->catalog.ddl);
    tables = pk_catalog_all(&engine->catalog, &count);
    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        if (rollover_due(tables[i], age_ms) <= now_ms)
            rc = roll_over(engine, tables[i], now_ms, err);
    }
    pk_catalog_free_all(tables, count);
    pthread_mutex_unlock(&engine->catalog.ddl);
    return rc;
}

static int64_t next_rollover(struct pk_engine *engine)
{
    uint64_t age_ms = rollover_age(engine);
    size_t count = 0;
    int64_t due_ms = INT64_MAX;
    struct pk_table **tables;

    if (age_ms == 0)
        return INT64_MAX;
    tables = pk_catalog_all(&engine->catalog, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t due = rollover_due(tables[i], age_ms);

        due_ms = due < due_ms ? due : due_ms;
    }
    pk_catalog_free_all(tables, count);
    return due_ms;
}

/* Ticking --------------------------------------------------------------------------------------*/

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
    if (rc == PK_OK)
        rc = roll_over_all(engine, now_ms, err);
    return rc;
}

int64_t pk_stream_next_due(struct pk_engine *engine)
{
    size_t count = 0;
    struct pk_table **departed = pk_catalog_departed(&engine->catalog, &count);
    int64_t due_ms = next_rollover(engine);

    for (size_t i = 0; i < count; i++) {
        int64_t over = over_ms(engine, departed[i]);

        due_ms = over < due_ms ? over : due_ms;
    }
    pk_catalog_free_all(departed, count);
    return due_ms;
}
