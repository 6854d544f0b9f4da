/*
 * ExecuteStatement, BatchExecuteStatement, ExecuteTransaction (partiql.md §7-§9).
 *
 * A statement goes through parse, parameters, plan and run, in this order of checks. Descriptors of
 * tables are fetched once a request, so that all statements of it see the same schema.
 */
#include "commands/api/api.h"

#include <stdio.h>

#include "commands/api/api_check.h"
#include "commands/api/api_cost.h"
#include "commands/api/api_json.h"
#include "commands/api/api_value.h"
#include "commands/api/json_out.h"
#include "commands/partiql/partiql_exec.h"
#include "commands/partiql/partiql_lex.h"
#include "commands/partiql/partiql_parse.h"
#include "engine/base/hash.h"

enum { PAYLOAD_MAX = 4 * 1024 * 1024 };

/* ---- tables ------------------------------------------------------------------------------- */

/* The descriptors a request has used. */
struct tables {
    struct pk_engine *engine;
    struct pk_arena *arena;
    struct held_table {
        struct pk_table *table;
        struct held_table *next;
    } * first;
};

static enum pk_code find_table(void *context, pk_slice name, const struct pk_table **table,
                               struct pk_error *err)
{
    struct tables *tables = context;
    struct held_table *held = tables->first;

    while (held != NULL && !pk_slice_equal(held->table->name, name))
        held = held->next;
    if (held == NULL) {
        struct pk_table *found = pk_engine_table(tables->engine, name);

        if (found == NULL)
            return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
        held = PK_NEW(tables->arena, struct held_table);
        held->table = found;
        held->next = tables->first;
        tables->first = held;
    }
    *table = held->table;
    return PK_OK;
}

static void release_tables(struct tables *tables)
{
    for (struct held_table *held = tables->first; held != NULL; held = held->next)
        pk_table_unref(held->table);
}

/* ---- parameters --------------------------------------------------------------------------- */

/* Numbers of parameters have 32-bit exponents; only where that makes a difference is the fault
 * found here. */
static enum pk_code check_number(struct pk_arena *arena, const struct cJSON *node,
                                 struct pk_error *err)
{
    pk_slice text = api_json_text(arena, node);
    size_t size = text.len + 200;
    struct pk_num number;
    enum pk_num_status narrow = partiql_number_parse(text, &number);

    if (narrow == pk_num_parse(text, &number))
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION, "%s",
                   pk_num_status_message(narrow, text, pk_arena_alloc(arena, size), size));
}

/* All numbers in an AttributeValue, in document order. */
static enum pk_code check_numbers(struct pk_arena *arena, const struct cJSON *value,
                                  struct pk_error *err)
{
    const struct cJSON *number = api_json_member(value, "N");
    const struct cJSON *set = api_json_member(value, "NS");
    const struct cJSON *list = api_json_member(value, "L");
    enum pk_code rc = number != NULL ? check_number(arena, number, err) : PK_OK;

    for (const struct cJSON *node = api_json_first(set); node != NULL && rc == PK_OK;
         node = api_json_next(node))
        rc = check_number(arena, node, err);
    if (list == NULL)
        list = api_json_member(value, "M");
    for (const struct cJSON *node = api_json_first(list); node != NULL && rc == PK_OK;
         node = api_json_next(node))
        rc = check_numbers(arena, node, err);
    return rc;
}

static enum pk_code read_parameters(struct pk_arena *arena, const struct cJSON *request,
                                    struct partiql_binding *binding, struct pk_error *err)
{
    const struct cJSON *list = api_json_member(request, "Parameters");
    pk_value *values = PK_NEW_ARRAY(arena, pk_value, api_json_count(list));
    size_t n = 0;

    for (const struct cJSON *node = api_json_first(list); node != NULL;
         node = api_json_next(node), n++) {
        enum pk_code rc = check_numbers(arena, node, err);

        if (rc == PK_OK)
            rc = api_value_read(arena, node, &values[n], err);
        if (rc != PK_OK)
            return rc;
    }
    binding->params = values;
    binding->param_count = n;
    return PK_OK;
}

/* ---- ExecuteStatement --------------------------------------------------------------------- */

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
    struct partiql_page page = {.consistent = x->binding.consistent};
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
    rc = partiql_read(x->call->engine, &x->call->call, &x->plan, &page, x->out, &result, err);
    if (rc != PK_OK)
        return rc;
    pk_buf_add_byte(x->out, ']');
    write_token(x, &result);
    api_facts(x->call, &result.facts);
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
    api_facts(x->call, &result.facts);
    api_cost_add(x->out, api_cost_mode(x->request), &result.cost);
    return PK_OK;
}

