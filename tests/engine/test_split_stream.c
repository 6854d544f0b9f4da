/* What follows a table across splits: shards of its stream, and GSIs with lag. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/rng.h"
#include "engine/log/stream.h"
#include "engine/ops/core.h"
#include "engine/table/descriptor.h"
#include "tests/support/log_fixture.h"
#include "tests/support/split_fixture.h"

enum { SORTS = 100 };

static void make_table(struct engine_fixture *fx, const char *text)
{
    struct pk_table_spec spec = engine_spec(fx, text);
    struct pk_table *table = NULL;

    spec.stream = PK_STREAM_NEW_AND_OLD;
    cr_assert_eq(pk_engine_create_table(fx->engine, &spec, &table, &fx->err), PK_OK, "%s",
                 engine_message(fx));
    pk_table_unref(table);
}

static void set_stream(struct engine_fixture *fx, enum pk_stream_view view)
{
    const struct pk_table_change change = {
        .name = PK_LIT("T"), .stream_given = true, .stream = view};
    struct pk_table *table = NULL;

    cr_assert_eq(pk_engine_update_table(fx->engine, &change, &table, &fx->err), PK_OK, "%s",
                 engine_message(fx));
    pk_table_unref(table);
}

static struct pk_stream_name last_stream(struct engine_fixture *fx)
{
    struct pk_stream_name *list = NULL;
    size_t count = 0;

    pk_engine_list_streams(fx->engine, &fx->call, PK_LIT("T"), &list, &count);
    cr_assert_gt(count, 0);
    return list[count - 1];
}

static struct pk_stream_info describe(struct engine_fixture *fx)
{
    struct pk_stream_name name = last_stream(fx);
    struct pk_stream_info info = {0};

    cr_assert_eq(pk_engine_describe_stream(fx->engine, &fx->call, &name, &info, &fx->err), PK_OK);
    return info;
}

/* "1 2 4<2 5<2": serials with those of parents; closed ones in brackets. */
static const char *lineage(struct engine_fixture *fx)
{
    struct pk_stream_info info = describe(fx);
    struct pk_buf out = PK_BUF_INIT;
    const char *text;

    for (size_t i = 0; i < info.shard_count; i++) {
        const struct pk_shard_info *shard = &info.shards[i];
        unsigned long serial = strtoul(shard->id.data + 29, NULL, 16);

        pk_buf_printf(&out, "%s%s%lu", i == 0 ? "" : " ", shard->last.data != NULL ? "[" : "",
                      serial);
        if (shard->parent.data != NULL)
            pk_buf_printf(&out, "<%lu", strtoul(shard->parent.data + 29, NULL, 16));
        if (shard->last.data != NULL)
            pk_buf_add_byte(&out, ']');
    }
    text = pk_arena_dup(&fx->arena, pk_buf_slice(&out)).data;
    pk_buf_release(&out);
    return text;
}

/* Reading: the value v of each record, by sort key, must be one above that before. */
struct reader {
    struct engine_fixture *fx;
    int64_t last[SORTS];
    size_t records;
};

static int64_t number_of(pk_view item, const char *name)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_num num =
        pk_value_num(pk_value_get(pk_view_decode(&arena, item), pk_slice_cstr(name)));
    int64_t number = 0;

    cr_assert(pk_num_to_int(&num, &number));
    pk_arena_release(&arena);
    return number;
}

static enum pk_code see(void *context, const struct pk_stream_record *record, struct pk_error *err)
{
    struct reader *reader = context;
    int64_t r = number_of(record->after, "r");
    int64_t v = number_of(record->after, "v");

    (void)err;
    cr_assert_eq(v, reader->last[r] + 1, "of %lld: %lld after %lld", (long long)r, (long long)v,
                 (long long)reader->last[r]);
    reader->last[r] = v;
    reader->records++;
    return PK_OK;
}

static pk_slice iterator_of(struct engine_fixture *fx, pk_slice shard)
{
    struct pk_iterator_request request = {
        .stream = last_stream(fx), .shard_id = shard, .start = PK_STREAM_TRIM_HORIZON};
    pk_slice at = {NULL, 0};

    cr_assert_eq(pk_engine_shard_iterator(fx->engine, &fx->call, &request, &at, &fx->err), PK_OK,
                 "%s", engine_message(fx));
    return at;
}

