/*
 * BatchGetItem and BatchWriteItem.
 *
 * A batch is flattened into one array of engine requests in the order written; the reply groups
 * them by table again. Everything the request alone can show is refused before the engine is
 * called, so a bad entry fails the whole batch (operations.md §5).
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_cost.h"
#include "commands/api/api_expr.h"
#include "commands/api/api_json.h"
#include "commands/api/api_legacy.h"
#include "commands/api/api_value.h"
#include "commands/api/json_out.h"
#include "engine/base/map.h"

enum { BATCH_GET_MAX = 100, BATCH_WRITE_MAX = 25 };

/* ---- BatchGetItem ------------------------------------------------------------------------- */

/* The keys of one table: a range of the batch's requests. */
struct table_keys {
    const struct cJSON *node; /* its KeysAndAttributes */
    size_t first;
    size_t count;
    const struct pk_projection *projection;
};

struct batch_get {
    struct table_keys *tables;
    size_t table_count;
    struct pk_get *gets;
    const struct cJSON **keys; /* as they were sent, beside gets */
    size_t get_count;
};

/* Old and new parameters clash even when they stand in different entries. */
static enum pk_code check_batch_mix(const struct cJSON *items, struct pk_error *err)
{
    bool legacy = false;
    bool expression = false;

    for (const struct cJSON *node = api_json_first(items); node != NULL;
         node = api_json_next(node)) {
        legacy = legacy || api_json_member(node, "AttributesToGet") != NULL;
        expression = expression || api_json_member(node, "ProjectionExpression") != NULL;
    }
    if (legacy && expression)
        return api_expr_fail_mixed("AttributesToGet", "ProjectionExpression", err);
    for (const struct cJSON *node = api_json_first(items); node != NULL;
         node = api_json_next(node)) {
        enum pk_code rc = api_expr_check_mix(&api_expr_get, node, err);

        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static size_t count_keys(const struct cJSON *items)
{
    size_t count = 0;

    for (const struct cJSON *node = api_json_first(items); node != NULL; node = api_json_next(node))
        count += api_json_count(api_json_member(node, "Keys"));
    return count;
}

/* Keys are compared as they were sent: the service takes 1000 and 1e3 for two. */
static enum pk_code check_same_text(const struct cJSON *keys, struct pk_error *err)
{
    struct pk_map seen = PK_MAP_INIT;
    struct pk_buf text = PK_BUF_INIT;
    bool repeated = false;

    for (const struct cJSON *key = api_json_first(keys); key != NULL && !repeated;
         key = api_json_next(key)) {
        pk_buf_clear(&text);
        api_json_canonical(&text, key, NULL);
        repeated = pk_map_put(&seen, pk_buf_slice(&text), &seen) != NULL;
    }
    pk_map_release(&seen);
    pk_buf_release(&text);
    if (!repeated)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION, "Provided list of item keys contains duplicates");
}

static enum pk_code read_keys(struct pk_arena *arena, struct batch_get *batch,
                              const struct table_keys *table, struct pk_error *err)
{
    pk_slice name = api_table_of(api_json_name(arena, table->node));
    bool consistent = api_get_bool(table->node, "ConsistentRead");
    const struct cJSON *keys = api_json_member(table->node, "Keys");

    for (const struct cJSON *key = api_json_first(keys); key != NULL; key = api_json_next(key)) {
        struct pk_get *get = &batch->gets[batch->get_count];
        enum pk_code rc;

        *get = (struct pk_get){
            .table = name, .consistent = consistent, .projection = table->projection};
        batch->keys[batch->get_count++] = key;
        rc = api_value_read_item(arena, key, &get->key, err);
        if (rc != PK_OK)
            return rc;
    }
    return check_same_text(keys, err);
}

static enum pk_code read_table_keys(struct api_call *call, const struct cJSON *node,
                                    struct batch_get *batch, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct table_keys *table = &batch->tables[batch->table_count++];
    struct pk_projection *attributes = NULL;
    struct api_exprs exprs = {0};
    enum pk_code rc = api_legacy_attributes_to_get(arena, node, &attributes, err);

    if (rc == PK_OK)
        rc = api_expr_parse(call, &api_expr_get, node, &exprs, err);
    *table = (struct table_keys){
        .node = node,
        .first = batch->get_count,
        .projection = attributes != NULL ? attributes : exprs.projection,
    };
    if (rc == PK_OK)
        rc = read_keys(arena, batch, table, err);
    table->count = batch->get_count - table->first;
    return rc;
}

static enum pk_code read_batch_get(struct api_call *call, const struct cJSON *items,
                                   struct batch_get *batch, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    size_t count = count_keys(items);
    enum pk_code rc = check_batch_mix(items, err);

    if (rc != PK_OK)
        return rc;
    if (count > BATCH_GET_MAX)
        return pk_fail(err, PK_E_VALIDATION, "Too many items requested for the BatchGetItem call");
    batch->tables = PK_NEW_ARRAY(arena, struct table_keys, api_json_count(items));
    batch->gets = PK_NEW_ARRAY(arena, struct pk_get, count);
    batch->keys = PK_NEW_ARRAY(arena, const struct cJSON *, count);
    for (const struct cJSON *node = api_json_first(items); node != NULL && rc == PK_OK;
         node = api_json_next(node))
        rc = read_table_keys(call, node, batch, err);
    return rc;
}

/* True when an earlier key of the table is the same number written otherwise: one item is
 * returned. */
static bool repeats(const struct batch_get *batch, const struct table_keys *table, size_t at)
{
    for (size_t i = table->first; i < at; i++) {
        if (pk_value_equal(batch->gets[i].key, batch->gets[at].key))
            return true;
    }
    return false;
}

static void add_table_items(struct pk_buf *out, const struct batch_get *batch,
                            const struct table_keys *table,
                            const struct pk_batch_get_entry *entries)
{
    struct pk_buf part = PK_BUF_INIT;

    json_out_member_slice(out, batch->gets[table->first].table);
    pk_buf_add_byte(out, '[');
    for (size_t i = table->first; i < table->first + table->count; i++) {
        pk_view item = entries[i].item;

        if (pk_view_kind(item) == PK_MISSING || repeats(batch, table, i))
            continue;
        if (table->projection != NULL) {
            pk_buf_clear(&part);
            pk_expr_project(table->projection, item, &part);
            item = pk_buf_slice(&part);
        }
        json_out_element(out);
        json_out_item(out, item);
    }
    pk_buf_add_byte(out, ']');
    pk_buf_release(&part);
}

/* The entry as it was sent, with the keys that were not read. */
static void add_unprocessed(struct pk_buf *out, const struct batch_get *batch,
                            const struct table_keys *table,
                            const struct pk_batch_get_entry *entries)
{
    bool open = false;

    for (size_t i = table->first; i < table->first + table->count; i++) {
        if (!entries[i].unprocessed)
            continue;
        if (!open) {
            json_out_member_slice(out, batch->gets[i].table);
            api_json_canonical(out, table->node, "Keys");
            out->len--; /* takes the closing brace back */
            json_out_member(out, "Keys");
            pk_buf_add_byte(out, '[');
            open = true;
        }
        json_out_element(out);
        api_json_canonical(out, batch->keys[i], NULL);
    }
    if (open)
        pk_buf_add_cstr(out, "]}");
}

enum pk_code api_batch_get_item(struct api_call *call, const struct cJSON *request,
                                struct pk_buf *out, struct pk_error *err)
{
    const struct cJSON *items = api_json_member(request, "RequestItems");
    struct batch_get batch = {0};
    struct pk_batch_get_result result = {0};
    enum pk_code rc = read_batch_get(call, items, &batch, err);

