/* See the header. */
#include "engine/ops/collection.h"

uint64_t pk_collection_item_bytes(const struct pk_table *table, uint64_t item_size,
                                  const struct pk_index_effect *effects, bool after)
{
    uint64_t bytes = item_size;

    for (size_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].local)
            bytes += after ? effects[i].after.size : effects[i].before.size;
    }
    return bytes;
}

static enum pk_code load(struct pk_store *store, pk_slice key, uint64_t *bytes,
                         struct pk_error *err)
{
    struct pk_buf value = PK_BUF_INIT;
    bool found = false;
    enum pk_code rc = pk_store_get(store, key, &value, &found, err);
    pk_slice rest = pk_buf_slice(&value);

    *bytes = 0;
    if (rc == PK_OK && found && !pk_take_u64be(&rest, bytes))
        rc = pk_fail(err, PK_E_CORRUPT, "the size of an item collection is damaged");
    pk_buf_release(&value);
    return rc;
}

static pk_slice size_key(const struct pk_table *table, pk_value pk, struct pk_arena *arena)
{
    struct pk_buf rest = PK_BUF_INIT;
    struct pk_buf key = PK_BUF_INIT;
    pk_slice copy;

    pk_key_append_token(&rest, pk_key_token(pk));
    pk_key_append_value(&rest, pk);
    pk_layout_meta_id(&key, PK_META_COLLECTION, table->id, pk_buf_slice(&rest));
    copy = pk_arena_dup(arena, pk_buf_slice(&key));
    pk_buf_release(&rest);
    pk_buf_release(&key);
    return copy;
}

enum pk_code pk_collection_grow(struct pk_engine *engine, struct pk_arena *arena,
                                struct pk_collection_sizes *sizes,
                                struct pk_collection_growth *growth, struct pk_error *err)
{
    pk_slice key = size_key(growth->table, growth->key->pk, arena);
    struct pk_collection_size *size;
    size_t at = 0;

    while (at < sizes->count && !pk_slice_equal(sizes->list[at].key, key))
        at++;
    size = &sizes->list[at];
    if (at == sizes->count) {
        enum pk_code rc = load(engine->store, key, &size->bytes, err);

        if (rc != PK_OK)
            return rc;
        size->key = key;
        sizes->count++;
    }
    /* A row that says too little must not wrap around; the check finds it. */
    size->bytes = size->bytes > growth->before ? size->bytes - growth->before : 0;
    size->bytes += growth->after;
    growth->bytes = size->bytes;
    if (growth->after > growth->before && size->bytes > engine->collection_bytes_max)
        return pk_fail(err, PK_E_COLLECTION_SIZE, "Collection size exceeded.");
    return PK_OK;
}

void pk_collection_stage(const struct pk_collection_sizes *sizes, struct pk_batch *batch)
{
    struct pk_buf value = PK_BUF_INIT;

    for (size_t i = 0; i < sizes->count; i++) {
        if (sizes->list[i].bytes == 0) {
            pk_batch_delete(batch, sizes->list[i].key);
            continue;
        }
        pk_buf_clear(&value);
        pk_buf_add_u64be(&value, sizes->list[i].bytes);
        pk_batch_put(batch, sizes->list[i].key, pk_buf_slice(&value));
    }
    pk_buf_release(&value);
}
