#include "commands/workload/histogram.h"

enum { SUB = 1 << HISTOGRAM_SUB_BITS };

/* Values below SUB have a bucket each; from there on a bucket is 1/SUB of its power of two. */
static unsigned bucket_of(uint64_t value)
{
    unsigned exponent;

    if (value < SUB)
        return (unsigned)value;
    exponent = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_SUB_BITS;
    return ((exponent + 1) << HISTOGRAM_SUB_BITS) + (unsigned)((value >> exponent) - SUB);
}

static uint64_t last_of(unsigned bucket)
{
    unsigned exponent;

    if (bucket < SUB)
        return bucket;
    exponent = (bucket >> HISTOGRAM_SUB_BITS) - 1;
    return (((uint64_t)(bucket % SUB) + SUB + 1) << exponent) - 1;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
    histogram->counts[bucket_of(value)]++;
    histogram->total++;
    if (value > histogram->max)
        histogram->max = value;
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        histogram->counts[i] += other->counts[i];
    histogram->total += other->total;
    if (other->max > histogram->max)
        histogram->max = other->max;
}

uint64_t histogram_quantile(const struct histogram *histogram, unsigned thousandths)
{
    uint64_t wanted = (histogram->total * thousandths + 999) / 1000, seen = 0;

    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += histogram->counts[i];
        if (seen >= wanted && seen > 0)
            return last_of(i) < histogram->max ? last_of(i) : histogram->max;
    }
    return 0;
}
