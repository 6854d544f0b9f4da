/*
 * Planning in stages, in DynamoDB's order of checks: what the language leaves out, parameters, what
 * needs no table (conditions, updates, projections), the names in FROM, the table, the index, and
 * then what needs their schema.
 */
#include "commands/partiql/partiql_plan.h"

#include <stdint.h>
#include <stdlib.h>

#include "commands/partiql/partiql_access.h"

struct planner {
    const struct partiql_statement *statement;
    const struct partiql_binding *binding;
    struct partiql_scope scope;
    struct partiql_plan *plan;
    struct pk_node *where; /* lowered; NULL: none */
    struct pk_error *err;
};

static bool is_read(const struct partiql_statement *statement)
{
    return statement->kind == PQ_SELECT || statement->kind == PQ_EXISTS ||
           statement->kind == PQ_NOT_EXISTS;
}

/* --- before the table ------------------------------------------------------------------------ */

static enum pk_code check_language(const struct planner *planner)
{
    const struct partiql_unsupported *unsupported = &planner->statement->unsupported;

    if (planner->statement->source.parts > 2)
        return pk_fail_at(planner->err, PK_E_VALIDATION, planner->statement->source.span,
                          "A path may contain at most 2 components in the FROM clause");
    if (unsupported->message.data != NULL) {
        enum pk_code rc = pk_fail_at(planner->err, PK_E_VALIDATION, unsupported->span, "%.*s",
                                     PK_FMT(unsupported->message));

        if (unsupported->hint != NULL)
            pk_error_hint(planner->err, "%s", unsupported->hint);
        return rc;
    }
    if (planner->statement->param_count != planner->binding->param_count)
        return pk_fail(planner->err, PK_E_VALIDATION,
                       "Number of parameters in request and statement don't match.");
    return PK_OK;
}

/* A multi-attribute index is refused even before faults of the condition, if it can be found. */
static enum pk_code check_multi_attribute(const struct planner *planner)
{
    const struct partiql_source *source = &planner->statement->source;
    const struct partiql_schema_source *schema = planner->binding->schema;
    const struct pk_table *table = NULL;
    const struct pk_index *index = NULL;
    struct pk_error ignored = PK_ERROR_INIT;

    if (source->index.data == NULL || !is_read(planner->statement))
        return PK_OK;
    if (schema->lookup(schema->context, source->table, &table, &ignored) == PK_OK)
        index = pk_table_index(table, source->index);
    pk_error_release(&ignored);
    if (index == NULL || (index->key.hash_count <= 1 && index->key.range_count <= 1))
        return PK_OK;
    return pk_fail_at(planner->err, PK_E_VALIDATION, source->span,
                      "PartiQL statements cannot be executed on tables with multi-attribute HASH "
                      "keys or multi-attribute RANGE keys.");
}

static enum pk_code lower_where(struct planner *planner)
{
    enum pk_code rc;

    if (planner->statement->where == NULL)
        return PK_OK;
    rc = partiql_lower_condition(&planner->scope, planner->statement->where, &planner->where,
                                 planner->err);
    return rc != PK_OK
               ? rc
               : pk_expr_check_condition(planner->where, planner->binding->arena, planner->err);
}

static enum pk_code lower_read(struct planner *planner)
{
    enum pk_code rc = partiql_lower_columns(&planner->scope, planner->statement,
                                            &planner->plan->columns, planner->err);

    return rc != PK_OK ? rc : lower_where(planner);
}

static enum pk_code lower_insert(struct planner *planner)
{
    if (planner->statement->source.index.data != NULL)
        return pk_fail_at(
            planner->err, PK_E_VALIDATION, planner->statement->source.span,
            "FROM clause may only contain a single table name in data manipulation statements");
    enum pk_code rc = partiql_item(&planner->scope, planner->statement->value, &planner->plan->item,
                                   planner->err);
    if (rc != PK_OK)
        return rc;
    if (pk_item_size(planner->plan->item) <= PK_ITEM_MAX)
        return PK_OK;
    return pk_fail_at(planner->err, PK_E_VALIDATION, planner->statement->value->span,
                      "Item size has exceeded the maximum allowed size");
}

