/*
 * Backups and restores: what they hold, what they refuse, and what becomes of those that are under
 * way when the store is closed, or when a commit fails.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "engine/backup.h"
#include "engine/ops/core.h"
#include "engine/table/backup_form.h"
#include "tests/support/log_fixture.h"
#include "tests/support/temp_dir.h"

#define TABLE "T p:S r:N; lsi l a:S include=x; gsi g g:S all"

/* More than is copied before the call returns. */
enum { MANY = 5000 };

/* Short ways -----------------------------------------------------------------------------------*/

static enum pk_code back_up(struct engine_fixture *fx, const char *table, const char *name,
                            struct pk_backup *backup)
{
    pk_error_release(&fx->err);
    return pk_engine_create_backup(fx->engine, &fx->call, pk_slice_cstr(table), pk_slice_cstr(name),
                                   backup, &fx->err);
}

/* One that must succeed; its label, in the fixture's arena. */
static pk_slice backed_up(struct engine_fixture *fx, const char *table, const char *name)
{
    struct pk_backup backup;

    cr_assert_eq(back_up(fx, table, name, &backup), PK_OK, "%s", engine_message(fx));
    cr_expect_eq(backup.status, PK_BACKUP_CREATING, "so it answers");
    pk_backup_release(&backup);
    return backup.label;
}

static enum pk_code find(struct engine_fixture *fx, const char *table, pk_slice label,
                         struct pk_backup *backup)
{
    const struct pk_backup_name name = {pk_slice_cstr(table), label};

    pk_error_release(&fx->err);
    return pk_engine_backup(fx->engine, &fx->call, &name, backup, &fx->err);
}

/* "CREATING 12", "AVAILABLE 12" with its items, or "" when there is none. */
static const char *state_of(struct engine_fixture *fx, const char *table, pk_slice label)
{
    struct pk_backup backup;
    const char *text;

    if (find(fx, table, label, &backup) != PK_OK) {
        cr_expect_eq(fx->err.code, PK_E_BACKUP_NOT_FOUND);
        return "";
    }
    text =
        engine_format(fx, "%s %d", backup.status == PK_BACKUP_CREATING ? "CREATING" : "AVAILABLE",
                      (int)backup.items);
    pk_backup_release(&backup);
    return text;
}

static enum pk_code drop_backup(struct engine_fixture *fx, const char *table, pk_slice label)
{
    const struct pk_backup_name name = {pk_slice_cstr(table), label};
    struct pk_backup backup;
    enum pk_code rc;

    pk_error_release(&fx->err);
    rc = pk_engine_delete_backup(fx->engine, &fx->call, &name, &backup, &fx->err);
    if (rc == PK_OK) {
        cr_expect_eq(backup.status, PK_BACKUP_DELETED);
        pk_backup_release(&backup);
    }
    return rc;
}

static enum pk_code restore_with(struct engine_fixture *fx, struct pk_restore_request *request,
                                 pk_slice label, const char *target)
{
    struct pk_table *table = NULL;
    enum pk_code rc;

    request->backup = (struct pk_backup_name){PK_LIT("T"), label};
    request->target = pk_slice_cstr(target);
    pk_error_release(&fx->err);
    rc = pk_engine_restore_backup(fx->engine, &fx->call, request, &table, &fx->err);
    if (rc == PK_OK) {
        cr_expect_eq(table->status, PK_STATUS_CREATING);
        cr_expect_neq(table->restore.copying, 0);
    }
    pk_table_unref(table);
    return rc;
}

static enum pk_code restore(struct engine_fixture *fx, pk_slice label, const char *target)
{
    return restore_with(fx, &(struct pk_restore_request){.max_given = false}, label, target);
}

static void drop_table(struct engine_fixture *fx, const char *name)
{
    struct pk_table *table = NULL;

    pk_error_release(&fx->err);
    cr_assert_eq(pk_engine_delete_table(fx->engine, pk_slice_cstr(name), &table, &fx->err), PK_OK,
                 "%s", engine_message(fx));
    pk_table_unref(table);
}

/* What a scan, or a query of an index, yields: in the fixture's arena. */
static const char *rows_of(struct engine_fixture *fx, const char *from)
{
    cr_assert_eq(engine_read(fx, &(struct read_text){.from = from}), PK_OK, "%s: %s", from,
                 engine_message(fx));
    return engine_format(fx, "%s", engine_items(fx));
}

