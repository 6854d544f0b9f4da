/* Conditions and projections. Updates are in partiql_lower_update.c. */
#include "commands/partiql/partiql_lower.h"

#include <stdint.h>

#include "commands/partiql/partiql_lex.h"

/* --- paths ----------------------------------------------------------------------------------- */

static enum pk_code lower_index(const struct partiql_scope *scope, const struct partiql_step *step,
                                uint64_t *out, struct pk_error *err)
{
    uint64_t index = 0;
    bool fits = !step->negative;

    for (size_t i = 0; i < step->index.len && fits; i++) {
        index = index * 10 + (uint64_t)(step->index.data[i] - '0');
        fits = index <= INT32_MAX;
    }
    *out = index;
    if (fits)
        return PK_OK;

    pk_slice at = partiql_position(scope->text, step->span, scope->arena);
    return pk_fail_at(err, PK_E_VALIDATION, step->span,
                      "List index is not within the allowable range; index: [%s%.*s] at %.*s",
                      step->negative ? "-" : "", PK_FMT(step->index), PK_FMT(at));
}

enum pk_code partiql_lower_path(const struct partiql_scope *scope, const struct partiql_node *node,
                                const struct pk_path **out, struct pk_error *err)
{
    struct pk_path *path = PK_NEW(scope->arena, struct pk_path);

    if (node->step_count > PK_EXPR_PATH_MAX)
        return pk_fail_at(err, PK_E_VALIDATION, node->span,
                          "The document path has too many nesting levels; nesting levels: %zu",
                          node->step_count);
    path->steps = PK_NEW_ARRAY(scope->arena, struct pk_path_step, node->step_count);
    path->count = node->step_count;
    path->span = node->span;
    for (size_t i = 0; i < node->step_count; i++) {
        const struct partiql_step *step = &node->steps[i];

        path->steps[i].name = step->name;
        if (step->name.data != NULL && step->name.len == 0)
            return pk_fail_at(err, PK_E_VALIDATION, step->span,
                              "Path component cannot be an empty string");
        if (step->name.data != NULL)
            continue;
        enum pk_code rc = lower_index(scope, step, &path->steps[i].index, err);
        if (rc != PK_OK)
            return rc;
    }
    *out = path;
    return PK_OK;
}

/* --- functions ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum pk_op op;
} functions[] = {
    {"attribute_exists", PK_OP_EXISTS},
    {"attribute_not_exists", PK_OP_NOT_EXISTS},
    {"attribute_type", PK_OP_ATTRIBUTE_TYPE},
    {"begins_with", PK_OP_BEGINS_WITH},
    {"contains", PK_OP_CONTAINS},
    {"size", PK_OP_SIZE},
};

/* PK_OP_TRUE when there is no such function. */
static enum pk_op find_function(pk_slice name)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (pk_slice_is(name, functions[i].name))
            return functions[i].op;
    }
    return PK_OP_TRUE;
}

enum pk_code partiql_unknown_function(const struct partiql_scope *scope,
                                      const struct partiql_node *call, struct pk_error *err)
{
    pk_slice at = partiql_position(scope->text, call->mark, scope->arena);
    enum pk_code rc =
        pk_fail_at(err, PK_E_VALIDATION, call->mark, "Unrecognized function: %.*s at %.*s",
                   PK_FMT(call->text), PK_FMT(at));

    if (pk_slice_is(call->text, "count"))
        pk_error_hint(err, "PartiQL here counts nothing; count query … and count scan … do");
    else
        pk_error_hint(err, "the functions are begins_with contains attribute_type "
                           "attribute_exists attribute_not_exists size");
    return rc;
}

static enum pk_code lower_operand(const struct partiql_scope *scope,
                                  const struct partiql_node *node, struct pk_node **out,
                                  struct pk_error *err);

static enum pk_code lower_operands(const struct partiql_scope *scope,
                                   const struct partiql_node *node, struct pk_node *out,
                                   struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    out->span = node->span;
    for (size_t i = 0; i < out->count && rc == PK_OK; i++)
        rc = lower_operand(scope, node->args[i], &out->args[i], err);
    return rc;
}

static enum pk_code lower_call(const struct partiql_scope *scope, const struct partiql_node *node,
                               enum pk_op op, struct pk_node **out, struct pk_error *err)
{
    if (node->count == 1 && node->args[0]->kind == PQ_STAR)
        return partiql_unknown_function(scope, node, err);
    *out = pk_node_new(scope->arena, op, node->count);
    return lower_operands(scope, node, *out, err);
}

/* --- operands -------------------------------------------------------------------------------- */

