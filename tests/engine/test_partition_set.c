/* Splits for heat: the vectors of partitions-capacity.md §11.5. Workshop limits, one partition
 * forced, the table's own bucket not limiting; a second's requests arrive in its first millisecond
 * and it is judged at its end. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "engine/sim/partition_set.h"

TestSuite(partition_set);

enum { UNIT = 1000, SECOND = 1000, KEYS = 4, SECONDS = 24, HASH_LEN = 3 };

static struct pk_partition_set set;

static size_t hash_len(const void *context, pk_slice position)
{
    (void)context;
    (void)position;
    return HASH_LEN;
}

static void open_set(enum pk_cutting collections)
{
    struct pk_partition_setup setup = {.count = 1,
                                       .limits = {{.provisioned = 1000000, .partition = 30},
                                                  {.provisioned = 1000000, .partition = 10}},
                                       .rules = {.heat = pk_heat_rules_aws(),
                                                 .for_heat = true,
                                                 .collections = collections,
                                                 .duration_ms = 2000,
                                                 .cooldown_ms = 5000,
                                                 .partitions_max = 100},
                                       .seed = 1};

    setup.rules.heat.window_s = 5;
    pk_partition_set_init(&set, &setup, 0);
}

static void close_set(void)
{
    pk_partition_set_release(&set);
}

/* One write at that position; 1 when it is admitted. */
static int64_t write_at(const char *position, int64_t second)
{
    struct pk_access_request request = {.access = PK_ACCESS_WRITE,
                                        .milli = UNIT,
                                        .position = pk_slice_cstr(position),
                                        .hash_len = hash_len};

    request.partition = pk_partition_set_find(&set, request.position);
    if (pk_partition_set_offer(&set, &request, second * SECOND) != PK_THROTTLE_NONE)
        return 0;
    pk_partition_set_take(&set, PK_ACCESS_WRITE, request.partition, UNIT);
    return 1;
}

static void end_second(int64_t second)
{
    size_t i;

    while (pk_partition_set_end_split(&set, (second + 1) * SECOND, &i))
        continue;
    pk_partition_set_second(&set, (second + 1) * SECOND);
}

/* The loads of four items, each of a partition key of its own, in each second; in that order, or
 * the second first where `hot_first` says so. What was admitted in each second. */
static void run(const int64_t *loads, size_t first, int64_t *admitted)
{
    static const char *const keys[KEYS] = {"aaa0", "bbb0", "ccc0", "ddd0"};

    for (int64_t t = 0; t < SECONDS; t++) {
        admitted[t] = 0;
        for (int64_t n = 0; n < loads[first]; n++)
            admitted[t] += write_at(keys[first], t);
        for (int64_t n = 0; n < 20; n++) /* in turn */
            for (size_t k = 0; k < KEYS; k++)
                if (k != first && n < loads[k])
                    admitted[t] += write_at(keys[k], t);
        end_second(t);
    }
}

static const char *first_key(size_t i)
{
    return set.list[i].first;
}

Test(partition_set, four_keys_of_equal_heat_are_halved, .fini = close_set)
{
    static const int64_t loads[KEYS] = {5, 5, 5, 5};
    int64_t admitted[SECONDS];

    open_set(PK_COLLECTIONS_CUT);
    run(loads, 0, admitted);
    for (int64_t t = 0; t < SECONDS; t++)
        cr_expect_eq(admitted[t], t < 7 ? 10 : 20, "second %lld: %lld", (long long)t,
                     (long long)admitted[t]);
    cr_assert_eq(set.count, 4, "both children have split again: %zu", set.count);
    cr_expect_str_eq(first_key(0), "");
    cr_expect_str_eq(first_key(1), "bbb0");
    cr_expect_str_eq(first_key(2), "ccc0");
    cr_expect_str_eq(first_key(3), "ddd0");
    cr_expect_eq(set.list[0].parent, set.list[1].parent);
    cr_expect_neq(set.list[1].parent, set.list[2].parent);
}

Test(partition_set, a_single_item_is_never_split, .fini = close_set)
{
    static const int64_t loads[KEYS] = {20, 0, 0, 0};
    int64_t admitted[SECONDS];

    open_set(PK_COLLECTIONS_CUT);
    run(loads, 0, admitted);
    for (int64_t t = 0; t < SECONDS; t++)
        cr_expect_eq(admitted[t], 10);
    cr_expect_eq(set.count, 1);
    cr_expect_str_eq(pk_split_verdict_name(set.list[0].refusal), "SINGLE_ITEM");
    cr_expect_eq(set.list[0].throttled[PK_ACCESS_WRITE][PK_THROTTLE_KEY_RANGE], 10 * SECONDS);
}

Test(partition_set, a_warm_item_gets_a_partition, .fini = close_set)
{
    static const int64_t loads[KEYS] = {9, 2, 2, 2};
    int64_t admitted[SECONDS];

    open_set(PK_COLLECTIONS_CUT);
    run(loads, 0, admitted);
    for (int64_t t = 0; t < SECONDS; t++)
        cr_expect_eq(admitted[t], t < 7 ? 10 : 15, "second %lld", (long long)t);
    cr_assert_eq(set.count, 2);
    cr_expect_str_eq(first_key(1), "bbb0");
    cr_expect_eq(set.list[0].refusal, PK_SPLIT_SINGLE_ITEM);
    cr_expect_eq(set.list[1].refusal, PK_SPLIT_AT);
}

