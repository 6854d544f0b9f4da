/*
 * The one table of operations, and the way of every call through it (api.h).
 *
 * Errors become JSON here and nowhere else: namespace and name from the error table, the message
 * under the spelling AWS uses for that type (errors.md §1), then Item or CancellationReasons.
 */
#include "commands/api/api.h"

#include "commands/api/api_check.h"
#include "commands/api/api_describe.h"
#include "commands/api/api_json.h"
#include "commands/api/api_shapes.h"
#include "commands/api/json_out.h"

/* ---- operations --------------------------------------------------------------------------- */

#define EXTENSION "Pksk."

struct operation {
    const char *name;
    const struct api_type *shape;
    api_run *run;
};

/* The hot ones first: the table is searched in order. */
static const struct operation operations[] = {
    {"GetItem", &api_shape_get_item, api_get_item},
    {"PutItem", &api_shape_put_item, api_put_item},
    {"Query", &api_shape_query, api_query},
    {"UpdateItem", &api_shape_update_item, api_update_item},
    {"DeleteItem", &api_shape_delete_item, api_delete_item},
    {"BatchGetItem", &api_shape_batch_get_item, api_batch_get_item},
    {"BatchWriteItem", &api_shape_batch_write_item, api_batch_write_item},
    {"Scan", &api_shape_scan, api_scan},
    {"TransactGetItems", &api_shape_transact_get_items, api_transact_get_items},
    {"TransactWriteItems", &api_shape_transact_write_items, api_transact_write_items},
    {"ExecuteStatement", &api_shape_execute_statement, api_execute_statement},
    {"BatchExecuteStatement", &api_shape_batch_execute_statement, api_batch_execute_statement},
    {"ExecuteTransaction", &api_shape_execute_transaction, api_execute_transaction},
    {"CreateTable", &api_shape_create_table, api_create_table},
    {"UpdateTable", &api_shape_update_table, api_update_table},
    {"DescribeTable", &api_shape_describe_table, api_describe_table},
    {"DeleteTable", &api_shape_describe_table, api_delete_table},
    {"ListTables", &api_shape_list_tables, api_list_tables},
    {"TagResource", &api_shape_tag_resource, api_tag_resource},
    {"UntagResource", &api_shape_untag_resource, api_untag_resource},
    {"ListTagsOfResource", &api_shape_list_tags_of_resource, api_list_tags_of_resource},
    {"GetRecords", &api_shape_get_records, api_get_records},
    {"GetShardIterator", &api_shape_get_shard_iterator, api_get_shard_iterator},
    {"DescribeStream", &api_shape_describe_stream, api_describe_stream},
    {"ListStreams", &api_shape_list_streams, api_list_streams},
    {"UpdateTimeToLive", &api_shape_update_time_to_live, api_update_time_to_live},
    {"DescribeTimeToLive", &api_shape_describe_table, api_describe_time_to_live},
    {"DescribeContinuousBackups", &api_shape_describe_table, api_describe_continuous_backups},
    {"UpdateContinuousBackups", &api_shape_update_continuous_backups,
     api_update_continuous_backups},
    {"CreateBackup", &api_shape_create_backup, api_create_backup},
    {"DescribeBackup", &api_shape_describe_backup, api_describe_backup},
    {"ListBackups", &api_shape_list_backups, api_list_backups},
    {"DeleteBackup", &api_shape_describe_backup, api_delete_backup},
    {"RestoreTableFromBackup", &api_shape_restore_from_backup, api_restore_table_from_backup},
    {"RestoreTableToPointInTime", &api_shape_restore_to_point_in_time,
     api_restore_table_to_point_in_time},
    {"DescribeContributorInsights", &api_shape_describe_contributor_insights,
     api_describe_contributor_insights},
    {"GetResourcePolicy", &api_shape_get_resource_policy, api_get_resource_policy},
    {"DeleteResourcePolicy", &api_shape_delete_resource_policy, api_delete_resource_policy},
    {"DescribeKinesisStreamingDestination", &api_shape_describe_kinesis, api_describe_kinesis},
    {"EnableKinesisStreamingDestination", &api_shape_kinesis, api_enable_kinesis},
    {"DisableKinesisStreamingDestination", &api_shape_kinesis, api_disable_kinesis},
    {"DescribeExport", &api_shape_describe_export, api_describe_export},
    {"ExportTableToPointInTime", &api_shape_export_table, api_export_table},
    {"DescribeImport", &api_shape_describe_import, api_describe_import},
    {"DescribeGlobalTable", &api_shape_describe_global_table, api_describe_global_table},
    {"DescribeGlobalTableSettings", &api_shape_describe_global_table, api_describe_global_table},
    {"Pksk.Records", &api_shape_get_records, api_pksk_records},
    {"Pksk.LeaveShard", &api_shape_get_records, api_pksk_leave_shard},
    {"Pksk.Where", &api_shape_pksk_where, api_pksk_where},
    {"Pksk.Collections", &api_shape_pksk_collections, api_pksk_collections},
    {"Pksk.Sample", &api_shape_pksk_sample, api_pksk_sample},
    {"Pksk.Check", &api_shape_empty, api_pksk_check},
    {"Pksk.IndexLag", &api_shape_pksk_table, api_pksk_index_lag},
    {"Pksk.Snapshot", &api_shape_pksk_snapshot, api_pksk_snapshot},
    {"Pksk.Viewport", &api_shape_pksk_viewport, api_pksk_viewport},
    {"Pksk.Tail", &api_shape_pksk_tail, api_pksk_tail},
    {"Pksk.Clock", &api_shape_empty, api_pksk_clock},
    {"Pksk.AutoScale", &api_shape_pksk_autoscale, api_pksk_autoscale},
    {"Pksk.Settings", &api_shape_empty, api_pksk_settings},
    {"Pksk.Traffic", &api_shape_empty, api_pksk_traffic},
    {"Pksk.SetTraffic", &api_shape_pksk_set_traffic, api_pksk_set_traffic},
    {"Pksk.StopTraffic", &api_shape_pksk_stop_traffic, api_pksk_stop_traffic},
    {"Pksk.TableStats", &api_shape_pksk_table, api_pksk_table_stats},
    {"Pksk.PutAttachment", &api_shape_pksk_attachment, api_pksk_put_attachment},
    {"Pksk.GetAttachment", &api_shape_pksk_table, api_pksk_get_attachment},
};

