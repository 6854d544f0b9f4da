/*
 * Transcripts: REPL sessions as goldens.
 *
 *     # options: --keep-going
 *     > get USER#1 PROFILE
 *      PK      SK       name
 *      USER#1  PROFILE  Alice
 *      1 item · …
 *     ! exit 1
 *
 * Comments and the options line stand at the top. A line that begins with "> " is input; what
 * follows it up to the next one is what both output streams show, in order, when that line has been
 * read. "! exit N" at the end is the exit code, 0 when it is not there.
 *
 * This module knows the file only; how a session is run is the caller's business.
 */
#ifndef TEST_TRANSCRIPT_H
#define TEST_TRANSCRIPT_H

#include "engine/base/buf.h"

struct transcript_step {
    pk_slice input;    /* without "> " and newline */
    pk_slice expected; /* whole lines */
};

struct transcript {
    const char *path; /* borrowed */
    char *text;       /* owned; slices point into it */
    pk_slice head;    /* the lines before the first input */
    pk_slice options; /* of the options line */
    struct transcript_step *steps;
    size_t count;
    int exit;
};

/* False when the file cannot be read or has no input. */
bool transcript_load(struct transcript *transcript, const char *path);
void transcript_release(struct transcript *transcript);
/* All input as a script, and all that is expected. */
void transcript_input(const struct transcript *transcript, struct pk_buf *out);
void transcript_expected(const struct transcript *transcript, struct pk_buf *out);
/* Writes the file anew with these outputs, one for each step. */
bool transcript_save(const struct transcript *transcript, const struct pk_buf *outputs,
                     int exit_code);
/* Names of the files in a directory that end in ".txt", sorted; each and the array free(). */
char **transcript_list(const char *dir, size_t *count);

#endif
