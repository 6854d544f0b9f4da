/*
 * Reading a model. Real files break the rules; what can be repaired is, and every repair is listed
 * (transfer_typed_item). The model's own unknown members are kept, never interpreted.
 */
#include "commands/transfer/workbench.h"

#include "commands/api/json_out.h"
#include "commands/language/lex.h"
#include "commands/transfer/json_scan.h"
#include "commands/transfer/table_json.h"
#include "commands/transfer/transfer_define.h"
#include "commands/wire.h"

/* One table of the model being read. */
struct model_reader {
    struct transfer *transfer;
    pk_value root;
    pk_value source; /* the table's object */
    size_t pos;      /* where it begins in the file */
    pk_slice name;
    struct transfer_table *table;
    struct pk_key_schema key;
    struct pk_error *err;
};

static bool detect(pk_slice text, pk_slice extension)
{
    size_t value;

    (void)extension;
    return json_scan_member(text, 0, "DataModel", &value) && text.data[value] == '[';
}

static enum pk_code fail(struct model_reader *reader, const char *what)
{
    pk_fail_at(reader->err, PK_E_USAGE, (struct pk_span){(uint32_t)reader->pos, 1}, "%s", what);
    return transfer_file_place(&reader->transfer->file, reader->err);
}

/* ---- definition ------------------------------------------------------------------------------ */

static bool read_attribute(pk_value from, struct pk_key_attr *attribute)
{
    attribute->name = workbench_text(from, "AttributeName");
    attribute->type = pk_kind_from_tag(workbench_text(from, "AttributeType"));
    return attribute->name.len > 0 &&
           (attribute->type == PK_STRING || attribute->type == PK_NUMBER ||
            attribute->type == PK_BINARY);
}

/* {"PartitionKey": …, "SortKey"?: …} */
static bool read_key(pk_value from, struct pk_key_schema *key)
{
    pk_value range = workbench_member(from, "SortKey");

    *key = (struct pk_key_schema){.hash_count = 1};
    if (!read_attribute(workbench_member(from, "PartitionKey"), &key->hash[0]))
        return false;
    if (pk_value_kind(range) != PK_MAP)
        return true;
    key->range_count = 1;
    return read_attribute(range, &key->range[0]);
}

/* INCLUDE may name keys, which are projected anyway and which CreateTable does not want. */
static void set_include(const struct model_reader *reader, cJSON *projection, pk_value names,
                        const struct pk_key_schema *key)
{
    cJSON *list = cJSON_CreateArray();

    for (uint32_t i = 0; pk_value_kind(names) == PK_LIST && i < names.len; i++) {
        pk_value name = names.u.items[i];

        if (pk_value_kind(name) == PK_STRING &&
            !pk_key_schema_has(&reader->key, pk_value_bytes(name)) &&
            !pk_key_schema_has(key, pk_value_bytes(name)))
            cJSON_AddItemToArray(list, transfer_cjson(name));
    }
    if (cJSON_GetArraySize(list) == 0) {
        cJSON_Delete(list);
        cmd_wire_set_text(projection, "ProjectionType", PK_LIT("KEYS_ONLY"));
        return;
    }
    cmd_wire_set(projection, "NonKeyAttributes", list);
}

static enum pk_code read_index(struct model_reader *reader, pk_value from, cJSON *create)
{
    pk_slice name = workbench_text(from, "IndexName");
    pk_value projection = workbench_member(from, "Projection");
    pk_slice type = workbench_text(projection, "ProjectionType");
    struct pk_key_schema key;
    cJSON *index, *out;

    if (name.len == 0 || !read_key(workbench_member(from, "KeyAttributes"), &key))
        return fail(reader, "an index of this table has no IndexName or no proper KeyAttributes");
    index = transfer_create_gsi(create, name, &key);
    out = cmd_wire_object(index, "Projection");
    if (type.len > 0)
        cmd_wire_set_text(out, "ProjectionType", type);
    if (pk_slice_is(type, "INCLUDE"))
        set_include(reader, out, workbench_member(projection, "NonKeyAttributes"), &key);
    return PK_OK;
}

static void set_throughput(cJSON *object, pk_value given)
{
    cJSON *out = cmd_wire_object(object, "ProvisionedThroughput");

    cmd_wire_set_int(out, "ReadCapacityUnits",
                     table_json_int(workbench_member(given, "ReadCapacityUnits"), 5));
    cmd_wire_set_int(out, "WriteCapacityUnits",
                     table_json_int(workbench_member(given, "WriteCapacityUnits"), 5));
}

