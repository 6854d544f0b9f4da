/* One item by its key: what GetItem, BatchGetItem and TransactGetItems share. */
#ifndef PK_OPS_GET_H
#define PK_OPS_GET_H

#include "engine/ops/capacity.h"
#include "engine/ops/cost.h"
#include "engine/ops/item_key.h"

struct pk_get_step {
    struct pk_table *table; /* borrowed */
    struct pk_item_key key;
    pk_slice row; /* the row's key, in the arena */
    enum pk_key_fault fault;
    pk_view item;       /* missing: none */
    uint64_t item_size; /* 0: none */
};

/* Checks the key (and the projection's paths) of a request against the table in the step. */
PK_MUST_CHECK enum pk_code pk_get_prepare(struct pk_call *call, const struct pk_get *request,
                                          struct pk_get_step *step, struct pk_error *err);
/* Reads the prepared row. */
PK_MUST_CHECK enum pk_code pk_get_read(struct pk_call *call, const struct pk_snap *snap,
                                       struct pk_get_step *step, struct pk_error *err);

/* What a prepared step asks of its partition: the least that its read costs. */
struct pk_demand pk_get_demand(const struct pk_get_step *step, enum pk_consistency consistency);

/* The facts of a step that was read. */
struct pk_facts pk_get_facts(const struct pk_get_step *step);

/* Tells those who look at the tables which rows were read; nothing when nobody does. */
void pk_get_show(struct pk_engine *engine, struct pk_call *call, const struct pk_get_step *steps,
                 size_t count);

/* Several requests: a step each, with its table, and one snapshot of them all. */
struct pk_get_set {
    struct pk_get_step *steps; /* arena */
    size_t count;
    struct pk_snap *snap;
};

/* Looks up the tables; PK_E_NOT_FOUND for the first that is not there. set->count is given. */
PK_MUST_CHECK enum pk_code pk_get_set_open(struct pk_engine *engine, struct pk_call *call,
                                           const struct pk_get *requests, struct pk_get_set *set,
                                           struct pk_error *err);
void pk_get_set_release(struct pk_get_set *set);

#endif