static void fill(struct engine_fixture *fx, int from, int to)
{
    for (int i = from; i < to; i++) {
        cr_assert_eq(engine_put(fx, "T",
                                engine_format(fx, "{p: 'k%d', r: %d, a: 'A%d', g: 'G%d', x: %d}",
                                              i % 7, i, i % 3, i % 5, i)),
                     PK_OK);
    }
}

static uint64_t backup_rows(struct engine_fixture *fx)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    uint64_t rows = 0;

    pk_layout_space(&prefix, PK_SPACE_BACKUP);
    iter = pk_iter_new(pk_store_live(fx->engine->store),
                       pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter))
        rows++;
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rows;
}

static struct pk_table *table_of(struct engine_fixture *fx, const char *name)
{
    struct pk_table *table = pk_engine_table(fx->engine, pk_slice_cstr(name));

    cr_assert_not_null(table, "%s", name);
    return table;
}

/* Contents -------------------------------------------------------------------------------------*/

Test(backup, small)
{
    struct engine_fixture fx;
    const char *rows, *by_a, *by_g;
    pk_slice label;

    engine_open(&fx);
    engine_table(&fx, TABLE);
    fill(&fx, 0, 100);
    rows = rows_of(&fx, "T");
    by_a = rows_of(&fx, "T.l");
    by_g = rows_of(&fx, "T.g");
    label = backed_up(&fx, "T", "first");
    cr_expect_str_eq(state_of(&fx, "T", label), "AVAILABLE 100", "before the answer");
    cr_expect_str_eq(state_of(&fx, "U", label), "", "a label is one table's");
    cr_expect_eq(backup_rows(&fx), 100);
    fill(&fx, 100, 110);
    drop_table(&fx, "T");
    log_settle(&fx);
    cr_assert_eq(restore(&fx, label, "Again"), PK_OK, "%s", engine_message(&fx));
    cr_expect_str_eq(rows_of(&fx, "Again"), rows);
    cr_expect_str_eq(rows_of(&fx, "Again.l"), by_a);
    cr_expect_str_eq(rows_of(&fx, "Again.g"), by_g);
    cr_expect_eq(engine_put(&fx, "Again", "{p: 'k1', r: 1, a: 'B', g: 'New'}"), PK_OK);
    cr_expect_str_eq(log_query(&fx, "Again.g", "g = :g", "{g: 'New'}"),
                     "{a:'B',g:'New',p:'k1',r:1}\n");
    engine_assert_clean(&fx);
    cr_assert_eq(drop_backup(&fx, "T", label), PK_OK);
    cr_expect_str_eq(state_of(&fx, "T", label), "");
    cr_expect_eq(drop_backup(&fx, "T", label), PK_E_BACKUP_NOT_FOUND);
    cr_expect_eq(restore(&fx, label, "Third"), PK_E_BACKUP_NOT_FOUND);
    cr_expect_eq(backup_rows(&fx), 100);
    engine_assert_clean(&fx);
    log_settle(&fx);
    cr_expect_eq(backup_rows(&fx), 0, "its rows go in the background");
    engine_close(&fx);
}

Test(backup, empty_table)
{
    struct engine_fixture fx;
    pk_slice label;

    engine_open(&fx);
    engine_table(&fx, TABLE);
    label = backed_up(&fx, "T", "nothing");
    cr_expect_str_eq(state_of(&fx, "T", label), "AVAILABLE 0");
    cr_assert_eq(restore(&fx, label, "Empty"), PK_OK);
    cr_expect_str_eq(rows_of(&fx, "Empty"), "");
    cr_expect_eq(engine_put(&fx, "Empty", "{p: 'k', r: 1}"), PK_OK);
    engine_close(&fx);
}

