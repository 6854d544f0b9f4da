/* Figures of partitions that were split: counted in slices, while writes, further splits and a
 * recount go on, across closing, dying and failing commits. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "engine/base/rng.h"
#include "engine/ops/core.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"
#include "tests/support/log_fixture.h"
#include "tests/support/split_fixture.h"
#include "tests/support/temp_dir.h"

#define TABLE "T p:S r:N provisioned=5/5; gsi by_g g:S all provisioned=1/1"

static void fill(struct engine_fixture *fx, int from, int to)
{
    for (int i = from; i < to; i++)
        cr_assert_eq(engine_put(fx, "T", engine_format(fx, "{p: 'A', r: %d, g: 'G'}", i)), PK_OK,
                     "%s", engine_message(fx));
}

static uint64_t items_of(struct engine_fixture *fx)
{
    struct pk_table *table = pk_engine_table(fx->engine, PK_LIT("T"));
    struct pk_table_stats stats;

    pk_engine_table_stats(fx->engine, &fx->call, table, &stats);
    pk_table_unref(table);
    return stats.table.items;
}

/* More rows than a split counts at once. */
enum { MANY = 30000 };

static void fill_many(struct engine_fixture *fx)
{
    for (int i = 0; i < MANY; i += 1000) {
        fill(fx, i, i + 1000);
        engine_reset(fx);
    }
}

/* The children's figures grow to theirs, and the sum is right all the time. */
Test(split_count, in_slices)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, TABLE);
    fill_many(&fx);
    split_one(&fx, "T", "{p: 'A', r: 10000}");
    cr_expect_str_eq(split_text(&fx, "T"), "1<0:10000 2<0:10000 ?");
    cr_expect_eq(items_of(&fx), MANY);
    /* Writes meanwhile, before and behind what is counted; a child is split, too. */
    fill(&fx, MANY, MANY + 10);
    engine_delete(&fx, "T", "{p: 'A', r: 5}");
    engine_delete(&fx, "T", "{p: 'A', r: 29999}");
    split_one(&fx, "T", "{p: 'A', r: 25000}");
    cr_expect_eq(items_of(&fx), MANY + 8);
    log_settle(&fx);
    cr_expect_str_eq(split_text(&fx, "T"), "1<0:9999 3<2:15000 4<2:5009");
    cr_expect_str_eq(split_text(&fx, "T.by_g"), "0<0:30008");
    split_one(&fx, "T.by_g", "{g: 'G', p: 'A', r: 100}");
    cr_expect_str_eq(split_text(&fx, "T.by_g"), "1<0:99 2<0:19901 ?");
    log_settle(&fx);
    cr_expect_str_eq(split_text(&fx, "T.by_g"), "1<0:99 2<0:29909");
    engine_close(&fx);
}

/* The check brings it to its end; a table that is dropped needs none. */
Test(split_count, checked_and_dropped)
{
    struct engine_fixture fx;
    struct pk_table *table = NULL;

    engine_open(&fx);
    engine_table(&fx, TABLE);
    fill_many(&fx);
    split_one(&fx, "T", "{p: 'A', r: 10000}");
    engine_assert_clean(&fx);
    cr_expect_str_eq(split_text(&fx, "T"), "1<0:10000 2<0:20000");
    split_one(&fx, "T", "{p: 'A', r: 25000}");
    split_one(&fx, "T.by_g", "{g: 'G', p: 'A', r: 100}");
    cr_assert(pk_split_counts_any(&fx.engine->split_counts));
    cr_assert_eq(pk_engine_delete_table(fx.engine, PK_LIT("T"), &table, &fx.err), PK_OK);
    pk_table_unref(table);
    log_tick(&fx);
    cr_expect_not(pk_split_counts_any(&fx.engine->split_counts));
    engine_close(&fx);
}

/* Borders and figures are there after closing; what was not counted yet is counted anew. */
Test(split_count, reopened)
{
    struct temp_dir dir;
    struct engine_fixture fx;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, TABLE);
    fill_many(&fx);
    split_one(&fx, "T", "{p: 'A', r: 100}");
    split_one(&fx, "T.by_g", "{g: 'G', p: 'A', r: 200}");
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_str_eq(split_text(&fx, "T"), "1<0:100 2<0:29900");
    cr_expect_str_eq(split_text(&fx, "T.by_g"), "1<0:200 2<0:29800");
    split_one(&fx, "T", "{p: 'A', r: 10000}");
    cr_expect_str_eq(split_text(&fx, "T"), "1<0:100 3<2:9900 4<2:10100 ?");
    engine_close_unchecked(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_str_eq(split_text(&fx, "T"), "1<0:0 3<2:0 4<2:0 ?");
    log_settle(&fx);
    cr_expect_str_eq(split_text(&fx, "T"), "1<0:100 3<2:9900 4<2:20000");
    cr_expect_str_eq(split_text(&fx, "T.by_g"), "1<0:200 2<0:29800");
    engine_close(&fx);
    temp_dir_remove(&dir);
}