static enum pk_code execute(struct execution *x, struct pk_error *err)
{
    struct pk_arena *arena = x->binding.arena;
    enum pk_code rc =
        partiql_parse(api_get_text(arena, x->request, "Statement"), arena, &x->statement, err);

    if (rc == PK_OK)
        rc = read_parameters(arena, x->request, &x->binding, err);
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
    struct tables tables = {.engine = call->engine, .arena = call->call.arena};
    struct partiql_schema_source schema = {find_table, &tables};
    struct execution x = {.call = call, .request = request, .out = out};
    enum pk_code rc;

    x.binding = (struct partiql_binding){.schema = &schema, .arena = call->call.arena};
    rc = execute(&x, err);
    release_tables(&tables);
    return rc;
}

/* ---- several statements ------------------------------------------------------------------- */

/* One statement of a batch or transaction. */
struct entry {
    const struct cJSON *request;
    struct partiql_statement *statement; /* NULL: could not be parsed */
    struct partiql_binding binding;
    struct partiql_plan plan;
    bool planned;
    bool ran;            /* it reached the engine */
    struct pk_error err; /* of this statement alone; of a batch */
    struct pk_write_result result;
    pk_view item; /* of a read */
    size_t index;
};

struct list {
    struct api_call *call;
    struct pk_arena *arena;
    struct partiql_schema_source schema;
    struct tables tables;
    struct entry *entries;
    size_t count;
    struct pk_cost *costs;
    size_t cost_count;
};

static void open_list(struct list *list, struct api_call *call, const struct cJSON *statements)
{
    size_t n = 0;

    *list = (struct list){.call = call, .arena = call->call.arena};
    list->tables = (struct tables){.engine = call->engine, .arena = list->arena};
    list->schema = (struct partiql_schema_source){find_table, &list->tables};
    list->count = api_json_count(statements);
    list->entries = PK_NEW_ARRAY(list->arena, struct entry, list->count);
    list->costs = PK_NEW_ARRAY(list->arena, struct pk_cost, list->count);
    for (const struct cJSON *node = api_json_first(statements); node != NULL;
         node = api_json_next(node), n++) {
        list->entries[n].request = node;
        list->entries[n].index = n;
        list->entries[n].binding =
            (struct partiql_binding){.schema = &list->schema, .arena = list->arena};
    }
}

static void close_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        pk_error_release(&list->entries[i].err);
    release_tables(&list->tables);
}

static bool is_read(const struct entry *entry)
{
    return entry->statement->kind == PQ_SELECT;
}

static enum pk_code parse_entry(struct list *list, struct entry *entry, struct pk_error *err)
{
    return partiql_parse(api_get_text(list->arena, entry->request, "Statement"), list->arena,
                         &entry->statement, err);
}

static struct pk_write entry_write(const struct list *list, const struct entry *entry)
{
    struct pk_write write = partiql_write(&entry->plan, list->arena);

    write.item_on_failure =
        api_get_is(entry->request, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    return write;
}

static struct pk_get entry_get(const struct entry *entry)
{
    return (struct pk_get){.table = entry->plan.table->name,
                           .key = entry->plan.key,
                           .consistent = entry->binding.consistent};
}

static bool has_item(const struct entry *entry)
{
    return pk_view_kind(entry->item) != PK_MISSING &&
           (entry->plan.filter == NULL || pk_expr_test(entry->plan.filter, entry->item));
}

static bool is_single_item(const struct entry *entry)
{
    return entry->plan.operation == PARTIQL_GET && !partiql_has_function(entry->plan.filter);
}

/* ---- BatchExecuteStatement ---------------------------------------------------------------- */

/* The error codes of a batch; what is not listed fails the whole request. */
static const struct {
    enum pk_code code;
    const char *name;
} batch_codes[] = {
    {PK_E_VALIDATION, "ValidationError"},
    {PK_E_CONDITION_FAILED, "ConditionalCheckFailed"},
    {PK_E_DUPLICATE_ITEM, "DuplicateItem"},
    {PK_E_NOT_FOUND, "ResourceNotFound"},
    {PK_E_TXN_CONFLICT, "TransactionConflict"},
    {PK_E_COLLECTION_SIZE, "ItemCollectionSizeLimitExceeded"},
    {PK_E_THROUGHPUT_EXCEEDED, "ProvisionedThroughputExceeded"},
    {PK_E_THROTTLED, "ThrottlingError"},
    {PK_E_REQUEST_LIMIT, "RequestLimitExceeded"},
    {PK_E_ACCESS_DENIED, "AccessDenied"},
    {PK_E_INTERNAL, "InternalServerError"},
};

static const char *batch_code(enum pk_code code)
{
    for (size_t i = 0; i < sizeof(batch_codes) / sizeof(batch_codes[0]); i++) {
        if (batch_codes[i].code == code)
            return batch_codes[i].name;
    }
    return NULL;
}

static enum pk_code parse_batch(struct list *list, struct pk_error *err)
{
    bool reads = false, writes = false;

