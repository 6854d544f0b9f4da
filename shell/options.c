/* Parsing the command line; see options.h. When an option is added, also change docs/man. */
#include "shell/options.h"

#include <stdio.h>
#include <stdlib.h>

enum option {
    OPT_MEMORY,
    OPT_DURABLE,
    OPT_COMMAND,
    OPT_FILE,
    OPT_MODE,
    OPT_QUIET,
    OPT_NO_INIT,
    OPT_KEEP_GOING,
    OPT_YES,
    OPT_VERSION,
    OPT_HELP
};

static const struct row {
    enum option option;
    char letter;          /* 0: none */
    const char *name;     /* without the dashes; NULL: none */
    const char *argument; /* NULL: takes none */
    const char *help;
} ROWS[] = {
    {OPT_MEMORY, 0, "memory", NULL, "a store in a temporary directory, removed at exit"},
    {OPT_DURABLE, 0, "durable", NULL, "sync every commit to the disk"},
    {OPT_COMMAND, 'c', NULL, "TEXT", "run the statements in TEXT (repeatable)"},
    {OPT_FILE, 'f', NULL, "FILE", "run the statements in FILE (repeatable)"},
    {OPT_MODE, 0, "mode", "M", "table, line, json, jsonl, csv or markdown"},
    {OPT_QUIET, 'q', NULL, NULL, "no banner"},
    {OPT_NO_INIT, 0, "no-init", NULL, "do not read the init file"},
    {OPT_KEEP_GOING, 0, "keep-going", NULL, "go on after a statement that fails"},
    {OPT_YES, 0, "yes", NULL, "do not ask before what destroys data"},
    {OPT_VERSION, 0, "version", NULL, "print the version"},
    {OPT_HELP, 'h', "help", NULL, "print this help"},
};

enum { ROW_COUNT = sizeof(ROWS) / sizeof(ROWS[0]) };

void sh_options_release(struct sh_options *options)
{
    free(options->inputs);
    *options = (struct sh_options){.dir = NULL};
}

static void add_input(struct sh_options *options, struct sh_input input)
{
    options->inputs =
        pk_realloc(options->inputs, options->input_count + 1, sizeof(*options->inputs));
    options->inputs[options->input_count++] = input;
}

static enum pk_code apply(struct sh_options *options, enum option option, const char *argument,
                          struct pk_error *err)
{
    switch (option) {
    case OPT_MEMORY:
        options->memory = true;
        break;
    case OPT_DURABLE:
        options->durable = true;
        break;
    case OPT_COMMAND:
        add_input(options, (struct sh_input){SH_INPUT_TEXT, argument});
        break;
    case OPT_FILE:
        add_input(options, (struct sh_input){SH_INPUT_FILE, argument});
        break;
    case OPT_MODE:
        if (!cmd_mode_parse(pk_slice_cstr(argument), &options->mode))
            return pk_fail(err, PK_E_USAGE,
                           "no mode '%s': table, line, json, jsonl, csv or markdown", argument);
        options->mode_given = true;
        break;
    case OPT_QUIET:
        options->quiet = true;
        break;
    case OPT_NO_INIT:
        options->no_init = true;
        break;
    case OPT_KEEP_GOING:
        options->keep_going = true;
        break;
    case OPT_YES:
        options->yes = true;
        break;
    case OPT_VERSION:
        options->action = SH_VERSION;
        break;
    case OPT_HELP:
        options->action = SH_HELP;
        break;
    }
    return PK_OK;
}

/* What is left of the command line. */
struct words {
    char **next;
    char **end;
};

static enum pk_code parse_long(struct sh_options *options, const char *word, struct words *words,
                               struct pk_error *err)
{
    const char *equals = strchr(word, '=');
    size_t len = equals == NULL ? strlen(word) : (size_t)(equals - word);

    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct row *row = &ROWS[i];

        if (row->name == NULL || strlen(row->name) != len || memcmp(row->name, word, len) != 0)
            continue;
        if (row->argument == NULL && equals != NULL)
            return pk_fail(err, PK_E_USAGE, "option '--%s' takes no argument", row->name);
        if (row->argument == NULL)
            return apply(options, row->option, NULL, err);
        if (equals != NULL)
            return apply(options, row->option, equals + 1, err);
        if (words->next == words->end)
            return pk_fail(err, PK_E_USAGE, "option '--%s' needs %s", row->name, row->argument);
        return apply(options, row->option, *words->next++, err);
    }
    return pk_fail(err, PK_E_USAGE, "no option '--%.*s'", (int)len, word);
}

