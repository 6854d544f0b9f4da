/*
 * begin … commit | rollback. PartiQL becomes ExecuteTransaction; put, edit, del and check become
 * TransactWriteItems; get becomes TransactGetItems. An action that could not even be built is
 * refused at its line and leaves the transaction as it was; whatever commit answers ends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "commands/args.h"
#include "commands/cmd_partiql.h"
#include "commands/entries.h"
#include "commands/page.h"
#include "commands/txn.h"
#include "commands/wire.h"

void cmd_txn_free(struct cmd_transaction *txn)
{
    if (txn == NULL)
        return;
    cJSON_Delete(txn->actions);
    pk_arena_release(&txn->arena);
    free(txn);
}

static void end_transaction(struct cmd_context *context)
{
    cmd_txn_free(context->txn);
    context->txn = NULL;
}

/* ---- begin ----------------------------------------------------------------------------------- */

static enum pk_code begin_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    enum { TOKEN_MAX = 36 }; /* of ClientRequestToken (operations.md §7) */
    struct cmd_words words;
    struct pk_span span;
    pk_slice token = {NULL, 0};
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && context->txn != NULL)
        rc = pk_fail(err, PK_E_USAGE, "a transaction is open already: commit or rollback ends it");
    if (rc == PK_OK && cmd_words_is(&words, "token")) {
        rc = cmd_words_next(&words, err);
        span = words.token.span;
        if (rc == PK_OK)
            rc = cmd_words_take(&words, "the token's text", &token, err);
        if (rc == PK_OK && (token.len == 0 || token.len > TOKEN_MAX))
            rc = pk_fail_at(err, PK_E_USAGE, span, "a token has 1 to %d characters", TOKEN_MAX);
    }
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    context->txn = pk_calloc(1, sizeof(*context->txn));
    context->txn->actions = cJSON_CreateArray();
    if (token.data != NULL)
        context->txn->token = pk_arena_dup(&context->txn->arena, token);
    return PK_OK;
}

const struct cmd_entry cmd_begin_entry = {
    .name = "begin",
    .group = CMD_GROUP_DATA,
    .usage = "[token 'TEXT']",
    .summary = "collect statements that commit sends as one transaction",
    .detail = "Between begin and commit stand only PartiQL statements, or only put, edit, del and\n"
              "check KEY if COND, or only get. Nothing is sent before commit.\n"
              "With a token the same transaction, sent again within 10 minutes, is done once.",
    .run = begin_run,
};

/* ---- adding ---------------------------------------------------------------------------------- */

static const char *kind_words(enum cmd_txn_kind kind)
{
    switch (kind) {
    case CMD_TXN_PARTIQL:
        return "PartiQL statements";
    case CMD_TXN_WRITES:
        return "put, edit, del and check";
    case CMD_TXN_GETS:
        return "get";
    case CMD_TXN_EMPTY:
        break;
    }
    return "nothing";
}

static enum pk_code check_room(struct cmd_transaction *txn, enum cmd_txn_kind kind,
                               struct pk_error *err)
{
    if (txn->kind != CMD_TXN_EMPTY && txn->kind != kind) {
        pk_fail(err, PK_E_USAGE, "this transaction holds %s, which cannot be mixed with %s",
                kind_words(txn->kind), kind_words(kind));
        pk_error_hint(err, "commit or rollback ends it");
        return PK_E_USAGE;
    }
    if (txn->count == CMD_TXN_ACTIONS_MAX)
        return pk_fail(err, PK_E_USAGE, "a transaction holds at most %d actions",
                       CMD_TXN_ACTIONS_MAX);
    txn->kind = kind;
    return PK_OK;
}

static void add_action(struct cmd_transaction *txn, cJSON *action, pk_slice text,
                       struct cmd_result *result)
{
    cJSON_AddItemToArray(txn->actions, action);
    txn->statements[txn->count++] = pk_arena_dup(&txn->arena, text);
    cmd_result_text(result, CMD_BLOCK_NOTE, "%zu action%s; commit sends %s", txn->count,
                    txn->count == 1 ? "" : "s", txn->count == 1 ? "it" : "them together");
}

