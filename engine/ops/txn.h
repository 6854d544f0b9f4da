/* Cancelled transactions: one reason an action (operations.md §7). */
#ifndef PK_OPS_TXN_H
#define PK_OPS_TXN_H

#include "engine/error.h"

/* True when an action that failed so is a reason; else the failure is the whole request's. */
bool pk_txn_is_reason(enum pk_code code);
/* Makes err a cancellation out of one error an action (PK_OK: None); takes what they hold. */
enum pk_code pk_txn_cancel(struct pk_error *err, struct pk_error *actions, size_t count);

/* Cancels for refused demands, the i-th of which is the i-th action's. */
struct pk_call;
struct pk_demand;
enum pk_code pk_txn_refuse(struct pk_call *call, const struct pk_demand *demands, size_t count,
                           struct pk_error *err);

#endif