/* Responses that never differ. The lists are about what a single store does not have (operations.md
 * §2). */
static const struct answer {
    const char *name;
    const struct api_type *shape;
    const char *members;
} answers[] = {
    {"DescribeLimits", &api_shape_empty,
     "\"AccountMaxReadCapacityUnits\":80000,\"AccountMaxWriteCapacityUnits\":80000,"
     "\"TableMaxReadCapacityUnits\":40000,\"TableMaxWriteCapacityUnits\":40000"},
    {"DescribeEndpoints", &api_shape_empty,
     "\"Endpoints\":[{\"Address\":\"localhost\",\"CachePeriodInMinutes\":1440}]"},
    {"ListExports", &api_shape_list_exports, "\"ExportSummaries\":[]"},
    {"ListImports", &api_shape_list_imports, "\"ImportSummaryList\":[]"},
    {"ListGlobalTables", &api_shape_list_global_tables, "\"GlobalTables\":[]"},
    {"ListContributorInsights", &api_shape_list_contributor_insights,
     "\"ContributorInsightsSummaries\":[]"},
};

static const struct operation *find_operation(pk_slice name)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (pk_slice_is(name, operations[i].name))
            return &operations[i];
    }
    return NULL;
}

static const struct answer *find_answer(pk_slice name)
{
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        if (pk_slice_is(name, answers[i].name))
            return &answers[i];
    }
    return NULL;
}

/* ---- targets ------------------------------------------------------------------------------ */

static pk_slice after_prefix(pk_slice text, const char *prefix)
{
    size_t len = strlen(prefix);

    if (text.len <= len || memcmp(text.data, prefix, len) != 0)
        return (pk_slice){NULL, 0};
    return (pk_slice){text.data + len, text.len - len};
}

static bool is_extension(const char *name)
{
    return strncmp(name, EXTENSION, strlen(EXTENSION)) == 0;
}

/* "Pksk.Where" of "Where": an extension has its own prefix in a target. */
static pk_slice find_extension(pk_slice name)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (is_extension(operations[i].name) &&
            pk_slice_is(name, operations[i].name + strlen(EXTENSION)))
            return pk_slice_cstr(operations[i].name);
    }
    return (pk_slice){NULL, 0};
}

