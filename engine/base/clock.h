/*
 * Simulated time. Everything the simulation does reads this clock; signatures, HTTP dates and
 * measured latencies use the real one (pk_clock_real_*).
 *
 * Invariant: now never goes backwards, whatever the wall clock does. Thread-safe.
 */
#ifndef PK_BASE_CLOCK_H
#define PK_BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct pk_clock {
    pthread_mutex_t lock; /* guards the rest */
    bool paused;
    uint32_t speed;  /* simulated milliseconds a real one */
    int64_t base_ms; /* running: now = base + (wall clock - base_real) * speed */
    int64_t base_real_ms;
    int64_t now_ms; /* paused: the time shown; running: the latest time handed out */
};

/* The wall clock's time, running. */
void pk_clock_init(struct pk_clock *clock);
void pk_clock_release(struct pk_clock *clock);
/* Milliseconds since the epoch. */
int64_t pk_clock_now(struct pk_clock *clock);
void pk_clock_pause(struct pk_clock *clock);
void pk_clock_resume(struct pk_clock *clock);
/* The last millisecond of the year 9999; the clock cannot be set beyond it. */
#define PK_CLOCK_MAX_MS INT64_C(253402300799999)
/* Moves the clock forward; false (and nothing changes) when to_ms lies in the past or beyond
 * PK_CLOCK_MAX_MS. */
bool pk_clock_set(struct pk_clock *clock, int64_t to_ms);
/* The same in either direction, from 0 on: for a clock of which nothing remembers a time yet. */
bool pk_clock_reset(struct pk_clock *clock, int64_t to_ms);
enum { PK_CLOCK_SPEED_MAX = 1000000 };
/* 1 to PK_CLOCK_SPEED_MAX; other speeds are our mistake. */
void pk_clock_set_speed(struct pk_clock *clock, uint32_t speed);

/* All there is to know of a clock, to go on with it in another process. */
struct pk_clock_state {
    bool paused;
    uint32_t speed;
    int64_t base_ms;
    int64_t base_real_ms;
    int64_t now_ms;
};
struct pk_clock_state pk_clock_save(struct pk_clock *clock);
/* Time that passes meanwhile passes for a running clock, too. */
void pk_clock_restore(struct pk_clock *clock, const struct pk_clock_state *state);

/* The real clock: milliseconds since the epoch, and a monotonic one in microseconds. */
int64_t pk_clock_real_ms(void);
int64_t pk_clock_real_us(void);

#endif
