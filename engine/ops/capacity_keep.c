/*
 * On disk, under PK_META_CAPACITY and the table's id (do not change): version byte 1, then for each
 * side until the end: index id(4), refused writes, and for reads and writes the growth's peak and
 * time of change; number of partitions, and of each its id(4), time of cooldown, last refusal,
 * the counts of refusals (reads, then writes, by limit), and 0 or, of a split that is under way,
 * 1 or 2 (for size), its due time, length and bytes of its boundary. Numbers are varints unless a
 * length is given.
 */
#include "engine/ops/capacity_keep.h"

#include "engine/ops/capacity.h"
#include "engine/table/descriptor.h"

enum { VERSION = 1, NO_SPLIT = 0, SPLIT_FOR_HEAT = 1, SPLIT_FOR_SIZE = 2 };

/* Saving ---------------------------------------------------------------------------------------*/

static void save_partition(struct pk_buf *out, const struct pk_partition *partition)
{
    pk_buf_add_u32be(out, partition->id);
    pk_buf_add_varint(out, (uint64_t)partition->cool_until_ms);
    pk_buf_add_varint(out, (uint64_t)partition->refusal);
    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        for (int limit = 1; limit < PK_THROTTLES; limit++)
            pk_buf_add_varint(out, partition->throttled[access][limit]);
    }
    if (partition->state != PK_PARTITION_SPLITTING) {
        pk_buf_add_varint(out, NO_SPLIT);
        return;
    }
    pk_buf_add_varint(out, partition->for_size ? SPLIT_FOR_SIZE : SPLIT_FOR_HEAT);
    pk_buf_add_varint(out, (uint64_t)partition->split_due_ms);
    pk_buf_add_varint(out, partition->boundary_len);
    pk_buf_add(out, (pk_slice){partition->boundary, partition->boundary_len});
}

static void save_side(struct pk_buf *out, const struct pk_capacity_side *side)
{
    pk_buf_add_u32be(out, side->index_id);
    pk_buf_add_varint(out, side->blocked);
    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        pk_buf_add_varint(out, (uint64_t)side->growth[access].peak);
        pk_buf_add_varint(out, (uint64_t)side->growth[access].changed_ms);
    }
    pk_buf_add_varint(out, side->set.count);
    for (size_t i = 0; i < side->set.count; i++)
        save_partition(out, &side->set.list[i]);
}

static void save_table(const struct pk_table *table, struct pk_batch *batch)
{
    struct pk_capacity *capacity = pk_capacity_of(table);
    struct pk_buf key = PK_BUF_INIT, value = PK_BUF_INIT;

    pk_layout_meta_id(&key, PK_META_CAPACITY, table->id, (pk_slice){NULL, 0});
    pk_buf_add_byte(&value, VERSION);
    pthread_mutex_lock(&capacity->lock);
    for (size_t i = 0; i < PK_CAPACITY_SIDES && capacity->defined; i++) {
        if (capacity->sides[i].live)
            save_side(&value, &capacity->sides[i]);
    }
    if (capacity->defined)
        pk_batch_put(batch, pk_buf_slice(&key), pk_buf_slice(&value));
    pthread_mutex_unlock(&capacity->lock);
    pk_buf_release(&key);
    pk_buf_release(&value);
}

enum pk_code pk_capacity_save(struct pk_engine *engine, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count; i++)
        save_table(tables[i], &batch);
    if (batch.count > 0)
        rc = pk_store_commit(engine->store, &batch, PK_COMMIT_SYNC, err);
    pk_batch_release(&batch);
    pk_catalog_free_all(tables, count);
    return rc;
}

/* Loading --------------------------------------------------------------------------------------*/

static bool take_i64(pk_slice *in, int64_t *number)
{
    uint64_t value;

    if (!pk_take_varint(in, &value) || value > INT64_MAX)
        return false;
    *number = (int64_t)value;
    return true;
}

