#include <fnmatch.h>

#include "commands/args.h"
#include "commands/entries.h"
#include "commands/schema.h"
#include "commands/wire.h"

enum { COLUMNS = 5 };

/* items and bytes as DescribeTable gives them. */
static enum pk_code add_table(struct cmd_context *context, pk_slice name, struct cmd_grid *grid,
                              struct cmd_result *result, struct pk_error *err)
{
    struct pk_arena *arena = &result->arena;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", name);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    if (rc == PK_OK) {
        const cJSON *table = cJSON_GetObjectItemCaseSensitive(answer, "Table");
        struct cmd_schema *schema = cmd_schema_read(table);
        const struct pk_table *described = cmd_schema_table(schema);
        pk_slice cells[COLUMNS] = {
            pk_arena_dup(arena, name),
            cmd_key_text(&described->key, arena),
            cmd_format_count(arena, described->index_count),
            cmd_format_count(arena, (uint64_t)cmd_wire_int(table, "ItemCount", 0)),
            cmd_format_bytes(arena, (uint64_t)cmd_wire_int(table, "TableSizeBytes", 0)),
        };

        cmd_grid_row(result, grid, cells);
        cmd_schema_free(schema);
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

/* One page of names; *after is set to where the next begins, data NULL at the end. */
static enum pk_code add_page(struct cmd_context *context, pk_slice pattern, pk_slice *after,
                             struct cmd_grid *grid, struct cmd_result *result, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *node;
    enum pk_code rc;

    if (after->data != NULL)
        cmd_wire_set_text(request, "ExclusiveStartTableName", *after);
    rc = cmd_call(context, "ListTables", request, &answer, NULL, err);
    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "TableNames"))
    {
        if (rc != PK_OK || !cJSON_IsString(node))
            break;
        if (pattern.data == NULL || fnmatch(pattern.data, node->valuestring, 0) == 0)
            rc = add_table(context, pk_slice_cstr(node->valuestring), grid, result, err);
    }
    *after = cmd_wire_text(answer, "LastEvaluatedTableName");
    if (after->data != NULL)
        *after = pk_arena_dup(&result->arena, *after);
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

/* The pattern as fnmatch has it; a word without wildcards matches names that contain it. */
static pk_slice pattern_of(pk_slice word, struct pk_arena *arena)
{
    if (memchr(word.data, '*', word.len) != NULL || memchr(word.data, '?', word.len) != NULL)
        return pk_arena_dup(arena, word);
    return pk_arena_printf(arena, "*%.*s*", PK_FMT(word));
}

static enum pk_code tables_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    static const char *const columns[COLUMNS] = {"table", "key", "indexes", "items", "size"};
    static const enum cmd_align aligns[COLUMNS] = {CMD_LEFT, CMD_LEFT, CMD_RIGHT, CMD_RIGHT,
                                                   CMD_RIGHT};
    struct cmd_words words;
    struct cmd_grid *grid;
    pk_slice word, pattern = {NULL, 0}, after = {NULL, 0};
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && !cmd_words_at_end(&words)) {
        rc = cmd_words_take(&words, "a pattern", &word, err);
        if (rc == PK_OK)
            pattern = pattern_of(word, &result->arena);
    }
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    grid = cmd_result_grid(result, columns, aligns, COLUMNS);
    do
        rc = add_page(context, pattern, &after, grid, result, err);
    while (rc == PK_OK && after.data != NULL);
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%zu table%s", grid->row_count,
                        grid->row_count == 1 ? "" : "s");
    return rc;
}

const struct cmd_entry cmd_tables_entry = {
    .name = "tables",
    .alias = "show_tables ls \\dt .tables",
    .group = CMD_GROUP_TABLES,
    .usage = "[PATTERN]",
    .summary = "list the tables, their keys and sizes",
    .detail = "PATTERN has * and ?; without them names that contain it are listed.",
    .flags = CMD_READONLY,
    .run = tables_run,
};
