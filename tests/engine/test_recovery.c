/*
 * Bad days: closing and opening again, a process that died, commits and reads that fail at any
 * point, damage and repair. Whatever happens, every acknowledged write is there and the check is
 * clean.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/log/change_log.h"
#include "engine/log/cursor.h"
#include "engine/ops/core.h"
#include "engine/store/key_code.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/temp_dir.h"
#include "tests/support/value_text.h"

#define TABLE "T p:S r:N; lsi l a:S include=x; gsi g g:S all"

static struct pk_table_stats stats_of(struct engine_fixture *fx, const char *name)
{
    struct pk_table *table = pk_engine_table(fx->engine, pk_slice_cstr(name));
    struct pk_table_stats stats;

    cr_assert_not_null(table);
    pk_engine_table_stats(fx->engine, &fx->call, table, &stats);
    pk_table_unref(table);
    return stats;
}

static void fill(struct engine_fixture *fx, int from, int to)
{
    for (int i = from; i < to; i++)
        cr_assert_eq(engine_put(fx, "T",
                                engine_format(fx, "{p: 'k%d', r: %d, a: 'A%d', g: 'G', x: %d}",
                                              i % 5, i, i % 3, i)),
                     PK_OK);
}

Test(recovery, clean_close)
{
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_table_stats stats;
    struct pk_table *table;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, TABLE);
    engine_table(&fx, "Gone p:S");
    fill(&fx, 0, 100);
    cr_assert_eq(pk_engine_delete_table(fx.engine, PK_LIT("Gone"), &table, &fx.err), PK_OK);
    pk_table_unref(table);
    engine_close(&fx);

    engine_open_dir(&fx, dir.path);
    stats = stats_of(&fx, "T");
    cr_expect_not(stats.counting);
    cr_expect_eq(stats.table.items, 100);
    cr_expect_eq(stats.indexes[0].items, 100);
    cr_expect_null(pk_engine_table(fx.engine, PK_LIT("Gone")));
    fill(&fx, 100, 120);
    engine_table(&fx, "New p:S");
    cr_assert_eq(pk_engine_reopen(fx.engine, &fx.err), PK_OK);
    cr_expect_eq(stats_of(&fx, "T").table.items, 120);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

/* After an unclean end the figures are counted anew while writes go on. */
Test(recovery, recount)
{
    struct temp_dir dir;
    struct temp_dir copy;
    struct engine_fixture fx;
    struct pk_table_stats stats;

    temp_dir_make(&dir);
    temp_dir_make(&copy);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, TABLE);
    fill(&fx, 0, 200);
    temp_dir_copy(dir.path, copy.path);
    engine_close(&fx);

    engine_open_dir(&fx, copy.path);
    stats = stats_of(&fx, "T");
    cr_expect(stats.counting);
    cr_expect_eq(stats.table.items, 0);
    engine_delete(&fx, "T", "{p: 'k0', r: 0}");
    cr_expect_eq(stats_of(&fx, "T").table.items, 0, "not below zero");
    fill(&fx, 200, 210);
    while (pk_engine_tick(fx.engine, 0))
        ;
    stats = stats_of(&fx, "T");
    cr_expect_not(stats.counting);
    cr_expect_eq(stats.table.items, 209);
    cr_expect_eq(stats.indexes[1].items, 209);
    engine_close(&fx);
    /* Closed before it was counted: counted the next time. */
    engine_open_dir(&fx, copy.path);
    cr_expect_not(stats_of(&fx, "T").counting);
    cr_expect_eq(stats_of(&fx, "T").table.items, 209);
    engine_close(&fx);
    temp_dir_remove(&dir);
    temp_dir_remove(&copy);
}

Test(recovery, closed_while_counting)
{
    struct temp_dir dir;
    struct temp_dir copy;
    struct engine_fixture fx;

    temp_dir_make(&dir);
    temp_dir_make(&copy);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, TABLE);
    fill(&fx, 0, 20);
    temp_dir_copy(dir.path, copy.path);
    engine_close(&fx);
    engine_open_dir(&fx, copy.path);
    fill(&fx, 20, 30);
    engine_close_unchecked(&fx);
    engine_open_dir(&fx, copy.path);
    cr_expect(stats_of(&fx, "T").counting);
    engine_close(&fx);
    temp_dir_remove(&dir);
    temp_dir_remove(&copy);
}

Test(recovery, memory_store_cannot_be_opened_again)
{
    struct engine_fixture fx;

    engine_open(&fx);
    cr_expect_eq(pk_engine_reopen(fx.engine, &fx.err), PK_E_USAGE);
    engine_close(&fx);
}