/* Indexes have no capacity of their own in a model: they get the table's. */
static void read_billing(struct model_reader *reader, cJSON *create)
{
    pk_value settings = workbench_member(reader->source, "ProvisionedCapacitySettings");
    pk_value given = workbench_member(settings, "ProvisionedThroughput");
    cJSON *index;

    if (!pk_slice_is(workbench_text(reader->source, "BillingMode"), "PROVISIONED"))
        return;
    cmd_wire_set_text(create, "BillingMode", PK_LIT("PROVISIONED"));
    set_throughput(create, given);
    cJSON_ArrayForEach(index, cJSON_GetObjectItemCaseSensitive(create, "GlobalSecondaryIndexes"))
        set_throughput(index, given);
    if (pk_value_kind(workbench_member(settings, "AutoScalingRead")) == PK_MAP ||
        pk_value_kind(workbench_member(settings, "AutoScalingWrite")) == PK_MAP)
        transfer_note(reader->transfer,
                      "table '%.*s': its auto scaling is kept for export, capacity stays as it is",
                      PK_FMT(reader->name));
}

static bool is_list_or_none(pk_value value)
{
    enum pk_kind kind = pk_value_kind(value);

    return kind == PK_LIST || kind == PK_MISSING || kind == PK_NULL;
}

static enum pk_code read_definition(struct model_reader *reader)
{
    pk_value indexes = workbench_member(reader->source, "GlobalSecondaryIndexes");
    cJSON *create;

    if (!read_key(workbench_member(reader->source, "KeyAttributes"), &reader->key))
        return fail(reader, "this table has no proper KeyAttributes");
    if (!is_list_or_none(indexes))
        return fail(reader, "the GlobalSecondaryIndexes of this table are no array");
    if (!is_list_or_none(workbench_member(reader->source, "TableFacets")))
        return fail(reader, "the TableFacets of this table are no array");
    create = transfer_create_new(&reader->key);
    for (uint32_t i = 0; pk_value_kind(indexes) == PK_LIST && i < indexes.len; i++) {
        enum pk_code rc = read_index(reader, indexes.u.items[i], create);

        if (rc != PK_OK) {
            cJSON_Delete(create);
            return rc;
        }
    }
    read_billing(reader, create);
    transfer_define(reader->table, create);
    return PK_OK;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* The item's key, as it is written: {"PK": {"S": …}}. */
static pk_value key_only(const struct model_reader *reader, struct pk_arena *arena, pk_value typed)
{
    struct pk_member_vec vec = {0};

    for (int i = 0; i < 1 + reader->key.range_count; i++) {
        pk_slice name = i == 0 ? reader->key.hash[0].name : reader->key.range[0].name;
        pk_value value = pk_value_get(typed, name);

        if (pk_value_kind(value) != PK_MISSING)
            pk_member_vec_add(&vec, arena, name, value);
    }
    return pk_value_map(vec.data, vec.len);
}

/* "table 'T', key {…}, attribute " */
static pk_slice describe(const struct model_reader *reader, pk_value typed)
{
    struct pk_arena *arena = &reader->transfer->scratch;
    struct pk_buf key = PK_BUF_INIT;
    pk_slice text;

    transfer_plain_json(&key, key_only(reader, arena, typed));
    text = pk_arena_printf(arena, "table '%.*s', key %.*s, attribute ", PK_FMT(reader->name),
                           (int)key.len, key.data);
    pk_buf_release(&key);
    return text;
}

/* The items of the array at pos; those of a table with facets are merged by their keys. */
static enum pk_code read_items(struct model_reader *reader, size_t pos, bool facet)
{
    struct transfer *transfer = reader->transfer;
    struct json_walk walk;
    size_t element;

    if (!json_walk_open(&walk, transfer->file.text, pos) || walk.object)
        return fail(reader, "the TableData of this table is no array");
    while (json_walk_next(&walk, NULL, &element)) {
        size_t end = element;
        pk_value typed, item;
        enum pk_code rc = transfer_parse(transfer, &transfer->scratch, &end, &typed, reader->err);

        if (rc != PK_OK)
            return rc;
        if (transfer_typed_item(transfer, typed, element, describe(reader, typed), &item)) {
            transfer_put(transfer, reader->table, item, element);
            reader->table->records[reader->table->count - 1].facet = facet;
        }
        pk_arena_clear(&transfer->scratch);
    }
    return PK_OK;
}

static enum pk_code read_facets(struct model_reader *reader, bool *any)
{
    pk_slice text = reader->transfer->file.text;
    struct json_walk walk;
    size_t list, facet, data;
    enum pk_code rc = PK_OK;