/* What is restored, and what is not (operations.md §11). */
Test(backup, definition)
{
    const struct pk_tag tag = {PK_LIT("k"), PK_LIT("v")};
    const struct pk_ttl_change ttl = {PK_LIT("T"), PK_LIT("x"), true};
    const struct pk_table_change change = {.name = PK_LIT("T"),
                                           .protection_given = true,
                                           .deletion_protection = true,
                                           .class_given = true,
                                           .infrequent_access = true,
                                           .stream_given = true,
                                           .stream = PK_STREAM_NEW_IMAGE,
                                           .max = {-1, -1}};
    struct engine_fixture fx;
    struct pk_backup backup;
    struct pk_table *table = NULL;
    pk_slice label;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N provisioned=5/7; lsi l a:S keys; gsi g g:S+h:N all "
                      "provisioned=2/3");
    cr_assert_eq(pk_engine_tag(fx.engine, PK_LIT("T"), &tag, 1, &fx.err), PK_OK);
    cr_assert_eq(pk_engine_update_ttl(fx.engine, &ttl, &fx.err), PK_OK);
    cr_assert_eq(pk_engine_update_table(fx.engine, &change, &table, &fx.err), PK_OK, "%s",
                 engine_message(&fx));
    pk_table_unref(table);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', r: 1, x: 12}"), PK_OK);
    label = backed_up(&fx, "T", "daily");
    cr_assert_eq(find(&fx, "T", label, &backup), PK_OK);
    cr_expect(pk_slice_is(backup.name, "daily"));
    cr_expect(pk_slice_is(
        backup.label, engine_format(&fx, "%014lld-%08x", (long long)backup.created_ms, backup.id)));
    cr_expect_eq(backup.bytes, 2 + 3 + 3);
    cr_expect_eq(backup.table->stream, PK_STREAM_NEW_IMAGE);
    cr_expect_eq(backup.table->ttl, PK_TTL_ON);
    pk_backup_release(&backup);

    cr_assert_eq(restore(&fx, label, "Again"), PK_OK, "%s", engine_message(&fx));
    table = table_of(&fx, "Again");
    cr_expect_eq(table->status, PK_STATUS_ACTIVE);
    cr_expect_eq(table->billing, PK_PROVISIONED);
    cr_expect(table->throughput.read == 5 && table->throughput.write == 7);
    cr_expect(table->index_count == 2 && table->local_count == 1);
    cr_expect(table->indexes[1].throughput.read == 2 && table->indexes[1].throughput.write == 3);
    cr_expect_eq(table->indexes[1].key.hash_count, 2);
    cr_expect(table->class_given && table->infrequent_access);
    cr_expect_eq(table->tag_count, 0);
    cr_expect_eq(table->ttl, PK_TTL_OFF);
    cr_expect_eq(table->stream, PK_STREAM_OFF);
    cr_expect_eq(table->stream_count, 0);
    cr_expect_not(table->deletion_protection);
    cr_expect(pk_slice_is(table->restore.source, "T"));
    cr_expect(pk_slice_equal(table->restore.label, label));
    cr_expect_eq(table->restore.copying, 0);
    pk_table_unref(table);
    engine_close(&fx);
}

/* A backup is of one moment: what happens while it is being copied is not in it, not even the drop
 * of its table. */
Test(backup, one_moment)
{
    struct engine_fixture fx;
    const char *rows;
    pk_slice label;

    engine_open(&fx);
    engine_table(&fx, TABLE);
    fill(&fx, 0, MANY);
    rows = rows_of(&fx, "T");
    label = backed_up(&fx, "T", "large");
    cr_expect_str_eq(state_of(&fx, "T", label), "CREATING 5000");
    cr_expect_eq(backup_rows(&fx), 2000);
    engine_assert_clean(&fx);
    cr_expect_eq(restore(&fx, label, "Early"), PK_E_BACKUP_IN_USE);
    cr_expect_str_eq(engine_message(&fx), "Backup is being created: large");
    cr_expect_eq(drop_backup(&fx, "T", label), PK_E_BACKUP_IN_USE);
    cr_expect_str_eq(engine_message(&fx), "Backup is being created: large");
    for (int i = 0; i < MANY; i += 50)
        cr_assert_eq(engine_delete(&fx, "T", engine_format(&fx, "{p: 'k%d', r: %d}", i % 7, i)),
                     PK_OK);
    fill(&fx, MANY, MANY + 50);
    cr_expect(log_tick(&fx));
    cr_expect_str_eq(state_of(&fx, "T", label), "CREATING 5000");
    drop_table(&fx, "T");
    engine_assert_clean(&fx);
    log_settle(&fx);
    cr_expect_str_eq(state_of(&fx, "T", label), "AVAILABLE 5000");
    cr_expect_eq(backup_rows(&fx), 5000);
    cr_assert_eq(restore(&fx, label, "T"), PK_OK);
    log_settle(&fx);
    cr_expect(strcmp(rows_of(&fx, "T"), rows) == 0, "the same items in the same order");
    engine_close(&fx);
}

