/*
 * The frame of the race programs: threads on one engine, each with a fixture, a number and random
 * numbers of its own, until the time is over. Plain programs, because criterion does not run under
 * ThreadSanitizer.
 *
 *   NAME [SECONDS] [SEED]
 */
#ifndef TESTS_RACE_H
#define TESTS_RACE_H

#include <pthread.h>

#include "engine/base/rng.h"
#include "tests/support/engine_fixture.h"

enum { RACE_WORKERS_MAX = 16 };

struct race; /* what a program's threads have in common: its own */
struct race_frame;

struct race_worker {
    struct race *race;
    const struct race_frame *frame;
    unsigned number; /* in the order of their starts */
    struct pk_rng rng;
    struct engine_fixture fx; /* its own arena, the common engine */
    pthread_t thread;
};

struct race_frame {
    const char *program;
    uint64_t seed; /* the clock's, unless one is given */
    int64_t seconds;
    struct race *race;
    struct pk_engine *engine;
    atomic_bool stop; /* each worker's loop looks at it */
    struct race_worker workers[RACE_WORKERS_MAX];
    unsigned count;
};

/* Takes the arguments; seconds are those without one. */
struct race_frame race_begin(const char *program, int64_t seconds, int argc, char **argv);
/* Starts a worker; body gets it. The frame has race and engine by now, and stays where it is. */
void race_start(struct race_frame *frame, void *(*body)(void *worker));
/* Returns when the time is over and all have ended. */
void race_wait(struct race_frame *frame);
bool race_is_over(const struct race_worker *worker);
/* Says seed, worker and its engine's last message, and aborts. */
PK_NORETURN void race_fail(struct race_worker *worker, const char *what);

#endif
