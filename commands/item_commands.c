#include "commands/item_commands.h"

#include "commands/page.h"
#include "commands/txn.h"
#include "commands/wire.h"

static void show_item(const struct cmd_request *request, const cJSON *item,
                      struct cmd_result *result)
{
    pk_slice *keys;
    size_t key_count = cmd_key_names(&request->target, &result->arena, &keys);
    pk_value *row = PK_NEW(&result->arena, pk_value);

    if (item != NULL)
        *row = cmd_wire_read_item(&result->arena, item);
    cmd_show_items(result, row, item != NULL, keys, key_count);
}

void cmd_hint_wildcard(const struct cmd_context *context, const struct cmd_request *request,
                       struct cmd_result *result)
{
    pk_slice table = request->target.table->name;
    bool current = context->table != NULL && pk_slice_is(table, context->table);

    if (request->wildcard.len == 0)
        return;
    if (request->wildcard_hash)
        cmd_result_text(result, CMD_BLOCK_HINT,
                        "here '%.*s' is the key itself; a partition key is always given whole",
                        PK_FMT(request->wildcard));
    else
        cmd_result_text(result, CMD_BLOCK_HINT,
                        "here '%.*s' is the key itself; query reads ranges: query %.*s%s%.*s",
                        PK_FMT(request->wildcard), (int)request->key_span.len,
                        request->text.data + request->key_span.start, current ? "" : " from ",
                        current ? 0 : (int)table.len, table.data);
}

static void show_read(struct cmd_context *context, const struct cmd_request *request,
                      const cJSON *answer, const struct cmd_usage *usage, struct cmd_result *result)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(answer, "Item");
    struct cmd_footer footer = {
        .operation = request->operation,
        .consistency = request->strong ? CMD_STRONG : CMD_EVENTUAL,
        .items = true,
        .shown = item != NULL,
    };

    show_item(request, item, result);
    cmd_footer_read(context, result, usage, &footer);
    if (item == NULL)
        cmd_hint_wildcard(context, request, result);
}

static void show_write(struct cmd_context *context, const struct cmd_request *request,
                       const cJSON *answer, const struct cmd_usage *usage,
                       struct cmd_result *result)
{
    struct cmd_footer footer = {
        .operation = request->verb,
        .capacity = cJSON_GetObjectItemCaseSensitive(answer, "ConsumedCapacity"),
    };

    if (request->returns)
        show_item(request, cJSON_GetObjectItemCaseSensitive(answer, "Attributes"), result);
    cmd_footer_write(context, result, usage, &footer);
    if (strcmp(request->operation, "DeleteItem") == 0)
        cmd_hint_wildcard(context, request, result);
}

static enum pk_code send_item(struct cmd_context *context, struct cmd_request *request,
                              struct cmd_result *result, struct pk_error *err)
{
    struct cmd_usage usage = {0};
    cJSON *answer = NULL;
    enum pk_code rc = cmd_send(context, request, &answer, &usage, err);

    if (rc == PK_E_CONDITION_FAILED)
        cmd_failed_cost(pk_value_kind(request->item) == PK_MAP ? pk_item_size(request->item) : 0,
                        err, result);
    else if (rc == PK_OK && strcmp(request->operation, "GetItem") == 0)
        show_read(context, request, answer, &usage, result);
    else if (rc == PK_OK)
        show_write(context, request, answer, &usage, result);
    cJSON_Delete(answer);
    return rc;
}

enum pk_code cmd_run_item(struct cmd_context *context, const struct cmd_statement *statement,
                          cmd_request_builder *build, struct cmd_result *result,
                          struct pk_error *err)
{
    struct cmd_request request;
    enum pk_code rc;

    cmd_request_init(&request);
    rc = build(context, statement, &request, err);
    if (rc == PK_OK && context->txn != NULL)
        rc = cmd_txn_add(context, &request, result, err);
    else if (rc == PK_OK)
        rc = send_item(context, &request, result, err);
    cmd_request_release(&request);
    return rc;
}
