/*
 * A statement is planned here first, from the schema alone, for what the answer does not say: which
 * operation it stood for (the footer), which table's keys come first, and what was probably meant
 * when nothing is found. Whether it is right is the API's to say; a plan that fails is ignored.
 */
#include "commands/cmd_partiql.h"

#include "commands/language/lex.h"
#include "commands/names.h"
#include "commands/page.h"
#include "commands/settings.h"
#include "commands/txn.h"
#include "commands/wire.h"

static enum pk_code lookup_table(void *context, pk_slice name, const struct pk_table **table,
                                 struct pk_error *err)
{
    return cmd_schema_get(context, name, table, err);
}

struct partiql_schema_source cmd_partiql_schema(struct cmd_context *context)
{
    return (struct partiql_schema_source){lookup_table, context};
}

/* One statement on its way. */
struct statement {
    pk_slice text;
    bool planned;
    struct partiql_explanation plan;
    struct cmd_target target; /* table NULL when not known */
    struct cmd_usage usage;
};

static void plan(struct cmd_context *context, struct statement *s, struct pk_arena *arena)
{
    struct partiql_schema_source source = cmd_partiql_schema(context);
    struct pk_error ignored = PK_ERROR_INIT;

    s->planned = partiql_explain(&source, s->text, arena, &s->plan, &ignored) == PK_OK;
    pk_error_release(&ignored);
    if (!s->planned ||
        cmd_schema_get(context, s->plan.table, &s->target.table, &ignored) != PK_OK) {
        pk_error_release(&ignored);
        return;
    }
    if (s->plan.index.data != NULL)
        s->target.index = pk_table_index(s->target.table, s->plan.index);
}

static bool reads(pk_slice text)
{
    return cmd_word_is(cmd_word_at(text, cmd_skip_blanks(text, 0)), "select");
}

static cJSON *request_of(struct cmd_context *context, const struct statement *s)
{
    cJSON *request = cJSON_CreateObject();
    bool global = s->target.index != NULL && !s->target.index->local;

    cmd_wire_set_text(request, "Statement", s->text);
    if (context->settings->read_strong && reads(s->text) && !global)
        cmd_wire_set_bool(request, "ConsistentRead", true);
    cmd_wire_set_text(request, "ReturnConsumedCapacity", PK_LIT("INDEXES"));
    if (!reads(s->text))
        cmd_wire_set_text(request, "ReturnValuesOnConditionCheckFailure", PK_LIT("ALL_OLD"));
    return request;
}

/* ---- failures -------------------------------------------------------------------------------- */

static bool has_typographic_quotes(pk_slice text)
{
    return memmem(text.data, text.len, "\xE2\x80\x98", 3) != NULL ||
           memmem(text.data, text.len, "\xE2\x80\x99", 3) != NULL ||
           memmem(text.data, text.len, "\xE2\x80\x9C", 3) != NULL ||
           memmem(text.data, text.len, "\xE2\x80\x9D", 3) != NULL;
}

/* `delete KEY`, `update KEY set …`, `insert KEY {…}`: the command that takes a key. */
static void hint_command(pk_slice text, struct pk_error *err)
{
    static const struct {
        const char *word;
        const char *next; /* which SQL's statement has behind it */
        const char *command;
    } words[] = {
        {"delete", "from", "del"},
        {"insert", "into", "put"},
        {"update", NULL, "edit"}, /* there a table's name, then set or remove */
    };
    size_t start = cmd_skip_blanks(text, 0);
    pk_slice first = cmd_word_at(text, start);
    pk_slice rest = pk_slice_skip(text, cmd_skip_blanks(text, start + first.len));
    pk_slice second = cmd_word_at(rest, 0);
    pk_slice third = cmd_word_at(rest, cmd_skip_blanks(rest, second.len));

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        bool sql = words[i].next == NULL
                       ? second.len == 0 || cmd_word_is(third, "set") ||
                             cmd_word_is(third, "remove") || cmd_word_is(third, "where")
                       : cmd_word_is(second, words[i].next);

        if (cmd_word_is(first, words[i].word) && rest.len > 0 && !sql) {
            pk_error_hint(err, "an item is named by its key in: %s %.*s", words[i].command,
                          PK_FMT(rest));
            return;
        }
    }
}

/* The table's name in the statement: behind FROM, INTO or UPDATE. */
static struct pk_span table_span(pk_slice text)
{
    bool next = false;

