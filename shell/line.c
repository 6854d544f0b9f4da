/*
 * readline, tamed; see line.h.
 *
 * Our loop alone reads the terminal, into a small buffer that readline takes its keys from: so
 * signals, and the panel, are served while a key is awaited, also in the middle of a paste.
 * readline installs no handlers and does not touch the environment. Where a screen draws, readline
 * also leaves the terminal's modes alone, and what it would write goes nowhere.
 */
#include "shell/line.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "shell/candidates.h"
#include "shell/history_keys.h"
#include "shell/read_char.h"
#include "shell/signals.h"

struct sh_line {
    struct cmd_context *context;
    const struct sh_line_screen *screen; /* NULL: readline draws */
    FILE *nowhere;
    struct sh_keys keys;
    bool installed; /* readline has a line that is being edited */
    bool running;   /* a statement runs: what the context has is not ours */
    bool done;      /* a line is complete */
    char *text;     /* that line, or NULL for Ctrl-D */
    char *kept;     /* what was typed when the editor was left; NULL: nothing */
    int kept_point;
    char *prompt;
    pk_slice before;
    struct sh_candidates candidates; /* of the completion that runs */
};

/* readline's callbacks have no context pointer; there is one terminal, so there is one editor. */
static struct sh_line *editor;

/* ---- keys ------------------------------------------------------------------------------------ */

static void wait_for_keys(struct sh_line *line)
{
    sh_keys_wait(&line->keys,
                 line->screen == NULL ? -1 : line->screen->draw(line->screen->context));
}

static bool must_stop(void)
{
    return sh_signals_pending(SIGTERM) || sh_signals_pending(SIGHUP);
}

/* readline asks here also in the middle of a paste. */
static int read_key(FILE *stream)
{
    (void)stream;
    while (!sh_keys_any(&editor->keys)) {
        bool over = editor->keys.gone || must_stop();

        /* A paste that is broken off gets its end: readline 8.2 reads beyond its buffer at EOF. Of
         * other keys in the middle of a sequence Ctrl-C waits for the next: readline does not come
         * out well of EOF there. */
        if ((over || sh_signals_pending(SIGINT)) && sh_keys_end_paste(&editor->keys))
            continue;
        if (over)
            return EOF;
        wait_for_keys(editor);
    }
    return sh_keys_take(&editor->keys);
}

/* readline asks to see whether an escape sequence goes on, and after each character that was typed
 * whether others wait: then it must not be kept waiting, nor be given the first byte of a key that
 * may be ours. */
static int key_available(void)
{
    bool at_once = rl_set_keyboard_input_timeout(-1) == 0;

    if (!sh_keys_soon(&editor->keys, at_once ? 0 : SH_KEYS_ESCAPE_MS))
        return 0;
    return !at_once || *sh_keys_front(&editor->keys) != '\033';
}

static void take_line(char *text)
{
    rl_callback_handler_remove();
    editor->installed = false;
    editor->done = true;
    editor->text = text;
}

/* ---- completion ------------------------------------------------------------------------------ */

static char *next_candidate(const char *word, int state)
{
    struct sh_candidates *candidates = &editor->candidates;

    if (state == 0)
        candidates->next = 0;
    return sh_candidates_next(candidates, candidates->completion.cursor - strlen(word));
}

static char **complete_word(const char *word, int start, int end)
{
    struct pk_buf text = PK_BUF_INIT;

    rl_attempted_completion_over = 1;
    if (editor->running)
        return NULL;
    pk_buf_add(&text, editor->before);
    pk_buf_add(&text, pk_slice_of(rl_line_buffer, (size_t)end));
    sh_candidates_find(&editor->candidates, editor->context, pk_buf_slice(&text),
                       editor->before.len + (size_t)start);
    pk_buf_release(&text);
    rl_completion_suppress_append = sh_candidates_go_on(&editor->candidates);
    return rl_completion_matches(word, next_candidate);
}

/* ---- who draws ------------------------------------------------------------------------------- */

static void note_change(void)
{
    sh_read_char_draws();
    editor->screen->changed(editor->screen->context);
}

static void list_matches(char **matches, int count, int widest)
{
    (void)widest;
    /* matches[0] is what they have in common */
    editor->screen->list(editor->screen->context, (const char *const *)(matches + 1),
                         (size_t)count);
}

