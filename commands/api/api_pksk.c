/*
 * Our own operations: looking inside a table. They cost no capacity and change nothing.
 *
 *   Pksk.Where        {TableName, IndexName?, Key} → Token, Partition, Partitions, PartitionCount,
 *                     PartitionId, FirstToken, LastToken, FirstKey?, EndKey?, StoredKey, Parts;
 *                     Partitions: how many, from that one on, own something of the key's; FirstKey
 *                     and EndKey are lists of values: where they begin and where the next one does,
 *                     when that is inside a token
 *   Pksk.Collections  {TableName, IndexName?, Top} → Collections [{HashKey, Items, Bytes,
 *                     Partition}], Total. HashKeys, a list, where an index has several
 *   Pksk.Sample       {TableName, HashKey?, Limit} → Items
 *   Pksk.TableStats   {TableName} → Counting, Items, Bytes, Indexes, Partitions
 *   Pksk.Check        {} → Lines, Tables, Items, IndexEntries, Backups, Bytes, Faults
 *
 * Tokens and stored keys are hex text, because a JSON number would lose their digits.
 */
#include <inttypes.h>

#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/api_value.h"
#include "commands/api/json_out.h"

enum { TOP_DEFAULT = 10, SAMPLE_DEFAULT = 50 };

static void add_hex_token(struct pk_buf *out, const char *name, uint64_t token)
{
    json_out_member(out, name);
    pk_buf_printf(out, "\"%016" PRIx64 "\"", token);
}

static void add_hex(struct pk_buf *out, pk_slice bytes)
{
    pk_buf_add_byte(out, '"');
    for (size_t i = 0; i < bytes.len; i++)
        pk_buf_printf(out, "%02x", (unsigned char)bytes.data[i]);
    pk_buf_add_byte(out, '"');
}

/* ---- Where -------------------------------------------------------------------------------- */

/* The stored key cut into what each run of its bytes means: every key begins with a space byte, a
 * table or index id and the token; the encoded key attributes follow (layout of stored keys). */
static void add_parts(struct pk_buf *out, pk_slice key)
{
    static const struct {
        const char *name;
        size_t bytes;
    } parts[] = {{"space", 1}, {"id", 4}, {"token", 8}, {"key", SIZE_MAX}};

    json_out_member(out, "Parts");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && key.len > 0; i++) {
        size_t bytes = parts[i].bytes < key.len ? parts[i].bytes : key.len;

        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "Name", pk_slice_cstr(parts[i].name));
        json_out_member(out, "Hex");
        add_hex(out, (pk_slice){key.data, bytes});
        pk_buf_add_byte(out, '}');
        key = pk_slice_skip(key, bytes);
    }
    pk_buf_add_byte(out, ']');
}

/* A border that is more than a token. */
static void add_border(struct pk_buf *out, const char *name, pk_slice position,
                       struct pk_arena *arena)
{
    pk_value values[PK_POSITION_VALUES_MAX];
    size_t count = pk_engine_position_values(arena, position, values, PK_POSITION_VALUES_MAX);

    if (count == 0)
        return;
    json_out_member(out, name);
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        json_out_element(out);
        json_out_tree_value(out, values[i]);
    }
    pk_buf_add_byte(out, ']');
}

enum pk_code api_pksk_where(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                            struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct pk_place place = {0};
    pk_value key;
    enum pk_code rc = api_value_read_item(arena, api_json_member(request, "Key"), &key, err);

    if (rc == PK_OK)
        rc = pk_engine_where(call->engine, &call->call,
                             &(struct pk_where){api_get_table(arena, request, "TableName"),
                                                api_get_text(arena, request, "IndexName"), key},
                             &place, err);
    if (rc != PK_OK)
        return rc;
    add_hex_token(out, "Token", place.token);
    json_out_member(out, "Partition");
    json_out_uint(out, place.partition);
    json_out_member(out, "Partitions");
    json_out_uint(out, place.partitions);
    json_out_member(out, "PartitionCount");
    json_out_uint(out, place.partition_count);
    json_out_member(out, "PartitionId");
    json_out_uint(out, place.partition_id);
    add_hex_token(out, "FirstToken", place.partition_first);
    add_hex_token(out, "LastToken", place.partition_last);
    add_border(out, "FirstKey", place.first_position, arena);
    add_border(out, "EndKey", place.end_position, arena);
    json_out_member(out, "StoredKey");
    add_hex(out, place.stored_key);
    add_parts(out, place.stored_key);
    call->response->facts.partition = place.partition;
    call->response->facts.partition_count = place.partition_count;
    return PK_OK;
}

/* ---- Collections -------------------------------------------------------------------------- */