static const char *operator_text(const struct partiql_scope *scope, const struct partiql_node *node)
{
    pk_slice text = partiql_text_at(scope->text, node->mark);

    return node->kind == PQ_LIKE ? "like" : pk_arena_dup(scope->arena, text).data;
}

/* What a LIKE with wildcards at its ends only stands for. */
static void hint_like(const struct partiql_scope *scope, const struct partiql_node *node,
                      struct pk_error *err)
{
    pk_slice name = partiql_text_at(scope->text, node->args[0]->span);
    pk_slice pattern = partiql_text_at(scope->text, node->args[1]->span);
    bool open = pattern.len > 3 && pattern.data[1] == '%';
    bool prefix = pattern.len > 3 && pattern.data[pattern.len - 2] == '%' && !open;

    if (node->args[1]->kind != PQ_STRING || (!open && !prefix)) {
        pk_error_hint(err, "instead of LIKE: begins_with(%.*s, 'A'), contains(%.*s, 'a')",
                      PK_FMT(name), PK_FMT(name));
        return;
    }
    pattern = pk_slice_of(pattern.data + 1, pattern.len - 2);
    if (open)
        pattern = pk_slice_skip(pattern, 1);
    if (pattern.len > 0 && pattern.data[pattern.len - 1] == '%')
        pattern.len--;
    pk_error_hint(err, "instead of LIKE: %s(%.*s, '%.*s')", prefix ? "begins_with" : "contains",
                  PK_FMT(name), PK_FMT(pattern));
}

static enum pk_code refuse_operator(const struct partiql_scope *scope,
                                    const struct partiql_node *node, struct pk_error *err)
{
    enum pk_code rc = pk_fail_at(err, PK_E_VALIDATION, node->mark,
                                 "Unsupported operator in Condition Expression. Operator: %s",
                                 operator_text(scope, node));

    if (node->kind == PQ_LIKE)
        hint_like(scope, node, err);
    return rc;
}

static enum pk_code lower_value(const struct partiql_scope *scope, const struct partiql_node *node,
                                struct pk_node **out, struct pk_error *err)
{
    pk_value value;
    enum pk_code rc = partiql_value(scope, node, PQ_VALUE_OTHER, &value, err);

    if (rc != PK_OK)
        return rc;
    *out = pk_node_value(scope->arena, pk_view_of(scope->arena, value));
    (*out)->span = node->span;
    return PK_OK;
}

static enum pk_code lower_operand(const struct partiql_scope *scope,
                                  const struct partiql_node *node, struct pk_node **out,
                                  struct pk_error *err)
{
    const struct pk_path *path;
    enum pk_op op;
    enum pk_code rc;

    switch (node->kind) {
    case PQ_PATH:
        rc = partiql_lower_path(scope, node, &path, err);
        if (rc == PK_OK)
            *out = pk_node_path(scope->arena, path);
        return rc;
    case PQ_CALL:
        op = find_function(node->text);
        if (op == PK_OP_SIZE)
            return lower_call(scope, node, op, out, err);
        if (op == PK_OP_TRUE)
            return partiql_unknown_function(scope, node, err);
        return pk_fail_at(err, PK_E_VALIDATION, node->mark,
                          "The function is not allowed to be used this way in an expression; "
                          "function: %s",
                          pk_op_name(op));
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
        return lower_value(scope, node, out, err);
    case PQ_NOT:
    case PQ_AND:
    case PQ_OR:
    case PQ_COMPARE:
    case PQ_ARITHMETIC:
    case PQ_LIKE:
    case PQ_BETWEEN:
    case PQ_IN:
    case PQ_IS:
        break;
    }
    return refuse_operator(scope, node, err);
}

/* --- conditions ------------------------------------------------------------------------------ */

static struct pk_node *negate(const struct partiql_scope *scope, struct pk_node *node)
{
    struct pk_node *out = pk_node_new(scope->arena, PK_OP_NOT, 1);

    out->args[0] = node;
    out->span = node->span;
    return out;
}

static bool is_condition(const struct partiql_node *node)
{
    switch (node->kind) {
    case PQ_NOT:
    case PQ_AND:
    case PQ_OR:
    case PQ_COMPARE:
    case PQ_BETWEEN:
    case PQ_IN:
    case PQ_IS:
        return true;
    case PQ_CALL:
        return find_function(node->text) != PK_OP_SIZE;
    case PQ_PATH:
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
    case PQ_ARITHMETIC:
    case PQ_LIKE:
        break;
    }
    return false;
}

/* True and false, written or bound. */
static bool is_boolean(const struct partiql_scope *scope, const struct partiql_node *node,
                       bool *value)
{
    if (node->kind == PQ_BOOL) {
        *value = node->boolean;
        return true;
    }
    if (node->kind != PQ_PARAM || pk_value_kind(scope->params[node->param]) != PK_BOOL)
        return false;
    *value = scope->params[node->param].boolean != 0;
    return true;
}

