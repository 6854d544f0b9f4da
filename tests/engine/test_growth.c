/* The vectors of partitions-capacity.md §11.6 and §11.7. */
#include <criterion/criterion.h>

#include "engine/sim/growth.h"

TestSuite(growth);

static const int64_t MINUTE = 60000;

/* An evenly loaded table: what it serves is what its partitions of 1,000 units serve. */
Test(growth, an_on_demand_table_doubles_every_half_hour)
{
    struct pk_growth growth = {.warm = 4000};

    for (int64_t minute = 0; minute < 100; minute++) {
        int64_t served = growth.warm < 10000 ? growth.warm : 10000;
        int64_t expected = minute < 30 ? 4000 : minute < 60 ? 8000 : 10000;

        cr_expect_eq(served, expected, "minute %lld: %lld", (long long)minute, (long long)served);
        cr_expect_eq(pk_growth_period(&growth, served, 30 * MINUTE, (minute + 1) * MINUTE),
                     minute == 29 || minute == 59 || minute == 89, "minute %lld",
                     (long long)minute);
    }
    cr_expect_eq(growth.warm, 20000);
}

Test(growth, twice_the_peak_is_served_at_once)
{
    struct pk_growth growth = {.warm = 8000, .peak = 4000};

    for (int64_t minute = 0; minute < 29; minute++)
        cr_expect_not(pk_growth_period(&growth, 7900, 30 * MINUTE, (minute + 1) * MINUTE));
    cr_expect_geq(growth.warm, 7900);
}

Test(growth, warm_never_falls)
{
    struct pk_growth growth = {.warm = 4000, .peak = 1500};

    cr_expect_not(pk_growth_period(&growth, 0, 0, 1));
    cr_expect_eq(growth.warm, 4000);
    cr_expect_eq(growth.peak, 1500);
}

static int64_t scaled(int64_t units, int64_t periods, int64_t provisioned)
{
    struct pk_autoscale autoscale = {.min = 100, .max = 40000, .target_percent = 70};

    for (int64_t i = 0; i < periods; i++)
        provisioned = pk_autoscale_period(&autoscale, units * 1000, provisioned);
    return provisioned;
}

Test(growth, auto_scaling)
{
    cr_expect_eq(scaled(71, 2, 100), 102);
    cr_expect_eq(scaled(90, 2, 100), 129);
    cr_expect_eq(scaled(90, 1, 100), 100);
    cr_expect_eq(scaled(50, 14, 129), 129);
    cr_expect_eq(scaled(50, 15, 129), 100, "72 is below the least");
    cr_expect_eq(scaled(70, 30, 100), 100, "at the target");
    cr_expect_eq(scaled(100000, 2, 100), 40000);
}

Test(growth, a_quiet_period_begins_anew)
{
    struct pk_autoscale autoscale = {.min = 100, .max = 40000, .target_percent = 70};

    cr_expect_eq(pk_autoscale_period(&autoscale, 90000, 100), 100);
    cr_expect_eq(pk_autoscale_period(&autoscale, 60000, 100), 100);
    cr_expect_eq(pk_autoscale_period(&autoscale, 90000, 100), 100);
    cr_expect_eq(pk_autoscale_period(&autoscale, 90000, 100), 129);
    autoscale.max = 0;
    cr_expect_eq(pk_autoscale_period(&autoscale, 900000, 100), 100, "off");
}

/* Lowers at each of the minutes of the day that allow it; how many did. */
static int lowered(const int64_t *minutes, size_t count)
{
    struct pk_decreases decreases = {.count = 0};
    int done = 0;

    for (size_t i = 0; i < count; i++) {
        if (!pk_decreases_allow(&decreases, minutes[i] * MINUTE))
            continue;
        pk_decreases_add(&decreases, minutes[i] * MINUTE);
        done++;
    }
    return done;
}

Test(growth, decreases_of_a_day)
{
    static const int64_t early[] = {5, 5, 5, 5, 10, 65, 90};
    static const int64_t late[] = {59, 59, 59, 59, 118, 119};

    cr_expect_eq(lowered(early, 5), 4);
    cr_expect_eq(lowered(early, 6), 5);
    cr_expect_eq(lowered(early, 7), 5);
    cr_expect_eq(lowered(late, 5), 4, "not before 01:59");
    cr_expect_eq(lowered(late, 6), 5);
}

Test(growth, most_decreases_of_a_day)
{
    int64_t minutes[2 * 1440];

    for (int64_t i = 0; i < 2 * 1440; i++)
        minutes[i] = i / 2; /* two tries a minute */
    cr_expect_eq(lowered(minutes, 2 * 1440), 27);
    cr_expect_eq(lowered(minutes + 2 * 600, 2 * 840), 17, "from 10:00");
}

Test(growth, a_new_day)
{
    struct pk_decreases decreases = {.count = 0};

    for (int i = 0; i < PK_DECREASES_AT_FIRST; i++)
        pk_decreases_add(&decreases, 1439 * MINUTE);
    cr_expect_eq(pk_decreases_today(&decreases, 1439 * MINUTE), 4);
    cr_expect_not(pk_decreases_allow(&decreases, 1439 * MINUTE));
    cr_expect(pk_decreases_allow(&decreases, 1440 * MINUTE));
    cr_expect_eq(pk_decreases_today(&decreases, 1440 * MINUTE), 0);
}
