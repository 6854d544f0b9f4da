/*
 * ListStreams, DescribeStream, GetShardIterator, GetRecords (operations.md §10, streams-ttl.md §3).
 *
 * Sequences are written and read by the engine; what is AWS's alone (ARNs, event ids) is made here.
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_describe.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"
#include "engine/base/hash.h"

#define PREFIX "One or more parameter values were invalid: "

enum { LIST_MAX = 100, RECORDS_MAX = 1000 };

/* ---- names -------------------------------------------------------------------------------- */

static bool read_arn(pk_slice arn, struct pk_stream_name *name)
{
    return api_arn_parts(arn, "/stream/", &name->table, &name->label);
}

static enum pk_code take_arn(struct api_call *call, const struct cJSON *request, pk_slice *arn,
                             struct pk_stream_name *name, struct pk_error *err)
{
    *arn = api_get_text(call->call.arena, request, "StreamArn");
    if (!read_arn(*arn, name))
        return pk_fail(err, PK_E_VALIDATION, "Invalid StreamArn");
    return PK_OK;
}

/* The engine does not know ARNs. */
static enum pk_code name_missing(pk_slice arn, enum pk_code rc, struct pk_error *err)
{
    if (rc == PK_E_NOT_FOUND && err->message[0] == '\0')
        return pk_fail(err, rc, "Requested resource not found: Stream: %.*s not found",
                       PK_FMT(arn));
    return rc;
}

/* ---- ListStreams -------------------------------------------------------------------------- */

/* The stream behind which the page begins may have gone meanwhile. */
static bool is_after(const struct pk_stream_name *a, const struct pk_stream_name *b)
{
    int order = pk_slice_compare(a->table, b->table);

    return order > 0 || (order == 0 && pk_slice_compare(a->label, b->label) > 0);
}

enum pk_code api_list_streams(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    pk_slice start = api_get_text(arena, request, "ExclusiveStartStreamArn");
    struct pk_stream_name from = {{NULL, 0}, {NULL, 0}};
    struct pk_stream_name *list = NULL;
    pk_slice last = {NULL, 0};
    int64_t limit = LIST_MAX;
    size_t count = 0;
    bool more = false;

    if (start.data != NULL && !read_arn(start, &from))
        return pk_fail(err, PK_E_VALIDATION, "Invalid StreamArn");
    (void)api_get_int(request, "Limit", &limit);
    pk_engine_list_streams(call->engine, &call->call, api_get_table(arena, request, "TableName"),
                           &list, &count);
    json_out_member(out, "Streams");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count && !more; i++) {
        if (start.data != NULL && !is_after(&list[i], &from))
            continue;
        more = limit-- == 0;
        if (more)
            break;
        last = api_stream_arn(arena, &list[i]);
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "StreamArn", last);
        json_out_member_text(out, "TableName", list[i].table);
        json_out_member_text(out, "StreamLabel", list[i].label);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
    if (more)
        json_out_member_text(out, "LastEvaluatedStreamArn", last);
    return PK_OK;
}

/* ---- DescribeStream ----------------------------------------------------------------------- */

static void add_shard(struct pk_buf *out, const struct pk_shard_info *shard)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "ShardId", shard->id);
    json_out_member(out, "SequenceNumberRange");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "StartingSequenceNumber", shard->first);
    if (shard->last.data != NULL)
        json_out_member_text(out, "EndingSequenceNumber", shard->last);
    pk_buf_add_byte(out, '}');
    if (shard->parent.data != NULL)
        json_out_member_text(out, "ParentShardId", shard->parent);
    pk_buf_add_byte(out, '}');
}

/* Shards behind ExclusiveStartShardId, or the children of one. */
static void add_shards(struct pk_buf *out, struct api_call *call, const struct cJSON *request,
                       const struct pk_stream_info *info)
{
    struct pk_arena *arena = call->call.arena;
    pk_slice start = api_get_text(arena, request, "ExclusiveStartShardId");
    pk_slice parent = api_get_text(arena, api_json_member(request, "ShardFilter"), "ShardId");
    const struct pk_shard_info *last = NULL;
    bool started = start.data == NULL;
    bool more = false;
    int64_t limit = LIST_MAX;

    (void)api_get_int(request, "Limit", &limit);
    json_out_member(out, "Shards");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < info->shard_count && !more; i++) {
        const struct pk_shard_info *shard = &info->shards[i];
        bool fits = started && (parent.data == NULL || pk_slice_equal(shard->parent, parent));

        started = started || pk_slice_equal(shard->id, start);
        if (!fits)
            continue;
        more = limit-- == 0;
        if (more)
            break;
        add_shard(out, shard);
        last = shard;
    }
    pk_buf_add_byte(out, ']');
    if (more && last != NULL)
        json_out_member_text(out, "LastEvaluatedShardId", last->id);
}