Test(backup, list)
{
    struct engine_fixture fx;
    struct pk_backup *list = NULL;
    size_t count = 0;
    pk_slice first;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    engine_table(&fx, "U p:S");
    first = backed_up(&fx, "T", "same");
    (void)backed_up(&fx, "U", "other");
    (void)backed_up(&fx, "T", "same");
    cr_assert_eq(pk_engine_list_backups(fx.engine, &fx.call, &list, &count, &fx.err), PK_OK);
    cr_assert_eq(count, 3);
    cr_expect(pk_slice_equal(list[0].label, first));
    cr_expect(pk_slice_is(list[1].table->name, "U") && pk_slice_is(list[1].name, "other"));
    cr_expect(list[0].id < list[1].id && list[1].id < list[2].id);
    pk_backup_release_all(list, count);
    engine_close(&fx);
}

Test(backup, labels)
{
    static const struct {
        const char *label;
        uint32_t id;
    } cases[] = {
        {"01912852800000-0000002a", 42},
        {"1912852800000-ffffffff", UINT32_MAX},
        {"001912852800000-00000001", 1},
        {"191285280000-00000001", 0},
        {"0001912852800000-00000001", 0},
        {"01912852800000-0000002A", 0},
        {"01912852800000-000000002a", 0},
        {"01912852800000-2a", 0},
        {"01912852800000_0000002a", 0},
        {"01912852800000", 0},
        {"", 0},
        {"x1912852800000-0000002a", 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        cr_expect_eq(pk_backup_label_id(pk_slice_cstr(cases[i].label)), cases[i].id, "%s",
                     cases[i].label);
}

Test(backup, refusals)
{
    struct engine_fixture fx;
    struct pk_sim_settings settings;
    struct pk_backup backup;
    pk_slice label;

    engine_open(&fx);
    cr_expect_eq(back_up(&fx, "T", "b", &backup), PK_E_TABLE_NOT_FOUND);
    cr_expect_str_eq(engine_message(&fx), "Table not found: T");
    engine_table(&fx, "T p:S");
    label = backed_up(&fx, "T", "b");
    pk_engine_settings(fx.engine, &settings);
    settings.table_create_delay_ms = 1000;
    settings.table_delete_delay_ms = 1000;
    cr_assert_eq(pk_engine_set_settings(fx.engine, &settings, &fx.err), PK_OK);
    cr_expect_eq(restore(&fx, label, "T"), PK_E_TABLE_EXISTS);
    cr_expect_str_eq(engine_message(&fx), "Table already exists: T");
    drop_table(&fx, "T");
    cr_expect_eq(restore(&fx, label, "T"), PK_E_TABLE_IN_USE);
    cr_expect_str_eq(engine_message(&fx), "Table is being deleted: T");
    cr_expect_eq(back_up(&fx, "T", "b", &backup), PK_E_TABLE_IN_USE);
    cr_expect_str_eq(engine_message(&fx), "Table is being deleted: T");
    cr_assert_eq(restore(&fx, label, "U"), PK_OK);
    cr_expect_eq(back_up(&fx, "U", "b", &backup), PK_E_TABLE_IN_USE);
    cr_expect_str_eq(engine_message(&fx), "Table is being created: U");
    cr_expect_eq(restore(&fx, label, "U"), PK_E_TABLE_IN_USE);
    cr_expect_str_eq(engine_message(&fx), "Table is being created: U");
    cr_expect_eq(engine_put(&fx, "U", "{p: 'a'}"), PK_E_NOT_FOUND, "the delay has not passed");
    cr_assert_eq(
        pk_engine_advance(fx.engine, &fx.call, pk_clock_now(&fx.engine->clock) + 1000, &fx.err),
        PK_OK);
    cr_expect_eq(engine_put(&fx, "U", "{p: 'a'}"), PK_OK, "%s", engine_message(&fx));
    engine_close(&fx);
}

/* What a restore may change ---------------------------------------------------------------------*/

#define P "One or more parameter values were invalid: "

static const struct override_case {
    const char *source;
    const char *wanted; /* indexes; NULL: not given */
    bool billing_given;
    enum pk_billing billing;
    bool throughput_given;
    size_t indexes;      /* of the table, on success */
    const char *message; /* NULL: success */
} overrides[] = {
    {"T p:S r:N; lsi l a:S keys; gsi g g:S all", "X p:S r:N", false, PK_ON_DEMAND, false, 0, NULL},
    {"T p:S r:N; lsi l a:S keys; gsi g g:S all", "X p:S r:N; gsi g g:S all", false, PK_ON_DEMAND,
     false, 1, NULL},
    {"T p:S r:N; gsi g g:S include=x,y; gsi h h:S all", "X p:S r:N; gsi g g:S include=y,x", false,
     PK_ON_DEMAND, false, 1, NULL},
    {"T p:S r:N; gsi g g:S all", "X p:S r:N; gsi n g:S all", false, PK_ON_DEMAND, false, 0,
     P "Index n is none of the backup's: indexes can be left out of a restore, not added or "
       "changed"},
    {"T p:S r:N; gsi g g:S all", "X p:S r:N; gsi g h:S all", false, PK_ON_DEMAND, false, 0,
     P "Index g is none of the backup's: indexes can be left out of a restore, not added or "
       "changed"},
    {"T p:S r:N; gsi g g:S all", "X p:S r:N; gsi g g:S keys", false, PK_ON_DEMAND, false, 0,
     P "Index g is none of the backup's: indexes can be left out of a restore, not added or "
       "changed"},
    {"T p:S r:N; gsi g g:S all", "X p:S r:N; lsi g g:S all", false, PK_ON_DEMAND, false, 0,
     P "Index g is none of the backup's: indexes can be left out of a restore, not added or "
       "changed"},
    {"T p:S r:N; gsi g g:S all", "X p:S r:N; gsi g g:S all; gsi g g:S all", false, PK_ON_DEMAND,
     false, 0, P "Duplicate index name: g"},
    {"T p:S r:N", NULL, true, PK_PROVISIONED, false, 0,
     P "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
       "PROVISIONED"},
    {"T p:S r:N", NULL, true, PK_PROVISIONED, true, 0, NULL},
    {"T p:S r:N", NULL, false, PK_ON_DEMAND, true, 0,
     P "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
       "PAY_PER_REQUEST"},
    {"T p:S r:N provisioned=5/5; gsi g g:S all provisioned=1/1", NULL, true, PK_ON_DEMAND, false, 1,
     NULL},
    {"T p:S r:N provisioned=5/5; gsi g g:S all provisioned=1/1", NULL, false, PK_ON_DEMAND, true, 1,
     NULL},
    {"T p:S r:N provisioned=5/5; gsi g g:S all provisioned=1/1",
     "X p:S r:N provisioned=1/1; gsi g g:S all provisioned=9/9", false, PK_ON_DEMAND, false, 1,
     NULL},
};

static void check_override(const struct override_case *of)
{
    struct engine_fixture fx;
    struct pk_restore_request request = {.billing_given = of->billing_given,
                                         .billing = of->billing,
                                         .throughput_given = of->throughput_given,
                                         .throughput = {.read = 3, .write = 4}};
    struct pk_table *table;
    enum pk_code rc;
    pk_slice label;

    engine_open(&fx);
    engine_table(&fx, of->source);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', r: 1, a: 'A', g: 'G', h: 'H'}"), PK_OK);
    label = backed_up(&fx, "T", "b");
    if (of->wanted != NULL) {
        struct pk_table_spec spec = engine_spec(&fx, of->wanted);

        request.locals_given = true;
        request.locals = spec.locals;
        request.local_count = spec.local_count;
        request.globals_given = true;
        request.globals = spec.globals;
        request.global_count = spec.global_count;
    }
    rc = restore_with(&fx, &request, label, "Again");
    cr_expect_eq(rc, of->message == NULL ? PK_OK : PK_E_VALIDATION, "%s", engine_message(&fx));
    cr_expect_str_eq(engine_message(&fx), of->message == NULL ? "" : of->message);
    table = pk_engine_table(fx.engine, PK_LIT("Again"));
    cr_assert_eq(table != NULL, of->message == NULL);
    if (table != NULL) {
        cr_expect_eq(table->index_count, of->indexes);
        if (of->billing_given)
            cr_expect_eq(table->billing, of->billing);
        if (of->throughput_given)
            cr_expect(table->throughput.read == 3 && table->throughput.write == 4);
        cr_expect_eq(table->attribute_count, 2 + of->indexes);
    }
    pk_table_unref(table);
    engine_close(&fx);
}

Test(backup, overrides)
{
    for (size_t i = 0; i < sizeof(overrides) / sizeof(overrides[0]); i++)
        check_override(&overrides[i]);
}

/* Closing and opening ---------------------------------------------------------------------------*/

Test(backup, outlives_table_and_process)
{
    struct engine_fixture fx;
    struct temp_dir dir;
    const char *rows;
    char *kept;
    pk_slice label;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, TABLE);
    fill(&fx, 0, 50);
    rows = rows_of(&fx, "T");
    kept = strdup(rows);
    label = backed_up(&fx, "T", "kept");
    drop_table(&fx, "T");
    label.data = strndup(label.data, label.len);
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_str_eq(state_of(&fx, "T", label), "AVAILABLE 50");
    log_settle(&fx);
    cr_assert_eq(restore(&fx, label, "T"), PK_OK);
    cr_expect_str_eq(rows_of(&fx, "T"), kept);
    engine_close(&fx);
    free(kept);
    free((void *)(uintptr_t)label.data);
    temp_dir_remove(&dir);
}

/* The snapshot is gone with the process: half a backup is none. */
Test(backup, closed_while_creating)
{
    struct engine_fixture fx;
    struct temp_dir dir;
    pk_slice label;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, TABLE);
    fill(&fx, 0, MANY);
    label = backed_up(&fx, "T", "half");
    label.data = strndup(label.data, label.len);
    cr_expect_str_eq(state_of(&fx, "T", label), "CREATING 5000");
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_str_eq(state_of(&fx, "T", label), "");
    cr_expect_eq(backup_rows(&fx), 2000);
    engine_assert_clean(&fx);
    log_settle(&fx);
    cr_expect_eq(backup_rows(&fx), 0);
    engine_close(&fx);
    free((void *)(uintptr_t)label.data);
    temp_dir_remove(&dir);
}

