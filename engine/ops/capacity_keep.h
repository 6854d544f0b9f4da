/*
 * What is known of partitions while an engine is open and would be lost with it: refusals, splits
 * that are under way, when they last split, how far growth has come. Saved at a clean close, taken
 * out again at opening; after a kill a table begins without it, and its borders are in its
 * definition all the same. Buckets begin full.
 */
#ifndef PK_OPS_CAPACITY_KEEP_H
#define PK_OPS_CAPACITY_KEEP_H

#include "engine/ops/core.h"

/* Of all tables. PK_E_IO. */
PK_MUST_CHECK enum pk_code pk_capacity_save(struct pk_engine *engine, struct pk_error *err);
/* Takes over what was saved, and deletes it. What cannot be read, or is of other partitions, is
 * left out. Every table is defined already. PK_E_IO. */
PK_MUST_CHECK enum pk_code pk_capacity_load(struct pk_engine *engine, struct pk_error *err);

#endif
