/*
 * BatchExecuteStatement (partiql.md §8). Statements are independent: each has an entry in the
 * answer, its item or its error. Only what concerns the batch as a whole fails the request.
 */
#include "commands/api/api_partiql.h"

#include "commands/api/api_check.h"
#include "commands/api/api_cost.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"

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

static enum pk_code parse_batch(struct api_entries *entries, struct pk_error *err)
{
    bool reads = false, writes = false;

    for (size_t i = 0; i < entries->count; i++) {
        struct api_entry *entry = &entries->list[i];

        if (api_entry_parse(entries, entry, &entry->err) != PK_OK)
            continue;
        enum pk_code rc =
            api_partiql_parameters(entries->arena, entry->request, &entry->binding, err);
        if (rc != PK_OK)
            return rc;
        if (api_entry_is_read(entry))
            reads = true;
        else if (entry->statement->kind != PQ_OTHER)
            writes = true;
    }
    if (reads && writes)
        return pk_fail(err, PK_E_VALIDATION,
                       "Read and write requests together in the same batch is not supported.");
    return PK_OK;
}

static enum pk_code plan_batch_entry(struct api_entry *entry)
{
    enum pk_code rc;

    if (entry->statement == NULL)
        return entry->err.code;
    if (entry->statement->kind == PQ_EXISTS || entry->statement->kind == PQ_NOT_EXISTS)
        return pk_fail(&entry->err, PK_E_VALIDATION,
                       "EXISTS can only be used in ExecuteTransaction write requests.");
    entry->binding.consistent = api_get_bool(entry->request, "ConsistentRead");
    rc = partiql_plan(entry->statement, &entry->binding, &entry->plan, &entry->err);
    if (rc == PK_OK && api_entry_is_read(entry) && !api_entry_is_single_item(entry))
        rc = pk_fail(&entry->err, PK_E_VALIDATION,
                     "Select statements within BatchExecuteStatement must specify the primary key "
                     "in the where clause.");
    entry->planned = rc == PK_OK;
    return rc;
}

/* The item's key, as it is compared between statements. */
static pk_view entry_key(const struct api_entries *entries, const struct api_entry *entry)
{
    const struct pk_key_schema *schema = &entry->plan.table->key;
    struct pk_member *members = PK_NEW_ARRAY(entries->arena, struct pk_member, 2);
    size_t count = 1u + schema->range_count;

    if (entry->plan.operation != PARTIQL_INSERT)
        return pk_view_of(entries->arena, entry->plan.key);
    for (size_t i = 0; i < count; i++) {
        pk_slice name = i == 0 ? schema->hash[0].name : schema->range[0].name;

        members[i] = (struct pk_member){name, pk_value_get(entry->plan.item, name)};
    }
    return pk_view_of(entries->arena, pk_value_map(members, count));
}

static enum pk_code check_duplicates(const struct api_entries *entries, struct pk_error *err)
{
    pk_view *keys = PK_NEW_ARRAY(entries->arena, pk_view, entries->count);

    for (size_t i = 0; i < entries->count; i++) {
        const struct api_entry *entry = &entries->list[i];

        if (!entry->planned)
            continue;
        keys[i] = entry_key(entries, entry);
        for (size_t before = 0; before < i; before++) {
            if (entries->list[before].planned && pk_view_equal(keys[before], keys[i]) &&
                pk_slice_equal(entries->list[before].plan.table->name, entry->plan.table->name))
                return pk_fail(err, PK_E_VALIDATION,
                               "Provided list of item keys contains duplicates");
        }
    }
    return PK_OK;
}

static void add_cost(struct api_entries *entries, const struct pk_cost *cost)
{
    size_t i = 0;

    while (i < entries->cost_count && !pk_slice_equal(entries->costs[i].table, cost->table))
        i++;
    if (i == entries->cost_count)
        entries->cost_count++;
    partiql_add_cost(&entries->costs[i], cost, entries->arena);
}

