/* Looking inside without cost: figures, places, collections, samples. */
#include "engine/ops/core.h"

#include <stdlib.h>

#include "engine/ops/item_key.h"
#include "engine/ops/propagate.h"
#include "engine/store/key_code.h"
#include "engine/store/position.h"
#include "engine/table/descriptor.h"
#include "engine/table/index.h"
#include "engine/table/partition_map.h"

/* Figures --------------------------------------------------------------------------------------*/

/* A partial figure may be below zero for a while (counters.h). */
static struct pk_counts counts_of(struct pk_tally tally)
{
    return (struct pk_counts){
        .items = tally.items < 0 ? 0 : (uint64_t)tally.items,
        .bytes = tally.bytes < 0 ? 0 : (uint64_t)tally.bytes,
    };
}

/* index_id 0: of the table. */
static struct pk_counts *partition_counts(struct pk_arena *arena,
                                          const struct pk_counters *counters, uint32_t index_id,
                                          const struct pk_partitions *map)
{
    struct pk_counts *counts = PK_NEW_ARRAY(arena, struct pk_counts, map->count);

    for (uint32_t i = 0; i < map->count; i++)
        counts[i] = counts_of(pk_counters_index_partition(counters, index_id, map->list[i].id));
    return counts;
}

void pk_engine_table_stats(struct pk_engine *engine, struct pk_call *call,
                           const struct pk_table *table, struct pk_table_stats *stats)
{
    const struct pk_counters *counters = pk_table_counters(table);
    struct pk_error err = PK_ERROR_INIT;

    /* Figures of an index that cannot be brought forward are those of what it has. */
    (void)!pk_propagate_all(engine, table, &err);
    pk_error_release(&err);
    stats->counting = atomic_load(&engine->recount.running) || pk_counters_are_moving(counters);
    stats->table = counts_of(pk_counters_total(counters));
    stats->indexes = PK_NEW_ARRAY(call->arena, struct pk_counts, table->index_count);
    stats->index_partitions = PK_NEW_ARRAY(call->arena, struct pk_counts *, table->index_count);
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];

        stats->indexes[i] = counts_of(pk_counters_index(counters, index->id));
        if (!index->local)
            stats->index_partitions[i] =
                partition_counts(call->arena, counters, index->id, &index->partitions);
    }
    stats->partitions = partition_counts(call->arena, counters, 0, &table->partitions);
}

/* Places ---------------------------------------------------------------------------------------*/

static enum pk_code fail_schema(struct pk_error *err)
{
    return pk_fail(err, PK_E_VALIDATION, "The provided key element does not match the schema");
}

/* The key attributes of one kind, and what a key gives of them. */
struct place_group {
    const struct pk_key_attr *attrs;
    size_t count;
    bool range;
    pk_value values[PK_KEY_PARTS_MAX];
    size_t given;
};

/* Reads the leading values that are given, without gaps. */
static enum pk_code take_values(struct place_group *group, pk_value key, struct pk_error *err)
{
    for (size_t i = 0; i < group->count; i++) {
        pk_value value = pk_value_get(key, group->attrs[i].name);

        if (pk_value_kind(value) == PK_MISSING)
            break;
        if (pk_item_key_check(&group->attrs[i], group->range, value, err) != PK_KEY_FINE)
            return err->code;
        group->values[group->given++] = value;
    }
    return PK_OK;
}

/* The place of a key by the schema of the table or of an index. */
struct place_of {
    const struct pk_table *table;
    const struct pk_index *index; /* NULL: the table */
    const struct pk_key_schema *key;
    const struct pk_partitions *partitions;
};

