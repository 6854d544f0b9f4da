/* Feeding statements; see script.h. */
#include "shell/script.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/demo.h"
#include "shell/show.h"

enum {
    CHUNK = 65536,
    POLL_MS = 100,            /* how soon a cancel is seen while no input comes */
    STATEMENT_MAX = 32 << 20, /* a statement that does not end: no more memory for it */
    SHOWN_MAX = 60            /* bytes of a file's name in a message */
};

void sh_script_init(struct sh_script *script, struct sh *sh, const char *name)
{
    *script = (struct sh_script){.sh = sh, .name = name, .text = PK_BUF_INIT, .line = 1};
}

void sh_script_release(struct sh_script *script)
{
    pk_buf_release(&script->text);
}

static void count_lines(struct sh_script *script, size_t bytes)
{
    const char *at = script->text.data + script->start;

    for (size_t i = 0; i < bytes; i++)
        script->line += at[i] == '\n';
    script->start += bytes;
}

static void stop(struct sh_script *script, int status, size_t line)
{
    if (script->status == SH_EXIT_FINE)
        script->status = status;
    if (script->sh->keep_going && !atomic_load(&script->sh->cancel))
        return;
    script->stopped = true;
    if (script->name != NULL && !atomic_load(&script->sh->cancel))
        sh_note(script->sh, "stopped at %.*s line %zu", SHOWN_MAX, script->name, line);
}

/* The line of the statement's first word: blanks and comments before it do not count. */
static size_t line_of(const struct sh_script *script, pk_slice body)
{
    size_t line = script->line;

    for (const char *at = script->text.data + script->start; at < body.data; at++)
        line += *at == '\n';
    return line;
}

/* The text from the comment on that is not closed. */
static pk_slice open_comment(pk_slice text)
{
    for (;;) {
        const char *begin = memmem(text.data, text.len, "/*", 2);
        const char *end =
            begin == NULL ? NULL
                          : memmem(begin + 2, (size_t)(text.data + text.len - begin) - 2, "*/", 2);

        if (end == NULL)
            return begin == NULL ? text : pk_slice_skip(text, (size_t)(begin - text.data));
        text = pk_slice_skip(text, (size_t)(end - text.data) + 2);
    }
}

/* What stands in it was meant to run, or only its end is missing: either way it is told. */
static void refuse_open_comment(struct sh_script *script, pk_slice rest)
{
    struct pk_error err = PK_ERROR_INIT;

    (void)pk_fail(&err, PK_E_USAGE, "a comment that begins with /* is never closed");
    sh_show_error(script->sh, &err);
    pk_error_release(&err);
    if (script->sh->status == SH_EXIT_FINE)
        script->sh->status = SH_EXIT_FAILED;
    stop(script, SH_EXIT_FAILED, line_of(script, open_comment(rest)));
}

static bool ends_in_comment(const struct cmd_split *split)
{
    return split->open != NULL && strcmp(split->open, "/*") == 0;
}

static void run_complete(struct sh_script *script, bool at_end)
{
    while (!script->stopped && script->start < script->text.len) {
        pk_slice rest = pk_slice_skip(pk_buf_slice(&script->text), script->start);
        struct cmd_split split = {.end = 0};
        enum cmd_split_state state = cmd_split_next(&script->sh->context, rest, at_end, &split);

        if (state == CMD_SPLIT_OPEN)
            return;
        if (ends_in_comment(&split)) {
            refuse_open_comment(script, rest);
        } else if (state == CMD_SPLIT_COMPLETE) {
            size_t line = line_of(script, split.body);
            int status;

            sh_demo_echo(script->sh, pk_slice_of(rest.data, split.end), split.body);
            status = sh_execute(script->sh, split.body);
            if (status != SH_EXIT_FINE)
                stop(script, status, line);
        } else {
            sh_demo_echo(script->sh, pk_slice_of(rest.data, split.end), (pk_slice){NULL, 0});
        }
        count_lines(script, split.end);
        if (script->sh->quit || atomic_load(&script->sh->cancel))
            script->stopped = true;
    }
}

/* Appends with CRLF as a newline, also where a chunk ends between the two. */
static void append(struct sh_script *script, pk_slice bytes)
{
    struct pk_buf *text = &script->text;

    while (bytes.len > 0) {
        const char *newline = memchr(bytes.data, '\n', bytes.len);
        size_t len = newline == NULL ? bytes.len : (size_t)(newline - bytes.data);

        pk_buf_add(text, pk_slice_of(bytes.data, len));
        if (newline != NULL) {
            if (text->len > script->start && text->data[text->len - 1] == '\r')
                text->len--;
            pk_buf_add_byte(text, '\n');
        }
        bytes = pk_slice_skip(bytes, len + 1);
    }
}