/* Reads on until the shard is closed and read, or nothing comes. */
static void read_shard(struct reader *reader, pk_slice *at)
{
    struct engine_fixture *fx = reader->fx;
    size_t before;

    do {
        struct pk_records_request request = {
            .iterator = *at, .limit = 7, .record = see, .context = reader};

        before = reader->records;
        cr_assert_eq(pk_engine_stream_records(fx->engine, &fx->call, &request, at, &fx->err), PK_OK,
                     "%s", engine_message(fx));
    } while (at->data != NULL && reader->records > before);
}

static void read_all(struct reader *reader)
{
    const struct pk_records_request to = {.record = see, .context = reader};

    (void)split_read_stream(reader->fx, "T", &to);
}

/* The next value of an item. */
static void bump(struct engine_fixture *fx, int64_t values[SORTS], int r)
{
    const char *key = engine_format(fx, "{p: 'A', r: %d}", r);

    values[r]++;
    cr_assert_eq(engine_update(fx, "T", key, "SET v = :v, g = :g",
                               engine_format(fx, "{v: %lld, g: 'G%lld'}", (long long)values[r],
                                             (long long)(values[r] % 3))),
                 PK_OK, "%s", engine_message(fx));
}

static void advance(struct engine_fixture *fx, int64_t by_ms)
{
    int64_t now_ms = pk_clock_now(pk_engine_clock(fx->engine));

    cr_assert_eq(pk_engine_advance(fx->engine, &fx->call, now_ms + by_ms, &fx->err), PK_OK, "%s",
                 engine_message(fx));
}

/* Every record exactly once, those of an item in their order, across splits of splits. */
Test(split_stream, in_order)
{
    struct engine_fixture fx;
    struct reader reader = {.fx = &fx};
    int64_t values[SORTS] = {0};
    struct pk_rng rng;
    size_t written = 0;

    pk_rng_seed(&rng, 7);
    engine_open(&fx);
    make_table(&fx, "T p:S r:N provisioned=5/5; gsi by_g g:S keys provisioned=1/1");
    cr_expect_str_eq(lineage(&fx), "1");
    for (int round = 0; round < 30; round++) {
        for (int i = 0; i < 40; i++, written++)
            bump(&fx, values, (int)pk_rng_below(&rng, SORTS));
        split_one(&fx, "T", engine_format(&fx, "{p: 'A', r: %d}", (int)pk_rng_below(&rng, SORTS)));
        if (round % 4 == 0)
            log_settle(&fx);
    }
    read_all(&reader);
    cr_expect_eq(reader.records, written);
    for (int r = 0; r < SORTS; r++)
        cr_assert_eq(reader.last[r], values[r], "of %d", r);
    engine_close(&fx);
}

Test(split_stream, lineage)
{
    struct engine_fixture fx;
    int64_t values[SORTS] = {0};

    engine_open(&fx);
    make_table(&fx, "T p:S r:N provisioned=5/5");
    bump(&fx, values, 1);
    split_one(&fx, "T", "{p: 'A', r: 50}");
    cr_expect_str_eq(lineage(&fx), "[1] 2<1 3<1");
    bump(&fx, values, 1);
    bump(&fx, values, 60);
    split_one(&fx, "T", "{p: 'A', r: 70}");
    cr_expect_str_eq(lineage(&fx), "[1] 2<1 [3<1] 4<3 5<3");
    cr_assert_eq(split_at(&fx, "T",
                          (const char *const[]){"{p: 'A', r: 10}", "{p: 'A', r: 20}",
                                                "{p: 'A', r: 80}", NULL}),
                 PK_OK);
    cr_expect_str_eq(lineage(&fx), "[1] [2<1] [3<1] 4<3 [5<3] 6<2 7<2 8<2 9<5 10<5");
    engine_close(&fx);
}

/* Whoever reads the parent when it is split comes to its end, and goes on with the children. */
Test(split_stream, reader_of_the_parent)
{
    struct engine_fixture fx;
    struct reader reader = {.fx = &fx};
    int64_t values[SORTS] = {0};
    pk_slice at;
    struct pk_stream_info info;

    engine_open(&fx);
    make_table(&fx, "T p:S r:N provisioned=5/5");
    bump(&fx, values, 1);
    at = iterator_of(&fx, describe(&fx).shards[0].id);
    read_shard(&reader, &at);
    cr_assert_not_null(at.data);
    cr_assert_eq(reader.records, 1);
    bump(&fx, values, 1);
    split_one(&fx, "T", "{p: 'A', r: 50}");
    bump(&fx, values, 1);
    read_shard(&reader, &at);
    cr_expect_null(at.data, "the parent is closed");
    cr_assert_eq(reader.records, 2);
    info = describe(&fx);
    at = iterator_of(&fx, info.shards[1].id);
    read_shard(&reader, &at);
    cr_assert_eq(reader.records, 3);
    cr_expect_not_null(at.data);
    engine_close(&fx);
}