static void set_partitions(struct pk_call *call, const struct place_of *of, struct pk_place *place)
{
    const struct pk_partitions *map = of->partitions;
    pk_slice position = pk_layout_position(place->stored_key);
    uint32_t first = pk_partitions_find(map, position);
    struct pk_buf end = PK_BUF_INIT;
    uint32_t last;

    pk_buf_add(&end, position);
    pk_key_successor(&end);
    last = pk_partitions_find_before(map, pk_buf_slice(&end));
    pk_buf_release(&end);
    place->partition = first;
    place->partition_id = map->list[first].id;
    place->partitions = last < first ? 1 : last - first + 1;
    last = first + place->partitions - 1;
    place->partition_count = map->count;
    place->partition_first = pk_partitions_first_token(map, first);
    place->partition_last = pk_partitions_last_token(map, last);
    place->first_position = pk_arena_dup(call->arena, map->list[first].first);
    if (last + 1 < map->count)
        place->end_position = pk_arena_dup(call->arena, map->list[last + 1].first);
}

static void set_place(struct pk_call *call, const struct place_of *of,
                      const struct pk_gsi_key *values, struct pk_place *place)
{
    struct pk_buf row = PK_BUF_INIT;

    place->token = pk_key_token_many(values->hash, values->hash_count);
    if (of->index != NULL && !of->index->local) {
        pk_layout_gsi_collection(&row, of->index->id, values);
    } else {
        pk_layout_collection(&row, of->index == NULL ? PK_SPACE_TABLE : PK_SPACE_LSI,
                             of->index == NULL ? of->table->id : of->index->id, values->hash[0]);
        for (size_t i = 0; i < values->range_count; i++)
            pk_key_append_value(&row, values->range[i]);
    }
    place->stored_key = pk_arena_dup(call->arena, pk_buf_slice(&row));
    pk_buf_release(&row);
}

/* An index row's key ends with the table's own key, as far as it is given and not part of it. */
static void append_table_key(struct pk_call *call, const struct place_of *of, pk_value key,
                             struct pk_place *place)
{
    const struct pk_key_schema *table = &of->table->key;
    struct pk_buf row = PK_BUF_INIT;
    pk_value hash = pk_value_get(key, table->hash[0].name);
    pk_value range = pk_value_missing();

    if (table->range_count > 0)
        range = pk_value_get(key, table->range[0].name);
    if (pk_value_kind(hash) != table->hash[0].type ||
        (table->range_count > 0 && pk_value_kind(range) != table->range[0].type))
        return;
    pk_buf_add(&row, place->stored_key);
    if (!of->index->local)
        pk_key_append_value(&row, hash);
    if (table->range_count > 0)
        pk_key_append_value(&row, range);
    place->stored_key = pk_arena_dup(call->arena, pk_buf_slice(&row));
    pk_buf_release(&row);
}

static enum pk_code find_place(struct pk_call *call, const struct place_of *of, pk_value key,
                               struct pk_place *place, struct pk_error *err)
{
    struct place_group hash = {.attrs = of->key->hash, .count = of->key->hash_count};
    struct place_group range = {
        .attrs = of->key->range, .count = of->key->range_count, .range = true};
    struct pk_gsi_key values = {.hash = hash.values, .range = range.values};
    enum pk_code rc = take_values(&hash, key, err);

    if (rc == PK_OK)
        rc = take_values(&range, key, err);
    if (rc != PK_OK)
        return rc;
    values.hash_count = hash.given;
    values.range_count = range.given;
    if (hash.given != hash.count || (of->index == NULL && key.len != hash.given + range.given))
        return fail_schema(err);
    set_place(call, of, &values, place);
    if (of->index != NULL && range.given == range.count)
        append_table_key(call, of, key, place);
    set_partitions(call, of, place);
    return PK_OK;
}

enum pk_code pk_engine_where(struct pk_engine *engine, struct pk_call *call,
                             const struct pk_where *request, struct pk_place *place,
                             struct pk_error *err)
{
    struct pk_table *found = NULL;
    struct place_of of = {0};
    enum pk_code rc = pk_engine_need_table(engine, request->table, &found, err);

    if (rc != PK_OK)
        return rc;
    of.table = found;
    of.key = &found->key;
    of.partitions = &found->partitions;
    if (request->index.data != NULL) {
        of.index = pk_table_index(found, request->index);
        if (of.index == NULL) {
            rc = pk_fail(err, PK_E_VALIDATION, "The table does not have the specified index: %.*s",
                         PK_FMT(request->index));
            goto out;
        }
        of.key = &of.index->key;
        of.partitions = &of.index->partitions;
    }
    rc = find_place(call, &of, request->key, place, err);
out:
    pk_table_unref(found);
    return rc;
}