/* Letters may be joined ("-qc TEXT"); an argument may follow its letter at once. */
static enum pk_code parse_letters(struct sh_options *options, const char *letters,
                                  struct words *words, struct pk_error *err)
{
    for (; *letters != '\0'; letters++) {
        const struct row *row = NULL;

        for (size_t i = 0; i < ROW_COUNT; i++)
            if (ROWS[i].letter == *letters)
                row = &ROWS[i];
        if (row == NULL)
            return pk_fail(err, PK_E_USAGE, "no option '-%c'", *letters);

        const char *argument = NULL;

        if (row->argument != NULL && letters[1] != '\0')
            argument = letters + 1;
        else if (row->argument != NULL && words->next < words->end)
            argument = *words->next++;
        else if (row->argument != NULL)
            return pk_fail(err, PK_E_USAGE, "option '-%c' needs %s", *letters, row->argument);

        enum pk_code rc = apply(options, row->option, argument, err);

        if (rc != PK_OK || argument != NULL)
            return rc;
    }
    return PK_OK;
}

static enum pk_code take_dir(struct sh_options *options, const char *word, struct pk_error *err)
{
    if (options->dir != NULL)
        return pk_fail(err, PK_E_USAGE, "one store at a time: '%s' and '%s'", options->dir, word);
    if (word[0] == '\0')
        return pk_fail(err, PK_E_USAGE, "the store's directory has an empty name");
    options->dir = word;
    return PK_OK;
}

static enum pk_code parse_words(struct sh_options *options, struct words *words,
                                struct pk_error *err)
{
    enum pk_code rc = PK_OK;
    bool only_words = false;

    while (rc == PK_OK && words->next < words->end) {
        const char *word = *words->next++;

        if (only_words || word[0] != '-' || word[1] == '\0')
            rc = take_dir(options, word, err);
        else if (strcmp(word, "--") == 0)
            only_words = true;
        else if (word[1] == '-')
            rc = parse_long(options, word + 2, words, err);
        else
            rc = parse_letters(options, word + 1, words, err);
    }
    return rc;
}

enum pk_code sh_options_parse(struct sh_options *options, int argc, char **argv,
                              struct pk_error *err)
{
    struct words words = {argv + (argc > 0 ? 1 : 0), argv + argc};
    const char *first = words.next < words.end ? *words.next : "";
    bool repair = strcmp(first, "repair") == 0;

    *options = (struct sh_options){.action = SH_RUN};
    if (strcmp(first, "serve") == 0 || strcmp(first, "panel") == 0)
        return pk_fail(err, PK_E_USAGE,
                       "'%s' arrives in a later version; a store of that name is './%s'", first,
                       first);
    if (repair) {
        options->action = SH_REPAIR;
        words.next++;
    }

    enum pk_code rc = parse_words(options, &words, err);

    if (rc != PK_OK)
        return rc;
    if (options->memory && options->dir != NULL)
        return pk_fail(err, PK_E_USAGE, "--memory and a directory ('%s') exclude each other",
                       options->dir);
    if (options->action == SH_REPAIR && (options->dir == NULL || options->input_count > 0))
        return pk_fail(err, PK_E_USAGE, "usage: pksk repair DIR");
    return PK_OK;
}

void sh_options_help(struct pk_buf *out)
{
    pk_buf_add_cstr(out,
                    "usage: pksk [options] [DIR]\n"
                    "       pksk repair DIR\n"
                    "\n"
                    "Opens the store in DIR (by default $XDG_DATA_HOME/pksk/default) and reads\n"
                    "statements: those of -c and -f in their order, else from standard input.\n"
                    "\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct row *row = &ROWS[i];
        char words[32];

        snprintf(words, sizeof(words), "%s%c%s%s%s%s%s", row->letter == 0 ? "" : "-",
                 row->letter == 0 ? ' ' : row->letter,
                 row->letter != 0 && row->name != NULL ? ", " : "", row->name == NULL ? "" : "--",
                 row->name == NULL ? "" : row->name, row->argument == NULL ? "" : " ",
                 row->argument == NULL ? "" : row->argument);
        pk_buf_printf(out, "  %-16s %s\n", words[0] == ' ' ? words + 1 : words, row->help);
    }
    pk_buf_add_cstr(out,
                    "\n"
                    "Exit status: 0 fine, 1 a statement failed, 2 usage, 3 the store cannot be\n"
                    "opened, 4 a check failed, 130 interrupted.\n");
}
