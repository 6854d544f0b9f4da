#include "commands/request.h"

#include "commands/literal.h"
#include "commands/names.h"
#include "commands/settings.h"
#include "commands/wire.h"

void cmd_request_init(struct cmd_request *request)
{
    *request = (struct cmd_request){.json = cJSON_CreateObject()};
}

void cmd_request_release(struct cmd_request *request)
{
    cJSON_Delete(request->json);
    pk_arena_release(&request->arena);
    *request = (struct cmd_request){.operation = NULL};
}

cmd_request_builder *cmd_request_find(const struct cmd_context *context, pk_slice text,
                                      struct cmd_statement *statement)
{
    static const struct {
        const char *name;
        cmd_request_builder *build;
    } builders[] = {
        {"get", cmd_get_request},     {"put", cmd_put_request},     {"edit", cmd_edit_request},
        {"del", cmd_del_request},     {"query", cmd_query_request}, {"scan", cmd_scan_request},
        {"count", cmd_count_request}, {"check", cmd_check_request},
    };
    size_t args = 0;
    const struct cmd_entry *entry = cmd_find(context, text, &args);

    *statement = (struct cmd_statement){text, args};
    for (size_t i = 0; entry != NULL && i < sizeof(builders) / sizeof(*builders); i++) {
        if (strcmp(entry->name, builders[i].name) == 0)
            return builders[i].build;
    }
    return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

static struct pk_span clause_body(const struct cmd_args *args, enum cmd_clause_kind kind)
{
    const struct cmd_clause *clause = cmd_args_get(args, kind);

    return clause == NULL ? (struct pk_span){0, 0} : clause->body;
}

/* The fault is the name's, wherever it was found: errors without a place point at it. */
static enum pk_code blame(struct pk_span span, enum pk_code rc, struct pk_error *err)
{
    if (rc != PK_OK && err->span.len == 0)
        err->span = span;
    return rc;
}

static enum pk_code find_table(struct cmd_context *context, const struct cmd_args *args,
                               struct cmd_request *request, struct pk_error *err)
{
    enum cmd_clause_kind word =
        cmd_args_get(args, CMD_CLAUSE_INTO) != NULL ? CMD_CLAUSE_INTO : CMD_CLAUSE_FROM;
    struct pk_span table_span = clause_body(args, word);
    pk_slice table, index;
    enum pk_code rc = cmd_args_name(args, word, &request->arena, &table, err);

    if (rc == PK_OK)
        rc = cmd_args_name(args, CMD_CLAUSE_ON, &request->arena, &index, err);
    if (rc != PK_OK)
        return rc;
    if (index.data != NULL) {
        rc = cmd_find_index(context, table, index, &request->target, err);
        return blame(clause_body(args, CMD_CLAUSE_ON), rc, err);
    }
    if (table.data == NULL)
        rc = cmd_need_table(context, &table, err);
    if (rc == PK_OK)
        rc = cmd_schema_get(context, table, &request->target.table, err);
    if (rc == PK_E_NOT_FOUND)
        cmd_hint_tables(context, table, err);
    return blame(table_span, rc, err);
}

enum pk_code cmd_request_open(struct cmd_context *context, const struct cmd_statement *statement,
                              const struct cmd_args_spec *spec, struct cmd_args *args,
                              struct cmd_request *request, struct pk_error *err)
{
    enum pk_code rc = cmd_args_parse(statement, spec, args, err);

    request->verb = spec->command;
    request->text = statement->text;
    cmd_rewriter_init(&request->rewriter, statement->text, &request->arena);
    if (rc == PK_OK)
        rc = find_table(context, args, request, err);
    if (rc != PK_OK)
        return rc;
    cmd_wire_set_text(request->json, "TableName", request->target.table->name);
    if (request->target.index != NULL)
        cmd_wire_set_text(request->json, "IndexName", request->target.index->name);
    return PK_OK;
}

/* ---- clauses --------------------------------------------------------------------------------- */

enum pk_code cmd_request_condition(const struct cmd_args *args, enum cmd_clause_kind clause,
                                   enum pk_expr_use use, struct cmd_request *request,
                                   struct pk_error *err)
{
    struct cmd_expression *expression = &request->expressions[use];
    struct pk_span body;
    enum pk_code rc = cmd_args_body(args, clause, &body, err);