enum pk_code api_describe_stream(struct api_call *call, const struct cJSON *request,
                                 struct pk_buf *out, struct pk_error *err)
{
    struct pk_stream_info info = {0};
    struct pk_stream_name name;
    pk_slice arn;
    enum pk_code rc = take_arn(call, request, &arn, &name, err);

    if (rc == PK_OK)
        rc = name_missing(
            arn, pk_engine_describe_stream(call->engine, &call->call, &name, &info, err), err);
    if (rc != PK_OK)
        return rc;
    json_out_member(out, "StreamDescription");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "StreamArn", arn);
    json_out_member_text(out, "StreamLabel", info.label);
    json_out_member_text(out, "StreamStatus",
                         info.enabled ? PK_LIT("ENABLED") : PK_LIT("DISABLED"));
    json_out_member_text(out, "StreamViewType", pk_slice_cstr(pk_stream_view_name(info.view)));
    json_out_member(out, "CreationRequestDateTime");
    json_out_time(out, info.created_ms);
    json_out_member_text(out, "TableName", name.table);
    api_add_key_schema(out, &info.key);
    add_shards(out, call, request, &info);
    pk_buf_add_byte(out, '}');
    return PK_OK;
}

/* ---- GetShardIterator --------------------------------------------------------------------- */

static enum pk_code read_start(struct pk_arena *arena, const struct cJSON *request,
                               struct pk_iterator_request *out, struct pk_error *err)
{
    bool positioned;

    if (api_get_is(request, "ShardIteratorType", "TRIM_HORIZON"))
        out->start = PK_STREAM_TRIM_HORIZON;
    else if (api_get_is(request, "ShardIteratorType", "LATEST"))
        out->start = PK_STREAM_LATEST;
    else if (api_get_is(request, "ShardIteratorType", "AT_SEQUENCE_NUMBER"))
        out->start = PK_STREAM_AT_SEQUENCE;
    else
        out->start = PK_STREAM_AFTER_SEQUENCE;
    positioned = out->start == PK_STREAM_AT_SEQUENCE || out->start == PK_STREAM_AFTER_SEQUENCE;
    out->sequence = api_get_text(arena, request, "SequenceNumber");
    if (positioned && out->sequence.data == NULL)
        return pk_fail(err, PK_E_VALIDATION, PREFIX "Invalid SequenceNumber");
    if (!positioned && out->sequence.data != NULL)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "SequenceNumber should not be passed for this iterator type");
    return PK_OK;
}

enum pk_code api_get_shard_iterator(struct api_call *call, const struct cJSON *request,
                                    struct pk_buf *out, struct pk_error *err)
{
    struct pk_iterator_request wanted = {.shard_id =
                                             api_get_text(call->call.arena, request, "ShardId")};
    pk_slice iterator = {NULL, 0};
    pk_slice arn;
    enum pk_code rc = take_arn(call, request, &arn, &wanted.stream, err);

    if (rc == PK_OK)
        rc = read_start(call->call.arena, request, &wanted, err);
    if (rc == PK_OK)
        rc = name_missing(
            arn, pk_engine_shard_iterator(call->engine, &call->call, &wanted, &iterator, err), err);
    if (rc == PK_OK)
        json_out_member_text(out, "ShardIterator", iterator);
    return rc;
}

/* ---- GetRecords --------------------------------------------------------------------------- */

struct writing {
    struct pk_arena *arena;
    struct pk_buf *out;
    int64_t step_ms; /* times are rounded down to a multiple of it */
};

static void add_keys(struct pk_buf *out, const struct pk_stream_record *record)
{
    const struct pk_key_schema *key = record->key;

    json_out_member(out, "Keys");
    pk_buf_add_byte(out, '{');
    json_out_member_slice(out, key->hash[0].name);
    json_out_value(out, pk_view_member(record->item, key->hash[0].name));
    if (key->range_count > 0) {
        json_out_member_slice(out, key->range[0].name);
        json_out_value(out, pk_view_member(record->item, key->range[0].name));
    }
    pk_buf_add_byte(out, '}');
}