    for (size_t i = 0; i < list->count; i++) {
        struct entry *entry = &list->entries[i];

        if (parse_entry(list, entry, &entry->err) != PK_OK)
            continue;
        enum pk_code rc = read_parameters(list->arena, entry->request, &entry->binding, err);
        if (rc != PK_OK)
            return rc;
        if (is_read(entry))
            reads = true;
        else
            writes = true;
    }
    if (reads && writes)
        return pk_fail(err, PK_E_VALIDATION,
                       "Read and write requests together in the same batch is not supported.");
    return PK_OK;
}

static enum pk_code plan_batch_entry(struct entry *entry)
{
    enum pk_code rc;

    if (entry->statement == NULL)
        return entry->err.code;
    if (entry->statement->kind == PQ_EXISTS || entry->statement->kind == PQ_NOT_EXISTS)
        return pk_fail(&entry->err, PK_E_VALIDATION,
                       "EXISTS can only be used in ExecuteTransaction write requests.");
    entry->binding.consistent = api_get_bool(entry->request, "ConsistentRead");
    rc = partiql_plan(entry->statement, &entry->binding, &entry->plan, &entry->err);
    if (rc == PK_OK && is_read(entry) && !is_single_item(entry))
        rc = pk_fail(&entry->err, PK_E_VALIDATION,
                     "Select statements within BatchExecuteStatement must specify the primary key "
                     "in the where clause.");
    entry->planned = rc == PK_OK;
    return rc;
}

/* The item's key, as it is compared between statements. */
static pk_view entry_key(const struct list *list, const struct entry *entry)
{
    const struct pk_key_schema *schema = &entry->plan.table->key;
    struct pk_member *members = PK_NEW_ARRAY(list->arena, struct pk_member, 2);
    size_t count = 1u + schema->range_count;

    if (entry->plan.operation != PARTIQL_INSERT)
        return pk_view_of(list->arena, entry->plan.key);
    for (size_t i = 0; i < count; i++) {
        pk_slice name = i == 0 ? schema->hash[0].name : schema->range[0].name;

        members[i] = (struct pk_member){name, pk_value_get(entry->plan.item, name)};
    }
    return pk_view_of(list->arena, pk_value_map(members, count));
}

static enum pk_code check_duplicates(const struct list *list, struct pk_error *err)
{
    pk_view *keys = PK_NEW_ARRAY(list->arena, pk_view, list->count);

    for (size_t i = 0; i < list->count; i++) {
        const struct entry *entry = &list->entries[i];

        if (!entry->planned)
            continue;
        keys[i] = entry_key(list, entry);
        for (size_t before = 0; before < i; before++) {
            if (list->entries[before].planned && pk_view_equal(keys[before], keys[i]) &&
                pk_slice_equal(list->entries[before].plan.table->name, entry->plan.table->name))
                return pk_fail(err, PK_E_VALIDATION,
                               "Provided list of item keys contains duplicates");
        }
    }
    return PK_OK;
}

static void add_cost(struct list *list, const struct pk_cost *cost)
{
    size_t i = 0;

    while (i < list->cost_count && !pk_slice_equal(list->costs[i].table, cost->table))
        i++;
    if (i == list->cost_count)
        list->cost_count++;
    partiql_add_cost(&list->costs[i], cost, list->arena);
}

static enum pk_code run_batch_read(struct list *list, struct entry *entry, struct pk_facts *facts)
{
    struct pk_get get = entry_get(entry);
    struct pk_get_result got = {0};
    enum pk_code rc = pk_engine_get(list->call->engine, &list->call->call, &get, &got, &entry->err);

    if (rc != PK_OK)
        return rc;
    entry->item = got.item;
    add_cost(list, &got.cost);
    partiql_add_facts(facts, &got.facts);
    return PK_OK;
}

static enum pk_code run_batch_write(struct list *list, struct entry *entry, struct pk_facts *facts)
{
    struct pk_write write = entry_write(list, entry);
    enum pk_code rc =
        pk_engine_write(list->call->engine, &list->call->call, &write, &entry->result, &entry->err);

