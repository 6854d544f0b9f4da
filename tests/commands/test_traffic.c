/* Traffics: the words, the n-th request, when it is due, what is sent, recording and replay. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/schema.h"
#include "commands/workload/traffic.h"
#include "commands/workload/traffic_tape.h"
#include "tests/support/command_fixture.h"

TestSuite(traffic);

enum { ALL_WORDS = 0xffff };

static enum pk_code parse(const char *text, struct pk_arena *arena, struct traffic_spec *spec,
                          struct pk_error *err)
{
    const struct traffic_words words = {pk_slice_cstr(text), 0, ALL_WORDS, arena};

    return traffic_spec_parse(&words, spec, err);
}

/* ---- words ----------------------------------------------------------------------------------- */

Test(traffic, words)
{
    static const char text[] =
        "op=mix(get 70%, put 12.5%, edit 17.5%) keys='a b'{1..3} sk={x,y} rate=2000/s "
        "skew=hot(80.5% 'it''s') size=6KB strong for=30s seed=7 table=T at=second walk=random "
        "set=s:{a,b} set=t:x";
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct traffic_spec spec;

    cr_assert_eq(parse(text, &arena, &spec, &err), PK_OK, "%s", err.message);
    cr_expect_eq(spec.share_milli[TRAFFIC_GET], 700);
    cr_expect_eq(spec.share_milli[TRAFFIC_PUT], 125);
    cr_expect_eq(spec.share_milli[TRAFFIC_EDIT], 175);
    cr_expect_eq(spec.share_milli[TRAFFIC_QUERY], 0);
    cr_expect(pk_slice_is(spec.sk.text, "{x,y}"));
    cr_expect_eq(spec.sk.span.start, strstr(text, "{x,y}") - text);
    cr_expect_eq(spec.rate, 2000);
    cr_expect_eq(spec.skew.kind, KEYGEN_HOT);
    cr_expect_eq(spec.skew.hot_milli, 805);
    cr_expect(pk_slice_is(spec.skew.hot_key.text, "it's"));
    cr_expect_eq(spec.skew.hot_key.span.start, strstr(text, "'it''s'") - text);
    cr_expect_eq(spec.size, 6144);
    cr_expect(spec.strong && spec.burst && spec.walk_random);
    cr_expect_eq(spec.for_ms, 30000);
    cr_expect_eq(spec.seed, 7);
    cr_expect(pk_slice_is(spec.table.text, "T"));
    cr_expect_eq(spec.set_count, 2);
    cr_expect(pk_slice_is(spec.sets[1].name, "t"));
    cr_expect(pk_slice_is(spec.sets[0].template.text, "{a,b}"));
    pk_arena_release(&arena);
}

