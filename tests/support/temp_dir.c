/* See the header. */
#include "tests/support/temp_dir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

void temp_dir_make(struct temp_dir *dir)
{
    snprintf(dir->path, sizeof(dir->path), "/tmp/pksk-test-XXXXXX");
    if (mkdtemp(dir->path) == NULL) {
        perror(dir->path);
        abort();
    }
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

void temp_dir_remove(const struct temp_dir *dir)
{
    nftw(dir->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
