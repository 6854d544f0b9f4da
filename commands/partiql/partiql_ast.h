/*
 * A PartiQL statement as a tree.
 *
 * The tree holds what was written, also where DynamoDB understands less than PartiQL has: features
 * outside its subset are refused after parsing, because a fault of grammar anywhere in the
 * statement comes first. Every node has its span. The tree lives in the arena and borrows the
 * statement's text.
 */
#ifndef PARTIQL_AST_H
#define PARTIQL_AST_H

#include "engine/expr.h"

enum partiql_kind {
    PQ_PATH,
    PQ_STRING,
    PQ_NUMBER,
    PQ_BOOL,
    PQ_NULL,
    PQ_MISSING,
    PQ_PARAM,
    PQ_ION,    /* `…`: no part of the language here */
    PQ_LIST,   /* [a, b], and (a, b) */
    PQ_BAG,    /* <<a, b>> */
    PQ_STRUCT, /* {'k': v}: key, value, key, value, … */
    PQ_CALL,   /* name(args) */
    PQ_STAR,   /* the argument of COUNT(*) */
    PQ_NOT,
    PQ_AND, /* two or more */
    PQ_OR,
    PQ_COMPARE,    /* two, with `op` */
    PQ_ARITHMETIC, /* one or two; `op` is PK_OP_PLUS or PK_OP_MINUS, else PK_OP_TRUE */
    PQ_LIKE,
    PQ_BETWEEN, /* three */
    PQ_IN,      /* operand, list */
    PQ_IS       /* operand; `text` is the type */
};

struct partiql_step {
    pk_slice name; /* data NULL: an index */
    pk_slice index;
    bool negative; /* the index had a minus */
    bool quoted;   /* "name" */
    struct pk_span span;
};

struct partiql_node {
    enum partiql_kind kind;
    enum pk_op op;
    bool negated;        /* NOT IN, NOT BETWEEN, NOT LIKE, IS NOT */
    bool boolean;        /* PQ_BOOL */
    bool parens;         /* stood in parentheses */
    struct pk_span span; /* all of it */
    struct pk_span mark; /* the token messages point to: operator, function name, opening bracket */
    pk_slice text;       /* PQ_STRING, PQ_NUMBER (signed), PQ_CALL (lower case), PQ_IS, PQ_ION */
    size_t param;        /* PQ_PARAM: from 0 */
    struct partiql_step *steps;
    size_t step_count;
    struct partiql_node **args;
    size_t count, cap;
};

struct partiql_source {
    pk_slice table;
    pk_slice index; /* data NULL: none; "" is a name, too */
    struct pk_span span;
    size_t parts; /* names given, more than two are refused */
};

struct partiql_order {
    const struct partiql_node *path;
    bool descending;
};

struct partiql_clause { /* SET path = value, or REMOVE path */
    const struct partiql_node *path;
    const struct partiql_node *value; /* NULL: REMOVE */
};

struct partiql_returning {
    bool given;
    bool all;
    bool fresh;          /* NEW */
    struct pk_span span; /* from RETURNING to the star */
};

enum partiql_statement_kind {
    PQ_SELECT,
    PQ_INSERT,
    PQ_UPDATE,
    PQ_DELETE,
    PQ_EXISTS,     /* EXISTS(SELECT …) */
    PQ_NOT_EXISTS, /* NOT EXISTS(SELECT …) */
    PQ_OTHER       /* understood only as far as needed to refuse it */
};

/* The first thing in the statement that DynamoDB's PartiQL leaves out. */
struct partiql_unsupported {
    pk_slice message; /* data NULL: none */
    struct pk_span span;
    const char *hint;
};

struct partiql_statement {
    enum partiql_statement_kind kind;
    pk_slice text;
    struct partiql_source source;
    struct partiql_node **items; /* SELECT list; none for * */
    size_t item_count;
    const struct partiql_node *where; /* NULL: none */
    struct partiql_order *orders;
    size_t order_count;
    struct pk_span order_span;
    struct partiql_clause *clauses; /* UPDATE */
    size_t clause_count;
    const struct partiql_node *value; /* INSERT */
    struct partiql_returning returning;
    struct partiql_unsupported unsupported;
    size_t param_count;
};

#endif
