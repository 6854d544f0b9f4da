/*
 * The façade: one open store, its clock, its tables. Everything in ops.h works on it, from any
 * thread. Two engines on two stores may be open in one process.
 */
#ifndef PK_ENGINE_H
#define PK_ENGINE_H

#include "engine/base/clock.h"
#include "engine/ops.h"

struct pk_engine;

struct pk_engine_options {
    const char *dir;    /* the store's directory, created when absent; NULL with memory */
    bool memory;        /* a private temporary directory, removed at close */
    bool durable;       /* sync every commit */
    uint64_t seed;      /* of the simulation's generator; 0: 1 */
    size_t cache_bytes; /* LevelDB's block cache; 0: 64 MB */
    bool no_ticker;     /* tests: background work only when pk_engine_tick is called */
};

/* PK_E_LOCKED, PK_E_STORE_VERSION, PK_E_IO, PK_E_CORRUPT; nothing is changed then. */
PK_MUST_CHECK enum pk_code pk_engine_open(const struct pk_engine_options *options,
                                          struct pk_engine **engine, struct pk_error *err);
/* Saves the counters, stops the ticker, closes the store. NULL is accepted. No call may be
 * running. */
void pk_engine_close(struct pk_engine *engine);
/* Closes and opens the store again (after a full disk). No call may be running. */
PK_MUST_CHECK enum pk_code pk_engine_reopen(struct pk_engine *engine, struct pk_error *err);

struct pk_clock *pk_engine_clock(struct pk_engine *engine);
/* The directory of the store; for a memory store its temporary one. */
const char *pk_engine_dir(const struct pk_engine *engine);
bool pk_engine_is_memory(const struct pk_engine *engine);
/* Whoever finds the store in use is told this URL; NULL: it is not served any more. */
void pk_engine_set_url(struct pk_engine *engine, const char *url);

/* Moves all background work that is due at now_ms: propagation, index creation, expiry, trimming of
 * the change log, deletion of dropped tables, and so on (ops/timer.c). True when something was left
 * for a further call. */
bool pk_engine_tick(struct pk_engine *engine, int64_t now_ms);

/* The simulated clock, changed so that a store that is opened again goes on with it; pk_clock's own
 * functions change it for this process alone. */
PK_MUST_CHECK enum pk_code pk_engine_clock_pause(struct pk_engine *engine, struct pk_error *err);
PK_MUST_CHECK enum pk_code pk_engine_clock_resume(struct pk_engine *engine, struct pk_error *err);
/* Simulated seconds a real one, 1 to PK_CLOCK_SPEED_MAX; else PK_E_USAGE. */
PK_MUST_CHECK enum pk_code pk_engine_clock_speed(struct pk_engine *engine, uint32_t speed,
                                                 struct pk_error *err);
/* Moves the clock on to to_ms. Background work that becomes due on the way is done at its time, in
 * order; times at which nothing is due are skipped. PK_E_USAGE when to_ms is beyond PK_CLOCK_MAX_MS
 * or in the past; a store that has never had a table is set back. PK_E_CANCELLED leaves the clock
 * where it has come to. */
PK_MUST_CHECK enum pk_code pk_engine_advance(struct pk_engine *engine, struct pk_call *call,
                                             int64_t to_ms, struct pk_error *err);

/* Somebody outside who acts at times of the simulated clock: a traffic. An advance stops at each
 * time at which it is due, after the background work of that time, so that both take place in
 * simulated order; every tick runs it as well. Its calls come one at a time, and may call anything
 * in ops.h, but neither change the clock nor set the actor. */
struct pk_actor {
    int64_t (*next_due)(void *context); /* INT64_MAX: at no time */
    void (*run)(void *context, int64_t now_ms);
    void *context;
};
/* Copies the actor; NULL: none from here on. When it returns, no call of the one before is running
 * or will come. */
void pk_engine_set_actor(struct pk_engine *engine, const struct pk_actor *actor);

/* What the simulation is told about its world: units a second, and bytes (grammar.md, "Settings").
 * Kept in the store, for all who open it. A table keeps the partitions it has. */
