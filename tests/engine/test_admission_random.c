/*
 * Admission under random loads (seeded): no bucket gives more than its rate and what it can hold,
 * and nothing is refused while every bucket had room. The model keeps no buckets: it sums what was
 * taken, and knows what each limit can have given by then.
 */
#include <criterion/criterion.h>

#include "engine/base/rng.h"
#include "engine/sim/admission.h"

TestSuite(admission_random);

enum { UNIT = 1000, PARTITIONS_MAX = 8, STEPS = 20000, RUNS = 60 };

/* One limit, as a person would reckon: what it has at hand after so many milliseconds, if what it
 * cannot hold is lost. */
struct purse {
    int64_t rate, most; /* milli-units a millisecond, milli-units */
    int64_t has, at_ms;
};

static void fill(struct purse *purse, int64_t now_ms)
{
    int64_t has = purse->has + purse->rate * (now_ms - purse->at_ms);

    purse->has = has > purse->most ? purse->most : has;
    purse->at_ms = now_ms;
}

/* Dearer than it can ever be: when it is full. */
static bool affords(const struct purse *purse, int64_t milli)
{
    return purse->has >= (milli < purse->most ? milli : purse->most);
}

struct model {
    struct purse partitions[PARTITIONS_MAX];
    struct purse table; /* provisioned: a second and the burst, as one; on demand: the quota */
    struct purse max;
    bool has_max;
    int64_t taken; /* in all */
};

static void begin(struct model *model, const struct pk_admission_limits *limits, size_t count)
{
    int64_t table = limits->on_demand ? limits->quota : limits->provisioned;
    int64_t hold = limits->on_demand ? 1 : 1 + limits->burst_seconds;

    *model = (struct model){
        .table = {table, table * hold * UNIT, table * UNIT, 0},
        .max = {limits->max_on_demand, limits->max_on_demand * UNIT, limits->max_on_demand * UNIT,
                0},
        .has_max = limits->on_demand && limits->max_on_demand > 0,
    };
    for (size_t i = 0; i < count; i++)
        model->partitions[i] = (struct purse){limits->partition, limits->partition * UNIT,
                                              limits->partition * UNIT, 0};
}

/* The limit that lacks, in the order of §10.5. */
static enum pk_throttle reckon(struct model *model, const struct pk_admission_limits *limits,
                               size_t i, int64_t milli, int64_t now_ms)
{
    fill(&model->partitions[i], now_ms);
    fill(&model->table, now_ms);
    fill(&model->max, now_ms);
    if (model->has_max && !affords(&model->max, milli))
        return PK_THROTTLE_MAX_ON_DEMAND;
    if (limits->on_demand && !affords(&model->table, milli))
        return PK_THROTTLE_ACCOUNT;
    if (!affords(&model->partitions[i], milli))
        return PK_THROTTLE_KEY_RANGE;
    if (!limits->on_demand && !affords(&model->table, milli))
        return PK_THROTTLE_PROVISIONED;
    return PK_THROTTLE_NONE;
}

static struct pk_admission_limits random_limits(struct pk_rng *rng)
{
    return (struct pk_admission_limits){
        .mode = PK_ADMISSION_GAC,
        .on_demand = pk_rng_below(rng, 2) == 0,
        .provisioned = 1 + (int64_t)pk_rng_below(rng, 100),
        .max_on_demand = (int64_t)pk_rng_below(rng, 2) * (1 + (int64_t)pk_rng_below(rng, 60)),
        .quota = 1 + (int64_t)pk_rng_below(rng, 200),
        .partition = 1 + (int64_t)pk_rng_below(rng, 50),
        .burst_seconds = (int64_t)pk_rng_below(rng, 20),
    };
}

static void run(uint64_t seed)
{
    struct pk_rng rng;
    struct pk_admission_limits limits;
    struct pk_admission admission;
    struct model model;
    size_t count;
    int64_t now_ms = 0;

    pk_rng_seed(&rng, seed);
    limits = random_limits(&rng);
    count = 1 + pk_rng_below(&rng, PARTITIONS_MAX);
    pk_admission_init(&admission, &limits, count, 0);
    begin(&model, &limits, count);
    for (int step = 0; step < STEPS; step++) {
        size_t i = pk_rng_below(&rng, count);
        /* mostly small, now and then dearer than a bucket; idle now and then */
        int64_t milli = pk_rng_below(&rng, 50) == 0 ? (int64_t)pk_rng_below(&rng, 300) * UNIT
                                                    : 500 + (int64_t)pk_rng_below(&rng, 3000);
        enum pk_throttle expected, got;

        now_ms += (int64_t)pk_rng_below(&rng, pk_rng_below(&rng, 500) == 0 ? 30000 : 25);
        expected = reckon(&model, &limits, i, milli, now_ms);
        got = pk_admission_check(&admission, i, milli, now_ms);
        cr_assert_eq(got, expected, "seed %d step %d: %d, reckoned %d", (int)seed, step, (int)got,
                     (int)expected);
        if (got != PK_THROTTLE_NONE)
            continue;
        pk_admission_take(&admission, i, milli);
        model.partitions[i].has -= milli;
        model.table.has -= milli;
        model.max.has -= milli;
        model.taken += milli;
    }
    cr_expect_leq(model.taken, model.table.most + model.table.rate * now_ms + 300 * UNIT, "seed %d",
                  (int)seed);
    pk_admission_release(&admission);
}

Test(admission_random, equals_what_is_reckoned)
{
    for (uint64_t seed = 1; seed <= RUNS; seed++)
        run(seed);
}