/* Failing commits and reads --------------------------------------------------------------------*/

/* What is done while something fails. Each changes the table's content in its own way. */
static enum pk_code script_step(struct engine_fixture *fx, int step)
{
    struct pk_write writes[2];
    struct pk_transact_write transaction = {.writes = writes, .count = 2, .token = PK_LIT("token")};
    struct pk_transact_write_result result;
    struct pk_table *table = NULL;
    struct pk_table_spec spec;
    enum pk_code rc = PK_OK;

    switch (step) {
    case 0:
        return engine_put(fx, "T", "{p: 'k', r: 1, a: 'A', g: 'G', x: 1}");
    case 1:
        return engine_put(fx, "T", "{p: 'k', r: 2, a: 'B', g: 'G', x: 2}");
    case 2:
        return engine_update(fx, "T", "{p: 'k', r: 1}", "SET g = :g, x = :x", "{g: 'H', x: 3}");
    case 3:
        writes[0] = engine_write_of(fx, &(struct write_text){.kind = PK_WRITE_PUT,
                                                             .table = "T",
                                                             .item = "{p: 'm', r: 1, a: 'A'}"});
        writes[1] = engine_write_of(
            fx,
            &(struct write_text){.kind = PK_WRITE_DELETE, .table = "T", .item = "{p: 'k', r: 2}"});
        pk_error_release(&fx->err);
        return pk_engine_transact_write(fx->engine, &fx->call, &transaction, &result, &fx->err);
    case 4:
        spec = engine_spec(fx, "U p:S");
        pk_error_release(&fx->err);
        rc = pk_engine_create_table(fx->engine, &spec, &table, &fx->err);
        pk_table_unref(table);
        return rc;
    case 5:
        return engine_delete(fx, "T", "{p: 'k', r: 1}");
    default:
        return PK_OK;
    }
}

enum { SCRIPT_STEPS = 6 };

/* The table's items, and whether U is there. */
static const char *state_of(struct engine_fixture *fx)
{
    struct pk_table *other = pk_engine_table(fx->engine, PK_LIT("U"));
    const char *text;

    cr_assert_eq(engine_read(fx, &(struct read_text){.from = "T"}), PK_OK, "%s",
                 engine_message(fx));
    text = engine_format(fx, "%s%s", engine_items(fx), other != NULL ? "U" : "");
    pk_table_unref(other);
    return text;
}

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

/* One run; true when the plan's failure came. */
static bool run_script(const struct pk_fault_plan *plan, const char *const *states)
{
    struct temp_dir dir;
    struct engine_fixture fx;
    struct pk_store *fault = NULL;
    int done = 0;
    const char *now;
    enum pk_code rc = PK_OK;

    temp_dir_make(&dir);
    open_faulty(&fx, dir.path, &fault);
    engine_table(&fx, TABLE);
    pk_store_fault_set(fault, plan);
    while (done < SCRIPT_STEPS && rc == PK_OK) {
        rc = script_step(&fx, done);
        done += rc == PK_OK;
    }
    cr_expect(rc == PK_OK || rc == PK_E_IO, "step %d: %s", done, engine_message(&fx));
    if (plan->fail_commit > 0 && rc != PK_OK) {
        cr_expect_str_eq(state_of(&fx),
                         plan->commit_applies && done != 4 ? states[done + 1] : states[done]);
        cr_expect_eq(engine_put(&fx, "T", "{p: 'later', r: 1}"), PK_E_IO, "the store is stuck");
    }
    engine_close_unchecked(&fx);

    engine_open_dir(&fx, dir.path);
    now = state_of(&fx);
    cr_expect_str_eq(now, rc != PK_OK && plan->commit_applies ? states[done + 1] : states[done],
                     "after step %d", done);
    while (pk_engine_tick(fx.engine, 0))
        ;
    engine_close(&fx);
    temp_dir_remove(&dir);
    return rc != PK_OK;
}

/* The states before each step and after the last, without failures. */
static void make_states(const char **states)
{
    static struct engine_fixture fx; /* its arena holds the texts until the test ends */

    engine_open(&fx);
    engine_table(&fx, TABLE);
    for (int i = 0; i < SCRIPT_STEPS; i++) {
        states[i] = strdup(state_of(&fx));
        cr_assert_eq(script_step(&fx, i), PK_OK, "step %d: %s", i, engine_message(&fx));
    }
    states[SCRIPT_STEPS] = strdup(state_of(&fx));
    engine_close(&fx);
}

