/* Global indexes that are created and deleted on a table with items (indexes.md §10). */
#include <criterion/criterion.h>

#include "engine/ops/core.h"
#include "engine/table/index.h"
#include "tests/support/log_fixture.h"
#include "tests/support/temp_dir.h"

#define P "One or more parameter values were invalid: "

static void fill(struct engine_fixture *fx, int from, int to)
{
    for (int i = from; i < to; i++)
        cr_assert_eq(
            engine_put(fx, "T", engine_format(fx, "{p: 'k%d', g: 'G%d', x: %d}", i, i % 3, i)),
            PK_OK, "%s", engine_message(fx));
}

static uint64_t count_of(struct engine_fixture *fx, const char *group)
{
    cr_assert_eq(
        engine_read(fx, &(struct read_text){.from = "T.by_g",
                                            .key = "g = :g",
                                            .values = engine_format(fx, "{g: '%s'}", group),
                                            .select = PK_SELECT_COUNT}),
        PK_OK, "%s", engine_message(fx));
    return fx->read.count;
}

Test(backfill, states_and_contents)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    fill(&fx, 0, 5000);
    cr_expect_eq(log_records(&fx, "T"), 0, "nobody reads the table");
    cr_assert_eq(engine_put(&fx, "T", "{p: 'number', g: 5}"), PK_OK);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'without'}"), PK_OK);
    cr_assert_eq(log_create_index(&fx, "T", "gsi by_g g:S keys"), PK_OK, "%s", engine_message(&fx));
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "CREATING");
    cr_expect_str_eq(log_query(&fx, "T.by_g", "g = :g", "{g: 'G1'}"),
                     "Cannot read from backfilling global secondary index: by_g");
    cr_expect_eq(engine_put(&fx, "T", "{p: 'wrong', g: 7}"), PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     P "Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g");
    cr_expect_eq(log_delete_index(&fx, "T", "by_g"), PK_E_IN_USE, "resources are being allocated");
    cr_expect_str_eq(
        engine_message(&fx),
        "Attempt to change a resource which is still in use: Table is being updated: T");
    cr_expect(log_tick(&fx));
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "BACKFILLING");
    cr_expect(log_tick(&fx));
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "BACKFILLING");
    /* Some of them are copied already, some are not. */
    for (int i = 0; i < 5000; i += 100)
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', g: 'Moved'}", i)), PK_OK);
    for (int i = 50; i < 5000; i += 100)
        cr_assert_eq(engine_delete(&fx, "T", engine_format(&fx, "{p: 'k%d'}", i)), PK_OK);
    engine_assert_clean(&fx);
    log_settle(&fx);
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "ACTIVE");
    cr_expect_eq(count_of(&fx, "Moved"), 50);
    cr_expect_eq(count_of(&fx, "G0") + count_of(&fx, "G1") + count_of(&fx, "G2"), 4900);
    log_settle(&fx);
    cr_expect_eq(log_records(&fx, "T"), 0, "all are trimmed");
    engine_close(&fx);
}

Test(backfill, refusals)
{
    static const struct {
        const char *index;
        enum pk_code code;
        const char *message;
    } cases[] = {
        {"gsi two b:S keys", PK_E_LIMIT_EXCEEDED,
         "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
         "per table"},
        {"gsi one a:S keys", PK_E_VALIDATION,
         "Attempting to create an index which already exists: one"},
        {"gsi two p:N keys", PK_E_VALIDATION,
         P "Attributes cannot be redefined. Please check that your attribute has the same type as "
           "previously defined. Existing schema: Schema:[SchemaElement: key{p:S:HASH}] New schema: "
           "Schema:[SchemaElement: key{p:N:HASH}]"},
        {"gsi two b:S keys provisioned=5/5", PK_E_VALIDATION,
         P "ProvisionedThroughput should not be specified for index: two when BillingMode is "
           "PAY_PER_REQUEST"},
    };
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    cr_assert_eq(log_create_index(&fx, "T", "gsi one a:S keys"), PK_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_expect_eq(log_create_index(&fx, "T", cases[i].index), cases[i].code, "%s",
                     cases[i].index);
        cr_expect_str_eq(engine_message(&fx), cases[i].message);
    }
    cr_expect_eq(log_delete_index(&fx, "T", "two"), PK_E_NOT_FOUND);
    log_settle(&fx);
    for (int i = 1; i < 20; i++) {
        cr_assert_eq(log_create_index(&fx, "T", engine_format(&fx, "gsi i%d a:S keys", i)), PK_OK,
                     "%s", engine_message(&fx));
        log_settle(&fx);
    }
    cr_expect_eq(log_create_index(&fx, "T", "gsi more a:S keys"), PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     P "GlobalSecondaryIndex count exceeds the per-table limit of 20");
    engine_close(&fx);
}

