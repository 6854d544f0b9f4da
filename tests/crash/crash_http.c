/*
 * A served store that is interrupted while sixteen clients write over HTTP, always the same
 * directory:
 *
 *   kill   kill -9 of the server
 *   term   SIGTERM: it must end by itself, with exit code 0, idle connections or not
 *   stop   `serve stop` in a shell, which must go on: check and one more serve
 *   shell  SIGTERM of a shell that serves: it must end with exit code 128 + 15
 *
 * Some clients have gone in the middle of a request, and in the first round one never comes to the
 * end of its own; neither may hold up an end for long.
 *
 * After each, the store is served again and must hold every acknowledged write, every other one
 * wholly or not at all, and pass its own check (http_load.h). At the end the replayed stream must
 * equal the table.
 *
 *   crash_http MODE ROUNDS [SEED]
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/support/http_load.h"
#include "tests/support/served.h"
#include "tests/support/temp_dir.h"

enum {
    IDLE = 64,             /* connections that have had an answer and say nothing */
    DURABLE_EVERY = 3,     /* rounds: writers share syncs then, a path of its own */
    VANISHED = 4,          /* clients that have gone in the middle of a request */
    END_MILLIS_MAX = 5000, /* of a drain: less than clients could hold it up at worst */
    DELAY_MIN_US = 20000,
    DELAY_RANGE_US = 300000
};

enum mode { MODE_KILL, MODE_TERM, MODE_STOP, MODE_SHELL, MODE_COUNT };
static const char *const mode_names[] = {"kill", "term", "stop", "shell"};

struct campaign {
    enum mode mode;
    unsigned long rounds, round;
    struct temp_dir dir;
    struct load load;
    struct pk_rng rng;
    struct served served;
    struct http_client idle[IDLE];
    uint64_t unanswered;
    double millis, worst; /* of all ends but the first, and the longest of them */
    double stalled;       /* of the first */
};

static bool by_shell(const struct campaign *campaign)
{
    return campaign->mode == MODE_STOP || campaign->mode == MODE_SHELL;
}

static bool start(struct campaign *campaign)
{
    const char *durable = campaign->round % DURABLE_EVERY == 0 ? "--durable" : NULL;
    const char *serve[] = {NULL, "serve", "--port", "0", campaign->dir.path, durable, NULL};
    const char *shell[] = {NULL, "--no-init", campaign->dir.path, durable, NULL};

    if (by_shell(campaign))
        return served_start(&campaign->served, shell, "serve 0");
    return served_start(&campaign->served, serve, NULL);
}

static bool open_idle(struct campaign *campaign)
{
    struct pk_buf answer = PK_BUF_INIT;
    bool good = true;

    for (size_t i = 0; i < IDLE; i++) {
        http_client_init(&campaign->idle[i], campaign->served.url);
        good = http_client_call(&campaign->idle[i], "ListTables", "{}", &answer) == 200 && good;
    }
    pk_buf_release(&answer);
    return good;
}

static const char beginning[] =
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"TableName\":";

/* An upload that goes on for ever. */
static bool stall(struct campaign *campaign)
{
    return send(campaign->idle[IDLE - 1].fd, beginning, strlen(beginning), 0) > 0;
}

/* Their last bytes and their end come together, because the server sleeps meanwhile; uses up some
 * of the idle connections, which the server knows already. */
static bool vanish(struct campaign *campaign)
{
    bool good = kill(campaign->served.pid, SIGSTOP) == 0;

    for (size_t i = 0; good && i < VANISHED; i++) {
        good = send(campaign->idle[i].fd, beginning, strlen(beginning), 0) > 0;
        http_client_release(&campaign->idle[i]);
    }
    return kill(campaign->served.pid, SIGCONT) == 0 && good;
}

static bool complain(const char *what, double number)
{
    fprintf(stderr, "crash_http: %s (%g)\n", what, number);
    return false;
}

/* The shell lives on after it: it checks the store and serves it again, which the clients of before
 * must not see. */
static bool stop_serving(struct campaign *campaign, double *millis)
{
    int64_t begin = pk_clock_real_us();

    if (!served_say(&campaign->served, "serve stop", "is not served any more"))
        return complain("serve stop says nothing", 0);
    *millis = (double)(pk_clock_real_us() - begin) / 1000;
    if (!load_join(&campaign->load))
        return false;
    if (!served_say(&campaign->served, "check", "no faults"))
        return complain("check after serve stop", 0);
    if (!served_say(&campaign->served, "serve 0", "serving"))
        return complain("serve after serve stop", 0);
    return true;
}

