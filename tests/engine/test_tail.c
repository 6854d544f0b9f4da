/* The latest changes, kept in memory while somebody looks: order, cause, bounds, lease. */
#include <criterion/criterion.h>

#include "engine/looking.h"
#include "engine/ops/core.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/value_text.h"

struct taken {
    struct pk_buf text;
    struct pk_arena arena;
    size_t count;
};

/* "1 T INSERT USER {p:'a'} {p:'a'}" and a newline: number, table, event, cause, images ("–": none).
 */
static enum pk_code take(void *context, const struct pk_tail_record *record, struct pk_error *err)
{
    static const char *const events[] = {"", "INSERT", "MODIFY", "REMOVE"};
    static const char *const causes[] = {"", "USER", "TTL", "TRANSACTION"};
    struct taken *taken = context;

    (void)err;
    taken->count++;
    pk_buf_printf(&taken->text, "%llu %.*s %s %s", (unsigned long long)record->number,
                  PK_FMT(record->table), events[record->event], causes[record->cause]);
    pk_buf_printf(&taken->text, " %s",
                  record->before.len == 0 ? "–"
                                          : value_text_print_view(&taken->arena, record->before));
    pk_buf_printf(&taken->text, " %s\n",
                  record->after.len == 0 ? "–"
                                         : value_text_print_view(&taken->arena, record->after));
    return PK_OK;
}

struct asked {
    const char *table;
    uint64_t after, limit;
    bool newest;
    uint64_t back;
};

/* What a call answers, and "last/lost"; valid until the next. */
static const char *tail(struct engine_fixture *fx, const struct asked *asked, size_t *count)
{
    struct taken taken = {.text = PK_BUF_INIT, .arena = PK_ARENA_INIT};
    const struct pk_tail_request request = {
        .table = asked->table == NULL ? (pk_slice){NULL, 0} : pk_slice_cstr(asked->table),
        .after = asked->after,
        .limit = asked->limit,
        .newest = asked->newest,
        .back = asked->back,
        .record = take,
        .context = &taken,
    };
    struct pk_tail_result result;
    const char *text;

    cr_assert_eq(pk_engine_tail(fx->engine, &fx->call, &request, &result, &fx->err), PK_OK);
    pk_buf_printf(&taken.text, "%llu/%llu", (unsigned long long)result.last,
                  (unsigned long long)result.lost);
    text = pk_arena_dup(&fx->arena, pk_buf_slice(&taken.text)).data;
    if (count != NULL)
        *count = taken.count;
    pk_buf_release(&taken.text);
    pk_arena_release(&taken.arena);
    return text;
}

static void arm(struct engine_fixture *fx)
{
    const struct asked none = {.limit = 1};

    (void)tail(fx, &none, NULL);
}

/* What each kind of write leaves, in the order of commits; a write that changes nothing, or fails,
 * leaves nothing. */
Test(tail, kinds_of_writes)
{
    const struct asked all = {.limit = 100};
    const struct asked of_u = {.limit = 100, .table = "U"};
    struct engine_fixture fx;
    struct pk_write writes[3];
    struct pk_transact_write txn = {.writes = writes, .count = 2};
    struct pk_transact_write_result done;
    struct pk_batch_write_result batch;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    engine_table(&fx, "U p:S s:N");
    engine_put(&fx, "T", "{p: 'before'}");
    cr_expect_str_eq(tail(&fx, &all, NULL), "0/0");
    engine_put(&fx, "T", "{p: 'a', n: 1}");
    engine_put(&fx, "T", "{p: 'a', n: 1}");
    engine_update(&fx, "T", "{p: 'a'}", "SET n = :n", "{n: 2}");
    cr_assert_eq(engine_write(&fx, &(struct write_text){.kind = PK_WRITE_PUT,
                                                        .table = "T",
                                                        .item = "{p: 'a'}",
                                                        .condition = "attribute_not_exists(p)"}),
                 PK_E_CONDITION_FAILED);
    engine_delete(&fx, "T", "{p: 'a'}");
    engine_delete(&fx, "T", "{p: 'nobody'}");
    writes[0] = engine_write_of(
        &fx, &(struct write_text){.kind = PK_WRITE_PUT, .table = "U", .item = "{p: 't', s: 1}"});
    writes[1] = engine_write_of(&fx, &(struct write_text){.kind = PK_WRITE_CHECK,
                                                          .table = "T",
                                                          .item = "{p: 'before'}",
                                                          .condition = "attribute_exists(p)"});
    cr_assert_eq(pk_engine_transact_write(fx.engine, &fx.call, &txn, &done, &fx.err), PK_OK);
    writes[0] = engine_write_of(
        &fx, &(struct write_text){.kind = PK_WRITE_PUT, .table = "T", .item = "{p: 'b1'}"});
    writes[1] = engine_write_of(
        &fx, &(struct write_text){.kind = PK_WRITE_DELETE, .table = "U", .item = "{p: 't', s: 1}"});
    cr_assert_eq(pk_engine_batch_write(fx.engine, &fx.call, writes, 2, &batch, &fx.err), PK_OK);
    cr_expect_str_eq(tail(&fx, &all, NULL), "1 T INSERT USER – {n:1,p:'a'}\n"
                                            "2 T MODIFY USER {n:1,p:'a'} {n:2,p:'a'}\n"
                                            "3 T REMOVE USER {n:2,p:'a'} –\n"
                                            "4 U INSERT TRANSACTION – {p:'t',s:1}\n"
                                            "5 T INSERT USER – {p:'b1'}\n"
                                            "6 U REMOVE USER {p:'t',s:1} –\n"
                                            "6/0");
    cr_expect_str_eq(tail(&fx, &of_u, NULL), "4 U INSERT TRANSACTION – {p:'t',s:1}\n"
                                             "6 U REMOVE USER {p:'t',s:1} –\n"
                                             "6/0");
    engine_close(&fx);
}

