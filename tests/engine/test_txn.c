/* Batches and transactions: what is checked when, reasons, idempotency, conflicts. */
#include <criterion/criterion.h>

#include "engine/ops/core.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/value_text.h"

#define P "One or more parameter values were invalid: "

enum { ACTIONS_MAX = 8 };

struct txn_result {
    struct pk_transact_write_result write;
    struct pk_error err;
};

/* Runs the actions (up to the first without a table) as one transaction. */
static enum pk_code transact(struct engine_fixture *fx, const struct write_text *texts,
                             const char *token, unsigned char content,
                             struct pk_transact_write_result *result)
{
    struct pk_write writes[ACTIONS_MAX];
    struct pk_transact_write request = {.writes = writes, .token = pk_slice_cstr(token)};

    request.hash[0] = content;
    while (request.count < ACTIONS_MAX && texts[request.count].table != NULL) {
        writes[request.count] = engine_write_of(fx, &texts[request.count]);
        request.count++;
    }
    pk_error_release(&fx->err);
    return pk_engine_transact_write(fx->engine, &fx->call, &request, result, &fx->err);
}

/* "None, ConditionalCheckFailed: The conditional request failed" */
static const char *reasons(struct engine_fixture *fx)
{
    const char *text = "";

    for (size_t i = 0; i < fx->err.reason_count; i++) {
        const struct pk_cancel_reason *reason = &fx->err.reasons[i];

        text = engine_format(fx, "%s%s%s%s%s", text, i > 0 ? "; " : "", reason->code,
                             reason->message == NULL ? "" : ": ",
                             reason->message == NULL ? "" : reason->message);
    }
    return text;
}

static void open_tables(struct engine_fixture *fx)
{
    engine_open(fx);
    engine_table(fx, "A p:S; gsi g c:S keys");
    engine_table(fx, "B p:S r:N");
    engine_put(fx, "A", "{p: 'k', a: 5}");
}

#define PUT(t, i)                                                                                  \
    {                                                                                              \
        .kind = PK_WRITE_PUT, .table = (t), .item = (i)                                            \
    }
#define DELETE(t, i)                                                                               \
    {                                                                                              \
        .kind = PK_WRITE_DELETE, .table = (t), .item = (i)                                         \
    }
#define UPDATE(t, i, u)                                                                            \
    {                                                                                              \
        .kind = PK_WRITE_UPDATE, .table = (t), .item = (i), .update = (u)                          \
    }
#define CHECK(t, i, c)                                                                             \
    {                                                                                              \
        .kind = PK_WRITE_CHECK, .table = (t), .item = (i), .condition = (c)                        \
    }
#define MISMATCH "ValidationError: The provided key element does not match the schema"

