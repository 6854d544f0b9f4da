/* Time to live: the vectors of streams-ttl.md, and what becomes of indexes, streams and costs. */
#include <criterion/criterion.h>

#include "engine/ops/core.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/temp_dir.h"

enum { NOW_S = 1800000000 };

static enum pk_code set_ttl(struct engine_fixture *fx, const char *attribute, bool enabled)
{
    struct pk_ttl_change change = {
        .table = PK_LIT("T"), .attribute = pk_slice_cstr(attribute), .enabled = enabled};

    pk_error_release(&fx->err);
    return pk_engine_update_ttl(fx->engine, &change, &fx->err);
}

static void set_delay(struct engine_fixture *fx, uint64_t delay_ms, uint64_t jitter_ms)
{
    struct pk_sim_settings settings;

    pk_engine_settings(fx->engine, &settings);
    settings.ttl_delay_ms = delay_ms;
    settings.ttl_jitter_ms = jitter_ms;
    cr_assert_eq(pk_engine_set_settings(fx->engine, &settings, &fx->err), PK_OK);
}

static void go_to(struct engine_fixture *fx, int64_t seconds)
{
    cr_assert(pk_clock_set(pk_engine_clock(fx->engine), seconds * 1000));
    while (pk_engine_tick(fx->engine, seconds * 1000))
        ;
}

static void begin(struct engine_fixture *fx, const char *table)
{
    engine_open(fx);
    cr_assert(pk_clock_set(pk_engine_clock(fx->engine), NOW_S * INT64_C(1000)));
    engine_table(fx, table);
    set_delay(fx, 0, 0);
}

static uint64_t items_left(struct engine_fixture *fx, const char *from)
{
    const struct read_text read = {.from = from, .select = PK_SELECT_COUNT};

    cr_assert_eq(engine_read(fx, &read), PK_OK, "%s", engine_message(fx));
    return fx->read.count;
}

static const struct {
    const char *value;
    bool expires;
} values[] = {
    {"1799999999", true},      {"1799999999.9", true},  {"1800000000", false},
    {"1800000000000", false},  {"'1799999999'", false}, {"1642320001", true},
    {"1642320000", false},     {"1642319999", false},   {"0", false},
    {"-1799999999", false},    {"1e20", false},         {"1.799999999e9", true},
    {"<<1799999999>>", false}, {"true", false},
};

/* Which values make an item expire: of items that were there before, and of later ones. */
Test(ttl, eligible)
{
    for (int before = 0; before < 2; before++) {
        struct engine_fixture fx;

        begin(&fx, "T p:N");
        if (before == 0)
            cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
        for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
            cr_assert_eq(
                engine_put(&fx, "T", engine_format(&fx, "{p: %zu, e: %s}", i, values[i].value)),
                PK_OK, "%s", engine_message(&fx));
        engine_put(&fx, "T", "{p: 99}");
        if (before == 1)
            cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
        go_to(&fx, NOW_S);
        for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
            engine_get(&fx, "T", engine_format(&fx, "{p: %zu}", i));
            cr_expect_eq(fx.get.item.len == 0, values[i].expires, "%s", values[i].value);
        }
        engine_close(&fx);
    }
}

/* An item whose attribute is set anew survives; one that is put again without it, too. */
Test(ttl, rescued)
{
    struct engine_fixture fx;

    begin(&fx, "T p:S");
    cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
    engine_put(&fx, "T", "{p: 'a', e: 1799999999}");
    engine_put(&fx, "T", "{p: 'b', e: 1799999999}");
    engine_put(&fx, "T", "{p: 'c', e: 1799999999}");
    engine_update(&fx, "T", "{p: 'a'}", "SET e = :e", "{e: 1800000060}");
    engine_put(&fx, "T", "{p: 'b'}");
    go_to(&fx, NOW_S);
    cr_assert_eq(items_left(&fx, "T"), 2);
    go_to(&fx, NOW_S + 61);
    cr_assert_eq(items_left(&fx, "T"), 1);
    engine_close(&fx);
}

/* 48 hours by default, in which an expired item is as alive as any. */
Test(ttl, delay)
{
    struct engine_fixture fx;

    begin(&fx, "T p:S");
    set_delay(&fx, UINT64_C(48) * 3600000, 0);
    cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
    engine_put(&fx, "T", "{p: 'a', e: 1800000000}");
    go_to(&fx, NOW_S + 48 * 3600 - 1);
    cr_assert_eq(items_left(&fx, "T"), 1);
    go_to(&fx, NOW_S + 48 * 3600);
    cr_assert_eq(items_left(&fx, "T"), 0);
    engine_close(&fx);
}