/* Shards that are enabled after a split follow the partitions of then; rolling over keeps them. */
Test(split_stream, enabled_later)
{
    struct engine_fixture fx;
    struct reader reader = {.fx = &fx};
    int64_t values[SORTS] = {0};

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N provisioned=5/5");
    split_one(&fx, "T", "{p: 'A', r: 50}");
    set_stream(&fx, PK_STREAM_NEW_AND_OLD);
    cr_expect_str_eq(lineage(&fx), "1 2");
    bump(&fx, values, 1);
    bump(&fx, values, 60);
    read_all(&reader);
    cr_expect_eq(reader.records, 2);
    atomic_store(&fx.engine->stream_rollover_ms, 3600000);
    advance(&fx, 3600000);
    cr_expect_str_eq(lineage(&fx), "[1] [2] 3<1 4<2");
    split_one(&fx, "T", "{p: 'A', r: 70}");
    cr_expect_str_eq(lineage(&fx), "[1] [2] 3<1 [4<2] 5<4 6<4");
    bump(&fx, values, 60);
    bump(&fx, values, 80);
    reader = (struct reader){.fx = &fx};
    read_all(&reader);
    cr_expect_eq(reader.records, 4);
    set_stream(&fx, PK_STREAM_OFF);
    split_one(&fx, "T", "{p: 'A', r: 80}");
    cr_expect_str_eq(lineage(&fx), "[1] [2] [3<1] [4<2] [5<4] [6<4]", "a stream that is over");
    engine_close(&fx);
}

/* The check sees a shard too many, and one that is not the partition's. */
Test(split_stream, strange_shards)
{
    for (uint32_t number = 0; number < 4; number++) {
        struct engine_fixture fx;
        struct pk_table *table;
        struct pk_table *copy;
        const char *first = "";
        bool right = number == 2; /* partitions are 1 and 2 */

        engine_open(&fx);
        make_table(&fx, "T p:S r:N provisioned=5/5");
        split_one(&fx, "T", "{p: 'A', r: 50}");
        table = pk_engine_table(fx.engine, PK_LIT("T"));
        copy = pk_table_copy(table);
        copy->streams[0].shards[2].number = number;
        cr_assert_eq(pk_catalog_replace(&fx.engine->catalog, fx.engine->store, copy, NULL, &fx.err),
                     PK_OK);
        cr_expect_eq(engine_faults(&fx, &first), right ? 0 : 1, "number %u", number);
        cr_expect_str_eq(
            first, right ? "" : "table 'T': the open shards of its stream are not its partitions",
            "number %u", number);
        pk_table_unref(table);
        pk_table_unref(copy);
        engine_close_unchecked(&fx);
    }
}

/* With jitter an item's later change may be due before its earlier one; when the partition was
 * split in between the index must still see them in order. Advancing the clock applies all that is
 * due. */
Test(split_stream, jitter)
{
    struct engine_fixture fx;
    int64_t values[SORTS] = {0};
    struct pk_rng rng;
    struct pk_table *table;
    struct pk_index_lag lag;

    pk_rng_seed(&rng, 11);
    engine_open(&fx);
    engine_table(&fx, "T p:S r:N provisioned=5/5; gsi by_g g:S all provisioned=1/1");
    log_set_lag(&fx, 100, 5000);
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 8; i++)
            bump(&fx, values, (int)pk_rng_below(&rng, 6));
        if (round % 3 == 1)
            split_one(&fx, "T", engine_format(&fx, "{p: 'A', r: %d}", (int)pk_rng_below(&rng, 6)));
        advance(&fx, 400);
        engine_assert_clean(&fx);
    }
    advance(&fx, 5100);
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    cr_assert_eq(pk_engine_index_lag(fx.engine, &fx.call, table, &table->indexes[0], &lag, &fx.err),
                 PK_OK);
    cr_expect_eq(lag.waiting, 0);
    pk_table_unref(table);
    engine_close(&fx);
}
