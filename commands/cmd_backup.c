/* backup: CreateBackup, and waiting for it. */
#include "commands/args.h"
#include "commands/backups.h"
#include "commands/entries.h"
#include "commands/names.h"
#include "commands/wait.h"
#include "commands/wire.h"

/* What the statement says. */
struct backup {
    pk_slice table;
    struct pk_span table_span;
    pk_slice name;
};

static enum pk_code parse(const struct cmd_statement *statement, struct pk_arena *arena,
                          struct backup *backup, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    backup->table_span = words.token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(&words, "the table's name", &backup->table, err);
    if (rc == PK_OK && !cmd_words_is(&words, "as"))
        return pk_fail_at(err, PK_E_USAGE, words.token.span, "expected 'as' and the backup's name");
    if (rc == PK_OK)
        rc = cmd_words_next(&words, err);
    if (rc == PK_OK)
        rc = cmd_words_take(&words, "the backup's name", &backup->name, err);
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

static enum pk_code create(struct cmd_context *context, const struct backup *backup,
                           struct pk_arena *arena, pk_slice *arn, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", backup->table);
    cmd_wire_set_text(request, "BackupName", backup->name);
    rc = cmd_call(context, "CreateBackup", request, &answer, NULL, err);
    if (rc == PK_OK)
        *arn = pk_arena_dup(
            arena,
            cmd_wire_text(cJSON_GetObjectItemCaseSensitive(answer, "BackupDetails"), "BackupArn"));
    if (rc == PK_E_TABLE_NOT_FOUND) {
        err->span = backup->table_span;
        cmd_hint_tables(context, backup->table, err);
    }
    cJSON_Delete(request);
    cJSON_Delete(answer);
    return rc;
}

/* A backup that is being made. */
struct making {
    pk_slice arn;
    cJSON *answer; /* the last one about it */
    const cJSON *description;
};

static enum pk_code ask(struct cmd_context *context, void *state, bool *done, struct pk_error *err)
{
    struct making *making = state;
    enum pk_code rc;

    cJSON_Delete(making->answer);
    making->answer = NULL;
    rc = cmd_backups_describe(context, making->arn, &making->answer, &making->description, err);
    *done = !pk_slice_is(
        cmd_wire_text(cJSON_GetObjectItemCaseSensitive(making->description, "BackupDetails"),
                      "BackupStatus"),
        "CREATING");
    return rc;
}

static enum pk_code backup_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    struct pk_arena *arena = &result->arena;
    struct backup backup;
    struct making making = {.answer = NULL};
    struct cmd_wait wait = {.ask = ask, .state = &making};
    enum pk_code rc = parse(statement, arena, &backup, err);

    if (rc == PK_OK)
        rc = create(context, &backup, arena, &making.arn, err);
    if (rc == PK_OK) {
        wait.what = pk_arena_printf(arena, "backup %.*s", PK_FMT(backup.name)).data;
        rc = cmd_wait(context, &wait, err);
    }
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "backup %.*s of table %.*s: %.*s",
                        PK_FMT(backup.name), PK_FMT(backup.table),
                        PK_FMT(cmd_backups_contents(arena, making.description)));
    cJSON_Delete(making.answer);
    return rc;
}

const struct cmd_entry cmd_backup_entry = {
    .name = "backup",
    .group = CMD_GROUP_WORLD,
    .usage = "TABLE as NAME",
    .summary = "copy a table as it is now; the copy outlives the table",
    .detail =
        "  backup orders as before-the-change\n"
        "  restore before-the-change as orders_again\n"
        "NAME has 3 to 255 letters, digits, '_', '.' and '-'. Whoever writes meanwhile does "
        "not wait, and is not in it.\n"
        "  api delete-backup {\"BackupArn\": \"…\"}     deletes one; api list-backups {} shows "
        "the ARNs",
    .flags = CMD_NO_TXN,
    .complete = cmd_complete_table,
    .run = backup_run,
};