/* Jitter spreads deletions, and the same seed spreads them the same. */
Test(ttl, jitter)
{
    uint64_t left[2][3];

    for (int run = 0; run < 2; run++) {
        struct engine_fixture fx;

        begin(&fx, "T p:N");
        set_delay(&fx, 0, 100000);
        cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
        for (int i = 0; i < 100; i++)
            engine_put(&fx, "T", engine_format(&fx, "{p: %d, e: %d}", i, NOW_S));
        go_to(&fx, NOW_S + 26);
        left[run][0] = items_left(&fx, "T");
        go_to(&fx, NOW_S + 76);
        left[run][1] = items_left(&fx, "T");
        go_to(&fx, NOW_S + 102);
        left[run][2] = items_left(&fx, "T");
        engine_close(&fx);
    }
    for (int i = 0; i < 3; i++)
        cr_assert_eq(left[0][i], left[1][i]);
    cr_assert(left[0][0] > 60 && left[0][0] < 90, "%llu", (unsigned long long)left[0][0]);
    cr_assert(left[0][1] > 10 && left[0][1] < 40, "%llu", (unsigned long long)left[0][1]);
    cr_assert_eq(left[0][2], 0);
}

static enum pk_code note(void *context, const struct pk_stream_record *record, struct pk_error *err)
{
    (void)err;
    pk_buf_printf(context, "%d%s ", record->event, record->ttl ? " by TTL" : "");
    return PK_OK;
}

/* Index entries go, too, and the stream says who did it. */
Test(ttl, indexes_and_stream)
{
    struct engine_fixture fx;
    struct pk_table_change change = {
        .name = PK_LIT("T"), .stream_given = true, .stream = PK_STREAM_NEW_AND_OLD};
    struct pk_stream_name *list = NULL;
    struct pk_stream_info info;
    struct pk_table *table = NULL;
    struct pk_buf seen = PK_BUF_INIT;
    size_t count = 0;

    begin(&fx, "T p:S s:S; lsi L a:S all; gsi G g:S keys");
    cr_assert_eq(pk_engine_update_table(fx.engine, &change, &table, &fx.err), PK_OK);
    pk_table_unref(table);
    cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
    engine_put(&fx, "T", "{p: 'a', s: '1', a: 'x', g: 'y', e: 1799999999}");
    cr_assert_eq(items_left(&fx, "T.L"), 1);
    cr_assert_eq(items_left(&fx, "T.G"), 1);
    go_to(&fx, NOW_S);
    cr_assert_eq(items_left(&fx, "T"), 0);
    cr_assert_eq(items_left(&fx, "T.L"), 0);
    cr_assert_eq(items_left(&fx, "T.G"), 0);
    pk_engine_list_streams(fx.engine, &fx.call, PK_LIT("T"), &list, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(pk_engine_describe_stream(fx.engine, &fx.call, &list[0], &info, &fx.err), PK_OK);
    for (size_t i = 0; i < info.shard_count; i++) {
        struct pk_iterator_request from = {.stream = list[0], .shard_id = info.shards[i].id};
        struct pk_records_request get = {.limit = 10, .record = note, .context = &seen};
        pk_slice next;

        cr_assert_eq(pk_engine_shard_iterator(fx.engine, &fx.call, &from, &get.iterator, &fx.err),
                     PK_OK);
        cr_assert_eq(pk_engine_stream_records(fx.engine, &fx.call, &get, &next, &fx.err), PK_OK);
    }
    cr_assert_str_eq(seen.data, "1 3 by TTL ");
    pk_buf_release(&seen);
    engine_close(&fx);
}

/* Expired items cost what they always cost, and a filter hides them. */
Test(ttl, reads)
{
    struct engine_fixture fx;
    struct read_text read = {
        .from = "T", .key = "p = :p", .filter = "e > :now", .values = "{p: 'a', now: 1800000000}"};

    begin(&fx, "T p:S s:N");
    set_delay(&fx, UINT64_C(48) * 3600000, 0);
    cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
    for (int i = 0; i < 10; i++)
        engine_put(&fx, "T",
                   engine_format(&fx, "{p: 'a', s: %d, e: %d, x: %s}", i,
                                 i < 7 ? NOW_S - 100 : NOW_S + 100, engine_text(&fx, 380)));
    go_to(&fx, NOW_S);
    cr_assert_eq(engine_read(&fx, &read), PK_OK, "%s", engine_message(&fx));
    cr_assert_eq(fx.read.count, 3);
    cr_assert_eq(fx.read.scanned, 10);
    cr_assert_eq(engine_read_cost(&fx), 500);
    engine_close(&fx);
}

static const struct {
    const char *attribute;
    bool enabled;
    int64_t after_s; /* of the step before */
    const char *message;
} changes[] = {
    {"e", false, 0, "TimeToLive is already disabled"},
    {"e", true, 0, ""},
    {"e", true, 0, "TimeToLive is already enabled"},
    {"f", true, 0, "TimeToLive is active on a different AttributeName: current AttributeName is e"},
    {"f", false, 0,
     "TimeToLive is active on a different AttributeName: current AttributeName is e"},
    {"e", false, 3599, "Time to live has been modified multiple times within a fixed interval"},
    {"e", false, 1, ""},
    {"f", true, 10, "Time to live has been modified multiple times within a fixed interval"},
    {"f", true, 3600, ""},
};

Test(ttl, changes)
{
    struct engine_fixture fx;
    int64_t now_s = NOW_S;

    begin(&fx, "T p:S");
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        now_s += changes[i].after_s;
        go_to(&fx, now_s);
        (void)set_ttl(&fx, changes[i].attribute, changes[i].enabled);
        cr_expect_str_eq(engine_message(&fx), changes[i].message, "step %zu", i);
    }
    engine_close(&fx);
}

