/*
 * The engine's trees printed as the API's expressions. Names and literals become placeholders, so
 * that reserved words and types need no care.
 */
#include "commands/partiql/partiql_native.h"

#include "commands/language/rewrite.h"
#include "commands/partiql/partiql_access.h"
#include "commands/wire.h"

struct printer {
    struct cmd_rewriter rewriter;
    struct pk_arena *arena;
    struct pk_buf text;
    cJSON *request;
};

static void print_path(struct printer *printer, const struct pk_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        const struct pk_path_step *step = &path->steps[i];

        if (step->name.data == NULL) {
            pk_buf_printf(&printer->text, "[%llu]", (unsigned long long)step->index);
            continue;
        }
        if (i > 0)
            pk_buf_add_byte(&printer->text, '.');
        pk_buf_add(&printer->text, cmd_rewriter_name(&printer->rewriter, step->name));
    }
}

static void print_value(struct printer *printer, pk_view value)
{
    pk_buf_add(&printer->text,
               cmd_rewriter_value(&printer->rewriter, pk_view_decode(printer->arena, value)));
}

static void print_node(struct printer *printer, const struct pk_node *node);

/* a, b, c from argument `first` on */
static void print_list(struct printer *printer, const struct pk_node *node, size_t first)
{
    for (size_t i = first; i < node->count; i++) {
        if (i > first)
            pk_buf_add_cstr(&printer->text, ", ");
        print_node(printer, node->args[i]);
    }
}

static void print_inner(struct printer *printer, const struct pk_node *node, bool parens)
{
    if (parens)
        pk_buf_add_byte(&printer->text, '(');
    print_node(printer, node);
    if (parens)
        pk_buf_add_byte(&printer->text, ')');
}

/* a op b op c; an OR inside an AND stands in parentheses, and so does a sum inside a sum's right */
static void print_infix(struct printer *printer, const struct pk_node *node)
{
    for (size_t i = 0; i < node->count; i++) {
        enum pk_op inner = node->args[i]->op;
        bool sum = i > 0 && (inner == PK_OP_PLUS || inner == PK_OP_MINUS);

        if (i > 0)
            pk_buf_printf(&printer->text, " %s ", pk_op_name(node->op));
        print_inner(printer, node->args[i], sum || (node->op == PK_OP_AND && inner == PK_OP_OR));
    }
}

static void print_node(struct printer *printer, const struct pk_node *node)
{
    switch (node->op) {
    case PK_OP_PATH:
        print_path(printer, node->path);
        return;
    case PK_OP_VALUE:
        print_value(printer, node->value);
        return;
    case PK_OP_EQ:
    case PK_OP_NE:
    case PK_OP_LT:
    case PK_OP_LE:
    case PK_OP_GT:
    case PK_OP_GE:
    case PK_OP_AND:
    case PK_OP_OR:
    case PK_OP_PLUS:
    case PK_OP_MINUS:
        print_infix(printer, node);
        return;
    case PK_OP_BETWEEN:
        print_node(printer, node->args[0]);
        pk_buf_add_cstr(&printer->text, " BETWEEN ");
        print_node(printer, node->args[1]);
        pk_buf_add_cstr(&printer->text, " AND ");
        print_node(printer, node->args[2]);
        return;
    case PK_OP_IN:
        print_node(printer, node->args[0]);
        pk_buf_add_cstr(&printer->text, " IN (");
        print_list(printer, node, 1);
        pk_buf_add_byte(&printer->text, ')');
        return;
    case PK_OP_NOT:
        pk_buf_add_cstr(&printer->text, "NOT ");
        print_inner(printer, node->args[0], true);
        return;
    case PK_OP_TRUE:
        pk_bug("a constant has no expression text");
    case PK_OP_SIZE:
    case PK_OP_EXISTS:
    case PK_OP_NOT_EXISTS:
    case PK_OP_ATTRIBUTE_TYPE:
    case PK_OP_BEGINS_WITH:
    case PK_OP_CONTAINS:
    case PK_OP_IF_NOT_EXISTS:
    case PK_OP_LIST_APPEND:
        pk_buf_printf(&printer->text, "%s(", pk_op_name(node->op));
        print_list(printer, node, 0);
        pk_buf_add_byte(&printer->text, ')');
        return;
    }
}

