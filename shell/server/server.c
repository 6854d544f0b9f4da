/*
 * libmicrohttpd's callbacks, in the order in which a request meets them:
 *
 *   connection_changed  a connection comes (counted, put on the list) or goes
 *   request_line        an exchange is made
 *   handle              first with the head (refused, or counted as active), then with each part of
 *                       the body, then once more: answered
 *   exchange_completed  the answer is sent, or the connection is gone; the exchange is freed
 *
 * One thread of ours (watch) closes connections whose request has been arriving for too long: the
 * library's own time limit begins again with every byte. It also finds clients that have gone in
 * the middle of a request: the library waits on for one whose last bytes and end came together,
 * because it takes a short read for the end of what there is.
 *
 * `lock` guards the list of connections; everything a request touches is atomic or its own.
 */
#include "shell/server/server.h"

#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"

enum {
    IDLE_SECONDS = 120,    /* a silent connection */
    ARRIVAL_SECONDS = 150, /* a request, from its first byte or the last answer */
    DRAIN_MS = 6000,       /* requests under way when the server stops */
    DRAIN_STEP_MS = 5,
    QUIET_MS = 20,                 /* nothing is under way for so long: nothing more comes */
    CANCEL_MS = 5000,              /* of the drain, until calls that run are told to stop */
    UPLOAD_MS = 2000,              /* of the drain, until requests that still arrive are cut off */
    SWEEP_MS = 100,                /* between two looks at connections in the drain */
    CONNECTION_MEMORY = 48 * 1024, /* above both limits of a head, so that ours decide */
    HEADERS_USUAL = 16,            /* so many without memory of their own */
    HEADERS_MAX = 256,
    SPARE_CONNECTIONS = 64 /* above our limit: those that are answered 503 */
};
static const size_t HELD_MAX = (size_t)256 * 1024 * 1024; /* of bodies and answers together */

struct connection {
    struct connection *prev, *next;
    int fd;
    bool surplus;             /* came when there were too many */
    atomic_llong arriving_us; /* since when a request has been arriving; 0: it is being answered */
    int64_t gone_us; /* arriving_us of the request in which the client was seen to have gone */
};

struct sh_server {
    struct MHD_Daemon *daemon;
    struct sh_service *service;
    struct sh_server_options options;
    struct pk_buf url;
    int listen_fd;
    unsigned limit;
    atomic_uint active; /* requests whose head has come and whose answer has not gone */
    atomic_size_t held;
    atomic_bool draining;
    pthread_mutex_t lock;
    pthread_cond_t stopping;
    bool stopped; /* under lock */
    struct connection *connections;
    unsigned connection_count;
    pthread_t watcher;
};

struct exchange {
    bool begun;      /* its head has come */
    bool discarding; /* the rest of the body is read and not kept */
    bool short_of_memory;
    bool too_many_headers;
    size_t held;
    struct pk_buf body;
    struct sh_http_request request;
    struct sh_http_header usual[HEADERS_USUAL];
    struct sh_http_header *headers; /* `usual`, or HEADERS_MAX on the heap */
    char uri[];                     /* as sent */
};

/* ---- connections ----------------------------------------------------------------------------- */

static struct connection *connection_of(struct MHD_Connection *handle)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info == NULL ? NULL : info->socket_context;
}

static void set_arriving(struct MHD_Connection *handle, int64_t since_us)
{
    struct connection *connection = connection_of(handle);

    if (connection != NULL)
        atomic_store(&connection->arriving_us, since_us);
}

static struct connection *add_connection(struct sh_server *server, int fd)
{
    struct connection *connection = pk_calloc(1, sizeof(*connection));

    connection->fd = fd;
    atomic_store(&connection->arriving_us, pk_clock_real_us());
    pthread_mutex_lock(&server->lock);
    connection->surplus = ++server->connection_count > server->limit;
    connection->next = server->connections;
    if (connection->next != NULL)
        connection->next->prev = connection;
    server->connections = connection;
    pthread_mutex_unlock(&server->lock);
    return connection;
}

static void remove_connection(struct sh_server *server, struct connection *connection)
{
    pthread_mutex_lock(&server->lock);
    server->connection_count--;
    if (connection->prev != NULL)
        connection->prev->next = connection->next;
    else
        server->connections = connection->next;
    if (connection->next != NULL)
        connection->next->prev = connection->prev;
    pthread_mutex_unlock(&server->lock);
    free(connection);
}

