/*
 * The commands that need the terminal or the shell's own state. Rows are ordered by name.
 *
 * They run as jobs like every command; struct sh is reached through the context.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/args.h"
#include "shell/child.h"
#include "shell/connect.h"
#include "shell/demo.h"
#include "shell/panel/panel.h"
#include "shell/panel/panel_command.h"
#include "shell/paths.h"
#include "shell/script.h"
#include "shell/serve.h"
#include "shell/show.h"

enum {
    DEPTH_MAX = 16, /* a file that reads itself, watch of watch of … */
    ENTER_POLL_MS = 100,
    HISTORY_SHOWN_MAX = 1000000,
    WATCH_SECONDS_MAX = 86400,
    WATCH_TIMES_MAX = 1000000
};

/* ---- arguments ------------------------------------------------------------------------------- */

static struct pk_span args_span(const struct cmd_statement *statement)
{
    return (struct pk_span){(uint32_t)statement->args,
                            (uint32_t)(statement->text.len - statement->args)};
}

/* At most one word (or quoted text); data NULL when there is none. */
static enum pk_code one_word(const struct cmd_statement *statement, const char *what,
                             struct pk_arena *arena, pk_slice *word, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    *word = (pk_slice){NULL, 0};
    if (rc != PK_OK || cmd_words_at_end(&words))
        return rc;
    rc = cmd_words_take(&words, what, word, err);
    if (rc == PK_OK && word->len == 0)
        return pk_fail_at(err, PK_E_USAGE, args_span(statement), "expected %s", what);
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

/* A file's name as typed, with "~/" replaced, NUL-ended in the result's arena. */
static const char *file_path(struct cmd_result *result, pk_slice typed)
{
    struct pk_buf path = PK_BUF_INIT;
    pk_slice copy;

    sh_path_expand(&path, typed);
    copy = pk_arena_dup(&result->arena, pk_buf_slice(&path));
    pk_buf_release(&path);
    return copy.data;
}

/* ---- completion ------------------------------------------------------------------------------ */

static void complete_from(struct cmd_completion *completion, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        cmd_completion_add(completion, pk_slice_cstr(words[i]));
}

static void complete_mode(struct cmd_context *context, struct cmd_completion *completion)
{
    static const char *const words[] = {"table", "line", "json", "jsonl", "csv", "markdown", NULL};

    (void)context;
    complete_from(completion, words);
}

static void complete_switch(struct cmd_context *context, struct cmd_completion *completion)
{
    static const char *const words[] = {"on", "off", NULL};

    (void)context;
    complete_from(completion, words);
}

static void add_file(struct cmd_completion *completion, pk_slice typed_dir, const char *dir,
                     const char *name)
{
    pk_slice path = pk_arena_printf(completion->arena, "%s%s", dir, name);
    struct stat about;
    bool is_dir = stat(path.data, &about) == 0 && S_ISDIR(about.st_mode);

    cmd_completion_add(completion, pk_arena_printf(completion->arena, "%.*s%s%s", PK_FMT(typed_dir),
                                                   name, is_dir ? "/" : ""));
}

static void complete_file(struct cmd_context *context, struct cmd_completion *completion)
{
    pk_slice word = pk_slice_of(completion->line.data + completion->start,
                                completion->cursor - completion->start);
    pk_slice typed_dir = word;
    struct pk_buf dir = PK_BUF_INIT;
    const struct dirent *entry;

    (void)context;
    while (typed_dir.len > 0 && typed_dir.data[typed_dir.len - 1] != '/')
        typed_dir.len--;
    pk_slice prefix = pk_slice_skip(word, typed_dir.len);

    pk_buf_add_cstr(&dir, "");
    sh_path_expand(&dir, typed_dir);

    DIR *stream = opendir(dir.len == 0 ? "." : dir.data);

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        pk_slice name = pk_slice_cstr(entry->d_name);

        if (pk_slice_starts(name, prefix) && (name.data[0] != '.' || prefix.len > 0))
            add_file(completion, typed_dir, dir.len == 0 ? "" : dir.data, entry->d_name);
    }
    if (stream != NULL)
        closedir(stream);
    pk_buf_release(&dir);
}

