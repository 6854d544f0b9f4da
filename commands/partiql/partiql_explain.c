/* A plan in words. Conditions are quoted as they were written, keys with their values. */
#include "commands/partiql.h"

#include "commands/partiql/partiql_access.h"
#include "commands/partiql/partiql_lex.h"
#include "commands/partiql/partiql_native.h"
#include "commands/partiql/partiql_parse.h"
#include "commands/result.h"

static void add_name(struct pk_buf *out, pk_slice name)
{
    bool plain = name.len > 0 && partiql_word_find(name) == PQ_NO_WORD &&
                 !(name.data[0] >= '0' && name.data[0] <= '9');

    for (size_t i = 0; i < name.len && plain; i++) {
        char c = name.data[i];

        plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '_' || c == '$';
    }
    if (!plain)
        pk_buf_add_byte(out, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '"')
            pk_buf_add_byte(out, '"');
        pk_buf_add_byte(out, (unsigned char)name.data[i]);
    }
    if (!plain)
        pk_buf_add_byte(out, '"');
}

static void add_value(struct pk_buf *out, pk_view value, struct pk_arena *arena)
{
    cmd_value_text(out, pk_view_decode(arena, value));
}

static void add_term(struct pk_buf *out, const struct pk_key_term *term, struct pk_arena *arena)
{
    if (term->op == PK_OP_BEGINS_WITH) {
        pk_buf_add_cstr(out, "begins_with(");
        add_name(out, term->attribute);
        pk_buf_add_cstr(out, ", ");
        add_value(out, term->values[0], arena);
        pk_buf_add_byte(out, ')');
        return;
    }
    add_name(out, term->attribute);
    pk_buf_printf(out, " %s ", pk_op_name(term->op));
    add_value(out, term->values[0], arena);
    if (term->op == PK_OP_BETWEEN) {
        pk_buf_add_cstr(out, " AND ");
        add_value(out, term->values[1], arena);
    }
}

/* "PK = 'a' AND SK = 'b'" */
static void add_key(struct pk_buf *out, const struct pk_key_schema *key, pk_value map)
{
    for (size_t i = 0; i < 1u + key->range_count; i++) {
        pk_slice name = i == 0 ? key->hash[0].name : key->range[0].name;

        if (i > 0)
            pk_buf_add_cstr(out, " AND ");
        add_name(out, name);
        pk_buf_add_cstr(out, " = ");
        cmd_value_text(out, pk_value_get(map, name));
    }
}

static pk_slice keep(struct pk_buf *text, struct pk_arena *arena)
{
    pk_slice kept = text->len == 0 ? PK_LIT("") : pk_arena_dup(arena, pk_buf_slice(text));

    pk_buf_release(text);
    return kept;
}

static pk_slice key_text(const struct partiql_plan *plan, struct pk_arena *arena)
{
    struct pk_buf text = PK_BUF_INIT;
    const struct pk_key_terms *terms;

    switch (plan->operation) {
    case PARTIQL_QUERY:
        terms = &plan->groups[0].terms;
        for (size_t i = 0; i < terms->count; i++) {
            if (i > 0)
                pk_buf_add_cstr(&text, " AND ");
            add_term(&text, &terms->terms[i], arena);
        }
        break;
    case PARTIQL_GET:
    case PARTIQL_UPDATE:
    case PARTIQL_DELETE:
        add_key(&text, &plan->table->key, plan->key);
        break;
    case PARTIQL_INSERT:
        add_key(&text, &plan->table->key, plan->item);
        break;
    case PARTIQL_SCAN:
        break;
    }
    return keep(&text, arena);
}

/* The condition as it stands in the statement; what the planner joined is joined by its operator.
 */
static void add_source(struct pk_buf *out, pk_slice statement, const struct pk_node *node)
{
    if (node == NULL)
        return;
    if (node->span.len > 0 || (node->op != PK_OP_AND && node->op != PK_OP_OR)) {
        pk_buf_add(out, partiql_text_at(statement, node->span));
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        bool parens = node->op == PK_OP_OR && node->args[i]->op == PK_OP_AND;

        if (i > 0)
            pk_buf_printf(out, " %s ", pk_op_name(node->op));
        if (parens)
            pk_buf_add_byte(out, '(');
        add_source(out, statement, node->args[i]);
        if (parens)
            pk_buf_add_byte(out, ')');
    }
}

static pk_slice source_text(const struct partiql_plan *plan, const struct pk_node *node,
                            struct pk_arena *arena)
{
    struct pk_buf text = PK_BUF_INIT;

    add_source(&text, plan->statement->text, node);
    return keep(&text, arena);
}

static void explain_hint(struct partiql_explanation *out, struct pk_arena *arena)
{
    const struct partiql_plan *plan = out->plan;
    const struct partiql_node *suspect = partiql_quoted_suspect(plan->statement, plan->table);

    if (suspect == NULL)
        return;
    out->hint_span = suspect->span;
    out->hint_name = suspect->steps[0].name;
    out->hint =
        pk_arena_printf(arena, "in PartiQL \"…\" names an attribute; a string is written '%.*s'",
                        PK_FMT(out->hint_name))
            .data;
}

static void describe(const struct partiql_plan *plan, struct pk_arena *arena,
                     struct partiql_explanation *out)
{
    bool reads = plan->operation == PARTIQL_QUERY || plan->operation == PARTIQL_SCAN;
    const struct pk_node *filter =
        plan->operation == PARTIQL_QUERY ? plan->groups[0].filter : plan->filter;
    bool exists = plan->statement->kind == PQ_EXISTS || plan->statement->kind == PQ_NOT_EXISTS;

    *out = (struct partiql_explanation){.operation = partiql_native_operation(plan),
                                        .table = plan->table->name,
                                        .reason = plan->reason,
                                        .key = key_text(plan, arena),
                                        .plan = plan,
                                        .requests = 1};
    if (plan->index != NULL)
        out->index = plan->index->name;
    if (plan->operation == PARTIQL_QUERY)
        out->requests = plan->group_count;
    out->fixes_hash = plan->operation != PARTIQL_SCAN;
    out->ordered = plan->operation == PARTIQL_QUERY && partiql_key_schema(plan)->range_count > 0;
    out->backward = plan->backward;
    out->writes = !reads && plan->operation != PARTIQL_GET;
    out->filter = source_text(plan, exists ? NULL : filter, arena);
    out->condition = source_text(plan, exists ? filter : plan->condition, arena);
    out->native_note = partiql_native_note(plan);
    explain_hint(out, arena);
}

enum pk_code partiql_explain(const struct partiql_schema_source *schema, pk_slice statement,
                             struct pk_arena *arena, struct partiql_explanation *out,
                             struct pk_error *err)
{
    struct partiql_binding binding = {.schema = schema, .arena = arena};
    struct partiql_statement *parsed = NULL;
    struct partiql_plan *plan = PK_NEW(arena, struct partiql_plan);
    enum pk_code rc = partiql_parse(statement, arena, &parsed, err);

    if (rc == PK_OK)
        rc = partiql_plan(parsed, &binding, plan, err);
    if (rc == PK_OK)
        describe(plan, arena, out);
    return rc;
}

const char *partiql_native_request(const struct partiql_explanation *explanation, size_t which,
                                   struct pk_arena *arena, struct cJSON **request)
{
    return partiql_native(explanation->plan, which, arena, request);
}
