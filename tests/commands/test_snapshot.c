/* Pksk.Snapshot as it is asked and read, and what a hostile answer does: nothing. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "commands/snapshot.h"
#include "commands/wire.h"
#include "tests/support/command_fixture.h"
#include "tests/support/fake_backend.h"

#define FULL                                                                                       \
    "{\"Time\":1767225600123,\"Paused\":true,\"Speed\":10,\"Throttle\":\"enforce\","               \
    "\"Tables\":[{\"TableName\":\"Tab\",\"Items\":3,\"Bytes\":90}],"                               \
    "\"TableName\":\"Tab\",\"IndexName\":\"by_g\",\"OnDemand\":true,\"Counting\":true,"            \
    "\"Items\":300,\"Bytes\":120000,"                                                              \
    "\"Read\":{\"Limit\":0,\"LevelMilli\":-2500,\"BurstMilli\":7,\"BurstMaxMilli\":8,"             \
    "\"Consumed\":9,"                                                                              \
    "\"Admitted\":10,\"Refused\":11,\"Warm\":12000,\"Max\":13},"                                   \
    "\"Write\":{\"Limit\":40},\"PartitionCount\":4,"                                               \
    "\"Partitions\":[{\"Number\":2,\"Id\":6,\"Parent\":2,\"FirstToken\":\"8000000000000000\","     \
    "\"LastToken\":\"BFFFffffffffffff\",\"FirstKey\":\"USER#1 "                                    \
    "ORDER#7\",\"Items\":79,\"Bytes\":31000,"                                                      \
    "\"Splitting\":true,\"SplitDue\":1767225601000,\"CooldownUntil\":5,\"HotSeconds\":2,"          \
    "\"Refusal\":\"SINGLE_ITEM\",\"Leader\":\"b\","                                                \
    "\"Read\":{\"Limit\":3000,\"Consumed\":3000000,\"Admitted\":3000,\"Refused\":4000,"            \
    "\"Throttled\":{\"KeyRange\":9566,\"Provisioned\":1,\"MaxOnDemand\":2,\"Account\":3}},"        \
    "\"Write\":{\"Limit\":1000},"                                                                  \
    "\"Hottest\":[{\"Key\":{\"PK\":{\"S\":\"USER#1\"},\"SK\":{\"N\":\"7\"}},\"Share\":900},"       \
    "{\"Key\":{\"PK\":{\"S\":\"a b\"}},\"Share\":50}],"                                            \
    "\"History\":{\"Read\":[1,2,3],\"Write\":[4,5,6],\"Refused\":[7,8,9]}}],"                      \
    "\"Hot\":[{\"Number\":3,\"Id\":9}],"                                                           \
    "\"Indexes\":[{\"IndexName\":\"by_g\",\"Local\":true,\"Status\":\"ACTIVE\",\"Items\":1,"       \
    "\"Bytes\":2,"                                                                                 \
    "\"Waiting\":3,\"OldestMs\":4,\"QueueMilli\":5,\"QueueLimitMilli\":6,\"Throttled\":7,"         \
    "\"Read\":{\"Limit\":8},\"Write\":{\"Limit\":9}}],"                                            \
    "\"Splits\":[{\"Time\":100,\"Partition\":2,\"Children\":[6,7],\"Cause\":\"HEAT\"}],"           \
    "\"Readers\":[{\"Number\":3,\"ShardId\":\"shardId-1-2\",\"SequenceNumber\":\"1007\","          \
    "\"Records\":4,\"Waiting\":5,\"More\":true,\"OldestMs\":6,\"QuietMs\":7}]}"

static void expect_text(pk_slice text, const char *expected)
{
    cr_expect(pk_slice_is(text, expected), "'%.*s' instead of '%s'", PK_FMT(text), expected);
}

static void read_text(struct pk_arena *arena, const char *json, struct cmd_snapshot *snapshot)
{
    cJSON *answer = cmd_wire_parse(pk_slice_cstr(json));

    cmd_snapshot_read(arena, answer, snapshot);
    cJSON_Delete(answer);
}

static void check_partition(const struct cmd_snapshot_partition *partition)
{
    cr_expect_eq(partition->number, 2U);
    cr_expect_eq(partition->id, 6U);
    cr_expect_eq(partition->parent, 2U);
    cr_expect_eq(partition->first_token, UINT64_C(0x8000000000000000));
    cr_expect_eq(partition->last_token, UINT64_C(0xbfffffffffffffff));
    expect_text(partition->first_key, "USER#1 ORDER#7");
    cr_expect_eq(partition->items, 79U);
    cr_expect_eq(partition->bytes, 31000U);
    cr_expect(partition->splitting);
    cr_expect_eq(partition->split_due_ms, INT64_C(1767225601000));
    cr_expect_eq(partition->cool_until_ms, 5);
    cr_expect_eq(partition->hot_seconds, 2U);
    expect_text(partition->refusal, "SINGLE_ITEM");
    cr_expect_eq(partition->leader, 'b');
    cr_expect_eq(partition->read.limit, 3000);
    cr_expect_eq(partition->read.consumed, 3000000);
    cr_expect_eq(partition->read.throttled[CMD_LIMIT_KEY_RANGE], 9566U);
    cr_expect_eq(partition->read.throttled[CMD_LIMIT_PROVISIONED], 1U);
    cr_expect_eq(partition->read.throttled[CMD_LIMIT_MAX_ON_DEMAND], 2U);
    cr_expect_eq(partition->read.throttled[CMD_LIMIT_ACCOUNT], 3U);
    cr_expect_eq(partition->write.limit, 1000);
    cr_assert_eq(partition->hottest_count, 2U);
    expect_text(partition->hottest[0].text, "USER#1 7");
    cr_expect_eq(partition->hottest[0].share, 900U);
    expect_text(partition->hottest[1].text, "'a b'");
    cr_assert_eq(partition->history_count, 3U);
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_eq(partition->read_milli[i], i + 1);
        cr_expect_eq(partition->write_milli[i], i + 4);
        cr_expect_eq(partition->refused[i], i + 7);
    }
}

Test(snapshot, everything_is_read)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_snapshot snapshot;

    read_text(&arena, FULL, &snapshot);
    cr_expect_eq(snapshot.time_ms, INT64_C(1767225600123));
    cr_expect(snapshot.paused && snapshot.on_demand && snapshot.counting);
    cr_expect_eq(snapshot.speed, 10U);
    cr_expect_eq(snapshot.throttle, CMD_THROTTLE_ENFORCE);
    expect_text(snapshot.table, "Tab");
    expect_text(snapshot.index, "by_g");
    cr_assert_eq(snapshot.table_count, 1U);
    expect_text(snapshot.tables[0].name, "Tab");
    cr_expect_eq(snapshot.tables[0].bytes, 90U);
    cr_expect_eq(snapshot.read.level_milli, -2500);
    cr_expect_eq(snapshot.read.burst_max_milli, 8);
    cr_expect_eq(snapshot.read.refused, 11U);
    cr_expect_eq(snapshot.read.warm, 12000);
    cr_expect_eq(snapshot.read.max, 13);
    cr_expect_eq(snapshot.write.limit, 40);
    cr_expect_eq(snapshot.partition_count, 4U);
    cr_assert_eq(snapshot.count, 1U);
    check_partition(&snapshot.partitions[0]);
    cr_assert_eq(snapshot.hot_count, 1U);
    cr_expect_eq(snapshot.hot[0].id, 9U);
    cr_assert_eq(snapshot.index_count, 1U);
    expect_text(snapshot.indexes[0].name, "by_g");
    cr_expect(snapshot.indexes[0].local);
    cr_expect_eq(snapshot.indexes[0].oldest_ms, 4);
    cr_expect_eq(snapshot.indexes[0].queue_limit_milli, 6);
    cr_expect_eq(snapshot.indexes[0].throttled, 7U);
    cr_expect_eq(snapshot.indexes[0].write.limit, 9);
    cr_assert_eq(snapshot.split_count, 1U);
    cr_expect_eq(snapshot.splits[0].children[1], 7U);
    expect_text(snapshot.splits[0].cause, "HEAT");
    cr_assert_eq(snapshot.reader_count, 1U);
    cr_expect_eq(snapshot.readers[0].number, 3U);
    expect_text(snapshot.readers[0].shard, "shardId-1-2");
    expect_text(snapshot.readers[0].sequence, "1007");
    cr_expect_eq(snapshot.readers[0].records, 4U);
    cr_expect_eq(snapshot.readers[0].waiting, 5U);
    cr_expect(snapshot.readers[0].more);
    cr_expect_eq(snapshot.readers[0].oldest_ms, 6);
    cr_expect_eq(snapshot.readers[0].quiet_ms, 7);
    pk_arena_release(&arena);
}

Test(snapshot, what_is_missing_or_of_a_wrong_type_is_zero)
{
    static const char *const bodies[] = {
        "{}",
        "[]",
        "null",
        "7",
        "{\"Time\":\"x\",\"Paused\":1,\"Speed\":[],\"Throttle\":{},\"Tables\":{},\"TableName\":7,"
        "\"Read\":[],\"Write\":\"x\",\"PartitionCount\":\"4\",\"Partitions\":{\"a\":{}},"
        "\"Hot\":7,\"Indexes\":7,\"Splits\":\"x\",\"Readers\":{}}",
        "{\"Time\":-5,\"Speed\":-1,\"PartitionCount\":-3,\"Read\":{\"Limit\":-1,\"Admitted\":-7}}",
    };

    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct cmd_snapshot snapshot;

        read_text(&arena, bodies[i], &snapshot);
        cr_expect_eq(snapshot.time_ms, 0, "%s", bodies[i]);
        cr_expect_not(snapshot.paused, "%s", bodies[i]);
        cr_expect_eq(snapshot.speed, 0U, "%s", bodies[i]);
        cr_expect_eq(snapshot.throttle, CMD_THROTTLE_OFF, "%s", bodies[i]);
        cr_expect_eq(snapshot.table.len + snapshot.index.len, 0U, "%s", bodies[i]);
        cr_expect_eq(snapshot.read.limit, 0, "%s", bodies[i]);
        cr_expect_eq(snapshot.read.admitted, 0U, "%s", bodies[i]);
        cr_expect_eq(snapshot.partition_count, 0U, "%s", bodies[i]);
        cr_expect_eq(snapshot.count + snapshot.table_count + snapshot.index_count +
                         snapshot.split_count + snapshot.reader_count + snapshot.hot_count,
                     0U, "%s", bodies[i]);
        pk_arena_release(&arena);
    }
}

/* One partition with that member. */
static struct cmd_snapshot_partition partition_with(struct pk_arena *arena, const char *members)
{
    struct pk_buf json = PK_BUF_INIT;
    struct cmd_snapshot snapshot;

