/*
 * One write, taken through its steps by whoever commits it: alone, in a batch, in a transaction.
 *
 *   prepare  table, key, everything that needs no stored item          no latch
 *   decide   the old item, condition, new item, index effects          under the key's latch
 *   admit    whether the table and its GSIs have room for it            under the latch
 *   stage    rows and change record into the commit's batch            under the latch
 *   commit   (the caller's)
 *   count    counters                                                  under the latch
 *   settle   the change record is in the log, or never will be         under the latch
 *   report   the result                                                no latch
 */
#ifndef PK_OPS_WRITE_H
#define PK_OPS_WRITE_H

#include "engine/log/change_log.h"
#include "engine/ops/capacity.h"
#include "engine/ops/collection.h"
#include "engine/ops/core.h"
#include "engine/ops/cost.h"
#include "engine/ops/item_key.h"

enum pk_write_mode { PK_WRITE_ALONE, PK_WRITE_IN_BATCH, PK_WRITE_IN_TRANSACTION };

struct pk_write_step {
    const struct pk_write *request;
    enum pk_write_mode mode;
    bool expired;           /* the time to live of the item deletes it (ttl.h): */
    int64_t expires_s;      /*   its expiry row says so */
    int64_t now_ms;         /*   when it is still due */
    struct pk_table *table; /* a reference: pk_write_release */
    struct pk_item_key key;
    pk_slice row; /* the row's key */
    uint32_t stripe;
    uint32_t partition; /* its number */
    uint32_t partition_id;
    /* Set when prepare or decide fails: in a transaction the fault is the whole request's, not a
     * cancellation reason (operations.md §7). */
    bool request_fault;

    pk_view before; /* missing: no item */
    pk_view after;
    uint64_t before_size;
    uint64_t after_size;
    struct pk_index_effect *effects; /* one for each of the table's indexes */
    uint64_t collection_bytes;       /* on a table with an LSI */
    uint64_t sequence;               /* of the change record in flight; 0: none */
    struct pk_demand *demands;       /* of the table first, then of GSIs */
    size_t demand_count;
};

/* Looks the table up and checks all that needs only the schema. */
PK_MUST_CHECK enum pk_code pk_write_prepare(struct pk_engine *engine, struct pk_call *call,
                                            struct pk_write_step *step, struct pk_error *err);
void pk_write_release(struct pk_write_step *step);
/* Reads the item, tests the condition and computes what the write does. The size of the item's
 * collection goes to sizes. */
PK_MUST_CHECK enum pk_code pk_write_decide(struct pk_engine *engine, struct pk_call *call,
                                           struct pk_write_step *step,
                                           struct pk_collection_sizes *sizes, struct pk_error *err);
/* What an index' change asks of its partitions: one demand, or two when an entry moves; 0: the
 * index is not touched. */
struct pk_index_effect;
size_t pk_effect_demands(const struct pk_table *table, const struct pk_index_effect *effect,
                         struct pk_demand demands[2]);
/* What it asks for. decided: its effects are known; else its condition failed. */
void pk_write_demand(struct pk_engine *engine, struct pk_call *call, struct pk_write_step *step,
                     bool decided);
/* Asks for it after pk_write_decide(), whose result is `decided`, and returns that; a refusal
 * instead takes the place of what it failed with. */
PK_MUST_CHECK enum pk_code pk_write_admit(struct pk_engine *engine, struct pk_call *call,
                                          struct pk_write_step *step, enum pk_code decided,
                                          struct pk_error *err);
/* A write that changes nothing stages nothing. GSI rows follow from the change record
 * (propagate.h). After stage comes settle, whatever becomes of the commit. */
void pk_write_stage(struct pk_engine *engine, struct pk_write_step *step, struct pk_batch *batch);
void pk_write_count(const struct pk_write_step *step);
/* What the change record, and those who look, are told: why the item changed. */
enum pk_cause pk_write_cause(const struct pk_write_step *step);
/* Shows the committed write to those who look at the latest changes. Under the latch. */
static inline void pk_write_show(struct pk_engine *engine, const struct pk_write_step *step)
{
    if (pk_lease_is_taken(&engine->tail.lease))
        pk_tail_add(engine, &engine->tail, step);
}
void pk_write_settle(struct pk_write_step *step);
void pk_write_report(struct pk_call *call, const struct pk_write_step *step,
                     struct pk_write_result *result);

/* All of the steps for one write (but prepare, when it was made); releases the step. */
PK_MUST_CHECK enum pk_code pk_write_one(struct pk_engine *engine, struct pk_call *call,
                                        struct pk_write_step *step, struct pk_write_result *result,
                                        struct pk_error *err);

#endif
