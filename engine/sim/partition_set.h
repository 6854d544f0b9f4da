/*
 * The partitions of one table or index as they are now: which keys each owns, what it admits, how
 * hot it is, and its splits (partitions-capacity.md §10.3 to §10.6).
 *
 * A partition owns the positions from its first up to the next one's first. A position is a row's
 * key behind the table's id: token, partition key, sort key; so a boundary costs no movement of
 * data. Partitions only ever split. A split takes a time in which the parent serves on.
 *
 * Not thread-safe: callers hold the lock of the table or index, and bring the time.
 */
#ifndef PK_SIM_PARTITION_SET_H
#define PK_SIM_PARTITION_SET_H

#include "engine/schema.h"
#include "engine/sim/admission.h"
#include "engine/sim/heat.h"

enum pk_access { PK_ACCESS_READ, PK_ACCESS_WRITE };
enum { PK_ACCESS_KINDS = 2, PK_THROTTLES = PK_THROTTLE_PROVISIONED + 1 };

enum pk_partition_state { PK_PARTITION_ACTIVE, PK_PARTITION_SPLITTING };

/* What a partition did in each of the last seconds, as a ring. */
enum { PK_HISTORY_SECONDS = 300 };
struct pk_second {
    int64_t milli[PK_ACCESS_KINDS]; /* consumed */
    uint32_t admitted[PK_ACCESS_KINDS];
    uint32_t refused[PK_ACCESS_KINDS];
};

struct pk_partition {
    uint32_t id;
    uint32_t parent; /* its id; own id: none */
    char *first;     /* owned position; empty: that of the first partition */
    size_t first_len;
    enum pk_partition_state state;
    char *boundary; /* owned; of the split that is under way */
    size_t boundary_len;
    bool for_size; /* that split */
    int64_t split_due_ms;
    int64_t cool_until_ms;         /* no decision before */
    enum pk_split_verdict refusal; /* the last one since the partition began; PK_SPLIT_AT: none */
    uint64_t throttled[PK_ACCESS_KINDS][PK_THROTTLES];
    struct pk_heat heat;
    struct pk_second running;  /* the second that has not ended; its milli is the heat's */
    struct pk_second *history; /* owned, PK_HISTORY_SECONDS of them; NULL: it never did anything */
};

/* Times of simulated time. */
struct pk_split_rules {
    struct pk_heat_rules heat;
    bool for_heat; /* false: the heat is measured, and nothing splits for it */
    enum pk_cutting collections;
    int64_t duration_ms;
    int64_t cooldown_ms;
    size_t partitions_max;
};

struct pk_partition_set {
    struct pk_admission admission[PK_ACCESS_KINDS];
    struct pk_partition *list; /* owned, in order of keys */
    size_t count;
    uint32_t next_id;
    uint64_t seconds; /* that have ended: history[(seconds - 1) % PK_HISTORY_SECONDS] is the last */
    bool active;      /* something was offered since the last one ended */
    struct pk_split_rules rules;
    struct pk_rng rng; /* which requests of a long window are kept */
};

struct pk_partition_setup {
    size_t count;                    /* > 0 */
    const struct pk_partitions *map; /* of that many; NULL: they divide the tokens evenly */
    struct pk_admission_limits limits[PK_ACCESS_KINDS];
    struct pk_split_rules rules;
    uint64_t seed;
};

void pk_partition_set_init(struct pk_partition_set *set, const struct pk_partition_setup *setup,
                           int64_t now_ms);
void pk_partition_set_release(struct pk_partition_set *set);

/* The partition that owns the position. Cost: logarithmic. */
size_t pk_partition_set_find(const struct pk_partition_set *set, pk_slice position);

/* A request for partition i. */
struct pk_access_request {
    enum pk_access access;
    size_t partition;
    int64_t milli;             /* of a read: its least charge */
    struct pk_replica replica; /* who serves it: pk_admission_replica() */
    pk_slice position;         /* of its item; for a query, of its first */
    /* How much of a position is its partition key's; asked only of those that are kept. */
    size_t (*hash_len)(const void *context, pk_slice position);
    const void *context;
};
/* Whether it would be admitted now. Notes the offer for the heat, and a refusal for the figures;
 * takes nothing. */
enum pk_throttle pk_partition_set_offer(struct pk_partition_set *set,
                                        const struct pk_access_request *request, int64_t now_ms);
/* Takes what an admitted request costs, or the rest of it once it is known. */
void pk_partition_set_take(struct pk_partition_set *set, enum pk_access access, size_t partition,
                           int64_t milli);
void pk_partition_set_take_at(struct pk_partition_set *set, const struct pk_access_request *request,
                              int64_t milli);

/* Ends a second of simulated time: heat is judged, and splits begin. */
void pk_partition_set_second(struct pk_partition_set *set, int64_t now_ms);
/* Ends that many seconds in which nothing happened, after at least two that were ended singly. */
void pk_partition_set_pass(struct pk_partition_set *set, uint64_t seconds);
/* Begins a split of partition i at the boundary, which lies behind its first position and is
 * copied. False when it splits already, the boundary is not inside, or there are partitions enough.
 */
bool pk_partition_set_begin_split(struct pk_partition_set *set, size_t i, pk_slice boundary,
                                  int64_t now_ms);
/* Ends the first split that is due: partition *i has become two, *i and *i + 1. False: none is. */
bool pk_partition_set_end_split(struct pk_partition_set *set, int64_t now_ms, size_t *i);
/* Makes partitions what the definition says, which only ever has more borders: those it lacks are
 * split there, and all get their ids. Buckets and heat of the others stay. */
void pk_partition_set_sync(struct pk_partition_set *set, const struct pk_partitions *map,
                           int64_t now_ms);
/* When the next split ends; INT64_MAX: none is under way. */
int64_t pk_partition_set_due(const struct pk_partition_set *set);

#endif
