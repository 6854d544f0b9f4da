/*
 * Text kept beside a table: what came with an imported model and has no place in the table itself.
 *
 * The engine does not look into it. It is stored under the table's id in the metadata space and
 * goes with the table, in the commit that drops it (pk_catalog_drop).
 */
#include "engine/ops/ddl.h"

static void attachment_key(struct pk_buf *key, const struct pk_table *table)
{
    pk_layout_meta_id(key, PK_META_ATTACHMENT, table->id, (pk_slice){NULL, 0});
}

enum pk_code pk_engine_set_attachment(struct pk_engine *engine, pk_slice table, pk_slice text,
                                      struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_table *found;
    enum pk_code rc;

    /* under ddl, so that it cannot come back after a drop */
    pthread_mutex_lock(&engine->catalog.ddl);
    found = pk_ddl_need_table(engine, table, err);
    if (found == NULL) {
        rc = err->code;
    } else {
        attachment_key(&key, found);
        if (text.len == 0)
            pk_batch_delete(&batch, pk_buf_slice(&key));
        else
            pk_batch_put(&batch, pk_buf_slice(&key), text);
        rc = pk_store_commit(engine->store, &batch, engine->durability, err);
    }
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(found);
    pk_buf_release(&key);
    pk_batch_release(&batch);
    return rc;
}

enum pk_code pk_engine_attachment(struct pk_engine *engine, struct pk_call *call, pk_slice table,
                                  pk_slice *text, struct pk_error *err)
{
    struct pk_table *found = pk_ddl_need_table(engine, table, err);
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    bool there = false;
    enum pk_code rc;

    if (found == NULL)
        return err->code;
    attachment_key(&key, found);
    rc = pk_store_get(engine->store, pk_buf_slice(&key), &value, &there, err);
    if (rc == PK_OK)
        *text = there ? pk_arena_dup(call->arena, pk_buf_slice(&value)) : (pk_slice){NULL, 0};
    pk_table_unref(found);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}
