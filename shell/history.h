/*
 * What was typed, one entry a statement. The file has one entry a line, with newline and backslash
 * written as \n and \\; entries are appended as they are made, so that several shells can share it.
 *
 * Thread-safe: the editor adds on the main thread, `history` reads on the worker's.
 */
#ifndef SH_HISTORY_H
#define SH_HISTORY_H

#include <pthread.h>
#include <stdbool.h>

#include "engine/base/buf.h"

struct sh_history {
    pthread_mutex_t lock; /* guards the rest */
    char *path;           /* owned; NULL: not kept */
    char **entries;       /* owned, oldest first */
    size_t count, cap;
};

/* path NULL: nothing is read or written. */
void sh_history_init(struct sh_history *history, const char *path);
void sh_history_release(struct sh_history *history);
/* Reads the last `limit` entries; a file much longer than that is cut. Returns 0 or an errno; a
 * missing file is no error. */
int sh_history_load(struct sh_history *history, size_t limit);
/* Adds a statement, in memory and to the file (0600); *added false: it repeats the last one or the
 * limit is 0. Returns 0 or the errno of the file. */
int sh_history_add(struct sh_history *history, pk_slice statement, size_t limit, bool *added);
/* Appends entries from number `first` (from 0) on to out, each followed by a NUL; returns their
 * count. */
size_t sh_history_copy(struct sh_history *history, size_t first, struct pk_buf *out);
size_t sh_history_count(struct sh_history *history);

#endif