static enum pk_code check_no_index(const struct planner *planner)
{
    if (planner->statement->source.index.data == NULL)
        return PK_OK;
    return pk_fail_at(planner->err, PK_E_VALIDATION, planner->statement->source.span,
                      "This operation is not supported on an index");
}

static enum pk_code lower_change(struct planner *planner)
{
    const struct partiql_statement *statement = planner->statement;
    const struct partiql_returning *returning = &statement->returning;
    enum pk_code rc = PK_OK;

    if (statement->kind == PQ_UPDATE)
        rc = partiql_lower_update(&planner->scope, statement, &planner->plan->update, planner->err);
    if (rc == PK_OK)
        rc = lower_where(planner);
    if (rc == PK_OK)
        rc = check_no_index(planner);
    if (rc != PK_OK)
        return rc;
    if (statement->kind == PQ_DELETE && returning->given && (!returning->all || returning->fresh))
        return pk_fail_at(
            planner->err, PK_E_VALIDATION, returning->span,
            "Invalid returning clause: RETURNING %s %s *. Only RETURNING ALL OLD * is "
            "allowed in DELETE statements.",
            returning->all ? "ALL" : "MODIFIED", returning->fresh ? "NEW" : "OLD");
    return PK_OK;
}

static enum pk_code lower_statement(struct planner *planner)
{
    switch (planner->statement->kind) {
    case PQ_SELECT:
    case PQ_EXISTS:
    case PQ_NOT_EXISTS:
        return lower_read(planner);
    case PQ_INSERT:
        planner->plan->operation = PARTIQL_INSERT;
        return lower_insert(planner);
    case PQ_UPDATE:
        planner->plan->operation = PARTIQL_UPDATE;
        return lower_change(planner);
    case PQ_DELETE:
        planner->plan->operation = PARTIQL_DELETE;
        return lower_change(planner);
    case PQ_OTHER:
        break;
    }
    pk_bug("a statement of no kind was planned");
}

/* --- the table ------------------------------------------------------------------------------- */

static bool is_table_name(pk_slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_' || c == '.'))
            return false;
    }
    return name.len >= 3 && name.len <= 255;
}

static enum pk_code check_source_name(const struct planner *planner, pk_slice name)
{
    struct pk_span span = planner->statement->source.span;

    if (name.len == 0)
        return pk_fail_at(planner->err, PK_E_VALIDATION, span,
                          "Path component cannot be an empty string");
    if (is_table_name(name))
        return PK_OK;
    return pk_fail_at(planner->err, PK_E_VALIDATION, span,
                      "Table name should be within the length [3, 255] and only contain 'a-z', "
                      "'A-Z', '0-9', '-', '_', '.'.");
}

static enum pk_code find_table(struct planner *planner)
{
    const struct partiql_source *source = &planner->statement->source;
    const struct partiql_schema_source *schema = planner->binding->schema;
    struct partiql_plan *plan = planner->plan;
    enum pk_code rc = check_source_name(planner, source->table);

    if (rc == PK_OK && source->index.data != NULL)
        rc = check_source_name(planner, source->index);
    if (rc != PK_OK)
        return rc;
    rc = schema->lookup(schema->context, source->table, &plan->table, planner->err);
    if (rc != PK_OK) {
        planner->err->span = source->span;
        return rc;
    }
    if (source->index.data == NULL)
        return PK_OK;
    plan->index = pk_table_index(plan->table, source->index);
    if (plan->index == NULL)
        return pk_fail_at(planner->err, PK_E_VALIDATION, source->span,
                          "The table does not have the specified index");
    if (planner->binding->consistent && !plan->index->local)
        return pk_fail_at(planner->err, PK_E_VALIDATION, source->span,
                          "Strongly consistent read is not supported on Global Secondary Indexes");
    return PK_OK;
}