    for (size_t pos = cmd_skip_blanks(text, 0); pos < text.len; pos = cmd_skip_blanks(text, pos)) {
        pk_slice word = cmd_word_at(text, pos);
        size_t len = word.len == 0 ? 1 : word.len;

        if (word.len == 0 && text.data[pos] == '"') {
            const char *end = memchr(text.data + pos + 1, '"', text.len - pos - 1);

            len = end == NULL ? 1 : (size_t)(end + 1 - (text.data + pos));
        }
        if (next)
            return (struct pk_span){(uint32_t)pos, (uint32_t)len};
        next =
            cmd_word_is(word, "from") || cmd_word_is(word, "into") || cmd_word_is(word, "update");
        pos += len;
    }
    return (struct pk_span){0, 0};
}

static void hint_table(struct cmd_context *context, pk_slice text, struct pk_error *err)
{
    struct pk_span span = table_span(text);
    pk_slice name = pk_slice_of(text.data + span.start, span.len);
    const char *dot;

    if (name.len > 2 && name.data[0] == '"')
        name = pk_slice_of(name.data + 1, name.len - 2);
    dot = name.len == 0 ? NULL : memchr(name.data, '.', name.len);
    if (dot != NULL)
        name.len = (size_t)(dot - name.data);
    err->span = span;
    cmd_hint_tables(context, name, err);
}

static void add_hints(struct cmd_context *context, pk_slice text, struct pk_error *err)
{
    if (err->code == PK_E_NOT_FOUND && err->hint == NULL)
        hint_table(context, text, err);
    if (err->code != PK_E_VALIDATION)
        return;
    if (has_typographic_quotes(text) && err->hint == NULL)
        pk_error_hint(err, "typographic quotes are not quotes in PartiQL: '…' is a string");
    else if (err->hint == NULL || strstr(err->message, "well formed") != NULL)
        hint_command(text, err);
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* "Query", or "3 Queries" for several partition keys. */
static const char *label_of(const struct statement *s, struct pk_arena *arena)
{
    if (!s->planned)
        return "ExecuteStatement";
    if (s->plan.requests < 2)
        return s->plan.operation;
    return pk_arena_printf(arena, "%zu %s", s->plan.requests,
                           strcmp(s->plan.operation, "Query") == 0 ? "Queries" : s->plan.operation)
        .data;
}

/* What a condition of the plan mentions, read by the grammar of commands: literally enough for
 * advice, nothing where PartiQL has forms of its own (IS MISSING). */
static void read_mentions(pk_slice condition, struct pk_arena *arena, struct cmd_expression *out)
{
    struct cmd_rewriter rewriter;
    struct pk_error ignored = PK_ERROR_INIT;

    *out = (struct cmd_expression){.mention_count = 0};
    cmd_rewriter_init(&rewriter, condition, arena);
    if (cmd_rewrite_condition(&rewriter, (struct pk_span){0, (uint32_t)condition.len}, out,
                              &ignored) != PK_OK)
        *out = (struct cmd_expression){.mention_count = 0};
    pk_error_release(&ignored);
}

/* Where a piece of the plan stands in the statement; len 0 when it is not there as it is. */
static struct pk_span place_of(const struct statement *s, pk_slice piece)
{
    const char *at =
        piece.len == 0 ? NULL : memmem(s->text.data, s->text.len, piece.data, piece.len);

    if (at == NULL)
        return (struct pk_span){0, 0};
    return (struct pk_span){(uint32_t)(at - s->text.data), (uint32_t)piece.len};
}

/* A name or a type in the filter that no item has. */
static void find_unknown(struct cmd_context *context, const struct statement *s,
                         struct pk_arena *arena, struct cmd_unknown *unknown)
{
    struct pk_span filter = place_of(s, s->planned ? s->plan.filter : (pk_slice){NULL, 0});
    struct cmd_request request = {.target = s->target};

    if (filter.len == 0 || s->target.table == NULL)
        return;
    read_mentions(s->plan.filter, arena, &request.expressions[PK_EXPR_FILTER]);
    request.expressions[PK_EXPR_FILTER].text = (pk_slice){NULL, 0};
    cmd_find_unknown(context, &request, arena, unknown);
    if (unknown->span.len > 0)
        unknown->span.start += filter.start;
}

static const char *scan_advice(const struct statement *s, struct cmd_result *result)
{
    struct cmd_expression filter;
    const pk_slice *names;
    size_t count;

    read_mentions(s->plan.filter, &result->arena, &filter);
    names = cmd_whole_names(&filter, &result->arena, &count);
    return cmd_scan_advice_for(&s->target, names, count, result);
}

/* Nothing was found, and the plan saw something odd: "x" used like a string. */
static bool has_hint(struct cmd_context *context, const struct statement *s,
                     struct cmd_result *result)
{
    pk_slice nearest;

    if (!s->planned || s->plan.hint == NULL || s->target.table == NULL)
        return false;
    return s->plan.hint_name.len == 0 ||
           !cmd_attribute_known(context, s->target.table, s->plan.hint_name, &result->arena,
                                &nearest);
}

static void show_read_footer(struct cmd_context *context, struct statement *s, const char *label,
                             uint64_t shown, struct cmd_result *result)
{
    bool hint = shown == 0 && has_hint(context, s, result);
    bool global = s->target.index != NULL && !s->target.index->local;
    struct cmd_unknown unknown = {.span = {0, 0}};
    struct cmd_footer footer = {
        .operation = label,
        .consistency = context->settings->read_strong && !global ? CMD_STRONG : CMD_EVENTUAL,
        .items = true,
        .shown = shown,
    };

    /* ExecuteStatement counts nothing; the facts do, where there are any */
    s->usage.count = s->usage.has_facts ? s->usage.facts.items_returned : shown;
    s->usage.scanned = s->usage.has_facts ? s->usage.facts.items_read : shown;
    if (shown == 0 && !hint)
        find_unknown(context, s, &result->arena, &unknown);
    if (s->planned && s->target.table != NULL && strcmp(s->plan.operation, "Scan") == 0 && !hint &&
        unknown.span.len == 0)
        footer.advice = scan_advice(s, result);
    cmd_footer_read(context, result, &s->usage, &footer);
    if (hint)
        cmd_result_hint_at(result, s->plan.hint_span, "%s", s->plan.hint);
    else if (unknown.span.len > 0)
        cmd_result_hint_at(result, unknown.span, "%.*s", PK_FMT(unknown.text));
}

static enum pk_code run_read(struct cmd_context *context, struct statement *s,
                             struct cmd_result *result, struct pk_error *err)
{
    const char *label = label_of(s, &result->arena);
    struct cmd_reading reading = {
        .page = cmd_page_of_statement(request_of(context, s), label, &s->target)};
    enum pk_code rc = cmd_page_read(context, &reading, result, err);

    s->usage = reading.usage;
    if (s->usage.requests > 0)
        show_read_footer(context, s, label, reading.shown, result);
    if (rc == PK_OK)
        cmd_page_note(context, result);
    return rc;
}

static void show_returned(const struct statement *s, const cJSON *answer, struct cmd_result *result)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(answer, "Items");
    struct pk_value_vec vec = {0};
    pk_slice *keys = NULL;
    size_t key_count = 0;
    const cJSON *node;

    if (cJSON_GetArraySize(list) == 0)
        return;
    if (s->target.table != NULL)
        key_count = cmd_key_names(&s->target, &result->arena, &keys);
    cJSON_ArrayForEach(node, list)
        pk_value_vec_add(&vec, &result->arena, cmd_wire_read_item(&result->arena, node));
    cmd_show_items(result, vec.data, vec.len, keys, key_count);
}