static const struct row {
    struct write_text actions[4];
    enum pk_code code;
    const char *message; /* of a fault of the request */
    const char *reasons;
} rows[] = {
    {{PUT("A", "{p: 't'}"), UPDATE("A", "{p: 'k'}", "SET b = a"),
      CHECK("A", "{p: 'none'}", "attribute_not_exists(p)")},
     PK_OK,
     NULL,
     NULL},
    {{PUT("A", "{p: 't'}"), CHECK("A", "{p: 'k'}", "attribute_not_exists(p)")},
     PK_E_TXN_CANCELED,
     NULL,
     "None; ConditionalCheckFailed: The conditional request failed"},
    {{CHECK("A", "{p: 'k'}", "attribute_not_exists(p)"),
      CHECK("A", "{p: 'x'}", "attribute_exists(p)"), PUT("A", "{p: 'y'}")},
     PK_E_TXN_CANCELED,
     NULL,
     "ConditionalCheckFailed: The conditional request failed; ConditionalCheckFailed: The "
     "conditional request failed; None"},
    {{PUT("A", "{p: 1}")},
     PK_E_TXN_CANCELED,
     NULL,
     "ValidationError: " P "Type mismatch for key p expected: S actual: N"},
    {{CHECK("A", "{p: 'k'}", "attribute_not_exists(p)"), DELETE("B", "{p: 'k', r: 'x'}")},
     PK_E_TXN_CANCELED,
     NULL,
     "None; " MISMATCH},
    {{DELETE("B", "{}"), DELETE("B", "{p: 'k', r: 'x'}")},
     PK_E_TXN_CANCELED,
     NULL,
     MISMATCH "; None"},
    {{PUT("A", "{p: 'x', c: 5}")},
     PK_E_TXN_CANCELED,
     NULL,
     "ValidationError: " P "Type mismatch for Index Key c Expected: S Actual: N IndexName: g"},
    {{UPDATE("A", "{p: 'k'}", "SET c = a")},
     PK_E_TXN_CANCELED,
     NULL,
     "ValidationError: " P "Type mismatch for Index Key c Expected: S Actual: N IndexName: g"},
    {{UPDATE("A", "{p: 'k'}", "SET b = nope"), PUT("A", "{p: 't'}")},
     PK_E_TXN_CANCELED,
     NULL,
     "ValidationError: The provided expression refers to an attribute that does not exist in the "
     "item; None"},
    {{UPDATE("A", "{p: 'k'}", "SET p = a")},
     PK_E_TXN_CANCELED,
     NULL,
     "ValidationError: " P "Cannot update attribute p. This attribute is part of the key"},
    {{PUT("A", "{p: 'x'}"), DELETE("A", "{p: 'x'}")},
     PK_E_VALIDATION,
     "Transaction request cannot include multiple operations on one item",
     ""},
    {{DELETE("B", "{p: 'x', r: 1}"), DELETE("B", "{p: 'x', r: 1.0}"), DELETE("B", "{}")},
     PK_E_VALIDATION,
     "Transaction request cannot include multiple operations on one item",
     ""},
    {{PUT("A", "{p: ''}")},
     PK_E_VALIDATION,
     "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
     "contain an empty string value. Key: p",
     ""},
    {{PUT("A", "{p: 1}"), PUT("nope", "{p: 'x'}")},
     PK_E_NOT_FOUND,
     "Requested resource not found",
     ""},
    {{{.kind = PK_WRITE_PUT, .table = "A", .item = "{p: 'k'}", .insert = true}},
     PK_E_TXN_CANCELED,
     NULL,
     "DuplicateItem: Duplicate primary key exists in table"},
};

Test(txn, outcomes)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct engine_fixture fx;
        struct pk_transact_write_result result;

        open_tables(&fx);
        cr_expect_eq(transact(&fx, rows[i].actions, NULL, 0, &result), rows[i].code, "row %zu: %s",
                     i, engine_message(&fx));
        if (rows[i].message != NULL)
            cr_expect_str_eq(engine_message(&fx), rows[i].message, "row %zu", i);
        if (rows[i].reasons != NULL)
            cr_expect_str_eq(reasons(&fx), rows[i].reasons, "row %zu", i);
        /* All or nothing. */
        engine_read(&fx, &(struct read_text){.from = "A"});
        if (rows[i].code != PK_OK)
            cr_expect_str_eq(engine_items(&fx), "{a:5,p:'k'}\n", "row %zu", i);
        else
            cr_expect_str_eq(engine_items(&fx), "{a:5,b:5,p:'k'}\n{p:'t'}\n", "row %zu", i);
        engine_close(&fx);
    }
}

Test(txn, message_and_old_item)
{
    struct engine_fixture fx;
    struct pk_transact_write_result result;
    struct write_text actions[] = {
        PUT("A", "{p: 'n'}"), CHECK("A", "{p: 'k'}", "attribute_not_exists(p)"), {.table = NULL}};

    open_tables(&fx);
    actions[1].item_on_failure = true;
    cr_assert_eq(transact(&fx, actions, NULL, 0, &result), PK_E_TXN_CANCELED);
    cr_expect_str_eq(engine_message(&fx),
                     "Transaction cancelled, please refer cancellation reasons for specific "
                     "reasons [None, ConditionalCheckFailed]");
    cr_assert_eq(fx.err.reason_count, 2);
    cr_expect_null(fx.err.reasons[0].item);
    cr_expect_str_eq(value_text_print_view(&fx.arena, pk_slice_of(fx.err.reasons[1].item,
                                                                  fx.err.reasons[1].item_len)),
                     "{a:5,p:'k'}");
    engine_close(&fx);
}

