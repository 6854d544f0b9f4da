/* count query … | count scan …: Select=COUNT over all pages. */
#include "commands/entries.h"
#include "commands/page.h"
#include "commands/wire.h"

enum pk_code cmd_count_request(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_request *request, struct pk_error *err)
{
    pk_slice rest = pk_slice_skip(statement->text, statement->args);
    struct cmd_statement inner = {statement->text, 0};
    pk_slice word = cmd_word_at(rest, 0);
    cmd_request_builder *build = NULL;
    enum pk_code rc;

    if (cmd_word_is(word, "query"))
        build = cmd_query_request;
    else if (cmd_word_is(word, "scan"))
        build = cmd_scan_request;
    if (build == NULL) {
        struct pk_span span = {(uint32_t)statement->args, (uint32_t)word.len};

        pk_fail_at(err, PK_E_USAGE, span, "expected 'query' or 'scan' after 'count'");
        pk_error_hint(err, "count query USER#123 ORDER#*     count scan from TABLE");
        return PK_E_USAGE;
    }
    inner.args = cmd_skip_blanks(statement->text, statement->args + word.len);
    rc = build(context, &inner, request, err);
    if (rc != PK_OK)
        return rc;
    if (request->expressions[PK_EXPR_PROJECTION].text.len > 0)
        return pk_fail_at(err, PK_E_USAGE, request->paths, "a count has no attributes to select");
    if (request->pages > 0)
        return pk_fail_at(err, PK_E_USAGE, request->pages_span, "a count reads all pages");
    request->count = true;
    cmd_wire_set_text(request->json, "Select", PK_LIT("COUNT"));
    return PK_OK;
}

static enum pk_code count_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    return cmd_run_reading(context, statement, cmd_count_request, result, err);
}

const struct cmd_entry cmd_count_entry = {
    .name = "count",
    .group = CMD_GROUP_DATA,
    .usage = "query … | count scan …",
    .summary = "count what a query or scan finds, over all pages (Select=COUNT)",
    .detail = "Counting reads, and costs, what the query or scan would.",
    .flags = CMD_READONLY | CMD_NO_TXN | CMD_WRAPS,
    .complete = cmd_complete_data,
    .run = count_run,
};
