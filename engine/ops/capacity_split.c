/* Borders are chosen under the capacity's lock, and published without it (split.h). */
#include <stdlib.h>

#include "engine/ops/capacity_work.h"
#include "engine/ops/ddl.h"
#include "engine/ops/split.h"
#include "engine/store/position.h"

struct cut {
    pk_slice *boundaries; /* arena */
    size_t count, cap;
};

static void add_boundary(struct pk_capacity_work *work, struct cut *cut, pk_slice boundary)
{
    if (cut->count == cut->cap) {
        size_t cap = cut->cap == 0 ? 8 : cut->cap * 2;
        pk_slice *more = PK_NEW_ARRAY(&work->arena, pk_slice, cap);

        for (size_t i = 0; i < cut->count; i++)
            more[i] = cut->boundaries[i];
        cut->boundaries = more;
        cut->cap = cap;
    }
    cut->boundaries[cut->count++] = pk_arena_dup(&work->arena, boundary);
}

static uint32_t id_at(const struct pk_capacity_side *side, pk_slice position)
{
    return side->set.list[pk_partition_set_find(&side->set, position)].id;
}

static void note_splits(struct pk_capacity_work *work, const struct cut *cut, uint32_t index_id,
                        enum pk_split_cause cause, const uint32_t *parents)
{
    struct pk_capacity *capacity = work->capacity;

    for (size_t i = 0; i < cut->count; i++) {
        struct pk_capacity_side *side = pk__capacity_side(capacity, index_id);
        struct pk_split_note *note = &capacity->splits[capacity->split_count % PK_SPLITS_KEPT];
        size_t at;

        if (side == NULL)
            return;
        at = pk_partition_set_find(&side->set, cut->boundaries[i]);
        if (at == 0 || side->set.list[at].id == parents[i])
            continue;
        *note =
            (struct pk_split_note){.time_ms = work->now_ms,
                                   .index_id = index_id,
                                   .parent = parents[i],
                                   .children = {side->set.list[at - 1].id, side->set.list[at].id},
                                   .cause = cause};
        capacity->split_count++;
    }
}

/* What the definition did not divide after all (a border that it has, or would not have) is active
 * again, and left alone for a while. */
static void end_undivided(struct pk_capacity_work *work, const struct cut *cut, uint32_t index_id)
{
    struct pk_capacity_side *side = pk__capacity_side(work->capacity, index_id);

    for (size_t i = 0; side != NULL && i < cut->count; i++) {
        struct pk_partition *partition =
            &side->set.list[pk_partition_set_find(&side->set, cut->boundaries[i])];

        if (partition->state != PK_PARTITION_SPLITTING ||
            !pk_slice_equal((pk_slice){partition->boundary, partition->boundary_len},
                            cut->boundaries[i]))
            continue;
        free(partition->boundary);
        partition->boundary = NULL;
        partition->boundary_len = 0;
        partition->state = PK_PARTITION_ACTIVE;
        partition->cool_until_ms = work->now_ms + side->set.rules.cooldown_ms;
    }
}

/* Publishes the borders; the definition then comes back to the partitions (pk_capacity_define). */
static enum pk_code make_splits(struct pk_capacity_work *work, const struct cut *cut,
                                uint32_t index_id, enum pk_split_cause cause, struct pk_error *err)
{
    const struct pk_split split = {work->table->id, index_id, cut->boundaries, cut->count};
    uint32_t *parents;
    struct pk_capacity_side *side;
    enum pk_code rc;

    if (cut->count == 0)
        return PK_OK;
    parents = PK_NEW_ARRAY(&work->arena, uint32_t, cut->count);
    pthread_mutex_lock(&work->capacity->lock);
    side = pk__capacity_side(work->capacity, index_id);
    for (size_t i = 0; i < cut->count && side != NULL; i++)
        parents[i] = id_at(side, cut->boundaries[i]);
    pthread_mutex_unlock(&work->capacity->lock);
    rc = pk_split_partitions(work->engine, &split, work->now_ms, err);
    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&work->capacity->lock);
    note_splits(work, cut, index_id, cause, parents);
    end_undivided(work, cut, index_id);
    pthread_mutex_unlock(&work->capacity->lock);
    return PK_OK;
}

enum pk_code pk_capacity_finish_splits(struct pk_capacity_work *work, uint32_t index_id,
                                       struct pk_error *err)
{
    struct cut heat = {NULL, 0, 0}, size = {NULL, 0, 0};
    struct pk_capacity_side *side;
    enum pk_code rc;

