/* Sending a request and reading its answer: the one way from a command to the API. */
#include "commands/cmd.h"

#include "commands/answer.h"
#include "commands/spent.h"
#include "commands/trace.h"
#include "commands/wire.h"

/* A value's stored form into err: the old item of a failed condition. */
static void take_old_item(struct pk_error *err, const cJSON *body)
{
    struct pk_arena arena = PK_ARENA_INIT;
    pk_value item = cmd_wire_read_item(&arena, cJSON_GetObjectItemCaseSensitive(body, "Item"));

    if (pk_value_kind(item) == PK_MAP && cmd_wire_is_whole(item))
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
    if (pk_value_kind(item) == PK_MAP && cmd_wire_is_whole(item)) {
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

/* AWS says no more than the type. */
static void say_unknown(const struct cmd_context *context, const char *operation,
                        struct pk_error *err)
{
    if (context->backend->extensions)
        pk_fail(err, PK_E_UNKNOWN_OPERATION, "there is no operation '%s'", operation);
    else
        pk_fail(err, PK_E_UNKNOWN_OPERATION, "%s has no operation '%s'", context->backend->endpoint,
                operation);
}

/* "index by_status", or "the table". */
static void add_resource(struct pk_buf *out, pk_slice resource)
{
    static const char part[] = "/index/";

    for (size_t i = 0; i + sizeof(part) - 1 < resource.len; i++) {
        if (pk_slice_starts(pk_slice_skip(resource, i), pk_slice_cstr(part))) {
            pk_slice name = pk_slice_skip(resource, i + sizeof(part) - 1);

            pk_buf_printf(out, "index %.*s", PK_FMT(name));
            return;
        }
    }
    pk_buf_add_cstr(out, "the table");
}

static bool ends_with(pk_slice text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && memcmp(text.data + text.len - len, end, len) == 0;
}

/* Which limit of what refused, and where: the first of ThrottlingReasons. */
static void hint_throttling(const struct cmd_response *response, const cJSON *body,
                            struct pk_error *err)
{
    static const struct {
        const char *limit, *means;
    } rows[] = {
        {"KeyRangeThroughputExceeded", "one partition of "},
        {"ProvisionedThroughputExceeded", "the provisioned throughput of "},
        {"MaxOnDemandThroughputExceeded", "the ceiling that was set for "},
        {"AccountLimitExceeded", "the account's quota for "},
    };
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(body, "ThrottlingReasons");
    struct pk_buf out = PK_BUF_INIT;
    pk_slice reason;

    if (list == NULL)
        list = cJSON_GetObjectItemCaseSensitive(body, "throttlingReasons");
    reason = cmd_wire_text(cJSON_IsArray(list) ? list->child : NULL, "reason");
    if (reason.len == 0)
        return;
    pk_buf_printf(&out, "%.*s", PK_FMT(reason));
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (!ends_with(reason, rows[i].limit))
            continue;
        pk_buf_printf(&out, ": %s", rows[i].means);
        add_resource(&out, cmd_wire_text(list->child, "resource"));
        pk_buf_add_cstr(&out, " is used up");
        if (i == 0 && response->facts.partition_count > 0)
            pk_buf_printf(&out, ", partition %u of %u", response->facts.partition,
                          response->facts.partition_count);
    }
    pk_error_hint(err, "%.*s", PK_FMT(pk_buf_slice(&out)));
    pk_buf_release(&out);
}

static enum pk_code take_words(const struct cmd_context *context, const char *operation,
                               const struct cmd_response *response, const cJSON *body,
                               struct pk_error *err)
{
    pk_slice message = cmd_wire_text(body, "message");

    if (message.data == NULL)
        message = cmd_wire_text(body, "Message");
    pk_fail(err, response->code == PK_OK ? PK_E_INTERNAL : response->code, "%.*s", PK_FMT(message));
    if (err->code == PK_E_UNKNOWN_OPERATION && message.len == 0)
        say_unknown(context, operation, err);
    if (err->code == PK_E_FOREIGN && cmd_answer_type(body).len > 0)
        pk_error_set_name(err, cmd_answer_type(body));
    hint_throttling(response, body, err);
    if (response->hint != NULL)
        pk_error_hint(err, "%s", response->hint);
    return err->code;
}

enum pk_code cmd_take_error(const struct cmd_context *context, const char *operation,
                            const struct cmd_response *response, struct pk_error *err)
{
    cJSON *body = cmd_wire_parse(pk_buf_slice(&response->body));
    enum pk_code rc = take_words(context, operation, response, body, err);

    cJSON_Delete(body);
    return rc;
}

enum pk_code cmd_fail_foreign(const struct cmd_context *context, const char *command,
                              struct pk_error *err)
{
    pk_fail(err, PK_E_USAGE, "'%s' asks operations of pksk's own, which %s does not have", command,
            context->backend->endpoint);
    pk_error_hint(err, "connect local goes back to the embedded engine");
    return PK_E_USAGE;
}

enum pk_code cmd_read_answer(const struct cmd_context *context, const char *operation,
                             const struct cmd_response *response, cJSON **answer,
                             struct pk_error *err)
{
    bool empty = response->body.len == 0; /* TagResource's answer; {} as far as we care */
    cJSON *body = empty ? cJSON_CreateObject() : cmd_wire_parse(pk_buf_slice(&response->body));
    enum pk_code rc = PK_OK;

    if (response->http != 200 || response->code != PK_OK) {
        rc = take_words(context, operation, response, body, err);
        take_old_item(err, body);
        take_reasons(err, body);
    } else if (body == NULL) {
        rc = pk_fail(err, PK_E_INTERNAL, "the answer is not JSON");
    }
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

    if (!context->backend->extensions && strncmp(operation, "Pksk.", 5) == 0) {
        say_unknown(context, operation, err);
        return err->code;
    }
    cmd_wire_print(&body, request);
    context->backend->ops->call(context->backend, pk_slice_cstr(operation), pk_buf_slice(&body),
                                context->cancel, response);
    rc = cmd_read_answer(context, operation, response, answer, err);
    if (rc == PK_OK)
        cmd_spent_add(context, operation, request, *answer);
    cmd_trace_add(context, operation, request, response);
    pk_buf_release(&body);
    cmd_response_release(&own);
    return rc;
}
