/* What follows LevelDB's repair: everything that can be derived from the rows is made anew. */
#ifndef PK_OPS_REBUILD_H
#define PK_OPS_REBUILD_H

#include "engine/ops/core.h"
#include "engine/ops/fault.h"

/* Deletes rows that cannot be used, saying which, and makes indexes, collection sizes and counters
 * of every table anew. Nobody else may use the engine. */
PK_MUST_CHECK enum pk_code pk_rebuild(struct pk_engine *engine, struct pk_faults *lost,
                                      struct pk_error *err);

#endif
