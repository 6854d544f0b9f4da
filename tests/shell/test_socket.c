/* The socket that panels of other processes ask: what it answers, whom it refuses, and that nobody
 * can hold it up. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/panel/feed.h"
#include "shell/panel/socket_address.h"
#include "shell/panel/socket_client.h"
#include "shell/panel/socket_server.h"
#include "tests/support/command_fixture.h"
#include "tests/support/served.h"
#include "tests/support/temp_dir.h"

enum { PATIENCE_MS = 20000 };

/* A seeded store in memory with a socket in a directory. */
struct fixture {
    struct command_fixture commands;
    struct temp_dir dir;
    struct cmd_backend *backend;
    struct sh_socket_server *server;
};

static void open_fixture(struct fixture *fx)
{
    struct pk_error err = PK_ERROR_INIT;

    command_open(&fx->commands);
    command_seed(&fx->commands);
    temp_dir_make(&fx->dir);
    fx->backend = cmd_backend_local_new(fx->commands.engine);
    cr_assert_eq(sh_socket_server_start(fx->backend, fx->dir.path, &fx->server, &err), PK_OK, "%s",
                 err.message);
}

static void close_fixture(struct fixture *fx)
{
    sh_socket_server_stop(fx->server);
    cmd_backend_free(fx->backend);
    temp_dir_remove(&fx->dir);
    command_close(&fx->commands);
}

static int connect_raw(const char *dir)
{
    struct sh_socket_address address;
    struct pk_error err = PK_ERROR_INIT;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    cr_assert_eq(sh_socket_address_init(&address, dir, &err), PK_OK);
    if (connect(fd, (const struct sockaddr *)&address.name, address.length) != 0) {
        close(fd);
        fd = -1;
    }
    sh_socket_address_release(&address);
    return fd;
}

/* What comes until a line ends or the other side closes; "" when that is nothing. */
static char *read_line(int fd)
{
    struct pk_buf line = PK_BUF_INIT;

    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        char byte;

        cr_assert_eq(poll(&ready, 1, PATIENCE_MS), 1, "no answer");
        if (recv(fd, &byte, 1, 0) != 1 || byte == '\n')
            return pk_buf_detach(&line);
        pk_buf_add_byte(&line, (unsigned char)byte);
    }
}

static void send_text(int fd, pk_slice text)
{
    while (text.len > 0) {
        ssize_t n = send(fd, text.data, text.len, MSG_NOSIGNAL);

        if (n <= 0)
            return;
        text = pk_slice_skip(text, (size_t)n);
    }
}

#define SERIALIZATION                                                                              \
    "{\"Status\":400,\"Answer\":{\"__type\":\"com.amazon.coral.service#SerializationException\","  \
    "\"Message\":\"expected {\\\"Operation\\\":…,\\\"Request\\\":{…}}\"}}"
#define UNKNOWN                                                                                    \
    "{\"Status\":400,\"Answer\":{\"__type\":\"com.amazon.coral.service#"                           \
    "UnknownOperationException\"}}"

/* Lines and what is answered; on one connection. */
static const struct {
    const char *line, *answer;
} lines[] = {
    {"{\"Operation\":\"Pksk.Tail\",\"Request\":{}}",
     "{\"Status\":200,\"Answer\":{\"Records\":[],\"Last\":0,\"Lost\":0,\"Opened\":"},
    {"{\"Operation\":\"Pksk.Tail\",\"Request\":{\"Limit\":0}}",
     "{\"Status\":400,\"Answer\":{\"__type\":\"com.amazon.coral.validate#ValidationException\","
     "\"message\":\"1 validation error detected: Value '0' at 'limit' failed to satisfy "
     "constraint: Member must have value greater than or equal to 1\"}}"},
    {"{\"Request\":{\"TableName\":\"Tab\",\"Limit\":1},\"Operation\":\"Pksk.Viewport\"}",
     "{\"Status\":200,\"Answer\":{\"Hash\":[\"PK\"],\"Range\":[\"N\"],\"Collections\":[],\"LastRead\":0,"
     "\"RowsRead\":0}}"},
    {"", SERIALIZATION},
    {"nonsense", SERIALIZATION},
    {"[1,2]", SERIALIZATION},
    {"{\"Operation\":\"Pksk.Tail\"}", SERIALIZATION},
    {"{\"Operation\":1,\"Request\":{}}", SERIALIZATION},
    {"{\"Operation\":\"Pksk.Tail\",\"Request\":[]}", SERIALIZATION},
    {"{\"Operation\":\"PutItem\",\"Request\":{\"TableName\":\"Tab\"}}", UNKNOWN},
    {"{\"Operation\":\"DeleteTable\",\"Request\":{\"TableName\":\"Tab\"}}", UNKNOWN},
    {"{\"Operation\":\"Pksk.Check\",\"Request\":{}}", UNKNOWN},
    {"{\"Operation\":\"GetItem\",\"Request\":{}}", UNKNOWN},
    {"{\"Operation\":\"Pksk.Tail\\u0000\",\"Request\":{}}", UNKNOWN},
    {"\x80\xff{}", SERIALIZATION},
};

