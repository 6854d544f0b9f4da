/* Provisioned throughput that changes: the quota of decreases and the limits of auto scaling. */
#include <criterion/criterion.h>

#include "tests/support/engine_fixture.h"
#include "tests/support/temp_dir.h"

/* Far ahead: a store in a directory begins with the wall clock, which never goes back. */
#define DAY_MS    (INT64_C(30000) * 86400000)
#define MINUTE_MS INT64_C(60000)

static void set_minute(struct engine_fixture *fx, int minute)
{
    pk_clock_set(pk_engine_clock(fx->engine), DAY_MS + minute * MINUTE_MS);
}

/* Changes the table's throughput by so much. */
static enum pk_code change_by(struct engine_fixture *fx, int64_t read, int64_t write)
{
    struct pk_table_change change = {.name = PK_LIT("Tab"), .throughput_given = true};
    struct pk_table *table = NULL;
    enum pk_code rc;

    table = pk_engine_table(fx->engine, PK_LIT("Tab"));
    cr_assert_not_null(table);
    change.throughput.read = table->throughput.read + read;
    change.throughput.write = table->throughput.write + write;
    pk_table_unref(table);
    table = NULL;
    pk_error_release(&fx->err);
    rc = pk_engine_update_table(fx->engine, &change, &table, &fx->err);
    pk_table_unref(table);
    return rc;
}

static int64_t decreases_today(struct engine_fixture *fx)
{
    struct pk_table *table = pk_engine_table(fx->engine, PK_LIT("Tab"));
    int64_t count = pk_engine_decreases_today(fx->engine, &table->throughput);

    pk_table_unref(table);
    return count;
}

static const struct decrease_case {
    const char *name;  /* of the vector */
    int minutes[8];    /* after midnight, -1 ends */
    const char *taken; /* y, n */
} decrease_cases[] = {
    {"§11.6 four at 00:05, then one an hour", {5, 5, 5, 5, 10, 65, 90, -1}, "yyyynyn"},
    {"§11.6 four at 00:59", {59, 59, 59, 59, 118, 119, -1}, "yyyyny"},
    {"a new day", {1430, 1430, 1430, 1430, 1439, 1440, -1}, "yyyyny"},
};

Test(throughput, decreases_are_limited)
{
    for (size_t i = 0; i < sizeof(decrease_cases) / sizeof(decrease_cases[0]); i++) {
        const struct decrease_case *row = &decrease_cases[i];
        struct engine_fixture fx;
        char taken[9] = "";

        engine_open(&fx);
        engine_table(&fx, "Tab PK:S provisioned=100/100");
        for (size_t k = 0; row->minutes[k] >= 0; k++) {
            set_minute(&fx, row->minutes[k]);
            taken[k] =
                change_by(&fx, k % 2 == 0 ? -1 : 0, k % 2 == 0 ? 0 : -1) == PK_OK ? 'y' : 'n';
        }
        cr_expect_str_eq(taken, row->taken, "%s: %s; %s", row->name, taken, engine_message(&fx));
        engine_close(&fx);
    }
}

Test(throughput, the_quota_outlives_a_close_and_says_when)
{
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_sim_settings settings;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, "Tab PK:S provisioned=100/100");
    for (int i = 0; i < 4; i++) {
        set_minute(&fx, 600 + i);
        cr_assert_eq(change_by(&fx, -1, -1), PK_OK);
    }
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    set_minute(&fx, 630);
    cr_expect_eq(change_by(&fx, 5, -1), PK_E_LIMIT_EXCEEDED);
    cr_expect_str_eq(
        engine_message(&fx),
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given "
        "UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be "
        "performed at most once every 3600 seconds. Number of decreases today: 4. Last decrease at "
        "Tuesday, February 20, 2052 at 10:03:00 AM Coordinated Universal Time. Next decrease can "
        "be "
        "made at Tuesday, February 20, 2052 at 11:03:00 AM Coordinated Universal Time");
    cr_expect_eq(change_by(&fx, 5, 0), PK_OK); /* an increase is always taken */
    cr_expect_eq(decreases_today(&fx), 4);
    pk_engine_settings(fx.engine, &settings);
    settings.decrease_quota = 0;
    cr_assert_eq(pk_engine_set_settings(fx.engine, &settings, &fx.err), PK_OK);
    cr_expect_eq(change_by(&fx, -1, 0), PK_OK);
    cr_expect_eq(decreases_today(&fx), 5);
    set_minute(&fx, 1440);
    cr_expect_eq(decreases_today(&fx), 0);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

