/* See the header. */
#include "engine/ops/get.h"

#include "engine/ops/cost.h"
#include "engine/ops/read_check.h"
#include "engine/store/key_code.h"
#include "engine/table/descriptor.h"

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

static void report(struct pk_call *call, const struct pk_get *request,
                   const struct pk_get_step *step, struct pk_get_result *result)
{
    const struct pk_table *table = step->table;

    *result = (struct pk_get_result){
        .item = step->item,
        .cost = pk_cost_new(call->arena, table, false),
        .facts = {.partition = pk_partition_of(pk_key_token(step->key.pk), table->partition_count),
                  .partitions_touched = 1,
                  .partition_count = table->partition_count,
                  .bytes = step->item_size},
    };
    result->cost.table_milli =
        pk_cost_read(step->item_size, request->consistent ? PK_STRONG : PK_EVENTUAL);
    if (step->item.len > 0) {
        result->facts.items_read = 1;
        result->facts.items_returned = 1;
    }
}

enum pk_code pk_engine_get(struct pk_engine *engine, struct pk_call *call,
                           const struct pk_get *request, struct pk_get_result *result,
                           struct pk_error *err)
{
    for (;;) {
        struct pk_get_step step = {0};
        bool stale;
        enum pk_code rc = pk_engine_need_table(engine, request->table, &step.table, err);

        if (rc != PK_OK)
            return rc;
        rc = pk_get_prepare(call, request, &step, err);
        if (rc == PK_OK)
            rc = pk_get_read(call, pk_store_live(engine->store), &step, err);
        stale = pk_table_is_stale(step.table);
        if (rc == PK_OK && !stale)
            report(call, request, &step, result);
        pk_table_unref(step.table);
        /* Redefined or dropped meanwhile: what was read may already be half gone. */
        if (rc != PK_OK || !stale)
            return rc;
    }
}