Test(tail, expiry)
{
    const struct asked all = {.limit = 100};
    struct pk_ttl_change change = {.table = PK_LIT("T"), .attribute = PK_LIT("e"), .enabled = true};
    struct engine_fixture fx;
    struct pk_sim_settings settings;
    int64_t now_ms = INT64_C(1800000000000);

    engine_open(&fx);
    cr_assert(pk_clock_set(pk_engine_clock(fx.engine), now_ms));
    engine_table(&fx, "T p:S");
    pk_engine_settings(fx.engine, &settings);
    settings.ttl_delay_ms = settings.ttl_jitter_ms = 0;
    cr_assert_eq(pk_engine_set_settings(fx.engine, &settings, &fx.err), PK_OK);
    cr_assert_eq(pk_engine_update_ttl(fx.engine, &change, &fx.err), PK_OK);
    arm(&fx);
    engine_put(&fx, "T", "{p: 'a', e: 1799999000}");
    while (pk_engine_tick(fx.engine, now_ms))
        ;
    cr_expect_str_eq(tail(&fx, &all, NULL), "1 T INSERT USER – {e:1799999000,p:'a'}\n"
                                            "2 T REMOVE TTL {e:1799999000,p:'a'} –\n"
                                            "2/0");
    engine_close(&fx);
}

/* A table without an index or a stream has no change records, and is seen all the same; with a
 * stream the record names the shard that has it. */
static enum pk_code take_shard(void *context, const struct pk_tail_record *record,
                               struct pk_error *err)
{
    char *shard = context;

    (void)err;
    shard[0] = '\0';
    if (record->shard.data != NULL)
        memcpy(shard, record->shard.data, record->shard.len + 1);
    return PK_OK;
}

