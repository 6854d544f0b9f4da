/*
 * The heat of one partition: how long it has been near its limit, which requests were offered to it
 * meanwhile, and where a split would help (partitions-capacity.md §4.3, §10.6).
 *
 * Requests are kept as positions: the bytes of their row's key behind the table's id, so that
 * memcmp order is the order of keys. Of a long window a fair sample is kept, drawn by the seeded
 * generator; shares, medians and directions are those of the sample, in order of arrival.
 *
 * Not thread-safe: callers hold the lock of the table or index.
 */
#ifndef PK_SIM_HEAT_H
#define PK_SIM_HEAT_H

#include "engine/base/rng.h"
#include "engine/base/slice.h"

enum { PK_HEAT_SAMPLES = 256 };

/* Of §10.4; shares in thousandths. */
struct pk_heat_rules {
    int64_t threshold_milli; /* of the hard limit: from there on a second is hot */
    int64_t window_s;        /* hot seconds in a row that lead to a decision */
    int64_t single_item_milli;
    int64_t isolate_min_milli;
    int64_t monotonic_milli;
    int64_t sequential_milli;
    bool no_isolation; /* a hot item is never cut off */
};
struct pk_heat_rules pk_heat_rules_aws(void);

struct pk_heat_sample {
    char *position; /* owned; kept for the next window */
    uint32_t cap, len;
    uint32_t hash_len; /* the part that is the partition key's: token and value */
    uint64_t number;   /* in order of arrival */
};

struct pk_heat {
    int64_t read, write;            /* milli-units consumed in the second that is running */
    bool refused;                   /* by the key range, in that second */
    int64_t hot_run;                /* hot seconds in a row before it */
    uint64_t offered;               /* requests since the window began */
    struct pk_heat_sample *samples; /* owned; NULL until the first request */
    size_t count;
    struct pk_heat_sample *before; /* owned: the sample of the window before, for those who look */
    size_t before_count;
};

void pk_heat_release(struct pk_heat *heat);
/* Begins a new window, as after a split. */
void pk_heat_clear(struct pk_heat *heat);

/* Notes a request that was offered, admitted or not. The sample it is kept in, whose hash_len the
 * caller sets; NULL: it is not kept. */
struct pk_heat_sample *pk_heat_offer(struct pk_heat *heat, struct pk_rng *rng, pk_slice position);
/* Ends a second; read and write are the partition's hard limits in units. True when there have been
 * window_s hot seconds: it is time to decide. A second that is not hot begins a new window. */
bool pk_heat_second(struct pk_heat *heat, const struct pk_heat_rules *rules, int64_t read,
                    int64_t write);

/* The positions that were offered most often in the window, or in the one before when that had more
 * requests; most first, at most max; thousandths of the sample each. Borrowed until the next call.
 * Returns how many. */
struct pk_heat_top {
    pk_slice position;
    uint32_t share_milli;
};
size_t pk_heat_hottest(const struct pk_heat *heat, struct pk_heat_top *top, size_t max);

enum pk_split_verdict {
    PK_SPLIT_AT,             /* at the boundary */
    PK_SPLIT_SINGLE_ITEM,    /* one item has the heat: it cannot be divided */
    PK_SPLIT_LSI_COLLECTION, /* one item collection has it, and an LSI keeps it together */
    PK_SPLIT_MONOTONIC,      /* one collection whose sort keys only rise, or fall */
    PK_SPLIT_SEQUENTIAL      /* a sweep through the keys: the heat would have moved on */
};
/* Decides by the window's sample, which must not be empty. *boundary is the first position of the
 * upper part, borrowed from the sample until the next call; whole: item collections stay in one
 * piece (tables with an LSI), the boundary is then a collection's first. */
enum pk_cutting { PK_COLLECTIONS_CUT, PK_COLLECTIONS_WHOLE };
enum pk_split_verdict pk_heat_decide(const struct pk_heat *heat, const struct pk_heat_rules *rules,
                                     enum pk_cutting collections, pk_slice *boundary);
/* "SINGLE_ITEM" and so on; "" for PK_SPLIT_AT. */
const char *pk_split_verdict_name(enum pk_split_verdict verdict);

#endif
