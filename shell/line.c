/*
 * readline, tamed; see line.h.
 *
 * Our loop alone reads the terminal, into a small buffer that readline takes its keys from: so
 * signals, and later the panel, are served while a key is awaited, also in the middle of a paste.
 * readline installs no handlers and does not touch the environment.
 */
#include "shell/line.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "shell/render/text_safe.h"
#include "shell/signals.h"

enum {
    KEYS = 4096,
    ESCAPE_MS = 25 /* how long the rest of an escape sequence may take */
};

struct sh_line {
    struct cmd_context *context;
    char keys[KEYS];
    size_t first, last; /* keys[first..last) were read and not used yet */
    bool gone;          /* the terminal has ended */
    bool done;          /* a line is complete */
    char *text;         /* the line, or NULL for Ctrl-D */
    pk_slice before;
    struct pk_arena arena; /* of the completion that runs */
    struct cmd_completion completion;
    size_t next; /* candidate to hand out */
};

/* readline's callbacks have no context pointer; there is one terminal, so there is one editor. */
static struct sh_line *editor;

/* ---- keys ------------------------------------------------------------------------------------ */

/* Waits for keys. False: a signal came, or the terminal is gone. */
static bool fill(struct sh_line *line)
{
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

    if (sh_signals_wait(&ready, 1, -1) == 0)
        return false;

    ssize_t got = read(STDIN_FILENO, line->keys, sizeof(line->keys));

    if (got > 0) {
        line->first = 0;
        line->last = (size_t)got;
        return true;
    }
    if (got == 0 || (errno != EINTR && errno != EAGAIN))
        line->gone = true;
    return false;
}

static int read_key(FILE *stream)
{
    (void)stream;
    while (editor->first == editor->last) {
        if (editor->gone || sh_signals_pending(SIGTERM) || sh_signals_pending(SIGHUP))
            return EOF;
        fill(editor);
    }
    return (unsigned char)editor->keys[editor->first++];
}

static int key_available(void)
{
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

    return editor->first < editor->last || poll(&ready, 1, ESCAPE_MS) > 0;
}

static void take_line(char *text)
{
    rl_callback_handler_remove();
    editor->done = true;
    editor->text = text;
}

/* ---- completion ------------------------------------------------------------------------------ */

/* Turns a candidate for line[start..cursor) into one for readline's word, which begins elsewhere
 * when the two disagree about where words begin. NULL: it does not fit. */
static char *fit_candidate(const struct cmd_completion *completion, pk_slice candidate,
                           size_t word_start)
{
    struct pk_buf text = PK_BUF_INIT;

    if (completion->start < word_start) {
        pk_slice head =
            pk_slice_of(completion->line.data + completion->start, word_start - completion->start);

        if (candidate.len < head.len || strncasecmp(candidate.data, head.data, head.len) != 0)
            return NULL;
        candidate = pk_slice_skip(candidate, head.len);
    } else {
        pk_buf_add(&text,
                   pk_slice_of(completion->line.data + word_start, completion->start - word_start));
    }
    pk_buf_add(&text, candidate);
    return pk_buf_detach(&text);
}

/* readline has strings, and draws them: a candidate with a NUL would end there, and one with other
 * characters that text_safe escapes would reach the terminal. */
static bool is_typable(pk_slice candidate)
{
    struct pk_buf safe = PK_BUF_INIT;
    bool same;

    sh_text_safe(&safe, candidate, SH_TEXT_ONE_LINE);
    same = pk_slice_equal(pk_buf_slice(&safe), candidate);
    pk_buf_release(&safe);
    return same;
}

static char *next_candidate(const char *word, int state)
{
    const struct cmd_completion *completion = &editor->completion;
    size_t word_start = completion->cursor - strlen(word);

    if (state == 0)
        editor->next = 0;
    while (editor->next < completion->count) {
        pk_slice candidate = completion->candidates[editor->next++];
        char *text =
            is_typable(candidate) ? fit_candidate(completion, candidate, word_start) : NULL;

        if (text != NULL)
            return text;
    }
    return NULL;
}

/* The blank that readline appends would be in the way behind these. */
static bool ends_open(const struct cmd_completion *completion)
{
    if (completion->count != 1 || completion->candidates[0].len == 0)
        return false;

    pk_slice only = completion->candidates[0];

    return strchr("(.#/=:'", only.data[only.len - 1]) != NULL;
}