/* The names a condition mentions, kept for telling what the stored item has. */
static void keep_mentions(struct cmd_transaction *txn, const struct cmd_expression *condition)
{
    struct cmd_expression *kept = &txn->conditions[txn->count];

    kept->mention_count = condition->mention_count;
    kept->mentions = PK_NEW_ARRAY(&txn->arena, struct cmd_mention, condition->mention_count);
    for (size_t i = 0; i < condition->mention_count; i++)
        kept->mentions[i] = (struct cmd_mention){
            .name = pk_arena_dup(&txn->arena, condition->mentions[i].name),
            .right = condition->mentions[i].right,
            .bare = condition->mentions[i].bare,
            .value = pk_value_missing(),
        };
}

static const char *action_name(const struct cmd_request *request)
{
    static const char *const names[][2] = {
        {"GetItem", "Get"},
        {"PutItem", "Put"},
        {"UpdateItem", "Update"},
        {"DeleteItem", "Delete"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(request->operation, names[i][0]) == 0)
            return names[i][1];
    }
    return "ConditionCheck";
}

enum pk_code cmd_txn_add(struct cmd_context *context, struct cmd_request *request,
                         struct cmd_result *result, struct pk_error *err)
{
    struct cmd_transaction *txn = context->txn;
    bool get = strcmp(request->operation, "GetItem") == 0;
    enum pk_code rc;
    cJSON *action;

    if (request->returns)
        return pk_fail(err, PK_E_USAGE, "a transaction returns no old or new items");
    if (get && txn->token.data != NULL)
        return pk_fail(err, PK_E_USAGE, "a transaction of gets takes no token");
    rc = check_room(txn, get ? CMD_TXN_GETS : CMD_TXN_WRITES, err);
    if (rc != PK_OK)
        return rc;
    if (txn->keys == NULL)
        txn->key_count = cmd_key_names(&request->target, &txn->arena, &txn->keys);
    cJSON_DeleteItemFromObjectCaseSensitive(request->json, "ReturnConsumedCapacity");
    cJSON_DeleteItemFromObjectCaseSensitive(request->json, "ConsistentRead");
    keep_mentions(txn, &request->expressions[PK_EXPR_CONDITION]);
    action = cJSON_CreateObject();
    cJSON_AddItemToObject(action, action_name(request), request->json);
    request->json = NULL;
    add_action(txn, action, request->text, result);
    return PK_OK;
}

/* The key of the first table, whose attributes come first when items are shown. */
static void keep_keys(struct cmd_context *context, pk_slice text)
{
    struct cmd_transaction *txn = context->txn;
    struct partiql_schema_source source = cmd_partiql_schema(context);
    struct partiql_explanation plan;
    struct cmd_target target = {NULL, NULL};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error ignored = PK_ERROR_INIT;

    if (txn->keys == NULL && partiql_explain(&source, text, &arena, &plan, &ignored) == PK_OK &&
        cmd_schema_get(context, plan.table, &target.table, &ignored) == PK_OK)
        txn->key_count = cmd_key_names(&target, &txn->arena, &txn->keys);
    pk_error_release(&ignored);
    pk_arena_release(&arena);
}

enum pk_code cmd_txn_add_statement(struct cmd_context *context, pk_slice text,
                                   struct cmd_result *result, struct pk_error *err)
{
    enum pk_code rc = check_room(context->txn, CMD_TXN_PARTIQL, err);
    cJSON *action;

    if (rc != PK_OK)
        return rc;
    keep_keys(context, text);
    action = cJSON_CreateObject();
    cmd_wire_set_text(action, "Statement", text);
    cmd_wire_set_text(action, "ReturnValuesOnConditionCheckFailure", PK_LIT("ALL_OLD"));
    add_action(context->txn, action, text, result);
    return PK_OK;
}

/* ---- check KEY if COND ----------------------------------------------------------------------- */

enum pk_code cmd_check_request(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_request *request, struct pk_error *err)
{
    static const struct cmd_args_spec spec = {
        .command = "check",
        .allowed = CMD_CLAUSE_BIT(CMD_CLAUSE_FROM) | CMD_CLAUSE_BIT(CMD_CLAUSE_IF),
        .key_first = true,
    };
    struct cmd_args args;
    enum pk_code rc = cmd_request_open(context, statement, &spec, &args, request, err);