Test(traffic, words_that_are_none)
{
    static const struct command_row rows[] = {
        {"traffic start", "UsageError: expected a name for the traffic\n"},
        {"traffic go", "UsageError: expected fill, start, set, stop, record, replay or nothing\n"
                       "  at 'go'\n"},
        {"traffic start a keys=k",
         "UsageError: expected op=get, put, edit, query or mix(get 70%, put 30%)\n"
         "  at ''\n"},
        {"traffic start a op=get",
         "UsageError: expected keys=TEMPLATE, such as keys=USER#{1..300}\n  at ''\n"},
        {"traffic start a op=scan keys=k",
         "UsageError: expected get, put, edit, query or mix(get 70%, put 30%)\n  at 'scan'\n"},
        {"traffic start a op=mix(get 70%, put 20%) keys=k",
         "UsageError: the shares of mix(…) make 90.0%, not 100%\n  at 'mix(get 70%, put 20%)'\n"},
        {"traffic start a op=mix(get 70%, gut 30%) keys=k",
         "UsageError: a part of mix(…) is get, put, edit or query with its share, each once: "
         "mix(get 70%, put 30%)\n  at 'gut 30%'\n"},
        {"traffic start a op=get keys=k rate=0/s",
         "UsageError: a rate is 1/s to 1000000/s: requests a second of simulated time\n"
         "  at '0/s'\n"},
        {"traffic start a op=get keys=k rate=-5",
         "UsageError: a rate is 1/s to 1000000/s: requests a second of simulated time\n"
         "  at '-5'\n"},
        {"traffic start a op=get keys=k rate=1000001/s",
         "UsageError: a rate is 1/s to 1000000/s: requests a second of simulated time\n"
         "  at '1000001/s'\n"},
        {"traffic start a op=get keys=k skew=warm",
         "UsageError: expected uniform, zipf(s), hot(p% KEY) or sequential\n  at 'warm'\n"},
        {"traffic start a op=get keys=k skew=hot(0% k)",
         "UsageError: hot(p% KEY): p% is the key's share, up to 100%\n  at '0% k'\n"},
        {"traffic start a op=get keys=k skew=hot(101% k)",
         "UsageError: hot(p% KEY): p% is the key's share, up to 100%\n  at '101% k'\n"},
        {"traffic start a op=get keys=k skew=hot(50%)",
         "UsageError: hot(p% KEY): which of the keys is hot is not said\n  at '50%'\n"},
        {"traffic start a op=get keys=USER#{1..3} skew=hot(50% USER#4)",
         "UsageError: the hot key 'USER#4' is none of keys=USER#{1..3}\n  at 'USER#4'\n"},
        {"traffic start a op=get keys=k skew=zipf(11)",
         "UsageError: zipf(s): s is a number from 0 to 10, such as 1.2\n  at '11'\n"},
        {"traffic start a op=put keys=k size=401KB",
         "UsageError: an item's size is 1B to 400KB, such as 400B or 6KB\n  at '401KB'\n"},
        {"traffic start a op=get keys=k for=soon",
         "UsageError: expected a duration\n  at 'soon'\n"
         "  hint: durations: 500ms, 2s, 15min, 48h, 30d\n"},
        {"traffic start a op=get keys=k seed=x", "UsageError: a seed is a whole number\n"
                                                 "  at 'x'\n"},
        {"traffic start a op=get keys=k keys=l", "UsageError: keys is given twice\n"
                                                 "  at 'keys=l'\n"},
        {"traffic start a op=get keys=", "UsageError: keys= has no value\n  at 'keys='\n"},
        {"traffic start a op=get keys=k{1..", "UsageError: { is never closed\n  at '{'\n"},
        {"traffic start a op=get keys=k{1..2000000}",
         "UsageError: the template has 2000000 values; a traffic takes up to 1000000\n"
         "  at 'k{1..2000000}'\n"},
        {"traffic start a op=get keys=k strong=yes",
         "UsageError: 'strong' is no word of a traffic here\n  at 'strong'\n"
         "  hint: words: op= keys= sk= rate= skew= size= for= seed= table= strong walk= at= "
         "set=\n"},
        {"traffic fill keys=k rate=5",
         "UsageError: 'rate' is no word of a traffic here\n  at 'rate'\n"
         "  hint: words: keys= sk= size= table= set=\n"},
        {"traffic start a op=get keys=k table=Nowhere",
         "ResourceNotFoundException: Requested resource not found: Table: Nowhere not found\n"
         "  at 'Nowhere'\n"},
        {"traffic start a=b op=get keys=k",
         "UsageError: a traffic's name is 1 to 64 letters without blanks, quotes and '='\n"
         "  at 'a=b'\n"},
        {"traffic stop a", "UsageError: no traffic is called 'a'\n  at 'a'\n"
                           "  hint: traffic lists them\n"},
        {"traffic set a rate=5", "UsageError: no traffic is called 'a'\n  at 'a'\n"
                                 "  hint: traffic start NAME op=… keys=… starts one\n"},
        {"traffic", "note: no traffic; help traffic tells how to start one\n"},
        {"traffic stop", "note: no traffic\n"},
        {"traffic record -", "UsageError: nothing is recorded\n  at '-'\n"},
        {"traffic record /nowhere/x",
         "StorageError: cannot write '/nowhere/x': No such file or directory\n"
         "  at '/nowhere/x'\n"},
        {"traffic replay /nowhere/x",
         "StorageError: cannot read '/nowhere/x': No such file or directory\n"
         "  at '/nowhere/x'\n"},
        {"traffic replay x speed 0",
         "UsageError: a speed is a whole number from 1 to 1000000\n  at '0'\n"},
    };

    command_check(rows, sizeof(rows) / sizeof(rows[0]));
}

