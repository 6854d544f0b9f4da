/* The ordered writer; see output.h. */
#include "shell/output.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "shell/child.h"
#include "shell/render/text_safe.h"

void sh_output_init(struct sh_output *output, int out_fd, int err_fd)
{
    *output = (struct sh_output){.out_fd = out_fd, .err_fd = err_fd, .file_fd = -1};
    output->out_tty = isatty(out_fd) == 1;
    output->err_tty = isatty(err_fd) == 1;
}

void sh_output_release(struct sh_output *output)
{
    if (output->file_fd >= 0)
        close(output->file_fd);
    free(output->file_name);
    free(output->failure);
    output->file_fd = -1;
    output->file_name = NULL;
    output->failure = NULL;
}

/* Writes all of it; 0 or an errno. */
static int write_all(int fd, pk_slice bytes)
{
    while (bytes.len > 0) {
        ssize_t written = write(fd, bytes.data, bytes.len);

        if (written >= 0) {
            bytes = pk_slice_skip(bytes, (size_t)written);
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = fd, .events = POLLOUT};

            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* To standard output or error, or in the place of a terminal there to the sink. */
static int write_stream(const struct sh_output *output, int fd, pk_slice bytes)
{
    if (output->sink.write == NULL || !(fd == output->out_fd ? output->out_tty : output->err_tty))
        return write_all(fd, bytes);
    output->sink.write(output->sink.context, bytes);
    return 0;
}

static void fail(struct sh_output *output, const char *name, int failure)
{
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_printf(&text, "cannot write %s: %s", name, strerror(failure));
    free(output->failure);
    output->failure = pk_buf_detach(&text);
}

static void write_result(struct sh_output *output, pk_slice bytes)
{
    bool file = output->file_fd >= 0;

    if (output->broken && !file)
        return;

    int failure =
        file ? write_all(output->file_fd, bytes) : write_stream(output, output->out_fd, bytes);

    if (failure == 0)
        return;
    if (file) {
        fail(output, output->file_name, failure);
        close(output->file_fd);
        output->file_fd = -1;
        return;
    }
    output->broken = true;
    if (failure != EPIPE)
        fail(output, "standard output", failure);
}

/* Through $PAGER; straight to the terminal when there is none or it cannot be started. */
static void write_paged(struct sh_output *output, pk_slice bytes)
{
    const char *pager = getenv("PAGER");
    struct sh_child child;

    if (pager == NULL)
        pager = "less";
    setenv("LESS", "FRX", 0); /* colours pass, and a page that fits is left on the screen */
    if (!output->out_tty || output->sink.write != NULL || pager[0] == '\0' ||
        strcmp(pager, "cat") == 0 || sh_child_start(&child, pager, SH_CHILD_PIPE) != 0) {
        write_result(output, bytes);
        return;
    }

    /* who leaves the pager early closes the pipe: nothing to complain about */
    write_all(child.input, bytes);
    if (sh_child_wait(&child) == 127) /* there is no such program */
        write_result(output, bytes);
}

static void clear_progress(struct sh_output *output)
{
    struct pk_buf text = PK_BUF_INIT;

    if (output->progress == 0)
        return;
    pk_buf_add_byte(&text, '\r');
    sh_text_pad(&text, output->progress);
    pk_buf_add_byte(&text, '\r');
    write_stream(output, output->err_fd, pk_buf_slice(&text));
    pk_buf_release(&text);
    output->progress = 0;
}

static void write_progress(struct sh_output *output, pk_slice text)
{
    struct pk_buf line = PK_BUF_INIT;
    size_t rows = 0;
    size_t columns = 0;

    if (!output->err_tty || text.len == 0)
        return;
    sh_output_size(output, &rows, &columns);
    pk_buf_add_byte(&line, ' ');
    output->progress = 1 + sh_text_fit(&line, text, columns > 2 ? columns - 2 : 1);
    write_stream(output, output->err_fd, pk_buf_slice(&line));
    pk_buf_release(&line);
}

void sh_output_write(struct sh_output *output, enum sh_stream stream, pk_slice bytes)
{
    clear_progress(output);
    switch (stream) {
    case SH_RESULT:
        write_result(output, bytes);
        return;
    case SH_PAGED:
        write_paged(output, bytes);
        return;
    case SH_CHATTER:
        if (output->out_tty && !output->broken)
            write_stream(output, output->out_fd, bytes);
        else
            write_stream(output, output->err_fd, bytes);
        return;
    case SH_ERROR:
        write_stream(output, output->err_fd, bytes);
        return;
    case SH_PROGRESS:
        write_progress(output, bytes);
        return;
    }
}

void sh_output_redirect_take(struct sh_output *output, int fd, pk_slice name)
{
    if (output->file_fd >= 0 && close(output->file_fd) != 0)
        fail(output, output->file_name, errno);
    free(output->file_name);
    output->file_fd = fd;
    output->file_name = fd < 0 ? NULL : pk_memdup_cstr(name.data, name.len);
}

char *sh_output_failure(struct sh_output *output)
{
    char *failure = output->failure;

    output->failure = NULL;
    return failure;
}

void sh_output_size(const struct sh_output *output, size_t *rows, size_t *columns)
{
    struct winsize size = {0};

    if (ioctl(output->out_fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    *rows = size.ws_row;
    *columns = size.ws_col;
}