    pthread_mutex_lock(&work->capacity->lock);
    side = pk__capacity_side(work->capacity, index_id);
    for (size_t i = 0; side != NULL && i < side->set.count; i++) {
        const struct pk_partition *partition = &side->set.list[i];

        if (partition->state == PK_PARTITION_SPLITTING && partition->split_due_ms <= work->now_ms)
            add_boundary(work, partition->for_size ? &size : &heat,
                         (pk_slice){partition->boundary, partition->boundary_len});
    }
    pthread_mutex_unlock(&work->capacity->lock);
    rc = make_splits(work, &heat, index_id, PK_SPLIT_FOR_HEAT, err);
    return rc == PK_OK ? make_splits(work, &size, index_id, PK_SPLIT_FOR_SIZE, err) : rc;
}

/* Throughput splits ----------------------------------------------------------------------------*/

/* The middle of a partition's tokens, as a position; false when it is all one token's. */
static bool middle_of(const struct pk_partition_set *set, size_t i, char middle[PK_TOKEN_LEN])
{
    uint64_t first = pk_position_token((pk_slice){set->list[i].first, set->list[i].first_len});
    uint64_t last =
        i + 1 == set->count
            ? UINT64_MAX
            : pk_position_token((pk_slice){set->list[i + 1].first, set->list[i + 1].first_len});
    /* of [first, last], or of [first, last) when another partition begins there */
    uint64_t at = first + (last - first) / 2 + (i + 1 == set->count ? 1 : 0);

    if (at <= first || last - first < 2)
        return false;
    pk_token_store(at, middle);
    return true;
}

enum pk_code pk_capacity_split_evenly(struct pk_capacity_work *work, uint32_t index_id,
                                      uint32_t needed, struct pk_error *err)
{
    for (;;) {
        struct cut cut = {NULL, 0, 0};
        struct pk_capacity_side *side;
        enum pk_code rc;

        pthread_mutex_lock(&work->capacity->lock);
        side = pk__capacity_side(work->capacity, index_id);
        if (side != NULL && side->set.count < needed && side->set.count * 2 <= PK_PARTITIONS_MAX) {
            for (size_t i = 0; i < side->set.count; i++) {
                char middle[PK_TOKEN_LEN];

                if (middle_of(&side->set, i, middle))
                    add_boundary(work, &cut, (pk_slice){middle, PK_TOKEN_LEN});
            }
        }
        pthread_mutex_unlock(&work->capacity->lock);
        if (cut.count == 0)
            return PK_OK;
        rc = make_splits(work, &cut, index_id, PK_SPLIT_FOR_THROUGHPUT, err);
        if (rc != PK_OK)
            return rc;
    }
}

uint32_t pk_capacity_needed(const struct pk_capacity_work *work, const struct pk_index *index,
                            int64_t warm_read, int64_t warm_write)
{
    const struct pk_table *table = work->table;
    const struct pk_throughput *throughput =
        index == NULL ? &table->throughput : &index->throughput;
    struct pk_partition_limits limits = {.read = (int64_t)work->sim.partition_read,
                                         .write = (int64_t)work->sim.partition_write,
                                         .bytes = work->sim.partition_bytes};

    enum pk_partition_rule rule =
        pk_ddl_rule((enum pk_count_rule)work->sim.partition_rule, table->billing);

    if (table->billing == PK_PROVISIONED)
        return pk_partition_count(rule, throughput->read, throughput->write, 0, &limits);
    return pk_partition_count(rule, warm_read, warm_write, 0, &limits);
}

enum pk_code pk_capacity_fit(struct pk_engine *engine, struct pk_table *table, struct pk_error *err)
{
    struct pk_capacity_work work = {engine, table, pk_capacity_of(table),
                                    pk_clock_now(&engine->clock), .arena = PK_ARENA_INIT};
    enum pk_code rc;

    pk_engine_settings(engine, &work.sim);
    rc = pk_capacity_split_evenly(
        &work, 0, pk_capacity_needed(&work, NULL, table->warm_read, table->warm_write), err);
    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++) {
        const struct pk_index *index = &table->indexes[i];

        if (table->billing == PK_PROVISIONED)
            rc = pk_capacity_split_evenly(&work, index->id, pk_capacity_needed(&work, index, 0, 0),
                                          err);
    }
    pk_arena_release(&work.arena);
    return rc;
}
