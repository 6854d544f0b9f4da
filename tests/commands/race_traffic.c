/*
 * Traffics under many hands: statements of a shell start, set, list and stop them, pause and
 * advance the clock and drop the table, while other threads turn their knobs by the API and change
 * the clock. Run under ThreadSanitizer.
 *
 * In the end everything stops, and no request is counted twice or lost: what a traffic sent is the
 * sum of what became of it.
 *
 *   race_traffic [SECONDS] [SEED]       5 seconds by default
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/cmd.h"
#include "commands/settings.h"
#include "commands/workload/traffic.h"
#include "engine/base/rng.h"

enum { HANDS = 2 };

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "detect_deadlocks=0";
}

struct race {
    struct pk_engine *engine;
    struct cmd_backend *backend;
    struct cmd_context context; /* of the thread that runs statements */
    struct cmd_settings settings;
    atomic_bool stop;
    uint64_t seed;
};

static PK_NORETURN void fail(const struct race *race, const char *what, const char *text)
{
    fprintf(stderr, "race_traffic: seed %" PRIu64 ": %s: %s\n", race->seed, what, text);
    abort();
}

/* Errors of use are part of the game: a name is taken, or there is none. */
static void run(struct race *race, const char *statement)
{
    struct cmd_result result;
    struct pk_error err = PK_ERROR_INIT;
    enum pk_code rc;

    cmd_result_init(&result);
    rc = cmd_execute(&race->context, pk_slice_cstr(statement), &result, &err);
    if (rc != PK_OK && rc != PK_E_USAGE && rc != PK_E_NOT_FOUND && rc != PK_E_IN_USE)
        fail(race, statement, err.message);
    cmd_result_release(&result);
    pk_error_release(&err);
}

static void call(struct race *race, const char *operation, const char *request)
{
    struct cmd_response response = CMD_RESPONSE_INIT;

    race->backend->ops->call(race->backend, pk_slice_cstr(operation), pk_slice_cstr(request), NULL,
                             &response);
    if (response.code != PK_OK && response.code != PK_E_USAGE)
        fail(race, operation, response.body.data);
    cmd_response_release(&response);
}

/* A panel, or a client that works with the clock. */
static void *turn_knobs(void *argument)
{
    static const struct {
        const char *operation, *request;
    } turns[] = {
        {"Pksk.Traffic", "{}"},
        {"Pksk.Traffic", "{}"},
        {"Pksk.SetTraffic", "{\"Name\":\"a\",\"Rate\":\"3000/s\"}"},
        {"Pksk.SetTraffic", "{\"Name\":\"b\",\"Skew\":\"zipf(1.1)\",\"Rate\":\"100\"}"},
        {"Pksk.SetTraffic", "{\"Name\":\"a\",\"Skew\":\"hot(50% U#3)\"}"},
        {"Pksk.StopTraffic", "{\"Name\":\"b\"}"},
        {"Pksk.Clock", "{\"Action\":\"PAUSE\"}"},
        {"Pksk.Clock", "{\"Action\":\"ADVANCE\",\"Value\":\"50\"}"},
        {"Pksk.Clock", "{\"Action\":\"RESUME\"}"},
    };
    struct race *race = argument;
    struct pk_rng rng;

    pk_rng_seed(&rng, race->seed + 1);
    while (!atomic_load(&race->stop)) {
        size_t i = pk_rng_below(&rng, sizeof(turns) / sizeof(turns[0]));

        call(race, turns[i].operation, turns[i].request);
    }
    return NULL;
}

static void check(struct race *race, struct traffic *traffic_take)
{
    const struct traffic_tally *tally = &traffic_take->tally;
    uint64_t throttled = 0;

    for (size_t i = 0; i < tally->throttle_count; i++)
        throttled += tally->throttles[i].would ? 0 : tally->throttles[i].count;
    if (tally->sent != tally->ok + tally->throttled + tally->failed ||
        throttled != tally->throttled || traffic_take->in_flight != 0 ||
        tally->sent > traffic_take->next_n)
        fail(race, traffic_take->name, "its counts do not add up");
    traffic_free(traffic_take);
}

static void work(struct race *race, struct pk_rng *rng)
{
    static const char *const statements[] = {
        "traffic start a op=mix(get 60%, put 40%) keys=U#{1..50} rate=2000/s for=2s",
        "traffic start b op=edit keys=U#{1..5} rate=500/s skew=sequential",
        "traffic start c op=query keys=U#{1..5} rate=50/s at=second for=1s",
        "traffic",
        "traffic",
        "traffic stop a",
        "traffic stop",
        "clock pause",
        "clock advance 200ms",
        "clock resume",
        "drop table Tab",
        "create table if not exists Tab (PK S, SK S)",
        "use Tab",
    };
    struct traffic *traffic = NULL;

    run(race, statements[pk_rng_below(rng, sizeof(statements) / sizeof(statements[0]))]);
    if (race->context.traffics != NULL && pk_rng_below(rng, 10) == 0 &&
        (traffic = traffics_take(race->context.traffics, (pk_slice){NULL, 0})) != NULL)
        check(race, traffic);
}

int main(int argc, char **argv)
{
    struct race race = {.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    struct pk_engine_options options = {.memory = true};
    struct pk_error err = PK_ERROR_INIT;
    pthread_t hands[HANDS];
    struct pk_rng rng;
    int64_t end_us;

    if (pk_engine_open(&options, &race.engine, &err) != PK_OK)
        fail(&race, "open", err.message);
    cmd_settings_init(&race.settings);
    race.backend = cmd_backend_local_new(race.engine);
    cmd_context_init(&race.context, race.backend, race.engine);
    race.context.settings = &race.settings;
    race.context.yes = true;
    race.context.traffics = traffics_new();
    cmd_backend_local_set_traffics(race.backend, race.context.traffics);
    run(&race, "create table Tab (PK S, SK S)");
    pk_rng_seed(&rng, race.seed);
    for (unsigned i = 0; i < HANDS; i++)
        pthread_create(&hands[i], NULL, turn_knobs, &race);
    end_us = pk_clock_real_us() + (argc > 1 ? strtol(argv[1], NULL, 10) : 5) * INT64_C(1000000);
    while (pk_clock_real_us() < end_us)
        work(&race, &rng);
    atomic_store(&race.stop, true);
    for (unsigned i = 0; i < HANDS; i++)
        pthread_join(hands[i], NULL);
    cmd_context_release(&race.context);
    cmd_backend_free(race.backend);
    pk_engine_close(race.engine);
    printf("race_traffic: seed %" PRIu64 ": nothing lost, all stopped\n", race.seed);
    return 0;
}