/* readline 8.2 scrolls a line sideways where there is no second one, with a third of the width as a
 * divisor and without regard to how long its buffers are: a small terminal is drawn on as if it
 * were larger. */
static void draw(void)
{
    enum { COLUMNS_MIN = 4, ROWS_MIN = 2 };
    int rows, columns;

    sh_read_char_draws();
    rl_get_screen_size(&rows, &columns);
    if (columns < COLUMNS_MIN || rows < ROWS_MIN)
        rl_set_screen_size(rows < ROWS_MIN ? ROWS_MIN : rows,
                           columns < COLUMNS_MIN ? COLUMNS_MIN + 1 : 0);
    rl_redisplay();
}

static void leave_terminal_to_readline(void)
{
    rl_prep_term_function = rl_prep_terminal;
    rl_deprep_term_function = rl_deprep_terminal;
    rl_redisplay_function = draw;
    rl_completion_display_matches_hook = NULL;
    rl_completion_query_items = 100;
    rl_outstream = stdout;
    rl_reset_screen_size();
    rl_on_new_line();
}

static void take_terminal_from_readline(const struct sh_line *line)
{
    rl_prep_term_function = NULL;
    rl_deprep_term_function = NULL;
    rl_redisplay_function = note_change;
    rl_completion_display_matches_hook = list_matches;
    rl_completion_query_items = 0; /* the question would not be seen */
    rl_outstream = line->nowhere;
}

/* ---- open and close -------------------------------------------------------------------------- */

struct sh_line *sh_line_open(struct cmd_context *context)
{
    static char name[] = "pksk"; /* readline wants it writable */
    static char breaks[] = " \t\n,{}[]()<>='\";";

    editor = pk_calloc(1, sizeof(*editor));
    editor->context = context;
    sh_keys_init(&editor->keys, STDIN_FILENO);
    rl_readline_name = name;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_getc_function = read_key;
    rl_input_available_hook = key_available;
    rl_attempted_completion_function = complete_word;
    rl_completer_word_break_characters = breaks;
    using_history();
    rl_initialize();
    rl_redisplay_function = draw;
    sh_history_keys_bind();
    return editor;
}

void sh_line_close(struct sh_line *line)
{
    if (line == NULL)
        return;
    sh_line_draw_on(line, NULL);
    clear_history();
    sh_candidates_release(&line->candidates);
    if (line->nowhere != NULL)
        fclose(line->nowhere);
    free(line->text);
    free(line->kept);
    free(line->prompt);
    free(line);
    editor = NULL;
}

/* ---- what is shown ---------------------------------------------------------------------------- */

void sh_line_look(const struct sh_line *line, struct sh_line_view *view)
{
    *view = (struct sh_line_view){.prompt = line->prompt == NULL ? "" : line->prompt};
    if (line->installed) {
        view->prompt = rl_display_prompt == NULL ? "" : rl_display_prompt;
        view->text = pk_slice_of(rl_line_buffer, (size_t)rl_end);
        view->point = (size_t)rl_point;
    } else if (line->text != NULL) {
        view->text = pk_slice_cstr(line->text);
        view->point = view->text.len;
    } else if (line->kept != NULL) {
        view->text = pk_slice_cstr(line->kept);
        view->point = (size_t)line->kept_point;
    }
}

static void finish(const struct sh_line *line, const char *ending)
{
    struct sh_line_view view;

    if (line->screen == NULL) {
        fputs(ending, stdout);
        fputc('\n', stdout);
        fflush(stdout);
        return;
    }
    sh_line_look(line, &view);
    line->screen->finish(line->screen->context, &view, ending);
}

/* ---- beginning and leaving a line ------------------------------------------------------------ */

static void restore_kept(struct sh_line *line)
{
    if (line->kept == NULL)
        return;
    rl_insert_text(line->kept);
    rl_point = line->kept_point < rl_end ? line->kept_point : rl_end;
    free(line->kept);
    line->kept = NULL;
    rl_redisplay_function();
}

static void begin(struct sh_line *line)
{
    if (line->installed)
        return;
    rl_callback_handler_install(line->prompt, take_line);
    line->installed = true;
    restore_kept(line);
}

