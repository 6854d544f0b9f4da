/* restore: RestoreTableFromBackup, and waiting until the items are there. */
#include "commands/args.h"
#include "commands/backups.h"
#include "commands/entries.h"
#include "commands/schema.h"
#include "commands/wait.h"
#include "commands/wire.h"

/* What the statement says. */
struct restore {
    pk_slice name;
    struct pk_span name_span;
    pk_slice table;
    struct pk_span table_span;
};

static enum pk_code parse(const struct cmd_statement *statement, struct pk_arena *arena,
                          struct restore *restore, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    restore->name_span = words.token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(&words, "the backup's name", &restore->name, err);
    if (rc == PK_OK && !cmd_words_is(&words, "as"))
        return pk_fail_at(err, PK_E_USAGE, words.token.span,
                          "expected 'as' and the new table's name");
    if (rc == PK_OK)
        rc = cmd_words_next(&words, err);
    restore->table_span = words.token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(&words, "the new table's name", &restore->table, err);
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

static enum pk_code begin(struct cmd_context *context, const struct restore *restore, pk_slice arn,
                          struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set_text(request, "TargetTableName", restore->table);
    cmd_wire_set_text(request, "BackupArn", arn);
    rc = cmd_call(context, "RestoreTableFromBackup", request, &answer, NULL, err);
    if (rc == PK_E_TABLE_EXISTS || rc == PK_E_TABLE_IN_USE)
        err->span = restore->table_span;
    if (rc == PK_E_BACKUP_NOT_FOUND) {
        err->span = restore->name_span;
        pk_error_hint(err, "backups lists the backups there are");
    }
    cJSON_Delete(request);
    cJSON_Delete(answer);
    cmd_schema_drop(context);
    return rc;
}

/* A table that is being restored. */
struct making {
    pk_slice table;
    bool active;
};

/* With a create delay, and the clock paused, CREATING may last for ever: its items are there all
 * the same. */
static enum pk_code ask(struct cmd_context *context, void *state, bool *done, struct pk_error *err)
{
    struct making *making = state;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *table;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", making->table);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    table = cJSON_GetObjectItemCaseSensitive(answer, "Table");
    making->active = pk_slice_is(cmd_wire_text(table, "TableStatus"), "ACTIVE");
    *done =
        making->active || !cmd_wire_bool(cJSON_GetObjectItemCaseSensitive(table, "RestoreSummary"),
                                         "RestoreInProgress");
    cJSON_Delete(request);
    cJSON_Delete(answer);
    return rc;
}

static enum pk_code note_restored(struct cmd_context *context, const struct restore *restore,
                                  pk_slice arn, bool active, struct cmd_result *result,
                                  struct pk_error *err)
{
    cJSON *answer = NULL;
    const cJSON *description = NULL;
    enum pk_code rc = cmd_backups_describe(context, arn, &answer, &description, err);

    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s restored: %.*s%s",
                        PK_FMT(restore->table),
                        PK_FMT(cmd_backups_contents(&result->arena, description)),
                        active ? "" : "; it is CREATING");
    cJSON_Delete(answer);
    return rc;
}

static enum pk_code restore_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    struct pk_arena *arena = &result->arena;
    struct restore restore;
    struct making making = {.active = false};
    struct cmd_wait wait = {.ask = ask, .state = &making};
    pk_slice arn = {NULL, 0};
    enum pk_code rc = parse(statement, arena, &restore, err);

    if (rc != PK_OK)
        return rc;
    rc = cmd_backups_find(context, restore.name, arena, &arn, err);
    if (rc == PK_E_USAGE)
        err->span = restore.name_span;
    if (rc == PK_OK)
        rc = begin(context, &restore, arn, err);
    if (rc != PK_OK)
        return rc;
    making.table = restore.table;
    wait.what = pk_arena_printf(arena, "table %.*s", PK_FMT(restore.table)).data;
    rc = cmd_wait(context, &wait, err);
    if (rc == PK_OK && cmd_current_table(context) == NULL)
        cmd_set_table(context, restore.table);
    return rc == PK_OK ? note_restored(context, &restore, arn, making.active, result, err) : rc;
}

const struct cmd_entry cmd_restore_entry = {
    .name = "restore",
    .group = CMD_GROUP_WORLD,
    .usage = "NAME as TABLE",
    .summary = "make a new table out of a backup",
    .detail = "  restore before-the-change as orders_again\n"
              "The new table has the items of the backup, its key, indexes and billing mode; tags, "
              "time to live, stream and protection it has not.\n"
              "Of several backups of one name, take the ARN: api list-backups {} shows it. The new "
              "table becomes the current one if none is.",
    .flags = CMD_NO_TXN,
    .run = restore_run,
};
