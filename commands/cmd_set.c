#include "commands/args.h"
#include "commands/entries.h"
#include "commands/settings.h"
#include "commands/sim_settings.h"

/* One row: name, value, what it takes, default, meaning. */
enum { CELLS = 5 };

static void shell_cells(struct cmd_context *context, const struct cmd_setting *row,
                        struct cmd_result *result, pk_slice cells[CELLS])
{
    cells[0] = pk_slice_cstr(row->name);
    cells[1] = cmd_settings_show(context->settings, row->name, &result->arena);
    cells[2] = pk_slice_cstr(row->unit);
    cells[3] = pk_slice_cstr(row->initial);
    cells[4] = pk_slice_cstr(row->sentence);
}

/* The next row of the two lists, by name. False at the end of both. */
static bool next_cells(struct cmd_context *context, const struct cmd_setting **row,
                       struct cmd_sim_walk *walk, struct cmd_result *result, pk_slice cells[CELLS])
{
    const char *sim = cmd_sim_peek(walk);

    if (sim != NULL && ((*row)->name == NULL || strcmp(sim, (*row)->name) < 0)) {
        cmd_sim_next(walk, &result->arena, cells);
        return true;
    }
    if ((*row)->name == NULL)
        return false;
    shell_cells(context, *row, result, cells);
    (*row)++;
    return true;
}

/* All settings, or the one of that name. */
static enum pk_code show(struct cmd_context *context, pk_slice name, struct pk_span span,
                         struct cmd_result *result, struct pk_error *err)
{
    static const char *const columns[] = {"setting", "value", "takes", "default", "meaning"};
    const struct cmd_setting *row = cmd_setting_rows;
    struct cmd_grid *grid = NULL;
    struct cmd_sim_walk walk;
    pk_slice cells[CELLS];

    cmd_sim_begin(context, &walk);
    while (next_cells(context, &row, &walk, result, cells)) {
        if (name.data != NULL && !cmd_word_is(name, cells[0].data))
            continue;
        if (grid == NULL)
            grid = cmd_result_grid(result, columns, NULL, CELLS);
        cmd_grid_row(result, grid, cells);
    }
    cmd_sim_end(&walk);
    if (grid != NULL)
        return PK_OK;
    if (cmd_sim_is(name))
        return cmd_fail_foreign(context, pk_arena_dup(&result->arena, name).data, err);
    pk_fail_at(err, PK_E_USAGE, span, "no setting is called '%.*s'", PK_FMT(name));
    pk_error_hint(err, "set alone shows them all");
    return PK_E_USAGE;
}

static bool is_setting(pk_slice name)
{
    for (const struct cmd_setting *row = cmd_setting_rows; row->name != NULL; row++) {
        if (cmd_word_is(name, row->name))
            return true;
    }
    return false;
}

/* set [NAME [=] [VALUE]] */
static enum pk_code set_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    struct pk_span span, value_span;
    pk_slice name = {NULL, 0}, value;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc != PK_OK)
        return rc;
    span = words.token.span;
    if (!cmd_words_at_end(&words))
        rc = cmd_words_take(&words, "a setting's name", &name, err);
    if (rc == PK_OK && cmd_token_is(&words.token, "="))
        rc = cmd_words_next(&words, err);
    if (rc != PK_OK)
        return rc;
    if (cmd_words_at_end(&words))
        return show(context, name, span, result, err);
    if (cmd_sim_is(name)) {
        value = pk_slice_skip(statement->text, words.token.span.start);
        rc = cmd_sim_set(context, name, value, err);
        if (rc != PK_OK)
            err->span = (struct pk_span){words.token.span.start, (uint32_t)value.len};
        return rc;
    }
    value_span = words.token.span;
    rc = cmd_words_take(&words, "a value", &value, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    rc = cmd_settings_set(context->settings, name, value, err);
    if (rc != PK_OK)
        err->span = is_setting(name) ? value_span : span;
    return rc;
}

static void set_complete(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    for (const struct cmd_setting *row = cmd_setting_rows; row->name != NULL; row++)
        cmd_completion_add(completion, pk_slice_cstr(row->name));
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL; field++)
        cmd_completion_add(completion, pk_slice_cstr(field->name));
}

const struct cmd_entry cmd_set_entry = {
    .name = "set",
    .group = CMD_GROUP_WORLD,
    .usage = "[NAME [=] [VALUE]]",
    .summary = "show the settings, or change one",
    .detail = "  set             all settings with unit, default and meaning\n"
              "  set rows 50     set read = strong     set partition.bytes 64 KB\n"
              "Settings of the simulation are kept in the store; tables keep the partitions they "
              "have.",
    .complete = set_complete,
    .run = set_run,
};
