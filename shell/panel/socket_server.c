/* One thread, one poll loop; see the header. */
#include "shell/panel/socket_server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/wire.h"
#include "engine/base/clock.h"
#include "shell/panel/socket_address.h"

enum {
    BACKLOG = 16,
    READ_BYTES = 4096,
    PERMISSIONS = 0600,
    KEPT_BYTES = 64 * 1024,  /* memory that a client keeps between two answers */
    SILENT_US = 30 * 1000000 /* who has been silent for longer makes room */
};

struct client {
    int fd; /* -1: free */
    int64_t heard_us;
    struct pk_buf in;  /* what was read and not answered yet */
    struct pk_buf out; /* the answer that is on its way */
    size_t sent;       /* bytes of it */
    bool closing;      /* once it was sent */
};

struct sh_socket_server {
    struct cmd_backend *backend;
    struct sh_socket_address address;
    pthread_t thread;
    int listener;
    int wake_fd; /* readable: stop */
    atomic_bool stop;
    struct client clients[SH_SOCKET_CLIENTS]; /* the thread's own */
};

/* Answers --------------------------------------------------------------------------------------*/

bool sh_socket_serves(pk_slice operation)
{
    static const char *const served[] = {
        "Pksk.Snapshot", "Pksk.Viewport",   "Pksk.Tail",        "Pksk.IndexLag",
        "Pksk.Traffic",  "Pksk.SetTraffic", "Pksk.StopTraffic",
    };

    for (size_t i = 0; i < sizeof(served) / sizeof(served[0]); i++) {
        if (pk_slice_is(operation, served[i]))
            return true;
    }
    return false;
}

static void put_answer(struct client *client, const struct cmd_response *response)
{
    pk_buf_printf(&client->out, "{\"Status\":%d,\"Answer\":", response->http);
    if (response->body.len == 0)
        pk_buf_add_cstr(&client->out, "{}");
    else
        pk_buf_add(&client->out, pk_buf_slice(&response->body));
    pk_buf_add_cstr(&client->out, "}\n");
}

static void put_error(struct client *client, enum pk_code code, const char *message)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct pk_error err = PK_ERROR_INIT;

    (void)pk_fail(&err, code, "%s", message);
    cmd_response_fail_take(&response, &err);
    put_answer(client, &response);
    cmd_response_release(&response);
}

static void answer(struct sh_socket_server *server, struct client *client, pk_slice line)
{
    cJSON *asked = cmd_wire_parse(line);
    pk_slice operation = cmd_wire_text(asked, "Operation");
    const cJSON *request = cJSON_GetObjectItemCaseSensitive(asked, "Request");
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct pk_buf body = PK_BUF_INIT;

    if (operation.data == NULL || !cJSON_IsObject(request)) {
        put_error(client, PK_E_SERIALIZATION, "expected {\"Operation\":…,\"Request\":{…}}");
    } else if (!sh_socket_serves(operation)) {
        put_error(client, PK_E_UNKNOWN_OPERATION, "");
    } else {
        cmd_wire_print(&body, request);
        server->backend->ops->call(server->backend, operation, pk_buf_slice(&body), &server->stop,
                                   &response);
        put_answer(client, &response);
    }
    cmd_response_release(&response);
    pk_buf_release(&body);
    cJSON_Delete(asked);
}

/* Clients --------------------------------------------------------------------------------------*/

static void drop(struct client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    pk_buf_release(&client->in);
    pk_buf_release(&client->out);
    *client = (struct client){.fd = -1};
}

static bool is_pending(const struct client *client)
{
    return client->out.len > 0;
}

/* As much as the other side takes without waiting. */
static void send_some(struct client *client)
{
    while (client->sent < client->out.len) {
        ssize_t n = send(client->fd, client->out.data + client->sent,
                         client->out.len - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            drop(client);
            return;
        }
        client->sent += (size_t)n;
    }
    client->sent = 0;
    pk_buf_clear(&client->out);
    if (client->out.cap > KEPT_BYTES)
        pk_buf_release(&client->out);
    if (client->closing)
        drop(client);
}

/* Answers the lines that have come, one at a time: the next when the answer before was taken. */
static void serve_lines(struct sh_socket_server *server, struct client *client)
{
    while (client->fd >= 0 && !is_pending(client)) {
        pk_slice in = pk_buf_slice(&client->in);
        const char *end = in.len == 0 ? NULL : memchr(in.data, '\n', in.len);
        size_t length;

        if (end == NULL)
            break;
        length = (size_t)(end - in.data);
        answer(server, client, pk_slice_of(in.data, length));
        memmove(client->in.data, end + 1, in.len - length - 1);
        client->in.len = in.len - length - 1;
        client->in.data[client->in.len] = '\0';
        send_some(client);
    }
    if (client->fd < 0 || is_pending(client) || client->in.len <= SH_SOCKET_LINE_MAX)
        return;
    put_error(client, PK_E_SERIALIZATION, "the line is too long");
    client->closing = true;
    send_some(client);
}

static void read_some(struct sh_socket_server *server, struct client *client)
{
    char *room = pk_buf_reserve(&client->in, READ_BYTES);
    ssize_t n = recv(client->fd, room, READ_BYTES, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        drop(client);
        return;
    }
    client->heard_us = pk_clock_real_us();
    client->in.len += (size_t)n;
    client->in.data[client->in.len] = '\0';
    serve_lines(server, client);
}

