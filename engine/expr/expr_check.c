/*
 * What is wrong with an expression whatever the item holds.
 *
 * Only literals have a type here; a path's type is known when there is an item. size() counts as a
 * literal number. The first fault is reported, in the order of the tables of expressions.md.
 */
#include "engine/expr/expr_check.h"

#include "engine/base/base64.h"

/* PK_MISSING: not known before there is an item. */
static enum pk_kind literal_kind(const struct pk_node *operand)
{
    if (operand->op == PK_OP_SIZE)
        return PK_NUMBER;
    return operand->op == PK_OP_VALUE ? pk_view_kind(operand->value) : PK_MISSING;
}

static bool is_ordered(enum pk_kind kind)
{
    return kind == PK_STRING || kind == PK_NUMBER || kind == PK_BINARY;
}

static bool is_set(enum pk_kind kind)
{
    return kind == PK_STRING_SET || kind == PK_NUMBER_SET || kind == PK_BINARY_SET;
}

static enum pk_code wrong_type(const struct pk_node *node, const char *type, struct pk_error *err)
{
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "Incorrect operand type for operator or function; "
                      "operator or function: %s, operand type: %s",
                      pk_op_name(node->op), type);
}

static enum pk_code check_count(const struct pk_node *node, size_t count, struct pk_error *err)
{
    if (node->count == count)
        return PK_OK;
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "Incorrect number of operands for operator or function; "
                      "operator or function: %s, number of operands: %zu",
                      pk_op_name(node->op), node->count);
}

static enum pk_code check_path_operand(const struct pk_node *node, struct pk_error *err)
{
    if (node->args[0]->op == PK_OP_PATH)
        return PK_OK;
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "Operator or function requires a document path; operator or function: %s",
                      pk_op_name(node->op));
}

/* ---- paths against each other ------------------------------------------------------------- */

enum relation { APART, OVERLAP, CONFLICT };

static enum relation relate(const struct pk_path *a, const struct pk_path *b)
{
    size_t shared = a->count < b->count ? a->count : b->count;

    for (size_t i = 0; i < shared; i++) {
        const struct pk_path_step *x = &a->steps[i];
        const struct pk_path_step *y = &b->steps[i];

        if ((x->name.data == NULL) != (y->name.data == NULL))
            return CONFLICT;
        if (x->index != y->index || !pk_slice_equal(x->name, y->name))
            return APART;
    }
    return OVERLAP;
}

/* The first pair, in the order written, that stands in that relation. */
static enum pk_code check_pairs(const struct pk_path *const *paths, size_t count,
                                enum relation relation, struct pk_arena *arena,
                                struct pk_error *err)
{
    for (size_t two = 1; two < count; two++) {
        for (size_t one = 0; one < two; one++) {
            if (relate(paths[one], paths[two]) != relation)
                continue;
            return pk_fail_at(err, PK_E_VALIDATION, paths[two]->span,
                              "Two document paths %s with each other; must remove or rewrite one "
                              "of these paths; path one: %.*s, path two: %.*s",
                              relation == OVERLAP ? "overlap" : "conflict",
                              PK_FMT(pk_path_print(paths[one], arena)),
                              PK_FMT(pk_path_print(paths[two], arena)));
        }
    }
    return PK_OK;
}

static enum pk_code check_targets(const struct pk_path *const *paths, size_t count,
                                  struct pk_arena *arena, struct pk_error *err)
{
    enum pk_code rc = check_pairs(paths, count, OVERLAP, arena, err);

    return rc != PK_OK ? rc : check_pairs(paths, count, CONFLICT, arena, err);
}

enum pk_code pk_expr_check_projection(const struct pk_projection *projection,
                                      struct pk_arena *arena, struct pk_error *err)
{
    return check_targets(projection->paths, projection->count, arena, err);
}

/* ---- conditions --------------------------------------------------------------------------- */

/* Two paths to one place make the first operand equal to another one. */
static enum pk_code check_distinct(const struct pk_node *node, struct pk_arena *arena,
                                   struct pk_error *err)
{
    const struct pk_node *first = node->args[0];

