/*
 * TransactGetItems and TransactWriteItems.
 *
 * Actions are read one after another in request order; the first fault that the request alone shows
 * fails the whole call. What needs the table or the item is the engine's, which answers with one
 * reason an action (operations.md §7).
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_cost.h"
#include "commands/api/api_expr.h"
#include "commands/api/api_json.h"
#include "commands/api/api_value.h"
#include "commands/api/json_out.h"
#include "engine/base/hash.h"

enum { PAYLOAD_MAX = 4 * 1024 * 1024 };

/* ---- TransactGetItems --------------------------------------------------------------------- */

static enum pk_code read_get(struct api_call *call, const struct cJSON *action, struct pk_get *get,
                             struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct api_exprs exprs = {0};
    enum pk_code rc = api_expr_check_mix(&api_expr_get_action, action, err);

    get->table = api_get_table(arena, action, "TableName");
    get->consistent = true;
    if (rc == PK_OK)
        rc = api_value_read_item(arena, api_json_member(action, "Key"), &get->key, err);
    if (rc == PK_OK)
        rc = api_expr_parse(call, &api_expr_get_action, action, &exprs, err);
    get->projection = exprs.projection;
    return rc;
}

/* {"Item":{…}}, or {} for an absent item and for a projection that leaves nothing. */
static void add_response(struct pk_buf *out, const struct pk_projection *projection, pk_view item)
{
    struct pk_buf part = PK_BUF_INIT;

    json_out_element(out);
    pk_buf_add_byte(out, '{');
    if (projection != NULL && pk_view_kind(item) != PK_MISSING) {
        pk_expr_project(projection, item, &part);
        item = pk_buf_slice(&part);
    }
    if (pk_view_kind(item) != PK_MISSING && pk_view_count(item) > 0) {
        json_out_member(out, "Item");
        json_out_item(out, item);
    }
    pk_buf_add_byte(out, '}');
    pk_buf_release(&part);
}

enum pk_code api_transact_get_items(struct api_call *call, const struct cJSON *request,
                                    struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *items = api_json_member(request, "TransactItems");
    size_t count = api_json_count(items);
    struct pk_get *gets = PK_NEW_ARRAY(arena, struct pk_get, count);
    struct pk_transact_get_result result = {0};
    size_t n = 0;
    enum pk_code rc = PK_OK;

    for (const struct cJSON *node = api_json_first(items); node != NULL && rc == PK_OK;
         node = api_json_next(node), n++)
        rc = read_get(call, api_json_member(node, "Get"), &gets[n], err);
    if (rc == PK_OK)
        rc = pk_engine_transact_get(call->engine, &call->call, gets, count, &result, err);
    if (rc != PK_OK)
        return rc;
    api_facts(call, &result.facts, result.costs, result.cost_count);
    json_out_member(out, "Responses");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count; i++)
        add_response(out, gets[i].projection, result.items[i]);
    pk_buf_add_byte(out, ']');
    api_costs_add(out, api_cost_mode(request), API_COST_TRANSACTION, result.costs,
                  result.cost_count);
    return PK_OK;
}

/* ---- TransactWriteItems ------------------------------------------------------------------- */

static const struct action {
    const char *name;
    enum pk_write_kind kind;
    const char *item; /* the member with the item or key */
} actions[] = {
    {"ConditionCheck", PK_WRITE_CHECK, "Key"},
    {"Put", PK_WRITE_PUT, "Item"},
    {"Update", PK_WRITE_UPDATE, "Key"},
    {"Delete", PK_WRITE_DELETE, "Key"},
};

/* The one member that says what to do. */
static enum pk_code find_action(const struct cJSON *node, const struct action **action,
                                struct pk_error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (api_json_member(node, actions[i].name) == NULL)
            continue;
        *action = &actions[i];
        count++;
    }
    if (count > 1)
        return pk_fail(err, PK_E_VALIDATION,
                       "TransactItems can only contain one of Check, Put, Update or Delete");
    if (count == 0)
        return pk_fail(err, PK_E_VALIDATION,
                       "Invalid Request: TransactWriteRequest should contain Delete or Put or "
                       "Update request");
    return PK_OK;
}

