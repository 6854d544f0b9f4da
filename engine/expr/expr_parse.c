/*
 * Tokens, faults, paths and operands: the part all expression grammars share. Bottom-up: the token
 * stream, faults, placeholders, paths, functions and operands, projections.
 *
 * Invariant: after a syntax error the current token is END for ever, so every loop ends and nobody
 * else has to look whether the parse still makes sense.
 */
#include "engine/expr/expr_parse.h"

#include <strings.h>

/* ---- the token stream --------------------------------------------------------------------- */

void pk__parse_next(struct pk_parser *parser)
{
    if (parser->token.kind == PK_TOKEN_END)
        return;
    parser->previous = parser->token;
    parser->token = pk__lex(parser->source->text, pk__span_end(parser->token.span));
}

bool pk__parse_accept(struct pk_parser *parser, enum pk_token_kind kind)
{
    if (parser->token.kind != kind)
        return false;
    pk__parse_next(parser);
    return true;
}

void pk__parse_expect(struct pk_parser *parser, enum pk_token_kind kind)
{
    if (!pk__parse_accept(parser, kind))
        pk__parse_syntax(parser);
}

bool pk__parse_keyword(const struct pk_parser *parser, const char *keyword)
{
    pk_slice word = pk__span_text(parser->source->text, parser->token.span);

    return parser->token.kind == PK_TOKEN_NAME && word.len == strlen(keyword) &&
           strncasecmp(word.data, keyword, word.len) == 0;
}

/* The current token is one of the keywords of the grammar in use. */
static bool at_any_keyword(const struct pk_parser *parser)
{
    static const char *const condition[] = {"AND", "OR", "NOT", "BETWEEN", "IN", NULL};
    static const char *const update[] = {"SET", "REMOVE", "ADD", "DELETE", NULL};
    static const char *const none[] = {NULL};
    const char *const *words = condition;

    if (parser->source->use == PK_EXPR_UPDATE)
        words = update;
    else if (parser->source->use == PK_EXPR_PROJECTION)
        words = none;
    while (*words != NULL && !pk__parse_keyword(parser, *words))
        words++;
    return *words != NULL;
}

bool pk__parse_enter(struct pk_parser *parser)
{
    if (parser->depth >= PK_EXPR_DEPTH_MAX) {
        pk__parse_syntax(parser);
        return false;
    }
    parser->depth++;
    return true;
}

/* ---- faults ------------------------------------------------------------------------------- */

/* The class under which this grammar reports a fault. */
static enum pk_fault fault_class(const struct pk_parser *parser, enum pk_fault fault)
{
    enum pk_expr_use use = parser->source->use;

    if (use == PK_EXPR_UPDATE && (fault == PK_FAULT_MISUSE || fault == PK_FAULT_RESERVED))
        return PK_FAULT_FUNCTION;
    if (use != PK_EXPR_UPDATE && use != PK_EXPR_PROJECTION &&
        (fault == PK_FAULT_NAME || fault == PK_FAULT_VALUE))
        return PK_FAULT_OPERAND;
    return fault;
}

void pk__parse_fault(struct pk_parser *parser, enum pk_fault fault, struct pk_span span,
                     const char *format, ...)
{
    enum pk_fault class = fault_class(parser, fault);
    struct pk_error *slot = &parser->faults[class];
    pk_slice text;
    va_list args;

    /* Of a primary the undefined placeholder counts first, wherever it stands: operands are noted
     * in the order in which they are found. */
    if (slot->code != PK_OK && (class == PK_FAULT_OPERAND || slot->span.start <= span.start))
        return;
    va_start(args, format);
    text = pk_arena_vprintf(parser->source->arena, format, args);
    va_end(args);
    pk_fail_at(slot, PK_E_VALIDATION, span, "%.*s", PK_FMT(text));
}