    if (rc != PK_OK)
        return rc;
    add_cost(list, &entry->result.cost);
    partiql_add_facts(facts, &entry->result.facts);
    return PK_OK;
}

/* Statements are independent: one that fails does not stop the others. */
static enum pk_code run_batch(struct list *list, struct pk_error *err)
{
    struct pk_facts facts = {0};

    for (size_t i = 0; i < list->count; i++) {
        struct entry *entry = &list->entries[i];
        enum pk_code rc = entry->err.code;

        if (entry->planned) {
            rc = is_read(entry) ? run_batch_read(list, entry, &facts)
                                : run_batch_write(list, entry, &facts);
            entry->ran = true;
        }
        if (rc != PK_OK && batch_code(rc) == NULL) {
            pk_error_move(err, &entry->err);
            return rc;
        }
    }
    api_facts(list->call, &facts);
    return PK_OK;
}

static void write_batch_error(const struct entry *entry, struct pk_buf *out)
{
    json_out_member(out, "Error");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "Code", pk_slice_cstr(batch_code(entry->err.code)));
    json_out_member_text(out, "Message", pk_slice_cstr(entry->err.message));
    if (entry->err.item != NULL) {
        json_out_member(out, "Item");
        json_out_item(out, (pk_view){entry->err.item, entry->err.item_len});
    }
    pk_buf_add_byte(out, '}');
}

static void write_batch_entry(const struct entry *entry, struct pk_buf *out)
{
    struct pk_buf row = PK_BUF_INIT;
    bool named = entry->ran && entry->err.code != PK_E_VALIDATION;

    json_out_element(out);
    pk_buf_add_byte(out, '{');
    if (named)
        json_out_member_text(out, "TableName", entry->plan.table->name);
    if (entry->err.code != PK_OK) {
        write_batch_error(entry, out);
    } else if (is_read(entry) && has_item(entry)) {
        json_out_member(out, "Item");
        partiql_row(&entry->plan, entry->item, out);
    } else if (!is_read(entry) && partiql_returned_row(&entry->plan, &entry->result, &row)) {
        json_out_member(out, "Item");
        pk_buf_add(out, pk_buf_slice(&row));
    }
    pk_buf_add_byte(out, '}');
    pk_buf_release(&row);
}

enum pk_code api_batch_execute_statement(struct api_call *call, const struct cJSON *request,
                                         struct pk_buf *out, struct pk_error *err)
{
    struct list list;
    enum pk_code rc;

    open_list(&list, call, api_json_member(request, "Statements"));
    rc = parse_batch(&list, err);
    for (size_t i = 0; i < list.count && rc == PK_OK; i++)
        (void)plan_batch_entry(&list.entries[i]); /* its error is part of the answer */
    if (rc == PK_OK)
        rc = check_duplicates(&list, err);
    if (rc == PK_OK)
        rc = run_batch(&list, err);
    if (rc == PK_OK) {
        json_out_member(out, "Responses");
        pk_buf_add_byte(out, '[');
        for (size_t i = 0; i < list.count; i++)
            write_batch_entry(&list.entries[i], out);
        pk_buf_add_byte(out, ']');
        api_costs_add(out, api_cost_mode(request), API_COST_PLAIN, list.costs, list.cost_count);
    }
    close_list(&list);
    return rc;
}

/* ---- ExecuteTransaction ------------------------------------------------------------------- */

/* Puts "Validation failed in TransactStatements[i]: " before a ValidationException. */
static enum pk_code in_statement(const struct entry *entry, enum pk_code rc, struct pk_error *err)
{
    char prefix[64];

    if (rc != PK_E_VALIDATION)
        return rc;
    snprintf(prefix, sizeof(prefix),
             "Validation failed in TransactStatements[%zu]: ", entry->index);
    pk_error_prefix(err, prefix);
    return rc;
}

static enum pk_code refuse_entry(const struct entry *entry, struct pk_error *err,
                                 const char *message)
{
    return in_statement(entry, pk_fail(err, PK_E_VALIDATION, "%s", message), err);
}

static enum pk_code parse_transaction(struct list *list, struct pk_error *err)
{
    bool reads = false, writes = false;