static void connection_changed(void *context, struct MHD_Connection *handle, void **state,
                               enum MHD_ConnectionNotificationCode what)
{
    struct sh_server *server = context;

    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *state = add_connection(
            server, MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
    else if (*state != NULL)
        remove_connection(server, *state);
}

/* Has the client said its last word, and has all of it been read? */
static bool has_gone(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLRDHUP};
    int unread = 0;

    return poll(&end, 1, 0) > 0 && ioctl(fd, FIONREAD, &unread) == 0 && unread == 0;
}

/* Closes connections whose request has been arriving for longer than that, or will not arrive any
 * more: the latter when they are met twice, for one whose last bytes were just read is complete
 * and about to be answered. Under lock. */
static void close_stale(struct sh_server *server, int64_t longest_us)
{
    int64_t now_us = pk_clock_real_us();

    for (struct connection *at = server->connections; at != NULL; at = at->next) {
        int64_t since = atomic_load(&at->arriving_us);
        bool gone = since != 0 && has_gone(at->fd);

        if (since != 0 && ((gone && at->gone_us == since) || now_us - since > longest_us))
            shutdown(at->fd, SHUT_RDWR); /* the library finds it closed */
        at->gone_us = gone ? since : 0;
    }
}

static void *watch(void *context)
{
    struct sh_server *server = context;

    pthread_mutex_lock(&server->lock);
    while (!server->stopped) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&server->stopping, &server->lock, &until);
        close_stale(server, (int64_t)ARRIVAL_SECONDS * 1000000);
    }
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void hold(struct sh_server *server, struct exchange *exchange, size_t bytes)
{
    exchange->held += bytes;
    atomic_fetch_add(&server->held, bytes);
}

/* Queues the answer and releases it. */
static enum MHD_Result send_answer(struct sh_server *server, struct MHD_Connection *handle,
                                   struct exchange *exchange, struct sh_http_answer *answer)
{
    const char *name, *value;
    size_t at = 0, len = answer->body.len;
    struct MHD_Response *response;
    enum MHD_Result result;

    hold(server, exchange, len);
    response =
        MHD_create_response_from_buffer(len, pk_buf_detach(&answer->body), MHD_RESPMEM_MUST_FREE);
    if (response == NULL)
        pk_bug("no memory for a response");
    while (sh_http_answer_next(answer, &at, &name, &value))
        MHD_add_response_header(response, name, value);
    if (answer->close || atomic_load(&server->draining))
        MHD_add_response_header(response, "Connection", "close");
    set_arriving(handle, 0);
    result = MHD_queue_response(handle, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    sh_http_answer_release(answer);
    return result;
}

static void log_request(const struct sh_server *server, const struct exchange *exchange,
                        const struct sh_request_note *note)
{
    struct pk_buf line = PK_BUF_INIT;

    if (server->options.log == SH_LOG_NONE)
        return;
    sh_access_log_line(&line, server->options.log, &exchange->request, note);
    server->options.log_line(server->options.log_context, pk_buf_slice(&line));
    pk_buf_release(&line);
}

static enum MHD_Result send_error(struct sh_server *server, struct MHD_Connection *handle,
                                  struct exchange *exchange, const char *message)
{
    struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
    struct sh_request_note note = {.code = PK_E_UNAVAILABLE};

