/*
 * Expressions of PartiQL. Bottom-up: cursor, paths, literals, terms, infix operators.
 *
 * One loop (partiql_parse_expr) and one table of operators decide precedence. More is parsed than
 * DynamoDB accepts (arithmetic, LIKE, any nesting): those get messages of their own later.
 */
#include "commands/partiql/partiql_parser.h"

#include <strings.h>

#include "commands/partiql/partiql_parse.h"

/* --- cursor ---------------------------------------------------------------------------------- */

const struct partiql_token *partiql_peek(const struct partiql_parser *parser, size_t ahead)
{
    size_t last = parser->tokens.count - 1;

    return &parser->tokens.list[parser->pos + ahead < last ? parser->pos + ahead : last];
}

bool partiql_at(const struct partiql_parser *parser, enum partiql_token_kind kind)
{
    return partiql_peek(parser, 0)->kind == kind;
}

bool partiql_at_word(const struct partiql_parser *parser, enum partiql_word word)
{
    return partiql_peek(parser, 0)->word == word;
}

bool partiql_at_end(const struct partiql_parser *parser)
{
    return partiql_at(parser, PQ_TOK_END) ||
           (partiql_at(parser, PQ_TOK_SEMICOLON) && partiql_peek(parser, 1)->kind == PQ_TOK_END);
}

const struct partiql_token *partiql_take(struct partiql_parser *parser)
{
    const struct partiql_token *token = partiql_peek(parser, 0);

    if (parser->pos < parser->tokens.count - 1)
        parser->pos++;
    return token;
}

bool partiql_accept(struct partiql_parser *parser, enum partiql_token_kind kind)
{
    if (!partiql_at(parser, kind))
        return false;
    partiql_take(parser);
    return true;
}

bool partiql_accept_word(struct partiql_parser *parser, enum partiql_word word)
{
    if (!partiql_at_word(parser, word))
        return false;
    partiql_take(parser);
    return true;
}

void partiql_refuse(struct partiql_parser *parser, const char *reason, const char *hint)
{
    const struct partiql_token *token = partiql_peek(parser, 0);

    /* the end has no text to point to: the last token has */
    if (token->kind == PQ_TOK_END && parser->pos > 0)
        token--;
    if (parser->code == PK_OK)
        parser->code = partiql_malformed(parser->err, token->span, reason, hint);
    parser->pos = parser->tokens.count - 1;
}

void partiql_refuse_word(struct partiql_parser *parser, const char *reason)
{
    const struct partiql_token *token = partiql_peek(parser, 0);
    bool first = parser->code == PK_OK;

    partiql_refuse(parser, reason, NULL);
    if (first && token->kind == PQ_TOK_WORD) {
        pk_slice word = partiql_text_at(parser->tokens.text, token->span);

        pk_error_hint(parser->err,
                      "%.*s is a keyword; an attribute or table of that name is "
                      "written \"%.*s\"",
                      PK_FMT(word), PK_FMT(word));
    }
}

void partiql_expect(struct partiql_parser *parser, enum partiql_token_kind kind, const char *hint)
{
    if (!partiql_accept(parser, kind))
        partiql_refuse(parser, "", hint);
}

struct pk_span partiql_span_from(const struct partiql_parser *parser, struct pk_span from)
{
    struct pk_span last = parser->tokens.list[parser->pos == 0 ? 0 : parser->pos - 1].span;
    uint32_t end = last.start + last.len;

    return (struct pk_span){from.start, end > from.start ? end - from.start : from.len};
}

/* --- nodes ----------------------------------------------------------------------------------- */

static struct partiql_node *new_node(struct partiql_parser *parser, enum partiql_kind kind,
                                     const struct partiql_token *token)
{
    struct partiql_node *node = PK_NEW(parser->arena, struct partiql_node);

    node->kind = kind;
    node->op = PK_OP_TRUE;
    node->span = token->span;
    node->mark = token->span;
    return node;
}