static void set_prompt(struct sh_line *line, const char *prompt)
{
    if (line->prompt != NULL && strcmp(line->prompt, prompt) == 0)
        return;
    free(line->prompt);
    line->prompt = pk_memdup_cstr(prompt, strlen(prompt));
    if (!line->installed)
        return;
    rl_set_prompt(line->prompt);
    rl_redisplay_function();
}

/* Leaves a line that is not finished; it goes on at the next begin(). */
static void leave(struct sh_line *line)
{
    if (!line->installed)
        return;
    rl_callback_sigcleanup(); /* a search, say */
    free(line->kept);
    line->kept = pk_memdup_cstr(rl_line_buffer, (size_t)rl_end);
    line->kept_point = rl_point;
    if (line->screen == NULL)
        rl_clear_visible_line();
    rl_free_line_state();
    rl_replace_line("", 1);
    rl_callback_handler_remove();
    line->installed = false;
}

/* Forgets the line that is being typed; it is shown as finished with `ending`, unless that is NULL.
 */
static void drop(struct sh_line *line, const char *ending)
{
    if (!line->installed)
        return;
    rl_callback_sigcleanup();
    if (ending != NULL)
        finish(line, ending);
    rl_free_line_state();
    rl_replace_line("", 1);
    rl_callback_handler_remove();
    line->installed = false;
}

