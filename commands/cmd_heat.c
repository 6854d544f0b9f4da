/*
 * heat [TABLE | INDEX] [save FILE.svg]: how the load moved over the partitions in the last minutes,
 * as a map, or drawn into a file.
 */
#include <sys/stat.h>

#include "commands/args.h"
#include "commands/entries.h"
#include "commands/heat.h"
#include "commands/ranges.h"
#include "commands/schema.h"
#include "commands/time_text.h"
#include "commands/transfer/transfer_export.h"

enum { SECONDS = 300, PARTITIONS = 64, KEYS = 3, NOTE_SHARE = 100, CELLS = 6 };

struct heat_args {
    struct cmd_target target;
    pk_slice file; /* data NULL: none */
    struct pk_span file_span;
};

/* ---- arguments ------------------------------------------------------------------------------- */

static enum pk_code read_file(struct cmd_words *words, struct heat_args *args, struct pk_error *err)
{
    enum pk_code rc = cmd_words_next(words, err);

    args->file_span = words->token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(words, "the file's name", &args->file, err);
    if (rc != PK_OK)
        return rc;
    if (args->file.len < 5 || !cmd_word_is(pk_slice_skip(args->file, args->file.len - 4), ".svg")) {
        pk_fail_at(err, PK_E_USAGE, args->file_span, "a drawing's name ends in .svg");
        pk_error_hint(err, "heat save heat.svg");
        return PK_E_USAGE;
    }
    return PK_OK;
}

/* [TABLE | INDEX] [save FILE.svg]; a table called save is named in quotes. */
static enum pk_code parse(struct cmd_context *context, const struct cmd_statement *statement,
                          struct heat_args *args, struct pk_arena *arena, struct pk_error *err)
{
    struct cmd_words words;
    pk_slice name = {NULL, 0};
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    if (rc != PK_OK)
        return rc;
    if (cmd_words_is(&words, "save")) {
        rc = cmd_need_table(context, &name, err);
        if (rc == PK_OK)
            rc = cmd_find_target(context, name, &args->target, err);
    } else {
        rc = cmd_words_target(context, &words, &args->target, err);
    }
    if (rc == PK_OK && cmd_words_is(&words, "save"))
        rc = read_file(&words, args, err);
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

/* ---- the map --------------------------------------------------------------------------------- */

static struct cmd_map *new_map(const struct cmd_heat *heat, struct pk_arena *arena)
{
    const struct cmd_snapshot *snapshot = heat->snapshot;
    struct cmd_map *map = PK_NEW(arena, struct cmd_map);

    map->rows = snapshot->count;
    map->columns = heat->seconds;
    map->labels = PK_NEW_ARRAY(arena, pk_slice, map->rows);
    map->notes = PK_NEW_ARRAY(arena, pk_slice, map->rows);
    map->levels = PK_NEW_ARRAY(arena, uint16_t, map->rows * map->columns);
    map->marks = PK_NEW_ARRAY(arena, bool, map->rows * map->columns);
    map->end_ms = heat->end_ms;
    map->full = "a partition's limit";
    map->mark = snapshot->throttle == CMD_THROTTLE_OBSERVE ? "would throttle" : "throttled";
    return map;
}

static void fill_row(struct cmd_map *map, const struct cmd_heat *heat, size_t row, int digits,
                     struct pk_arena *arena)
{
    const struct cmd_snapshot_partition *partition = &heat->snapshot->partitions[row];
    pk_slice range = cmd_range_text(arena, partition, digits);

