/* The feed: what it asks and leaves, who wakes whom, a source that is lost and comes back. */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdlib.h>

#include "shell/panel/feed.h"
#include "shell/panel/item_text.h"
#include "tests/support/command_fixture.h"
#include "tests/support/value_text.h"

enum { PATIENCE_MS = 20000 };

/* Waits for data of which `is` is true; a reference. */
static const struct sh_feed_data *wait_for(struct sh_feed *feed,
                                           bool (*is)(const struct sh_feed_data *data))
{
    for (;;) {
        const struct sh_feed_data *data = sh_feed_latest(feed);
        struct pollfd fd = {.fd = sh_feed_fd(feed), .events = POLLIN};

        if (is(data))
            return data;
        sh_feed_data_unref(data);
        cr_assert_eq(poll(&fd, 1, PATIENCE_MS), 1, "no data came");
    }
}

static void want(struct sh_feed *feed, const char *table, const struct sh_needs *needs)
{
    const struct sh_feed_wants wants = {.table = pk_slice_cstr(table), .needs = needs};

    sh_feed_want(feed, &wants);
}

static bool has_viewport(const struct sh_feed_data *data)
{
    return data->viewport != NULL && data->viewport_ticket == 7;
}

static bool has_record(const struct sh_feed_data *data)
{
    return data->record_count == 1;
}

static bool has_two_records(const struct sh_feed_data *data)
{
    return data->record_count == 2;
}

static bool has_item(const struct sh_feed_data *data)
{
    return data->item != NULL && data->item->found;
}

static bool lacks_item(const struct sh_feed_data *data)
{
    return data->item != NULL && !data->item->found;
}

static bool has_trouble(const struct sh_feed_data *data)
{
    return data->trouble.len > 0;
}

static bool is_of_tab(const struct sh_feed_data *data)
{
    return pk_slice_is(data->table, "Tab") && data->viewport != NULL;
}

Test(feed, answers)
{
    const struct sh_needs needs = {
        .viewport = true, .ticket = 7, .rows = {.limit = 3}, .tail = true};
    struct sh_needs of_item = needs;
    struct command_fixture fx;
    struct sh_feed *feed;
    const struct sh_feed_data *first, *data;

    command_open(&fx);
    command_seed(&fx);
    feed = sh_feed_open(fx.engine, NULL);
    data = sh_feed_latest(feed);
    cr_expect_eq(data->serial, 0);
    cr_expect_null(data->viewport);
    sh_feed_data_unref(data);

    want(feed, "dashboard", &needs);
    first = wait_for(feed, has_viewport);
    cr_expect(pk_slice_is(first->table, "dashboard"));
    cr_expect(first->connected);
    cr_expect_eq(first->record_count, 0);
    cr_expect_eq(first->viewport->collections[0].items, 2);
    cr_expect(pk_slice_is(first->viewport->collections[0].hash, "USER#999"));

    /* A write shows; data that was taken before stays as it is. */
    command_must(&fx, "put USER#1 ORDER#1 {total: 5}");
    data = wait_for(feed, has_record);
    cr_expect(pk_slice_is(data->records[0].key, "USER#1 ORDER#1"));
    cr_expect(pk_slice_is(data->records[0].changes, "total – → 5"));
    cr_expect(pk_slice_is(data->records[0].event, "INSERT"));
    cr_expect(pk_slice_is(data->records[0].cause, "USER"));
    cr_expect_eq(first->record_count, 0);
    sh_feed_data_unref(first);
    sh_feed_data_unref(data);
    command_must(&fx, "put USER#1 ORDER#1 {total: 6}");
    data = wait_for(feed, has_two_records);
    cr_expect(pk_slice_is(data->records[1].changes, "total 5 → 6"));
    sh_feed_data_unref(data);

    of_item.item = PK_LIT("{\"PK\": {\"S\": \"USER#1\"}, \"SK\": {\"S\": \"ORDER#1\"}}");
    want(feed, "dashboard", &of_item);
    data = wait_for(feed, has_item);
    cr_expect_str_eq(data->item->text.data, "PK: 'USER#1'\nSK: 'ORDER#1'\ntotal: 6\n");
    sh_feed_data_unref(data);
    of_item.item = PK_LIT("{\"PK\": {\"S\": \"USER#1\"}, \"SK\": {\"S\": \"ORDER#0\"}}");
    want(feed, "dashboard", &of_item);
    sh_feed_data_unref(wait_for(feed, lacks_item));

    /* Another table: nothing of the old one is left. */
    want(feed, "Tab", &needs);
    data = wait_for(feed, is_of_tab);
    cr_expect_eq(data->viewport->count, 0);
    cr_expect_eq(data->record_count, 0);
    sh_feed_data_unref(data);
    sh_feed_close(feed);
    command_close(&fx);
}