    for (size_t i = 1; i < node->count; i++) {
        const struct pk_node *other = node->args[i];

        if (first->op == PK_OP_PATH && other->op == PK_OP_PATH &&
            first->path->count == other->path->count && relate(first->path, other->path) == OVERLAP)
            return pk_fail_at(err, PK_E_VALIDATION, node->span,
                              "The first operand must be distinct from the remaining operands for "
                              "this operator or function; operator: %s, first operand: %.*s",
                              pk_op_name(node->op), PK_FMT(pk_path_print(first->path, arena)));
    }
    return PK_OK;
}

/* Every operand whose type is known must be of S, N, B (of S, B when numbers are not allowed). */
static enum pk_code check_ordered(const struct pk_node *node, bool numbers, struct pk_error *err)
{
    for (size_t i = 0; i < node->count; i++) {
        enum pk_kind kind = literal_kind(node->args[i]);

        if (kind != PK_MISSING && (!is_ordered(kind) || (kind == PK_NUMBER && !numbers)))
            return wrong_type(node, pk_kind_tag(kind), err);
    }
    return PK_OK;
}

/* "{N:1}" */
static pk_slice print_value(pk_view value, struct pk_arena *arena)
{
    enum pk_kind kind = pk_view_kind(value);
    pk_slice bytes = pk_view_bytes(value);
    struct pk_buf text = PK_BUF_INIT;
    char digits[PK_NUM_TEXT_MAX];
    struct pk_num num;
    pk_slice printed;

    if (kind == PK_NUMBER && pk_num_decode(&bytes, &num))
        pk_buf_add(&text, pk_slice_of(digits, pk_num_format(&num, digits)));
    else if (kind == PK_BINARY)
        pk_base64_encode(&text, pk_view_bytes(value));
    else
        pk_buf_add(&text, pk_view_bytes(value));
    printed = pk_arena_printf(arena, "AttributeValue: {%s:%.*s}", pk_kind_tag(kind), PK_FMT(text));
    pk_buf_release(&text);
    return printed;
}

/* BETWEEN: bounds that are both literal must be of one type and in order. */
static enum pk_code check_bounds(const struct pk_node *node, struct pk_arena *arena,
                                 struct pk_error *err)
{
    const struct pk_node *low = node->args[1];
    const struct pk_node *high = node->args[2];
    const char *fault = NULL;
    int order = 0;

    if (low->op != PK_OP_VALUE || high->op != PK_OP_VALUE || low->value.len == 0 ||
        high->value.len == 0)
        return PK_OK;
    if (literal_kind(low) != literal_kind(high))
        fault = "same data type for lower and upper bounds";
    else if (pk_view_compare(low->value, high->value, &order) && order > 0)
        fault = "upper bound to be greater than or equal to lower bound";
    if (fault == NULL)
        return PK_OK;
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "The BETWEEN operator requires %s; lower bound operand: %.*s, "
                      "upper bound operand: %.*s",
                      fault, PK_FMT(print_value(low->value, arena)),
                      PK_FMT(print_value(high->value, arena)));
}

static enum pk_code check_attribute_type(const struct pk_node *node, struct pk_error *err)
{
    const struct pk_node *type = node->args[1];
    enum pk_kind kind = literal_kind(type);

    if (type->op == PK_OP_PATH)
        return wrong_type(node, "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}", err);
    if (kind == PK_MISSING)
        return PK_OK;
    if (kind != PK_STRING)
        return wrong_type(node, pk_kind_tag(kind), err);
    if (pk_kind_from_tag(pk_view_bytes(type->value)) != PK_MISSING)
        return PK_OK;
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "Invalid attribute type name found; type: %.*s, "
                      "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
                      PK_FMT(pk_view_bytes(type->value)));
}

static enum pk_code check_size(const struct pk_node *node, struct pk_error *err)
{
    enum pk_code rc = check_count(node, 1, err);
    enum pk_kind kind;