    map->labels[row] = pk_arena_printf(arena, "%u  %.*s", partition->number, PK_FMT(range));
    if (partition->hottest_count > 0 && partition->hottest[0].share >= NOTE_SHARE)
        map->notes[row] = cmd_short_key(arena, partition->hottest[0].text);
    for (size_t i = 0; i < heat->seconds; i++) {
        struct cmd_heat_cell cell = cmd_heat_cell(heat, row, i);

        map->levels[row * map->columns + i] = (uint16_t)cell.level;
        map->marks[row * map->columns + i] = cell.refused > 0;
    }
}

static const struct cmd_map *make_map(const struct cmd_heat *heat, struct pk_arena *arena)
{
    struct cmd_map *map = new_map(heat, arena);
    int digits = cmd_token_digits(heat->snapshot);
    pk_slice keys = cmd_heat_keys(heat, KEYS, arena);

    if (keys.len > 0)
        map->head = pk_arena_printf(arena, "hottest  %.*s", PK_FMT(keys));
    for (size_t row = 0; row < map->rows; row++)
        fill_row(map, heat, row, digits, arena);
    return map;
}

/* ---- the same as rows, for machines: each request in one of them ----------------------------- */

static void add_second(struct cmd_result *result, struct cmd_grid *grid,
                       const struct cmd_heat *heat, size_t row, size_t second)
{
    struct pk_arena *arena = &result->arena;
    struct cmd_heat_cell cell = cmd_heat_cell(heat, row, second);
    int64_t ms = heat->end_ms - (int64_t)(heat->seconds - 1 - second) * 1000;
    pk_slice cells[CELLS] = {
        pk_arena_printf(arena, "%u", heat->snapshot->partitions[row].number),
        pk_arena_printf(arena, "%s", cmd_time_to_second(ms / 1000).text),
        cmd_format_units(arena, cell.read_milli),
        cmd_format_units(arena, cell.write_milli),
        pk_arena_printf(arena, "%u", cell.refused),
        pk_arena_printf(arena, "%u.%03u", cell.level / 1000, cell.level % 1000),
    };

    if ((cell.level > 0 || cell.refused > 0) && cmd_heat_counts(heat, row, second))
        cmd_grid_row(result, grid, cells);
}

static void show(const struct cmd_heat *heat, struct cmd_result *result)
{
    static const char *const columns[CELLS] = {"partition", "second",    "reads/s",
                                               "writes/s",  "throttled", "share"};
    static const enum cmd_align aligns[CELLS] = {CMD_RIGHT, CMD_LEFT,  CMD_RIGHT,
                                                 CMD_RIGHT, CMD_RIGHT, CMD_RIGHT};
    struct cmd_grid *grid = cmd_result_grid(result, columns, aligns, CELLS);

    for (size_t row = 0; row < heat->snapshot->count; row++) {
        for (size_t second = 0; second < heat->seconds; second++)
            add_second(result, grid, heat, row, second);
    }
    grid->map = make_map(heat, &result->arena);
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static enum pk_code save(const struct cmd_heat *heat, const struct heat_args *args,
                         struct cmd_result *result, struct pk_error *err)
{
    struct transfer_export export = {.context = NULL};
    const char *path = pk_arena_dup(&result->arena, args->file).data;
    struct stat info;
    bool there = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    enum pk_code rc;

    cmd_heat_svg(&export.out, heat);
    rc = transfer_output_open(&export, path, err);
    if (rc == PK_OK)
        rc = transfer_output_finish(&export, err);
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%s: %zu partition%s, %zu s%s", path,
                        heat->snapshot->count, heat->snapshot->count == 1 ? "" : "s", heat->seconds,
                        there ? "; the file that was there is replaced" : "");
    else if (err->span.len == 0)
        err->span = args->file_span;
    transfer_export_release(&export);
    return rc;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum pk_code heat_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    struct cmd_snapshot_request request = {.history = SECONDS, .limit = PARTITIONS};
    struct heat_args args = {.file = {NULL, 0}};
    struct cmd_snapshot snapshot;
    struct cmd_heat heat;
    enum pk_code rc = parse(context, statement, &args, &result->arena, err);

    if (rc != PK_OK)
        return rc;
    request.table = args.target.table->name;
    if (args.target.index != NULL)
        request.index = args.target.index->name;
    rc = cmd_snapshot_take_all(context, &result->arena, &request, &snapshot, err);
    if (rc != PK_OK)
        return rc;
    heat = cmd_heat_of(&snapshot);
    if (args.file.data != NULL)
        rc = save(&heat, &args, result, err);
    else if (heat.seconds == 0)
        cmd_result_text(result, CMD_BLOCK_NOTE, "nothing has been read or written in the last %d s",
                        SECONDS);
    else
        show(&heat, result);
    if (rc == PK_OK && snapshot.count < snapshot.partition_count)
        cmd_result_text(result, CMD_BLOCK_NOTE, "the first %zu of %u partitions", snapshot.count,
                        snapshot.partition_count);
    return rc;
}

const struct cmd_entry cmd_heat_entry = {
    .name = "heat",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[TABLE | INDEX] [save FILE.svg]",
    .summary = "the load of each partition over the last minutes, as a map",
    .detail = "  heat            heat Music.by_genre        heat save hot.svg\n"
              "A row is a partition, a column a second or several; the shade is how much of its\n"
              "limit was used, the nearer of reads and writes. csv and json show the figures.",
    .flags = CMD_READONLY | CMD_PKSK_ONLY,
    .complete = cmd_complete_target,
    .run = heat_run,
};
