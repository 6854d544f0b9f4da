/*
 * Expressions as trees: what conditions, filters, key conditions, updates and projections mean once
 * their text is parsed (expressions.md).
 *
 * Text of the API becomes a tree through pk_expr_parse_*; PartiQL and the legacy parameters build
 * the same trees by hand, so the engine knows one form only. Trees live in the request's arena;
 * literals are in stored form (item.h), so evaluation compares stored bytes.
 */
#ifndef PK_EXPR_H
#define PK_EXPR_H

#include "engine/item.h"

struct pk_key_schema;

/* Which API parameter an expression came in: "ConditionExpression", … in messages. */
enum pk_expr_use {
    PK_EXPR_UPDATE,
    PK_EXPR_CONDITION,
    PK_EXPR_KEY_CONDITION,
    PK_EXPR_FILTER,
    PK_EXPR_PROJECTION
};
const char *pk_expr_use_name(enum pk_expr_use use);

/* Limits (data-model.md §10). */
enum {
    PK_EXPR_TEXT_MAX = 4096,
    PK_EXPR_OPERATORS_MAX = 300,
    PK_EXPR_IN_MAX = 100,
    PK_EXPR_PATH_MAX = 32,
    PK_EXPR_DEPTH_MAX = 500 /* nesting our parser recurses into; deeper is a syntax error */
};

enum pk_op {
    /* operands */
    PK_OP_PATH,  /* path */
    PK_OP_VALUE, /* value */
    PK_OP_SIZE,  /* args[0] */
    /* conditions: comparators take two args, BETWEEN three, IN one and its list, AND/OR two or more
     */
    PK_OP_EQ,
    PK_OP_NE,
    PK_OP_LT,
    PK_OP_LE,
    PK_OP_GT,
    PK_OP_GE,
    PK_OP_BETWEEN,
    PK_OP_IN,
    PK_OP_AND,
    PK_OP_OR,
    PK_OP_NOT,
    PK_OP_EXISTS,         /* attribute_exists(args[0]) */
    PK_OP_NOT_EXISTS,     /* attribute_not_exists(args[0]) */
    PK_OP_ATTRIBUTE_TYPE, /* args[0] any operand, args[1] a literal S with the tag */
    PK_OP_BEGINS_WITH,
    PK_OP_CONTAINS,
    PK_OP_TRUE, /* no args: always true (PartiQL constants; its negation is NOT TRUE) */
    /* right-hand sides of updates */
    PK_OP_PLUS,
    PK_OP_MINUS,
    PK_OP_IF_NOT_EXISTS, /* args[0] a path */
    PK_OP_LIST_APPEND
};
/* "=", "BETWEEN", "begins_with", …: how messages spell it. */
const char *pk_op_name(enum pk_op op);

struct pk_node {
    enum pk_op op;
    struct pk_span span;        /* in the expression's text */
    const struct pk_path *path; /* PK_OP_PATH */
    pk_view value;              /* PK_OP_VALUE */
    struct pk_node **args;
    size_t count;
};

/* One condition of a query on one key attribute. */
struct pk_key_term {
    pk_slice attribute;
    enum pk_op op;     /* EQ LT LE GT GE BETWEEN BEGINS_WITH; others come from KeyConditions and are
                          refused by the binding to a schema */
    pk_view values[2]; /* the second only for BETWEEN */
    struct pk_span span;
};
struct pk_key_terms {
    struct pk_key_term *terms;
    size_t count;
};

enum pk_action_kind { PK_ACTION_SET, PK_ACTION_REMOVE, PK_ACTION_ADD, PK_ACTION_DELETE };
struct pk_action {
    enum pk_action_kind kind;
    const struct pk_path *path;
    const struct pk_node *value; /* NULL for REMOVE */
};
struct pk_update {
    struct pk_action *actions; /* in the order written */
    size_t count;
    bool attribute_updates; /* built from the legacy AttributeUpdates: its messages, ADD to lists */
};

struct pk_projection {
    const struct pk_path **paths; /* in the order written */
    size_t count;
};

/* The ExpressionAttributeNames and -Values of one request. `key` includes its '#' or ':'. The
 * parsers mark what they use. */
