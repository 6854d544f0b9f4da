/* The key spaces byte by byte, their order, taking them apart, and the record around an item. */
#include "engine/store/layout.h"

#include <criterion/criterion.h>

#include "engine/store/key_code.h"

#define TOKEN_A "\xe5\x5b\xb1\xae\x59\xb6\xa6\x48" /* token of S "a" */

static struct pk_arena arena = PK_ARENA_INIT;

static pk_value text(const char *string)
{
    return pk_value_string(pk_slice_cstr(string));
}

static void expect_key(const char *name, struct pk_buf *key, pk_slice bytes)
{
    cr_expect(pk_slice_equal(pk_buf_slice(key), bytes), "%s", name);
    pk_buf_release(key);
}

Test(layout, stored_bytes_of_row_keys)
{
    struct pk_item_key plain = {text("a"), pk_value_missing()};
    struct pk_item_key sorted = {text("a"), text("s")};
    pk_value hash = text("a"), range = pk_value_int(&arena, 1);
    struct pk_gsi_key index_key = {&hash, 1, &range, 1};
    struct pk_buf key = PK_BUF_INIT;

    pk_layout_row(&key, 1, &plain);
    expect_key("table row", &key, PK_LIT("t\0\0\0\1" TOKEN_A "Sa\0\1"));
    pk_layout_row(&key, 0x01020304, &sorted);
    expect_key("sorted row", &key, PK_LIT("t\1\2\3\4" TOKEN_A "Sa\0\1Ss\0\1"));
    pk_layout_collection(&key, PK_SPACE_TABLE, 1, text("a"));
    expect_key("collection", &key, PK_LIT("t\0\0\0\1" TOKEN_A "Sa\0\1"));
    pk_layout_collection(&key, PK_SPACE_LSI, 2, text("a"));
    expect_key("LSI collection", &key, PK_LIT("l\0\0\0\2" TOKEN_A "Sa\0\1"));
    pk_layout_lsi(&key, 2, &sorted, text("i"));
    expect_key("LSI row", &key, PK_LIT("l\0\0\0\2" TOKEN_A "Sa\0\1Si\0\1Ss\0\1"));
    pk_layout_gsi(&key, 3, &index_key, &sorted);
    expect_key("GSI row", &key, PK_LIT("g\0\0\0\3" TOKEN_A "Sa\0\1N\xc1\x43\2\0Sa\0\1Ss\0\1"));
    pk_layout_gsi_collection(&key, 3, &index_key);
    expect_key("GSI collection", &key, PK_LIT("g\0\0\0\3" TOKEN_A "Sa\0\1N\xc1\x43\2\0"));
    pk_layout_expiry(&key, 1, 258, &sorted);
    expect_key("expiry", &key, PK_LIT("x\0\0\0\1\0\0\0\0\0\0\1\2Sa\0\1Ss\0\1"));
    pk_arena_release(&arena);
}

Test(layout, stored_bytes_of_other_keys)
{
    struct pk_buf key = PK_BUF_INIT;

    pk_layout_space(&key, PK_SPACE_GSI);
    expect_key("space", &key, PK_LIT("g"));
    pk_layout_id(&key, PK_SPACE_LSI, 7);
    expect_key("id", &key, PK_LIT("l\0\0\0\7"));
    pk_layout_token(&key, PK_SPACE_TABLE, 7, 0x8000000000000000);
    expect_key("token", &key, PK_LIT("t\0\0\0\7\x80\0\0\0\0\0\0\0"));
    pk_layout_shard(&key, 1, 2);
    expect_key("shard", &key, PK_LIT("c\0\0\0\1\0\0\0\2"));
    pk_layout_change(&key, 1, 2, 3);
    expect_key("change", &key, PK_LIT("c\0\0\0\1\0\0\0\2\0\0\0\0\0\0\0\3"));
    pk_layout_expiry_bound(&key, 1, 0x100);
    expect_key("expiry bound", &key, PK_LIT("x\0\0\0\1\0\0\0\0\0\0\1\0"));
    pk_layout_meta(&key, PK_META_FORMAT, PK_LIT(""));
    expect_key("format", &key, PK_LIT("mf"));
    pk_layout_meta(&key, PK_META_TABLE, PK_LIT("Music"));
    expect_key("table", &key, PK_LIT("mtMusic"));
    pk_layout_meta_id(&key, PK_META_CURSOR, 5, PK_LIT("gsi"));
    expect_key("cursor", &key, PK_LIT("mc\0\0\0\5gsi"));
}

/* Partitions are ranges of tokens: the bound of one sorts between the rows around it. */
Test(layout, rows_sort_by_token_then_key)
{
    static const char *const KEYS[] = {"USER#8842", "USER#1#00", "USER#999", "USER#123", "USER#1"};
    struct pk_buf before = PK_BUF_INIT;

    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++) {
        struct pk_item_key item = {text(KEYS[i]), text("x")};
        struct pk_item_key later = {text(KEYS[i]), text("y")};
        struct pk_buf row = PK_BUF_INIT, next = PK_BUF_INIT, bound = PK_BUF_INIT;

        pk_layout_token(&bound, PK_SPACE_TABLE, 1, pk_key_token(item.pk));
        pk_layout_row(&row, 1, &item);
        pk_layout_row(&next, 1, &later);
        cr_expect_lt(pk_slice_compare(pk_buf_slice(&before), pk_buf_slice(&bound)), 0, "%s",
                     KEYS[i]);
        cr_expect_lt(pk_slice_compare(pk_buf_slice(&bound), pk_buf_slice(&row)), 0, "%s", KEYS[i]);
        cr_expect_lt(pk_slice_compare(pk_buf_slice(&row), pk_buf_slice(&next)), 0, "%s", KEYS[i]);
        pk_buf_clear(&before);
        pk_buf_add(&before, pk_buf_slice(&next));
        pk_buf_release(&row);
        pk_buf_release(&next);
        pk_buf_release(&bound);
    }
    pk_buf_release(&before);
}

