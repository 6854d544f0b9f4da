/*
 * The order of checks is operations.md §4: size of a put's item, table, key, index keys, condition,
 * then what the update makes of the item.
 *
 * An item that comes out as it was is not written, nor are its index entries or a change record;
 * the write costs the same.
 */
#include "engine/ops/write.h"

#include "engine/expr/expr_update.h"
#include "engine/ops/propagate.h"
#include "engine/ops/read_check.h"
#include "engine/ops/table_log.h"
#include "engine/ops/ttl.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"

/* Prepare --------------------------------------------------------------------------------------*/

static enum pk_key_source key_source(const struct pk_write_step *step)
{
    if (step->request->kind != PK_WRITE_PUT)
        return PK_KEY_OF_REQUEST;
    return step->mode == PK_WRITE_IN_BATCH ? PK_KEY_OF_BATCH_PUT : PK_KEY_OF_PUT;
}

static enum pk_code check_key(struct pk_call *call, struct pk_write_step *step,
                              struct pk_error *err)
{
    enum pk_key_fault fault =
        pk_item_key_take(step->table, step->request->item, key_source(step), &step->key, err);

    if (fault != PK_KEY_FINE) {
        step->request_fault = fault == PK_KEY_EMPTY;
        return err->code;
    }
    step->row = pk_item_key_row(step->table, &step->key, call->arena);
    step->stripe =
        pk_latch_stripe(pk_item_key_latch(step->table, &step->key, step->row, call->arena));
    step->partition = pk_partitions_find(&step->table->partitions, pk_layout_position(step->row));
    step->partition_id = step->table->partitions.list[step->partition].id;
    return PK_OK;
}

/* A target below an index key attribute (data-model.md §5). */
static enum pk_code check_index_paths(const struct pk_table *table, const struct pk_update *update,
                                      struct pk_error *err)
{
    for (size_t i = 0; i < update->count; i++) {
        const struct pk_path *path = update->actions[i].path;

        for (size_t k = 0; k < table->index_count && path->count > 1; k++) {
            if (pk_key_schema_has(&table->indexes[k].key, path->steps[0].name))
                return pk_fail(err, PK_E_VALIDATION,
                               "Key attributes must be scalars; list random access '[]' and map "
                               "lookup '.' are not allowed: IndexKey: %.*s",
                               PK_FMT(path->steps[0].name));
        }
    }
    return PK_OK;
}

static enum pk_code check_update(const struct pk_table *table, const struct pk_update *update,
                                 struct pk_error *err)
{
    pk_slice names[2];
    size_t count = 0;
    enum pk_code rc;

    names[count++] = table->key.hash[0].name;
    if (table->key.range_count > 0)
        names[count++] = table->key.range[0].name;
    rc = pk_expr_check_update_keys(update, names, count, err);
    if (rc != PK_OK)
        return rc;
    return check_index_paths(table, update, err);
}

static enum pk_code check_put(struct pk_call *call, struct pk_write_step *step,
                              struct pk_error *err)
{
    enum pk_index_fault fault;

    step->after = pk_view_of(call->arena, step->request->item);
    fault = pk_index_check(step->table, PK_VIEW_MISSING, step->after, PK_INDEX_FROM_ITEM, err);
    step->request_fault = fault == PK_INDEX_EMPTY;
    return fault == PK_INDEX_FINE ? PK_OK : err->code;
}

enum pk_code pk_write_prepare(struct pk_engine *engine, struct pk_call *call,
                              struct pk_write_step *step, struct pk_error *err)
{
    const struct pk_write *request = step->request;
    enum pk_code rc;

    step->request_fault = true;
    if (request->kind == PK_WRITE_PUT) {
        step->after_size = pk_item_size(request->item);
        if (step->after_size > PK_ITEM_MAX)
            return pk_fail(err, PK_E_VALIDATION, "Item size has exceeded the maximum allowed size");
    }
    rc = pk_engine_need_table(engine, request->table, &step->table, err);
    if (rc != PK_OK)
        return rc;
    step->request_fault = false;
    rc = check_key(call, step, err);
    if (rc == PK_OK && request->kind == PK_WRITE_PUT)
        rc = check_put(call, step, err);
    if (rc == PK_OK)
        rc = pk_check_scalar_keys(step->table, request->condition, NULL, err);
    if (rc == PK_OK && request->kind == PK_WRITE_UPDATE && request->update != NULL)
        rc = check_update(step->table, request->update, err);
    return rc;
}

void pk_write_release(struct pk_write_step *step)
{
    pk_table_unref(step->table);
    step->table = NULL;
}