/* --- reads ----------------------------------------------------------------------------------- */

/* Attributes that the index does not carry, each once, in the order written. */
struct unprojected {
    const struct partiql_plan *plan;
    struct pk_arena *arena;
    struct unprojected_name {
        pk_slice name;
        struct unprojected_name *next;
    } * first;
    pk_slice text; /* "v, w" */
    struct pk_span span;
};

static void add_unprojected(struct unprojected *found, const struct pk_path *path)
{
    pk_slice name = path->steps[0].name;
    struct unprojected_name **link = &found->first;

    if (pk_index_projects(found->plan->table, found->plan->index, name))
        return;
    for (; *link != NULL; link = &(*link)->next) {
        if (pk_slice_equal((*link)->name, name))
            return;
    }
    *link = PK_NEW(found->arena, struct unprojected_name);
    (*link)->name = name;
    if (found->text.len == 0)
        found->span = path->span;
    found->text = pk_arena_printf(found->arena, "%.*s%s%.*s", PK_FMT(found->text),
                                  found->text.len == 0 ? "" : ", ", PK_FMT(name));
}

static void find_unprojected(struct unprojected *found, const struct pk_node *node)
{
    if (node == NULL)
        return;
    if (node->op == PK_OP_PATH)
        add_unprojected(found, node->path);
    for (size_t i = 0; i < node->count; i++)
        find_unprojected(found, node->args[i]);
}

/* An LSI fetches what a SELECT list wants from the table; a filter sees the index only. */
static enum pk_code check_projected(const struct planner *planner)
{
    const struct partiql_plan *plan = planner->plan;
    struct unprojected columns = {.plan = plan, .arena = planner->binding->arena};
    struct unprojected filter = columns;

    if (plan->index == NULL)
        return PK_OK;
    for (size_t i = 0; i < plan->columns.count && !plan->index->local; i++)
        add_unprojected(&columns, plan->columns.list[i].path);
    if (columns.text.len > 0)
        return pk_fail_at(planner->err, PK_E_VALIDATION, columns.span,
                          "One or more parameter values were invalid: Global secondary index %.*s "
                          "does not project [%.*s]",
                          PK_FMT(plan->index->name), PK_FMT(columns.text));
    find_unprojected(&filter, plan->filter);
    for (size_t i = 0; i < plan->group_count; i++)
        find_unprojected(&filter, plan->groups[i].filter);
    if (filter.text.len > 0)
        return pk_fail_at(
            planner->err, PK_E_VALIDATION, filter.span,
            "One or more parameter values were invalid: Secondary index %.*s does not "
            "project one or more filter attributes: [%.*s]",
            PK_FMT(plan->index->name), PK_FMT(filter.text));
    return PK_OK;
}

static int compare_groups(const void *a, const void *b)
{
    const struct partiql_group *x = a, *y = b;
    int order = 0;

    (void)pk_view_compare(x->terms.terms[0].values[0], y->terms.terms[0].values[0], &order);
    return order;
}

static void sort_groups(struct partiql_plan *plan, bool descending)
{
    if (plan->group_count > 1)
        qsort(plan->groups, plan->group_count, sizeof(*plan->groups), compare_groups);
    for (size_t i = 0; descending && i < plan->group_count / 2; i++) {
        struct partiql_group other = plan->groups[plan->group_count - 1 - i];

        plan->groups[plan->group_count - 1 - i] = plan->groups[i];
        plan->groups[i] = other;
    }
}

/* One ORDER BY term: the hash attribute orders the groups, the range attribute within each. */
static enum pk_code apply_order(const struct planner *planner, const struct partiql_order *order)
{
    const struct pk_key_schema *key = partiql_key_schema(planner->plan);
    const struct partiql_node *path = order->path;
    pk_slice name = PK_LIT("");

