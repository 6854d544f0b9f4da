/* backups: what ListBackups knows. */
#include "commands/args.h"
#include "commands/backups.h"
#include "commands/entries.h"
#include "commands/time_text.h"
#include "commands/wire.h"

enum { COLUMNS = 5 };

static void add_page(struct cmd_result *result, struct cmd_grid *grid, const cJSON *answer)
{
    struct pk_arena *arena = &result->arena;
    const cJSON *node;

    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "BackupSummaries"))
    {
        const pk_slice cells[COLUMNS] = {
            pk_arena_dup(arena, cmd_wire_text(node, "BackupName")),
            pk_arena_dup(arena, cmd_wire_text(node, "TableName")),
            pk_arena_printf(
                arena, "%s",
                cmd_time_to_second(cmd_wire_int(node, "BackupCreationDateTime", 0)).text),
            pk_arena_dup(arena, cmd_wire_text(node, "BackupStatus")),
            cmd_format_bytes(arena, (uint64_t)cmd_wire_int(node, "BackupSizeBytes", 0)),
        };

        cmd_grid_row(result, grid, cells);
    }
}

static enum pk_code backups_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    static const char *const columns[COLUMNS] = {"backup", "table", "created", "status", "size"};
    static const enum cmd_align aligns[COLUMNS] = {CMD_LEFT, CMD_LEFT, CMD_LEFT, CMD_LEFT,
                                                   CMD_RIGHT};
    struct cmd_words words;
    struct cmd_grid *grid;
    pk_slice after = {NULL, 0};
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    grid = cmd_result_grid(result, columns, aligns, COLUMNS);
    do {
        cJSON *answer = NULL;

        rc = cmd_backups_page(context, after, &answer, err);
        add_page(result, grid, answer);
        after = cmd_wire_text(answer, "LastEvaluatedBackupArn");
        if (after.data != NULL)
            after = pk_arena_dup(&result->arena, after);
        cJSON_Delete(answer);
    } while (rc == PK_OK && after.data != NULL);
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%zu backup%s", grid->row_count,
                        grid->row_count == 1 ? "" : "s");
    return rc;
}

const struct cmd_entry cmd_backups_entry = {
    .name = "backups",
    .group = CMD_GROUP_WORLD,
    .usage = "",
    .summary = "list the backups there are, oldest first",
    .flags = CMD_READONLY,
    .run = backups_run,
};
