/* TransactGetItems (operations.md §7): all items from one snapshot, so no write can fall between
 * them. */
#include "engine/ops/cost.h"
#include "engine/ops/get.h"
#include "engine/ops/touched.h"
#include "engine/ops/txn.h"

static enum pk_code check_repeated(const struct pk_get_step *steps, size_t count,
                                   struct pk_error *err)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i && steps[i].row.len > 0; k++) {
            if (pk_slice_equal(steps[i].row, steps[k].row))
                return pk_fail(err, PK_E_VALIDATION,
                               "Transaction request cannot include multiple operations on one "
                               "item");
        }
    }
    return PK_OK;
}

/* Checks all keys; the first bad one cancels the transaction, an empty one fails the request. */
static enum pk_code prepare_all(struct pk_call *call, const struct pk_get *requests,
                                struct pk_get_step *steps, size_t count, struct pk_error *err)
{
    struct pk_error *actions = PK_NEW_ARRAY(call->arena, struct pk_error, count);
    size_t bad = count;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count; i++) {
        if (bad == count) {
            if (pk_get_prepare(call, &requests[i], &steps[i], &actions[i]) != PK_OK)
                bad = i;
        } else {
            struct pk_error ignored = PK_ERROR_INIT; /* only whether the item comes twice */

            if (pk_get_prepare(call, &requests[i], &steps[i], &ignored) != PK_OK)
                pk_error_release(&ignored);
        }
    }
    rc = check_repeated(steps, count, err);
    if (rc == PK_OK && bad < count) {
        if (steps[bad].fault != PK_KEY_EMPTY && steps[bad].fault != PK_KEY_FINE)
            return pk_txn_cancel(err, actions, count);
        rc = actions[bad].code;
        pk_error_move(err, &actions[bad]);
    }
    if (bad < count)
        pk_error_release(&actions[bad]);
    return rc;
}

static enum pk_code read_all(struct pk_call *call, const struct pk_snap *snap,
                             struct pk_get_step *steps, size_t count,
                             struct pk_transact_get_result *result, struct pk_error *err)
{
    struct pk_cost_list costs = pk_cost_list_new(call->arena, count);
    struct pk_touched touched = pk_touched_new(call->arena, count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        struct pk_cost cost = pk_cost_new(call->arena, steps[i].table, false);
        struct pk_facts facts;

        rc = pk_get_read(call, snap, &steps[i], err);
        if (rc != PK_OK)
            return rc;
        facts = pk_get_facts(&steps[i]);
        cost.table_milli = pk_cost_read(steps[i].item_size, PK_TRANSACTIONAL);
        pk_cost_list_add(&costs, call->arena, &cost);
        pk_touched_add(&touched, steps[i].table, &facts, &result->facts);
        result->items[i] = steps[i].item;
        rc = pk_call_check(call, err);
    }
    result->costs = costs.costs;
    result->cost_count = costs.count;
    return rc;
}

enum pk_code pk_engine_transact_get(struct pk_engine *engine, struct pk_call *call,
                                    const struct pk_get *requests, size_t count,
                                    struct pk_transact_get_result *result, struct pk_error *err)
{
    struct pk_get_step *steps = NULL;
    struct pk_snap *snap = NULL;
    enum pk_code rc = pk_get_tables(engine, call, requests, count, &steps, &snap, err);

    if (rc != PK_OK)
        return rc;
    *result = (struct pk_transact_get_result){.items = PK_NEW_ARRAY(call->arena, pk_view, count)};
    rc = prepare_all(call, requests, steps, count, err);
    if (rc == PK_OK)
        rc = read_all(call, snap, steps, count, result, err);
    pk_get_tables_release(steps, count, snap);
    return rc;
}