size_t pk_engine_position_values(struct pk_arena *arena, pk_slice position, pk_value *values,
                                 size_t max)
{
    pk_slice rest = pk_position_codes(position);
    size_t count = 0;

    while (count < max && rest.len > 0) {
        pk_value value;

        if (!pk_key_take_value(&rest, arena, &value))
            break;
        values[count++] = pk_value_dup(arena, value);
    }
    return count;
}

/* Collections ----------------------------------------------------------------------------------*/

/* The largest so far. They come in key order. */
struct ranking {
    struct pk_collection *list;
    size_t count;
    size_t top;
    uint64_t total;
};

static bool is_larger(const struct pk_counts *a, const struct pk_counts *b)
{
    return a->items != b->items ? a->items > b->items : a->bytes > b->bytes;
}

static void rank(struct ranking *ranking, const struct pk_collection *one)
{
    size_t at = ranking->count;

    ranking->total++;
    while (at > 0 && is_larger(&one->counts, &ranking->list[at - 1].counts))
        at--;
    if (at >= ranking->top)
        return;
    if (ranking->count < ranking->top)
        ranking->count++;
    for (size_t i = ranking->count - 1; i > at; i--)
        ranking->list[i] = ranking->list[i - 1];
    ranking->list[at] = *one;
}

/* All rows under a prefix, until the callback has had enough. */
struct row_walk {
    bool (*row)(void *context, pk_slice key, pk_slice record);
    void *context;
};

static enum pk_code walk_rows(struct pk_call *call, const struct pk_snap *snap, pk_slice prefix,
                              const struct row_walk *walk, struct pk_error *err)
{
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter = pk_iter_new(snap, pk_range_prefix(prefix, &upper), PK_ITER_BULK);
    enum pk_code rc = PK_OK;
    size_t n = 0;

    for (pk_iter_seek_first(iter); pk_iter_valid(iter) && rc == PK_OK; pk_iter_next(iter)) {
        if (!walk->row(walk->context, pk_iter_key(iter), pk_iter_value(iter)))
            break;
        if (++n % 256 == 0)
            rc = pk_call_check(call, err);
    }
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    pk_buf_release(&upper);
    return rc;
}

struct collecting {
    struct ranking ranking;
    struct pk_call *call;
    const struct pk_partitions *partitions;
    size_t hash_count;
    struct pk_buf current; /* what all rows of a collection begin with; empty: none yet */
    struct pk_collection one;
};

/* A row of another collection than the last: that one is complete. */
static bool enter_collection(struct collecting *to, pk_slice key)
{
    pk_slice rest = pk_position_codes(pk_layout_position(key));

    if (to->current.len > 0)
        rank(&to->ranking, &to->one);
    pk_buf_clear(&to->current);
    to->one = (struct pk_collection){0};
    for (size_t i = 0; i < to->hash_count; i++) {
        pk_value value;

        if (!pk_key_take_value(&rest, to->call->arena, &value))
            return false;
        to->one.hash[i] = pk_value_dup(to->call->arena, value);
    }
    pk_buf_add(&to->current, pk_slice_of(key.data, key.len - rest.len));
    to->one.partition = pk_partitions_find(to->partitions, pk_layout_position(key));
    return true;
}

static bool collect_row(void *context, pk_slice key, pk_slice record)
{
    struct collecting *to = context;
    pk_view item;
    size_t size = 0;

    if ((to->current.len == 0 || !pk_slice_starts(key, pk_buf_slice(&to->current))) &&
        !enter_collection(to, key))
        return true;
    if (pk_record_open(record, &item, &size)) {
        to->one.counts.items++;
        to->one.counts.bytes += size;
    }
    return true;
}