/* Tab has a numeric sort key and no attribute that templates fill by themselves. */
Test(traffic, keys_that_do_not_fit)
{
    static const struct command_row rows[] = {
        {"use Tab", NULL},
        {"traffic start a op=get keys=k",
         "UsageError: the sort key N is a number; which ones is not said\n"
         "  hint: sk={1..1000} gives them in order, over and over\n"},
        {"traffic start a op=get keys=k sk={1,x}",
         "UsageError: 'x' is not a number, and N is a number\n  at '{1,x}'\n"},
        {"traffic start a op=get keys={a,} sk=1",
         "UsageError: '' is empty, and PK is a string\n  at '{a,}'\n"},
        {"traffic start a op=put keys=k sk=1 set=N:{1,2}",
         "UsageError: N is of the key: keys= and sk= give its values\n  at '{1,2}'\n"},
        {"traffic start a op=put keys=k sk=1 set=G", "UsageError: an attribute is set by "
                                                     "NAME:TEMPLATE, such as status:{open,held}\n"
                                                     "  at 'G'\n"},
        {"traffic start a op=put keys=k sk=1 set=A:{1,2} set=A:3",
         "UsageError: attribute 'A' is set twice\n  at 'A'\n"},
        {"traffic start a op=put keys=k sk=1 set=A\xff:1",
         "UsageError: an attribute's name is UTF-8\n  at 'A\xff'\n"},
        {"traffic start a\xff op=put keys=k sk=1",
         "UsageError: a traffic's name is 1 to 64 letters without blanks, quotes and '='\n"
         "  at 'a\xff'\n"},
        {"create table Plain (id S)", NULL},
        {"traffic start a op=get keys=k sk=x table=Plain",
         "UsageError: table 'Plain' has no sort key\n  at 'x'\n"},
    };

    command_check(rows, sizeof(rows) / sizeof(rows[0]));
}

/* ---- when ------------------------------------------------------------------------------------ */

Test(traffic, due_times)
{
    static const struct {
        int64_t rate;
        bool burst;
        uint64_t n;
        int64_t due_ms;
    } rows[] = {
        {20, false, 0, 25},
        {20, false, 1, 75},
        {20, false, 19, 975},
        {20, false, 20, 1025},
        {1, false, 0, 500},
        {3, false, 1, 500},
        {2000, false, 0, 1},
        {2000, false, 1, 1},
        {2000, false, 1999, 1000},
        {2000, false, 2000, 1001},
        {1000000, false, 999, 1},
        {1000000, false, 1000, 2},
        {1000000, false, 999999, 1000},
        {20, true, 0, 1},
        {20, true, 19, 1},
        {20, true, 20, 1001},
        {20, true, 59, 2001},
        {7, true, 7, 1001},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct traffic_pace pace = {
            .base_ms = 5000, .base_n = 100, .rate = rows[i].rate, .burst = rows[i].burst};
        int64_t due_ms = traffic_pace_due(&pace, 100 + rows[i].n) - 5000;

        cr_expect_eq(due_ms, rows[i].due_ms, "row %zu: %lld", i, (long long)due_ms);
    }
}

/* A second of any rate has as many requests as the rate says. */
Test(traffic, seconds_are_full)
{
    static const int64_t rates[] = {1, 2, 3, 7, 20, 99, 999, 1000, 1001, 12345, 1000000};

    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const struct traffic_pace pace = {.rate = rates[i]};
        uint64_t rate = (uint64_t)rates[i];

        cr_expect_leq(traffic_pace_due(&pace, rate - 1), 1000, "%lld", (long long)rates[i]);
        cr_expect_gt(traffic_pace_due(&pace, rate), 1000, "%lld", (long long)rates[i]);
        cr_expect_leq(traffic_pace_due(&pace, 60 * rate - 1), 60000, "%lld", (long long)rates[i]);
        cr_expect_gt(traffic_pace_due(&pace, 60 * rate), 60000, "%lld", (long long)rates[i]);
    }
}

/* ---- what ------------------------------------------------------------------------------------ */

static void make_plan(struct command_fixture *fx, const char *words, const char *table,
                      struct traffic_plan *plan)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    const struct pk_table *schema = NULL;
    struct traffic_spec spec;

    cr_assert_eq(parse(words, &arena, &spec, &err), PK_OK, "%s", err.message);
    cr_assert_eq(cmd_schema_get(&fx->context, pk_slice_cstr(table), &schema, &err), PK_OK);
    cr_assert_eq(traffic_plan_init(plan, &spec, schema, &err), PK_OK, "%s", err.message);
    pk_arena_release(&arena);
}

/* The n-th request's operation and JSON. */
static const char *nth(const struct traffic_plan *plan, uint64_t n, struct pk_buf *text)
{
    struct traffic_request request;
    struct pk_buf json = PK_BUF_INIT;
    pk_slice operation;

    traffic_plan_nth(plan, n, &request);
    traffic_plan_write(plan, &request, &json, &operation);
    pk_buf_clear(text);
    pk_buf_printf(text, "%.*s %s", PK_FMT(operation), json.data);
    pk_buf_release(&json);
    return text->data;
}

