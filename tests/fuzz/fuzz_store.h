/*
 * The store behind the targets that run operations: an engine in memory, made once, and a backend
 * on it that holds every answer against what an answer may be.
 *
 * Every input meets the same store, so that a crash file by itself repeats the crash: what an input
 * has written is checked (rows, index rows and counters agree), then dropped and made anew. Now and
 * then the engine itself is replaced, because dropped tables leave their bytes behind.
 *
 * libFuzzer's own search for leaks is of no use here (an engine keeps what it allocates): these
 * targets run with -detect_leaks=0, and leaks are looked for when the engine is replaced.
 *
 * In a header, because every tests/fuzz/fuzz_*.c is a program of its own.
 */
#ifndef TESTS_FUZZ_STORE_H
#define TESTS_FUZZ_STORE_H

#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/api/api_json.h"
#include "commands/backend.h"
#include "engine/engine.h"

enum {
    FUZZ_STORE_USES = 100,      /* resets before the engine is replaced */
    FUZZ_STORE_STEP_MS = 660000 /* a reset moves the clock on: idempotency tokens are forgotten */
};

/* Four tables: one with every kind of index (that of tests/vectors/partiql.jsonl), one with a plain
 * key, one with a binary key, one of the statements' tests. Quotes are single ones, to be read. */
static const struct fuzz_request {
    const char *operation;
    const char *body;
} fuzz_store_seeds[] = {
    {"CreateTable",
     "{'TableName':'tbl','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':["
     "{'AttributeName':'pk','AttributeType':'S'},{'AttributeName':'sk','AttributeType':'N'},"
     "{'AttributeName':'g','AttributeType':'S'},{'AttributeName':'h','AttributeType':'N'},"
     "{'AttributeName':'c','AttributeType':'S'},{'AttributeName':'d','AttributeType':'S'}],"
     "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
     "{'AttributeName':'sk','KeyType':'RANGE'}],'GlobalSecondaryIndexes':["
     "{'IndexName':'gsi','KeySchema':[{'AttributeName':'g','KeyType':'HASH'},"
     "{'AttributeName':'h','KeyType':'RANGE'}],'Projection':{'ProjectionType':'ALL'}},"
     "{'IndexName':'gsk','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],"
     "'Projection':{'ProjectionType':'KEYS_ONLY'}},"
     "{'IndexName':'multi','KeySchema':[{'AttributeName':'g','KeyType':'HASH'},"
     "{'AttributeName':'c','KeyType':'RANGE'},{'AttributeName':'d','KeyType':'RANGE'}],"
     "'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['l']}}],"
     "'LocalSecondaryIndexes':[{'IndexName':'lsi','KeySchema':["
     "{'AttributeName':'pk','KeyType':'HASH'},{'AttributeName':'c','KeyType':'RANGE'}],"
     "'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['x']}}]}"},
    {"CreateTable", "{'TableName':'one','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':["
                    "{'AttributeName':'p','AttributeType':'S'}],'KeySchema':["
                    "{'AttributeName':'p','KeyType':'HASH'}]}"},
    {"CreateTable",
     "{'TableName':'two','ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':5},"
     "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'B'},"
     "{'AttributeName':'r','AttributeType':'S'}],'KeySchema':["
     "{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'r','KeyType':'RANGE'}]}"},
    {"CreateTable",
     "{'TableName':'dashboard','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':["
     "{'AttributeName':'PK','AttributeType':'S'},{'AttributeName':'SK','AttributeType':'S'}],"
     "'KeySchema':[{'AttributeName':'PK','KeyType':'HASH'},"
     "{'AttributeName':'SK','KeyType':'RANGE'}]}"},
    {"PutItem",
     "{'TableName':'tbl','Item':{'pk':{'S':'a'},'sk':{'N':'1'},'g':{'S':'x'},'h':{'N':'5'},"
     "'c':{'S':'one'},'d':{'S':'d'},'x':{'N':'7'},'n':{'N':'-1.50'},'b':{'B':'AP8='},"
     "'t':{'BOOL':true},'u':{'NULL':true},'l':{'L':[{'N':'1'},{'S':'two'},{'L':[]}]},"
     "'m':{'M':{'x':{'N':'1'},'y':{'M':{'z':{'S':'deep'}}}}},'ss':{'SS':['a','b']},"
     "'ns':{'NS':['1','2.5']},'bs':{'BS':['AQ==']}}}"},
    {"PutItem",
     "{'TableName':'tbl','Item':{'pk':{'S':'a'},'sk':{'N':'2'},'g':{'S':'x'},'h':{'N':'-5'},"
     "'c':{'S':'two'},'n':{'N':'10'}}}"},
    {"PutItem", "{'TableName':'tbl','Item':{'pk':{'S':'a'},'sk':{'N':'-3'}}}"},
    {"PutItem", "{'TableName':'tbl','Item':{'pk':{'S':'b'},'sk':{'N':'1'},'g':{'S':'y'},"
                "'s':{'S':'a\\u0000\\u001b[31m\\u202e'}}}"},
    {"PutItem",
     "{'TableName':'one','Item':{'p':{'S':'k'},'a':{'N':'5'},'s':{'S':'hello'},'b':{'B':'AQID'},"
     "'ss':{'SS':['a','b']},'ns':{'NS':['1','2']},'l':{'L':[{'N':'1'},{'S':'two'},"
     "{'M':{'x':{'N':'3'}}}]},'m':{'M':{'x':{'N':'1'},'y':{'L':[{'S':'q'}]}}}}}"},
    {"PutItem", "{'TableName':'two','Item':{'p':{'B':'AA=='},'r':{'S':'r'}}}"},
    {"PutItem", "{'TableName':'dashboard','Item':{'PK':{'S':'USER#123'},'SK':{'S':'PROFILE'},"
                "'name':{'S':'Alice'}}}"},
    {"PutItem", "{'TableName':'dashboard','Item':{'PK':{'S':'USER#123'},'SK':{'S':'ORDER#1001'},"
                "'total':{'N':'45'}}}"},
    {"PutItem", "{'TableName':'dashboard','Item':{'PK':{'S':'USER#999'},'SK':{'S':'PROFILE'},"
                "'name':{'S':'Bob'}}}"},
};