static enum pk_code read_item(struct pk_arena *arena, const struct cJSON *members,
                              const struct action *action, struct pk_write *write,
                              struct pk_error *err)
{
    enum pk_code rc =
        api_value_read_item(arena, api_json_member(members, action->item), &write->item, err);

    if (rc == PK_OK && write->kind == PK_WRITE_PUT && pk_item_size(write->item) > PK_ITEM_MAX)
        rc = pk_fail(err, PK_E_VALIDATION, "Item size has exceeded the maximum allowed size");
    return rc;
}

/* What an action counts in the payload: its item or key, and the literals of its expressions. */
static size_t payload_of(const struct pk_write *write, const struct pk_placeholders *placeholders)
{
    size_t size = pk_item_size(write->item);

    for (size_t i = 0; i < placeholders->value_count; i++)
        size += pk_view_size(placeholders->values[i].value);
    return size;
}

static enum pk_code read_action(struct api_call *call, const struct cJSON *node,
                                struct pk_write *write, size_t *payload, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct api_expr_rules *rules;
    const struct action *action = NULL;
    const struct cJSON *members;
    struct api_exprs exprs = {0};
    enum pk_code rc = find_action(node, &action, err);

    if (rc != PK_OK)
        return rc;
    members = api_json_member(node, action->name);
    rules = action->kind == PK_WRITE_UPDATE ? &api_expr_update_action : &api_expr_action;
    write->kind = action->kind;
    write->table = api_get_table(arena, members, "TableName");
    rc = api_expr_check_mix(rules, members, err);
    if (rc == PK_OK)
        rc = read_item(arena, members, action, write, err);
    if (rc == PK_OK)
        rc = api_expr_parse(call, rules, members, &exprs, err);
    if (rc != PK_OK)
        return rc;
    write->condition = exprs.condition;
    write->update = exprs.update;
    write->item_on_failure = api_get_is(members, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    *payload += payload_of(write, &exprs.placeholders);
    return PK_OK;
}

/* The content that must be the same under one token: all but ReturnConsumedCapacity. */
static void hash_content(const struct cJSON *request, unsigned char out[32])
{
    struct pk_buf content = PK_BUF_INIT;

    api_json_canonical(&content, request, "ReturnConsumedCapacity");
    pk_hash_sha256(pk_buf_slice(&content), out);
    pk_buf_release(&content);
}

static enum pk_code read_actions(struct api_call *call, const struct cJSON *items,
                                 struct pk_write *writes, struct pk_error *err)
{
    size_t payload = 0;
    size_t n = 0;

    for (const struct cJSON *node = api_json_first(items); node != NULL;
         node = api_json_next(node)) {
        enum pk_code rc = read_action(call, node, &writes[n++], &payload, err);

        if (rc != PK_OK)
            return rc;
    }
    if (payload > PAYLOAD_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "Transaction payload size cannot exceed 4MB. Payload Size: %zu", payload);
    return PK_OK;
}

enum pk_code api_transact_write_items(struct api_call *call, const struct cJSON *request,
                                      struct pk_buf *out, struct pk_error *err)
{
    const struct cJSON *items = api_json_member(request, "TransactItems");
    size_t count = api_json_count(items);
    struct pk_write *writes = PK_NEW_ARRAY(call->call.arena, struct pk_write, count);
    struct pk_transact_write transaction = {.writes = writes, .count = count};
    struct pk_transact_write_result result = {0};
    enum pk_code rc = read_actions(call, items, writes, err);

    if (rc != PK_OK)
        return rc;
    transaction.token = api_get_text(call->call.arena, request, "ClientRequestToken");
    if (transaction.token.data != NULL)
        hash_content(request, transaction.hash);
    rc = pk_engine_transact_write(call->engine, &call->call, &transaction, &result, err);
    if (rc != PK_OK)
        return rc;
    api_facts(call, &result.facts, result.costs, result.cost_count);
    api_costs_add(out, api_cost_mode(request), API_COST_TRANSACTION, result.costs,
                  result.cost_count);
    if (!result.repeated)
        api_metrics_add_all(out, request, writes, result.writes, count);
    return PK_OK;
}