/* Twice the units for the table and its LSIs, once for GSIs (indexes.md §5); reads 2 an item. */
Test(txn, costs)
{
    struct engine_fixture fx;
    struct pk_transact_write_result result;
    struct pk_transact_get_result read;
    const struct write_text two[] = {PUT("A", "{p: '1', c: 'x'}"),
                                     PUT("A", "{p: '2'}"),
                                     CHECK("B", "{p: 'k', r: 1}", "attribute_not_exists(p)"),
                                     {.table = NULL}};
    struct pk_get gets[2];

    open_tables(&fx);
    cr_assert_eq(transact(&fx, two, NULL, 0, &result), PK_OK);
    cr_assert_eq(result.cost_count, 2);
    cr_expect(pk_slice_is(result.costs[0].table, "A"));
    cr_expect_eq(result.costs[0].table_milli, 4000);
    cr_expect_eq(engine_index_cost(&result.costs[0], "g"), 1000);
    cr_expect_eq(pk_cost_total(&result.costs[1]), 2000);

    gets[0] = (struct pk_get){.table = PK_LIT("A"), .key = engine_value(&fx, "{p: '1'}")};
    gets[1] = (struct pk_get){.table = PK_LIT("A"), .key = engine_value(&fx, "{p: 'none'}")};
    cr_assert_eq(pk_engine_transact_get(fx.engine, &fx.call, gets, 2, &read, &fx.err), PK_OK);
    cr_expect_str_eq(value_text_print_view(&fx.arena, read.items[0]), "{c:'x',p:'1'}");
    cr_expect_str_eq(value_text_print_view(&fx.arena, read.items[1]), "MISSING");
    cr_expect_eq(pk_cost_total(&read.costs[0]), 4000);
    engine_close(&fx);
}

Test(txn, get_faults)
{
    struct engine_fixture fx;
    struct pk_transact_get_result read;
    struct pk_get gets[2] = {{.table = PK_LIT("A")}, {.table = PK_LIT("A")}};

    open_tables(&fx);
    gets[0].key = engine_value(&fx, "{p: 'k'}");
    gets[1].key = engine_value(&fx, "{p: 1}");
    cr_expect_eq(pk_engine_transact_get(fx.engine, &fx.call, gets, 2, &read, &fx.err),
                 PK_E_TXN_CANCELED);
    cr_expect_str_eq(reasons(&fx), "None; " MISMATCH);
    gets[1].key = gets[0].key;
    cr_expect_eq(pk_engine_transact_get(fx.engine, &fx.call, gets, 2, &read, &fx.err),
                 PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     "Transaction request cannot include multiple operations on one item");
    gets[1].table = PK_LIT("nope");
    cr_expect_eq(pk_engine_transact_get(fx.engine, &fx.call, gets, 2, &read, &fx.err),
                 PK_E_NOT_FOUND);
    engine_close(&fx);
}