/* A restore goes on where it was. */
Test(backup, closed_while_restoring)
{
    struct engine_fixture fx;
    struct temp_dir dir;
    struct pk_table *table;
    char *rows, *by_g;
    pk_slice label;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, TABLE);
    fill(&fx, 0, MANY);
    rows = strdup(rows_of(&fx, "T"));
    by_g = strdup(rows_of(&fx, "T.g"));
    label = backed_up(&fx, "T", "whole");
    label.data = strndup(label.data, label.len);
    log_settle(&fx);
    cr_assert_eq(restore(&fx, label, "Again"), PK_OK);
    for (int i = 0; i < 2; i++) {
        table = table_of(&fx, "Again");
        cr_expect_eq(table->status, PK_STATUS_CREATING, "opening %d", i);
        cr_expect_neq(table->restore.copying, 0);
        pk_table_unref(table);
        cr_expect_eq(engine_get(&fx, "Again", "{p: 'k1', r: 1}"), PK_E_NOT_FOUND);
        cr_expect_eq(engine_put(&fx, "Again", "{p: 'k1', r: 1}"), PK_E_NOT_FOUND);
        cr_expect_eq(drop_backup(&fx, "T", label), PK_E_BACKUP_IN_USE);
        cr_expect_str_eq(engine_message(&fx), "A table is being restored from backup: whole");
        engine_close(&fx);
        engine_open_dir(&fx, dir.path);
        if (i == 0)
            cr_expect(log_tick(&fx));
    }
    log_settle(&fx);
    cr_expect(strcmp(rows_of(&fx, "Again"), rows) == 0);
    cr_expect(strcmp(rows_of(&fx, "Again.g"), by_g) == 0);
    cr_expect_eq(drop_backup(&fx, "T", label), PK_OK);
    engine_close(&fx);
    free(rows);
    free(by_g);
    free((void *)(uintptr_t)label.data);
    temp_dir_remove(&dir);
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