void pk__parse_syntax(struct pk_parser *parser)
{
    pk_slice text = parser->source->text;
    struct pk_token token = parser->token;
    size_t start = token.span.start;
    size_t end = text.len;

    if (parser->faults[PK_FAULT_SYNTAX].code != PK_OK)
        return;
    if (parser->previous.span.len > 0)
        start = parser->previous.span.start;
    else if (token.kind == PK_TOKEN_END)
        start = 0;
    if (token.kind != PK_TOKEN_END) {
        struct pk_token next = pk__lex(text, pk__span_end(token.span));

        if (next.kind != PK_TOKEN_END)
            end = pk__span_end(next.span);
    }
    if (token.kind == PK_TOKEN_END)
        pk__parse_fault(parser, PK_FAULT_SYNTAX, token.span,
                        "Syntax error; token: \"<EOF>\", near: \"%.*s\"", (int)(end - start),
                        text.data + start);
    else
        pk__parse_fault(
            parser, PK_FAULT_SYNTAX, token.span, "Syntax error; token: \"%.*s\", near: \"%.*s\"",
            PK_FMT(pk__span_text(text, token.span)), (int)(end - start), text.data + start);
    parser->token = (struct pk_token){PK_TOKEN_END, {(uint32_t)text.len, 0}};
}

/* "Invalid ConditionExpression: " before the message. */
static enum pk_code add_prefix(const struct pk_parser *parser, struct pk_error *err)
{
    pk_slice prefix = pk_arena_printf(parser->source->arena,
                                      "Invalid %s: ", pk_expr_use_name(parser->source->use));

    pk_error_prefix(err, prefix.data);
    return err->code;
}

enum pk_code pk__parse_prefix(struct pk_parser *parser, enum pk_code code, struct pk_error *err)
{
    return code == PK_OK ? PK_OK : add_prefix(parser, err);
}

enum pk_code pk__parse_begin(struct pk_parser *parser, const struct pk_expr_source *source,
                             struct pk_error *err)
{
    pk_slice text = source->text;

    memset(parser, 0, sizeof(*parser));
    parser->source = source;
    if (text.len == 0) {
        pk_fail(err, PK_E_VALIDATION, "The expression can not be empty;");
        return add_prefix(parser, err);
    }
    if (text.len > PK_EXPR_TEXT_MAX) {
        pk_fail(err, PK_E_VALIDATION, "Expression size has exceeded the maximum allowed size;");
        if (source->use != PK_EXPR_UPDATE)
            pk_fail(err, PK_E_VALIDATION,
                    "Expression size has exceeded the maximum allowed size; expression size: %zu",
                    text.len);
        return add_prefix(parser, err);
    }
    parser->token = pk__lex(text, 0);
    return PK_OK;
}

enum pk_code pk__parse_report(struct pk_parser *parser, enum pk_fault last, struct pk_error *err)
{
    for (size_t i = 0; i <= (size_t)last; i++) {
        if (parser->faults[i].code != PK_OK) {
            pk_error_move(err, &parser->faults[i]);
            return add_prefix(parser, err);
        }
    }
    return PK_OK;
}

void pk__parse_release(struct pk_parser *parser)
{
    for (size_t i = 0; i < PK_FAULTS; i++)
        pk_error_release(&parser->faults[i]);
}

void pk__parse_count(struct pk_parser *parser, struct pk_span span)
{
    parser->operators++;
    if (parser->operators > PK_EXPR_OPERATORS_MAX)
        pk__parse_fault(parser, PK_FAULT_LIMIT, span,
                        "The expression contains too many operators; operator count: %d",
                        PK_EXPR_OPERATORS_MAX + 1);
}

/* ---- nodes -------------------------------------------------------------------------------- */

void *pk__grow(struct pk_arena *arena, void *data, size_t len, size_t *cap, size_t size)
{
    char *grown;

    if (len < *cap)
        return data;
    *cap = *cap == 0 ? 4 : *cap * 2;
    grown = pk_arena_calloc(arena, *cap, size);
    if (len > 0)
        memcpy(grown, data, len * size);
    return grown;
}