/* What was printed becomes a member of the request. */
static void set_expression(struct printer *printer, const char *name)
{
    if (printer->text.len > 0)
        cmd_wire_set_text(printer->request, name, pk_buf_slice(&printer->text));
    pk_buf_clear(&printer->text);
}

static void set_condition(struct printer *printer, const char *name, const struct pk_node *node)
{
    if (node != NULL)
        print_node(printer, node);
    set_expression(printer, name);
}

/* --- reads ----------------------------------------------------------------------------------- */

static void print_term(struct printer *printer, const struct pk_key_term *term)
{
    pk_slice name = cmd_rewriter_name(&printer->rewriter, term->attribute);

    if (term->op == PK_OP_BEGINS_WITH) {
        pk_buf_printf(&printer->text, "begins_with(%.*s, ", PK_FMT(name));
        print_value(printer, term->values[0]);
        pk_buf_add_byte(&printer->text, ')');
        return;
    }
    pk_buf_printf(&printer->text, "%.*s %s ", PK_FMT(name), pk_op_name(term->op));
    print_value(printer, term->values[0]);
    if (term->op == PK_OP_BETWEEN) {
        pk_buf_add_cstr(&printer->text, " AND ");
        print_value(printer, term->values[1]);
    }
}

static void set_projection(struct printer *printer, const struct partiql_plan *plan)
{
    for (size_t i = 0; i < plan->columns.count; i++) {
        if (i > 0)
            pk_buf_add_cstr(&printer->text, ", ");
        print_path(printer, plan->columns.list[i].path);
    }
    set_expression(printer, "ProjectionExpression");
}

static void set_read(struct printer *printer, const struct partiql_plan *plan, size_t which)
{
    const struct pk_node *filter = plan->filter;

    if (plan->index != NULL)
        cmd_wire_set_text(printer->request, "IndexName", plan->index->name);
    if (plan->operation == PARTIQL_QUERY) {
        const struct partiql_group *group = &plan->groups[which];

        for (size_t i = 0; i < group->terms.count; i++) {
            if (i > 0)
                pk_buf_add_cstr(&printer->text, " AND ");
            print_term(printer, &group->terms.terms[i]);
        }
        set_expression(printer, "KeyConditionExpression");
        filter = group->filter;
    }
    set_condition(printer, "FilterExpression", filter);
    set_projection(printer, plan);
    if (plan->backward)
        cmd_wire_set_bool(printer->request, "ScanIndexForward", false);
}

static void set_get(struct printer *printer, const struct partiql_plan *plan)
{
    cmd_wire_set(printer->request, "Key", cmd_wire_item(plan->key));
    if (plan->statement->kind == PQ_EXISTS)
        set_condition(printer, "ConditionExpression", plan->filter);
    else
        set_projection(printer, plan);
}

/* --- writes ---------------------------------------------------------------------------------- */

static void set_returning(struct printer *printer, const struct partiql_plan *plan)
{
    const struct partiql_returning *returning = &plan->statement->returning;
    const char *value = returning->all ? (returning->fresh ? "ALL_NEW" : "ALL_OLD")
                                       : (returning->fresh ? "UPDATED_NEW" : "UPDATED_OLD");

    if (returning->given)
        cmd_wire_set_text(printer->request, "ReturnValues", pk_slice_cstr(value));
}

static const struct {
    enum pk_action_kind kind;
    const char *keyword;
    const char *between;
} sections[] = {
    {PK_ACTION_SET, "SET ", " = "},
    {PK_ACTION_REMOVE, "REMOVE ", NULL},
    {PK_ACTION_ADD, "ADD ", " "},
    {PK_ACTION_DELETE, "DELETE ", " "},
};

/* All actions of one kind stand together in an UpdateExpression. */
static void set_update(struct printer *printer, const struct pk_update *update)
{
    for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); s++) {
        bool open = false;

        for (size_t i = 0; i < update->count; i++) {
            const struct pk_action *action = &update->actions[i];

            if (action->kind != sections[s].kind)
                continue;
            if (!open && printer->text.len > 0)
                pk_buf_add_byte(&printer->text, ' ');
            pk_buf_add_cstr(&printer->text, open ? ", " : sections[s].keyword);
            print_path(printer, action->path);
            if (action->value != NULL) {
                pk_buf_add_cstr(&printer->text, sections[s].between);
                print_node(printer, action->value);
            }
            open = true;
        }
    }
    set_expression(printer, "UpdateExpression");
}

