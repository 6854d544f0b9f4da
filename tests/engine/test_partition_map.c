/* Maps of partitions: who owns a position, what splits make of them, their stored form. */
#include "engine/table/partition_map.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/rng.h"
#include "engine/store/layout.h"
#include "engine/store/token_part.h"
#include "engine/table/descriptor.h"
#include "engine/table/table_spec.h"
#include "tests/support/engine_fixture.h"

/* A position from text: a token of 16 hex digits, then what follows as it is. "" is the start. */
static pk_slice position(struct pk_arena *arena, const char *text)
{
    struct pk_buf bytes = PK_BUF_INIT;
    pk_slice made;
    char digits[17] = {0};

    if (*text == '\0')
        return (pk_slice){NULL, 0};
    memcpy(digits, text, 16);
    pk_buf_add_u64be(&bytes, strtoull(digits, NULL, 16));
    pk_buf_add_cstr(&bytes, text + 16);
    made = pk_arena_dup(arena, pk_buf_slice(&bytes));
    pk_buf_release(&bytes);
    return made;
}

/* "id<parent@token+rest", one a partition. */
static const char *text_of(const struct pk_partitions *map, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;
    const char *text;

    for (uint32_t i = 0; i < map->count; i++) {
        const struct pk_partition_entry *one = &map->list[i];
        pk_slice rest = pk_slice_skip(one->first, 8);

        pk_buf_printf(&out, "%s%u<%u", i == 0 ? "" : " ", one->id, one->parent);
        if (one->first.len > 0)
            pk_buf_printf(&out, "@%02x%.*s", (unsigned char)one->first.data[0], PK_FMT(rest));
    }
    text = pk_arena_dup(arena, pk_buf_slice(&out)).data;
    pk_buf_release(&out);
    return text;
}

static const char *const cuts[] = {
    "2000000000000000", "a000000000000000key", "a000000000000000", "8000000000000000", "",
    "0000000000000000"};

Test(partition_map, splits)
{
    static const struct row {
        uint32_t even;
        size_t cuts[4]; /* of the list above, from 1; 0: no more */
        const char *want;
    } rows[] = {
        {2, {0}, "0<0 1<1@80"},
        {1, {1}, "1<0 2<0@20"},
        {2, {1}, "2<0 3<0@20 1<1@80"},
        {2, {2}, "0<0 2<1@80 3<1@a0key"},
        {2, {2, 3}, "0<0 2<1@80 3<1@a0 4<1@a0key"},
        {2, {3, 1, 3}, "2<0 3<0@20 4<1@80 5<1@a0"},
        /* Borders already, and where nothing is before. */
        {2, {4, 5, 6}, "0<0 1<1@80"},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_partitions map;
        pk_slice boundaries[4];
        size_t count = 0;

        pk_partitions_even(&map, rows[r].even, &arena);
        while (count < 4 && rows[r].cuts[count] != 0) {
            boundaries[count] = position(&arena, cuts[rows[r].cuts[count] - 1]);
            count++;
        }
        cr_assert(pk_partitions_split(&map, boundaries, count, &arena));
        cr_expect_str_eq(text_of(&map, &arena), rows[r].want, "row %zu", r);
        cr_expect(pk_partitions_check(&map), "row %zu", r);
        cr_expect_eq(map.even, map.count == rows[r].even);
        pk_arena_release(&arena);
    }
}

Test(partition_map, nested)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_partitions map;

    pk_partitions_even(&map, 1, &arena);
    for (size_t i = 0; i < 3; i++) {
        pk_slice at = position(&arena, cuts[i]);

        cr_assert(pk_partitions_split(&map, &at, 1, &arena));
    }
    cr_expect_str_eq(text_of(&map, &arena), "1<0 5<3@20 6<3@a0 4<2@a0key");
    cr_expect_eq(map.next_id, 7);
    pk_arena_release(&arena);
}

Test(partition_map, finding)
{
    static const struct row {
        const char *position;
        uint32_t number, before;
    } rows[] = {
        {"", 0, 0},
        {"0000000000000000", 0, 0},
        {"1fffffffffffffffz", 0, 0},
        {"2000000000000000", 1, 0},
        {"2000000000000000a", 1, 1},
        {"7fffffffffffffff", 1, 1},
        {"8000000000000000", 2, 1},
        {"a000000000000000kex", 2, 2},
        {"a000000000000000key", 3, 2},
        {"a000000000000000key1", 3, 3},
        {"ffffffffffffffffzz", 3, 3},
    };
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_partitions map;
    pk_slice boundaries[2] = {position(&arena, cuts[0]), position(&arena, cuts[1])};

    pk_partitions_even(&map, 2, &arena);
    cr_assert(pk_partitions_split(&map, boundaries, 2, &arena));
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        pk_slice at = position(&arena, rows[r].position);

        cr_expect_eq(pk_partitions_find(&map, at), rows[r].number, "%s", rows[r].position);
        cr_expect_eq(pk_partitions_find_before(&map, at), rows[r].before, "%s", rows[r].position);
    }
    cr_expect_eq(pk_partitions_first_token(&map, 0), 0);
    cr_expect_eq(pk_partitions_last_token(&map, 0), UINT64_C(0x1fffffffffffffff));
    /* The border inside a token: both sides own something of it. */
    cr_expect_eq(pk_partitions_last_token(&map, 2), UINT64_C(0xa000000000000000));
    cr_expect_eq(pk_partitions_first_token(&map, 3), UINT64_C(0xa000000000000000));
    cr_expect_eq(pk_partitions_last_token(&map, 3), UINT64_MAX);
    pk_arena_release(&arena);
}

