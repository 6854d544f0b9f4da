/* indexes: a table's indexes, whether they are ready, and how far behind they are. */
#include "commands/entries.h"
#include "commands/schema.h"
#include "commands/sim_settings.h"
#include "commands/wire.h"

enum { CELLS = 8 };

static const cJSON *find_index(const cJSON *list, pk_slice name)
{
    const cJSON *node;

    cJSON_ArrayForEach(node, list)
    {
        if (pk_slice_equal(cmd_wire_text(node, "IndexName"), name))
            return node;
    }
    return NULL;
}

static pk_slice state_text(struct pk_arena *arena, const cJSON *node)
{
    pk_slice status = cmd_wire_text(node, "IndexStatus");

    if (cmd_wire_bool(node, "Backfilling"))
        return PK_LIT("backfilling");
    return status.data == NULL ? PK_LIT("ACTIVE") : pk_arena_dup(arena, status);
}

/* lag: the index's part of Pksk.IndexLag, NULL for an LSI and where there is none. */
static void add_row(struct cmd_result *result, struct cmd_grid *grid, const struct pk_index *index,
                    const cJSON *node, const cJSON *lag)
{
    struct pk_arena *arena = &result->arena;
    pk_slice cells[CELLS] = {
        pk_arena_dup(arena, index->name),
        index->local ? PK_LIT("LSI") : PK_LIT("GSI"),
        state_text(arena, node),
        cmd_key_text(&index->key, arena),
        cmd_format_count(arena, (uint64_t)cmd_wire_int(node, "ItemCount", 0)),
        cmd_format_whole_bytes(arena, (uint64_t)cmd_wire_int(node, "IndexSizeBytes", 0)),
    };

    if (lag != NULL) {
        cells[6] = cmd_format_count(arena, (uint64_t)cmd_wire_int(lag, "Waiting", 0));
        cells[7] = cmd_duration_text(arena, (uint64_t)cmd_wire_int(lag, "OldestMs", 0));
    }
    cmd_grid_row(result, grid, cells);
}

static void show(const struct pk_table *table, const cJSON *description, const cJSON *lags,
                 struct cmd_result *result)
{
    static const char *const columns[CELLS] = {"index", "kind", "state",   "key",
                                               "items", "size", "waiting", "lag"};
    static const enum cmd_align aligns[CELLS] = {CMD_LEFT,  CMD_LEFT,  CMD_LEFT,  CMD_LEFT,
                                                 CMD_RIGHT, CMD_RIGHT, CMD_RIGHT, CMD_RIGHT};
    struct cmd_grid *grid;

    if (table->index_count == 0) {
        cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s has no indexes", PK_FMT(table->name));
        return;
    }
    grid = cmd_result_grid(result, columns, aligns, CELLS);
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(
            description, index->local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");

        add_row(result, grid, index, find_index(list, index->name),
                find_index(cJSON_GetObjectItemCaseSensitive(lags, "Indexes"), index->name));
    }
}

static enum pk_code indexes_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    struct pk_error ignored = PK_ERROR_INIT;
    struct cmd_schema *schema = NULL;
    cJSON *request, *answer = NULL, *lags = NULL;
    const cJSON *description;
    pk_slice name;
    enum pk_code rc = cmd_read_table(context, statement, &result->arena, &name, err);

    if (rc != PK_OK)
        return rc;
    request = cJSON_CreateObject();
    cmd_wire_set_text(request, "TableName", name);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    if (rc == PK_OK) {
        /* A foreign endpoint does not tell: then the columns stay blank. */
        (void)cmd_call(context, "Pksk.IndexLag", request, &lags, NULL, &ignored);
        description = cJSON_GetObjectItemCaseSensitive(answer, "Table");
        schema = cmd_schema_read(description);
        show(cmd_schema_table(schema), description, lags, result);
        cmd_schema_free(schema);
    } else if (err->span.len == 0) {
        err->span = (struct pk_span){(uint32_t)statement->args, (uint32_t)name.len};
    }
    pk_error_release(&ignored);
    cJSON_Delete(lags);
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

const struct cmd_entry cmd_indexes_entry = {
    .name = "indexes",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[TABLE]",
    .summary = "a table's indexes: state, size, and how far behind they are",
    .detail = "waiting: changes that have not reached the index yet; lag: how long the first of "
              "them has been waiting.",
    .flags = CMD_READONLY,
    .complete = cmd_complete_table,
    .run = indexes_run,
};
