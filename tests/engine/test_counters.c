/* Counters by partition: cells that come with ids, sums, both stored forms. */
#include "engine/table/counters.h"

#include <criterion/criterion.h>

#include "engine/ops/core.h"
#include "engine/store/token_part.h"
#include "engine/table/descriptor.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/temp_dir.h"

enum { LSI = 7, GSI = 8 };

static struct pk_counters *counters_with(uint32_t partitions, uint32_t gsi_partitions)
{
    const struct pk_counted_index indexes[] = {{LSI, 0}, {GSI, gsi_partitions}};

    return pk_counters_new(partitions, indexes, 2);
}

static void expect(struct pk_tally tally, int64_t items, int64_t bytes, const char *what)
{
    cr_expect_eq(tally.items, items, "%s: %lld items", what, (long long)tally.items);
    cr_expect_eq(tally.bytes, bytes, "%s: %lld bytes", what, (long long)tally.bytes);
}

/* Every id up to the largest has a cell of its own. */
Test(counters, cells)
{
    struct pk_counters *counters = counters_with(1, 4);
    struct pk_counters *copy;
    int64_t sum = 0;

    for (uint32_t id = 0; id < 2 * PK_PARTITIONS_MAX; id++) {
        pk_counters_grow(counters, 0, id + 1);
        pk_counters_add(counters, id, (struct pk_tally){1, id});
        sum += id;
    }
    copy = pk_counters_dup(counters);
    pk_counters_clear(counters);
    expect(pk_counters_total(counters), 0, 0, "cleared");
    for (uint32_t id = 0; id < 2 * PK_PARTITIONS_MAX; id++) {
        struct pk_tally one = pk_counters_partition(copy, id);

        cr_assert(one.items == 1 && one.bytes == id, "partition %u", id);
    }
    expect(pk_counters_total(copy), 2 * PK_PARTITIONS_MAX, sum, "all");
    expect(pk_counters_partition(copy, UINT32_MAX), 0, 0, "none");
    pk_counters_unref(counters);
    pk_counters_unref(copy);
}

Test(counters, indexes)
{
    struct pk_counters *counters = counters_with(4, 4);

    pk_counters_add_index(counters, LSI, 0, (struct pk_tally){5, 50});
    pk_counters_add_index(counters, GSI, 3, (struct pk_tally){2, 20});
    pk_counters_add_index(counters, GSI, 1, (struct pk_tally){1, 10});
    pk_counters_add_index(counters, 99, 0, (struct pk_tally){1, 1}); /* not known */
    pk_counters_grow(counters, GSI, 100);
    pk_counters_add_index(counters, GSI, 99, (struct pk_tally){-2, -20});
    expect(pk_counters_index(counters, LSI), 5, 50, "LSI");
    expect(pk_counters_index(counters, GSI), 1, 10, "GSI");
    expect(pk_counters_index_partition(counters, GSI, 3), 2, 20, "GSI 3");
    expect(pk_counters_index_partition(counters, GSI, 99), -2, -20, "GSI 99");
    expect(pk_counters_total(counters), 0, 0, "table");
    /* The slot of one that is gone begins at zero again. */
    pk_counters_remove_slot(counters, GSI);
    pk_counters_add_slot(counters, (struct pk_counted_index){GSI + 1, 2});
    expect(pk_counters_index(counters, GSI), 0, 0, "gone");
    expect(pk_counters_index(counters, GSI + 1), 0, 0, "new");
    pk_counters_unref(counters);
}

Test(counters, stored)
{
    struct pk_counters *counters = counters_with(40, 4);
    struct pk_counters *loaded = counters_with(40, 4);
    struct pk_buf bytes = PK_BUF_INIT;

    pk_counters_add(counters, 39, (struct pk_tally){3, 300});
    pk_counters_add_index(counters, LSI, 0, (struct pk_tally){5, 50});
    pk_counters_add_index(counters, GSI, 3, (struct pk_tally){2, 20});
    pk_counters_store(counters, &bytes);
    cr_expect_eq(bytes.data[0], 2);
    cr_assert_eq(pk_counters_load(loaded, pk_buf_slice(&bytes)), PK_COUNTERS_LOADED);
    expect(pk_counters_partition(loaded, 39), 3, 300, "partition 39");
    expect(pk_counters_index(loaded, LSI), 5, 50, "LSI");
    expect(pk_counters_index_partition(loaded, GSI, 3), 2, 20, "GSI 3");
    /* Cut short anywhere: nothing is added. */
    for (size_t len = 0; len < bytes.len; len++) {
        pk_counters_clear(loaded);
        cr_assert_eq(pk_counters_load(loaded, (pk_slice){bytes.data, len}), PK_COUNTERS_DAMAGED,
                     "%zu bytes", len);
        expect(pk_counters_total(loaded), 0, 0, "damaged");
        expect(pk_counters_index(loaded, LSI), 0, 0, "damaged");
    }
    pk_counters_unref(counters);
    pk_counters_unref(loaded);
    pk_buf_release(&bytes);
}

