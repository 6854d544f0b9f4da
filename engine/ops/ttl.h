/*
 * Time to live: expired items are deleted in the background (streams-ttl.md §5).
 *
 * An item of a table with TTL whose attribute says when it expires has an expiry row, written in
 * the item's own commit. Expiry rows are in time order, so a sweep reads only what is due. They are
 * a guide, not the truth: before an item is deleted it is read again under its latch, and a row
 * that no longer fits its item goes alone.
 *
 * Enabling publishes the attribute; from then on writers keep the rows, and ticks make those of
 * older items, each under its item's latch. Disabling lets ticks delete them.
 *
 * An item may be deleted `ttl.delay` (and a share of `ttl.jitter` that is drawn from its row) after
 * it expired.
 */
#ifndef PK_OPS_TTL_H
#define PK_OPS_TTL_H

#include "engine/ops/write.h"

/* When the item expires, in seconds; false when it never does: no such attribute, not a number,
 * beyond every clock. A fraction is cut off. */
bool pk_ttl_expiry(const struct pk_table *table, pk_view item, int64_t *expires_s);
/* True when it has expired by now_ms, and not five years ago or more. */
bool pk_ttl_is_expired(const struct pk_table *table, pk_view item, int64_t now_ms);

/* The expiry rows of a write; pk_write_stage() calls it. */
void pk_ttl_stage(const struct pk_write_step *step, struct pk_batch *batch);

/* Makes and removes expiry rows and deletes what is due, at most max rows of each; *more: there is
 * more to do at once. */
PK_MUST_CHECK enum pk_code pk_ttl_tick(struct pk_engine *engine, int64_t now_ms, size_t max,
                                       bool *more, struct pk_error *err);
/* When the next item is due; INT64_MAX: none. */
PK_MUST_CHECK enum pk_code pk_ttl_next_due(struct pk_engine *engine, int64_t *due_ms,
                                           struct pk_error *err);

#endif
