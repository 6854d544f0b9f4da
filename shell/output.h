/*
 * The one ordered writer. Everything the shell shows passes here, on the main thread, in the order
 * in which it was made: results to standard output (or the file of `output FILE`), the rest to
 * standard error unless a person sees both in one place anyway.
 *
 * Bytes arrive rendered and safe; nothing is kept back, so the two streams interleave as they
 * should when they end in one file.
 */
#ifndef SH_OUTPUT_H
#define SH_OUTPUT_H

#include <stdbool.h>

#include "engine/base/buf.h"

enum sh_stream {
    SH_RESULT,  /* standard output or the output file */
    SH_PAGED,   /* a result for the terminal, through the pager */
    SH_CHATTER, /* footers, hints, notes: standard error, or the terminal's output */
    SH_ERROR,   /* standard error */
    SH_PROGRESS /* one line on the terminal that the next one replaces; empty: none */
};

/* Takes what would go to the terminal (the panel does). */
struct sh_output_sink {
    void (*write)(void *context, pk_slice bytes);
    void *context;
};

struct sh_output {
    struct sh_output_sink sink; /* write NULL: the terminal gets it */
    int out_fd, err_fd;
    bool out_tty, err_tty;
    int file_fd;     /* of `output FILE`; -1: none */
    char *file_name; /* owned */
    char *failure;   /* what went wrong in a write, until sh_output_failure() is asked; owned */
    bool broken;     /* nobody reads standard output any more */
    size_t progress; /* columns of the progress line on the screen */
};

/* The descriptors are borrowed. */
void sh_output_init(struct sh_output *output, int out_fd, int err_fd);
void sh_output_release(struct sh_output *output);
void sh_output_write(struct sh_output *output, enum sh_stream stream, pk_slice bytes);
/* Results go to this file from now on; takes the descriptor. fd -1: to standard output again. */
void sh_output_redirect_take(struct sh_output *output, int fd, pk_slice name);
/* What a write has failed with since the last call, or NULL; the caller's to free(). The output
 * file is given up then. */
char *sh_output_failure(struct sh_output *output);
/* Size of the terminal at standard output, 24 x 80 where it does not say. */
void sh_output_size(const struct sh_output *output, size_t *rows, size_t *columns);

#endif
