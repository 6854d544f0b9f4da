/* UpdateTimeToLive and DescribeTimeToLive (operations.md §9). */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"

enum pk_code api_update_time_to_live(struct api_call *call, const struct cJSON *request,
                                     struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *given = api_json_member(request, "TimeToLiveSpecification");
    struct pk_ttl_change change = {
        .table = api_get_table(arena, request, "TableName"),
        .attribute = api_get_text(arena, given, "AttributeName"),
        .enabled = api_get_bool(given, "Enabled"),
    };
    enum pk_code rc = pk_engine_update_ttl(call->engine, &change, err);

    if (rc != PK_OK)
        return rc;
    json_out_member(out, "TimeToLiveSpecification");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "AttributeName", change.attribute);
    json_out_member(out, "Enabled");
    json_out_bool(out, change.enabled);
    pk_buf_add_byte(out, '}');
    return PK_OK;
}

static const char *status_name(enum pk_ttl_state state)
{
    switch (state) {
    case PK_TTL_OFF:
        break;
    case PK_TTL_FILLING:
        return "ENABLING";
    case PK_TTL_ON:
        return "ENABLED";
    case PK_TTL_CLEARING:
        return "DISABLING";
    }
    return "DISABLED";
}

enum pk_code api_describe_time_to_live(struct api_call *call, const struct cJSON *request,
                                       struct pk_buf *out, struct pk_error *err)
{
    pk_slice name = api_get_table(call->call.arena, request, "TableName");
    struct pk_table *table = pk_engine_table(call->engine, name);

    if (table == NULL)
        return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found: Table: %.*s not found",
                       PK_FMT(name));
    json_out_member(out, "TimeToLiveDescription");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "TimeToLiveStatus", pk_slice_cstr(status_name(table->ttl)));
    if (table->ttl_attribute.data != NULL)
        json_out_member_text(out, "AttributeName", table->ttl_attribute);
    pk_buf_add_byte(out, '}');
    pk_table_unref(table);
    return PK_OK;
}