    pk_buf_printf(&json, "{\"Partitions\":[{%s}]}", members);
    read_text(arena, json.data, &snapshot);
    pk_buf_release(&json);
    cr_assert_eq(snapshot.count, 1U, "%s", members);
    return snapshot.partitions[0];
}

Test(snapshot, figures_out_of_range_are_brought_into_it)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_snapshot_partition partition = partition_with(
        &arena,
        "\"Number\":1e300,\"Id\":-1,\"Items\":1e19,\"Bytes\":-1e300,\"HotSeconds\":4294967296,"
        "\"FirstToken\":\"xyz\",\"LastToken\":\"00000000000000001\",\"Leader\":\"zz\","
        "\"Read\":{\"LevelMilli\":-1e300,\"Consumed\":1e999},"
        "\"Hottest\":[{\"Share\":5000},7,{\"Key\":{\"PK\":{\"M\":{\"a\":{\"S\":\"x\"}}}}},"
        "{\"Key\":{\"PK\":{\"S\":7}}},{\"Key\":[]}],"
        "\"History\":{\"Refused\":[-1,1e300,null]}");

    cr_expect_eq(partition.number, UINT32_MAX);
    cr_expect_eq(partition.id, 0U);
    cr_expect_eq(partition.items, UINT64_C(9007199254740992));
    cr_expect_eq(partition.bytes, 0U);
    cr_expect_eq(partition.hot_seconds, UINT32_MAX);
    cr_expect_eq(partition.first_token, 0U);
    cr_expect_eq(partition.last_token, 0U);
    cr_expect_eq(partition.leader, 'a');
    cr_expect_eq(partition.read.level_milli, -INT64_C(9007199254740992));
    cr_expect_eq(partition.read.consumed, INT64_C(9007199254740992));
    cr_assert_eq(partition.hottest_count, 5U);
    cr_expect_eq(partition.hottest[0].share, 1000U);
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(partition.hottest[i].text.len, 0U, "%zu", i);
    cr_assert_eq(partition.history_count, 3U);
    cr_expect_eq(partition.refused[0], 0U);
    cr_expect_eq(partition.refused[1], UINT32_MAX);
    cr_expect_eq(partition.refused[2], 0U);
    cr_expect_eq(partition.read_milli[2], 0);
    pk_arena_release(&arena);
}

