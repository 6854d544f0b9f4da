/* Writing a TableDescription (api_describe.h). */
#include "commands/api/api_describe.h"

#include "commands/api/api_check.h"
#include "commands/api/json_out.h"

pk_slice api_table_arn(struct pk_arena *arena, pk_slice table)
{
    return pk_arena_printf(arena, API_TABLE_ARN "%.*s", PK_FMT(table));
}

pk_slice api_backup_arn(struct pk_arena *arena, pk_slice table, pk_slice label)
{
    return pk_arena_printf(arena, API_TABLE_ARN "%.*s/backup/%.*s", PK_FMT(table), PK_FMT(label));
}

bool api_arn_parts(pk_slice arn, const char *part, pk_slice *table, pk_slice *rest)
{
    size_t at = 0;
    pk_slice whole;

    while (at < arn.len && !pk_slice_starts(pk_slice_skip(arn, at), pk_slice_cstr(part)))
        at++;
    whole = pk_slice_of(arn.data, at);
    *table = api_table_of(whole);
    if (at == arn.len || table->data == whole.data || table->len == 0)
        return false;
    *rest = pk_slice_skip(arn, at + strlen(part));
    return true;
}

pk_slice api_stream_arn(struct pk_arena *arena, const struct pk_stream_name *stream)
{
    return pk_arena_printf(arena, API_TABLE_ARN "%.*s/stream/%.*s", PK_FMT(stream->table),
                           PK_FMT(stream->label));
}

const char *api_status_name(enum pk_status status)
{
    switch (status) {
    case PK_STATUS_CREATING:
        return "CREATING";
    case PK_STATUS_ACTIVE:
        return "ACTIVE";
    case PK_STATUS_UPDATING:
        return "UPDATING";
    case PK_STATUS_DELETING:
        return "DELETING";
    }
    return "ACTIVE";
}

const char *api_passing_status(const struct pk_table *table)
{
    return pk_table_serves(table) ? NULL : api_status_name(table->status);
}

static void add_definitions(struct pk_buf *out, const struct pk_table *table)
{
    json_out_member(out, "AttributeDefinitions");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < table->attribute_count; i++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "AttributeName", table->attributes[i].name);
        json_out_member_text(out, "AttributeType",
                             pk_slice_cstr(pk_kind_tag(table->attributes[i].type)));
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

static void add_key_part(struct pk_buf *out, const struct pk_key_attr *attr, const char *type)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "AttributeName", attr->name);
    json_out_member_text(out, "KeyType", pk_slice_cstr(type));
    pk_buf_add_byte(out, '}');
}

void api_add_key_schema(struct pk_buf *out, const struct pk_key_schema *key)
{
    json_out_member(out, "KeySchema");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < key->hash_count; i++)
        add_key_part(out, &key->hash[i], "HASH");
    for (size_t i = 0; i < key->range_count; i++)
        add_key_part(out, &key->range[i], "RANGE");
    pk_buf_add_byte(out, ']');
}

static void add_member_int(struct pk_buf *out, const char *name, int64_t number)
{
    json_out_member(out, name);
    json_out_int(out, number);
}

static void add_member_time(struct pk_buf *out, const char *name, int64_t ms)
{
    if (ms == 0)
        return;
    json_out_member(out, name);
    json_out_time(out, ms);
}

static void add_throughput(struct pk_buf *out, struct pk_engine *engine,
                           const struct pk_throughput *throughput)
{
    json_out_member(out, "ProvisionedThroughput");
    pk_buf_add_byte(out, '{');
    add_member_time(out, "LastIncreaseDateTime", throughput->increased_ms);
    add_member_time(out, "LastDecreaseDateTime", throughput->decreased_ms);
    add_member_int(out, "NumberOfDecreasesToday", pk_engine_decreases_today(engine, throughput));
    add_member_int(out, "ReadCapacityUnits", throughput->read);
    add_member_int(out, "WriteCapacityUnits", throughput->write);
    pk_buf_add_byte(out, '}');
}

