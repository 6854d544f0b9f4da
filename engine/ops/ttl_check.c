#include "engine/ops/ttl_check.h"

#include "engine/ops/ddl.h"
#include "engine/ops/ttl.h"
#include "engine/ops/ttl_fill.h"
#include "engine/store/position.h"
#include "engine/table/descriptor.h"

enum { FILL_ROWS = 10000 };

static void expiry_key(struct pk_buf *key, const struct pk_table *table, pk_slice row,
                       int64_t expires_s)
{
    /* Behind space, id and token a row's key is what an expiry row's ends with. */
    pk_layout_expiry_bound(key, table->id, (uint64_t)expires_s);
    pk_buf_add(key, pk_position_codes(pk_layout_position(row)));
}

enum pk_code pk_ttl_check_item(const struct pk_snap *snap, const struct pk_table *table,
                               pk_slice row, pk_view item, struct pk_faults *faults,
                               struct pk_error *err)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    int64_t expires_s = 0;
    bool found = false;
    enum pk_code rc;

    if (table->ttl != PK_TTL_ON || !pk_ttl_expiry(table, item, &expires_s))
        return PK_OK;
    expiry_key(&key, table, row, expires_s);
    rc = pk_snap_get(snap, pk_buf_slice(&key), &value, &found, err);
    if (rc == PK_OK && !found)
        pk_fault(faults, "table '%.*s': item %s has no expiry row, it will not expire",
                 PK_FMT(table->name), pk_fault_key(&arena, row));
    pk_buf_release(&key);
    pk_buf_release(&value);
    pk_arena_release(&arena);
    return rc;
}

enum pk_code pk_ttl_rebuild(struct pk_engine *engine, const struct pk_table *table,
                            struct pk_error *err)
{
    struct pk_table *copy;
    bool more = true;
    enum pk_code rc;

    if (table->ttl != PK_TTL_ON && table->ttl != PK_TTL_FILLING)
        return PK_OK;
    pthread_mutex_lock(&engine->catalog.ddl);
    copy = pk_table_copy(table);
    copy->ttl = PK_TTL_FILLING;
    rc = pk_ttl_restart(engine, copy, err);
    if (rc == PK_OK)
        rc = pk_ddl_publish(engine, copy, err);
    while (rc == PK_OK && more)
        rc = pk_ttl_fill_locked(engine, copy, FILL_ROWS, &more, err);
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(copy);
    return rc;
}