    for (size_t i = 0; i < list->count; i++) {
        struct entry *entry = &list->entries[i];
        enum pk_code rc = in_statement(entry, parse_entry(list, entry, err), err);

        if (rc == PK_OK)
            rc = read_parameters(list->arena, entry->request, &entry->binding, err);
        if (rc != PK_OK)
            return rc;
        if (is_read(entry))
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
static enum pk_code check_entry(const struct entry *entry, struct pk_error *err)
{
    const struct partiql_plan *plan = &entry->plan;
    bool exists = entry->statement->kind == PQ_EXISTS;

    if (entry->statement->returning.given)
        return refuse_entry(entry, err, "RETURNING clause is not supported in ExecuteTransaction.");
    if (!exists && !is_read(entry))
        return PK_OK;
    if (plan->index != NULL)
        return refuse_entry(entry, err, "Reads on indices are not supported within transactions.");
    if (exists && (plan->operation != PARTIQL_GET || plan->filter == NULL))
        return refuse_entry(entry, err,
                            "EXISTS() must contain a single item read with additional condition");
    if (!exists && !is_single_item(entry))
        return refuse_entry(entry, err,
                            "Select statements within ExecuteTransaction must specify the primary "
                            "key in the where clause.");
    return PK_OK;
}

static enum pk_code plan_transaction(struct list *list, struct pk_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct entry *entry = &list->entries[i];
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

static enum pk_code transact_reads(struct list *list, const struct cJSON *request,
                                   struct pk_buf *out, struct pk_error *err)
{
    struct pk_get *gets = PK_NEW_ARRAY(list->arena, struct pk_get, list->count);
    struct pk_transact_get_result result = {0};
    enum pk_code rc;

    for (size_t i = 0; i < list->count; i++)
        gets[i] = entry_get(&list->entries[i]);
    rc = pk_engine_transact_get(list->call->engine, &list->call->call, gets, list->count, &result,
                                err);
    if (rc != PK_OK)
        return rc;
    api_facts(list->call, &result.facts);
    json_out_member(out, "Responses");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < list->count; i++) {
        list->entries[i].item = result.items[i];
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        if (has_item(&list->entries[i])) {
            json_out_member(out, "Item");
            partiql_row(&list->entries[i].plan, result.items[i], out);
        }
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
    api_costs_add(out, api_cost_mode(request), API_COST_TRANSACTION, result.costs,
                  result.cost_count);
    return PK_OK;
}

/* Items, keys and parameters count. */
static enum pk_code check_payload(const struct list *list, const struct pk_write *writes,
                                  struct pk_error *err)
{
    size_t payload = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct partiql_binding *binding = &list->entries[i].binding;

        payload += pk_item_size(writes[i].item);
        for (size_t p = 0; p < binding->param_count && writes[i].kind != PK_WRITE_PUT; p++)
            payload += pk_value_size(binding->params[p]);
    }
    if (payload <= PAYLOAD_MAX)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION,
                   "Transaction payload size cannot exceed 4MB. Payload Size: %zu", payload);
}

static enum pk_code transact_writes(struct list *list, const struct cJSON *request,
                                    struct pk_buf *out, struct pk_error *err)
{
    struct pk_write *writes = PK_NEW_ARRAY(list->arena, struct pk_write, list->count);
    struct pk_transact_write transaction = {.writes = writes, .count = list->count};
    struct pk_transact_write_result result = {0};
    struct pk_buf content = PK_BUF_INIT;
    enum pk_code rc;

    for (size_t i = 0; i < list->count; i++)
        writes[i] = entry_write(list, &list->entries[i]);
    rc = check_payload(list, writes, err);
    if (rc != PK_OK)
        return rc;
    transaction.token = api_get_text(list->arena, request, "ClientRequestToken");
    api_json_canonical(&content, request, "ReturnConsumedCapacity");
    pk_hash_sha256(pk_buf_slice(&content), transaction.hash);
    pk_buf_release(&content);
    rc =
        pk_engine_transact_write(list->call->engine, &list->call->call, &transaction, &result, err);
    if (rc != PK_OK)
        return rc;
    api_facts(list->call, &result.facts);
    json_out_member(out, "Responses");
    pk_buf_add_cstr(out, "[]");
    api_costs_add(out, api_cost_mode(request), API_COST_TRANSACTION, result.costs,
                  result.cost_count);
    return PK_OK;
}

enum pk_code api_execute_transaction(struct api_call *call, const struct cJSON *request,
                                     struct pk_buf *out, struct pk_error *err)
{
    struct list list;
    enum pk_code rc;

    open_list(&list, call, api_json_member(request, "TransactStatements"));
    rc = parse_transaction(&list, err);
    if (rc == PK_OK)
        rc = plan_transaction(&list, err);
    if (rc == PK_OK)
        rc = is_read(&list.entries[0]) ? transact_reads(&list, request, out, err)
                                       : transact_writes(&list, request, out, err);
    close_list(&list);
    return rc;
}
