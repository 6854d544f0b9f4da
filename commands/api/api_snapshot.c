/* Pksk.Snapshot: a table or index from inside, as commands/snapshot.h says. */
#include <inttypes.h>

#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_describe.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"
#include "commands/result.h"
#include "engine/snapshot.h"

enum { TABLES_SHOWN = 100, PARTITIONS_SHOWN = 64, PARTITIONS_SHOWN_MAX = 10000 };

static void add_int(struct pk_buf *out, const char *name, int64_t number)
{
    json_out_member(out, name);
    json_out_int(out, number);
}

static void add_uint(struct pk_buf *out, const char *name, uint64_t number)
{
    json_out_member(out, name);
    json_out_uint(out, number);
}

static void add_text(struct pk_buf *out, const char *name, const char *text)
{
    json_out_member(out, name);
    json_out_cstr(out, text);
}

static void add_token(struct pk_buf *out, const char *name, uint64_t token)
{
    json_out_member(out, name);
    pk_buf_printf(out, "\"%016" PRIx64 "\"", token);
}

static void begin_list(struct pk_buf *out, const char *name)
{
    json_out_member(out, name);
    pk_buf_add_byte(out, '[');
}

/* ---- the store ------------------------------------------------------------------------------- */

static const char *throttle_name(uint64_t throttle)
{
    static const char *const names[] = {"off", "observe", "enforce"};

    return names[throttle];
}

