/*
 * PartiQL on arbitrary text: lexer, parser, planner, explanation and native request, then the
 * statement itself, page by page, with a parameter for each '?'. What the planner refuses for a
 * statement without parameters, ExecuteStatement refuses too; a read that works as a statement
 * works as the native request that explain shows.
 */
#include <cjson/cJSON.h>
#include <stdint.h>

#include "commands/cmd_partiql.h"
#include "commands/partiql/partiql_exec.h"
#include "commands/settings.h"
#include "engine/base/utf8.h"
#include "tests/fuzz/fuzz_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PARAMETERS_MAX = 16, PAGES_MAX = 3 };

/* ---- the plan -------------------------------------------------------------------------------- */

/* Conditions of the plan are tested on an item, so that evaluation sees every shape of tree. */
static void test_item(const struct partiql_plan *plan, struct pk_arena *arena)
{
    struct pk_member members[] = {
        {{"l", 1}, pk_value_list(NULL, 0)},
        {{"pk", 2}, pk_value_string(PK_LIT("a"))},
        {{"sk", 2}, pk_value_int(arena, 1)},
    };
    pk_view item = pk_view_of(arena, pk_value_map(members, 3));
    struct pk_buf out = PK_BUF_INIT;

    if (plan->filter != NULL)
        (void)pk_expr_test(plan->filter, item);
    if (plan->condition != NULL)
        (void)pk_expr_test(plan->condition, item);
    for (size_t i = 0; i < plan->group_count; i++) {
        if (plan->groups[i].filter != NULL)
            (void)pk_expr_test(plan->groups[i].filter, item);
    }
    partiql_row(plan, item, &out);
    pk_buf_release(&out);
}

/* Runs a native request; returns its code. */
static enum pk_code run_native(struct fuzz_store *store, const char *operation, const cJSON *native)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    char *body = cJSON_PrintUnformatted(native);
    enum pk_code code;

    fuzz_store_call(&store->backend, pk_slice_cstr(operation), pk_slice_cstr(body), NULL,
                    &response);
    code = response.code;
    if (code == PK_E_SERIALIZATION)
        pk_bug("%s is no request: %s", operation, body);
    cJSON_free(body);
    cmd_response_release(&response);
    return code;
}

/* ---- the statement --------------------------------------------------------------------------- */

static void add_parameters(cJSON *request, pk_slice text)
{
    static const char *const values[] = {
        "{\"S\":\"a\"}",           "{\"N\":\"1\"}",          "{\"S\":\"b\"}",    "{\"BOOL\":true}",
        "{\"L\":[{\"N\":\"2\"}]}", "{\"SS\":[\"a\",\"b\"]}", "{\"B\":\"AA==\"}", "{\"NULL\":true}",
    };
    cJSON *list = NULL;

    for (size_t i = 0, n = 0; i < text.len && n < PARAMETERS_MAX; i++) {
        if (text.data[i] != '?')
            continue;
        if (list == NULL)
            list = cJSON_AddArrayToObject(request, "Parameters");
        cJSON_AddItemToArray(list, cJSON_CreateRaw(values[n++ % 8]));
    }
}

/* Paths below key attributes are looked at by the engine only, so explain does not see them. */
static bool is_engine_only(const struct cmd_response *response)
{
    return strstr(response->body.data, "Key attributes must be scalars") != NULL;
}

/* Of the statement's first page. */
struct outcome {
    enum pk_code code;
    bool engine_only;
};

/* Runs the statement with two items a page. */
static struct outcome execute(struct fuzz_store *store, const char *text)
{
    cJSON *request = cJSON_CreateObject();
    struct outcome first = {PK_OK, false};

    cJSON_AddStringToObject(request, "Statement", text);
    cJSON_AddStringToObject(request, "ReturnConsumedCapacity", "INDEXES");
    cJSON_AddNumberToObject(request, "Limit", 2);
    add_parameters(request, pk_slice_cstr(text));
    for (int page = 0; page < PAGES_MAX; page++) {
        struct cmd_response response = CMD_RESPONSE_INIT;
        char *body = cJSON_PrintUnformatted(request);
        cJSON *answer, *token;

        fuzz_store_call(&store->backend, PK_LIT("ExecuteStatement"), pk_slice_cstr(body), NULL,
                        &response);
        if (page == 0)
            first = (struct outcome){response.code, is_engine_only(&response)};
        else if (response.code != PK_OK)
            pk_bug("a page token is refused: %s", response.body.data);
        answer = cJSON_Parse(response.body.data);
        token = cJSON_DetachItemFromObjectCaseSensitive(answer, "NextToken");
        cJSON_DeleteItemFromObjectCaseSensitive(request, "NextToken");
        if (token == NULL)
            page = PAGES_MAX;
        else
            cJSON_AddItemToObject(request, "NextToken", token);
        cJSON_Delete(answer);
        cJSON_free(body);
        cmd_response_release(&response);
    }
    cJSON_Delete(request);
    return first;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void compare(struct fuzz_store *store, const struct partiql_explanation *explanation,
                    enum pk_code executed, struct pk_arena *arena)
{
    for (size_t i = 0; i < explanation->requests && i < PARAMETERS_MAX; i++) {
        cJSON *native = NULL;
        const char *operation = partiql_native_request(explanation, i, arena, &native);

        if (run_native(store, operation, native) != PK_OK && executed == PK_OK &&
            !explanation->writes && explanation->native_note == NULL)
            pk_bug("the statement reads, its %s does not", operation);
        cJSON_Delete(native);
    }
    test_item(explanation->plan, arena);
}

/* The planner and ExecuteStatement agree, as far as no item decides. (EXISTS is for transactions.)
 */
static void check_agree(const struct partiql_explanation *explanation, enum pk_code planned,
                        struct outcome executed, const struct pk_error *err)
{
    bool reads = planned == PK_OK && explanation->plan->statement->kind == PQ_SELECT;

    if (reads && executed.code != PK_OK && !executed.engine_only)
        pk_bug("a read that can be planned fails: %s", pk_code_name(executed.code));
    if (planned != PK_OK && executed.code == PK_OK)
        pk_bug("the planner refuses what works: %s", err->message);
}

static void try_statement(struct fuzz_store *store, struct cmd_context *context, const char *text)
{
    struct partiql_schema_source schema = cmd_partiql_schema(context);
    struct partiql_explanation explanation;
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    size_t size = strlen(text);
    enum pk_code planned =
        partiql_explain(&schema, pk_slice_cstr(text), &arena, &explanation, &err);
    struct outcome executed = execute(store, text);

    if (planned == PK_OK && !pk_utf8_valid(pk_slice_cstr(text)))
        test_item(explanation.plan, &arena); /* no request holds it */
    else if (planned == PK_OK)
        compare(store, &explanation, executed.code, &arena);
    else if (err.message == NULL || err.span.start > size || err.span.len > size)
        pk_bug("a failure says what and where");
    if (strchr(text, '?') == NULL && pk_utf8_valid(pk_slice_cstr(text)))
        check_agree(&explanation, planned, executed, &err);
    pk_error_release(&err);
    pk_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_store store;
    struct cmd_settings settings;
    struct cmd_context context;
    char *text = pk_memdup_cstr((const char *)data, size);

    fuzz_store_ready(&store);
    cmd_settings_init(&settings);
    cmd_context_init(&context, &store.backend, store.engine);
    context.settings = &settings;
    try_statement(&store, &context, text);
    cmd_context_release(&context);
    free(text);
    fuzz_store_reset(&store);
    return 0;
}