    request->operation = "ConditionCheck";
    if (rc == PK_OK)
        rc = cmd_request_key(&args, request, err);
    if (rc == PK_OK)
        rc = cmd_request_condition(&args, CMD_CLAUSE_IF, PK_EXPR_CONDITION, request, err);
    if (rc == PK_OK && request->condition.len == 0)
        return pk_fail_at(err, PK_E_USAGE, args.head,
                          "expected 'if' and a condition after the key");
    if (rc != PK_OK)
        return rc;
    cmd_request_close(request);
    cmd_wire_set_text(request->json, "ReturnValuesOnConditionCheckFailure", PK_LIT("ALL_OLD"));
    return PK_OK;
}

/* ---- commit ---------------------------------------------------------------------------------- */

struct outcome {
    const char *operation;
    const char *member; /* of the request: where the actions stand */
};

static struct outcome outcome_of(enum cmd_txn_kind kind)
{
    if (kind == CMD_TXN_PARTIQL)
        return (struct outcome){"ExecuteTransaction", "TransactStatements"};
    if (kind == CMD_TXN_GETS)
        return (struct outcome){"TransactGetItems", "TransactItems"};
    return (struct outcome){"TransactWriteItems", "TransactItems"};
}

/* Which action failed, and why: one line each. */
static void show_reasons(const struct cmd_context *context, const struct pk_error *err,
                         struct cmd_result *result)
{
    const struct cmd_transaction *txn = context->txn;
    enum { STATEMENT = 1 };
    static const char *const columns[] = {"#", "statement", "reason"};
    static const enum cmd_align aligns[] = {CMD_RIGHT, CMD_LEFT, CMD_LEFT};
    struct pk_arena *arena = &result->arena;
    struct cmd_grid *grid = cmd_result_grid(result, columns, aligns, 3);
    bool tested = false; /* a condition failed: everything had been prepared */

    cmd_grid_cut(grid, STATEMENT);
    for (size_t i = 0; i < err->reason_count && i < txn->count; i++) {
        const struct pk_cancel_reason *reason = &err->reasons[i];
        pk_slice cells[3] = {pk_arena_printf(arena, "%zu", i + 1),
                             pk_arena_dup(arena, txn->statements[i]), pk_slice_cstr(reason->code)};

        tested = tested || strcmp(reason->code, "ConditionalCheckFailed") == 0;
        if (strcmp(reason->code, "ConditionalCheckFailed") == 0 && txn->kind == CMD_TXN_WRITES) {
            pk_slice stored = cmd_stored_item_text(
                context, &txn->conditions[i], pk_slice_of(reason->item, reason->item_len), arena);

            cells[2] = pk_arena_printf(arena, "%s: %.*s", reason->code, PK_FMT(stored));
        } else if (reason->message != NULL) {
            cells[2] = pk_arena_printf(arena, "%s: %s", reason->code, reason->message);
        }
        cmd_grid_row(result, grid, cells);
    }
    if (tested)
        cmd_result_text(result, CMD_BLOCK_FOOTER, "cancelled, and its write units are used up");
}

static size_t show_items(const struct cmd_transaction *txn, const cJSON *answer,
                         struct cmd_result *result)
{
    struct pk_value_vec vec = {0};
    const cJSON *node;

    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "Responses"))
    {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(node, "Item");

        if (item != NULL)
            pk_value_vec_add(&vec, &result->arena, cmd_wire_read_item(&result->arena, item));
    }
    cmd_show_items(result, vec.data, vec.len, txn->keys, txn->key_count);
    return vec.len;
}

/* PartiQL transactions read or write; the units say which. */
static bool was_read(const struct cmd_transaction *txn, const cJSON *answer)
{
    if (txn->kind != CMD_TXN_PARTIQL)
        return txn->kind == CMD_TXN_GETS;
    return cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(answer, "Responses")) > 0;
}

/* A transaction whose token was done already is paid for in read units (operations.md §1). */
static bool was_repeated(const cJSON *answer)
{
    const cJSON *tables = cJSON_GetObjectItemCaseSensitive(answer, "ConsumedCapacity");

    return cmd_wire_is_read(cJSON_GetArrayItem(tables, 0));
}

