/*
 * When the n-th request of a traffic is due, in milliseconds of simulated time.
 *
 * Evenly: each in the middle of its share of the second (20/s: at 25, 75, … 975 ms). At the second:
 * all of a second at its first millisecond. A second has the milliseconds 1 to 1000, so that an
 * advance by whole seconds sends all of theirs and none of the next.
 * A change of the rate, or falling behind, begins anew from there (base).
 */
#ifndef CMD_WORKLOAD_TRAFFIC_PACE_H
#define CMD_WORKLOAD_TRAFFIC_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct traffic_pace {
    int64_t base_ms;
    uint64_t base_n;
    int64_t rate; /* requests a second, > 0 */
    bool burst;   /* at=second */
};

/* n >= base_n. INT64_MAX where that is beyond all time. */
int64_t traffic_pace_due(const struct traffic_pace *pace, uint64_t n);
/* The n-th and what follows come at the new rate from now on. */
void traffic_pace_set_rate(struct traffic_pace *pace, int64_t now_ms, uint64_t n, int64_t rate);
/* Everything from now on comes later by so much. */
void traffic_pace_slip(struct traffic_pace *pace, int64_t by_ms);

#endif
