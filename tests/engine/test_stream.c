/* Streams: the vectors of streams-ttl.md, and what a reader may rely on. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/log/change_log.h"
#include "engine/log/stream.h"
#include "engine/ops/table_log.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/temp_dir.h"

/* Records as lines "EVENT size", and what else a test looks at. */
struct seen {
    struct pk_buf text;
    size_t count;
    uint64_t bytes;
    pk_slice first; /* sequence of the first record, in the arena */
    struct pk_arena *arena;
};

static enum pk_code see(void *context, const struct pk_stream_record *record, struct pk_error *err)
{
    static const char *const events[] = {"", "INSERT", "MODIFY", "REMOVE"};
    struct seen *seen = context;

    (void)err;
    pk_buf_printf(&seen->text, "%s %llu%s%s%s\n", events[record->event],
                  (unsigned long long)record->size, record->before.len > 0 ? " old" : "",
                  record->after.len > 0 ? " new" : "", record->ttl ? " ttl" : "");
    if (seen->count == 0)
        seen->first = pk_arena_dup(seen->arena, record->sequence);
    seen->count++;
    seen->bytes += record->size;
    return PK_OK;
}

static void make_table(struct engine_fixture *fx, const char *text, enum pk_stream_view view)
{
    struct pk_table_spec spec = engine_spec(fx, text);
    struct pk_table *table = NULL;

    spec.stream = view;
    cr_assert_eq(pk_engine_create_table(fx->engine, &spec, &table, &fx->err), PK_OK, "%s",
                 fx->err.message);
    pk_table_unref(table);
}

/* The i-th stream of the table. */
static struct pk_stream_name stream_of(struct engine_fixture *fx, const char *table, size_t i)
{
    struct pk_stream_name *list = NULL;
    size_t count = 0;

    pk_engine_list_streams(fx->engine, &fx->call, pk_slice_cstr(table), &list, &count);
    cr_assert_lt(i, count, "stream %zu of %s", i, table);
    return list[i];
}

static struct pk_stream_info describe(struct engine_fixture *fx, const struct pk_stream_name *name)
{
    struct pk_stream_info info = {0};

    cr_assert_eq(pk_engine_describe_stream(fx->engine, &fx->call, name, &info, &fx->err), PK_OK);
    return info;
}

static enum pk_code iterator(struct engine_fixture *fx, const struct pk_iterator_request *request,
                             pk_slice *out)
{
    pk_error_release(&fx->err);
    return pk_engine_shard_iterator(fx->engine, &fx->call, request, out, &fx->err);
}

static pk_slice iterator_at(struct engine_fixture *fx, const struct pk_stream_name *name,
                            size_t shard, enum pk_stream_start start)
{
    struct pk_stream_info info = describe(fx, name);
    struct pk_iterator_request request = {
        .stream = *name, .shard_id = info.shards[shard].id, .start = start};
    pk_slice text = {NULL, 0};

    cr_assert_eq(iterator(fx, &request, &text), PK_OK, "%s", engine_message(fx));
    return text;
}

/* One GetRecords; *at moves on. */
static enum pk_code records(struct engine_fixture *fx, pk_slice *at, uint64_t limit,
                            struct seen *seen)
{
    struct pk_records_request request = {
        .iterator = *at, .limit = limit, .record = see, .context = seen};

    seen->arena = &fx->arena;
    seen->count = 0;
    seen->bytes = 0;
    pk_buf_clear(&seen->text);
    pk_error_release(&fx->err);
    return pk_engine_stream_records(fx->engine, &fx->call, &request, at, &fx->err);
}

