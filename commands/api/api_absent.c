/*
 * Operations on what a single store has none of: exports, imports, global tables, contributor
 * insights, resource policies, Kinesis destinations (operations.md §11, §12).
 *
 * What asks for such a thing gets the answer of the service for a table without it. What would make
 * one is no operation here, or fails as the service does when its other end does not exist.
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"

/* The request's table; a reference. */
static enum pk_code need_table(struct api_call *call, pk_slice name, struct pk_table **table,
                               struct pk_error *err)
{
    *table = pk_engine_table(call->engine, name);
    if (*table != NULL)
        return PK_OK;
    return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found: Table: %.*s not found",
                   PK_FMT(name));
}

static enum pk_code check_table(struct api_call *call, pk_slice name, struct pk_error *err)
{
    struct pk_table *table = NULL;
    enum pk_code rc = need_table(call, name, &table, err);

    if (rc == PK_OK)
        pk_table_unref(table);
    return rc;
}

/* ---- exports and imports ------------------------------------------------------------------ */

enum pk_code api_describe_export(struct api_call *call, const struct cJSON *request,
                                 struct pk_buf *out, struct pk_error *err)
{
    (void)out;
    return pk_fail(err, PK_E_EXPORT_NOT_FOUND, "Export not found: %.*s",
                   PK_FMT(api_get_text(call->call.arena, request, "ExportArn")));
}

enum pk_code api_describe_import(struct api_call *call, const struct cJSON *request,
                                 struct pk_buf *out, struct pk_error *err)
{
    (void)out;
    return pk_fail(err, PK_E_IMPORT_NOT_FOUND, "Import not found: %.*s",
                   PK_FMT(api_get_text(call->call.arena, request, "ImportArn")));
}

/* An export is made from point-in-time recovery, which no table has. */
enum pk_code api_export_table(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    pk_slice name = api_get_table(call->call.arena, request, "TableArn");
    struct pk_table *table = pk_engine_table(call->engine, name);

    (void)out;
    if (table == NULL)
        return pk_fail(err, PK_E_TABLE_NOT_FOUND, "Table not found: %.*s", PK_FMT(name));
    pk_table_unref(table);
    return pk_fail(err, PK_E_PITR_UNAVAILABLE,
                   "Point in time recovery is not enabled for table '%.*s'", PK_FMT(name));
}

/* ---- global tables ------------------------------------------------------------------------ */

enum pk_code api_describe_global_table(struct api_call *call, const struct cJSON *request,
                                       struct pk_buf *out, struct pk_error *err)
{
    (void)out;
    return pk_fail(err, PK_E_GLOBAL_TABLE_NOT_FOUND,
                   "Global table not found: Global table with name: '%.*s' does not exist.",
                   PK_FMT(api_get_text(call->call.arena, request, "GlobalTableName")));
}

/* ---- contributor insights ----------------------------------------------------------------- */

enum pk_code api_describe_contributor_insights(struct api_call *call, const struct cJSON *request,
                                               struct pk_buf *out, struct pk_error *err)
{
    pk_slice name = api_get_table(call->call.arena, request, "TableName");
    pk_slice index = api_get_text(call->call.arena, request, "IndexName");
    struct pk_table *table = NULL;
    enum pk_code rc = need_table(call, name, &table, err);
    bool known;

    if (rc != PK_OK)
        return rc;
    known = index.data == NULL || pk_table_index(table, index) != NULL;
    pk_table_unref(table);
    if (!known)
        return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found: Index: %.*s not found",
                       PK_FMT(index));
    json_out_member_text(out, "TableName", name);
    if (index.data != NULL) {
        json_out_member_text(out, "IndexName", index);
    }
    json_out_member_text(out, "ContributorInsightsStatus", PK_LIT("DISABLED"));
    return PK_OK;
}

/* ---- resource policies -------------------------------------------------------------------- */

/* Checks that the resource, a table or its stream, belongs to a table that is there. */
static enum pk_code check_resource(struct api_call *call, pk_slice arn, struct pk_error *err)
{
    pk_slice name = api_table_of(arn);
    const char *rest = memchr(name.data, '/', name.len);

    if (name.data == arn.data || name.len == 0)
        return pk_fail(err, PK_E_VALIDATION,
                       "Invalid TableArn: Invalid ResourceArn provided as input %.*s", PK_FMT(arn));
    if (rest != NULL)
        name.len = (size_t)(rest - name.data);
    return check_table(call, name, err);
}

static enum pk_code no_policy(pk_slice arn, struct pk_error *err)
{
    return pk_fail(err, PK_E_POLICY_NOT_FOUND,
                   "Resource-based policy not found for the provided ResourceArn: %.*s",
                   PK_FMT(arn));
}

enum pk_code api_get_resource_policy(struct api_call *call, const struct cJSON *request,
                                     struct pk_buf *out, struct pk_error *err)
{
    pk_slice arn = api_get_text(call->call.arena, request, "ResourceArn");
    enum pk_code rc = check_resource(call, arn, err);

    (void)out;
    return rc == PK_OK ? no_policy(arn, err) : rc;
}

/* Nothing to delete is no fault, unless a revision of it is expected. */
enum pk_code api_delete_resource_policy(struct api_call *call, const struct cJSON *request,
                                        struct pk_buf *out, struct pk_error *err)
{
    pk_slice arn = api_get_text(call->call.arena, request, "ResourceArn");
    enum pk_code rc = check_resource(call, arn, err);

    if (rc == PK_OK && api_json_member(request, "ExpectedRevisionId") != NULL)
        rc = no_policy(arn, err);
    if (rc != PK_OK)
        return rc;
    json_out_member_text(out, "RevisionId", PK_LIT(""));
    return PK_OK;
}

/* ---- Kinesis ------------------------------------------------------------------------------ */

enum pk_code api_describe_kinesis(struct api_call *call, const struct cJSON *request,
                                  struct pk_buf *out, struct pk_error *err)
{
    pk_slice name = api_get_table(call->call.arena, request, "TableName");
    enum pk_code rc = check_table(call, name, err);

    if (rc != PK_OK)
        return rc;
    json_out_member_text(out, "TableName", name);
    json_out_member(out, "KinesisDataStreamDestinations");
    pk_buf_add_cstr(out, "[]");
    return PK_OK;
}

enum pk_code api_enable_kinesis(struct api_call *call, const struct cJSON *request,
                                struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    enum pk_code rc = check_table(call, api_get_table(arena, request, "TableName"), err);

    (void)out;
    if (rc != PK_OK)
        return rc;
    return pk_fail(err, PK_E_NOT_FOUND,
                   "Requested resource not found: Kinesis stream: %.*s not found",
                   PK_FMT(api_get_text(arena, request, "StreamArn")));
}

enum pk_code api_disable_kinesis(struct api_call *call, const struct cJSON *request,
                                 struct pk_buf *out, struct pk_error *err)
{
    enum pk_code rc = check_table(call, api_get_table(call->call.arena, request, "TableName"), err);

    (void)out;
    if (rc != PK_OK)
        return rc;
    return pk_fail(err, PK_E_VALIDATION,
                   "Table is not in a valid state to disable Kinesis Streaming Destination: "
                   "DisableKinesisStreamingDestination must be ACTIVE to perform DISABLE "
                   "operation.");
}
