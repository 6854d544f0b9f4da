/*
 * For those who look at a store: our own operations, described in commands/viewport.h.
 *
 *   Pksk.Viewport  rows around a key, by partition key
 *   Pksk.Tail      the latest changes
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/api_value.h"
#include "commands/api/json_out.h"
#include "engine/looking.h"

enum { ROWS_DEFAULT = 50, RECORDS_DEFAULT = 100 };

static uint64_t take_limit(const struct cJSON *request, int64_t other, int64_t most)
{
    int64_t limit = other;

    (void)api_get_int(request, "Limit", &limit);
    return (uint64_t)(limit > most ? most : limit);
}

static void add_number(struct pk_buf *out, const char *name, uint64_t number)
{
    json_out_member(out, name);
    json_out_uint(out, number);
}

/* ---- Viewport ----------------------------------------------------------------------------- */

static void add_row(struct pk_buf *out, const struct pk_viewport_row *row)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member(out, "Key");
    json_out_tree_item(out, row->key);
    add_number(out, "Bytes", row->bytes);
    json_out_member(out, "Item");
    json_out_item(out, row->item);
    if (row->cut.data != NULL)
        json_out_member_text(out, "Cut", row->cut);
    if (row->read != PK_ROW_UNREAD)
        json_out_member_text(
            out, "Read", row->read == PK_ROW_RETURNED ? PK_LIT("RETURNED") : PK_LIT("FILTERED"));
    pk_buf_add_byte(out, '}');
}

static void add_collection(struct pk_buf *out, const struct pk_viewport_collection *collection)
{
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member(out, "HashKey");
    json_out_tree_item(out, collection->hash);
    add_number(out, "Partition", collection->partition);
    add_number(out, "Items", collection->items);
    add_number(out, "Bytes", collection->bytes);
    json_out_member(out, "More");
    json_out_bool(out, collection->more);
    json_out_member(out, "Rows");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < collection->row_count; i++)
        add_row(out, &collection->rows[i]);
    pk_buf_add_cstr(out, "]}");
}

static void add_names(struct pk_buf *out, const char *name, const struct pk_key_attr *attrs,
                      size_t count)
{
    json_out_member(out, name);
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        json_out_element(out);
        json_out_string(out, attrs[i].name);
    }
    pk_buf_add_byte(out, ']');
}

static void add_key(struct pk_buf *out, const char *name, pk_value key)
{
    if (pk_value_kind(key) == PK_MISSING)
        return;
    json_out_member(out, name);
    json_out_tree_item(out, key);
}

static void add_viewport(struct pk_buf *out, const struct pk_viewport *viewport)
{
    add_names(out, "Hash", viewport->schema.hash, viewport->schema.hash_count);
    add_names(out, "Range", viewport->schema.range, viewport->schema.range_count);
    json_out_member(out, "Collections");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < viewport->count; i++)
        add_collection(out, &viewport->collections[i]);
    pk_buf_add_byte(out, ']');
    add_key(out, "Next", viewport->next);
    add_key(out, "Previous", viewport->previous);
    add_number(out, "LastRead", viewport->last_read);
    add_key(out, "ReadFrom", viewport->read_from);
    add_number(out, "RowsRead", viewport->rows_read);
}

enum pk_code api_pksk_viewport(struct api_call *call, const struct cJSON *request,
                               struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *from = api_json_member(request, "From");
    struct pk_viewport_request wanted = {
        .table = api_get_table(arena, request, "TableName"),
        .index = api_get_text(arena, request, "IndexName"),
        .from = pk_value_missing(),
        .backward = api_get_bool(request, "Backward"),
        .search = api_get_text(arena, request, "Search"),
        .limit = take_limit(request, ROWS_DEFAULT, PK_VIEWPORT_ROWS_MAX),
        .whole = api_get_bool(request, "Whole"),
    };
    struct pk_viewport viewport;
    int64_t most = 0;
    enum pk_code rc = from == NULL ? PK_OK : api_value_read_item(arena, from, &wanted.from, err);

    if (api_get_int(request, "PerCollection", &most))
        wanted.per_collection = (uint64_t)most;
    if (rc == PK_OK)
        rc = pk_engine_viewport(call->engine, &call->call, &wanted, &viewport, err);
    if (rc == PK_OK)
        add_viewport(out, &viewport);
    return rc;
}

/* ---- Tail --------------------------------------------------------------------------------- */

/* The partition key comes first. */
static void add_keys(struct pk_buf *out, const struct pk_tail_record *record)
{
    const struct pk_key_schema *key = record->key;
    pk_view item = record->after.len > 0 ? record->after : record->before;

    json_out_member(out, "Keys");
    pk_buf_add_byte(out, '{');
    json_out_member_slice(out, key->hash[0].name);
    json_out_value(out, pk_view_member(item, key->hash[0].name));
    if (key->range_count > 0) {
        json_out_member_slice(out, key->range[0].name);
        json_out_value(out, pk_view_member(item, key->range[0].name));
    }
    pk_buf_add_byte(out, '}');
}

static void add_image(struct pk_buf *out, const char *name, pk_view image)
{
    if (image.len == 0)
        return;
    json_out_member(out, name);
    json_out_item(out, image);
}

static enum pk_code add_record(void *context, const struct pk_tail_record *record,
                               struct pk_error *err)
{
    static const char *const events[] = {"", "INSERT", "MODIFY", "REMOVE"};
    static const char *const causes[] = {"", "USER", "TTL", "TRANSACTION"};
    struct pk_buf *out = context;

    (void)err;
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    add_number(out, "Number", record->number);
    if (record->sequence != 0)
        add_number(out, "Sequence", record->sequence);
    json_out_member(out, "Time");
    json_out_int(out, record->time_ms);
    json_out_member_text(out, "TableName", record->table);
    json_out_member_text(out, "Event", pk_slice_cstr(events[record->event]));
    add_keys(out, record);
    add_image(out, "Old", record->before);
    add_image(out, "New", record->after);
    add_number(out, "Partition", record->partition);
    if (record->shard.data != NULL)
        json_out_member_text(out, "Shard", record->shard);
    json_out_member_text(out, "Cause", pk_slice_cstr(causes[record->cause]));
    pk_buf_add_byte(out, '}');
    return PK_OK;
}

enum pk_code api_pksk_tail(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                           struct pk_error *err)
{
    struct pk_tail_request wanted = {
        .table = api_get_table(call->call.arena, request, "TableName"),
        .limit = take_limit(request, RECORDS_DEFAULT, PK_TAIL_RECORDS_MAX),
        .newest = api_get_bool(request, "Newest"),
        .record = add_record,
        .context = out,
    };
    struct pk_tail_result result;
    int64_t after = 0;
    int64_t back = 0;
    enum pk_code rc;

    if (api_get_int(request, "After", &after))
        wanted.after = (uint64_t)after;
    if (api_get_int(request, "Back", &back))
        wanted.back = back < PK_TAIL_BACK_MAX ? (uint64_t)back : PK_TAIL_BACK_MAX;
    json_out_member(out, "Records");
    pk_buf_add_byte(out, '[');
    rc = pk_engine_tail(call->engine, &call->call, &wanted, &result, err);
    pk_buf_add_byte(out, ']');
    add_number(out, "Last", result.last);
    add_number(out, "Lost", result.lost);
    json_out_member(out, "Opened");
    json_out_int(out, result.opened_ms);
    return rc;
}
