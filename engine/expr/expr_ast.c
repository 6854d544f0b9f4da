/*
 * Building trees by hand, and how messages spell operators and parameters.
 *
 * PartiQL and the legacy parameters use these builders; the parsers of expression text use them
 * too, so that there is one shape of tree.
 */
#include "engine/expr.h"

const char *pk_expr_use_name(enum pk_expr_use use)
{
    switch (use) {
    case PK_EXPR_UPDATE:
        return "UpdateExpression";
    case PK_EXPR_CONDITION:
        return "ConditionExpression";
    case PK_EXPR_KEY_CONDITION:
        return "KeyConditionExpression";
    case PK_EXPR_FILTER:
        return "FilterExpression";
    case PK_EXPR_PROJECTION:
        return "ProjectionExpression";
    }
    pk_bug("unknown expression use %d", (int)use);
}

const char *pk_op_name(enum pk_op op)
{
    static const char *const names[] = {
        [PK_OP_PATH] = "path",
        [PK_OP_VALUE] = "value",
        [PK_OP_SIZE] = "size",
        [PK_OP_EQ] = "=",
        [PK_OP_NE] = "<>",
        [PK_OP_LT] = "<",
        [PK_OP_LE] = "<=",
        [PK_OP_GT] = ">",
        [PK_OP_GE] = ">=",
        [PK_OP_BETWEEN] = "BETWEEN",
        [PK_OP_IN] = "IN",
        [PK_OP_AND] = "AND",
        [PK_OP_OR] = "OR",
        [PK_OP_NOT] = "NOT",
        [PK_OP_EXISTS] = "attribute_exists",
        [PK_OP_NOT_EXISTS] = "attribute_not_exists",
        [PK_OP_ATTRIBUTE_TYPE] = "attribute_type",
        [PK_OP_BEGINS_WITH] = "begins_with",
        [PK_OP_CONTAINS] = "contains",
        [PK_OP_TRUE] = "true",
        [PK_OP_PLUS] = "+",
        [PK_OP_MINUS] = "-",
        [PK_OP_IF_NOT_EXISTS] = "if_not_exists",
        [PK_OP_LIST_APPEND] = "list_append",
    };

    return names[op];
}

struct pk_node *pk_node_new(struct pk_arena *arena, enum pk_op op, size_t count)
{
    struct pk_node *node = PK_NEW(arena, struct pk_node);

    node->op = op;
    node->count = count;
    if (count > 0)
        node->args = PK_NEW_ARRAY(arena, struct pk_node *, count);
    return node;
}

struct pk_node *pk_node_path(struct pk_arena *arena, const struct pk_path *path)
{
    struct pk_node *node = pk_node_new(arena, PK_OP_PATH, 0);

    node->path = path;
    node->span = path->span;
    return node;
}

struct pk_node *pk_node_value(struct pk_arena *arena, pk_view value)
{
    struct pk_node *node = pk_node_new(arena, PK_OP_VALUE, 0);

    node->value = value;
    return node;
}

struct pk_node *pk_node_and(struct pk_arena *arena, struct pk_node *a, struct pk_node *b)
{
    struct pk_node *node;

    if (a == NULL)
        return b;
    if (b == NULL)
        return a;
    node = pk_node_new(arena, PK_OP_AND, 2);
    node->args[0] = a;
    node->args[1] = b;
    return node;
}

const struct pk_path *pk_path_name(struct pk_arena *arena, pk_slice name)
{
    struct pk_path *path = PK_NEW(arena, struct pk_path);

    path->steps = PK_NEW(arena, struct pk_path_step);
    path->steps[0].name = name;
    path->count = 1;
    return path;
}