static void add_arg(struct partiql_parser *parser, struct partiql_node *node,
                    struct partiql_node *arg)
{
    if (node->count == node->cap) {
        size_t cap = node->cap == 0 ? 4 : node->cap * 2;
        struct partiql_node **args = PK_NEW_ARRAY(parser->arena, struct partiql_node *, cap);

        if (node->count > 0)
            memcpy(args, node->args, node->count * sizeof(struct partiql_node *));
        node->args = args;
        node->cap = cap;
    }
    node->args[node->count++] = arg;
}

/* --- paths ----------------------------------------------------------------------------------- */

static bool at_name(const struct partiql_parser *parser)
{
    return partiql_at(parser, PQ_TOK_NAME) || partiql_at(parser, PQ_TOK_QUOTED);
}

static void add_step(struct partiql_parser *parser, struct partiql_node *path, size_t *cap,
                     struct partiql_step step)
{
    if (path->step_count == *cap) {
        size_t grown = *cap == 0 ? 4 : *cap * 2;
        struct partiql_step *steps = PK_NEW_ARRAY(parser->arena, struct partiql_step, grown);

        if (path->step_count > 0)
            memcpy(steps, path->steps, path->step_count * sizeof(*steps));
        path->steps = steps;
        *cap = grown;
    }
    path->steps[path->step_count++] = step;
}

static struct partiql_step name_step(struct partiql_parser *parser)
{
    const struct partiql_token *token = partiql_take(parser);

    return (struct partiql_step){
        .name = partiql_token_content(parser->tokens.text, token, parser->arena),
        .quoted = token->kind == PQ_TOK_QUOTED,
        .span = token->span};
}

static bool all_digits(pk_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    return text.len > 0;
}

/* "[" already taken: [ "-" ] int | string | quoted name, "]" */
static struct partiql_step bracket_step(struct partiql_parser *parser)
{
    static const char hint[] = "inside [ ] stands a number from 0, or a name in quotes";
    struct partiql_step step = {0};

    if (partiql_at(parser, PQ_TOK_STRING) || partiql_at(parser, PQ_TOK_QUOTED)) {
        step = name_step(parser);
    } else {
        step.negative = partiql_accept(parser, PQ_TOK_MINUS);

        const struct partiql_token *token = partiql_peek(parser, 0);
        step.index = partiql_text_at(parser->tokens.text, token->span);
        step.span = token->span;
        if (token->kind != PQ_TOK_NUMBER || !all_digits(step.index))
            partiql_refuse(parser, "", hint);
        partiql_take(parser);
    }
    partiql_expect(parser, PQ_TOK_RBRACKET, "']' is missing");
    return step;
}

struct partiql_node *partiql_parse_path(struct partiql_parser *parser)
{
    struct partiql_node *path = new_node(parser, PQ_PATH, partiql_peek(parser, 0));
    size_t cap = 0;

    add_step(parser, path, &cap, name_step(parser));
    for (;;) {
        if (partiql_accept(parser, PQ_TOK_DOT)) {
            if (at_name(parser))
                add_step(parser, path, &cap, name_step(parser));
            else
                partiql_refuse_word(parser, "Invalid path dot component");
        } else if (partiql_accept(parser, PQ_TOK_LBRACKET)) {
            add_step(parser, path, &cap, bracket_step(parser));
        } else {
            break;
        }
    }
    path->span = partiql_span_from(parser, path->mark);
    return path;
}

/* --- terms ----------------------------------------------------------------------------------- */

/* expr { "," expr } and the closing token; the opening one was taken. */
static void parse_members(struct partiql_parser *parser, struct partiql_node *node,
                          enum partiql_token_kind close, const char *hint)
{
    if (partiql_accept(parser, close))
        return;
    do {
        add_arg(parser, node, partiql_parse_expr(parser, PQ_POWER_OR));
    } while (partiql_accept(parser, PQ_TOK_COMMA));
    partiql_expect(parser, close, hint);
}

static struct partiql_node *parse_list(struct partiql_parser *parser, enum partiql_kind kind,
                                       enum partiql_token_kind close, const char *hint)
{
    struct partiql_node *node = new_node(parser, kind, partiql_take(parser));

