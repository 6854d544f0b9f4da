/* Tables: creating, updating, dropping, listing, tags; ids, partitions, what is left behind. */
#include <criterion/criterion.h>

#include "engine/ops/core.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/value_text.h"

#define P "One or more parameter values were invalid: "

static struct pk_table *table_of(struct engine_fixture *fx, const char *name)
{
    struct pk_table *table = pk_engine_table(fx->engine, pk_slice_cstr(name));

    cr_assert_not_null(table, "%s", name);
    return table;
}

Test(ddl, create)
{
    struct engine_fixture fx;
    struct pk_table_spec spec;
    struct pk_table *table = NULL;

    engine_open(&fx);
    spec = engine_spec(&fx, "T p:S; gsi g a:S keys");
    cr_assert_eq(pk_engine_create_table(fx.engine, &spec, &table, &fx.err), PK_OK);
    cr_expect_eq(table->status, PK_STATUS_CREATING);
    cr_expect_eq(table->indexes[0].status, PK_STATUS_CREATING);
    cr_expect_eq(table->on_demand_since_ms, table->created_ms);
    cr_expect_eq(table->uuid.len, 36);
    cr_expect_eq(table->warm_read, 12000);
    cr_expect_eq(table->warm_write, 4000);
    pk_table_unref(table);
    table = table_of(&fx, "T");
    cr_expect_eq(table->status, PK_STATUS_ACTIVE);
    cr_expect_eq(table->indexes[0].status, PK_STATUS_ACTIVE);
    cr_expect_eq(table->partitions.count, 4);
    cr_expect_eq(table->indexes[0].partitions.count, 4);
    pk_table_unref(table);
    cr_expect_eq(pk_engine_create_table(fx.engine, &spec, &table, &fx.err), PK_E_IN_USE);
    cr_expect_str_eq(engine_message(&fx), "Table already exists: T");
    engine_close(&fx);
}

Test(ddl, partitions)
{
    static const struct row {
        const char *text;
        uint32_t table, index;
    } rows[] = {
        {"T p:S r:S; lsi l a:S keys", 4, 4},
        {"T p:S r:S provisioned=5/5; lsi l a:S keys", 1, 1},
        {"T p:S provisioned=7500/3000; gsi g a:S keys provisioned=1000/1000", 6, 2},
        {"T p:S provisioned=1/3200; gsi g a:S keys provisioned=1/1", 4, 1},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct engine_fixture fx;
        struct pk_table *table;

        engine_open(&fx);
        engine_table(&fx, rows[i].text);
        table = table_of(&fx, "T");
        cr_expect_eq(table->partitions.count, rows[i].table, "%s", rows[i].text);
        cr_expect_eq(table->indexes[0].partitions.count, rows[i].index, "%s", rows[i].text);
        pk_table_unref(table);
        engine_close(&fx);
    }
}

