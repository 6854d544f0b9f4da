/* Units of capacity: the vectors of partitions-capacity.md §11.2. */
#include <criterion/criterion.h>

#include "engine/ops/cost.h"
#include "tests/support/engine_fixture.h"

Test(capacity, formulas)
{
    static const struct row {
        uint64_t bytes;
        int64_t write, strong, eventual, transactional;
    } rows[] = {
        {0, 1000, 1000, 500, 2000},
        {1, 1000, 1000, 500, 2000},
        {1024, 1000, 1000, 500, 2000},
        {1025, 2000, 1000, 500, 2000},
        {1600, 2000, 1000, 500, 2000},
        {3500, 4000, 1000, 500, 2000},
        {4096, 4000, 1000, 500, 2000},
        {4097, 5000, 2000, 1000, 4000},
        {8192, 8000, 2000, 1000, 4000},
        {10240, 10000, 3000, 1500, 6000},
        {409600, 400000, 100000, 50000, 200000},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t bytes = rows[i].bytes;

        cr_expect_eq(pk_cost_write(bytes), rows[i].write, "write %d", (int)bytes);
        cr_expect_eq(pk_cost_read(bytes, PK_STRONG), rows[i].strong, "strong %d", (int)bytes);
        cr_expect_eq(pk_cost_read(bytes, PK_EVENTUAL), rows[i].eventual, "eventual %d", (int)bytes);
        cr_expect_eq(pk_cost_read(bytes, PK_TRANSACTIONAL), rows[i].transactional, "txn %d",
                     (int)bytes);
    }
}

/* An item of exactly that many bytes with key k. */
static const char *item_of(struct engine_fixture *fx, const char *key, size_t bytes)
{
    return engine_format(fx, "{p: '%s', v: %s}", key, engine_text(fx, bytes - 2 - strlen(key)));
}

static void put(struct engine_fixture *fx, const char *key, size_t bytes)
{
    cr_assert_eq(engine_put(fx, "T", item_of(fx, key, bytes)), PK_OK);
}

Test(capacity, single_items)
{
    struct engine_fixture fx;
    struct pk_get get = {.table = PK_LIT("T")};

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    put(&fx, "a", 3584);
    put(&fx, "a", 512);
    cr_expect_eq(engine_write_cost(&fx), 4000, "0.5 KB over 3.5 KB");
    put(&fx, "b", 2253);
    cr_assert_eq(engine_update(&fx, "T", "{p: 'b'}", "SET v = :v",
                               engine_format(&fx, "{v: %s}", engine_text(&fx, 1124))),
                 PK_OK);
    cr_expect_eq(engine_write_cost(&fx), 3000, "2.2 KB to 1.1 KB");
    put(&fx, "c", 1639);
    engine_delete(&fx, "T", "{p: 'c'}");
    cr_expect_eq(engine_write_cost(&fx), 2000, "delete of 1.6 KB");
    engine_delete(&fx, "T", "{p: 'c'}");
    cr_expect_eq(engine_write_cost(&fx), 1000, "delete of nothing");
    put(&fx, "d", 2000);
    put(&fx, "d", 2000);
    cr_expect_eq(engine_write_cost(&fx), 2000, "a put that changes nothing");

    get.key = engine_value(&fx, "{p: 'none'}");
    cr_assert_eq(pk_engine_get(fx.engine, &fx.call, &get, &fx.get, &fx.err), PK_OK);
    cr_expect_eq(pk_cost_total(&fx.get.cost), 500);
    get.consistent = true;
    cr_assert_eq(pk_engine_get(fx.engine, &fx.call, &get, &fx.get, &fx.err), PK_OK);
    cr_expect_eq(pk_cost_total(&fx.get.cost), 1000);
    engine_close(&fx);
}

Test(capacity, several_items)
{
    struct engine_fixture fx;
    struct pk_get gets[3];
    struct pk_write writes[3];
    struct pk_batch_get_result got;
    struct pk_batch_write_result wrote;
    struct pk_transact_get_result read;
    struct pk_transact_write transaction = {.writes = writes, .count = 3};
    struct pk_transact_write_result written;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    put(&fx, "a", 1536);
    put(&fx, "b", 6656);
    for (int i = 0; i < 2; i++)
        gets[i] = (struct pk_get){.table = PK_LIT("T"),
                                  .key = engine_value(&fx, i == 0 ? "{p: 'a'}" : "{p: 'b'}"),
                                  .consistent = true};
    cr_assert_eq(pk_engine_batch_get(fx.engine, &fx.call, gets, 2, &got, &fx.err), PK_OK);
    cr_expect_eq(pk_cost_total(&got.costs[0]), 3000, "BatchGet 1.5 KB + 6.5 KB strong");

    writes[0] =
        (struct pk_write){.table = PK_LIT("T"), .item = engine_value(&fx, item_of(&fx, "c", 500))};
    writes[1] =
        (struct pk_write){.table = PK_LIT("T"), .item = engine_value(&fx, item_of(&fx, "d", 3584))};
    cr_assert_eq(pk_engine_batch_write(fx.engine, &fx.call, writes, 2, &wrote, &fx.err), PK_OK);
    cr_expect_eq(pk_cost_total(&wrote.costs[0]), 5000, "BatchWrite 500 B + 3.5 KB");

    for (int i = 0; i < 3; i++) {
        const char *key = engine_format(&fx, "t%d", i);

        writes[i] = (struct pk_write){.table = PK_LIT("T"),
                                      .item = engine_value(&fx, item_of(&fx, key, 500))};
        gets[i] = (struct pk_get){.table = PK_LIT("T"),
                                  .key = engine_value(&fx, engine_format(&fx, "{p: '%s'}", key))};
    }
    cr_assert_eq(pk_engine_transact_write(fx.engine, &fx.call, &transaction, &written, &fx.err),
                 PK_OK);
    cr_expect_eq(pk_cost_total(&written.costs[0]), 6000);
    cr_assert_eq(pk_engine_transact_get(fx.engine, &fx.call, gets, 3, &read, &fx.err), PK_OK);
    cr_expect_eq(pk_cost_total(&read.costs[0]), 6000);
    engine_close(&fx);
}

/* Sums are rounded once a page. */
Test(capacity, pages)
{
    static const struct row {
        int items;
        size_t bytes;
        int64_t strong, eventual;
    } rows[] = {
        {10, 4178, 11000, 5500},  /* 40.8 KB */
        {1500, 64, 24000, 12000}, /* 93.75 KB */
        {80, 1024, 20000, 10000}, {8, 2000, 4000, 2000}, {0, 0, 1000, 500},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct engine_fixture fx;

        engine_open(&fx);
        engine_table(&fx, "T p:S r:S");
        for (int k = 0; k < rows[i].items; k++) { /* p 2 + r 5 + v 1 + text */
            const char *item = engine_format(&fx, "{p: 'k', r: '%04d', v: %s}", k,
                                             engine_text(&fx, rows[i].bytes - 8));

            cr_assert_eq(engine_put(&fx, "T", item), PK_OK);
        }
        for (int how = 0; how < 4; how++) {
            struct read_text read = {.from = "T", .consistent = how % 2 == 0};

            if (how < 2) {
                read.key = "p = :k";
                read.values = "{k: 'k'}";
            }
            cr_assert_eq(engine_read(&fx, &read), PK_OK);
            cr_expect_eq(engine_read_cost(&fx), read.consistent ? rows[i].strong : rows[i].eventual,
                         "row %zu", i);
        }
        engine_close(&fx);
    }
}
