/*
 * DynamoDB JSON in all its wrappings (spec: nosql-workbench-format.md §2, §3): what exports, the
 * command line and the SDKs write.
 *
 * A file is a sequence of JSON values, one a line or spread over many; each is one of
 *   {"Item": …} · a bare marshalled item · an array of either
 *   {"Metadata", "Keys", "NewImage"?, "OldImage"?}           incremental export
 *   {"Items": […]}                                           answer of scan and query
 *   {"RequestItems": {…}} or {TABLE: [{"PutRequest"}, …]}    batch-write-item
 *   {"TableName", "Item"} · {"TransactItems": […]}           put-item, transact-write-items
 *   {"Table": …}, {"TableDescription": …}, {"KeySchema": …}  describe-table, create-table
 * Containers of many items are walked and their elements parsed one by one: a file costs its bytes
 * and its items, not a tree of all of it.
 */
#include "commands/transfer/transfer.h"

#include "commands/api/json_out.h"
#include "commands/literal.h"
#include "commands/transfer/json_scan.h"
#include "commands/transfer/table_json.h"
#include "commands/transfer/transfer_export.h"
#include "engine/base/map.h"

enum shape {
    SHAPE_UNKNOWN, /* plain JSON, say */
    SHAPE_ITEM,    /* {"Item"}, also with "TableName" */
    SHAPE_BARE,
    SHAPE_ARRAY,
    SHAPE_CHANGE,
    SHAPE_ITEMS,
    SHAPE_REQUEST_ITEMS,
    SHAPE_BATCH,
    SHAPE_TRANSACTION,
    SHAPE_TABLE,
    SHAPE_INDEX_UPDATES,
    SHAPE_STATEMENT,
    SHAPE_MANIFEST
};

/* ---- recognising ----------------------------------------------------------------------------- */

/* {"S": …}: one member, named as a type. */
static bool is_typed_at(pk_slice text, size_t pos)
{
    struct json_walk walk;
    pk_slice name = {NULL, 0};
    size_t value;

    return json_walk_open(&walk, text, pos) && walk.object &&
           json_walk_next(&walk, &name, &value) && pk_kind_from_tag(name) != PK_MISSING &&
           !json_walk_next(&walk, NULL, &value);
}

/* [{"PutRequest": …}] */
static bool is_requests_at(pk_slice text, size_t pos)
{
    struct json_walk walk;
    size_t element, value;

    if (!json_walk_open(&walk, text, pos) || walk.object || !json_walk_next(&walk, NULL, &element))
        return false;
    return json_scan_member(text, element, "PutRequest", &value) ||
           json_scan_member(text, element, "DeleteRequest", &value);
}

/* Names that tell a wrapping, if the value opens so and, where named, another member is there too:
 * a plain row may well have a column "Item". The first that fits decides. */
static const struct {
    const char *name;
    char opener;
    const char *beside;
    enum shape shape;
} wrappings[] = {
    {"RequestItems", '{', NULL, SHAPE_REQUEST_ITEMS},
    {"TransactItems", '[', NULL, SHAPE_TRANSACTION},
    {"Items", '[', "Count", SHAPE_ITEMS},
    {"NewImage", '{', "Keys", SHAPE_CHANGE},
    {"Keys", '{', "Metadata", SHAPE_CHANGE},
    {"Item", '{', "TableName", SHAPE_ITEM},
    {"Table", '{', NULL, SHAPE_TABLE},
    {"TableDescription", '{', NULL, SHAPE_TABLE},
    {"KeySchema", '[', NULL, SHAPE_TABLE},
    {"Statement", '"', "Parameters", SHAPE_STATEMENT},
    {"dataFileS3Key", '"', NULL, SHAPE_MANIFEST},
    {"manifestFilesS3Key", '"', NULL, SHAPE_MANIFEST},
};
enum { WRAPPINGS = sizeof(wrappings) / sizeof(*wrappings) };

static enum shape wrapping_shape(pk_slice text, size_t pos, size_t count)
{
    size_t value, ignored;

    if (count == 1 && json_scan_member(text, pos, "Items", &value) && text.data[value] == '[')
        return SHAPE_ITEMS;
    if (count == 1 && json_scan_member(text, pos, "Item", &value) && text.data[value] == '{')
        return SHAPE_ITEM;
    for (size_t i = 0; i < WRAPPINGS; i++) {
        if (json_scan_member(text, pos, wrappings[i].name, &value) &&
            text.data[value] == wrappings[i].opener &&
            (wrappings[i].beside == NULL ||
             json_scan_member(text, pos, wrappings[i].beside, &ignored)))
            return wrappings[i].shape;
    }
    return SHAPE_UNKNOWN;
}