/* Ends what serves; false when it does not end as it should. */
static bool interrupt(struct campaign *campaign)
{
    double millis = 0;
    int status;

    if (campaign->mode == MODE_STOP && !stop_serving(campaign, &millis))
        return false;
    if (campaign->mode == MODE_STOP)
        status = served_end(&campaign->served, 0, NULL);
    else
        status =
            served_end(&campaign->served, campaign->mode == MODE_KILL ? SIGKILL : SIGTERM, &millis);
    if (campaign->round == 1) {
        campaign->stalled = millis;
    } else {
        campaign->millis += millis;
        campaign->worst = millis > campaign->worst ? millis : campaign->worst;
    }
    if (campaign->mode != MODE_STOP && !load_join(&campaign->load))
        return false;
    if (campaign->mode == MODE_KILL)
        return WIFSIGNALED(status) || complain("it ended before it was killed", status);
    if (!WIFEXITED(status) ||
        WEXITSTATUS(status) != (campaign->mode == MODE_SHELL ? 128 + SIGTERM : 0))
        return complain("it does not end with its exit code", status);
    return millis < END_MILLIS_MAX || complain("it takes too long to end (ms)", millis);
}

static bool run_round(struct campaign *campaign)
{
    bool good;

    if (!start(campaign))
        return false;
    good = campaign->round == 1 ? load_create_tables(campaign->served.url)
                                : load_verify(&campaign->load, campaign->served.url);
    good = good && open_idle(campaign) && vanish(campaign);
    if (good && campaign->round == 1)
        good = stall(campaign);
    if (!good) {
        served_end(&campaign->served, SIGKILL, NULL);
        return false;
    }
    load_start(&campaign->load, campaign->served.url);
    usleep(DELAY_MIN_US + (useconds_t)pk_rng_below(&campaign->rng, DELAY_RANGE_US));
    good = interrupt(campaign);
    campaign->unanswered += campaign->load.unanswered;
    for (size_t i = 0; i < IDLE; i++)
        http_client_release(&campaign->idle[i]);
    return good;
}

/* The store once more, with its stream. */
static bool run_last(struct campaign *campaign, uint64_t *records)
{
    bool good = start(campaign);

    if (!good)
        return false;
    good = load_verify(&campaign->load, campaign->served.url) &&
           load_verify_stream(&campaign->load, campaign->served.url, records);
    good = served_end(&campaign->served, by_shell(campaign) ? 0 : SIGTERM, NULL) == 0 && good;
    return good;
}

static int run(struct campaign *campaign)
{
    uint64_t records = 0;
    bool good = true;

    while (good && campaign->round < campaign->rounds) {
        campaign->round++;
        good = run_round(campaign);
    }
    good = good && run_last(campaign, &records);
    if (!good) {
        fprintf(stderr, "crash_http: round %lu of seed %llu failed; store kept in %s\n",
                campaign->round, (unsigned long long)campaign->load.seed, campaign->dir.path);
        return 1;
    }
    printf("crash_http: %s: %llu requests answered, %llu writes under way, %llu stream records",
           mode_names[campaign->mode], (unsigned long long)campaign->load.answered,
           (unsigned long long)campaign->unanswered, (unsigned long long)records);
    if (campaign->mode != MODE_KILL)
        printf("; it ends in %.0f ms, at most %.0f, and %.0f beside an upload that never ends",
               campaign->millis / (double)(campaign->rounds > 1 ? campaign->rounds - 1 : 1),
               campaign->worst, campaign->stalled);
    putchar('\n');
    temp_dir_remove(&campaign->dir);
    return 0;
}

static bool read_mode(const char *text, enum mode *mode)
{
    for (*mode = 0; *mode < MODE_COUNT; (*mode)++)
        if (strcmp(text, mode_names[*mode]) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct campaign *campaign = pk_calloc(1, sizeof(*campaign));
    uint64_t seed = argc > 3 ? (uint64_t)strtoull(argv[3], NULL, 10) : (uint64_t)getpid();
    int status;

    if (argc < 3 || !read_mode(argv[1], &campaign->mode)) {
        fprintf(stderr, "usage: crash_http kill|term|stop|shell ROUNDS [SEED]\n");
        return 2;
    }
    campaign->rounds = strtoul(argv[2], NULL, 10);
    pk_rng_seed(&campaign->rng, seed);
    load_init(&campaign->load, seed);
    temp_dir_make(&campaign->dir);
    status = run(campaign);
    load_release(&campaign->load);
    free(campaign);
    return status;
}