static void show_commit(struct cmd_context *context, const cJSON *answer,
                        const struct cmd_usage *usage, struct cmd_result *result)
{
    const struct cmd_transaction *txn = context->txn;
    struct cmd_footer footer = {.consistency = CMD_TRANSACT};

    footer.operation = outcome_of(txn->kind).operation;
    if (was_read(txn, answer)) {
        footer.items = true;
        footer.shown = show_items(txn, answer, result);
        cmd_footer_read(context, result, usage, &footer);
        return;
    }
    footer.operation = pk_arena_printf(&result->arena, "%zu action%s \xC2\xB7 %s", txn->count,
                                       txn->count == 1 ? "" : "s", footer.operation)
                           .data;
    footer.repeated = was_repeated(answer);
    cmd_footer_write(context, result, usage, &footer);
    if (footer.repeated)
        cmd_result_text(result, CMD_BLOCK_NOTE,
                        "a transaction with this token was done already: nothing was written");
}

/* A transaction that an endpoint has done and whose answer was lost is sent again: by a token it
 * knows it then, as with the SDKs. On the engine nothing is lost. */
static void add_token(const struct cmd_context *context, cJSON *request)
{
    enum { TOKEN_BYTES = 16 };
    const struct cmd_transaction *txn = context->txn;
    unsigned char random[TOKEN_BYTES];
    char token[2 * TOKEN_BYTES + 1];

    if (txn->kind == CMD_TXN_GETS)
        return;
    if (txn->token.data != NULL) {
        cmd_wire_set_text(request, "ClientRequestToken", txn->token);
        return;
    }
    if (context->backend->endpoint == NULL || getrandom(random, sizeof(random), 0) != TOKEN_BYTES)
        return;
    for (size_t i = 0; i < TOKEN_BYTES; i++)
        (void)snprintf(token + 2 * i, 3, "%02x", random[i]);
    cmd_wire_set_text(request, "ClientRequestToken", pk_slice_cstr(token));
}

static enum pk_code send_transaction(struct cmd_context *context, struct cmd_result *result,
                                     struct pk_error *err)
{
    struct cmd_transaction *txn = context->txn;
    struct outcome outcome = outcome_of(txn->kind);
    struct cmd_response raw = CMD_RESPONSE_INIT;
    struct cmd_usage usage = {0};
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set(request, outcome.member, txn->actions);
    txn->actions = NULL;
    add_token(context, request);
    cmd_wire_set_text(request, "ReturnConsumedCapacity", PK_LIT("INDEXES"));
    rc = cmd_call(context, outcome.operation, request, &answer, &raw, err);
    if (rc == PK_OK) {
        cmd_usage_add(&usage, answer, &raw);
        show_commit(context, answer, &usage, result);
    } else if (err->reason_count > 0) {
        show_reasons(context, err, result);
    }
    if (rc == PK_E_IDEMPOTENT_MISMATCH)
        pk_error_hint(err, "another transaction had this token within the last 10 minutes");
    cmd_response_release(&raw);
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

static enum pk_code need_transaction(struct cmd_context *context,
                                     const struct cmd_statement *statement,
                                     struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc == PK_OK && context->txn == NULL)
        rc = pk_fail(err, PK_E_USAGE, "no transaction is open: begin opens one");
    return rc;
}

static enum pk_code commit_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    enum pk_code rc = need_transaction(context, statement, result, err);

    if (rc != PK_OK)
        return rc;
    if (context->txn->count == 0)
        cmd_result_text(result, CMD_BLOCK_NOTE, "the transaction was empty: nothing was sent");
    else
        rc = send_transaction(context, result, err);
    end_transaction(context);
    return rc;
}

static enum pk_code rollback_run(struct cmd_context *context, const struct cmd_statement *statement,
                                 struct cmd_result *result, struct pk_error *err)
{
    enum pk_code rc = need_transaction(context, statement, result, err);

    if (rc != PK_OK)
        return rc;
    cmd_result_text(result, CMD_BLOCK_NOTE, "rolled back: nothing was sent");
    end_transaction(context);
    return PK_OK;
}

const struct cmd_entry cmd_commit_entry = {
    .name = "commit",
    .group = CMD_GROUP_DATA,
    .usage = "",
    .summary = "send the transaction that begin opened: all of it or nothing",
    .run = commit_run,
};

const struct cmd_entry cmd_rollback_entry = {
    .name = "rollback",
    .group = CMD_GROUP_DATA,
    .usage = "",
    .summary = "forget the transaction that begin opened",
    .run = rollback_run,
};
