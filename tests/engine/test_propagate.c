/* Global indexes follow from the change log (indexes.md §5, §8; its vectors), with and without
 * lag. */
#include <criterion/criterion.h>

#include "engine/ops/core.h"
#include "engine/ops/table_log.h"
#include "tests/support/log_fixture.h"
#include "tests/support/temp_dir.h"

static void advance(struct engine_fixture *fx, int64_t by_ms)
{
    int64_t now_ms = pk_clock_now(pk_engine_clock(fx->engine));

    cr_assert_eq(pk_engine_advance(fx->engine, &fx->call, now_ms + by_ms, &fx->err), PK_OK, "%s",
                 engine_message(fx));
}

static struct pk_table_log *log_of(struct engine_fixture *fx, const char *name)
{
    struct pk_table *table = pk_engine_table(fx->engine, pk_slice_cstr(name));
    struct pk_table_log *log = pk_table_log(table);

    pk_table_unref(table); /* the catalog has one, too */
    return log;
}

/* indexes.md, "Vectors": units of the base and of the index, step by step. */
Test(propagate, vector_write_amplification)
{
    static const struct {
        const char *update; /* NULL: put the item; "-": delete */
        const char *values;
        int64_t base, keys_only, all;
    } steps[] = {
        {NULL, NULL, 1, 1, 1},
        {NULL, NULL, 1, 0, 0},
        {"SET D = :d", "{d: 'E", 1, 0, 1},
        {"SET G1 = :g", "{g: 'y', unused: '", 1, 2, 2},
        {"REMOVE G1", NULL, 1, 1, 1},
        {"SET D = :d", "{d: 'D", 1, 0, 0},
        {"SET G1 = :g", "{g: 'z', unused: '", 1, 1, 1},
        {"-", NULL, 1, 1, 1},
    };
    int64_t sums[3] = {0, 0, 0};
    struct engine_fixture fx;
    const char *letters;

    engine_open(&fx);
    engine_table(&fx, "T PK:S SK:S; gsi keys G1:S keys; gsi all G1:S all");
    letters = engine_text(&fx, 999) + 1;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        enum pk_code rc;

        if (steps[i].update == NULL)
            rc = engine_put(&fx, "T",
                            engine_format(&fx, "{PK: 'U#1', SK: 'A', G1: 'x', D: 'D%s}", letters));
        else if (strcmp(steps[i].update, "-") == 0)
            rc = engine_delete(&fx, "T", "{PK: 'U#1', SK: 'A'}");
        else
            rc = engine_update(&fx, "T", "{PK: 'U#1', SK: 'A'}", steps[i].update,
                               steps[i].values == NULL
                                   ? NULL
                                   : engine_format(&fx, "%s%s}", steps[i].values, letters));
        cr_assert_eq(rc, PK_OK, "step %zu: %s", i, engine_message(&fx));
        cr_expect_eq(fx.write.cost.table_milli, 1000 * steps[i].base, "step %zu", i);
        cr_expect_eq(engine_index_cost(&fx.write.cost, "keys"), 1000 * steps[i].keys_only,
                     "step %zu", i);
        cr_expect_eq(engine_index_cost(&fx.write.cost, "all"), 1000 * steps[i].all, "step %zu", i);
        sums[0] += fx.write.cost.table_milli;
        sums[1] += engine_index_cost(&fx.write.cost, "keys");
        sums[2] += engine_index_cost(&fx.write.cost, "all");
        engine_assert_clean(&fx);
    }
    cr_expect_eq(sums[0], 8000);
    cr_expect_eq(sums[1], 6000);
    cr_expect_eq(sums[2], 7000);
    engine_close(&fx);
}

Test(propagate, nobody_reads_nothing_is_logged)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S s:S; lsi l a:S all");
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', s: '1', a: 'A'}"), PK_OK);
    cr_expect_eq(log_records(&fx, "T"), 0);
    cr_expect_eq(pk_log_next(&log_of(&fx, "T")->log), 1, "no sequence is drawn either");
    engine_close(&fx);
}