/* Tables and the names of their key attributes. */
static const struct fuzz_table {
    const char *name;
    const char *key[2];
    size_t key_count;
} fuzz_store_tables[] = {
    {"tbl", {"pk", "sk"}, 2},
    {"one", {"p", NULL}, 1},
    {"two", {"p", "r"}, 2},
    {"dashboard", {"PK", "SK"}, 2},
};
enum { FUZZ_STORE_TABLES = sizeof(fuzz_store_tables) / sizeof(*fuzz_store_tables) };

struct fuzz_store {
    struct cmd_backend backend; /* first: a backend is cast back to its struct fuzz_store */
    struct cmd_backend *local;
    struct pk_engine *engine;
    struct pk_arena arena;                         /* of the next */
    struct pk_value_vec seeded[FUZZ_STORE_TABLES]; /* what the tables hold before each input */
    unsigned item_calls; /* operations that read or write items; counted for the target */
    unsigned uses;       /* resets of this engine */
    bool dirty;          /* something was written since the last one */
    bool defined;        /* … a table was made */
    bool redefined;      /* … one was changed or deleted */
    bool set;            /* … settings of the simulation were */
};

/* ---- what an answer may be ------------------------------------------------------------------- */

/* own: the operation is one of ours, which may say that a value is none. */
static inline void fuzz_store_check_error(const struct cmd_response *response, bool own,
                                          const struct cJSON *root, struct pk_arena *arena)
{
    pk_slice type = api_json_text(arena, api_json_member(root, "__type"));
    pk_slice expected = pk_arena_printf(arena, "%s#%s", pk_code_namespace(response->code),
                                        pk_code_name(response->code));

    if (!pk_slice_equal(type, expected))
        pk_bug("the error's type is %.*s, not %.*s", PK_FMT(type), PK_FMT(expected));
    if (response->code == PK_E_INTERNAL ||
        (strcmp(pk_code_namespace(response->code), "pksk") == 0 &&
         !(own && response->code == PK_E_USAGE)))
        pk_bug("an input leads to %.*s", PK_FMT(pk_buf_slice(&response->body)));
}

static inline void fuzz_store_check_response(const struct cmd_response *response,
                                             pk_slice operation, pk_slice request)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    const struct cJSON *root;

    if (response->http != (response->code == PK_OK ? 200 : pk_code_http(response->code)))
        pk_bug("HTTP status %d for %s", response->http, pk_code_name(response->code));
    if (api_json_parse(&arena, pk_buf_slice(&response->body), &root, &err) != PK_OK ||
        api_json_kind(root) != API_JSON_OBJECT)
        pk_bug("the answer is no JSON object (%s): %.*s", err.hint == NULL ? "" : err.hint,
               PK_FMT(pk_buf_slice(&response->body)));
    if (response->code != PK_OK)
        fuzz_store_check_error(response, pk_slice_starts(operation, PK_LIT("Pksk.")), root, &arena);
    if (response->has_span && response->span.start + (size_t)response->span.len > request.len)
        pk_bug("the span is %u+%u of a request of %zu bytes", response->span.start,
               response->span.len, request.len);
    pk_arena_release(&arena);
}