static void add_tables(struct pk_buf *out, struct api_call *call)
{
    pk_slice names[TABLES_SHOWN];
    bool more;
    size_t count = pk_engine_list_tables(call->engine, &call->call, (pk_slice){NULL, 0},
                                         TABLES_SHOWN, names, &more);

    begin_list(out, "Tables");
    for (size_t i = 0; i < count; i++) {
        struct pk_table *table = pk_engine_table(call->engine, names[i]);
        struct pk_table_stats stats;

        if (table == NULL)
            continue;
        pk_engine_table_stats(call->engine, &call->call, table, &stats);
        pk_table_unref(table);
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "TableName", names[i]);
        add_uint(out, "Items", stats.table.items);
        add_uint(out, "Bytes", stats.table.bytes);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

static void add_store(struct pk_buf *out, struct api_call *call)
{
    struct pk_clock *clock = pk_engine_clock(call->engine);
    struct pk_clock_state state = pk_clock_save(clock);
    struct pk_sim_settings sim;

    pk_engine_settings(call->engine, &sim);
    add_int(out, "Time", pk_clock_now(clock));
    json_out_member(out, "Paused");
    json_out_bool(out, state.paused);
    add_uint(out, "Speed", state.speed);
    add_text(out, "Throttle", throttle_name(sim.throttle));
    add_uint(out, "WindowSeconds", sim.split_window_ms / 1000);
    add_tables(out, call);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void add_access(struct pk_buf *out, const char *name, const struct pk_access_look *look,
                       bool whole)
{
    json_out_member(out, name);
    pk_buf_add_byte(out, '{');
    add_int(out, "Limit", look->limit);
    add_int(out, "Consumed", look->consumed_milli);
    add_int(out, "LevelMilli", look->level_milli);
    add_int(out, "BurstMilli", look->burst_milli);
    add_int(out, "BurstMaxMilli", look->burst_max_milli);
    add_uint(out, "Admitted", look->admitted);
    add_uint(out, "Refused", look->refused);
    if (whole) {
        add_int(out, "Warm", look->warm);
        add_int(out, "Max", look->max);
    }
    json_out_member(out, "Throttled");
    pk_buf_add_byte(out, '{');
    add_uint(out, "KeyRange", look->throttled[PK_LIMIT_KEY_RANGE]);
    add_uint(out, "Provisioned", look->throttled[PK_LIMIT_PROVISIONED]);
    add_uint(out, "MaxOnDemand", look->throttled[PK_LIMIT_MAX_ON_DEMAND]);
    add_uint(out, "Account", look->throttled[PK_LIMIT_ACCOUNT]);
    pk_buf_add_cstr(out, "}}");
}

/* ---- partitions ------------------------------------------------------------------------------ */

static void add_counts(struct pk_buf *out, const struct pk_counts *counts)
{
    add_uint(out, "Items", counts->items);
    add_uint(out, "Bytes", counts->bytes);
}

/* As it would be typed: "USER#1 ORDER#7". */
static void add_first_key(struct pk_buf *out, pk_value key)
{
    struct pk_buf text = PK_BUF_INIT;

    for (size_t i = 0; pk_value_kind(key) == PK_MAP && i < key.len; i++) {
        if (i > 0)
            pk_buf_add_byte(&text, ' ');
        cmd_key_value_text(&text, key.u.members[i].value);
    }
    json_out_member_text(out, "FirstKey", pk_buf_slice(&text));
    pk_buf_release(&text);
}

static void add_hottest(struct pk_buf *out, const struct pk_partition_look *look)
{
    begin_list(out, "Hottest");
    for (size_t i = 0; i < look->hottest_count; i++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member(out, "Key");
        if (pk_value_kind(look->hottest[i].key) == PK_MAP)
            json_out_tree_item(out, look->hottest[i].key);
        else
            pk_buf_add_cstr(out, "{}");
        add_uint(out, "Share", look->hottest[i].milli);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

static void add_seconds(struct pk_buf *out, const struct pk_partition_look *look, const char *name,
                        int64_t (*value)(const struct pk_second_look *second))
{
    begin_list(out, name);
    for (size_t i = 0; i < look->history_count; i++) {
        json_out_element(out);
        json_out_int(out, value(&look->history[i]));
    }
    pk_buf_add_byte(out, ']');
}

static int64_t read_of(const struct pk_second_look *second)
{
    return second->read_milli;
}

static int64_t write_of(const struct pk_second_look *second)
{
    return second->write_milli;
}

static int64_t refused_of(const struct pk_second_look *second)
{
    return second->refused;
}

static void add_partition(struct pk_buf *out, const struct pk_partition_look *look)
{
    char leader[2] = {(char)('a' + look->id % 3), '\0'};

    json_out_element(out);
    pk_buf_add_byte(out, '{');
    add_uint(out, "Number", look->number);
    add_uint(out, "Id", look->id);
    add_uint(out, "Parent", look->parent);
    add_token(out, "FirstToken", look->first_token);
    add_token(out, "LastToken", look->last_token);
    add_first_key(out, look->first_key);
    add_counts(out, &look->counts);
    json_out_member(out, "Splitting");
    json_out_bool(out, look->splitting);
    add_int(out, "SplitDue", look->split_due_ms);
    add_int(out, "CooldownUntil", look->cool_until_ms);
    add_uint(out, "HotSeconds", look->hot_seconds);
    add_text(out, "Refusal", look->refusal);
    add_text(out, "Leader", leader);
    add_access(out, "Read", &look->read, false);
    add_access(out, "Write", &look->write, false);
    add_hottest(out, look);
    json_out_member(out, "History");
    pk_buf_add_byte(out, '{');
    add_seconds(out, look, "Read", read_of);
    add_seconds(out, look, "Write", write_of);
    add_seconds(out, look, "Refused", refused_of);
    pk_buf_add_cstr(out, "}}");
}

/* ---- indexes, splits and readers ------------------------------------------------------------- */

static void add_index(struct pk_buf *out, const struct pk_index_look *look)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "IndexName", look->index->name);
    json_out_member(out, "Local");
    json_out_bool(out, look->index->local);
    add_text(out, "Status", api_status_name(look->index->status));
    add_counts(out, &look->counts);
    add_uint(out, "Waiting", look->lag.waiting);
    add_int(out, "OldestMs", look->lag.oldest_ms);
    add_int(out, "QueueMilli", look->queue_milli);
    add_int(out, "QueueLimitMilli", look->queue_limit_milli);
    if (!look->index->local) {
        add_access(out, "Read", &look->read, true);
        add_access(out, "Write", &look->write, true);
    }
    add_uint(out, "Throttled", look->blocked);
    pk_buf_add_byte(out, '}');
}

static void add_split(struct pk_buf *out, const struct pk_split_look *look)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    add_int(out, "Time", look->time_ms);
    add_uint(out, "Partition", look->partition);
    json_out_member(out, "Children");
    pk_buf_printf(out, "[%u,%u]", look->children[0], look->children[1]);
    add_text(out, "Cause", look->cause);
    pk_buf_add_byte(out, '}');
}

static void add_reader(struct pk_buf *out, const struct pk_reader_look *look)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    add_uint(out, "Number", look->number);
    json_out_member_text(out, "ShardId", look->shard);
    if (look->sequence.data != NULL)
        json_out_member_text(out, "SequenceNumber", look->sequence);
    add_uint(out, "Records", look->records);
    add_uint(out, "Waiting", look->waiting);
    json_out_member(out, "More");
    json_out_bool(out, look->more);
    add_int(out, "OldestMs", look->oldest_ms);
    add_int(out, "QuietMs", look->quiet_ms);
    pk_buf_add_byte(out, '}');
}