/* A dropped table is gone at once, its rows in the background; a new one of its name is empty. */
Test(ddl, drop)
{
    struct engine_fixture fx;
    struct pk_table *table = NULL;
    uint32_t id;
    int ticks = 0;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N; lsi l a:S keys; gsi g a:S all");
    for (int i = 0; i < 3000; i++)
        engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', r: %d, a: 'A'}", i % 7, i));
    cr_assert_eq(pk_engine_delete_table(fx.engine, PK_LIT("T"), &table, &fx.err), PK_OK);
    cr_expect_eq(table->status, PK_STATUS_DELETING);
    id = table->id;
    pk_table_unref(table);
    cr_expect_eq(engine_get(&fx, "T", "{p: 'k1', r: 1}"), PK_E_NOT_FOUND);
    pk_error_release(&fx.err);
    cr_expect_eq(pk_engine_delete_table(fx.engine, PK_LIT("T"), &table, &fx.err), PK_E_NOT_FOUND);
    cr_expect_str_eq(engine_message(&fx), "Requested resource not found: Table: T not found");
    engine_assert_clean(&fx);

    engine_table(&fx, "T p:S r:N; lsi l a:S keys; gsi g a:S all");
    table = table_of(&fx, "T");
    cr_expect_gt(table->id, id + 2, "ids are never used again");
    pk_table_unref(table);
    engine_read(&fx, &(struct read_text){.from = "T"});
    cr_expect_eq(fx.read.scanned, 0);
    engine_put(&fx, "T", "{p: 'new', r: 1, a: 'A'}");
    while (pk_engine_tick(fx.engine, 0))
        ticks++;
    cr_expect_gt(ticks, 2);
    for (uint32_t old = id; old < id + 3; old++) {
        static const enum pk_space spaces[] = {PK_SPACE_TABLE, PK_SPACE_LSI, PK_SPACE_GSI};
        struct pk_buf prefix = PK_BUF_INIT;
        struct pk_buf upper = PK_BUF_INIT;

        for (size_t s = 0; s < 3; s++) {
            struct pk_iter *iter;

            pk_buf_clear(&prefix);
            pk_layout_id(&prefix, spaces[s], old);
            iter = pk_iter_new(pk_store_live(fx.engine->store),
                               pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
            pk_iter_seek_first(iter);
            cr_expect_not(pk_iter_valid(iter), "rows of id %u", old);
            pk_iter_free(iter);
        }
        pk_buf_release(&prefix);
        pk_buf_release(&upper);
    }
    engine_read(&fx, &(struct read_text){.from = "T.g"});
    cr_expect_eq(fx.read.scanned, 1);
    engine_close(&fx);
}

Test(ddl, list)
{
    struct engine_fixture fx;
    pk_slice names[4];
    bool more = false;

    engine_open(&fx);
    engine_table(&fx, "b p:S");
    engine_table(&fx, "a p:S");
    engine_table(&fx, "C p:S");
    cr_assert_eq(pk_engine_list_tables(fx.engine, &fx.call, (pk_slice){NULL, 0}, 2, names, &more),
                 2);
    cr_expect(pk_slice_is(names[0], "C") && pk_slice_is(names[1], "a") && more);
    cr_assert_eq(pk_engine_list_tables(fx.engine, &fx.call, PK_LIT("a"), 4, names, &more), 1);
    cr_expect(pk_slice_is(names[0], "b") && !more);
    cr_assert_eq(pk_engine_list_tables(fx.engine, &fx.call, PK_LIT("D"), 4, names, &more), 2,
                 "the start name need not exist");
    engine_close(&fx);
}

Test(ddl, tags)
{
    struct engine_fixture fx;
    struct pk_table *table;
    const struct pk_tag tags[] = {{PK_LIT("x"), PK_LIT("1")}, {PK_LIT("a"), PK_LIT("2")}};
    const struct pk_tag again[] = {{PK_LIT("x"), PK_LIT("9")}};
    const pk_slice gone[] = {PK_LIT("a"), PK_LIT("unknown")};

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    cr_assert_eq(pk_engine_tag(fx.engine, PK_LIT("T"), tags, 2, &fx.err), PK_OK);
    cr_assert_eq(pk_engine_tag(fx.engine, PK_LIT("T"), again, 1, &fx.err), PK_OK);
    cr_assert_eq(pk_engine_untag(fx.engine, PK_LIT("T"), gone, 2, &fx.err), PK_OK);
    table = table_of(&fx, "T");
    cr_assert_eq(table->tag_count, 1);
    cr_expect(pk_slice_is(table->tags[0].value, "9"));
    pk_table_unref(table);
    cr_expect_eq(pk_engine_tag(fx.engine, PK_LIT("nope"), tags, 2, &fx.err), PK_E_NOT_FOUND);
    engine_close(&fx);
}

/* UpdateTable ----------------------------------------------------------------------------------*/

static enum pk_code update(struct engine_fixture *fx, struct pk_table_change change,
                           struct pk_table **table)
{
    pk_error_release(&fx->err);
    if (change.name.data == NULL)
        change.name = PK_LIT("T");
    return pk_engine_update_table(fx->engine, &change, table, &fx->err);
}

static void refuse(struct engine_fixture *fx, struct pk_table_change change, enum pk_code code,
                   const char *message)
{
    struct pk_table *table = NULL;

    cr_expect_eq(update(fx, change, &table), code, "%s", message);
    cr_expect_str_eq(engine_message(fx), message);
}

Test(ddl, update_refused)
{
    struct engine_fixture fx;
    struct pk_key_element key[] = {{PK_LIT("a"), false}};
    struct pk_key_attr number = {PK_LIT("a"), PK_NUMBER};
    struct pk_key_attr string = {PK_LIT("a"), PK_STRING};
    struct pk_index_change g = {.kind = PK_INDEX_UPDATE,
                                .spec = {.name = PK_LIT("g"), .max = {-1, -1}}};
    struct pk_index_change two[2];
    struct pk_throughput five = {.read = 5, .write = 5};

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    engine_table(&fx, "V p:S provisioned=5/5");
    refuse(&fx, (struct pk_table_change){0}, PK_E_VALIDATION,
           "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
           "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required");
    refuse(&fx, (struct pk_table_change){.name = PK_LIT("nope"), .protection_given = true},
           PK_E_NOT_FOUND, "Requested resource not found: Table: nope not found");
    refuse(&fx, (struct pk_table_change){.billing_given = true, .billing = PK_PROVISIONED},
           PK_E_VALIDATION,
           P "ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
    refuse(&fx,
           (struct pk_table_change){.billing_given = true,
                                    .billing = PK_PROVISIONED,
                                    .throughput_given = true,
                                    .throughput = five},
           PK_E_VALIDATION, P "ProvisionedThroughput must be specified for index: g");
    refuse(&fx, (struct pk_table_change){.throughput_given = true, .throughput = five},
           PK_E_VALIDATION,
           P "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode "
             "is PAY_PER_REQUEST");
    refuse(
        &fx,
        (struct pk_table_change){.name = PK_LIT("V"), .throughput_given = true, .throughput = five},
        PK_E_VALIDATION,
        "The provisioned throughput for the table will not change. The requested value equals "
        "the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested "
        "ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. "
        "Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits.");
    g.kind = PK_INDEX_NOTHING;
    refuse(&fx, (struct pk_table_change){.indexes = &g, .index_count = 1}, PK_E_VALIDATION,
           P "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
             "GlobalSecondaryIndexUpdate.Delete must not be null");
    g.kind = PK_INDEX_UPDATE;
    two[0] = g;
    two[1] = g;
    refuse(&fx, (struct pk_table_change){.indexes = two, .index_count = 2}, PK_E_VALIDATION,
           P "Only one global secondary index update per index is allowed simultaneously. Index: "
             "g");
    two[0].kind = PK_INDEX_DELETE;
    two[1].kind = PK_INDEX_CREATE;
    two[1].spec.name = PK_LIT("new");
    refuse(&fx, (struct pk_table_change){.indexes = two, .index_count = 2}, PK_E_LIMIT_EXCEEDED,
           "Subscriber limit exceeded: Only 1 online index can be created or deleted "
           "simultaneously per table");
    two[0].spec.name = PK_LIT("nope");
    refuse(&fx, (struct pk_table_change){.indexes = two, .index_count = 1}, PK_E_NOT_FOUND,
           "Requested resource not found");
    two[0].kind = PK_INDEX_CREATE;
    two[0].spec.name = PK_LIT("g");
    refuse(&fx, (struct pk_table_change){.indexes = two, .index_count = 1}, PK_E_VALIDATION,
           "Attempting to create an index which already exists: g");
    two[0].spec.name = PK_LIT("new");
    two[0].spec.keys = key;
    two[0].spec.key_count = 1;
    refuse(&fx, (struct pk_table_change){.indexes = two, .index_count = 1}, PK_E_VALIDATION,
           P "Some index key attributes are not defined in AttributeDefinitions. Keys: [a], "
             "AttributeDefinitions: []");
    refuse(&fx,
           (struct pk_table_change){
               .indexes = two, .index_count = 1, .attributes = &number, .attribute_count = 1},
           PK_E_VALIDATION,
           P "Attributes cannot be redefined. Please check that your attribute has the same type "
             "as previously defined. Existing schema: Schema:[SchemaElement: key{a:S:HASH}] New "
             "schema: Schema:[SchemaElement: key{a:N:HASH}]");
    refuse(&fx,
           (struct pk_table_change){
               .indexes = two, .index_count = 1, .attributes = &string, .attribute_count = 1},
           PK_E_VALIDATION, P "Unknown ProjectionType: null");
    engine_close(&fx);
}

Test(ddl, update)
{
    struct engine_fixture fx;
    struct pk_table *table = NULL;
    struct pk_index_change g = {.kind = PK_INDEX_UPDATE,
                                .spec = {.name = PK_LIT("g"),
                                         .max = {-1, -1},
                                         .throughput_given = true,
                                         .throughput = {.read = 3, .write = 4}}};
    int64_t now;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    engine_put(&fx, "T", "{p: 'k', a: 'A'}");
    now = pk_clock_now(pk_engine_clock(fx.engine));
    cr_assert_eq(update(&fx,
                        (struct pk_table_change){.billing_given = true,
                                                 .billing = PK_PROVISIONED,
                                                 .throughput_given = true,
                                                 .throughput = {.read = 10, .write = 20},
                                                 .indexes = &g,
                                                 .index_count = 1},
                        &table),
                 PK_OK, "%s", engine_message(&fx));
    cr_expect_eq(table->status, PK_STATUS_UPDATING);
    cr_expect_eq(table->indexes[0].throughput.write, 4);
    cr_expect_eq(table->throughput.increased_ms, now);
    pk_table_unref(table);
    for (int i = 1; i <= 2; i++) {
        struct pk_throughput less = {.read = 10 - i, .write = 20};

        cr_assert_eq(update(&fx,
                            (struct pk_table_change){.throughput_given = true, .throughput = less},
                            &table),
                     PK_OK);
        cr_expect_eq(table->throughput.decreases_today, i);
        pk_table_unref(table);
    }
    cr_assert_eq(update(&fx,
                        (struct pk_table_change){.billing_given = true,
                                                 .billing = PK_ON_DEMAND,
                                                 .max_given = true,
                                                 .max = {100, -1},
                                                 .class_given = true,
                                                 .infrequent_access = true,
                                                 .protection_given = true,
                                                 .deletion_protection = true},
                        &table),
                 PK_OK);
    cr_expect_eq(table->throughput.read, 0);
    cr_expect_eq(table->max.read, 100);
    cr_expect(table->infrequent_access && table->class_given);
    pk_table_unref(table);
    cr_expect_eq(pk_engine_delete_table(fx.engine, PK_LIT("T"), &table, &fx.err), PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     "Resource cannot be deleted as it is currently protected against deletion. "
                     "Disable deletion protection first.");
    cr_assert_eq(update(&fx, (struct pk_table_change){.protection_given = true}, &table), PK_OK);
    pk_table_unref(table);
    /* Items and figures outlive all of it. */
    engine_get(&fx, "T", "{p: 'k'}");
    cr_expect_str_eq(engine_item(&fx), "{a:'A',p:'k'}");
    cr_expect_eq(pk_engine_delete_table(fx.engine, PK_LIT("T"), &table, &fx.err), PK_OK);
    pk_table_unref(table);
    engine_close(&fx);
}

/* Looking inside -------------------------------------------------------------------------------*/

Test(ddl, stats_and_places)
{
    struct engine_fixture fx;
    struct pk_table *table;
    struct pk_table_stats stats;
    struct pk_place place;
    pk_slice none = {NULL, 0};

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N; gsi g a:S keys");
    engine_put(&fx, "T", "{p: 'USER#123', r: 1, a: 'A'}");
    engine_put(&fx, "T", "{p: 'USER#123', r: 2}");
    engine_put(&fx, "T", "{p: 'USER#999', r: 1, a: 'B'}");
    table = table_of(&fx, "T");
    pk_engine_table_stats(fx.engine, &fx.call, table, &stats);
    cr_expect_not(stats.counting);
    cr_expect_eq(stats.table.items, 3);
    cr_expect_eq(stats.table.bytes, 3 * 12 + 2 * 2);
    cr_expect_eq(stats.indexes[0].items, 2);
    cr_expect_eq(stats.indexes[0].bytes, 2 * 14);
    cr_expect_eq(stats.partitions[0].items, 1);
    cr_expect_eq(stats.partitions[1].items, 2);
    pk_table_unref(table);

    cr_assert_eq(
        pk_engine_where(fx.engine, &fx.call,
                        &(struct pk_where){PK_LIT("T"), none, engine_value(&fx, "{p: 'USER#123'}")},
                        &place, &fx.err),
        PK_OK);
    cr_expect_eq(place.token, UINT64_C(0x6fecfbdc08fd7241));
    cr_expect_eq(place.partition, 1);
    cr_expect_eq(place.partition_first, UINT64_C(0x4000000000000000));
    cr_expect_eq(place.partition_last, UINT64_C(0x7fffffffffffffff));
    cr_expect_eq(place.stored_key.len, 13 + 11, "space, id, token, enc");
    cr_assert_eq(pk_engine_where(fx.engine, &fx.call,
                                 &(struct pk_where){PK_LIT("T"), none,
                                                    engine_value(&fx, "{p: 'USER#123', r: 1}")},
                                 &place, &fx.err),
                 PK_OK);
    cr_expect_gt(place.stored_key.len, 24);
    cr_assert_eq(
        pk_engine_where(fx.engine, &fx.call,
                        &(struct pk_where){PK_LIT("T"), PK_LIT("g"), engine_value(&fx, "{a: 'A'}")},
                        &place, &fx.err),
        PK_OK);
    cr_expect_eq(place.stored_key.data[0], 'g');
    cr_expect_eq(pk_engine_where(fx.engine, &fx.call,
                                 &(struct pk_where){PK_LIT("T"), none, engine_value(&fx, "{p: 1}")},
                                 &place, &fx.err),
                 PK_E_VALIDATION);
    engine_close(&fx);
}

Test(ddl, collections)
{
    struct engine_fixture fx;
    struct pk_collections found;
    struct pk_collections_request request = {.table = PK_LIT("T"), .top = 2};

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N");
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k <= i % 4; k++)
            engine_put(&fx, "T", engine_format(&fx, "{p: 'c%d', r: %d}", i, k));
    }
    cr_assert_eq(pk_engine_collections(fx.engine, &fx.call, &request, &found, &fx.err), PK_OK);
    cr_expect_eq(found.total, 5);
    cr_assert_eq(found.count, 2);
    cr_expect_str_eq(value_text_print(&fx.arena, found.list[0].hash[0]), "'c3'");
    cr_expect_eq(found.list[0].counts.items, 4);
    cr_expect_str_eq(value_text_print(&fx.arena, found.list[1].hash[0]), "'c2'");
    engine_close(&fx);
}

