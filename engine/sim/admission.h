/*
 * Admission of requests to a table or an index: which of its limits a request meets first
 * (partitions-capacity.md §10.5), and what admitted ones take from them.
 *
 * Reads and writes are limited independently, so each kind has a struct pk_admission of its own.
 * Nothing here knows a clock or a lock: callers bring the time and hold the lock of the resource.
 *
 * A check takes nothing; what passes at all levels is then taken at all levels. A read is admitted
 * by its least charge and pays the rest afterwards: a bucket may so be in debt.
 */
#ifndef PK_SIM_ADMISSION_H
#define PK_SIM_ADMISSION_H

#include <stddef.h>

#include "engine/sim/bucket.h"

/* How a provisioned table's throughput reaches its partitions (§4.1). */
enum pk_admission_mode {
    PK_ADMISSION_GAC,     /* one bucket for the table, and each partition's hard limit */
    PK_ADMISSION_STATIC,  /* each partition its share, and nothing saved */
    PK_ADMISSION_BURST,   /* each partition its share, with what it saved */
    PK_ADMISSION_ADAPTIVE /* as burst, and a share that grows while the table has room */
};

/* The limit that refuses, in the order in which they are asked (§6.1). */
enum pk_throttle {
    PK_THROTTLE_NONE,
    PK_THROTTLE_MAX_ON_DEMAND, /* the ceiling that was set for the table */
    PK_THROTTLE_ACCOUNT,       /* the account's quota a table */
    PK_THROTTLE_KEY_RANGE,     /* what one partition serves */
    PK_THROTTLE_PROVISIONED    /* the table's throughput, or the partition's share of it */
};

/* Units a second. */
struct pk_admission_limits {
    enum pk_admission_mode mode;
    bool on_demand;
    int64_t provisioned;   /* provisioned tables */
    int64_t max_on_demand; /* on-demand tables; 0: none is set */
    int64_t quota;         /* on-demand tables */
    int64_t partition;     /* one partition's hard limit */
    int64_t burst_seconds;
    bool spread; /* reads: each replica has that limit for itself (§10.4, ec_read_spread) */
};

/* Who serves a read. A strong one, and every write, is the leader's; where reads are spread, an
 * eventually consistent one goes to the next replica and counts there as a strong one does. */
enum { PK_REPLICAS = 3 };
struct pk_replica {
    uint8_t number; /* 0: the leader */
    bool eventual;  /* of spread reads */
};

struct pk_admission_partition {
    struct pk_bucket hard;                    /* the leader's */
    struct pk_bucket others[PK_REPLICAS - 1]; /* of spread reads: the other replicas' */
    uint8_t turn;                             /* of spread reads: who is next */
    struct pk_burst share;                    /* modes with shares */
    int64_t boost_milli;                      /* adaptive: the share is 1000ths of an equal one */
    bool throttled;                           /* in the second that is running, by its share */
};

struct pk_admission {
    struct pk_admission_limits limits;
    struct pk_bucket max_on_demand;
    struct pk_bucket quota;
    struct pk_burst table;
    int64_t consumed;                          /* milli-units, in the second that is running */
    struct pk_admission_partition *partitions; /* owned */
    size_t count;
};

/* Buckets are full, nothing is saved. count > 0. */
void pk_admission_init(struct pk_admission *admission, const struct pk_admission_limits *limits,
                       size_t count, int64_t now_ms);
void pk_admission_release(struct pk_admission *admission);
/* Other limits from now on; what is in the buckets stays as far as it fits. */
void pk_admission_set_limits(struct pk_admission *admission,
                             const struct pk_admission_limits *limits, int64_t now_ms);
/* Partition i becomes two, i and i + 1: full hard buckets; they divide their parent's share. */
void pk_admission_split(struct pk_admission *admission, size_t i, int64_t now_ms);

/* Who is to serve a read of partition i: the leader, or the next in turn. */
struct pk_replica pk_admission_replica(struct pk_admission *admission, size_t i, bool eventual);

/* The limit that would refuse so many milli-units at partition i. */
enum pk_throttle pk_admission_check(struct pk_admission *admission, size_t i, int64_t milli,
                                    int64_t now_ms);
/* Takes them, whatever is there; negative: gives back. Refills nothing. */
void pk_admission_take(struct pk_admission *admission, size_t i, int64_t milli);
/* The same of a replica: as above for the leader. */
enum pk_throttle pk_admission_check_at(struct pk_admission *admission, size_t i,
                                       struct pk_replica replica, int64_t milli, int64_t now_ms);
void pk_admission_take_at(struct pk_admission *admission, size_t i, struct pk_replica replica,
                          int64_t milli);
/* Ends a second of simulated time: adaptive shares grow and shrink (§10.5). */
void pk_admission_second(struct pk_admission *admission, int64_t now_ms);

/* What Global Admission Control grants to routers that report such demands, when it has `tokens`:
 * everything, or to each its share of them, rounded down (§10.5). */
void pk_admission_grants(int64_t tokens, const int64_t *demands, size_t count, int64_t *grants);

#endif
