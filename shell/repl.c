/*
 * The interactive loop.
 *
 * Lines gather in `pending` until cmd_split_next() finds a statement in them. What one line
 * completes (a paste may hold many statements) runs in order and, like a file, stops at the first
 * error. An empty line that was typed runs a statement that only lacks its ';'.
 */
#include "shell/repl.h"

#include <signal.h>
#include <stdlib.h>

#include "commands/schema.h"
#include "commands/traffic_show.h"
#include "shell/connect.h"
#include "shell/line.h"
#include "shell/panel/panel.h"
#include "shell/paths.h"
#include "shell/prompt.h"
#include "shell/show.h"
#include "shell/signals.h"

enum { NAMES = 256 }; /* tables counted at a time */

struct repl {
    struct sh *sh;
    struct pk_buf pending;
    const char *open; /* what is open in pending; NULL: nothing */
};

static void add_endpoint(struct sh *sh, struct pk_buf *text)
{
    size_t tables = 0;
    bool more = false;

    sh->remote->hurried = true; /* nobody listens to Ctrl-C yet */
    sh_connect_describe(sh, text);
    if (cmd_count_tables(&sh->context, &tables, &more))
        pk_buf_printf(text, " · %zu%s table%s", tables, more ? " and more" : "",
                      tables == 1 && !more ? "" : "s");
    sh->remote->hurried = false;
}

static size_t count_tables(struct sh *sh)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_call call = {.arena = &arena};
    pk_slice names[NAMES];
    pk_slice after = {NULL, 0};
    size_t count = 0;
    bool more = true;

    while (more) {
        size_t got = pk_engine_list_tables(sh->engine, &call, after, NAMES, names, &more);

        count += got;
        if (got == 0)
            break;
        after = names[got - 1];
    }
    pk_arena_release(&arena);
    return count;
}

static void banner(struct sh *sh)
{
    struct pk_buf text = PK_BUF_INIT;
    size_t tables;

    pk_buf_add_cstr(&text, "pksk " PKSK_VERSION " · ");
    if (sh->remote != NULL) {
        add_endpoint(sh, &text);
    } else {
        tables = count_tables(sh);
        sh_connect_describe(sh, &text);
        pk_buf_printf(&text, " · %zu table%s", tables, tables == 1 ? "" : "s");
    }
    pk_buf_add_cstr(&text, " · type help\n");
    sh_output_write(&sh->output, SH_CHATTER, pk_buf_slice(&text));
    pk_buf_release(&text);
}

/* ---- history --------------------------------------------------------------------------------- */

static size_t history_limit(const struct sh *sh)
{
    return sh->settings.history_size > 0 ? (size_t)sh->settings.history_size : 0;
}

static void say_history(struct sh *sh, const char *what, int failure)
{
    sh_note(sh, "cannot %s the history file '%s': %s", what, sh->history.path, strerror(failure));
}

static void load_history(struct sh *sh)
{
    struct pk_buf path = PK_BUF_INIT;
    struct pk_buf entries = PK_BUF_INIT;
    size_t limit = history_limit(sh);

    sh_history_release(&sh->history);
    sh_history_init(&sh->history, sh_path_of(&path, SH_PLACE_HISTORY) ? path.data : NULL);

    int failure = sh_history_load(&sh->history, limit);

    if (failure != 0)
        say_history(sh, "read", failure);

    size_t count = sh_history_copy(&sh->history, 0, &entries);
    const char *entry = entries.data;

    for (size_t i = 0; i < count; i++, entry += strlen(entry) + 1)
        sh_line_remember(sh->line, entry, limit);
    pk_buf_release(&path);
    pk_buf_release(&entries);
}