/* ---- \! -------------------------------------------------------------------------------------- */

static int lend_terminal(void *context)
{
    struct sh *sh = context;
    bool on = sh_panel_is_on(sh);

    sh_panel_lend(sh);
    return on ? 1 : 0;
}

static int take_terminal_back(void *context)
{
    sh_panel_take_back(context);
    return 0;
}

/* What the command left on the screen is to be read before the panel covers it. Ctrl-C does, too.
 */
static void wait_for_enter(struct sh *sh)
{
    static const char text[] = "\n press Enter to go back to the panel ";
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte = '\0';

    if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
        return;
    while (byte != '\n' && !atomic_load(&sh->cancel))
        if (poll(&ready, 1, ENTER_POLL_MS) > 0 && read(STDIN_FILENO, &byte, 1) <= 0)
            return;
}

static enum pk_code system_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    struct sh *sh = sh_of(context);
    pk_slice text = pk_slice_skip(statement->text, statement->args);
    const char *command = pk_arena_dup(&result->arena, text).data;
    struct sh_child child;

    if (text.len == 0)
        return pk_fail_at(err, PK_E_USAGE, args_span(statement),
                          "expected a command of your system's shell");
    sh_sync(sh);

    bool lent = sh_on_main(sh, lend_terminal, sh) == 1;

    /* a script on standard input is not the command's to read */
    enum sh_child_input input = sh_interactive(sh) ? SH_CHILD_TERMINAL : SH_CHILD_PIPE;
    int failure = sh_child_start(&child, command, input);
    int status = failure == 0 ? sh_child_wait(&child) : 0;

    if (lent) {
        wait_for_enter(sh);
        sh_on_main(sh, take_terminal_back, sh);
    }
    if (failure != 0)
        return pk_fail(err, PK_E_IO, "cannot start a shell: %s", strerror(failure));
    if (status != 0)
        return pk_fail(err, PK_E_USAGE, "the command ended with status %d", status);
    return PK_OK;
}

static const struct cmd_entry system_entry = {
    .name = "\\!",
    .group = CMD_GROUP_SHELL,
    .usage = "COMMAND",
    .summary = "run a command of your system's shell",
    .run = system_run,
};

/* ---- \x and mode ----------------------------------------------------------------------------- */

static enum pk_code expanded_run(struct cmd_context *context, const struct cmd_statement *statement,
                                 struct cmd_result *result, struct pk_error *err)
{
    enum cmd_mode *mode = &context->settings->mode;

    if (statement->args < statement->text.len)
        return pk_fail_at(err, PK_E_USAGE, args_span(statement), "\\x takes no argument");
    *mode = *mode == CMD_MODE_LINE ? CMD_MODE_TABLE : CMD_MODE_LINE;
    cmd_result_text(result, CMD_BLOCK_NOTE, "mode %s", cmd_mode_name(*mode));
    return PK_OK;
}

static const struct cmd_entry expanded_entry = {
    .name = "\\x",
    .group = CMD_GROUP_SHELL,
    .usage = "",
    .summary = "switch between the modes line and table",
    .flags = CMD_READONLY,
    .run = expanded_run,
};

static enum pk_code mode_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    pk_slice word;
    enum pk_code rc = one_word(statement, "a mode", &result->arena, &word, err);

    if (rc != PK_OK)
        return rc;
    if (word.data == NULL) {
        cmd_result_text(result, CMD_BLOCK_TEXT, "%s", cmd_mode_name(context->settings->mode));
        return PK_OK;
    }
    if (!cmd_mode_parse(word, &context->settings->mode))
        return pk_fail_at(err, PK_E_USAGE, args_span(statement),
                          "no mode '%.*s': table, line, json, jsonl, csv or markdown",
                          PK_FMT(word));
    return PK_OK;
}

