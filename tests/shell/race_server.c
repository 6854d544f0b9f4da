/*
 * The server in this process, on a store in memory, under ThreadSanitizer: sixteen clients write
 * (http_load.h), one reads by every operation, one defines tables and indexes, one vanishes in the
 * middle of requests; then the server is stopped under them, started again on the same engine, and
 * must hold what they know. The library between is not instrumented: only our own races count.
 *
 *   race_server [ROUNDS] [SEED]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "engine/engine.h"
#include "shell/server/server.h"
#include "tests/support/http_load.h"

enum { ROUNDS = 5, ROUND_MS = 400 };

/* check takes every latch at once, far more locks than the sanitizer's deadlock detector can
 * follow. Their order is by stripe. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "detect_deadlocks=0";
}

struct race {
    struct pk_engine *engine;
    struct cmd_backend *backend;
    struct sh_server *server;
    struct load load;
    atomic_ullong lines, reads, definitions, vanished;
};

static PK_NORETURN void die(const char *what, const char *detail)
{
    fprintf(stderr, "race_server: %s: %s\n", what, detail == NULL ? "" : detail);
    abort();
}

static void count_line(void *context, pk_slice line)
{
    struct race *race = context;

    if (line.len == 0 || line.data[line.len - 1] != '\n')
        die("a line of the log is not whole", NULL);
    atomic_fetch_add(&race->lines, 1);
}

static void start_server(struct race *race)
{
    const struct sh_server_options options = {.threads = 4,
                                              .service = {.host = "127.0.0.1"},
                                              .log = SH_LOG_TEXT,
                                              .log_line = count_line,
                                              .log_context = race};
    struct pk_error err = PK_ERROR_INIT;

    if (sh_server_start(race->backend, &options, &race->server, &err) != PK_OK)
        die("start", err.message);
}

/* ---- those who do not write ------------------------------------------------------------------ */

struct step {
    const char *operation, *body;
    const char *allowed[3]; /* parts of errors that it may get: where another was quicker */
};

static bool is_allowed(const struct step *step, const struct pk_buf *answer)
{
    for (size_t i = 0; i < 3; i++)
        if (step->allowed[i] != NULL && strstr(answer->data, step->allowed[i]) != NULL)
            return true;
    return false;
}

/* Asks one thing after another until the server is gone. */
static void ask_all(struct race *race, const struct step *steps, size_t count, atomic_ullong *done)
{
    struct pk_buf answer = PK_BUF_INIT;
    struct http_client http;
    int status = 200;

    http_client_init(&http, sh_server_url(race->server));
    for (size_t i = 0; status > 0; i = (i + 1) % count) {
        status = http_client_call(&http, steps[i].operation, steps[i].body, &answer);
        if (status > 0 && status != 200 && !is_allowed(&steps[i], &answer))
            die(steps[i].operation, answer.data);
        if (status > 0 && strstr(answer.data, "\"Faults\":") != NULL &&
            strstr(answer.data, "\"Faults\":0") == NULL)
            die("the store's own check", answer.data);
        atomic_fetch_add(done, status > 0);
    }
    http_client_release(&http);
    pk_buf_release(&answer);
}

static void *reader_main(void *context)
{
    static const struct step steps[] = {
        {"Query",
         "{\"TableName\":\"Crash\",\"IndexName\":\"by_group\",\"KeyConditionExpression\":"
         "\"grp = :g\",\"ExpressionAttributeValues\":{\":g\":{\"S\":\"G#1\"}}}",
         {NULL}},
        {"Query",
         "{\"TableName\":\"Crash\",\"IndexName\":\"by_value\",\"ConsistentRead\":true,"
         "\"KeyConditionExpression\":\"PK = :p\",\"ExpressionAttributeValues\":"
         "{\":p\":{\"S\":\"C#1\"}},\"ReturnConsumedCapacity\":\"INDEXES\"}",
         {NULL}},
        {"Scan", "{\"TableName\":\"Crash\",\"Segment\":1,\"TotalSegments\":3}", {NULL}},
        {"BatchGetItem",
         "{\"RequestItems\":{\"Other\":{\"Keys\":[{\"PK\":{\"S\":\"00#003\"}},"
         "{\"PK\":{\"S\":\"01#007\"}}]}}}",
         {NULL}},
        {"TransactGetItems",
         "{\"TransactItems\":[{\"Get\":{\"TableName\":\"Other\",\"Key\":"
         "{\"PK\":{\"S\":\"15#003\"}}}}]}",
         {"TransactionConflict"}},
        {"ExecuteStatement", "{\"Statement\":\"SELECT * FROM Crash WHERE PK='C#2'\"}", {NULL}},
        {"DescribeTable", "{\"TableName\":\"Crash\"}", {NULL}},
        {"DynamoDBStreams_20120810.ListStreams", "{}", {NULL}},
        {"ListTables", "{}", {NULL}},
        {"Pksk_2026.Check", "{}", {NULL}},
        {"Pksk_2026.TableStats", "{\"TableName\":\"Crash\"}", {NULL}},
    };
    struct race *race = context;

    ask_all(race, steps, sizeof(steps) / sizeof(*steps), &race->reads);
    return NULL;
}

