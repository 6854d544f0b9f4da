/*
 * Histories of single items across kill -9: sixteen clients read and write the same few items, the
 * server is killed under them and served again, and they go on. What they were told before and
 * after, together with the operations that got no answer, must be linearizable: one that was seen
 * stays, and none is seen that was lost (history.h, linear.h).
 *
 *   crash_history ROUNDS [SEED]
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/history.h"
#include "tests/support/served.h"
#include "tests/support/temp_dir.h"

enum { CLIENTS = 16, STEPS_AFTER = 30, DELAY_MIN_US = 20000, DELAY_RANGE_US = 100000 };

struct worker {
    struct history_client *client;
    pthread_t thread;
    size_t steps; /* at most */
    size_t answered;
    enum history_outcome last;
};

struct campaign {
    struct temp_dir dir;
    struct served served;
    struct history_client clients[CLIENTS];
    struct worker workers[CLIENTS];
    size_t answered, unanswered;
};

static void *work(void *context)
{
    struct worker *worker = context;

    worker->answered = 0;
    worker->last = HISTORY_ANSWERED;
    while (worker->last == HISTORY_ANSWERED && worker->answered < worker->steps) {
        worker->last = history_step(worker->client);
        worker->answered += worker->last == HISTORY_ANSWERED;
    }
    return NULL;
}

static void start_clients(struct campaign *campaign, size_t steps)
{
    for (size_t i = 0; i < CLIENTS; i++) {
        struct worker *worker = &campaign->workers[i];

        worker->client = &campaign->clients[i];
        worker->steps = steps;
        history_client_connect(worker->client, campaign->served.url);
        if (pthread_create(&worker->thread, NULL, work, worker) != 0)
            abort();
    }
}

/* True when all of them ended so. */
static bool join_clients(struct campaign *campaign, enum history_outcome expected)
{
    bool good = true;

    for (size_t i = 0; i < CLIENTS; i++) {
        pthread_join(campaign->workers[i].thread, NULL);
        campaign->answered += campaign->workers[i].answered;
        good = good && campaign->workers[i].last == expected;
    }
    return good;
}

static bool serve(struct campaign *campaign)
{
    const char *arguments[] = {NULL, "serve", "--port", "0", campaign->dir.path, NULL};

    return served_start(&campaign->served, arguments, NULL);
}

static bool create_table(const struct campaign *campaign)
{
    struct pk_buf answer = PK_BUF_INIT;
    struct http_client http;
    bool good;

    http_client_init(&http, campaign->served.url);
    good = http_client_call(&http, "CreateTable", history_table, &answer) == 200;
    http_client_release(&http);
    pk_buf_release(&answer);
    return good;
}

static bool run_round(struct campaign *campaign, struct pk_rng *rng)
{
    bool good;

    start_clients(campaign, SIZE_MAX);
    usleep(DELAY_MIN_US + (useconds_t)pk_rng_below(rng, DELAY_RANGE_US));
    served_end(&campaign->served, SIGKILL, NULL);
    good = join_clients(campaign, HISTORY_GONE);
    if (!serve(campaign))
        return false;
    start_clients(campaign, STEPS_AFTER);
    good = join_clients(campaign, HISTORY_ANSWERED) && good &&
           history_verify(campaign->clients, CLIENTS);
    for (size_t i = 0; i < CLIENTS; i++) {
        campaign->unanswered += history_unanswered(&campaign->clients[i]);
        history_next_round(&campaign->clients[i]);
    }
    return good;
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 20, round = 0;
    uint64_t seed = argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : (uint64_t)getpid();
    struct campaign *campaign = pk_calloc(1, sizeof(*campaign));
    struct pk_rng rng;
    bool good;

    pk_rng_seed(&rng, seed);
    temp_dir_make(&campaign->dir);
    for (unsigned i = 0; i < CLIENTS; i++)
        history_client_init(&campaign->clients[i], i, seed);
    good = serve(campaign) && create_table(campaign);
    while (good && round < rounds) {
        round++;
        good = run_round(campaign, &rng);
    }
    served_end(&campaign->served, SIGTERM, NULL);
    if (!good) {
        fprintf(stderr, "crash_history: round %lu of seed %llu failed; store kept in %s\n", round,
                (unsigned long long)seed, campaign->dir.path);
        return 1;
    }
    printf("crash_history: %zu operations answered, %zu not\n", campaign->answered,
           campaign->unanswered);
    for (size_t i = 0; i < CLIENTS; i++)
        history_client_release(&campaign->clients[i]);
    temp_dir_remove(&campaign->dir);
    free(campaign);
    return 0;
}
