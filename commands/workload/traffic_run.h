/* The inside of traffics, shared by traffic.c (the list) and traffic_run.c (sending). */
#ifndef CMD_WORKLOAD_TRAFFIC_RUN_H
#define CMD_WORKLOAD_TRAFFIC_RUN_H

#include <stdio.h>

#include "commands/workload/traffic.h"

enum { TRAFFIC_THREADS_MAX = 16 };

/* The file that is recorded to. */
struct traffic_recorder {
    FILE *file; /* NULL: nothing is recorded */
    int64_t start_ms;
    uint64_t count;
    int failure; /* errno of the first write that failed */
};

struct traffics {
    pthread_mutex_t lock;       /* guards all that follows, and every traffic */
    pthread_cond_t work;        /* something to send, or the end */
    pthread_cond_t idle;        /* a traffic's requests are answered */
    struct traffic_place place; /* as the next two set once, before there is a thread to read it */
    struct pk_clock *clock;     /* the engine's, or own_clock */
    struct pk_clock own_clock;  /* of an endpoint; has a lock of its own */
    int64_t asked_us;           /* when another pksk was asked for its clock */
    bool asking;                /* a thread waits for that answer */
    struct traffic *first;      /* by order of start */
    size_t count;
    uint64_t turns; /* jobs taken on a running clock */
    pthread_t threads[TRAFFIC_THREADS_MAX];
    size_t thread_count;
    bool watched;     /* a thread waits for the next due time; the others wait for `work` */
    atomic_bool stop; /* also gives up the call that asks for the clock */
    struct traffic_recorder recorder;
};

/* When the next request is due; INT64_MAX: no further one. */
int64_t traffic_run_due(const struct traffic *traffic);
/* Ends it: what is in flight is still counted. why NULL: its time is over. Under the lock. */
void traffic_run_end(struct traffic *traffic, int64_t now_ms, const char *why);
/* Ends those whose time is over. Under the lock. */
void traffic_run_end_due(struct traffics *traffics, int64_t now_ms);
/* Starts the threads, and the actor of an engine, where they do not run yet. */
void traffic_run_begin(struct traffics *traffics);
/* Ends both. Not under the lock. */
void traffic_run_finish(struct traffics *traffics);

#endif
