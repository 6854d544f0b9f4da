/*
 * SET and REMOVE clauses (partiql.md §5). They become the actions of an UpdateExpression;
 * set_add and set_delete, which PartiQL writes as assignments, become ADD and DELETE.
 */
#include "commands/partiql/partiql_lex.h"
#include "commands/partiql/partiql_lower.h"

static enum pk_code lower_value(const struct partiql_scope *scope, const struct partiql_node *node,
                                struct pk_node **out, struct pk_error *err);

static enum pk_code refuse_operator(const struct partiql_scope *scope,
                                    const struct partiql_node *node, struct pk_error *err)
{
    pk_slice operator= partiql_text_at(scope->text, node->mark);

    return pk_fail_at(err, PK_E_VALIDATION, node->mark,
                      "Unsupported operator in Update Expression. Operator: %.*s",
                      PK_FMT(operator));
}

static bool is_set_function(const struct partiql_node *node)
{
    return node->kind == PQ_CALL &&
           (pk_slice_is(node->text, "set_add") || pk_slice_is(node->text, "set_delete"));
}

static enum pk_code refuse_function(const struct partiql_scope *scope,
                                    const struct partiql_node *node, struct pk_error *err)
{
    static const char *const conditions[] = {
        "size",           "begins_with",      "contains",
        "attribute_type", "attribute_exists", "attribute_not_exists"};

    if (is_set_function(node))
        return pk_fail_at(err, PK_E_VALIDATION, node->mark,
                          "The function is not allowed to be used this way in an expression; "
                          "function: %.*s",
                          PK_FMT(node->text));
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
        if (pk_slice_is(node->text, conditions[i]))
            return pk_fail_at(err, PK_E_VALIDATION, node->mark,
                              "The function is not allowed in an update expression; function: %s",
                              conditions[i]);
    }
    return partiql_unknown_function(scope, node, err);
}

static enum pk_code lower_arguments(const struct partiql_scope *scope,
                                    const struct partiql_node *node, enum pk_op op,
                                    struct pk_node **out, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    *out = pk_node_new(scope->arena, op, node->count);
    for (size_t i = 0; i < node->count && rc == PK_OK; i++)
        rc = lower_value(scope, node->args[i], &(*out)->args[i], err);
    return rc;
}

static enum pk_code lower_call(const struct partiql_scope *scope, const struct partiql_node *node,
                               struct pk_node **out, struct pk_error *err)
{
    if (pk_slice_is(node->text, "list_append"))
        return lower_arguments(scope, node, PK_OP_LIST_APPEND, out, err);
    if (pk_slice_is(node->text, "if_not_exists"))
        return lower_arguments(scope, node, PK_OP_IF_NOT_EXISTS, out, err);
    return refuse_function(scope, node, err);
}

static enum pk_code lower_literal(const struct partiql_scope *scope,
                                  const struct partiql_node *node, struct pk_node **out,
                                  struct pk_error *err)
{
    pk_value value;
    enum pk_code rc = partiql_value(scope, node, PQ_VALUE_OTHER, &value, err);

    if (rc == PK_OK)
        *out = pk_node_value(scope->arena, pk_view_of(scope->arena, value));
    return rc;
}

/* addend { ("+" | "-") addend } */
static enum pk_code lower_kind(const struct partiql_scope *scope, const struct partiql_node *node,
                               struct pk_node **out, struct pk_error *err)
{
    const struct pk_path *path;
    enum pk_code rc;

    switch (node->kind) {
    case PQ_PATH:
        rc = partiql_lower_path(scope, node, &path, err);
        if (rc == PK_OK)
            *out = pk_node_path(scope->arena, path);
        return rc;
    case PQ_ARITHMETIC:
        if (node->op == PK_OP_TRUE || node->count != 2)
            return refuse_operator(scope, node, err);
        return lower_arguments(scope, node, node->op, out, err);
    case PQ_CALL:
        return lower_call(scope, node, out, err);
    case PQ_STRING:
    case PQ_NUMBER:
    case PQ_BOOL:
    case PQ_NULL:
    case PQ_MISSING:
    case PQ_PARAM:
    case PQ_ION:
    case PQ_LIST:
    case PQ_BAG:
    case PQ_STRUCT:
    case PQ_STAR:
        return lower_literal(scope, node, out, err);
    case PQ_NOT:
    case PQ_AND:
    case PQ_OR:
    case PQ_COMPARE:
    case PQ_LIKE:
    case PQ_BETWEEN:
    case PQ_IN:
    case PQ_IS:
        break;
    }
    return refuse_operator(scope, node, err);
}

