/* ConsumedCapacity and ItemCollectionMetrics (api_cost.h). */
#include "commands/api/api_cost.h"

#include "commands/api/api_check.h"
#include "commands/api/json_out.h"

enum api_cost_mode api_cost_mode(const struct cJSON *request)
{
    if (api_get_is(request, "ReturnConsumedCapacity", "TOTAL"))
        return API_COST_TOTAL;
    if (api_get_is(request, "ReturnConsumedCapacity", "INDEXES"))
        return API_COST_INDEXES;
    return API_COST_NONE;
}

/* "CapacityUnits":1.0, in a transaction with "WriteCapacityUnits":1.0 beside it */
static void add_units(struct pk_buf *out, enum api_cost_kind kind, bool write, int64_t milli)
{
    json_out_member(out, "CapacityUnits");
    json_out_units(out, milli);
    if (kind == API_COST_PLAIN)
        return;
    json_out_member(out, write ? "WriteCapacityUnits" : "ReadCapacityUnits");
    json_out_units(out, milli);
}

static void add_indexes(struct pk_buf *out, enum api_cost_kind kind, const struct pk_cost *cost,
                        bool local)
{
    bool open = false;

    for (size_t i = 0; i < cost->index_count; i++) {
        const struct pk_index_cost *index = &cost->indexes[i];

        if (index->local != local)
            continue;
        if (!open) {
            json_out_member(out, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
            pk_buf_add_byte(out, '{');
            open = true;
        }
        json_out_member_slice(out, index->name);
        pk_buf_add_byte(out, '{');
        add_units(out, kind, cost->write, index->milli);
        pk_buf_add_byte(out, '}');
    }
    if (open)
        pk_buf_add_byte(out, '}');
}

static void add_cost(struct pk_buf *out, enum api_cost_mode mode, enum api_cost_kind kind,
                     const struct pk_cost *cost)
{
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "TableName", cost->table);
    add_units(out, kind, cost->write, pk_cost_total(cost));
    if (mode == API_COST_INDEXES) {
        json_out_member(out, "Table");
        pk_buf_add_byte(out, '{');
        add_units(out, kind, cost->write, cost->table_milli);
        pk_buf_add_byte(out, '}');
        add_indexes(out, kind, cost, true);
        add_indexes(out, kind, cost, false);
    }
    pk_buf_add_byte(out, '}');
}

void api_cost_add(struct pk_buf *out, enum api_cost_mode mode, const struct pk_cost *cost)
{
    if (mode == API_COST_NONE)
        return;
    json_out_member(out, "ConsumedCapacity");
    add_cost(out, mode, API_COST_PLAIN, cost);
}

void api_costs_add(struct pk_buf *out, enum api_cost_mode mode, enum api_cost_kind kind,
                   const struct pk_cost *costs, size_t count)
{
    if (mode == API_COST_NONE)
        return;
    json_out_member(out, "ConsumedCapacity");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        json_out_element(out);
        add_cost(out, mode, kind, &costs[i]);
    }
    pk_buf_add_byte(out, ']');
}

/* ---- item collections --------------------------------------------------------------------- */

static bool wants_metrics(const struct cJSON *request)
{
    return api_get_is(request, "ReturnItemCollectionMetrics", "SIZE");
}

static bool has_metrics(const struct pk_write_result *result)
{
    return pk_value_kind(result->collection_key) == PK_MAP;
}

/* The estimate is a range of whole gigabytes. */
static void add_metrics(struct pk_buf *out, const struct pk_write_result *result)
{
    int64_t gigabytes = (int64_t)(result->collection_bytes >> 30);

    pk_buf_add_byte(out, '{');
    json_out_member(out, "ItemCollectionKey");
    json_out_tree_item(out, result->collection_key);
    json_out_member(out, "SizeEstimateRangeGB");
    pk_buf_add_byte(out, '[');
    json_out_units(out, gigabytes * 1000);
    json_out_element(out);
    json_out_units(out, (gigabytes + 1) * 1000);
    pk_buf_add_cstr(out, "]}");
}

void api_metrics_add(struct pk_buf *out, const struct cJSON *request,
                     const struct pk_write_result *result)
{
    if (!wants_metrics(request) || !has_metrics(result))
        return;
    json_out_member(out, "ItemCollectionMetrics");
    add_metrics(out, result);
}

/* True when an earlier write touched the same table. */
static bool seen_before(const struct pk_write *writes, const struct pk_write_result *results,
                        size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (has_metrics(&results[i]) && pk_slice_equal(writes[i].table, writes[at].table))
            return true;
    }
    return false;
}

/* The metrics of one table: every collection once. */
static void add_table_metrics(struct pk_buf *out, const struct pk_write *writes,
                              const struct pk_write_result *results, size_t from, size_t count)
{
    json_out_member_slice(out, writes[from].table);
    pk_buf_add_byte(out, '[');
    for (size_t i = from; i < count; i++) {
        bool repeated =
            !pk_slice_equal(writes[i].table, writes[from].table) || !has_metrics(&results[i]);

        for (size_t j = i + 1; j < count && !repeated; j++)
            repeated = pk_slice_equal(writes[j].table, writes[i].table) &&
                       has_metrics(&results[j]) &&
                       pk_value_equal(results[i].collection_key, results[j].collection_key);
        if (repeated)
            continue; /* the last write of a collection knows its size */
        json_out_element(out);
        add_metrics(out, &results[i]);
    }
    pk_buf_add_byte(out, ']');
}

void api_metrics_add_all(struct pk_buf *out, const struct cJSON *request,
                         const struct pk_write *writes, const struct pk_write_result *results,
                         size_t count)
{
    if (!wants_metrics(request))
        return;
    json_out_member(out, "ItemCollectionMetrics");
    pk_buf_add_byte(out, '{');
    for (size_t i = 0; i < count; i++) {
        if (has_metrics(&results[i]) && !seen_before(writes, results, i))
            add_table_metrics(out, writes, results, i, count);
    }
    pk_buf_add_byte(out, '}');
}