static void add_counts(struct pk_buf *out, const struct pk_counts *counts)
{
    json_out_member(out, "Items");
    json_out_uint(out, counts->items);
    json_out_member(out, "Bytes");
    json_out_uint(out, counts->bytes);
}

static void add_hash(struct pk_buf *out, const struct pk_collection *collection, size_t count)
{
    if (count == 1) {
        json_out_member(out, "HashKey");
        json_out_tree_value(out, collection->hash[0]);
        return;
    }
    json_out_member(out, "HashKeys");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        json_out_element(out);
        json_out_tree_value(out, collection->hash[i]);
    }
    pk_buf_add_byte(out, ']');
}

enum pk_code api_pksk_collections(struct api_call *call, const struct cJSON *request,
                                  struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct pk_collections result = {0};
    struct pk_collections_request ask = {.table = api_get_table(arena, request, "TableName"),
                                         .index = api_get_text(arena, request, "IndexName")};
    int64_t top = TOP_DEFAULT;
    enum pk_code rc;

    (void)api_get_int(request, "Top", &top);
    ask.top = (size_t)top;
    rc = pk_engine_collections(call->engine, &call->call, &ask, &result, err);
    if (rc != PK_OK)
        return rc;
    json_out_member(out, "Collections");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < result.count; i++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        add_hash(out, &result.list[i], result.hash_count);
        add_counts(out, &result.list[i].counts);
        json_out_member(out, "Partition");
        json_out_uint(out, result.list[i].partition);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
    json_out_member(out, "Total");
    json_out_uint(out, result.total);
    return PK_OK;
}

/* ---- Sample ------------------------------------------------------------------------------- */

static enum pk_code add_sample(void *context, pk_view item, struct pk_error *err)
{
    struct pk_buf *out = context;

    (void)err;
    json_out_element(out);
    json_out_item(out, item);
    return PK_OK;
}

enum pk_code api_pksk_sample(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                             struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *hash = api_json_member(request, "HashKey");
    struct pk_sink sink = {.item = add_sample, .context = out};
    pk_value hash_key = pk_value_missing();
    int64_t limit = SAMPLE_DEFAULT;
    enum pk_code rc = hash == NULL ? PK_OK : api_value_read(arena, hash, &hash_key, err);

    (void)api_get_int(request, "Limit", &limit);
    json_out_member(out, "Items");
    pk_buf_add_byte(out, '[');
    if (rc == PK_OK)
        rc = pk_engine_sample(call->engine, &call->call,
                              &(struct pk_sample){api_get_table(arena, request, "TableName"),
                                                  hash_key, (size_t)limit, sink},
                              err);
    pk_buf_add_byte(out, ']');
    return rc;
}

/* ---- TableStats --------------------------------------------------------------------------- */

enum pk_code api_pksk_table_stats(struct api_call *call, const struct cJSON *request,
                                  struct pk_buf *out, struct pk_error *err)
{
    struct pk_table *table =
        pk_engine_table(call->engine, api_get_table(call->call.arena, request, "TableName"));
    struct pk_table_stats stats = {0};

    if (table == NULL)
        return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
    pk_engine_table_stats(call->engine, &call->call, table, &stats);
    json_out_member(out, "Counting");
    json_out_bool(out, stats.counting);
    add_counts(out, &stats.table);
    json_out_member(out, "Indexes");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < table->index_count; i++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "IndexName", table->indexes[i].name);
        add_counts(out, &stats.indexes[i]);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
    json_out_member(out, "Partitions");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < table->partitions.count; i++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        add_counts(out, &stats.partitions[i]);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
    pk_table_unref(table);
    return PK_OK;
}

/* ---- Check -------------------------------------------------------------------------------- */

static void add_line(void *context, const char *text)
{
    struct pk_buf *out = context;

    json_out_element(out);
    json_out_cstr(out, text);
}

enum pk_code api_pksk_check(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                            struct pk_error *err)
{
    struct pk_check_report report = {.line = add_line, .context = out};
    struct pk_check_result result = {0};
    enum pk_code rc;

    (void)request;
    json_out_member(out, "Lines");
    pk_buf_add_byte(out, '[');
    rc = pk_engine_check(call->engine, &call->call, report, &result, err);
    pk_buf_add_byte(out, ']');
    if (rc != PK_OK)
        return rc;
    json_out_member(out, "Tables");
    json_out_uint(out, result.tables);
    json_out_member(out, "Items");
    json_out_uint(out, result.items);
    json_out_member(out, "IndexEntries");
    json_out_uint(out, result.index_entries);
    json_out_member(out, "Backups");
    json_out_uint(out, result.backups);
    json_out_member(out, "Bytes");
    json_out_uint(out, result.bytes);
    json_out_member(out, "Faults");
    json_out_uint(out, result.faults);
    return PK_OK;
}
