/*
 * Throughput that changes by itself: an on-demand table that grows with its peaks
 * (partitions-capacity.md §5.3, §10.7), a provisioned one that auto scaling sets (§5.2), and the
 * daily quota of decreases (§5.1). Reads and writes, and each index, have their own.
 */
#ifndef PK_SIM_GROWTH_H
#define PK_SIM_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

/* ---- on demand ------------------------------------------------------------------------------- */

struct pk_growth {
    int64_t warm;       /* units a second that are served at once; never falls */
    int64_t peak;       /* the most that a period averaged */
    int64_t changed_ms; /* the last growth; at first, when the table was made on demand */
};
/* Ends a period that averaged so many units a second. True when warm has grown: more than twice the
 * peak is not served, and it grows once in interval_ms. */
bool pk_growth_period(struct pk_growth *growth, int64_t average, int64_t interval_ms,
                      int64_t now_ms);

/* ---- auto scaling ---------------------------------------------------------------------------- */

struct pk_autoscale {
    int64_t min, max;       /* units a second; max 0: auto scaling is off */
    int64_t target_percent; /* 20 to 90 */
    int64_t up, down;       /* how many periods in a row it takes; 0: PK_AUTOSCALE_UP and _DOWN */
    int64_t above, below;   /* periods in a row */
};
enum {
    PK_AUTOSCALE_UP = 2,           /* periods above the target */
    PK_AUTOSCALE_DOWN = 15,        /* periods so far below it */
    PK_AUTOSCALE_DOWN_PERCENT = 20 /* points */
};
/* Ends a period that averaged so many units a second, in thousandths, of `provisioned` units.
 * Returns what to provision from now on; `provisioned` when nothing is to change. */
int64_t pk_autoscale_period(struct pk_autoscale *autoscale, int64_t average_milli,
                            int64_t provisioned);

/* ---- decreases ------------------------------------------------------------------------------- */

/* Of one UTC day. */
struct pk_decreases {
    int64_t day; /* since the epoch */
    int64_t first_ms, last_ms;
    uint32_t count;
};
enum { PK_DECREASES_AT_FIRST = 4 }; /* within an hour of the day's first; then one an hour */

/* True when throughput may be lowered now. */
bool pk_decreases_allow(const struct pk_decreases *decreases, int64_t now_ms);
/* Counts one. */
void pk_decreases_add(struct pk_decreases *decreases, int64_t now_ms);
/* How many there were today: NumberOfDecreasesToday. */
uint32_t pk_decreases_today(const struct pk_decreases *decreases, int64_t now_ms);

#endif