/* Forgets what has run. */
static void compact(struct sh_script *script)
{
    if (script->start == 0)
        return;
    script->text.len -= script->start;
    memmove(script->text.data, script->text.data + script->start, script->text.len);
    script->start = 0;
    script->scanned = 0;
}

static void fail_too_long(struct sh_script *script)
{
    struct pk_error err = PK_ERROR_INIT;

    pk_fail(&err, PK_E_USAGE, "a statement of more than %d MB, which begins in %.*s%sline %zu",
            STATEMENT_MAX >> 20, SHOWN_MAX, script->name == NULL ? "" : script->name,
            script->name == NULL ? "" : " ", script->line);
    sh_show_error(script->sh, &err);
    pk_error_release(&err);
    script->stopped = true;
    script->status = script->status == SH_EXIT_FINE ? SH_EXIT_FAILED : script->status;
}

/* A byte order mark may arrive in pieces. */
static void skip_mark(struct sh_script *script)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t len = script->text.len < 3 ? script->text.len : 3;

    if (script->begun || len == 0)
        return;
    if (memcmp(script->text.data, mark, len) != 0)
        script->begun = true;
    else if (len == 3) {
        script->begun = true;
        script->start = 3;
    }
}

void sh_script_feed(struct sh_script *script, pk_slice bytes)
{
    size_t before = script->text.len;

    if (script->stopped || bytes.len == 0)
        return;
    append(script, bytes);
    skip_mark(script);
    /* A statement that stays open is looked at again when it has doubled, or at once when it is
     * short, so that a long one is not scanned again and again. */
    bool newline = memchr(script->text.data + before, '\n', script->text.len - before) != NULL;
    bool too_long = script->text.len > STATEMENT_MAX;

    if (!too_long &&
        (!newline || (script->scanned > CHUNK && script->text.len < 2 * script->scanned)))
        return;
    run_complete(script, false);
    compact(script);
    script->scanned = script->text.len;
    if (!script->stopped && script->text.len > STATEMENT_MAX)
        fail_too_long(script);
}

int sh_script_end(struct sh_script *script)
{
    /* the end of the input ends a statement, an interrupt in the middle of one does not */
    if (atomic_load(&script->sh->cancel))
        script->stopped = true;
    run_complete(script, true);
    return script->status;
}

int sh_script_text(struct sh *sh, pk_slice text, const char *name)
{
    struct sh_script script;

    sh_script_init(&script, sh, name);
    sh_script_feed(&script, text);

    int status = sh_script_end(&script);

    sh_script_release(&script);
    return status;
}

/* Reads what there is; 0 at the end or when cancelled, an errno in *failure. */
static size_t read_some(struct sh *sh, int fd, char *chunk, int *failure)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    while (!atomic_load(&sh->cancel)) {
        if (poll(&ready, 1, POLL_MS) <= 0)
            continue;

        ssize_t got = read(fd, chunk, CHUNK);

        if (got >= 0)
            return (size_t)got;
        if (errno != EINTR && errno != EAGAIN) {
            *failure = errno;
            return 0;
        }
    }
    return 0;
}

static void fail_read(struct sh_script *script, int failure)
{
    struct pk_error err = PK_ERROR_INIT;

    pk_fail(&err, PK_E_IO, "cannot read '%s': %s", script->name, strerror(failure));
    sh_show_error(script->sh, &err);
    pk_error_release(&err);
    script->status = SH_EXIT_FAILED;
    script->stopped = true;
}

int sh_script_fd(struct sh *sh, int fd, const char *name)
{
    struct sh_script script;
    char *chunk = pk_malloc(CHUNK);
    int failure = 0;

    sh_script_init(&script, sh, name);
    while (!script.stopped) {
        size_t got = read_some(sh, fd, chunk, &failure);

        if (got == 0)
            break;
        sh_script_feed(&script, pk_slice_of(chunk, got));
    }
    if (failure != 0)
        fail_read(&script, failure);

    int status = sh_script_end(&script);

    sh_script_release(&script);
    free(chunk);
    return status;
}

enum pk_code sh_script_file(struct sh *sh, const char *path, int *status, struct pk_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;

    if (fd < 0)
        return pk_fail(err, PK_E_IO, "cannot open '%s': %s", path, strerror(errno));
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
        close(fd);
        return pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(EISDIR));
    }
    *status = sh_script_fd(sh, fd, path);
    close(fd);
    return PK_OK;
}
