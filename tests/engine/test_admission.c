/* Buckets and admission: the vectors of partitions-capacity.md §11.4, a second's requests in its
 * first millisecond, one unit each. */
#include <criterion/criterion.h>

#include "engine/sim/admission.h"

TestSuite(admission);

enum { UNIT = 1000, SECOND = 1000, PARTITIONS = 4 };

/* Offers so many requests at partition i in one second; counts what is admitted, and the others by
 * the last reason. */
static int64_t offer(struct pk_admission *admission, size_t i, int64_t requests, int64_t second,
                     enum pk_throttle *reason)
{
    int64_t admitted = 0;

    for (int64_t n = 0; n < requests; n++) {
        enum pk_throttle throttle = pk_admission_check(admission, i, UNIT, second * SECOND);

        if (throttle == PK_THROTTLE_NONE) {
            pk_admission_take(admission, i, UNIT);
            admitted++;
        } else {
            *reason = throttle;
        }
    }
    return admitted;
}

Test(admission, one_partition_bursts)
{
    static const struct {
        int64_t rate, burst, idle, offered;
        int64_t full_until, then; /* all are admitted before this second, so many from it on */
    } rows[] = {
        {10, 0, 0, 20, 0, 10},          {10, 3000, 0, 20, 300, 10}, {10, 3000, 0, 50, 75, 10},
        {150, 45000, 0, 200, 900, 150}, {10, 0, 100, 60, 120, 10},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct pk_admission_limits limits = {
            .provisioned = rows[r].rate, .partition = 1000, .burst_seconds = 300};
        struct pk_admission admission;
        enum pk_throttle reason = PK_THROTTLE_NONE;

        pk_admission_init(&admission, &limits, 1, 0);
        admission.table.saved = rows[r].burst * UNIT;
        for (int64_t t = rows[r].idle; t < rows[r].full_until + 20; t++) {
            int64_t admitted = offer(&admission, 0, rows[r].offered, t, &reason);
            int64_t expected = t < rows[r].full_until ? rows[r].offered : rows[r].then;

            cr_expect_eq(admitted, expected, "row %zu second %lld: %lld", r, (long long)t,
                         (long long)admitted);
        }
        cr_expect_eq(reason, PK_THROTTLE_PROVISIONED, "row %zu", r);
        pk_admission_release(&admission);
    }
}

Test(admission, shares_of_partitions)
{
    static const struct {
        enum pk_admission_mode mode;
        int64_t burst, others;
        int64_t first, until, then; /* `first` of 150 admitted at t=0, all before `until`, … */
    } rows[] = {
        {PK_ADMISSION_STATIC, 0, 0, 100, 0, 100},
        {PK_ADMISSION_BURST, 30000, 0, 150, 600, 100},
        {PK_ADMISSION_ADAPTIVE, 0, 50, 100, 700, 150},
        {PK_ADMISSION_GAC, 0, 50, 150, 700, 150},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct pk_admission_limits limits = {
            .mode = rows[r].mode, .provisioned = 400, .partition = 1000, .burst_seconds = 300};
        struct pk_admission admission;
        enum pk_throttle reason = PK_THROTTLE_NONE;

        pk_admission_init(&admission, &limits, PARTITIONS, 0);
        admission.partitions[3].share.saved = rows[r].burst * UNIT;
        for (int64_t t = 0; t < 620; t++) {
            int64_t expected = t == 0 ? rows[r].first : t < rows[r].until ? 150 : rows[r].then;

            for (size_t i = 0; i < 3; i++)
                cr_expect_eq(offer(&admission, i, rows[r].others, t, &reason), rows[r].others);
            cr_expect_eq(offer(&admission, 3, 150, t, &reason), expected, "row %zu second %lld", r,
                         (long long)t);
            pk_admission_second(&admission, (t + 1) * SECOND);
        }
        pk_admission_release(&admission);
    }
}