/* Backs up, ticks, restores, ticks, deletes. */
static enum pk_code back_and_forth(struct engine_fixture *fx)
{
    struct pk_backup backup;
    pk_slice label;
    enum pk_code rc = back_up(fx, "T", "b", &backup);

    if (rc != PK_OK)
        return rc;
    label = backup.label;
    pk_backup_release(&backup);
    log_settle(fx);
    if (strcmp(state_of(fx, "T", label), "AVAILABLE 600") != 0)
        return PK_E_IO;
    rc = restore(fx, label, "Again");
    log_settle(fx);
    return rc == PK_OK ? drop_backup(fx, "T", label) : rc;
}

/* Whatever commit fails: after opening again a backup is there with all its items or not at all,
 * and a table that was being restored comes to its end. */
static bool run_failing(uint64_t commit, bool applies)
{
    const struct pk_fault_plan plan = {.fail_commit = commit, .commit_applies = applies};
    struct engine_fixture fx;
    struct temp_dir dir;
    struct pk_store *fault = NULL;
    struct pk_backup *list = NULL;
    struct pk_table *table;
    size_t count = 0;
    enum pk_code rc;

    temp_dir_make(&dir);
    open_faulty(&fx, dir.path, &fault);
    engine_table(&fx, TABLE);
    fill(&fx, 0, 600);
    log_settle(&fx);
    pk_store_fault_set(fault, &plan);
    rc = back_and_forth(&fx);
    engine_close_unchecked(&fx);

    engine_open_dir(&fx, dir.path);
    engine_assert_clean(&fx);
    log_settle(&fx);
    cr_assert_eq(pk_engine_list_backups(fx.engine, &fx.call, &list, &count, &fx.err), PK_OK);
    for (size_t i = 0; i < count; i++)
        cr_expect(list[i].status == PK_BACKUP_AVAILABLE && list[i].items == 600, "commit %d",
                  (int)commit);
    cr_expect_eq(backup_rows(&fx), count * 600);
    pk_backup_release_all(list, count);
    table = pk_engine_table(fx.engine, PK_LIT("Again"));
    if (table != NULL) {
        cr_expect_eq(table->status, PK_STATUS_ACTIVE, "commit %d", (int)commit);
        cr_expect(strcmp(rows_of(&fx, "Again"), rows_of(&fx, "T")) == 0);
        cr_expect(strcmp(rows_of(&fx, "Again.l"), rows_of(&fx, "T.l")) == 0);
    }
    pk_table_unref(table);
    engine_close(&fx);
    temp_dir_remove(&dir);
    return rc != PK_OK;
}

