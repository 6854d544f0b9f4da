/* Keys of a traffic: counts that the seed fixes. */
#include <criterion/criterion.h>

#include "commands/workload/histogram.h"
#include "commands/workload/keygen.h"

TestSuite(workload);

enum { KEYS = 10, DRAWS = 100000 };

static void draw(const struct keygen_spec *spec, uint64_t seed, uint64_t *counts)
{
    struct keygen keygen;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_rng rng;

    pk_rng_seed(&rng, seed);
    cr_assert_eq(keygen_init(&keygen, spec, &err), PK_OK);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t key = keygen_at(&keygen, (uint64_t)i, &rng);

        cr_assert_lt(key, spec->keys);
        counts[key]++;
    }
    keygen_release(&keygen);
}

static void expect_share(uint64_t count, double share, const char *what)
{
    double expected = DRAWS * share;

    cr_expect((double)count > expected * 0.95 && (double)count < expected * 1.05,
              "%s: %llu, not %g", what, (unsigned long long)count, expected);
}

Test(workload, uniform)
{
    uint64_t counts[KEYS] = {0};

    draw(&(struct keygen_spec){.skew = KEYGEN_UNIFORM, .keys = KEYS}, 7, counts);
    for (int i = 0; i < KEYS; i++)
        expect_share(counts[i], 0.1, "uniform");
}

Test(workload, hot_key_in_the_middle)
{
    uint64_t counts[KEYS] = {0};

    draw(&(struct keygen_spec){.skew = KEYGEN_HOT, .keys = KEYS, .hot_milli = 700, .hot_key = 4}, 7,
         counts);
    for (int i = 0; i < KEYS; i++)
        expect_share(counts[i], i == 4 ? 0.7 : 0.3 / 9, "hot");
}

Test(workload, only_the_hot_key)
{
    uint64_t counts[KEYS] = {0};

    draw(&(struct keygen_spec){.skew = KEYGEN_HOT, .keys = KEYS, .hot_milli = 1000}, 7, counts);
    cr_expect_eq(counts[0], DRAWS);
    draw(&(struct keygen_spec){.skew = KEYGEN_HOT, .keys = 1, .hot_milli = 500}, 7, counts);
    cr_expect_eq(counts[0], 2 * DRAWS, "there is no other");
}

/* With s = 1 over ten keys the first has 1 / (1 + 1/2 + … + 1/10) = 0.3414 of all. */
Test(workload, zipf)
{
    uint64_t counts[KEYS] = {0};

    draw(&(struct keygen_spec){.skew = KEYGEN_ZIPF, .keys = KEYS, .zipf_milli = 1000}, 7, counts);
    for (int i = 0; i < KEYS; i++)
        expect_share(counts[i], 0.34142 / (i + 1), "zipf");
}

Test(workload, zipf_without_exponent_is_uniform)
{
    uint64_t counts[KEYS] = {0};

    draw(&(struct keygen_spec){.skew = KEYGEN_ZIPF, .keys = KEYS}, 7, counts);
    for (int i = 0; i < KEYS; i++)
        expect_share(counts[i], 0.1, "zipf(0)");
}

Test(workload, sequential)
{
    uint64_t counts[KEYS] = {0};

    draw(&(struct keygen_spec){.skew = KEYGEN_SEQUENTIAL, .keys = KEYS}, 7, counts);
    for (int i = 0; i < KEYS; i++)
        cr_expect_eq(counts[i], DRAWS / KEYS);
}

/* What a golden of a seeded traffic relies on. */
Test(workload, a_seed_fixes_the_keys)
{
    static const uint64_t expected[8] = {2, 0, 0, 9, 3, 0, 0, 2};
    struct keygen keygen;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_rng rng;

    pk_rng_seed(&rng, 7);
    cr_assert_eq(
        keygen_init(&keygen,
                    &(struct keygen_spec){.skew = KEYGEN_ZIPF, .keys = KEYS, .zipf_milli = 1200},
                    &err),
        PK_OK);
    for (int i = 0; i < 8; i++) {
        uint64_t key = keygen_at(&keygen, (uint64_t)i, &rng);

        cr_expect_eq(key, expected[i], "draw %d: %llu", i, (unsigned long long)key);
    }
    keygen_release(&keygen);
}

Test(workload, refused)
{
    struct keygen keygen;
    struct pk_error err = PK_ERROR_INIT;

    cr_expect_eq(
        keygen_init(&keygen, &(struct keygen_spec){.skew = KEYGEN_ZIPF, .keys = 1000001}, &err),
        PK_E_USAGE);
    cr_expect_str_eq(err.message, "zipf takes up to 1000000 keys");
    cr_expect_eq(keygen_init(&keygen,
                             &(struct keygen_spec){.skew = KEYGEN_HOT, .keys = 3, .hot_key = 3},
                             &err),
                 PK_E_USAGE);
    cr_expect_str_eq(err.message, "the hot key is none of the template's");
    pk_error_release(&err);
}

/* ---- latencies ------------------------------------------------------------------------------- */

Test(workload, quantiles_are_within_a_thirty_second)
{
    static struct histogram histogram;
    static const unsigned asked[] = {1, 500, 900, 990, 999, 1000};

    cr_expect_eq(histogram_quantile(&histogram, 500), 0);
    for (uint64_t value = 1; value <= 100000; value++)
        histogram_add(&histogram, value);
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        uint64_t exact = 100 * (uint64_t)asked[i];
        uint64_t found = histogram_quantile(&histogram, asked[i]);

        cr_expect(found >= exact && found <= exact + exact / 32, "%u: %llu", asked[i],
                  (unsigned long long)found);
    }
    cr_expect_eq(histogram_quantile(&histogram, 1000), 100000, "never above the greatest");
}

Test(workload, small_and_huge_values_have_buckets)
{
    static const uint64_t values[] = {0, 1, 31, 32, 33, 63, 64, 1000003, UINT64_MAX};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        static struct histogram histogram, sum;

        histogram = sum = (struct histogram){.total = 0};
        histogram_add(&histogram, values[i]);
        histogram_merge(&sum, &histogram);
        histogram_merge(&sum, &histogram);
        cr_expect_eq(sum.total, 2);
        cr_expect_eq(histogram_quantile(&sum, 500), values[i]);
    }
}
