/*
 * What sixteen clients may rely on, over HTTP: the server is in this process, on a store in memory.
 *
 *   counters    raised by conditional updates, some after a strong read: none is lost
 *   transfers   between accounts by transactions, while two clients look: what TransactGetItems and
 *               a strong Scan see always adds up, and at the end each account is exact
 *   histories   reads, writes, conditional writes, deletes and additions on few items, recorded
 *               with their times: each item's history is linearizable (history.h)
 *
 *   race_history [STEPS] [SEED]      steps of each client in each part
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/rng.h"
#include "engine/engine.h"
#include "shell/server/server.h"
#include "tests/support/history.h"

enum { CLIENTS = 16, LOOKERS = 2, COUNTERS = 3, ACCOUNTS = 12, MONEY = 100, STEPS = 60 };

/* A write takes many latches at once when a table is made: see race_engine.c. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "detect_deadlocks=0";
}

struct client {
    struct race *race;
    unsigned number;
    pthread_t thread;
    struct pk_rng rng;
    struct http_client http;
    struct pk_buf body, answer;
    int64_t gained[ACCOUNTS];
};

struct race {
    struct pk_engine *engine;
    struct cmd_backend *backend;
    struct sh_server *server;
    struct client clients[CLIENTS];
    struct history_client recorders[CLIENTS];
    size_t steps;
    uint64_t seed;
    atomic_uint moving; /* clients that still transfer */
    atomic_ullong retries, cancelled, looks;
};

static PK_NORETURN void die(const struct client *client, const char *what)
{
    fprintf(stderr, "race_history: seed %" PRIu64 ", client %u: %s\n  for %s\n  got %s\n",
            client->race->seed, client->number, what, client->body.data, client->answer.data);
    exit(1);
}

/* Asks for what is in the body: 200 or 400. */
static int ask(struct client *client, const char *operation)
{
    int status = http_client_call(&client->http, operation, client->body.data, &client->answer);

    if (status != 200 && status != 400)
        die(client, "no answer of the protocol");
    return status;
}

static void say(struct client *client, const char *format, ...) PK_PRINTF(2, 3);
static void say(struct client *client, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    pk_buf_clear(&client->body);
    pk_buf_vprintf(&client->body, format, args);
    va_end(args);
}

/* The item's number: 0 when there is no item. */
static int64_t read_number(struct client *client, const char *kind, unsigned which)
{
    say(client,
        "{\"TableName\":\"Items\",\"ConsistentRead\":true,\"Key\":{\"id\":{\"S\":\"%s%u\"}}}", kind,
        which);
    if (ask(client, "GetItem") != 200)
        die(client, "a read is refused");
    return http_answer_number(&client->answer, "v", 0);
}

