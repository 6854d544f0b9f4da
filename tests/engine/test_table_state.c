/* Tables that are CREATING or DELETING for a while: what they refuse, and when that is over. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>

#include "engine/ops/core.h"
#include "engine/ops/timer.h"
#include "tests/support/log_fixture.h"
#include "tests/support/temp_dir.h"

#define IN_USE "Attempt to change a resource which is still in use: Table is being "

static void set_delays(struct engine_fixture *fx, uint64_t create_ms, uint64_t delete_ms)
{
    struct pk_sim_settings settings;

    pk_engine_settings(fx->engine, &settings);
    settings.table_create_delay_ms = create_ms;
    settings.table_delete_delay_ms = delete_ms;
    cr_assert_eq(pk_engine_set_settings(fx->engine, &settings, &fx->err), PK_OK);
}

static void pass(struct engine_fixture *fx, int64_t ms)
{
    int64_t to_ms = pk_clock_now(&fx->engine->clock) + ms;

    cr_assert_eq(pk_engine_advance(fx->engine, &fx->call, to_ms, &fx->err), PK_OK);
}

/* "CREATING", "ACTIVE", "DELETING", or "" when there is no such table. */
static const char *status(struct engine_fixture *fx, const char *name)
{
    static const char *const names[] = {"CREATING", "ACTIVE", "UPDATING", "DELETING"};
    struct pk_table *table = pk_engine_table(fx->engine, pk_slice_cstr(name));
    const char *text = table == NULL ? "" : names[table->status];

    pk_table_unref(table);
    return text;
}

static enum pk_code drop(struct engine_fixture *fx, const char *name)
{
    struct pk_table *table = NULL;
    enum pk_code rc;

    pk_error_release(&fx->err);
    rc = pk_engine_delete_table(fx->engine, pk_slice_cstr(name), &table, &fx->err);
    if (rc == PK_OK)
        cr_expect_eq(table->status, PK_STATUS_DELETING);
    pk_table_unref(table);
    return rc;
}

static enum pk_code create_again(struct engine_fixture *fx, const char *text)
{
    struct pk_table_spec spec = engine_spec(fx, text);
    struct pk_table *table = NULL;
    enum pk_code rc;

    pk_error_release(&fx->err);
    rc = pk_engine_create_table(fx->engine, &spec, &table, &fx->err);
    pk_table_unref(table);
    return rc;
}

static enum pk_code tag(struct engine_fixture *fx, const char *name)
{
    const struct pk_tag tag = {PK_LIT("k"), PK_LIT("v")};

    pk_error_release(&fx->err);
    return pk_engine_tag(fx->engine, pk_slice_cstr(name), &tag, 1, &fx->err);
}

static enum pk_code expire(struct engine_fixture *fx, const char *name)
{
    const struct pk_ttl_change change = {pk_slice_cstr(name), PK_LIT("x"), true};

    pk_error_release(&fx->err);
    return pk_engine_update_ttl(fx->engine, &change, &fx->err);
}

