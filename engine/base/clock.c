/*
 * The simulated clock: a base time and what the wall clock has gone since then, times the speed; or
 * a fixed time while paused.
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
    /* The coarse one: a few ms are nothing here, and it is asked on every request. */
    return read_us(CLOCK_REALTIME_COARSE) / 1000;
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
    clock->speed = 1;
    clock->now_ms = pk_clock_real_ms();
    clock->base_ms = clock->now_ms;
    clock->base_real_ms = clock->now_ms;
}

void pk_clock_release(struct pk_clock *clock)
{
    pthread_mutex_destroy(&clock->lock);
}

/* The lock is held in the following. */

static int64_t now_locked(struct pk_clock *clock)
{
    int64_t passed = pk_clock_real_ms() - clock->base_real_ms;
    int64_t now_ms;

    if (clock->paused || passed < 0)
        return clock->now_ms;
    if (passed > (PK_CLOCK_MAX_MS - clock->base_ms) / (int64_t)clock->speed)
        now_ms = PK_CLOCK_MAX_MS;
    else
        now_ms = clock->base_ms + passed * (int64_t)clock->speed;
    if (now_ms > clock->now_ms)
        clock->now_ms = now_ms;
    return clock->now_ms;
}

/* The clock goes on from the time it shows. */
static void rebase(struct pk_clock *clock)
{
    clock->base_ms = clock->now_ms;
    clock->base_real_ms = pk_clock_real_ms();
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
        rebase(clock);
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
        rebase(clock);
    }
    pthread_mutex_unlock(&clock->lock);
    return allowed;
}

bool pk_clock_reset(struct pk_clock *clock, int64_t to_ms)
{
    bool allowed = to_ms >= 0 && to_ms <= PK_CLOCK_MAX_MS;

    pthread_mutex_lock(&clock->lock);
    if (allowed) {
        clock->now_ms = to_ms;
        rebase(clock);
    }
    pthread_mutex_unlock(&clock->lock);
    return allowed;
}

void pk_clock_set_speed(struct pk_clock *clock, uint32_t speed)
{
    if (speed == 0 || speed > PK_CLOCK_SPEED_MAX)
        pk_bug("a clock of speed %u", speed);
    pthread_mutex_lock(&clock->lock);
    now_locked(clock);
    rebase(clock);
    clock->speed = speed;
    pthread_mutex_unlock(&clock->lock);
}

struct pk_clock_state pk_clock_save(struct pk_clock *clock)
{
    struct pk_clock_state state;

    pthread_mutex_lock(&clock->lock);
    now_locked(clock);
    state = (struct pk_clock_state){clock->paused, clock->speed, clock->base_ms,
                                    clock->base_real_ms, clock->now_ms};
    pthread_mutex_unlock(&clock->lock);
    return state;
}

void pk_clock_restore(struct pk_clock *clock, const struct pk_clock_state *state)
{
    pthread_mutex_lock(&clock->lock);
    clock->paused = state->paused;
    clock->speed = state->speed;
    clock->base_ms = state->base_ms;
    clock->base_real_ms = state->base_real_ms;
    clock->now_ms = state->now_ms;
    now_locked(clock);
    pthread_mutex_unlock(&clock->lock);
}