    if (rc != PK_OK || body.len == 0)
        return rc;
    request->condition = body;
    rc = cmd_rewrite_condition(&request->rewriter, body, expression, err);
    if (rc == PK_OK)
        cmd_wire_set_text(request->json, pk_expr_use_name(use), expression->text);
    return rc;
}

enum pk_code cmd_request_paths(const struct cmd_args *args, struct cmd_request *request,
                               struct pk_error *err)
{
    struct cmd_expression *expression = &request->expressions[PK_EXPR_PROJECTION];
    struct pk_span body;
    enum pk_code rc = cmd_args_body(args, CMD_CLAUSE_SELECT, &body, err);

    if (rc != PK_OK || body.len == 0 ||
        pk_slice_is(pk_slice_of(args->text.data + body.start, body.len), "*"))
        return rc;
    request->paths = body;
    rc = cmd_rewrite_paths(&request->rewriter, body, expression, err);
    if (rc == PK_OK)
        cmd_wire_set_text(request->json, pk_expr_use_name(PK_EXPR_PROJECTION), expression->text);
    return rc;
}

enum pk_code cmd_request_strong(struct cmd_context *context, const struct cmd_args *args,
                                struct cmd_request *request, struct pk_error *err)
{
    bool global = request->target.index != NULL && !request->target.index->local;
    bool given;
    enum pk_code rc = cmd_args_flag(args, CMD_CLAUSE_STRONG, &given, err);

    if (rc != PK_OK)
        return rc;
    if (given)
        request->strong_span = cmd_args_get(args, CMD_CLAUSE_STRONG)->word;
    /* the setting is a preference: a GSI cannot be read so, and says so only when asked to */
    request->strong = given || (context->settings->read_strong && !global);
    if (request->strong)
        cmd_wire_set_bool(request->json, "ConsistentRead", true);
    return PK_OK;
}

enum pk_code cmd_request_returns(const struct cmd_args *args, bool updated,
                                 struct cmd_request *request, struct pk_error *err)
{
    static const struct {
        const char *words[2];
        const char *value;
    } forms[] = {
        {{"old", NULL}, "ALL_OLD"},
        {{"new", NULL}, "ALL_NEW"},
        {{"updated", "old"}, "UPDATED_OLD"},
        {{"updated", "new"}, "UPDATED_NEW"},
    };
    struct pk_span body;
    enum pk_code rc = cmd_args_body(args, CMD_CLAUSE_RETURN, &body, err);
    pk_slice text, first, second;

    if (rc != PK_OK || body.len == 0)
        return rc;
    text = pk_slice_of(args->text.data + body.start, body.len);
    first = cmd_word_at(text, 0);
    second = cmd_word_at(text, cmd_skip_blanks(text, first.len));
    for (size_t i = 0; i < (updated ? 4 : 1); i++) {
        const char *other = forms[i].words[1] == NULL ? "" : forms[i].words[1];

        if (cmd_word_is(first, forms[i].words[0]) && cmd_word_is(second, other)) {
            cmd_wire_set_text(request->json, "ReturnValues", pk_slice_cstr(forms[i].value));
            request->returns = true;
            return PK_OK;
        }
    }
    return pk_fail_at(err, PK_E_USAGE, body, "expected %s after 'return'",
                      updated ? "old, new, updated old or updated new" : "old");
}

/* pages N | all */
static enum pk_code read_pages(const struct cmd_args *args, struct cmd_request *request,
                               struct pk_error *err)
{
    struct pk_span body = clause_body(args, CMD_CLAUSE_PAGES);