static char **complete_word(const char *word, int start, int end)
{
    struct pk_buf text = PK_BUF_INIT;
    struct cmd_completion *completion = &editor->completion;

    rl_attempted_completion_over = 1;
    pk_arena_clear(&editor->arena);
    pk_buf_add(&text, editor->before);
    pk_buf_add(&text, pk_slice_of(rl_line_buffer, (size_t)end));
    *completion = (struct cmd_completion){.line = pk_arena_dup(&editor->arena, pk_buf_slice(&text)),
                                          .start = editor->before.len + (size_t)start,
                                          .cursor = text.len,
                                          .arena = &editor->arena};
    pk_buf_release(&text);
    cmd_complete(editor->context, completion);
    rl_completion_suppress_append = ends_open(completion);
    return rl_completion_matches(word, next_candidate);
}

/* ---- open and close -------------------------------------------------------------------------- */

struct sh_line *sh_line_open(struct cmd_context *context)
{
    static char name[] = "pksk"; /* readline wants it writable */
    static char breaks[] = " \t\n,{}[]()<>='\";";

    editor = pk_calloc(1, sizeof(*editor));
    editor->context = context;
    rl_readline_name = name;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_getc_function = read_key;
    rl_input_available_hook = key_available;
    rl_attempted_completion_function = complete_word;
    rl_completer_word_break_characters = breaks;
    using_history();
    return editor;
}

void sh_line_close(struct sh_line *line)
{
    if (line == NULL)
        return;
    clear_history();
    pk_arena_release(&line->arena);
    free(line);
    editor = NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void drop_line(void)
{
    rl_callback_sigcleanup();
    rl_free_line_state();
    rl_replace_line("", 1);
    fputs("^C\n", rl_outstream == NULL ? stdout : rl_outstream);
    fflush(stdout);
    rl_callback_handler_remove();
}

static void suspend(void)
{
    rl_deprep_term_function();
    sh_signals_suspend();
    rl_prep_term_function(1);
    rl_resize_terminal();
    rl_forced_update_display();
}

/* Feeds readline until a line is complete. */
static enum sh_line_event edit(struct sh_line *line)
{
    while (!line->done) {
        if (line->first < line->last || line->gone || fill(line))
            rl_callback_read_char();
        if (line->gone && line->text != NULL) {
            /* what was half typed when the terminal went must not run */
            free(line->text);
            line->text = NULL;
        }
        if (line->done)
            break;
        if (sh_signals_pending(SIGTERM) || sh_signals_pending(SIGHUP)) {
            rl_callback_handler_remove();
            fputc('\n', stdout);
            fflush(stdout);
            return SH_LINE_STOP;
        }
        if (sh_signals_take(SIGINT)) {
            drop_line();
            return SH_LINE_INTERRUPT;
        }
        if (sh_signals_take(SIGTSTP))
            suspend();
        if (sh_signals_take(SIGWINCH))
            rl_resize_terminal();
    }
    return line->text == NULL ? SH_LINE_END : SH_LINE_TEXT;
}

enum sh_line_event sh_line_read(struct sh_line *line, const char *prompt, pk_slice before,
                                struct pk_buf *text)
{
    line->done = false;
    line->text = NULL;
    line->before = before;
    pk_buf_clear(text);
    sh_signals_take(SIGINT);
    if (sh_signals_take(SIGWINCH))
        rl_reset_screen_size();
    rl_callback_handler_install(prompt, take_line);

    enum sh_line_event event = edit(line);

    if (line->text != NULL)
        pk_buf_add_cstr(text, line->text);
    free(line->text);
    line->text = NULL;
    return event;
}

bool sh_line_ask(struct sh_line *line, const char *question)
{
    struct pk_buf prompt = PK_BUF_INIT;
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_printf(&prompt, " %s [y/N] ", question);

    enum sh_line_event event = sh_line_read(line, prompt.data, (pk_slice){NULL, 0}, &text);
    bool yes = event == SH_LINE_TEXT && text.len > 0 &&
               (strcasecmp(text.data, "y") == 0 || strcasecmp(text.data, "yes") == 0);

    if (event == SH_LINE_END)
        fputc('\n', stdout);
    fflush(stdout);
    pk_buf_release(&prompt);
    pk_buf_release(&text);
    return yes;
}

void sh_line_remember(struct sh_line *line, const char *entry, size_t limit)
{
    (void)line;
    stifle_history((int)limit);
    add_history(entry);
}
