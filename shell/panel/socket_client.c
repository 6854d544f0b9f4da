/* See the header. */
#include "shell/panel/socket_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "commands/answer.h"
#include "commands/wire.h"
#include "engine/base/clock.h"
#include "shell/panel/socket_address.h"

enum {
    SLICE_MS = 50,          /* a cancel is heard within */
    WAIT_US = 10 * 1000000, /* for an answer; then the other side is taken for gone */
    READ_BYTES = 64 * 1024,
    ANSWER_MAX = 64 * 1024 * 1024
};

struct link {
    struct cmd_backend backend; /* first: a backend is cast back to its struct link */
    char *dir;
    pthread_mutex_t lock; /* one call at a time */
    int fd;               /* -1: lost */
};

static void lose(struct link *link)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
}

/* Waits until the socket can be written to or read from. */
static bool wait_for(struct link *link, short events, const atomic_bool *cancel, int64_t until_us)
{
    while (pk_clock_real_us() < until_us && (cancel == NULL || !atomic_load(cancel))) {
        struct pollfd fd = {.fd = link->fd, .events = events};
        int ready = poll(&fd, 1, SLICE_MS);

        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
    return false;
}

static bool send_line(struct link *link, pk_slice line, const atomic_bool *cancel, int64_t until_us)
{
    while (line.len > 0) {
        ssize_t n = send(link->fd, line.data, line.len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0)
            line = pk_slice_skip(line, (size_t)n);
        else if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        else if (!wait_for(link, POLLOUT, cancel, until_us))
            return false;
    }
    return true;
}

/* A line without its end. One question is open at a time, so nothing follows it. */
static bool read_line(struct link *link, struct pk_buf *line, const atomic_bool *cancel,
                      int64_t until_us)
{
    while (line->len < ANSWER_MAX) {
        char *room = pk_buf_reserve(line, READ_BYTES);
        ssize_t n = recv(link->fd, room, READ_BYTES, MSG_DONTWAIT);

        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (n > 0) {
            line->len += (size_t)n;
            line->data[line->len] = '\0';
            if (line->data[line->len - 1] == '\n')
                return true;
        } else if (!wait_for(link, POLLIN, cancel, until_us)) {
            return false;
        }
    }
    return false;
}

/* {"Status":n,"Answer":body}\n */
static bool take_answer(struct pk_buf *line, struct cmd_response *response)
{
    static const char head[] = "{\"Status\":";
    static const char middle[] = ",\"Answer\":";
    size_t at = sizeof(head) - 1;
    int status = 0;

    if (line->len < at || memcmp(line->data, head, at) != 0)
        return false;
    for (; line->data[at] >= '0' && line->data[at] <= '9' && status < 1000; at++)
        status = status * 10 + (line->data[at] - '0');
    if (line->len < at + sizeof(middle) + 1 ||
        memcmp(line->data + at, middle, sizeof(middle) - 1) != 0 ||
        memcmp(line->data + line->len - 2, "}\n", 2) != 0)
        return false;
    at += sizeof(middle) - 1;
    pk_buf_add(&response->body, pk_slice_of(line->data + at, line->len - at - 2));
    response->http = status;
    response->code = status == 200 ? PK_OK : cmd_answer_code(pk_buf_slice(&response->body));
    if (status != 200 && response->code == PK_OK)
        response->code = PK_E_FOREIGN;
    return true;
}

static void fail(const struct link *link, struct cmd_response *response, const atomic_bool *cancel,
                 const char *what)
{
    struct pk_error err = PK_ERROR_INIT;

    if (cancel != NULL && atomic_load(cancel))
        (void)pk_fail(&err, PK_E_CANCELLED, "cancelled");
    else
        (void)pk_fail(&err, PK_E_UNREACHABLE, "%s '%s'", what, link->dir);
    cmd_response_fail_take(response, &err);
}

/* Line breaks between tokens become blanks. */
static void build_line(struct pk_buf *line, pk_slice operation, pk_slice request)
{
    pk_buf_printf(line, "{\"Operation\":\"%.*s\",\"Request\":", PK_FMT(operation));
    for (size_t i = 0; i < request.len; i++)
        pk_buf_add_byte(line, request.data[i] == '\n' ? ' ' : (unsigned char)request.data[i]);
    pk_buf_add_cstr(line, "}\n");
}

static void call_locked(struct link *link, pk_slice line, const atomic_bool *cancel,
                        struct cmd_response *response)
{
    int64_t until_us = pk_clock_real_us() + WAIT_US;
    struct pk_buf answer = PK_BUF_INIT;

    if (link->fd < 0) {
        fail(link, response, NULL, "nobody has the store open in");
    } else if (!send_line(link, line, cancel, until_us) ||
               !read_line(link, &answer, cancel, until_us)) {
        lose(link);
        fail(link, response, cancel, "the other pksk closed the store in");
    } else if (!take_answer(&answer, response)) {
        lose(link);
        fail(link, response, NULL, "no pksk answers in");
    }
    pk_buf_release(&answer);
}

static void link_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                      const atomic_bool *cancel, struct cmd_response *response)
{
    struct link *link = (struct link *)backend;
    int64_t start_us = pk_clock_real_us();
    struct pk_buf line = PK_BUF_INIT;

    build_line(&line, operation, request);
    pthread_mutex_lock(&link->lock);
    call_locked(link, pk_buf_slice(&line), cancel, response);
    pthread_mutex_unlock(&link->lock);
    pk_buf_release(&line);
    response->micros = pk_clock_real_us() - start_us;
}

static void link_free(struct cmd_backend *backend)
{
    struct link *link = (struct link *)backend;

    lose(link);
    pthread_mutex_destroy(&link->lock);
    free(link->dir);
    free(link);
}

static const struct cmd_backend_ops link_ops = {.call = link_call, .free = link_free};

static int connect_to(const char *dir, struct pk_error *err)
{
    struct sh_socket_address address;
    int fd;

    if (sh_socket_address_init(&address, dir, err) != PK_OK)
        return -1;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address.name, address.length) != 0) {
        int failure = errno;

        close(fd);
        fd = -1;
        errno = failure;
    }
    if (fd < 0 && (errno == ENOENT || errno == ECONNREFUSED))
        (void)pk_fail(err, PK_E_UNREACHABLE, "no pksk has the store in '%s' open", dir);
    else if (fd < 0)
        (void)pk_fail(err, PK_E_UNREACHABLE, "cannot reach the store in '%s': %s", dir,
                      strerror(errno));
    sh_socket_address_release(&address);
    return fd;
}

enum pk_code sh_socket_client_open(const char *dir, struct cmd_backend **backend,
                                   struct pk_error *err)
{
    int fd = connect_to(dir, err);
    struct link *link;

    if (fd < 0)
        return err->code;
    link = pk_calloc(1, sizeof(*link));
    link->backend.ops = &link_ops;
    link->backend.extensions = true;
    link->dir = pk_memdup_cstr(dir, strlen(dir));
    link->backend.endpoint = link->dir;
    link->fd = fd;
    pthread_mutex_init(&link->lock, NULL);
    *backend = &link->backend;
    return PK_OK;
}
