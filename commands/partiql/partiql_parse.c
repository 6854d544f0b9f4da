/*
 * Statements of PartiQL. Bottom-up: sources, clauses, the five statements, the entry.
 *
 * What DynamoDB parses and then refuses (aliases, joins, GROUP BY, LIMIT, …) is parsed too and
 * noted as `unsupported`, the first one only: a fault of grammar further on wins over it.
 */
#include "commands/partiql/partiql_parse.h"

#include "commands/partiql/partiql_parser.h"

static void note_unsupported(struct partiql_statement *out, struct pk_span span,
                             const char *message)
{
    if (out->unsupported.message.data != NULL)
        return;
    out->unsupported = (struct partiql_unsupported){pk_slice_cstr(message), span, NULL};
}

/* "Unsupported clause: LIMIT at 1:46:1" */
static void note_clause(struct partiql_parser *parser, struct partiql_statement *out,
                        const char *clause, const struct partiql_node *expr)
{
    pk_slice at = partiql_position(parser->tokens.text, expr->mark, parser->arena);

    if (out->unsupported.message.data != NULL)
        return;
    note_unsupported(
        out, expr->span,
        pk_arena_printf(parser->arena, "Unsupported clause: %s at %.*s", clause, PK_FMT(at)).data);
}

/* --- sources --------------------------------------------------------------------------------- */

static bool at_name(const struct partiql_parser *parser)
{
    return partiql_at(parser, PQ_TOK_NAME) || partiql_at(parser, PQ_TOK_QUOTED);
}

static void set_source(struct partiql_parser *parser, struct partiql_statement *out)
{
    const struct partiql_node *path = partiql_parse_path(parser);

    out->source.span = path->span;
    out->source.parts = path->step_count;
    out->source.table = path->steps[0].name;
    if (path->step_count > 1)
        out->source.index = path->steps[1].name;
    for (size_t i = 0; i < path->step_count; i++) {
        if (path->steps[i].name.data == NULL)
            note_unsupported(out, path->span, "Unexpected from source");
    }
}

/* [ AS ] alias */
static void parse_alias(struct partiql_parser *parser, struct partiql_statement *out)
{
    bool as = partiql_accept_word(parser, PQ_WORD_AS);

    if (at_name(parser))
        note_unsupported(out, partiql_take(parser)->span, "Aliasing is not supported");
    else if (as)
        partiql_refuse_word(parser, "");
}

/* source = ident [ "." ident ] of INSERT, UPDATE and DELETE */
static void parse_target(struct partiql_parser *parser, struct partiql_statement *out)
{
    if (at_name(parser))
        set_source(parser, out);
    else
        partiql_refuse_word(parser, "Expected identifier for simple path");
}

static bool at_join(const struct partiql_parser *parser)
{
    static const enum partiql_word joins[] = {PQ_WORD_JOIN,   PQ_WORD_INNER, PQ_WORD_LEFT,
                                              PQ_WORD_RIGHT,  PQ_WORD_FULL,  PQ_WORD_CROSS,
                                              PQ_WORD_NATURAL};

    for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++) {
        if (partiql_at_word(parser, joins[i]))
            return true;
    }
    return partiql_at(parser, PQ_TOK_COMMA);
}

/* { ("," | [INNER | LEFT | …] JOIN) term [alias] [ON expr] } */
static void parse_joins(struct partiql_parser *parser, struct partiql_statement *out)
{
    while (at_join(parser)) {
        struct pk_span span = partiql_peek(parser, 0)->span;

        while (at_join(parser) || partiql_at_word(parser, PQ_WORD_OUTER))
            partiql_take(parser);
        partiql_parse_expr(parser, PQ_POWER_TERM);
        note_unsupported(out, span, "Only select from a single table or index is supported.");
        parse_alias(parser, out);
        if (partiql_accept_word(parser, PQ_WORD_ON))
            partiql_parse_expr(parser, PQ_POWER_OR);
    }
}