    sh_service_answer_error(server->service, PK_E_UNAVAILABLE, message, &answer);
    note.status = answer.status;
    log_request(server, exchange, &note);
    return send_answer(server, handle, exchange, &answer);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void *request_line(void *context, const char *uri, struct MHD_Connection *handle)
{
    size_t len = strlen(uri);
    struct exchange *exchange = pk_malloc(sizeof(*exchange) + len + 1);

    (void)context;
    (void)handle;
    /* the headers' array is filled when they have come */
    exchange->headers = exchange->usual;
    exchange->begun = exchange->discarding = false;
    exchange->short_of_memory = exchange->too_many_headers = false;
    exchange->held = 0;
    exchange->body = (struct pk_buf)PK_BUF_INIT;
    exchange->request = (struct sh_http_request){.headers = exchange->headers};
    memcpy(exchange->uri, uri, len + 1);
    return exchange;
}

/* To where there is room for all that are allowed. */
static void move_headers(struct exchange *exchange)
{
    exchange->headers = pk_malloc(HEADERS_MAX * sizeof(*exchange->headers));
    memcpy(exchange->headers, exchange->usual, sizeof(exchange->usual));
    exchange->request.headers = exchange->headers;
}

static enum MHD_Result add_header(void *context, enum MHD_ValueKind kind, const char *name,
                                  size_t name_len, const char *value, size_t value_len)
{
    struct exchange *exchange = context;
    struct sh_http_request *request = &exchange->request;

    (void)kind;
    exchange->too_many_headers = request->header_count == HEADERS_MAX;
    if (exchange->too_many_headers)
        return MHD_NO;
    if (request->header_count == HEADERS_USUAL)
        move_headers(exchange);
    exchange->headers[request->header_count++] =
        (struct sh_http_header){{name, name_len}, {value == NULL ? "" : value, value_len}};
    return MHD_YES;
}

static void read_head(struct exchange *exchange, struct MHD_Connection *handle, const char *method,
                      const char *version)
{
    struct sh_http_request *request = &exchange->request;
    const char *query = strchr(exchange->uri, '?');

    request->method = pk_slice_cstr(method);
    request->version = pk_slice_cstr(version);
    request->path = pk_slice_cstr(exchange->uri);
    if (query != NULL) {
        request->path.len = (size_t)(query - exchange->uri);
        request->query = pk_slice_cstr(query + 1);
    }
    MHD_get_connection_values_n(handle, MHD_HEADER_KIND, add_header, exchange);
}

static enum MHD_Result begin(struct sh_server *server, struct MHD_Connection *handle,
                             struct exchange *exchange)
{
    struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
    struct sh_request_note note = {.status = 0};

    const struct connection *connection = connection_of(handle);

    if (connection != NULL && connection->surplus)
        return send_error(server, handle, exchange, "too many connections");
    if (atomic_load(&server->held) > HELD_MAX)
        return send_error(server, handle, exchange, "too much is being sent and received at once");
    if (exchange->too_many_headers)
        sh_service_answer_status(server->service, 431, &answer);
    else if (!sh_service_refuse(server->service, &exchange->request, &answer))
        return MHD_YES;
    note.status = answer.status;
    log_request(server, exchange, &note);
    return send_answer(server, handle, exchange, &answer);
}

static void take_body(struct sh_server *server, struct exchange *exchange, pk_slice part)
{
    if (exchange->discarding)
        return;
    if (atomic_load(&server->held) > HELD_MAX)
        exchange->short_of_memory = true;
    if (exchange->short_of_memory || exchange->body.len > SH_HTTP_BODY_MAX) {
        exchange->discarding = true;
        return;
    }
    pk_buf_add(&exchange->body, part);
    hold(server, exchange, part.len);
}

static enum MHD_Result finish(struct sh_server *server, struct MHD_Connection *handle,
                              struct exchange *exchange)
{
    struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
    struct sh_request_note note;

    if (exchange->short_of_memory)
        return send_error(server, handle, exchange, "too much is being sent and received at once");
    set_arriving(handle, 0);
    exchange->request.body = pk_buf_slice(&exchange->body);
    sh_service_answer(server->service, &exchange->request, &answer, &note);
    log_request(server, exchange, &note);
    return send_answer(server, handle, exchange, &answer);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *part,
                              size_t *part_len, void **state)
{
    struct sh_server *server = context;
    struct exchange *exchange = *state;

    (void)url;
    if (!exchange->begun) {
        exchange->begun = true;
        atomic_fetch_add(&server->active, 1);
        read_head(exchange, connection, method, version);
        return begin(server, connection, exchange);
    }
    if (*part_len == 0)
        return finish(server, connection, exchange);
    take_body(server, exchange, (pk_slice){part, *part_len});
    *part_len = 0;
    return MHD_YES;
}

static void exchange_completed(void *context, struct MHD_Connection *handle, void **state,
                               enum MHD_RequestTerminationCode how)
{
    struct sh_server *server = context;
    struct exchange *exchange = *state;

