/*
 * The simulated clock: the wall clock plus an offset, or a fixed time while paused.
 *
 * now_ms remembers the latest time handed out and is the floor for the next one: when the wall
 * clock is set back, simulated time stands still until the wall clock has caught up.
 */
#include "engine/base/clock.h"

#include <time.h>

#include "engine/base/mem.h"

static int64_t read_us(clockid_t id)
{
    struct timespec now;

    if (clock_gettime(id, &now) != 0)
        pk_bug("clock %d cannot be read", (int)id);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t pk_clock_real_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}

int64_t pk_clock_real_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

void pk_clock_init(struct pk_clock *clock)
{
    if (pthread_mutex_init(&clock->lock, NULL) != 0)
        pk_bug("mutex cannot be made");
    clock->paused = false;
    clock->offset_ms = 0;
    clock->now_ms = pk_clock_real_ms();
}

void pk_clock_release(struct pk_clock *clock)
{
    pthread_mutex_destroy(&clock->lock);
}

/* The current time; the lock is held. */
static int64_t now_locked(struct pk_clock *clock)
{
    if (!clock->paused) {
        int64_t now_ms = pk_clock_real_ms() + clock->offset_ms;
        if (now_ms > clock->now_ms)
            clock->now_ms = now_ms;
    }
    return clock->now_ms;
}

int64_t pk_clock_now(struct pk_clock *clock)
{
    pthread_mutex_lock(&clock->lock);
    int64_t now_ms = now_locked(clock);
    pthread_mutex_unlock(&clock->lock);
    return now_ms;
}

void pk_clock_pause(struct pk_clock *clock)
{
    pthread_mutex_lock(&clock->lock);
    now_locked(clock);
    clock->paused = true;
    pthread_mutex_unlock(&clock->lock);
}

void pk_clock_resume(struct pk_clock *clock)
{
    pthread_mutex_lock(&clock->lock);
    if (clock->paused) {
        clock->offset_ms = clock->now_ms - pk_clock_real_ms();
        clock->paused = false;
    }
    pthread_mutex_unlock(&clock->lock);
}

bool pk_clock_set(struct pk_clock *clock, int64_t to_ms)
{
    pthread_mutex_lock(&clock->lock);
    bool allowed = to_ms >= now_locked(clock) && to_ms <= PK_CLOCK_MAX_MS;
    if (allowed) {
        clock->now_ms = to_ms;
        if (!clock->paused)
            clock->offset_ms = to_ms - pk_clock_real_ms();
    }
    pthread_mutex_unlock(&clock->lock);
    return allowed;
}
