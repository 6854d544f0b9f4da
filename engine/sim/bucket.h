/*
 * Token buckets, refilled by simulated time (partitions-capacity.md §10.1, §10.5).
 *
 * Amounts are milli-units: 1 unit is 1000. A rate of r units a second is r milli-units a
 * millisecond, so that nothing is ever rounded. A level below zero is a debt: what a read cost more
 * than was known when it was admitted.
 */
#ifndef PK_SIM_BUCKET_H
#define PK_SIM_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

struct pk_bucket {
    int64_t rate;      /* units a second */
    int64_t capacity;  /* milli-units */
    int64_t level;     /* milli-units */
    int64_t filled_ms; /* refilled up to this time */
};

/* A full bucket that holds what `seconds` bring. */
struct pk_bucket pk_bucket_full(int64_t rate, int64_t seconds, int64_t now_ms);
/* Another rate from now on. What is in the bucket stays, up to the new capacity. */
void pk_bucket_set_rate(struct pk_bucket *bucket, int64_t rate, int64_t seconds, int64_t now_ms);
/* Adds what the time since the last refill brought; returns what did not fit. A time before the
 * last refill adds nothing. */
int64_t pk_bucket_refill(struct pk_bucket *bucket, int64_t now_ms);
/* True when so much may be taken: it is there, or it is more than the bucket can ever hold and the
 * bucket is full. To be asked after a refill. */
bool pk_bucket_has(const struct pk_bucket *bucket, int64_t milli);
/* Takes, whatever is there. A negative amount gives back, up to the capacity. */
void pk_bucket_take(struct pk_bucket *bucket, int64_t milli);

/* A bucket of one second whose overflow is saved for later: burst capacity (§4.2). */
struct pk_burst {
    struct pk_bucket base;
    int64_t saved; /* milli-units */
    int64_t saved_max;
};

/* The base is full, nothing is saved; burst_seconds is how much can be. */
struct pk_burst pk_burst_new(int64_t rate, int64_t burst_seconds, int64_t now_ms);
void pk_burst_set_rate(struct pk_burst *burst, int64_t rate, int64_t burst_seconds, int64_t now_ms);
void pk_burst_refill(struct pk_burst *burst, int64_t now_ms);
bool pk_burst_has(const struct pk_burst *burst, int64_t milli);
/* Takes from the base first, then from what is saved; what neither has is a debt of the base. */
void pk_burst_take(struct pk_burst *burst, int64_t milli);

#endif