/* A write that changes nothing leaves no record; each other one leaves one, until it is applied. */
Test(propagate, records_come_and_go)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g a:S all; gsi h b:S keys");
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', a: 'A'}"), PK_OK);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', a: 'A'}"), PK_OK);
    cr_expect_eq(log_records(&fx, "T"), 1);
    cr_assert_eq(engine_update(&fx, "T", "{p: 'k'}", "SET x = :x", "{x: 1}"), PK_OK);
    cr_assert_eq(engine_delete(&fx, "T", "{p: 'none'}"), PK_OK);
    cr_expect_eq(log_records(&fx, "T"), 2);
    cr_expect_str_eq(log_query(&fx, "T.g", "a = :a", "{a: 'A'}"), "{a:'A',p:'k',x:1}\n");
    log_settle(&fx);
    cr_expect_eq(log_records(&fx, "T"), 0);
    engine_close(&fx);
}

/* lag gsi 2s: the base shows a change at once, the index two seconds later. */
Test(propagate, lag)
{
    struct engine_fixture fx;
    struct pk_table *table;
    struct pk_index_lag lag;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g st:S keys");
    cr_assert_eq(engine_put(&fx, "T", "{p: 'o1', st: 'PENDING'}"), PK_OK);
    log_settle(&fx);
    log_set_lag(&fx, 2000, 0);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'o1', st: 'SHIPPED'}"), PK_OK);
    cr_assert_eq(engine_get(&fx, "T", "{p: 'o1'}"), PK_OK);
    cr_expect_str_eq(engine_item(&fx), "{p:'o1',st:'SHIPPED'}");
    advance(&fx, 1999);
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    cr_assert_eq(pk_engine_index_lag(fx.engine, &fx.call, table, &table->indexes[0], &lag, &fx.err),
                 PK_OK);
    cr_expect_eq(lag.waiting, 1);
    cr_expect_eq(lag.oldest_ms, 1999);
    cr_expect_str_eq(log_query(&fx, "T.g", "st = :s", "{s: 'SHIPPED'}"), "");
    cr_expect_str_eq(log_query(&fx, "T.g", "st = :s", "{s: 'PENDING'}"), "{p:'o1',st:'PENDING'}\n");
    engine_assert_clean(&fx);
    advance(&fx, 1);
    cr_expect_str_eq(log_query(&fx, "T.g", "st = :s", "{s: 'SHIPPED'}"), "{p:'o1',st:'SHIPPED'}\n");
    cr_expect_str_eq(log_query(&fx, "T.g", "st = :s", "{s: 'PENDING'}"), "");
    cr_assert_eq(pk_engine_index_lag(fx.engine, &fx.call, table, &table->indexes[0], &lag, &fx.err),
                 PK_OK);
    cr_expect_eq(lag.waiting, 0);
    pk_table_unref(table);
    engine_close(&fx);
}

/* With jitter two runs are alike, another seed's is not, and an item's changes stay in order. */
Test(propagate, jitter_repeats)
{
    char *runs[3];

    for (int run = 0; run < 3; run++) {
        struct engine_fixture fx;
        struct pk_sim_settings settings;
        struct pk_buf seen = PK_BUF_INIT;

        engine_open(&fx);
        engine_table(&fx, "T p:S; gsi g a:S keys");
        pk_engine_settings(fx.engine, &settings);
        settings.seed = run == 2 ? 2 : 1;
        cr_assert_eq(pk_engine_set_settings(fx.engine, &settings, &fx.err), PK_OK);
        log_set_lag(&fx, 100, 1000);
        for (int i = 0; i < 40; i++)
            cr_assert_eq(
                engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', a: 'A', n: %d}", i % 10, i)),
                PK_OK);
        for (int ms = 0; ms <= 1200; ms += 50) {
            advance(&fx, ms == 0 ? 0 : 50);
            pk_buf_add_cstr(&seen, log_query(&fx, "T.g", "a = :a", "{a: 'A'}"));
            pk_buf_add_byte(&seen, ';');
        }
        engine_close(&fx);
        runs[run] = pk_buf_detach(&seen);
    }
    cr_expect_str_eq(runs[0], runs[1]);
    cr_expect_str_neq(runs[0], runs[2]);
    for (int run = 0; run < 3; run++)
        free(runs[run]);
}