Test(admission, adaptive_shares_shrink_when_the_table_is_used_up)
{
    struct pk_admission_limits limits = {
        .mode = PK_ADMISSION_ADAPTIVE, .provisioned = 400, .partition = 1000};
    struct pk_admission admission;
    enum pk_throttle reason = PK_THROTTLE_NONE;
    static const int64_t boosts[] = {1500, 2250, 1800, 1440};
    static const int64_t loads[][PARTITIONS] = {
        {0, 0, 0, 200}, {0, 0, 0, 200}, {100, 100, 100, 200}, {100, 100, 100, 200}};

    pk_admission_init(&admission, &limits, PARTITIONS, 0);
    for (int64_t t = 0; t < 4; t++) {
        for (size_t i = 0; i < PARTITIONS; i++)
            (void)offer(&admission, i, loads[t][i], t, &reason);
        pk_admission_second(&admission, (t + 1) * SECOND);
        cr_expect_eq(admission.partitions[3].boost_milli, boosts[t], "second %lld: %lld",
                     (long long)t, (long long)admission.partitions[3].boost_milli);
        cr_expect_eq(admission.partitions[0].boost_milli, 1000);
    }
    pk_admission_release(&admission);
}

Test(admission, gac_names_the_limit_that_refuses)
{
    static const struct {
        int64_t provisioned, hot, hot_admitted, admitted; /* all four, and the last alone */
        enum pk_throttle reason;
    } rows[] = {
        {2000, 1200, 1000, 1150, PK_THROTTLE_KEY_RANGE},
        {400, 200, -1, 400, PK_THROTTLE_PROVISIONED},
    };

    for (size_t r = 0; r < 2; r++) {
        struct pk_admission_limits limits = {.provisioned = rows[r].provisioned, .partition = 1000};
        struct pk_admission admission;
        enum pk_throttle reason = PK_THROTTLE_NONE;
        int64_t load = r == 0 ? 50 : 200, admitted = 0, hot;

        pk_admission_init(&admission, &limits, PARTITIONS, 0);
        for (size_t i = 0; i < 3; i++)
            admitted += offer(&admission, i, load, 0, &reason);
        hot = offer(&admission, 3, rows[r].hot, 0, &reason);
        if (rows[r].hot_admitted >= 0)
            cr_expect_eq(hot, rows[r].hot_admitted);
        cr_expect_eq(admitted + hot, rows[r].admitted);
        cr_expect_eq(reason, rows[r].reason);
        pk_admission_release(&admission);
    }
}

Test(admission, on_demand_levels_in_their_order)
{
    static const struct {
        int64_t max, quota, partition, admitted;
        enum pk_throttle reason;
    } rows[] = {
        {5, 5, 5, 5, PK_THROTTLE_MAX_ON_DEMAND},
        {0, 5, 5, 5, PK_THROTTLE_ACCOUNT},
        {0, 40000, 5, 5, PK_THROTTLE_KEY_RANGE},
        {7, 40000, 1000, 7, PK_THROTTLE_MAX_ON_DEMAND},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct pk_admission_limits limits = {.on_demand = true,
                                             .max_on_demand = rows[r].max,
                                             .quota = rows[r].quota,
                                             .partition = rows[r].partition};
        struct pk_admission admission;
        enum pk_throttle reason = PK_THROTTLE_NONE;

        pk_admission_init(&admission, &limits, 1, 0);
        cr_expect_eq(offer(&admission, 0, 10, 0, &reason), rows[r].admitted, "row %zu", r);
        cr_expect_eq(reason, rows[r].reason, "row %zu", r);
        pk_admission_release(&admission);
    }
}

/* A 400 KB item in a table of one write unit: once, when the bucket is full, then the debt is to be
 * paid; and a read that costs more than its least charge. */