static void free_states(const char **states)
{
    for (int i = 0; i <= SCRIPT_STEPS; i++)
        free((void *)(uintptr_t)states[i]);
}

Test(recovery, failing_commits)
{
    const char *states[SCRIPT_STEPS + 1];
    uint64_t failures = 0;

    make_states(states);
    for (int applies = 0; applies < 2; applies++) {
        struct pk_fault_plan plan = {.fail_commit = 1, .commit_applies = applies == 1};

        while (run_script(&plan, states)) {
            plan.fail_commit++;
            failures++;
        }
    }
    cr_expect_eq(failures, 2 * SCRIPT_STEPS, "each step is one commit");
    free_states(states);
}

Test(recovery, failing_reads)
{
    const char *states[SCRIPT_STEPS + 1];
    struct pk_fault_plan plan = {.fail_read = 1};

    make_states(states);
    while (run_script(&plan, states))
        plan.fail_read++;
    cr_expect_geq(plan.fail_read, 10);
    free_states(states);
}

/* Damage ---------------------------------------------------------------------------------------*/

struct damage {
    const char *what;
    void (*make)(struct pk_batch *batch, uint32_t table_id);
    const char *want; /* the check's first line */
};

static void append_row(struct pk_buf *key, uint32_t table_id, const char *pk, int64_t sk)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_item_key item = {pk_value_string(pk_slice_cstr(pk)), pk_value_int(&arena, sk)};

    pk_layout_row(key, table_id, &item);
    pk_arena_release(&arena);
}

static void append_entry(struct pk_buf *key, uint32_t index_id, const char *hash, const char *pk,
                         int64_t sk)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_item_key item = {pk_value_string(pk_slice_cstr(pk)), pk_value_int(&arena, sk)};
    pk_value value = pk_value_string(pk_slice_cstr(hash));
    struct pk_gsi_key gsi = {.hash = &value, .hash_count = 1};

    pk_layout_gsi(key, index_id, &gsi, &item);
    pk_arena_release(&arena);
}

static void lose_row(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_buf key = PK_BUF_INIT;

    append_row(&key, table_id, "k1", 1);
    pk_batch_delete(batch, pk_buf_slice(&key));
    pk_buf_release(&key);
}

static void break_row(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_buf key = PK_BUF_INIT;

    append_row(&key, table_id, "k1", 1);
    pk_batch_put(batch, pk_buf_slice(&key), PK_LIT("\x01\x05junk"));
    pk_buf_release(&key);
}

static void misplace_row(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf key = PK_BUF_INIT;
    pk_view item = value_text_view(&arena, "{p: 'other', r: 1}");

    append_row(&key, table_id, "k1", 1);
    pk_record_put(batch, pk_buf_slice(&key), pk_view_item_size(item), item);
    pk_buf_release(&key);
    pk_arena_release(&arena);
}

static void lose_entry(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_buf key = PK_BUF_INIT;

    append_entry(&key, table_id + 2, "G", "k1", 1);
    pk_batch_delete(batch, pk_buf_slice(&key));
    pk_buf_release(&key);
}

static void add_entry(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf key = PK_BUF_INIT;
    pk_view item = value_text_view(&arena, "{g: 'Old', p: 'k1', r: 1}");

    append_entry(&key, table_id + 2, "Old", "k1", 1);
    pk_record_put(batch, pk_buf_slice(&key), pk_view_item_size(item), item);
    pk_buf_release(&key);
    pk_arena_release(&arena);
}

static void wrong_collection(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_buf rest = PK_BUF_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    pk_key_append_token(&rest, pk_key_token(pk_value_string(PK_LIT("k1"))));
    pk_key_append_value(&rest, pk_value_string(PK_LIT("k1")));
    pk_layout_meta_id(&key, PK_META_COLLECTION, table_id, pk_buf_slice(&rest));
    pk_buf_add_u64be(&value, 7);
    pk_batch_put(batch, pk_buf_slice(&key), pk_buf_slice(&value));
    pk_buf_release(&rest);
    pk_buf_release(&key);
    pk_buf_release(&value);
}

static void unknown_table(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_buf key = PK_BUF_INIT;

    (void)table_id;
    append_row(&key, 77, "k1", 1);
    pk_batch_put(batch, pk_buf_slice(&key), PK_LIT("x"));
    pk_buf_release(&key);
}

