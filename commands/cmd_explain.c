/*
 * explain: what a statement would do, or the request it would send as code. Reads no items.
 *
 * The sheet has a line for each thing worth knowing: what it is called, what it is, and a remark
 * that teaches. Remarks are aligned as long as that does not push them off an 80-column terminal.
 */
#include "commands/ddl.h"
#include "commands/entries.h"
#include "commands/explain/explain_code.h"
#include "commands/explain/explain_plan.h"
#include "commands/explain/explain_sheet.h"
#include "commands/language/lex.h"
#include "commands/registry.h"
#include "commands/schema.h"
#include "commands/wire.h"

/* ---- the sheet ------------------------------------------------------------------------------- */

static void add_index_line(struct explain_sheet *sheet, const struct explain_plan *plan)
{
    const struct pk_index *index = plan->target.index;

    if (index == NULL)
        return;
    explain_sheet_add(sheet, "index", index->name,
                      index->local ? PK_LIT("an LSI: attributes it does not project are fetched "
                                            "from the table, for the price of each item")
                                   : PK_LIT("a GSI: its own partitions, eventually consistent"));
}

static void add_key_line(struct explain_sheet *sheet, const struct explain_plan *plan)
{
    pk_slice remark = {NULL, 0};

    if (plan->key.len == 0)
        return;
    if (plan->has_place && plan->places > 1)
        remark = pk_arena_printf(sheet->arena, "partitions %u to %u of %u", plan->place,
                                 plan->place + plan->places - 1, plan->figures.partition_count);
    else if (plan->has_place)
        remark = pk_arena_printf(sheet->arena, "partition %u of %u", plan->place,
                                 plan->figures.partition_count);
    if (plan->requests > 1)
        remark = pk_arena_printf(sheet->arena, "the first of %zu requests, one a partition key",
                                 plan->requests);
    explain_sheet_add(sheet, "key", plan->key, remark);
}

static void add_condition_lines(struct explain_sheet *sheet, const struct explain_plan *plan)
{
    if (plan->filter.len > 0)
        explain_sheet_add(sheet, "filter", plan->filter,
                          PK_LIT("applied after the read; paid for all the same"));
    if (plan->condition.len > 0)
        explain_sheet_add(sheet, "condition", plan->condition,
                          plan->check ? PK_LIT("on the stored item; when it fails, so does the "
                                               "transaction")
                                      : PK_LIT("on the stored item; when it fails the write is "
                                               "paid for all the same"));
    if (plan->projection.len > 0)
        explain_sheet_add(sheet, "select", plan->projection,
                          PK_LIT("cut out after the read; whole items are paid for"));
}

/* "0.5 RCU eventual, 1 RCU strong"; "0.5 to 3 RCU eventual, twice that strong" */
static pk_slice read_units(const struct explain_plan *plan, struct pk_arena *arena)
{
    const struct explain_figures *figures = &plan->figures;
    bool global = plan->target.index != NULL && !plan->target.index->local;
    pk_slice low = cmd_format_units(arena, figures->low);
    pk_slice high = cmd_format_units(arena, figures->high);
    pk_slice other = cmd_format_units(arena, plan->strong ? figures->high / 2 : figures->high * 2);
    const char *mine = plan->strong ? "strong" : "eventual";
    const char *theirs = plan->strong ? "eventual" : "strong";

    if (figures->low != figures->high)
        return pk_arena_printf(arena, "%.*s to %.*s RCU %s%s%s", PK_FMT(low), PK_FMT(high), mine,
                               global         ? ""
                               : plan->strong ? ", half of that "
                                              : ", twice that ",
                               global ? "" : theirs);
    if (global)
        return pk_arena_printf(arena, "%.*s RCU %s", PK_FMT(high), mine);
    return pk_arena_printf(arena, "%.*s RCU %s, %.*s RCU %s", PK_FMT(high), mine, PK_FMT(other),
                           theirs);
}

static pk_slice plural(struct pk_arena *arena, uint64_t count, const char *one)
{
    pk_slice text = cmd_format_count(arena, count);

    return pk_arena_printf(arena, "%.*s %s%s", PK_FMT(text), one, count == 1 ? "" : "s");
}

