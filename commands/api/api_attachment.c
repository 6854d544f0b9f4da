/* Pksk.PutAttachment and Pksk.GetAttachment: text kept beside a table (engine/ops.h). */
#include "commands/api/api.h"

#include "commands/api/api_check.h"
#include "commands/api/json_out.h"

enum pk_code api_pksk_put_attachment(struct api_call *call, const struct cJSON *request,
                                     struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;

    (void)out;
    return pk_engine_set_attachment(call->engine, api_get_table(arena, request, "TableName"),
                                    api_get_text(arena, request, "Attachment"), err);
}

enum pk_code api_pksk_get_attachment(struct api_call *call, const struct cJSON *request,
                                     struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    pk_slice text = {NULL, 0};
    enum pk_code rc = pk_engine_attachment(call->engine, &call->call,
                                           api_get_table(arena, request, "TableName"), &text, err);

    if (rc == PK_OK && text.len > 0)
        json_out_member_text(out, "Attachment", text);
    return rc;
}