/* Same token: no effect for ten minutes, whatever happens to the store meanwhile. */
Test(txn, idempotency)
{
    struct engine_fixture fx;
    struct pk_transact_write_result result;
    struct pk_clock *clock;
    const struct write_text actions[] = {{.kind = PK_WRITE_UPDATE,
                                          .table = "A",
                                          .item = "{p: 'k'}",
                                          .update = "SET a = a + :one",
                                          .values = "{one: 1}"},
                                         {.table = NULL}};

    open_tables(&fx);
    clock = pk_engine_clock(fx.engine);
    cr_assert_eq(transact(&fx, actions, "token", 1, &result), PK_OK);
    cr_expect_not(result.repeated);
    cr_expect_eq(pk_cost_total(&result.costs[0]), 2000);
    cr_expect(result.costs[0].write);
    cr_assert_eq(transact(&fx, actions, "token", 1, &result), PK_OK);
    cr_expect(result.repeated);
    cr_expect_not(result.costs[0].write, "read units");
    cr_expect_eq(pk_cost_total(&result.costs[0]), 2000);
    engine_get(&fx, "A", "{p: 'k'}");
    cr_expect_str_eq(engine_item(&fx), "{a:6,p:'k'}");
    cr_expect_eq(transact(&fx, actions, "token", 2, &result), PK_E_IDEMPOTENT_MISMATCH);
    cr_expect_str_eq(engine_message(&fx), "");
    cr_assert(pk_clock_set(clock, pk_clock_now(clock) + 10 * 60 * 1000 - 1));
    cr_assert_eq(transact(&fx, actions, "token", 1, &result), PK_OK);
    cr_expect(result.repeated);
    cr_assert(pk_clock_set(clock, pk_clock_now(clock) + 1));
    cr_assert_eq(transact(&fx, actions, "token", 2, &result), PK_OK);
    cr_expect_not(result.repeated);
    engine_get(&fx, "A", "{p: 'k'}");
    cr_expect_str_eq(engine_item(&fx), "{a:7,p:'k'}");
    engine_close(&fx);
}

static uint64_t stored_tokens(struct engine_fixture *fx)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    uint64_t n = 0;

    pk_layout_meta(&prefix, PK_META_IDEMPOTENCY, (pk_slice){NULL, 0});
    iter = pk_iter_new(pk_store_live(fx->engine->store),
                       pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter))
        n++;
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return n;
}

Test(txn, tokens_expire)
{
    struct engine_fixture fx;
    struct pk_transact_write_result result;
    const struct write_text actions[] = {PUT("A", "{p: 'k'}"), {.table = NULL}};
    const struct write_text bad[] = {CHECK("A", "{p: 'k'}", "attribute_not_exists(p)"),
                                     {.table = NULL}};
    struct pk_clock *clock;
    int64_t start;

    open_tables(&fx);
    clock = pk_engine_clock(fx.engine);
    start = pk_clock_now(clock);
    pk_engine_tick(fx.engine, start);
    cr_assert_eq(transact(&fx, actions, "first", 1, &result), PK_OK);
    cr_assert_eq(transact(&fx, bad, "failed", 1, &result), PK_E_TXN_CANCELED);
    cr_assert_eq(transact(&fx, actions, "failed", 2, &result), PK_OK, "a failed one leaves none");
    cr_assert(pk_clock_set(clock, start + 1000));
    cr_assert_eq(transact(&fx, actions, "second", 1, &result), PK_OK);
    cr_expect_eq(stored_tokens(&fx), 3);
    pk_engine_tick(fx.engine, start + 10 * 60 * 1000 - 1);
    cr_expect_eq(stored_tokens(&fx), 3);
    pk_engine_tick(fx.engine, start + 10 * 60 * 1000);
    cr_expect_eq(stored_tokens(&fx), 1);
    pk_engine_tick(fx.engine, start + 10 * 60 * 1000 + 1000);
    cr_expect_eq(stored_tokens(&fx), 0);
    engine_close(&fx);
}

