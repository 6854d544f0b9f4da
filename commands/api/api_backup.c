/*
 * Backups, and what a single store answers about point-in-time recovery: that it has none
 * (operations.md §11).
 *
 * The engine knows a backup by its table and label; the ARN that holds both is made and read here.
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_describe.h"
#include "commands/api/api_json.h"
#include "commands/api/api_table.h"
#include "commands/api/json_out.h"
#include "engine/backup.h"

#define PREFIX "One or more parameter values were invalid: "

enum { LIST_MAX = 100 };

/* ---- names -------------------------------------------------------------------------------- */

static enum pk_code take_arn(struct api_call *call, const struct cJSON *request, pk_slice *arn,
                             struct pk_backup_name *name, struct pk_error *err)
{
    *arn = api_get_text(call->call.arena, request, "BackupArn");
    if (!api_arn_parts(*arn, "/backup/", &name->table, &name->label))
        return pk_fail(err, PK_E_VALIDATION, "Invalid BackupArn");
    return PK_OK;
}

/* The engine does not know ARNs. */
static enum pk_code name_missing(pk_slice arn, enum pk_code rc, struct pk_error *err)
{
    if (rc == PK_E_BACKUP_NOT_FOUND)
        return pk_fail(err, rc, "Backup not found: %.*s", PK_FMT(arn));
    return rc;
}

static pk_slice arn_of(struct pk_arena *arena, const struct pk_backup *backup)
{
    return api_backup_arn(arena, backup->table->name, backup->label);
}

/* ---- descriptions ------------------------------------------------------------------------- */

static const char *status_name(enum pk_backup_status status)
{
    switch (status) {
    case PK_BACKUP_CREATING:
        return "CREATING";
    case PK_BACKUP_AVAILABLE:
        return "AVAILABLE";
    case PK_BACKUP_DELETED:
        return "DELETED";
    }
    return "";
}

/* What details and summaries have in common. */
static void add_details(struct pk_buf *out, struct pk_arena *arena, const struct pk_backup *backup,
                        enum pk_backup_status status)
{
    json_out_member_text(out, "BackupArn", arn_of(arena, backup));
    json_out_member_text(out, "BackupName", backup->name);
    json_out_member(out, "BackupSizeBytes");
    json_out_uint(out, backup->bytes);
    json_out_member_text(out, "BackupStatus", pk_slice_cstr(status_name(status)));
    json_out_member_text(out, "BackupType", PK_LIT("USER"));
    json_out_member(out, "BackupCreationDateTime");
    json_out_time(out, backup->created_ms);
}

static void add_throughput(struct pk_buf *out, const struct pk_throughput *throughput)
{
    json_out_member(out, "ProvisionedThroughput");
    pk_buf_add_byte(out, '{');
    json_out_member(out, "ReadCapacityUnits");
    json_out_int(out, throughput->read);
    json_out_member(out, "WriteCapacityUnits");
    json_out_int(out, throughput->write);
    pk_buf_add_byte(out, '}');
}

static void add_source(struct pk_buf *out, struct pk_arena *arena, const struct pk_backup *backup)
{
    const struct pk_table *table = backup->table;

    json_out_member(out, "SourceTableDetails");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "TableName", table->name);
    json_out_member_text(out, "TableId", table->uuid);
    json_out_member_text(out, "TableArn", api_table_arn(arena, table->name));
    json_out_member(out, "TableSizeBytes");
    json_out_uint(out, backup->bytes);
    api_add_key_schema(out, &table->key);
    json_out_member(out, "TableCreationDateTime");
    json_out_time(out, table->created_ms);
    add_throughput(out, &table->throughput);
    json_out_member(out, "ItemCount");
    json_out_uint(out, backup->items);
    json_out_member_text(out, "BillingMode",
                         table->billing == PK_ON_DEMAND ? PK_LIT("PAY_PER_REQUEST")
                                                        : PK_LIT("PROVISIONED"));
    pk_buf_add_byte(out, '}');
}

