#include "commands/args.h"
#include "commands/entries.h"
#include "commands/names.h"
#include "commands/schema.h"
#include "commands/wire.h"

enum { TOP_DEFAULT = 10, TOP_MAX = 10000 };

/* [TABLE] [top N] */
static enum pk_code read_arguments(struct cmd_context *context,
                                   const struct cmd_statement *statement, struct cmd_result *result,
                                   cJSON *request, struct pk_error *err)
{
    struct cmd_words words;
    pk_slice name = {NULL, 0};
    struct pk_span span;
    const struct pk_table *table;
    int64_t top = TOP_DEFAULT;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    span = words.token.span;

    if (rc == PK_OK && !cmd_words_at_end(&words) && !cmd_words_is(&words, "top"))
        rc = cmd_words_take(&words, "a table's name", &name, err);
    if (rc == PK_OK && cmd_words_is(&words, "top")) {
        rc = cmd_words_next(&words, err);
        if (rc == PK_OK)
            rc = cmd_words_number(&words, TOP_MAX, &top, err);
    }
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc == PK_OK && name.data == NULL)
        rc = cmd_need_table(context, &name, err);
    if (rc != PK_OK)
        return rc;
    rc = cmd_schema_get(context, name, &table, err);
    if (rc == PK_E_NOT_FOUND) {
        err->span = span;
        cmd_hint_tables(context, name, err);
    }
    if (rc != PK_OK)
        return rc;
    cmd_wire_set_text(request, "TableName", name);
    cmd_wire_set_int(request, "Top", top);
    return PK_OK;
}

static void add_collection(const cJSON *node, struct cmd_grid *grid, struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    struct pk_buf key = PK_BUF_INIT;
    pk_value hash = cmd_wire_read_value(arena, cJSON_GetObjectItemCaseSensitive(node, "HashKey"));
    pk_slice cells[4];

    if (pk_value_kind(hash) == PK_STRING)
        pk_buf_add(&key, pk_value_bytes(hash));
    else
        cmd_value_text(&key, hash);
    cells[0] = pk_arena_dup(arena, pk_buf_slice(&key));
    cells[1] = cmd_format_count(arena, (uint64_t)cmd_wire_int(node, "Items", 0));
    cells[2] = cmd_format_whole_bytes(arena, (uint64_t)cmd_wire_int(node, "Bytes", 0));
    cells[3] = cmd_format_count(arena, (uint64_t)cmd_wire_int(node, "Partition", 0));
    cmd_grid_row(result, grid, cells);
    pk_buf_release(&key);
}

static void show_collections(const cJSON *answer, const char *heading, struct cmd_result *result)
{
    static const enum cmd_align aligns[] = {CMD_LEFT, CMD_RIGHT, CMD_RIGHT, CMD_RIGHT};
    const char *columns[] = {heading, "items", "size", "partition"};
    struct cmd_grid *grid = cmd_result_grid(result, columns, aligns, 4);
    int64_t total = cmd_wire_int(answer, "Total", 0);
    const cJSON *node;

    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "Collections"))
        add_collection(node, grid, result);
    if ((uint64_t)total > grid->row_count)
        cmd_result_text(result, CMD_BLOCK_NOTE, "top %zu of %lld collections", grid->row_count,
                        (long long)total);
    else
        cmd_result_text(result, CMD_BLOCK_NOTE, "%lld collection%s", (long long)total,
                        total == 1 ? "" : "s");
}

static enum pk_code collections_run(struct cmd_context *context,
                                    const struct cmd_statement *statement,
                                    struct cmd_result *result, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    const struct pk_table *table = NULL;
    cJSON *answer = NULL;
    enum pk_code rc = read_arguments(context, statement, result, request, err);

    if (rc == PK_OK)
        rc = cmd_schema_get(context, cmd_wire_text(request, "TableName"), &table, err);
    if (rc == PK_OK)
        rc = cmd_call(context, "Pksk.Collections", request, &answer, NULL, err);
    if (rc == PK_OK)
        show_collections(answer, pk_arena_dup(&result->arena, table->key.hash[0].name).data,
                         result);
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

const struct cmd_entry cmd_collections_entry = {
    .name = "collections",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[TABLE] [top N]",
    .summary = "the largest item collections: items that share a partition key",
    .flags = CMD_READONLY | CMD_PKSK_ONLY,
    .complete = cmd_complete_table,
    .run = collections_run,
};
