/*
 * The inside of an engine, shared by all operations. Which lock guards what, and the order in which
 * they are taken, is said in engine/engine.c.
 */
#ifndef PK_OPS_CORE_H
#define PK_OPS_CORE_H

#include "engine/engine.h"
#include "engine/ops/inflight.h"
#include "engine/ops/latch.h"
#include "engine/ops/read_note.h"
#include "engine/ops/recount.h"
#include "engine/ops/split_count.h"
#include "engine/ops/stream_readers.h"
#include "engine/ops/tail.h"
#include "engine/ops/token.h"
#include "engine/sim/partition.h"
#include "engine/store/store.h"
#include "engine/table/catalog.h"

/* The backups that are being copied (ops/backup.h). */
struct pk_backup_job;
struct pk_backup_jobs {
    pthread_mutex_t lock; /* guards the list */
    struct pk_backup_job *first;
};

struct pk_engine {
    struct pk_store *store;           /* another one after pk_engine_reopen */
    char *dir;                        /* owned; NULL for a memory store */
    struct pk_engine_options options; /* its dir is the one above */
    enum pk_durability durability;    /* of commits of items */
    struct pk_clock clock;

    struct pk_partition_limits partition_limits; /* under catalog.ddl, as the seed in options */
    enum pk_count_rule partition_rule;           /* the same */
    _Atomic uint64_t collection_bytes_max; /* LSI item collections: 10 GB (lsi.collection_bytes) */
    _Atomic uint64_t gsi_lag_ms;           /* lag.gsi, and so on: engine.h */
    _Atomic uint64_t gsi_lag_jitter_ms;
    _Atomic uint64_t lag_seed; /* the seed once more: jitter is drawn without a lock */
    _Atomic uint64_t table_create_delay_ms;
    _Atomic uint64_t table_delete_delay_ms;
    _Atomic uint64_t ttl_delay_ms;
    _Atomic uint64_t ttl_jitter_ms;
    _Atomic uint64_t ttl_swept; /* expiry rows deleted and not yet compacted away */
    _Atomic uint64_t stream_retention_ms;
    _Atomic uint64_t stream_iterator_ms;
    _Atomic uint64_t stream_rollover_ms; /* 0: never */
    pthread_mutex_t sim_lock;            /* guards sim */
    struct pk_sim_settings sim;          /* all settings, those above among them */
    atomic_uint throttle;                /* enum pk_throttling */
    atomic_uint gsi_queue;               /* 0: strict back-pressure */

    struct pk_catalog catalog;
    struct pk_latches latches;
    struct pk_inflight inflight;
    struct pk_tokens tokens;
    struct pk_recount recount;
    struct pk_split_counts split_counts;
    struct pk_backup_jobs backups;
    struct pk_tail tail;             /* what viewers are shown (looking.h) */
    struct pk_read_notes read_notes;
    struct pk_stream_readers stream_readers;

    pthread_mutex_t advance_lock; /* one change of the clock at a time */
    pthread_mutex_t tick_lock;    /* one tick at a time; guards actor */
    struct pk_actor actor;        /* run NULL: none */
    pthread_t ticker;
    bool ticking;
    pthread_mutex_t ticker_lock; /* guards stop */
    pthread_cond_t ticker_wake;
    bool stop;
};

/* Opens an engine on a store that is open already, which it owns from now on, also when it fails:
 * for tests with a faulty store. */
PK_MUST_CHECK enum pk_code pk_engine_attach(struct pk_store *store_take,
                                            const struct pk_engine_options *options,
                                            struct pk_engine **engine, struct pk_error *err);

/* PK_E_IO when the store is not open, because opening it again failed. */
PK_MUST_CHECK enum pk_code pk_engine_need_store(const struct pk_engine *engine,
                                                struct pk_error *err);
/* A reference to the table, or PK_E_NOT_FOUND in the words of a data operation. */
PK_MUST_CHECK enum pk_code pk_engine_need_table(struct pk_engine *engine, pk_slice name,
                                                struct pk_table **table, struct pk_error *err);
/* A snapshot and the table as it was then: never one whose rows are being deleted. The caller frees
 * both. */
PK_MUST_CHECK enum pk_code pk_engine_need_snapshot(struct pk_engine *engine, pk_slice name,
                                                   struct pk_table **table, struct pk_snap **snap,
                                                   struct pk_error *err);
/* PK_E_CANCELLED when the caller wants the call to stop: in loops, now and then. */
PK_MUST_CHECK enum pk_code pk_call_check(const struct pk_call *call, struct pk_error *err);

#endif