    parse_members(parser, node, close, hint);
    node->span = partiql_span_from(parser, node->mark);
    return node;
}

/* "{" [ key ":" value { "," key ":" value } ] "}" */
static struct partiql_node *parse_struct(struct partiql_parser *parser)
{
    struct partiql_node *node = new_node(parser, PQ_STRUCT, partiql_take(parser));

    if (!partiql_at(parser, PQ_TOK_RBRACE)) {
        do {
            add_arg(parser, node, partiql_parse_expr(parser, PQ_POWER_SUM));
            partiql_expect(parser, PQ_TOK_COLON, "expected ':' between key and value");
            add_arg(parser, node, partiql_parse_expr(parser, PQ_POWER_OR));
        } while (partiql_accept(parser, PQ_TOK_COMMA));
    }
    partiql_expect(parser, PQ_TOK_RBRACE, "'}' is missing");
    node->span = partiql_span_from(parser, node->mark);
    return node;
}

/* name "(" [ "*" | [DISTINCT | ALL] expr { "," expr } ] ")" */
static struct partiql_node *parse_call(struct partiql_parser *parser)
{
    const struct partiql_token *name = partiql_take(parser);
    struct partiql_node *node = new_node(parser, PQ_CALL, name);
    pk_slice content = partiql_token_content(parser->tokens.text, name, parser->arena);
    char *lower = pk_arena_alloc(parser->arena, content.len + 1);

    for (size_t i = 0; i < content.len; i++) {
        char c = content.data[i];

        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    node->text = pk_slice_of(lower, content.len);
    partiql_take(parser); /* ( */
    if (partiql_at(parser, PQ_TOK_STAR)) {
        add_arg(parser, node, new_node(parser, PQ_STAR, partiql_take(parser)));
        partiql_expect(parser, PQ_TOK_RPAREN, "')' is missing");
    } else {
        if (!partiql_accept_word(parser, PQ_WORD_DISTINCT))
            partiql_accept_word(parser, PQ_WORD_ALL);
        parse_members(parser, node, PQ_TOK_RPAREN, "')' is missing");
    }
    node->span = partiql_span_from(parser, name->span);
    return node;
}

/* "(" expr ")", or "(" expr "," expr … ")", which is a list */
static struct partiql_node *parse_parens(struct partiql_parser *parser)
{
    const struct partiql_token *open = partiql_take(parser);
    struct partiql_node *inner = partiql_parse_expr(parser, PQ_POWER_OR);

    if (!partiql_at(parser, PQ_TOK_COMMA)) {
        partiql_expect(parser, PQ_TOK_RPAREN, "')' is missing");
        inner->parens = true;
        inner->span = partiql_span_from(parser, open->span);
        return inner;
    }

    struct partiql_node *list = new_node(parser, PQ_LIST, open);
    add_arg(parser, list, inner);
    partiql_take(parser);
    parse_members(parser, list, PQ_TOK_RPAREN, "')' is missing");
    list->span = partiql_span_from(parser, open->span);
    return list;
}

static struct partiql_node *parse_literal(struct partiql_parser *parser)
{
    const struct partiql_token *token = partiql_take(parser);
    enum partiql_kind kind = token->kind == PQ_TOK_STRING   ? PQ_STRING
                             : token->kind == PQ_TOK_NUMBER ? PQ_NUMBER
                             : token->kind == PQ_TOK_ION    ? PQ_ION
                                                            : PQ_PARAM;
    struct partiql_node *node = new_node(parser, kind, token);