Test(socket, lines)
{
    struct fixture fx;
    int fd;

    open_fixture(&fx);
    fd = connect_raw(fx.dir.path);
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        char *answer;

        send_text(fd, pk_slice_cstr(lines[i].line));
        send_text(fd, PK_LIT("\n"));
        answer = read_line(fd);
        if (strstr(answer, "\"Opened\":") != NULL)
            answer[strlen(lines[i].answer)] = '\0'; /* a time */
        cr_expect_str_eq(answer, lines[i].answer, "row %zu: %s", i, answer);
        free(answer);
    }
    close(fd);
    close_fixture(&fx);
}

/* Lines that come together, or byte by byte. */
Test(socket, pieces)
{
    static const char line[] = "{\"Operation\":\"Pksk.Tail\",\"Request\":{}}\n";
    struct pk_buf many = PK_BUF_INIT;
    struct fixture fx;
    int fd;

    open_fixture(&fx);
    fd = connect_raw(fx.dir.path);
    for (int i = 0; i < 500; i++)
        pk_buf_add_cstr(&many, line);
    for (size_t i = 0; i < sizeof(line) - 1; i++)
        send_text(fd, pk_slice_of(line + i, 1));
    send_text(fd, pk_buf_slice(&many));
    for (int i = 0; i < 501; i++) {
        char *answer = read_line(fd);

        cr_assert_eq(strncmp(answer, lines[0].answer, strlen(lines[0].answer)), 0, "answer %d", i);
        free(answer);
    }
    pk_buf_release(&many);
    close(fd);
    close_fixture(&fx);
}

/* A line without an end is refused, and so is whoever sends it. */
Test(socket, endless_line)
{
    struct pk_buf line = PK_BUF_INIT;
    struct fixture fx;
    char *answer;
    int fd;

    open_fixture(&fx);
    fd = connect_raw(fx.dir.path);
    for (int i = 0; i < SH_SOCKET_LINE_MAX + 8192; i++)
        pk_buf_add_byte(&line, 'x');
    send_text(fd, pk_buf_slice(&line));
    answer = read_line(fd);
    cr_expect_neq(strstr(answer, "the line is too long"), NULL, "%s", answer);
    free(answer);
    pk_buf_release(&line);
    close(fd);
    close_fixture(&fx);
}

/* Only its owner can reach it; it goes with the server, and one that was left behind is replaced,
 * but nothing that is no socket. */
Test(socket, place)
{
    struct pk_buf path = PK_BUF_INIT;
    struct sh_socket_server *second = NULL;
    struct pk_error err = PK_ERROR_INIT;
    struct fixture fx;
    struct stat found;
    int fd;

    umask(0);
    open_fixture(&fx);
    pk_buf_printf(&path, "%s/%s", fx.dir.path, SH_SOCKET_NAME);
    cr_assert_eq(lstat(path.data, &found), 0);
    cr_expect(S_ISSOCK(found.st_mode));
    cr_expect_eq(found.st_mode & 07777, 0600);
    sh_socket_server_stop(fx.server);
    cr_expect_eq(lstat(path.data, &found), -1);
    cr_expect_eq(connect_raw(fx.dir.path), -1);

    /* As after kill -9: a socket that nobody listens on. */
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    {
        struct sh_socket_address address;

        cr_assert_eq(sh_socket_address_init(&address, fx.dir.path, &err), PK_OK);
        cr_assert_eq(bind(fd, (const struct sockaddr *)&address.name, address.length), 0);
        sh_socket_address_release(&address);
    }
    close(fd);
    cr_assert_eq(sh_socket_server_start(fx.backend, fx.dir.path, &fx.server, &err), PK_OK);
    fd = connect_raw(fx.dir.path);
    cr_expect_geq(fd, 0);
    close(fd);
    sh_socket_server_stop(fx.server);
    fx.server = NULL;

    fd = open(path.data, O_CREAT | O_WRONLY, 0600);
    close(fd);
    cr_expect_eq(sh_socket_server_start(fx.backend, fx.dir.path, &second, &err), PK_E_IO);
    cr_expect_neq(strstr(err.message, "Address already in use"), NULL, "%s", err.message);
    cr_expect_eq(lstat(path.data, &found), 0);
    pk_error_release(&err);
    pk_buf_release(&path);
    close_fixture(&fx);
}