static void put_number(struct client *client, const char *kind, unsigned which, int64_t value)
{
    say(client,
        "{\"TableName\":\"Items\",\"Item\":{\"id\":{\"S\":\"%s%u\"},\"v\":{\"N\":\"%" PRId64
        "\"}}}",
        kind, which, value);
    if (ask(client, "PutItem") != 200)
        die(client, "a put is refused");
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Reads, then writes if nobody has written meanwhile; false: somebody has. */
static bool raise_checked(struct client *client, unsigned counter)
{
    int64_t old = read_number(client, "counter", counter);

    say(client,
        "{\"TableName\":\"Items\",\"Key\":{\"id\":{\"S\":\"counter%u\"}},\"UpdateExpression\":"
        "\"SET v = :new\",\"ConditionExpression\":\"v = :old\",\"ExpressionAttributeValues\":"
        "{\":new\":{\"N\":\"%" PRId64 "\"},\":old\":{\"N\":\"%" PRId64 "\"}}}",
        counter, old + 1, old);
    if (ask(client, "UpdateItem") == 200)
        return true;
    if (!http_answer_is_error(&client->answer, "ConditionalCheckFailedException"))
        die(client, "a conditional update fails otherwise than by its condition");
    atomic_fetch_add(&client->race->retries, 1);
    return false;
}

static void raise_present(struct client *client, unsigned counter)
{
    say(client,
        "{\"TableName\":\"Items\",\"Key\":{\"id\":{\"S\":\"counter%u\"}},\"UpdateExpression\":"
        "\"ADD v :one\",\"ConditionExpression\":\"attribute_exists(id)\","
        "\"ExpressionAttributeValues\":{\":one\":{\"N\":\"1\"}}}",
        counter);
    if (ask(client, "UpdateItem") != 200)
        die(client, "an update of what exists is refused");
}

static void *counter_main(void *context)
{
    struct client *client = context;

    for (size_t i = 0; i < client->race->steps; i++) {
        unsigned counter = (unsigned)(i % COUNTERS);

        if (pk_rng_below(&client->rng, 2) == 0)
            raise_present(client, counter);
        else
            while (!raise_checked(client, counter))
                ;
    }
    return NULL;
}

static void verify_counters(struct race *race)
{
    for (unsigned counter = 0; counter < COUNTERS; counter++) {
        size_t raises = (race->steps + COUNTERS - 1 - counter) / COUNTERS * CLIENTS;

        if (read_number(&race->clients[0], "counter", counter) != (int64_t)raises)
            die(&race->clients[0], "a counter has lost something");
    }
}

/* ---- transfers ------------------------------------------------------------------------------- */

static void transfer(struct client *client)
{
    unsigned from = (unsigned)pk_rng_below(&client->rng, ACCOUNTS);
    unsigned to = (from + 1 + (unsigned)pk_rng_below(&client->rng, ACCOUNTS - 1)) % ACCOUNTS;
    int64_t amount = 1 + (int64_t)pk_rng_below(&client->rng, 60);

    say(client,
        "{\"TransactItems\":[{\"Update\":{\"TableName\":\"Accounts\",\"Key\":{\"id\":{\"S\":"
        "\"account%u\"}},\"UpdateExpression\":\"SET v = v - :n\",\"ConditionExpression\":"
        "\"v >= :n\",\"ExpressionAttributeValues\":{\":n\":{\"N\":\"%" PRId64 "\"}}}},"
        "{\"Update\":{\"TableName\":\"Accounts\",\"Key\":{\"id\":{\"S\":\"account%u\"}},"
        "\"UpdateExpression\":\"SET v = v + :n\",\"ExpressionAttributeValues\":"
        "{\":n\":{\"N\":\"%" PRId64 "\"}}}}]}",
        from, amount, to, amount);
    if (ask(client, "TransactWriteItems") == 200) {
        client->gained[from] -= amount;
        client->gained[to] += amount;
    } else if (http_answer_is_error(&client->answer, "TransactionCanceledException")) {
        atomic_fetch_add(&client->race->cancelled, 1); /* too little money, or a conflict */
    } else {
        die(client, "a transaction fails otherwise");
    }
}

/* All accounts in an answer: what they hold together. */
static void verify_sum(struct client *client)
{
    static const char member[] = "\"v\":{\"N\":\"";
    int64_t sum = 0;
    unsigned count = 0;

    for (const char *at = client->answer.data; (at = strstr(at, member)) != NULL; count++) {
        at += sizeof(member) - 1;
        sum += strtoll(at, NULL, 10);
    }
    if (count != ACCOUNTS || sum != ACCOUNTS * MONEY)
        die(client, "the accounts do not add up");
    atomic_fetch_add(&client->race->looks, 1);
}

static void look(struct client *client)
{
    say(client, "{\"TableName\":\"Accounts\",\"ConsistentRead\":true}");
    if (ask(client, "Scan") != 200)
        die(client, "a scan is refused");
    verify_sum(client);

    say(client, "{\"TransactItems\":[");
    for (unsigned i = 0; i < ACCOUNTS; i++)
        pk_buf_printf(&client->body,
                      "%s{\"Get\":{\"TableName\":\"Accounts\",\"Key\":{\"id\":{\"S\":"
                      "\"account%u\"}}}}",
                      i == 0 ? "" : ",", i);
    pk_buf_add_cstr(&client->body, "]}");
    if (ask(client, "TransactGetItems") == 200)
        verify_sum(client);
    else if (!http_answer_is_error(&client->answer, "TransactionCanceledException"))
        die(client, "a transaction of reads fails otherwise");
}

static void *transfer_main(void *context)
{
    struct client *client = context;

    if (client->number < LOOKERS) {
        while (atomic_load(&client->race->moving) > 0)
            look(client);
        return NULL;
    }
    for (size_t i = 0; i < client->race->steps; i++)
        transfer(client);
    atomic_fetch_sub(&client->race->moving, 1);
    return NULL;
}

static void make_accounts(struct race *race)
{
    struct client *client = &race->clients[0];

    for (unsigned i = 0; i < ACCOUNTS; i++) {
        say(client,
            "{\"TableName\":\"Accounts\",\"Item\":{\"id\":{\"S\":\"account%u\"},\"v\":{\"N\":"
            "\"%d\"}}}",
            i, (int)MONEY);
        if (ask(client, "PutItem") != 200)
            die(client, "an account cannot be opened");
    }
}

static void verify_accounts(struct race *race)
{
    struct client *client = &race->clients[0];

    look(client);
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        int64_t want = MONEY;

        for (size_t c = 0; c < CLIENTS; c++)
            want += race->clients[c].gained[i];
        say(client,
            "{\"TableName\":\"Accounts\",\"ConsistentRead\":true,\"Key\":{\"id\":{\"S\":"
            "\"account%u\"}}}",
            i);
        if (ask(client, "GetItem") != 200 || http_answer_number(&client->answer, "v", -1) != want)
            die(client, "an account is not what was paid and received");
    }
}