    if (kind == PQ_PARAM)
        node->param = parser->param_count++;
    else
        node->text = partiql_token_content(parser->tokens.text, token, parser->arena);
    return node;
}

/* Keywords that are operators elsewhere, and those that name functions. */
static const enum partiql_word operator_words[] = {
    PQ_WORD_AND,  PQ_WORD_BETWEEN,   PQ_WORD_EXCEPT, PQ_WORD_IN,   PQ_WORD_IS,
    PQ_WORD_LIKE, PQ_WORD_INTERSECT, PQ_WORD_OR,     PQ_WORD_UNION};
static const enum partiql_word function_words[] = {
    PQ_WORD_AVG,         PQ_WORD_BIT_LENGTH, PQ_WORD_CHARACTER_LENGTH,
    PQ_WORD_CHAR_LENGTH, PQ_WORD_COALESCE,   PQ_WORD_COUNT,
    PQ_WORD_DATE_ADD,    PQ_WORD_DATE_DIFF,  PQ_WORD_EXISTS,
    PQ_WORD_EXTRACT,     PQ_WORD_LOWER,      PQ_WORD_MAX,
    PQ_WORD_MIN,         PQ_WORD_NULLIF,     PQ_WORD_OCTET_LENGTH,
    PQ_WORD_POSITION,    PQ_WORD_SIZE,       PQ_WORD_SUBSTRING,
    PQ_WORD_SUM,         PQ_WORD_TRIM,       PQ_WORD_UPPER};

static bool is_one_of(enum partiql_word word, const enum partiql_word *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == word)
            return true;
    }
    return false;
}
#define IS_ONE_OF(word, list) is_one_of(word, list, sizeof(list) / sizeof((list)[0]))

static struct partiql_node *parse_word(struct partiql_parser *parser)
{
    const struct partiql_token *token = partiql_peek(parser, 0);
    enum partiql_word word = token->word;
    struct partiql_node *node = new_node(parser, PQ_NULL, token);

    if (word == PQ_WORD_TRUE || word == PQ_WORD_FALSE) {
        node->kind = PQ_BOOL;
        node->boolean = word == PQ_WORD_TRUE;
        partiql_take(parser);
    } else if (word == PQ_WORD_NULL || word == PQ_WORD_MISSING) {
        node->kind = word == PQ_WORD_NULL ? PQ_NULL : PQ_MISSING;
        partiql_take(parser);
    } else if (IS_ONE_OF(word, function_words) && partiql_peek(parser, 1)->kind == PQ_TOK_LPAREN) {
        return parse_call(parser);
    } else if (IS_ONE_OF(word, operator_words)) {
        partiql_refuse(parser, "Unexpected operator", "expected a value or a name");
    } else {
        partiql_refuse_word(parser, "Unexpected keyword");
    }
    return node;
}

static struct partiql_node *parse_term(struct partiql_parser *parser)
{
    const struct partiql_token *token = partiql_peek(parser, 0);

    switch (token->kind) {
    case PQ_TOK_STRING:
    case PQ_TOK_NUMBER:
    case PQ_TOK_ION:
    case PQ_TOK_PARAM:
        return parse_literal(parser);
    case PQ_TOK_WORD:
        return parse_word(parser);
    case PQ_TOK_NAME:
    case PQ_TOK_QUOTED:
        if (partiql_peek(parser, 1)->kind == PQ_TOK_LPAREN)
            return parse_call(parser);
        return partiql_parse_path(parser);
    case PQ_TOK_LPAREN:
        return parse_parens(parser);
    case PQ_TOK_LBRACKET:
        return parse_list(parser, PQ_LIST, PQ_TOK_RBRACKET, "']' is missing");
    case PQ_TOK_LBAG:
        return parse_list(parser, PQ_BAG, PQ_TOK_RBAG, "'>>' is missing");
    case PQ_TOK_LBRACE:
        return parse_struct(parser);
    case PQ_TOK_EQ:
    case PQ_TOK_NE:
    case PQ_TOK_LT:
    case PQ_TOK_LE:
    case PQ_TOK_GT:
    case PQ_TOK_GE:
    case PQ_TOK_PLUS:
    case PQ_TOK_MINUS:
    case PQ_TOK_STAR:
    case PQ_TOK_SLASH:
    case PQ_TOK_PERCENT:
    case PQ_TOK_CONCAT:
        partiql_refuse(parser, "Unexpected operator", "expected a value or a name");
        break;
    case PQ_TOK_END:
    case PQ_TOK_RPAREN:
    case PQ_TOK_RBRACKET:
    case PQ_TOK_RBRACE:
    case PQ_TOK_RBAG:
    case PQ_TOK_COMMA:
    case PQ_TOK_DOT:
    case PQ_TOK_COLON:
    case PQ_TOK_SEMICOLON:
        partiql_refuse(parser, "Unexpected term", "expected a value or a name");
        break;
    }
    return new_node(parser, PQ_NULL, token);
}

