/* A full partition is cut where half of its bytes lie below, or in the middle of its range. Its
 * figures decide whether it is full; its rows are only read then. */
#include "engine/ops/size_split.h"

#include "engine/ops/capacity.h"
#include "engine/store/key_code.h"
#include "engine/store/position.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"

struct full {
    struct pk_engine *engine;
    const struct pk_table *table;
    const struct pk_index *index; /* NULL: the table */
    const struct pk_partitions *map;
    uint32_t number;
    uint64_t bytes;
    struct pk_buf boundary; /* out: empty when there is none */
};

static struct pk_iter *rows_of(const struct full *full, struct pk_buf *lower, struct pk_buf *upper)
{
    enum pk_space space = full->index == NULL ? PK_SPACE_TABLE : PK_SPACE_GSI;
    uint32_t id = full->index == NULL ? full->table->id : full->index->id;
    struct pk_range range;

    pk_layout_id(lower, space, id);
    range = pk_range_prefix(pk_buf_slice(lower), upper);
    if (full->number + 1 < full->map->count) {
        pk_buf_clear(upper);
        pk_layout_id(upper, space, id);
        pk_buf_add(upper, full->map->list[full->number + 1].first);
        range.upper = pk_buf_slice(upper);
    }
    pk_buf_add(lower, full->map->list[full->number].first);
    range.lower = pk_buf_slice(lower);
    return pk_iter_new(pk_store_live(full->engine->store), range, PK_ITER_BULK);
}

/* The position a part may begin with at this row: with an LSI, that of its item collection. */
static pk_slice border_at(const struct full *full, pk_slice row)
{
    pk_slice position = pk_layout_position(row);
    pk_slice rest = pk_position_codes(position);
    pk_slice code;

    if (full->index != NULL || full->table->local_count == 0 || !pk_key_take_code(&rest, &code))
        return position;
    return (pk_slice){position.data, position.len - rest.len};
}

/* The first row at which half of the bytes lie below, or would but for its collection. */
static enum pk_code find_median(struct full *full, struct pk_error *err)
{
    struct pk_buf lower = PK_BUF_INIT, upper = PK_BUF_INIT, first = PK_BUF_INIT;
    struct pk_iter *iter = rows_of(full, &lower, &upper);
    uint64_t below = 0;
    enum pk_code rc;

    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        pk_slice border = border_at(full, pk_iter_key(iter));
        pk_view item;
        size_t size = 0;

        if (first.len == 0)
            pk_buf_add(&first, border);
        if (below > 0 && !pk_slice_equal(border, pk_buf_slice(&first)) &&
            (pk_buf_slice(&full->boundary).len == 0 || below * 2 <= full->bytes) &&
            !pk_slice_equal(border, pk_buf_slice(&full->boundary))) {
            pk_buf_clear(&full->boundary);
            pk_buf_add(&full->boundary, border);
        }
        if (below * 2 >= full->bytes && full->boundary.len > 0)
            break;
        if (pk_record_open(pk_iter_value(iter), &item, &size))
            below += size;
    }
    rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    pk_buf_release(&lower);
    pk_buf_release(&upper);
    pk_buf_release(&first);
    return rc;
}

static void find_middle(struct full *full)
{
    uint64_t first = pk_partitions_first_token(full->map, full->number);
    uint64_t last = pk_partitions_last_token(full->map, full->number);

    if (last > first)
        pk_key_append_token(&full->boundary, first + (last - first) / 2 + 1);
}

/* One item collection fills it, and an LSI keeps that together; or one item does. */
static void refuse(struct pk_partition *partition, const struct full *full)
{
    bool whole = full->index == NULL && full->table->local_count > 0;

    partition->refusal = whole ? PK_SPLIT_LSI_COLLECTION : PK_SPLIT_SINGLE_ITEM;
}

static void begin(struct full *full, int64_t now_ms)
{
    struct pk_capacity *capacity = pk_capacity_of(full->table);
    uint32_t id = full->map->list[full->number].id;
    struct pk_capacity_side *side;

    pthread_mutex_lock(&capacity->lock);
    side = pk__capacity_side(capacity, full->index == NULL ? 0 : full->index->id);
    for (size_t i = 0; side != NULL && i < side->set.count; i++) {
        struct pk_partition *partition = &side->set.list[i];

        if (partition->id != id)
            continue;
        if (full->boundary.len == 0)
            refuse(partition, full);
        else if (pk_partition_set_begin_split(&side->set, i, pk_buf_slice(&full->boundary), now_ms))
            partition->for_size = true;
        break;
    }
    pthread_mutex_unlock(&capacity->lock);
}

/* Whether something was written since the last look. */
static bool take_grown(const struct pk_table *table, uint32_t index_id)
{
    struct pk_capacity *capacity = pk_capacity_of(table);
    struct pk_capacity_side *side;
    bool grown;

    pthread_mutex_lock(&capacity->lock);
    side = pk__capacity_side(capacity, index_id);
    grown = side != NULL && side->grown;
    if (side != NULL)
        side->grown = false;
    pthread_mutex_unlock(&capacity->lock);
    return grown;
}

static bool is_splitting(const struct full *full)
{
    struct pk_capacity *capacity = pk_capacity_of(full->table);
    uint32_t id = full->map->list[full->number].id;
    struct pk_capacity_side *side;
    bool splitting = false;

    pthread_mutex_lock(&capacity->lock);
    side = pk__capacity_side(capacity, full->index == NULL ? 0 : full->index->id);
    for (size_t i = 0; side != NULL && i < side->set.count; i++) {
        if (side->set.list[i].id == id)
            splitting = side->set.list[i].state == PK_PARTITION_SPLITTING;
    }
    pthread_mutex_unlock(&capacity->lock);
    return splitting;
}

static enum pk_code split_full(struct pk_engine *engine, struct full *full, int64_t now_ms,
                               struct pk_error *err)
{
    struct pk_sim_settings sim;
    enum pk_code rc = PK_OK;

    if (is_splitting(full))
        return PK_OK;
    pk_engine_settings(engine, &sim);
    if (sim.split_size_point == PK_SIZE_RANGE_MID)
        find_middle(full);
    else
        rc = find_median(full, err);
    if (rc == PK_OK)
        begin(full, now_ms);
    pk_buf_release(&full->boundary);
    return rc;
}

enum pk_code pk_size_split(struct pk_engine *engine, const struct pk_table *table, int64_t now_ms,
                           struct pk_error *err)
{
    const struct pk_counters *counters = pk_table_counters(table);
    uint64_t most = engine->partition_limits.bytes;
    enum pk_code rc = PK_OK;

    if (!take_grown(table, 0))
        return PK_OK;
    for (uint32_t i = 0; i < table->partitions.count && rc == PK_OK; i++) {
        struct full full = {engine, table, NULL, &table->partitions, i, .boundary = PK_BUF_INIT};
        struct pk_tally tally = pk_counters_partition(counters, table->partitions.list[i].id);

        if (tally.bytes <= 0 || (uint64_t)tally.bytes <= most)
            continue;
        full.bytes = (uint64_t)tally.bytes;
        rc = split_full(engine, &full, now_ms, err);
    }
    return rc;
}
