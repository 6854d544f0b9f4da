/* BatchGetItem and BatchWriteItem (operations.md §5): many single operations, none depending on
 * another. The API has checked counts and, for gets, duplicates. */
#include "engine/ops/cost.h"
#include "engine/ops/get.h"
#include "engine/ops/touched.h"
#include "engine/ops/write.h"

enum { REPLY_MAX = 16 * 1024 * 1024 };

/* Get ------------------------------------------------------------------------------------------*/

struct batch_get {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_get *requests;
    struct pk_get_set set;
    struct pk_batch_get_result *result;
    struct pk_cost_list costs;
    struct pk_touched touched;
    struct pk_error refusal; /* the last one */
};

/* Keys that only look different (1000, 1e3) pass the API's check; the item comes once. */
static bool is_repeated(const struct batch_get *batch, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (pk_slice_equal(batch->set.steps[k].row, batch->set.steps[i].row))
            return true;
    }
    return false;
}

static void report_get(struct batch_get *batch, size_t i)
{
    const struct pk_get_step *step = &batch->set.steps[i];
    struct pk_cost cost = pk_cost_new(batch->call->arena, step->table, false);
    struct pk_facts facts = pk_get_facts(step);

    cost.table_milli =
        pk_cost_read(step->item_size, batch->requests[i].consistent ? PK_STRONG : PK_EVENTUAL);
    pk_cost_list_add(&batch->costs, batch->call->arena, &cost);
    pk_touched_add(&batch->touched, step->table, &facts, &batch->result->facts);
    batch->result->entries[i].item = step->item;
}

/* A throttled item is left unprocessed. */
static enum pk_code read_one(struct batch_get *batch, size_t i, struct pk_error *err)
{
    struct pk_get_step *step = &batch->set.steps[i];
    enum pk_consistency consistency = batch->requests[i].consistent ? PK_STRONG : PK_EVENTUAL;
    struct pk_demand demand = pk_get_demand(step, consistency);
    enum pk_code rc;

    pk_error_release(&batch->refusal);
    if (pk_capacity_admit(batch->engine, &demand, 1, &batch->refusal) != PK_OK) {
        batch->result->entries[i].unprocessed = true;
        return PK_OK;
    }
    rc = pk_get_read(batch->call, batch->set.snap, step, err);
    if (rc == PK_OK)
        rc = pk_call_check(batch->call, err);
    pk_capacity_settle(&demand, rc == PK_OK ? pk_cost_read(step->item_size, consistency) : 0);
    if (rc == PK_OK)
        pk_capacity_facts(&demand, 1, &batch->result->facts);
    return rc;
}

static enum pk_code read_all(struct batch_get *batch, struct pk_error *err)
{
    uint64_t bytes = 0;
    size_t processed = 0, refused = 0;

    for (size_t i = 0; i < batch->set.count; i++) {
        struct pk_get_step *step = &batch->set.steps[i];
        enum pk_code rc;

        if (is_repeated(batch, i))
            continue;
        rc = read_one(batch, i, err);
        if (rc != PK_OK)
            return rc;
        if (batch->result->entries[i].unprocessed) {
            refused++;
            continue;
        }
        processed++;
        bytes += step->item_size;
        if (bytes > REPLY_MAX) {
            for (; i < batch->set.count; i++)
                batch->result->entries[i].unprocessed = true;
            break;
        }
        report_get(batch, i);
    }
    if (processed > 0 || refused == 0)
        return PK_OK;
    pk_error_move(err, &batch->refusal);
    return err->code;
}

enum pk_code pk_engine_batch_get(struct pk_engine *engine, struct pk_call *call,
                                 const struct pk_get *requests, size_t count,
                                 struct pk_batch_get_result *result, struct pk_error *err)
{
    struct batch_get batch = {
        .engine = engine, .call = call, .requests = requests, .set = {.count = count}};
    enum pk_code rc = pk_get_set_open(engine, call, requests, &batch.set, err);

