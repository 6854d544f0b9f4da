/*
 * ExecuteStatement (partiql.md §7). A statement goes through parse, parameters, plan and run, in
 * this order of checks; api_partiql_batch.c and api_partiql_txn.c do the same for several.
 */
#include "commands/api/api_partiql.h"

#include "commands/api/api_check.h"
#include "commands/api/api_cost.h"
#include "commands/api/json_out.h"
#include "commands/partiql/partiql_parse.h"

struct execution {
    struct api_call *call;
    const struct cJSON *request;
    struct partiql_statement *statement;
    struct partiql_binding binding;
    struct partiql_plan plan;
    struct pk_buf *out;
};

static void write_token(struct execution *x, const struct partiql_page_result *page)
{
    if (!page->more)
        return;
    json_out_member_text(x->out, "NextToken",
                         partiql_token_write(&x->plan, &x->binding, &page->next));
    if (pk_value_kind(page->last_key) != PK_MISSING) {
        json_out_member(x->out, "LastEvaluatedKey");
        json_out_tree_item(x->out, page->last_key);
    }
}

static enum pk_code execute_read(struct execution *x, struct pk_error *err)
{
    struct partiql_page page = {
        .plan = &x->plan, .out = x->out, .consistent = x->binding.consistent};
    struct partiql_page_result result;
    pk_slice token = api_get_text(x->binding.arena, x->request, "NextToken");
    int64_t limit = 0;
    enum pk_code rc = PK_OK;

    if (token.data != NULL)
        rc = partiql_token_read(&x->plan, &x->binding, token, &page.start, err);
    if (rc != PK_OK)
        return rc;
    if (api_get_int(x->request, "Limit", &limit))
        page.limit = (uint64_t)limit;
    json_out_member(x->out, "Items");
    pk_buf_add_byte(x->out, '[');
    rc = partiql_read(x->call->engine, &x->call->call, &page, &result, err);
    if (rc != PK_OK)
        return rc;
    pk_buf_add_byte(x->out, ']');
    write_token(x, &result);
    api_facts(x->call, &result.facts, &result.cost, 1);
    api_cost_add(x->out, api_cost_mode(x->request), &result.cost);
    return PK_OK;
}

static enum pk_code execute_write(struct execution *x, struct pk_error *err)
{
    struct pk_write write = partiql_write(&x->plan, x->binding.arena);
    struct pk_write_result result = {0};
    enum pk_code rc;

    write.item_on_failure =
        api_get_is(x->request, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    rc = pk_engine_write(x->call->engine, &x->call->call, &write, &result, err);
    if (rc != PK_OK)
        return rc;
    json_out_member(x->out, "Items");
    pk_buf_add_byte(x->out, '[');
    (void)partiql_returned_row(&x->plan, &result, x->out);
    pk_buf_add_byte(x->out, ']');
    api_facts(x->call, &result.facts, &result.cost, 1);
    api_cost_add(x->out, api_cost_mode(x->request), &result.cost);
    return PK_OK;
}

static enum pk_code execute(struct execution *x, struct pk_error *err)
{
    struct pk_arena *arena = x->binding.arena;
    enum pk_code rc =
        partiql_parse(api_get_text(arena, x->request, "Statement"), arena, &x->statement, err);

    if (rc == PK_OK)
        rc = api_partiql_parameters(arena, x->request, &x->binding, err);
    if (rc != PK_OK)
        return rc;
    if (x->statement->kind == PQ_EXISTS || x->statement->kind == PQ_NOT_EXISTS)
        return pk_fail(err, PK_E_VALIDATION,
                       "EXISTS can only be used in ExecuteTransaction write requests.");
    x->binding.consistent = api_get_bool(x->request, "ConsistentRead");
    rc = partiql_plan(x->statement, &x->binding, &x->plan, err);
    if (rc != PK_OK)
        return rc;
    return x->statement->kind == PQ_SELECT ? execute_read(x, err) : execute_write(x, err);
}

enum pk_code api_execute_statement(struct api_call *call, const struct cJSON *request,
                                   struct pk_buf *out, struct pk_error *err)
{
    struct api_tables tables = {.engine = call->engine, .arena = call->call.arena};
    struct partiql_schema_source schema = api_tables_source(&tables);
    struct execution x = {.call = call, .request = request, .out = out};
    enum pk_code rc;

    x.binding = (struct partiql_binding){.schema = &schema, .arena = call->call.arena};
    rc = execute(&x, err);
    api_tables_release(&tables);
    return rc;
}