Test(backup, failing_commits)
{
    uint64_t failures = 0;

    for (int applies = 0; applies < 2; applies++) {
        for (uint64_t commit = 1; run_failing(commit, applies == 1); commit++)
            failures++;
    }
    /* The definition, 256 + 256 + 88 rows (the last with the definition); the table, its rows in as
     * many commits, ACTIVE; the backup's end. */
    cr_expect_eq(failures, 2 * (1 + 3 + 1 + 3 + 1 + 1), "%d", (int)failures);
}

/* Damage ---------------------------------------------------------------------------------------*/

static void add_row(struct pk_buf *key, uint32_t id, const char *pk)
{
    struct pk_item_key item = {pk_value_string(pk_slice_cstr(pk)), pk_value_missing()};
    struct pk_buf row = PK_BUF_INIT;

    pk_layout_row(&row, id, &item);
    pk_layout_moved(key, PK_SPACE_BACKUP, id, pk_buf_slice(&row));
    pk_buf_release(&row);
}

static void lose_row(struct pk_batch *batch, uint32_t id)
{
    struct pk_buf key = PK_BUF_INIT;

    add_row(&key, id, "a");
    pk_batch_delete(batch, pk_buf_slice(&key));
    pk_buf_release(&key);
}

static void break_row(struct pk_batch *batch, uint32_t id)
{
    struct pk_buf key = PK_BUF_INIT;

    add_row(&key, id, "a");
    pk_batch_put(batch, pk_buf_slice(&key), PK_LIT("junk"));
    pk_buf_release(&key);
}

static void break_definition(struct pk_batch *batch, uint32_t id)
{
    struct pk_buf key = PK_BUF_INIT;

    pk_layout_meta_id(&key, PK_META_BACKUP, id, (pk_slice){NULL, 0});
    pk_batch_put(batch, pk_buf_slice(&key), PK_LIT("\x01junk"));
    pk_buf_release(&key);
}

static void lose_definition(struct pk_batch *batch, uint32_t id)
{
    struct pk_buf key = PK_BUF_INIT;

    pk_layout_meta_id(&key, PK_META_BACKUP, id, (pk_slice){NULL, 0});
    pk_batch_delete(batch, pk_buf_slice(&key));
    pk_buf_release(&key);
}

static const struct damage {
    void (*make)(struct pk_batch *batch, uint32_t id);
    const char *found;    /* the check's first line */
    const char *repaired; /* the repair's first line */
    int items;            /* of the backup afterwards; -1: it is gone */
    uint64_t left;        /* faults after repair */
} damages[] = {
    {lose_row, "backup 'b' has 2 items, 4 bytes; recorded are 3 and 6",
     "backup 'b' has 2 items, 4 bytes; it had 3 and 6", 2, 0},
    {break_row, "backup 'b': item 'a': is no record",
     "backup 'b': item 'a' was dropped: it is no record", 2, 0},
    {break_definition, "the definition of backup number 2 is damaged",
     "backup number 2 was dropped: its definition is damaged", -1, 0},
    {lose_definition, "there are rows of an unknown backup, number 2",
     "there are rows of an unknown backup, number 2", -1, 1},
};

static void keep_first(void *context, const char *text)
{
    char **first = context;

    if (*first == NULL)
        *first = strdup(text);
}