/* Nothing of the data plane finds it, nothing of the control plane may change it. */
static void expect_closed(struct engine_fixture *fx, const char *what)
{
    const char *in_use = engine_format(fx, IN_USE "%s: T", what);
    struct pk_write write = engine_write_of(
        fx, &(struct write_text){.kind = PK_WRITE_PUT, .table = "T", .item = "{p: 'a'}"});
    struct pk_batch_write_result batch;
    struct pk_transact_write transact = {.writes = &write, .count = 1};
    struct pk_transact_write_result transacted;

    cr_expect_eq(engine_put(fx, "T", "{p: 'a', g: 'G'}"), PK_E_NOT_FOUND);
    cr_expect_str_eq(engine_message(fx), "Requested resource not found");
    cr_expect_eq(engine_get(fx, "T", "{p: 'a'}"), PK_E_NOT_FOUND);
    cr_expect_eq(engine_delete(fx, "T", "{p: 'a'}"), PK_E_NOT_FOUND);
    cr_expect_eq(engine_read(fx, &(struct read_text){.from = "T"}), PK_E_NOT_FOUND);
    cr_expect_str_eq(engine_message(fx), "Requested resource not found");
    cr_expect_str_eq(log_query(fx, "T.g", "g = :g", "{g: 'G'}"), "Requested resource not found");
    pk_error_release(&fx->err);
    cr_expect_eq(pk_engine_batch_write(fx->engine, &fx->call, &write, 1, &batch, &fx->err),
                 PK_E_NOT_FOUND);
    pk_error_release(&fx->err);
    cr_expect_eq(pk_engine_transact_write(fx->engine, &fx->call, &transact, &transacted, &fx->err),
                 PK_E_NOT_FOUND);
    cr_expect_eq(drop(fx, "T"), PK_E_IN_USE);
    cr_expect_str_eq(engine_message(fx), in_use);
    cr_expect_eq(log_create_index(fx, "T", "gsi h h:S all"), PK_E_IN_USE);
    cr_expect_str_eq(engine_message(fx), in_use);
    cr_expect_eq(tag(fx, "T"), PK_E_IN_USE);
    cr_expect_str_eq(engine_message(fx), in_use);
    cr_expect_eq(expire(fx, "T"), PK_E_IN_USE);
    cr_expect_str_eq(engine_message(fx), in_use);
    cr_expect_eq(create_again(fx, "T p:S"), PK_E_IN_USE);
    cr_expect_str_eq(engine_message(fx), "Table already exists: T");
}

Test(table_state, without_delay)
{
    struct engine_fixture fx;
    int64_t due = 0;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    cr_expect_str_eq(status(&fx, "T"), "ACTIVE");
    cr_assert_eq(drop(&fx, "T"), PK_OK);
    cr_expect_str_eq(status(&fx, "T"), "");
    cr_assert_eq(pk_timers_next_due(fx.engine, INT64_MIN, &due, &fx.err), PK_OK);
    cr_expect_eq(due, INT64_MAX);
    engine_close(&fx);
}

Test(table_state, creating)
{
    struct engine_fixture fx;
    int64_t start;
    int64_t due = 0;

    engine_open(&fx);
    engine_throttle_off(&fx);
    start = pk_clock_now(&fx.engine->clock);
    set_delays(&fx, 5000, 0);
    engine_table(&fx, "T p:S; gsi g g:S all");
    set_delays(&fx, 0, 0);
    cr_expect_str_eq(status(&fx, "T"), "CREATING", "it keeps the delay it was made with");
    expect_closed(&fx, "created");
    cr_assert_eq(pk_timers_next_due(fx.engine, INT64_MIN, &due, &fx.err), PK_OK);
    cr_expect_eq(due, start + 5000);
    pass(&fx, 4999);
    cr_expect_str_eq(status(&fx, "T"), "CREATING");
    log_settle(&fx);
    cr_expect_str_eq(status(&fx, "T"), "CREATING", "the clock alone moves it");
    pass(&fx, 1);
    cr_expect_str_eq(status(&fx, "T"), "ACTIVE");
    cr_expect_eq(engine_put(&fx, "T", "{p: 'a', g: 'G'}"), PK_OK);
    cr_expect_str_eq(log_query(&fx, "T.g", "g = :g", "{g: 'G'}"), "{g:'G',p:'a'}\n");
    cr_expect_eq(tag(&fx, "T"), PK_OK);
    cr_assert_eq(pk_timers_next_due(fx.engine, INT64_MIN, &due, &fx.err), PK_OK);
    cr_expect_eq(due, INT64_MAX, "nothing waits");
    engine_close(&fx);
}

Test(table_state, deleting)
{
    struct engine_fixture fx;
    struct pk_retired *retired;
    size_t count = 0;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g g:S all");
    cr_assert_eq(engine_put(&fx, "T", "{p: 'a', g: 'G'}"), PK_OK);
    set_delays(&fx, 0, 3000);
    cr_assert_eq(drop(&fx, "T"), PK_OK);
    cr_expect_str_eq(status(&fx, "T"), "DELETING");
    expect_closed(&fx, "deleted");
    engine_assert_clean(&fx);
    pass(&fx, 2999);
    cr_expect_str_eq(status(&fx, "T"), "DELETING");
    pass(&fx, 1);
    cr_expect_str_eq(status(&fx, "T"), "");
    retired = pk_catalog_retired(&fx.engine->catalog, &count);
    cr_expect_eq(count, 0, "its rows are gone");
    free(retired);
    engine_table(&fx, "T p:N");
    cr_expect_eq(engine_put(&fx, "T", "{p: 1}"), PK_OK);
    engine_close(&fx);
}