    *any = false;
    if (!json_scan_member(text, reader->pos, "TableFacets", &list) ||
        !json_walk_open(&walk, text, list))
        return PK_OK;
    while (rc == PK_OK && json_walk_next(&walk, NULL, &facet)) {
        *any = true;
        if (json_scan_member(text, facet, "TableData", &data))
            rc = read_items(reader, data, true);
    }
    return rc;
}

/* Declared types that the items do not keep: the service has no such rule, Workbench has. */
static void note_types(struct model_reader *reader)
{
    pk_value declared = workbench_member(reader->source, "NonKeyAttributes");
    struct pk_buf names = PK_BUF_INIT;
    size_t count = 0;

    for (uint32_t i = 0; pk_value_kind(declared) == PK_LIST && i < declared.len; i++) {
        pk_slice name = workbench_text(declared.u.items[i], "AttributeName");
        enum pk_kind kind = pk_kind_from_tag(workbench_text(declared.u.items[i], "AttributeType"));

        for (size_t k = 0; k < reader->table->count; k++) {
            enum pk_kind found = pk_view_kind(pk_view_member(reader->table->records[k].view, name));

            if (found == PK_MISSING || found == kind || kind == PK_MISSING)
                continue;
            pk_buf_printf(&names, "%s%.*s (%s, found %s)", count++ == 0 ? "" : ", ", PK_FMT(name),
                          pk_kind_tag(kind), pk_kind_tag(found));
            break;
        }
    }
    if (count > 0)
        transfer_note(reader->transfer,
                      "table '%.*s': items differ from the declared types, which Workbench may not "
                      "take: %.*s",
                      PK_FMT(reader->name), (int)names.len, names.data);
    pk_buf_release(&names);
}

/* ---- saved queries --------------------------------------------------------------------------- */

static void add_literal(struct pk_buf *out, pk_value value)
{
    if (pk_value_kind(value) == PK_STRING)
        cmd_quote(out, pk_value_bytes(value));
    else
        transfer_plain_json(out, value);
}

static bool add_range(struct pk_buf *out, pk_value sk)
{
    pk_slice condition = workbench_text(sk, "condition");
    pk_value values = workbench_member(sk, "values");
    size_t count = pk_value_kind(values) == PK_LIST ? values.len : 0;

    if (count == 0)
        return true;
    pk_buf_add_byte(out, ' ');
    if (pk_slice_is(condition, "between") && count == 2) {
        pk_buf_add_cstr(out, "between ");
        add_literal(out, values.u.items[0]);
        pk_buf_add_cstr(out, " and ");
        add_literal(out, values.u.items[1]);
        return true;
    }
    if (!transfer_has_word("= < <= > >= begins_with", condition))
        return false;
    if (!pk_slice_is(condition, "="))
        pk_buf_printf(out, "%.*s ", PK_FMT(condition));
    add_literal(out, values.u.items[0]);
    return true;
}

/* A query of the web visualizer as the command that runs it. */
static void hint_query(struct model_reader *reader, pk_slice name, pk_value query)
{
    pk_slice view = workbench_text(query, "view");
    pk_value filter = workbench_member(query, "filter");
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_add_cstr(&out, "query ");
    add_literal(&out, workbench_member(query, "PK"));
    if (!add_range(&out, workbench_member(query, "SK"))) {
        pk_buf_release(&out);
        return;
    }
    if (view.len > 0 && !pk_slice_is(view, "data"))
        pk_buf_printf(&out, " on %.*s", PK_FMT(view));
    transfer_hint(
        reader->transfer, "saved query '%.*s': %.*s%s", PK_FMT(name), (int)out.len, out.data,
        pk_value_kind(filter) == PK_LIST && filter.len > 0 ? " (its filter left out)" : "");
    pk_buf_release(&out);
}

static void hint_queries(struct model_reader *reader)
{
    pk_value queries = workbench_member(reader->source, "SavedQuery");

    for (uint32_t i = 0; pk_value_kind(queries) == PK_MAP && i < queries.len; i++)
        hint_query(reader, queries.u.members[i].name, queries.u.members[i].value);
}

/* ---- what the table cannot hold -------------------------------------------------------------- */

static pk_value keys_only(struct model_reader *reader, pk_value items)
{
    struct pk_arena *arena = &reader->transfer->arena;
    struct pk_value_vec vec = {0};

    for (uint32_t i = 0; pk_value_kind(items) == PK_LIST && i < items.len; i++)
        pk_value_vec_add(&vec, arena, key_only(reader, arena, items.u.items[i]));
    return pk_value_list(vec.data, vec.len);
}

static pk_value reduced_facets(struct model_reader *reader, pk_value facets)
{
    struct pk_arena *arena = &reader->transfer->arena;
    struct pk_value_vec vec = {0};

    for (uint32_t i = 0; i < facets.len; i++) {
        pk_value facet = facets.u.items[i];
        pk_value items = workbench_member(facet, "TableData");

        if (pk_value_kind(items) != PK_MISSING)
            facet = pk_value_with(arena, facet, PK_LIT("TableData"), keys_only(reader, items));
        pk_value_vec_add(&vec, arena, facet);
    }
    return pk_value_list(vec.data, vec.len);
}

static void attach(struct model_reader *reader)
{
    struct pk_arena *arena = &reader->transfer->arena;
    pk_value *table = PK_NEW(arena, pk_value);
    pk_value facets = workbench_member(reader->source, "TableFacets");
    struct pk_buf json = PK_BUF_INIT;

    *table = reader->source;
    if (pk_value_kind(facets) == PK_LIST)
        *table =
            pk_value_with(arena, *table, PK_LIT("TableFacets"), reduced_facets(reader, facets));
    if (pk_value_kind(workbench_member(*table, "TableData")) != PK_MISSING)
        *table = pk_value_with(arena, *table, PK_LIT("TableData"), pk_value_list(NULL, 0));
    transfer_plain_json(
        &json, pk_value_with(arena, reader->root, PK_LIT("DataModel"), pk_value_list(table, 1)));
    reader->table->attachment = pk_arena_dup(arena, pk_buf_slice(&json));
    pk_buf_release(&json);
}

/* ---- the model ------------------------------------------------------------------------------- */

static enum pk_code read_table(struct model_reader *reader)
{
    size_t data;
    bool faceted;
    enum pk_code rc;

