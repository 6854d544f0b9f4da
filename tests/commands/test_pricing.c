/* The worked examples of pricing.md, and prices as they are written. */
#include <criterion/criterion.h>

#include "commands/workload/pricing.h"

#define MILLION INT64_C(1000000)
#define UNITS   INT64_C(1000) /* milli-units of one */
#define GB      (INT64_C(1) << 30)
#define USD     INT64_C(1000000000)

static struct pricing prices(void)
{
    struct pricing pricing;

    pricing_init(&pricing);
    return pricing;
}

static void expect(const char *vector, int64_t nano, double usd)
{
    int64_t expected = (int64_t)(usd * 1e9 + 0.5);

    cr_expect_eq(nano, expected, "%s: %lld instead of %lld", vector, (long long)nano,
                 (long long)expected);
}

/* Ten million writes of 1 KB and eventual reads of 4 KB. */
static int64_t ten_million(const struct pricing *pricing)
{
    return pricing_sum(pricing_write_units(pricing, 10 * MILLION * UNITS),
                       pricing_read_units(pricing, 10 * MILLION * UNITS / 2));
}

Test(pricing, vector_3_10M_writes_10M_EC_reads_10_GB_free_storage_ignored)
{
    struct pricing pricing = prices();

    pricing.values[PRICE_STORAGE_FREE] = 0;
    expect("10 GB", pricing_sum(ten_million(&pricing), pricing_storage(&pricing, 10 * GB)), 9.375);
}

Test(pricing, vector_3_same_with_the_25_GB_tier)
{
    struct pricing pricing = prices();

    expect("25 GB", pricing_sum(ten_million(&pricing), pricing_storage(&pricing, 10 * GB)), 6.875);
}

Test(pricing, vector_3_100M_writes_of_1_1_KB)
{
    struct pricing pricing = prices();

    expect("1.1 KB", pricing_write_units(&pricing, 2 * 100 * MILLION * UNITS), 125.00);
    expect("1 KB", pricing_write_units(&pricing, 100 * MILLION * UNITS), 62.50);
}

Test(pricing, vector_3_1M_transactional_writes)
{
    struct pricing pricing = prices();

    expect("transact", pricing_write_units(&pricing, 2 * MILLION * UNITS), 1.25);
}

static int64_t provisioned(const struct pricing *pricing, int64_t units, int64_t hours)
{
    return pricing_sum(pricing_write_capacity(pricing, units, hours),
                       pricing_read_capacity(pricing, units, hours));
}

Test(pricing, vector_3_100_WCU_100_RCU)
{
    struct pricing pricing = prices();

    expect("WCU", pricing_write_capacity(&pricing, 100, 730), 47.45);
    expect("RCU", pricing_read_capacity(&pricing, 100, 730), 9.49);
    expect("730 h", provisioned(&pricing, 100, 730), 56.94);
    expect("720 h", provisioned(&pricing, 100, 720), 56.16);
}

Test(pricing, vector_3_25_WCU_25_RCU_free_tier)
{
    struct pricing pricing = prices();

    pricing.free_tier = true;
    expect("25", provisioned(&pricing, 25, 730), 0);
    expect("26", pricing_write_capacity(&pricing, 26, 1000), 0.65);
}

Test(pricing, vector_3_table_and_two_GSIs_of_100_WCU)
{
    struct pricing pricing = prices();

    expect("GSIs", pricing_write_capacity(&pricing, 300, 730), 142.35);
}

Test(pricing, vector_3_global_table_of_three_regions)
{
    struct pricing pricing = prices();

    expect("now", pricing_replicated_units(&pricing, 30 * MILLION * UNITS), 18.75);
    pricing.values[PRICE_RWRU] = 1875 * USD / 1000;
    expect("before Nov 2024", pricing_replicated_units(&pricing, 30 * MILLION * UNITS), 56.25);
}

Test(pricing, vector_3_5M_GetRecords)
{
    struct pricing pricing = prices();

    expect("5 M", pricing_streams(&pricing, 5 * MILLION), 0.50);
    expect("2.5 M", pricing_streams(&pricing, 5 * MILLION / 2), 0);
}

