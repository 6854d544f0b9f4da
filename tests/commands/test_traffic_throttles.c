/*
 * Throttles of a seeded run: the same per second and partition whenever, and on however many
 * threads, it is run. The golden beside this file holds them; UPDATE=1 rewrites it.
 */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/schema.h"
#include "commands/workload/traffic.h"
#include "tests/support/command_fixture.h"

TestSuite(traffic_throttles);

#define GOLDEN "tests/commands/test_traffic_throttles.txt"
enum { SECONDS = 60, PARTITIONS = 64, ALL_WORDS = 0xffff };

/* What two traffics have met so far. */
struct counts {
    uint64_t ok, throttled, by_partition[PARTITIONS];
};

static void add_counts(void *context, struct traffic *traffic, int64_t now_ms)
{
    struct counts *counts = context;

    (void)now_ms;
    counts->ok += traffic->tally.ok;
    counts->throttled += traffic->tally.throttled;
    for (size_t i = 0; i < traffic->tally.throttle_count; i++) {
        const struct traffic_throttle *throttle = &traffic->tally.throttles[i];

        cr_assert(throttle->has_partition && throttle->partition < PARTITIONS, "%s",
                  throttle->reason);
        counts->by_partition[throttle->partition] += throttle->count;
    }
}

static void add_line(struct pk_buf *out, int second, const struct counts *before,
                     const struct counts *after)
{
    pk_buf_printf(out, "%2d s  %3llu ok  %3llu throttled", second,
                  (unsigned long long)(after->ok - before->ok),
                  (unsigned long long)(after->throttled - before->throttled));
    for (unsigned i = 0; i < PARTITIONS; i++) {
        uint64_t count = after->by_partition[i] - before->by_partition[i];

        if (count > 0)
            pk_buf_printf(out, "  %llu on %u", (unsigned long long)count, i);
    }
    pk_buf_add_byte(out, '\n');
}

static void start(struct command_fixture *fx, const char *name, const char *text, unsigned threads)
{
    const struct traffic_place place = {fx->context.backend, fx->engine, threads};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    const struct traffic_words words = {pk_slice_cstr(text), 0, ALL_WORDS, &arena};
    const struct pk_table *table = NULL;
    struct traffic_plan plan;
    struct traffic_spec spec;

    cr_assert_eq(traffic_spec_parse(&words, &spec, &err), PK_OK);
    cr_assert_eq(cmd_schema_get(&fx->context, PK_LIT("orders"), &table, &err), PK_OK);
    cr_assert_eq(traffic_plan_init(&plan, &spec, table, &err), PK_OK);
    cr_assert_eq(traffics_start(fx->context.traffics, &place,
                                &(struct traffic_start){.name = pk_slice_cstr(name),
                                                        .plan_take = &plan,
                                                        .rate = spec.rate,
                                                        .burst = spec.burst,
                                                        .speed = 1},
                                &err),
                 PK_OK, "%s", err.message);
    pk_arena_release(&arena);
}

/* A minute of skewed reads and writes on partitions that split meanwhile. */
static void open_run(struct command_fixture *fx, unsigned threads)
{
    static const char *const statements[] = {
        "profile workshop",
        "clock pause",
        "clock set 2030-08-13T12:00:00Z",
        "create table orders (PK S, SK S)",
    };

    command_open(fx);
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
        command_must(fx, statements[i]);
    fx->context.traffics = traffics_new();
    start(fx, "mixed",
          "op=mix(get 60%, put 40%) keys=CUST#{1..60} sk={001..400} walk=random size=200B strong "
          "rate=110/s skew=zipf(1.1) seed=7",
          threads);
    start(fx, "viral", "op=get keys=USER#{1..9} skew=hot(70% USER#1) rate=40/s at=second strong",
          threads);
}

