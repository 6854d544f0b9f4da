#include "commands/entries.h"
#include "commands/page.h"
#include "commands/wire.h"

/* segment i/n, i from 0 */
static enum pk_code read_segment(const struct cmd_args *args, struct cmd_request *request,
                                 struct pk_error *err)
{
    const char *slash;
    struct pk_span body;
    pk_slice text;
    int64_t segment = 0, total = 0;
    enum pk_code rc = cmd_args_body(args, CMD_CLAUSE_SEGMENT, &body, err);

    if (rc != PK_OK || body.len == 0)
        return rc;
    request->segment = body;
    text = pk_slice_of(args->text.data + body.start, body.len);
    slash = memchr(text.data, '/', text.len);
    if (slash != NULL) {
        pk_slice left = pk_slice_of(text.data, (size_t)(slash - text.data));
        bool zero = pk_slice_is(left, "0");

        if ((zero || cmd_parse_count(left, INT32_MAX, &segment)) &&
            cmd_parse_count(pk_slice_skip(text, left.len + 1), INT32_MAX, &total)) {
            cmd_wire_set_int(request->json, "Segment", zero ? 0 : segment);
            cmd_wire_set_int(request->json, "TotalSegments", total);
            return PK_OK;
        }
    }
    return pk_fail_at(err, PK_E_USAGE, body, "expected a segment as 0/4: the first of four");
}

enum pk_code cmd_scan_request(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_request *request, struct pk_error *err)
{
    static const struct cmd_args_spec spec = {
        .command = "scan",
        .allowed = CMD_CLAUSE_BIT(CMD_CLAUSE_FROM) | CMD_CLAUSE_BIT(CMD_CLAUSE_ON) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_WHERE) | CMD_CLAUSE_BIT(CMD_CLAUSE_SELECT) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_LIMIT) | CMD_CLAUSE_BIT(CMD_CLAUSE_PAGES) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_STRONG) | CMD_CLAUSE_BIT(CMD_CLAUSE_AFTER) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_SEGMENT),
    };
    struct cmd_args args;
    enum pk_code rc = cmd_request_open(context, statement, &spec, &args, request, err);

    request->operation = "Scan";
    if (rc == PK_OK && args.head.len > 0) {
        pk_fail_at(err, PK_E_USAGE, args.head, "scan takes no key: it reads everything");
        pk_error_hint(err, "query %.*s reads by key; scan from %.*s names a table",
                      (int)args.head.len, args.text.data + args.head.start, (int)args.head.len,
                      args.text.data + args.head.start);
        return PK_E_USAGE;
    }
    if (rc == PK_OK)
        rc = cmd_request_read_clauses(context, &args, request, err);
    if (rc == PK_OK)
        rc = read_segment(&args, request, err);
    if (rc == PK_OK)
        cmd_request_close(request);
    return rc;
}

static enum pk_code scan_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    return cmd_run_reading(context, statement, cmd_scan_request, result, err);
}

const struct cmd_entry cmd_scan_entry = {
    .name = "scan",
    .group = CMD_GROUP_DATA,
    .usage = "[clauses] [segment I/N]",
    .summary = "read a whole table or index, and pay for all of it (Scan)",
    .detail = "clauses: from TABLE, on INDEX, where COND, select PATHS, limit N, pages N|all,\n"
              "  strong, after KEY\n"
              "  scan where total > 20 and status = 'paid' select PK, total",
    .flags = CMD_READONLY | CMD_NO_TXN,
    .complete = cmd_complete_data,
    .run = scan_run,
};
