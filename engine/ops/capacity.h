/*
 * The capacity of tables and their GSIs while the engine is open: whether a request is admitted,
 * and what happens by itself as time goes by (partitions-capacity.md §10; design: "The
 * simulation").
 *
 * Each table has one of these beside its log (table_log.h), with a side for the table and one for
 * each GSI. It knows the partitions of the newest definition, but definitions alone say where a
 * partition begins (split.h): whoever publishes one calls pk_capacity_define().
 *
 * Admission is asked last, after conditions and costs are known, also under latches: it only looks
 * and takes, under a lock that is held for a moment. With `throttle off` nothing is asked; with
 * `observe` what would be refused is counted and executed, and takes nothing.
 */
#ifndef PK_OPS_CAPACITY_H
#define PK_OPS_CAPACITY_H

#include "engine/ops/core.h"
#include "engine/sim/growth.h"
#include "engine/sim/partition_set.h"

/* The table, or one of its GSIs. */
struct pk_capacity_side {
    uint32_t index_id; /* 0: the table */
    bool live;         /* else the slot is free, and the rest nothing */
    struct pk_partition_set set;
    struct pk_growth growth[PK_ACCESS_KINDS];
    struct pk_autoscale scale[PK_ACCESS_KINDS];
    int64_t period_milli[PK_ACCESS_KINDS]; /* consumed in the metric period that is running */
    uint64_t blocked;                      /* GSI: writes of the table that it refused */
    int64_t queue_milli;                   /* GSI: write units accepted and not applied yet, of
                                              queued back-pressure, since the engine was opened */
    int64_t queue_max_milli;
    enum pk_throttle delayed_by; /* GSI: the level that last delayed the queue */
    bool grown;                  /* a size check is due */
};

enum { PK_CAPACITY_SIDES = 1 + PK_GSI_MAX + 1, PK_SPLITS_KEPT = 32 };

/* A split that was made, for those who look. */
struct pk_split_note {
    int64_t time_ms;
    uint32_t index_id, parent, children[2]; /* ids */
    enum pk_split_cause { PK_SPLIT_FOR_HEAT, PK_SPLIT_FOR_SIZE, PK_SPLIT_FOR_THROUGHPUT } cause;
};

struct pk_capacity {
    pthread_mutex_t lock; /* guards the rest */
    bool defined;
    uint32_t table_id;
    int64_t second;    /* of the clock, up to which seconds have ended */
    int64_t period_ms; /* when the metric period began */
    struct pk_capacity_side sides[PK_CAPACITY_SIDES];
    struct pk_split_note splits[PK_SPLITS_KEPT]; /* a ring */
    uint64_t split_count;
};

struct pk_capacity *pk_capacity_new(uint32_t table_id);
void pk_capacity_free(struct pk_capacity *capacity);
/* Borrowed. */
struct pk_capacity *pk_capacity_of(const struct pk_table *table);

/* Takes over limits and partitions of the definition, and the settings. What is in the buckets
 * stays as far as it fits. */
void pk_capacity_define(struct pk_engine *engine, const struct pk_table *table);
/* The same for all tables: settings have changed. */
void pk_capacity_define_all(struct pk_engine *engine);

/* What a request asks of one partition. */
struct pk_demand {
    const struct pk_table *table;
    const struct pk_index *index; /* a GSI; NULL: the table */
    enum pk_access access;
    int64_t milli;             /* of a read: its least charge */
    pk_slice row;              /* the key of its row; of a query or scan, of the first */
    bool eventual;             /* a read that any replica may serve */
    bool before;               /* of a backward one: its partition is the last before that */
    bool queue;                /* of a GSI: room in its queue, instead of its buckets */
    bool quiet;                /* of what waits and asks again: a refusal is not counted */
    size_t at;                 /* out: its partition, as long as the lock is held */
    struct pk_replica replica; /* out: who serves it */
    enum pk_throttle refuse;   /* out: the limit that refuses, or would */
    bool taken;                /* out */
};
/* Whether anything is asked at all. */
bool pk_capacity_asks(const struct pk_engine *engine);
/* Checks all, then takes all, or none. Fails in enforce only, with the first refusal's exception
 * and all reasons (§6): PK_E_THROUGHPUT_EXCEEDED, PK_E_THROTTLED. */
PK_MUST_CHECK enum pk_code pk_capacity_admit(struct pk_engine *engine, struct pk_demand *demands,
                                             size_t count, struct pk_error *err);
/* Takes what was applied out of an index' queue; a demand that was refused says what delays it. */
void pk_capacity_dequeue(const struct pk_demand *demands, size_t count, int64_t milli);
/* Whether back-pressure is queued, and whether the queue then waits for capacity. */
bool pk_capacity_queues(const struct pk_engine *engine);
bool pk_capacity_delays(const struct pk_engine *engine);

/* What admission said of demands that were executed, for the facts. */
void pk_capacity_facts(const struct pk_demand *demands, size_t count, struct pk_facts *facts);
/* Once its cost is known: takes the rest of what it costs, if it was admitted. */
void pk_capacity_settle(const struct pk_demand *demand, int64_t milli);
/* Takes what an admitted request consumed in another partition: that of the row. */
void pk_capacity_take(const struct pk_demand *demand, pk_slice row, int64_t milli);
/* Fails with the exception of a refused demand, as pk_capacity_admit does. */
enum pk_code pk_capacity_fail(const struct pk_demand *demands, size_t count, struct pk_error *err);

/* Splits evenly what has fewer partitions than its throughput needs (§3.2), after a definition was
 * published. Takes catalog.ddl. */
PK_MUST_CHECK enum pk_code pk_capacity_fit(struct pk_engine *engine, struct pk_table *table,
                                           struct pk_error *err);

/* Timers: seconds end, splits end, on-demand tables grow, auto scaling acts, partitions that are
 * full split. */
PK_MUST_CHECK enum pk_code pk_capacity_tick(struct pk_engine *engine, int64_t now_ms, bool *more,
                                            struct pk_error *err);
int64_t pk_capacity_next_due(struct pk_engine *engine);

/* Shared by the files of this module; the lock is held. */
void pk__capacity_define(struct pk_engine *engine, struct pk_capacity *capacity,
                         const struct pk_table *table);
void pk__capacity_roll(struct pk_capacity *capacity, int64_t now_ms);
struct pk_capacity_side *pk__capacity_side(struct pk_capacity *capacity, uint32_t index_id);

#endif