static void add_cell(struct pk_buf *out, uint64_t items, uint64_t bytes)
{
    pk_buf_add_u64be(out, items);
    pk_buf_add_u64be(out, bytes);
}

/* What versions before partitions of GSIs were counted have stored. */
static void store_uncut(struct pk_buf *out, uint32_t lsi, uint32_t gsi)
{
    pk_buf_add_byte(out, 1);
    pk_buf_add_varint(out, 4);
    for (uint64_t i = 0; i < 4; i++)
        add_cell(out, i, 10 * i);
    pk_buf_add_varint(out, (lsi != 0 ? 1U : 0U) + (gsi != 0 ? 1U : 0U));
    if (lsi != 0) {
        pk_buf_add_u32be(out, lsi);
        add_cell(out, 6, 60);
    }
    if (gsi != 0) {
        pk_buf_add_u32be(out, gsi);
        add_cell(out, 6, 61);
    }
}

Test(counters, stored_before_partitions)
{
    static const struct row {
        uint32_t lsi, gsi;
        enum pk_counters_loaded want;
    } rows[] = {
        {0, 0, PK_COUNTERS_LOADED},
        {LSI, 0, PK_COUNTERS_LOADED},
        {LSI, GSI, PK_COUNTERS_WITHOUT_GSIS},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct pk_counters *counters = counters_with(4, 4);
        struct pk_buf bytes = PK_BUF_INIT;

        store_uncut(&bytes, rows[r].lsi, rows[r].gsi);
        cr_expect_eq(pk_counters_load(counters, pk_buf_slice(&bytes)), rows[r].want, "row %zu", r);
        expect(pk_counters_partition(counters, 3), 3, 30, "partition 3");
        expect(pk_counters_total(counters), 6, 60, "table");
        expect(pk_counters_index(counters, LSI), rows[r].lsi == 0 ? 0 : 6,
               rows[r].lsi == 0 ? 0 : 60, "LSI");
        expect(pk_counters_index(counters, GSI), 0, 0, "GSI");
        pk_counters_clear(counters);
        cr_expect_eq(pk_counters_load(counters, (pk_slice){bytes.data, bytes.len - 1}),
                     PK_COUNTERS_DAMAGED);
        expect(pk_counters_total(counters), 0, 0, "damaged");
        pk_counters_unref(counters);
        pk_buf_release(&bytes);
    }
}

/* Replaces what a clean close has saved by the form of before. */
static void save_uncut(const char *dir, uint32_t table_id, uint32_t lsi, uint32_t gsi)
{
    struct pk_store_options options = {0};
    struct pk_store *store = NULL;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    cr_assert_eq(pk_store_open(dir, &options, &store, &err), PK_OK, "%s", err.message);
    pk_layout_meta_id(&key, PK_META_COUNTERS, table_id, (pk_slice){NULL, 0});
    store_uncut(&value, lsi, gsi);
    cr_assert_eq(pk_store_put(store, pk_buf_slice(&key), pk_buf_slice(&value), &err), PK_OK);
    pk_store_close(store);
    pk_buf_release(&key);
    pk_buf_release(&value);
}

/* A store of before: what was saved of table and LSIs is taken, only GSIs are counted again. */
Test(counters, only_gsis_are_recounted)
{
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_table *table;
    struct pk_table_stats stats;
    uint64_t items = 0;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, "T PK:S SK:S; lsi l A:S keys; gsi g A:S keys");
    for (int i = 0; i < 6; i++)
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{PK:'p%d',SK:'s',A:'a%d'}", i, i)),
                     PK_OK);
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    engine_close(&fx);
    save_uncut(dir.path, table->id, table->indexes[0].id, table->indexes[1].id);
    pk_table_unref(table);
    engine_open_dir(&fx, dir.path);
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    pk_engine_table_stats(fx.engine, &fx.call, table, &stats);
    cr_expect(stats.counting);
    while (pk_engine_tick(fx.engine, FIXTURE_NOW_MS))
        ;
    pk_engine_table_stats(fx.engine, &fx.call, table, &stats);
    cr_expect_not(stats.counting);
    cr_expect_eq(stats.table.items, 6);
    cr_expect_eq(stats.table.bytes, 60, "as saved");
    cr_expect_eq(stats.indexes[0].bytes, 60, "as saved");
    cr_expect_eq(stats.indexes[1].items, 6);
    for (uint32_t i = 0; i < 4; i++)
        items += stats.index_partitions[1][i].items;
    cr_expect_eq(items, 6);
    cr_expect_null(stats.index_partitions[0]);
    pk_table_unref(table);
    engine_close_unchecked(&fx);
    temp_dir_remove(&dir);
}
