/*
 * What the parsers of conditions, updates and projections share: the token stream, document paths,
 * placeholders, function calls, and the bookkeeping of faults.
 *
 * A syntax error ends the parse. All other faults are collected while the parse goes on, because
 * DynamoDB reports them by class and not by place: pk__parse_report() picks the one that wins
 * (expressions.md §4 and §8).
 */
#ifndef PK_EXPR_PARSE_H
#define PK_EXPR_PARSE_H

#include "engine/expr.h"
#include "engine/expr/expr_lex.h"

/* In the order in which they win. */
enum pk_fault {
    PK_FAULT_SYNTAX,
    PK_FAULT_PARENS,
    PK_FAULT_FUNCTION, /* updates: every fault of a function, and reserved words */
    PK_FAULT_MISUSE,
    PK_FAULT_RESERVED,
    PK_FAULT_PATH,
    PK_FAULT_SECTION,
    PK_FAULT_NAME,
    PK_FAULT_VALUE,
    PK_FAULT_OPERAND, /* conditions: the first faulty primary, undefined placeholders included */
    PK_FAULT_LIMIT
};
enum { PK_FAULTS = PK_FAULT_LIMIT + 1 };

struct pk_parser {
    const struct pk_expr_source *source;
    struct pk_token previous; /* len 0: none yet */
    struct pk_token token;
    unsigned depth;
    unsigned operators;
    struct pk_error faults[PK_FAULTS]; /* of each class the one that stands first in the text */
};

/* Checks that the text is neither empty nor too long and reads the first token. When it fails there
 * is nothing to end. */
PK_MUST_CHECK enum pk_code pk__parse_begin(struct pk_parser *parser,
                                           const struct pk_expr_source *source,
                                           struct pk_error *err);
/* Moves the fault of the highest class, up to and including `last`, into err with the prefix of the
 * parameter. Without one: PK_OK. */
PK_MUST_CHECK enum pk_code pk__parse_report(struct pk_parser *parser, enum pk_fault last,
                                            struct pk_error *err);
/* Adds the prefix to what a check without a text found; passes code through. */
PK_MUST_CHECK enum pk_code pk__parse_prefix(struct pk_parser *parser, enum pk_code code,
                                            struct pk_error *err);
void pk__parse_release(struct pk_parser *parser);

/* Notes a fault; of one class the first in the text stays. */
void pk__parse_fault(struct pk_parser *parser, enum pk_fault fault, struct pk_span span,
                     const char *format, ...) PK_PRINTF(4, 5);
/* The syntax error at the current token. The token stream ends here. */
void pk__parse_syntax(struct pk_parser *parser);

void pk__parse_next(struct pk_parser *parser);
/* Takes the token if it is of that kind. */
bool pk__parse_accept(struct pk_parser *parser, enum pk_token_kind kind);
/* Takes the token, or else notes a syntax error. */
void pk__parse_expect(struct pk_parser *parser, enum pk_token_kind kind);
/* True when the current token is this keyword, in any case. */
bool pk__parse_keyword(const struct pk_parser *parser, const char *keyword);
/* One level deeper, or a syntax error at PK_EXPR_DEPTH_MAX. Levels are left by depth--. */
bool pk__parse_enter(struct pk_parser *parser);
/* Counts an operator or a function. */
void pk__parse_count(struct pk_parser *parser, struct pk_span span);

/* path = element { "." element | "[" int "]" } */
const struct pk_path *pk__parse_path(struct pk_parser *parser);
/* operand = path | valueRef | function | "(" operand ")"; never NULL. *enclosed (may be NULL): the
 * operand stood in parentheses. */
struct pk_node *pk__parse_operand(struct pk_parser *parser, bool *enclosed);
struct pk_node *pk__parse_value_ref(struct pk_parser *parser);
/* Notes the fault of an operand that is a function which may not be one. */
void pk__parse_nested(struct pk_parser *parser, const struct pk_node *node);
/* Notes that the parentheses opened there stand around nothing but another pair. */
void pk__parse_redundant(struct pk_parser *parser, struct pk_span open);

/* A node for what a syntax error left open, so that callers need no checks. */
struct pk_node *pk__parse_nothing(struct pk_parser *parser);

/* A growing array of nodes in an arena. */
struct pk_node_vec {
    struct pk_node **data;
    size_t len, cap;
};
void pk__node_vec_add(struct pk_node_vec *vec, struct pk_arena *arena, struct pk_node *node);
/* A node whose arguments are the array's. */
struct pk_node *pk__node_of(struct pk_arena *arena, enum pk_op op, const struct pk_node_vec *args);
/* Room for one more element of `size` bytes: the array, moved if it was full. */
void *pk__grow(struct pk_arena *arena, void *data, size_t len, size_t *cap, size_t size);

static inline bool pk__op_is_function(enum pk_op op)
{
    return op == PK_OP_SIZE || (op >= PK_OP_EXISTS && op <= PK_OP_CONTAINS) ||
           op == PK_OP_IF_NOT_EXISTS || op == PK_OP_LIST_APPEND;
}

#endif
