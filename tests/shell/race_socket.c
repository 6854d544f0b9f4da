/*
 * The socket and its feeds under ThreadSanitizer: clients ask, vanish in the middle of a line and
 * come back, feeds change what they want, a writer writes, and the server is stopped and started
 * under all of them.
 *
 *   race_socket [ROUNDS]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "shell/panel/feed.h"
#include "shell/panel/socket_address.h"
#include "shell/panel/socket_client.h"
#include "shell/panel/socket_server.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/temp_dir.h"

enum { ROUNDS = 5, ROUND_MS = 300, CLIENTS = 3, FEEDS = 2, THREADS = CLIENTS + FEEDS + 2 };

/* check takes every latch at once, far more locks than the sanitizer's deadlock detector can
 * follow. Their order is by stripe. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "detect_deadlocks=0";
}

struct race {
    struct engine_fixture fx;
    struct temp_dir dir;
    struct cmd_backend *backend;
    struct sh_socket_server *server;
    atomic_bool stop;
    atomic_uint_least64_t answers, refused, frames, writes, vanished;
};

static PK_NORETURN void die(const char *what, const char *detail)
{
    fprintf(stderr, "race_socket: %s: %s\n", what, detail == NULL ? "" : detail);
    abort();
}

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

/* ---- those who ask --------------------------------------------------------------------------- */

static void ask(struct race *race, struct cmd_backend *client)
{
    static const struct {
        const char *operation, *request;
    } asked[] = {
        {"Pksk.Tail", "{\"After\":1,\"Newest\":true}"},
        {"Pksk.Viewport", "{\"TableName\":\"dashboard\",\"Limit\":20}"},
        {"Pksk.Traffic", "{}"},
        {"Pksk.IndexLag", "{\"TableName\":\"Tab\"}"},
    };

    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        struct cmd_response response = CMD_RESPONSE_INIT;

        client->ops->call(client, pk_slice_cstr(asked[i].operation),
                          pk_slice_cstr(asked[i].request), NULL, &response);
        if (response.http == 200)
            atomic_fetch_add(&race->answers, 1);
        else if (response.code == PK_E_UNREACHABLE)
            atomic_fetch_add(&race->refused, 1);
        else
            die(asked[i].operation, response.body.data);
        cmd_response_release(&response);
    }
}

static void *client_main(void *context)
{
    struct race *race = context;

    while (!atomic_load(&race->stop)) {
        struct cmd_backend *client = NULL;
        struct pk_error err = PK_ERROR_INIT;

        if (sh_socket_client_open(race->dir.path, &client, &err) != PK_OK) {
            pk_error_release(&err);
            pause_ms(1);
            continue;
        }
        for (int i = 0; i < 20 && !atomic_load(&race->stop); i++)
            ask(race, client);
        cmd_backend_free(client);
    }
    return NULL;
}

