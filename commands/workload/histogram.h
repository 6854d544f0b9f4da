/*
 * Latencies, counted in buckets whose width is a fixed share of their value: two significant binary
 * digits more than needed for a percentile that a person reads (an error of at most 1/32), at a
 * fixed size whatever comes.
 */
#ifndef CMD_WORKLOAD_HISTOGRAM_H
#define CMD_WORKLOAD_HISTOGRAM_H

#include <stdint.h>

enum {
    HISTOGRAM_SUB_BITS = 5, /* 32 buckets for each power of two */
    HISTOGRAM_BUCKETS = (64 - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS
};

struct histogram {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t total;
    uint64_t max;
};

/* Zero is an empty one. */
void histogram_add(struct histogram *histogram, uint64_t value);
/* Adds what the other one has counted. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);
/* The least value that at least so many thousandths of all do not exceed, rounded up to its
 * bucket's last and never above the greatest; 0 when nothing was counted. 990: the 99th
 * percentile. */
uint64_t histogram_quantile(const struct histogram *histogram, unsigned thousandths);

#endif