Test(throughput, an_increase_raises_what_is_warm)
{
    struct engine_fixture fx;
    struct pk_table *table = NULL;

    engine_open(&fx);
    engine_table(&fx, "Tab PK:S provisioned=100/100");
    cr_assert_eq(change_by(&fx, 400, 0), PK_OK);
    cr_assert_eq(change_by(&fx, -450, 0), PK_OK);
    table = pk_engine_table(fx.engine, PK_LIT("Tab"));
    cr_assert_not_null(table);
    cr_expect_eq(table->throughput.read, 50);
    cr_expect_eq(table->warm_read, 500);
    cr_expect_eq(table->warm_write, 100);
    pk_table_unref(table);
    engine_close(&fx);
}

/* ---- auto scaling ---------------------------------------------------------------------------- */

static enum pk_code set_scaling(struct engine_fixture *fx, const char *index,
                                const struct pk_scaling *read, const struct pk_scaling *write)
{
    struct pk_autoscale_change change = {
        .table = PK_LIT("Tab"), .index = pk_slice_cstr(index), .read = read, .write = write};
    struct pk_table *table = NULL;
    enum pk_code rc;

    pk_error_release(&fx->err);
    rc = pk_engine_set_autoscale(fx->engine, &change, &table, &fx->err);
    pk_table_unref(table);
    return rc;
}

Test(throughput, auto_scaling_is_kept)
{
    static const struct pk_scaling reads = {5, 100, 70}, writes = {1, 9, 20}, off = {0};
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_table *table = NULL;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, "Tab PK:S provisioned=10/10; gsi G a:S all provisioned=5/5");
    cr_assert_eq(set_scaling(&fx, NULL, &reads, &writes), PK_OK);
    cr_assert_eq(set_scaling(&fx, "G", NULL, &writes), PK_OK);
    cr_assert_eq(set_scaling(&fx, NULL, NULL, &off), PK_OK);
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    table = pk_engine_table(fx.engine, PK_LIT("Tab"));
    cr_assert_not_null(table);
    cr_expect_eq(table->throughput.scale_read.min, 5);
    cr_expect_eq(table->throughput.scale_read.max, 100);
    cr_expect_eq(table->throughput.scale_read.target_percent, 70);
    cr_expect_eq(table->throughput.scale_write.max, 0);
    cr_expect_eq(table->indexes[0].throughput.scale_read.max, 0);
    cr_expect_eq(table->indexes[0].throughput.scale_write.target_percent, 20);
    pk_table_unref(table);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

static const struct bad_case {
    const char *table, *index;
    struct pk_scaling scaling;
    const char *message;
} bad_cases[] = {
    {"Tab PK:S provisioned=5/5",
     NULL,
     {0, 10, 70},
     "auto scaling takes a minimum from 1, a maximum not below it, and a target of 20 to 90 "
     "percent"},
    {"Tab PK:S provisioned=5/5",
     NULL,
     {10, 9, 70},
     "auto scaling takes a minimum from 1, a maximum not below it, and a target of 20 to 90 "
     "percent"},
    {"Tab PK:S provisioned=5/5",
     NULL,
     {1, INT64_C(1000000000001), 70},
     "auto scaling takes a minimum from 1, a maximum not below it, and a target of 20 to 90 "
     "percent"},
    {"Tab PK:S provisioned=5/5",
     NULL,
     {1, 9, 19},
     "auto scaling takes a minimum from 1, a maximum not below it, and a target of 20 to 90 "
     "percent"},
    {"Tab PK:S provisioned=5/5",
     NULL,
     {1, 9, 91},
     "auto scaling takes a minimum from 1, a maximum not below it, and a target of 20 to 90 "
     "percent"},
    {"Tab PK:S",
     NULL,
     {1, 9, 70},
     "auto scaling needs provisioned throughput; the table is on demand"},
    {"Tab PK:S provisioned=5/5", "G", {1, 9, 70}, "table Tab has no index G"},
    {"Tab PK:S SK:S provisioned=5/5; lsi L a:S all",
     "L",
     {1, 9, 70},
     "index L is local: it uses the table's throughput"},
};

Test(throughput, auto_scaling_refuses)
{
    for (size_t i = 0; i < sizeof(bad_cases) / sizeof(bad_cases[0]); i++) {
        const struct bad_case *row = &bad_cases[i];
        struct engine_fixture fx;

        engine_open(&fx);
        engine_table(&fx, row->table);
        cr_expect_eq(set_scaling(&fx, row->index, NULL, &row->scaling), PK_E_VALIDATION, "%zu", i);
        cr_expect_str_eq(engine_message(&fx), row->message, "%zu: %s", i, engine_message(&fx));
        engine_close(&fx);
    }
}