static void run(unsigned threads, struct pk_buf *out)
{
    struct command_fixture fx;
    struct counts before = {.ok = 0};

    open_run(&fx, threads);
    for (int second = 0; second < SECONDS; second++) {
        struct counts after = {.ok = 0};

        command_must(&fx, "clock advance 1s");
        traffics_each(fx.context.traffics, (struct traffic_visitor){add_counts, &after});
        add_line(out, second, &before, &after);
        before = after;
    }
    cr_expect_eq(before.ok + before.throttled, SECONDS * (110 + 40));
    pk_buf_printf(out, "all   %llu ok  %llu throttled\n", (unsigned long long)before.ok,
                  (unsigned long long)before.throttled);
    command_close(&fx);
}

static void compare_golden(const struct pk_buf *shown)
{
    struct pk_buf expected = PK_BUF_INIT;
    FILE *file;
    size_t got;

    if (getenv("UPDATE") != NULL) {
        file = fopen(GOLDEN, "w");
        cr_assert_not_null(file);
        cr_assert_eq(fwrite(shown->data, 1, shown->len, file), shown->len);
        cr_assert_eq(fclose(file), 0);
    }
    file = fopen(GOLDEN, "r");
    cr_assert_not_null(file, GOLDEN);
    while ((got = fread(pk_buf_reserve(&expected, 65536), 1, 65536, file)) > 0)
        expected.len += got;
    fclose(file);
    pk_buf_add_cstr(&expected, "");
    cr_expect_str_eq(shown->data, expected.data);
    pk_buf_release(&expected);
}

Test(traffic_throttles, a_seed_gives_the_same_throttles)
{
    struct pk_buf first = PK_BUF_INIT, again = PK_BUF_INIT, threads = PK_BUF_INIT;

    run(1, &first);
    run(1, &again);
    run(4, &threads);
    compare_golden(&first);
    cr_expect_str_eq(again.data, first.data, "a second run");
    cr_expect_str_eq(threads.data, first.data, "on four threads");
    pk_buf_release(&first);
    pk_buf_release(&again);
    pk_buf_release(&threads);
}

/* In one step or in sixty: it does not matter how the clock is moved. */
Test(traffic_throttles, however_the_clock_is_advanced)
{
    struct command_fixture fx;
    struct counts sum = {.ok = 0};
    struct pk_buf steps = PK_BUF_INIT;
    char all[64];

    run(1, &steps);
    open_run(&fx, 1);
    command_must(&fx, "clock advance 60s");
    traffics_each(fx.context.traffics, (struct traffic_visitor){add_counts, &sum});
    snprintf(all, sizeof(all), "all   %llu ok  %llu throttled\n", (unsigned long long)sum.ok,
             (unsigned long long)sum.throttled);
    cr_expect_not_null(strstr(steps.data, all), "%s instead of\n%s", all, steps.data);
    pk_buf_release(&steps);
    command_close(&fx);
}

/* Lesson: a group of its own never has more than its partition, however much is asked: 3,000 strong
 * reads a second, one of 33; eventual ones 6,000. */
Test(traffic_throttles, a_hundred_thousand_reads_of_one_group)
{
    static const struct {
        const char *words;
        uint64_t admitted;
    } rows[] = {
        {"op=get keys=USER#1 rate=100000/s at=second strong", 3000},
        {"op=get keys=USER#1 rate=100000/s at=second", 6000},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct command_fixture fx;
        struct counts before = {.ok = 0}, after;

        command_open(&fx);
        command_must(&fx, "clock pause");
        command_must(&fx, "clock set 2030-08-13T12:00:00Z");
        command_must(&fx, "throttle enforce");
        command_must(&fx, "create table orders (PK S, SK S)");
        fx.context.traffics = traffics_new();
        start(&fx, "storm", rows[i].words, 1);
        for (int second = 0; second < 2; second++) {
            command_must(&fx, "clock advance 1s");
            after = (struct counts){.ok = 0};
            traffics_each(fx.context.traffics, (struct traffic_visitor){add_counts, &after});
            cr_expect_eq(after.ok - before.ok, rows[i].admitted, "%s, second %d: %llu",
                         rows[i].words, second, (unsigned long long)(after.ok - before.ok));
            cr_expect_eq(after.throttled, after.by_partition[2], "on the partition of USER#1 only");
            before = after;
        }
        command_close(&fx);
    }
}