/* A comparison, or a condition compared with true or false: attribute_exists(a) = true */
static enum pk_code lower_compare(const struct partiql_scope *scope,
                                  const struct partiql_node *node, struct pk_node **out,
                                  struct pk_error *err)
{
    bool wanted;

    for (size_t i = 0; i < 2 && (node->op == PK_OP_EQ || node->op == PK_OP_NE); i++) {
        if (!is_condition(node->args[i]) || !is_boolean(scope, node->args[1 - i], &wanted))
            continue;
        enum pk_code rc = partiql_lower_condition(scope, node->args[i], out, err);
        if (rc == PK_OK && wanted != (node->op == PK_OP_EQ))
            *out = negate(scope, *out);
        return rc;
    }
    *out = pk_node_new(scope->arena, node->op, 2);
    return lower_operands(scope, node, *out, err);
}

static enum pk_code lower_in(const struct partiql_scope *scope, const struct partiql_node *node,
                             struct pk_node **out, struct pk_error *err)
{
    const struct partiql_node *list = node->args[1];
    enum pk_code rc;

    if (node->args[0]->kind != PQ_PATH || (list->kind != PQ_LIST && list->kind != PQ_BAG) ||
        list->count == 0)
        return pk_fail_at(err, PK_E_VALIDATION, node->span,
                          "IN operator must have a left hand argument of type Variable Reference "
                          "and right hand argument of type Seq with at least one member");
    *out = pk_node_new(scope->arena, PK_OP_IN, list->count + 1);
    (*out)->span = node->span;
    rc = lower_operand(scope, node->args[0], &(*out)->args[0], err);
    for (size_t i = 0; i < list->count && rc == PK_OK; i++)
        rc = lower_operand(scope, list->args[i], &(*out)->args[i + 1], err);
    return rc;
}

static const struct {
    const char *type;
    const char *tag;
} is_types[] = {
    {"NULL", "NULL"}, {"BOOLEAN", "BOOL"}, {"BLOB", "B"},  {"STRING", "S"},
    {"NUMERIC", "N"}, {"STRUCT", "M"},     {"TUPLE", "M"}, {"LIST", "L"},
};

static enum pk_code lower_is(const struct partiql_scope *scope, const struct partiql_node *node,
                             struct pk_node **out, struct pk_error *err)
{
    struct pk_node *operand;
    enum pk_code rc = lower_operand(scope, node->args[0], &operand, err);

    if (rc != PK_OK)
        return rc;
    if (pk_slice_is(node->text, "MISSING")) {
        *out = pk_node_new(scope->arena, PK_OP_NOT_EXISTS, 1);
        (*out)->args[0] = operand;
        return PK_OK;
    }
    for (size_t i = 0; i < sizeof(is_types) / sizeof(is_types[0]); i++) {
        if (!pk_slice_is(node->text, is_types[i].type))
            continue;

        pk_value tag = pk_value_string(pk_slice_cstr(is_types[i].tag));
        *out = pk_node_new(scope->arena, PK_OP_ATTRIBUTE_TYPE, 2);
        (*out)->args[0] = operand;
        (*out)->args[1] = pk_node_value(scope->arena, pk_view_of(scope->arena, tag));
        return PK_OK;
    }

    pk_slice at = partiql_position(scope->text, node->mark, scope->arena);
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "Unsupported data type for IS operator: %.*s. Supported data types are "
                      "[MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] at "
                      "%.*s",
                      PK_FMT(node->text), PK_FMT(at));
}

static enum pk_code refuse_condition(const struct partiql_node *node, struct pk_error *err)
{
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "WHERE clause must contain an expression that resolves to a boolean");
}

static enum pk_code lower_function(const struct partiql_scope *scope,
                                   const struct partiql_node *node, struct pk_node **out,
                                   struct pk_error *err)
{
    enum pk_op op = find_function(node->text);

    if (op == PK_OP_TRUE)
        return partiql_unknown_function(scope, node, err);
    if (op == PK_OP_SIZE)
        return refuse_condition(node, err);
    return lower_call(scope, node, op, out, err);
}

static enum pk_code lower_joined(const struct partiql_scope *scope, const struct partiql_node *node,
                                 enum pk_op op, struct pk_node **out, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    *out = pk_node_new(scope->arena, op, node->count);
    for (size_t i = 0; i < node->count && rc == PK_OK; i++)
        rc = partiql_lower_condition(scope, node->args[i], &(*out)->args[i], err);
    return rc;
}

