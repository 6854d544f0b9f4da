/*
 * Tables, parameters and lists of statements: what comes before a PartiQL statement is planned, and
 * what batches and transactions do alike with each of theirs.
 */
#include "commands/api/api_partiql.h"

#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/api_value.h"
#include "commands/partiql/partiql_lex.h"
#include "commands/partiql/partiql_parse.h"

/* ---- tables ------------------------------------------------------------------------------- */

struct api_held_table {
    struct pk_table *table;
    struct api_held_table *next;
};

static enum pk_code find_table(void *context, pk_slice name, const struct pk_table **table,
                               struct pk_error *err)
{
    struct api_tables *tables = context;
    struct api_held_table *held = tables->first;

    while (held != NULL && !pk_slice_equal(held->table->name, name))
        held = held->next;
    if (held == NULL) {
        struct pk_table *found = pk_engine_table(tables->engine, name);

        if (found == NULL || !pk_table_serves(found)) {
            pk_table_unref(found);
            return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
        }
        held = PK_NEW(tables->arena, struct api_held_table);
        held->table = found;
        held->next = tables->first;
        tables->first = held;
    }
    *table = held->table;
    return PK_OK;
}

struct partiql_schema_source api_tables_source(struct api_tables *tables)
{
    return (struct partiql_schema_source){find_table, tables};
}

void api_tables_release(struct api_tables *tables)
{
    for (struct api_held_table *held = tables->first; held != NULL; held = held->next)
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

enum pk_code api_partiql_parameters(struct pk_arena *arena, const struct cJSON *request,
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

/* ---- several statements ------------------------------------------------------------------- */

void api_entries_init(struct api_entries *entries, struct api_call *call,
                      const struct cJSON *statements)
{
    size_t n = 0;

    *entries = (struct api_entries){.call = call, .arena = call->call.arena};
    entries->tables = (struct api_tables){.engine = call->engine, .arena = entries->arena};
    entries->schema = api_tables_source(&entries->tables);
    entries->count = api_json_count(statements);
    entries->list = PK_NEW_ARRAY(entries->arena, struct api_entry, entries->count);
    entries->costs = PK_NEW_ARRAY(entries->arena, struct pk_cost, entries->count);
    for (const struct cJSON *node = api_json_first(statements); node != NULL;
         node = api_json_next(node), n++) {
        entries->list[n].request = node;
        entries->list[n].index = n;
        entries->list[n].binding =
            (struct partiql_binding){.schema = &entries->schema, .arena = entries->arena};
    }
}

void api_entries_release(struct api_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        pk_error_release(&entries->list[i].err);
    api_tables_release(&entries->tables);
}

bool api_entry_is_read(const struct api_entry *entry)
{
    return entry->statement->kind == PQ_SELECT;
}

enum pk_code api_entry_parse(const struct api_entries *entries, struct api_entry *entry,
                             struct pk_error *err)
{
    return partiql_parse(api_get_text(entries->arena, entry->request, "Statement"), entries->arena,
                         &entry->statement, err);
}

struct pk_write api_entry_write(const struct api_entries *entries, const struct api_entry *entry)
{
    struct pk_write write = partiql_write(&entry->plan, entries->arena);

    write.item_on_failure =
        api_get_is(entry->request, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    return write;
}

struct pk_get api_entry_get(const struct api_entry *entry)
{
    return (struct pk_get){.table = entry->plan.table->name,
                           .key = entry->plan.key,
                           .consistent = entry->binding.consistent};
}

bool api_entry_has_item(const struct api_entry *entry)
{
    return pk_view_kind(entry->item) != PK_MISSING &&
           (entry->plan.filter == NULL || pk_expr_test(entry->plan.filter, entry->item));
}

bool api_entry_is_single_item(const struct api_entry *entry)
{
    return entry->plan.operation == PARTIQL_GET && !partiql_has_function(entry->plan.filter);
}