void sh_line_draw_on(struct sh_line *line, const struct sh_line_screen *screen)
{
    if (line->screen == screen)
        return;
    leave(line);
    if (line->nowhere == NULL)
        line->nowhere = fopen("/dev/null", "we");
    line->screen = screen;
    if (screen != NULL)
        take_terminal_from_readline(line);
    else
        leave_terminal_to_readline();
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Of a terminal that may have another size. What readline 8.2 remembers of the screen is forgotten
 * first: rl_forced_update_display() looks for its end, which it may not have. */
static void redraw(const struct sh_line *line)
{
    rl_clear_visible_line();
    rl_on_new_line();
    rl_reset_screen_size();
    if (rl_display_prompt == rl_prompt)
        rl_set_prompt(line->prompt);
    rl_forced_update_display();
}

static void suspend(const struct sh_line *line)
{
    if (line->screen != NULL) {
        line->screen->suspend(line->screen->context);
        return;
    }
    rl_deprep_term_function();
    sh_signals_suspend();
    rl_prep_term_function(1);
    redraw(line);
}

static void resize(const struct sh_line *line)
{
    if (line->screen != NULL)
        line->screen->resize(line->screen->context);
    else
        redraw(line);
}

/* True when the panel's key was at the front; it is taken off. */
static bool take_own_keys(struct sh_line *line)
{
    size_t len = 0;
    uint32_t code = 0;

    if (line->screen != NULL)
        return line->screen->take_keys(line->screen->context, &line->keys);
    if (sh_keys_peek(&line->keys, &len, &code) != SH_TTY_F9)
        return false;
    sh_keys_skip(&line->keys, len);
    return true;
}

/* A search takes readline longer the longer what is sought: thousands of keys that wait must not
 * keep Ctrl-C waiting. They go with the line, as those do that the terminal still has. */
static bool is_interrupted(struct sh_line *line)
{
    sh_signals_wait(NULL, 0, 0); /* lets in what has come */
    if (sh_signals_pending(SIGINT))
        sh_keys_drop(&line->keys);
    return sh_signals_pending(SIGINT) || must_stop();
}

/* Gives readline the keys that are there, until a line is complete. True: the panel's key came. */
static bool feed(struct sh_line *line)
{
    do {
        if (take_own_keys(line))
            return true;
        if (!line->done && (sh_keys_any(&line->keys) || line->keys.gone))
            sh_read_char();
    } while (!line->done && sh_keys_any(&line->keys) && !is_interrupted(line));
    if (line->keys.gone && line->text != NULL) {
        /* what was half typed when the terminal went must not run */
        free(line->text);
        line->text = NULL;
    }
    return false;
}

/* Feeds readline until a line is complete. */
static enum sh_line_event edit(struct sh_line *line)
{
    for (;;) {
        if (must_stop()) {
            drop(line, "");
            return SH_LINE_STOP;
        }
        if (sh_signals_take(SIGINT)) {
            drop(line, "^C");
            line->keys.pasting = false;
            return SH_LINE_INTERRUPT;
        }
        if (line->done)
            return line->text == NULL ? SH_LINE_END : SH_LINE_TEXT;
        if (sh_signals_take(SIGTSTP))
            suspend(line);
        if (sh_signals_take(SIGWINCH))
            resize(line);
        if (!sh_keys_any(&line->keys) && !line->keys.gone)
            wait_for_keys(line);
        if (sh_signals_pending(SIGINT))
            continue;
        if ((sh_keys_any(&line->keys) || line->keys.gone) && feed(line)) {
            leave(line);
            return SH_LINE_PANEL;
        }
    }
}

enum sh_line_event sh_line_read(struct sh_line *line, const char *prompt, pk_slice before,
                                struct pk_buf *text)
{
    line->before = before;
    line->running = false;
    pk_buf_clear(text);
    set_prompt(line, prompt);
    sh_signals_take(SIGINT);
    if (sh_signals_take(SIGWINCH)) {
        if (line->screen == NULL)
            rl_reset_screen_size();
        else
            resize(line);
    }
    if (!line->done)
        begin(line);

    enum sh_line_event event = edit(line);

    if (event == SH_LINE_TEXT && line->screen != NULL)
        finish(line, "");
    if (line->text != NULL)
        pk_buf_add_cstr(text, line->text);
    free(line->text);
    line->text = NULL;
    line->done = false;
    line->running = true; /* until it reads again */
    return event;
}

void sh_line_also_wait(struct sh_line *line, int fd)
{
    line->keys.also = fd;
}

int sh_line_fd(const struct sh_line *line)
{
    bool room = line->keys.last - line->keys.first < SH_KEYS_BYTES;

    return room && !line->keys.gone ? line->keys.fd : -1;
}

bool sh_line_pump(struct sh_line *line)
{
    sh_keys_wait(&line->keys, 0);
    if (!line->done)
        begin(line);
    return sh_keys_any(&line->keys) && feed(line);
}

void sh_line_forget(struct sh_line *line)
{
    sh_keys_drop(&line->keys);
    drop(line, NULL);
    free(line->text);
    free(line->kept);
    line->text = NULL;
    line->kept = NULL;
    line->done = false;
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* What was typed ahead is for later: it must not answer a question that was not seen yet. */
struct parked {
    struct sh_keys keys;
    char *text, *kept, *prompt;
    int kept_point;
    bool done;
};

static struct parked *park(struct sh_line *line)
{
    struct parked *parked = pk_malloc(sizeof(*parked));

    leave(line);
    *parked = (struct parked){.keys = line->keys,
                              .text = line->text,
                              .kept = line->kept,
                              .prompt = line->prompt,
                              .kept_point = line->kept_point,
                              .done = line->done};
    sh_keys_drop(&line->keys);
    line->text = NULL;
    line->kept = NULL;
    line->prompt = NULL;
    line->done = false;
    return parked;
}

static void unpark(struct sh_line *line, struct parked *parked)
{
    leave(line);
    free(line->kept);
    free(line->prompt);
    parked->keys.gone = line->keys.gone;
    line->keys = parked->keys;
    line->text = parked->text;
    line->kept = parked->kept;
    line->prompt = parked->prompt;
    line->kept_point = parked->kept_point;
    line->done = parked->done;
    free(parked);
}

bool sh_line_ask(struct sh_line *line, const char *question)
{
    struct pk_buf prompt = PK_BUF_INIT;
    struct pk_buf text = PK_BUF_INIT;
    struct parked *parked = park(line);
    enum sh_line_event event;

    pk_buf_printf(&prompt, " %s [y/N] ", question);
    do
        event = sh_line_read(line, prompt.data, (pk_slice){NULL, 0}, &text);
    while (event == SH_LINE_PANEL); /* not in the middle of a question */

    bool yes = event == SH_LINE_TEXT && text.len > 0 &&
               (strcasecmp(text.data, "y") == 0 || strcasecmp(text.data, "yes") == 0);

    unpark(line, parked);
    if (event == SH_LINE_END && line->screen == NULL)
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
    sh_history_stay_inside();
}
