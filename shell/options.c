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
    OPT_ENDPOINT,
    OPT_REGION,
    OPT_PROFILE,
    OPT_QUIET,
    OPT_NO_INIT,
    OPT_KEEP_GOING,
    OPT_YES,
    OPT_PORT,
    OPT_HOST,
    OPT_AUTH,
    OPT_ALLOW_HOST,
    OPT_CORS,
    OPT_LOG,
    OPT_VERBOSE,
    OPT_TABLE,
    OPT_VIEW,
    OPT_PROJECTOR,
    OPT_THEME,
    OPT_VERSION,
    OPT_HELP
};

enum { SHELL = 1, SERVE = 2, PANEL = 4 };

static const struct row {
    enum option option;
    char letter;          /* 0: none */
    const char *name;     /* without the dashes; NULL: none */
    const char *argument; /* NULL: takes none */
    const char *help;
    unsigned actions; /* of SHELL, SERVE, PANEL: where it is allowed; 0: everywhere */
} ROWS[] = {
    {OPT_MEMORY, 0, "memory", NULL, "a store in a temporary directory, removed at exit",
     SHELL | SERVE},
    {OPT_DURABLE, 0, "durable", NULL, "sync every commit to the disk", SHELL | SERVE},
    {OPT_COMMAND, 'c', NULL, "TEXT", "run the statements in TEXT (repeatable)", SHELL},
    {OPT_FILE, 'f', NULL, "FILE", "run the statements in FILE (repeatable)", SHELL},
    {OPT_MODE, 0, "mode", "M", "table, line, json, jsonl, csv or markdown", SHELL},
    {OPT_ENDPOINT, 0, "endpoint", "URL", "work on this endpoint, not on a store", SHELL | PANEL},
    {OPT_REGION, 0, "region", "R", "the region of the endpoint, or of AWS", SHELL | PANEL},
    {OPT_PROFILE, 0, "profile", "P", "the profile in ~/.aws: credentials, region, endpoint",
     SHELL | PANEL},
    {OPT_QUIET, 'q', NULL, NULL, "no banner", SHELL},
    {OPT_NO_INIT, 0, "no-init", NULL, "do not read the init file", SHELL},
    {OPT_KEEP_GOING, 0, "keep-going", NULL, "go on after a statement that fails", SHELL},
    {OPT_YES, 0, "yes", NULL, "do not ask before what destroys data", SHELL},
    {OPT_PORT, 0, "port", "N", "listen on this port, 8000 by default; 0: any that is free", SERVE},
    {OPT_HOST, 0, "host", "H", "listen on this address, 127.0.0.1 by default", SERVE},
    {OPT_AUTH, 0, "auth", "FILE", "check signatures; FILE has a key id and its secret a line",
     SERVE},
    {OPT_ALLOW_HOST, 0, "allow-host", "NAME", "a further name of this server (repeatable)", SERVE},
    {OPT_CORS, 0, "cors", "ORIGIN", "let pages of this origin, or of any (*), read answers", SERVE},
    {OPT_VERBOSE, 'v', NULL, NULL, "a line on standard error for each request", SERVE},
    {OPT_LOG, 0, "log", "FORM", "such lines as text or json", SERVE},
    {OPT_TABLE, 0, "table", "NAME", "look at this table, not at the first one", PANEL},
    {OPT_VIEW, 0, "view", "NAME", "heat, collections, stream, indexes or split", PANEL},
    {OPT_PROJECTOR, 0, "projector", NULL, "large bars, few things: for a room", PANEL},
    {OPT_THEME, 0, "theme", "T", "light or dark; without it the terminal's own colours", PANEL},
    {OPT_VERSION, 0, "version", NULL, "print the version", 0},
    {OPT_HELP, 'h', "help", NULL, "print this help", 0},
};

enum { ROW_COUNT = sizeof(ROWS) / sizeof(ROWS[0]) };

void sh_options_release(struct sh_options *options)
{
    free(options->inputs);
    free(options->serve.allowed);
    *options = (struct sh_options){.dir = NULL};
}

static void add_input(struct sh_options *options, struct sh_input input)
{
    options->inputs =
        pk_realloc(options->inputs, options->input_count + 1, sizeof(*options->inputs));
    options->inputs[options->input_count++] = input;
}

bool sh_port_parse(pk_slice text, uint16_t *port)
{
    enum { DIGITS = 5, PORT_MAX = 65535 };
    unsigned long number = 0;

    if (text.len == 0 || text.len > DIGITS)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        number = number * 10 + (unsigned long)(text.data[i] - '0');
    }
    *port = (uint16_t)number;
    return number <= PORT_MAX;
}

