/* What every operation begins with. */
#include "engine/ops/core.h"

#include "engine/table/descriptor.h"

enum pk_code pk_engine_need_store(const struct pk_engine *engine, struct pk_error *err)
{
    if (engine->store == NULL)
        return pk_fail(err, PK_E_IO, "the store is not open: opening it again failed");
    return PK_OK;
}

enum pk_code pk_engine_need_table(struct pk_engine *engine, pk_slice name, struct pk_table **table,
                                  struct pk_error *err)
{
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK)
        return rc;
    *table = pk_catalog_get(&engine->catalog, name);
    if (*table != NULL && pk_table_serves(*table))
        return PK_OK;
    pk_table_unref(*table);
    *table = NULL;
    return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
}

enum pk_code pk_engine_need_snapshot(struct pk_engine *engine, pk_slice name,
                                     struct pk_table **table, struct pk_snap **snap,
                                     struct pk_error *err)
{
    for (;;) {
        enum pk_code rc = pk_engine_need_table(engine, name, table, err);

        if (rc != PK_OK)
            return rc;
        *snap = pk_snap_new(engine->store);
        /* Rows of a dropped table go only after its descriptor became stale. */
        if (!pk_table_is_stale(*table))
            return PK_OK;
        pk_snap_free(*snap);
        pk_table_unref(*table);
    }
}

struct pk_table *pk_engine_table(struct pk_engine *engine, pk_slice name)
{
    return pk_catalog_get(&engine->catalog, name);
}

size_t pk_engine_list_tables(struct pk_engine *engine, struct pk_call *call, pk_slice after,
                             size_t limit, pk_slice *names, bool *more)
{
    return pk_catalog_names(&engine->catalog, call->arena, after, limit, names, more);
}

static bool is_cancelled(const struct pk_call *call)
{
    return call->cancel != NULL && atomic_load_explicit(call->cancel, memory_order_relaxed);
}

enum pk_code pk_call_check(const struct pk_call *call, struct pk_error *err)
{
    if (is_cancelled(call))
        return pk_fail(err, PK_E_CANCELLED, "cancelled");
    return PK_OK;
}