static void *drop_on_thread(void *fixture)
{
    struct pk_table *table = NULL;
    struct pk_error err = PK_ERROR_INIT;
    enum pk_code rc = pk_engine_delete_table(((struct engine_fixture *)fixture)->engine,
                                             pk_slice_cstr("T"), &table, &err);

    cr_expect_eq(rc, PK_OK);
    pk_table_unref(table);
    pk_error_release(&err);
    return NULL;
}

static size_t sweep(struct engine_fixture *fx)
{
    bool more = true;
    size_t count = 0;

    while (more)
        cr_assert_eq(
            pk_catalog_sweep(&fx->engine->catalog, fx->engine->store, 100, &more, &fx->err), PK_OK);
    free(pk_catalog_retired(&fx->engine->catalog, &count));
    return count;
}

/* A writer that found the table before it was dropped commits under its latch: not after the sweep.
 */
Test(table_state, dropped_while_written)
{
    struct engine_fixture fx;
    pthread_t thread;

    engine_open(&fx);
    engine_table(&fx, "T p:S; gsi g g:S all");
    pk_latch_lock(&fx.engine->latches, 0);
    cr_assert_eq(pthread_create(&thread, NULL, drop_on_thread, &fx), 0);
    while (status(&fx, "T")[0] != '\0')
        sched_yield();
    cr_expect_eq(sweep(&fx), 2, "the rows of table and index may still be written");
    pk_latch_unlock(&fx.engine->latches, 0);
    pthread_join(thread, NULL);
    cr_expect_eq(sweep(&fx), 0);
    engine_close(&fx);
}

/* What is under way when the store is closed goes on when it is opened. */
Test(table_state, survives)
{
    struct engine_fixture fx;
    struct temp_dir dir;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    cr_assert_eq(pk_engine_clock_pause(fx.engine, &fx.err), PK_OK);
    engine_table(&fx, "Old p:S");
    set_delays(&fx, 5000, 3000);
    engine_table(&fx, "New p:S");
    cr_assert_eq(drop(&fx, "Old"), PK_OK);
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    log_settle(&fx);
    cr_expect_str_eq(status(&fx, "New"), "CREATING");
    cr_expect_str_eq(status(&fx, "Old"), "DELETING");
    pass(&fx, 3000);
    cr_expect_str_eq(status(&fx, "New"), "CREATING");
    cr_expect_str_eq(status(&fx, "Old"), "");
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_str_eq(status(&fx, "Old"), "");
    pass(&fx, 2000);
    cr_expect_str_eq(status(&fx, "New"), "ACTIVE");
    cr_expect_eq(engine_put(&fx, "New", "{p: 'a'}"), PK_OK);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

/* Expired items of a table that is being deleted stay: it writes no records any more. */
Test(table_state, nothing_expires_while_deleting)
{
    struct engine_fixture fx;
    int64_t start;
    int64_t due = 0;

    engine_open(&fx);
    start = pk_clock_now(&fx.engine->clock);
    engine_table(&fx, "T p:S");
    cr_assert_eq(expire(&fx, "T"), PK_OK);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'a', x: 900}"), PK_OK);
    set_delays(&fx, 0, INT64_C(100) * 86400000);
    cr_assert_eq(drop(&fx, "T"), PK_OK);
    pass(&fx, INT64_C(10) * 86400000);
    cr_assert_eq(pk_timers_next_due(fx.engine, INT64_MIN, &due, &fx.err), PK_OK);
    cr_expect_eq(due, start + INT64_C(100) * 86400000, "%lld", (long long)(due - start));
    engine_close(&fx);
}
