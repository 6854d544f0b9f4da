/*
 * An input file as a whole: read (gzip included), checked to be text, and mapped from positions to
 * lines for messages.
 *
 * The bytes are UTF-8 without NUL bytes and without a byte order mark. Everything is in memory:
 * files above TRANSFER_FILE_MAX are refused before they are read.
 */
#ifndef CMD_TRANSFER_FILE_H
#define CMD_TRANSFER_FILE_H

#include "engine/base/buf.h"
#include "engine/error.h"

/* Bytes of a file, unpacked. Positions are 32-bit spans, and what is imported is held in memory. */
#define TRANSFER_FILE_MAX (1024u * 1024u * 1024u)

struct transfer_file {
    const char *name; /* as it is shown in messages; borrowed */
    struct pk_buf bytes;
    pk_slice text; /* the bytes without a byte order mark */
    /* The line of the last position asked for, so that going forward is cheap. */
    size_t known_pos;
    size_t known_line;
};

/* Reads the file at path. PK_E_IO for what the system refuses, PK_E_USAGE with a message that
 * begins with the path for what is in the file; err has no span. */
PK_MUST_CHECK enum pk_code transfer_file_load(struct transfer_file *file, const char *path,
                                              struct pk_error *err);
void transfer_file_release(struct transfer_file *file);

/* The 1-based line of a position in file->text. */
size_t transfer_file_line(struct transfer_file *file, size_t pos);
/* err has a span in file->text: "NAME:LINE:COLUMN: " goes before its message and the span, which
 * means nothing to the statement, is dropped. Returns the error's code. */
enum pk_code transfer_file_place(struct transfer_file *file, struct pk_error *err);

#endif
