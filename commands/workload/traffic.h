/*
 * Traffics that run: they outlive the statement that starts them and belong to a context.
 *
 * While the clock runs, threads of their own send what is due, never faster than asked. A traffic
 * that cannot keep up slips: what was not sent is not sent later, and is told. While the clock of
 * the embedded engine is paused, its actor sends what is due inside an advance, on the thread that
 * advances; several traffics take turns by due time, then by start. The same seed then gives the
 * same requests at the same simulated milliseconds everywhere. Another pksk's paused clock is
 * followed by who advances it (traffics_step).
 *
 * Throttled requests are counted and not repeated. A traffic ends by itself when its time is over,
 * its table is gone, or its requests can never succeed; it stays in the list until it is taken.
 *
 * One lock guards everything here. It comes below the engine's tick_lock and is never held over a
 * call of a backend.
 */
#ifndef CMD_WORKLOAD_TRAFFIC_H
#define CMD_WORKLOAD_TRAFFIC_H

#include "commands/workload/traffic_pace.h"
#include "commands/workload/traffic_tally.h"

enum { TRAFFICS_MAX = 32, TRAFFIC_NAME_MAX = 64 };

struct traffics;

struct traffic {
    char name[TRAFFIC_NAME_MAX + 1];
    struct traffic_plan plan;
    struct traffic_pace pace;
    struct traffic_tally tally;
    uint32_t speed;   /* of a replay */
    int64_t start_ms; /* simulated time */
    int64_t until_ms; /* INT64_MAX: no end of its own */
    int64_t ended_ms; /* when it has ended */
    uint64_t next_n;  /* the next request */
    uint64_t missed;  /* requests that were due and not sent, because it could not keep up */
    bool ended;
    bool told;          /* that it has ended */
    char *why;          /* owned; why it ended early, NULL: it did not */
    unsigned in_flight; /* requests being sent */
    unsigned failing;   /* requests in a row that found no service */
    uint64_t served;    /* its last turn among the others */
    atomic_bool cancel;
    struct traffic *next;
};

/* NULL is accepted. */
void traffic_free(struct traffic *traffic);

/* Where all of them go. Requests to the embedded engine go through its backend as well. */
struct traffic_place {
    struct cmd_backend *backend; /* borrowed until traffics_leave */
    struct pk_engine *engine;    /* NULL: an endpoint */
    unsigned threads;            /* 0: as many as seem useful */
};

/* Starts no thread. */
struct traffics *traffics_new(void);
/* Leaves first. NULL is accepted. */
void traffics_free(struct traffics *traffics);
/* Stops all, ends the threads, forgets the place. */
void traffics_leave(struct traffics *traffics);

/* What a traffic is started with; `plan` is taken, also on failure. */
struct traffic_start {
    pk_slice name;
    struct traffic_plan *plan_take;
    int64_t rate;
    bool burst;
    uint64_t for_ms; /* 0: until it is stopped */
    uint32_t speed;  /* of a replay: so many times as fast */
};
/* Starts one at the simulated time that it is. The place is that of the first one until all is
 * left. One that has ended gives its name away. PK_E_USAGE for a name that is taken, and for too
 * many. */
PK_MUST_CHECK enum pk_code traffics_start(struct traffics *traffics,
                                          const struct traffic_place *place,
                                          const struct traffic_start *start, struct pk_error *err);

/* What is to change; NULL: nothing. PK_E_USAGE when there is no such traffic, or the skew does not
 * fit; then nothing is changed. */
struct traffic_change {
    const int64_t *rate;
    const struct traffic_skew *skew;
};
PK_MUST_CHECK enum pk_code traffics_set(struct traffics *traffics, pk_slice name,
                                        const struct traffic_change *change, struct pk_error *err);

/* Stops the traffic of that name (data NULL: the one started first), waits for its requests, and
 * hands it over; NULL when there is none. */
struct traffic *traffics_take(struct traffics *traffics, pk_slice name);
/* Ends those that go to the table, for that reason; they stay in the list. */
void traffics_end_table(struct traffics *traffics, pk_slice table, const char *why);

/* Calls `visit` for each, in the order of start, under the lock: it may look and copy. */
struct traffic_visitor {
    void (*visit)(void *context, struct traffic *traffic, int64_t now_ms);
    void *context;
};
void traffics_each(struct traffics *traffics, struct traffic_visitor visitor);
/* How many have not ended. */
size_t traffics_running(struct traffics *traffics);
/* Second of the traffic that simulated time is in; ended: that of its end. */
int64_t traffic_second(const struct traffic *traffic, int64_t now_ms);

/* ---- recording ------------------------------------------------------------------------------- */

/* Writes what is sent from here on to a file (traffic_tape.h). PK_E_IO; PK_E_USAGE when one is
 * written already. */
PK_MUST_CHECK enum pk_code traffics_record(struct traffics *traffics, const char *path,
                                           struct pk_error *err);
/* Ends the recording: how many requests it has. PK_E_IO when not all of it could be written; false
 * in *was when nothing was recorded. */
PK_MUST_CHECK enum pk_code traffics_record_end(struct traffics *traffics, bool *was,
                                               uint64_t *count, struct pk_error *err);

/* ---- another pksk's paused clock ------------------------------------------------------------- */

/* The clock of the endpoint as an answer of Pksk.Clock tells it. */
void traffics_note_clock(struct traffics *traffics, int64_t now_ms, bool paused, uint32_t speed);
/* The next time at which something is due and the clock of an endpoint must be moved to by who
 * advances it; INT64_MAX: none, or the traffic sees to it by itself. */
int64_t traffics_next_step(struct traffics *traffics);
/* Sends what is due at that time, on this thread. */
void traffics_step(struct traffics *traffics, int64_t now_ms);

#endif
