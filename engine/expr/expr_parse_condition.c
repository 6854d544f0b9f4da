/*
 * The grammar of conditions, filters and key conditions (expressions.md §4).
 *
 * A parenthesis may hold a condition or an operand, and a function call may be either; which one it
 * is shows only behind it. So the parser carries terms: trees that know what they can still become.
 */
#include "engine/expr/expr_check.h"
#include "engine/expr/expr_parse.h"

enum term_kind {
    CONDITION,
    OPERAND, /* a path or a value */
    EITHER   /* a function call */
};

struct term {
    struct pk_node *node;
    enum term_kind kind;
    bool enclosed; /* stands in parentheses of its own */
};

static struct term parse_or(struct pk_parser *parser, bool may_be_operand);

/* Checks one primary. Its faults count only if no primary before it had one. */
static void check_primary(struct pk_parser *parser, const struct pk_node *node)
{
    struct pk_error fault = PK_ERROR_INIT;

    if (parser->faults[PK_FAULT_SYNTAX].code != PK_OK)
        return;
    if (parser->faults[PK_FAULT_OPERAND].code == PK_OK &&
        pk__check_primary(node, parser->source->arena, &fault) != PK_OK)
        pk_error_move(&parser->faults[PK_FAULT_OPERAND], &fault);
    if (parser->faults[PK_FAULT_LIMIT].code == PK_OK && pk__check_in_count(node, &fault) != PK_OK)
        pk_error_move(&parser->faults[PK_FAULT_LIMIT], &fault);
}

/* ---- primaries ---------------------------------------------------------------------------- */

static bool comparator(enum pk_token_kind kind, enum pk_op *op)
{
    static const struct {
        enum pk_token_kind token;
        enum pk_op op;
    } comparators[] = {
        {PK_TOKEN_EQ, PK_OP_EQ}, {PK_TOKEN_NE, PK_OP_NE}, {PK_TOKEN_LT, PK_OP_LT},
        {PK_TOKEN_LE, PK_OP_LE}, {PK_TOKEN_GT, PK_OP_GT}, {PK_TOKEN_GE, PK_OP_GE},
    };

    for (size_t i = 0; i < sizeof(comparators) / sizeof(comparators[0]); i++) {
        if (comparators[i].token == kind) {
            *op = comparators[i].op;
            return true;
        }
    }
    return false;
}

static void add_operand(struct pk_parser *parser, struct pk_node_vec *args)
{
    struct pk_node *operand = pk__parse_operand(parser, NULL);

    pk__parse_nested(parser, operand);
    pk__node_vec_add(args, parser->source->arena, operand);
}

/* operand "(" operand { "," operand } ")" behind IN */
static void parse_members(struct pk_parser *parser, struct pk_node_vec *args)
{
    pk__parse_expect(parser, PK_TOKEN_OPEN);
    do {
        add_operand(parser, args);
    } while (pk__parse_accept(parser, PK_TOKEN_COMMA));
    pk__parse_expect(parser, PK_TOKEN_CLOSE);
}

/* operand AND operand behind BETWEEN */
static void parse_bounds(struct pk_parser *parser, struct pk_node_vec *args)
{
    add_operand(parser, args);
    if (pk__parse_keyword(parser, "AND"))
        pk__parse_next(parser);
    else
        pk__parse_syntax(parser);
    add_operand(parser, args);
}

/* What follows an operand: a comparator, BETWEEN or IN, with its right-hand side. False, and
 * nothing taken, when something else follows. */
static bool parse_comparison(struct pk_parser *parser, struct term *left)
{
    struct pk_node_vec args = {NULL, 0, 0};
    struct pk_span span = parser->token.span;
    enum pk_op op = PK_OP_TRUE;

    if (pk__parse_keyword(parser, "BETWEEN"))
        op = PK_OP_BETWEEN;
    else if (pk__parse_keyword(parser, "IN"))
        op = PK_OP_IN;
    else if (!comparator(parser->token.kind, &op))
        return false;
    pk__parse_count(parser, span);
    pk__parse_next(parser);
    pk__parse_nested(parser, left->node);
    pk__node_vec_add(&args, parser->source->arena, left->node);
    if (op == PK_OP_BETWEEN)
        parse_bounds(parser, &args);
    else if (op == PK_OP_IN)
        parse_members(parser, &args);
    else
        add_operand(parser, &args);
    span = left->node->span;
    left->node = pk__node_of(parser->source->arena, op, &args);
    left->node->span = pk__span_join(span, parser->previous.span);
    left->kind = CONDITION;
    left->enclosed = false;
    check_primary(parser, left->node);
    return true;
}

/* A function call that turned out to be the condition. */
static void settle_function(struct pk_parser *parser, struct term *term)
{
    if (term->node->op == PK_OP_SIZE)
        pk__parse_fault(parser, PK_FAULT_MISUSE, term->node->span,
                        "The function is not allowed to be used this way in an expression; "
                        "function: %s",
                        pk_op_name(PK_OP_SIZE));
    term->kind = CONDITION;
    check_primary(parser, term->node);
}