Test(layout, parse_takes_rows_apart)
{
    struct pk_item_key item = {text("a"), pk_value_int(&arena, -3)};
    pk_value hash[] = {text("h1"), text("h2")}, range[] = {text("r")};
    struct pk_gsi_key index_key = {hash, 2, range, 1};
    struct pk_buf key = PK_BUF_INIT;
    struct pk_layout_parts parts;

    pk_layout_gsi(&key, 9, &index_key, &item);
    cr_assert(pk_layout_parse(pk_buf_slice(&key), &arena, &parts));
    cr_assert_eq(parts.space, PK_SPACE_GSI);
    cr_assert_eq(parts.id, 9);
    cr_assert_eq(parts.token, pk_key_token_many(hash, 2));
    cr_assert_eq(parts.count, 5);
    cr_assert(pk_value_equal(parts.values[1], text("h2")));
    cr_assert(pk_value_equal(parts.values[2], text("r")));
    cr_assert(pk_value_equal(parts.values[4], item.sk));

    pk_buf_clear(&key);
    pk_layout_expiry(&key, 4, 1700000000, &item);
    cr_assert(pk_layout_parse(pk_buf_slice(&key), &arena, &parts));
    cr_assert_eq(parts.space, PK_SPACE_EXPIRY);
    cr_assert_eq(parts.token, 1700000000);
    cr_assert_eq(parts.count, 2);

    for (size_t length = 0; length < key.len; length++) {
        pk_slice cut = pk_slice_of(key.data, length);

        cr_expect(!pk_layout_parse(cut, &arena, &parts) || parts.count == 1, "cut at %zu", length);
    }
    pk_buf_release(&key);
    cr_assert_not(pk_layout_parse(PK_LIT("mtMusic"), &arena, &parts));
    cr_assert_not(pk_layout_parse(PK_LIT("c\0\0\0\1\0\0\0\2\0\0\0\0\0\0\0\3"), &arena, &parts));
    pk_arena_release(&arena);
}

Test(layout, parse_change_and_meta)
{
    uint32_t table = 0, shard = 0;
    uint64_t sequence = 0;
    pk_slice name;

    cr_assert(pk_layout_parse_change(PK_LIT("c\0\0\0\1\0\0\0\2\0\0\0\0\0\0\1\3"), &table, &shard,
                                     &sequence));
    cr_assert_eq(table, 1);
    cr_assert_eq(shard, 2);
    cr_assert_eq(sequence, 259);
    cr_assert_not(pk_layout_parse_change(PK_LIT("c\0\0\0\1\0\0\0\2"), &table, &shard, &sequence));
    cr_assert_not(pk_layout_parse_change(PK_LIT("c\0\0\0\1\0\0\0\2\0\0\0\0\0\0\1\3\0"), &table,
                                         &shard, &sequence));
    cr_assert(pk_layout_parse_meta(PK_LIT("mtMusic"), PK_META_TABLE, &name));
    cr_assert(pk_slice_is(name, "Music"));
    cr_assert(pk_layout_parse_meta(PK_LIT("mf"), PK_META_FORMAT, &name));
    cr_assert_eq(name.len, 0);
    cr_assert_not(pk_layout_parse_meta(PK_LIT("mtMusic"), PK_META_FORMAT, &name));
    cr_assert_not(pk_layout_parse_meta(PK_LIT("t"), PK_META_TABLE, &name));
}

Test(layout, records)
{
    static const size_t SIZES[] = {0, 1, 127, 128, 300, 409600, SIZE_MAX};
    pk_view item = PK_LIT("\x0a\x01\x00"); /* the empty map */

    for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
        struct pk_buf record = PK_BUF_INIT;
        struct pk_batch batch = PK_BATCH_INIT;
        struct pk_batch_op op;
        size_t cursor = 0, size = 77;
        pk_view back = PK_VIEW_MISSING;

        pk_record_wrap(&record, SIZES[i], item);
        cr_assert(pk_record_open(pk_buf_slice(&record), &back, &size));
        cr_expect_eq(size, SIZES[i]);
        cr_expect(pk_slice_equal(back, item));
        pk_record_put(&batch, PK_LIT("key"), SIZES[i], item);
        cr_assert(pk_batch_next(&batch, &cursor, &op));
        cr_expect(pk_slice_equal(op.value, pk_buf_slice(&record)), "size %zu", SIZES[i]);
        cr_expect(pk_slice_is(op.key, "key"));
        pk_batch_release(&batch);
        pk_buf_release(&record);
    }
}

Test(layout, malformed_records)
{
    const pk_slice rows[] = {
        PK_LIT(""),          PK_LIT("\1"),           PK_LIT("\1\5"),
        PK_LIT("\1\x80"),    PK_LIT("\2\5\x0a\1\0"), /* a version of the future */
        PK_LIT("\1\5\4\1a"),                         /* a string is no item */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t size = 77;
        pk_view item = PK_LIT("old");

        cr_expect_not(pk_record_open(rows[i], &item, &size), "row %zu", i);
        cr_expect_eq(size, 77, "row %zu", i);
        cr_expect(pk_slice_is(item, "old"), "row %zu", i);
    }
}