/* Everything the stream holds, shard by shard, as lines. */
static const char *all_records(struct engine_fixture *fx, const struct pk_stream_name *name)
{
    struct pk_stream_info info = describe(fx, name);
    struct pk_buf all = PK_BUF_INIT;
    struct seen seen = {.text = PK_BUF_INIT};
    const char *text;

    for (size_t i = 0; i < info.shard_count; i++) {
        pk_slice at = iterator_at(fx, name, i, PK_STREAM_TRIM_HORIZON);

        do {
            cr_assert_eq(records(fx, &at, 1000, &seen), PK_OK, "%s", engine_message(fx));
            pk_buf_add(&all, pk_buf_slice(&seen.text));
        } while (at.data != NULL && seen.count > 0);
    }
    text = pk_arena_dup(&fx->arena, all.len > 0 ? pk_buf_slice(&all) : PK_LIT("")).data;
    pk_buf_release(&all);
    pk_buf_release(&seen.text);
    return text;
}

/* The shard the only item of a table goes to. */
static size_t busy_shard(struct engine_fixture *fx, const struct pk_stream_name *name)
{
    struct pk_stream_info info = describe(fx, name);
    struct seen seen = {.text = PK_BUF_INIT};
    size_t found = 0;

    for (size_t i = 0; i < info.shard_count; i++) {
        pk_slice at = iterator_at(fx, name, i, PK_STREAM_TRIM_HORIZON);

        cr_assert_eq(records(fx, &at, 1, &seen), PK_OK);
        if (seen.count > 0)
            found = i;
    }
    pk_buf_release(&seen.text);
    return found;
}

static enum pk_code set_stream(struct engine_fixture *fx, const char *table,
                               enum pk_stream_view view)
{
    struct pk_table_change change = {
        .name = pk_slice_cstr(table), .stream_given = true, .stream = view};
    struct pk_table *answer = NULL;
    enum pk_code rc;

    pk_error_release(&fx->err);
    rc = pk_engine_update_table(fx->engine, &change, &answer, &fx->err);
    pk_table_unref(answer);
    return rc;
}

static void advance(struct engine_fixture *fx, int64_t ms)
{
    struct pk_clock *clock = pk_engine_clock(fx->engine);

    cr_assert(pk_clock_set(clock, pk_clock_now(clock) + ms));
}

/* SizeBytes, by view type. */
Test(stream, size_bytes)
{
    static const struct {
        enum pk_stream_view view;
        const char *records;
    } views[] = {
        {PK_STREAM_NEW_AND_OLD, "INSERT 26 new\nMODIFY 59 old new\nREMOVE 38 old\n"},
        {PK_STREAM_KEYS_ONLY, "INSERT 5\nMODIFY 5\nREMOVE 5\n"},
        {PK_STREAM_NEW_IMAGE, "INSERT 26 new\nMODIFY 38 new\nREMOVE 5\n"},
        {PK_STREAM_OLD_IMAGE, "INSERT 5\nMODIFY 26 old\nREMOVE 38 old\n"},
    };

    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
        struct engine_fixture fx;
        struct pk_stream_name name;

        engine_open(&fx);
        make_table(&fx, "Game Id:N", views[i].view);
        name = stream_of(&fx, "Game", 0);
        engine_put(&fx, "Game", "{Id: 101, Message: 'New item!'}");
        engine_put(&fx, "Game", "{Id: 101, Message: 'This item has changed'}");
        engine_delete(&fx, "Game", "{Id: 101}");
        cr_expect_str_eq(all_records(&fx, &name), views[i].records);
        engine_close(&fx);
    }
}

/* No record for what changes nothing. */
Test(stream, no_op)
{
    struct engine_fixture fx;
    struct pk_stream_name name;

    engine_open(&fx);
    make_table(&fx, "Game Id:N", PK_STREAM_KEYS_ONLY);
    name = stream_of(&fx, "Game", 0);
    engine_put(&fx, "Game", "{Id: 101, A: 1}");
    engine_put(&fx, "Game", "{Id: 101, A: 1}");
    engine_update(&fx, "Game", "{Id: 101}", "SET A = :a", "{a: 1}");
    engine_delete(&fx, "Game", "{Id: 101}");
    engine_delete(&fx, "Game", "{Id: 101}");
    cr_assert_str_eq(all_records(&fx, &name), "INSERT 5\nREMOVE 5\n");
    engine_close(&fx);
}