    reader->name = workbench_text(reader->source, "TableName");
    if (reader->name.len == 0)
        return fail(reader, "this table has no TableName");
    for (struct transfer_table *t = reader->transfer->first; t != NULL; t = t->next) {
        if (pk_slice_equal(t->name, reader->name))
            return fail(reader, "a second table of this name");
    }
    reader->table = transfer_table_get(reader->transfer, reader->name);
    rc = read_definition(reader);
    if (rc == PK_OK)
        rc = read_facets(reader, &faceted);
    if (rc == PK_OK &&
        json_scan_member(reader->transfer->file.text, reader->pos, "TableData", &data))
        rc = read_items(reader, data, faceted);
    if (rc != PK_OK)
        return rc;
    note_types(reader);
    hint_queries(reader);
    attach(reader);
    return PK_OK;
}

/* The same layout with another service belongs to Amazon Keyspaces. */
static enum pk_code check_model(struct model_reader *reader)
{
    pk_value metadata = workbench_member(reader->root, "ModelMetadata");
    pk_slice service = workbench_text(metadata, "AWSService");
    pk_slice version = workbench_text(metadata, "Version");

    if (service.len > 0 && !pk_slice_is(service, "Amazon DynamoDB"))
        return pk_fail(reader->err, PK_E_USAGE, "%s: this is a model for %.*s, not for DynamoDB",
                       reader->transfer->file.name, PK_FMT(service));
    if (version.len > 0 && !transfer_has_word("1.0 2.0 3.0", version))
        transfer_note(reader->transfer, "the model's version %.*s is not known here; read as 3.0",
                      PK_FMT(version));
    return PK_OK;
}

static enum pk_code read_file(struct transfer *transfer, struct pk_error *err)
{
    struct model_reader reader = {.transfer = transfer, .err = err};
    struct json_walk walk;
    pk_value list;
    size_t pos = 0, at = 0, index = 0;
    enum pk_code rc = transfer_parse(transfer, &transfer->arena, &pos, &reader.root, err);

    if (rc != PK_OK)
        return rc;
    list = workbench_member(reader.root, "DataModel");
    reader.pos = json_scan_blanks(transfer->file.text, pos);
    if (reader.pos < transfer->file.text.len)
        return fail(&reader, "more text after the model");
    (void)json_scan_member(transfer->file.text, 0, "DataModel", &at);
    reader.pos = at;
    if (pk_value_kind(list) != PK_LIST || list.len == 0)
        return fail(&reader, "the model has no table: DataModel is empty");
    rc = check_model(&reader);
    (void)json_walk_open(&walk, transfer->file.text, at);
    while (rc == PK_OK && json_walk_next(&walk, NULL, &reader.pos)) {
        reader.source = list.u.items[index++];
        rc = read_table(&reader);
    }
    return rc;
}

const struct transfer_format transfer_workbench = {
    .name = "workbench",
    .also = "nsw model nosql_workbench",
    .extensions = "nsw",
    .detect = detect,
    .read = read_file,
    .write = workbench_write,
};
