#include "engine/sim/bucket.h"

enum { MILLI = 1000 };

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* rate * by, no more than INT64_MAX / 2, so that a level can be added to it. */
static int64_t times(int64_t rate, int64_t by)
{
    int64_t product;

    if (__builtin_mul_overflow(rate, by, &product))
        return INT64_MAX / 2;
    return min(product, INT64_MAX / 2);
}

struct pk_bucket pk_bucket_full(int64_t rate, int64_t seconds, int64_t now_ms)
{
    int64_t capacity = times(rate, seconds * MILLI);

    return (struct pk_bucket){rate, capacity, capacity, now_ms};
}

void pk_bucket_set_rate(struct pk_bucket *bucket, int64_t rate, int64_t seconds, int64_t now_ms)
{
    pk_bucket_refill(bucket, now_ms);
    bucket->rate = rate;
    bucket->capacity = times(rate, seconds * MILLI);
    bucket->level = min(bucket->level, bucket->capacity);
}

int64_t pk_bucket_refill(struct pk_bucket *bucket, int64_t now_ms)
{
    int64_t over = 0;

    if (now_ms <= bucket->filled_ms)
        return 0;
    bucket->level += times(bucket->rate, now_ms - bucket->filled_ms);
    bucket->filled_ms = now_ms;
    if (bucket->level > bucket->capacity) {
        over = bucket->level - bucket->capacity;
        bucket->level = bucket->capacity;
    }
    return over;
}

bool pk_bucket_has(const struct pk_bucket *bucket, int64_t milli)
{
    return bucket->level >= min(milli, bucket->capacity);
}

void pk_bucket_take(struct pk_bucket *bucket, int64_t milli)
{
    bucket->level = min(bucket->level - milli, bucket->capacity);
}

struct pk_burst pk_burst_new(int64_t rate, int64_t burst_seconds, int64_t now_ms)
{
    return (struct pk_burst){.base = pk_bucket_full(rate, 1, now_ms),
                             .saved_max = times(rate, burst_seconds * MILLI)};
}

void pk_burst_set_rate(struct pk_burst *burst, int64_t rate, int64_t burst_seconds, int64_t now_ms)
{
    pk_burst_refill(burst, now_ms);
    pk_bucket_set_rate(&burst->base, rate, 1, now_ms);
    burst->saved_max = times(rate, burst_seconds * MILLI);
    burst->saved = min(burst->saved, burst->saved_max);
}

void pk_burst_refill(struct pk_burst *burst, int64_t now_ms)
{
    burst->saved = min(burst->saved + pk_bucket_refill(&burst->base, now_ms), burst->saved_max);
}

bool pk_burst_has(const struct pk_burst *burst, int64_t milli)
{
    return burst->base.level + burst->saved >= min(milli, burst->base.capacity + burst->saved_max);
}

void pk_burst_take(struct pk_burst *burst, int64_t milli)
{
    int64_t of_base = burst->base.level > 0 ? min(milli, burst->base.level) : min(milli, 0);
    int64_t of_saved = min(milli - of_base, burst->saved);

    burst->saved -= of_saved;
    pk_bucket_take(&burst->base, milli - of_saved);
}
