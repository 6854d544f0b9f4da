/*
 * GetItem, PutItem, UpdateItem, DeleteItem.
 *
 * The order of the checks is that of operations.md §4: mixed parameters, values, ReturnValues, item
 * size, legacy parameters, expressions; the engine makes the rest.
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_cost.h"
#include "commands/api/api_expr.h"
#include "commands/api/api_json.h"
#include "commands/api/api_legacy.h"
#include "commands/api/api_value.h"
#include "commands/api/json_out.h"

/* ---- reading ------------------------------------------------------------------------------ */

/* Appends the item, or what the projection leaves of it. */
static void add_item(struct pk_buf *out, const struct pk_projection *projection, pk_view item)
{
    struct pk_buf part = PK_BUF_INIT;

    if (projection == NULL) {
        json_out_item(out, item);
        return;
    }
    pk_expr_project(projection, item, &part);
    json_out_item(out, pk_buf_slice(&part));
    pk_buf_release(&part);
}

enum pk_code api_get_item(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                          struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct pk_get get = {.table = api_get_table(arena, request, "TableName"),
                         .consistent = api_get_bool(request, "ConsistentRead")};
    struct pk_projection *projection = NULL;
    struct api_exprs exprs = {0};
    struct pk_get_result result = {0};
    enum pk_code rc = api_expr_check_mix(&api_expr_get, request, err);

    if (rc == PK_OK)
        rc = api_value_read_item(arena, api_json_member(request, "Key"), &get.key, err);
    if (rc == PK_OK)
        rc = api_legacy_attributes_to_get(arena, request, &projection, err);
    if (rc == PK_OK)
        rc = api_expr_parse(call, &api_expr_get, request, &exprs, err);
    get.projection = exprs.projection;
    if (rc == PK_OK)
        rc = pk_engine_get(call->engine, &call->call, &get, &result, err);
    if (rc != PK_OK)
        return rc;
    api_facts(call, &result.facts, &result.cost, 1);
    if (pk_view_kind(result.item) != PK_MISSING) {
        json_out_member(out, "Item");
        add_item(out, exprs.projection != NULL ? exprs.projection : projection, result.item);
    }
    api_cost_add(out, api_cost_mode(request), &result.cost);
    return PK_OK;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Only UpdateItem knows more than these two. */
static enum pk_code check_return_values(const struct cJSON *request, struct pk_error *err)
{
    if (api_json_member(request, "ReturnValues") == NULL ||
        api_get_is(request, "ReturnValues", "NONE") ||
        api_get_is(request, "ReturnValues", "ALL_OLD"))
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION, "ReturnValues can only be ALL_OLD or NONE");
}

/* A write under way: what came in, what goes to the engine, what comes back. */
struct writing {
    struct api_call *call;
    const struct cJSON *request;
    const struct api_expr_rules *rules;
    struct pk_write write;
    struct pk_write_result result;
};

/* Reads the condition, from Expected or ConditionExpression, and what all writes share; writes. */
static enum pk_code finish_write(struct writing *it, struct pk_error *err)
{
    struct pk_arena *arena = it->call->call.arena;
    struct pk_write *write = &it->write;
    struct api_exprs exprs = {0};
    struct pk_node *expected = NULL;
    enum pk_code rc = api_legacy_expected(arena, it->request, &expected, err);

    if (rc == PK_OK)
        rc = api_expr_parse(it->call, it->rules, it->request, &exprs, err);
    if (rc != PK_OK)
        return rc;
    write->table = api_get_table(arena, it->request, "TableName");
    write->condition = exprs.condition != NULL ? exprs.condition : expected;
    if (exprs.update != NULL)
        write->update = exprs.update;
    write->item_on_failure =
        api_get_is(it->request, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    /* spans in the engine's messages belong to the update when there is one */
    it->call->response->use = write->kind == PK_WRITE_UPDATE ? PK_EXPR_UPDATE : PK_EXPR_CONDITION;
    rc = pk_engine_write(it->call->engine, &it->call->call, write, &it->result, err);
    if (rc == PK_OK)
        api_facts(it->call, &it->result.facts, &it->result.cost, 1);
    return rc;
}

static void add_attributes(struct pk_buf *out, pk_view item)
{
    if (pk_view_kind(item) == PK_MISSING || pk_view_count(item) == 0)
        return;
    json_out_member(out, "Attributes");
    json_out_item(out, item);
}

static void add_costs(struct pk_buf *out, const struct cJSON *request,
                      const struct pk_write_result *result)
{
    api_cost_add(out, api_cost_mode(request), &result->cost);
    api_metrics_add(out, request, result);
}

enum pk_code api_put_item(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                          struct pk_error *err)
{
    struct writing it = {
        .call = call, .request = request, .rules = &api_expr_put, .write = {.kind = PK_WRITE_PUT}};
    enum pk_code rc = api_expr_check_mix(it.rules, request, err);

