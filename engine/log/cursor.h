/*
 * How far a reader of a change log has come: in each shard, the sequence of the record it reads
 * next. A position is committed together with what the reader wrote because of the records below
 * it, so every record has its effect exactly once, whatever is killed.
 *
 * A reader is named by a number of the table: an index by its id. Besides its positions it has a
 * beginning, for shards in which it has read nothing yet; without one it begins with the first
 * record there ever was.
 *
 * On disk (do not change): PK_META_CURSOR, table id(4), reader(4), then nothing (the beginning) or
 * shard id(4); value: version byte 1, sequence(8).
 */
#ifndef PK_LOG_CURSOR_H
#define PK_LOG_CURSOR_H

#include "engine/store/store.h"

struct pk_cursor {
    uint32_t table_id;
    uint32_t reader;
    uint64_t begin;
    uint64_t *at; /* by shard id; 0: at the beginning */
    uint32_t count;
};

void pk_cursor_release(struct pk_cursor *cursor);
/* Reads the positions of cursor->reader; what it held is forgotten. PK_E_IO, PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_cursor_load(struct pk_cursor *cursor, const struct pk_snap *snap,
                                          struct pk_error *err);

uint64_t pk_cursor_get(const struct pk_cursor *cursor, uint32_t shard);
/* In memory only: after the commit. */
void pk_cursor_set(struct pk_cursor *cursor, uint32_t shard, uint64_t sequence);
/* The highest position: no sequence below it may be drawn again. */
uint64_t pk_cursor_max(const struct pk_cursor *cursor);

void pk_cursor_stage(const struct pk_cursor *cursor, uint32_t shard, uint64_t sequence,
                     struct pk_batch *batch);
void pk_cursor_stage_begin(const struct pk_cursor *cursor, uint64_t sequence,
                           struct pk_batch *batch);
/* Stages the removal of all that is kept of the reader. */
void pk_cursor_stage_drop(const struct pk_cursor *cursor, struct pk_batch *batch);

#endif
