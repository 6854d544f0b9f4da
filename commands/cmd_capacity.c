/* capacity: what the session has consumed, by table and operation. */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/spent.h"

enum { CELLS = 5 };

static pk_slice units_cell(struct pk_arena *arena, int64_t milli)
{
    return milli == 0 ? (pk_slice){NULL, 0} : cmd_format_units(arena, milli);
}

static void show(const struct cmd_spent *spent, struct cmd_result *result)
{
    static const char *const columns[CELLS] = {"table", "operation", "requests", "RCU", "WCU"};
    static const enum cmd_align aligns[CELLS] = {CMD_LEFT, CMD_LEFT, CMD_RIGHT, CMD_RIGHT,
                                                 CMD_RIGHT};
    struct pk_arena *arena = &result->arena;
    struct cmd_grid *grid = cmd_result_grid(result, columns, aligns, CELLS);
    int64_t read = 0, write = 0;

    for (size_t i = 0; i < spent->count; i++) {
        const struct cmd_spent_row *row = &spent->rows[i];
        pk_slice cells[CELLS] = {pk_arena_dup(arena, pk_slice_cstr(row->table)),
                                 pk_arena_dup(arena, pk_slice_cstr(row->operation)),
                                 cmd_format_count(arena, row->requests),
                                 units_cell(arena, row->read_milli),
                                 units_cell(arena, row->write_milli)};

        cmd_grid_row(result, grid, cells);
        read += row->read_milli;
        write += row->write_milli;
    }
    cmd_result_text(result, CMD_BLOCK_FOOTER, "%.*s RCU \xC2\xB7 %.*s WCU in this session",
                    PK_FMT(cmd_format_units(arena, read)), PK_FMT(cmd_format_units(arena, write)));
}

static enum pk_code capacity_run(struct cmd_context *context, const struct cmd_statement *statement,
                                 struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);
    bool reset = rc == PK_OK && cmd_words_is(&words, "reset");

    if (rc == PK_OK && !cmd_words_at_end(&words) && !reset)
        return pk_fail_at(err, PK_E_USAGE, words.token.span, "expected reset or nothing");
    if (reset)
        rc = cmd_words_next(&words, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    if (reset) {
        cmd_spent_free(context->spent);
        context->spent = NULL;
    } else if (context->spent != NULL) {
        show(context->spent, result);
        return PK_OK;
    }
    cmd_result_text(result, CMD_BLOCK_NOTE, "nothing has been consumed in this session");
    return PK_OK;
}

static void complete_capacity(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    cmd_completion_add(completion, PK_LIT("reset"));
}

const struct cmd_entry cmd_capacity_entry = {
    .name = "capacity",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[reset]",
    .summary = "what this session has consumed, by table and operation",
    .detail = "Counted is what answers say they cost: a write whose condition failed costs too,\n"
              "but its answer does not say so. A traffic is counted when it is stopped.",
    .flags = CMD_READONLY,
    .complete = complete_capacity,
    .run = capacity_run,
};
