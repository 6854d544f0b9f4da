/* TransactGetItems (operations.md §7): all items from one snapshot, so no write can fall between
 * them. */
#include <inttypes.h>

#include "engine/ops/cost.h"
#include "engine/ops/get.h"
#include "engine/ops/touched.h"
#include "engine/ops/txn.h"

static enum pk_code check_repeated(const struct pk_get_set *set, struct pk_error *err)
{
    for (size_t i = 0; i < set->count; i++) {
        for (size_t k = 0; k < i && set->steps[i].row.len > 0; k++) {
            if (pk_slice_equal(set->steps[i].row, set->steps[k].row))
                return pk_fail(err, PK_E_VALIDATION,
                               "Transaction request cannot include multiple operations on one "
                               "item");
        }
    }
    return PK_OK;
}

/* Checks all keys; the first bad one cancels the transaction, an empty one fails the request. */
static enum pk_code prepare_all(struct pk_call *call, const struct pk_get *requests,
                                struct pk_get_set *set, struct pk_error *err)
{
    struct pk_error *actions = PK_NEW_ARRAY(call->arena, struct pk_error, set->count);
    size_t bad = set->count;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < set->count; i++) {
        if (pk_get_prepare(call, &requests[i], &set->steps[i], &actions[i]) == PK_OK)
            continue;
        if (bad == set->count)
            bad = i;
        else
            pk_error_release(&actions[i]);
    }
    rc = check_repeated(set, err);
    if (rc == PK_OK && bad < set->count) {
        enum pk_key_fault fault = set->steps[bad].fault;

        if (fault != PK_KEY_EMPTY && fault != PK_KEY_FINE)
            return pk_txn_cancel(err, actions, set->count);
        rc = actions[bad].code;
        pk_error_move(err, &actions[bad]);
    }
    if (bad < set->count)
        pk_error_release(&actions[bad]);
    return rc;
}

/* Limit on what a transaction returns (operations.md §7). */
#define RETURNED_MAX ((uint64_t)4 * 1024 * 1024)

/* All items or none: a refusal is the reason at its item's place. */
static enum pk_code admit(struct pk_engine *engine, struct pk_call *call, struct pk_get_set *set,
                          struct pk_demand *demands, struct pk_error *err)
{
    struct pk_error refused = PK_ERROR_INIT;

    for (size_t i = 0; i < set->count; i++)
        demands[i] = pk_get_demand(&set->steps[i], PK_TRANSACTIONAL);
    if (pk_capacity_admit(engine, demands, set->count, &refused) == PK_OK)
        return PK_OK;
    pk_error_release(&refused);
    return pk_txn_refuse(call, demands, set->count, err);
}

static enum pk_code read_all(struct pk_call *call, struct pk_get_set *set,
                             struct pk_transact_get_result *result, struct pk_error *err)
{
    struct pk_cost_list costs = pk_cost_list_new(call->arena, set->count);
    struct pk_touched touched = pk_touched_new(call->arena, set->count);
    uint64_t returned = 0;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < set->count && rc == PK_OK; i++) {
        struct pk_get_step *step = &set->steps[i];
        struct pk_cost cost = pk_cost_new(call->arena, step->table, false);
        struct pk_facts facts;

        rc = pk_get_read(call, set->snap, step, err);
        if (rc != PK_OK)
            return rc;
        facts = pk_get_facts(step);
        cost.table_milli = pk_cost_read(step->item_size, PK_TRANSACTIONAL);
        pk_cost_list_add(&costs, call->arena, &cost);
        pk_touched_add(&touched, step->table, &facts, &result->facts);
        result->items[i] = step->item;
        returned += step->item_size;
        rc = pk_call_check(call, err);
    }
    if (rc == PK_OK && returned > RETURNED_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "Transaction payload size cannot exceed 4MB. Payload Size: %" PRIu64,
                       returned);
    result->costs = costs.costs;
    result->cost_count = costs.count;
    return rc;
}

enum pk_code pk_engine_transact_get(struct pk_engine *engine, struct pk_call *call,
                                    const struct pk_get *requests, size_t count,
                                    struct pk_transact_get_result *result, struct pk_error *err)
{
    struct pk_get_set set = {.count = count};
    struct pk_demand *demands;
    enum pk_code rc = pk_get_set_open(engine, call, requests, &set, err);

    if (rc != PK_OK)
        return rc;
    *result = (struct pk_transact_get_result){.items = PK_NEW_ARRAY(call->arena, pk_view, count)};
    demands = PK_NEW_ARRAY(call->arena, struct pk_demand, count);
    rc = prepare_all(call, requests, &set, err);
    if (rc == PK_OK)
        rc = admit(engine, call, &set, demands, err);
    if (rc == PK_OK)
        rc = read_all(call, &set, result, err);
    if (rc == PK_OK)
        pk_get_show(engine, call, set.steps, count);
    for (size_t i = 0; i < count; i++) {
        pk_capacity_settle(
            &demands[i], rc == PK_OK ? pk_cost_read(set.steps[i].item_size, PK_TRANSACTIONAL) : 0);
        pk_capacity_facts(&demands[i], 1, &result->facts);
    }
    pk_get_set_release(&set);
    return rc;
}