/* "(" orExpr ")", or an operand */
static struct term parse_left(struct pk_parser *parser)
{
    struct pk_span open = parser->token.span;
    struct term term = {NULL, OPERAND, false};

    if (parser->token.kind != PK_TOKEN_OPEN) {
        term.node = pk__parse_operand(parser, NULL);
        if (term.node->op != PK_OP_PATH && term.node->op != PK_OP_VALUE)
            term.kind = EITHER;
        return term;
    }
    if (!pk__parse_enter(parser)) {
        term.node = pk__parse_nothing(parser);
        return term;
    }
    pk__parse_next(parser);
    term = parse_or(parser, true);
    parser->depth--;
    pk__parse_expect(parser, PK_TOKEN_CLOSE);
    if (term.enclosed)
        pk__parse_redundant(parser, open);
    term.enclosed = true;
    return term;
}

/* primary = operand comparison | function | "(" orExpr ")". With may_be_operand, inside a
 * parenthesis, a lone operand before ")" is left for the outside to settle. */
static struct term parse_primary(struct pk_parser *parser, bool may_be_operand)
{
    struct term term = parse_left(parser);

    if (term.kind == CONDITION || parse_comparison(parser, &term))
        return term;
    if (may_be_operand && parser->token.kind == PK_TOKEN_CLOSE)
        return term;
    if (term.kind == EITHER)
        settle_function(parser, &term);
    else
        pk__parse_syntax(parser);
    return term;
}

/* ---- NOT, AND, OR ------------------------------------------------------------------------- */

static struct term condition_term(struct pk_node *node)
{
    return (struct term){node, CONDITION, false};
}

/* notExpr = NOT notExpr | primary */
static struct term parse_not(struct pk_parser *parser, bool may_be_operand)
{
    struct pk_span start = parser->token.span;
    unsigned count = 0;
    struct term term;

    while (pk__parse_keyword(parser, "NOT")) {
        pk__parse_count(parser, parser->token.span);
        pk__parse_next(parser);
        count++;
    }
    term = parse_primary(parser, may_be_operand && count == 0);
    for (; count > 0; count--) {
        struct pk_node *node = pk_node_new(parser->source->arena, PK_OP_NOT, 1);

        node->args[0] = term.node;
        node->span = pk__span_join(start, parser->previous.span);
        term = condition_term(node);
    }
    return term;
}

/* andExpr = notExpr { AND notExpr } */
static struct term parse_and(struct pk_parser *parser, bool may_be_operand)
{
    struct pk_span start = parser->token.span;
    struct term first = parse_not(parser, may_be_operand);
    struct pk_node_vec args = {NULL, 0, 0};
    struct pk_node *node;

    if (!pk__parse_keyword(parser, "AND"))
        return first;
    pk__node_vec_add(&args, parser->source->arena, first.node);
    while (pk__parse_keyword(parser, "AND")) {
        pk__parse_count(parser, parser->token.span);
        pk__parse_next(parser);
        pk__node_vec_add(&args, parser->source->arena, parse_not(parser, false).node);
    }
    node = pk__node_of(parser->source->arena, PK_OP_AND, &args);
    node->span = pk__span_join(start, parser->previous.span);
    return condition_term(node);
}

/* orExpr = andExpr { OR andExpr } */
static struct term parse_or(struct pk_parser *parser, bool may_be_operand)
{
    struct pk_span start = parser->token.span;
    struct term first = parse_and(parser, may_be_operand);
    struct pk_node_vec args = {NULL, 0, 0};
    struct pk_node *node;

    if (!pk__parse_keyword(parser, "OR"))
        return first;
    pk__node_vec_add(&args, parser->source->arena, first.node);
    while (pk__parse_keyword(parser, "OR")) {
        pk__parse_count(parser, parser->token.span);
        pk__parse_next(parser);
        pk__node_vec_add(&args, parser->source->arena, parse_and(parser, false).node);
    }
    node = pk__node_of(parser->source->arena, PK_OP_OR, &args);
    node->span = pk__span_join(start, parser->previous.span);
    return condition_term(node);
}

enum pk_code pk_expr_parse_condition(const struct pk_expr_source *source, struct pk_node **out,
                                     struct pk_error *err)
{
    struct pk_parser parser;
    enum pk_code rc = pk__parse_begin(&parser, source, err);
    struct term term;

    if (rc != PK_OK)
        return rc;
    term = parse_or(&parser, false);
    if (parser.token.kind != PK_TOKEN_END)
        pk__parse_syntax(&parser);
    rc = pk__parse_report(&parser, PK_FAULT_LIMIT, err);
    if (rc == PK_OK)
        *out = term.node;
    pk__parse_release(&parser);
    return rc;
}