/* What the statement's condition mentions, for telling what the stored item has. */
static void read_condition(const struct statement *s, struct cmd_request *request)
{
    if (!s->planned || s->plan.condition.len == 0)
        return;
    read_mentions(s->plan.condition, &request->arena, &request->expressions[PK_EXPR_CONDITION]);
    request->condition = place_of(s, s->plan.condition);
}

static enum pk_code run_write(struct cmd_context *context, struct statement *s,
                              struct cmd_result *result, struct pk_error *err)
{
    struct cmd_request request = {
        .operation = "ExecuteStatement", .json = request_of(context, s), .text = s->text};
    size_t start = cmd_skip_blanks(s->text, 0);
    pk_slice word = cmd_word_at(s->text, start);
    struct cmd_footer footer = {.operation = pk_arena_dup(&result->arena, word).data};
    cJSON *answer = NULL;
    enum pk_code rc;

    read_condition(s, &request);
    rc = cmd_send(context, &request, &answer, &s->usage, err);
    if (rc == PK_OK) {
        show_returned(s, answer, result);
        footer.capacity = cJSON_GetObjectItemCaseSensitive(answer, "ConsumedCapacity");
        cmd_footer_write(context, result, &s->usage, &footer);
    } else if (rc == PK_E_CONDITION_FAILED || rc == PK_E_DUPLICATE_ITEM) {
        cmd_failed_cost(0, err, result);
    }
    cJSON_Delete(answer);
    cmd_request_release(&request);
    return rc;
}

enum pk_code cmd_partiql_run(struct cmd_context *context, pk_slice text, struct cmd_result *result,
                             struct pk_error *err)
{
    struct statement s = {.text = text};
    enum pk_code rc;

    if (context->txn != NULL)
        return cmd_txn_add_statement(context, text, result, err);
    plan(context, &s, &result->arena);
    if (reads(text))
        rc = run_read(context, &s, result, err);
    else
        rc = run_write(context, &s, result, err);
    if (rc != PK_OK)
        add_hints(context, text, err);
    return rc;
}