Test(traffic, requests)
{
    static const struct {
        const char *words, *table;
        uint64_t n;
        const char *request;
    } rows[] = {
        {"op=get keys=USER#{1..3} skew=sequential strong", "dashboard", 4,
         "GetItem {\"TableName\":\"dashboard\",\"Key\":{\"PK\":{\"S\":\"USER#2\"},"
         "\"SK\":{\"S\":\"PROFILE\"}},\"ConsistentRead\":true}"},
        {"op=put keys=k sk={1..9} size=10B strong", "Tab", 10,
         "PutItem {\"TableName\":\"Tab\",\"Item\":{\"PK\":{\"S\":\"k\"},\"N\":{\"N\":\"2\"}}}"},
        {"op=put keys=k sk={1..9} size=16B", "Tab", 0,
         "PutItem {\"TableName\":\"Tab\",\"Item\":{\"PK\":{\"S\":\"k\"},\"N\":{\"N\":\"1\"},"
         "\"data\":{\"S\":\"xxxxxx\"}}}"},
        {"op=put keys=k sk=1 size=1B set=G:{a,b} set=data:z", "Tab", 3,
         "PutItem {\"TableName\":\"Tab\",\"Item\":{\"PK\":{\"S\":\"k\"},\"N\":{\"N\":\"1\"},"
         "\"G\":{\"S\":\"b\"},\"data\":{\"S\":\"z\"}}}"},
        {"op=edit keys='a\"b' sk=1", "Tab", 0,
         "UpdateItem "
         "{\"TableName\":\"Tab\",\"Key\":{\"PK\":{\"S\":\"a\\\"b\"},\"N\":{\"N\":\"1\"}},"
         "\"UpdateExpression\":\"ADD #n :n\",\"ExpressionAttributeNames\":{\"#n\":\"hits\"},"
         "\"ExpressionAttributeValues\":{\":n\":{\"N\":\"1\"}}}"},
        {"op=query keys=k sk=1 strong", "Tab", 0,
         "Query {\"TableName\":\"Tab\",\"KeyConditionExpression\":\"#k = :k\","
         "\"ExpressionAttributeNames\":{\"#k\":\"PK\"},"
         "\"ExpressionAttributeValues\":{\":k\":{\"S\":\"k\"}},\"ConsistentRead\":true}"},
    };
    struct command_fixture fx;
    struct pk_buf text = PK_BUF_INIT;

    command_open(&fx);
    command_seed(&fx);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct traffic_plan plan;

        make_plan(&fx, rows[i].words, rows[i].table, &plan);
        cr_expect_str_eq(nth(&plan, rows[i].n, &text), rows[i].request, "%s:\n%s", rows[i].words,
                         text.data);
        traffic_plan_release(&plan);
    }
    pk_buf_release(&text);
    command_close(&fx);
}

/* Items have the size that was asked for, by DynamoDB's rules. */
Test(traffic, sizes)
{
    struct command_fixture fx;

    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "create table Sized (id N)");
    cr_expect_str_eq(command_run(&fx, "traffic fill keys={-5,100,1.25} size=1000B table=Sized"),
                     "footer: 3 items into Sized · BatchWriteItem, 1 request · 3 WCU\n");
    command_must(&fx, "use Sized");
    cr_expect(strstr(command_run(&fx, "count scan"), "3 items counted · Scan · all 4 partitions · "
                                                     "3,000 B read") != NULL,
              "%s", fx.text.data);
    command_close(&fx);
}

/* What a seeded run relies on: the same everywhere, and any request by itself. */
Test(traffic, the_nth_request_is_fixed)
{
    struct command_fixture fx;
    struct traffic_plan plan;
    struct pk_buf seen = PK_BUF_INIT;

    command_open(&fx);
    command_seed(&fx);
    make_plan(&fx,
              "op=mix(get 50%, put 25%, edit 25%) keys=U#{1..100} sk={1..1000} walk=random "
              "skew=zipf(1.2) seed=7",
              "Tab", &plan);
    for (uint64_t n = 8; n-- > 0;) {
        struct traffic_request request;

        traffic_plan_nth(&plan, n, &request);
        pk_buf_printf(&seen, "%s %llu %llu, ", traffic_op_name(request.op),
                      (unsigned long long)request.key, (unsigned long long)request.range);
    }
    cr_expect_str_eq(seen.data, "put 16 640, get 8 831, edit 4 177, put 0 909, get 6 370, "
                                "edit 0 264, put 1 517, get 23 827, ");
    pk_buf_release(&seen);
    traffic_plan_release(&plan);
    command_close(&fx);
}

