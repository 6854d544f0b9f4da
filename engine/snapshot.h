/*
 * A table or index from inside, at one moment: its partitions, what they admit and consume, and
 * what they refuse. Looking changes nothing and costs no capacity.
 *
 * Amounts called milli are milli-units: 1 unit is 1000. "Last" is the last whole second of the
 * simulated clock; counts of refusals go back to the beginning of a partition, and are of what
 * would have been refused under `throttle observe`.
 */
#ifndef PK_SNAPSHOT_H
#define PK_SNAPSHOT_H

#include "engine/ops.h"

enum {
    PK_SNAPSHOT_HISTORY_MAX = 300,
    PK_SNAPSHOT_HOTTEST = 5,
    PK_SNAPSHOT_LIMITS = 5,
    PK_SNAPSHOT_HOT_MAX = 16 /* partitions */
};

/* Reads, or writes, of a partition or of all. */
struct pk_access_look {
    int64_t limit;          /* units a second; 0: none */
    int64_t consumed_milli; /* last */
    int64_t level_milli;    /* in the bucket now; below zero: a debt */
    int64_t burst_milli, burst_max_milli;
    uint64_t admitted, refused;             /* requests, last */
    uint64_t throttled[PK_SNAPSHOT_LIMITS]; /* by enum pk_limit; of partitions */
    int64_t warm;                           /* of all: units a second served at once */
    int64_t max;                            /* of all, on demand: the ceiling; 0: none */
};

struct pk_hot_key {
    pk_value key;   /* a map, as far as requests named it */
    uint32_t milli; /* thousandths of the partition's requests */
};

struct pk_second_look {
    int64_t read_milli, write_milli;
    uint32_t refused;
};

struct pk_partition_look {
    uint32_t number, id, parent; /* parent: its own id when it has none */
    uint64_t first_token, last_token;
    pk_value first_key; /* a map, when it begins inside an item collection; else missing */
    struct pk_counts counts;
    bool splitting;
    int64_t split_due_ms;
    int64_t cool_until_ms; /* 0: it may split for heat */
    uint32_t hot_seconds;
    const char *refusal; /* "SINGLE_ITEM"; "": none */
    struct pk_access_look read, write;
    struct pk_hot_key hottest[PK_SNAPSHOT_HOTTEST];
    size_t hottest_count;
    struct pk_second_look *history; /* arena, oldest first */
    size_t history_count;
};

struct pk_index_look {
    const struct pk_index *index;
    struct pk_counts counts;
    struct pk_index_lag lag;
    int64_t queue_milli, queue_limit_milli; /* GSI, queued back-pressure */
    struct pk_access_look read, write;      /* GSI */
    uint64_t blocked;                       /* GSI: writes of the table it refused */
};

struct pk_split_look {
    int64_t time_ms;
    uint32_t partition, children[2]; /* ids */
    const char *cause;               /* "HEAT", "SIZE", "THROUGHPUT" */
};

/* Who reads a shard of the table's streams by GetRecords, and was heard of in the last minutes. */
struct pk_reader_look {
    uint32_t number;   /* of the stream's readers */
    pk_slice shard;    /* its id */
    pk_slice sequence; /* of the last record it got; data NULL: none yet */
    uint64_t records;  /* that it got */
    uint64_t waiting;  /* records behind that one; `more`: at least so many */
    bool more;
    int64_t oldest_ms; /* how long the first of them has been waiting, simulated */
    int64_t quiet_ms;  /* since its last call, real time */
};

struct pk_snapshot_request {
    pk_slice table;
    pk_slice index;        /* data NULL: the table itself */
    uint32_t history;      /* seconds */
    uint32_t first, limit; /* of partitions, by number */
    uint32_t hot; /* and so many of the hottest of all, when those are not all; at most _HOT_MAX */
};

struct pk_snapshot {
    struct pk_table *table; /* a reference: pk_snapshot_release */
    const struct pk_index *index;
    bool counting;
    struct pk_counts counts;
    struct pk_access_look read, write;
    uint32_t partition_count;
    struct pk_partition_look *partitions; /* arena */
    size_t count;
    struct pk_partition_look *hot; /* arena: by the share of its limit in the last second, and what
                                      was refused; in the order of their numbers */
    size_t hot_count;
    struct pk_index_look *indexes; /* arena, in the table's order; of a table only */
    struct pk_split_look *splits;  /* arena, latest last */
    size_t split_count;
    struct pk_reader_look *readers; /* arena; of a table only */
    size_t reader_count;
};

/* PK_E_NOT_FOUND; PK_E_VALIDATION: no such index; PK_E_IO, PK_E_CORRUPT of the change log. */
PK_MUST_CHECK enum pk_code pk_engine_snapshot(struct pk_engine *engine, struct pk_call *call,
                                              const struct pk_snapshot_request *request,
                                              struct pk_snapshot *snapshot, struct pk_error *err);
void pk_snapshot_release(struct pk_snapshot *snapshot);

#endif
