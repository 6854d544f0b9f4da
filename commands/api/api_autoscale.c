/*
 * Auto scaling, which on AWS is another service (Application Auto Scaling):
 *
 *   Pksk.AutoScale {TableName, IndexName?, Read?: TARGET, Write?: TARGET, Off?: true}
 *   → {"TableName","Read":TARGET?,"Write":TARGET?,
 *      "Indexes":[{"IndexName","Read":TARGET?,"Write":TARGET?}]}      GSIs with a target only
 *   TARGET = {"Min":units/s,"Max":units/s,"Target":percent}
 *
 * What is not given stays as it is; Off ends both of the table's, or the index's. With none of
 * them nothing changes.
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"

static bool read_target(const struct cJSON *request, const char *name, struct pk_scaling *scaling)
{
    const struct cJSON *node = api_json_member(request, name);

    if (node == NULL)
        return false;
    scaling->min = api_json_int(api_json_member(node, "Min"));
    scaling->max = api_json_int(api_json_member(node, "Max"));
    scaling->target_percent = api_json_int(api_json_member(node, "Target"));
    return true;
}

static void add_target(struct pk_buf *out, const char *name, const struct pk_scaling *scaling)
{
    if (scaling->max == 0)
        return;
    json_out_member(out, name);
    pk_buf_add_byte(out, '{');
    json_out_member(out, "Min");
    json_out_int(out, scaling->min);
    json_out_member(out, "Max");
    json_out_int(out, scaling->max);
    json_out_member(out, "Target");
    json_out_int(out, scaling->target_percent);
    pk_buf_add_byte(out, '}');
}

static void add_targets(struct pk_buf *out, const struct pk_throughput *throughput)
{
    add_target(out, "Read", &throughput->scale_read);
    add_target(out, "Write", &throughput->scale_write);
}

static void add_table(struct pk_buf *out, const struct pk_table *table)
{
    json_out_member_text(out, "TableName", table->name);
    add_targets(out, &table->throughput);
    json_out_member(out, "Indexes");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];

        if (index->throughput.scale_read.max == 0 && index->throughput.scale_write.max == 0)
            continue;
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "IndexName", index->name);
        add_targets(out, &index->throughput);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

enum pk_code api_pksk_autoscale(struct api_call *call, const struct cJSON *request,
                                struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct pk_scaling read = {0}, write = {0};
    bool off = api_get_bool(request, "Off");
    struct pk_autoscale_change change = {
        .table = api_get_table(arena, request, "TableName"),
        .index = api_get_text(arena, request, "IndexName"),
    };
    struct pk_table *table = NULL;
    enum pk_code rc;

    if (read_target(request, "Read", &read) || off)
        change.read = &read;
    if (read_target(request, "Write", &write) || off)
        change.write = &write;
    if (off && (read.max != 0 || write.max != 0))
        return pk_fail(err, PK_E_VALIDATION, "Off stands without Read and Write");
    rc = pk_engine_set_autoscale(call->engine, &change, &table, err);
    if (rc == PK_OK)
        add_table(out, table);
    pk_table_unref(table);
    return rc;
}
