/* Sending a request and reading its answer: the one way from a command to the API. */
#include "commands/cmd.h"

#include "commands/wire.h"

/* A value's stored form into err: the old item of a failed condition. */
static void take_old_item(struct pk_error *err, const cJSON *body)
{
    struct pk_arena arena = PK_ARENA_INIT;
    pk_value item = cmd_wire_read_item(&arena, cJSON_GetObjectItemCaseSensitive(body, "Item"));

    if (pk_value_kind(item) == PK_MAP)
        pk_error_set_item(err, pk_view_of(&arena, item));
    pk_arena_release(&arena);
}

/* The reason's code as static text, as struct pk_cancel_reason wants it. */
static const char *reason_code(pk_slice code)
{
    static const char *const codes[] = {
        "None",
        "ConditionalCheckFailed",
        "ValidationError",
        "ItemCollectionSizeLimitExceeded",
        "TransactionConflict",
        "ProvisionedThroughputExceeded",
        "ThrottlingError",
        "DuplicateItem",
    };

    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        if (pk_slice_is(code, codes[i]))
            return codes[i];
    }
    return "Other";
}

static void take_reason(struct pk_cancel_reason *reason, const cJSON *node)
{
    struct pk_arena arena = PK_ARENA_INIT;
    pk_slice message = cmd_wire_text(node, "Message");
    pk_value item = cmd_wire_read_item(&arena, cJSON_GetObjectItemCaseSensitive(node, "Item"));

    reason->code = reason_code(cmd_wire_text(node, "Code"));
    if (message.data != NULL)
        reason->message = pk_memdup_cstr(message.data, message.len);
    if (pk_value_kind(item) == PK_MAP) {
        pk_view stored = pk_view_of(&arena, item);

        reason->item = pk_memdup_cstr(stored.data, stored.len);
        reason->item_len = stored.len;
    }
    pk_arena_release(&arena);
}

static void take_reasons(struct pk_error *err, const cJSON *body)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(body, "CancellationReasons");
    const cJSON *node;
    int count = cJSON_GetArraySize(list);

    if (!cJSON_IsArray(list) || count <= 0)
        return;
    err->reasons = pk_calloc((size_t)count, sizeof(*err->reasons));
    cJSON_ArrayForEach(node, list) take_reason(&err->reasons[err->reason_count++], node);
}

/* An error answer as an error. The body's own words; only a foreign endpoint's code that we do not
 * know is kept by name in the message. */
static enum pk_code take_error(const struct cmd_response *response, const cJSON *body,
                               struct pk_error *err)
{
    pk_slice type = cmd_wire_text(body, "__type");
    pk_slice message = cmd_wire_text(body, "message");
    enum pk_code code = response->code;

    if (message.data == NULL)
        message = cmd_wire_text(body, "Message");
    if (code == PK_OK) {
        pk_fail(err, PK_E_INTERNAL, "HTTP %d %.*s: %.*s", response->http, PK_FMT(type),
                PK_FMT(message));
        return err->code;
    }
    pk_fail(err, code, "%.*s", PK_FMT(message));
    if (response->hint != NULL)
        pk_error_hint(err, "%s", response->hint);
    take_old_item(err, body);
    take_reasons(err, body);
    return code;
}

static enum pk_code read_answer(const struct cmd_response *response, cJSON **answer,
                                struct pk_error *err)
{
    cJSON *body = cmd_wire_parse(pk_buf_slice(&response->body));
    enum pk_code rc = PK_OK;

    if (response->http != 200 || response->code != PK_OK)
        rc = take_error(response, body, err);
    else if (body == NULL)
        rc = pk_fail(err, PK_E_INTERNAL, "the answer is not JSON");
    if (rc != PK_OK) {
        cJSON_Delete(body);
        return rc;
    }
    *answer = body;
    return PK_OK;
}

enum pk_code cmd_call(struct cmd_context *context, const char *operation,
                      const struct cJSON *request, struct cJSON **answer, struct cmd_response *raw,
                      struct pk_error *err)
{
    struct cmd_response own = CMD_RESPONSE_INIT;
    struct cmd_response *response = raw != NULL ? raw : &own;
    struct pk_buf body = PK_BUF_INIT;
    enum pk_code rc;

    cmd_wire_print(&body, request);
    context->backend->ops->call(context->backend, pk_slice_cstr(operation), pk_buf_slice(&body),
                                context->cancel, response);
    rc = read_answer(response, answer, err);
    pk_buf_release(&body);
    cmd_response_release(&own);
    return rc;
}
