/*
 * Directories of stores.
 *
 * Two accidents are kept out here. A path given by mistake must never have LevelDB's files thrown
 * into it: only an empty directory, or one with our lock file, is touched. And LevelDB, asked to
 * open a directory that has lost its CURRENT file, would make a new database there and then delete
 * the tables it does not know: such a directory is HEADLESS, and only repair may have it.
 */
#include "engine/store/store_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "engine/store/store_lock.h"

#define TEMP_PREFIX "pksk-memory-"

/* "000012" and one of the endings of LevelDB's data files. */
static bool is_numbered(const char *name, const char *ending)
{
    size_t digits = strspn(name, "0123456789");

    return digits > 0 && strcmp(name + digits, ending) == 0;
}

static bool is_data(const char *name)
{
    return is_numbered(name, ".ldb") || is_numbered(name, ".sst") || is_numbered(name, ".log");
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

enum pk_code pk_store_dir_look(const char *path, enum pk_store_dir_state *state,
                               struct pk_error *err)
{
    DIR *dir = opendir(path);
    bool has_lock = false, has_current = false, has_data = false, has_any = false;
    const struct dirent *entry;

    if (dir == NULL && errno == ENOENT) {
        *state = PK_STORE_DIR_MISSING;
        return PK_OK;
    }
    if (dir == NULL)
        return pk_fail(err, PK_E_IO, "cannot open store '%s': %s", path, strerror(errno));
    while ((entry = readdir(dir)) != NULL) {
        const char *name = entry->d_name;

        if (is_dots(name))
            continue;
        has_any = true;
        has_lock = has_lock || strcmp(name, PK_STORE_LOCK_NAME) == 0;
        /* one that leads nowhere LevelDB takes for none */
        has_current = has_current ||
                      (strcmp(name, "CURRENT") == 0 && faccessat(dirfd(dir), name, F_OK, 0) == 0);
        has_data = has_data || is_data(name);
    }
    closedir(dir);
    if (has_any && !has_lock)
        *state = PK_STORE_DIR_FOREIGN;
    else if (has_current)
        *state = PK_STORE_DIR_STORE;
    else
        *state = has_data ? PK_STORE_DIR_HEADLESS : PK_STORE_DIR_EMPTY;
    return PK_OK;
}

enum pk_code pk_store_dir_make(const char *path, struct pk_error *err)
{
    enum pk_code rc;

    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return PK_OK;
    rc = pk_fail(err, PK_E_IO, "cannot make store directory '%s': %s", path, strerror(errno));
    if (errno == ENOENT)
        pk_error_hint(err, "only the last part of a path is made; the others must be there");
    return rc;
}

void pk_store_dir_remove(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;

    if (dir == NULL)
        return;
    while ((entry = readdir(dir)) != NULL) {
        if (!is_dots(entry->d_name))
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
    rmdir(path);
}

/* A process that was killed could not remove its directory; its lock is gone, so it is dead. */
static void remove_leftovers(const char *parent)
{
    DIR *dir = opendir(parent);
    struct pk_buf path = PK_BUF_INIT;
    const struct dirent *entry;

    if (dir == NULL)
        return;
    while ((entry = readdir(dir)) != NULL) {
        struct stat info;

        if (strncmp(entry->d_name, TEMP_PREFIX, strlen(TEMP_PREFIX)) != 0)
            continue;
        if (fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
            continue;
        pk_buf_clear(&path);
        pk_buf_printf(&path, "%s/%s", parent, entry->d_name);
        if (pk_store_lock_is_stale(path.data))
            pk_store_dir_remove(path.data);
    }
    closedir(dir);
    pk_buf_release(&path);
}

enum pk_code pk_store_dir_make_temp(char **path, struct pk_error *err)
{
    const char *parent = getenv("TMPDIR");
    struct pk_buf name = PK_BUF_INIT;

    if (parent == NULL || *parent == '\0')
        parent = "/tmp";
    remove_leftovers(parent);
    pk_buf_printf(&name, "%s/%sXXXXXX", parent, TEMP_PREFIX);
    if (mkdtemp(name.data) == NULL) {
        enum pk_code rc = pk_fail(err, PK_E_IO, "cannot make a temporary store in '%s': %s", parent,
                                  strerror(errno));

        pk_buf_release(&name);
        return rc;
    }
    *path = pk_buf_detach(&name);
    return PK_OK;
}
