/* The directory a store lives in: what it holds before anything is opened, making one, and the
 * private one of --memory. */
#ifndef PK_STORE_STORE_DIR_H
#define PK_STORE_STORE_DIR_H

#include "engine/error.h"

enum pk_store_dir_state {
    PK_STORE_DIR_MISSING,
    PK_STORE_DIR_EMPTY, /* nothing in it, or nothing but our lock file and LevelDB's first steps */
    PK_STORE_DIR_STORE, /* a store of ours */
    PK_STORE_DIR_HEADLESS, /* ours, with data, but without LevelDB's CURRENT: only for repair */
    PK_STORE_DIR_FOREIGN,  /* not empty, and not ours */
};

/* Looks, and changes nothing. PK_E_IO when path is no directory or cannot be read. */
PK_MUST_CHECK enum pk_code pk_store_dir_look(const char *path, enum pk_store_dir_state *state,
                                             struct pk_error *err);
/* Makes the directory, 0700, in a parent that is there: a path with a slip of the pen in the middle
 * makes no new tree. One that exists is fine. */
PK_MUST_CHECK enum pk_code pk_store_dir_make(const char *path, struct pk_error *err);
/* Makes an empty private directory below TMPDIR, and removes those that killed processes have left
 * there. The caller frees *path. */
PK_MUST_CHECK enum pk_code pk_store_dir_make_temp(char **path, struct pk_error *err);
/* Removes a directory and the files (not directories) in it, as far as that goes. */
void pk_store_dir_remove(const char *path);

#endif