/* ---- the backend ----------------------------------------------------------------------------- */

static inline bool fuzz_store_only_reads(pk_slice operation)
{
    static const char *const prefixes[] = {
        "Get",
        "BatchGet",
        "TransactGet",
        "Query",
        "Scan",
        "Describe",
        "List",
        "Pksk.Where",
        "Pksk.Collections",
        "Pksk.Sample",
        "Pksk.Check",
        "Pksk.TableStats",
        "Pksk.GetAttachment",
        "Pksk.IndexLag",
    };

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
        if (pk_slice_starts(operation, pk_slice_cstr(prefixes[i])))
            return true;
    }
    return false;
}

static inline bool fuzz_store_is_item_call(pk_slice operation)
{
    static const char *const prefixes[] = {"GetItem",    "PutItem",  "UpdateItem",
                                           "DeleteItem", "Query",    "Scan",
                                           "Batch",      "Transact", "Execute"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
        if (pk_slice_starts(operation, pk_slice_cstr(prefixes[i])))
            return true;
    }
    return false;
}

/* Remembers what the operation makes a reset do. */
static inline void fuzz_store_note(struct fuzz_store *store, pk_slice operation)
{
    static const char *const redefining[] = {"UpdateTable", "DeleteTable",   "UpdateTimeToLive",
                                             "TagResource", "UntagResource", "Pksk.PutAttachment"};

    store->dirty = true;
    store->defined = store->defined || pk_slice_is(operation, "CreateTable");
    if (pk_slice_is(operation, "Pksk.Clock"))
        store->uses = FUZZ_STORE_USES; /* a clock goes forward only */
    store->set = store->set || pk_slice_is(operation, "Pksk.Settings");
    for (size_t i = 0; i < sizeof(redefining) / sizeof(*redefining); i++)
        store->redefined = store->redefined || pk_slice_is(operation, redefining[i]);
}

static inline void fuzz_store_call(struct cmd_backend *backend, pk_slice operation,
                                   pk_slice request, const atomic_bool *cancel,
                                   struct cmd_response *response)
{
    struct fuzz_store *store = (struct fuzz_store *)backend;

    store->item_calls += fuzz_store_is_item_call(operation);
    store->local->ops->call(store->local, operation, request, cancel, response);
    fuzz_store_check_response(response, operation, request);
    /* A batch that fails may have written a part. */
    if (!fuzz_store_only_reads(operation) &&
        (response->code == PK_OK || pk_slice_starts(operation, PK_LIT("Batch"))))
        fuzz_store_note(store, operation);
}

/* Runs one operation for nothing but its checks. */
static inline void fuzz_store_run(struct fuzz_store *store, pk_slice operation, pk_slice request)
{
    struct cmd_response response = CMD_RESPONSE_INIT;

    fuzz_store_call(&store->backend, operation, request, NULL, &response);
    cmd_response_release(&response);
}

/* Runs one of our own, which must succeed. */
static inline void fuzz_store_must(struct fuzz_store *store, pk_slice operation, pk_slice request)
{
    struct cmd_response response = CMD_RESPONSE_INIT;

    fuzz_store_call(&store->backend, operation, request, NULL, &response);
    if (response.code != PK_OK)
        pk_bug("%.*s is refused: %s: %s", PK_FMT(operation), request.data, response.body.data);
    cmd_response_release(&response);
}

/* ---- one life -------------------------------------------------------------------------------- */

static inline void fuzz_store_open(struct fuzz_store *store)
{
    static const struct cmd_backend_ops ops = {.call = fuzz_store_call};
    struct pk_engine_options options = {.memory = true, .no_ticker = true};
    struct pk_error err = PK_ERROR_INIT;

    if (pk_engine_open(&options, &store->engine, &err) != PK_OK)
        pk_bug("the engine does not open: %s", err.message);
    pk_clock_pause(pk_engine_clock(store->engine));
    store->local = cmd_backend_local_new(store->engine);
    store->backend.ops = &ops;
    store->uses = 0;
}

struct fuzz_scan {
    struct pk_arena *arena;
    struct pk_value_vec items;
};