/* Of an index: its own keys, all attributes of them; the larger of two with as many items first. */
Test(ddl, collections_of_an_index)
{
    static const struct {
        const char *index;
        uint64_t total;
        const char *first; /* hash values, items, bytes */
    } rows[] = {
        {NULL, 4, "'a' 1 19"},
        {"l", 4, "'d' 1 7"},
        {"g", 2, "'x' 3 21"},
        {"m", 3, "'x' 1 2 20"},
    };
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N; lsi l k:S keys; gsi g k:S keys; gsi m k:S+n:N keys");
    engine_put(&fx, "T", "{p: 'a', r: 1, k: 'x', n: 1, more: '12345'}");
    engine_put(&fx, "T", "{p: 'b', r: 1, k: 'x', n: 1}");
    engine_put(&fx, "T", "{p: 'c', r: 1, k: 'y', n: 1}");
    engine_put(&fx, "T", "{p: 'd', r: 1, k: 'x', n: 2}");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_collections_request request = {.table = PK_LIT("T"), .top = 1};
        struct pk_collections found;
        struct pk_buf text = PK_BUF_INIT;

        if (rows[i].index != NULL)
            request.index = pk_slice_cstr(rows[i].index);
        cr_assert_eq(pk_engine_collections(fx.engine, &fx.call, &request, &found, &fx.err), PK_OK);
        cr_assert_eq(found.count, 1);
        for (size_t h = 0; h < found.hash_count; h++)
            pk_buf_printf(&text, "%s ", value_text_print(&fx.arena, found.list[0].hash[h]));
        pk_buf_printf(&text, "%llu %llu", (unsigned long long)found.list[0].counts.items,
                      (unsigned long long)found.list[0].counts.bytes);
        cr_expect_eq(found.total, rows[i].total, "row %zu", i);
        cr_expect_str_eq(text.data, rows[i].first, "row %zu: %s", i, text.data);
        pk_buf_release(&text);
    }
    engine_close(&fx);
}

