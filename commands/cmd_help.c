/* help [WORD]: everything it says comes from the rows of the registry. */
#include <strings.h>

#include "commands/args.h"
#include "commands/entries.h"
#include "commands/registry.h"

static void list_group(struct cmd_context *context, enum cmd_group group, struct cmd_grid *grid,
                       struct cmd_result *result)
{
    struct cmd_walk walk = {0};
    const struct cmd_entry *entry;
    pk_slice heading[2] = {pk_slice_cstr(cmd_group_name(group)), {NULL, 0}};

    if (grid->row_count > 0)
        cmd_grid_row(result, grid, (const pk_slice[2]){{NULL, 0}, {NULL, 0}});
    cmd_grid_row(result, grid, heading);
    while ((entry = cmd_walk_next(context, &walk)) != NULL) {
        pk_slice cells[2] = {pk_arena_printf(&result->arena, "  %s", entry->name),
                             pk_slice_cstr(entry->summary)};

        if (entry->group == group)
            cmd_grid_row(result, grid, cells);
    }
}

static void list_all(struct cmd_context *context, struct cmd_result *result)
{
    static const char *const columns[] = {"", ""};
    struct cmd_grid *grid = cmd_result_grid(result, columns, NULL, 2);

    grid->headless = true;
    for (int group = CMD_GROUP_DATA; group <= CMD_GROUP_SHELL; group++)
        list_group(context, (enum cmd_group)group, grid, result);
    cmd_result_text(result, CMD_BLOCK_NOTE,
                    "help WORD says more. PartiQL (SELECT, INSERT, UPDATE, DELETE) and DDL end "
                    "with ';', commands with the line.");
}

/* Aliases as they are typed: '_' stands for a blank. */
static void add_aliases(struct pk_buf *out, const char *alias)
{
    pk_buf_add_cstr(out, "\nalso: ");
    for (; *alias != '\0'; alias++) {
        if (*alias == ' ')
            pk_buf_add_cstr(out, ", ");
        else
            pk_buf_add_byte(out, *alias == '_' ? ' ' : (unsigned char)*alias);
    }
}

static void show_entry(const struct cmd_entry *entry, struct cmd_result *result)
{
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_printf(&out, "%s%s%s%s\n  %s", entry->name, entry->usage[0] == '\0' ? "" : " ",
                  entry->usage, (entry->flags & CMD_DDL) != 0 ? ";" : "", entry->summary);
    if (entry->detail != NULL)
        pk_buf_printf(&out, "\n\n%s", entry->detail);
    if (entry->alias != NULL)
        add_aliases(&out, entry->alias);
    cmd_result_text(result, CMD_BLOCK_TEXT, "%.*s", (int)out.len, out.data);
    pk_buf_release(&out);
}

/* `help create`: every command of two words that begins so. False when there is none. */
static bool show_family(struct cmd_context *context, pk_slice word, struct cmd_result *result)
{
    struct cmd_walk walk = {0};
    const struct cmd_entry *entry;
    bool any = false;

    while ((entry = cmd_walk_next(context, &walk)) != NULL) {
        pk_slice first = pk_slice_of(entry->name, strcspn(entry->name, " "));

        if (first.len == strlen(entry->name) || first.len != word.len ||
            strncasecmp(first.data, word.data, word.len) != 0)
            continue;
        show_entry(entry, result);
        any = true;
    }
    return any;
}

static void show_partiql(struct cmd_result *result)
{
    cmd_result_text(result, CMD_BLOCK_TEXT,
                    "PartiQL, sent as ExecuteStatement; ends with ';'\n"
                    "  SELECT * FROM Music WHERE Artist = 'Acme';\n"
                    "  INSERT INTO Music VALUE {'Artist': 'Acme', 'SongTitle': 'Go'};\n"
                    "  UPDATE Music SET Plays = 1 WHERE Artist = 'Acme' AND SongTitle = 'Go';\n"
                    "  DELETE FROM Music WHERE Artist = 'Acme' AND SongTitle = 'Go';");
}

static enum pk_code help_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    pk_slice rest = pk_slice_skip(statement->text, statement->args);
    const struct cmd_entry *entry;
    pk_slice word = cmd_word_at(rest, 0);
    pk_slice nearest;
    size_t ignored;

    if (rest.len == 0) {
        list_all(context, result);
        return PK_OK;
    }
    entry = cmd_find(context, rest, &ignored);
    if (entry != NULL) {
        show_entry(entry, result);
        return PK_OK;
    }
    if (cmd_is_partiql(rest)) {
        show_partiql(result);
        return PK_OK;
    }
    if (show_family(context, word, result))
        return PK_OK;
    pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)statement->args, (uint32_t)word.len},
               "there is no command '%.*s'", PK_FMT(word));
    nearest = cmd_nearest(context, word, &result->arena);
    if (nearest.len > 0)
        pk_error_hint(err, "did you mean %.*s?", PK_FMT(nearest));
    else
        pk_error_hint(err, "help alone lists them");
    return PK_E_USAGE;
}

const struct cmd_entry cmd_help_entry = {
    .name = "help",
    .alias = "\\? .help",
    .group = CMD_GROUP_SHELL,
    .usage = "[WORD]",
    .summary = "list the commands, or explain one",
    .flags = CMD_READONLY,
    .complete = cmd_complete_command,
    .run = help_run,
};
