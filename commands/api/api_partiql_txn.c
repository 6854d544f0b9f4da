/*
 * ExecuteTransaction (partiql.md §9): all reads, or all writes and EXISTS, as one of the engine's
 * transactions.
 */
#include "commands/api/api_partiql.h"

#include <stdio.h>

#include "commands/api/api_check.h"
#include "commands/api/api_cost.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"
#include "engine/base/hash.h"

enum { PAYLOAD_MAX = 4 * 1024 * 1024 };

/* Puts "Validation failed in TransactStatements[i]: " before a ValidationException. */
static enum pk_code in_statement(const struct api_entry *entry, enum pk_code rc,
                                 struct pk_error *err)
{
    char prefix[64];

    if (rc != PK_E_VALIDATION)
        return rc;
    snprintf(prefix, sizeof(prefix),
             "Validation failed in TransactStatements[%zu]: ", entry->index);
    pk_error_prefix(err, prefix);
    return rc;
}

static enum pk_code refuse_entry(const struct api_entry *entry, struct pk_error *err,
                                 const char *message)
{
    return in_statement(entry, pk_fail(err, PK_E_VALIDATION, "%s", message), err);
}

static enum pk_code parse_transaction(struct api_entries *entries, struct pk_error *err)
{
    bool reads = false, writes = false;

    for (size_t i = 0; i < entries->count; i++) {
        struct api_entry *entry = &entries->list[i];
        enum pk_code rc = in_statement(entry, api_entry_parse(entries, entry, err), err);

        if (rc == PK_OK)
            rc = api_partiql_parameters(entries->arena, entry->request, &entry->binding, err);
        if (rc != PK_OK)
            return rc;
        if (api_entry_is_read(entry))
            reads = true;
        else
            writes = true;
    }
    if (reads && writes)
        return pk_fail(err, PK_E_VALIDATION,
                       "ExecuteTransaction API does not support both read and write operations in "
                       "the same request.");
    return PK_OK;
}

/* What a transaction asks of a statement that is otherwise right. */
static enum pk_code check_entry(const struct api_entry *entry, struct pk_error *err)
{
    const struct partiql_plan *plan = &entry->plan;
    bool exists = entry->statement->kind == PQ_EXISTS;

    if (entry->statement->returning.given)
        return refuse_entry(entry, err, "RETURNING clause is not supported in ExecuteTransaction.");
    if (!exists && !api_entry_is_read(entry))
        return PK_OK;
    if (plan->index != NULL)
        return refuse_entry(entry, err, "Reads on indices are not supported within transactions.");
    if (exists && (plan->operation != PARTIQL_GET || plan->filter == NULL))
        return refuse_entry(entry, err,
                            "EXISTS() must contain a single item read with additional condition");
    if (!exists && !api_entry_is_single_item(entry))
        return refuse_entry(entry, err,
                            "Select statements within ExecuteTransaction must specify the primary "
                            "key in the where clause.");
    return PK_OK;
}

static enum pk_code plan_transaction(struct api_entries *entries, struct pk_error *err)
{
    for (size_t i = 0; i < entries->count; i++) {
        struct api_entry *entry = &entries->list[i];
        enum pk_code rc;

        if (entry->statement->kind == PQ_NOT_EXISTS)
            return refuse_entry(entry, err, "Unsupported operation in transaction.");
        entry->binding.consistent = false;
        rc = partiql_plan(entry->statement, &entry->binding, &entry->plan, err);
        rc = rc != PK_OK ? in_statement(entry, rc, err) : check_entry(entry, err);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static enum pk_code transact_reads(struct api_entries *entries, const struct cJSON *request,
                                   struct pk_buf *out, struct pk_error *err)
{
    struct pk_get *gets = PK_NEW_ARRAY(entries->arena, struct pk_get, entries->count);
    struct pk_transact_get_result result = {0};
    enum pk_code rc;

    for (size_t i = 0; i < entries->count; i++)
        gets[i] = api_entry_get(&entries->list[i]);
    rc = pk_engine_transact_get(entries->call->engine, &entries->call->call, gets, entries->count,
                                &result, err);
    if (rc != PK_OK)
        return rc;
    api_facts(entries->call, &result.facts, result.costs, result.cost_count);
    json_out_member(out, "Responses");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < entries->count; i++) {
        entries->list[i].item = result.items[i];
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        if (api_entry_has_item(&entries->list[i])) {
            json_out_member(out, "Item");
            partiql_row(&entries->list[i].plan, result.items[i], out);
        }
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
    api_costs_add(out, api_cost_mode(request), API_COST_TRANSACTION, result.costs,
                  result.cost_count);
    return PK_OK;
}

/* Items, keys and parameters count. */
static enum pk_code check_payload(const struct api_entries *entries, const struct pk_write *writes,
                                  struct pk_error *err)
{
    size_t payload = 0;

    for (size_t i = 0; i < entries->count; i++) {
        const struct partiql_binding *binding = &entries->list[i].binding;

        payload += pk_item_size(writes[i].item);
        for (size_t p = 0; p < binding->param_count && writes[i].kind != PK_WRITE_PUT; p++)
            payload += pk_value_size(binding->params[p]);
    }
    if (payload <= PAYLOAD_MAX)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION,
                   "Transaction payload size cannot exceed 4MB. Payload Size: %zu", payload);
}

static enum pk_code transact_writes(struct api_entries *entries, const struct cJSON *request,
                                    struct pk_buf *out, struct pk_error *err)
{
    struct pk_write *writes = PK_NEW_ARRAY(entries->arena, struct pk_write, entries->count);
    struct pk_transact_write transaction = {.writes = writes, .count = entries->count};
    struct pk_transact_write_result result = {0};
    struct pk_buf content = PK_BUF_INIT;
    enum pk_code rc;

    for (size_t i = 0; i < entries->count; i++)
        writes[i] = api_entry_write(entries, &entries->list[i]);
    rc = check_payload(entries, writes, err);
    if (rc != PK_OK)
        return rc;
    transaction.token = api_get_text(entries->arena, request, "ClientRequestToken");
    api_json_canonical(&content, request, "ReturnConsumedCapacity");
    pk_hash_sha256(pk_buf_slice(&content), transaction.hash);
    pk_buf_release(&content);
    rc = pk_engine_transact_write(entries->call->engine, &entries->call->call, &transaction,
                                  &result, err);
    if (rc != PK_OK)
        return rc;
    api_facts(entries->call, &result.facts, result.costs, result.cost_count);
    json_out_member(out, "Responses");
    pk_buf_add_cstr(out, "[]");
    api_costs_add(out, api_cost_mode(request), API_COST_TRANSACTION, result.costs,
                  result.cost_count);
    return PK_OK;
}

enum pk_code api_execute_transaction(struct api_call *call, const struct cJSON *request,
                                     struct pk_buf *out, struct pk_error *err)
{
    struct api_entries entries;
    enum pk_code rc;

    api_entries_init(&entries, call, api_json_member(request, "TransactStatements"));
    rc = parse_transaction(&entries, err);
    if (rc == PK_OK)
        rc = plan_transaction(&entries, err);
    if (rc == PK_OK)
        rc = api_entry_is_read(&entries.list[0]) ? transact_reads(&entries, request, out, err)
                                                 : transact_writes(&entries, request, out, err);
    api_entries_release(&entries);
    return rc;
}
