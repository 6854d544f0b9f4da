#include "commands/entries.h"
#include "commands/item_commands.h"

enum pk_code cmd_del_request(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_request *request, struct pk_error *err)
{
    static const struct cmd_args_spec spec = {
        .command = "del",
        .allowed = CMD_CLAUSE_BIT(CMD_CLAUSE_FROM) | CMD_CLAUSE_BIT(CMD_CLAUSE_IF) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_RETURN),
        .key_first = true,
    };
    struct cmd_args args;
    enum pk_code rc = cmd_request_open(context, statement, &spec, &args, request, err);

    request->operation = "DeleteItem";
    if (rc == PK_OK)
        rc = cmd_request_key(&args, request, err);
    if (rc == PK_OK)
        rc = cmd_request_condition(&args, CMD_CLAUSE_IF, PK_EXPR_CONDITION, request, err);
    if (rc == PK_OK)
        rc = cmd_request_returns(&args, false, request, err);
    if (rc == PK_OK)
        cmd_request_close_write(request);
    return rc;
}

static enum pk_code del_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    return cmd_run_item(context, statement, cmd_del_request, result, err);
}

const struct cmd_entry cmd_del_entry = {
    .name = "del",
    .group = CMD_GROUP_DATA,
    .usage = "KEY [from TABLE] [if COND] [return old]",
    .summary = "delete one item by its whole key (DeleteItem)",
    .detail = "  del USER#123 ORDER#1 if total < 50 return old\n"
              "Deleting an item that is not there succeeds, unless a condition asks for it.",
    .complete = cmd_complete_data,
    .run = del_run,
};