/* After an unclean end: splits while the recount is somewhere in the middle. */
Test(split_count, beside_a_recount)
{
    struct temp_dir dir, copy;
    struct engine_fixture fx;

    temp_dir_make(&dir);
    temp_dir_make(&copy);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, TABLE);
    fill_many(&fx);
    split_one(&fx, "T", "{p: 'A', r: 15000}");
    log_settle(&fx);
    temp_dir_copy(dir.path, copy.path);
    engine_close(&fx);

    engine_open_dir(&fx, copy.path);
    cr_expect_str_eq(split_text(&fx, "T"), "1<0:0 2<0:0 ?");
    fill(&fx, MANY, MANY + 5);
    split_one(&fx, "T", "{p: 'A', r: 20000}"); /* before anything was counted */
    for (int i = 0; i < 5; i++)
        log_tick(&fx);
    engine_delete(&fx, "T", "{p: 'A', r: 20001}");
    split_one(&fx, "T", "{p: 'A', r: 10000}");
    split_one(&fx, "T.by_g", "{g: 'G', p: 'A', r: 10}");
    log_tick(&fx);
    split_one(&fx, "T", "{p: 'A', r: 25000}"); /* a child of one that is being counted */
    log_settle(&fx);
    cr_expect_str_eq(split_text(&fx, "T"), "5<1:10000 6<1:5000 3<2:5000 7<4:4999 8<4:5005");
    cr_expect_str_eq(split_text(&fx, "T.by_g"), "1<0:10 2<0:29994");
    engine_close(&fx);
    temp_dir_remove(&dir);
    temp_dir_remove(&copy);
}

/* Failing commits ------------------------------------------------------------------------------*/

static void open_faulty(struct engine_fixture *fx, const char *path, struct pk_store **fault)
{
    const struct pk_engine_options options = {.dir = path, .no_ticker = true};
    const struct pk_store_options how = {0};
    struct pk_error err = PK_ERROR_INIT;
    struct pk_store *store = NULL;
    struct pk_engine *engine = NULL;

    cr_assert_eq(pk_store_open(path, &how, &store, &err), PK_OK, "%s", err.message);
    *fault = pk_store_fault_new(store);
    cr_assert_eq(pk_engine_attach(*fault, &options, &engine, &err), PK_OK, "%s", err.message);
    engine_adopt(fx, engine);
}

/* All of a split or nothing of it, in memory and after opening again. */
Test(split_count, failing_commit)
{
    for (int applies = 0; applies < 2; applies++) {
        for (int index = 0; index < 2; index++) {
            const struct pk_fault_plan plan = {.fail_commit = 1, .commit_applies = applies == 1};
            const char *of = index == 1 ? "T.by_g" : "T";
            const char *key = index == 1 ? "{g: 'G', p: 'A', r: 10}" : "{p: 'A', r: 10}";
            struct temp_dir dir;
            struct engine_fixture fx;
            struct pk_store *fault = NULL;
            pk_slice position;

            temp_dir_make(&dir);
            open_faulty(&fx, dir.path, &fault);
            engine_table(&fx, TABLE);
            fill(&fx, 0, 30);
            cr_assert_str_eq(split_text(&fx, of), "0<0:30");
            position = split_position(&fx, of, key);
            pk_store_fault_set(fault, &plan);
            cr_expect_eq(split_before(&fx, of, &position, 1), PK_E_IO);
            cr_expect_str_eq(split_text(&fx, of), "0<0:30");
            engine_close_unchecked(&fx);
            engine_open_dir(&fx, dir.path);
            log_settle(&fx);
            cr_expect_str_eq(split_text(&fx, of), applies == 1 ? "1<0:10 2<0:20" : "0<0:30");
            engine_close(&fx);
            temp_dir_remove(&dir);
        }
    }
}

/* Property -------------------------------------------------------------------------------------*/

enum { KEYS = 40, SORTS = 30 };

static const char *random_key(struct engine_fixture *fx, struct pk_rng *rng)
{
    return engine_format(fx, "{p: 'k%d', r: %d}", (int)pk_rng_below(rng, KEYS),
                         (int)pk_rng_below(rng, SORTS));
}

static void random_write(struct engine_fixture *fx, struct pk_rng *rng)
{
    const char *text =
        engine_format(fx, "{p: 'k%d', r: %d, g: 'G%d', x: %s}", (int)pk_rng_below(rng, KEYS),
                      (int)pk_rng_below(rng, SORTS), (int)pk_rng_below(rng, 4),
                      engine_text(fx, 1 + (size_t)pk_rng_below(rng, 200)));
    enum pk_code rc = pk_rng_below(rng, 4) == 0 ? engine_delete(fx, "T", random_key(fx, rng))
                                                : engine_put(fx, "T", text);

    cr_assert_eq(rc, PK_OK, "%s", engine_message(fx));
}