static enum pk_code set_log(struct sh_serve_options *serve, const char *form, struct pk_error *err)
{
    if (strcmp(form, "text") != 0 && strcmp(form, "json") != 0)
        return pk_fail(err, PK_E_USAGE, "no log '%s': text or json", form);
    serve->log = strcmp(form, "json") == 0 ? SH_LOG_JSON : SH_LOG_TEXT;
    return PK_OK;
}

static void allow_host(struct sh_serve_options *serve, const char *name)
{
    serve->allowed = pk_realloc(serve->allowed, serve->allowed_count + 1, sizeof(*serve->allowed));
    serve->allowed[serve->allowed_count++] = name;
}

static enum pk_code apply_serve(struct sh_serve_options *serve, enum option option,
                                const char *argument, struct pk_error *err)
{
    if (option == OPT_PORT && !sh_port_parse(pk_slice_cstr(argument), &serve->port))
        return pk_fail(err, PK_E_USAGE, "no port '%s': 0 to 65535", argument);
    if (option == OPT_PORT)
        serve->port_given = true;
    else if (option == OPT_HOST)
        serve->host = argument;
    else if (option == OPT_AUTH)
        serve->auth = argument;
    else if (option == OPT_ALLOW_HOST)
        allow_host(serve, argument);
    else if (option == OPT_CORS)
        serve->cors = argument;
    else if (option == OPT_LOG)
        return set_log(serve, argument, err);
    else if (serve->log == SH_LOG_NONE) /* -v */
        serve->log = SH_LOG_TEXT;
    return PK_OK;
}

static enum pk_code apply_panel(struct sh_panel_options *panel, enum option option,
                                const char *argument, struct pk_error *err)
{
    if (option == OPT_TABLE) {
        panel->table = argument;
    } else if (option == OPT_PROJECTOR) {
        panel->projector = true;
    } else if (option == OPT_VIEW) {
        if (!sh_view_named(pk_slice_cstr(argument), &panel->view))
            return pk_fail(err, PK_E_USAGE,
                           "no view '%s': heat, collections, stream, indexes or split", argument);
    } else if (strcmp(argument, "light") == 0 || strcmp(argument, "dark") == 0) {
        panel->theme = argument[0] == 'l' ? SH_THEME_LIGHT : SH_THEME_DARK;
    } else {
        return pk_fail(err, PK_E_USAGE, "no theme '%s': light or dark", argument);
    }
    return PK_OK;
}

/* The option is of another action than the one that is asked for. */
static enum pk_code fail_action(const struct row *row, unsigned action, struct pk_error *err)
{
    const char *only = (row->actions & SHELL) != 0   ? "the shell"
                       : (row->actions & SERVE) != 0 ? "pksk serve"
                                                     : "pksk panel";
    char name[32];

    if (row->name == NULL)
        snprintf(name, sizeof(name), "-%c", row->letter);
    else
        snprintf(name, sizeof(name), "--%s", row->name);
    if (action == SHELL)
        return pk_fail(err, PK_E_USAGE, "option '%s' is for %s only", name, only);
    return pk_fail(err, PK_E_USAGE, "option '%s' is none of pksk %s", name,
                   action == SERVE ? "serve" : "panel");
}

static unsigned action_of(const struct sh_options *options)
{
    if (options->action == SH_SERVE)
        return SERVE;
    return options->action == SH_PANEL ? PANEL : SHELL;
}

static enum pk_code apply(struct sh_options *options, const struct row *row, const char *argument,
                          struct pk_error *err)
{
    unsigned action = action_of(options);