static enum pk_code lower_value(const struct partiql_scope *scope, const struct partiql_node *node,
                                struct pk_node **out, struct pk_error *err)
{
    enum pk_code rc = lower_kind(scope, node, out, err);

    if (rc == PK_OK)
        (*out)->span = node->span;
    return rc;
}

static bool same_path(const struct pk_path *a, const struct pk_path *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct pk_path_step *x = &a->steps[i], *y = &b->steps[i];

        if ((x->name.data == NULL) != (y->name.data == NULL) || x->index != y->index ||
            !pk_slice_equal(x->name, y->name))
            return false;
    }
    return true;
}

static bool is_set_view(pk_view value)
{
    enum pk_kind kind = pk_view_kind(value);

    return kind == PK_STRING_SET || kind == PK_NUMBER_SET || kind == PK_BINARY_SET;
}

/* p = set_add(p, <<…>>) and set_delete */
static enum pk_code lower_set_function(const struct partiql_scope *scope,
                                       const struct partiql_node *node, struct pk_action *action,
                                       struct pk_error *err)
{
    bool adds = pk_slice_is(node->text, "set_add");
    const char *name = adds ? "SET_ADD" : "SET_DELETE";
    pk_slice at = partiql_position(scope->text, node->mark, scope->arena);
    const struct pk_path *path = NULL;
    struct pk_node *value;
    enum pk_code rc;

    if (node->count != 2)
        return pk_fail_at(err, PK_E_VALIDATION, node->span,
                          "%s must have exactly two arguments at %.*s", name, PK_FMT(at));
    if (node->args[0]->kind == PQ_PATH) {
        rc = partiql_lower_path(scope, node->args[0], &path, err);
        if (rc != PK_OK)
            return rc;
    }
    if (path == NULL || !same_path(path, action->path))
        return pk_fail_at(err, PK_E_VALIDATION, node->args[0]->span,
                          "The first argument to %s must equal the assignment value at %.*s", name,
                          PK_FMT(at));
    rc = lower_value(scope, node->args[1], &value, err);
    if (rc != PK_OK)
        return rc;
    if (value->op != PK_OP_VALUE || !is_set_view(value->value)) {
        at = partiql_position(scope->text, node->args[0]->span, scope->arena);
        return pk_fail_at(err, PK_E_VALIDATION, node->args[1]->span,
                          "The second argument to %s must be a value with type SET at %.*s", name,
                          PK_FMT(at));
    }
    action->kind = adds ? PK_ACTION_ADD : PK_ACTION_DELETE;
    action->value = value;
    return PK_OK;
}

static enum pk_code lower_clause(const struct partiql_scope *scope,
                                 const struct partiql_clause *clause, struct pk_action *action,
                                 struct pk_error *err)
{
    struct pk_node *value;
    enum pk_code rc = partiql_lower_path(scope, clause->path, &action->path, err);

    if (rc != PK_OK)
        return rc;
    action->kind = PK_ACTION_REMOVE;
    if (clause->value == NULL)
        return PK_OK;
    if (is_set_function(clause->value))
        return lower_set_function(scope, clause->value, action, err);
    action->kind = PK_ACTION_SET;
    rc = lower_value(scope, clause->value, &value, err);
    if (rc == PK_OK)
        action->value = value;
    return rc;
}

enum pk_code partiql_lower_update(const struct partiql_scope *scope,
                                  const struct partiql_statement *statement, struct pk_update *out,
                                  struct pk_error *err)
{
    *out = (struct pk_update){.count = statement->clause_count};
    out->actions = PK_NEW_ARRAY(scope->arena, struct pk_action, out->count);
    for (size_t i = 0; i < out->count; i++) {
        enum pk_code rc = lower_clause(scope, &statement->clauses[i], &out->actions[i], err);

        if (rc != PK_OK)
            return rc;
    }
    return pk_expr_check_update(out, scope->arena, err);
}
