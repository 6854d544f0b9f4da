/*
 * TransactWriteItems (operations.md §7): all writes in one commit, under all their latches.
 *
 * A transaction enters its exact keys in the in-flight set before it takes latches. Another one
 * that finds a key there is cancelled (TransactionConflict), and so is a single write; nobody
 * waits for a transaction to finish.
 */
#include "engine/ops/cost.h"
#include "engine/ops/get.h"
#include "engine/ops/touched.h"
#include "engine/ops/txn.h"
#include "engine/ops/write.h"
#include "engine/table/descriptor.h"

struct txn {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_transact_write *request;
    size_t count;
    struct pk_write_step *steps;
    struct pk_error *actions; /* one an action; owned */
    pk_slice *rows;
    uint32_t *stripes;
    size_t stripe_count;
};

static struct pk_token token_of(const struct txn *txn)
{
    return (struct pk_token){txn->request->token, txn->request->hash,
                             pk_clock_now(&txn->engine->clock)};
}

static void txn_init(struct txn *txn)
{
    struct pk_arena *arena = txn->call->arena;

    txn->count = txn->request->count;
    txn->steps = PK_NEW_ARRAY(arena, struct pk_write_step, txn->count);
    txn->actions = PK_NEW_ARRAY(arena, struct pk_error, txn->count);
    txn->rows = PK_NEW_ARRAY(arena, pk_slice, txn->count);
    txn->stripes = PK_NEW_ARRAY(arena, uint32_t, txn->count);
}

static void release_steps(struct txn *txn)
{
    for (size_t i = 0; i < txn->count; i++) {
        pk_write_release(&txn->steps[i]);
        pk_error_release(&txn->actions[i]);
    }
}

/* One failed action: it becomes the request's own error, or a reason among None. */
static enum pk_code fail_action(struct txn *txn, size_t i, bool whole_request, struct pk_error *err)
{
    enum pk_code rc = txn->actions[i].code;

    if (!whole_request && pk_txn_is_reason(rc))
        return pk_txn_cancel(err, txn->actions, txn->count);
    pk_error_move(err, &txn->actions[i]);
    return rc;
}

/* Prepare --------------------------------------------------------------------------------------*/

static enum pk_code check_tables(struct txn *txn, struct pk_error *err)
{
    for (size_t i = 0; i < txn->count; i++) {
        struct pk_table *table = NULL;
        enum pk_code rc =
            pk_engine_need_table(txn->engine, txn->request->writes[i].table, &table, err);

        if (rc != PK_OK)
            return rc;
        pk_table_unref(table);
    }
    return PK_OK;
}

static enum pk_code check_repeated(const struct txn *txn, struct pk_error *err)
{
    for (size_t i = 0; i < txn->count; i++) {
        for (size_t k = 0; k < i && txn->steps[i].row.len > 0; k++) {
            if (pk_slice_equal(txn->steps[i].row, txn->steps[k].row))
                return pk_fail(err, PK_E_VALIDATION,
                               "Transaction request cannot include multiple operations on one "
                               "item");
        }
    }
    return PK_OK;
}

/* The first bad action fails, all others are None; that an item comes twice is said before. */
static enum pk_code prepare_all(struct txn *txn, struct pk_error *err)
{
    size_t bad = txn->count;
    enum pk_code rc = check_tables(txn, err);

    if (rc != PK_OK)
        return rc;
    for (size_t i = 0; i < txn->count; i++) {
        struct pk_write_step *step = &txn->steps[i];

        *step = (struct pk_write_step){.request = &txn->request->writes[i],
                                       .mode = PK_WRITE_IN_TRANSACTION};
        if (pk_write_prepare(txn->engine, txn->call, step, &txn->actions[i]) == PK_OK)
            continue;
        if (bad == txn->count)
            bad = i;
        else
            pk_error_release(&txn->actions[i]);
    }
    rc = check_repeated(txn, err);
    if (rc == PK_OK && bad < txn->count)
        rc = fail_action(txn, bad, txn->steps[bad].request_fault, err);
    return rc;
}

/* Latches --------------------------------------------------------------------------------------*/

static enum pk_code enter(struct txn *txn, struct pk_error *err)
{
    bool *conflict = PK_NEW_ARRAY(txn->call->arena, bool, txn->count);