static void *definer_main(void *context)
{
#define PASSING "\"TableName\":\"Passing\""
    static const struct step steps[] = {
        {"CreateTable",
         "{" PASSING ",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":"
         "[{\"AttributeName\":\"p\",\"AttributeType\":\"S\"}],"
         "\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}]}",
         {"ResourceInUse", "Only 1 online index", "ResourceNotFound"}},
        {"PutItem", "{" PASSING ",\"Item\":{\"p\":{\"S\":\"a\"},\"t\":{\"N\":\"1\"}}}", {NULL}},
        {"UpdateTimeToLive",
         "{" PASSING ",\"TimeToLiveSpecification\":"
         "{\"AttributeName\":\"t\",\"Enabled\":true}}",
         {"already enabled"}},
        {"UpdateTable",
         "{\"TableName\":\"Crash\",\"AttributeDefinitions\":[{\"AttributeName\":\"val\","
         "\"AttributeType\":\"N\"}],\"GlobalSecondaryIndexUpdates\":[{\"Create\":{\"IndexName\":"
         "\"late\",\"KeySchema\":[{\"AttributeName\":\"val\",\"KeyType\":\"HASH\"}],"
         "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}}]}",
         {"an index which already exists", "Only 1 online index", "ResourceInUse"}},
        {"DescribeTable", "{\"TableName\":\"Crash\"}", {NULL}},
        {"DeleteTable", "{" PASSING "}", {NULL}},
        {"UpdateTable",
         "{\"TableName\":\"Crash\",\"GlobalSecondaryIndexUpdates\":"
         "[{\"Delete\":{\"IndexName\":\"late\"}}]}",
         {"ResourceInUse", "Only 1 online index", "ResourceNotFound"}},
    };
    struct race *race = context;

    ask_all(race, steps, sizeof(steps) / sizeof(*steps), &race->definitions);
    return NULL;
}

static void *vanisher_main(void *context)
{
    static const char request[] =
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"TableName\":";
    const struct timespec pause = {.tv_nsec = 1000000};
    struct race *race = context;
    struct http_client http;

    http_client_init(&http, sh_server_url(race->server));
    for (size_t len = 1; http_client_connect(&http); len = len % (sizeof(request) - 1) + 1) {
        (void)!send(http.fd, request, len, MSG_NOSIGNAL);
        http_client_release(&http);
        atomic_fetch_add(&race->vanished, 1);
        nanosleep(&pause, NULL);
    }
    http_client_release(&http);
    return NULL;
}

/* ---- the race -------------------------------------------------------------------------------- */

static void run_round(struct race *race)
{
    void *(*const mains[])(void *) = {reader_main, definer_main, vanisher_main};
    enum { OTHERS = sizeof(mains) / sizeof(*mains) };
    const struct timespec pause = {.tv_nsec = ROUND_MS * 1000000L};
    pthread_t others[OTHERS];

    load_start(&race->load, sh_server_url(race->server));
    for (size_t i = 0; i < OTHERS; i++)
        if (pthread_create(&others[i], NULL, mains[i], race) != 0)
            abort();
    nanosleep(&pause, NULL);
    sh_server_stop(race->server);
    for (size_t i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    if (!load_join(&race->load))
        exit(1);
    start_server(race);
    if (!load_verify(&race->load, sh_server_url(race->server)))
        exit(1);
}

static void open_engine(struct race *race)
{
    const struct pk_engine_options options = {.memory = true};
    struct pk_error err = PK_ERROR_INIT;

    if (pk_engine_open(&options, &race->engine, &err) != PK_OK)
        die("open", err.message);
    race->backend = cmd_backend_local_new(race->engine);
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : ROUNDS;
    struct race *race = pk_calloc(1, sizeof(*race));
    uint64_t records = 0;

    load_init(&race->load,
              argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : (uint64_t)pk_clock_real_ms());
    open_engine(race);
    start_server(race);
    if (!load_create_tables(sh_server_url(race->server)))
        return 1;
    for (unsigned long i = 0; i < rounds; i++)
        run_round(race);
    if (!load_verify_stream(&race->load, sh_server_url(race->server), &records))
        return 1;
    sh_server_stop(race->server);
    printf("race_server: seed %llu: %llu writes and reads, %llu other reads, %llu definitions, "
           "%llu vanished, %llu lines, %llu stream records\n",
           (unsigned long long)race->load.seed, (unsigned long long)race->load.answered,
           atomic_load(&race->reads), atomic_load(&race->definitions), atomic_load(&race->vanished),
           atomic_load(&race->lines), (unsigned long long)records);
    load_release(&race->load);
    cmd_backend_free(race->backend);
    pk_engine_close(race->engine);
    free(race);
    return 0;
}