/* attribute_exists(PK) [AND condition], or its opposite for INSERT */
static void set_presence(struct printer *printer, const struct partiql_plan *plan, enum pk_op op)
{
    struct pk_node *presence = pk_node_new(printer->arena, op, 1);
    pk_slice hash = plan->table->key.hash[0].name;

    presence->args[0] = pk_node_path(printer->arena, pk_path_name(printer->arena, hash));
    set_condition(printer, "ConditionExpression",
                  pk_node_and(printer->arena, presence, plan->condition));
}

static void set_write(struct printer *printer, const struct partiql_plan *plan)
{
    bool inserts = plan->operation == PARTIQL_INSERT;

    cmd_wire_set(printer->request, inserts ? "Item" : "Key",
                 cmd_wire_item(inserts ? plan->item : plan->key));
    if (plan->operation == PARTIQL_UPDATE)
        set_update(printer, &plan->update);
    if (inserts)
        set_presence(printer, plan, PK_OP_NOT_EXISTS);
    else if (plan->operation == PARTIQL_UPDATE || plan->condition != NULL)
        set_presence(printer, plan, PK_OP_EXISTS);
    set_returning(printer, plan);
}

/* --- the whole ------------------------------------------------------------------------------- */

const char *partiql_native_operation(const struct partiql_plan *plan)
{
    switch (plan->operation) {
    case PARTIQL_GET:
        return plan->statement->kind == PQ_EXISTS ? "ConditionCheck" : "GetItem";
    case PARTIQL_QUERY:
        return "Query";
    case PARTIQL_SCAN:
        return "Scan";
    case PARTIQL_INSERT:
        return "PutItem";
    case PARTIQL_UPDATE:
        return "UpdateItem";
    case PARTIQL_DELETE:
        return "DeleteItem";
    }
    pk_bug("unknown operation %d", (int)plan->operation);
}

const char *partiql_native(const struct partiql_plan *plan, size_t which, struct pk_arena *arena,
                           struct cJSON **request)
{
    struct printer printer = {.arena = arena, .request = cJSON_CreateObject()};

    cmd_rewriter_init(&printer.rewriter, plan->statement->text, arena);
    cmd_wire_set_text(printer.request, "TableName", plan->table->name);
    switch (plan->operation) {
    case PARTIQL_GET:
        set_get(&printer, plan);
        break;
    case PARTIQL_QUERY:
    case PARTIQL_SCAN:
        set_read(&printer, plan, which);
        break;
    case PARTIQL_INSERT:
    case PARTIQL_UPDATE:
    case PARTIQL_DELETE:
        set_write(&printer, plan);
        break;
    }
    cmd_rewriter_attach(&printer.rewriter, printer.request);
    pk_buf_release(&printer.text);
    *request = printer.request;
    return partiql_native_operation(plan);
}

static bool mentions_key(const struct pk_node *node, const struct pk_key_schema *key)
{
    if (node == NULL)
        return false;
    if (node->op == PK_OP_PATH)
        return pk_key_schema_has(key, node->path->steps[0].name);
    for (size_t i = 0; i < node->count; i++) {
        if (mentions_key(node->args[i], key))
            return true;
    }
    return false;
}

const char *partiql_native_note(const struct partiql_plan *plan)
{
    if (plan->operation == PARTIQL_GET && plan->filter != NULL &&
        plan->statement->kind != PQ_EXISTS)
        return "GetItem has no filter: the rest of WHERE is tested after the read";
    for (size_t i = 0; i < plan->group_count && plan->operation == PARTIQL_QUERY; i++) {
        if (mentions_key(plan->groups[i].filter, partiql_key_schema(plan)))
            return "Query refuses key attributes in its FilterExpression; PartiQL allows them";
    }
    for (size_t i = 0; i < plan->columns.count; i++) {
        if (plan->columns.list[i].path->count > 1)
            return "a ProjectionExpression leaves a nested value where it is; PartiQL makes it a "
                   "column";
    }
    return NULL;
}
