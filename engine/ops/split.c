/* See the header. */
#include "engine/ops/split.h"

#include "engine/log/stream.h"
#include "engine/ops/capacity.h"
#include "engine/ops/ddl.h"
#include "engine/ops/table_log.h"
#include "engine/store/key_code.h"
#include "engine/table/partition_map.h"

enum { COUNTED_AT_ONCE = 20000 }; /* rows of the children; the rest is left to ticks */

/* A split under way, under ddl. */
struct splitting {
    struct pk_engine *engine;
    const struct pk_split *split;
    int64_t now_ms;
    struct pk_table *old;  /* a reference */
    struct pk_table *copy; /* with the children */
    uint32_t first_id;     /* theirs, from it on */
    struct pk_snap *snap;  /* of the moment of the split */
};

/* Preparing ------------------------------------------------------------------------------------*/

/* A reference, or NULL. */
static struct pk_table *find_table(struct pk_engine *engine, uint32_t id)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    struct pk_table *found = NULL;

    for (size_t i = 0; i < count; i++) {
        if (tables[i]->id == id)
            found = pk_table_ref(tables[i]);
    }
    pk_catalog_free_all(tables, count);
    return found;
}

/* The map to change, or NULL. */
static struct pk_partitions *find_map(struct splitting *to, struct pk_error *err)
{
    for (size_t i = to->copy->local_count; i < to->copy->index_count; i++) {
        struct pk_index *index = &to->copy->indexes[i];

        if (index->id != to->split->index_id)
            continue;
        if (index->status == PK_STATUS_ACTIVE || index->status == PK_STATUS_UPDATING)
            return &index->partitions;
        (void)pk_fail(err, PK_E_IN_USE,
                      "Attempt to change a resource which is still in use: Index is being %s: %.*s",
                      index->status == PK_STATUS_CREATING ? "created" : "deleted",
                      PK_FMT(index->name));
        return NULL;
    }
    if (to->split->index_id == 0)
        return &to->copy->partitions;
    (void)pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
    return NULL;
}

/* Where the item collection that the position is in begins. */
static pk_slice collection_of(pk_slice position)
{
    pk_slice rest = pk_slice_skip(position, sizeof(uint64_t)); /* the token */
    pk_slice code;

    if (pk_key_take_code(&rest, &code))
        position.len -= rest.len;
    return position;
}

static enum pk_code split_map(struct splitting *to, struct pk_partitions *map, struct pk_error *err)
{
    const struct pk_split *split = to->split;
    struct pk_arena *arena = pk_table_arena(to->copy);
    pk_slice *boundaries = PK_NEW_ARRAY(arena, pk_slice, split->count);
    bool whole = split->index_id == 0 && to->copy->local_count > 0;

    for (size_t i = 0; i < split->count; i++)
        boundaries[i] = whole ? collection_of(split->boundaries[i]) : split->boundaries[i];
    to->first_id = map->next_id;
    if (!pk_partitions_split(map, boundaries, split->count, arena))
        return pk_fail(err, PK_E_LIMIT_EXCEEDED, "a table or index has at most %d partitions",
                       PK_PARTITIONS_MAX);
    /* LSIs have the table's. */
    for (size_t i = 0; i < to->copy->local_count && split->index_id == 0; i++)
        to->copy->indexes[i].partitions = *map;
    if (map->next_id > to->first_id)
        pk_counters_grow(pk_table_counters(to->copy), split->index_id, map->next_id);
    return PK_OK;
}

/* Publishing -----------------------------------------------------------------------------------*/

static void split_shards(struct splitting *to)
{
    struct pk_table *copy = to->copy;
    const struct pk_shard_split shards = {
        .partitions = &copy->partitions,
        .first_id = to->first_id,
        .now_ms = to->now_ms,
        .end = pk_log_next(&pk_table_log(copy)->log),
    };

    if (copy->stream != PK_STREAM_OFF)
        pk_stream_split(&copy->streams[copy->stream_count - 1], pk_table_arena(copy), &shards);
}

/* While nobody writes what is split. */
static enum pk_code publish(struct splitting *to, struct pk_error *err)
{
    struct pk_engine *engine = to->engine;
    enum pk_code rc = pk_catalog_replace(&engine->catalog, engine->store, to->copy, NULL, err);

    if (rc == PK_OK)
        to->snap = pk_snap_new(engine->store);
    return rc;
}

static enum pk_code publish_table(struct splitting *to, struct pk_error *err)
{
    enum pk_code rc;

    pk_latch_lock_all(&to->engine->latches);
    split_shards(to);
    rc = publish(to, err);
    pk_latch_unlock_all(&to->engine->latches);
    return rc;
}

static enum pk_code publish_index(struct splitting *to, struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(to->copy);
    enum pk_code rc;

    pthread_mutex_lock(&log->apply);
    rc = publish(to, err);
    pthread_mutex_unlock(&log->apply);
    return rc;
}

/* The operation --------------------------------------------------------------------------------*/

static enum pk_code split_old(struct splitting *to, struct pk_error *err)
{
    struct pk_partitions *map;
    enum pk_code rc = pk_ddl_check_idle(to->old, err);

    if (rc != PK_OK)
        return rc;
    to->copy = pk_table_copy(to->old);
    map = find_map(to, err);
    rc = map == NULL ? err->code : split_map(to, map, err);
    if (rc == PK_OK && map->next_id > to->first_id)
        rc = to->split->index_id == 0 ? publish_table(to, err) : publish_index(to, err);
    if (rc == PK_OK)
        pk_capacity_define(to->engine, to->copy);
    if (to->snap != NULL)
        pk_split_counts_add(&to->engine->split_counts, to->copy, to->split->index_id, to->first_id,
                            to->snap);
    pk_table_unref(to->copy);
    return rc;
}

enum pk_code pk_split_partitions(struct pk_engine *engine, const struct pk_split *split,
                                 int64_t now_ms, struct pk_error *err)
{
    struct splitting to = {.engine = engine, .split = split, .now_ms = now_ms};
    struct pk_error late = PK_ERROR_INIT;
    bool more = false;
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&engine->catalog.ddl);
    to.old = find_table(engine, split->table_id);
    rc = to.old == NULL ? pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found")
                        : split_old(&to, err);
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(to.old);
    /* They are split now: what cannot be counted here is tried again by ticks. */
    if (rc == PK_OK &&
        pk_split_counts_step(&engine->split_counts, COUNTED_AT_ONCE, &more, &late) != PK_OK)
        pk_error_release(&late);
    return rc;
}