/* prefix = NOT expr | ("+" | "-") prefix | term; a sign before a number belongs to it */
static struct partiql_node *parse_prefix(struct partiql_parser *parser)
{
    const struct partiql_token *token = partiql_peek(parser, 0);

    if (parser->depth > PARTIQL_DEPTH_MAX) {
        partiql_refuse(parser, "", "the statement is nested too deeply");
        return new_node(parser, PQ_NULL, token);
    }
    if (partiql_accept_word(parser, PQ_WORD_NOT)) {
        struct partiql_node *node = new_node(parser, PQ_NOT, token);

        add_arg(parser, node, partiql_parse_expr(parser, PQ_POWER_NOT));
        node->span = partiql_span_from(parser, token->span);
        return node;
    }
    if (token->kind != PQ_TOK_MINUS && token->kind != PQ_TOK_PLUS)
        return parse_term(parser);

    partiql_take(parser);
    struct partiql_node *operand = partiql_parse_expr(parser, PQ_POWER_TERM);
    if (operand->kind == PQ_NUMBER && !operand->parens && operand->text.len > 0 &&
        operand->text.data[0] != '-') {
        if (token->kind == PQ_TOK_MINUS)
            operand->text = pk_arena_printf(parser->arena, "-%.*s", PK_FMT(operand->text));
        operand->span = partiql_span_from(parser, token->span);
        return operand;
    }

    struct partiql_node *node = new_node(parser, PQ_ARITHMETIC, token);
    node->op = token->kind == PQ_TOK_MINUS ? PK_OP_MINUS : PK_OP_PLUS;
    add_arg(parser, node, operand);
    node->span = partiql_span_from(parser, token->span);
    return node;
}

/* --- infix operators ------------------------------------------------------------------------- */

struct infix {
    enum partiql_token_kind token;
    enum partiql_word word;
    enum partiql_power power;
    enum partiql_kind kind;
    enum pk_op op;
};

static const struct infix infixes[] = {
    {PQ_TOK_WORD, PQ_WORD_OR, PQ_POWER_OR, PQ_OR, PK_OP_OR},
    {PQ_TOK_WORD, PQ_WORD_AND, PQ_POWER_AND, PQ_AND, PK_OP_AND},
    {PQ_TOK_EQ, PQ_NO_WORD, PQ_POWER_COMPARE, PQ_COMPARE, PK_OP_EQ},
    {PQ_TOK_NE, PQ_NO_WORD, PQ_POWER_COMPARE, PQ_COMPARE, PK_OP_NE},
    {PQ_TOK_LT, PQ_NO_WORD, PQ_POWER_COMPARE, PQ_COMPARE, PK_OP_LT},
    {PQ_TOK_LE, PQ_NO_WORD, PQ_POWER_COMPARE, PQ_COMPARE, PK_OP_LE},
    {PQ_TOK_GT, PQ_NO_WORD, PQ_POWER_COMPARE, PQ_COMPARE, PK_OP_GT},
    {PQ_TOK_GE, PQ_NO_WORD, PQ_POWER_COMPARE, PQ_COMPARE, PK_OP_GE},
    {PQ_TOK_WORD, PQ_WORD_BETWEEN, PQ_POWER_COMPARE, PQ_BETWEEN, PK_OP_BETWEEN},
    {PQ_TOK_WORD, PQ_WORD_IN, PQ_POWER_COMPARE, PQ_IN, PK_OP_IN},
    {PQ_TOK_WORD, PQ_WORD_LIKE, PQ_POWER_COMPARE, PQ_LIKE, PK_OP_TRUE},
    {PQ_TOK_WORD, PQ_WORD_IS, PQ_POWER_COMPARE, PQ_IS, PK_OP_TRUE},
    {PQ_TOK_PLUS, PQ_NO_WORD, PQ_POWER_SUM, PQ_ARITHMETIC, PK_OP_PLUS},
    {PQ_TOK_MINUS, PQ_NO_WORD, PQ_POWER_SUM, PQ_ARITHMETIC, PK_OP_MINUS},
    {PQ_TOK_CONCAT, PQ_NO_WORD, PQ_POWER_SUM, PQ_ARITHMETIC, PK_OP_TRUE},
    {PQ_TOK_STAR, PQ_NO_WORD, PQ_POWER_PRODUCT, PQ_ARITHMETIC, PK_OP_TRUE},
    {PQ_TOK_SLASH, PQ_NO_WORD, PQ_POWER_PRODUCT, PQ_ARITHMETIC, PK_OP_TRUE},
    {PQ_TOK_PERCENT, PQ_NO_WORD, PQ_POWER_PRODUCT, PQ_ARITHMETIC, PK_OP_TRUE},
};