/* ---- histories ------------------------------------------------------------------------------- */

static void *history_main(void *context)
{
    struct client *client = context;

    for (size_t i = 0; i < client->race->steps; i++)
        if (history_step(&client->race->recorders[client->number]) != HISTORY_ANSWERED)
            exit(1); /* it has said why */
    return NULL;
}

/* ---- all parts ------------------------------------------------------------------------------- */

static void open_race(struct race *race)
{
    const struct pk_engine_options engine = {.memory = true};
    const struct sh_server_options server = {.threads = 4, .service = {.host = "127.0.0.1"}};
    struct pk_error err = PK_ERROR_INIT;

    if (pk_engine_open(&engine, &race->engine, &err) != PK_OK)
        abort();
    race->backend = cmd_backend_local_new(race->engine);
    if (sh_server_start(race->backend, &server, &race->server, &err) != PK_OK)
        abort();
    for (unsigned i = 0; i < CLIENTS; i++) {
        struct client *client = &race->clients[i];

        client->race = race;
        client->number = i;
        pk_rng_seed(&client->rng, race->seed * CLIENTS + i);
        http_client_init(&client->http, sh_server_url(race->server));
        history_client_init(&race->recorders[i], i, race->seed);
        history_client_connect(&race->recorders[i], sh_server_url(race->server));
    }
}

static void close_race(struct race *race)
{
    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *client = &race->clients[i];

        http_client_release(&client->http);
        pk_buf_release(&client->body);
        pk_buf_release(&client->answer);
        history_client_release(&race->recorders[i]);
    }
    sh_server_stop(race->server);
    cmd_backend_free(race->backend);
    pk_engine_close(race->engine);
}

static void create_table(struct client *client, const char *name)
{
    say(client,
        "{\"TableName\":\"%s\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":"
        "[{\"AttributeName\":\"id\",\"AttributeType\":\"S\"}],\"KeySchema\":[{\"AttributeName\":"
        "\"id\",\"KeyType\":\"HASH\"}]}",
        name);
    if (ask(client, "CreateTable") != 200)
        die(client, "a table cannot be made");
}

static void run_all(struct race *race, void *(*part)(void *context))
{
    for (size_t i = 0; i < CLIENTS; i++)
        if (pthread_create(&race->clients[i].thread, NULL, part, &race->clients[i]) != 0)
            abort();
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(race->clients[i].thread, NULL);
}

int main(int argc, char **argv)
{
    struct race *race = pk_calloc(1, sizeof(*race));

    race->steps = argc > 1 ? strtoul(argv[1], NULL, 10) : STEPS;
    race->seed = argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : (uint64_t)pk_clock_real_ms();
    open_race(race);
    create_table(&race->clients[0], "Items");
    create_table(&race->clients[0], "Accounts");
    create_table(&race->clients[0], HISTORY_TABLE);
    for (unsigned i = 0; i < COUNTERS; i++)
        put_number(&race->clients[0], "counter", i, 0);
    run_all(race, counter_main);
    verify_counters(race);

    make_accounts(race);
    atomic_store(&race->moving, CLIENTS - LOOKERS);
    run_all(race, transfer_main);
    verify_accounts(race);

    run_all(race, history_main);
    if (!history_verify(race->recorders, CLIENTS))
        return 1;
    printf("race_history: seed %" PRIu64 ": %zu raises (%llu tried again), %zu transfers (%llu "
           "cancelled), %llu looks, %zu operations in %d histories\n",
           race->seed, CLIENTS * race->steps, atomic_load(&race->retries),
           (CLIENTS - LOOKERS) * race->steps, atomic_load(&race->cancelled),
           atomic_load(&race->looks), CLIENTS * race->steps, (int)HISTORY_ITEMS);
    close_race(race);
    free(race);
    return 0;
}
