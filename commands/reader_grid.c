/* See the header. */
#include "commands/reader_grid.h"

#include "commands/sim_settings.h"
#include "commands/snapshot.h"
#include "commands/wire.h"

enum { CELLS = 7, QUIET_MS = 10000 };

/* False when it is none of them. */
static bool find_shard(const cJSON *shards, pk_slice id, size_t *number)
{
    const cJSON *node;

    *number = 0;
    cJSON_ArrayForEach(node, shards)
    {
        if (pk_slice_equal(cmd_wire_text(node, "ShardId"), id))
            return true;
        ++*number;
    }
    return false;
}

static pk_slice call_text(struct pk_arena *arena, int64_t quiet_ms)
{
    if (quiet_ms < QUIET_MS)
        return PK_LIT("just now");
    return pk_arena_printf(arena, "%d s ago", (int)(quiet_ms / 1000));
}

/* Whole seconds, from one on. */
static pk_slice age_text(struct pk_arena *arena, int64_t ms)
{
    return cmd_duration_text(arena, (uint64_t)(ms < 1000 ? ms : ms - ms % 1000));
}

static void add_row(struct cmd_result *result, struct cmd_grid *grid,
                    const struct cmd_snapshot_reader *reader, size_t shard)
{
    struct pk_arena *arena = &result->arena;
    pk_slice cells[CELLS] = {
        cmd_format_count(arena, reader->number),
        cmd_format_count(arena, shard),
        reader->sequence,
        cmd_format_count(arena, reader->records),
        pk_arena_printf(arena, "%.*s%s", PK_FMT(cmd_format_count(arena, reader->waiting)),
                        reader->more ? "+" : ""),
        age_text(arena, reader->oldest_ms),
        call_text(arena, reader->quiet_ms),
    };

    if (reader->waiting == 0)
        cells[5] = PK_LIT("");
    cmd_grid_row(result, grid, cells);
}

enum pk_code cmd_reader_grid(struct cmd_context *context, pk_slice table, const cJSON *shards,
                             struct cmd_result *result, struct pk_error *err)
{
    static const char *const columns[CELLS] = {"reader", "shard",  "read to",  "records",
                                               "behind", "oldest", "last call"};
    static const enum cmd_align aligns[CELLS] = {CMD_RIGHT, CMD_RIGHT, CMD_LEFT, CMD_RIGHT,
                                                 CMD_RIGHT, CMD_RIGHT, CMD_LEFT};
    const struct cmd_snapshot_request request = {.table = table, .limit = 1};
    struct cmd_snapshot snapshot;
    struct cmd_grid *grid = NULL;
    enum pk_code rc;

    if (!context->backend->extensions)
        return PK_OK;
    rc = cmd_snapshot_take(context, &result->arena, &request, &snapshot, err);
    for (size_t i = 0; rc == PK_OK && i < snapshot.reader_count; i++) {
        size_t shard;

        if (!find_shard(shards, snapshot.readers[i].shard, &shard))
            continue;
        if (grid == NULL)
            grid = cmd_result_grid(result, columns, aligns, CELLS);
        add_row(result, grid, &snapshot.readers[i], shard);
    }
    return rc;
}