struct pk_sim_settings {
    uint64_t partition_read; /* one partition's limits */
    uint64_t partition_write;
    uint64_t partition_bytes;
    uint64_t on_demand_read; /* what a new on-demand table serves at once */
    uint64_t on_demand_write;
    uint64_t collection_bytes; /* an item collection of a table with an LSI */
    uint64_t seed;             /* of all chance; a stored one wins over the options' */
    uint64_t gsi_lag_ms;       /* how long a change takes to reach a GSI; 0: reads wait for it */
    uint64_t gsi_lag_jitter_ms;
    uint64_t table_create_delay_ms; /* how long a new table is CREATING */
    uint64_t table_delete_delay_ms; /* how long a deleted one is DELETING */
    uint64_t ttl_delay_ms;          /* from an item's expiry to its deletion */
    uint64_t ttl_jitter_ms;
    uint64_t stream_retention_ms;
    uint64_t stream_iterator_ms; /* how long a shard iterator may be used */
    uint64_t stream_rollover_ms; /* the age at which a shard goes on in a child; 0: never */
    uint64_t throttle;           /* enum pk_throttling */
    uint64_t admission;          /* enum pk_admission_mode: gac, static, burst, adaptive */
    uint64_t burst_seconds;      /* how much unused throughput is saved (§4.2) */
    uint64_t burst_initial;      /* thousandths of that which a new table begins with */
    uint64_t read_spread;        /* 1: eventually consistent reads go to all replicas (§1.2) */
    uint64_t split_heat;         /* 1: partitions split for heat (§10.6) */
    uint64_t split_threshold;    /* thousandths of the hard limit that make a second hot */
    uint64_t split_window_ms;
    uint64_t split_duration_ms;
    uint64_t split_cooldown_ms;
    uint64_t split_single_item; /* thousandths of the requests: from there on an item is isolated */
    uint64_t split_isolate_min; /* thousandths: what the others must have at least */
    uint64_t split_monotonic;   /* thousandths: of rising or falling sort keys */
    uint64_t split_size_point;  /* enum pk_size_point */
    uint64_t
        split_stream_block;   /* 1: provisioned tables with a stream do not isolate items (§4.3) */
    uint64_t partition_rule;  /* enum pk_count_rule */
    uint64_t gsi_queue;       /* 0: strict back-pressure, 1: a queue (indexes.md §9) */
    uint64_t gsi_queue_units; /* 0: 5 seconds of the index's write rate */
    uint64_t on_demand_growth_ms;
    uint64_t metric_period_ms;
    uint64_t autoscale_up_ms, autoscale_down_ms;
    uint64_t decrease_quota;          /* 1: decreases a day are limited (§5.1) */
    uint64_t quota_read, quota_write; /* of an on-demand table, by the account */
};
/* What is done with requests that exceed a capacity (design: observe counts them and executes
 * them all the same). */
enum pk_throttling { PK_THROTTLING_OFF, PK_THROTTLING_OBSERVE, PK_THROTTLING_ENFORCE };
/* How many partitions a throughput needs (§3.1): by billing mode, or always by one formula. */
enum pk_count_rule { PK_COUNT_BY_MODE, PK_COUNT_SUM, PK_COUNT_MAX };
/* Where a partition that is full is cut (§3.3). */
enum pk_size_point { PK_SIZE_MEDIAN_BYTES, PK_SIZE_RANGE_MID };

enum pk_sim_kind { PK_SIM_COUNT, PK_SIM_BYTES, PK_SIM_DURATION, PK_SIM_SHARE, PK_SIM_WORD };
/* Its members by their names, ordered by these, ended by a row whose name is NULL. */
struct pk_sim_field {
    const char *name; /* "partition.bytes" */
    size_t offset;
    uint64_t least, max; /* of a duration in milliseconds, of a share in thousandths */
    enum pk_sim_kind kind;
    const char *const *words; /* PK_SIM_WORD: what 0, 1, … are called, up to max */
};
extern const struct pk_sim_field pk_sim_fields[];
/* The defaults: what AWS documents. */
struct pk_sim_settings pk_sim_settings_aws(void);
/* What a room can watch: limits a hundredth of the real ones, times of seconds. */
struct pk_sim_settings pk_sim_settings_workshop(void);

void pk_engine_settings(struct pk_engine *engine, struct pk_sim_settings *settings);
/* Stores all of them, then they act. PK_E_USAGE for a value out of its range; PK_E_IO. */
PK_MUST_CHECK enum pk_code pk_engine_set_settings(struct pk_engine *engine,
                                                  const struct pk_sim_settings *settings,
                                                  struct pk_error *err);

/* Reads everything and verifies that rows decode, sit under their own key, and agree with index
 * rows and counters. Each fault is reported by a line of text; PK_OK also when faults were found
 * (their number in *faults). */
struct pk_check_report {
    void (*line)(void *context, const char *text);
    void *context;
};
struct pk_check_result {
    uint64_t tables, items, index_entries, bytes;
    uint64_t backups;
    uint64_t faults;
};
PK_MUST_CHECK enum pk_code pk_engine_check(struct pk_engine *engine, struct pk_call *call,
                                           struct pk_check_report report,
                                           struct pk_check_result *result, struct pk_error *err);
/* LevelDB's repair of a closed store, then open, rebuild indexes and counters from the rows, check.
 * Says by lines what was lost. */
PK_MUST_CHECK enum pk_code pk_engine_repair(const char *dir, struct pk_check_report report,
                                            struct pk_check_result *result, struct pk_error *err);

#endif