    if (rc == PK_OK)
        rc = api_value_read_item(call->call.arena, api_json_member(request, "Item"), &it.write.item,
                                 err);
    if (rc == PK_OK)
        rc = check_return_values(request, err);
    if (rc == PK_OK && pk_item_size(it.write.item) > PK_ITEM_MAX)
        rc = pk_fail(err, PK_E_VALIDATION, "Item size has exceeded the maximum allowed size");
    if (rc == PK_OK)
        rc = finish_write(&it, err);
    if (rc != PK_OK)
        return rc;
    if (api_get_is(request, "ReturnValues", "ALL_OLD"))
        add_attributes(out, it.result.old_item);
    add_costs(out, request, &it.result);
    return PK_OK;
}

enum pk_code api_delete_item(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                             struct pk_error *err)
{
    struct writing it = {.call = call,
                         .request = request,
                         .rules = &api_expr_put,
                         .write = {.kind = PK_WRITE_DELETE}};
    enum pk_code rc = api_expr_check_mix(it.rules, request, err);

    if (rc == PK_OK)
        rc = api_value_read_item(call->call.arena, api_json_member(request, "Key"), &it.write.item,
                                 err);
    if (rc == PK_OK)
        rc = check_return_values(request, err);
    if (rc == PK_OK)
        rc = finish_write(&it, err);
    if (rc != PK_OK)
        return rc;
    if (api_get_is(request, "ReturnValues", "ALL_OLD"))
        add_attributes(out, it.result.old_item);
    add_costs(out, request, &it.result);
    return PK_OK;
}

/* The parts of an item that the update's targets name (UPDATED_OLD, UPDATED_NEW). */
static void add_updated(struct pk_arena *arena, struct pk_buf *out, const struct pk_update *update,
                        pk_view item)
{
    struct pk_projection targets = {0};
    struct pk_buf part = PK_BUF_INIT;

    if (update == NULL || pk_view_kind(item) == PK_MISSING)
        return;
    targets.paths = PK_NEW_ARRAY(arena, const struct pk_path *, update->count);
    for (size_t i = 0; i < update->count; i++)
        targets.paths[targets.count++] = update->actions[i].path;
    pk_expr_project(&targets, item, &part);
    add_attributes(out, pk_buf_slice(&part));
    pk_buf_release(&part);
}

enum pk_code api_update_item(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                             struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct writing it = {.call = call,
                         .request = request,
                         .rules = &api_expr_update,
                         .write = {.kind = PK_WRITE_UPDATE}};
    struct pk_update *legacy = NULL;
    enum pk_code rc = api_expr_check_mix(it.rules, request, err);

    if (rc == PK_OK)
        rc = api_value_read_item(arena, api_json_member(request, "Key"), &it.write.item, err);
    if (rc == PK_OK)
        rc = api_legacy_updates(arena, request, &legacy, err);
    it.write.update = legacy;
    if (rc == PK_OK)
        rc = finish_write(&it, err);
    if (rc != PK_OK)
        return rc;
    if (api_get_is(request, "ReturnValues", "ALL_OLD"))
        add_attributes(out, it.result.old_item);
    else if (api_get_is(request, "ReturnValues", "ALL_NEW"))
        add_attributes(out, it.result.new_item);
    else if (api_get_is(request, "ReturnValues", "UPDATED_OLD"))
        add_updated(arena, out, it.write.update, it.result.old_item);
    else if (api_get_is(request, "ReturnValues", "UPDATED_NEW"))
        add_updated(arena, out, it.write.update, it.result.new_item);
    add_costs(out, request, &it.result);
    return PK_OK;
}