/* NULL: no such partition any more; it is read all the same. */
static struct pk_partition *partition_by(struct pk_capacity_side *side, uint32_t id)
{
    for (size_t i = 0; side != NULL && i < side->set.count; i++) {
        if (side->set.list[i].id == id)
            return &side->set.list[i];
    }
    return NULL;
}

/* A split goes on if its boundary still lies within. */
static bool take_split(pk_slice *in, struct pk_capacity_side *side, struct pk_partition *partition)
{
    uint64_t kind, len;
    int64_t due_ms;
    pk_slice boundary;

    if (!pk_take_varint(in, &kind) || kind > SPLIT_FOR_SIZE)
        return false;
    if (kind == NO_SPLIT)
        return true;
    if (!take_i64(in, &due_ms) || !pk_take_varint(in, &len) || len > in->len ||
        !pk_take_bytes(in, (size_t)len, &boundary))
        return false;
    if (partition == NULL)
        return true;
    if (pk_partition_set_begin_split(&side->set, (size_t)(partition - side->set.list), boundary,
                                     due_ms - side->set.rules.duration_ms))
        partition->for_size = kind == SPLIT_FOR_SIZE;
    return true;
}

static bool take_partition(pk_slice *in, struct pk_capacity_side *side)
{
    struct pk_partition ignored = {0}, *to;
    struct pk_partition *partition;
    uint32_t id;
    uint64_t refusal;

    if (!pk_take_u32be(in, &id))
        return false;
    partition = partition_by(side, id);
    to = partition == NULL ? &ignored : partition;
    if (!take_i64(in, &to->cool_until_ms) || !pk_take_varint(in, &refusal) ||
        refusal > PK_SPLIT_SEQUENTIAL)
        return false;
    to->refusal = (enum pk_split_verdict)refusal;
    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        for (int limit = 1; limit < PK_THROTTLES; limit++) {
            if (!pk_take_varint(in, &to->throttled[access][limit]))
                return false;
        }
    }
    return take_split(in, side, partition);
}

static bool take_side(pk_slice *in, struct pk_capacity *capacity)
{
    struct pk_capacity_side ignored = {0}, *side, *to;
    uint32_t index_id;
    uint64_t count;

    if (!pk_take_u32be(in, &index_id))
        return false;
    side = pk__capacity_side(capacity, index_id);
    to = side == NULL ? &ignored : side;
    if (!pk_take_varint(in, &to->blocked))
        return false;
    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        if (!take_i64(in, &to->growth[access].peak) ||
            !take_i64(in, &to->growth[access].changed_ms))
            return false;
    }
    if (!pk_take_varint(in, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!take_partition(in, side))
            return false;
    }
    return true;
}

static void take_table(struct pk_capacity *capacity, pk_slice value)
{
    unsigned char version = 0;

    if (!pk_take_byte(&value, &version) || version != VERSION)
        return;
    pthread_mutex_lock(&capacity->lock);
    while (value.len > 0 && take_side(&value, capacity))
        ;
    pthread_mutex_unlock(&capacity->lock);
}

static enum pk_code load_table(struct pk_engine *engine, const struct pk_table *table,
                               struct pk_batch *batch, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT, value = PK_BUF_INIT;
    bool found = false;
    enum pk_code rc;

    pk_layout_meta_id(&key, PK_META_CAPACITY, table->id, (pk_slice){NULL, 0});
    rc = pk_store_get(engine->store, pk_buf_slice(&key), &value, &found, err);
    if (rc == PK_OK && found) {
        take_table(pk_capacity_of(table), pk_buf_slice(&value));
        pk_batch_delete(batch, pk_buf_slice(&key));
    }
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

enum pk_code pk_capacity_load(struct pk_engine *engine, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK; i++)
        rc = load_table(engine, tables[i], &batch, err);
    if (rc == PK_OK && batch.count > 0)
        rc = pk_store_commit(engine->store, &batch, PK_COMMIT_FAST, err);
    pk_batch_release(&batch);
    pk_catalog_free_all(tables, count);
    return rc;
}