    for (size_t i = 0; i < txn->count; i++) {
        txn->rows[i] = txn->steps[i].row;
        txn->stripes[i] = txn->steps[i].stripe;
    }
    if (pk_inflight_enter(&txn->engine->inflight, txn->rows, txn->count, conflict)) {
        txn->stripe_count = pk_latch_order(txn->stripes, txn->count);
        pk_latch_lock_many(&txn->engine->latches, txn->stripes, txn->stripe_count);
        return PK_OK;
    }
    for (size_t i = 0; i < txn->count; i++) {
        if (conflict[i])
            (void)pk_fail(&txn->actions[i], PK_E_TXN_CONFLICT,
                          "Transaction is ongoing for the item");
    }
    return pk_txn_cancel(err, txn->actions, txn->count);
}

static void leave(struct txn *txn)
{
    pk_inflight_leave(&txn->engine->inflight, txn->rows, txn->count);
    pk_latch_unlock_many(&txn->engine->latches, txn->stripes, txn->stripe_count);
}

static bool any_stale(const struct txn *txn)
{
    for (size_t i = 0; i < txn->count; i++) {
        if (pk_table_is_stale(txn->steps[i].table))
            return true;
    }
    return false;
}

static enum pk_code prepare_latched(struct txn *txn, struct pk_error *err)
{
    for (;;) {
        enum pk_code rc = prepare_all(txn, err);

        if (rc == PK_OK)
            rc = enter(txn, err);
        if (rc != PK_OK || !any_stale(txn))
            return rc;
        leave(txn);
        release_steps(txn);
    }
}

/* Commit ---------------------------------------------------------------------------------------*/

/* All conditions are tested, so that all that fail are reported. */
static enum pk_code decide_all(struct txn *txn, struct pk_collection_sizes *sizes,
                               struct pk_error *err)
{
    bool cancelled = false;

    for (size_t i = 0; i < txn->count; i++) {
        enum pk_code rc =
            pk_write_decide(txn->engine, txn->call, &txn->steps[i], sizes, &txn->actions[i]);

        if (rc == PK_OK)
            continue;
        if (!pk_txn_is_reason(rc))
            return fail_action(txn, i, true, err);
        cancelled = true;
    }
    return cancelled ? pk_txn_cancel(err, txn->actions, txn->count) : PK_OK;
}

static size_t gather(struct txn *txn, bool decided, struct pk_demand **demands)
{
    size_t count = 0, at = 0;

    for (size_t i = 0; i < txn->count; i++) {
        pk_write_demand(txn->engine, txn->call, &txn->steps[i], decided);
        count += txn->steps[i].demand_count;
    }
    *demands = PK_NEW_ARRAY(txn->call->arena, struct pk_demand, count);
    for (size_t i = 0; i < txn->count; i++) {
        struct pk_write_step *step = &txn->steps[i];

        for (size_t k = 0; k < step->demand_count; k++)
            (*demands)[at + k] = step->demands[k];
        step->demands = *demands + at;
        at += step->demand_count;
    }
    return count;
}

/* The room for all of it is taken at once. A condition that failed stays the reason of its action,
 * the others may have another. */
static enum pk_code admit(struct txn *txn, enum pk_code decided, struct pk_error *err)
{
    struct pk_error refused = PK_ERROR_INIT;
    struct pk_demand *demands;
    size_t count;

    if (decided != PK_OK && decided != PK_E_TXN_CANCELED)
        return decided;
    count = gather(txn, decided == PK_OK, &demands);
    if (pk_capacity_admit(txn->engine, demands, count, &refused) == PK_OK)
        return decided;
    pk_error_release(&refused);
    if (decided != PK_OK)
        return decided;
    for (size_t i = 0; i < txn->count; i++)
        (void)pk_capacity_fail(txn->steps[i].demands, txn->steps[i].demand_count, &txn->actions[i]);
    return pk_txn_cancel(err, txn->actions, txn->count);
}

static enum pk_code commit(struct txn *txn, struct pk_error *err)
{
    struct pk_engine *engine = txn->engine;
    const struct pk_transact_write *request = txn->request;
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_collection_sizes sizes = {
        PK_NEW_ARRAY(txn->call->arena, struct pk_collection_size, txn->count), 0};
    const struct pk_token token = token_of(txn);
    enum pk_code rc = admit(txn, decide_all(txn, &sizes, err), err);

    if (rc != PK_OK)
        return rc;
    for (size_t i = 0; i < txn->count; i++)
        pk_write_stage(engine, &txn->steps[i], &batch);
    if (batch.count > 0)
        pk_collection_stage(&sizes, &batch);
    if (request->token.data != NULL)
        pk_tokens_stage(&engine->tokens, &batch, &token);
    if (batch.count > 0)
        rc = pk_store_commit(engine->store, &batch, engine->durability, err);
    for (size_t i = 0; i < txn->count && rc == PK_OK; i++) {
        pk_write_count(&txn->steps[i]);
        pk_write_show(engine, &txn->steps[i]);
    }
    for (size_t i = 0; i < txn->count; i++)
        pk_write_settle(&txn->steps[i]);
    pk_batch_release(&batch);
    return rc;
}