static enum pk_code run_batch_read(struct api_entries *entries, struct api_entry *entry,
                                   struct pk_facts *facts)
{
    struct pk_get get = api_entry_get(entry);
    struct pk_get_result got = {0};
    enum pk_code rc =
        pk_engine_get(entries->call->engine, &entries->call->call, &get, &got, &entry->err);

    if (rc != PK_OK)
        return rc;
    entry->item = got.item;
    add_cost(entries, &got.cost);
    partiql_add_facts(facts, &got.facts);
    return PK_OK;
}

static enum pk_code run_batch_write(struct api_entries *entries, struct api_entry *entry,
                                    struct pk_facts *facts)
{
    struct pk_write write = api_entry_write(entries, entry);
    enum pk_code rc = pk_engine_write(entries->call->engine, &entries->call->call, &write,
                                      &entry->result, &entry->err);

    if (rc != PK_OK)
        return rc;
    add_cost(entries, &entry->result.cost);
    partiql_add_facts(facts, &entry->result.facts);
    return PK_OK;
}

/* Statements are independent: one that fails does not stop the others. */
static enum pk_code run_batch(struct api_entries *entries, struct pk_error *err)
{
    struct pk_facts facts = {0};

    for (size_t i = 0; i < entries->count; i++) {
        struct api_entry *entry = &entries->list[i];
        enum pk_code rc = entry->err.code;

        if (entry->planned) {
            rc = api_entry_is_read(entry) ? run_batch_read(entries, entry, &facts)
                                          : run_batch_write(entries, entry, &facts);
            entry->ran = true;
        }
        if (rc != PK_OK && batch_code(rc) == NULL) {
            pk_error_move(err, &entry->err);
            return rc;
        }
    }
    api_facts(entries->call, &facts, entries->costs, entries->cost_count);
    return PK_OK;
}

static void write_batch_error(const struct api_entry *entry, struct pk_buf *out)
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

static void write_batch_entry(const struct api_entry *entry, struct pk_buf *out)
{
    struct pk_buf row = PK_BUF_INIT;
    bool named = entry->ran && entry->err.code != PK_E_VALIDATION;

    json_out_element(out);
    pk_buf_add_byte(out, '{');
    if (named)
        json_out_member_text(out, "TableName", entry->plan.table->name);
    if (entry->err.code != PK_OK) {
        write_batch_error(entry, out);
    } else if (api_entry_is_read(entry) && api_entry_has_item(entry)) {
        json_out_member(out, "Item");
        partiql_row(&entry->plan, entry->item, out);
    } else if (!api_entry_is_read(entry) &&
               partiql_returned_row(&entry->plan, &entry->result, &row)) {
        json_out_member(out, "Item");
        pk_buf_add(out, pk_buf_slice(&row));
    }
    pk_buf_add_byte(out, '}');
    pk_buf_release(&row);
}

enum pk_code api_batch_execute_statement(struct api_call *call, const struct cJSON *request,
                                         struct pk_buf *out, struct pk_error *err)
{
    struct api_entries entries;
    enum pk_code rc;

    api_entries_init(&entries, call, api_json_member(request, "Statements"));
    rc = parse_batch(&entries, err);
    for (size_t i = 0; i < entries.count && rc == PK_OK; i++)
        (void)plan_batch_entry(&entries.list[i]); /* its error is part of the answer */
    if (rc == PK_OK)
        rc = check_duplicates(&entries, err);
    if (rc == PK_OK)
        rc = run_batch(&entries, err);
    if (rc == PK_OK) {
        json_out_member(out, "Responses");
        pk_buf_add_byte(out, '[');
        for (size_t i = 0; i < entries.count; i++)
            write_batch_entry(&entries.list[i], out);
        pk_buf_add_byte(out, ']');
        api_costs_add(out, api_cost_mode(request), API_COST_PLAIN, entries.costs,
                      entries.cost_count);
    }
    api_entries_release(&entries);
    return rc;
}
