#include "commands/entries.h"
#include "commands/page.h"

enum pk_code cmd_query_request(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_request *request, struct pk_error *err)
{
    static const struct cmd_args_spec spec = {
        .command = "query",
        .allowed = CMD_CLAUSE_BIT(CMD_CLAUSE_FROM) | CMD_CLAUSE_BIT(CMD_CLAUSE_ON) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_WHERE) | CMD_CLAUSE_BIT(CMD_CLAUSE_SELECT) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_LIMIT) | CMD_CLAUSE_BIT(CMD_CLAUSE_PAGES) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_ASC) | CMD_CLAUSE_BIT(CMD_CLAUSE_DESC) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_STRONG) | CMD_CLAUSE_BIT(CMD_CLAUSE_AFTER),
        .key_first = true,
    };
    struct cmd_args args;
    enum pk_code rc = cmd_request_open(context, statement, &spec, &args, request, err);

    request->operation = "Query";
    if (rc == PK_OK)
        rc = cmd_request_range(&args, request, err);
    if (rc == PK_OK)
        rc = cmd_request_read_clauses(context, &args, request, err);
    if (rc == PK_OK)
        cmd_request_close(request);
    return rc;
}

static enum pk_code query_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    return cmd_run_reading(context, statement, cmd_query_request, result, err);
}

const struct cmd_entry cmd_query_entry = {
    .name = "query",
    .group = CMD_GROUP_DATA,
    .usage = "PK [RANGE] [clauses]  |  query KEY-CONDITION [clauses]",
    .summary = "read the items of one partition key, or a range of them (Query)",
    .detail = "RANGE of the sort key: value, prefix*, a..b, a.., ..b, < <= > >= value,\n"
              "  begins_with value, between value and value\n"
              "clauses: from TABLE, on INDEX, where COND, select PATHS, limit N, pages N|all,\n"
              "  asc, desc, strong, after KEY\n"
              "  query USER#123 ORDER#* desc limit 10\n"
              "  query PK = 'USER#123' and begins_with(SK, 'ORDER#') where total > 20",
    .flags = CMD_READONLY | CMD_NO_TXN,
    .complete = cmd_complete_data,
    .run = query_run,
};