    (void)how;
    if (exchange == NULL)
        return;
    set_arriving(handle, pk_clock_real_us());
    if (exchange->begun)
        atomic_fetch_sub(&server->active, 1);
    atomic_fetch_sub(&server->held, exchange->held);
    pk_buf_release(&exchange->body);
    if (exchange->headers != exchange->usual)
        free(exchange->headers);
    free(exchange);
    *state = NULL;
}

/* ---- start and stop -------------------------------------------------------------------------- */

static unsigned thread_count(const struct sh_server_options *options)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (options->threads > 0)
        return options->threads;
    return processors < 1 ? 1 : (unsigned)processors;
}

static struct MHD_Daemon *start_daemon(struct sh_server *server)
{
    unsigned threads = thread_count(&server->options);
    /* each thread gets its share of the library's limit, and any of them may come to have all */
    unsigned limit = (server->limit + SPARE_CONNECTIONS) * threads;
    struct MHD_OptionItem options[] = {
        {MHD_OPTION_LISTEN_SOCKET, server->listen_fd, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)limit, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, NULL},
        {threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };

    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_TURBO, 0, NULL,
                            NULL, handle, server, MHD_OPTION_URI_LOG_CALLBACK, request_line, server,
                            MHD_OPTION_NOTIFY_COMPLETED, exchange_completed, server,
                            MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server,
                            MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static void free_server(struct sh_server *server)
{
    sh_service_free(server->service);
    pk_buf_release(&server->url);
    pthread_cond_destroy(&server->stopping);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

enum pk_code sh_server_start(struct cmd_backend *backend, const struct sh_server_options *options,
                             struct sh_server **out, struct pk_error *err)
{
    struct sh_server *server = pk_calloc(1, sizeof(*server));
    enum pk_code rc;

    server->options = *options;
    server->limit = sh_connection_limit();
    server->service = sh_service_new(backend, &options->service);
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->stopping, NULL);
    rc = sh_listen(options->service.host, options->port, &server->listen_fd, &server->url, err);
    if (rc != PK_OK)
        goto fail;
    server->daemon = start_daemon(server);
    if (server->daemon == NULL) {
        rc = pk_fail(err, PK_E_IO, "the server's threads cannot be started");
        goto fail_listen;
    }
    if (pthread_create(&server->watcher, NULL, watch, server) != 0)
        pk_bug("a thread cannot be started");
    *out = server;
    return PK_OK;
fail_listen:
    close(server->listen_fd);
fail:
    free_server(server);
    return rc;
}

static void sweep(struct sh_server *server, int64_t waited)
{
    if (waited >= CANCEL_MS)
        sh_service_cancel(server->service);
    pthread_mutex_lock(&server->lock);
    close_stale(server, waited < UPLOAD_MS ? (int64_t)ARRIVAL_SECONDS * 1000000 : 0);
    pthread_mutex_unlock(&server->lock);
}

/* Waits for the requests under way; those that would take too long are told to stop. Nothing under
 * way for a moment is not the end: a client whose last answer did not say that the connection
 * closes may just be sending the next request. */
static void drain(struct sh_server *server)
{
    const struct timespec step = {0, DRAIN_STEP_MS * 1000000L};
    int64_t begin = pk_clock_real_ms(), waited = 0, busy = 0, sweep_next = 0;

    while (waited < DRAIN_MS && waited - busy < QUIET_MS) {
        if (waited >= sweep_next) {
            sweep(server, waited);
            sweep_next = waited + SWEEP_MS;
        }
        nanosleep(&step, NULL);
        waited = pk_clock_real_ms() - begin;
        if (atomic_load(&server->active) > 0)
            busy = waited;
    }
    sh_service_cancel(server->service);
}

void sh_server_stop(struct sh_server *server)
{
    int fd;

    if (server == NULL)
        return;
    atomic_store(&server->draining, true);
    fd = MHD_quiesce_daemon(server->daemon);
    /* Who comes now is refused and knows it; the descriptor itself is the daemon's till its end. */
    if (fd >= 0)
        shutdown(fd, SHUT_RDWR);
    drain(server);
    MHD_stop_daemon(server->daemon);
    if (fd >= 0)
        close(fd);
    pthread_mutex_lock(&server->lock);
    server->stopped = true;
    pthread_cond_signal(&server->stopping);
    pthread_mutex_unlock(&server->lock);
    pthread_join(server->watcher, NULL);
    free_server(server);
}

const char *sh_server_url(const struct sh_server *server)
{
    return server->url.data;
}

unsigned sh_server_connection_limit(const struct sh_server *server)
{
    return server->limit;
}