static void add_indexes(struct pk_buf *out, const struct pk_table *table, bool local)
{
    size_t from = local ? 0 : table->local_count;
    size_t to = local ? table->local_count : table->index_count;

    if (from == to)
        return;
    json_out_member(out, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
    pk_buf_add_byte(out, '[');
    for (size_t i = from; i < to; i++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "IndexName", table->indexes[i].name);
        api_add_key_schema(out, &table->indexes[i].key);
        api_add_projection(out, &table->indexes[i]);
        if (!local)
            add_throughput(out, &table->indexes[i].throughput);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

static void add_features(struct pk_buf *out, const struct pk_table *table)
{
    json_out_member(out, "SourceTableFeatureDetails");
    pk_buf_add_byte(out, '{');
    add_indexes(out, table, true);
    add_indexes(out, table, false);
    if (table->stream != PK_STREAM_OFF) {
        json_out_member(out, "StreamDescription");
        pk_buf_add_byte(out, '{');
        json_out_member(out, "StreamEnabled");
        json_out_bool(out, true);
        json_out_member_text(out, "StreamViewType",
                             pk_slice_cstr(pk_stream_view_name(table->stream)));
        pk_buf_add_byte(out, '}');
    }
    if (table->ttl_attribute.data != NULL) {
        json_out_member(out, "TimeToLiveDescription");
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "TimeToLiveStatus", PK_LIT("ENABLED"));
        json_out_member_text(out, "AttributeName", table->ttl_attribute);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, '}');
}

static void add_description(struct pk_buf *out, struct pk_arena *arena,
                            const struct pk_backup *backup)
{
    json_out_member(out, "BackupDescription");
    pk_buf_add_byte(out, '{');
    json_out_member(out, "BackupDetails");
    pk_buf_add_byte(out, '{');
    add_details(out, arena, backup, backup->status);
    pk_buf_add_byte(out, '}');
    add_source(out, arena, backup);
    add_features(out, backup->table);
    pk_buf_add_byte(out, '}');
}

/* ---- CreateBackup, DescribeBackup, DeleteBackup ------------------------------------------- */

enum pk_code api_create_backup(struct api_call *call, const struct cJSON *request,
                               struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct pk_backup backup;
    enum pk_code rc = pk_engine_create_backup(
        call->engine, &call->call, api_get_table(arena, request, "TableName"),
        api_get_text(arena, request, "BackupName"), &backup, err);

    if (rc != PK_OK)
        return rc;
    json_out_member(out, "BackupDetails");
    pk_buf_add_byte(out, '{');
    add_details(out, arena, &backup, PK_BACKUP_CREATING);
    pk_buf_add_byte(out, '}');
    pk_backup_release(&backup);
    return PK_OK;
}

enum pk_code api_describe_backup(struct api_call *call, const struct cJSON *request,
                                 struct pk_buf *out, struct pk_error *err)
{
    struct pk_backup_name name;
    struct pk_backup backup;
    pk_slice arn;
    enum pk_code rc = take_arn(call, request, &arn, &name, err);

    if (rc == PK_OK)
        rc = name_missing(arn, pk_engine_backup(call->engine, &call->call, &name, &backup, err),
                          err);
    if (rc != PK_OK)
        return rc;
    add_description(out, call->call.arena, &backup);
    pk_backup_release(&backup);
    return PK_OK;
}

enum pk_code api_delete_backup(struct api_call *call, const struct cJSON *request,
                               struct pk_buf *out, struct pk_error *err)
{
    struct pk_backup_name name;
    struct pk_backup backup;
    pk_slice arn;
    enum pk_code rc = take_arn(call, request, &arn, &name, err);

    if (rc == PK_OK)
        rc = name_missing(
            arn, pk_engine_delete_backup(call->engine, &call->call, &name, &backup, err), err);
    if (rc != PK_OK)
        return rc;
    add_description(out, call->call.arena, &backup);
    pk_backup_release(&backup);
    return PK_OK;
}

/* ---- ListBackups -------------------------------------------------------------------------- */

/* Which backups a list shows. */
struct filter {
    pk_slice table; /* data NULL: all */
    pk_slice after; /* the label behind which the page begins; data NULL: the first */
    bool has_lower, has_upper;
    struct pk_num lower; /* seconds: from, and before */
    struct pk_num upper;
    bool nothing; /* a type of backup that there is none of */
};

/* A number is well formed by now; one that DynamoDB's numbers do not hold bounds nothing. */
static bool read_time(struct pk_arena *arena, const struct cJSON *request, const char *name,
                      struct pk_num *seconds)
{
    const struct cJSON *node = api_json_member(request, name);

    return node != NULL && pk_num_parse(api_json_text(arena, node), seconds) == PK_NUM_OK;
}

static enum pk_code read_filter(struct pk_arena *arena, const struct cJSON *request,
                                struct filter *filter, struct pk_error *err)
{
    pk_slice start = api_get_text(arena, request, "ExclusiveStartBackupArn");
    pk_slice table;

    *filter = (struct filter){
        .table = api_get_table(arena, request, "TableName"),
        .nothing = api_get_is(request, "BackupType", "SYSTEM") ||
                   api_get_is(request, "BackupType", "AWS_BACKUP"),
    };
    filter->has_lower = read_time(arena, request, "TimeRangeLowerBound", &filter->lower);
    filter->has_upper = read_time(arena, request, "TimeRangeUpperBound", &filter->upper);
    if (start.data != NULL && !api_arn_parts(start, "/backup/", &table, &filter->after))
        return pk_fail(err, PK_E_VALIDATION, "Invalid ExclusiveStartBackupArn");
    return PK_OK;
}

static bool is_shown(const struct filter *filter, const struct pk_backup *backup)
{
    struct pk_num created;

    if (filter->nothing)
        return false;
    if (filter->table.data != NULL && !pk_slice_equal(filter->table, backup->table->name))
        return false;
    pk_num_from_int(backup->created_ms, &created);
    if (created.sign != 0)
        created.exponent = (int16_t)(created.exponent - 3); /* seconds */
    return (!filter->has_lower || pk_num_compare(&created, &filter->lower) >= 0) &&
           (!filter->has_upper || pk_num_compare(&created, &filter->upper) < 0);
}

static void add_summary(struct pk_buf *out, struct pk_arena *arena, const struct pk_backup *backup)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "TableName", backup->table->name);
    json_out_member_text(out, "TableId", backup->table->uuid);
    json_out_member_text(out, "TableArn", api_table_arn(arena, backup->table->name));
    add_details(out, arena, backup, backup->status);
    pk_buf_add_byte(out, '}');
}