static void add_read_line(struct explain_sheet *sheet, const struct explain_plan *plan)
{
    const struct explain_figures *figures = &plan->figures;
    struct pk_arena *arena = sheet->arena;
    pk_slice bytes, value;

    if (!figures->known) {
        explain_sheet_add(sheet, "reads", PK_LIT("not known"),
                          PK_LIT("no statistics, or they are being counted"));
        return;
    }
    bytes = cmd_format_whole_bytes(arena, figures->bytes);
    value = pk_arena_printf(arena, "%s%.*s, %s%.*s", figures->at_most ? "at most " : "",
                            PK_FMT(plural(arena, figures->items, "item")),
                            figures->about ? "about " : "", PK_FMT(bytes));
    if (figures->partitions > 0)
        value = pk_arena_printf(arena, "%.*s, %.*s", PK_FMT(value),
                                PK_FMT(plural(arena, figures->partitions, "partition")));
    if (figures->requests > 1 || figures->partitions > 1)
        value = pk_arena_printf(
            arena, "%.*s, %.*s", PK_FMT(value),
            PK_FMT(plural(arena, figures->requests, plan->requests > 1 ? "request" : "page")));
    explain_sheet_add(sheet, "reads", value, read_units(plan, arena));
}

static pk_slice index_names(const struct pk_table *table, struct pk_arena *arena)
{
    pk_slice names = table->indexes[0].name;

    for (size_t i = 1; i < table->index_count; i++)
        names = pk_arena_printf(arena, "%.*s, %.*s", PK_FMT(names), PK_FMT(table->indexes[i].name));
    return names;
}

static void add_write_line(struct explain_sheet *sheet, const struct explain_plan *plan)
{
    const struct explain_figures *figures = &plan->figures;
    struct pk_arena *arena = sheet->arena;
    bool put = strcmp(plan->native.operation, "PutItem") == 0;
    pk_slice bytes = cmd_format_whole_bytes(arena, figures->bytes);
    pk_slice units = cmd_format_units(arena, figures->low);

    if (!figures->known || figures->bytes == 0) {
        explain_sheet_add(sheet, "writes", PK_LIT("1 item"),
                          PK_LIT("1 WCU for each KB of the larger of old and new item"));
        return;
    }
    explain_sheet_add(sheet, "writes",
                      pk_arena_printf(arena, "1 item, %s%.*s", put ? "" : "about ", PK_FMT(bytes)),
                      pk_arena_printf(arena, "%.*s WCU, more if %s", PK_FMT(units),
                                      put ? "it replaces a larger item"
                                          : "the item is larger than the table's average"));
    for (size_t i = 0; i < plan->share_count; i++)
        explain_sheet_add(sheet, i == 0 ? "indexes" : "", plan->shares[i].index,
                          pk_arena_printf(arena, "%.*s WCU of them",
                                          PK_FMT(cmd_format_units(arena, plan->shares[i].milli))));
    if (!put && plan->target.table->index_count > 0)
        explain_sheet_add(sheet, "indexes", index_names(plan->target.table, arena),
                          PK_LIT("each adds up to 2 WCU a KB when what it holds changes"));
}

static void add_check_line(struct explain_sheet *sheet, const struct explain_plan *plan)
{
    struct pk_arena *arena = sheet->arena;
    pk_slice bytes = cmd_format_whole_bytes(arena, plan->figures.bytes);
    pk_slice units = cmd_format_units(arena, plan->figures.low);

    if (!plan->figures.known || plan->figures.bytes == 0)
        explain_sheet_add(sheet, "checks", PK_LIT("1 item"),
                          PK_LIT("2 WCU for each KB, as all writes of a transaction"));
    else
        explain_sheet_add(sheet, "checks",
                          pk_arena_printf(arena, "1 item, about %.*s", PK_FMT(bytes)),
                          pk_arena_printf(arena, "%.*s WCU, twice a write, as all in a transaction",
                                          PK_FMT(units)));
}

static void add_instead_lines(struct explain_sheet *sheet, const struct explain_plan *plan)
{
    struct explain_advice *list = NULL;
    size_t count = explain_instead(plan, &list);
    int width = 0;

    for (size_t i = 0; i < count; i++) {
        if ((int)list[i].label.len > width)
            width = (int)list[i].label.len;
    }
    for (size_t i = 0; i < count; i++)
        explain_sheet_add(sheet, i == 0 ? "instead" : "",
                          pk_arena_printf(sheet->arena, "%.*s%*s  %.*s", PK_FMT(list[i].label),
                                          width - (int)list[i].label.len, "",
                                          PK_FMT(list[i].statement)),
                          list[i].remark);
}