/* FROM of a SELECT: a table, or anything else that is a term */
static void parse_from(struct partiql_parser *parser, struct partiql_statement *out)
{
    if (at_name(parser)) {
        set_source(parser, out);
    } else {
        const struct partiql_node *term = partiql_parse_expr(parser, PQ_POWER_TERM);

        note_unsupported(out, term->span, "Unexpected from source");
        if (term->kind == PQ_STRING)
            out->unsupported.hint = "a table name stands in double quotes or in none";
    }
    parse_alias(parser, out);
    parse_joins(parser, out);
}

static void parse_where(struct partiql_parser *parser, struct partiql_statement *out)
{
    if (partiql_accept_word(parser, PQ_WORD_WHERE))
        out->where = partiql_parse_expr(parser, PQ_POWER_OR);
}

/* --- SELECT ---------------------------------------------------------------------------------- */

static void add_item(struct partiql_parser *parser, struct partiql_statement *out, size_t *cap)
{
    if (out->item_count == *cap) {
        size_t grown = *cap == 0 ? 8 : *cap * 2;
        struct partiql_node **items = PK_NEW_ARRAY(parser->arena, struct partiql_node *, grown);

        if (out->item_count > 0)
            memcpy(items, out->items, out->item_count * sizeof(struct partiql_node *));
        out->items = items;
        *cap = grown;
    }
    out->items[out->item_count++] = partiql_parse_expr(parser, PQ_POWER_OR);
}

static void parse_items(struct partiql_parser *parser, struct partiql_statement *out)
{
    size_t cap = 0;

    if (partiql_at_word(parser, PQ_WORD_DISTINCT))
        note_unsupported(out, partiql_take(parser)->span,
                         "Unsupported token in expression: DISTINCT");
    else
        partiql_accept_word(parser, PQ_WORD_ALL);
    if (partiql_at_word(parser, PQ_WORD_VALUE) || partiql_at_word(parser, PQ_WORD_PIVOT))
        note_unsupported(out, partiql_take(parser)->span,
                         "Select projection doesn't support value or pivot keywords");
    if (partiql_accept(parser, PQ_TOK_STAR))
        return;
    do {
        add_item(parser, out, &cap);
        parse_alias(parser, out);
    } while (partiql_accept(parser, PQ_TOK_COMMA));
}

/* [ GROUP [PARTIAL] BY expr { "," expr } ] [ HAVING expr ]: both refused */
static void parse_groups(struct partiql_parser *parser, struct partiql_statement *out)
{
    if (partiql_at_word(parser, PQ_WORD_GROUP)) {
        struct pk_span span = partiql_take(parser)->span;

        partiql_accept_word(parser, PQ_WORD_PARTIAL);
        if (!partiql_accept_word(parser, PQ_WORD_BY))
            partiql_refuse(parser, "", "expected BY after GROUP");
        do {
            partiql_parse_expr(parser, PQ_POWER_OR);
            parse_alias(parser, out);
        } while (partiql_accept(parser, PQ_TOK_COMMA));
        note_unsupported(out, span, "Unsupported clause: GROUP BY");
    }
    if (partiql_accept_word(parser, PQ_WORD_HAVING))
        note_clause(parser, out, "HAVING", partiql_parse_expr(parser, PQ_POWER_OR));
}

/* [ ORDER BY path [ASC | DESC] { "," … } ] */
static void parse_order(struct partiql_parser *parser, struct partiql_statement *out)
{
    size_t cap = 0;
    struct pk_span start = partiql_peek(parser, 0)->span;

    if (!partiql_accept_word(parser, PQ_WORD_ORDER))
        return;
    if (!partiql_accept_word(parser, PQ_WORD_BY))
        partiql_refuse(parser, "", "expected BY after ORDER");
    do {
        if (out->order_count == cap) {
            struct partiql_order *orders;

            cap = cap == 0 ? 4 : cap * 2;
            orders = PK_NEW_ARRAY(parser->arena, struct partiql_order, cap);
            if (out->order_count > 0)
                memcpy(orders, out->orders, out->order_count * sizeof(*orders));
            out->orders = orders;
        }

        struct partiql_order *order = &out->orders[out->order_count++];
        order->path = partiql_parse_expr(parser, PQ_POWER_OR);
        order->descending = partiql_accept_word(parser, PQ_WORD_DESC);
        if (!order->descending)
            partiql_accept_word(parser, PQ_WORD_ASC);
    } while (partiql_accept(parser, PQ_TOK_COMMA));
    out->order_span = partiql_span_from(parser, start);
}