/* The one behind which the page begins may be gone: an id is in the end of a label, and labels of
 * one clock are in the order of their ids. */
static size_t first_after(const struct pk_backup *list, size_t count, pk_slice label)
{
    size_t at = 0;

    while (label.data != NULL && at < count && pk_slice_compare(list[at].label, label) <= 0)
        at++;
    return at;
}

enum pk_code api_list_backups(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct pk_backup *list = NULL;
    pk_slice last = {NULL, 0};
    struct filter filter;
    size_t count = 0, shown = 0;
    int64_t limit = LIST_MAX;
    bool more = false;
    enum pk_code rc = read_filter(arena, request, &filter, err);

    if (rc == PK_OK)
        rc = pk_engine_list_backups(call->engine, &call->call, &list, &count, err);
    if (rc != PK_OK)
        return rc;
    (void)api_get_int(request, "Limit", &limit);
    json_out_member(out, "BackupSummaries");
    pk_buf_add_byte(out, '[');
    for (size_t i = first_after(list, count, filter.after); i < count && !more; i++) {
        if (!is_shown(&filter, &list[i]))
            continue;
        more = shown == (size_t)limit;
        if (more)
            break;
        add_summary(out, arena, &list[i]);
        last = arn_of(arena, &list[i]);
        shown++;
    }
    pk_buf_add_byte(out, ']');
    if (more)
        json_out_member_text(out, "LastEvaluatedBackupArn", last);
    pk_backup_release_all(list, count);
    return PK_OK;
}

/* ---- restoring ---------------------------------------------------------------------------- */

