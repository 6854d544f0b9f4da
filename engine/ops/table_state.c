/* See the header. */
#include "engine/ops/table_state.h"

#include "engine/ops/ddl.h"
#include "engine/table/descriptor.h"

/* One that is being restored is CREATING until its items are there, too. */
static bool is_passing(const struct pk_table *table)
{
    return !pk_table_serves(table) && table->restore.copying == 0;
}

/* Under ddl, so that a table that was dropped meanwhile does not come back. */
static enum pk_code end_state(struct pk_engine *engine, struct pk_table *table,
                              struct pk_error *err)
{
    struct pk_table *copy;
    enum pk_code rc;

    if (table->status == PK_STATUS_DELETING)
        return pk_ddl_drop(engine, table, err);
    copy = pk_table_copy(table);
    copy->status = PK_STATUS_ACTIVE;
    copy->until_ms = 0;
    rc = pk_ddl_publish(engine, copy, err);
    pk_table_unref(copy);
    return rc;
}

enum pk_code pk_table_state_tick(struct pk_engine *engine, int64_t now_ms, struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables;
    enum pk_code rc = PK_OK;

    if (pk_table_state_next_due(engine) > now_ms)
        return PK_OK;
    pthread_mutex_lock(&engine->catalog.ddl);
    tables = pk_catalog_all(&engine->catalog, &count);
    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        if (is_passing(tables[i]) && tables[i]->until_ms <= now_ms)
            rc = end_state(engine, tables[i], err);
    }
    pk_catalog_free_all(tables, count);
    pthread_mutex_unlock(&engine->catalog.ddl);
    return rc;
}

int64_t pk_table_state_next_due(struct pk_engine *engine)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    int64_t due_ms = INT64_MAX;

    for (size_t i = 0; i < count; i++) {
        if (is_passing(tables[i]) && tables[i]->until_ms < due_ms)
            due_ms = tables[i]->until_ms;
    }
    pk_catalog_free_all(tables, count);
    return due_ms;
}