/* SELECT … ; the cursor is after SELECT */
static void parse_select(struct partiql_parser *parser, struct partiql_statement *out)
{
    parse_items(parser, out);
    if (!partiql_accept_word(parser, PQ_WORD_FROM)) {
        partiql_refuse(parser, "", "expected FROM and a table");
        return;
    }
    parse_from(parser, out);
    parse_where(parser, out);
    parse_groups(parser, out);
    parse_order(parser, out);
    if (partiql_accept_word(parser, PQ_WORD_LIMIT)) {
        bool first = out->unsupported.message.data == NULL;

        note_clause(parser, out, "LIMIT", partiql_parse_expr(parser, PQ_POWER_SUM));
        if (first)
            out->unsupported.hint = "DynamoDB's PartiQL has no LIMIT; it is a parameter of the "
                                    "request: query … limit n, scan limit n";
    }
}

/* --- INSERT, UPDATE, DELETE ------------------------------------------------------------------ */

/* [ RETURNING (ALL | MODIFIED) (OLD | NEW) "*" ] */
static void parse_returning(struct partiql_parser *parser, struct partiql_statement *out)
{
    struct pk_span start = partiql_peek(parser, 0)->span;
    static const char hint[] = "RETURNING ALL OLD *, ALL NEW *, MODIFIED OLD * or MODIFIED NEW *";

    if (!partiql_accept_word(parser, PQ_WORD_RETURNING))
        return;
    out->returning.given = true;
    out->returning.all = partiql_accept_word(parser, PQ_WORD_ALL);
    if (!out->returning.all && !partiql_accept_word(parser, PQ_WORD_MODIFIED))
        partiql_refuse(parser, "", hint);
    out->returning.fresh = partiql_accept_word(parser, PQ_WORD_NEW);
    if (!out->returning.fresh && !partiql_accept_word(parser, PQ_WORD_OLD))
        partiql_refuse(parser, "", hint);
    if (!partiql_accept(parser, PQ_TOK_STAR) && parser->code == PK_OK) {
        parser->code = pk_fail_at(parser->err, PK_E_VALIDATION, partiql_peek(parser, 0)->span,
                                  "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in "
                                  "RETURNING clause");
        partiql_refuse(parser, "", NULL);
    }
    out->returning.span = partiql_span_from(parser, start);
}

/* INSERT INTO source VALUE expr */
static void parse_insert(struct partiql_parser *parser, struct partiql_statement *out)
{
    if (!partiql_accept_word(parser, PQ_WORD_INTO))
        partiql_refuse(parser, "", "expected INTO: INSERT INTO table VALUE {…}");
    parse_target(parser, out);
    if (partiql_at_word(parser, PQ_WORD_VALUES) || partiql_at_end(parser)) {
        partiql_refuse(parser, "", "one item at a time: INSERT INTO table VALUE {'name': value}");
        return;
    }
    if (!partiql_accept_word(parser, PQ_WORD_VALUE)) {
        partiql_refuse(parser, "Unexpected token after expression",
                       "expected VALUE {'name': value}");
        return;
    }
    out->value = partiql_parse_expr(parser, PQ_POWER_OR);
    parse_returning(parser, out);
    if (out->returning.given)
        note_unsupported(out, out->returning.span, "RETURNING is not supported in INSERT");
}

static const struct partiql_node *parse_clause_path(struct partiql_parser *parser)
{
    if (!at_name(parser))
        partiql_refuse_word(parser, "");
    return partiql_parse_path(parser);
}

