/*
 * How far global indexes are behind: an operation of ours.
 *
 *   Pksk.IndexLag  {TableName} → Indexes [{IndexName, Waiting, OldestMs}]
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/json_out.h"

static enum pk_code add_index(struct api_call *call, const struct pk_table *table, size_t i,
                              struct pk_buf *out, struct pk_error *err)
{
    struct pk_index_lag lag = {0};
    enum pk_code rc =
        pk_engine_index_lag(call->engine, &call->call, table, &table->indexes[i], &lag, err);

    if (rc != PK_OK)
        return rc;
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "IndexName", table->indexes[i].name);
    json_out_member(out, "Waiting");
    json_out_uint(out, lag.waiting);
    json_out_member(out, "OldestMs");
    json_out_int(out, lag.oldest_ms);
    pk_buf_add_byte(out, '}');
    return PK_OK;
}

enum pk_code api_pksk_index_lag(struct api_call *call, const struct cJSON *request,
                                struct pk_buf *out, struct pk_error *err)
{
    struct pk_table *table =
        pk_engine_table(call->engine, api_get_table(call->call.arena, request, "TableName"));
    enum pk_code rc = PK_OK;

    if (table == NULL)
        return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
    json_out_member(out, "Indexes");
    pk_buf_add_byte(out, '[');
    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++)
        rc = add_index(call, table, i, out, err);
    pk_buf_add_byte(out, ']');
    pk_table_unref(table);
    return rc;
}
