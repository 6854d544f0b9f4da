#include "commands/entries.h"
#include "commands/item_commands.h"

enum pk_code cmd_get_request(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_request *request, struct pk_error *err)
{
    static const struct cmd_args_spec spec = {
        .command = "get",
        .allowed = CMD_CLAUSE_BIT(CMD_CLAUSE_FROM) | CMD_CLAUSE_BIT(CMD_CLAUSE_SELECT) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_STRONG),
        .key_first = true,
    };
    struct cmd_args args;
    enum pk_code rc = cmd_request_open(context, statement, &spec, &args, request, err);

    request->operation = "GetItem";
    if (rc == PK_OK)
        rc = cmd_request_key(&args, request, err);
    if (rc == PK_OK)
        rc = cmd_request_paths(&args, request, err);
    if (rc == PK_OK)
        rc = cmd_request_strong(context, &args, request, err);
    if (rc == PK_OK)
        cmd_request_close(request);
    return rc;
}

static enum pk_code get_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    return cmd_run_item(context, statement, cmd_get_request, result, err);
}

const struct cmd_entry cmd_get_entry = {
    .name = "get",
    .group = CMD_GROUP_DATA,
    .usage = "KEY [from TABLE] [select PATHS] [strong]",
    .summary = "read one item by its whole key (GetItem)",
    .detail = "KEY is the partition key's value and, where the table has one, the sort key's:\n"
              "  get USER#123 PROFILE        get {PK: 'USER#123', SK: PROFILE}\n"
              "select a, b.c[0] shows parts; strong reads what was written last.",
    .flags = CMD_READONLY,
    .complete = cmd_complete_data,
    .run = get_run,
};
