/*
 * The lock file. flock() belongs to the open file description: opening the file again, in this or
 * another process, is refused while we hold it, and closing that other descriptor changes nothing.
 * That is why no list of open stores is kept beside it.
 *
 * Invariant: only the holder writes the file. Text is written before it is cut to its length, so
 * that a reader never finds it empty once it was filled.
 */
#include "engine/store/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/base/buf.h"

enum { LOCK_TEXT_MAX = 1024 };

struct pk_store_lock {
    int fd;
    unsigned format; /* written into the file */
    unsigned found;  /* was in the file */
};

static char *lock_path(const char *dir)
{
    struct pk_buf path = PK_BUF_INIT;

    pk_buf_printf(&path, "%s/%s", dir, PK_STORE_LOCK_NAME);
    return pk_buf_detach(&path);
}

/* The file's text, NUL-ended; empty when it cannot be read. */
static void read_text(int fd, char text[LOCK_TEXT_MAX])
{
    ssize_t n = pread(fd, text, LOCK_TEXT_MAX - 1, 0);

    text[n < 0 ? 0 : n] = '\0';
}

/* The rest of the line that begins with word and a blank; empty when there is none. */
static pk_slice line_of(const char *text, const char *word)
{
    size_t length = strlen(word);

    while (text != NULL && *text != '\0') {
        if (strncmp(text, word, length) == 0 && text[length] == ' ') {
            text += length + 1;
            return pk_slice_of(text, strcspn(text, "\n"));
        }
        text = strchr(text, '\n');
        if (text != NULL)
            text++;
    }
    return pk_slice_of(NULL, 0);
}

/* The number a line is made of; 0 when it is none, UINT_MAX when it is too large. */
static unsigned number_of(pk_slice line)
{
    unsigned number = 0;

    for (size_t i = 0; i < line.len; i++) {
        unsigned digit = (unsigned)(unsigned char)line.data[i] - '0';

        if (digit > 9)
            return 0;
        number = number > (UINT_MAX - digit) / 10 ? UINT_MAX : number * 10 + digit;
    }
    return number;
}

/* Best effort: the lock holds also when its text could not be written. */
static void write_text(const struct pk_store_lock *lock, bool is_held, const char *url)
{
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_printf(&text, "pksk %u\n", lock->format);
    if (is_held)
        pk_buf_printf(&text, "pid %ld\n", (long)getpid());
    if (is_held && url != NULL)
        pk_buf_printf(&text, "url %s\n", url);
    if (pwrite(lock->fd, text.data, text.len, 0) == (ssize_t)text.len) {
        int ignored = ftruncate(lock->fd, (off_t)text.len);

        (void)ignored;
    }
    pk_buf_release(&text);
}

static enum pk_code fail_locked(const char *dir, int fd, struct pk_error *err)
{
    char text[LOCK_TEXT_MAX];
    pk_slice pid, url;

    read_text(fd, text);
    pid = line_of(text, "pid");
    url = line_of(text, "url");
    if (pid.len == 0)
        return pk_fail(err, PK_E_LOCKED, "store '%s' is in use by another process", dir);
    if (url.len == 0)
        return pk_fail(err, PK_E_LOCKED, "store '%s' is in use by process %.*s", dir, PK_FMT(pid));
    return pk_fail(err, PK_E_LOCKED, "store '%s' is in use by process %.*s serving %.*s", dir,
                   PK_FMT(pid), PK_FMT(url));
}

/* Opens, locks and reads the file; *fd is open also on failure once it is not -1. */
static enum pk_code take(const char *dir, const char *path, int *fd, struct pk_error *err)
{
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*fd < 0) {
        return pk_fail(err, PK_E_IO, "cannot write in store directory '%s': %s", dir,
                       strerror(errno));
    }
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
        return PK_OK;
    if (errno == EWOULDBLOCK)
        return fail_locked(dir, *fd, err);
    return pk_fail(err, PK_E_IO, "cannot lock store '%s': %s", dir, strerror(errno));
}

enum pk_code pk_store_lock_take(const char *dir, unsigned format, struct pk_store_lock **out,
                                struct pk_error *err)
{
    char *path = lock_path(dir);
    int fd = -1;
    char text[LOCK_TEXT_MAX];
    struct pk_store_lock *lock;
    unsigned found;
    enum pk_code rc = take(dir, path, &fd, err);

    if (rc != PK_OK)
        goto out;
    read_text(fd, text);
    found = number_of(line_of(text, "pksk"));
    if (found > format) {
        rc = pk_fail(err, PK_E_STORE_VERSION,
                     "store '%s' has format %u of a newer pksk, this one knows format %u", dir,
                     found, format);
        goto out;
    }
    lock = pk_malloc(sizeof(*lock));
    *lock = (struct pk_store_lock){.fd = fd, .format = format, .found = found};
    fd = -1;
    write_text(lock, true, NULL);
    *out = lock;
out:
    if (fd >= 0)
        close(fd);
    free(path);
    return rc;
}

unsigned pk_store_lock_format(const struct pk_store_lock *lock)
{
    return lock->found;
}

void pk_store_lock_set_url(struct pk_store_lock *lock, const char *url)
{
    write_text(lock, true, url);
}

void pk_store_lock_free(struct pk_store_lock *lock)
{
    if (lock == NULL)
        return;
    write_text(lock, false, NULL);
    close(lock->fd);
    free(lock);
}

bool pk_store_lock_is_stale(const char *dir)
{
    char *path = lock_path(dir);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    char text[LOCK_TEXT_MAX] = "";
    bool is_stale = false;

    /* without a process id its maker is still between making and locking it */
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        read_text(fd, text);
        is_stale = line_of(text, "pid").len != 0;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return is_stale;
}
