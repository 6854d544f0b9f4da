/* Entries and their file; see history.h. */
#include "shell/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/paths.h"

/* Read at most this much from the end of the file; a history is no data store. */
#define FILE_BYTES ((off_t)64 << 20)

void sh_history_init(struct sh_history *history, const char *path)
{
    *history = (struct sh_history){.path = NULL};
    pthread_mutex_init(&history->lock, NULL);
    if (path != NULL)
        history->path = pk_memdup_cstr(path, strlen(path));
}

void sh_history_release(struct sh_history *history)
{
    for (size_t i = 0; i < history->count; i++)
        free(history->entries[i]);
    free(history->entries);
    free(history->path);
    pthread_mutex_destroy(&history->lock);
}

static void append(struct sh_history *history, char *entry, size_t limit)
{
    if (history->count == history->cap) {
        history->cap = history->cap == 0 ? 64 : history->cap * 2;
        history->entries = pk_realloc(history->entries, history->cap, sizeof(char *));
    }
    history->entries[history->count++] = entry;
    if (history->count > limit) {
        size_t extra = history->count - limit;

        for (size_t i = 0; i < extra; i++)
            free(history->entries[i]);
        history->count -= extra;
        memmove(history->entries, history->entries + extra, history->count * sizeof(char *));
    }
}

static void escape(struct pk_buf *out, pk_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (c == '\n')
            pk_buf_add_cstr(out, "\\n");
        else if (c == '\\')
            pk_buf_add_cstr(out, "\\\\");
        else if (c != '\0')
            pk_buf_add_byte(out, (unsigned char)c);
    }
}

static char *unescape(pk_slice line)
{
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < line.len; i++) {
        char c = line.data[i];

        if (c == '\\' && i + 1 < line.len) {
            i++;
            c = line.data[i] == 'n' ? '\n' : line.data[i];
        }
        if (c != '\0')
            pk_buf_add_byte(&out, (unsigned char)c);
    }
    return pk_buf_detach(&out);
}

/* The end of the file; 0 or an errno. */
static int read_file(int fd, struct pk_buf *out)
{
    struct stat about;
    ssize_t got = 0;

    if (fstat(fd, &about) != 0)
        return errno;
    if (about.st_size > FILE_BYTES && lseek(fd, about.st_size - FILE_BYTES, SEEK_SET) < 0)
        return errno;
    do {
        got = read(fd, pk_buf_reserve(out, 65536), 65536);
        if (got > 0)
            out->len += (size_t)got;
    } while (got > 0 || (got < 0 && errno == EINTR));
    return got < 0 ? errno : 0;
}

/* Writes what is in memory in place of the file's content. The lock is held. */
static int rewrite(const struct sh_history *history, int fd)
{
    struct pk_buf text = PK_BUF_INIT;

    for (size_t i = 0; i < history->count; i++) {
        escape(&text, pk_slice_cstr(history->entries[i]));
        pk_buf_add_byte(&text, '\n');
    }

    bool written = ftruncate(fd, 0) == 0 && pwrite(fd, text.data, text.len, 0) == (ssize_t)text.len;
    int failure = written ? 0 : errno;

    pk_buf_release(&text);
    return failure;
}

static size_t parse(struct sh_history *history, pk_slice text, size_t limit)
{
    size_t lines = 0;

    while (text.len > 0) {
        const char *newline = memchr(text.data, '\n', text.len);
        size_t len = newline == NULL ? text.len : (size_t)(newline - text.data);

        if (len > 0)
            append(history, unescape(pk_slice_of(text.data, len)), limit);
        lines++;
        text = pk_slice_skip(text, len + 1);
    }
    return lines;
}

int sh_history_load(struct sh_history *history, size_t limit)
{
    struct pk_buf text = PK_BUF_INIT;

    if (history->path == NULL || limit == 0)
        return 0;

    int fd = open(history->path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    flock(fd, LOCK_EX);

    int failure = read_file(fd, &text);

    pthread_mutex_lock(&history->lock);
    if (failure == 0 && parse(history, pk_buf_slice(&text), limit) > 2 * limit)
        failure = rewrite(history, fd);
    pthread_mutex_unlock(&history->lock);
    close(fd);
    pk_buf_release(&text);
    return failure;
}

static int append_file(const char *path, pk_slice statement)
{
    struct pk_buf line = PK_BUF_INIT;
    int failure = sh_path_make_parents(path);

    if (failure != 0)
        return failure;

    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return errno;
    escape(&line, statement);
    pk_buf_add_byte(&line, '\n');
    flock(fd, LOCK_EX);
    if (write(fd, line.data, line.len) != (ssize_t)line.len)
        failure = errno;
    close(fd);
    pk_buf_release(&line);
    return failure;
}

int sh_history_add(struct sh_history *history, pk_slice statement, size_t limit, bool *added)
{
    *added = false;
    if (statement.len == 0 || limit == 0)
        return 0;
    pthread_mutex_lock(&history->lock);

    const char *last = history->count == 0 ? "" : history->entries[history->count - 1];

    if (!pk_slice_is(statement, last)) {
        append(history, pk_memdup_cstr(statement.data, statement.len), limit);
        *added = true;
    }
    pthread_mutex_unlock(&history->lock);
    return *added && history->path != NULL ? append_file(history->path, statement) : 0;
}

size_t sh_history_copy(struct sh_history *history, size_t first, struct pk_buf *out)
{
    size_t count = 0;

    pthread_mutex_lock(&history->lock);
    for (size_t i = first; i < history->count; i++, count++)
        pk_buf_add(out, pk_slice_of(history->entries[i], strlen(history->entries[i]) + 1));
    pthread_mutex_unlock(&history->lock);
    return count;
}

size_t sh_history_count(struct sh_history *history)
{
    pthread_mutex_lock(&history->lock);

    size_t count = history->count;

    pthread_mutex_unlock(&history->lock);
    return count;
}
