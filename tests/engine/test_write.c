/* Single writes and reads of items: keys, conditions, sizes, what is returned. */
#include <criterion/criterion.h>

#include "tests/support/engine_fixture.h"
#include "tests/support/value_text.h"

#define P "One or more parameter values were invalid: "
#define EMPTY                                                                                      \
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "   \
    "contain an empty string value. Key: "
#define MISMATCH "The provided key element does not match the schema"

/* Bad keys (data-model.md §5), by operation. */
static const struct row {
    enum pk_write_kind kind;
    const char *item;
    const char *want;
} bad_keys[] = {
    {PK_WRITE_PUT, "{p: 'k'}", P "Missing the key r in the item"},
    {PK_WRITE_PUT, "{r: 1}", P "Missing the key p in the item"},
    {PK_WRITE_PUT, "{p: 1, r: 1}", P "Type mismatch for key p expected: S actual: N"},
    {PK_WRITE_PUT, "{p: 'k', r: [1]}", P "Type mismatch for key r expected: N actual: L"},
    {PK_WRITE_PUT, "{p: '', r: 1}", EMPTY "p"},
    {PK_WRITE_DELETE, "{p: 'k'}", MISMATCH},
    {PK_WRITE_DELETE, "{p: 'k', r: '1'}", MISMATCH},
    {PK_WRITE_DELETE, "{p: 'k', r: 1, x: 1}", MISMATCH},
    {PK_WRITE_DELETE, "{p: 'k', x: 1}", MISMATCH},
    {PK_WRITE_DELETE, "{p: '', r: 1}", EMPTY "p"},
    {PK_WRITE_UPDATE, "{p: 'k', r: true}", MISMATCH},
    {PK_WRITE_CHECK, "{}", MISMATCH},
};

Test(write, bad_keys)
{
    struct engine_fixture fx;
    const char *long_hash;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N");
    for (size_t i = 0; i < sizeof(bad_keys) / sizeof(bad_keys[0]); i++) {
        cr_expect_eq(engine_write(&fx, &(struct write_text){.kind = bad_keys[i].kind,
                                                            .table = "T",
                                                            .item = bad_keys[i].item}),
                     PK_E_VALIDATION, "row %zu", i);
        cr_expect_str_eq(engine_message(&fx), bad_keys[i].want, "row %zu", i);
    }
    long_hash = engine_format(&fx, "{p: %s, r: 1}", engine_text(&fx, 2049));
    cr_expect_eq(engine_put(&fx, "T", long_hash), PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     P "Size of hashkey has exceeded the maximum size limit of2048 bytes");
    cr_expect_eq(engine_get(&fx, "T", long_hash), PK_E_VALIDATION);
    cr_expect_eq(engine_put(&fx, "T", engine_format(&fx, "{p: %s, r: 1}", engine_text(&fx, 2048))),
                 PK_OK);
    cr_expect_eq(engine_get(&fx, "nope", "{p: 'k', r: 1}"), PK_E_NOT_FOUND);
    cr_expect_str_eq(engine_message(&fx), "Requested resource not found");
    cr_expect_eq(engine_put(&fx, "nope", "{p: 'k', r: 1}"), PK_E_NOT_FOUND);
    engine_close(&fx);
}

Test(write, long_range_key)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:S");
    cr_expect_eq(
        engine_put(&fx, "T", engine_format(&fx, "{p: 'k', r: %s}", engine_text(&fx, 1025))),
        PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx), P "Aggregated size of all range keys has exceeded the "
                                            "size limit of 1024 bytes");
    cr_expect_eq(
        engine_put(&fx, "T", engine_format(&fx, "{p: 'k', r: %s}", engine_text(&fx, 1024))), PK_OK);
    engine_close(&fx);
}