    if (row->actions != 0 && (row->actions & action) == 0)
        return fail_action(row, action, err);
    switch (row->option) {
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
    case OPT_ENDPOINT:
        options->remote.endpoint = argument;
        break;
    case OPT_REGION:
        options->remote.region = argument;
        break;
    case OPT_PROFILE:
        options->remote.profile = argument;
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
    case OPT_PORT:
    case OPT_HOST:
    case OPT_AUTH:
    case OPT_ALLOW_HOST:
    case OPT_CORS:
    case OPT_LOG:
    case OPT_VERBOSE:
        return apply_serve(&options->serve, row->option, argument, err);
    case OPT_TABLE:
    case OPT_VIEW:
    case OPT_PROJECTOR:
    case OPT_THEME:
        return apply_panel(&options->panel, row->option, argument, err);
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
            return apply(options, row, NULL, err);
        if (equals != NULL)
            return apply(options, row, equals + 1, err);
        if (words->next == words->end)
            return pk_fail(err, PK_E_USAGE, "option '--%s' needs %s", row->name, row->argument);
        return apply(options, row, *words->next++, err);
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

        enum pk_code rc = apply(options, row, argument, err);

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

bool sh_options_remote(const struct sh_options *options)
{
    const struct sh_aws_request *remote = &options->remote;

    return remote->endpoint != NULL || remote->region != NULL || remote->profile != NULL;
}

/* A store and an endpoint at once would leave open which one is meant. */
static enum pk_code check_remote(const struct sh_options *options, struct pk_error *err)
{
    const struct sh_aws_request *remote = &options->remote;
    const char *name = remote->endpoint != NULL ? "endpoint"
                       : remote->region != NULL ? "region"
                                                : "profile";

    if (!sh_options_remote(options))
        return PK_OK;
    if (options->action != SH_RUN && options->action != SH_PANEL)
        return pk_fail(err, PK_E_USAGE, "--%s is for the shell", name);
    if (options->dir != NULL || options->memory || options->durable)
        return pk_fail(err, PK_E_USAGE, "--%s and a store (%s) exclude each other", name,
                       options->dir != NULL ? options->dir
                       : options->memory    ? "--memory"
                                            : "--durable");
    return PK_OK;
}

enum pk_code sh_options_parse(struct sh_options *options, int argc, char **argv,
                              struct pk_error *err)
{
    struct words words = {argv + (argc > 0 ? 1 : 0), argv + argc};
    const char *first = words.next < words.end ? *words.next : "";

    *options = (struct sh_options){.action = SH_RUN, .panel = {.view = SH_VIEW_SPLIT}};
    if (strcmp(first, "repair") == 0)
        options->action = SH_REPAIR;
    else if (strcmp(first, "serve") == 0)
        options->action = SH_SERVE;
    else if (strcmp(first, "panel") == 0)
        options->action = SH_PANEL;
    if (options->action != SH_RUN)
        words.next++;

    enum pk_code rc = parse_words(options, &words, err);

    if (rc != PK_OK)
        return rc;
    if (options->memory && options->dir != NULL)
        return pk_fail(err, PK_E_USAGE, "--memory and a directory ('%s') exclude each other",
                       options->dir);
    if (options->action == SH_REPAIR && (options->dir == NULL || options->input_count > 0))
        return pk_fail(err, PK_E_USAGE, "usage: pksk repair DIR");
    options->serve.durable = options->durable;
    return check_remote(options, err);
}

static void add_rows(struct pk_buf *out, unsigned actions)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct row *row = &ROWS[i];
        char words[32];

        if (row->actions != actions)
            continue;

        snprintf(words, sizeof(words), "%s%c%s%s%s%s%s", row->letter == 0 ? "" : "-",
                 row->letter == 0 ? ' ' : row->letter,
                 row->letter != 0 && row->name != NULL ? ", " : "", row->name == NULL ? "" : "--",
                 row->name == NULL ? "" : row->name, row->argument == NULL ? "" : " ",
                 row->argument == NULL ? "" : row->argument);
        pk_buf_printf(out, "  %-17s %s\n", words[0] == ' ' ? words + 1 : words, row->help);
    }
}

void sh_options_help(struct pk_buf *out)
{
    pk_buf_add_cstr(out,
                    "usage: pksk [options] [DIR]\n"
                    "       pksk [options] --endpoint URL | --region R | --profile P\n"
                    "       pksk serve [options] [DIR]\n"
                    "       pksk panel [options] [DIR] | --endpoint URL\n"
                    "       pksk repair DIR\n"
                    "\n"
                    "Opens the store in DIR (by default $XDG_DATA_HOME/pksk/default) and reads\n"
                    "statements: those of -c and -f in their order, else from standard input.\n"
                    "With an endpoint, a region or a profile they go to that endpoint, or to AWS.\n"
                    "\n");
    add_rows(out, SHELL | SERVE);
    add_rows(out, 0);
    add_rows(out, SHELL);
    add_rows(out, SHELL | PANEL);
    pk_buf_add_cstr(out, "\nserve answers SDKs over HTTP until it is interrupted:\n\n");
    add_rows(out, SERVE);
    pk_buf_add_cstr(out,
                    "\npanel shows what happens inside a store that another pksk has open, or\n"
                    "that is served at a URL, until q is pressed:\n\n");
    add_rows(out, PANEL);
    pk_buf_add_cstr(out,
                    "\n"
                    "Exit status: 0 fine, 1 a statement failed, 2 usage, 3 the store cannot be\n"
                    "opened or the endpoint not be reached, 4 a check failed, 130 interrupted.\n");
}