static const struct cmd_entry mode_entry = {
    .name = "mode",
    .alias = ".mode",
    .group = CMD_GROUP_SHELL,
    .usage = "[table | line | json | jsonl | csv | markdown]",
    .summary = "how results are shown",
    .flags = CMD_READONLY,
    .complete = complete_mode,
    .run = mode_run,
};

/* ---- clear, quit ----------------------------------------------------------------------------- */

static enum pk_code clear_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    (void)context;
    if (statement->args < statement->text.len)
        return pk_fail_at(err, PK_E_USAGE, args_span(statement), "clear takes no argument");
    result->next = CMD_NEXT_CLEAR;
    return PK_OK;
}

static const struct cmd_entry clear_entry = {
    .name = "clear",
    .group = CMD_GROUP_SHELL,
    .usage = "",
    .summary = "clear the screen",
    .flags = CMD_READONLY,
    .run = clear_run,
};

static enum pk_code quit_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    (void)context;
    if (statement->args < statement->text.len)
        return pk_fail_at(err, PK_E_USAGE, args_span(statement), "quit takes no argument");
    result->next = CMD_NEXT_QUIT;
    return PK_OK;
}

static const struct cmd_entry quit_entry = {
    .name = "quit",
    .alias = "exit \\q .quit .exit",
    .group = CMD_GROUP_SHELL,
    .usage = "",
    .summary = "leave (Ctrl-D does it too)",
    .flags = CMD_READONLY,
    .run = quit_run,
};

/* ---- history --------------------------------------------------------------------------------- */

static void add_history(struct cmd_result *result, struct sh_history *history, size_t first)
{
    static const char *const columns[] = {"#", "statement"};
    static const enum cmd_align aligns[] = {CMD_RIGHT, CMD_LEFT};
    struct cmd_grid *grid = cmd_result_grid(result, columns, aligns, 2);
    struct pk_buf entries = PK_BUF_INIT;
    size_t count = sh_history_copy(history, first, &entries);
    const char *entry = entries.data;

    grid->headless = true;
    for (size_t i = 0; i < count; i++, entry += strlen(entry) + 1) {
        pk_slice cells[2] = {pk_arena_printf(&result->arena, "%zu", first + i + 1),
                             pk_arena_dup(&result->arena, pk_slice_cstr(entry))};

        cmd_grid_row(result, grid, cells);
    }
    pk_buf_release(&entries);
}

static enum pk_code history_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    struct sh_history *history = &sh_of(context)->history;
    struct cmd_words words;
    int64_t wanted = HISTORY_SHOWN_MAX;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && !cmd_words_at_end(&words))
        rc = cmd_words_number(&words, HISTORY_SHOWN_MAX, &wanted, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;

    size_t count = sh_history_count(history);

    add_history(result, history, count > (size_t)wanted ? count - (size_t)wanted : 0);
    return PK_OK;
}

static const struct cmd_entry history_entry = {
    .name = "history",
    .group = CMD_GROUP_SHELL,
    .usage = "[N]",
    .summary = "the statements typed so far, or the last N",
    .flags = CMD_READONLY,
    .run = history_run,
};

/* ---- output, read ---------------------------------------------------------------------------- */

static void show_output(struct cmd_result *result, const struct sh *sh)
{
    cmd_result_text(result, CMD_BLOCK_NOTE, "%s",
                    sh->redirected ? "results go to a file; output - ends that"
                                   : "results go to standard output");
}

static enum pk_code output_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    struct sh *sh = sh_of(context);
    pk_slice word;
    enum pk_code rc = one_word(statement, "a file, or -", &result->arena, &word, err);

    if (rc != PK_OK)
        return rc;
    if (word.data == NULL) {
        show_output(result, sh);
        return PK_OK;
    }
    if (pk_slice_is(word, "-")) {
        sh_redirect_take(sh, -1, word);
        return PK_OK;
    }

    int fd = open(file_path(result, word), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return pk_fail_at(err, PK_E_IO, args_span(statement), "cannot write '%.*s': %s",
                          PK_FMT(word), strerror(errno));
    sh_redirect_take(sh, fd, word);
    return PK_OK;
}