Test(write, images)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N");
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', r: 1, a: [1, {b: <<'y', 'x'>>}]}"), PK_OK);
    cr_expect_str_eq(value_text_print_view(&fx.arena, fx.write.old_item), "MISSING");
    cr_expect_str_eq(value_text_print_view(&fx.arena, fx.write.new_item),
                     "{a:[1,{b:<<'x','y'>>}],p:'k',r:1}");
    cr_assert_eq(engine_update(&fx, "T", "{p: 'k', r: 1.0}", "SET n = :n REMOVE a", "{n: 5}"),
                 PK_OK);
    cr_expect_str_eq(value_text_print_view(&fx.arena, fx.write.old_item),
                     "{a:[1,{b:<<'x','y'>>}],p:'k',r:1}");
    cr_expect_str_eq(value_text_print_view(&fx.arena, fx.write.new_item), "{n:5,p:'k',r:1}");
    cr_assert_eq(engine_get(&fx, "T", "{p: 'k', r: 1}"), PK_OK);
    cr_expect_str_eq(engine_item(&fx), "{n:5,p:'k',r:1}");
    cr_assert_eq(engine_delete(&fx, "T", "{p: 'k', r: 1}"), PK_OK);
    cr_expect_str_eq(value_text_print_view(&fx.arena, fx.write.old_item), "{n:5,p:'k',r:1}");
    cr_expect_str_eq(value_text_print_view(&fx.arena, fx.write.new_item), "MISSING");
    cr_assert_eq(engine_get(&fx, "T", "{p: 'k', r: 1}"), PK_OK);
    cr_expect_str_eq(engine_item(&fx), "MISSING");
    cr_expect_eq(engine_delete(&fx, "T", "{p: 'k', r: 1}"), PK_OK, "an absent item");
    engine_close(&fx);
}

Test(write, conditions)
{
    struct engine_fixture fx;
    struct write_text put = {.kind = PK_WRITE_PUT,
                             .table = "T",
                             .item = "{p: 'k', a: 2}",
                             .condition = "a = :v",
                             .values = "{v: 1}",
                             .item_on_failure = true};

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    cr_expect_eq(engine_write(&fx, &put), PK_E_CONDITION_FAILED);
    cr_expect_str_eq(engine_message(&fx), "The conditional request failed");
    cr_expect_eq(fx.err.item_len, 0, "there was no item");
    engine_put(&fx, "T", "{p: 'k', a: 1}");
    cr_expect_eq(engine_write(&fx, &put), PK_OK);
    cr_expect_eq(engine_write(&fx, &put), PK_E_CONDITION_FAILED);
    cr_expect_str_eq(value_text_print_view(&fx.arena, pk_slice_of(fx.err.item, fx.err.item_len)),
                     "{a:2,p:'k'}");
    put.item_on_failure = false;
    cr_expect_eq(engine_write(&fx, &put), PK_E_CONDITION_FAILED);
    cr_expect_eq(fx.err.item_len, 0, "not asked for");
    /* A false condition wins over what the update does to the item. */
    cr_expect_eq(engine_write(&fx, &(struct write_text){.kind = PK_WRITE_UPDATE,
                                                        .table = "T",
                                                        .item = "{p: 'k'}",
                                                        .update = "SET x = nope",
                                                        .condition = "a = :v",
                                                        .values = "{v: 1}"}),
                 PK_E_CONDITION_FAILED);
    cr_expect_eq(engine_update(&fx, "T", "{p: 'k'}", "SET x = nope", NULL), PK_E_VALIDATION);
    cr_expect_str_eq(
        engine_message(&fx),
        "The provided expression refers to an attribute that does not exist in the item");
    cr_expect_eq(engine_write(&fx, &(struct write_text){.kind = PK_WRITE_DELETE,
                                                        .table = "T",
                                                        .item = "{p: 'k'}",
                                                        .condition = "p.x = :v",
                                                        .values = "{v: 1}"}),
                 PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx), "Key attributes must be scalars; list random access "
                                          "'[]' and map lookup '.' are not allowed: Key: p");
    engine_close(&fx);
}

Test(write, insert_and_must_exist)
{
    struct engine_fixture fx;
    struct pk_write update;
    struct write_text insert = {
        .kind = PK_WRITE_PUT, .table = "T", .item = "{p: 'k', a: 1}", .insert = true};

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    update = engine_write_of(&fx, &(struct write_text){.kind = PK_WRITE_UPDATE,
                                                       .table = "T",
                                                       .item = "{p: 'k'}",
                                                       .update = "SET a = :v",
                                                       .values = "{v: 2}"});
    update.must_exist = true;
    cr_expect_eq(pk_engine_write(fx.engine, &fx.call, &update, &fx.write, &fx.err),
                 PK_E_CONDITION_FAILED);
    cr_expect_eq(engine_write(&fx, &insert), PK_OK);
    cr_expect_eq(engine_write(&fx, &insert), PK_E_DUPLICATE_ITEM);
    cr_expect_str_eq(engine_message(&fx), "Duplicate primary key exists in table");
    pk_error_release(&fx.err);
    cr_expect_eq(pk_engine_write(fx.engine, &fx.call, &update, &fx.write, &fx.err), PK_OK);
    engine_get(&fx, "T", "{p: 'k'}");
    cr_expect_str_eq(engine_item(&fx), "{a:2,p:'k'}");
    engine_close(&fx);
}

