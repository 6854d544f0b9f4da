/* Splits of tables and GSIs: where items are then, what is read, what is counted. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "engine/base/rng.h"
#include "engine/ops/core.h"
#include "engine/ops/split.h"
#include "engine/store/token_part.h"
#include "engine/table/partition_map.h"
#include "tests/support/log_fixture.h"
#include "tests/support/split_fixture.h"
#include "tests/support/temp_dir.h"

/* One item collection of `count` items, with sort keys from 0 on. */
static void fill(struct engine_fixture *fx, const char *table, const char *pk, int count)
{
    for (int i = 0; i < count; i++)
        cr_assert_eq(
            engine_put(fx, table,
                       engine_format(fx, "{p: '%s', r: %d, g: 'G%d', x: 'v'}", pk, i, i % 3)),
            PK_OK, "%s", engine_message(fx));
}

static struct pk_facts facts_of_get(struct engine_fixture *fx, const char *table, const char *key)
{
    cr_assert_eq(engine_get(fx, table, key), PK_OK);
    return fx->get.facts;
}

/* Four partitions of a table on demand; USER#1 hashes to the third. */
Test(split, inside_a_collection)
{
    struct engine_fixture fx;
    struct pk_place place;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N; gsi by_g g:S keys");
    fill(&fx, "T", "USER#1", 10);
    fill(&fx, "T", "USER#123", 2);
    cr_expect_str_eq(split_text(&fx, "T"), "0<0:0 1<1:2 2<2:10 3<3:0");
    split_one(&fx, "T", "{p: 'USER#1', r: 4}");
    cr_expect_str_eq(split_text(&fx, "T"), "0<0:0 1<1:2 4<2:4 5<2:6 3<3:0");
    cr_expect_eq(facts_of_get(&fx, "T", "{p: 'USER#1', r: 3}").partition, 2);
    cr_expect_eq(facts_of_get(&fx, "T", "{p: 'USER#1', r: 4}").partition, 3);
    cr_expect_eq(fx.get.facts.partition_count, 5);
    cr_expect_eq(fx.get.facts.partitions_touched, 1);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'USER#1', r: 11}"), PK_OK);
    cr_expect_eq(fx.write.facts.partition, 3);
    cr_assert_eq(engine_delete(&fx, "T", "{p: 'USER#1', r: 0}"), PK_OK);
    cr_expect_eq(fx.write.facts.partition, 2);
    cr_expect_str_eq(split_text(&fx, "T"), "0<0:0 1<1:2 4<2:3 5<2:7 3<3:0");
    cr_assert_eq(pk_engine_where(fx.engine, &fx.call,
                                 &(struct pk_where){PK_LIT("T"), (pk_slice){NULL, 0},
                                                    engine_value(&fx, "{p: 'USER#1', r: 3}")},
                                 &place, &fx.err),
                 PK_OK);
    cr_expect_eq(place.partition, 2);
    cr_expect_eq(place.partition_id, 4);
    cr_expect_eq(place.partition_first, UINT64_C(0x8000000000000000));
    cr_expect_eq(place.partition_last, UINT64_C(0xbd518ac7afbb7608), "the token of USER#1");
    cr_expect_eq(place.first_position.len, 8);
    cr_expect(pk_slice_equal(place.end_position, split_position(&fx, "T", "{p: 'USER#1', r: 4}")));
    engine_close(&fx);
}

/* Children are split again, several borders in one commit, and borders that are there already. */
Test(split, nested)
{
    static const struct row {
        const char *keys[4];
        const char *want;
    } rows[] = {
        {{"{p: 'A', r: 50}"}, "1<0:50 2<0:50"},
        {{"{p: 'A', r: 50}"}, "1<0:50 2<0:50"},
        {{"{p: 'A', r: 75}", "{p: 'A', r: 25}"}, "3<1:25 4<1:25 5<2:25 6<2:25"},
        {{"{p: 'A', r: 3}", "{p: 'A', r: 1}", "{p: 'A', r: 2}"},
         "7<3:1 8<3:1 9<3:1 10<3:22 4<1:25 5<2:25 6<2:25"},
        {{"{p: 'A', r: 99}", "{p: 'A', r: 99}"},
         "7<3:1 8<3:1 9<3:1 10<3:22 4<1:25 5<2:25 11<6:24 12<6:1"},
    };
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N provisioned=5/5");
    fill(&fx, "T", "A", 100);
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        cr_assert_eq(split_at(&fx, "T", rows[r].keys), PK_OK, "row %zu", r);
        cr_expect_str_eq(split_text(&fx, "T"), rows[r].want, "row %zu", r);
        engine_assert_clean(&fx);
    }
    engine_close(&fx);
}

