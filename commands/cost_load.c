#include "commands/cost_load.h"

#include "commands/heat.h"
#include "commands/schema.h"
#include "commands/spent.h"
#include "commands/wire.h"
#include "commands/workload/pricing.h"
#include "engine/base/clock.h"

enum {
    MILLI = 1000,
    ITEM_OVERHEAD = 100 /* bytes of storage that are billed beside an item's own */
};

/* ---- what was consumed ----------------------------------------------------------------------- */

static void add_second(struct cmd_cost_side *side, const struct cmd_heat *heat, size_t partition,
                       size_t second)
{
    struct cmd_heat_cell cell = cmd_heat_cell(heat, partition, second);

    if (!cmd_heat_counts(heat, partition, second))
        return;
    side->read_sum = pricing_sum(side->read_sum, cell.read_milli);
    side->write_sum = pricing_sum(side->write_sum, cell.write_milli);
}

static void take_mean(struct cmd_cost_side *side, size_t seconds)
{
    side->read = side->read_sum / (int64_t)seconds;
    side->write = side->write_sum / (int64_t)seconds;
}

static enum pk_code look_at(struct cmd_context *context, struct cmd_cost_load *load, size_t i,
                            struct pk_error *err)
{
    struct cmd_snapshot_request request = {
        .table = load->table->name, .history = CMD_COST_SECONDS, .limit = 10000};
    struct cmd_snapshot snapshot;
    struct cmd_heat heat;
    size_t known;
    enum pk_code rc;

    if (i > 0)
        request.index = load->table->indexes[load->table->local_count + i - 1].name;
    rc = cmd_snapshot_take_all(context, load->arena, &request, &snapshot, err);
    if (rc != PK_OK)
        return rc;
    heat = cmd_heat_of(&snapshot);
    known = cmd_heat_known(&heat);
    for (size_t p = 0; p < snapshot.count; p++) {
        for (size_t s = known; s < heat.seconds; s++)
            add_second(&load->sides[i], &heat, p, s);
    }
    if (heat.seconds - known > load->seconds)
        load->seconds = heat.seconds - known;
    if (i == 0)
        load->partitions = snapshot.partition_count;
    return PK_OK;
}

static enum pk_code look_at_all(struct cmd_context *context, struct cmd_cost_load *load,
                                struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    load->count = 1 + load->table->index_count - load->table->local_count;
    load->sides = PK_NEW_ARRAY(load->arena, struct cmd_cost_side, load->count);
    for (size_t i = 0; i < load->count && rc == PK_OK; i++)
        rc = look_at(context, load, i, err);
    for (size_t i = 0; i < load->count && load->seconds > 0; i++)
        take_mean(&load->sides[i], load->seconds);
    return rc;
}

/* Where our own operations are not: what the session consumed of the table. */
static void take_session(const struct cmd_context *context, struct cmd_cost_load *load)
{
    const struct cmd_spent *spent = context->spent;
    struct cmd_cost_side *side = PK_NEW(load->arena, struct cmd_cost_side);

    load->sides = side;
    load->count = 1;
    for (size_t i = 0; spent != NULL && i < spent->count; i++) {
        if (!pk_slice_is(load->table->name, spent->rows[i].table))
            continue;
        side->read_sum = pricing_sum(side->read_sum, spent->rows[i].read_milli);
        side->write_sum = pricing_sum(side->write_sum, spent->rows[i].write_milli);
    }
    if (side->read_sum + side->write_sum == 0)
        return;
    load->seconds = (size_t)((pk_clock_real_us() / MILLI - spent->since_ms) / MILLI) + 1;
    take_mean(side, load->seconds);
}

/* ---- what is stored -------------------------------------------------------------------------- */

static int64_t bytes_of(const cJSON *node, const char *bytes)
{
    int64_t own = cmd_wire_int(node, bytes, 0);
    int64_t items = cmd_wire_int(node, "ItemCount", 0);

    return own < 0 || items < 0 ? 0 : pricing_sum(own, items * ITEM_OVERHEAD);
}

/* Table and indexes, as DescribeTable counts them. */
static enum pk_code count_storage(struct cmd_context *context, struct cmd_cost_load *load,
                                  struct pk_error *err)
{
    static const char *const kinds[] = {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"};
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *table, *node;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", load->table->name);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    table = cJSON_GetObjectItemCaseSensitive(answer, "Table");
    load->stored = bytes_of(table, "TableSizeBytes");
    for (size_t i = 0; i < 2; i++) {
        cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(table, kinds[i])) load->stored =
            pricing_sum(load->stored, bytes_of(node, "IndexSizeBytes"));
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

enum pk_code cmd_cost_load_take(struct cmd_context *context, struct pk_arena *arena, pk_slice table,
                                struct cmd_cost_load *load, struct pk_error *err)
{
    enum pk_code rc;

    *load = (struct cmd_cost_load){.arena = arena};
    rc = cmd_schema_get(context, table, &load->table, err);
    if (rc == PK_OK)
        rc = count_storage(context, load, err);
    if (rc == PK_OK && context->backend->extensions)
        rc = look_at_all(context, load, err);
    else if (rc == PK_OK)
        take_session(context, load);
    return rc;
}

int64_t cmd_cost_load_all(const struct cmd_cost_load *load, bool write)
{
    int64_t sum = 0;

    for (size_t i = 0; i < load->count; i++)
        sum = pricing_sum(sum, write ? load->sides[i].write : load->sides[i].read);
    return sum;
}