    if (rc != PK_OK)
        return rc;
    *result = (struct pk_batch_get_result){
        .entries = PK_NEW_ARRAY(call->arena, struct pk_batch_get_entry, count)};
    batch.result = result;
    batch.costs = pk_cost_list_new(call->arena, count);
    batch.touched = pk_touched_new(call->arena, count);
    for (size_t i = 0; i < count && rc == PK_OK; i++)
        rc = pk_get_prepare(call, &requests[i], &batch.set.steps[i], err);
    if (rc == PK_OK)
        rc = read_all(&batch, err);
    if (rc == PK_OK)
        pk_get_show(engine, call, batch.set.steps, count);
    result->costs = batch.costs.costs;
    result->cost_count = batch.costs.count;
    pk_error_release(&batch.refusal);
    pk_get_set_release(&batch.set);
    return rc;
}

/* Write ----------------------------------------------------------------------------------------*/

struct batch_write {
    struct pk_engine *engine;
    struct pk_call *call;
    struct pk_write_step *steps;
    size_t count;
    struct pk_batch_write_result *result;
};

static enum pk_code check_duplicates(const struct batch_write *batch, struct pk_error *err)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (pk_slice_equal(batch->steps[i].row, batch->steps[k].row))
                return pk_fail(err, PK_E_VALIDATION,
                               "Provided list of item keys contains duplicates");
        }
    }
    return PK_OK;
}

/* Everything is checked before anything is written: first that all tables are there. */
static enum pk_code prepare_writes(struct batch_write *batch, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < batch->count && rc == PK_OK; i++) {
        struct pk_table *table = NULL;

        rc = pk_engine_need_table(batch->engine, batch->steps[i].request->table, &table, err);
        pk_table_unref(table);
    }
    for (size_t i = 0; i < batch->count && rc == PK_OK; i++)
        rc = pk_write_prepare(batch->engine, batch->call, &batch->steps[i], err);
    return rc == PK_OK ? check_duplicates(batch, err) : rc;
}

static enum pk_code write_all(struct batch_write *batch, struct pk_error *err)
{
    struct pk_arena *arena = batch->call->arena;
    struct pk_batch_write_result *result = batch->result;
    struct pk_cost_list costs = pk_cost_list_new(arena, batch->count);
    struct pk_touched touched = pk_touched_new(arena, batch->count);
    size_t refused = 0;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < batch->count && rc == PK_OK; i++) {
        struct pk_table *table = pk_table_ref(batch->steps[i].table);

        rc = pk_write_one(batch->engine, batch->call, &batch->steps[i], &result->writes[i], err);
        if (rc == PK_OK) {
            pk_cost_list_add(&costs, arena, &result->writes[i].cost);
            pk_touched_add(&touched, table, &result->writes[i].facts, &result->facts);
        } else if (err->throttling_count > 0 && ++refused < batch->count) {
            /* the last one's exception stays when there was nothing else */
            result->unprocessed[i] = true;
            pk_error_release(err);
            rc = PK_OK;
        }
        pk_table_unref(table);
    }
    result->costs = costs.costs;
    result->cost_count = costs.count;
    return rc;
}

enum pk_code pk_engine_batch_write(struct pk_engine *engine, struct pk_call *call,
                                   const struct pk_write *requests, size_t count,
                                   struct pk_batch_write_result *result, struct pk_error *err)
{
    struct batch_write batch = {engine, call, NULL, count, result};
    enum pk_code rc;

    *result = (struct pk_batch_write_result){
        .writes = PK_NEW_ARRAY(call->arena, struct pk_write_result, count),
        .unprocessed = PK_NEW_ARRAY(call->arena, bool, count)};
    batch.steps = PK_NEW_ARRAY(call->arena, struct pk_write_step, count);
    for (size_t i = 0; i < count; i++) {
        batch.steps[i].request = &requests[i];
        batch.steps[i].mode = PK_WRITE_IN_BATCH;
    }
    rc = prepare_writes(&batch, err);
    if (rc == PK_OK)
        rc = write_all(&batch, err);
    for (size_t i = 0; i < count; i++)
        pk_write_release(&batch.steps[i]);
    return rc;
}