/* The partitions that a page passes, also those without rows. */
Test(split, pages)
{
    static const struct row {
        struct read_text read;
        uint32_t first, touched;
        uint64_t count;
    } rows[] = {
        /* Borders: A 10 | A 20 | A 30, all in the one partition there was. */
        {{.from = "T", .key = "p = :p", .values = "{p: 'A'}"}, 0, 4, 40},
        {{.from = "T", .key = "p = :p", .values = "{p: 'A'}", .backward = true}, 0, 4, 40},
        {{.from = "T", .key = "p = :p AND r < :r", .values = "{p: 'A', r: 10}"}, 0, 1, 10},
        {{.from = "T", .key = "p = :p AND r <= :r", .values = "{p: 'A', r: 10}"}, 0, 2, 11},
        {{.from = "T", .key = "p = :p AND r BETWEEN :a AND :b", .values = "{p: 'A', a: 12, b: 19}"},
         1,
         1,
         8},
        {{.from = "T", .key = "p = :p AND r >= :r", .values = "{p: 'A', r: 30}"}, 3, 1, 10},
        {{.from = "T", .key = "p = :p AND r > :r", .values = "{p: 'A', r: 28}"}, 2, 2, 11},
        /* A page that ends passes no further. */
        {{.from = "T", .key = "p = :p", .values = "{p: 'A'}", .limit = 10}, 0, 1, 10},
        {{.from = "T", .key = "p = :p", .values = "{p: 'A'}", .limit = 11}, 0, 2, 11},
        {{.from = "T", .key = "p = :p", .values = "{p: 'A'}", .limit = 10, .backward = true},
         3,
         1,
         10},
        {{.from = "T", .key = "p = :p", .values = "{p: 'A'}", .limit = 11, .backward = true},
         2,
         2,
         11},
        {{.from = "T",
          .key = "p = :p",
          .values = "{p: 'A'}",
          .start = "{p: 'A', r: 19}",
          .limit = 5},
         1, /* what is behind r 19 begins in the partition of r 19 */
         2,
         5},
        {{.from = "T"}, 0, 4, 40},
        {{.from = "T", .limit = 25}, 0, 3, 25},
        {{.from = "T", .segment = 0, .total_segments = 1}, 0, 4, 40},
    };
    static const char *const borders[] = {"{p: 'A', r: 10}", "{p: 'A', r: 20}", "{p: 'A', r: 30}",
                                          NULL};
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N provisioned=5/5");
    fill(&fx, "T", "A", 40);
    cr_assert_eq(split_at(&fx, "T", borders), PK_OK);
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        cr_assert_eq(engine_read(&fx, &rows[r].read), PK_OK, "row %zu: %s", r, engine_message(&fx));
        cr_expect_eq(fx.read.count, rows[r].count, "row %zu: %d items", r, (int)fx.read.count);
        cr_expect_eq(fx.read.facts.partition, rows[r].first, "row %zu: partition %u", r,
                     fx.read.facts.partition);
        cr_expect_eq(fx.read.facts.partitions_touched, rows[r].touched, "row %zu: %u", r,
                     fx.read.facts.partitions_touched);
        cr_expect_eq(fx.read.facts.partition_count, 4);
    }
    engine_close(&fx);
}

/* Segments are parts of the tokens, whatever the partitions are. */
Test(split, segments)
{
    struct engine_fixture fx;
    uint64_t items = 0;
    uint32_t touched = 0;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N");
    for (int i = 0; i < 50; i++)
        fill(&fx, "T", engine_format(&fx, "k%d", i), 2);
    split_one(&fx, "T", "{p: 'k7', r: 1}");
    split_one(&fx, "T", "{p: 'k8'}");
    for (uint32_t s = 0; s < 4; s++) {
        cr_assert_eq(
            engine_read(&fx, &(struct read_text){.from = "T", .segment = s, .total_segments = 4}),
            PK_OK);
        items += fx.read.count;
        touched += fx.read.facts.partitions_touched;
        cr_expect_eq(fx.read.facts.partition_count, 6);
    }
    cr_expect_eq(items, 100);
    cr_expect_eq(touched, 6, "even borders are those of the segments: %u", touched);
    engine_close(&fx);
}

/* With an LSI a collection is never cut: the border goes to its begin. */
Test(split, local_index)
{
    struct engine_fixture fx;
    struct pk_table *table;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N provisioned=5/5; lsi l x:S keys");
    fill(&fx, "T", "A", 10); /* de.. */
    fill(&fx, "T", "B", 10);
    split_one(&fx, "T", "{p: 'A', r: 5}");
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    cr_assert_eq(table->partitions.count, 2);
    cr_expect(
        pk_slice_equal(table->partitions.list[1].first, split_position(&fx, "T", "{p: 'A'}")));
    cr_expect_eq(table->indexes[0].partitions.list, table->partitions.list);
    pk_table_unref(table);
    cr_assert_eq(
        engine_read(&fx, &(struct read_text){.from = "T.l", .key = "p = :p", .values = "{p: 'A'}"}),
        PK_OK);
    cr_expect_eq(fx.read.count, 10);
    cr_expect_eq(fx.read.facts.partitions_touched, 1);
    cr_expect_eq(fx.read.facts.partition, 1);
    cr_expect_eq(fx.read.facts.partition_count, 2);
    /* Again, elsewhere in it: the border is there. */
    split_one(&fx, "T", "{p: 'A', r: 7}");
    cr_expect_eq(facts_of_get(&fx, "T", "{p: 'A', r: 9}").partition_count, 2);
    engine_close(&fx);
}