static struct partiql_clause *add_clause(struct partiql_parser *parser,
                                         struct partiql_statement *out, size_t *cap)
{
    if (out->clause_count == *cap) {
        size_t grown = *cap == 0 ? 8 : *cap * 2;
        struct partiql_clause *clauses = PK_NEW_ARRAY(parser->arena, struct partiql_clause, grown);

        if (out->clause_count > 0)
            memcpy(clauses, out->clauses, out->clause_count * sizeof(*clauses));
        out->clauses = clauses;
        *cap = grown;
    }
    return &out->clauses[out->clause_count++];
}

/* clause = SET path "=" value { "," path "=" value } | REMOVE path; one or more */
static void parse_clauses(struct partiql_parser *parser, struct partiql_statement *out)
{
    size_t cap = 0;

    for (;;) {
        if (partiql_accept_word(parser, PQ_WORD_SET)) {
            do {
                struct partiql_clause *clause = add_clause(parser, out, &cap);

                clause->path = parse_clause_path(parser);
                partiql_expect(parser, PQ_TOK_EQ, "expected '=' and a value");
                clause->value = partiql_parse_expr(parser, PQ_POWER_SUM);
            } while (partiql_accept(parser, PQ_TOK_COMMA));
        } else if (partiql_accept_word(parser, PQ_WORD_REMOVE)) {
            add_clause(parser, out, &cap)->path = parse_clause_path(parser);
        } else {
            break;
        }
    }
}

/* UPDATE source clause { clause } [WHERE cond] [returning] */
static void parse_update(struct partiql_parser *parser, struct partiql_statement *out)
{
    parse_target(parser, out);
    parse_alias(parser, out);
    parse_clauses(parser, out);
    if (out->clause_count == 0)
        partiql_refuse(parser, "", "expected SET or REMOVE");
    parse_where(parser, out);
    parse_returning(parser, out);
}

/* FROM source [WHERE cond] clause { clause } [returning] */
static void parse_from_update(struct partiql_parser *parser, struct partiql_statement *out)
{
    parse_from(parser, out);
    parse_where(parser, out);
    parse_clauses(parser, out);
    if (out->clause_count == 0)
        partiql_refuse(parser, "Expected data manipulation", "expected SET or REMOVE");
    parse_returning(parser, out);
}

/* DELETE FROM source [WHERE cond] [returning] */
static void parse_delete(struct partiql_parser *parser, struct partiql_statement *out)
{
    if (!partiql_accept_word(parser, PQ_WORD_FROM))
        partiql_refuse(parser, "", "expected FROM: DELETE FROM table WHERE …");
    parse_target(parser, out);
    parse_alias(parser, out);
    parse_where(parser, out);
    parse_returning(parser, out);
}

/* EXISTS "(" select ")"; the cursor is after EXISTS */
static void parse_exists(struct partiql_parser *parser, struct partiql_statement *out)
{
    partiql_expect(parser, PQ_TOK_LPAREN, "expected (SELECT …) after EXISTS");
    if (!partiql_accept_word(parser, PQ_WORD_SELECT))
        partiql_refuse(parser, "", "expected SELECT inside EXISTS( )");
    parse_select(parser, out);
    partiql_expect(parser, PQ_TOK_RPAREN, "')' is missing");
}

/* --- anything else --------------------------------------------------------------------------- */

static const struct {
    enum partiql_word word;
    const char *message;
} other_statements[] = {
    {PQ_WORD_CREATE, "Unsupported operation: CreateTable"},
    {PQ_WORD_DROP, "Unsupported operation: DropTable"},
    {PQ_WORD_EXEC, "Unsupported operation: Exec"},
    {PQ_WORD_EXECUTE, "Unsupported operation: Exec"},
};