    if (rc != PK_OK)
        return rc;
    kind = literal_kind(node->args[0]);
    if (kind == PK_NUMBER || kind == PK_BOOL || kind == PK_NULL)
        return wrong_type(node, pk_kind_tag(kind), err);
    return PK_OK;
}

static enum pk_code check_comparison(const struct pk_node *node, struct pk_arena *arena,
                                     struct pk_error *err)
{
    enum pk_code rc = check_count(node, 2, err);

    if (rc == PK_OK)
        rc = check_distinct(node, arena, err);
    if (rc == PK_OK && node->op != PK_OP_EQ && node->op != PK_OP_NE)
        rc = check_ordered(node, true, err);
    return rc;
}

static enum pk_code check_between(const struct pk_node *node, struct pk_arena *arena,
                                  struct pk_error *err)
{
    enum pk_code rc = check_count(node, 3, err);

    if (rc == PK_OK)
        rc = check_ordered(node, true, err);
    return rc != PK_OK ? rc : check_bounds(node, arena, err);
}

/* attribute_type, begins_with, contains */
static enum pk_code check_binary_function(const struct pk_node *node, struct pk_arena *arena,
                                          struct pk_error *err)
{
    enum pk_code rc = check_count(node, 2, err);

    if (rc == PK_OK)
        rc = check_distinct(node, arena, err);
    if (rc != PK_OK || node->op == PK_OP_CONTAINS)
        return rc;
    return node->op == PK_OP_BEGINS_WITH ? check_ordered(node, false, err)
                                         : check_attribute_type(node, err);
}

static enum pk_code check_exists(const struct pk_node *node, struct pk_error *err)
{
    enum pk_code rc = check_count(node, 1, err);

    return rc != PK_OK ? rc : check_path_operand(node, err);
}

static enum pk_code check_operands(const struct pk_node *node, struct pk_error *err)
{
    for (size_t i = 0; i < node->count; i++) {
        enum pk_code rc = PK_OK;

        if (node->args[i]->op == PK_OP_SIZE) {
            rc = check_operands(node->args[i], err);
            if (rc == PK_OK)
                rc = check_size(node->args[i], err);
        }
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

enum pk_code pk__check_primary(const struct pk_node *node, struct pk_arena *arena,
                               struct pk_error *err)
{
    enum pk_code rc = check_operands(node, err);

    if (rc != PK_OK)
        return rc;
    switch (node->op) {
    case PK_OP_EQ:
    case PK_OP_NE:
    case PK_OP_LT:
    case PK_OP_LE:
    case PK_OP_GT:
    case PK_OP_GE:
        return check_comparison(node, arena, err);
    case PK_OP_BETWEEN:
        return check_between(node, arena, err);
    case PK_OP_IN:
        return check_distinct(node, arena, err);
    case PK_OP_EXISTS:
    case PK_OP_NOT_EXISTS:
        return check_exists(node, err);
    case PK_OP_ATTRIBUTE_TYPE:
    case PK_OP_BEGINS_WITH:
    case PK_OP_CONTAINS:
        return check_binary_function(node, arena, err);
    case PK_OP_SIZE:
        return check_size(node, err);
    case PK_OP_PATH:
    case PK_OP_VALUE:
    case PK_OP_AND:
    case PK_OP_OR:
    case PK_OP_NOT:
    case PK_OP_TRUE:
    case PK_OP_PLUS:
    case PK_OP_MINUS:
    case PK_OP_IF_NOT_EXISTS:
    case PK_OP_LIST_APPEND:
        return PK_OK;
    }
    return PK_OK;
}

enum pk_code pk__check_in_count(const struct pk_node *node, struct pk_error *err)
{
    if (node->op != PK_OP_IN || node->count <= PK_EXPR_IN_MAX + 1)
        return PK_OK;
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "The IN operator is provided with too many operands; "
                      "number of operands: %zu",
                      node->count - 1);
}

enum pk_code pk_expr_check_condition(const struct pk_node *condition, struct pk_arena *arena,
                                     struct pk_error *err)
{
    bool joins = condition->op == PK_OP_AND || condition->op == PK_OP_OR;
    enum pk_code rc = PK_OK;