/* The second service of the API, which has a prefix of its own. */
static bool is_of_streams(pk_slice name)
{
    static const char *const names[] = {"GetRecords", "GetShardIterator", "DescribeStream",
                                        "ListStreams"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (pk_slice_is(name, names[i]))
            return true;
    return false;
}

static pk_slice find_name(pk_slice name)
{
    const struct operation *operation = find_operation(name);

    if (operation != NULL && !is_extension(operation->name))
        return pk_slice_cstr(operation->name);
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
        if (pk_slice_is(name, answers[i].name))
            return pk_slice_cstr(answers[i].name);
    return (pk_slice){NULL, 0};
}

pk_slice cmd_operation_of_target(pk_slice target)
{
    pk_slice streams = after_prefix(target, "DynamoDBStreams_20120810.");
    pk_slice extension = after_prefix(target, "Pksk_2026.");
    pk_slice name = streams.data != NULL ? streams : after_prefix(target, "DynamoDB_20120810.");

    if (extension.data != NULL)
        return find_extension(extension);
    return is_of_streams(name) == (streams.data != NULL) ? find_name(name) : (pk_slice){NULL, 0};
}

void api_facts(struct api_call *call, const struct pk_facts *facts, const struct pk_cost *costs,
               size_t count)
{
    call->response->facts = *facts;
    for (size_t i = 0; i < count; i++)
        call->response->milli_units += pk_cost_total(&costs[i]);
}

/* ---- errors ------------------------------------------------------------------------------- */

/* "Message" for these types, "message" for all others (errors.md §1). */
static bool capital_message(enum pk_code code)
{
    return code == PK_E_SERIALIZATION || code == PK_E_TXN_CANCELED ||
           code == PK_E_TXN_IN_PROGRESS || code == PK_E_IDEMPOTENT_MISMATCH ||
           code == PK_E_ACCESS_DENIED;
}

static bool without_message(const struct pk_error *err)
{
    return err->code == PK_E_UNKNOWN_OPERATION ||
           (err->code == PK_E_SERIALIZATION && err->message[0] == '\0');
}

static void add_reason(struct pk_buf *out, const struct pk_cancel_reason *reason)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "Code", pk_slice_cstr(reason->code));
    if (reason->message != NULL)
        json_out_member_text(out, "Message", pk_slice_cstr(reason->message));
    if (reason->item != NULL) {
        json_out_member(out, "Item");
        json_out_item(out, (pk_view){reason->item, reason->item_len});
    }
    pk_buf_add_byte(out, '}');
}

/* partitions-capacity.md §6.1; the member's spelling is the type's (errors.md §1). */
static void add_throttling(struct pk_buf *out, const struct pk_error *err)
{
    json_out_member(out, err->code == PK_E_THROTTLED ? "throttlingReasons" : "ThrottlingReasons");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < err->throttling_count; i++) {
        const struct pk_throttling_reason *reason = &err->throttling[i];

        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member(out, "reason");
        pk_buf_printf(out, "\"%s%s%s\"", reason->index == NULL ? "Table" : "Index",
                      reason->write ? "Write" : "Read", reason->name);
        json_out_member(out, "resource");
        pk_buf_printf(out, "\"" API_TABLE_ARN "%s%s%s\"", reason->table,
                      reason->index == NULL ? "" : "/index/",
                      reason->index == NULL ? "" : reason->index);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

/* What the footer and a trace say of a refused request. */
static void take_refusal(struct cmd_response *response, const struct pk_error *err)
{
    const struct pk_throttling_reason *reason = err->throttling;

    if (err->throttling_count == 0)
        return;
    response->facts.partition = reason->partition;
    response->facts.partition_count = reason->partition_count;
    response->facts.partitions_touched = 1;
    response->facts.verdict = PK_VERDICT_REFUSED;
    response->facts.limit = (enum pk_limit)reason->limit;
    response->facts.limit_index = reason->index_number;
}

static void add_error(struct pk_buf *out, const struct pk_error *err)
{
    pk_buf_add_byte(out, '{');
    json_out_member(out, "__type");
    pk_buf_printf(out, "\"%s#%s\"", pk_code_namespace(err->code), pk_code_name(err->code));
    if (err->code == PK_E_TXN_CANCELED) {
        json_out_member(out, "CancellationReasons");
        pk_buf_add_byte(out, '[');
        for (size_t i = 0; i < err->reason_count; i++)
            add_reason(out, &err->reasons[i]);
        pk_buf_add_byte(out, ']');
    }
    if (err->throttling_count > 0)
        add_throttling(out, err);
    if (!without_message(err))
        json_out_member_text(out, capital_message(err->code) ? "Message" : "message",
                             pk_slice_cstr(err->message));
    if (err->item != NULL) {
        json_out_member(out, "Item");
        json_out_item(out, (pk_view){err->item, err->item_len});
    }
    pk_buf_add_byte(out, '}');
}

void cmd_response_fail_take(struct cmd_response *response, struct pk_error *err)
{
    pk_buf_clear(&response->body);
    add_error(&response->body, err);
    response->code = err->code;
    response->http = pk_code_http(err->code);
    response->has_span = err->span.start > 0 || err->span.len > 0;
    response->span = err->span;
    take_refusal(response, err);
    response->hint = err->hint;
    err->hint = NULL; /* now the response's */
    pk_error_release(err);
}

bool cmd_body_is_json(pk_slice body)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    const struct cJSON *root;
    bool is_json =
        body.len <= API_JSON_BODY_MAX && api_json_parse(&arena, body, &root, &err) == PK_OK;

    pk_error_release(&err);
    pk_arena_release(&arena);
    return is_json;
}