static inline enum pk_code fuzz_store_collect(void *context, pk_view item, struct pk_error *err)
{
    struct fuzz_scan *scan = (struct fuzz_scan *)context;

    (void)err;
    pk_value_vec_add(&scan->items, scan->arena, pk_view_decode(scan->arena, item));
    return PK_OK;
}

/* What the table holds, in the arena. One page is enough for what inputs write. */
static inline struct pk_value_vec fuzz_store_items(struct fuzz_store *store, pk_slice table,
                                                   struct pk_arena *arena)
{
    struct fuzz_scan scan = {.arena = arena};
    struct pk_error err = PK_ERROR_INIT;
    struct pk_call call = {.arena = arena};
    struct pk_read read = {.table = table, .sink = {fuzz_store_collect, &scan}};
    struct pk_read_result result;

    if (pk_engine_scan(store->engine, &call, &read, &result, &err) != PK_OK)
        pk_bug("table '%.*s' cannot be scanned: %s", PK_FMT(table), err.message);
    return scan.items;
}

static inline void fuzz_store_seed(struct fuzz_store *store)
{
    for (size_t i = 0; i < sizeof(fuzz_store_seeds) / sizeof(*fuzz_store_seeds); i++) {
        const struct fuzz_request *seed = &fuzz_store_seeds[i];
        char *body = pk_memdup_cstr(seed->body, strlen(seed->body));

        for (char *quote = body; (quote = strchr(quote, '\'')) != NULL;)
            *quote = '"';
        fuzz_store_must(store, pk_slice_cstr(seed->operation), pk_slice_cstr(body));
        free(body);
    }
    pk_arena_clear(&store->arena);
    for (size_t i = 0; i < FUZZ_STORE_TABLES; i++)
        store->seeded[i] =
            fuzz_store_items(store, pk_slice_cstr(fuzz_store_tables[i].name), &store->arena);
    store->dirty = store->defined = store->redefined = store->set = false;
}

/* Opens and fills the store when that has not been done. */
static inline void fuzz_store_ready(struct fuzz_store *store)
{
    if (store->engine != NULL)
        return;
    fuzz_store_open(store);
    fuzz_store_seed(store);
}

static inline void fuzz_store_fault(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

static inline void fuzz_store_check(struct fuzz_store *store)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_call call = {.arena = &arena};
    struct pk_check_report report = {fuzz_store_fault, NULL};
    struct pk_check_result result;

    if (pk_engine_check(store->engine, &call, report, &result, &err) != PK_OK)
        pk_bug("check fails: %s", err.message);
    if (result.faults > 0)
        pk_bug("check finds %llu faults", (unsigned long long)result.faults);
    pk_arena_release(&arena);
}

/* Lets simulated time pass, and does what is due: indexes are filled, items expire, idempotency
 * tokens are forgotten, dropped tables deleted. */
static inline void fuzz_store_pass(struct fuzz_store *store, int64_t ms)
{
    struct pk_clock *clock = pk_engine_clock(store->engine);
    int64_t now = pk_clock_now(clock) + ms;

    if (ms > 0 && !pk_clock_set(clock, now))
        return; /* the end of time: an input has moved it */
    while (pk_engine_tick(store->engine, now))
        continue;
}

/* ---- back to the beginning ------------------------------------------------------------------- */

static inline bool fuzz_store_is_seeded(pk_slice name)
{
    for (size_t i = 0; i < FUZZ_STORE_TABLES; i++) {
        if (pk_slice_is(name, fuzz_store_tables[i].name))
            return true;
    }
    return false;
}

static inline void fuzz_store_drop(struct fuzz_store *store, pk_slice name)
{
    struct pk_buf body = PK_BUF_INIT;

    pk_buf_printf(&body, "{\"TableName\":\"%.*s\",\"DeletionProtectionEnabled\":false}",
                  PK_FMT(name));
    fuzz_store_run(store, PK_LIT("UpdateTable"), pk_buf_slice(&body));
    pk_buf_clear(&body);
    pk_buf_printf(&body, "{\"TableName\":\"%.*s\"}", PK_FMT(name));
    fuzz_store_must(store, PK_LIT("DeleteTable"), pk_buf_slice(&body));
    pk_buf_release(&body);
}