static void report(const struct txn *txn, struct pk_transact_write_result *result)
{
    struct pk_arena *arena = txn->call->arena;
    struct pk_cost_list costs = pk_cost_list_new(arena, txn->count);
    struct pk_touched touched = pk_touched_new(arena, txn->count);

    for (size_t i = 0; i < txn->count; i++) {
        pk_write_report(txn->call, &txn->steps[i], &result->writes[i]);
        pk_cost_list_add(&costs, arena, &result->writes[i].cost);
        pk_touched_add(&touched, txn->steps[i].table, &result->writes[i].facts, &result->facts);
    }
    result->costs = costs.costs;
    result->cost_count = costs.count;
}

static enum pk_code run(struct txn *txn, struct pk_transact_write_result *result,
                        struct pk_error *err)
{
    enum pk_code rc = prepare_latched(txn, err);

    if (rc == PK_OK) {
        rc = commit(txn, err);
        leave(txn);
    }
    if (rc == PK_OK)
        report(txn, result);
    return rc;
}

/* Repeats --------------------------------------------------------------------------------------*/

static pk_value key_of(const struct txn *txn, size_t i, const struct pk_table *table)
{
    const struct pk_write *write = &txn->request->writes[i];
    struct pk_member_vec members = {0};
    const struct pk_key_attr *hash = &table->key.hash[0];

    if (write->kind != PK_WRITE_PUT)
        return write->item;
    pk_member_vec_add(&members, txn->call->arena, hash->name,
                      pk_value_get(write->item, hash->name));
    if (table->key.range_count > 0)
        pk_member_vec_add(&members, txn->call->arena, table->key.range[0].name,
                          pk_value_get(write->item, table->key.range[0].name));
    return pk_value_map(members.data, members.len);
}

/* A repeated transaction is answered with the cost of reading its items (partitions-capacity.md
 * §2.3). One whose table is gone meanwhile, or whose key no longer fits, adds nothing. */
static enum pk_code add_repeated(struct txn *txn, size_t i, struct pk_cost_list *costs,
                                 struct pk_error *err)
{
    struct pk_call *call = txn->call;
    struct pk_get_step step = {0};
    struct pk_get get = {.table = txn->request->writes[i].table};
    struct pk_cost cost;
    enum pk_code rc = PK_OK;

    step.table = pk_catalog_get(&txn->engine->catalog, get.table);
    if (step.table == NULL)
        return PK_OK;
    get.key = key_of(txn, i, step.table);
    if (pk_get_prepare(call, &get, &step, &txn->actions[i]) == PK_OK) {
        rc = pk_get_read(call, pk_store_live(txn->engine->store), &step, err);
        cost = pk_cost_new(call->arena, step.table, false);
        cost.table_milli = pk_cost_read(step.item_size, PK_TRANSACTIONAL);
        pk_cost_list_add(costs, call->arena, &cost);
    }
    pk_table_unref(step.table);
    return rc;
}

static enum pk_code answer_repeated(struct txn *txn, struct pk_transact_write_result *result,
                                    struct pk_error *err)
{
    struct pk_cost_list costs = pk_cost_list_new(txn->call->arena, txn->count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < txn->count; i++)
        result->writes[i].collection_key = pk_value_missing();
    for (size_t i = 0; i < txn->count && rc == PK_OK; i++)
        rc = add_repeated(txn, i, &costs, err);
    result->repeated = true;
    result->costs = costs.costs;
    result->cost_count = costs.count;
    return rc;
}

enum pk_code pk_engine_transact_write(struct pk_engine *engine, struct pk_call *call,
                                      const struct pk_transact_write *request,
                                      struct pk_transact_write_result *result, struct pk_error *err)
{
    struct txn txn = {.engine = engine, .call = call, .request = request};
    bool repeated = false;
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc == PK_OK && request->token.data != NULL) {
        const struct pk_token token = token_of(&txn);

        rc = pk_tokens_begin(&engine->tokens, engine->store, &token, &repeated, err);
    }
    if (rc != PK_OK)
        return rc;
    txn_init(&txn);
    *result = (struct pk_transact_write_result){
        .writes = PK_NEW_ARRAY(call->arena, struct pk_write_result, txn.count)};
    rc = repeated ? answer_repeated(&txn, result, err) : run(&txn, result, err);
    if (request->token.data != NULL && !repeated)
        pk_tokens_end(&engine->tokens, request->token);
    release_steps(&txn);
    return rc;
}