Test(traffic, shares_and_neighbours)
{
    enum { DRAWS = 100000 };
    struct command_fixture fx;
    struct traffic_plan plan;
    size_t gets = 0, hot = 0, runs = 0;
    uint64_t before = 0;

    command_open(&fx);
    command_seed(&fx);
    make_plan(&fx, "op=mix(get 70%, put 30%) keys=U#{1..100} skew=hot(40% U#7) seed=1", "dashboard",
              &plan);
    for (uint64_t n = 0; n < DRAWS; n++) {
        struct traffic_request request;

        traffic_plan_nth(&plan, n, &request);
        gets += request.op == TRAFFIC_GET;
        hot += request.key == 6;
        runs += n > 0 && request.key == 6 && before == 6;
        before = request.key;
    }
    cr_expect(gets > DRAWS * 69 / 100 && gets < DRAWS * 71 / 100, "%zu gets", gets);
    cr_expect(hot > DRAWS * 39 / 100 && hot < DRAWS * 41 / 100, "%zu hot", hot);
    cr_expect(runs > DRAWS * 15 / 100 && runs < DRAWS * 17 / 100, "%zu after each other", runs);
    traffic_plan_release(&plan);
    command_close(&fx);
}

/* ---- running --------------------------------------------------------------------------------- */

static void temp_path(char path[64])
{
    int fd;

    snprintf(path, 64, "/tmp/pksk-traffic-XXXXXX");
    fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
}

static void read_text(const char *path, struct pk_buf *text)
{
    FILE *file = fopen(path, "r");
    size_t got;

    cr_assert_not_null(file);
    while ((got = fread(pk_buf_reserve(text, 65536), 1, 65536, file)) > 0)
        text->len += got;
    pk_buf_add_cstr(text, "");
    fclose(file);
}

static void start(struct command_fixture *fx, const char *name, const char *words, unsigned threads)
{
    const struct traffic_place place = {fx->context.backend, fx->engine, threads};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct traffic_plan plan;
    struct traffic_spec spec;

    cr_assert_eq(parse(words, &arena, &spec, &err), PK_OK);
    make_plan(fx, words, "dashboard", &plan);
    if (fx->context.traffics == NULL)
        fx->context.traffics = traffics_new();
    cr_assert_eq(traffics_start(fx->context.traffics, &place,
                                &(struct traffic_start){.name = pk_slice_cstr(name),
                                                        .plan_take = &plan,
                                                        .rate = spec.rate,
                                                        .burst = spec.burst,
                                                        .for_ms = spec.for_ms,
                                                        .speed = 1},
                                &err),
                 PK_OK, "%s", err.message);
    pk_arena_release(&arena);
}

/* Two traffics for ten seconds, in steps; what was sent, as it is recorded. */
static void run_recorded(unsigned threads, const char *steps, struct pk_buf *tape)
{
    struct command_fixture fx;
    struct pk_error err = PK_ERROR_INIT;
    char path[64];

    temp_path(path);
    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "clock pause");
    start(&fx, "a", "op=mix(get 70%, put 30%) keys=U#{1..50} rate=333/s skew=zipf(1.1) seed=5",
          threads);
    start(&fx, "b", "op=edit keys=V#{1..3} rate=7/s at=second for=4s", threads);
    cr_assert_eq(traffics_record(fx.context.traffics, path, &err), PK_OK);
    command_must(&fx, steps);
    command_must(&fx, "traffic set a rate=100/s");
    command_must(&fx, "clock advance 3s");
    command_must(&fx, "traffic stop");
    read_text(path, tape);
    unlink(path);
    command_close(&fx);
}

static size_t count_lines(const struct pk_buf *text, const char *with)
{
    size_t count = 0;

    for (const char *at = text->data; (at = strstr(at, with)) != NULL; at++)
        count++;
    return count;
}

Test(traffic, the_same_on_any_number_of_threads)
{
    struct pk_buf one = PK_BUF_INIT, two = PK_BUF_INIT, four = PK_BUF_INIT;

    run_recorded(1, "clock advance 7s", &one);
    run_recorded(1, "clock advance 7s", &two);
    run_recorded(4, "clock advance 7s", &four);
    cr_expect_eq(count_lines(&one, "\n"), 1 + 7 * 333 + 3 * 100 + 4 * 7);
    cr_expect_eq(count_lines(&one, " edit "), 4 * 7);
    cr_expect_str_eq(two.data, one.data);
    cr_expect_str_eq(four.data, one.data);
    pk_buf_release(&one);
    pk_buf_release(&two);
    pk_buf_release(&four);
}