static void remember(struct sh *sh, pk_slice statement)
{
    bool added = false;

    while (statement.len > 0 && strchr(" \t\n", statement.data[statement.len - 1]) != NULL)
        statement.len--;
    while (statement.len > 0 && strchr(" \t\n", statement.data[0]) != NULL)
        statement = pk_slice_skip(statement, 1);

    int failure = sh_history_add(&sh->history, statement, history_limit(sh), &added);

    if (added) {
        char *entry = pk_memdup_cstr(statement.data, statement.len);

        sh_line_remember(sh->line, entry, history_limit(sh));
        free(entry);
    }
    if (failure != 0) {
        say_history(sh, "write", failure);
        free(sh->history.path); /* said once; from now on it is kept in memory only */
        sh->history.path = NULL;
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

struct statement {
    struct sh *sh;
    pk_slice text;
    int status;
};

static void run_statement(void *context)
{
    struct statement *statement = context;

    statement->status = sh_execute(statement->sh, statement->text);
}

static void take_front(struct pk_buf *text, size_t bytes)
{
    text->len -= bytes;
    memmove(text->data, text->data + bytes, text->len);
}

/* Counts the statements that will not run, and forgets them. */
static void drop_rest(struct repl *repl)
{
    pk_slice rest = pk_buf_slice(&repl->pending);
    struct cmd_split split = {.end = 0};
    size_t count = 0;
    enum cmd_split_state state;

    while (rest.len > 0 &&
           (state = cmd_split_next(&repl->sh->context, rest, true, &split)) != CMD_SPLIT_OPEN &&
           split.end > 0) {
        count += state == CMD_SPLIT_COMPLETE;
        rest = pk_slice_skip(rest, split.end);
    }
    if (count > 0)
        sh_note(repl->sh, "stopped; %zu statement%s after it did not run", count,
                count == 1 ? "" : "s");
    pk_buf_clear(&repl->pending);
}

/* Runs what is complete in pending. at_end: a ';' may be missing. */
static void run_complete(struct repl *repl, bool at_end)
{
    struct sh *sh = repl->sh;

    repl->open = NULL;
    while (repl->pending.len > 0 && !sh->quit) {
        struct cmd_split split = {.end = 0};
        pk_slice rest = pk_buf_slice(&repl->pending);
        enum cmd_split_state state = cmd_split_next(&sh->context, rest, at_end, &split);

        if (state == CMD_SPLIT_OPEN) {
            repl->open = split.open == NULL ? "" : split.open;
            return;
        }
        if (state == CMD_SPLIT_COMPLETE) {
            struct statement statement = {.sh = sh, .text = split.body};

            remember(sh, pk_slice_of(rest.data, split.end));
            sh_run(sh, run_statement, &statement);
            if (statement.status != SH_EXIT_FINE || sh->interrupted) {
                take_front(&repl->pending, split.end);
                drop_rest(repl);
                return;
            }
        }
        take_front(&repl->pending, split.end);
    }
}

static void take_text(struct repl *repl, const struct pk_buf *text)
{
    bool typed_empty = text->len == 0 && repl->open != NULL && strcmp(repl->open, ";") == 0;

    if (text->len == 0 && repl->open == NULL)
        return;
    pk_buf_add(&repl->pending, pk_buf_slice(text));
    pk_buf_add_byte(&repl->pending, '\n');
    run_complete(repl, typed_empty);
}

/* What keys of the panel asked for: they run as if they had been typed, but are no history. */
static void run_wishes(struct sh *sh)
{
    struct pk_buf text = PK_BUF_INIT;

    while (sh_panel_wish(sh, &text)) {
        struct statement statement = {.sh = sh, .text = pk_buf_slice(&text)};

        sh_note(sh, "%s", text.data);
        sh_run(sh, run_statement, &statement);
    }
    pk_buf_release(&text);
}

/* What ended while something was typed is told before the next prompt. */
static void tell_news(struct sh *sh)
{
    struct cmd_result news;

    cmd_result_init(&news);
    cmd_traffic_news(&sh->context, &news);
    if (news.first != NULL)
        sh_show(sh, &news, (pk_slice){NULL, 0}, NULL);
    cmd_result_release(&news);
}

static void loop(struct repl *repl)
{
    struct pk_buf prompt = PK_BUF_INIT;
    struct pk_buf text = PK_BUF_INIT;
    bool more = true;

    while (more && !repl->sh->quit) {
        run_wishes(repl->sh);
        pk_buf_clear(&prompt);
        if (repl->sh->context.engine != NULL)
            cmd_current_table(&repl->sh->context); /* the only table, if it is, from the start */
        tell_news(repl->sh);
        sh_prompt(&prompt, &repl->sh->context, repl->open);
        sh_panel_follow(repl->sh);
        switch (sh_line_read(repl->sh->line, prompt.data, pk_buf_slice(&repl->pending), &text)) {
        case SH_LINE_TEXT:
            take_text(repl, &text);
            break;
        case SH_LINE_INTERRUPT:
            pk_buf_clear(&repl->pending);
            repl->open = NULL;
            break;
        case SH_LINE_END:
            sh_output_write(&repl->sh->output, SH_CHATTER, PK_LIT("\n"));
            more = false;
            break;
        case SH_LINE_STOP:
            repl->sh->signal = sh_signals_pending(SIGTERM) ? SIGTERM : SIGHUP;
            more = false;
            break;
        case SH_LINE_PANEL:
            sh_panel_obey_key(repl->sh);
            break;
        }
        if (repl->sh->output.broken)
            more = false;
    }
    pk_buf_release(&prompt);
    pk_buf_release(&text);
}

int sh_repl(struct sh *sh, bool quiet)
{
    struct repl repl = {.sh = sh};

    sh->line = sh_line_open(&sh->context);
    load_history(sh);
    if (!quiet)
        banner(sh);
    sh_panel_begin(sh);
    loop(&repl);
    sh_panel_close(sh);
    sh_line_close(sh->line);
    sh->line = NULL;
    pk_buf_release(&repl.pending);
    return SH_EXIT_FINE;
}
