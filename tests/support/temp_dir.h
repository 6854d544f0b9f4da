/* A directory of its own for a test, removed with everything in it. */
#ifndef TESTS_TEMP_DIR_H
#define TESTS_TEMP_DIR_H

struct temp_dir {
    char path[64];
};

/* Aborts when it cannot be made. */
void temp_dir_make(struct temp_dir *dir);
void temp_dir_remove(const struct temp_dir *dir);
/* Copies the files of a store that is open, as a killed process would leave them: what was written
 * is there, nothing else. Aborts when that fails. */
void temp_dir_copy(const char *from, const char *to);

#endif