/* A reader does not pass a sequence that is in flight: what commits later would be lost to it. */
Test(propagate, hazard_gap)
{
    struct engine_fixture fx;
    struct pk_table_log *log;
    struct pk_change change = {.event = PK_EVENT_INSERT, .cause = PK_CAUSE_USER};
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_table *table;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    log = log_of(&fx, "T");
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    change.after = pk_view_of(&fx.arena, engine_value(&fx, "{p: 'slow', a: 'A'}"));
    change.after_size = pk_view_item_size(change.after);
    /* A writer has drawn its number; before it commits, others write and a tick comes. */
    change.shard = table->partitions.count - 1;
    change.sequence = pk_log_draw(&log->log, change.shard);
    for (int i = 0; i < 20; i++)
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', a: 'A'}", i)), PK_OK);
    log_tick(&fx);
    pk_change_stage(&batch, table->id, &change);
    cr_assert_eq(pk_store_commit(fx.engine->store, &batch, PK_COMMIT_FAST, &fx.err), PK_OK);
    pk_log_settle(&log->log, change.sequence);
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.g", .select = PK_SELECT_COUNT}),
                 PK_OK);
    cr_expect_eq(fx.read.count, 21, "the slow writer's record was passed: %d entries",
                 (int)fx.read.count);
    pk_batch_release(&batch);
    pk_table_unref(table);
    engine_close_unchecked(&fx);
}

/* A log that was trimmed to nothing does not begin again below the indexes' positions. */
Test(propagate, hazard_restart)
{
    struct engine_fixture fx;
    struct temp_dir dir;
    uint64_t next;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    for (int i = 0; i < 10; i++)
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', a: 'A'}", i)), PK_OK);
    log_settle(&fx);
    cr_assert_eq(log_records(&fx, "T"), 0);
    next = pk_log_next(&log_of(&fx, "T")->log);
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_geq(pk_log_next(&log_of(&fx, "T")->log), next, "the log begins again");
    for (int i = 10; i < 15; i++)
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', a: 'A'}", i)), PK_OK);
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.g", .select = PK_SELECT_COUNT}),
                 PK_OK);
    cr_expect_eq(fx.read.count, 15, "the index missed changes: %d entries", (int)fx.read.count);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

/* The same when the last index goes, and its position with it, and another one comes. */
Test(propagate, hazard_restart_without_readers)
{
    struct engine_fixture fx;
    struct temp_dir dir;
    uint64_t next;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', a: 'A'}"), PK_OK);
    log_settle(&fx);
    next = pk_log_next(&log_of(&fx, "T")->log);
    cr_assert_eq(log_delete_index(&fx, "T", "g"), PK_OK);
    log_settle(&fx);
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_eq(pk_log_next(&log_of(&fx, "T")->log), next, "the log begins again");
    engine_close(&fx);
    temp_dir_remove(&dir);
}

/* Without lag a read sees every write that finished before it, with no tick in between. */
Test(propagate, hazard_zero_lag)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    for (int i = 0; i < 50; i++) {
        const char *seen;

        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k', a: 'A%d'}", i)), PK_OK);
        seen = log_query(&fx, "T.g", "a = :a", engine_format(&fx, "{a: 'A%d'}", i));
        cr_assert_str_eq(seen, engine_format(&fx, "{a:'A%d',p:'k'}\n", i));
    }
    engine_close(&fx);
}

Test(propagate, lag_goes)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    log_set_lag(&fx, 500, 0);
    for (int i = 0; i < 10; i++)
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', a: 'A'}", i)), PK_OK);
    log_set_lag(&fx, 0, 0);
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.g", .select = PK_SELECT_COUNT}),
                 PK_OK);
    cr_expect_eq(fx.read.count, 10, "lag 0 again: everything is applied at once");
    engine_close(&fx);
}