    if (path->kind == PQ_PATH && path->step_count == 1)
        name = path->steps[0].name;
    if (key->range_count > 0 && pk_slice_equal(name, key->range[0].name)) {
        planner->plan->backward = order->descending;
        return PK_OK;
    }
    if (pk_slice_equal(name, key->hash[0].name)) {
        sort_groups(planner->plan, order->descending);
        return PK_OK;
    }
    return pk_fail_at(planner->err, PK_E_VALIDATION, path->span,
                      "Variable reference %.*s in ORDER BY clause must be part of the primary key",
                      (int)path->span.len, planner->statement->text.data + path->span.start);
}

static enum pk_code plan_order(const struct planner *planner)
{
    const struct partiql_statement *statement = planner->statement;

    if (statement->order_count == 0)
        return PK_OK;
    if (statement->where == NULL)
        return pk_fail_at(planner->err, PK_E_VALIDATION, statement->order_span,
                          "Must have WHERE clause in the statement when using ORDER BY clause.");
    if (planner->plan->operation == PARTIQL_SCAN)
        return pk_fail_at(planner->err, PK_E_VALIDATION, statement->order_span,
                          "Must have at least one non-optional hash key condition in WHERE clause "
                          "when using ORDER BY clause.");
    for (size_t i = 0; i < statement->order_count; i++) {
        enum pk_code rc = apply_order(planner, &statement->orders[i]);

        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static enum pk_code plan_read(struct planner *planner)
{
    enum pk_code rc =
        partiql_choose_access(planner->plan, planner->where, planner->binding->arena, planner->err);

    if (rc == PK_OK)
        rc = plan_order(planner);
    return rc != PK_OK ? rc : check_projected(planner);
}

/* --- writes ---------------------------------------------------------------------------------- */

static enum pk_code check_insert_key(const struct planner *planner, const struct pk_key_attr *attr)
{
    pk_value value = pk_value_get(planner->plan->item, attr->name);
    struct pk_span span = planner->statement->value->span;

    if (pk_value_kind(value) == PK_MISSING)
        return pk_fail_at(planner->err, PK_E_VALIDATION, span,
                          "Key attribute should be present in the item: Key %.*s",
                          PK_FMT(attr->name));
    return partiql_check_key_type(attr, pk_view_of(planner->binding->arena, value), span,
                                  planner->err);
}

static enum pk_code plan_insert(struct planner *planner)
{
    const struct pk_key_schema *key = &planner->plan->table->key;
    enum pk_code rc = check_insert_key(planner, &key->hash[0]);

    planner->plan->reason = PK_LIT("INSERT writes one item; an existing one is an error");
    if (rc == PK_OK && key->range_count > 0)
        rc = check_insert_key(planner, &key->range[0]);
    return rc;
}

static enum pk_code refuse_key(const struct planner *planner, const struct pk_key_attr *attr)
{
    struct pk_span span = planner->statement->where != NULL ? planner->statement->where->span
                                                            : planner->statement->source.span;
    enum pk_code rc = pk_fail_at(planner->err, PK_E_VALIDATION, span,
                                 "Where clause does not contain a mandatory equality on all key "
                                 "attributes");
    const char *verb = planner->statement->kind == PQ_UPDATE ? "UPDATE" : "DELETE";

    pk_error_hint(planner->err, "%s changes one item: WHERE must say %.*s = …", verb,
                  PK_FMT(attr->name));
    return rc;
}

/* Moves the equality on the attribute out of the conjuncts into the key. */
static enum pk_code take_key(const struct planner *planner, struct partiql_conjuncts *parts,
                             const struct pk_key_attr *attr, struct pk_member *member)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct pk_node *value = partiql_equality(parts->list[i], attr->name);

        if (value == NULL)
            continue;
        enum pk_code rc =
            partiql_check_key_type(attr, value->value, parts->list[i]->span, planner->err);
        member->name = attr->name;
        member->value = pk_view_decode(planner->binding->arena, value->value);
        parts->count--;
        memmove(&parts->list[i], &parts->list[i + 1],
                (parts->count - i) * sizeof(struct pk_node *));
        return rc;
    }
    return refuse_key(planner, attr);
}

