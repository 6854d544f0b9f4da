/*
 * The change log of a table: one record for each item that a write changed, in the same commit as
 * the item (design: docs/adr/0003-one-change-log.md). GSIs, streams and later replicas and triggers
 * are readers of it.
 *
 * A record is written only while somebody durable reads the table: an index, or an enabled stream.
 * Its key is 'c' · table id · shard id · sequence (store/layout.h). Shards follow the table's
 * partitions, so all records of one item lie in one shard, in the order of its commits.
 *
 * Sequences are numbers of the table, drawn under the item's latch before the commit. Writers on
 * different latches commit out of order: a reader may go up to pk_log_safe(), the smallest sequence
 * that is still in flight, and no further. Numbers never start again: on opening,
 * next = 1 + max(saved high-water mark, every cursor, the last record).
 *
 * On-disk value of a record (do not change; docs/storage-format.md):
 *   version byte 1, event byte, cause byte, time in ms (8), old size varint, new size varint,
 *   varint length + stored old item (length 0: none), varint length + stored new item
 */
#ifndef PK_LOG_CHANGE_LOG_H
#define PK_LOG_CHANGE_LOG_H

#include <pthread.h>

#include "engine/item.h"
#include "engine/store/layout.h"
#include "engine/store/store.h"

enum pk_event { PK_EVENT_INSERT = 1, PK_EVENT_MODIFY = 2, PK_EVENT_REMOVE = 3 };
enum pk_cause { PK_CAUSE_USER = 1, PK_CAUSE_TTL = 2, PK_CAUSE_TRANSACTION = 3 };

struct pk_change {
    uint64_t sequence;
    uint32_t shard;
    enum pk_event event;
    enum pk_cause cause;
    int64_t time_ms; /* of the commit, on the simulated clock */
    pk_view before;  /* missing for INSERT */
    pk_view after;   /* missing for REMOVE */
    uint64_t before_size, after_size;
};

/* Where the records of one shard lie: none below first, none above last. */
struct pk_log_span {
    uint64_t first; /* everything below was trimmed */
    uint64_t last;  /* the highest sequence drawn for it, 0: none yet */
};

/* One table's log while the engine is open. Thread-safe. */
struct pk_log {
    pthread_mutex_t lock; /* guards the rest; nothing else is taken under it */
    pthread_cond_t moved; /* a sequence left flight */
    uint32_t table_id;
    uint32_t waiting; /* threads that want to know */
    uint64_t next;    /* the next sequence to draw, from 1 */
    uint64_t *flight; /* sequences drawn and not yet settled, ascending */
    size_t flight_count, flight_cap;
    struct pk_log_span *spans; /* by shard id */
    uint32_t span_count;
};

void pk_log_init(struct pk_log *log, uint32_t table_id, uint64_t next);
void pk_log_release(struct pk_log *log);

/* Draws a sequence for a record of the shard; it is in flight until pk_log_settle(), which must
 * follow, under the same latch, whether the commit succeeded or not. */
uint64_t pk_log_draw(struct pk_log *log, uint32_t shard);
void pk_log_settle(struct pk_log *log, uint64_t sequence);
/* Every record below this sequence that will ever exist is in the store. */
uint64_t pk_log_safe(struct pk_log *log);
/* The next sequence: a read that begins now must have seen everything below it. */
uint64_t pk_log_next(struct pk_log *log);
/* Reads where the log begins and ends: its records and its saved high-water mark. Cursors are given
 * by pk_log_raise(). PK_E_IO, PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_log_open(struct pk_log *log, struct pk_store *store,
                                       struct pk_error *err);
/* Never draws a sequence below next any more. */
void pk_log_raise(struct pk_log *log, uint64_t next);
/* Shards there have been records in, or will be: their ids are below it. */
uint32_t pk_log_shards(struct pk_log *log);
struct pk_log_span pk_log_span(struct pk_log *log, uint32_t shard);
/* What may go of a shard: at most max records, those below keep. */
struct pk_log_cut {
    uint32_t shard;
    uint64_t keep;
    size_t max;
};
/* Deletes them; *deleted: how many. With the records goes
 * the high-water mark, so that a log of which nothing is left does not begin again. One caller at
 * a time; readers are past `keep` already. */
PK_MUST_CHECK enum pk_code pk_log_trim(struct pk_log *log, struct pk_store *store,
                                       const struct pk_log_cut *cut, size_t *deleted,
                                       struct pk_error *err);
/* Stages the high-water mark alone: with whatever deletes a cursor. */
void pk_log_stage_mark(struct pk_log *log, struct pk_batch *batch);
/* Waits until everything below `sequence` has settled. Not under a latch. */
void pk_log_wait(struct pk_log *log, uint64_t sequence);

/* What a write from the one image to the other is; not both are missing. */
enum pk_event pk_change_event(pk_view before, pk_view after);
/* Puts the record into the commit's batch. */
void pk_change_stage(struct pk_batch *batch, uint32_t table_id, const struct pk_change *change);
/* Iterates the shard's records from `from` on and below `below`. The caller seeks and frees it. */
struct pk_iter *pk_change_iter(const struct pk_snap *snap, uint32_t table_id, uint32_t shard,
                               uint64_t from, uint64_t below);
/* Reads a record; the views lie in value. False when malformed. */
bool pk_change_open(pk_slice key, pk_slice value, struct pk_change *change);

#endif