enum pk_code api_restore_table_from_backup(struct api_call *call, const struct cJSON *request,
                                           struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *locals = api_json_member(request, "LocalSecondaryIndexOverride");
    const struct cJSON *globals = api_json_member(request, "GlobalSecondaryIndexOverride");
    struct pk_restore_request restore = {
        .target = api_get_text(arena, request, "TargetTableName"),
        .billing_given = api_json_member(request, "BillingModeOverride") != NULL,
        .billing = api_get_is(request, "BillingModeOverride", "PAY_PER_REQUEST") ? PK_ON_DEMAND
                                                                                 : PK_PROVISIONED,
        .locals_given = locals != NULL,
        .globals_given = globals != NULL,
    };
    struct pk_table *table = NULL;
    pk_slice arn;
    enum pk_code rc = take_arn(call, request, &arn, &restore.backup, err);

    if (rc != PK_OK)
        return rc;
    restore.locals = api_read_indexes(arena, locals, true, &restore.local_count);
    restore.globals = api_read_indexes(arena, globals, false, &restore.global_count);
    restore.throughput_given =
        api_read_throughput(request, "ProvisionedThroughputOverride", &restore.throughput);
    restore.max_given = api_read_max(request, "OnDemandThroughputOverride", &restore.max);
    rc = name_missing(
        arn, pk_engine_restore_backup(call->engine, &call->call, &restore, &table, err), err);
    if (rc != PK_OK)
        return rc;
    json_out_member(out, "TableDescription");
    api_describe(out, call, table, "CREATING");
    pk_table_unref(table);
    return PK_OK;
}

/* ---- point-in-time recovery --------------------------------------------------------------- */

static enum pk_code need_table(struct api_call *call, pk_slice name, struct pk_error *err)
{
    struct pk_table *table = pk_engine_table(call->engine, name);

    if (table == NULL)
        return pk_fail(err, PK_E_TABLE_NOT_FOUND, "Table not found: %.*s", PK_FMT(name));
    pk_table_unref(table);
    return PK_OK;
}

enum pk_code api_describe_continuous_backups(struct api_call *call, const struct cJSON *request,
                                             struct pk_buf *out, struct pk_error *err)
{
    enum pk_code rc = need_table(call, api_get_table(call->call.arena, request, "TableName"), err);

    if (rc != PK_OK)
        return rc;
    pk_buf_add_cstr(out,
                    "\"ContinuousBackupsDescription\":{\"ContinuousBackupsStatus\":\"ENABLED\","
                    "\"PointInTimeRecoveryDescription\":"
                    "{\"PointInTimeRecoveryStatus\":\"DISABLED\"}}");
    return PK_OK;
}

/* It is off, and stays so: that it was on would be a promise nobody keeps. */
enum pk_code api_update_continuous_backups(struct api_call *call, const struct cJSON *request,
                                           struct pk_buf *out, struct pk_error *err)
{
    const struct cJSON *wanted = api_json_member(request, "PointInTimeRecoverySpecification");
    enum pk_code rc = need_table(call, api_get_table(call->call.arena, request, "TableName"), err);

    if (rc == PK_OK && api_get_bool(wanted, "PointInTimeRecoveryEnabled"))
        rc = pk_fail(err, PK_E_BACKUPS_UNAVAILABLE,
                     "Point in time recovery is not available: this store keeps backups, not every "
                     "moment of a table");
    return rc == PK_OK ? api_describe_continuous_backups(call, request, out, err) : rc;
}

enum pk_code api_restore_table_to_point_in_time(struct api_call *call, const struct cJSON *request,
                                                struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    pk_slice source = api_get_table(arena, request, "SourceTableName");
    enum pk_code rc;

    (void)out;
    if (source.data == NULL)
        source = api_get_table(arena, request, "SourceTableArn");
    if (source.data == NULL)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "One of SourceTableName and SourceTableArn must be specified");
    rc = need_table(call, source, err);
    if (rc != PK_OK)
        return rc;
    return pk_fail(err, PK_E_PITR_UNAVAILABLE,
                   "Point in time recovery is not enabled for table '%.*s'", PK_FMT(source));
}