/* A GSI has partitions of its own, and its figures by them. */
Test(split, global_index)
{
    static const char *const borders[] = {"{g: 'G1'}", "{g: 'G1', p: 'A', r: 10}", NULL};
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N provisioned=5/5; gsi by_g g:S keys provisioned=1/1");
    fill(&fx, "T", "A", 30);
    cr_expect_str_eq(split_text(&fx, "T.by_g"), "0<0:30");
    cr_assert_eq(split_at(&fx, "T.by_g", borders), PK_OK);
    cr_expect_str_eq(split_text(&fx, "T"), "0<0:30");
    cr_assert_eq(
        engine_read(&fx,
                    &(struct read_text){.from = "T.by_g", .key = "g = :g", .values = "{g: 'G1'}"}),
        PK_OK);
    cr_expect_eq(fx.read.count, 10);
    cr_expect_eq(fx.read.facts.partition, 1);
    cr_expect_eq(fx.read.facts.partitions_touched, 2);
    cr_expect_eq(fx.read.facts.partition_count, 3);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'A', r: 0, g: 'G1'}"), PK_OK);
    cr_assert_eq(engine_delete(&fx, "T", "{p: 'A', r: 28}"), PK_OK);
    cr_expect_str_eq(split_text(&fx, "T.by_g"), "1<0:9 2<0:4 3<0:16");
    engine_close(&fx);
}

/* What cannot be split says so, and nothing changes. */
Test(split, refused)
{
    struct engine_fixture fx;
    struct pk_table *table;
    struct pk_split split;
    pk_slice position;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N provisioned=5/5; lsi l x:S keys; gsi by_g g:S keys "
                      "provisioned=1/1");
    fill(&fx, "T", "A", 3);
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    position = split_position(&fx, "T", "{p: 'A'}");
    split = (struct pk_split){table->id + 99, 0, &position, 1};
    cr_expect_eq(pk_split_partitions(fx.engine, &split, 0, &fx.err), PK_E_NOT_FOUND);
    pk_error_release(&fx.err);
    split = (struct pk_split){table->id, table->indexes[0].id, &position, 1};
    cr_expect_eq(pk_split_partitions(fx.engine, &split, 0, &fx.err), PK_E_NOT_FOUND,
                 "an LSI has the table's");
    pk_error_release(&fx.err);
    split = (struct pk_split){table->id, table->indexes[1].id + 99, &position, 1};
    cr_expect_eq(pk_split_partitions(fx.engine, &split, 0, &fx.err), PK_E_NOT_FOUND);
    pk_table_unref(table);
    cr_assert_eq(log_create_index(&fx, "T", "gsi late x:S keys provisioned=1/1"), PK_OK, "%s",
                 engine_message(&fx));
    cr_expect_eq(split_before(&fx, "T.late", &position, 1), PK_E_IN_USE);
    cr_expect_str_eq(engine_message(&fx), "Attempt to change a resource which is still in use: "
                                          "Index is being created: late");
    log_settle(&fx);
    cr_expect_eq(split_before(&fx, "T.late", &position, 1), PK_OK);
    cr_expect_str_eq(split_text(&fx, "T"), "0<0:3");
    engine_close(&fx);
}

/* 10,000 partitions, and not one more. */
Test(split, limit)
{
    struct engine_fixture fx;
    struct pk_table *table;
    pk_slice *positions;
    uint32_t count;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N");
    fill(&fx, "T", "A", 20);
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    count = PK_PARTITIONS_MAX - table->partitions.count;
    pk_table_unref(table);
    positions = PK_NEW_ARRAY(&fx.arena, pk_slice, count + 1);
    for (uint32_t i = 0; i <= count; i++) {
        struct pk_buf bytes = PK_BUF_INIT;

        pk_buf_add_u64be(&bytes, 1 + i);
        positions[i] = pk_arena_dup(&fx.arena, pk_buf_slice(&bytes));
        pk_buf_release(&bytes);
    }
    cr_expect_eq(split_before(&fx, "T", positions, count + 1), PK_E_LIMIT_EXCEEDED);
    cr_expect_str_eq(engine_message(&fx), "a table or index has at most 10000 partitions");
    cr_expect_eq(facts_of_get(&fx, "T", "{p: 'A', r: 1}").partition_count, 4);
    cr_assert_eq(split_before(&fx, "T", positions, count), PK_OK);
    cr_expect_eq(facts_of_get(&fx, "T", "{p: 'A', r: 1}").partition_count, PK_PARTITIONS_MAX);
    cr_expect_eq(split_before(&fx, "T", positions + count, 1), PK_E_LIMIT_EXCEEDED);
    engine_close(&fx);
}