Test(tail, shard)
{
    char shard[64];
    const struct pk_tail_request request = {.limit = 9, .record = take_shard, .context = shard};
    struct pk_tail_result result;
    struct pk_stream_info info;
    struct pk_stream_name *streams = NULL;
    struct engine_fixture fx;
    struct pk_table_spec spec;
    struct pk_table *table = NULL;
    size_t count = 0;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    spec = engine_spec(&fx, "S p:S provisioned=1/1");
    spec.stream = PK_STREAM_KEYS_ONLY;
    cr_assert_eq(pk_engine_create_table(fx.engine, &spec, &table, &fx.err), PK_OK);
    pk_table_unref(table);
    arm(&fx);
    engine_put(&fx, "T", "{p: 'a'}");
    cr_assert_eq(pk_engine_tail(fx.engine, &fx.call, &request, &result, &fx.err), PK_OK);
    cr_expect_str_eq(shard, "");
    engine_put(&fx, "S", "{p: 'a'}");
    cr_assert_eq(pk_engine_tail(fx.engine, &fx.call, &request, &result, &fx.err), PK_OK);
    pk_engine_list_streams(fx.engine, &fx.call, PK_LIT("S"), &streams, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(pk_engine_describe_stream(fx.engine, &fx.call, &streams[0], &info, &fx.err),
                 PK_OK);
    cr_assert_eq(info.shard_count, 1);
    cr_expect_str_eq(shard, info.shards[0].id.data);
    engine_close(&fx);
}

static void put_numbers(struct engine_fixture *fx, int from, int count)
{
    for (int i = from; i < from + count; i++) {
        cr_assert_eq(engine_put(fx, "T", engine_format(fx, "{p: 'k%d'}", i)), PK_OK);
        if (i % 500 == 0)
            engine_reset(fx);
    }
}

/* Reading on: limits, both ends, what was lost, numbers that were never given. */
static const struct {
    struct asked asked;
    size_t count;
    const char *ends; /* last/lost */
} readings[] = {
    {{.limit = 500}, 500, "504/0"},
    {{.after = 504, .limit = 500}, 500, "1004/0"},
    {{.after = 4099, .limit = 500}, 1, "4100/0"},
    {{.after = 4100, .limit = 500}, 0, "4100/0"},
    {{.after = 5000, .limit = 2}, 2, "6/0"},
    {{.after = 1, .limit = 2}, 2, "6/3"},
    {{.after = 4, .limit = 2}, 2, "6/0"},
    {{.after = 3, .limit = 2}, 2, "6/1"},
    {{.limit = 3, .newest = true}, 3, "4100/0"},
    {{.after = 1, .limit = 3, .newest = true}, 3, "4100/4096"},
    {{.after = 4000, .limit = 3, .newest = true}, 3, "4100/97"},
    {{.after = 4098, .limit = 3, .newest = true}, 2, "4100/0"},
    {{.limit = 5, .table = "U"}, 0, "4100/0"},
};

Test(tail, bounded_in_records)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    arm(&fx);
    put_numbers(&fx, 0, PK_TAIL_KEPT + 4);
    for (size_t i = 0; i < sizeof(readings) / sizeof(*readings); i++) {
        size_t count = 0;
        const char *text = tail(&fx, &readings[i].asked, &count);
        const char *ends = strrchr(text, '\n');

        ends = ends == NULL ? text : ends + 1;
        cr_expect_eq(count, readings[i].count, "row %zu: %zu", i, count);
        cr_expect_str_eq(ends, readings[i].ends, "row %zu: %s", i, ends);
    }
    cr_expect_eq(fx.engine->tail.count, PK_TAIL_KEPT);
    engine_close(&fx);
}

Test(tail, bounded_in_bytes)
{
    const struct asked first = {.limit = 100};
    struct engine_fixture fx;
    size_t count = 0;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    arm(&fx);
    for (int i = 0; i < 40; i++) {
        engine_put(&fx, "T",
                   engine_format(&fx, "{p: 'k', n: %d, t: %s}", i, engine_text(&fx, 400000)));
        engine_reset(&fx);
    }
    cr_expect_leq(fx.engine->tail.bytes, PK_TAIL_KEPT_BYTES);
    cr_expect_eq(fx.engine->tail.count, 10, "%zu", fx.engine->tail.count);
    /* One is more than an answer should hold, and comes all the same. */
    (void)tail(&fx, &first, &count);
    cr_expect_eq(count, 1);
    engine_close(&fx);
}

/* Nobody looks: nothing is kept. The lease ends by the tick, or by the next write, and numbers go
 * on. */
Test(tail, lease)
{
    const struct asked all = {.limit = 9};
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    engine_put(&fx, "T", "{p: 'a'}");
    cr_expect_not(pk_lease_is_taken(&fx.engine->tail.lease));
    cr_expect_eq(fx.engine->tail.next, 1);
    for (int by_write = 0; by_write < 2; by_write++) {
        arm(&fx);
        engine_put(&fx, "T", engine_format(&fx, "{p: 'b', n: %d}", by_write));
        (void)pk_engine_tick(fx.engine, FIXTURE_NOW_MS);
        cr_expect_eq(fx.engine->tail.count, 1);
        atomic_store(&fx.engine->tail.lease.until_us, 1);
        if (by_write == 1)
            engine_put(&fx, "T", "{p: 'c'}");
        else
            (void)pk_engine_tick(fx.engine, FIXTURE_NOW_MS);
        cr_expect_not(pk_lease_is_taken(&fx.engine->tail.lease));
        cr_expect_eq(fx.engine->tail.count, 0);
        cr_expect_null(fx.engine->tail.slots);
    }
    cr_expect_str_eq(tail(&fx, &all, NULL), "2/0");
    engine_put(&fx, "T", "{p: 'd'}");
    cr_expect_str_eq(tail(&fx, &all, NULL), "3 T INSERT USER – {p:'d'}\n3/0");
    engine_close(&fx);
}