static void check_damage(const struct damage *damage)
{
    struct engine_fixture fx;
    struct temp_dir dir;
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_check_result result;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_arena arena = PK_ARENA_INIT;
    const char *first = "";
    char *line = NULL;
    pk_slice label;
    uint32_t id;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, "T p:S");
    for (int i = 0; i < 3; i++)
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: '%c'}", 'a' + i)), PK_OK);
    label = pk_arena_dup(&arena, backed_up(&fx, "T", "b"));
    id = pk_backup_label_id(label);
    damage->make(&batch, id);
    cr_assert_eq(pk_store_commit(fx.engine->store, &batch, PK_COMMIT_FAST, &err), PK_OK);
    cr_expect_gt(engine_faults(&fx, &first), 0);
    cr_expect_str_eq(first, damage->found, "%s", first);
    engine_close_unchecked(&fx);
    cr_assert_eq(
        pk_engine_repair(dir.path, (struct pk_check_report){keep_first, &line}, &result, &err),
        PK_OK, "%s", err.message);
    cr_expect_eq(result.faults, damage->left);
    cr_expect_str_eq(line, damage->repaired);
    engine_open_dir(&fx, dir.path);
    cr_expect_str_eq(state_of(&fx, "T", label),
                     damage->items < 0 ? "" : engine_format(&fx, "AVAILABLE %d", damage->items));
    engine_table(&fx, "New p:S");
    if (damage->left > 0)
        engine_close_unchecked(&fx);
    else
        engine_close(&fx);
    free(line);
    pk_batch_release(&batch);
    pk_arena_release(&arena);
    temp_dir_remove(&dir);
}

Test(backup, damage)
{
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
        check_damage(&damages[i]);
}

/* Concurrency ----------------------------------------------------------------------------------*/

enum { ACCOUNTS = 10, BACKUPS = 20 };

struct moving {
    struct pk_engine *engine;
    atomic_bool stop;
};

/* Moves amounts between accounts, two in a transaction: the sum is always the same. */
static void *move(void *context)
{
    struct moving *with = context;
    struct engine_fixture fx;

    engine_share(&fx, with->engine);
    for (int i = 0; !atomic_load(&with->stop); i++) {
        struct pk_write writes[2];
        struct pk_transact_write transaction = {.writes = writes, .count = 2};
        struct pk_transact_write_result result;

        for (int k = 0; k < 2; k++)
            writes[k] = engine_write_of(
                &fx, &(struct write_text){
                         .kind = PK_WRITE_UPDATE,
                         .table = "T",
                         .item = engine_format(&fx, "{p: 'a%d'}", (i + 3 * k) % ACCOUNTS),
                         .update = "ADD x :x",
                         .values = k == 0 ? "{x: 1}" : "{x: -1}"});
        pk_error_release(&fx.err);
        cr_assert_eq(pk_engine_transact_write(fx.engine, &fx.call, &transaction, &result, &fx.err),
                     PK_OK, "%s", engine_message(&fx));
        engine_reset(&fx);
    }
    engine_unshare(&fx);
    return NULL;
}

static enum pk_code add_amount(void *context, pk_view item, struct pk_error *err)
{
    pk_slice code = pk_view_bytes(pk_view_member(item, PK_LIT("x")));
    struct pk_num num;
    int64_t amount = 0;

    if (!pk_num_decode(&code, &num) || !pk_num_to_int(&num, &amount))
        return pk_fail(err, PK_E_CORRUPT, "no amount");
    *(int64_t *)context += amount;
    return PK_OK;
}

Test(backup, while_others_write)
{
    struct engine_fixture fx;
    struct moving with;
    pthread_t thread;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    for (int i = 0; i < ACCOUNTS; i++)
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'a%d', x: 100}", i)), PK_OK);
    with.engine = fx.engine;
    atomic_init(&with.stop, false);
    cr_assert_eq(pthread_create(&thread, NULL, move, &with), 0);
    for (int i = 0; i < BACKUPS; i++) {
        const char *name = engine_format(&fx, "R%d", i);
        pk_slice label = backed_up(&fx, "T", "moving");
        int64_t sum = 0;
        struct pk_read read = {.table = pk_slice_cstr(name), .sink = {add_amount, &sum}};

        cr_assert_eq(restore(&fx, label, name), PK_OK);
        cr_assert_eq(pk_engine_scan(fx.engine, &fx.call, &read, &fx.read, &fx.err), PK_OK);
        cr_expect_eq(sum, 100 * ACCOUNTS, "%s", name);
    }
    atomic_store(&with.stop, true);
    pthread_join(thread, NULL);
    engine_close(&fx);
}