    if (rc == PK_OK)
        rc = pk_engine_batch_get(call->engine, &call->call, batch.gets, batch.get_count, &result,
                                 err);
    if (rc != PK_OK)
        return rc;
    api_facts(call, &result.facts, result.costs, result.cost_count);
    json_out_member(out, "Responses");
    pk_buf_add_byte(out, '{');
    for (size_t i = 0; i < batch.table_count; i++)
        add_table_items(out, &batch, &batch.tables[i], result.entries);
    pk_buf_add_byte(out, '}');
    json_out_member(out, "UnprocessedKeys");
    pk_buf_add_byte(out, '{');
    for (size_t i = 0; i < batch.table_count; i++)
        add_unprocessed(out, &batch, &batch.tables[i], result.entries);
    pk_buf_add_byte(out, '}');
    api_costs_add(out, api_cost_mode(request), API_COST_PLAIN, result.costs, result.cost_count);
    return PK_OK;
}

/* ---- BatchWriteItem ----------------------------------------------------------------------- */

/* {PutRequest:{Item}} or {DeleteRequest:{Key}} */
static enum pk_code read_write(struct pk_arena *arena, const struct cJSON *node,
                               struct pk_write *write, struct pk_error *err)
{
    const struct cJSON *put = api_json_member(node, "PutRequest");
    const struct cJSON *deletion = api_json_member(node, "DeleteRequest");
    enum pk_code rc;