/* A key that a transaction is at work on is a conflict; its neighbour on any stripe is not. */
Test(txn, conflicts)
{
    struct engine_fixture fx;
    struct pk_transact_write_result result;
    struct pk_write busy;
    struct pk_buf row = PK_BUF_INIT;
    pk_slice key;
    bool conflict = false;
    const struct write_text actions[] = {
        PUT("B", "{p: 'k', r: 2}"), PUT("B", "{p: 'k', r: 1}"), {.table = NULL}};
    struct pk_table *table;
    struct pk_item_key item_key;

    open_tables(&fx);
    table = pk_engine_table(fx.engine, PK_LIT("B"));
    busy = engine_write_of(&fx, &actions[1]);
    item_key.pk = pk_value_get(busy.item, PK_LIT("p"));
    item_key.sk = pk_value_get(busy.item, PK_LIT("r"));
    pk_layout_row(&row, table->id, &item_key);
    key = pk_buf_slice(&row);
    cr_assert(pk_inflight_enter(&fx.engine->inflight, &key, 1, &conflict));

    cr_expect_eq(engine_put(&fx, "B", "{p: 'k', r: 1}"), PK_E_TXN_CONFLICT);
    cr_expect_str_eq(engine_message(&fx), "Transaction is ongoing for the item");
    cr_expect_eq(engine_put(&fx, "B", "{p: 'k', r: 2}"), PK_OK);
    cr_expect_eq(transact(&fx, actions, NULL, 0, &result), PK_E_TXN_CANCELED);
    cr_expect_str_eq(reasons(&fx),
                     "None; TransactionConflict: Transaction is ongoing for the item");
    pk_inflight_leave(&fx.engine->inflight, &key, 1);
    cr_expect_eq(transact(&fx, actions, NULL, 0, &result), PK_OK);
    cr_expect_eq(engine_put(&fx, "B", "{p: 'k', r: 1}"), PK_OK, "nothing is left behind");
    pk_table_unref(table);
    pk_buf_release(&row);
    engine_close(&fx);
}

/* Several writes to one item collection in one transaction add up. */
Test(txn, collection_size)
{
    struct engine_fixture fx;
    struct pk_transact_write_result result;
    const struct write_text actions[] = {PUT("L", "{p: 'k', r: '1', a: 'A'}"),
                                         PUT("L", "{p: 'k', r: '2', a: 'A'}"),
                                         PUT("L", "{p: 'o', r: '1', a: 'A'}"),
                                         {.table = NULL}};

    engine_open(&fx);
    engine_table(&fx, "L p:S r:S; lsi l a:S keys");
    engine_set_collection_limit(&fx, 23);
    cr_expect_eq(transact(&fx, actions, NULL, 0, &result), PK_E_TXN_CANCELED);
    cr_expect_str_eq(reasons(&fx),
                     "None; ItemCollectionSizeLimitExceeded: Collection size exceeded.; None");
    engine_set_collection_limit(&fx, 24);
    cr_expect_eq(transact(&fx, actions, NULL, 0, &result), PK_OK);
    cr_expect_eq(result.writes[1].collection_bytes, 24);
    cr_expect_eq(result.writes[2].collection_bytes, 12);
    engine_close(&fx);
}

/* Batches --------------------------------------------------------------------------------------*/

static enum pk_code batch(struct engine_fixture *fx, const struct write_text *texts,
                          struct pk_batch_write_result *result)
{
    struct pk_write writes[ACTIONS_MAX];
    size_t count = 0;

    while (texts[count].table != NULL) {
        writes[count] = engine_write_of(fx, &texts[count]);
        count++;
    }
    pk_error_release(&fx->err);
    return pk_engine_batch_write(fx->engine, &fx->call, writes, count, result, &fx->err);
}

static const struct batch_row {
    struct write_text actions[4];
    enum pk_code code;
    const char *message;
} batch_rows[] = {
    {{PUT("A", "{p: 'b'}"), DELETE("A", "{p: 'k'}")}, PK_OK, ""},
    {{PUT("A", "{p: 'b'}"), DELETE("A", "{p: 'b'}")},
     PK_E_VALIDATION,
     "Provided list of item keys contains duplicates"},
    {{PUT("B", "{p: 'b', r: 1000}"), DELETE("B", "{p: 'b', r: 1e3}")},
     PK_E_VALIDATION,
     "Provided list of item keys contains duplicates"},
    {{PUT("A", "{p: 'b'}"), DELETE("A", "{p: 'b'}"), PUT("nope", "{p: 'b'}")},
     PK_E_NOT_FOUND,
     "Requested resource not found"},
    {{PUT("A", "{p: 'b'}"), PUT("A", "{x: 'b'}")},
     PK_E_VALIDATION,
     "The provided key element does not match the schema"},
    {{PUT("A", "{p: 5}")}, PK_E_VALIDATION, "The provided key element does not match the schema"},
    {{PUT("A", "{p: 'x', c: 5}")},
     PK_E_VALIDATION,
     P "Type mismatch for Index Key c Expected: S Actual: N IndexName: g"},
};