/* Lineage of a split. */
Test(stream, lineage)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_shard first[] = {{.serial = 1, .number = 0, .opened_ms = 1000, .first = 1},
                               {.serial = 2, .number = 1, .opened_ms = 1000, .first = 1}};
    struct pk_stream stream = {.label_ms = 1000, .shards = first, .shard_count = 2};
    struct pk_partition_entry list[] = {
        {2, 0, {NULL, 0}}, {3, 0, PK_LIT("AAAAAAAA")}, {1, 1, PK_LIT("BBBBBBBB")}};
    struct pk_partitions partitions = {.list = list, .count = 3, .next_id = 4};
    struct pk_shard_split split = {
        .partitions = &partitions, .first_id = 2, .now_ms = 2000, .end = 4};

    pk_stream_split(&stream, &arena, &split);
    cr_assert_eq(stream.shard_count, 4);
    cr_assert_eq(stream.shards[0].end, 4);
    cr_assert_eq(stream.shards[1].end, 0, "not split");
    for (uint32_t i = 2; i < 4; i++) {
        cr_assert_eq(stream.shards[i].serial, i + 1);
        cr_assert_eq(stream.shards[i].parent, 1);
        cr_assert_eq(stream.shards[i].first, 4);
        cr_assert_eq(stream.shards[i].end, 0);
        cr_assert_eq(stream.shards[i].number, i);
    }
    cr_assert(pk_slice_is(pk_shard_id(&arena, &stream.shards[2]),
                          "shardId-00000000000000002000-00000003"));
    cr_assert_eq(pk_stream_shard_by_id(&stream, PK_LIT("shardId-00000000000000001000-00000001")),
                 &stream.shards[0]);
    cr_assert_null(pk_stream_shard_by_id(&stream, PK_LIT("shardId-00000000000000001000-00000009")));
    pk_arena_release(&arena);
}

Test(stream, texts)
{
    static const struct {
        const char *text;
        bool is;
        uint64_t sequence;
    } sequences[] = {
        {"100000000000000000001", true, 1},
        {"100000000000000000422", true, 422},
        {"000000000000000000422", true, 0},
        {"0000000000100000000000000000007", true, 7},
        {"900000000000000000001", true, UINT64_MAX},
        {"1100000000000000000001", true, UINT64_MAX},
        {"10000000000000000001", false, 0},
        {"10000000000000000000x", false, 0},
        {"", false, 0},
    };
    struct pk_arena arena = PK_ARENA_INIT;
    int64_t label_ms = 0;

    for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++) {
        uint64_t sequence = 0;

        cr_expect_eq(pk_sequence_parse(pk_slice_cstr(sequences[i].text), &sequence),
                     sequences[i].is, "%s", sequences[i].text);
        cr_expect_eq(sequence, sequences[i].sequence, "%s", sequences[i].text);
    }
    cr_assert(pk_slice_is(pk_sequence_text(&arena, 422), "100000000000000000422"));
    cr_assert(
        pk_slice_is(pk_stream_label(&arena, INT64_C(1431379293291)), "2015-05-11T21:21:33.291"));
    cr_assert(pk_stream_parse_label(PK_LIT("2015-05-11T21:21:33.291"), &label_ms));
    cr_assert_eq(label_ms, INT64_C(1431379293291));
    cr_assert_not(pk_stream_parse_label(PK_LIT("2015-05-11T21:21:33"), &label_ms));
    cr_assert_not(pk_stream_parse_label(PK_LIT("2015-05-11 21:21:33.291"), &label_ms));
    pk_arena_release(&arena);
}