/* The first half of the SHA-256 of the stream's ARN and the sequence: the same at each reading. */
static void add_event_id(struct writing *writing, const struct pk_stream_record *record)
{
    pk_slice arn = api_stream_arn(writing->arena, &record->stream);
    pk_slice text =
        pk_arena_printf(writing->arena, "%.*s%.*s", PK_FMT(arn), PK_FMT(record->sequence));
    unsigned char hash[32];

    pk_hash_sha256(text, hash);
    json_out_member(writing->out, "eventID");
    pk_buf_add_byte(writing->out, '"');
    for (size_t i = 0; i < 16; i++)
        pk_buf_printf(writing->out, "%02x", hash[i]);
    pk_buf_add_byte(writing->out, '"');
}

static void add_change(struct writing *writing, const struct pk_stream_record *record)
{
    struct pk_buf *out = writing->out;

    json_out_member(out, "dynamodb");
    pk_buf_add_byte(out, '{');
    json_out_member(out, "ApproximateCreationDateTime");
    json_out_time(out, record->time_ms - record->time_ms % writing->step_ms);
    add_keys(out, record);
    if (record->after.len > 0) {
        json_out_member(out, "NewImage");
        json_out_item(out, record->after);
    }
    if (record->before.len > 0) {
        json_out_member(out, "OldImage");
        json_out_item(out, record->before);
    }
    json_out_member_text(out, "SequenceNumber", record->sequence);
    json_out_member(out, "SizeBytes");
    json_out_uint(out, record->size);
    json_out_member_text(out, "StreamViewType", pk_slice_cstr(pk_stream_view_name(record->view)));
    pk_buf_add_byte(out, '}');
}

static enum pk_code add_record(void *context, const struct pk_stream_record *record,
                               struct pk_error *err)
{
    static const char *const events[] = {"", "INSERT", "MODIFY", "REMOVE"};
    struct writing *writing = context;
    struct pk_buf *out = writing->out;

    (void)err;
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    add_event_id(writing, record);
    json_out_member_text(out, "eventName", pk_slice_cstr(events[record->event]));
    json_out_member_text(out, "eventVersion", PK_LIT("1.1"));
    json_out_member_text(out, "eventSource", PK_LIT("aws:dynamodb"));
    json_out_member_text(out, "awsRegion", PK_LIT("us-east-1"));
    add_change(writing, record);
    if (record->ttl)
        pk_buf_add_cstr(out, ",\"userIdentity\":{\"PrincipalId\":\"dynamodb.amazonaws.com\","
                             "\"Type\":\"Service\"}");
    pk_buf_add_byte(out, '}');
    return PK_OK;
}

static enum pk_code answer_records(struct api_call *call, const struct cJSON *request,
                                   int64_t step_ms, struct pk_buf *out, struct pk_error *err)
{
    struct writing writing = {call->call.arena, out, step_ms};
    struct pk_records_request wanted = {
        .iterator = api_get_text(call->call.arena, request, "ShardIterator"),
        .record = add_record,
        .context = &writing,
    };
    int64_t limit = RECORDS_MAX;
    pk_slice next = {NULL, 0};
    enum pk_code rc;

    (void)api_get_int(request, "Limit", &limit);
    if (limit > RECORDS_MAX)
        return pk_fail(err, PK_E_VALIDATION, PREFIX "Limit should be less than or equal to 1000");
    wanted.limit = (uint64_t)limit;
    json_out_member(out, "Records");
    pk_buf_add_byte(out, '[');
    rc = pk_engine_stream_records(call->engine, &call->call, &wanted, &next, err);
    pk_buf_add_byte(out, ']');
    if (rc == PK_OK && next.data != NULL)
        json_out_member_text(out, "NextShardIterator", next);
    return rc;
}

enum pk_code api_get_records(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                             struct pk_error *err)
{
    return answer_records(call, request, 1000, out, err);
}

/* Pksk.Records: as GetRecords, with the milliseconds that AWS keeps to itself. */
enum pk_code api_pksk_records(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    return answer_records(call, request, 1, out, err);
}

/* Pksk.LeaveShard {ShardIterator}: a consumer that knows that it ends says so, and is not shown as
 * one that falls behind. */
enum pk_code api_pksk_leave_shard(struct api_call *call, const struct cJSON *request,
                                  struct pk_buf *out, struct pk_error *err)
{
    (void)out;
    (void)err;
    pk_engine_stream_leave(call->engine, &call->call,
                           api_get_text(call->call.arena, request, "ShardIterator"));
    return PK_OK;
}
