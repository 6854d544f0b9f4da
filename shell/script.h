/*
 * Statements from text and files: -c, -f, standard input, the init file, `read FILE`.
 *
 * A script is fed bytes and runs what is complete (grammar.md, "Ending a statement"). A byte order
 * mark at its start is skipped, CRLF becomes a newline. It stops at the first error unless the
 * shell was told to keep going. Everything here runs as a job.
 */
#ifndef SH_SCRIPT_H
#define SH_SCRIPT_H

#include "shell/shell.h"

struct sh_script {
    struct sh *sh;
    const char *name; /* borrowed; for "stopped at …"; NULL: not said */
    struct pk_buf text;
    size_t start;   /* of what has not run yet, in text */
    size_t line;    /* its line, from 1 */
    bool begun;     /* the byte order mark is behind us */
    bool stopped;   /* by an error, quit or cancel; nothing more runs */
    int status;     /* exit code of the first failure */
    size_t scanned; /* bytes of text in which no statement was complete */
};

void sh_script_init(struct sh_script *script, struct sh *sh, const char *name);
void sh_script_release(struct sh_script *script);
/* Adds bytes and runs what they complete. */
void sh_script_feed(struct sh_script *script, pk_slice bytes);
/* Runs the rest: nothing follows. When cancelled, forgets it instead. Returns the script's exit
 * code. */
int sh_script_end(struct sh_script *script);

/* Runs a whole text. */
int sh_script_text(struct sh *sh, pk_slice text, const char *name);
/* Runs what can be read from the descriptor, as it arrives. The name is not NULL. */
int sh_script_fd(struct sh *sh, int fd, const char *name);
/* Runs a file. When it cannot be opened, err says so and nothing is shown. */
PK_MUST_CHECK enum pk_code sh_script_file(struct sh *sh, const char *path, int *status,
                                          struct pk_error *err);

#endif