/* A directory whose name is longer than a socket's may be. */
Test(socket, long_path)
{
    struct pk_buf path = PK_BUF_INIT;
    struct sh_socket_server *server = NULL;
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct cmd_backend *client = NULL;
    struct pk_error err = PK_ERROR_INIT;
    struct fixture fx;

    open_fixture(&fx);
    pk_buf_add_cstr(&path, fx.dir.path);
    for (int i = 0; i < 5; i++) {
        pk_buf_add_cstr(&path, "/a-directory-with-a-name-of-some-length");
        cr_assert_eq(mkdir(path.data, 0700), 0);
    }
    cr_assert_eq(sh_socket_server_start(fx.backend, path.data, &server, &err), PK_OK, "%s",
                 err.message);
    cr_assert_eq(sh_socket_client_open(path.data, &client, &err), PK_OK, "%s", err.message);
    client->ops->call(client, PK_LIT("Pksk.Tail"), PK_LIT("{}"), NULL, &response);
    cr_expect_eq(response.http, 200);
    cr_expect(pk_slice_starts(pk_buf_slice(&response.body),
                              PK_LIT("{\"Records\":[],\"Last\":0,\"Lost\":0,\"Opened\":")));
    cmd_response_release(&response);
    cmd_backend_free(client);
    sh_socket_server_stop(server);
    pk_buf_release(&path);
    close_fixture(&fx);
}

/* Panels that ask and never read, as a stopped process does: others are answered all the same, and
 * what waits for them is one answer each. The ninth is told why it is refused. */
Test(socket, stopped_panels)
{
    static const char line[] =
        "{\"Operation\":\"Pksk.Viewport\",\"Request\":{\"TableName\":\"Big\",\"Limit\":500}}\n";
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct cmd_backend *client = NULL;
    struct pk_error err = PK_ERROR_INIT;
    int stopped[SH_SOCKET_CLIENTS - 1];
    struct fixture fx;
    char *answer;
    int fd;

    open_fixture(&fx);
    command_must(&fx.commands, "create table Big (PK S, SK N)");
    for (int i = 0; i < 500; i++) {
        struct pk_buf put = PK_BUF_INIT;

        pk_buf_printf(&put, "put b %d {t: '%0400d'}", i, i);
        command_must(&fx.commands, put.data);
        pk_buf_release(&put);
    }
    for (size_t i = 0; i < SH_SOCKET_CLIENTS - 1; i++) {
        stopped[i] = connect_raw(fx.dir.path);
        for (int k = 0; k < 50; k++)
            send_text(stopped[i], PK_LIT(line));
    }
    cr_assert_eq(sh_socket_client_open(fx.dir.path, &client, &err), PK_OK);
    for (int i = 0; i < 3; i++) {
        client->ops->call(client, PK_LIT("Pksk.Tail"), PK_LIT("{}"), NULL, &response);
        cr_expect_eq(response.http, 200);
        cmd_response_release(&response);
    }
    fd = connect_raw(fx.dir.path);
    answer = read_line(fd);
    cr_expect_neq(strstr(answer, "there are too many panels already"), NULL, "%s", answer);
    free(answer);
    close(fd);
    /* One goes: there is room. */
    close(stopped[0]);
    cmd_backend_free(client);
    cr_assert_eq(sh_socket_client_open(fx.dir.path, &client, &err), PK_OK);
    client->ops->call(client, PK_LIT("Pksk.Tail"), PK_LIT("{}"), NULL, &response);
    cr_expect_eq(response.http, 200);
    cmd_response_release(&response);
    cmd_backend_free(client);
    for (size_t i = 1; i < SH_SOCKET_CLIENTS - 1; i++)
        close(stopped[i]);
    close_fixture(&fx);
}

