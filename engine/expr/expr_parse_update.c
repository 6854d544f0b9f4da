/* The grammars of updates (expressions.md §8) and of projections (§7): lists of paths, in updates
 * with something to do at each. */
#include "engine/expr/expr_check.h"
#include "engine/expr/expr_parse.h"

/* ---- projections -------------------------------------------------------------------------- */

enum pk_code pk_expr_parse_projection(const struct pk_expr_source *source,
                                      struct pk_projection *out, struct pk_error *err)
{
    struct pk_projection projection = {NULL, 0};
    struct pk_parser parser;
    enum pk_code rc = pk__parse_begin(&parser, source, err);
    size_t cap = 0;

    if (rc != PK_OK)
        return rc;
    do {
        projection.paths = pk__grow(source->arena, projection.paths, projection.count, &cap,
                                    sizeof(projection.paths[0]));
        projection.paths[projection.count++] = pk__parse_path(&parser);
    } while (pk__parse_accept(&parser, PK_TOKEN_COMMA));
    if (parser.token.kind != PK_TOKEN_END)
        pk__parse_syntax(&parser);
    rc = pk__parse_report(&parser, PK_FAULT_LIMIT, err);
    if (rc == PK_OK)
        rc = pk__parse_prefix(&parser, pk_expr_check_projection(&projection, source->arena, err),
                              err);
    if (rc == PK_OK)
        *out = projection;
    pk__parse_release(&parser);
    return rc;
}

/* ---- right-hand sides --------------------------------------------------------------------- */

/* A value, and how much of the grammar it has used up. */
struct side {
    struct pk_node *node;
    bool computed; /* has its + or -: nothing may follow */
    bool enclosed;
};

/* operand | operand ( "+" | "-" ) operand, the left one given */
static void parse_sum(struct pk_parser *parser, struct side *side)
{
    enum pk_op op = parser->token.kind == PK_TOKEN_PLUS ? PK_OP_PLUS : PK_OP_MINUS;
    struct pk_span start = side->node->span;
    struct pk_node *sum;

    if (side->computed ||
        (parser->token.kind != PK_TOKEN_PLUS && parser->token.kind != PK_TOKEN_MINUS))
        return;
    pk__parse_count(parser, parser->token.span);
    pk__parse_next(parser);
    sum = pk_node_new(parser->source->arena, op, 2);
    sum->args[0] = side->node;
    sum->args[1] = pk__parse_operand(parser, NULL);
    sum->span = pk__span_join(start, parser->previous.span);
    pk__parse_nested(parser, sum->args[0]);
    pk__parse_nested(parser, sum->args[1]);
    *side = (struct side){sum, true, false};
}

/* value, or "(" value ")" */
static struct side parse_side(struct pk_parser *parser)
{
    struct pk_span open = parser->token.span;
    struct side side = {NULL, false, false};

    if (pk__parse_accept(parser, PK_TOKEN_OPEN)) {
        if (!pk__parse_enter(parser)) {
            side.node = pk__parse_nothing(parser);
            return side;
        }
        side = parse_side(parser);
        parser->depth--;
        pk__parse_expect(parser, PK_TOKEN_CLOSE);
        if (side.enclosed)
            pk__parse_redundant(parser, open);
        side.enclosed = true;
    } else {
        side.node = pk__parse_operand(parser, NULL);
    }
    parse_sum(parser, &side);
    return side;
}

/* ---- sections ----------------------------------------------------------------------------- */

static const struct section {
    const char *keyword;
    enum pk_action_kind kind;
} sections[] = {
    {"SET", PK_ACTION_SET},
    {"REMOVE", PK_ACTION_REMOVE},
    {"ADD", PK_ACTION_ADD},
    {"DELETE", PK_ACTION_DELETE},
};
enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

static const struct section *current_section(const struct pk_parser *parser)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        if (pk__parse_keyword(parser, sections[i].keyword))
            return &sections[i];
    }
    return NULL;
}

static struct pk_action parse_action(struct pk_parser *parser, enum pk_action_kind kind)
{
    struct pk_action action = {kind, pk__parse_path(parser), NULL};

    switch (kind) {
    case PK_ACTION_SET:
        pk__parse_expect(parser, PK_TOKEN_EQ);
        action.value = parse_side(parser).node;
        break;
    case PK_ACTION_REMOVE:
        break;
    case PK_ACTION_ADD:
    case PK_ACTION_DELETE:
        action.value = pk__parse_value_ref(parser);
        break;
    }
    return action;
}

/* section = keyword action { "," action } */
static void parse_section(struct pk_parser *parser, bool seen[SECTIONS], struct pk_update *update,
                          size_t *cap)
{
    const struct section *section = current_section(parser);

    if (section == NULL) {
        pk__parse_syntax(parser);
        return;
    }
    if (seen[section - sections])
        pk__parse_fault(parser, PK_FAULT_SECTION, parser->token.span,
                        "The \"%s\" section can only be used once in an update expression;",
                        section->keyword);
    seen[section - sections] = true;
    pk__parse_next(parser);
    do {
        update->actions = pk__grow(parser->source->arena, update->actions, update->count, cap,
                                   sizeof(update->actions[0]));
        update->actions[update->count++] = parse_action(parser, section->kind);
    } while (pk__parse_accept(parser, PK_TOKEN_COMMA));
}

enum pk_code pk_expr_parse_update(const struct pk_expr_source *source, struct pk_update *out,
                                  struct pk_error *err)
{
    struct pk_update update = {NULL, 0, false};
    bool seen[SECTIONS] = {false};
    struct pk_parser parser;
    enum pk_code rc = pk__parse_begin(&parser, source, err);
    size_t cap = 0;

    if (rc != PK_OK)
        return rc;
    do {
        parse_section(&parser, seen, &update, &cap);
    } while (parser.token.kind != PK_TOKEN_END);
    rc = pk__parse_report(&parser, PK_FAULT_VALUE, err);
    if (rc == PK_OK)
        rc = pk__parse_prefix(&parser, pk_expr_check_update(&update, source->arena, err), err);
    if (rc == PK_OK)
        rc = pk__parse_report(&parser, PK_FAULT_LIMIT, err);
    if (rc == PK_OK)
        *out = update;
    pk__parse_release(&parser);
    return rc;
}