/* Decide ---------------------------------------------------------------------------------------*/

static enum pk_code read_before(struct pk_engine *engine, struct pk_call *call,
                                struct pk_write_step *step, struct pk_error *err)
{
    struct pk_buf record = PK_BUF_INIT;
    pk_view item = PK_VIEW_MISSING;
    size_t size = 0;
    bool found = false;
    enum pk_code rc = pk_store_get(engine->store, step->row, &record, &found, err);

    if (rc == PK_OK && found) {
        if (pk_record_open(pk_buf_slice(&record), &item, &size))
            step->before = pk_arena_dup(call->arena, item);
        else
            rc = pk_fail(err, PK_E_CORRUPT, "an item of table '%.*s' is damaged",
                         PK_FMT(step->table->name));
        step->before_size = size;
    }
    pk_buf_release(&record);
    return rc;
}

static enum pk_code test_condition(const struct pk_write_step *step, struct pk_error *err)
{
    const struct pk_write *request = step->request;
    bool holds = true;
    enum pk_code rc;

    if (request->insert && step->before.len > 0)
        return pk_fail(err, PK_E_DUPLICATE_ITEM, "Duplicate primary key exists in table");
    if (request->must_exist && step->before.len == 0)
        holds = false;
    if (holds && request->condition != NULL)
        holds = pk_expr_test(request->condition, step->before);
    if (holds)
        return PK_OK;
    rc = pk_fail(err, PK_E_CONDITION_FAILED, "The conditional request failed");
    if (request->item_on_failure && step->before.len > 0)
        pk_error_set_item(err, step->before);
    return rc;
}

/* The top-level attribute value is level 1 (data-model.md §7). */
static bool is_too_deep(pk_value item)
{
    for (size_t i = 0; i < item.len; i++) {
        if (pk_value_depth(item.u.members[i].value) > PK_NESTING_MAX)
            return true;
    }
    return false;
}

static enum pk_code check_updated(struct pk_write_step *step, struct pk_error *err)
{
    const struct pk_update *update = step->request->update;
    enum pk_index_source source =
        update == NULL || update->attribute_updates ? PK_INDEX_FROM_ITEM : PK_INDEX_FROM_EXPRESSION;
    enum pk_index_fault fault = pk_index_check(step->table, step->before, step->after, source, err);

    /* In a transaction a wrong type is told in the words of a put. */
    if (fault == PK_INDEX_WRONG_TYPE && step->mode == PK_WRITE_IN_TRANSACTION)
        fault = pk_index_check(step->table, step->before, step->after, PK_INDEX_FROM_ITEM, err);
    if (fault != PK_INDEX_FINE)
        return err->code;
    if (step->after_size > PK_ITEM_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "Item size to update has exceeded the maximum allowed size");
    return PK_OK;
}

/* An update without clauses leaves an item as it is, or creates the bare one. */
static enum pk_code apply_update(struct pk_call *call, struct pk_write_step *step,
                                 struct pk_error *err)
{
    const struct pk_update *update = step->request->update;
    pk_value item = step->request->item;
    enum pk_code rc = PK_OK;

    if (update != NULL && update->count > 0)
        rc = pk_expr_apply_update(update, call->arena, step->request->item, step->before, &item,
                                  err);
    if (rc != PK_OK || pk_value_kind(item) == PK_MISSING)
        return rc;
    if ((update == NULL || update->count == 0) && step->before.len > 0) {
        step->after = step->before;
        step->after_size = step->before_size;
        return PK_OK;
    }
    if (is_too_deep(item))
        return pk_fail(err, PK_E_VALIDATION,
                       "Nesting Levels have exceeded supported limits: Attributes in the item "
                       "have nested levels beyond supported limit");
    step->after_size = pk_item_size(item);
    step->after = pk_view_of(call->arena, item);
    return check_updated(step, err);
}

static void keep_before(struct pk_write_step *step)
{
    step->after = step->before;
    step->after_size = step->before_size;
}

static enum pk_code compute_after(struct pk_call *call, struct pk_write_step *step,
                                  struct pk_error *err)
{
    switch (step->request->kind) {
    case PK_WRITE_PUT: /* known since prepare */
        return PK_OK;
    case PK_WRITE_UPDATE:
        return apply_update(call, step, err);
    case PK_WRITE_DELETE:
        if (step->expired && !pk_ttl_is_expired(step->table, step->before, step->now_ms))
            keep_before(step);
        return PK_OK;
    case PK_WRITE_CHECK:
        keep_before(step);
        return PK_OK;
    }
    return PK_OK;
}