static enum pk_code lower_kind(const struct partiql_scope *scope, const struct partiql_node *node,
                               struct pk_node **out, struct pk_error *err)
{
    switch (node->kind) {
    case PQ_NOT:
        return lower_joined(scope, node, PK_OP_NOT, out, err);
    case PQ_AND:
        return lower_joined(scope, node, PK_OP_AND, out, err);
    case PQ_OR:
        return lower_joined(scope, node, PK_OP_OR, out, err);
    case PQ_COMPARE:
        return lower_compare(scope, node, out, err);
    case PQ_BETWEEN:
        *out = pk_node_new(scope->arena, PK_OP_BETWEEN, 3);
        return lower_operands(scope, node, *out, err);
    case PQ_IN:
        return lower_in(scope, node, out, err);
    case PQ_IS:
        return lower_is(scope, node, out, err);
    case PQ_CALL:
        return lower_function(scope, node, out, err);
    case PQ_ARITHMETIC:
    case PQ_LIKE:
        return refuse_operator(scope, node, err);
    case PQ_PATH:
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
        break;
    }
    return refuse_condition(node, err);
}

enum pk_code partiql_lower_condition(const struct partiql_scope *scope,
                                     const struct partiql_node *node, struct pk_node **out,
                                     struct pk_error *err)
{
    enum pk_code rc = lower_kind(scope, node, out, err);

    if (rc != PK_OK)
        return rc;
    (*out)->span = node->span;
    if (node->negated)
        *out = negate(scope, *out);
    return PK_OK;
}

/* --- the SELECT list ------------------------------------------------------------------------- */

/* "y", "l[0]": the last name, or the first one that is indexed, with its indexes. */
static void name_column(const struct partiql_scope *scope, struct partiql_column *column)
{
    const struct pk_path *path = column->path;
    size_t last = 0, end = path->count;

    for (size_t i = 0; i < path->count; i++) {
        if (path->steps[i].name.data == NULL) {
            end = i;
            break;
        }
        last = i;
    }
    column->name = path->steps[last].name;
    for (; end < path->count && path->steps[end].name.data == NULL; end++)
        column->name = pk_arena_printf(scope->arena, "%.*s[%llu]", PK_FMT(column->name),
                                       (unsigned long long)path->steps[end].index);
    column->tail = end;
}

static enum pk_code check_names(const struct partiql_columns *columns, struct pk_error *err)
{
    for (size_t i = 1; i < columns->count; i++) {
        for (size_t before = 0; before < i; before++) {
            pk_slice name = columns->list[i].name;

            if (pk_slice_equal(name, columns->list[before].name))
                return pk_fail_at(err, PK_E_VALIDATION, columns->list[i].path->span,
                                  "Duplicate identifiers in select clause: %.*s", PK_FMT(name));
        }
    }
    return PK_OK;
}

/* An item that is no path: COUNT(*), a literal, a function. */
static enum pk_code refuse_item(const struct partiql_scope *scope, const struct partiql_node *item,
                                struct pk_error *err)
{
    pk_slice at = partiql_position(scope->text, item->mark, scope->arena);
    enum pk_code rc = pk_fail_at(err, PK_E_VALIDATION, item->span,
                                 "Unexpected path component at %.*s", PK_FMT(at));

    if (item->kind == PQ_CALL && pk_slice_is(item->text, "count"))
        pk_error_hint(err, "count query … or count scan … counts without returning the items");
    else if (item->kind == PQ_STRING)
        pk_error_hint(err, "an attribute name stands in double quotes or in none: \"%.*s\"",
                      PK_FMT(item->text));
    return rc;
}

enum pk_code partiql_lower_columns(const struct partiql_scope *scope,
                                   const struct partiql_statement *statement,
                                   struct partiql_columns *out, struct pk_error *err)
{
    size_t count = statement->item_count;

    *out = (struct partiql_columns){0};
    out->list = PK_NEW_ARRAY(scope->arena, struct partiql_column, count);
    out->projection.paths = PK_NEW_ARRAY(scope->arena, const struct pk_path *, count);
    for (size_t i = 0; i < count; i++) {
        const struct partiql_node *item = statement->items[i];

        if (item->kind != PQ_PATH)
            return refuse_item(scope, item, err);
        enum pk_code rc = partiql_lower_path(scope, item, &out->list[i].path, err);
        if (rc != PK_OK)
            return rc;
        name_column(scope, &out->list[i]);
        out->projection.paths[i] = out->list[i].path;
        out->count = i + 1;
    }
    out->projection.count = count;
    enum pk_code rc = check_names(out, err);
    return rc != PK_OK ? rc : pk_expr_check_projection(&out->projection, scope->arena, err);
}