/* Half a line, or questions whose answers nobody takes; then gone. */
static void *vanishing_main(void *context)
{
    static const char line[] =
        "{\"Operation\":\"Pksk.Viewport\",\"Request\":{\"TableName\":\"dashboard\"}}\n";
    struct race *race = context;
    unsigned n = 0;

    while (!atomic_load(&race->stop)) {
        struct sh_socket_address address;
        struct pk_error err = PK_ERROR_INIT;
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (sh_socket_address_init(&address, race->dir.path, &err) != PK_OK)
            die("address", err.message);
        if (connect(fd, (const struct sockaddr *)&address.name, address.length) == 0) {
            size_t length = n % 2 == 0 ? 1 + n % (sizeof(line) - 1) : sizeof(line) - 1;

            for (int i = 0; i < 10; i++)
                if (send(fd, line, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
                    break;
            atomic_fetch_add(&race->vanished, 1);
        }
        close(fd);
        sh_socket_address_release(&address);
        n++;
        pause_ms(1);
    }
    return NULL;
}

static enum pk_code open_source(void *context, const atomic_bool *cancel,
                                struct cmd_backend **backend, struct pk_error *err)
{
    (void)cancel;
    return sh_socket_client_open(context, backend, err);
}

static void *feed_main(void *context)
{
    struct race *race = context;
    const struct sh_feed_source source = {open_source, race->dir.path};
    struct sh_feed *feed = sh_feed_open_source(&source);

    for (uint32_t i = 0; !atomic_load(&race->stop); i++) {
        const struct sh_needs needs = {
            .viewport = i % 2 == 0, .ticket = i, .rows = {.limit = 1 + i % 30}, .tail = i % 3 != 0};
        const struct sh_feed_wants wants = {
            .table = i % 5 == 4 ? PK_LIT("Tab") : PK_LIT("dashboard"), .needs = &needs};
        const struct sh_feed_data *data;
        struct sh_frame frame = {.focus = true};

        sh_feed_want(feed, &wants);
        pause_ms(5);
        data = sh_feed_latest(feed);
        sh_feed_fill(data, &frame);
        for (size_t k = 1; k < frame.record_count; k++)
            if (frame.records[k].number <= frame.records[k - 1].number)
                die("records are out of order", NULL);
        sh_feed_data_unref(data);
        atomic_fetch_add(&race->frames, 1);
        if (i % 11 == 0)
            sh_feed_rest(feed);
    }
    sh_feed_close(feed);
    return NULL;
}

static void *writer_main(void *context)
{
    struct race *race = context;
    struct cmd_backend *backend = cmd_backend_local_new(race->fx.engine);

    for (int i = 0; !atomic_load(&race->stop); i++) {
        struct cmd_response response = CMD_RESPONSE_INIT;
        struct pk_buf request = PK_BUF_INIT;

        pk_buf_printf(&request,
                      "{\"TableName\":\"dashboard\",\"Item\":{\"PK\":{\"S\":\"P%d\"},"
                      "\"SK\":{\"S\":\"x\"},\"n\":{\"N\":\"%d\"}}}",
                      i % 20, i);
        backend->ops->call(backend, PK_LIT("PutItem"), pk_buf_slice(&request), NULL, &response);
        if (response.http != 200)
            die("put", response.body.data);
        cmd_response_release(&response);
        pk_buf_release(&request);
        atomic_fetch_add(&race->writes, 1);
    }
    cmd_backend_free(backend);
    return NULL;
}

/* ----------------------------------------------------------------------------------------------*/

static void start_server(struct race *race)
{
    struct pk_error err = PK_ERROR_INIT;

    if (sh_socket_server_start(race->backend, race->dir.path, &race->server, &err) != PK_OK)
        die("start", err.message);
}

int main(int argc, char **argv)
{
    static void *(*const bodies[THREADS])(void *) = {
        client_main, client_main, client_main, feed_main, feed_main, writer_main, vanishing_main};
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
    struct race race = {.server = NULL};
    pthread_t threads[THREADS];

    engine_open(&race.fx);
    engine_table(&race.fx, "dashboard PK:S SK:S");
    engine_table(&race.fx, "Tab PK:S N:N; gsi by_g G:S all");
    temp_dir_make(&race.dir);
    race.backend = cmd_backend_local_new(race.fx.engine);
    start_server(&race);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, bodies[i], &race) != 0)
            die("thread", NULL);
    for (int i = 0; i < rounds; i++) {
        pause_ms(ROUND_MS);
        sh_socket_server_stop(race.server);
        start_server(&race);
    }
    pause_ms(ROUND_MS);
    atomic_store(&race.stop, true);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    sh_socket_server_stop(race.server);
    cmd_backend_free(race.backend);
    temp_dir_remove(&race.dir);
    engine_close(&race.fx);
    printf("race_socket: %" PRIuLEAST64 " answers, %" PRIuLEAST64 " refused, %" PRIuLEAST64
           " frames, %" PRIuLEAST64 " writes, %" PRIuLEAST64 " vanished\n",
           atomic_load(&race.answers), atomic_load(&race.refused), atomic_load(&race.frames),
           atomic_load(&race.writes), atomic_load(&race.vanished));
    if (atomic_load(&race.answers) == 0 || atomic_load(&race.frames) == 0)
        die("nobody was answered", NULL);
    return 0;
}
