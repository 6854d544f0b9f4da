/* check alone verifies the store; check KEY if COND is an action of a transaction. */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/item_commands.h"
#include "commands/wire.h"

static const char *faults_text(struct pk_arena *arena, int64_t faults)
{
    return pk_arena_printf(arena, "%lld fault%s", (long long)faults, faults == 1 ? "" : "s").data;
}

/* ", backups 2" when there are any. */
static pk_slice backups_text(struct pk_arena *arena, const cJSON *answer)
{
    int64_t backups = cmd_wire_int(answer, "Backups", 0);

    if (backups == 0)
        return PK_LIT("");
    return pk_arena_printf(arena, ", backups %.*s",
                           PK_FMT(cmd_format_count(arena, (uint64_t)backups)));
}

static void show_report(const cJSON *answer, struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    int64_t faults = cmd_wire_int(answer, "Faults", 0);
    pk_slice tables = cmd_format_count(arena, (uint64_t)cmd_wire_int(answer, "Tables", 0));
    pk_slice items = cmd_format_count(arena, (uint64_t)cmd_wire_int(answer, "Items", 0));
    pk_slice entries = cmd_format_count(arena, (uint64_t)cmd_wire_int(answer, "IndexEntries", 0));
    pk_slice backups = backups_text(arena, answer);
    pk_slice bytes = cmd_format_bytes(arena, (uint64_t)cmd_wire_int(answer, "Bytes", 0));
    const cJSON *line;

    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(answer, "Lines"))
    {
        if (cJSON_IsString(line))
            cmd_result_text(result, CMD_BLOCK_TEXT, "%s", line->valuestring);
    }
    cmd_result_text(result, CMD_BLOCK_TEXT,
                    "tables %.*s, items %.*s, index entries %.*s%.*s, %.*s read: %s",
                    PK_FMT(tables), PK_FMT(items), PK_FMT(entries), PK_FMT(backups), PK_FMT(bytes),
                    faults == 0 ? "no faults" : faults_text(arena, faults));
    result->check_failed = faults > 0;
}

/* What cannot even be read is what check is for: it is found, and the exit code says so. */
static enum pk_code show_corruption(struct cmd_result *result, struct pk_error *err)
{
    cmd_result_text(result, CMD_BLOCK_TEXT, "%s: not all of it can be read", err->message);
    if (err->hint != NULL)
        cmd_result_text(result, CMD_BLOCK_HINT, "%s", err->hint);
    result->check_failed = true;
    pk_error_release(err);
    return PK_OK;
}

static enum pk_code check_store(struct cmd_context *context, struct cmd_result *result,
                                struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    if (!context->backend->extensions)
        rc = cmd_fail_foreign(context, "check", err);
    else
        rc = cmd_call(context, "Pksk.Check", request, &answer, NULL, err);
    if (rc == PK_OK)
        show_report(answer, result);
    if (rc == PK_E_CORRUPT)
        rc = show_corruption(result, err);
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

static enum pk_code check_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    bool alone = statement->args >= statement->text.len;

    if (context->txn != NULL && !alone)
        return cmd_run_item(context, statement, cmd_check_request, result, err);
    if (context->txn == NULL && alone)
        return check_store(context, result, err);
    if (alone) {
        pk_fail(err, PK_E_USAGE, "inside begin, check takes a key and a condition");
        pk_error_hint(err, "check USER#123 PROFILE if attribute_exists(PK)");
        return PK_E_USAGE;
    }
    pk_fail_at(err, PK_E_USAGE,
               (struct pk_span){(uint32_t)statement->args,
                                (uint32_t)(statement->text.len - statement->args)},
               "check KEY if COND stands between begin and commit only");
    pk_error_hint(err, "check alone checks the store; get KEY shows the item");
    return PK_E_USAGE;
}

const struct cmd_entry cmd_check_entry = {
    .name = "check",
    .group = CMD_GROUP_WORLD,
    .usage = "[KEY if COND]",
    .summary = "read the whole store and verify it; in a transaction: a condition on an item",
    .detail = "Alone: rows, index rows and counters must agree; exit code 4 when they do not.\n"
              "Between begin and commit: check USER#123 PROFILE if balance > 10",
    .flags = CMD_READONLY,
    .complete = cmd_complete_data,
    .run = check_run,
};