Test(partition_set, an_item_in_the_middle_is_isolated_in_two_steps, .fini = close_set)
{
    static const int64_t loads[KEYS] = {1, 18, 1, 0};
    int64_t admitted[SECONDS];

    open_set(PK_COLLECTIONS_CUT);
    run(loads, 1, admitted);
    for (int64_t t = 0; t < SECONDS; t++)
        cr_expect_eq(admitted[t],
                     t < 7    ? 10
                     : t < 14 ? 11
                              : 12,
                     "second %lld: %lld", (long long)t, (long long)admitted[t]);
    cr_assert_eq(set.count, 3);
    cr_expect_str_eq(first_key(1), "bbb0");
    cr_expect_str_eq(first_key(2), "ccc0");
    cr_expect_eq(set.list[1].refusal, PK_SPLIT_SINGLE_ITEM);
}

/* ---- one collection -------------------------------------------------------------------------- */

static unsigned reversed16(unsigned n)
{
    unsigned out = 0;

    for (int bit = 0; bit < 16; bit++)
        out |= ((n >> bit) & 1u) << (15 - bit);
    return out;
}

enum order { RISING, FALLING, REVERSED };

static void run_collection(enum order order, int64_t *admitted)
{
    unsigned n = 0;

    for (int64_t t = 0; t < SECONDS; t++) {
        admitted[t] = 0;
        for (int k = 0; k < 20; k++, n++) {
            char position[16];
            unsigned key = order == RISING ? n : order == FALLING ? 60000 - n : reversed16(n);

            snprintf(position, sizeof(position), "aaa%05u", key);
            admitted[t] += write_at(position, t);
        }
        end_second(t);
    }
}

Test(partition_set, collections_whose_keys_only_rise_or_fall, .fini = close_set)
{
    int64_t admitted[SECONDS];

    for (int order = RISING; order <= FALLING; order++) {
        open_set(PK_COLLECTIONS_CUT);
        run_collection((enum order)order, admitted);
        cr_expect_eq(set.count, 1);
        cr_expect_str_eq(pk_split_verdict_name(set.list[0].refusal), "MONOTONIC");
        cr_expect_eq(admitted[SECONDS - 1], 10);
        if (order == RISING)
            close_set();
    }
}

Test(partition_set, a_collection_is_cut_at_a_sort_key, .fini = close_set)
{
    int64_t admitted[SECONDS];

    open_set(PK_COLLECTIONS_CUT);
    run_collection(REVERSED, admitted);
    for (int64_t t = 0; t < 14; t++)
        cr_expect_eq(admitted[t], t < 7 ? 10 : 20, "second %lld: %lld", (long long)t,
                     (long long)admitted[t]);
    cr_assert_geq(set.count, 2);
    bool found = false;

    for (size_t i = 1; i < set.count; i++)
        found = found || strcmp(first_key(i), "aaa32768") == 0;
    cr_expect(found, "the boundary is 32768");
}

Test(partition_set, an_lsi_keeps_a_collection_together, .fini = close_set)
{
    int64_t admitted[SECONDS];

    open_set(PK_COLLECTIONS_WHOLE);
    run_collection(REVERSED, admitted);
    cr_expect_eq(set.count, 1);
    cr_expect_str_eq(pk_split_verdict_name(set.list[0].refusal), "LSI_COLLECTION");
}

Test(partition_set, a_sweep_is_not_followed, .fini = close_set)
{
    open_set(PK_COLLECTIONS_CUT);
    for (int64_t t = 0; t < 8; t++) {
        for (int k = 0; k < 20; k++) {
            char position[16];

            snprintf(position, sizeof(position), "%03lld0", (long long)t * 20 + k);
            (void)write_at(position, t);
        }
        end_second(t);
    }
    cr_expect_eq(set.count, 1);
    cr_expect_str_eq(pk_split_verdict_name(set.list[0].refusal), "SEQUENTIAL");
}

/* ---- the map --------------------------------------------------------------------------------- */

Test(partition_set, positions_belong_to_the_partition_that_begins_before_them, .fini = close_set)
{
    static const char token[] = "\x40\0\0\0\0\0\0\0";
    struct pk_partition_setup setup = {
        .count = 4,
        .limits = {{.on_demand = true, .partition = 1}, {.on_demand = true, .partition = 1}},
        .rules = {.partitions_max = 5}};
    size_t i;

    pk_partition_set_init(&set, &setup, 0);
    cr_expect_eq(pk_partition_set_find(&set, PK_LIT("\x3f\xff\xff\xff\xff\xff\xff\xff\xff")), 0);
    cr_expect_eq(pk_partition_set_find(&set, (pk_slice){token, 8}), 1);
    cr_expect_eq(pk_partition_set_find(&set, PK_LIT("\xff")), 3);
    cr_expect_not(pk_partition_set_begin_split(&set, 1, (pk_slice){token, 8}, 0),
                  "nothing would be left below");
    cr_expect_not(pk_partition_set_begin_split(&set, 1, PK_LIT("\x80\1"), 0), "of another");
    cr_expect_eq(pk_partition_set_due(&set), INT64_MAX);
    cr_expect(pk_partition_set_begin_split(&set, 1, PK_LIT("\x50"), 7));
    cr_expect_eq(pk_partition_set_due(&set), 7);
    cr_expect_not(pk_partition_set_end_split(&set, 6, &i));
    cr_expect(pk_partition_set_end_split(&set, 7, &i));
    cr_expect_eq(i, 1);
    cr_expect_eq(set.count, 5);
    cr_expect_eq(pk_partition_set_find(&set, PK_LIT("\x4f\xff")), 1);
    cr_expect_eq(pk_partition_set_find(&set, PK_LIT("\x50")), 2);
    cr_expect_eq(set.list[1].parent, 1);
    cr_expect_eq(set.list[2].id, 5);
    cr_expect_not(pk_partition_set_begin_split(&set, 0, PK_LIT("\x10"), 8), "enough");
}
