#include "tests/support/split_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "engine/ops/split.h"
#include "engine/table/partition_map.h"

/* "T.index" taken apart; index data NULL: none. */
static void parse(const char *of, pk_slice *table, pk_slice *index)
{
    const char *dot = strchr(of, '.');

    *table = dot == NULL ? pk_slice_cstr(of) : pk_slice_of(of, (size_t)(dot - of));
    *index = dot == NULL ? (pk_slice){NULL, 0} : pk_slice_cstr(dot + 1);
}

pk_slice split_position(struct engine_fixture *fx, const char *of, const char *key)
{
    struct pk_place place = {0};
    pk_slice table, index;

    parse(of, &table, &index);
    pk_error_release(&fx->err);
    if (pk_engine_where(fx->engine, &fx->call,
                        &(struct pk_where){table, index, engine_value(fx, key)}, &place,
                        &fx->err) != PK_OK)
        pk_bug("%s of %s: %s", key, of, engine_message(fx));
    return pk_layout_position(place.stored_key);
}

enum pk_code split_before(struct engine_fixture *fx, const char *of, const pk_slice *positions,
                          size_t count)
{
    struct pk_split split = {.boundaries = positions, .count = count};
    struct pk_table *table;
    pk_slice table_name, index;
    enum pk_code rc;

    parse(of, &table_name, &index);
    table = pk_engine_table(fx->engine, table_name);
    if (table == NULL)
        pk_bug("there is no table %s", of);
    split.table_id = table->id;
    if (index.data != NULL)
        split.index_id = pk_table_index(table, index)->id;
    pk_table_unref(table);
    pk_error_release(&fx->err);
    rc = pk_split_partitions(fx->engine, &split, pk_clock_now(pk_engine_clock(fx->engine)),
                             &fx->err);
    return rc;
}

enum pk_code split_at(struct engine_fixture *fx, const char *of, const char *const *keys)
{
    pk_slice positions[8];
    size_t count = 0;

    while (count < 8 && keys[count] != NULL) {
        positions[count] = split_position(fx, of, keys[count]);
        count++;
    }
    return split_before(fx, of, positions, count);
}

void split_one(struct engine_fixture *fx, const char *of, const char *key)
{
    const char *const keys[] = {key, NULL};

    if (split_at(fx, of, keys) != PK_OK)
        pk_bug("split of %s before %s: %s", of, key, engine_message(fx));
}

/* Passes records on and counts them. */
struct counting {
    const struct pk_records_request *to;
    size_t count;
};

static enum pk_code count_record(void *context, const struct pk_stream_record *record,
                                 struct pk_error *err)
{
    struct counting *counting = context;

    counting->count++;
    return counting->to->record(counting->to->context, record, err);
}

/* A shard that is closed is read to its end, an open one until nothing comes. */
static void read_shard(struct engine_fixture *fx, pk_slice at, bool closed,
                       struct counting *counting)
{
    size_t before;

    do {
        struct pk_records_request request = {
            .iterator = at, .limit = 100, .record = count_record, .context = counting};

        before = counting->count;
        if (pk_engine_stream_records(fx->engine, &fx->call, &request, &at, &fx->err) != PK_OK)
            pk_bug("records: %s", engine_message(fx));
    } while (at.data != NULL && (closed || counting->count > before));
    if ((at.data == NULL) != closed)
        pk_bug("an open shard has ended");
}

size_t split_read_stream(struct engine_fixture *fx, const char *table,
                         const struct pk_records_request *to)
{
    struct counting counting = {.to = to};
    struct pk_stream_name *list = NULL;
    struct pk_stream_info info = {0};
    size_t count = 0;

    pk_engine_list_streams(fx->engine, &fx->call, pk_slice_cstr(table), &list, &count);
    if (count == 0 || pk_engine_describe_stream(fx->engine, &fx->call, &list[count - 1], &info,
                                                &fx->err) != PK_OK)
        pk_bug("%s has no stream", table);
    for (size_t i = 0; i < info.shard_count; i++) {
        const struct pk_iterator_request request = {.stream = list[count - 1],
                                                    .shard_id = info.shards[i].id};
        pk_slice at = {NULL, 0};

        if (pk_engine_shard_iterator(fx->engine, &fx->call, &request, &at, &fx->err) != PK_OK)
            pk_bug("iterator: %s", engine_message(fx));
        read_shard(fx, at, info.shards[i].last.data != NULL, &counting);
    }
    return counting.count;
}

const char *split_text(struct engine_fixture *fx, const char *of)
{
    struct pk_buf out = PK_BUF_INIT;
    struct pk_table_stats stats;
    const struct pk_partitions *map;
    const struct pk_counts *counts;
    struct pk_table *table;
    pk_slice name, index;
    const char *text;

    parse(of, &name, &index);
    table = pk_engine_table(fx->engine, name);
    pk_engine_table_stats(fx->engine, &fx->call, table, &stats);
    map = &table->partitions;
    counts = stats.partitions;
    if (index.data != NULL) {
        size_t at = (size_t)(pk_table_index(table, index) - table->indexes);

        map = &table->indexes[at].partitions;
        counts = stats.index_partitions[at];
    }
    for (uint32_t i = 0; i < map->count; i++)
        pk_buf_printf(&out, "%s%u<%u:%llu", i == 0 ? "" : " ", map->list[i].id, map->list[i].parent,
                      (unsigned long long)counts[i].items);
    if (stats.counting)
        pk_buf_add_cstr(&out, " ?");
    text = pk_arena_dup(&fx->arena, pk_buf_slice(&out)).data;
    pk_buf_release(&out);
    pk_table_unref(table);
    return text;
}
