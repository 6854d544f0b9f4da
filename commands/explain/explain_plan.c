#include "commands/explain/explain_plan.h"

#include "commands/registry.h"
#include "commands/settings.h"
#include "commands/wire.h"

/* ---- why ------------------------------------------------------------------------------------- */

static pk_slice names_of(const struct pk_key_attr *attributes, size_t count, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;
    pk_slice text;

    for (size_t i = 0; i < count; i++)
        pk_buf_printf(&out, "%s%.*s", i == 0 ? "" : ", ", PK_FMT(attributes[i].name));
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

/* True when the filter fixes the partition key, which a Scan has no use for. */
static bool filter_fixes_hash(const struct explain_plan *plan)
{
    const struct pk_key_schema *key = cmd_target_key(&plan->target);
    struct explain_terms terms;

    explain_terms_of(plan->native.filter, plan->native.arena, &terms);
    for (size_t i = 0; i < terms.count; i++) {
        if (terms.list[i]->op == PK_OP_EQ &&
            pk_slice_equal(explain_attribute(terms.list[i]), key->hash[0].name))
            return true;
    }
    return false;
}

static pk_slice scan_reason(const struct explain_plan *plan, pk_slice hash)
{
    struct pk_arena *arena = plan->native.arena;

    if (plan->native.filter == NULL)
        return pk_arena_printf(arena, "reads everything; no value for %.*s, the partition key",
                               PK_FMT(hash));
    if (filter_fixes_hash(plan))
        return pk_arena_printf(
            arena, "reads everything; a Scan does not use %.*s, the partition key", PK_FMT(hash));
    return pk_arena_printf(
        arena, "reads everything; where fixes no value for %.*s, the partition key", PK_FMT(hash));
}

/* The words of a native read; PartiQL brings its own. */
static pk_slice reason_of(const struct explain_plan *plan)
{
    struct pk_arena *arena = plan->native.arena;
    const struct pk_key_schema *key = cmd_target_key(&plan->target);
    pk_slice hash = names_of(key->hash, key->hash_count, arena);
    const char *operation = plan->native.operation;

    if (strcmp(operation, "Query") == 0 && key->range_count > 0)
        return pk_arena_printf(
            arena, "one value of %.*s, in the order of %.*s%s", PK_FMT(hash),
            PK_FMT(names_of(key->range, key->range_count, arena)),
            cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(plan->native.json, "ScanIndexForward"))
                ? ", backwards"
                : "");
    if (strcmp(operation, "Query") == 0)
        return pk_arena_printf(arena, "one value of %.*s", PK_FMT(hash));
    if (strcmp(operation, "Scan") == 0)
        return scan_reason(plan, hash);
    if (strcmp(operation, "PutItem") == 0)
        return PK_LIT("replaces an item of that key");
    return PK_LIT("the whole key is given: one item");
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool is_read(const char *operation)
{
    return strcmp(operation, "GetItem") == 0 || strcmp(operation, "Query") == 0 ||
           strcmp(operation, "Scan") == 0;
}

static enum pk_code read_native(struct explain_plan *plan, const char *operation,
                                const struct cJSON *json, struct pk_arena *arena,
                                struct pk_error *err)
{
    enum pk_expr_use use;
    enum pk_code rc = explain_request_read(&plan->native, operation, json, arena, &use, err);

    plan->check = strcmp(operation, "ConditionCheck") == 0;
    plan->read = is_read(operation);
    plan->write = !plan->read && !plan->check;
    if (rc != PK_OK && !plan->is_partiql)
        err->span = cmd_expression_source(&plan->request.expressions[use], err->span);
    return rc;
}

/* What the item in hand says about itself: PutItem has no Key. */
static pk_slice item_key(const struct explain_plan *plan)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(plan->native.json, "Item");
    const struct pk_key_schema *key = &plan->target.table->key;
    struct pk_buf out = PK_BUF_INIT;
    pk_value map = cmd_wire_read_item(plan->native.arena, item);
    pk_slice text;

    for (size_t i = 0; i < 1u + key->range_count; i++) {
        pk_slice name = i == 0 ? key->hash[0].name : key->range[0].name;
        pk_value value = pk_value_get(map, name);

        if (pk_value_kind(value) == PK_MISSING)
            continue;
        pk_buf_add_cstr(&out, out.len == 0 ? "" : " AND ");
        explain_name(&out, name);
        pk_buf_add_cstr(&out, " = ");
        cmd_value_text(&out, value);
    }
    text = pk_arena_dup(plan->native.arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

static enum pk_code open_command(struct cmd_context *context, cmd_request_builder *build,
                                 const struct cmd_statement *statement, struct explain_plan *plan,
                                 struct pk_error *err)
{
    struct pk_arena *arena = plan->native.arena;
    enum pk_code rc;

    cmd_request_init(&plan->request);
    rc = build(context, statement, &plan->request, err);
    if (rc != PK_OK)
        return rc;
    plan->target = plan->request.target;
    plan->strong = plan->request.strong;
    rc = read_native(plan, plan->request.operation, plan->request.json, arena, err);
    if (rc != PK_OK)
        return rc;
    plan->reason = reason_of(plan);
    plan->key = plan->native.has_key_terms
                    ? explain_request_text(&plan->native, PK_EXPR_KEY_CONDITION)
                    : explain_request_key(&plan->native);
    if (cJSON_HasObjectItem(plan->native.json, "Item"))
        plan->key = item_key(plan);
    plan->filter = explain_request_text(&plan->native, PK_EXPR_FILTER);
    plan->condition = explain_request_text(&plan->native, PK_EXPR_CONDITION);
    plan->projection = explain_request_text(&plan->native, PK_EXPR_PROJECTION);
    return PK_OK;
}

/* ---- PartiQL --------------------------------------------------------------------------------- */

static enum pk_code look_up(void *context, pk_slice name, const struct pk_table **table,
                            struct pk_error *err)
{
    return cmd_schema_get(context, name, table, err);
}

static enum pk_code open_partiql(struct cmd_context *context, pk_slice text,
                                 struct explain_plan *plan, struct pk_error *err)
{
    struct partiql_schema_source source = {look_up, context};
    struct partiql_explanation *statement = &plan->statement;
    struct pk_arena *arena = plan->native.arena;
    const char *operation;
    enum pk_code rc;

    plan->is_partiql = true;
    rc = partiql_explain(&source, text, arena, statement, err);
    if (rc == PK_OK)
        rc = cmd_schema_get(context, statement->table, &plan->target.table, err);
    if (rc != PK_OK)
        return rc;
    if (statement->index.data != NULL)
        plan->target.index = pk_table_index(plan->target.table, statement->index);
    operation = partiql_native_request(statement, 0, arena, &plan->json);
    rc = read_native(plan, operation, plan->json, arena, err);
    if (rc != PK_OK)
        return rc;
    plan->strong =
        context->settings->read_strong && (plan->target.index == NULL || plan->target.index->local);
    plan->requests = statement->requests;
    plan->reason = statement->backward
                       ? pk_arena_printf(arena, "%.*s; read backwards", PK_FMT(statement->reason))
                       : statement->reason;
    plan->key = statement->key;
    plan->filter = statement->filter;
    plan->condition = statement->condition;
    plan->projection = explain_request_text(&plan->native, PK_EXPR_PROJECTION);
    plan->hint = statement->hint;
    plan->hint_span = statement->hint_span;
    return PK_OK;
}

/* ---- both ------------------------------------------------------------------------------------ */

static enum pk_code no_request(const struct cmd_context *context, pk_slice text,
                               struct pk_error *err)
{
    size_t start = cmd_skip_blanks(text, 0);
    pk_slice word = cmd_word_at(text, start);
    struct pk_span span = {(uint32_t)start, (uint32_t)word.len};
    size_t args;

    if (word.len == 0)
        pk_fail(err, PK_E_USAGE, "expected a statement");
    else if (cmd_find(context, text, &args) == NULL)
        pk_fail_at(err, PK_E_USAGE, span, "no command is called '%.*s'", PK_FMT(word));
    else
        pk_fail_at(err, PK_E_USAGE, span, "'%.*s' reads and writes no items", PK_FMT(word));
    pk_error_hint(err, "explain takes get, put, edit, del, query, scan, count and PartiQL");
    return PK_E_USAGE;
}

enum pk_code explain_plan_open(struct cmd_context *context, pk_slice text, struct pk_arena *arena,
                               struct explain_plan *plan, struct pk_error *err)
{
    struct cmd_statement statement;
    cmd_request_builder *build;

    *plan = (struct explain_plan){.requests = 1, .native = {.arena = arena}};
    if (cmd_is_partiql(text))
        return open_partiql(context, text, plan, err);
    build = cmd_request_find(context, text, &statement);
    if (build == NULL)
        return no_request(context, text, err);
    return open_command(context, build, &statement, plan, err);
}

void explain_plan_release(struct explain_plan *plan)
{
    cmd_request_release(&plan->request);
    cJSON_Delete(plan->json);
    plan->json = NULL;
}