/* A free place, or that of the one who has been silent for longest. */
static struct client *find_place(struct sh_socket_server *server)
{
    struct client *oldest = &server->clients[0];

    for (size_t i = 0; i < SH_SOCKET_CLIENTS; i++) {
        struct client *client = &server->clients[i];

        if (client->fd < 0)
            return client;
        if (client->heard_us < oldest->heard_us)
            oldest = client;
    }
    if (pk_clock_real_us() - oldest->heard_us < SILENT_US)
        return NULL;
    drop(oldest);
    return oldest;
}

static void refuse(int fd)
{
    struct client client = {.fd = fd, .closing = true};

    put_error(&client, PK_E_UNREACHABLE, "there are too many panels already");
    send_some(&client);
    drop(&client);
}

static void accept_one(struct sh_socket_server *server)
{
    int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct client *client;

    if (fd < 0)
        return;
    client = find_place(server);
    if (client == NULL) {
        refuse(fd);
        return;
    }
    client->fd = fd;
    client->heard_us = pk_clock_real_us();
}

/* The loop -------------------------------------------------------------------------------------*/

enum { WAKE, LISTENER, FIRST_CLIENT, FDS = FIRST_CLIENT + SH_SOCKET_CLIENTS };

static void *run(void *argument)
{
    struct sh_socket_server *server = argument;

    for (;;) {
        struct pollfd fds[FDS] = {
            [WAKE] = {.fd = server->wake_fd, .events = POLLIN},
            [LISTENER] = {.fd = server->listener, .events = POLLIN},
        };

        for (size_t i = 0; i < SH_SOCKET_CLIENTS; i++)
            fds[FIRST_CLIENT + i] = (struct pollfd){
                .fd = server->clients[i].fd,
                .events = is_pending(&server->clients[i]) ? POLLOUT : POLLIN,
            };
        if (poll(fds, FDS, -1) < 0 && errno != EINTR)
            pk_bug("poll fails: %s", strerror(errno));
        if (atomic_load(&server->stop))
            return NULL;
        for (size_t i = 0; i < SH_SOCKET_CLIENTS; i++) {
            struct client *client = &server->clients[i];

            if (client->fd < 0 || fds[FIRST_CLIENT + i].revents == 0)
                continue;
            if (!is_pending(client)) {
                read_some(server, client);
                continue;
            }
            send_some(client);
            serve_lines(server, client);
        }
        if (fds[LISTENER].revents != 0)
            accept_one(server);
    }
}

/* Life -----------------------------------------------------------------------------------------*/

/* What a process left behind that ended without closing. Anything but a socket stays. */
static void remove_socket(const struct sh_socket_address *address)
{
    struct stat found;

    if (lstat(address->name.sun_path, &found) == 0 && S_ISSOCK(found.st_mode))
        (void)unlink(address->name.sun_path);
}

static enum pk_code fail_listening(const char *dir, struct pk_error *err)
{
    return pk_fail(err, PK_E_IO, "cannot listen on '%s/%s': %s", dir, SH_SOCKET_NAME,
                   strerror(errno));
}

/* The permissions are set before the socket has a name, as umask is the whole process's. */
static enum pk_code listen_in(struct sh_socket_server *server, const char *dir,
                              struct pk_error *err)
{
    const struct sh_socket_address *address = &server->address;

    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener < 0 || fchmod(server->listener, PERMISSIONS) != 0)
        return fail_listening(dir, err);
    remove_socket(address);
    if (bind(server->listener, (const struct sockaddr *)&address->name, address->length) != 0)
        return fail_listening(dir, err);
    if (chmod(address->name.sun_path, PERMISSIONS) != 0 || listen(server->listener, BACKLOG) != 0)
        return fail_listening(dir, err);
    return PK_OK;
}

static void free_server(struct sh_socket_server *server)
{
    for (size_t i = 0; i < SH_SOCKET_CLIENTS; i++)
        drop(&server->clients[i]);
    if (server->listener >= 0)
        close(server->listener);
    if (server->wake_fd >= 0)
        close(server->wake_fd);
    sh_socket_address_release(&server->address);
    free(server);
}

enum pk_code sh_socket_server_start(struct cmd_backend *backend, const char *dir,
                                    struct sh_socket_server **out, struct pk_error *err)
{
    struct sh_socket_server *server = pk_calloc(1, sizeof(*server));
    enum pk_code rc;

    server->backend = backend;
    server->listener = -1;
    server->wake_fd = eventfd(0, EFD_CLOEXEC);
    for (size_t i = 0; i < SH_SOCKET_CLIENTS; i++)
        server->clients[i].fd = -1;
    rc = sh_socket_address_init(&server->address, dir, err);
    if (rc == PK_OK)
        rc = listen_in(server, dir, err);
    if (rc == PK_OK &&
        (server->wake_fd < 0 || pthread_create(&server->thread, NULL, run, server) != 0)) {
        remove_socket(&server->address);
        rc = pk_fail(err, PK_E_IO, "cannot start a thread for panels");
    }
    if (rc != PK_OK) {
        free_server(server);
        return rc;
    }
    *out = server;
    return PK_OK;
}

void sh_socket_server_stop(struct sh_socket_server *server)
{
    const uint64_t one = 1;

    if (server == NULL)
        return;
    atomic_store(&server->stop, true);
    if (write(server->wake_fd, &one, sizeof(one)) < 0)
        pk_bug("cannot wake a thread: %s", strerror(errno));
    pthread_join(server->thread, NULL);
    remove_socket(&server->address);
    free_server(server);
}
