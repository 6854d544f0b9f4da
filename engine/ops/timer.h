/*
 * Background work: one row a kind, and the simulated clock that tells when it is due.
 *
 * Work without a time of its own is done by every tick, a slice at a time, until none is left. Work
 * that waits for a time says when the next of it is due, so that an advance of the clock can go
 * from one such time to the next and skip what lies between.
 */
#ifndef PK_OPS_TIMER_H
#define PK_OPS_TIMER_H

#include "engine/ops/core.h"

/* One slice of everything; true when something was left. Under tick_lock. What fails is tried again
 * by the next tick. */
bool pk_timers_run(struct pk_engine *engine, int64_t now_ms);
/* The earliest that is later than after_ms; INT64_MAX: nothing waits. */
PK_MUST_CHECK enum pk_code pk_timers_next_due(struct pk_engine *engine, int64_t after_ms,
                                              int64_t *due_ms, struct pk_error *err);
/* Goes on with the clock the store was left with. */
PK_MUST_CHECK enum pk_code pk_timer_load_clock(struct pk_engine *engine, struct pk_error *err);

#endif