/* 1000, 1000, 500, and the open shard goes on. */
Test(stream, limits)
{
    static const size_t expected[] = {1000, 1000, 500, 0};
    struct engine_fixture fx;
    struct pk_stream_name name;
    struct seen seen = {.text = PK_BUF_INIT};
    pk_slice at;

    engine_open(&fx);
    make_table(&fx, "T p:S s:N", PK_STREAM_KEYS_ONLY);
    name = stream_of(&fx, "T", 0);
    for (int i = 0; i < 2500; i++)
        engine_put(&fx, "T", engine_format(&fx, "{p: 'a', s: %d}", i));
    at = iterator_at(&fx, &name, busy_shard(&fx, &name), PK_STREAM_TRIM_HORIZON);
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
        cr_assert_eq(seen.count, expected[i], "call %zu gives %zu", i, seen.count);
        cr_assert_not_null(at.data);
    }
    pk_buf_release(&seen.text);
    engine_close(&fx);
}

/* Three records of 300 KB a call. */
Test(stream, megabyte)
{
    struct engine_fixture fx;
    struct pk_stream_name name;
    struct seen seen = {.text = PK_BUF_INIT};
    pk_slice at;

    engine_open(&fx);
    make_table(&fx, "T p:S s:N", PK_STREAM_NEW_IMAGE);
    name = stream_of(&fx, "T", 0);
    for (int i = 0; i < 4; i++)
        engine_put(&fx, "T",
                   engine_format(&fx, "{p: 'a', s: %d, x: %s}", i, engine_text(&fx, 307190)));
    at = iterator_at(&fx, &name, busy_shard(&fx, &name), PK_STREAM_TRIM_HORIZON);
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    cr_assert_eq(seen.count, 3);
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    cr_assert_eq(seen.count, 1);
    pk_buf_release(&seen.text);
    engine_close(&fx);
}

/* 15 minutes, and the text of an iterator. */
Test(stream, iterator_age)
{
    struct engine_fixture fx;
    struct pk_stream_name name;
    struct seen seen = {.text = PK_BUF_INIT};
    pk_slice at, kept;
    char broken[512];

    engine_open(&fx);
    make_table(&fx, "T p:S", PK_STREAM_KEYS_ONLY);
    name = stream_of(&fx, "T", 0);
    kept = at = iterator_at(&fx, &name, 0, PK_STREAM_LATEST);
    advance(&fx, 899999);
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    advance(&fx, 2);
    at = kept;
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_E_EXPIRED_ITERATOR);
    at = iterator_at(&fx, &name, 0, PK_STREAM_LATEST);
    snprintf(broken, sizeof(broken), "%.*s", PK_FMT(at));
    broken[20] = broken[20] == 'A' ? 'B' : 'A';
    at = pk_slice_cstr(broken);
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_E_VALIDATION);
    cr_assert_str_eq(engine_message(&fx), "Invalid ShardIterator");
    pk_buf_release(&seen.text);
    engine_close(&fx);
}

/* 24 hours: AT a record that is older fails, TRIM_HORIZON begins with the oldest kept; with and
 * without the trimmer. */