static void add_max_throughput(struct pk_buf *out, const struct pk_max_throughput *max)
{
    if (max->read < 0 && max->write < 0)
        return;
    json_out_member(out, "OnDemandThroughput");
    pk_buf_add_byte(out, '{');
    add_member_int(out, "MaxReadRequestUnits", max->read);
    add_member_int(out, "MaxWriteRequestUnits", max->write);
    pk_buf_add_byte(out, '}');
}

void api_add_projection(struct pk_buf *out, const struct pk_index *index)
{
    json_out_member(out, "Projection");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "ProjectionType",
                         pk_slice_cstr(pk_projection_name(index->projection)));
    if (index->projection == PK_PROJECT_INCLUDE) {
        json_out_member(out, "NonKeyAttributes");
        pk_buf_add_byte(out, '[');
        for (size_t i = 0; i < index->include_count; i++) {
            json_out_element(out);
            json_out_string(out, index->include[i]);
        }
        pk_buf_add_byte(out, ']');
    }
    pk_buf_add_byte(out, '}');
}

/* What an index description needs besides the index. */
struct description {
    struct api_call *call;
    const struct pk_table *table;
    const struct pk_table_stats *stats;
    const char *status; /* NULL: the table's own */
};

static void add_index(struct pk_buf *out, const struct description *of, size_t i)
{
    const struct pk_index *index = &of->table->indexes[i];
    const struct pk_counts *counts = &of->stats->indexes[i];
    pk_slice table_arn = api_table_arn(of->call->call.arena, of->table->name);

    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "IndexName", index->name);
    api_add_key_schema(out, &index->key);
    api_add_projection(out, index);
    json_out_member(out, "IndexSizeBytes");
    json_out_uint(out, counts->bytes);
    json_out_member(out, "ItemCount");
    json_out_uint(out, counts->items);
    json_out_member_text(out, "IndexArn",
                         pk_arena_printf(of->call->call.arena, "%.*s/index/%.*s", PK_FMT(table_arn),
                                         PK_FMT(index->name)));
    if (!index->local) {
        const char *status = of->status != NULL && strcmp(of->status, "UPDATING") != 0
                                 ? of->status
                                 : api_status_name(index->status);

        json_out_member_text(out, "IndexStatus", pk_slice_cstr(status));
        /* Not of an index that is made together with its table. */
        if (index->status == PK_STATUS_CREATING &&
            (of->status == NULL || strcmp(of->status, "CREATING") != 0)) {
            json_out_member(out, "Backfilling");
            pk_buf_add_cstr(out, index->backfilling ? "true" : "false");
        }
        add_throughput(out, of->call->engine, &index->throughput);
        add_max_throughput(out, &index->max);
    }
    pk_buf_add_byte(out, '}');
}

static void add_indexes(struct pk_buf *out, const struct description *of, size_t from, size_t to)
{
    if (from == to)
        return;
    json_out_member(out, from == 0 && of->table->local_count > 0 ? "LocalSecondaryIndexes"
                                                                 : "GlobalSecondaryIndexes");
    pk_buf_add_byte(out, '[');
    for (size_t i = from; i < to; i++)
        add_index(out, of, i);
    pk_buf_add_byte(out, ']');
}

/* The stream that was enabled last, also when it has been disabled. */
static void add_latest_stream(struct pk_buf *out, struct pk_arena *arena,
                              const struct pk_table *table)
{
    struct pk_stream_name name = {table->name, pk_engine_stream_label(arena, table)};

    json_out_member_text(out, "LatestStreamLabel", name.label);
    json_out_member_text(out, "LatestStreamArn", api_stream_arn(arena, &name));
}

static void add_restore(struct pk_buf *out, struct pk_arena *arena, const struct pk_table *table)
{
    const struct pk_restore *restore = &table->restore;

    if (restore->source.data == NULL)
        return;
    json_out_member(out, "RestoreSummary");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "SourceBackupArn",
                         api_backup_arn(arena, restore->source, restore->label));
    json_out_member_text(out, "SourceTableArn", api_table_arn(arena, restore->source));
    add_member_time(out, "RestoreDateTime", restore->at_ms);
    json_out_member(out, "RestoreInProgress");
    json_out_bool(out, restore->copying != 0);
    pk_buf_add_byte(out, '}');
}