static bool has_three_records(const struct sh_feed_data *data)
{
    return data->record_count == 3;
}

/* What the stream's log has is there from the beginning, and again after somebody looked away. */
Test(feed, begins_with_the_last_changes)
{
    const struct sh_needs needs = {.tail = true};
    const struct sh_needs of_heat = {.limit = 4};
    struct command_fixture fx;
    struct sh_feed *feed;
    const struct sh_feed_data *data;

    command_open(&fx);
    command_must(&fx, "create table shop (PK S) stream keys_only");
    command_must(&fx, "put USER#1 {total: 5}");
    feed = sh_feed_open(fx.engine, NULL);
    want(feed, "shop", &needs);
    command_must(&fx, "put USER#1 {total: 6}");
    data = wait_for(feed, has_two_records);
    cr_expect(pk_slice_is(data->records[0].changes, "total – → 5"));
    cr_expect(pk_slice_is(data->records[1].changes, "total 5 → 6"));
    cr_expect_eq(data->lost, 0U);
    sh_feed_data_unref(data);
    want(feed, "shop", &of_heat);
    command_must(&fx, "put USER#1 {total: 7}");
    want(feed, "shop", &needs);
    data = wait_for(feed, has_three_records);
    cr_expect(pk_slice_is(data->records[2].changes, "total 6 → 7"));
    cr_expect_gt(data->records[2].number, data->records[1].number);
    sh_feed_data_unref(data);
    sh_feed_close(feed);
    command_close(&fx);
}

/* Who rests asks nothing: no data comes any more. */
Test(feed, rests)
{
    const struct sh_needs needs = {.tail = true};
    struct command_fixture fx;
    struct sh_feed *feed;
    const struct sh_feed_data *before, *after;

    command_open(&fx);
    command_seed(&fx);
    feed = sh_feed_open(fx.engine, NULL);
    want(feed, "dashboard", &needs);
    command_must(&fx, "put USER#1 ORDER#1 {total: 5}");
    sh_feed_rest(feed);
    for (;;) {
        struct pollfd fd = {.fd = sh_feed_fd(feed), .events = POLLIN};

        before = sh_feed_latest(feed);
        if (poll(&fd, 1, 500) == 0)
            break;
        sh_feed_data_unref(before);
    }
    after = sh_feed_latest(feed);
    cr_expect_eq(before->serial, after->serial);
    sh_feed_data_unref(before);
    sh_feed_data_unref(after);
    sh_feed_close(feed);
    command_close(&fx);
}

Test(feed, no_such_table)
{
    const struct sh_needs needs = {.viewport = true, .rows = {.limit = 3}};
    struct command_fixture fx;
    struct sh_feed *feed;
    const struct sh_feed_data *data;

    command_open(&fx);
    feed = sh_feed_open(fx.engine, NULL);
    want(feed, "nobody", &needs);
    data = wait_for(feed, has_trouble);
    cr_expect(data->connected);
    cr_expect_null(data->viewport);
    sh_feed_data_unref(data);
    sh_feed_close(feed);
    command_close(&fx);
}

static bool tells_failure(const struct sh_feed_data *data)
{
    return pk_slice_is(data->trouble, "no traffic is called 'x'");
}

/* Somebody else's request: sent, and told of when it fails. */
Test(feed, sends)
{
    const struct sh_needs needs = {.viewport = true, .ticket = 7, .rows = {.limit = 3}};
    struct command_fixture fx;
    struct sh_feed *feed;
    const struct sh_feed_data *data;

    command_open(&fx);
    command_seed(&fx);
    feed = sh_feed_open(fx.engine, NULL);
    for (int i = 0; i < 20; i++)
        sh_feed_send(feed, "Pksk.SetTraffic", PK_LIT("{\"Name\":\"x\",\"Rate\":\"5/s\"}"));
    want(feed, "dashboard", &needs);
    data = wait_for(feed, tells_failure);
    cr_expect(data->connected);
    cr_expect_not_null(data->viewport);
    sh_feed_data_unref(data);
    sh_feed_close(feed);
    command_close(&fx);
}