static enum pk_code plan_change(struct planner *planner)
{
    const struct pk_key_schema *key = &planner->plan->table->key;
    struct pk_arena *arena = planner->binding->arena;
    struct pk_member *members = PK_NEW_ARRAY(arena, struct pk_member, 2);
    struct partiql_conjuncts parts = {0};
    enum pk_code rc;

    partiql_split(planner->where, arena, &parts);
    rc = take_key(planner, &parts, &key->hash[0], &members[0]);
    if (rc == PK_OK && key->range_count > 0)
        rc = take_key(planner, &parts, &key->range[0], &members[1]);
    if (rc != PK_OK)
        return rc;
    planner->plan->key = pk_value_map(members, 1u + key->range_count);
    planner->plan->condition = partiql_join(&parts, SIZE_MAX, arena);
    planner->plan->reason = PK_LIT("WHERE fixes the whole key: one item");
    return PK_OK;
}

/* --- the whole ------------------------------------------------------------------------------- */

static enum pk_code plan_statement(struct planner *planner)
{
    enum pk_code rc = check_language(planner);

    if (rc == PK_OK)
        rc = check_multi_attribute(planner);
    if (rc == PK_OK)
        rc = lower_statement(planner);
    if (rc == PK_OK)
        rc = find_table(planner);
    if (rc != PK_OK)
        return rc;
    if (is_read(planner->statement))
        return plan_read(planner);
    return planner->statement->kind == PQ_INSERT ? plan_insert(planner) : plan_change(planner);
}

enum pk_code partiql_plan(const struct partiql_statement *statement,
                          const struct partiql_binding *binding, struct partiql_plan *out,
                          struct pk_error *err)
{
    struct planner planner = {.statement = statement, .binding = binding, .plan = out, .err = err};
    enum pk_code rc;

    *out = (struct partiql_plan){.statement = statement};
    planner.scope = (struct partiql_scope){statement->text, binding->arena, binding->params,
                                           binding->param_count};
    rc = plan_statement(&planner);
    if (rc == PK_E_VALIDATION) {
        const struct partiql_node *suspect = partiql_quoted_suspect(statement, out->table);

        if (suspect != NULL)
            pk_error_hint(err, "in PartiQL \"…\" names an attribute; a string is written '%.*s'",
                          PK_FMT(suspect->steps[0].name));
    }
    return rc;
}

/* --- hints ----------------------------------------------------------------------------------- */

static const struct partiql_node *find_quoted(const struct partiql_node *node,
                                              const struct pk_table *table)
{
    if (node->kind == PQ_COMPARE) {
        const struct partiql_node *right = node->args[1];

        if (right->kind == PQ_PATH && right->step_count == 1 && right->steps[0].quoted &&
            (table == NULL || pk_table_attribute_type(table, right->steps[0].name) == PK_MISSING))
            return right;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct partiql_node *found = find_quoted(node->args[i], table);

        if (found != NULL)
            return found;
    }
    return NULL;
}

const struct partiql_node *partiql_quoted_suspect(const struct partiql_statement *statement,
                                                  const struct pk_table *table)
{
    return statement->where == NULL ? NULL : find_quoted(statement->where, table);
}

bool partiql_has_function(const struct pk_node *node)
{
    if (node == NULL)
        return false;
    if (node->op == PK_OP_SIZE || (node->op >= PK_OP_EXISTS && node->op <= PK_OP_CONTAINS))
        return true;
    for (size_t i = 0; i < node->count; i++) {
        if (partiql_has_function(node->args[i]))
            return true;
    }
    return false;
}
