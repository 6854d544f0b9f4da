/*
 * How far the readers of a table's streams are behind (stream_readers.h), for a snapshot.
 *
 * Records that wait are counted exactly, but a look counts a bounded number of them: the next one
 * goes on from there, so that a reader far behind is counted in the course of some looks.
 */
#ifndef PK_OPS_STREAM_LOOK_H
#define PK_OPS_STREAM_LOOK_H

#include "engine/snapshot.h"

/* Fills in the snapshot's readers. PK_E_IO, PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_stream_look(struct pk_engine *engine, struct pk_call *call,
                                          struct pk_snapshot *snapshot, struct pk_error *err);

#endif