    if ((put == NULL) == (deletion == NULL))
        return pk_fail(err, PK_E_VALIDATION,
                       "Supplied AttributeValue has more than one datatypes set, must contain "
                       "exactly one of the supported datatypes");
    write->kind = put != NULL ? PK_WRITE_PUT : PK_WRITE_DELETE;
    rc = api_value_read_item(
        arena, put != NULL ? api_json_member(put, "Item") : api_json_member(deletion, "Key"),
        &write->item, err);
    if (rc == PK_OK && put != NULL && pk_item_size(write->item) > PK_ITEM_MAX)
        rc = pk_fail(err, PK_E_VALIDATION, "Item size has exceeded the maximum allowed size");
    return rc;
}

static enum pk_code read_batch_write(struct pk_arena *arena, const struct cJSON *items,
                                     struct pk_write *writes, struct pk_error *err)
{
    size_t n = 0;

    for (const struct cJSON *table = api_json_first(items); table != NULL;
         table = api_json_next(table)) {
        for (const struct cJSON *node = api_json_first(table); node != NULL;
             node = api_json_next(node)) {
            enum pk_code rc = read_write(arena, node, &writes[n], err);

            if (rc != PK_OK)
                return rc;
            writes[n++].table = api_table_of(api_json_name(arena, table));
        }
    }
    return PK_OK;
}

/* The requests that were throttled, as they were sent. */
static void add_unprocessed_items(struct pk_buf *out, struct pk_arena *arena,
                                  const struct cJSON *items, const bool *unprocessed)
{
    size_t n = 0;

    pk_buf_add_byte(out, '{');
    for (const struct cJSON *table = api_json_first(items); table != NULL;
         table = api_json_next(table)) {
        bool open = false;

        for (const struct cJSON *node = api_json_first(table); node != NULL;
             node = api_json_next(node)) {
            if (!unprocessed[n++])
                continue;
            if (!open) {
                json_out_member_slice(out, api_json_name(arena, table));
                pk_buf_add_byte(out, '[');
                open = true;
            }
            json_out_element(out);
            api_json_canonical(out, node, NULL);
        }
        if (open)
            pk_buf_add_byte(out, ']');
    }
    pk_buf_add_byte(out, '}');
}

enum pk_code api_batch_write_item(struct api_call *call, const struct cJSON *request,
                                  struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *items = api_json_member(request, "RequestItems");
    struct pk_batch_write_result result = {0};
    struct pk_write *writes;
    size_t count = 0;
    enum pk_code rc;

    if (api_json_count(items) == 0)
        return pk_fail(err, PK_E_VALIDATION,
                       "The requestItems parameter is required for BatchWriteItem");
    for (const struct cJSON *table = api_json_first(items); table != NULL;
         table = api_json_next(table))
        count += api_json_count(table);
    if (count > BATCH_WRITE_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "Too many items requested for the BatchWriteItem call");
    writes = PK_NEW_ARRAY(arena, struct pk_write, count);
    rc = read_batch_write(arena, items, writes, err);
    if (rc == PK_OK)
        rc = pk_engine_batch_write(call->engine, &call->call, writes, count, &result, err);
    if (rc != PK_OK)
        return rc;
    api_facts(call, &result.facts, result.costs, result.cost_count);
    json_out_member(out, "UnprocessedItems");
    add_unprocessed_items(out, arena, items, result.unprocessed);
    api_metrics_add_all(out, request, writes, result.writes, count);
    api_costs_add(out, api_cost_mode(request), API_COST_PLAIN, result.costs, result.cost_count);
    return PK_OK;
}