static const struct cmd_entry output_entry = {
    .name = "output",
    .alias = "\\o .output",
    .group = CMD_GROUP_SHELL,
    .usage = "FILE | -",
    .summary = "write results to a file; - to standard output again",
    .flags = CMD_READONLY,
    .complete = complete_file,
    .run = output_run,
};

static enum pk_code read_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    struct sh *sh = sh_of(context);
    pk_slice word;
    int status = SH_EXIT_FINE;
    enum pk_code rc = one_word(statement, "a file", &result->arena, &word, err);

    if (rc != PK_OK)
        return rc;
    if (word.data == NULL)
        return pk_fail_at(err, PK_E_USAGE, args_span(statement), "expected a file to read");
    if (sh->depth == DEPTH_MAX)
        return pk_fail_at(err, PK_E_USAGE, args_span(statement),
                          "files that read files: more than %d deep", DEPTH_MAX);
    sh->depth++;
    rc = sh_script_file(sh, file_path(result, word), &status, err);
    sh->depth--;
    if (rc != PK_OK) {
        err->span = args_span(statement);
        return rc;
    }
    if (sh->quit)
        result->next = CMD_NEXT_QUIT;
    sh->told = true; /* what failed in there has been shown there */
    result->check_failed = status == SH_EXIT_CHECK;
    if (status == SH_EXIT_FINE || status == SH_EXIT_CHECK)
        return PK_OK;
    return pk_fail(err, PK_E_USAGE, "'%.*s' failed", PK_FMT(word));
}

static const struct cmd_entry read_entry = {
    .name = "read",
    .alias = "\\i .read",
    .group = CMD_GROUP_SHELL,
    .usage = "FILE",
    .summary = "run the statements in a file",
    .detail = "Stops at the first error, unless pksk was started with --keep-going.",
    .complete = complete_file,
    .run = read_run,
};

/* ---- timer ----------------------------------------------------------------------------------- */

static enum pk_code timer_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    bool *timer = &context->settings->timer;
    pk_slice word;
    enum pk_code rc = one_word(statement, "on or off", &result->arena, &word, err);

    if (rc != PK_OK)
        return rc;
    if (word.data != NULL && !cmd_word_is(word, "on") && !cmd_word_is(word, "off"))
        return pk_fail_at(err, PK_E_USAGE, args_span(statement), "expected on or off");
    *timer = word.data == NULL ? !*timer : cmd_word_is(word, "on");
    if (word.data == NULL)
        cmd_result_text(result, CMD_BLOCK_NOTE, "timer %s", *timer ? "on" : "off");
    return PK_OK;
}

static const struct cmd_entry timer_entry = {
    .name = "timer",
    .alias = "\\timing",
    .group = CMD_GROUP_SHELL,
    .usage = "[on | off]",
    .summary = "print how long each statement took",
    .flags = CMD_READONLY,
    .complete = complete_switch,
    .run = timer_run,
};

/* ---- watch ----------------------------------------------------------------------------------- */

struct watch {
    int64_t interval_ms;
    int64_t times; /* 0: until cancelled */
    size_t start;  /* of the statement */
};

/* "2" or "0.5" to milliseconds. */
static bool parse_seconds(pk_slice word, int64_t *ms)
{
    int64_t scale = 0; /* 0: before the point */
    int64_t total = 0;

    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];

        if (c == '.' && scale == 0 && i > 0) {
            scale = 1000;
            total *= 1000;
        } else if (c >= '0' && c <= '9' && scale == 0) {
            total = total * 10 + (c - '0');
        } else if (c >= '0' && c <= '9') {
            scale /= 10;
            total += scale * (c - '0');
            scale = scale == 0 ? 1 : scale;
        } else {
            return false;
        }
        if (total > WATCH_SECONDS_MAX * INT64_C(1000))
            return false;
    }
    *ms = scale == 0 ? total * 1000 : total;
    return word.len > 0;
}

