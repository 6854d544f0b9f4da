/*
 * drop table, with its guard: a table that holds items goes only after a yes.
 *
 * On the embedded engine and on another pksk one item is looked for, which is exact and costs
 * nothing. A foreign endpoint's ItemCount may be hours old, so there every table counts as holding
 * items.
 */
#include "commands/args.h"
#include "commands/ddl.h"
#include "commands/entries.h"
#include "commands/names.h"
#include "commands/schema.h"
#include "commands/wait.h"
#include "commands/wire.h"
#include "commands/workload/traffic.h"

struct drop {
    bool if_exists;
    pk_slice name;
    struct pk_span span; /* of the name */
};

static enum pk_code parse_drop(const struct cmd_statement *statement, struct pk_arena *arena,
                               struct drop *drop, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    *drop = (struct drop){.if_exists = false};
    if (rc == PK_OK && cmd_words_is(&words, "if")) {
        drop->if_exists = true;
        rc = cmd_words_next(&words, err);
        if (rc == PK_OK && !cmd_words_is(&words, "exists"))
            return pk_fail_at(err, PK_E_USAGE, words.token.span, "expected 'if exists'");
        if (rc == PK_OK)
            rc = cmd_words_next(&words, err);
    }
    drop->span = words.token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(&words, "the table's name", &drop->name, err);
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

/* What would be lost, as text; empty: nothing. */
static enum pk_code contents(struct cmd_context *context, const struct drop *drop,
                             struct pk_arena *arena, pk_slice *text, struct pk_error *err)
{
    struct cmd_sample sample;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    int64_t items;
    enum pk_code rc;

    *text = (pk_slice){NULL, 0};
    cmd_wire_set_text(request, "TableName", drop->name);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    cJSON_Delete(request);
    if (rc != PK_OK)
        return rc;
    items = cmd_wire_int(cJSON_GetObjectItemCaseSensitive(answer, "Table"), "ItemCount", 0);
    cJSON_Delete(answer);
    if (!context->backend->extensions) {
        *text = items > 0 ? pk_arena_printf(arena, "about %lld item%s", (long long)items,
                                            items == 1 ? "" : "s")
                          : PK_LIT("any number of items, its endpoint's count may be hours old");
        return PK_OK;
    }
    cmd_sample_items(context, drop->name, pk_value_missing(), 1, arena, &sample);
    if (sample.count > 0)
        *text = pk_arena_printf(arena, "%lld item%s", (long long)(items > 0 ? items : 1),
                                items > 1 ? "s" : "");
    return PK_OK;
}

/* True when the table may go. Otherwise rc is an error, or PK_OK after a no. */
static bool permitted(struct cmd_context *context, const struct drop *drop, pk_slice held,
                      struct cmd_result *result, struct pk_error *err)
{
    bool asked = false;
    pk_slice question;

    if (held.len == 0 || context->yes)
        return true;
    question = pk_arena_printf(&result->arena, "table %.*s holds %.*s; drop it?",
                               PK_FMT(drop->name), PK_FMT(held));
    if (context->asker.ask != NULL &&
        context->asker.ask(context->asker.context, question.data, &asked))
        return true;
    if (asked) {
        cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s was not dropped", PK_FMT(drop->name));
        return false;
    }
    pk_fail_at(err, PK_E_USAGE, drop->span, "table '%.*s' holds %.*s; it was not dropped",
               PK_FMT(drop->name), PK_FMT(held));
    pk_error_hint(err, "pksk --yes drops it without asking");
    return false;
}

static enum pk_code delete_table(struct cmd_context *context, const struct drop *drop,
                                 struct cmd_result *result, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", drop->name);
    rc = cmd_call(context, "DeleteTable", request, &answer, NULL, err);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    cmd_schema_drop(context);
    if (rc == PK_E_VALIDATION)
        pk_error_hint(err, "alter table %.*s protect off;", PK_FMT(drop->name));
    if (rc == PK_OK && context->traffics != NULL)
        traffics_end_table(context->traffics, drop->name, "its table was dropped");
    if (rc == PK_OK)
        rc = cmd_wait_table(context, drop->name, CMD_WAIT_GONE, err);
    if (rc != PK_OK)
        return rc;
    if (context->table != NULL && pk_slice_is(drop->name, context->table))
        cmd_set_table(context, (pk_slice){NULL, 0});
    cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s dropped", PK_FMT(drop->name));
    return PK_OK;
}

static enum pk_code drop_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    struct drop drop;
    pk_slice held;
    enum pk_code rc = parse_drop(statement, &result->arena, &drop, err);

    if (rc == PK_OK)
        rc = contents(context, &drop, &result->arena, &held, err);
    if (rc == PK_OK && !permitted(context, &drop, held, result, err))
        return err->code;
    if (rc == PK_OK)
        rc = delete_table(context, &drop, result, err);
    if (rc == PK_E_NOT_FOUND && drop.if_exists) {
        pk_error_release(err);
        cmd_result_text(result, CMD_BLOCK_NOTE, "there is no table %.*s", PK_FMT(drop.name));
        return PK_OK;
    }
    if (rc == PK_E_NOT_FOUND && err->span.len == 0) {
        err->span = drop.span;
        cmd_hint_tables(context, drop.name, err);
    } else if (rc != PK_OK && rc != PK_E_CANCELLED) {
        cmd_point_at(err, statement->text, drop.name);
    }
    return rc;
}

const struct cmd_entry cmd_drop_entry = {
    .name = "drop table",
    .group = CMD_GROUP_TABLES,
    .usage = "[if exists] NAME",
    .summary = "delete a table and all it holds",
    .detail = "A table that holds items asks first; in a script it takes --yes.\n"
              "A protected table is dropped after alter table NAME protect off;",
    .flags = CMD_DDL | CMD_NO_TXN,
    .complete = cmd_complete_table,
    .run = drop_run,
};