static void show_sheet(const struct explain_plan *plan, struct cmd_result *result)
{
    struct explain_sheet sheet = {.arena = &result->arena};

    explain_sheet_add(&sheet, "operation", pk_slice_cstr(plan->native.operation), plan->reason);
    add_index_line(&sheet, plan);
    add_key_line(&sheet, plan);
    add_condition_lines(&sheet, plan);
    if (plan->read)
        add_read_line(&sheet, plan);
    else if (plan->check)
        add_check_line(&sheet, plan);
    else
        add_write_line(&sheet, plan);
    add_instead_lines(&sheet, plan);
    explain_sheet_show(&sheet, result);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The shell asks for these to show its footer; they are not what the statement is about. */
static cJSON *without_own(const struct cJSON *request)
{
    cJSON *copy = cJSON_Duplicate(request, true);

    cJSON_DeleteItemFromObjectCaseSensitive(copy, "ReturnConsumedCapacity");
    cJSON_DeleteItemFromObjectCaseSensitive(copy, "ReturnValuesOnConditionCheckFailure");
    return copy;
}

/* PartiQL as it is sent, where the native request is several or not quite the same. */
static cJSON *execute_statement(const struct explain_plan *plan, pk_slice text)
{
    cJSON *request = cJSON_CreateObject();

    cmd_wire_set_text(request, "Statement", text);
    if (plan->strong)
        cmd_wire_set_bool(request, "ConsistentRead", true);
    return request;
}

static void print_code(struct cmd_context *context, enum explain_language language,
                       const struct explain_code *given, struct cmd_result *result)
{
    struct explain_code code = *given;
    struct pk_buf out = PK_BUF_INIT;

    code.endpoint = context->backend->endpoint;
    explain_code_print(&out, language, &code, &result->arena);
    cmd_result_text(result, CMD_BLOCK_TEXT, "%.*s", (int)out.len, out.data);
    pk_buf_release(&out);
}

/* No operation of its own: a transaction with that one action. Takes the check. */
static cJSON *transaction_of(cJSON *check_take)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *actions = cJSON_CreateArray();
    cJSON *action = cJSON_CreateObject();

    cmd_wire_set(action, "ConditionCheck", check_take);
    cJSON_AddItemToArray(actions, action);
    cmd_wire_set(request, "TransactItems", actions);
    return request;
}

static void show_code(struct cmd_context *context, const struct explain_plan *plan, pk_slice text,
                      enum explain_language language, struct cmd_result *result)
{
    struct explain_code code = {.operation = plan->native.operation};
    bool native = !plan->is_partiql ||
                  (plan->requests == 1 && plan->statement.native_note == NULL && !plan->check);
    cJSON *request = native ? without_own(plan->native.json) : execute_statement(plan, text);

    if (native && plan->check) {
        code.operation = "TransactWriteItems";
        request = transaction_of(request);
    }
    if (!native)
        code.operation = "ExecuteStatement";
    else if (plan->is_partiql && plan->strong)
        cmd_wire_set_bool(request, "ConsistentRead", true);
    code.request = request;
    print_code(context, language, &code, result);
    if (language == EXPLAIN_JSON)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%s%s", code.operation,
                        plan->is_partiql && native ? ", which the statement stands for" : "");
    if (!native && plan->statement.native_note != NULL)
        cmd_result_text(result, CMD_BLOCK_NOTE, "as it is sent: %s", plan->statement.native_note);
    cJSON_Delete(request);
}

/* create table is DDL text, and a request too. */
static enum pk_code show_ddl(struct cmd_context *context, const struct cmd_statement *statement,
                             enum explain_language language, struct cmd_result *result,
                             struct pk_error *err)
{
    struct explain_code code = {.operation = "CreateTable"};
    struct cmd_ddl_create create;
    cJSON *request;
    enum pk_code rc = cmd_ddl_parse(statement, &result->arena, &create, err);

    if (rc != PK_OK)
        return rc;
    request = cmd_ddl_request(&create.table);
    code.request = request;
    print_code(context, language, &code, result);
    cJSON_Delete(request);
    return PK_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* What is asked for: the sheet, or code. */
struct wanted {
    bool as_code;
    enum explain_language language;
    uint32_t start; /* of the inner statement */
};

/* `as json|boto3|cli`, then the statement. */
static enum pk_code read_wanted(const struct cmd_statement *statement, struct wanted *wanted,
                                struct pk_error *err)
{
    size_t start = cmd_skip_blanks(statement->text, statement->args);
    pk_slice word = cmd_word_at(statement->text, start);