static struct pk_span span_of(pk_slice text, pk_slice part)
{
    return (struct pk_span){(uint32_t)(part.data - text.data), (uint32_t)part.len};
}

/* SECONDS [times N] STATEMENT */
static enum pk_code parse_watch(const struct cmd_statement *statement, struct watch *watch,
                                struct pk_error *err)
{
    pk_slice text = statement->text;
    pk_slice word = cmd_word_at(text, statement->args);
    size_t pos = cmd_skip_blanks(text, statement->args + word.len);

    if (word.len == 0 || !parse_seconds(word, &watch->interval_ms))
        return pk_fail_at(err, PK_E_USAGE,
                          span_of(text, pk_slice_of(text.data + statement->args, word.len)),
                          "expected a number of seconds up to %d", WATCH_SECONDS_MAX);
    word = cmd_word_at(text, pos);
    if (cmd_word_is(word, "times")) {
        pos = cmd_skip_blanks(text, pos + word.len);
        word = cmd_word_at(text, pos);
        if (!cmd_parse_count(word, WATCH_TIMES_MAX, &watch->times))
            return pk_fail_at(err, PK_E_USAGE,
                              span_of(text, pk_slice_of(text.data + pos, word.len)),
                              "expected how many times, from 1 to %d", WATCH_TIMES_MAX);
        pos = cmd_skip_blanks(text, pos + word.len);
    }
    watch->start = pos;
    if (pos >= text.len)
        return pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)text.len, 0},
                          "expected a statement to watch");
    return PK_OK;
}

static enum pk_code watch_once(struct sh *sh, pk_slice text, struct pk_error *err)
{
    struct cmd_result result;
    enum pk_code rc;

    cmd_result_init(&result);
    rc = cmd_execute(&sh->context, text, &result, err);
    if (rc == PK_OK)
        sh_show(sh, &result, text, NULL);
    cmd_result_release(&result);
    return rc;
}

static enum pk_code watch_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    struct sh *sh = sh_of(context);
    struct watch watch = {.times = 0};
    enum pk_code rc = parse_watch(statement, &watch, err);

    (void)result;
    if (rc != PK_OK)
        return rc;
    if (sh->depth == DEPTH_MAX)
        return pk_fail_at(err, PK_E_USAGE, args_span(statement),
                          "watch of watch: more than %d deep", DEPTH_MAX);
    for (int64_t n = 1;; n++) {
        sh->depth++;
        rc = watch_once(sh, pk_slice_skip(statement->text, watch.start), err);
        sh->depth--;
        if (rc != PK_OK) {
            /* Ctrl-C is how a watch ends */
            if (rc == PK_E_CANCELLED)
                rc = PK_OK;
            else if (err->span.start > 0 || err->span.len > 0)
                err->span.start += (uint32_t)watch.start;
            return rc;
        }
        if (n == watch.times || !sh_sleep(sh, watch.interval_ms) || sh->output.broken)
            return PK_OK;
    }
}

static const struct cmd_entry watch_entry = {
    .name = "watch",
    .group = CMD_GROUP_SHELL,
    .usage = "SECONDS [times N] STATEMENT",
    .summary = "run a statement again and again; Ctrl-C ends it",
    .flags = CMD_WRAPS,
    .run = watch_run,
};

const struct cmd_entry *const sh_entries[] = {
    &system_entry,  &expanded_entry, &clear_entry,  &sh_connect_entry, &sh_expect_entry,
    &history_entry, &mode_entry,     &output_entry, &sh_panel_entry,   &quit_entry,
    &read_entry,    &sh_serve_entry, &timer_entry,  &watch_entry,      NULL,
};