Test(stream, trim)
{
    for (int ticks = 0; ticks < 2; ticks++) {
        struct engine_fixture fx;
        struct pk_stream_name name;
        struct seen seen = {.text = PK_BUF_INIT};
        struct pk_iterator_request request = {.start = PK_STREAM_AT_SEQUENCE};
        pk_slice at, early;

        engine_open(&fx);
        make_table(&fx, "T p:S", PK_STREAM_KEYS_ONLY);
        name = stream_of(&fx, "T", 0);
        engine_put(&fx, "T", "{p: 'a'}");
        engine_put(&fx, "T", "{p: 'a', x: 1}");
        request.stream = name;
        request.shard_id = describe(&fx, &name).shards[busy_shard(&fx, &name)].id;
        at = iterator_at(&fx, &name, busy_shard(&fx, &name), PK_STREAM_TRIM_HORIZON);
        cr_assert_eq(records(&fx, &at, 1, &seen), PK_OK);
        request.sequence = seen.first;
        cr_assert_eq(iterator(&fx, &request, &at), PK_OK);
        advance(&fx, 20 * 3600000);
        engine_put(&fx, "T", "{p: 'a', x: 2}");
        advance(&fx, 4 * 3600000 - 600000);
        cr_assert_eq(iterator(&fx, &request, &early), PK_OK);
        advance(&fx, 600000 + 1);
        while (ticks > 0 && pk_engine_tick(fx.engine, pk_clock_now(pk_engine_clock(fx.engine))))
            ;
        cr_assert_eq(iterator(&fx, &request, &at), PK_E_TRIMMED);
        cr_assert_eq(records(&fx, &early, 1, &seen), PK_E_TRIMMED);
        cr_assert_str_eq(all_records(&fx, &name), "MODIFY 2\n");
        advance(&fx, 24 * 3600000);
        while (ticks > 0 && pk_engine_tick(fx.engine, pk_clock_now(pk_engine_clock(fx.engine))))
            ;
        cr_assert_str_eq(all_records(&fx, &name), "");
        pk_buf_release(&seen.text);
        engine_close(&fx);
    }
}

/* AT, AFTER, and sequences that are none. */
Test(stream, positions)
{
    static const char *const bad[] = {"100000000000000000000", "100000000000000000009",
                                      "200000000000000000001", "10000000000000000000a"};
    struct engine_fixture fx;
    struct pk_stream_name name;
    struct seen seen = {.text = PK_BUF_INIT};
    struct pk_iterator_request request = {0};
    pk_slice at;

    engine_open(&fx);
    make_table(&fx, "T p:S", PK_STREAM_KEYS_ONLY);
    name = stream_of(&fx, "T", 0);
    engine_put(&fx, "T", "{p: 'a'}");
    engine_delete(&fx, "T", "{p: 'a'}");
    request.stream = name;
    request.shard_id = describe(&fx, &name).shards[busy_shard(&fx, &name)].id;
    at = iterator_at(&fx, &name, busy_shard(&fx, &name), PK_STREAM_TRIM_HORIZON);
    cr_assert_eq(records(&fx, &at, 1, &seen), PK_OK);
    request.sequence = seen.first;
    request.start = PK_STREAM_AT_SEQUENCE;
    cr_assert_eq(iterator(&fx, &request, &at), PK_OK);
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    cr_assert_str_eq(seen.text.data, "INSERT 2\nREMOVE 2\n");
    request.start = PK_STREAM_AFTER_SEQUENCE;
    cr_assert_eq(iterator(&fx, &request, &at), PK_OK);
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    cr_assert_str_eq(seen.text.data, "REMOVE 2\n");
    at = iterator_at(&fx, &name, busy_shard(&fx, &name), PK_STREAM_LATEST);
    engine_put(&fx, "T", "{p: 'a', x: 1}");
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    cr_assert_str_eq(seen.text.data, "INSERT 2\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        request.sequence = pk_slice_cstr(bad[i]);
        cr_expect_eq(iterator(&fx, &request, &at), PK_E_VALIDATION, "%s", bad[i]);
        cr_expect_str_eq(engine_message(&fx),
                         "One or more parameter values were invalid: Invalid SequenceNumber", "%s",
                         bad[i]);
    }
    request.shard_id = PK_LIT("shardId-00000000000000000001-00000001");
    cr_assert_eq(iterator(&fx, &request, &at), PK_E_NOT_FOUND);
    cr_assert_str_eq(engine_message(&fx), "Shard does not exist");
    pk_buf_release(&seen.text);
    engine_close(&fx);
}

