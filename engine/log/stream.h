/*
 * Streams: the change log of a table as DynamoDB Streams shows it (streams-ttl.md §1, §2).
 *
 * A stream is a part of its table's descriptor (schema.h): a name for the records of the log from
 * its enabling to its disabling, cut into shards. It holds no records itself. Shards follow the
 * table's partitions: when one is split its shard closes and two children open, so that a reader
 * who finishes parents before children sees the changes of each item in order.
 *
 * This module computes: what a stream, its shards and iterators are called, and what opening,
 * closing and splitting makes of them. It reads and stores nothing.
 *
 * Sequence numbers are those of the log behind a constant that gives them their 21 digits; they
 * have gaps, as AWS's have.
 */
#ifndef PK_LOG_STREAM_H
#define PK_LOG_STREAM_H

#include "engine/schema.h"

/* On the wire: do not change, consumers keep them. */
enum { PK_SEQUENCE_DIGITS = 21, PK_SEQUENCE_DIGITS_MAX = 40, PK_SHARD_ID_LEN = 37 };

/* "2015-05-11T21:21:33.291", in the arena. */
pk_slice pk_stream_label(struct pk_arena *arena, int64_t label_ms);
bool pk_stream_parse_label(pk_slice text, int64_t *label_ms);
/* "shardId-" 20 digits of its opening in ms "-" 8 hex digits of its serial. */
pk_slice pk_shard_id(struct pk_arena *arena, const struct pk_shard *shard);
/* "100000000000000000001" is the first. */
pk_slice pk_sequence_text(struct pk_arena *arena, uint64_t sequence);
/* False unless it is a number of 21 to 40 digits. One that no log can have becomes UINT64_MAX, one
 * below the first 0. */
bool pk_sequence_parse(pk_slice text, uint64_t *sequence);

bool pk_stream_has_old(enum pk_stream_view view);
bool pk_stream_has_new(enum pk_stream_view view);
/* True once a disabled stream's records are out of retention: it is gone then. */
bool pk_stream_is_over(const struct pk_stream *stream, int64_t now_ms, uint64_t retention_ms);
/* Above every border of a shard: the log may not draw a sequence below it. */
uint64_t pk_stream_next_sequence(const struct pk_table *table);
/* The stream of that label, the shard of that serial or id, or NULL. */
const struct pk_stream *pk_stream_find(const struct pk_table *table, int64_t label_ms);
const struct pk_shard *pk_stream_shard(const struct pk_stream *stream, uint32_t serial);
const struct pk_shard *pk_stream_shard_by_id(const struct pk_stream *stream, pk_slice id);

/* Changing a descriptor that is not published yet; arrays go to its arena. */

/* Adds an enabled stream with one shard a partition, of the sequences from `first` on. Its label is
 * now_ms, or later when a stream of the table has that already. */
void pk_stream_open(struct pk_table *table, struct pk_arena *arena, int64_t now_ms, uint64_t first);
/* Disables the last stream: it ends before `end`. */
void pk_stream_close(struct pk_table *table, int64_t now_ms, uint64_t end);
/* Follows a split of partitions: closes the shards of their parents before `end`, and opens a child
 * for each partition that came of them. */
struct pk_shard_split {
    const struct pk_partitions *partitions; /* after the split */
    uint32_t first_id;                      /* its children have ids from this on */
    int64_t now_ms;
    uint64_t end;
};
void pk_stream_split(struct pk_stream *stream, struct pk_arena *arena,
                     const struct pk_shard_split *split);
/* Closes each open shard that is `age_ms` old before `end`, and opens one child of it; takes out
 * closed shards whose records are all out of retention. True when that changed something. */
struct pk_rollover {
    int64_t now_ms;
    uint64_t age_ms;
    uint64_t retention_ms;
    uint64_t end;
};
bool pk_stream_roll_over(struct pk_stream *stream, struct pk_arena *arena,
                         const struct pk_rollover *rollover);
/* When the next shard is that old; INT64_MAX: the stream is disabled. */
int64_t pk_stream_rollover_due(const struct pk_stream *stream, uint64_t age_ms);
/* Takes out the streams that are over; true when there were any. */
bool pk_stream_forget(struct pk_table *table, int64_t now_ms, uint64_t retention_ms);

/* Where a reader stands: self-contained, so nothing of it is kept here. */
struct pk_iterator {
    pk_slice table;
    int64_t label_ms;
    uint32_t shard; /* its serial */
    uint64_t next;  /* records from this sequence on */
    int64_t issued_ms;
    uint64_t reader; /* whose it is (ops/stream_readers.h): goes on from iterator to iterator */
};
/* Base64 text with a checksum, which `secret` goes into. */
pk_slice pk_iterator_text(struct pk_arena *arena, const struct pk_iterator *iterator,
                          uint64_t secret);
/* False when it is none that pk_iterator_text() made with that secret. */
bool pk_iterator_parse(struct pk_arena *arena, pk_slice text, uint64_t secret,
                       struct pk_iterator *iterator);

#endif
