/*
 * The line editor: readline in callback mode, fed by our own loop.
 *
 * Only this, history_keys and read_char know readline. It has no context pointers, so there is one
 * editor a process and one static pointer to it. It runs on the main thread only; while it waits
 * for keys it also obeys signals.
 *
 * Either readline draws the line itself, or a screen does (the panel). With a screen the line can
 * be edited while a statement runs, too.
 */
#ifndef SH_LINE_H
#define SH_LINE_H

#include "commands/cmd.h"
#include "shell/keys.h"

struct sh_line;

enum sh_line_event {
    SH_LINE_TEXT,      /* a line (with what was pasted into it) */
    SH_LINE_END,       /* Ctrl-D on an empty line, or the terminal is gone */
    SH_LINE_INTERRUPT, /* Ctrl-C: the line was dropped */
    SH_LINE_STOP,      /* TERM or HUP is pending */
    SH_LINE_PANEL      /* the key that turns the panel on and off; what was typed is kept */
};

/* What is being typed. Borrowed until the editor is called again. */
struct sh_line_view {
    const char *prompt; /* control characters are shown as they are nowhere else: none are in it */
    pk_slice text;
    size_t point; /* offset of the cursor in text */
};

/* Who draws in readline's place. */
struct sh_line_screen {
    void *context;
    /* Takes the keys at the front that are not the line's. True: the panel's key was among them. */
    bool (*take_keys)(void *context, struct sh_keys *keys);
    /* The line is not as it was drawn. */
    void (*changed)(void *context);
    /* Draws what is due; returns the milliseconds until more is, -1: nothing will be. */
    int (*draw)(void *context);
    /* Shows words that the one being typed may become. */
    void (*list)(void *context, const char *const *words, size_t count);
    /* A line is finished: it belongs to the output now. ending: "" or "^C". */
    void (*finish)(void *context, const struct sh_line_view *view, const char *ending);
    void (*resize)(void *context);
    /* Stops the process (Ctrl-Z), with the terminal as it was before. */
    void (*suspend)(void *context);
};

/* Takes the terminal at standard input and output. context is borrowed, for completion. */
struct sh_line *sh_line_open(struct cmd_context *context);
void sh_line_close(struct sh_line *line);
/* Reads one line. before: earlier lines of the statement, which completion sees too. text is
 * cleared first, and has no newline at its end. */
enum sh_line_event sh_line_read(struct sh_line *line, const char *prompt, pk_slice before,
                                struct pk_buf *text);
/* Asks a yes/no question; false for anything but y or yes. */
bool sh_line_ask(struct sh_line *line, const char *question);
/* From here on the screen draws (NULL: readline again). What was typed is kept. The screen is
 * borrowed. */
void sh_line_draw_on(struct sh_line *line, const struct sh_line_screen *screen);
/* Waiting for keys ends when this can be read, too, so that the screen draws; -1: nothing more. */
void sh_line_also_wait(struct sh_line *line, int fd);
/* What is being typed, or was typed and not read yet. */
void sh_line_look(const struct sh_line *line, struct sh_line_view *view);
/* What can be polled for keys, or -1 when none can be taken. */
int sh_line_fd(const struct sh_line *line);
/* With a screen, while a statement runs: takes the keys that are there, and a line that becomes
 * complete is what sh_line_read() returns next. True: the panel's key was among them. */
bool sh_line_pump(struct sh_line *line);
/* Forgets what was typed ahead. */
void sh_line_forget(struct sh_line *line);
/* What the arrow keys go through; at most limit entries. */
void sh_line_remember(struct sh_line *line, const char *entry, size_t limit);

#endif