/* ---- the operation --------------------------------------------------------------------------- */

static void add_snapshot(struct pk_buf *out, const struct pk_snapshot *snapshot)
{
    json_out_member_text(out, "TableName", snapshot->table->name);
    if (snapshot->index != NULL)
        json_out_member_text(out, "IndexName", snapshot->index->name);
    json_out_member(out, "OnDemand");
    json_out_bool(out, snapshot->table->billing == PK_ON_DEMAND);
    json_out_member(out, "Counting");
    json_out_bool(out, snapshot->counting);
    add_counts(out, &snapshot->counts);
    add_access(out, "Read", &snapshot->read, true);
    add_access(out, "Write", &snapshot->write, true);
    add_uint(out, "PartitionCount", snapshot->partition_count);
    begin_list(out, "Partitions");
    for (size_t i = 0; i < snapshot->count; i++)
        add_partition(out, &snapshot->partitions[i]);
    pk_buf_add_byte(out, ']');
    begin_list(out, "Hot");
    for (size_t i = 0; i < snapshot->hot_count; i++)
        add_partition(out, &snapshot->hot[i]);
    pk_buf_add_byte(out, ']');
    begin_list(out, "Indexes");
    for (size_t i = 0; snapshot->indexes != NULL && i < snapshot->table->index_count; i++)
        add_index(out, &snapshot->indexes[i]);
    pk_buf_add_byte(out, ']');
    begin_list(out, "Splits");
    for (size_t i = 0; i < snapshot->split_count; i++)
        add_split(out, &snapshot->splits[i]);
    pk_buf_add_byte(out, ']');
    begin_list(out, "Readers");
    for (size_t i = 0; i < snapshot->reader_count; i++)
        add_reader(out, &snapshot->readers[i]);
    pk_buf_add_byte(out, ']');
}

static uint32_t number_of(const struct cJSON *request, const char *name, int64_t most,
                          int64_t initial)
{
    int64_t number = initial;

    (void)api_get_int(request, name, &number);
    return (uint32_t)(number < 0 ? 0 : number > most ? most : number);
}

enum pk_code api_pksk_snapshot(struct api_call *call, const struct cJSON *request,
                               struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct pk_snapshot snapshot;
    const struct pk_snapshot_request wanted = {
        .table = api_get_table(arena, request, "TableName"),
        .index = api_get_text(arena, request, "IndexName"),
        .history = number_of(request, "History", PK_SNAPSHOT_HISTORY_MAX, 0),
        .first = number_of(request, "First", UINT32_MAX, 0),
        .limit = number_of(request, "Limit", PARTITIONS_SHOWN_MAX, PARTITIONS_SHOWN),
        .hot = number_of(request, "Hot", PK_SNAPSHOT_HOT_MAX, 0),
    };
    enum pk_code rc;

    add_store(out, call);
    if (wanted.table.data == NULL)
        return PK_OK;
    rc = pk_engine_snapshot(call->engine, &call->call, &wanted, &snapshot, err);
    if (rc == PK_OK)
        add_snapshot(out, &snapshot);
    pk_snapshot_release(&snapshot);
    return rc;
}