    wanted->as_code = cmd_word_is(word, "as");
    wanted->start = (uint32_t)start;
    if (!wanted->as_code)
        return PK_OK;
    start = cmd_skip_blanks(statement->text, start + word.len);
    word = cmd_word_at(statement->text, start);
    if (!explain_language_parse(word, &wanted->language))
        return pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)start, (uint32_t)word.len},
                          "expected json, boto3 or cli after 'as'");
    wanted->start = (uint32_t)cmd_skip_blanks(statement->text, start + word.len);
    return PK_OK;
}

static enum pk_code explain_text(struct cmd_context *context, pk_slice text,
                                 const struct wanted *wanted, struct cmd_result *result,
                                 struct pk_error *err)
{
    struct explain_plan plan;
    struct pk_span span;
    enum pk_code rc = explain_plan_open(context, text, &result->arena, &plan, err);

    if (rc == PK_OK && wanted->as_code) {
        show_code(context, &plan, text, wanted->language, result);
    } else if (rc == PK_OK) {
        explain_plan_predict(context, &plan);
        show_sheet(&plan, result);
    }
    if (rc == PK_OK && plan.hint != NULL) {
        span = (struct pk_span){plan.hint_span.start + wanted->start, plan.hint_span.len};
        cmd_result_hint_at(result, span, "%s", plan.hint);
    }
    explain_plan_release(&plan);
    return rc;
}

static enum pk_code explain_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    struct wanted wanted = {.language = EXPLAIN_JSON};
    struct cmd_statement inner = {.text = statement->text};
    const struct cmd_entry *entry;
    pk_slice text;
    enum pk_code rc = read_wanted(statement, &wanted, err);

    if (rc != PK_OK)
        return rc;
    text = pk_slice_skip(statement->text, wanted.start);
    entry = cmd_find(context, text, &inner.args);
    if (wanted.as_code && entry != NULL && strcmp(entry->name, "create table") == 0) {
        inner.args += wanted.start;
        return show_ddl(context, &inner, wanted.language, result, err);
    }
    rc = explain_text(context, text, &wanted, result, err);
    if (rc != PK_OK && (err->span.len > 0 || err->span.start > 0))
        err->span.start += wanted.start;
    return rc;
}

/* ---- completion ------------------------------------------------------------------------------ */

/* Where the statement being typed begins. */
static size_t statement_start(struct cmd_context *context, pk_slice text)
{
    struct cmd_split split;
    size_t start = 0;

    while (cmd_split_next(context, pk_slice_skip(text, start), false, &split) == CMD_SPLIT_COMPLETE)
        start += split.end;
    return cmd_skip_blanks(text, start);
}

/* Completes the inner statement as if it stood alone. */
void explain_complete(struct cmd_context *context, struct cmd_completion *completion)
{
    pk_slice line = pk_slice_of(completion->line.data, completion->start);
    size_t start = statement_start(context, line);
    struct cmd_completion inner = *completion;
    size_t args = 0;

    if (start >= line.len || cmd_find(context, pk_slice_skip(line, start), &args) == NULL)
        return;
    start += args;
    if (cmd_word_is(cmd_word_at(line, start), "as")) {
        start = cmd_skip_blanks(line, start + 2);
        start = cmd_skip_blanks(line, start + cmd_word_at(line, start).len);
    }
    if (start > line.len)
        return;
    inner.line = pk_slice_skip(completion->line, start);
    inner.start -= start;
    inner.cursor -= start;
    cmd_complete(context, &inner);
    completion->candidates = inner.candidates;
    completion->count = inner.count;
    completion->cap = inner.cap;
}

const struct cmd_entry cmd_explain_entry = {
    .name = "explain",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[as json|boto3|cli] STATEMENT",
    .summary = "say what a statement would do and cost, without reading an item",
    .detail = "  explain query USER#123 ORDER#*\n"
              "  explain SELECT * FROM Music WHERE Artist = 'Acme';\n"
              "  explain as boto3 get USER#123 PROFILE\n"
              "as json prints the request, as boto3 and as cli code that runs as it is printed.",
    .flags = CMD_READONLY | CMD_WRAPS,
    .complete = explain_complete,
    .run = explain_run,
};
