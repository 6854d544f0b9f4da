/* Which change records the streams of a table still need: the trimmer of the log asks. */
#ifndef PK_LOG_STREAM_KEEP_H
#define PK_LOG_STREAM_KEEP_H

#include "engine/log/stream.h"
#include "engine/store/store.h"

/* Records of the shard below the result may go; UINT64_MAX: all of them may. The newest record that
 * is out of retention is kept, so that a reader who stands before it learns that it missed some. */
PK_MUST_CHECK enum pk_code pk_stream_keep_from(struct pk_store *store, const struct pk_table *table,
                                               uint32_t shard, int64_t oldest_ms, uint64_t *keep,
                                               struct pk_error *err);

#endif