    if (joins || condition->op == PK_OP_NOT) {
        for (size_t i = 0; i < condition->count && rc == PK_OK; i++)
            rc = pk_expr_check_condition(condition->args[i], arena, err);
        return rc;
    }
    rc = pk__check_primary(condition, arena, err);
    return rc != PK_OK ? rc : pk__check_in_count(condition, err);
}

/* ---- updates ------------------------------------------------------------------------------ */

static enum pk_code check_value(const struct pk_node *node, struct pk_error *err);

/* Operands of +, - and functions: list_append may stand in none of them. */
static enum pk_code check_arguments(const struct pk_node *node, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < node->count && rc == PK_OK; i++) {
        if (node->args[i]->op == PK_OP_LIST_APPEND)
            return pk_fail_at(err, PK_E_VALIDATION, node->args[i]->span,
                              "The function is not allowed to be used this way in an expression; "
                              "function: %s",
                              pk_op_name(PK_OP_LIST_APPEND));
        rc = check_value(node->args[i], err);
    }
    return rc;
}

static enum pk_code check_literals(const struct pk_node *node, enum pk_kind wanted,
                                   struct pk_error *err)
{
    for (size_t i = 0; i < node->count; i++) {
        enum pk_kind kind = literal_kind(node->args[i]);

        if (kind != PK_MISSING && kind != wanted)
            return wrong_type(node, pk_kind_tag(kind), err);
    }
    return PK_OK;
}

static enum pk_code check_value(const struct pk_node *node, struct pk_error *err)
{
    enum pk_code rc = check_arguments(node, err);

    if (rc != PK_OK)
        return rc;
    if (node->op == PK_OP_PLUS || node->op == PK_OP_MINUS)
        return check_literals(node, PK_NUMBER, err);
    if (node->op == PK_OP_LIST_APPEND || node->op == PK_OP_IF_NOT_EXISTS)
        rc = check_count(node, 2, err);
    if (rc == PK_OK && node->op == PK_OP_LIST_APPEND)
        rc = check_literals(node, PK_LIST, err);
    if (rc == PK_OK && node->op == PK_OP_IF_NOT_EXISTS)
        rc = check_path_operand(node, err);
    return rc;
}

/* The operand of ADD and of DELETE. */
static enum pk_code check_set_operand(const struct pk_action *action, bool attribute_updates,
                                      struct pk_error *err)
{
    bool adds = action->kind == PK_ACTION_ADD;
    enum pk_kind kind;

    if (action->value == NULL || (!adds && action->kind != PK_ACTION_DELETE))
        return PK_OK;
    kind = literal_kind(action->value);
    if (is_set(kind) || (adds && kind == PK_NUMBER) ||
        (adds && kind == PK_LIST && attribute_updates))
        return PK_OK;
    return pk_fail_at(err, PK_E_VALIDATION, action->value->span,
                      "Incorrect operand type for operator or function; "
                      "operator: %s, operand type: %s",
                      adds ? "ADD" : "DELETE", pk_kind_long_name(kind));
}

/* The service looks at the operands of all ADD and DELETE before those of functions. */
enum pk_code pk_expr_check_update(const struct pk_update *update, struct pk_arena *arena,
                                  struct pk_error *err)
{
    const struct pk_path **targets = PK_NEW_ARRAY(arena, const struct pk_path *, update->count);
    enum pk_code rc;

    for (size_t i = 0; i < update->count; i++)
        targets[i] = update->actions[i].path;
    rc = check_targets(targets, update->count, arena, err);
    for (size_t i = 0; i < update->count && rc == PK_OK; i++)
        rc = check_set_operand(&update->actions[i], update->attribute_updates, err);
    for (size_t i = 0; i < update->count && rc == PK_OK; i++)
        if (update->actions[i].kind == PK_ACTION_SET)
            rc = check_value(update->actions[i].value, err);
    return rc;
}