/* An object whose members are all typed is an item, whatever they are called. */
static enum shape object_shape(pk_slice text, size_t pos)
{
    struct json_walk walk;
    pk_slice name = {NULL, 0};
    size_t value, typed = 0, requests = 0, count = 0;

    (void)json_walk_open(&walk, text, pos);
    while (json_walk_next(&walk, &name, &value)) {
        count++;
        typed += is_typed_at(text, value);
        requests += is_requests_at(text, value);
    }
    if (count > 0 && typed == count)
        return SHAPE_BARE;
    if (count > 0 && requests == count)
        return SHAPE_BATCH;
    return wrapping_shape(text, pos, count);
}

static bool is_index_update(pk_slice text, size_t pos)
{
    size_t create, ignored;

    return json_scan_member(text, pos, "Create", &create) &&
           json_scan_member(text, create, "IndexName", &ignored);
}

static enum shape shape_at(pk_slice text, size_t pos)
{
    struct json_walk walk;
    size_t element;

    pos = json_scan_blanks(text, pos);
    if (!json_walk_open(&walk, text, pos))
        return SHAPE_UNKNOWN;
    if (walk.object)
        return object_shape(text, pos);
    if (!json_walk_next(&walk, NULL, &element))
        return SHAPE_ARRAY;
    if (is_index_update(text, element))
        return SHAPE_INDEX_UPDATES;
    if (text.data[element] != '{' || object_shape(text, element) == SHAPE_UNKNOWN)
        return SHAPE_UNKNOWN;
    return SHAPE_ARRAY;
}

static bool detect(pk_slice text, pk_slice extension)
{
    (void)extension;
    return shape_at(text, 0) != SHAPE_UNKNOWN;
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum pk_code fail_at(struct transfer *transfer, size_t pos, const char *message,
                            struct pk_error *err)
{
    pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)pos, 1}, "%s", message);
    return transfer_file_place(&transfer->file, err);
}

/* The end of a walk: an error when the text broke off or is no JSON. */
static enum pk_code end_walk(struct transfer *transfer, const struct json_walk *walk,
                             struct pk_error *err)
{
    if (!walk->broken)
        return PK_OK;
    return fail_at(transfer, walk->pos,
                   walk->object ? "expected a member, ',' or '}'" : "expected ',' or ']'", err);
}

/* Parses the whole value at pos, to see that it is JSON: its parts are then looked for freely. */
static enum pk_code check_value(struct transfer *transfer, size_t pos, size_t *end,
                                struct pk_error *err)
{
    pk_value whole;
    enum pk_code rc;

    *end = pos;
    rc = transfer_parse(transfer, &transfer->scratch, end, &whole, err);
    pk_arena_clear(&transfer->scratch);
    return rc;
}

/* The same for a container of many items: only its own brackets and commas. */
static enum pk_code check_container(struct transfer *transfer, size_t pos, size_t *end,
                                    struct pk_error *err)
{
    struct json_walk walk;
    size_t element;

    (void)json_walk_open(&walk, transfer->file.text, pos);
    while (json_walk_next(&walk, NULL, &element))
        continue;
    *end = walk.pos;
    return end_walk(transfer, &walk, err);
}

/* Parses the item at pos and adds it as a put, or, as a key, as a delete. */
static enum pk_code read_record(struct transfer *transfer, pk_slice table, size_t pos, bool remove,
                                struct pk_error *err)
{
    struct transfer_table *into = transfer_table_get(transfer, table);
    size_t end = pos;
    pk_value typed, item;
    enum pk_code rc = transfer_parse(transfer, &transfer->scratch, &end, &typed, err);

    if (rc == PK_OK && transfer_typed_item(transfer, typed, pos, PK_LIT("attribute "), &item)) {
        if (remove)
            transfer_delete(transfer, into, item, pos);
        else
            transfer_put(transfer, into, item, pos);
    }
    pk_arena_clear(&transfer->scratch);
    return rc;
}

/* The text of a string member, unescaped; empty when there is none. In the transfer's arena. */
static enum pk_code read_name(struct transfer *transfer, size_t pos, const char *member,
                              pk_slice *name, struct pk_error *err)
{
    size_t value;
    pk_value text = pk_value_missing();
    enum pk_code rc = PK_OK;

    if (json_scan_member(transfer->file.text, pos, member, &value))
        rc = transfer_parse(transfer, &transfer->arena, &value, &text, err);
    *name = pk_value_kind(text) == PK_STRING ? pk_value_bytes(text) : PK_LIT("");
    return rc;
}

static enum pk_code read_item(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    pk_slice table;
    size_t value = pos;
    enum pk_code rc = read_name(transfer, pos, "TableName", &table, err);

    if (rc != PK_OK)
        return rc;
    (void)json_scan_member(transfer->file.text, pos, "Item", &value);
    return read_record(transfer, table, value, false, err);
}