/* Arithmetic and search say the same of an even map; splits keep the order, and every position has
 * the owner whose range it is in. */
Test(partition_map, property)
{
    struct pk_rng rng;
    uint64_t seed = 20261201;

    pk_rng_seed(&rng, seed);
    for (int round = 0; round < 200; round++) {
        struct pk_arena arena = PK_ARENA_INIT;
        uint32_t even = 1 + (uint32_t)pk_rng_below(&rng, 40);
        struct pk_partitions map;
        size_t cut_count = (size_t)pk_rng_below(&rng, 20);

        pk_partitions_even(&map, even, &arena);
        for (size_t i = 0; i <= cut_count; i++) {
            for (int k = 0; k < 20; k++) {
                char text[40];
                struct pk_partitions searched = map;
                pk_slice at;
                uint32_t found;

                snprintf(text, sizeof(text), "%016llx%s", (unsigned long long)pk_rng_next(&rng),
                         pk_rng_below(&rng, 2) == 0 ? "" : "x");
                at = position(&arena, text);
                searched.even = false;
                found = pk_partitions_find(&map, at);
                cr_assert_eq(found, pk_partitions_find(&searched, at), "seed %llu",
                             (unsigned long long)seed);
                cr_assert(pk_slice_compare(map.list[found].first, at) <= 0);
                cr_assert(found + 1 == map.count ||
                          pk_slice_compare(at, map.list[found + 1].first) < 0);
                if (k == 0 && i < cut_count) {
                    cr_assert(pk_partitions_split(&map, &at, 1, &arena));
                    cr_assert(pk_partitions_check(&map));
                }
            }
        }
        cr_assert(map.next_id <= even + 2 * (map.count - even));
        pk_arena_release(&arena);
    }
}

/* 10,000 and no more; a refused split changes nothing. */
Test(partition_map, limit)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_partitions map;
    pk_slice boundaries[2] = {position(&arena, "0000000000000001"),
                              position(&arena, "0000000000000002")};

    pk_partitions_even(&map, PK_PARTITIONS_MAX - 1, &arena);
    cr_expect_not(pk_partitions_split(&map, boundaries, 2, &arena));
    cr_expect(map.even && map.count == PK_PARTITIONS_MAX - 1 && map.next_id == map.count);
    cr_expect(pk_partitions_split(&map, boundaries, 1, &arena));
    cr_expect_eq(map.count, PK_PARTITIONS_MAX);
    cr_expect_not(pk_partitions_split(&map, boundaries + 1, 1, &arena));
    cr_expect(pk_partitions_check(&map));
    pk_arena_release(&arena);
}

/* Stored and read back: even ones as before, split ones with their borders; LSIs share the
 * table's. */
Test(partition_map, stored)
{
    struct engine_fixture fx;
    struct pk_table_spec spec;
    struct pk_table *table;
    struct pk_table *copy = NULL;
    struct pk_buf bytes = PK_BUF_INIT;
    pk_slice boundaries[2];

    engine_open(&fx);
    spec = engine_spec(&fx, "T PK:S SK:N; lsi l A:B all; gsi g c:S keys");
    table = pk_table_spec_build(&spec);
    table->id = 41;
    table->uuid = PK_LIT("6b2effaf-fa0e-8a16-ba3a-403c6fa779e9");
    pk_partitions_even(&table->partitions, 2, pk_table_arena(table));
    table->indexes[0].id = 42;
    table->indexes[0].partitions = table->partitions;
    table->indexes[1].id = 43;
    pk_partitions_even(&table->indexes[1].partitions, 4, pk_table_arena(table));
    pk_table_store(table, &bytes);
    cr_expect_eq(bytes.data[0], 1, "a definition without borders is read by older programs");
    pk_buf_clear(&bytes);
    for (size_t i = 0; i < 2; i++)
        boundaries[i] = position(&fx.arena, cuts[i]);
    cr_assert(pk_partitions_split(&table->partitions, boundaries, 1, pk_table_arena(table)));
    cr_assert(
        pk_partitions_split(&table->indexes[1].partitions, boundaries, 2, pk_table_arena(table)));
    pk_table_store(table, &bytes);
    cr_expect_eq(bytes.data[0], 2);
    cr_assert_eq(pk_table_load(pk_buf_slice(&bytes), &copy, &fx.err), PK_OK);
    cr_expect_str_eq(text_of(&copy->partitions, &fx.arena), "2<0 3<0@20 1<1@80");
    cr_expect_eq(copy->partitions.next_id, 4);
    cr_expect_eq(copy->indexes[0].partitions.list, copy->partitions.list);
    cr_expect_str_eq(text_of(&copy->indexes[1].partitions, &fx.arena),
                     text_of(&table->indexes[1].partitions, &fx.arena));
    pk_table_unref(copy);
    pk_table_unref(table);
    pk_buf_release(&bytes);
    engine_close(&fx);
}
