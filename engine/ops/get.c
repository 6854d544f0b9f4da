/* See the header. */
#include "engine/ops/get.h"

#include "engine/ops/cost.h"
#include "engine/ops/read_check.h"
#include "engine/store/key_code.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"

enum pk_code pk_get_prepare(struct pk_call *call, const struct pk_get *request,
                            struct pk_get_step *step, struct pk_error *err)
{
    step->fault = pk_item_key_take(step->table, request->key, PK_KEY_OF_REQUEST, &step->key, err);
    if (step->fault != PK_KEY_FINE)
        return err->code;
    step->row = pk_item_key_row(step->table, &step->key, call->arena);
    return pk_check_scalar_keys(step->table, NULL, request->projection, err);
}

enum pk_code pk_get_read(struct pk_call *call, const struct pk_snap *snap, struct pk_get_step *step,
                         struct pk_error *err)
{
    struct pk_buf record = PK_BUF_INIT;
    pk_view item = PK_VIEW_MISSING;
    size_t size = 0;
    bool found = false;
    enum pk_code rc = pk_snap_get(snap, step->row, &record, &found, err);

    if (rc == PK_OK && found && !pk_record_open(pk_buf_slice(&record), &item, &size))
        rc = pk_fail(err, PK_E_CORRUPT, "an item of table '%.*s' is damaged",
                     PK_FMT(step->table->name));
    if (rc == PK_OK && found) {
        step->item = pk_arena_dup(call->arena, item);
        step->item_size = size;
    }
    pk_buf_release(&record);
    return rc;
}

struct pk_facts pk_get_facts(const struct pk_get_step *step)
{
    const struct pk_partitions *partitions = &step->table->partitions;
    uint64_t found = step->item.len > 0 ? 1 : 0;

    return (struct pk_facts){
        .partition = pk_partitions_find(partitions, pk_layout_position(step->row)),
        .partitions_touched = 1,
        .partition_count = partitions->count,
        .bytes = step->item_size,
        .items_read = found,
        .items_returned = found,
    };
}

/* True when an earlier step read the same table. */
static bool goes_on(const struct pk_get_step *steps, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (steps[k].table->id == steps[i].table->id)
            return true;
    }
    return false;
}

void pk_get_show(struct pk_engine *engine, struct pk_call *call, const struct pk_get_step *steps,
                 size_t count)
{
    if (call->unnoted || !pk_lease_is_taken(&engine->read_notes.lease))
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t row; /* there is one: nothing is allocated */
        struct pk_reading reading = {
            .wanted = true, .goes_on = goes_on(steps, i), .rows = &row, .cap = 1};
        uint32_t id = steps[i].table->id;

        if (steps[i].item.len > 0)
            pk_reading_add(&reading, call->arena, steps[i].row, true);
        pk_read_notes_put(&engine->read_notes, id, id, &reading);
    }
}

struct pk_demand pk_get_demand(const struct pk_get_step *step, enum pk_consistency consistency)
{
    return (struct pk_demand){.table = step->table,
                              .access = PK_ACCESS_READ,
                              .milli = pk_cost_read(0, consistency),
                              .eventual = consistency == PK_EVENTUAL,
                              .row = step->row};
}

static void report(struct pk_call *call, enum pk_consistency consistency,
                   const struct pk_get_step *step, struct pk_get_result *result)
{
    *result = (struct pk_get_result){
        .item = step->item,
        .cost = pk_cost_new(call->arena, step->table, false),
        .facts = pk_get_facts(step),
    };
    result->cost.table_milli = pk_cost_read(step->item_size, consistency);
}

/* With the table as it is now. */
struct attempt {
    const struct pk_get *request;
    struct pk_get_result *result;
    struct pk_get_step step;
    bool stale; /* out: it was redefined or dropped meanwhile; what was read may be half gone */
};

static enum pk_code get_once(struct pk_engine *engine, struct pk_call *call,
                             struct attempt *attempt, struct pk_error *err)
{
    const struct pk_get *request = attempt->request;
    struct pk_get_step *step = &attempt->step;
    struct pk_get_result *result = attempt->result;
    enum pk_consistency consistency = request->consistent ? PK_STRONG : PK_EVENTUAL;
    struct pk_demand demand;
    enum pk_code rc = pk_get_prepare(call, request, step, err);

    if (rc != PK_OK)
        return rc;
    demand = pk_get_demand(step, consistency);
    rc = pk_capacity_admit(engine, &demand, 1, err);
    if (rc == PK_OK)
        rc = pk_get_read(call, pk_store_live(engine->store), step, err);
    attempt->stale = pk_table_is_stale(step->table);
    if (rc != PK_OK || attempt->stale) {
        pk_capacity_settle(&demand, 0);
        return rc;
    }
    pk_get_show(engine, call, step, 1);
    report(call, consistency, step, result);
    pk_capacity_settle(&demand, result->cost.table_milli);
    pk_capacity_facts(&demand, 1, &result->facts);
    return PK_OK;
}

enum pk_code pk_engine_get(struct pk_engine *engine, struct pk_call *call,
                           const struct pk_get *request, struct pk_get_result *result,
                           struct pk_error *err)
{
    for (;;) {
        struct attempt attempt = {.request = request, .result = result};
        enum pk_code rc = pk_engine_need_table(engine, request->table, &attempt.step.table, err);

        if (rc != PK_OK)
            return rc;
        rc = get_once(engine, call, &attempt, err);
        pk_table_unref(attempt.step.table);
        if (rc != PK_OK || !attempt.stale)
            return rc;
    }
}

/* Several --------------------------------------------------------------------------------------*/

static void release_tables(struct pk_get_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        pk_table_unref(set->steps[i].table);
        set->steps[i].table = NULL;
    }
}

void pk_get_set_release(struct pk_get_set *set)
{
    pk_snap_free(set->snap);
    set->snap = NULL;
    release_tables(set);
}

static bool any_stale(const struct pk_get_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (pk_table_is_stale(set->steps[i].table))
            return true;
    }
    return false;
}

enum pk_code pk_get_set_open(struct pk_engine *engine, struct pk_call *call,
                             const struct pk_get *requests, struct pk_get_set *set,
                             struct pk_error *err)
{
    set->steps = PK_NEW_ARRAY(call->arena, struct pk_get_step, set->count);
    for (;;) {
        enum pk_code rc = PK_OK;

        for (size_t i = 0; i < set->count && rc == PK_OK; i++)
            rc = pk_engine_need_table(engine, requests[i].table, &set->steps[i].table, err);
        if (rc != PK_OK) {
            release_tables(set);
            return rc;
        }
        set->snap = pk_snap_new(engine->store);
        if (!any_stale(set))
            return PK_OK;
        pk_get_set_release(set);
    }
}