    request->pages_span = body;
    if (cmd_word_is(pk_slice_of(args->text.data + body.start, body.len), "all")) {
        request->pages = CMD_PAGES_ALL;
        return PK_OK;
    }
    return cmd_args_number(args, CMD_CLAUSE_PAGES, &request->pages, err);
}

static enum pk_code read_direction(const struct cmd_args *args, struct cmd_request *request,
                                   struct pk_error *err)
{
    bool up, down;
    enum pk_code rc = cmd_args_flag(args, CMD_CLAUSE_ASC, &up, err);

    if (rc == PK_OK)
        rc = cmd_args_flag(args, CMD_CLAUSE_DESC, &down, err);
    if (rc != PK_OK)
        return rc;
    if (up && down)
        return pk_fail_at(err, PK_E_USAGE, cmd_args_get(args, CMD_CLAUSE_DESC)->word,
                          "asc and desc exclude each other");
    if (down)
        cmd_wire_set_bool(request->json, "ScanIndexForward", false);
    return PK_OK;
}

/* after KEY: the table's whole key, on an index the whole map of LastEvaluatedKey. */
static enum pk_code read_after(const struct cmd_args *args, struct cmd_request *request,
                               struct pk_error *err)
{
    struct cmd_literal literal = {.source = args->text,
                                  .mode = CMD_LITERAL_COMMAND,
                                  .arena = &request->arena,
                                  .table = request->target.table};
    struct cmd_args part = *args;
    struct pk_span body;
    pk_value key;
    size_t pos;
    enum pk_code rc = cmd_args_body(args, CMD_CLAUSE_AFTER, &body, err);

    if (rc != PK_OK || body.len == 0)
        return rc;
    request->after = body;
    pos = body.start;
    if (request->target.index != NULL) {
        if (args->text.data[body.start] != '{')
            return pk_fail_at(err, PK_E_USAGE, body,
                              "on an index, 'after' takes the whole map of LastEvaluatedKey");
        rc = cmd_literal_parse(&literal, &pos, &key, err);
    } else {
        part.head = body;
        rc = cmd_read_key(request, &part, &pos, &key, err);
    }
    if (rc == PK_OK && cmd_skip_blanks(args->text, pos) < (size_t)body.start + body.len)
        return pk_fail_at(err, PK_E_USAGE, body, "'after' takes one key");
    if (rc == PK_OK)
        cmd_wire_set(request->json, "ExclusiveStartKey", cmd_wire_item(key));
    return rc;
}

enum pk_code cmd_request_read_clauses(struct cmd_context *context, const struct cmd_args *args,
                                      struct cmd_request *request, struct pk_error *err)
{
    int64_t limit = 0;
    enum pk_code rc = cmd_request_condition(args, CMD_CLAUSE_WHERE, PK_EXPR_FILTER, request, err);

    request->read = true;
    if (rc == PK_OK)
        rc = cmd_request_paths(args, request, err);
    if (rc == PK_OK)
        rc = cmd_args_number(args, CMD_CLAUSE_LIMIT, &limit, err);
    if (rc == PK_OK)
        rc = read_pages(args, request, err);
    if (rc == PK_OK)
        rc = read_direction(args, request, err);
    if (rc == PK_OK)
        rc = cmd_request_strong(context, args, request, err);
    if (rc == PK_OK)
        rc = read_after(args, request, err);
    request->limited = limit > 0;
    if (limit > 0)
        cmd_wire_set_int(request->json, "Limit", limit);
    return rc;
}

void cmd_request_close(struct cmd_request *request)
{
    cmd_rewriter_attach(&request->rewriter, request->json);
    cmd_wire_set_text(request->json, "ReturnConsumedCapacity", PK_LIT("INDEXES"));
}

void cmd_request_close_write(struct cmd_request *request)
{
    cmd_request_close(request);
    if (request->condition.len > 0)
        cmd_wire_set_text(request->json, "ReturnValuesOnConditionCheckFailure", PK_LIT("ALL_OLD"));
}