void pk__node_vec_add(struct pk_node_vec *vec, struct pk_arena *arena, struct pk_node *node)
{
    vec->data = pk__grow(arena, vec->data, vec->len, &vec->cap, sizeof(struct pk_node *));
    vec->data[vec->len++] = node;
}

struct pk_node *pk__node_of(struct pk_arena *arena, enum pk_op op, const struct pk_node_vec *args)
{
    struct pk_node *node = pk_node_new(arena, op, 0);

    node->args = args->data;
    node->count = args->len;
    return node;
}

struct pk_node *pk__parse_nothing(struct pk_parser *parser)
{
    return pk_node_new(parser->source->arena, PK_OP_TRUE, 0);
}

/* ---- placeholders and paths --------------------------------------------------------------- */

static struct pk_placeholder *find_placeholder(struct pk_placeholder *placeholders, size_t count,
                                               pk_slice key)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_slice_equal(placeholders[i].key, key)) {
            placeholders[i].used = true;
            return &placeholders[i];
        }
    }
    return NULL;
}

struct pk_node *pk__parse_value_ref(struct pk_parser *parser)
{
    struct pk_placeholders *all = parser->source->placeholders;
    struct pk_span span = parser->token.span;
    pk_slice key = pk__span_text(parser->source->text, span);
    struct pk_placeholder *found = NULL;
    struct pk_node *node;

    if (parser->token.kind != PK_TOKEN_VALUE_REF) {
        pk__parse_syntax(parser);
        return pk__parse_nothing(parser);
    }
    pk__parse_next(parser);
    if (all != NULL)
        found = find_placeholder(all->values, all->value_count, key);
    if (found == NULL)
        pk__parse_fault(parser, PK_FAULT_VALUE, span,
                        "An expression attribute value used in expression is not defined; "
                        "attribute value: %.*s",
                        PK_FMT(key));
    node = pk_node_value(parser->source->arena, found == NULL ? PK_VIEW_MISSING : found->value);
    node->span = span;
    return node;
}

/* element = name | nameRef; the token is one of them. */
static pk_slice resolve_name(struct pk_parser *parser)
{
    struct pk_placeholders *all = parser->source->placeholders;
    struct pk_token token = parser->token;
    pk_slice text = pk__span_text(parser->source->text, token.span);
    struct pk_placeholder *found = NULL;

    pk__parse_next(parser);
    if (token.kind == PK_TOKEN_NAME) {
        if (pk_expr_reserved(text))
            pk__parse_fault(parser, PK_FAULT_RESERVED, token.span,
                            "Attribute name is a reserved keyword; reserved keyword: %.*s",
                            PK_FMT(text));
        return text;
    }
    if (all != NULL)
        found = find_placeholder(all->names, all->name_count, text);
    if (found != NULL)
        return found->name;
    pk__parse_fault(parser, PK_FAULT_NAME, token.span,
                    "An expression attribute name used in the document path is not defined; "
                    "attribute name: %.*s",
                    PK_FMT(text));
    return text;
}

static struct pk_path_step name_step(struct pk_parser *parser)
{
    enum pk_token_kind kind = parser->token.kind;

    if (kind != PK_TOKEN_NAME_REF && (kind != PK_TOKEN_NAME || at_any_keyword(parser))) {
        pk__parse_syntax(parser);
        return (struct pk_path_step){PK_LIT(""), 0};
    }
    return (struct pk_path_step){resolve_name(parser), 0};
}

/* int "]"; an index must fit a signed 32-bit integer, as it does on AWS. */
static struct pk_path_step index_step(struct pk_parser *parser)
{
    struct pk_span span = parser->token.span;
    pk_slice digits = pk__span_text(parser->source->text, span);
    struct pk_path_step step = {{NULL, 0}, 0};

