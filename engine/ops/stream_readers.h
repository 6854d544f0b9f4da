/*
 * Where the readers of streams stand: who asked for records lately, and how far it has come.
 *
 * An iterator says all that GetRecords needs (log/stream.h), so this is for those who look
 * (snapshot.h) and nothing depends on it. A reader is a chain of iterators on one shard: the id
 * that GetShardIterator gives goes on in every NextShardIterator. Two applications on one shard are
 * two readers, and one application on four shards is four.
 *
 * Consumers that begin at a sequence number anew, time and again, would be a reader each time: one
 * that begins where an older one stopped reading takes its place. (An older one that is not gone
 * after all is noted anew with its next call, and both stand there from then on.)
 *
 * Bounded, a stream and in all; who was not heard of for five minutes of real time is forgotten,
 * else the one that was not heard of for the longest time makes room. Nothing of it is stored.
 * Writes know nothing of it.
 */
#ifndef PK_OPS_STREAM_READERS_H
#define PK_OPS_STREAM_READERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"

enum { PK_STREAM_READERS_MAX = 64, PK_STREAM_READERS_ALL = 1024 };
#define PK_STREAM_READER_GONE_US INT64_C(300000000)

struct pk_stream_reader {
    uint64_t id;
    uint32_t number; /* for people: of the stream, from 1, in the order in which they came */
    uint32_t table_id;
    int64_t label_ms; /* of the stream */
    uint32_t shard;   /* its serial */
    uint64_t next;    /* the sequence its next call begins with */
    uint64_t read_to; /* behind the last record it got; where it began when it got none */
    uint64_t records; /* that it got */
    int64_t heard_us; /* on the real clock */
    /* Records from `next` on that are known to wait, below the sequence counted_to. */
    uint64_t counted, counted_to;
};

struct pk_stream_readers {
    pthread_mutex_t lock; /* guards the rest; held for a moment, nothing is taken under it */
    uint64_t last_id;
    struct pk_stream_reader *list; /* owned */
    size_t count, cap;
};

void pk_stream_readers_init(struct pk_stream_readers *readers);
void pk_stream_readers_release(struct pk_stream_readers *readers);

/* The id of a new reader. `resumes`: it begins at a sequence number, so that it may be an older one
 * that goes on. */
uint64_t pk_stream_readers_id(struct pk_stream_readers *readers, bool resumes);

/* What a call of GetRecords did: all of `reader` but number and what is counted; `records` are
 * those of this call, `begun` is the sequence it began with. `ended`: the shard is closed and was
 * read to its end, so that there is no reader any more. */
struct pk_stream_reading {
    struct pk_stream_reader reader;
    uint64_t begun;
    bool ended;
};
void pk_stream_readers_note(struct pk_stream_readers *readers,
                            const struct pk_stream_reading *reading);

/* Forgets that reader of a shard of that serial, if it is known. */
void pk_stream_readers_leave(struct pk_stream_readers *readers, uint64_t id, uint32_t shard);
/* Forgets who is gone: called by the tick. */
void pk_stream_readers_tick(struct pk_stream_readers *readers, int64_t now_us);
/* The readers of the table's streams, each stream's in the order in which they came: a copy in the
 * arena. Returns how many there are. */
size_t pk_stream_readers_get(struct pk_stream_readers *readers, struct pk_arena *arena,
                             uint32_t table_id, struct pk_stream_reader **list);
/* Keeps what was counted of a reader that was got, unless it has moved on meanwhile. */
void pk_stream_readers_counted(struct pk_stream_readers *readers,
                               const struct pk_stream_reader *reader);

#endif
