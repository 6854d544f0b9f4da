/*
 * What becomes of change records that nobody needs any more: they are deleted from the front of
 * their shard, once every GSI has applied them and the table's stream, if it has one, has kept them
 * for its retention (stream_keep.h).
 */
#ifndef PK_OPS_TRIM_H
#define PK_OPS_TRIM_H

#include "engine/ops/core.h"

/* Deletes at most max records, of all tables together. *more: it deleted as many, so others may be
 * left. Takes each table's apply. PK_E_IO, PK_E_CORRUPT: what was deleted before stays so. */
PK_MUST_CHECK enum pk_code pk_trim_tick(struct pk_engine *engine, size_t max, bool *more,
                                        struct pk_error *err);

#endif