struct pk_placeholder {
    pk_slice key;
    pk_slice name; /* names */
    pk_view value; /* values */
    bool used;
};
struct pk_placeholders {
    struct pk_placeholder *names;
    size_t name_count;
    struct pk_placeholder *values;
    size_t value_count;
};

/* What a parser needs besides the text. */
struct pk_expr_source {
    enum pk_expr_use use;
    pk_slice text;
    struct pk_placeholders *placeholders;
    struct pk_arena *arena;
};

/* Each parses and makes all static checks, in DynamoDB's order and words, prefix
 * "Invalid <Use>: " included where AWS has it. PK_E_VALIDATION with the span of the fault. The tree
 * lives in the arena and borrows the text and the placeholders' names and values. */
PK_MUST_CHECK enum pk_code pk_expr_parse_condition(const struct pk_expr_source *source,
                                                   struct pk_node **out, struct pk_error *err);
/* The KeyConditionExpression: grammar and shape (expressions.md §6, all that needs no schema). */
PK_MUST_CHECK enum pk_code pk_expr_parse_key_condition(const struct pk_expr_source *source,
                                                       struct pk_key_terms *out,
                                                       struct pk_error *err);
PK_MUST_CHECK enum pk_code pk_expr_parse_update(const struct pk_expr_source *source,
                                                struct pk_update *out, struct pk_error *err);
PK_MUST_CHECK enum pk_code pk_expr_parse_projection(const struct pk_expr_source *source,
                                                    struct pk_projection *out,
                                                    struct pk_error *err);
/* After all expressions of a request: fails when a placeholder was never used. */
PK_MUST_CHECK enum pk_code pk_expr_check_unused(const struct pk_placeholders *placeholders,
                                                struct pk_error *err);

/* The checks that do not come from the text's grammar, for trees built elsewhere (PartiQL): operand
 * counts and types of literals, BETWEEN bounds, attribute_type names. Messages without a prefix. */
PK_MUST_CHECK enum pk_code pk_expr_check_condition(const struct pk_node *condition,
                                                   struct pk_arena *arena, struct pk_error *err);
/* Overlap and conflict of target paths, literal operand types; without a prefix. */
PK_MUST_CHECK enum pk_code pk_expr_check_update(const struct pk_update *update,
                                                struct pk_arena *arena, struct pk_error *err);
PK_MUST_CHECK enum pk_code pk_expr_check_projection(const struct pk_projection *projection,
                                                    struct pk_arena *arena, struct pk_error *err);

/* What a query of the table or index with this key would say of the terms: attributes, operators,
 * types and sizes of the values. */
PK_MUST_CHECK enum pk_code pk_expr_check_key_terms(const struct pk_key_terms *terms,
                                                   const struct pk_key_schema *key,
                                                   struct pk_arena *arena, struct pk_error *err);

/* Truth of a condition on an item (missing: the empty item). Allocates nothing. */
bool pk_expr_test(const struct pk_node *condition, pk_view item);
/* The item's part that the paths select, nesting kept, list elements packed (expressions.md §7), as
 * a stored map appended to out. */
void pk_expr_project(const struct pk_projection *projection, pk_view item, struct pk_buf *out);
/* The parts of the item that an update's targets name (UPDATED_OLD of the old item, UPDATED_NEW of
 * the new one): looked up literally, nested parts wrapped in their path. Nothing found: an empty
 * map. */
void pk_expr_project_targets(const struct pk_update *update, pk_view item, struct pk_buf *out);

/* Building trees by hand, in the arena. */
struct pk_node *pk_node_new(struct pk_arena *arena, enum pk_op op, size_t count);
struct pk_node *pk_node_path(struct pk_arena *arena, const struct pk_path *path);
struct pk_node *pk_node_value(struct pk_arena *arena, pk_view value);
/* a AND b; either may be NULL. */
struct pk_node *pk_node_and(struct pk_arena *arena, struct pk_node *a, struct pk_node *b);
/* A path of one name. */
const struct pk_path *pk_path_name(struct pk_arena *arena, pk_slice name);

/* True for DynamoDB's reserved words, any case (spec/reserved-words.txt). */
bool pk_expr_reserved(pk_slice name);

#endif