/* Disabled and enabled anew: two streams, of which the old one stays for a day. */
Test(stream, twice)
{
    struct engine_fixture fx;
    struct pk_stream_name old, new;
    struct pk_stream_name *list = NULL;
    struct pk_stream_info info;
    size_t count = 0;

    engine_open(&fx);
    make_table(&fx, "T p:S", PK_STREAM_KEYS_ONLY);
    old = stream_of(&fx, "T", 0);
    engine_put(&fx, "T", "{p: 'a'}");
    cr_assert_eq(set_stream(&fx, "T", PK_STREAM_NEW_IMAGE), PK_E_VALIDATION);
    cr_assert_str_eq(engine_message(&fx), "Table already has an enabled stream: TableName: T");
    cr_assert_eq(set_stream(&fx, "T", PK_STREAM_OFF), PK_OK);
    cr_assert_eq(set_stream(&fx, "T", PK_STREAM_OFF), PK_E_VALIDATION);
    cr_assert_str_eq(engine_message(&fx), "Table does not have a stream to disable: TableName: T");
    engine_put(&fx, "T", "{p: 'unseen'}");
    cr_assert_eq(set_stream(&fx, "T", PK_STREAM_NEW_IMAGE), PK_OK);
    engine_delete(&fx, "T", "{p: 'a'}");
    new = stream_of(&fx, "T", 1);
    cr_assert_not(pk_slice_equal(old.label, new.label));
    cr_assert_str_eq(all_records(&fx, &old), "INSERT 2\n");
    cr_assert_str_eq(all_records(&fx, &new), "REMOVE 2\n");
    info = describe(&fx, &old);
    cr_assert_not(info.enabled);
    cr_assert_not_null(info.shards[0].last.data);
    advance(&fx, 24 * 3600000 + 1);
    pk_engine_list_streams(fx.engine, &fx.call, PK_LIT("T"), &list, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(pk_engine_describe_stream(fx.engine, &fx.call, &old, &info, &fx.err),
                 PK_E_NOT_FOUND);
    engine_close(&fx);
}

/* A dropped table's stream can be read for a day, also after another opening; then all of it
 * goes. */
Test(stream, dropped_table)
{
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_stream_name name;
    struct pk_stream_name *list = NULL;
    struct pk_table *table = NULL;
    size_t count = 0;
    pk_slice label;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    make_table(&fx, "T p:S", PK_STREAM_KEYS_ONLY);
    engine_put(&fx, "T", "{p: 'a'}");
    name = stream_of(&fx, "T", 0);
    label = pk_slice_of(strndup(name.label.data, name.label.len), name.label.len);
    cr_assert_eq(pk_engine_delete_table(fx.engine, PK_LIT("T"), &table, &fx.err), PK_OK);
    pk_table_unref(table);
    cr_assert_str_eq(all_records(&fx, &name), "INSERT 2\n");
    for (size_t i = 0; i < 4; i++) {
        struct seen seen = {.text = PK_BUF_INIT};
        pk_slice at = iterator_at(&fx, &name, i, PK_STREAM_LATEST);

        cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
        cr_assert_null(at.data, "shard %zu never ends", i);
        pk_buf_release(&seen.text);
    }
    engine_close(&fx);

    engine_open_dir(&fx, dir.path);
    name = (struct pk_stream_name){PK_LIT("T"), label};
    while (pk_engine_tick(fx.engine, pk_clock_now(pk_engine_clock(fx.engine))))
        ;
    cr_assert_str_eq(all_records(&fx, &name), "INSERT 2\n");
    advance(&fx, 24 * 3600000 + 2);
    for (int i = 0; i < 3; i++)
        (void)pk_engine_tick(fx.engine, pk_clock_now(pk_engine_clock(fx.engine)));
    pk_engine_list_streams(fx.engine, &fx.call, (pk_slice){NULL, 0}, &list, &count);
    cr_assert_eq(count, 0);
    engine_close(&fx);
    free((void *)(uintptr_t)label.data);
    temp_dir_remove(&dir);
}

/* A record behind one that is still in flight is not read before that has settled: its reader would
 * pass by the other for ever. */
Test(stream, gap)
{
    struct engine_fixture fx;
    struct pk_stream_name name;
    struct seen seen = {.text = PK_BUF_INIT};
    struct pk_table *table;
    struct pk_log *log;
    uint64_t flying;
    size_t shard;
    pk_slice at, latest;

    engine_open(&fx);
    make_table(&fx, "T p:S", PK_STREAM_KEYS_ONLY);
    name = stream_of(&fx, "T", 0);
    engine_put(&fx, "T", "{p: 'a'}");
    shard = busy_shard(&fx, &name);
    at = iterator_at(&fx, &name, shard, PK_STREAM_TRIM_HORIZON);
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    cr_assert_str_eq(seen.text.data, "INSERT 2\n");
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    log = &pk_table_log(table)->log;
    flying = pk_log_draw(log, (uint32_t)shard);
    engine_put(&fx, "T", "{p: 'a', x: 1}");
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    cr_assert_eq(seen.count, 0);
    latest = iterator_at(&fx, &name, shard, PK_STREAM_LATEST);
    pk_log_settle(log, flying);
    cr_assert_eq(records(&fx, &at, 1000, &seen), PK_OK);
    cr_assert_str_eq(seen.text.data, "MODIFY 2\n");
    cr_assert_eq(records(&fx, &latest, 1000, &seen), PK_OK);
    cr_assert_eq(seen.count, 0);
    pk_table_unref(table);
    pk_buf_release(&seen.text);
    engine_close(&fx);
}

/* Time goes by, with all that becomes due in it. */
static void pass(struct engine_fixture *fx, int64_t ms)
{
    int64_t to_ms = pk_clock_now(pk_engine_clock(fx->engine)) + ms;

    cr_assert_eq(pk_engine_advance(fx->engine, &fx->call, to_ms, &fx->err), PK_OK);
}

/* Every four hours a shard goes on in a child, whose records follow its own; a closed one stays for
 * the retention of its records. A reader who finishes parents first misses and repeats nothing. */
Test(stream, rollover)
{
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_stream_name name;
    struct pk_sim_settings settings;
    struct pk_stream_info info;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    pk_engine_settings(fx.engine, &settings);
    cr_assert_eq(settings.stream_rollover_ms, 0);
    settings.stream_rollover_ms = 4 * 3600000;
    cr_assert_eq(pk_engine_set_settings(fx.engine, &settings, &fx.err), PK_OK);
    make_table(&fx, "T p:S s:N", PK_STREAM_KEYS_ONLY);
    name = stream_of(&fx, "T", 0);
    for (int i = 1; i < 4; i++) {
        engine_put(&fx, "T", engine_format(&fx, "{p: 'a', s: %d}", i));
        pass(&fx, 4 * 3600000);
    }
    info = describe(&fx, &name);
    cr_assert_eq(info.shard_count, 16, "%zu shards", info.shard_count);
    for (size_t i = 0; i < 16; i++) {
        cr_expect_eq(info.shards[i].last.data == NULL, i >= 12, "shard %zu", i);
        if (i >= 4)
            cr_expect(pk_slice_equal(info.shards[i].parent, info.shards[i - 4].id), "shard %zu", i);
    }
    cr_assert_str_eq(all_records(&fx, &name), "INSERT 5\nINSERT 5\nINSERT 5\n");
    engine_close(&fx);

    engine_open_dir(&fx, dir.path);
    name = stream_of(&fx, "T", 0);
    engine_put(&fx, "T", "{p: 'a', s: 4}");
    cr_assert_str_eq(all_records(&fx, &name), "INSERT 5\nINSERT 5\nINSERT 5\nINSERT 5\n");
    pass(&fx, 24 * 3600000);
    cr_assert_str_eq(all_records(&fx, &name), "INSERT 5\n");
    pass(&fx, INT64_C(20) * 24 * 3600000);
    info = describe(&fx, &name);
    cr_assert_leq(info.shard_count, 32, "%zu shards", info.shard_count);
    cr_assert_str_eq(all_records(&fx, &name), "");
    engine_close(&fx);
    temp_dir_remove(&dir);
}