/* ---- calls -------------------------------------------------------------------------------- */

/* Most responses fit; malloc keeps pieces of this size at hand. */
enum { BODY_SMALL = 960 };

/* On the stack: most requests need no more, and so nothing of malloc. */
enum { ARENA_SMALL = 16 * 1024 };

static enum pk_code run(struct api_call *call, pk_slice name, pk_slice request, struct pk_buf *out,
                        struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct operation *operation = find_operation(name);
    const struct answer *answer = operation == NULL ? find_answer(name) : NULL;
    const struct api_type *shape;
    const struct cJSON *root = NULL;
    enum pk_code rc;

    if (operation == NULL && answer == NULL)
        return pk_fail(err, PK_E_UNKNOWN_OPERATION, "unknown operation '%.*s'", PK_FMT(name));
    rc = api_json_parse(arena, request, &root, err);
    if (rc != PK_OK)
        return rc;
    if (api_json_kind(root) != API_JSON_OBJECT) {
        (void)pk_fail(err, PK_E_SERIALIZATION, "%s", "");
        pk_error_hint(err, "the request is not a JSON object");
        return PK_E_SERIALIZATION;
    }
    shape = operation != NULL ? operation->shape : answer->shape;
    rc = api_check_types(arena, shape, root, err);
    if (rc == PK_OK)
        rc = api_check_constraints(arena, shape, root, err);
    if (rc == PK_OK && operation != NULL)
        rc = operation->run(call, root, out, err);
    else if (rc == PK_OK)
        pk_buf_add_cstr(out, answer->members);
    return rc;
}

void api_call(const struct api_host *host, pk_slice operation, pk_slice request,
              const atomic_bool *cancel, struct cmd_response *response)
{
    _Alignas(max_align_t) char small[ARENA_SMALL];
    struct pk_arena arena = pk_arena_on(small, sizeof(small));
    struct pk_error err = PK_ERROR_INIT;
    struct api_call call = {.engine = host->engine,
                            .traffics = host->traffics,
                            .call = {.arena = &arena, .cancel = cancel, .unnoted = host->unnoted},
                            .response = response};
    int64_t start = pk_clock_real_us();

    response->has_facts = true;
    if (request.len > API_JSON_BODY_MAX) {
        response->http = 413; /* without a body: operations.md §1 */
        response->code = PK_E_SERIALIZATION;
    } else {
        pk_buf_reserve(&response->body, BODY_SMALL);
        pk_buf_add_byte(&response->body, '{');
        if (run(&call, operation, request, &response->body, &err) == PK_OK) {
            pk_buf_add_byte(&response->body, '}');
            response->http = 200;
            response->code = PK_OK;
        } else {
            cmd_response_fail_take(response, &err);
        }
    }
    pk_arena_release(&arena);
    response->micros = pk_clock_real_us() - start;
}