/* A table that is dropped, and made again under its name, while its records are there. */
Test(tail, dropped_table)
{
    const struct asked all = {.limit = 9};
    struct engine_fixture fx;
    struct pk_table *table = NULL;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    arm(&fx);
    engine_put(&fx, "T", "{p: 'a'}");
    cr_assert_eq(pk_engine_delete_table(fx.engine, PK_LIT("T"), &table, &fx.err), PK_OK);
    pk_table_unref(table);
    engine_table(&fx, "T q:N");
    engine_put(&fx, "T", "{q: 1}");
    cr_expect_str_eq(tail(&fx, &all, NULL),
                     "1 T INSERT USER – {p:'a'}\n2 T INSERT USER – {q:1}\n2/0");
    engine_close(&fx);
}

static void make_streamed(struct engine_fixture *fx, const char *text)
{
    struct pk_table_spec spec = engine_spec(fx, text);
    struct pk_table *table = NULL;

    spec.stream = PK_STREAM_KEYS_ONLY;
    cr_assert_eq(pk_engine_create_table(fx->engine, &spec, &table, &fx->err), PK_OK);
    pk_table_unref(table);
}

/* Who begins to look sees what was there: of all shards in the order of the log, whatever the view
 * of the stream. Then the same changes come with their numbers. */
Test(tail, looks_back)
{
    const struct asked two = {.table = "T", .limit = 100, .back = 2};
    const struct asked many = {.table = "T", .limit = 100, .back = 200};
    const struct asked none = {.table = "N", .limit = 100, .back = 200};
    const struct asked gone = {.table = "X", .limit = 100, .back = 200};
    struct engine_fixture fx;
    struct pk_clock *clock;

    engine_open(&fx);
    make_streamed(&fx, "T p:S");
    engine_table(&fx, "N p:S");
    for (int i = 0; i < 4; i++)
        engine_put(&fx, "T", engine_format(&fx, "{p: '%c'}", 'a' + i));
    engine_put(&fx, "T", "{p: 'a', n: 1}");
    engine_delete(&fx, "T", "{p: 'b'}");
    engine_put(&fx, "N", "{p: 'a'}");
    cr_expect_str_eq(tail(&fx, &two, NULL), "0 T MODIFY USER {p:'a'} {n:1,p:'a'}\n"
                                            "0 T REMOVE USER {p:'b'} –\n"
                                            "0/0");
    cr_expect_str_eq(tail(&fx, &many, NULL), "0 T INSERT USER – {p:'a'}\n"
                                             "0 T INSERT USER – {p:'b'}\n"
                                             "0 T INSERT USER – {p:'c'}\n"
                                             "0 T INSERT USER – {p:'d'}\n"
                                             "0 T MODIFY USER {p:'a'} {n:1,p:'a'}\n"
                                             "0 T REMOVE USER {p:'b'} –\n"
                                             "0/0");
    cr_expect_str_eq(tail(&fx, &none, NULL), "0/0");
    cr_expect_str_eq(tail(&fx, &gone, NULL), "0/0");
    engine_put(&fx, "T", "{p: 'e'}");
    cr_expect_str_eq(tail(&fx, &two, NULL), "0 T REMOVE USER {p:'b'} –\n"
                                            "0 T INSERT USER – {p:'e'}\n"
                                            "1 T INSERT USER – {p:'e'}\n"
                                            "1/0");
    clock = pk_engine_clock(fx.engine);
    cr_assert(pk_clock_set(clock, pk_clock_now(clock) + INT64_C(86400001)));
    cr_expect_str_eq(tail(&fx, &two, NULL), "1 T INSERT USER – {p:'e'}\n1/0"); /* retention */
    engine_close(&fx);
}

/* Images count towards the answer's bytes, but one record always comes. */
Test(tail, looks_back_on_so_many_bytes)
{
    const struct asked many = {.table = "T", .limit = 100, .back = 200};
    struct engine_fixture fx;
    size_t count = 0;

    engine_open(&fx);
    make_streamed(&fx, "T p:S");
    for (int i = 0; i < 5; i++)
        engine_put(&fx, "T", engine_format(&fx, "{p: 'a%d', t: %s}", i, engine_text(&fx, 100000)));
    (void)tail(&fx, &many, &count);
    cr_expect_eq(count, 2U);
    engine_put(&fx, "T", engine_format(&fx, "{p: 'b', t: %s}", engine_text(&fx, 300000)));
    (void)tail(&fx, &many, &count);
    cr_expect_eq(count, 2U); /* the same one twice: out of the log, and with a number */
    engine_close(&fx);
}