/* The rows to walk: of the table, or of an index that can be read. */
static enum pk_code collect_from(const struct pk_table *table, pk_slice name, struct collecting *to,
                                 struct pk_buf *prefix, struct pk_error *err)
{
    const struct pk_index *index = NULL;

    if (name.data != NULL) {
        index = pk_table_index(table, name);
        if (index == NULL || index->status == PK_STATUS_DELETING)
            return pk_fail(err, PK_E_VALIDATION,
                           "The table does not have the specified index: %.*s", PK_FMT(name));
        if (index->status == PK_STATUS_CREATING)
            return pk_fail(err, PK_E_VALIDATION,
                           "Cannot read from backfilling global secondary index: %.*s",
                           PK_FMT(name));
    }
    to->partitions = index == NULL ? &table->partitions : &index->partitions;
    to->hash_count = index == NULL ? table->key.hash_count : index->key.hash_count;
    if (index == NULL)
        pk_layout_id(prefix, PK_SPACE_TABLE, table->id);
    else
        pk_layout_id(prefix, index->local ? PK_SPACE_LSI : PK_SPACE_GSI, index->id);
    return PK_OK;
}

enum pk_code pk_engine_collections(struct pk_engine *engine, struct pk_call *call,
                                   const struct pk_collections_request *request,
                                   struct pk_collections *result, struct pk_error *err)
{
    const struct pk_propagate_source source = {request->table, request->index};
    struct collecting to = {.ranking.top = request->top, .call = call, .current = PK_BUF_INIT};
    struct row_walk walk = {collect_row, &to};
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_table *found = NULL;
    struct pk_snap *snap = NULL;
    enum pk_code rc = pk_propagate_snapshot(engine, &source, &found, &snap, err);

    if (rc != PK_OK)
        return rc;
    to.ranking.list = PK_NEW_ARRAY(call->arena, struct pk_collection, request->top);
    rc = collect_from(found, request->index, &to, &prefix, err);
    if (rc == PK_OK)
        rc = walk_rows(call, snap, pk_buf_slice(&prefix), &walk, err);
    if (to.current.len > 0)
        rank(&to.ranking, &to.one);
    *result =
        (struct pk_collections){to.ranking.list, to.ranking.count, to.hash_count, to.ranking.total};
    pk_buf_release(&to.current);
    pk_buf_release(&prefix);
    pk_snap_free(snap);
    pk_table_unref(found);
    return rc;
}

/* Samples --------------------------------------------------------------------------------------*/

struct sampling {
    struct pk_sink sink;
    size_t left;
    struct pk_error *err;
    enum pk_code rc;
};

static bool sample_row(void *context, pk_slice key, pk_slice record)
{
    struct sampling *to = context;
    pk_view item;

    (void)key;
    if (to->left == 0)
        return false;
    to->left--;
    if (pk_record_open(record, &item, NULL))
        to->rc = to->sink.item(to->sink.context, item, to->err);
    return to->rc == PK_OK;
}

enum pk_code pk_engine_sample(struct pk_engine *engine, struct pk_call *call,
                              const struct pk_sample *request, struct pk_error *err)
{
    struct sampling to = {.sink = request->sink, .left = request->limit, .err = err};
    struct row_walk walk = {sample_row, &to};
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_table *found = NULL;
    struct pk_snap *snap = NULL;
    pk_value hash_key = request->hash_key;
    enum pk_code rc = pk_engine_need_snapshot(engine, request->table, &found, &snap, err);

    if (rc != PK_OK)
        return rc;
    if (pk_value_kind(hash_key) == PK_MISSING)
        pk_layout_id(&prefix, PK_SPACE_TABLE, found->id);
    else if (pk_item_key_check(&found->key.hash[0], false, hash_key, err) == PK_KEY_FINE)
        pk_layout_collection(&prefix, PK_SPACE_TABLE, found->id, hash_key);
    else
        rc = err->code;
    if (rc == PK_OK)
        rc = walk_rows(call, snap, pk_buf_slice(&prefix), &walk, err);
    pk_buf_release(&prefix);
    pk_snap_free(snap);
    pk_table_unref(found);
    return rc == PK_OK ? to.rc : rc;
}