Test(ddl, collections_of_an_unknown_index)
{
    struct engine_fixture fx;
    struct pk_collections found;
    struct pk_collections_request request = {.table = PK_LIT("T"), .index = PK_LIT("g"), .top = 1};

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    cr_assert_eq(pk_engine_collections(fx.engine, &fx.call, &request, &found, &fx.err),
                 PK_E_VALIDATION);
    cr_expect_str_eq(fx.err.message, "The table does not have the specified index: g");
    engine_close(&fx);
}

static enum pk_code count_item(void *context, pk_view item, struct pk_error *err)
{
    (void)item;
    (void)err;
    ++*(int *)context;
    return PK_OK;
}

Test(ddl, sample)
{
    struct engine_fixture fx;
    int n = 0;
    struct pk_sink sink = {count_item, &n};

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N");
    for (int i = 0; i < 20; i++)
        engine_put(&fx, "T", engine_format(&fx, "{p: 'c%d', r: %d}", i % 2, i));
    cr_assert_eq(pk_engine_sample(fx.engine, &fx.call,
                                  &(struct pk_sample){PK_LIT("T"), pk_value_missing(), 7, sink},
                                  &fx.err),
                 PK_OK);
    cr_expect_eq(n, 7);
    n = 0;
    cr_assert_eq(
        pk_engine_sample(fx.engine, &fx.call,
                         &(struct pk_sample){PK_LIT("T"), engine_value(&fx, "'c1'"), 100, sink},
                         &fx.err),
        PK_OK);
    cr_expect_eq(n, 10);
    engine_close(&fx);
}