Test(backfill, deletion)
{
    struct engine_fixture fx;
    struct pk_table *table;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi by_g g:S all");
    fill(&fx, 0, 3000);
    log_settle(&fx);
    cr_assert_eq(log_delete_index(&fx, "T", "by_g"), PK_OK);
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "DELETING");
    cr_expect_str_eq(log_query(&fx, "T.by_g", "g = :g", "{g: 'G1'}"),
                     "The table does not have the specified index: by_g");
    cr_expect_eq(engine_put(&fx, "T", "{p: 'number', g: 5}"), PK_OK, "its types no longer bind");
    cr_expect_eq(engine_write_cost(&fx), 1000, "nor does it cost");
    cr_expect_eq(log_create_index(&fx, "T", "gsi other g:S keys"), PK_E_LIMIT_EXCEEDED);
    log_settle(&fx);
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "");
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    cr_expect_eq(table->attribute_count, 1, "no key uses g any more");
    pk_table_unref(table);
    cr_assert_eq(log_create_index(&fx, "T", "gsi by_g g:S keys"), PK_OK);
    log_tick(&fx);
    log_tick(&fx);
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "BACKFILLING");
    cr_expect_eq(log_delete_index(&fx, "T", "by_g"), PK_OK, "%s", engine_message(&fx));
    log_settle(&fx);
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "");
    engine_close(&fx);
}

/* A store that is closed in the middle goes on when it is opened. */
Test(backfill, resumes)
{
    struct engine_fixture fx;
    struct temp_dir dir;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, "T p:S");
    fill(&fx, 0, 5000);
    cr_assert_eq(log_create_index(&fx, "T", "gsi by_g g:S keys"), PK_OK);
    engine_close(&fx);
    for (int i = 0; i < 4; i++) {
        engine_open_dir(&fx, dir.path);
        cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), i == 0 ? "CREATING" : "BACKFILLING");
        log_tick(&fx);
        fill(&fx, 5000 + i, 5001 + i);
        engine_close(&fx);
    }
    engine_open_dir(&fx, dir.path);
    cr_expect_str_eq(log_index_status(&fx, "T", "by_g"), "ACTIVE");
    cr_expect_eq(count_of(&fx, "G0") + count_of(&fx, "G1") + count_of(&fx, "G2"), 5004);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

/* Hazards --------------------------------------------------------------------------------------*/

struct stirring {
    struct pk_engine *engine;
    atomic_bool stop;
};

/* Moves items between groups, and has the index follow: figures of a table bring it forward. */
static void *stir(void *context)
{
    struct stirring *with = context;
    struct engine_fixture fx;
    struct pk_table_stats stats;

    engine_share(&fx, with->engine);
    for (int i = 0; !atomic_load(&with->stop); i++) {
        struct pk_table *table = pk_engine_table(fx.engine, PK_LIT("T"));

        engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', g: 'G%d'}", i % 7, i % 5));
        pk_engine_table_stats(fx.engine, &fx.call, table, &stats);
        pk_table_unref(table);
        engine_reset(&fx);
    }
    engine_unshare(&fx);
    return NULL;
}

/* A change between reading an item and writing its entry must not leave a stale row for ever. */
Test(backfill, hazard_copy)
{
    struct engine_fixture fx;
    struct stirring with;
    pthread_t thread;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    fill(&fx, 0, 200);
    with.engine = fx.engine;
    atomic_init(&with.stop, false);
    cr_assert_eq(pthread_create(&thread, NULL, stir, &with), 0);
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(log_create_index(&fx, "T", "gsi by_g g:S keys"), PK_OK);
        while (strcmp(log_index_status(&fx, "T", "by_g"), "ACTIVE") != 0)
            log_tick(&fx);
        engine_assert_clean(&fx);
        cr_assert_eq(log_delete_index(&fx, "T", "by_g"), PK_OK);
        while (strcmp(log_index_status(&fx, "T", "by_g"), "") != 0)
            log_tick(&fx);
    }
    atomic_store(&with.stop, true);
    pthread_join(thread, NULL);
    engine_close(&fx);
}

static void *create_and_settle(void *context)
{
    struct engine_fixture fx;

    engine_share(&fx, context);
    cr_assert_eq(log_create_index(&fx, "T", "gsi by_g g:S keys"), PK_OK);
    log_settle(&fx);
    engine_unshare(&fx);
    return NULL;
}

/* A writer that began before the index was created knows nothing of it and logs nothing: its item
 * must be copied, so nothing is copied before it has finished. */
Test(backfill, hazard_grace)
{
    struct engine_fixture fx;
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_item_key key;
    struct pk_buf row = PK_BUF_INIT;
    struct pk_table *old;
    uint32_t stripe;
    pthread_t thread;
    pk_view item;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    fill(&fx, 0, 10);
    old = pk_engine_table(fx.engine, PK_LIT("T"));
    item = pk_view_of(&fx.arena, engine_value(&fx, "{p: 'slow', g: 'G1'}"));
    key = pk_index_item_key(old, item, &fx.arena);
    pk_layout_row(&row, old->id, &key);
    stripe = pk_latch_stripe(pk_buf_slice(&row));
    pk_latch_lock(&fx.engine->latches, stripe);
    cr_assert_eq(pthread_create(&thread, NULL, create_and_settle, fx.engine), 0);
    /* Long enough for it to have gone wrong. */
    for (int i = 0; i < 200000 && strcmp(log_index_status(&fx, "T", "by_g"), "ACTIVE") != 0; i++)
        sched_yield();
    pk_record_put(&batch, pk_buf_slice(&row), pk_view_item_size(item), item);
    cr_assert_eq(pk_store_commit(fx.engine->store, &batch, PK_COMMIT_FAST, &fx.err), PK_OK);
    pk_latch_unlock(&fx.engine->latches, stripe);
    pthread_join(thread, NULL);
    cr_expect_eq(count_of(&fx, "G1"), 4, "the slow writer's item is not in the index");
    pk_batch_release(&batch);
    pk_buf_release(&row);
    pk_table_unref(old);
    engine_close_unchecked(&fx);
}