Test(pricing, vector_3_DAX_nodes)
{
    struct pricing pricing = prices();

    expect("3 × t3.small", pricing_times(&pricing, PRICE_DAX_SMALL, 3 * 730, 1), 87.60);
    expect("3 × r5.large", pricing_times(&pricing, PRICE_DAX_LARGE, 3 * 730, 1), 558.45);
}

Test(pricing, vector_3_100_GB_with_PITR)
{
    struct pricing pricing = prices();

    expect("storage", pricing_storage(&pricing, 100 * GB), 18.75);
    expect("PITR", pricing_recovery(&pricing, 100 * GB), 20.00);
}

Test(pricing, vector_3_1_KB_item_with_five_GSIs)
{
    struct pricing pricing = prices();

    expect("6 M WRU", pricing_write_units(&pricing, 6 * MILLION * UNITS), 3.75);
}

Test(pricing, vector_3_scan_of_10_GB)
{
    struct pricing pricing = prices();

    expect("1,310,720 RRU", pricing_read_units(&pricing, 10 * GB / 4096 * UNITS / 2), 0.16384);
}

Test(pricing, vector_3_100000_EC_reads_a_second_for_an_hour)
{
    struct pricing pricing = prices();

    expect("180 M RRU", pricing_read_units(&pricing, 180 * MILLION * UNITS), 22.50);
    expect("behind DAX", pricing_read_units(&pricing, 180 * MILLION * UNITS / 1000), 0.0225);
}

Test(pricing, vector_3_reading_34_shards_for_a_month)
{
    struct pricing pricing = prices();

    expect("44,676,000 RRU", pricing_read_units(&pricing, INT64_C(34) * 2628000 * UNITS / 2),
           5.5845);
}

Test(pricing, vector_2_break_even_at_28_9_percent)
{
    struct pricing pricing = prices();

    cr_expect_eq(pricing_break_even_writes(&pricing), 289);
    cr_expect_eq(pricing_break_even_reads(&pricing), 289);
    pricing.values[PRICE_WRU] = 0;
    cr_expect_eq(pricing_break_even_writes(&pricing), -1);
}

Test(pricing, half_units_are_exact_and_sums_do_not_overflow)
{
    struct pricing pricing = prices();

    cr_expect_eq(pricing_read_units(&pricing, 500), 63); /* 62.5, half up */
    cr_expect_eq(pricing_read_units(&pricing, 1000), 125);
    cr_expect_eq(pricing_write_units(&pricing, -5), 0);
    cr_expect_eq(pricing_write_units(&pricing, INT64_MAX), INT64_C(5764607523034234879));
    pricing.values[PRICE_WRU] = 1000000 * USD;
    cr_expect_eq(pricing_write_units(&pricing, INT64_MAX), INT64_MAX);
    cr_expect_eq(pricing_write_capacity(&pricing, INT64_MAX, INT64_MAX), INT64_MAX);
    cr_expect_eq(pricing_sum(INT64_MAX, 1), INT64_MAX);
    cr_expect_eq(pricing_storage(&pricing, INT64_MAX), INT64_C(2147483641750000000));
}

static const struct text_case {
    int64_t nano;
    const char *text, *price;
} text_cases[] = {
    {0, "$0.00", "$0.00"},
    {1, "<$0.01", "$0.000000001"},
    {4999999, "<$0.01", "$0.004999999"},
    {5000000, "$0.01", "$0.005"},
    {9 * USD + 375000000, "$9.38", "$9.375"},
    {INT64_C(1713784999999), "$1,713.78", "$1713.784999999"},
    {INT64_C(1713785000000), "$1,713.79", "$1713.785"},
    {10 * USD, "$10.00", "$10.00"},
};

Test(pricing, sums_as_text)
{
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(text_cases) / sizeof(text_cases[0]); i++) {
        pk_slice text = pricing_text(&arena, text_cases[i].nano);
        pk_slice price = pricing_price_text(&arena, text_cases[i].nano);

        cr_expect(pk_slice_is(text, text_cases[i].text), "%zu: %.*s", i, PK_FMT(text));
        cr_expect(pk_slice_is(price, text_cases[i].price), "%zu: %.*s", i, PK_FMT(price));
    }
    pk_arena_release(&arena);
}