/* On a running clock nothing comes too early, and all of it in the end. */
Test(traffic, a_running_clock_paces)
{
    struct command_fixture fx;
    struct traffic *traffic;

    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "clock speed 20");
    start(&fx, "a", "op=put keys=U#{1..50} rate=500/s for=10s", 0);
    while (traffics_running(fx.context.traffics) > 0) {
        command_must(&fx, "traffic");
        usleep(1000);
    }
    traffic = traffics_take(fx.context.traffics, PK_LIT("a"));
    cr_assert_not_null(traffic);
    cr_expect_eq(traffic->tally.ok + traffic->missed, 5000, "%llu and %llu",
                 (unsigned long long)traffic->tally.ok, (unsigned long long)traffic->missed);
    cr_expect_eq(traffic->tally.sent, traffic->tally.ok);
    cr_expect_eq(traffic->ended_ms - traffic->start_ms, 10000);
    traffic_free(traffic);
    command_close(&fx);
}

/* ---- an endpoint that hangs ------------------------------------------------------------------ */

/* Another pksk that answers everything but the question for its clock. */
struct frozen {
    struct cmd_backend base; /* first: cast back */
    struct cmd_backend *inner;
    atomic_uint waiting; /* calls for the clock that have no answer */
    atomic_uint cancelled;
};

static void frozen_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                        const atomic_bool *cancel, struct cmd_response *response)
{
    enum { PATIENCE = 5000 };
    struct frozen *frozen = (struct frozen *)(void *)backend;

    if (!pk_slice_is(operation, "Pksk.Clock")) {
        frozen->inner->ops->call(frozen->inner, operation, request, cancel, response);
        return;
    }
    atomic_fetch_add(&frozen->waiting, 1);
    for (int ms = 0; ms < PATIENCE && (cancel == NULL || !atomic_load(cancel)); ms++)
        usleep(1000);
    response->code = PK_E_CANCELLED;
    frozen->cancelled += cancel != NULL && atomic_load(cancel);
}

/* One thread waits for the clock, the others go on; and the end does not wait for it. */
Test(traffic, an_endpoint_that_hangs_keeps_nobody)
{
    static const struct cmd_backend_ops ops = {.call = frozen_call};
    struct command_fixture fx;
    struct frozen frozen = {.base = {.ops = &ops, .extensions = true}};
    struct traffics *traffics = traffics_new();
    struct traffic *traffic;
    const struct traffic_place place = {&frozen.base, NULL, 4};
    struct pk_error err = PK_ERROR_INIT;
    struct traffic_plan plan;

    command_open(&fx);
    command_seed(&fx);
    frozen.inner = fx.context.backend;
    make_plan(&fx, "op=put keys=U#{1..50}", "dashboard", &plan);
    cr_assert_eq(
        traffics_start(
            traffics, &place,
            &(struct traffic_start){
                .name = PK_LIT("a"), .plan_take = &plan, .rate = 100, .for_ms = 2500, .speed = 1},
            &err),
        PK_OK, "%s", err.message);
    while (traffics_running(traffics) > 0)
        usleep(1000);
    traffic = traffics_take(traffics, PK_LIT("a"));
    cr_assert_not_null(traffic);
    cr_expect_eq(traffic->tally.ok + traffic->missed, 250, "%llu and %llu",
                 (unsigned long long)traffic->tally.ok, (unsigned long long)traffic->missed);
    traffic_free(traffic);
    traffics_free(traffics);
    cr_expect_eq(atomic_load(&frozen.waiting), 1);
    cr_expect_eq(atomic_load(&frozen.cancelled), 1);
    command_close(&fx);
}

Test(traffic, a_table_that_goes)
{
    static const struct command_row rows[] = {
        {"clock pause", NULL},
        {"traffic start a op=get keys=k rate=10/s", "note: a runs when the clock is advanced; "
                                                    "traffic stop a ends it\n"},
        {"traffic start a op=get keys=k",
         "UsageError: a traffic called 'a' runs already\n  at 'a'\n"
         "  hint: traffic stop a ends it, traffic set a rate=… changes it\n"},
        {"traffic start b op=get keys=k sk=1 table=Tab rate=10/s", NULL},
        {"drop table Tab", "note: table Tab dropped\n"
                           "note: traffic b has ended early (its table was dropped): 0 requests, 0 "
                           "throttled; traffic stop b tells more\n"},
        {"clock advance 1s", NULL},
        {"api delete-table {\"TableName\": \"dashboard\"}", NULL},
        {"clock advance 1s", NULL},
        {"traffic stop b", "note: b: get on Tab, 10/s, keys=k, uniform, seed 1, for 0 s\n"
                           "note: it ended early: its table was dropped\n"
                           "requests | 0 | \nok | 0 | \n"},
        {"traffic stop a", "note: a: get on dashboard, 10/s, keys=k, uniform, seed 1, for 1.0 s\n"
                           "note: it ended early: table dashboard is gone\n"
                           "requests | 11 | \nok | 10 | \n"
                           "failed | 1 | ResourceNotFoundException: Requested resource not found\n"
                           "units | 5 | RCU\n"},
        {"traffic set a rate=5", "UsageError: no traffic is called 'a'\n  at 'a'\n"
                                 "  hint: traffic start NAME op=… keys=… starts one\n"},
    };

    command_check(rows, sizeof(rows) / sizeof(rows[0]));
}