/* Members that are there only for tables that use them. */
static void add_optional(struct pk_buf *out, struct pk_arena *arena, const struct pk_table *table)
{
    if (table->on_demand_since_ms != 0) {
        json_out_member(out, "BillingModeSummary");
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "BillingMode",
                             table->billing == PK_ON_DEMAND ? PK_LIT("PAY_PER_REQUEST")
                                                            : PK_LIT("PROVISIONED"));
        add_member_time(out, "LastUpdateToPayPerRequestDateTime", table->on_demand_since_ms);
        pk_buf_add_byte(out, '}');
    }
    add_max_throughput(out, &table->max);
    if (table->warm_read != 0 || table->warm_write != 0) {
        json_out_member(out, "WarmThroughput");
        pk_buf_add_byte(out, '{');
        add_member_int(out, "ReadUnitsPerSecond", table->warm_read);
        add_member_int(out, "WriteUnitsPerSecond", table->warm_write);
        json_out_member_text(out, "Status", PK_LIT("ACTIVE"));
        pk_buf_add_byte(out, '}');
    }
    if (table->stream != PK_STREAM_OFF) {
        json_out_member(out, "StreamSpecification");
        pk_buf_add_byte(out, '{');
        json_out_member(out, "StreamEnabled");
        json_out_bool(out, true);
        json_out_member_text(out, "StreamViewType",
                             pk_slice_cstr(pk_stream_view_name(table->stream)));
        pk_buf_add_byte(out, '}');
    }
    if (table->stream_count > 0)
        add_latest_stream(out, arena, table);
    if (table->class_given) {
        json_out_member(out, "TableClassSummary");
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "TableClass",
                             table->infrequent_access ? PK_LIT("STANDARD_INFREQUENT_ACCESS")
                                                      : PK_LIT("STANDARD"));
        add_member_time(out, "LastUpdateDateTime", table->class_changed_ms);
        pk_buf_add_byte(out, '}');
    }
}

static void add_figures(struct pk_buf *out, const struct description *of)
{
    const struct pk_table *table = of->table;

    add_throughput(out, of->call->engine, &table->throughput);
    json_out_member(out, "TableSizeBytes");
    json_out_uint(out, of->stats->table.bytes);
    json_out_member(out, "ItemCount");
    json_out_uint(out, of->stats->table.items);
    json_out_member_text(out, "TableArn", api_table_arn(of->call->call.arena, table->name));
    json_out_member_text(out, "TableId", table->uuid);
}

void api_describe_deleted(struct pk_buf *out, struct api_call *call, const struct pk_table *table)
{
    struct pk_table_stats stats = {0};
    struct description of = {call, table, &stats, "DELETING"};

    pk_engine_table_stats(call->engine, &call->call, table, &stats);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "TableName", table->name);
    json_out_member_text(out, "TableStatus", PK_LIT("DELETING"));
    add_figures(out, &of);
    add_optional(out, call->call.arena, table);
    json_out_member(out, "DeletionProtectionEnabled");
    json_out_bool(out, table->deletion_protection);
    pk_buf_add_byte(out, '}');
}

void api_describe(struct pk_buf *out, struct api_call *call, const struct pk_table *table,
                  const char *status)
{
    struct pk_table_stats stats = {0};
    struct description of = {call, table, &stats, status};

    pk_engine_table_stats(call->engine, &call->call, table, &stats);
    pk_buf_add_byte(out, '{');
    add_definitions(out, table);
    json_out_member_text(out, "TableName", table->name);
    api_add_key_schema(out, &table->key);
    json_out_member_text(out, "TableStatus",
                         pk_slice_cstr(status != NULL ? status : api_status_name(table->status)));
    add_member_time(out, "CreationDateTime", table->created_ms);
    add_figures(out, &of);
    add_optional(out, call->call.arena, table);
    add_restore(out, call->call.arena, table);
    add_indexes(out, &of, 0, table->local_count);
    add_indexes(out, &of, table->local_count, table->index_count);
    json_out_member(out, "DeletionProtectionEnabled");
    json_out_bool(out, table->deletion_protection);
    pk_buf_add_byte(out, '}');
}