/* The operator at the token, or after a NOT that is part of it. */
static const struct infix *find_infix(const struct partiql_parser *parser)
{
    const struct partiql_token *token = partiql_peek(parser, 0);
    bool negated = token->word == PQ_WORD_NOT;

    if (negated)
        token = partiql_peek(parser, 1);
    for (size_t i = 0; i < sizeof(infixes) / sizeof(infixes[0]); i++) {
        const struct infix *infix = &infixes[i];

        if (infix->token != token->kind || infix->word != token->word)
            continue;
        if (!negated || infix->kind == PQ_BETWEEN || infix->kind == PQ_IN || infix->kind == PQ_LIKE)
            return infix;
    }
    return NULL;
}

/* Types after IS. What DynamoDB does not support is still a type. */
static const struct {
    const char *spelling;
    const char *name;
    const char *second; /* a second word that belongs to it */
} types[] = {
    {"MISSING", "MISSING", NULL},
    {"NULL", "NULL", NULL},
    {"BOOLEAN", "BOOLEAN", NULL},
    {"BOOL", "BOOLEAN", NULL},
    {"BLOB", "BLOB", NULL},
    {"STRING", "STRING", NULL},
    {"NUMERIC", "NUMERIC", NULL},
    {"STRUCT", "STRUCT", NULL},
    {"TUPLE", "TUPLE", NULL},
    {"LIST", "LIST", NULL},
    {"INT", "INTEGER", NULL},
    {"INTEGER", "INTEGER", NULL},
    {"SMALLINT", "SMALLINT", NULL},
    {"INT2", "SMALLINT", NULL},
    {"INTEGER2", "SMALLINT", NULL},
    {"INT4", "INTEGER4", NULL},
    {"INTEGER4", "INTEGER4", NULL},
    {"INT8", "INTEGER8", NULL},
    {"INTEGER8", "INTEGER8", NULL},
    {"BIGINT", "INTEGER8", NULL},
    {"FLOAT", "FLOAT", NULL},
    {"REAL", "REAL", NULL},
    {"DOUBLE", "DOUBLE_PRECISION", "PRECISION"},
    {"DECIMAL", "DECIMAL", NULL},
    {"DEC", "DECIMAL", NULL},
    {"TIMESTAMP", "TIMESTAMP", NULL},
    {"DATE", "DATE", NULL},
    {"TIME", "TIME", NULL},
    {"CHARACTER", "CHARACTER", "VARYING"},
    {"CHAR", "CHARACTER", NULL},
    {"VARCHAR", "CHARACTER_VARYING", NULL},
    {"SYMBOL", "SYMBOL", NULL},
    {"CLOB", "CLOB", NULL},
    {"SEXP", "SEXP", NULL},
    {"BAG", "BAG", NULL},
    {"ANY", "ANY", NULL},
};

