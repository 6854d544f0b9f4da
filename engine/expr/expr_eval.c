/*
 * Truth of a condition on the stored bytes of an item (expressions.md §4, "Evaluation").
 *
 * Runs on every item a scan reads: nothing is allocated or decoded, operands are views into the
 * item or the literals. Logic is two-valued: what is absent or of the wrong type has already made
 * its comparison false.
 */
#include "engine/base/utf8.h"
#include "engine/expr.h"

/* A stored N: kind, length, code. */
enum { SCRATCH = PK_NUM_CODE_MAX + 2 };

static size_t text_length(pk_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] >= 0x80)
            return pk_utf8_utf16_length(text);
    }
    return text.len;
}

/* False when the value has no size. */
static bool size_of(pk_view value, size_t *size)
{
    switch (pk_view_kind(value)) {
    case PK_STRING:
        *size = text_length(pk_view_bytes(value));
        return true;
    case PK_BINARY:
        *size = pk_view_bytes(value).len;
        return true;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        *size = pk_view_count(value);
        return true;
    case PK_MISSING:
    case PK_NULL:
    case PK_BOOL:
    case PK_NUMBER:
        return false;
    }
    return false;
}

static pk_view operand(const struct pk_node *node, pk_view item, char scratch[SCRATCH])
{
    struct pk_num num;
    size_t size;

    if (node->op == PK_OP_PATH)
        return pk_path_resolve(node->path, item);
    if (node->op == PK_OP_VALUE)
        return node->value;
    if (node->op != PK_OP_SIZE || !size_of(operand(node->args[0], item, scratch), &size))
        return PK_VIEW_MISSING;
    pk_num_from_int((int64_t)size, &num);
    size = pk_num_encode(&num, scratch + 2);
    scratch[0] = PK_NUMBER;
    scratch[1] = (char)size;
    return pk_slice_of(scratch, size + 2);
}

/* Whether x op y holds, for an ordering op. */
static bool ordered(pk_view x, enum pk_op op, pk_view y)
{
    int order;

    if (x.len == 0 || y.len == 0 || !pk_view_compare(x, y, &order))
        return false;
    if (op == PK_OP_LT)
        return order < 0;
    if (op == PK_OP_LE)
        return order <= 0;
    return op == PK_OP_GT ? order > 0 : order >= 0;
}

static bool test_comparison(const struct pk_node *node, pk_view item)
{
    char left[SCRATCH];
    char right[SCRATCH];
    pk_view x = operand(node->args[0], item, left);
    pk_view y = operand(node->args[1], item, right);

    if (node->op == PK_OP_EQ)
        return pk_view_equal(x, y);
    if (node->op == PK_OP_NE)
        return !pk_view_equal(x, y);
    return ordered(x, node->op, y);
}

static bool test_between(const struct pk_node *node, pk_view item)
{
    char scratch[SCRATCH];
    char bound[SCRATCH];
    pk_view x = operand(node->args[0], item, scratch);

    return ordered(x, PK_OP_GE, operand(node->args[1], item, bound)) &&
           ordered(x, PK_OP_LE, operand(node->args[2], item, bound));
}

static bool test_in(const struct pk_node *node, pk_view item)
{
    char scratch[SCRATCH];
    char member[SCRATCH];
    pk_view x = operand(node->args[0], item, scratch);

    for (size_t i = 1; i < node->count && x.len != 0; i++) {
        if (pk_view_equal(x, operand(node->args[i], item, member)))
            return true;
    }
    return false;
}

static bool same_text_kind(pk_view x, pk_view y)
{
    enum pk_kind kind = pk_view_kind(x);

    return (kind == PK_STRING || kind == PK_BINARY) && pk_view_kind(y) == kind;
}

static bool list_has(pk_view list, pk_view value)
{
    struct pk_view_iter iter;
    pk_view element;

    pk_view_iter_init(&iter, list);
    while (pk_view_iter_next(&iter, NULL, &element)) {
        if (pk_view_equal(element, value))
            return true;
    }
    return false;
}

static bool contains(pk_view x, pk_view y)
{
    pk_slice text;
    pk_slice part;

    switch (pk_view_kind(x)) {
    case PK_STRING:
    case PK_BINARY:
        text = pk_view_bytes(x);
        part = pk_view_bytes(y);
        return same_text_kind(x, y) &&
               (part.len == 0 ||
                (text.len >= part.len && memmem(text.data, text.len, part.data, part.len) != NULL));
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        return y.len != 0 && pk_view_set_has(x, y);
    case PK_LIST:
        return list_has(x, y);
    case PK_MISSING:
    case PK_NULL:
    case PK_BOOL:
    case PK_NUMBER:
    case PK_MAP:
        return false;
    }
    return false;
}

/* begins_with, contains, attribute_type */
static bool test_function(const struct pk_node *node, pk_view item)
{
    char left[SCRATCH];
    char right[SCRATCH];
    pk_view x = operand(node->args[0], item, left);
    pk_view y = operand(node->args[1], item, right);

    if (node->op == PK_OP_CONTAINS)
        return contains(x, y);
    if (node->op == PK_OP_BEGINS_WITH)
        return same_text_kind(x, y) && pk_slice_starts(pk_view_bytes(x), pk_view_bytes(y));
    return x.len != 0 && pk_view_kind(x) == pk_kind_from_tag(pk_view_bytes(y));
}

static bool test_all(const struct pk_node *node, pk_view item)
{
    for (size_t i = 0; i < node->count; i++) {
        if (!pk_expr_test(node->args[i], item))
            return false;
    }
    return true;
}

static bool test_any(const struct pk_node *node, pk_view item)
{
    for (size_t i = 0; i < node->count; i++) {
        if (pk_expr_test(node->args[i], item))
            return true;
    }
    return false;
}

bool pk_expr_test(const struct pk_node *condition, pk_view item)
{
    char scratch[SCRATCH];

    switch (condition->op) {
    case PK_OP_EQ:
    case PK_OP_NE:
    case PK_OP_LT:
    case PK_OP_LE:
    case PK_OP_GT:
    case PK_OP_GE:
        return test_comparison(condition, item);
    case PK_OP_BETWEEN:
        return test_between(condition, item);
    case PK_OP_IN:
        return test_in(condition, item);
    case PK_OP_AND:
        return test_all(condition, item);
    case PK_OP_OR:
        return test_any(condition, item);
    case PK_OP_NOT:
        return !pk_expr_test(condition->args[0], item);
    case PK_OP_EXISTS:
        return operand(condition->args[0], item, scratch).len != 0;
    case PK_OP_NOT_EXISTS:
        return operand(condition->args[0], item, scratch).len == 0;
    case PK_OP_ATTRIBUTE_TYPE:
    case PK_OP_BEGINS_WITH:
    case PK_OP_CONTAINS:
        return test_function(condition, item);
    case PK_OP_TRUE:
        return true;
    case PK_OP_PATH:
    case PK_OP_VALUE:
    case PK_OP_SIZE:
    case PK_OP_PLUS:
    case PK_OP_MINUS:
    case PK_OP_IF_NOT_EXISTS:
    case PK_OP_LIST_APPEND:
        break;
    }
    pk_bug("'%s' is not a condition", pk_op_name(condition->op));
}