/* ---- recordings ------------------------------------------------------------------------------ */

static const char *replay(struct command_fixture *fx, const char *path, const char *text,
                          const char *speed)
{
    FILE *file = fopen(path, "w");
    char statement[128];

    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(statement, sizeof(statement), "traffic replay %s%s", path, speed);
    return command_run(fx, statement);
}

Test(traffic, a_replay_sends_the_same)
{
    struct command_fixture fx;
    struct pk_buf first = PK_BUF_INIT, second = PK_BUF_INIT;
    char path[64], again[64], statement[128];

    temp_path(path);
    temp_path(again);
    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "clock pause");
    snprintf(statement, sizeof(statement), "traffic record %s", path);
    command_must(&fx, statement);
    command_must(&fx, "traffic start a op=mix(get 40%, put 20%, edit 20%, query 20%) "
                      "keys=U#{1..9} sk={a,b} set=s:{x,y} size=99B strong rate=50/s seed=3");
    command_must(&fx, "clock advance 4s");
    cr_expect_str_eq(command_run(&fx, "traffic record -"), "note: 200 requests recorded\n");
    command_must(&fx, "traffic stop");
    snprintf(statement, sizeof(statement), "traffic record %s", again);
    command_must(&fx, statement);
    snprintf(statement, sizeof(statement), "traffic replay %s", path);
    command_must(&fx, statement);
    command_must(&fx, "clock advance 5s");
    command_must(&fx, "traffic stop");
    read_text(path, &first);
    read_text(again, &second);
    cr_expect_eq(count_lines(&first, "\n"), 201);
    cr_expect_str_eq(second.data, first.data);
    unlink(path);
    unlink(again);
    pk_buf_release(&first);
    pk_buf_release(&second);
    command_close(&fx);
}