/* One final state an item: an image is the item, none means that it was deleted. */
static enum pk_code read_change(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    pk_slice text = transfer->file.text;
    size_t value;

    if (json_scan_member(text, pos, "NewImage", &value))
        return read_record(transfer, PK_LIT(""), value, false, err);
    if (json_scan_member(text, pos, "Keys", &value))
        return read_record(transfer, PK_LIT(""), value, true, err);
    return fail_at(transfer, pos, "a change without \"Keys\"", err);
}

static enum pk_code read_items(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    struct json_walk walk;
    size_t items = pos, element;
    enum pk_code rc = PK_OK;

    (void)json_scan_member(transfer->file.text, pos, "Items", &items);
    if (!json_walk_open(&walk, transfer->file.text, items) || walk.object)
        return fail_at(transfer, items, "\"Items\" is no array", err);
    while (rc == PK_OK && json_walk_next(&walk, NULL, &element))
        rc = read_record(transfer, PK_LIT(""), element, false, err);
    return rc == PK_OK ? end_walk(transfer, &walk, err) : rc;
}

/* A write request is one of the two, never both. */
static bool has_one_member(pk_slice text, size_t pos)
{
    struct json_walk walk;
    size_t value;

    return json_walk_open(&walk, text, pos) && walk.object && json_walk_next(&walk, NULL, &value) &&
           !json_walk_next(&walk, NULL, &value);
}

static enum pk_code read_request(struct transfer *transfer, pk_slice table, size_t pos,
                                 struct pk_error *err)
{
    pk_slice text = transfer->file.text;
    size_t request, value;
    enum pk_code rc = check_value(transfer, pos, &request, err);
    bool one = has_one_member(text, pos);

    if (rc != PK_OK)
        return rc;
    if (one && json_scan_member(text, pos, "PutRequest", &request) &&
        json_scan_member(text, request, "Item", &value))
        return read_record(transfer, table, value, false, err);
    if (one && json_scan_member(text, pos, "DeleteRequest", &request) &&
        json_scan_member(text, request, "Key", &value))
        return read_record(transfer, table, value, true, err);
    return fail_at(transfer, pos,
                   "expected {\"PutRequest\": {\"Item\": …}} or {\"DeleteRequest\": {\"Key\": …}}",
                   err);
}

static enum pk_code read_requests(struct transfer *transfer, pk_slice table, size_t list,
                                  struct pk_error *err)
{
    struct json_walk requests;
    size_t request;
    enum pk_code rc = PK_OK;

    if (!json_walk_open(&requests, transfer->file.text, list) || requests.object)
        return fail_at(transfer, list, "expected an array of requests", err);
    (void)transfer_table_get(transfer, table);
    while (rc == PK_OK && json_walk_next(&requests, NULL, &request))
        rc = read_request(transfer, table, request, err);
    return rc == PK_OK ? end_walk(transfer, &requests, err) : rc;
}

/* {TABLE: [requests], …} */
static enum pk_code read_batch(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    struct pk_map seen = PK_MAP_INIT;
    struct json_walk tables;
    pk_slice name = {NULL, 0};
    size_t list;
    enum pk_code rc = PK_OK;

    if (!json_walk_open(&tables, transfer->file.text, pos) || !tables.object)
        return fail_at(transfer, pos, "expected {\"TABLE\": [requests]}", err);
    while (rc == PK_OK && json_walk_next(&tables, &name, &list)) {
        if (pk_map_put(&seen, name, transfer) != NULL)
            rc = fail_at(transfer, list, "this table is there twice", err);
        else
            rc = read_requests(transfer, name, list, err);
    }
    pk_map_release(&seen);
    return rc == PK_OK ? end_walk(transfer, &tables, err) : rc;
}

static enum pk_code read_action(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    pk_slice text = transfer->file.text;
    pk_slice table;
    size_t action, value;
    bool put = json_scan_member(text, pos, "Put", &action);
    enum pk_code rc = check_value(transfer, pos, &value, err);

    if (rc != PK_OK)
        return rc;
    if (!put && !json_scan_member(text, pos, "Delete", &action))
        return fail_at(transfer, pos,
                       "only \"Put\" and \"Delete\" of a transaction can be imported", err);
    rc = read_name(transfer, action, "TableName", &table, err);
    if (rc != PK_OK)
        return rc;
    if (!json_scan_member(text, action, put ? "Item" : "Key", &value))
        return fail_at(transfer, action, "an action without its item or key", err);
    return read_record(transfer, table, value, !put, err);
}

static enum pk_code read_transaction(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    struct json_walk walk;
    size_t list = pos, action;
    enum pk_code rc = PK_OK;

    (void)json_scan_member(transfer->file.text, pos, "TransactItems", &list);
    if (!json_walk_open(&walk, transfer->file.text, list) || walk.object)
        return fail_at(transfer, list, "\"TransactItems\" is no array", err);
    while (rc == PK_OK && json_walk_next(&walk, NULL, &action))
        rc = read_action(transfer, action, err);
    return rc == PK_OK ? end_walk(transfer, &walk, err) : rc;
}