static void junk_change(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_buf key = PK_BUF_INIT;

    pk_layout_change(&key, table_id, 0, 2);
    pk_batch_put(batch, pk_buf_slice(&key), PK_LIT("x"));
    pk_buf_release(&key);
}

/* The item is in partition 0. */
static void misplace_change(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_change change = {
        .sequence = 1, .shard = 3, .event = PK_EVENT_INSERT, .cause = PK_CAUSE_USER};

    change.after = value_text_view(&arena, "{p: 'k1', r: 1}");
    change.after_size = pk_view_item_size(change.after);
    pk_change_stage(batch, table_id, &change);
    pk_arena_release(&arena);
}

static void change_of_nobody(struct pk_batch *batch, uint32_t table_id)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_change change = {
        .sequence = 1, .shard = 9, .event = PK_EVENT_INSERT, .cause = PK_CAUSE_USER};

    change.after = value_text_view(&arena, "{p: 'k1', r: 1}");
    change.after_size = pk_view_item_size(change.after);
    pk_change_stage(batch, table_id, &change);
    pk_arena_release(&arena);
}

static void early_position(struct pk_batch *batch, uint32_t table_id)
{
    const struct pk_cursor cursor = {.table_id = table_id, .reader = table_id + 2};

    pk_cursor_stage(&cursor, 0, 1000, batch);
}

static const struct damage damages[] = {
    {"a row is lost", lose_row, "table 'T': index 'l' has an entry of no item: 'k1', 'A1', 1"},
    {"a row is junk", break_row, "table 'T': item 'k1', 1: is no record"},
    {"a row lies elsewhere", misplace_row,
     "table 'T': item 'k1', 1: is stored under the key of another"},
    {"an entry is lost", lose_entry, "table 'T': index 'g' lacks the entry of item 'k1', 1"},
    {"an entry too many", add_entry,
     "table 'T': index 'g' has an entry of no item: 'Old', 'k1', 1"},
    {"a wrong size", wrong_collection,
     "table 'T': the item collection 'k1' has 26 bytes, recorded are 7"},
    {"a change record is junk", junk_change, "table 'T': a change record is no record"},
    {"a change record is another partition's", misplace_change,
     "table 'T': a change record lies in the shard of another partition"},
    {"a change record is no partition's", change_of_nobody,
     "table 'T': a change record lies in the shard of no partition"},
    {"an index is ahead of the log", early_position,
     "table 'T': index 'g' has read beyond the end of the change log"},
    {"rows of no table", unknown_table, "there are rows of an unknown table or index, number 77"},
};

static void count_line(void *context, const char *text)
{
    (void)text;
    ++*(int *)context;
}

Test(recovery, damage_is_found_and_repaired)
{
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        struct temp_dir dir;
        struct engine_fixture fx;
        struct pk_batch batch = PK_BATCH_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct pk_check_result result;
        struct pk_table *table;
        const char *first = "";
        int lines = 0;
        bool orphans = damages[i].make == unknown_table;

        temp_dir_make(&dir);
        engine_open_dir(&fx, dir.path);
        engine_table(&fx, TABLE);
        fill(&fx, 0, 5);
        /* Indexes have followed: what is damaged stays damaged. */
        while (pk_engine_tick(fx.engine, 0))
            ;
        table = pk_engine_table(fx.engine, PK_LIT("T"));
        cr_assert_not_null(table);
        damages[i].make(&batch, table->id);
        pk_table_unref(table);
        cr_assert_eq(pk_store_commit(fx.engine->store, &batch, PK_COMMIT_FAST, &err), PK_OK);
        pk_batch_release(&batch);
        cr_expect_gt(engine_faults(&fx, &first), 0, "%s", damages[i].what);
        cr_expect_str_eq(first, damages[i].want, "%s: %s", damages[i].what, first);
        engine_close_unchecked(&fx);

        cr_assert_eq(
            pk_engine_repair(dir.path, (struct pk_check_report){count_line, &lines}, &result, &err),
            PK_OK, "%s: %s", damages[i].what, err.message);
        cr_expect_eq(result.faults, orphans ? 1 : 0, "%s", damages[i].what);
        engine_open_dir(&fx, dir.path);
        if (orphans) {
            engine_table(&fx, "New p:S");
            table = pk_engine_table(fx.engine, PK_LIT("New"));
            cr_assert_not_null(table);
            cr_expect_gt(table->id, 77, "its id is not given out");
            pk_table_unref(table);
            engine_close_unchecked(&fx);
        } else {
            engine_close(&fx);
        }
        temp_dir_remove(&dir);
    }
}