    if (parser->token.kind != PK_TOKEN_INT) {
        pk__parse_syntax(parser);
        return step;
    }
    for (size_t i = 0; i < digits.len && step.index <= INT32_MAX; i++)
        step.index = step.index * 10 + (uint64_t)(digits.data[i] - '0');
    if (step.index > INT32_MAX)
        pk__parse_fault(parser, PK_FAULT_PATH, span,
                        "List index is not within the allowable range; index: [%.*s]",
                        PK_FMT(digits));
    pk__parse_next(parser);
    pk__parse_expect(parser, PK_TOKEN_CLOSE_INDEX);
    return step;
}

const struct pk_path *pk__parse_path(struct pk_parser *parser)
{
    struct pk_path_step steps[PK_EXPR_PATH_MAX];
    struct pk_path *path = PK_NEW(parser->source->arena, struct pk_path);
    struct pk_span start = parser->token.span;
    size_t count = 1;

    steps[0] = name_step(parser);
    while (parser->token.kind == PK_TOKEN_DOT || parser->token.kind == PK_TOKEN_OPEN_INDEX) {
        bool dot = parser->token.kind == PK_TOKEN_DOT;
        struct pk_path_step step;

        pk__parse_next(parser);
        step = dot ? name_step(parser) : index_step(parser);
        if (count < PK_EXPR_PATH_MAX)
            steps[count] = step;
        count++;
    }
    path->span = pk__span_join(start, parser->previous.span);
    if (count > PK_EXPR_PATH_MAX) {
        pk__parse_fault(parser, PK_FAULT_PATH, path->span,
                        "The document path has too many nesting levels; nesting levels: %zu",
                        count);
        count = PK_EXPR_PATH_MAX;
    }
    path->count = count;
    path->steps = PK_NEW_ARRAY(parser->source->arena, struct pk_path_step, count);
    memcpy(path->steps, steps, count * sizeof(steps[0]));
    return path;
}

/* ---- functions and operands --------------------------------------------------------------- */

static bool find_function(pk_slice name, enum pk_op *op)
{
    static const enum pk_op functions[] = {
        PK_OP_SIZE,        PK_OP_EXISTS,   PK_OP_NOT_EXISTS,    PK_OP_ATTRIBUTE_TYPE,
        PK_OP_BEGINS_WITH, PK_OP_CONTAINS, PK_OP_IF_NOT_EXISTS, PK_OP_LIST_APPEND,
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (pk_slice_is(name, pk_op_name(functions[i]))) {
            *op = functions[i];
            return true;
        }
    }
    return false;
}

/* Which functions the grammar in use knows at all. TRUE stands in for an unknown one. */
static enum pk_op function_op(struct pk_parser *parser, struct pk_span span)
{
    pk_slice name = pk__span_text(parser->source->text, span);
    bool update = parser->source->use == PK_EXPR_UPDATE;
    enum pk_op op = PK_OP_TRUE;

    if (!find_function(name, &op))
        pk__parse_fault(parser, PK_FAULT_FUNCTION, span, "Invalid function name; function: %.*s",
                        PK_FMT(name));
    else if (update != (op == PK_OP_IF_NOT_EXISTS || op == PK_OP_LIST_APPEND))
        pk__parse_fault(parser, PK_FAULT_MISUSE, span,
                        "The function is not allowed in %s expression; function: %.*s",
                        update ? "an update" : "a condition", PK_FMT(name));
    return op;
}

void pk__parse_nested(struct pk_parser *parser, const struct pk_node *node)
{
    bool update = parser->source->use == PK_EXPR_UPDATE;

    if (pk__op_is_function(node->op) && node->op != (update ? PK_OP_IF_NOT_EXISTS : PK_OP_SIZE))
        pk__parse_fault(parser, PK_FAULT_MISUSE, node->span,
                        "The function is not allowed to be used this way in an expression; "
                        "function: %s",
                        pk_op_name(node->op));
}

