/*
 * The line editor: readline in callback mode, fed by our own loop.
 *
 * The only file that knows readline. readline has no context pointers, so there is one editor a
 * process and one static pointer to it. It runs on the main thread only; while it waits for keys it
 * also obeys signals.
 */
#ifndef SH_LINE_H
#define SH_LINE_H

#include "commands/cmd.h"

struct sh_line;

enum sh_line_event {
    SH_LINE_TEXT,      /* a line (with what was pasted into it) */
    SH_LINE_END,       /* Ctrl-D on an empty line, or the terminal is gone */
    SH_LINE_INTERRUPT, /* Ctrl-C: the line was dropped */
    SH_LINE_STOP       /* TERM or HUP is pending */
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
/* What the arrow keys go through; at most limit entries. */
void sh_line_remember(struct sh_line *line, const char *entry, size_t limit);

#endif