/* Names of the tables, in the arena. */
static inline struct pk_value_vec fuzz_store_names(struct fuzz_store *store, struct pk_arena *arena)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_value_vec names = {0};
    const struct cJSON *root, *name;

    fuzz_store_call(&store->backend, PK_LIT("ListTables"), PK_LIT("{}"), NULL, &response);
    if (api_json_parse(arena, pk_buf_slice(&response.body), &root, &err) != PK_OK)
        pk_bug("the tables cannot be listed");
    name = api_json_first(api_json_member(root, "TableNames"));
    for (; name != NULL; name = api_json_next(name))
        pk_value_vec_add(&names, arena, pk_value_string(api_json_text(arena, name)));
    cmd_response_release(&response);
    return names;
}

/* Drops the tables that the input has made, and with `all` the others too. */
static inline void fuzz_store_drop_tables(struct fuzz_store *store, bool all)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_value_vec names = fuzz_store_names(store, &arena);

    for (size_t i = 0; i < names.len; i++) {
        if (all || !fuzz_store_is_seeded(pk_value_bytes(names.data[i])))
            fuzz_store_drop(store, pk_value_bytes(names.data[i]));
    }
    pk_arena_release(&arena);
}

static inline bool fuzz_store_holds(const struct pk_value_vec *items, pk_value item)
{
    for (size_t i = 0; i < items->len; i++) {
        if (pk_value_equal(items->data[i], item))
            return true;
    }
    return false;
}

static inline void fuzz_store_write(struct fuzz_store *store, struct pk_call *call,
                                    const struct pk_write *write)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_write_result result;

    if (pk_engine_write(store->engine, call, write, &result, &err) != PK_OK)
        pk_bug("table '%.*s' is not restored: %s", PK_FMT(write->table), err.message);
}

static inline pk_value fuzz_store_key(const struct fuzz_table *table, struct pk_arena *arena,
                                      pk_value item)
{
    struct pk_member *members = PK_NEW_ARRAY(arena, struct pk_member, table->key_count);

    for (size_t i = 0; i < table->key_count; i++) {
        members[i].name = pk_slice_cstr(table->key[i]);
        members[i].value = pk_value_get(item, members[i].name);
    }
    return pk_value_map(members, table->key_count);
}

/* Makes the table hold what it held after seeding. */
static inline void fuzz_store_restore(struct fuzz_store *store, size_t which)
{
    const struct fuzz_table *table = &fuzz_store_tables[which];
    const struct pk_value_vec *seeded = &store->seeded[which];
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_call call = {.arena = &arena};
    struct pk_write write = {.kind = PK_WRITE_DELETE, .table = pk_slice_cstr(table->name)};
    struct pk_value_vec now = fuzz_store_items(store, write.table, &arena);

    for (size_t i = 0; i < now.len; i++) {
        if (!fuzz_store_holds(seeded, now.data[i])) {
            write.item = fuzz_store_key(table, &arena, now.data[i]);
            fuzz_store_write(store, &call, &write);
        }
    }
    write.kind = PK_WRITE_PUT;
    for (size_t i = 0; i < seeded->len; i++) {
        write.item = seeded->data[i];
        if (!fuzz_store_holds(&now, write.item))
            fuzz_store_write(store, &call, &write);
    }
    pk_arena_release(&arena);
}

static inline void fuzz_store_unset(struct fuzz_store *store)
{
    struct pk_sim_settings settings = pk_sim_settings_aws();
    struct pk_error err = PK_ERROR_INIT;

    if (pk_engine_set_settings(store->engine, &settings, &err) != PK_OK)
        pk_bug("the settings are refused: %s", err.message);
}

/* What an input has written is checked and taken back. Nothing of the store may be held here. */
static inline void fuzz_store_reset(struct fuzz_store *store)
{
    bool redefined = store->redefined;

    if (!store->dirty)
        return;
    fuzz_store_pass(store, 0);
    fuzz_store_check(store);
    if (++store->uses > FUZZ_STORE_USES) {
        cmd_backend_free(store->local);
        pk_engine_close(store->engine);
        if (__lsan_do_recoverable_leak_check() != 0)
            pk_bug("one of the last %d inputs leaks", FUZZ_STORE_USES);
        fuzz_store_open(store);
        redefined = true;
    } else if (store->defined || redefined) {
        fuzz_store_drop_tables(store, redefined);
    }
    if (store->set)
        fuzz_store_unset(store);
    fuzz_store_pass(store, FUZZ_STORE_STEP_MS);
    if (redefined)
        fuzz_store_seed(store);
    for (size_t i = 0; !redefined && i < FUZZ_STORE_TABLES; i++)
        fuzz_store_restore(store, i);
    store->dirty = store->defined = store->redefined = store->set = false;
}

#endif