/* What an update makes of an absent item. */
Test(write, updates_of_absent_items)
{
    static const struct absent {
        const char *update;
        const char *values;
        const char *want;
    } absents[] = {
        {NULL, NULL, "{p:'k'}"},
        {"SET a = :v", "{v: 1}", "{a:1,p:'k'}"},
        {"ADD a :v", "{v: 1}", "{a:1,p:'k'}"},
        {"REMOVE a", NULL, "MISSING"},
        {"REMOVE a.b", NULL, "MISSING"},
        {"DELETE a :v", "{v: <<1>>}", "MISSING"},
    };
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    for (size_t i = 0; i < sizeof(absents) / sizeof(absents[0]); i++) {
        cr_expect_eq(engine_update(&fx, "T", "{p: 'k'}", absents[i].update, absents[i].values),
                     PK_OK, "row %zu: %s", i, engine_message(&fx));
        cr_expect_eq(engine_write_cost(&fx), 1000);
        engine_get(&fx, "T", "{p: 'k'}");
        cr_expect_str_eq(engine_item(&fx), absents[i].want, "row %zu", i);
        engine_delete(&fx, "T", "{p: 'k'}");
    }
    engine_put(&fx, "T", "{p: 'k', a: 1}");
    cr_expect_eq(engine_update(&fx, "T", "{p: 'k'}", NULL, NULL), PK_OK);
    engine_get(&fx, "T", "{p: 'k'}");
    cr_expect_str_eq(engine_item(&fx), "{a:1,p:'k'}");
    engine_close(&fx);
}

/* 409,600 bytes are accepted, one more is refused (data-model.md §6). */
Test(write, item_size_limit)
{
    struct engine_fixture fx;
    const char *fits;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    fits = engine_text(&fx, 409600 - 3); /* p k v */
    cr_expect_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k', v: %s}", fits)), PK_OK);
    cr_expect_eq(engine_write_cost(&fx), 400000);
    cr_expect_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'kk', v: %s}", fits)),
                 PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx), "Item size has exceeded the maximum allowed size");
    cr_expect_eq(engine_update(&fx, "T", "{p: 'k'}", "SET w = :v", "{v: ''}"), PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     "Item size to update has exceeded the maximum allowed size");
    engine_close(&fx);
}

Test(write, nesting_limit)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    /* 31 containers around a scalar, then one more */
    engine_put(&fx, "T",
               "{p: 'k', a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}");
    cr_expect_eq(engine_update(&fx, "T", "{p: 'k'}", "SET b = a", NULL), PK_OK);
    cr_expect_eq(
        engine_update(&fx, "T", "{p: 'k'}", "SET c = :v, c2 = a[0]",
                      "{v: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"),
        PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     "Nesting Levels have exceeded supported limits: Attributes in the item have "
                     "nested levels beyond supported limit");
    engine_close(&fx);
}

/* With LSIs an item and its entries share the 400 KB. */
Test(write, lsi_item_size_limit)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:S; lsi l a:S all");
    cr_expect_eq(
        engine_put(&fx, "T",
                   engine_format(&fx, "{p: 'k', r: '1', a: 'A', v: %s}", engine_text(&fx, 204793))),
        PK_OK, "%s", engine_message(&fx));
    cr_expect_eq(
        engine_put(&fx, "T",
                   engine_format(&fx, "{p: 'k', r: '1', a: 'A', v: %s}", engine_text(&fx, 204794))),
        PK_E_VALIDATION);
    cr_expect_eq(
        engine_put(&fx, "T",
                   engine_format(&fx, "{p: 'k', r: '1', v: %s}", engine_text(&fx, 300000))),
        PK_OK, "not in the index");
    engine_close(&fx);
}

Test(write, facts)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T PK:S SK:S; lsi l a:S keys");
    engine_put(&fx, "T", "{PK: 'USER#123', SK: 'A', a: 'x'}");
    cr_expect_eq(fx.write.facts.partition_count, 4);
    cr_expect_eq(fx.write.facts.partition, 1, "USER#123 lies in 1 of 4");
    cr_expect_eq(fx.write.facts.partitions_touched, 1);
    cr_expect_eq(fx.write.facts.bytes, 15);
    cr_expect_str_eq(value_text_print(&fx.arena, fx.write.collection_key), "{PK:'USER#123'}");
    cr_expect_eq(fx.write.collection_bytes, 30);
    engine_put(&fx, "T", "{PK: 'USER#999', SK: 'A'}");
    cr_expect_eq(fx.write.facts.partition, 0);
    engine_close(&fx);
}