Test(snapshot, histories_end_together)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_snapshot_partition partition =
        partition_with(&arena, "\"History\":{\"Read\":[1,2,3],\"Write\":[9],\"Refused\":[]}");

    cr_assert_eq(partition.history_count, 3U);
    cr_expect_eq(partition.read_milli[0], 1);
    cr_expect_eq(partition.write_milli[1], 0);
    cr_expect_eq(partition.write_milli[2], 9);
    cr_expect_eq(partition.refused[2], 0U);
    pk_arena_release(&arena);
}

static void add_many(struct pk_buf *json, const char *name, size_t count, const char *element)
{
    pk_buf_printf(json, "\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        pk_buf_printf(json, "%s%s", i == 0 ? "" : ",", element);
    pk_buf_add_cstr(json, "]");
}

Test(snapshot, lists_are_bounded)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf json = PK_BUF_INIT;
    struct cmd_snapshot snapshot;

    pk_buf_add_byte(&json, '{');
    add_many(&json, "Tables", 500, "{}");
    pk_buf_add_byte(&json, ',');
    add_many(&json, "Indexes", 500, "{}");
    pk_buf_add_byte(&json, ',');
    add_many(&json, "Splits", 5000, "{\"Children\":[1]}");
    pk_buf_add_cstr(&json, ",\"Partitions\":[{");
    add_many(&json, "Hottest", 100, "{}");
    pk_buf_add_cstr(&json, ",\"History\":{\"Read\":[1,");
    for (int i = 0; i < 1000; i++)
        pk_buf_printf(&json, "%d,", i);
    pk_buf_add_cstr(&json, "1000]}}");
    for (int i = 0; i < 20000; i++)
        pk_buf_add_cstr(&json, ",7");
    pk_buf_add_cstr(&json, "]}");
    read_text(&arena, json.data, &snapshot);
    cr_expect_eq(snapshot.table_count, 100U);
    cr_expect_eq(snapshot.index_count, 25U);
    cr_expect_eq(snapshot.split_count, 256U);
    cr_expect_eq(snapshot.splits[0].children[1], 0U);
    cr_assert_eq(snapshot.count, 10000U);
    cr_expect_eq(snapshot.partitions[0].hottest_count, 16U);
    cr_assert_eq(snapshot.partitions[0].history_count, 300U);
    cr_expect_eq(snapshot.partitions[0].read_milli[299], 1000);
    cr_expect_eq(snapshot.partitions[0].read_milli[0], 701);
    pk_buf_release(&json);
    pk_arena_release(&arena);
}

