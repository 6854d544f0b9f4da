/* See the header. */
#include "tests/support/temp_dir.h"

#include <dirent.h>
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

void temp_dir_copy(const char *from, const char *to)
{
    DIR *dir = opendir(from);
    struct dirent *entry;

    if (dir == NULL)
        abort();
    while ((entry = readdir(dir)) != NULL) {
        char path[512];
        char buffer[65536];
        FILE *in;
        FILE *out;
        size_t n;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", from, entry->d_name);
        in = fopen(path, "rb");
        snprintf(path, sizeof(path), "%s/%s", to, entry->d_name);
        out = fopen(path, "wb");
        if (in == NULL || out == NULL)
            abort();
        while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0) {
            if (fwrite(buffer, 1, n, out) != n)
                abort();
        }
        (void)fclose(in);
        if (fclose(out) != 0)
            abort();
    }
    closedir(dir);
}