static const struct set_case {
    const char *key, *value;
    bool known, taken;
    const char *shown;
} set_cases[] = {
    {"wru_per_million", "0.7", true, true, "0.70"},
    {"WRU_per_million", "1000000", true, true, "1000000.00"},
    {"wru_per_million", "1000000.000000001", true, false, "0.625"},
    {"wru_per_million", "0.0000000001", true, false, "0.625"},
    {"wru_per_million", "-1", true, false, "0.625"},
    {"wru_per_million", "1.", true, false, "0.625"},
    {"wru_per_million", ".5", true, false, "0.625"},
    {"wru_per_million", "1e3", true, false, "0.625"},
    {"wru_per_million", "", true, false, "0.625"},
    {"hours_per_month", "720", true, true, "720"},
    {"hours_per_month", "0", true, false, "730"},
    {"hours_per_month", "1.5", true, false, "730"},
    {"storage_free_gb", "0", true, true, "0"},
    {"storage_free_gb", "1000000000001", true, false, "25"},
    {"date", "2027-01-31", true, true, "2027-01-31"},
    {"date", "2027-1-31", true, false, "2026-08-15"},
    {"region", "eu-central-1", true, true, "eu-central-1"},
    {"region", "EU", true, false, "us-east-1"},
    {"free_tier", "on", true, true, "on"},
    {"free_tier", "yes", true, false, "off"},
    {"wru", "1", false, false, NULL},
};

Test(pricing, values)
{
    for (size_t i = 0; i < sizeof(set_cases) / sizeof(set_cases[0]); i++) {
        const struct set_case *row = &set_cases[i];
        struct pk_arena arena = PK_ARENA_INIT;
        struct pricing pricing = prices();
        bool known = !row->known;
        pk_slice shown;

        cr_expect_eq(
            pricing_set(&pricing, pk_slice_cstr(row->key), pk_slice_cstr(row->value), &known),
            row->taken, "%s %s", row->key, row->value);
        cr_expect_eq(known, row->known, "%s", row->key);
        shown = pricing_show(&pricing, pk_slice_cstr(row->key), &arena);
        if (row->shown == NULL)
            cr_expect_null(shown.data);
        else
            cr_expect(pk_slice_is(shown, row->shown), "%s: %.*s", row->key, PK_FMT(shown));
        pk_arena_release(&arena);
    }
}

static const struct file_case {
    const char *text, *message; /* NULL: it is read */
} file_cases[] = {
    {"", NULL},
    {"# all of it\ndate = 2027-02-03\r\n\n currency = USD # dollars\nwru_per_million=0.5\n"
     "dax.t3.small_hour = 0.05",
     NULL},
    {"date = 2027-02-03\nwru_per_million 0.5", "line 2 of the prices: expected KEY = VALUE"},
    {"wru_per_million = x", "line 1 of the prices: 'x' is no value of wru_per_million"},
    {"\n\nwru = 1", "line 3 of the prices: there is no price 'wru'"},
    {"currency = EUR", "line 1 of the prices: sums are in USD alone"},
    {"=", "line 1 of the prices: there is no price ''"},
};

Test(pricing, files)
{
    for (size_t i = 0; i < sizeof(file_cases) / sizeof(file_cases[0]); i++) {
        struct pricing pricing = prices();
        struct pk_error err = PK_ERROR_INIT;
        enum pk_code rc = pricing_read(&pricing, pk_slice_cstr(file_cases[i].text), &err);

        cr_expect_eq(rc, file_cases[i].message == NULL ? PK_OK : PK_E_USAGE, "%zu", i);
        if (file_cases[i].message != NULL) {
            cr_expect_str_eq(err.message, file_cases[i].message);
            cr_expect_str_eq(pricing.date, "2026-08-15"); /* nothing is changed */
        }
        if (i == 1) {
            cr_expect_str_eq(pricing.date, "2027-02-03");
            cr_expect_eq(pricing.values[PRICE_WRU], USD / 2);
            cr_expect_eq(pricing.values[PRICE_DAX_SMALL], USD / 20);
        }
        pk_error_release(&err);
    }
}
