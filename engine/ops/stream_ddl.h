/*
 * Streams in definitions: what CreateTable, UpdateTable and DeleteTable do to them, and what goes
 * when its retention is over. All under catalog.ddl but the tick's.
 */
#ifndef PK_OPS_STREAM_DDL_H
#define PK_OPS_STREAM_DDL_H

#include "engine/ops/core.h"

/* Opens the stream of a table that is to be created with one (table->stream). */
void pk_stream_create(struct pk_engine *engine, struct pk_table *table, int64_t now_ms);
/* Turns the stream of a copy that is to be published on or off (view). PK_E_VALIDATION when it is
 * on, or off, already. */
PK_MUST_CHECK enum pk_code pk_stream_change(struct pk_engine *engine, struct pk_table *table,
                                            enum pk_stream_view view, int64_t now_ms,
                                            struct pk_error *err);
/* What stays of a dropped table for its streams' readers: a reference, or NULL when nothing does.
 */
struct pk_table *pk_stream_depart(struct pk_engine *engine, const struct pk_table *table,
                                  int64_t now_ms);

/* Forgets dropped tables whose streams are over, and rolls over shards that are old enough. */
PK_MUST_CHECK enum pk_code pk_stream_tick(struct pk_engine *engine, int64_t now_ms,
                                          struct pk_error *err);
/* When the next of that is to be done; INT64_MAX: never. */
int64_t pk_stream_next_due(struct pk_engine *engine);

#endif
