/* Partition counts and token ranges: the vectors of partitions-capacity.md §3.1, §11.1, §11.3. */
#include "engine/sim/partition.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "engine/base/rng.h"
#include "engine/store/key_code.h"

#define GB (UINT64_C(1) << 30)

Test(partition, counts)
{
    static const struct row {
        enum pk_partition_rule rule;
        int64_t read, write;
        uint64_t gb;
        uint32_t want;
    } rows[] = {
        {PK_PARTITION_SUM, 3000, 1000, 0, 2},
        {PK_PARTITION_SUM, 7500, 3000, 0, 6},
        {PK_PARTITION_SUM, 500, 500, 8, 1},
        {PK_PARTITION_SUM, 1000, 1000, 100, 10},
        {PK_PARTITION_SUM, 5, 5, 0, 1},
        {PK_PARTITION_SUM, 0, 3200, 0, 4},
        {PK_PARTITION_SUM, 10000, 10000, 0, 14},
        {PK_PARTITION_SUM, 100, 100, 25, 3},
        {PK_PARTITION_SUM, 0, 0, 0, 1},
        {PK_PARTITION_SUM, INT64_C(1000000000000), INT64_C(1000000000000), 0, PK_PARTITIONS_MAX},
        {PK_PARTITION_MAX, 12000, 4000, 0, 4},
        {PK_PARTITION_MAX, 12000, 4001, 0, 5},
        {PK_PARTITION_MAX, 1, 1, 0, 1},
    };
    struct pk_partition_limits limits = pk_partition_limits_aws();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect_eq(
            pk_partition_count(rows[i].rule, rows[i].read, rows[i].write, rows[i].gb * GB, &limits),
            rows[i].want, "row %zu", i);
}

static uint64_t string_token(const char *text)
{
    return pk_key_token(pk_value_string(pk_slice_cstr(text)));
}

Test(partition, places)
{
    static const struct row {
        const char *key;
        uint32_t of2, of4, of8, of16;
    } rows[] = {
        {"USER#1", 1, 2, 5, 11},         {"USER#123", 0, 1, 3, 6},   {"USER#999", 0, 0, 1, 2},
        {"USER#8842", 0, 0, 0, 0},       {"CUST#1001", 1, 3, 7, 14}, {"ORDER#9901", 1, 3, 7, 15},
        {"2026-08-13-0002", 0, 1, 2, 4}, {"USER#1#00", 0, 0, 0, 1},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t token = string_token(rows[i].key);

        cr_expect_eq(pk_partition_of(token, 2), rows[i].of2, "%s", rows[i].key);
        cr_expect_eq(pk_partition_of(token, 4), rows[i].of4, "%s", rows[i].key);
        cr_expect_eq(pk_partition_of(token, 8), rows[i].of8, "%s", rows[i].key);
        cr_expect_eq(pk_partition_of(token, 16), rows[i].of16, "%s", rows[i].key);
    }
}

/* How many of the keys fall into each of n partitions. */
static void spread(const char *format, int from, int to, uint32_t n, uint32_t *counts)
{
    for (uint32_t i = 0; i < n; i++)
        counts[i] = 0;
    for (int i = from; i <= to; i++) {
        char key[64];

        snprintf(key, sizeof(key), "%s%0*d", format, format[0] == 'U' ? 2 : 1, i);
        counts[pk_partition_of(string_token(key), n)]++;
    }
}

Test(partition, spreads)
{
    static const struct row {
        const char *format;
        int from, to;
        uint32_t n;
        uint32_t want[8];
    } rows[] = {
        {"USER#1#", 0, 9, 4, {3, 2, 4, 1}},
        {"USER#1#", 0, 9, 8, {1, 2, 1, 1, 2, 2, 1, 0}},
        {"USER#1#", 0, 49, 4, {13, 9, 15, 13}},
        {"2014-07-09.", 1, 200, 4, {41, 51, 45, 63}},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t counts[8];

        spread(rows[i].format, rows[i].from, rows[i].to, rows[i].n, counts);
        for (uint32_t k = 0; k < rows[i].n; k++)
            cr_expect_eq(counts[k], rows[i].want[k], "row %zu, partition %u", i, k);
    }
}

/* Ranges meet without gap, and a token's partition is the one whose range holds it. */
Test(partition, ranges)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 7, 16, 1000, PK_PARTITIONS_MAX, 1000000};
    struct pk_rng rng;

    pk_rng_seed(&rng, 5);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        uint32_t n = sizes[s];

        cr_assert_eq(pk_partition_first(0, n), 0);
        cr_assert_eq(pk_partition_last(n - 1, n), UINT64_MAX);
        for (uint32_t i = 0; i + 1 < n; i += 1 + n / 500)
            cr_assert_eq(pk_partition_last(i, n) + 1, pk_partition_first(i + 1, n), "%u of %u", i,
                         n);
        for (int k = 0; k < 2000; k++) {
            uint64_t token = pk_rng_next(&rng);
            uint32_t at = pk_partition_of(token, n);

            cr_assert(token >= pk_partition_first(at, n) && token <= pk_partition_last(at, n));
            cr_assert_eq(pk_partition_of(pk_partition_first(at, n), n), at);
            cr_assert_eq(pk_partition_of(pk_partition_last(at, n), n), at);
        }
    }
}
