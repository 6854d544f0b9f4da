/*
 * What became of a traffic's requests: how many, what they cost, how long they took, which were
 * throttled by which limit on which partition, which failed and how.
 *
 * A request that would have been refused (throttle observe) is counted among the ok ones and in the
 * throttles, marked so.
 */
#ifndef CMD_WORKLOAD_TRAFFIC_TALLY_H
#define CMD_WORKLOAD_TRAFFIC_TALLY_H

#include "commands/backend.h"
#include "commands/workload/histogram.h"
#include "commands/workload/traffic_plan.h"

enum {
    TRAFFIC_REASON_MAX = 64,      /* bytes of a reason's name, its NUL included */
    TRAFFIC_THROTTLES_MAX = 4096, /* kinds kept apart; further partitions are put together */
    TRAFFIC_ERRORS_MAX = 16
};

struct traffic_throttle {
    char reason[TRAFFIC_REASON_MAX]; /* "TableReadKeyRangeThroughputExceeded"; "": not told */
    char *index;                     /* whose limit it was, owned; NULL: the table's */
    bool has_partition;              /* a partition's limit, and it is known whose */
    uint32_t partition;
    bool would; /* observed only */
    uint64_t count;
};

struct traffic_failure {
    char *name, *message; /* owned; the message is that of the first */
    uint64_t count;
};

struct traffic_tally {
    uint64_t sent, ok, throttled, failed; /* sent = ok + throttled + failed */
    uint64_t would;                       /* of ok: observed throttles */
    uint64_t ok_of[TRAFFIC_OPS];
    int64_t milli_of[TRAFFIC_OPS]; /* consumed */
    int64_t read_milli, write_milli;
    struct histogram micros;
    struct traffic_throttle *throttles; /* owned */
    size_t throttle_count;
    struct traffic_failure failures[TRAFFIC_ERRORS_MAX]; /* further kinds are put to the last */
    size_t failure_count;
    int64_t second; /* of the traffic: the one that is counted now */
    uint64_t second_ok, second_throttled, last_ok, last_throttled;
};

/* Zero is an empty one. */
void traffic_tally_release(struct traffic_tally *tally);
/* Adds one answer. `second` is that of the traffic in which it was sent; it never goes back. */
void traffic_tally_add(struct traffic_tally *tally, const struct traffic_plan *plan,
                       enum traffic_op op, int64_t second, const struct cmd_response *response);
/* What the last whole second before `second` had. */
void traffic_tally_rates(const struct traffic_tally *tally, int64_t second, uint64_t *ok,
                         uint64_t *throttled);
/* True for an answer that says: too many requests. */
bool traffic_is_throttled(const struct cmd_response *response);

#endif