static void random_split(struct engine_fixture *fx, struct pk_rng *rng)
{
    pk_slice positions[3];
    size_t count = 1 + (size_t)pk_rng_below(rng, 3);
    bool index = pk_rng_below(rng, 2) == 0;

    for (size_t i = 0; i < count; i++)
        positions[i] =
            index ? split_position(
                        fx, "T.by_g",
                        engine_format(fx, "{g: 'G%d', p: 'k%d', r: %d}", (int)pk_rng_below(rng, 4),
                                      (int)pk_rng_below(rng, KEYS), (int)pk_rng_below(rng, SORTS)))
                  : split_position(fx, "T", random_key(fx, rng));
    cr_assert_eq(split_before(fx, index ? "T.by_g" : "T", positions, count), PK_OK, "%s",
                 engine_message(fx));
}

/* Who owns the position, found without the map's own search. */
static uint32_t owner_of(const struct pk_partitions *map, pk_slice position)
{
    uint32_t owner = 0;

    for (uint32_t i = 1; i < map->count; i++) {
        if (pk_slice_compare(map->list[i].first, position) <= 0)
            owner = i;
    }
    return owner;
}

struct recounting {
    struct engine_fixture *fx;
    const struct pk_table *table;
    struct pk_counts *partitions;
};

static enum pk_code recount_item(void *context, pk_view item, struct pk_error *err)
{
    struct recounting *to = context;
    pk_value value = pk_view_decode(&to->fx->arena, item);
    struct pk_member members[2] = {{PK_LIT("p"), pk_value_get(value, PK_LIT("p"))},
                                   {PK_LIT("r"), pk_value_get(value, PK_LIT("r"))}};
    struct pk_place place;
    uint32_t owner;

    cr_assert_eq(pk_engine_where(
                     to->fx->engine, &to->fx->call,
                     &(struct pk_where){PK_LIT("T"), (pk_slice){NULL, 0}, pk_value_map(members, 2)},
                     &place, err),
                 PK_OK);
    owner = owner_of(&to->table->partitions, pk_layout_position(place.stored_key));
    cr_assert_eq(place.partition, owner);
    to->partitions[owner].items++;
    to->partitions[owner].bytes += pk_item_size(value);
    return PK_OK;
}

static void compare_figures(struct engine_fixture *fx, uint64_t seed)
{
    struct pk_table *table = pk_engine_table(fx->engine, PK_LIT("T"));
    struct recounting to = {.fx = fx, .table = table};
    struct pk_table_stats stats;

    to.partitions = PK_NEW_ARRAY(&fx->arena, struct pk_counts, table->partitions.count);
    cr_assert_eq(pk_engine_sample(fx->engine, &fx->call,
                                  &(struct pk_sample){PK_LIT("T"), pk_value_missing(), SIZE_MAX,
                                                      (struct pk_sink){recount_item, &to}},
                                  &fx->err),
                 PK_OK);
    pk_engine_table_stats(fx->engine, &fx->call, table, &stats);
    cr_assert_not(stats.counting);
    for (uint32_t i = 0; i < table->partitions.count; i++)
        cr_assert(stats.partitions[i].items == to.partitions[i].items &&
                      stats.partitions[i].bytes == to.partitions[i].bytes,
                  "seed %llu: partition %u of %u", (unsigned long long)seed, i,
                  table->partitions.count);
    pk_table_unref(table);
}

/* Random writes and splits, with a death and an opening now and then: bytes and items of every
 * partition equal a recount, and the check is clean. */
Test(split_count, property)
{
    uint64_t seed = 52026;
    struct pk_rng rng;

    pk_rng_seed(&rng, seed);
    for (int run = 0; run < 4; run++) {
        struct temp_dir dir;
        struct engine_fixture fx;

        temp_dir_make(&dir);
        engine_open_dir(&fx, dir.path);
        engine_table(&fx, run % 2 == 0 ? "T p:S r:N; gsi by_g g:S keys"
                                       : "T p:S r:N; lsi l x:S keys; gsi by_g g:S all");
        for (int round = 0; round < 12; round++) {
            struct temp_dir copy;

            for (int i = 0; i < 150; i++) {
                random_write(&fx, &rng);
                if (pk_rng_below(&rng, 30) == 0)
                    random_split(&fx, &rng);
                if (pk_rng_below(&rng, 50) == 0)
                    log_tick(&fx);
            }
            if (round % 3 == 2) { /* dies */
                temp_dir_make(&copy);
                temp_dir_copy(dir.path, copy.path);
                engine_close_unchecked(&fx);
                temp_dir_remove(&dir);
                dir = copy;
                engine_open_dir(&fx, dir.path);
                for (int i = 0; i < 20; i++)
                    random_write(&fx, &rng);
                random_split(&fx, &rng);
            }
            log_settle(&fx);
            engine_assert_clean(&fx);
            compare_figures(&fx, seed);
            engine_reset(&fx);
        }
        engine_close(&fx);
        temp_dir_remove(&dir);
    }
}
