#include "commands/args.h"
#include "commands/entries.h"
#include "commands/names.h"
#include "commands/schema.h"
#include "commands/wire.h"

enum { TOP_DEFAULT = 10, TOP_MAX = 10000 };

/* [TABLE | INDEX] */
static enum pk_code take_target(struct cmd_context *context, struct cmd_words *words,
                                struct cmd_target *target, struct pk_error *err)
{
    pk_slice name;
    enum pk_code rc;

    if (!cmd_words_is(words, "top"))
        return cmd_words_target(context, words, target, err);
    rc = cmd_need_table(context, &name, err);
    return rc == PK_OK ? cmd_find_target(context, name, target, err) : rc;
}

/* [TABLE | INDEX] [top N] */
static enum pk_code read_arguments(struct cmd_context *context, struct cmd_words *words,
                                   struct cmd_target *target, cJSON *request, struct pk_error *err)
{
    int64_t top = TOP_DEFAULT;
    enum pk_code rc = take_target(context, words, target, err);

    if (rc == PK_OK && cmd_words_is(words, "top")) {
        rc = cmd_words_next(words, err);
        if (rc == PK_OK)
            rc = cmd_words_number(words, TOP_MAX, &top, err);
    }
    if (rc == PK_OK)
        rc = cmd_words_done(words, err);
    if (rc != PK_OK)
        return rc;
    cmd_wire_set_text(request, "TableName", target->table->name);
    if (target->index != NULL)
        cmd_wire_set_text(request, "IndexName", target->index->name);
    cmd_wire_set_int(request, "Top", top);
    return PK_OK;
}

enum { COLUMNS_AFTER_KEY = 3 };

static void add_key(struct cmd_result *result, const cJSON *key, pk_slice *cell)
{
    struct pk_buf text = PK_BUF_INIT;
    pk_value value = cmd_wire_read_value(&result->arena, key);

    if (pk_value_kind(value) == PK_STRING)
        pk_buf_add(&text, pk_value_bytes(value));
    else
        cmd_value_text(&text, value);
    *cell = pk_arena_dup(&result->arena, pk_buf_slice(&text));
    pk_buf_release(&text);
}

static void add_collection(const cJSON *node, size_t keys, struct cmd_grid *grid,
                           struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    const cJSON *several = cJSON_GetObjectItemCaseSensitive(node, "HashKeys");
    pk_slice cells[PK_KEY_PARTS_MAX + COLUMNS_AFTER_KEY];

    for (size_t i = 0; i < keys; i++)
        add_key(result,
                several == NULL ? cJSON_GetObjectItemCaseSensitive(node, "HashKey")
                                : cJSON_GetArrayItem(several, (int)i),
                &cells[i]);
    cells[keys] = cmd_format_count(arena, (uint64_t)cmd_wire_int(node, "Items", 0));
    cells[keys + 1] = cmd_format_whole_bytes(arena, (uint64_t)cmd_wire_int(node, "Bytes", 0));
    cells[keys + 2] = cmd_format_count(arena, (uint64_t)cmd_wire_int(node, "Partition", 0));
    cmd_grid_row(result, grid, cells);
}

static void show_collections(const cJSON *answer, const struct pk_key_schema *key,
                             struct cmd_result *result)
{
    static const char *const after[COLUMNS_AFTER_KEY] = {"items", "size", "partition"};
    const char *columns[PK_KEY_PARTS_MAX + COLUMNS_AFTER_KEY];
    enum cmd_align aligns[PK_KEY_PARTS_MAX + COLUMNS_AFTER_KEY];
    size_t keys = key->hash_count;
    struct cmd_grid *grid;
    int64_t total = cmd_wire_int(answer, "Total", 0);
    const cJSON *node;

    for (size_t i = 0; i < keys + COLUMNS_AFTER_KEY; i++) {
        columns[i] =
            i < keys ? pk_arena_dup(&result->arena, key->hash[i].name).data : after[i - keys];
        aligns[i] = i < keys ? CMD_LEFT : CMD_RIGHT;
    }
    grid = cmd_result_grid(result, columns, aligns, keys + COLUMNS_AFTER_KEY);
    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "Collections"))
        add_collection(node, keys, grid, result);
    if ((uint64_t)total > grid->row_count)
        cmd_result_text(result, CMD_BLOCK_NOTE, "top %zu of %.*s collections", grid->row_count,
                        PK_FMT(cmd_format_count(&result->arena, (uint64_t)total)));
    else
        cmd_result_text(result, CMD_BLOCK_NOTE, "%lld collection%s", (long long)total,
                        total == 1 ? "" : "s");
}

static enum pk_code collections_run(struct cmd_context *context,
                                    const struct cmd_statement *statement,
                                    struct cmd_result *result, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    struct cmd_words words;
    struct cmd_target target;
    cJSON *answer = NULL;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK)
        rc = read_arguments(context, &words, &target, request, err);
    if (rc == PK_OK)
        rc = cmd_call(context, "Pksk.Collections", request, &answer, NULL, err);
    if (rc == PK_OK)
        show_collections(answer, cmd_target_key(&target), result);
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

const struct cmd_entry cmd_collections_entry = {
    .name = "collections",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[TABLE | INDEX] [top N]",
    .summary = "the largest item collections: items that share a partition key",
    .detail = "  collections top 3       collections Music.by_genre\n"
              "Of an index: who has many entries under one of its keys heats one partition.",
    .flags = CMD_READONLY | CMD_PKSK_ONLY,
    .complete = cmd_complete_target,
    .run = collections_run,
};