static bool at_text(const struct partiql_parser *parser, const char *text)
{
    pk_slice token = partiql_text_at(parser->tokens.text, partiql_peek(parser, 0)->span);

    return token.len == strlen(text) && strncasecmp(token.data, text, token.len) == 0;
}

static pk_slice parse_type(struct partiql_parser *parser)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        pk_slice name = pk_slice_cstr(types[i].name);

        if (!at_text(parser, types[i].spelling))
            continue;
        partiql_take(parser);
        if (types[i].second != NULL && at_text(parser, types[i].second)) {
            partiql_take(parser);
            if (pk_slice_is(name, "CHARACTER"))
                name = PK_LIT("CHARACTER_VARYING");
        }
        return name;
    }
    partiql_refuse(parser, "Expected type name",
                   "the types are MISSING NULL BOOLEAN BLOB STRING NUMERIC STRUCT LIST");
    return PK_LIT("NULL");
}

/* The right-hand side of IN: a list in any brackets, or something to be refused later. */
static struct partiql_node *parse_in_list(struct partiql_parser *parser)
{
    if (partiql_at(parser, PQ_TOK_LPAREN))
        return parse_list(parser, PQ_LIST, PQ_TOK_RPAREN, "')' is missing");
    return partiql_parse_expr(parser, PQ_POWER_SUM);
}

static void parse_right(struct partiql_parser *parser, struct partiql_node *node,
                        const struct infix *infix)
{
    switch (infix->kind) {
    case PQ_IS:
        node->negated = partiql_accept_word(parser, PQ_WORD_NOT);
        node->text = parse_type(parser);
        break;
    case PQ_IN:
        add_arg(parser, node, parse_in_list(parser));
        break;
    case PQ_BETWEEN:
        add_arg(parser, node, partiql_parse_expr(parser, PQ_POWER_SUM));
        if (!partiql_accept_word(parser, PQ_WORD_AND))
            partiql_refuse(parser, "", "BETWEEN needs two bounds: x BETWEEN 1 AND 9");
        add_arg(parser, node, partiql_parse_expr(parser, PQ_POWER_SUM));
        break;
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
    case PQ_CALL:
    case PQ_STAR:
    case PQ_NOT:
    case PQ_AND:
    case PQ_OR:
    case PQ_COMPARE:
    case PQ_ARITHMETIC:
    case PQ_LIKE:
        add_arg(parser, node, partiql_parse_expr(parser, (enum partiql_power)(infix->power + 1)));
        break;
    }
}

static struct partiql_node *parse_infix(struct partiql_parser *parser, struct partiql_node *left,
                                        const struct infix *infix)
{
    bool negated = partiql_accept_word(parser, PQ_WORD_NOT);
    const struct partiql_token *token = partiql_take(parser);
    bool chained = left->kind == infix->kind && !left->parens &&
                   (infix->kind == PQ_AND || infix->kind == PQ_OR);
    struct partiql_node *node = chained ? left : new_node(parser, infix->kind, token);

    node->op = infix->op;
    node->negated = negated;
    if (!chained)
        add_arg(parser, node, left);
    if (infix->kind != PQ_IS && partiql_at_end(parser))
        partiql_refuse(parser, "Missing right-hand side expression of infix operator",
                       "expected a value or a name");
    parse_right(parser, node, infix);
    node->span = partiql_span_from(parser, left->span);
    return node;
}

struct partiql_node *partiql_parse_expr(struct partiql_parser *parser, enum partiql_power power)
{
    const struct infix *infix;
    size_t depth = parser->depth++;
    struct partiql_node *left = parse_prefix(parser);

    /* each operator puts what stands left of it one level deeper */
    while ((infix = find_infix(parser)) != NULL && infix->power >= power) {
        bool same = left->kind == infix->kind && !left->parens;

        left = parse_infix(parser, left, infix);
        if (!same || left->kind == PQ_ARITHMETIC || left->kind == PQ_COMPARE)
            parser->depth++;
        if (parser->depth > PARTIQL_DEPTH_MAX)
            partiql_refuse(parser, "", "the statement is nested too deeply");
    }
    parser->depth = depth;
    return left;
}