/* A source that fails twice, then opens, then is lost once, then works. */
struct flaky {
    struct cmd_backend backend; /* first */
    struct cmd_backend *inner;
    struct pk_engine *engine;
    atomic_int opened, called;
};

static void flaky_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                       const atomic_bool *cancel, struct cmd_response *response)
{
    struct flaky *flaky = (struct flaky *)backend;
    struct pk_error err = PK_ERROR_INIT;

    if (atomic_fetch_add(&flaky->called, 1) > 0) {
        flaky->inner->ops->call(flaky->inner, operation, request, cancel, response);
        return;
    }
    (void)pk_fail(&err, PK_E_UNREACHABLE, "it went away");
    cmd_response_fail_take(response, &err);
}

static void flaky_free(struct cmd_backend *backend)
{
    cmd_backend_free(((struct flaky *)backend)->inner);
}

static enum pk_code flaky_open(void *context, const atomic_bool *cancel,
                               struct cmd_backend **backend, struct pk_error *err)
{
    static const struct cmd_backend_ops ops = {.call = flaky_call, .free = flaky_free};
    struct flaky *flaky = context;

    (void)cancel;
    if (atomic_fetch_add(&flaky->opened, 1) < 2)
        return pk_fail(err, PK_E_UNREACHABLE, "nobody is there");
    flaky->inner = cmd_backend_local_new(flaky->engine);
    flaky->backend = (struct cmd_backend){.ops = &ops, .extensions = true};
    *backend = &flaky->backend;
    return PK_OK;
}

static bool is_connecting(const struct sh_feed_data *data)
{
    return pk_slice_is(data->trouble, "connecting: nobody is there");
}

static bool is_reconnecting(const struct sh_feed_data *data)
{
    return pk_slice_is(data->trouble, "reconnecting: it went away");
}

Test(feed, reconnects)
{
    const struct sh_needs needs = {.viewport = true, .ticket = 7, .rows = {.limit = 3}};
    struct command_fixture fx;
    struct flaky flaky = {.inner = NULL};
    const struct sh_feed_source source = {flaky_open, &flaky};
    struct sh_feed *feed;
    const struct sh_feed_data *data;

    command_open(&fx);
    command_seed(&fx);
    flaky.engine = fx.engine;
    feed = sh_feed_open_source(&source);
    want(feed, "dashboard", &needs);
    data = wait_for(feed, is_connecting);
    cr_expect_not(data->connected);
    sh_feed_data_unref(data);
    data = wait_for(feed, is_reconnecting);
    cr_expect_not(data->connected);
    sh_feed_data_unref(data);
    data = wait_for(feed, has_viewport);
    cr_expect(data->connected);
    sh_feed_data_unref(data);
    cr_expect_geq(atomic_load(&flaky.opened), 4);
    sh_feed_close(feed);
    command_close(&fx);
}

static const struct {
    const char *item, *text;
} items[] = {
    {"{a: 1, b: 'x', c: [1, 2], d: {e: null}}", "a: 1\nb: 'x'\nc: [1, 2]\nd: {'e': null}\n"},
    {"{a: ['0123456789012345678901234567890123456789', "
     "'0123456789012345678901234567890123456789']}",
     "a: [\n  '0123456789012345678901234567890123456789'\n"
     "  '0123456789012345678901234567890123456789'\n]\n"},
    {"{m: {k: <<'0123456789012345678901234567890123', '1123456789012345678901234567890123'>>}}",
     "m: {\n  k: <<\n    '0123456789012345678901234567890123'\n"
     "    '1123456789012345678901234567890123'\n  >>\n}\n"},
};

Test(feed, item_text)
{
    for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_buf out = PK_BUF_INIT;

        sh_item_text(&out, value_text_parse(&arena, items[i].item));
        cr_expect_str_eq(out.data, items[i].text);
        pk_buf_release(&out);
        pk_arena_release(&arena);
    }
}