Test(batch, writes)
{
    for (size_t i = 0; i < sizeof(batch_rows) / sizeof(batch_rows[0]); i++) {
        struct engine_fixture fx;
        struct pk_batch_write_result result;

        open_tables(&fx);
        cr_expect_eq(batch(&fx, batch_rows[i].actions, &result), batch_rows[i].code, "row %zu", i);
        cr_expect_str_eq(engine_message(&fx), batch_rows[i].message, "row %zu", i);
        engine_read(&fx, &(struct read_text){.from = "A"});
        cr_expect_str_eq(engine_items(&fx),
                         batch_rows[i].code == PK_OK ? "{p:'b'}\n" : "{a:5,p:'k'}\n", "row %zu", i);
        engine_close(&fx);
    }
}

/* 43 items of 390,000 bytes fit into the 16 MB of a reply (operations.md §5). */
Test(batch, gets)
{
    enum { COUNT = 45 };
    struct engine_fixture fx;
    struct pk_get gets[COUNT + 2];
    struct pk_batch_get_result result;

    open_tables(&fx);
    for (int i = 0; i < COUNT; i++) {
        const char *text = engine_text(&fx, 390000 - 9); /* p 1, r 1 and 4, v 1, key 2 */

        cr_assert_eq(
            engine_put(&fx, "B", engine_format(&fx, "{p: '%02d', r: 1001.5, v: %s}", i, text)),
            PK_OK);
        gets[i + 1] = (struct pk_get){
            .table = PK_LIT("B"),
            .key = engine_value(&fx, engine_format(&fx, "{p: '%02d', r: 1001.5}", i))};
    }
    gets[0] = (struct pk_get){.table = PK_LIT("A"), .key = engine_value(&fx, "{p: 'none'}")};
    gets[COUNT + 1] = gets[1];
    cr_assert_eq(pk_engine_batch_get(fx.engine, &fx.call, gets, COUNT + 2, &result, &fx.err),
                 PK_OK);
    cr_expect_not(result.entries[0].unprocessed);
    cr_expect_eq(result.entries[0].item.len, 0);
    cr_expect(result.entries[43].item.len > 0 && !result.entries[43].unprocessed);
    cr_expect(result.entries[44].unprocessed && result.entries[45].unprocessed);
    cr_expect_eq(result.cost_count, 2);
    cr_expect_eq(pk_cost_total(&result.costs[0]), 500);
    cr_expect_eq(pk_cost_total(&result.costs[1]), 43 * 96 * 500);
    gets[0].key = engine_value(&fx, "{}");
    cr_expect_eq(pk_engine_batch_get(fx.engine, &fx.call, gets, 2, &result, &fx.err),
                 PK_E_VALIDATION);
    engine_close(&fx);
}

/* Two spellings of one number pass the API's check for duplicates: the item comes once. */
Test(batch, get_repeated)
{
    struct engine_fixture fx;
    struct pk_get gets[2] = {{.table = PK_LIT("B")}, {.table = PK_LIT("B")}};
    struct pk_batch_get_result result;

    open_tables(&fx);
    engine_put(&fx, "B", "{p: 'k', r: 1000}");
    gets[0].key = engine_value(&fx, "{p: 'k', r: 1000}");
    gets[1].key = engine_value(&fx, "{p: 'k', r: 1e3}");
    cr_assert_eq(pk_engine_batch_get(fx.engine, &fx.call, gets, 2, &result, &fx.err), PK_OK);
    cr_expect_gt(result.entries[0].item.len, 0);
    cr_expect_eq(result.entries[1].item.len, 0);
    cr_expect_eq(pk_cost_total(&result.costs[0]), 500);
    engine_close(&fx);
}