/* With LSIs: an item and its entries together stay within the item limit, and its collection within
 * its own (indexes.md §7). */
static enum pk_code check_collection(struct pk_engine *engine, struct pk_call *call,
                                     struct pk_write_step *step, struct pk_collection_sizes *sizes,
                                     struct pk_error *err)
{
    struct pk_collection_growth growth = {.table = step->table, .key = &step->key};
    enum pk_code rc;

    if (step->table->local_count == 0)
        return PK_OK;
    growth.before = pk_collection_item_bytes(step->table, step->before_size, step->effects, false);
    growth.after = pk_collection_item_bytes(step->table, step->after_size, step->effects, true);
    if (growth.after > PK_ITEM_MAX && growth.after > growth.before)
        return pk_fail(err, PK_E_VALIDATION,
                       step->request->kind == PK_WRITE_UPDATE
                           ? "Item size to update has exceeded the maximum allowed size"
                           : "Item size has exceeded the maximum allowed size");
    rc = pk_collection_grow(engine, call->arena, sizes, &growth, err);
    step->collection_bytes = growth.bytes;
    return rc;
}

enum pk_code pk_write_decide(struct pk_engine *engine, struct pk_call *call,
                             struct pk_write_step *step, struct pk_collection_sizes *sizes,
                             struct pk_error *err)
{
    enum pk_code rc = read_before(engine, call, step, err);

    if (rc == PK_OK)
        rc = test_condition(step, err);
    if (rc == PK_OK)
        rc = compute_after(call, step, err);
    if (rc != PK_OK)
        return rc;
    step->effects = PK_NEW_ARRAY(call->arena, struct pk_index_effect, step->table->index_count);
    pk_index_plan(step->table, step->before, step->after, call->arena, step->effects);
    return check_collection(engine, call, step, sizes, err);
}

/* Stage, count, report -------------------------------------------------------------------------*/

enum pk_cause pk_write_cause(const struct pk_write_step *step)
{
    if (step->expired)
        return PK_CAUSE_TTL;
    return step->mode == PK_WRITE_IN_TRANSACTION ? PK_CAUSE_TRANSACTION : PK_CAUSE_USER;
}

static void stage_change(struct pk_engine *engine, struct pk_write_step *step,
                         struct pk_batch *batch)
{
    struct pk_change change = {
        .shard = step->partition_id,
        .event = pk_change_event(step->before, step->after),
        .cause = pk_write_cause(step),
        .time_ms = pk_clock_now(&engine->clock),
        .before = step->before,
        .after = step->after,
        .before_size = step->before_size,
        .after_size = step->after_size,
    };

    step->sequence = pk_log_draw(&pk_table_log(step->table)->log, change.shard);
    change.sequence = step->sequence;
    pk_change_stage(batch, step->table->id, &change);
}

void pk_write_stage(struct pk_engine *engine, struct pk_write_step *step, struct pk_batch *batch)
{
    pk_ttl_stage(step, batch);
    if (pk_slice_equal(step->before, step->after))
        return;
    if (step->after.len > 0)
        pk_record_put(batch, step->row, step->after_size, step->after);
    else
        pk_batch_delete(batch, step->row);
    for (size_t i = 0; i < step->table->local_count; i++)
        pk_index_stage(&step->effects[i], batch);
    if (pk_table_log_wanted(step->table))
        stage_change(engine, step, batch);
}

void pk_write_settle(struct pk_write_step *step)
{
    if (step->sequence != 0)
        pk_log_settle(&pk_table_log(step->table)->log, step->sequence);
    step->sequence = 0;
}

static struct pk_tally difference(uint64_t before, bool was, uint64_t after, bool is)
{
    return (struct pk_tally){
        .items = (is ? 1 : 0) - (was ? 1 : 0),
        .bytes = (int64_t)after - (int64_t)before,
    };
}

void pk_write_count(const struct pk_write_step *step)
{
    struct pk_counters *counters = pk_table_counters(step->table);

    pk_counters_add(
        counters, step->partition_id,
        difference(step->before_size, step->before.len > 0, step->after_size, step->after.len > 0));
    for (size_t i = 0; i < step->table->local_count; i++) {
        const struct pk_index_effect *effect = &step->effects[i];

        if (effect->units == 0)
            continue;
        pk_counters_add_index(counters, effect->index->id, 0,
                              difference(effect->before.size, effect->before.key.data != NULL,
                                         effect->after.size, effect->after.key.data != NULL));
    }
}