/* Write units of the index and of the base. */
Test(propagate, vector_key_change)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g a:S all");
    cr_assert_eq(
        engine_put(&fx, "T", engine_format(&fx, "{p: 'k', a: 'A', d: %s}", engine_text(&fx, 2500))),
        PK_OK);
    cr_assert_eq(engine_update(&fx, "T", "{p: 'k'}", "SET a = :a", "{a: 'B'}"), PK_OK);
    cr_expect_eq(fx.write.cost.table_milli, 3000);
    cr_expect_eq(engine_index_cost(&fx.write.cost, "g"), 6000);
    engine_close(&fx);
}

Test(propagate, vector_reads)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S s:N; lsi l o:N include=x; gsi g a:S all");
    /* An entry of 2,000 bytes: p and k, s, a and A, d. */
    for (int i = 1; i <= 8; i++)
        cr_assert_eq(engine_put(&fx, "T",
                                engine_format(&fx, "{p: 'k', s: %d, a: 'A', d: %s}", i,
                                              engine_text(&fx, 2000 - 2 - 3 - 2 - 1))),
                     PK_OK, "%s", engine_message(&fx));
    cr_assert_eq(
        engine_read(&fx, &(struct read_text){.from = "T.g", .key = "a = :a", .values = "{a: 'A'}"}),
        PK_OK);
    cr_expect_eq(fx.read.count, 8);
    cr_expect_eq(fx.read.facts.bytes, 16000);
    cr_expect_eq(engine_read_cost(&fx), 2000);
    cr_assert_eq(
        engine_read(&fx,
                    &(struct read_text){.from = "T.g", .key = "a = :a", .values = "{a: 'none'}"}),
        PK_OK);
    cr_expect_eq(engine_read_cost(&fx), 500, "an empty result");
    /* Four entries of 200 bytes whose items have 300. */
    for (int i = 1; i <= 4; i++)
        cr_assert_eq(
            engine_put(&fx, "T",
                       engine_format(&fx, "{p: 'l', s: %d, o: %d, x: %s, y: %s}", i, i,
                                     engine_text(&fx, 200 - 2 - 3 - 3 - 1), engine_text(&fx, 99))),
            PK_OK, "%s", engine_message(&fx));
    for (int strong = 0; strong < 2; strong++) {
        cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.l",
                                                          .key = "p = :p",
                                                          .values = "{p: 'l'}",
                                                          .select = PK_SELECT_ALL,
                                                          .consistent = strong == 1}),
                     PK_OK, "%s", engine_message(&fx));
        cr_expect_eq(fx.read.count, 4);
        cr_expect_eq(engine_read_cost(&fx), strong == 1 ? 5000 : 2500);
    }
    engine_close(&fx);
}

/* 59 items of 1,100 bytes with their entries fit into 64 KB, the 60th does not. */
Test(propagate, vector_collection)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_set_collection_limit(&fx, 65536);
    engine_table(&fx, "T p:S s:N; lsi l o:S keys");
    for (int i = 1; i <= 61; i++) {
        /* p, s, o: 5 + 3 + 92 bytes in the entry, 900 more in the item. */
        const char *item =
            engine_format(&fx, "{p: '%s', s: %d, o: %s, d: %s}", i <= 60 ? "full" : "else", i,
                          engine_text(&fx, 100 - 5 - 3 - 1), engine_text(&fx, 899));

        cr_expect_eq(engine_put(&fx, "T", item), i == 60 ? PK_E_COLLECTION_SIZE : PK_OK, "item %d",
                     i);
        if (i < 60)
            cr_expect_eq(fx.write.collection_bytes, (uint64_t)(1100 * i));
    }
    cr_assert_eq(engine_delete(&fx, "T", "{p: 'full', s: 1}"), PK_OK);
    cr_expect_eq(engine_put(&fx, "T",
                            engine_format(&fx, "{p: 'full', s: 60, o: %s, d: %s}",
                                          engine_text(&fx, 91), engine_text(&fx, 899))),
                 PK_OK, "deleting one lets the next in");
    engine_close(&fx);
}