/* function = name "(" operand { "," operand } ")" */
static struct pk_node *parse_function(struct pk_parser *parser)
{
    struct pk_span span = parser->token.span;
    struct pk_node_vec args = {NULL, 0, 0};
    enum pk_op op = function_op(parser, span);
    struct pk_node *node;

    pk__parse_count(parser, span);
    pk__parse_next(parser);
    pk__parse_next(parser);
    if (!pk__parse_enter(parser))
        return pk__parse_nothing(parser);
    do {
        struct pk_node *arg = pk__parse_operand(parser, NULL);

        pk__parse_nested(parser, arg);
        pk__node_vec_add(&args, parser->source->arena, arg);
    } while (pk__parse_accept(parser, PK_TOKEN_COMMA));
    parser->depth--;
    pk__parse_expect(parser, PK_TOKEN_CLOSE);
    node = pk__node_of(parser->source->arena, op, &args);
    node->span = pk__span_join(span, parser->previous.span);
    return node;
}

static bool at_function(const struct pk_parser *parser)
{
    size_t end = pk__span_end(parser->token.span);

    return parser->token.kind == PK_TOKEN_NAME && !at_any_keyword(parser) &&
           pk__lex(parser->source->text, end).kind == PK_TOKEN_OPEN;
}

void pk__parse_redundant(struct pk_parser *parser, struct pk_span open)
{
    pk__parse_fault(parser, PK_FAULT_PARENS, open, "The expression has redundant parentheses;");
}

struct pk_node *pk__parse_operand(struct pk_parser *parser, bool *enclosed)
{
    struct pk_span open = parser->token.span;
    bool open_twice = false;
    struct pk_node *node;

    if (enclosed != NULL)
        *enclosed = parser->token.kind == PK_TOKEN_OPEN;
    if (pk__parse_accept(parser, PK_TOKEN_OPEN)) {
        if (!pk__parse_enter(parser))
            return pk__parse_nothing(parser);
        node = pk__parse_operand(parser, &open_twice);
        parser->depth--;
        pk__parse_expect(parser, PK_TOKEN_CLOSE);
        if (open_twice)
            pk__parse_redundant(parser, open);
        return node;
    }
    if (parser->token.kind == PK_TOKEN_VALUE_REF)
        return pk__parse_value_ref(parser);
    if (at_function(parser))
        return parse_function(parser);
    return pk_node_path(parser->source->arena, pk__parse_path(parser));
}

/* ---- requests ----------------------------------------------------------------------------- */

/* Keys of the placeholders never used, as DynamoDB lists them; len 0 when all were. */
static struct pk_buf unused_keys(const struct pk_placeholder *placeholders, size_t count)
{
    struct pk_buf keys = PK_BUF_INIT;

    for (size_t i = 0; i < count; i++) {
        if (!placeholders[i].used) {
            if (keys.len > 0)
                pk_buf_add(&keys, PK_LIT(", "));
            pk_buf_add(&keys, placeholders[i].key);
        }
    }
    return keys;
}

static enum pk_code check_used(const struct pk_placeholder *placeholders, size_t count,
                               const char *parameter, struct pk_error *err)
{
    struct pk_buf keys = unused_keys(placeholders, count);
    enum pk_code rc = PK_OK;

    if (keys.len > 0)
        rc = pk_fail(err, PK_E_VALIDATION,
                     "Value provided in %s unused in expressions: keys: {%.*s}", parameter,
                     PK_FMT(keys));
    pk_buf_release(&keys);
    return rc;
}

enum pk_code pk_expr_check_unused(const struct pk_placeholders *placeholders, struct pk_error *err)
{
    enum pk_code rc =
        check_used(placeholders->names, placeholders->name_count, "ExpressionAttributeNames", err);

    if (rc == PK_OK)
        rc = check_used(placeholders->values, placeholders->value_count,
                        "ExpressionAttributeValues", err);
    return rc;
}
