/* api OPERATION {JSON}: any operation as it is, its answer as JSON. */
#include "commands/entries.h"
#include "commands/language/lex.h"
#include "commands/schema.h"
#include "commands/trace.h"
#include "commands/wire.h"
#include "engine/base/buf.h"

enum { OPERATION_MAX = 64 };

/* get-item and GetItem are both GetItem, pksk-snapshot and Pksk.Snapshot both Pksk.Snapshot. */
static bool operation_name(pk_slice word, char out[OPERATION_MAX])
{
    size_t len = 0;
    bool upper = true;

    for (size_t i = 0; i < word.len && len + 1 < OPERATION_MAX; i++) {
        char c = word.data[i];
        bool own = c == '.' || (i == 4 && cmd_word_is(pk_slice_of(word.data, 4), "pksk"));

        if (c == '-' || c == '_' || c == '.') {
            if (own)
                out[len++] = '.';
            upper = true;
            continue;
        }
        out[len++] = upper && c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
        upper = false;
    }
    out[len] = '\0';
    return len > 0 && word.len < OPERATION_MAX;
}

/* An operation that may have changed what tables look like. */
static bool changes_tables(const char *operation)
{
    return strstr(operation, "Table") != NULL;
}

static enum pk_code send_raw(struct cmd_context *context, const char *operation, pk_slice request,
                             struct cmd_result *result, struct pk_error *err)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct pk_buf text = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    context->backend->ops->call(context->backend, pk_slice_cstr(operation), request,
                                context->cancel, &response);
    cmd_trace_add_text(context, operation, request, &response);
    cmd_wire_pretty(&text, pk_buf_slice(&response.body));
    if (text.len > 0)
        cmd_result_text(result, CMD_BLOCK_TEXT, "%.*s", (int)text.len, text.data);
    if (response.http != 200) {
        rc = cmd_take_error(context, operation, &response, err);
    }
    if (changes_tables(operation))
        cmd_schema_drop(context);
    pk_buf_release(&text);
    cmd_response_release(&response);
    return rc;
}

static enum pk_code api_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    pk_slice word = cmd_word_at(statement->text, statement->args);
    size_t start = cmd_skip_blanks(statement->text, statement->args + word.len);
    pk_slice request = pk_slice_skip(statement->text, start);
    char operation[OPERATION_MAX];

    if (word.len == 0 || !operation_name(word, operation)) {
        pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)statement->args, (uint32_t)word.len},
                   "expected the name of an API operation");
        pk_error_hint(err, "api GetItem {\"TableName\": …, \"Key\": …}");
        return PK_E_USAGE;
    }
    return send_raw(context, operation, request.len == 0 ? PK_LIT("{}") : request, result, err);
}

const struct cmd_entry cmd_api_entry = {
    .name = "api",
    .group = CMD_GROUP_DATA,
    .usage = "OPERATION [{JSON request}]",
    .summary = "send any API operation as it is, show its answer as JSON",
    .detail =
        "  api get-item {\"TableName\": \"Music\", \"Key\": {\"Artist\": {\"S\": \"Acme\"}}}\n"
        "  api ListTables\n"
        "Names may be written with hyphens. Operations of pksk's own begin with pksk:\n"
        "  api pksk-snapshot {\"TableName\": \"Music\", \"History\": 60}   partitions as JSON",
    .flags = CMD_NO_TXN,
    .run = api_run,
};
