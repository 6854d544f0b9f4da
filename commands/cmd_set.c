#include "commands/args.h"
#include "commands/entries.h"
#include "commands/settings.h"

static void show_setting(struct cmd_context *context, const struct cmd_setting *row,
                         struct cmd_grid *grid, struct cmd_result *result)
{
    pk_slice cells[5] = {
        pk_slice_cstr(row->name), cmd_settings_show(context->settings, row->name, &result->arena),
        pk_slice_cstr(row->unit), pk_slice_cstr(row->initial), pk_slice_cstr(row->sentence)};

    cmd_grid_row(result, grid, cells);
}

/* All settings, or those of one name; a beginning up to a dot names a family. */
static enum pk_code show(struct cmd_context *context, pk_slice name, struct pk_span span,
                         struct cmd_result *result, struct pk_error *err)
{
    static const char *const columns[] = {"setting", "value", "takes", "default", "meaning"};
    struct cmd_grid *grid = NULL;

    for (const struct cmd_setting *row = cmd_setting_rows; row->name != NULL; row++) {
        if (name.data != NULL && !cmd_word_is(name, row->name))
            continue;
        if (grid == NULL)
            grid = cmd_result_grid(result, columns, NULL, 5);
        show_setting(context, row, grid, result);
    }
    if (grid != NULL)
        return PK_OK;
    pk_fail_at(err, PK_E_USAGE, span, "no setting is called '%.*s'", PK_FMT(name));
    pk_error_hint(err, "set alone shows them all");
    return PK_E_USAGE;
}

/* set [NAME [=] [VALUE]] */
static enum pk_code set_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    struct pk_span span;
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
    span.len = words.token.span.start + words.token.span.len - span.start;
    rc = cmd_words_take(&words, "a value", &value, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    rc = cmd_settings_set(context->settings, name, value, err);
    if (rc != PK_OK)
        err->span = span;
    return rc;
}

static void set_complete(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    for (const struct cmd_setting *row = cmd_setting_rows; row->name != NULL; row++)
        cmd_completion_add(completion, pk_slice_cstr(row->name));
}

const struct cmd_entry cmd_set_entry = {
    .name = "set",
    .group = CMD_GROUP_WORLD,
    .usage = "[NAME [=] [VALUE]]",
    .summary = "show the settings, or change one",
    .detail = "  set             all settings with unit, default and meaning\n"
              "  set rows 50     set read = strong",
    .complete = set_complete,
    .run = set_run,
};