static enum pk_code read_table(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    size_t value = pos;
    pk_value description;
    enum pk_code rc;

    if (!json_scan_member(transfer->file.text, pos, "Table", &value))
        (void)json_scan_member(transfer->file.text, pos, "TableDescription", &value);
    pos = value;
    rc = transfer_parse(transfer, &transfer->arena, &value, &description, err);
    if (rc != PK_OK)
        return rc;
    if (!table_json_define(transfer, description))
        return fail_at(transfer, pos, "a table definition without KeySchema", err);
    return PK_OK;
}

static enum pk_code read_value(struct transfer *transfer, size_t pos, struct pk_error *err);

static enum pk_code read_array(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    struct json_walk walk;
    size_t element, end;
    enum pk_code rc = PK_OK;

    (void)json_walk_open(&walk, transfer->file.text, pos);
    while (rc == PK_OK && json_walk_next(&walk, NULL, &element)) {
        if (transfer->file.text.data[element] == '[')
            return fail_at(transfer, element, "expected an item, found an array in an array", err);
        rc = check_value(transfer, element, &end, err);
        if (rc == PK_OK)
            rc = read_value(transfer, element, err);
    }
    return rc == PK_OK ? end_walk(transfer, &walk, err) : rc;
}

static enum pk_code read_value(struct transfer *transfer, size_t pos, struct pk_error *err)
{
    pk_slice text = transfer->file.text;
    size_t value = pos;

    switch (shape_at(text, pos)) {
    case SHAPE_ITEM:
        return read_item(transfer, pos, err);
    case SHAPE_BARE:
        return read_record(transfer, PK_LIT(""), pos, false, err);
    case SHAPE_ARRAY:
        return read_array(transfer, pos, err);
    case SHAPE_CHANGE:
        return read_change(transfer, pos, err);
    case SHAPE_ITEMS:
        return read_items(transfer, pos, err);
    case SHAPE_REQUEST_ITEMS:
        (void)json_scan_member(text, pos, "RequestItems", &value);
        return read_batch(transfer, value, err);
    case SHAPE_BATCH:
        return read_batch(transfer, pos, err);
    case SHAPE_TRANSACTION:
        return read_transaction(transfer, pos, err);
    case SHAPE_TABLE:
        return read_table(transfer, pos, err);
    case SHAPE_INDEX_UPDATES:
        return fail_at(transfer, pos,
                       "index updates are no import; write the indexes when the "
                       "table is created",
                       err);
    case SHAPE_STATEMENT:
        return fail_at(transfer, pos, "this is a PartiQL request; run it with `api`", err);
    case SHAPE_MANIFEST:
        return fail_at(transfer, pos, "this is the manifest of an export; import its data files",
                       err);
    case SHAPE_UNKNOWN:
        break;
    }
    return fail_at(transfer, pos, "expected DynamoDB JSON: {\"Item\": {\"name\": {\"S\": …}}}",
                   err);
}

static bool is_container(enum shape shape)
{
    return shape == SHAPE_ARRAY || shape == SHAPE_ITEMS || shape == SHAPE_REQUEST_ITEMS ||
           shape == SHAPE_BATCH || shape == SHAPE_TRANSACTION;
}

static enum pk_code read_file(struct transfer *transfer, struct pk_error *err)
{
    pk_slice text = transfer->file.text;
    size_t pos = json_scan_blanks(text, 0);

    while (pos < text.len) {
        size_t end;
        enum pk_code rc = is_container(shape_at(text, pos))
                              ? check_container(transfer, pos, &end, err)
                              : check_value(transfer, pos, &end, err);

        if (rc == PK_OK)
            rc = read_value(transfer, pos, err);
        if (rc != PK_OK)
            return rc;
        pos = json_scan_blanks(text, end);
    }
    return PK_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static enum pk_code write_file(struct transfer_export *export, struct pk_error *err)
{
    pk_view item;
    enum pk_code rc;

    while ((rc = transfer_export_next(export, &item, err)) == PK_OK && item.len != 0) {
        pk_buf_add_cstr(&export->out, "{\"Item\":");
        json_out_item(&export->out, item);
        pk_buf_add_cstr(&export->out, "}\n");
        rc = transfer_export_flush(export, err);
        if (rc != PK_OK)
            return rc;
    }
    return rc;
}

const struct transfer_format transfer_dynamodb_json = {
    .name = "dynamodb",
    .also = "dynamodb_json ddb",
    .extensions = "json ddb",
    .detect = detect,
    .read = read_file,
    .write = write_file,
};