/* The other side goes away, or was never there, or is no pksk. */
Test(socket, gone)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct cmd_backend *client = NULL;
    struct pk_error err = PK_ERROR_INIT;
    struct fixture fx;

    open_fixture(&fx);
    cr_expect_eq(sh_socket_client_open("/nowhere", &client, &err), PK_E_UNREACHABLE);
    cr_expect_str_eq(err.message, "no pksk has the store in '/nowhere' open");
    pk_error_release(&err);
    cr_assert_eq(sh_socket_client_open(fx.dir.path, &client, &err), PK_OK);
    sh_socket_server_stop(fx.server);
    fx.server = NULL;
    for (int i = 0; i < 2; i++) {
        client->ops->call(client, PK_LIT("Pksk.Tail"), PK_LIT("{}"), NULL, &response);
        cr_expect_eq(response.code, PK_E_UNREACHABLE);
        cr_expect_eq(response.http, 503);
        cmd_response_release(&response);
    }
    cmd_backend_free(client);
    close_fixture(&fx);
}

/* ---- processes ------------------------------------------------------------------------------- */

static enum pk_code open_source(void *context, const atomic_bool *cancel,
                                struct cmd_backend **backend, struct pk_error *err)
{
    (void)cancel;
    return sh_socket_client_open(context, backend, err);
}

static const struct sh_feed_data *wait_for(struct sh_feed *feed,
                                           bool (*is)(const struct sh_feed_data *data))
{
    for (;;) {
        const struct sh_feed_data *data = sh_feed_latest(feed);
        struct pollfd fd = {.fd = sh_feed_fd(feed), .events = POLLIN};

        if (is(data))
            return data;
        sh_feed_data_unref(data);
        cr_assert_eq(poll(&fd, 1, PATIENCE_MS), 1, "no data came");
    }
}

static bool has_record(const struct sh_feed_data *data)
{
    return data->record_count == 1 && data->connected;
}

static bool has_two_records(const struct sh_feed_data *data)
{
    return data->record_count == 2 && data->connected;
}

static bool is_lost(const struct sh_feed_data *data)
{
    return !data->connected && data->serial > 0;
}

static bool is_back(const struct sh_feed_data *data)
{
    return data->connected && data->viewport != NULL;
}

/* A shell that is killed leaves its socket behind; the next one replaces it, and who watches goes
 * on by itself. */
Test(socket, killed_owner)
{
    const struct sh_needs needs = {.viewport = true, .rows = {.limit = 3}, .tail = true};
    const struct sh_feed_wants wants = {.table = PK_LIT("Tab"), .needs = &needs};
    const char *argv[] = {NULL, "-q", "--no-init", NULL, NULL};
    struct sh_feed_source source = {open_source, NULL};
    struct served owner;
    struct temp_dir dir;
    struct sh_feed *feed;
    const struct sh_feed_data *data;

    temp_dir_make(&dir);
    argv[3] = dir.path;
    source.context = dir.path;
    feed = sh_feed_open_source(&source);
    sh_feed_want(feed, &wants);
    data = wait_for(feed, is_lost);
    cr_expect(pk_slice_starts(data->trouble, PK_LIT("connecting: no pksk has the store in")));
    sh_feed_data_unref(data);

    cr_assert(served_start(&owner, argv, "create table Tab (p S);\nserve 0\n"));
    sh_feed_data_unref(wait_for(feed, is_back));
    cr_assert(served_say(&owner, "put a {n: 1}", "put"));
    data = wait_for(feed, has_record);
    cr_expect(pk_slice_is(data->records[0].key, "a"));
    sh_feed_data_unref(data);
    (void)served_end(&owner, SIGKILL, NULL);
    data = wait_for(feed, is_lost);
    cr_expect(pk_slice_starts(data->trouble, PK_LIT("reconnecting: the other pksk closed")) ||
                  pk_slice_starts(data->trouble, PK_LIT("connecting: no pksk")),
              "%s", data->trouble.data);
    /* what was seen stays to be seen */
    cr_expect_not_null(data->viewport);
    sh_feed_data_unref(data);

    cr_assert(served_start(&owner, argv, "serve 0\n"));
    data = wait_for(feed, is_back);
    cr_expect_eq(data->viewport->count, 1);
    sh_feed_data_unref(data);
    /* its changes, numbered from 1 again, come after those of the one before */
    cr_assert(served_say(&owner, "put b {n: 1}", "put"));
    data = wait_for(feed, has_two_records);
    cr_expect(pk_slice_is(data->records[1].key, "b"));
    cr_expect_gt(data->records[1].number, data->records[0].number);
    sh_feed_data_unref(data);
    (void)served_end(&owner, SIGTERM, NULL);
    sh_feed_close(feed);
    temp_dir_remove(&dir);
}