Test(admission, debts)
{
    struct pk_admission_limits limits = {.provisioned = 1, .partition = 1000};
    struct pk_admission admission;

    pk_admission_init(&admission, &limits, 1, 0);
    cr_expect_eq(pk_admission_check(&admission, 0, 400 * UNIT, 0), PK_THROTTLE_NONE);
    pk_admission_take(&admission, 0, 400 * UNIT);
    cr_expect_eq(pk_admission_check(&admission, 0, UNIT, 399 * SECOND), PK_THROTTLE_PROVISIONED);
    cr_expect_eq(pk_admission_check(&admission, 0, UNIT, 400 * SECOND), PK_THROTTLE_NONE);
    cr_expect_eq(pk_admission_check(&admission, 0, 400 * UNIT, 399 * SECOND), PK_THROTTLE_NONE,
                 "time does not go back: the bucket is as full as at 400 s");
    pk_admission_take(&admission, 0, UNIT / 2);
    pk_admission_take(&admission, 0, 2 * UNIT); /* the true cost of a read that was let in */
    cr_expect_eq(admission.table.base.level, -1500);
    cr_expect_eq(pk_admission_check(&admission, 0, UNIT / 2, 401 * SECOND),
                 PK_THROTTLE_PROVISIONED);
    cr_expect_eq(pk_admission_check(&admission, 0, UNIT / 2, 402 * SECOND), PK_THROTTLE_NONE);
    pk_admission_release(&admission);
}

Test(admission, a_split_makes_no_throughput)
{
    struct pk_admission_limits limits = {
        .mode = PK_ADMISSION_BURST, .provisioned = 400, .partition = 1000, .burst_seconds = 300};
    struct pk_admission admission;
    enum pk_throttle reason = PK_THROTTLE_NONE;

    pk_admission_init(&admission, &limits, PARTITIONS, 0);
    admission.partitions[1].share.saved = 100 * UNIT;
    (void)offer(&admission, 2, 30, 0, &reason);
    pk_admission_split(&admission, 1, 0);
    cr_assert_eq(admission.count, 5);
    for (size_t i = 1; i <= 2; i++) {
        cr_expect_eq(admission.partitions[i].share.base.level, 50 * UNIT);
        cr_expect_eq(admission.partitions[i].share.base.rate, 50);
        cr_expect_eq(admission.partitions[i].share.saved, 50 * UNIT);
        cr_expect_eq(admission.partitions[i].hard.level, 1000 * UNIT);
    }
    cr_expect_eq(admission.partitions[3].hard.level, 970 * UNIT, "what was behind has moved");
    pk_admission_release(&admission);
}

Test(admission, limits_that_change)
{
    struct pk_admission_limits limits = {
        .provisioned = 100, .partition = 1000, .burst_seconds = 10};
    struct pk_admission admission;
    enum pk_throttle reason = PK_THROTTLE_NONE;

    pk_admission_init(&admission, &limits, 1, 0);
    cr_expect_eq(offer(&admission, 0, 1000, 0, &reason), 100);
    limits.provisioned = 10;
    pk_admission_set_limits(&admission, &limits, 500);
    cr_expect_eq(admission.table.base.level, 10 * UNIT, "half a second brought 50, 10 fit");
    cr_expect_eq(admission.table.saved, 0);
    limits.provisioned = INT64_C(1000000000000);
    pk_admission_set_limits(&admission, &limits, 500);
    cr_expect_eq(pk_admission_check(&admission, 0, UNIT, INT64_C(4102444800000)), PK_THROTTLE_NONE,
                 "no overflow");
    pk_admission_release(&admission);
}

Test(admission, grants_of_gac)
{
    int64_t grants[2];

    pk_admission_grants(100, (int64_t[]){30, 90}, 2, grants);
    cr_expect(grants[0] == 25 && grants[1] == 75);
    pk_admission_grants(100, (int64_t[]){30, 40}, 2, grants);
    cr_expect(grants[0] == 30 && grants[1] == 40);
}
