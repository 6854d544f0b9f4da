#include "tests/support/race.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A check, or a split, takes every latch at once, far more locks than the sanitizer's deadlock
 * detector can follow. Their order is by stripe. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "detect_deadlocks=0";
}

struct race_frame race_begin(const char *program, int64_t seconds, int argc, char **argv)
{
    return (struct race_frame){
        .program = program,
        .seconds = argc > 1 ? strtoll(argv[1], NULL, 10) : seconds,
        .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)pk_clock_real_ms(),
    };
}

void race_start(struct race_frame *frame, void *(*body)(void *worker))
{
    struct race_worker *worker = &frame->workers[frame->count];

    if (frame->count == RACE_WORKERS_MAX)
        abort();
    worker->race = frame->race;
    worker->frame = frame;
    worker->number = frame->count++;
    pk_rng_seed(&worker->rng, frame->seed + worker->number);
    engine_share(&worker->fx, frame->engine);
    if (pthread_create(&worker->thread, NULL, body, worker) != 0)
        abort();
}

void race_wait(struct race_frame *frame)
{
    int64_t end_ms = pk_clock_real_ms() + frame->seconds * 1000;

    while (pk_clock_real_ms() < end_ms)
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    atomic_store(&frame->stop, true);
    for (unsigned i = 0; i < frame->count; i++) {
        pthread_join(frame->workers[i].thread, NULL);
        engine_unshare(&frame->workers[i].fx);
    }
}

bool race_is_over(const struct race_worker *worker)
{
    return atomic_load(&worker->frame->stop);
}

void race_fail(struct race_worker *worker, const char *what)
{
    fprintf(stderr, "%s: seed %" PRIu64 ", worker %u: %s: %s\n", worker->frame->program,
            worker->frame->seed, worker->number, what, engine_message(&worker->fx));
    abort();
}