/* Many items that were there before: rows are made in steps, also across a restart; off removes
 * them again. */
Test(ttl, fill)
{
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_table *table;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    cr_assert(pk_clock_set(pk_engine_clock(fx.engine), NOW_S * INT64_C(1000)));
    engine_table(&fx, "T p:N");
    set_delay(&fx, 0, 0);
    for (int i = 0; i < 5000; i++)
        engine_put(&fx, "T", engine_format(&fx, "{p: %d, e: %d}", i, NOW_S + 10 + i));
    cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    cr_assert_eq(table->ttl, PK_TTL_FILLING);
    pk_table_unref(table);
    engine_put(&fx, "T", "{p: 9999, e: 1799999999}");
    engine_close(&fx);

    engine_open_dir(&fx, dir.path);
    cr_assert(pk_clock_set(pk_engine_clock(fx.engine), NOW_S * INT64_C(1000)));
    go_to(&fx, NOW_S);
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    cr_assert_eq(table->ttl, PK_TTL_ON);
    pk_table_unref(table);
    cr_assert_eq(items_left(&fx, "T"), 5000);
    go_to(&fx, NOW_S + 2510);
    cr_assert_eq(items_left(&fx, "T"), 2500);
    go_to(&fx, NOW_S + 3600);
    cr_assert_eq(set_ttl(&fx, "e", false), PK_OK);
    go_to(&fx, NOW_S + 99999);
    cr_assert_eq(items_left(&fx, "T"), 5000 - 3590);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

/* An item without its expiry row is a fault; repair makes the rows anew. */
Test(ttl, check_and_repair)
{
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_check_result result;
    struct pk_item_key item = {pk_value_string(PK_LIT("a")), pk_value_missing()};
    struct pk_table *table;
    const char *first;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    cr_assert(pk_clock_set(pk_engine_clock(fx.engine), NOW_S * INT64_C(1000)));
    engine_table(&fx, "T p:S");
    cr_assert_eq(set_ttl(&fx, "e", true), PK_OK);
    engine_put(&fx, "T", "{p: 'a', e: 1800000100}");
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    pk_layout_expiry(&key, table->id, 1800000100, &item);
    pk_table_unref(table);
    pk_batch_delete(&batch, pk_buf_slice(&key));
    cr_assert_eq(pk_store_commit(fx.engine->store, &batch, PK_COMMIT_FAST, &fx.err), PK_OK);
    cr_assert_eq(engine_faults(&fx, &first), 1);
    cr_assert_str_eq(first, "table 'T': item 'a' has no expiry row, it will not expire");
    pk_batch_release(&batch);
    pk_buf_release(&key);
    engine_close_unchecked(&fx);
    pk_error_release(&fx.err);
    cr_assert_eq(pk_engine_repair(dir.path, (struct pk_check_report){NULL, NULL}, &result, &fx.err),
                 PK_OK);
    cr_assert_eq(result.faults, 0);
    temp_dir_remove(&dir);
}