Test(snapshot, long_text_is_cut_where_a_character_begins)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf members = PK_BUF_INIT;
    struct cmd_snapshot_partition partition;

    pk_buf_add_cstr(&members, "\"FirstKey\":\"x");
    for (int i = 0; i < 5000; i++)
        pk_buf_add_cstr(&members, "\xC3\xBC");
    pk_buf_add_byte(&members, '"');
    partition = partition_with(&arena, members.data);
    cr_expect_eq(partition.first_key.len, 4095U);
    cr_expect_eq((unsigned char)partition.first_key.data[4094], 0xBC);
    pk_buf_release(&members);
    pk_arena_release(&arena);
}

static const struct take_case {
    struct cmd_snapshot_request request;
    const char *sent;
} take_cases[] = {
    {{.limit = 0}, "{}"},
    {{.table = {"Tab", 3}}, "{\"TableName\":\"Tab\"}"},
    {{.table = {"Tab", 3}, .index = {"by_g", 4}, .history = 500, .first = 64, .limit = 10},
     "{\"TableName\":\"Tab\",\"IndexName\":\"by_g\",\"History\":300,\"First\":64,\"Limit\":10}"},
};

Test(snapshot, is_asked_for)
{
    static const struct fake_answer answers[] = {{"Pksk.Snapshot", FULL, PK_OK, {0}}};
    struct fake_backend fake;
    struct cmd_context context;

    fake_init(&fake, NULL, answers, 1);
    cmd_context_init(&context, &fake.base, NULL);
    for (size_t i = 0; i < sizeof(take_cases) / sizeof(take_cases[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct cmd_snapshot snapshot;

        cr_assert_eq(cmd_snapshot_take(&context, &arena, &take_cases[i].request, &snapshot, &err),
                     PK_OK);
        cr_expect_str_eq(fake.request.data, take_cases[i].sent);
        cr_expect_eq(snapshot.count, 1U);
        pk_error_release(&err);
        pk_arena_release(&arena);
    }
    cmd_context_release(&context);
    fake_release(&fake);
}

static const struct fail_case {
    bool extensions;
    const char *body;
    enum pk_code code, expected;
    const char *message;
} fail_cases[] = {
    {false, "{}", PK_OK, PK_E_UNKNOWN_OPERATION, "http://db has no operation 'Pksk.Snapshot'"},
    {true, "{\"__type\":\"ResourceNotFoundException\",\"message\":\"not there\"}", PK_E_NOT_FOUND,
     PK_E_NOT_FOUND, "not there"},
    {true, "{\"Partitions\":[", PK_OK, PK_E_INTERNAL, "the answer is not JSON"},
};

Test(snapshot, failures_are_told)
{
    for (size_t i = 0; i < sizeof(fail_cases) / sizeof(fail_cases[0]); i++) {
        const struct fail_case *row = &fail_cases[i];
        struct fake_answer answer = {"Pksk.Snapshot", row->body, row->code, {0}};
        struct cmd_snapshot_request request = {.table = PK_LIT("Tab")};
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct cmd_snapshot snapshot;
        struct fake_backend fake;
        struct cmd_context context;

        fake_init(&fake, NULL, &answer, 1);
        fake.base.extensions = row->extensions;
        fake.base.endpoint = "http://db";
        cmd_context_init(&context, &fake.base, NULL);
        cr_expect_eq(cmd_snapshot_take(&context, &arena, &request, &snapshot, &err), row->expected,
                     "%zu", i);
        cr_expect_str_eq(err.message, row->message);
        cmd_context_release(&context);
        fake_release(&fake);
        pk_error_release(&err);
        pk_arena_release(&arena);
    }
}

static void put_large(struct command_fixture *fx, const char *key, size_t bytes)
{
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_printf(&text, "put %s {t: '%0*d'}", key, (int)bytes, 0);
    command_must(fx, text.data);
    pk_buf_release(&text);
}

/* "KEY " of the hottest key of each hot partition; numbers ascend. */
static void expect_hot(struct command_fixture *fx, const struct cmd_snapshot_request *request,
                       const char *keys)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_snapshot snapshot;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf text = PK_BUF_INIT;

    cr_assert_eq(cmd_snapshot_take(&fx->context, &arena, request, &snapshot, &err), PK_OK);
    cr_assert_eq(snapshot.partition_count, 121U);
    for (size_t i = 0; i < snapshot.hot_count; i++) {
        cr_assert(i == 0 || snapshot.hot[i].number > snapshot.hot[i - 1].number);
        cr_assert_eq(snapshot.hot[i].history_count, request->history);
        pk_buf_printf(&text, "%.*s ", PK_FMT(snapshot.hot[i].hottest[0].text));
    }
    cr_expect_str_eq(text.len == 0 ? "" : text.data, keys);
    pk_buf_release(&text);
    pk_arena_release(&arena);
}

/* Wherever they are: those that were not asked for, too. */
Test(snapshot, hottest_of_all_partitions)
{
    struct cmd_snapshot_request request = {.table = PK_LIT("wide"), .limit = 4, .history = 1};
    struct command_fixture fx;

    command_open(&fx);
    command_must(&fx, "clock pause");
    command_must(&fx, "create table wide (PK S) provisioned 1 120000");
    command_must(&fx, "use wide");
    expect_hot(&fx, &request, "");
    put_large(&fx, "A", 300000);
    put_large(&fx, "B", 200000);
    put_large(&fx, "C", 100000);
    put_large(&fx, "D", 100);
    command_must(&fx, "clock advance 1s");
    expect_hot(&fx, &request, "");
    request.hot = 2;
    expect_hot(&fx, &request, "A B ");
    request.hot = 16;
    expect_hot(&fx, &request, "D A C B ");
    request.first = 100;
    expect_hot(&fx, &request, "D A C B ");
    request.first = 0;
    request.limit = 200;
    expect_hot(&fx, &request, ""); /* they are all there */
    command_close(&fx);
}