/* A table keyed by other attributes of the same requests; and one that cannot be. */
Test(traffic, replays_and_their_faults)
{
    static const char tape[] =
        "pksk traffic 1\n"
        "10 put 30 eventual {\"PK\":{\"S\":\"A\"},\"SK\":{\"S\":\"B\"},\"G\":{\"S\":\"g\"}}\n"
        "20 get 30 strong {\"PK\":{\"S\":\"A\"},\"SK\":{\"S\":\"B\"}}\n";
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "it holds no request"},
        {"hello\n", "it is no recorded traffic: the first line is not 'pksk traffic 1'"},
        {"pksk traffic 2\n", "it was recorded by a later pksk"},
        {"pksk traffic 1\nx\n", "line 2: it does not begin with a time in milliseconds"},
        {"pksk traffic 1\n-1 get 1 strong {}\n",
         "line 2: it does not begin with a time in milliseconds"},
        {"pksk traffic 1\n1 scan 1 strong {}\n",
         "line 2: its operation is not get, put, edit or query"},
        {"pksk traffic 1\n1 get 409601 strong {}\n",
         "line 2: its size is no number of bytes up to 409600"},
        {"pksk traffic 1\n1 get 1 stale {}\n", "line 2: expected strong or eventual"},
        {"pksk traffic 1\n\n1 get 1 strong {\"PK\":1}\n",
         "line 3: the request's attributes are no typed JSON"},
        {"pksk traffic 1\n1 get 1 strong "
         "{\"PK\":{\"S\":\"A\"},\"SK\":{\"S\":\"B\"},\"n\":{\"N\":\"1'\"}}"
         "\n",
         "line 2: the request's attributes are no typed JSON"},
        {"pksk traffic 1\n1 get 1 strong "
         "{\"PK\":{\"S\":\"A\"},\"SK\":{\"S\":\"B\"},\"l\":{\"L\":[{\"N\":"
         "\"x\"}]}}\n",
         "line 2: the request's attributes are no typed JSON"},
        {"pksk traffic 1\n1 get 1 strong {\"PK\":{\"S\":\"A\"}",
         "line 2: the request's attributes are no typed JSON"},
        {"pksk traffic 1\n1 get 1 strong {\"PK\":{\"S\":\"A\"},\"name\":{\"S\":\"A\"}}\n",
         "line 2: table dashboard is keyed by SK, which the recorded request does not have; it has "
         "PK, name"},
        {"pksk traffic 1\n1 get 1 strong {\"PK\":{\"S\":\"A\"},\"SK\":{\"N\":\"1\"}}\n",
         "line 2: SK of table dashboard has another type than on the tape"},
    };
    struct command_fixture fx;
    char path[64], expected[256];

    temp_path(path);
    command_open(&fx);
    command_seed(&fx);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(expected, sizeof(expected), "UsageError: %s\n  at '%s'\n", rows[i].error, path);
        cr_expect_str_eq(replay(&fx, path, rows[i].text, ""), expected, "row %zu: %s", i,
                         fx.text.data);
    }
    command_must(&fx, "create table Redone (G S, PK S)");
    command_must(&fx, "use Redone");
    cr_expect(strstr(replay(&fx, path, tape, ""), "line 3: table Redone is keyed by G") != NULL,
              "%s", fx.text.data);
    command_must(&fx, "create table Sorted (SK S)");
    command_must(&fx, "use Sorted");
    command_must(&fx, "clock pause");
    cr_expect_str_eq(replay(&fx, path, tape, " speed 2"),
                     "note: replay runs when the clock is advanced; traffic stop replay ends it\n");
    command_must(&fx, "clock advance 10ms");
    cr_expect_str_eq(command_run(&fx, "traffic stop replay"),
                     "note: replay: replay on Sorted, 2 times as fast, for 10 ms\n"
                     "requests | 2 | \nok | 2 | \nunits | 1 | RCU\n | 1 | WCU\n");
    cr_expect_str_eq(
        command_run(&fx, "get B"),
        "{'G': 'g', 'PK': 'A', 'SK': 'B', 'data': 'xxxxxxxxxxxxxxxxxx'}\nfooter: 1 item "
        "· GetItem · partition 2 of 4 · 30 B read · 0.5 RCU eventual\n");
    unlink(path);
    command_close(&fx);
}

/* ---- operations ------------------------------------------------------------------------------ */

Test(traffic, operations)
{
    struct command_fixture fx;
    const char *text;

    command_open(&fx);
    command_seed(&fx);
    cr_expect(strstr(command_run(&fx, "api Pksk.Traffic {}"), "\"Traffic\": []") != NULL, "%s",
              fx.text.data);
    command_must(&fx, "clock pause");
    fx.context.traffics = traffics_new();
    cmd_backend_local_set_traffics(fx.context.backend, fx.context.traffics);
    command_must(&fx, "traffic start a op=get keys=U#{1..9} rate=10/s for=10s seed=3");
    command_must(&fx, "clock advance 2s");
    text = command_run(&fx, "api Pksk.SetTraffic {\"Name\": \"a\", \"Rate\": \"20/s\", \"Skew\": "
                            "\"hot(50% U#3)\"}");
    cr_expect(strstr(text, "\"Rate\": 20,") != NULL && strstr(text, "\"Ok\": 20,") != NULL &&
                  strstr(text, "\"Skew\": \"hot(50% U#3)\"") != NULL &&
                  strstr(text, "\"LeftMs\": 8000") != NULL,
              "%s", text);
    text = command_run(&fx, "api Pksk.SetTraffic {\"Name\": \"a\", \"Rate\": \"0\"}");
    cr_expect(strstr(text, "UsageError: a rate is 1/s to 1000000/s: requests a second of "
                           "simulated time\n") == text,
              "%s", text);
    text = command_run(&fx, "api Pksk.StopTraffic {\"Name\": \"b\"}");
    cr_expect(strstr(text, "UsageError: no traffic is called 'b'\n") == text, "%s", text);
    command_must(&fx, "clock advance 1s");
    text = command_run(&fx, "api Pksk.StopTraffic {\"Name\": \"a\"}");
    cr_expect(strstr(text, "\"State\": \"ENDED\"") != NULL && strstr(text, "\"Ok\": 40,") != NULL,
              "%s", text);
    cr_expect_str_eq(command_run(&fx, "traffic"),
                     "note: no traffic; help traffic tells how to start one\n");
    command_close(&fx);
}