/* What a statement that is a lone expression is called. */
static const char *expression_name(enum partiql_kind kind)
{
    switch (kind) {
    case PQ_PATH:
        return "Unsupported operation: VariableReference";
    case PQ_IS:
        return "Unsupported operation: IsType";
    case PQ_CALL:
        return "Unsupported operation: CallFunction";
    case PQ_STRING:
    case PQ_NUMBER:
    case PQ_BOOL:
    case PQ_NULL:
    case PQ_MISSING:
        return "Unsupported operation: Literal";
    case PQ_PARAM:
    case PQ_ION:
    case PQ_LIST:
    case PQ_BAG:
    case PQ_STRUCT:
    case PQ_STAR:
    case PQ_NOT:
    case PQ_AND:
    case PQ_OR:
    case PQ_COMPARE:
    case PQ_ARITHMETIC:
    case PQ_LIKE:
    case PQ_BETWEEN:
    case PQ_IN:
        break;
    }
    return "Unsupported operation: Expression";
}

static void parse_other(struct partiql_parser *parser, struct partiql_statement *out)
{
    const struct partiql_token *first = partiql_peek(parser, 0);
    size_t start = parser->pos;

    out->kind = PQ_OTHER;
    for (size_t i = 0; i < sizeof(other_statements) / sizeof(other_statements[0]); i++) {
        if (first->word == other_statements[i].word) {
            note_unsupported(out, first->span, other_statements[i].message);
            parser->pos = parser->tokens.count - 1;
            return;
        }
    }

    partiql_take(parser);
    bool lone = partiql_at_end(parser) || partiql_at_word(parser, PQ_WORD_IS);
    parser->pos = start;
    if ((first->kind == PQ_TOK_NAME || first->kind == PQ_TOK_QUOTED) && !lone) {
        partiql_refuse(parser, "Expected data manipulation",
                       "a statement begins with SELECT, INSERT, UPDATE or DELETE");
        return;
    }

    const struct partiql_node *expr = partiql_parse_expr(parser, PQ_POWER_OR);
    note_unsupported(out, expr->span, expression_name(expr->kind));
}

static void parse_statement(struct partiql_parser *parser, struct partiql_statement *out)
{
    if (partiql_accept_word(parser, PQ_WORD_SELECT)) {
        out->kind = PQ_SELECT;
        parse_select(parser, out);
    } else if (partiql_accept_word(parser, PQ_WORD_INSERT)) {
        out->kind = PQ_INSERT;
        parse_insert(parser, out);
    } else if (partiql_accept_word(parser, PQ_WORD_UPDATE)) {
        out->kind = PQ_UPDATE;
        parse_update(parser, out);
    } else if (partiql_accept_word(parser, PQ_WORD_FROM)) {
        out->kind = PQ_UPDATE;
        parse_from_update(parser, out);
    } else if (partiql_accept_word(parser, PQ_WORD_DELETE)) {
        out->kind = PQ_DELETE;
        parse_delete(parser, out);
    } else if (partiql_accept_word(parser, PQ_WORD_EXISTS)) {
        out->kind = PQ_EXISTS;
        parse_exists(parser, out);
    } else if (partiql_at_word(parser, PQ_WORD_NOT) &&
               partiql_peek(parser, 1)->word == PQ_WORD_EXISTS) {
        partiql_take(parser);
        partiql_take(parser);
        out->kind = PQ_NOT_EXISTS;
        parse_exists(parser, out);
    } else {
        parse_other(parser, out);
    }
}

enum pk_code partiql_parse(pk_slice text, struct pk_arena *arena, struct partiql_statement **out,
                           struct pk_error *err)
{
    struct partiql_parser parser = {.arena = arena, .err = err};
    struct partiql_statement *statement = PK_NEW(arena, struct partiql_statement);
    enum pk_code rc = partiql_lex(text, arena, &parser.tokens, err);

    if (rc != PK_OK)
        return rc;
    statement->text = text;
    parse_statement(&parser, statement);
    partiql_accept(&parser, PQ_TOK_SEMICOLON);
    if (!partiql_at(&parser, PQ_TOK_END))
        partiql_refuse(&parser, "Unexpected token after expression", NULL);
    if (parser.code != PK_OK)
        return parser.code;
    statement->param_count = parser.param_count;
    *out = statement;
    return PK_OK;
}