static void report_cost(struct pk_call *call, const struct pk_write_step *step,
                        struct pk_write_result *result)
{
    uint64_t bytes = step->before_size > step->after_size ? step->before_size : step->after_size;
    /* In a transaction the table and its LSIs pay twice, GSIs, which follow later, once. */
    int64_t times = step->mode == PK_WRITE_IN_TRANSACTION ? 2 : 1;

    result->cost = pk_cost_new(call->arena, step->table, true);
    result->cost.table_milli = times * pk_cost_write(bytes);
    for (size_t i = 0; i < step->table->index_count; i++) {
        const struct pk_index_effect *effect = &step->effects[i];
        int64_t milli = (int64_t)effect->units * 1000;

        if (milli > 0)
            pk_cost_add_index(&result->cost, call->arena, effect->index,
                              effect->index->local ? times * milli : milli);
    }
}

void pk_write_report(struct pk_call *call, const struct pk_write_step *step,
                     struct pk_write_result *result)
{
    *result = (struct pk_write_result){
        .old_item = step->before,
        .collection_key = pk_value_missing(),
        .facts = {.partition = step->partition,
                  .partitions_touched = 1,
                  .partition_count = step->table->partitions.count},
    };
    if (step->request->kind != PK_WRITE_CHECK) {
        result->new_item = step->after;
        result->facts.bytes = step->after_size;
    }
    if (step->table->local_count > 0) {
        struct pk_member *member = PK_NEW(call->arena, struct pk_member);

        member->name = pk_arena_dup(call->arena, step->table->key.hash[0].name);
        member->value = pk_value_dup(call->arena, step->key.pk);
        result->collection_key = pk_value_map(member, 1);
        result->collection_bytes = step->collection_bytes;
    }
    report_cost(call, step, result);
    pk_capacity_facts(step->demands, step->demand_count, &result->facts);
}

/* One write alone ------------------------------------------------------------------------------*/

static enum pk_code commit_one(struct pk_engine *engine, struct pk_call *call,
                               struct pk_write_step *step, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_collection_size size = {0};
    struct pk_collection_sizes sizes = {&size, 0};
    enum pk_code rc = pk_write_decide(engine, call, step, &sizes, err);

    rc = pk_write_admit(engine, call, step, rc, err);
    if (rc != PK_OK)
        return rc;
    pk_write_stage(engine, step, &batch);
    if (batch.count > 0) {
        pk_collection_stage(&sizes, &batch);
        rc = pk_store_commit(engine->store, &batch, engine->durability, err);
        if (rc == PK_OK) {
            pk_write_count(step);
            pk_write_show(engine, step);
        }
    }
    pk_write_settle(step);
    pk_batch_release(&batch);
    return rc;
}

/* Takes the latch of the newest descriptor's key; a step that is prepared already (in a batch) is
 * prepared again only when its descriptor became stale. */
static enum pk_code prepare_latched(struct pk_engine *engine, struct pk_call *call,
                                    struct pk_write_step *step, struct pk_error *err)
{
    for (;;) {
        enum pk_code rc = PK_OK;

        if (step->table == NULL)
            rc = pk_write_prepare(engine, call, step, err);
        if (rc != PK_OK)
            return rc;
        if (pk_capacity_delays(engine) && step->table->index_count > step->table->local_count)
            pk_propagate_now(engine, step->table);
        /* A batch waits for the transaction instead: it cannot say which of its items failed. */
        if (step->mode == PK_WRITE_ALONE && pk_inflight_has(&engine->inflight, step->row))
            return pk_fail(err, PK_E_TXN_CONFLICT, "Transaction is ongoing for the item");
        pk_latch_lock(&engine->latches, step->stripe);
        if (!pk_table_is_stale(step->table))
            return PK_OK;
        pk_latch_unlock(&engine->latches, step->stripe);
        pk_write_release(step);
    }
}

enum pk_code pk_write_one(struct pk_engine *engine, struct pk_call *call,
                          struct pk_write_step *step, struct pk_write_result *result,
                          struct pk_error *err)
{
    enum pk_code rc = prepare_latched(engine, call, step, err);

    if (rc == PK_OK) {
        rc = commit_one(engine, call, step, err);
        pk_latch_unlock(&engine->latches, step->stripe);
    }
    if (rc == PK_OK)
        pk_write_report(call, step, result);
    pk_write_release(step);
    return rc;
}

enum pk_code pk_engine_write(struct pk_engine *engine, struct pk_call *call,
                             const struct pk_write *request, struct pk_write_result *result,
                             struct pk_error *err)
{
    struct pk_write_step step = {.request = request, .mode = PK_WRITE_ALONE};

    return pk_write_one(engine, call, &step, result, err);
}
