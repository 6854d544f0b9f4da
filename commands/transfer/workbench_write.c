/*
 * Writing a model (spec §1.10): what was imported comes back as it was, apart from what changed.
 *
 * The table says what is true now (keys, indexes, billing, items), its attachment how the model put
 * it. A member of the source is repeated verbatim as long as the table still agrees with it.
 */
#include "commands/transfer/workbench.h"

#include <stdio.h>

#include "commands/api/api_describe.h"
#include "commands/api/json_out.h"
#include "commands/literal.h"
#include "commands/time_text.h"
#include "commands/wire.h"
#include "engine/base/map.h"

/* An attribute as the items have it. */
struct seen {
    pk_slice name;
    size_t kinds[PK_MAP + 1]; /* how often each kind occurs */
};

struct model_writer {
    struct transfer_export *export;
    struct pk_arena *arena; /* the export's */
    const struct pk_table *table;
    pk_value model;  /* of the attachment, or missing */
    pk_value source; /* its table, or missing */
    bool has_data;   /* the source keeps items outside of facets */
    bool changed;    /* the items are not those that were imported */
    pk_view *items;  /* all of them */
    size_t count, cap;
    struct pk_map by_key; /* encoded key to &items[i] */
    struct pk_map placed; /* the same for items that are in a facet */
    struct pk_map seen_by_name;
    struct seen **seen; /* in the order they were seen */
    size_t seen_count, seen_cap;
    struct pk_buf json;
};

/* ---- collecting ------------------------------------------------------------------------------ */

static void *grown(struct pk_arena *arena, void *old, size_t *cap, size_t size)
{
    size_t count = *cap;
    void *data;

    *cap = count == 0 ? 64 : 2 * count;
    data = pk_arena_calloc(arena, *cap, size);
    if (count > 0)
        memcpy(data, old, count * size);
    return data;
}

/* The key's encoding; key: an item or its key. */
static pk_slice key_bytes(const struct model_writer *writer, pk_view key)
{
    const struct pk_key_schema *schema = &writer->table->key;
    struct pk_buf out = PK_BUF_INIT;
    pk_slice bytes;

    pk_buf_add(&out, pk_view_member(key, schema->hash[0].name));
    if (schema->range_count > 0)
        pk_buf_add(&out, pk_view_member(key, schema->range[0].name));
    bytes = pk_arena_dup(writer->arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return bytes;
}

static struct seen *see(struct model_writer *writer, pk_slice name)
{
    struct seen *seen = pk_map_get(&writer->seen_by_name, name);

    if (seen != NULL)
        return seen;
    seen = PK_NEW(writer->arena, struct seen);
    seen->name = pk_arena_dup(writer->arena, name);
    if (writer->seen_count == writer->seen_cap)
        writer->seen = grown(writer->arena, writer->seen, &writer->seen_cap, sizeof(*writer->seen));
    writer->seen[writer->seen_count++] = seen;
    (void)pk_map_put(&writer->seen_by_name, name, seen);
    return seen;
}

static void see_item(struct model_writer *writer, pk_view item)
{
    struct pk_view_iter iter;
    pk_slice name;
    pk_view value;

    pk_view_iter_init(&iter, item);
    while (pk_view_iter_next(&iter, &name, &value)) {
        if (!pk_key_schema_has(&writer->table->key, name))
            see(writer, name)->kinds[pk_view_kind(value)]++;
    }
}

/* Index keys are declared also when no item has them. */
static void see_index_keys(struct model_writer *writer)
{
    for (size_t i = 0; i < writer->table->index_count; i++) {
        const struct pk_key_schema *key = &writer->table->indexes[i].key;

        for (int k = 0; k < key->hash_count + key->range_count; k++) {
            const struct pk_key_attr *attribute =
                k < key->hash_count ? &key->hash[k] : &key->range[k - key->hash_count];

            if (!pk_key_schema_has(&writer->table->key, attribute->name))
                see(writer, attribute->name)->kinds[attribute->type]++;
        }
    }
}

static enum pk_code collect(struct model_writer *writer, uint64_t *digest, struct pk_error *err)
{
    pk_view item;
    enum pk_code rc;

    *digest = 0;
    while ((rc = transfer_export_next(writer->export, &item, err)) == PK_OK && item.len != 0) {
        if (writer->count == writer->cap)
            writer->items =
                grown(writer->arena, writer->items, &writer->cap, sizeof(*writer->items));
        writer->items[writer->count++] = pk_arena_dup(writer->arena, item);
        *digest += transfer_digest(item);
        see_item(writer, item);
    }
    for (size_t i = 0; i < writer->count; i++)
        (void)pk_map_put(&writer->by_key, key_bytes(writer, writer->items[i]), &writer->items[i]);
    see_index_keys(writer);
    return rc;
}

/* ---- the attachment -------------------------------------------------------------------------- */

static pk_value read_json(struct pk_arena *arena, pk_slice text)
{
    struct cmd_literal literal = {.source = text, .mode = CMD_LITERAL_JSON, .arena = arena};
    struct pk_error ignored = PK_ERROR_INIT;
    pk_value value = pk_value_missing();
    size_t pos = 0;

    if (text.len != 0 && cmd_literal_parse(&literal, &pos, &value, &ignored) != PK_OK)
        value = pk_value_missing();
    pk_error_release(&ignored);
    return value;
}

static void read_attachment(struct model_writer *writer, uint64_t digest)
{
    pk_value root = read_json(writer->arena, writer->export->attachment);
    pk_slice before = workbench_text(root, "digest");
    pk_value tables;
    char now[24];

    writer->model = workbench_member(root, "model");
    writer->source = pk_value_missing();
    tables = workbench_member(writer->model, "DataModel");
    if (pk_value_kind(tables) == PK_LIST && tables.len == 1)
        writer->source = tables.u.items[0];
    (void)snprintf(now, sizeof(now), "%016llx", (unsigned long long)digest);
    writer->changed = before.data != NULL && !pk_slice_is(before, now);
}

/* ---- members --------------------------------------------------------------------------------- */

/* "name":plain JSON */
static void add_plain(struct model_writer *writer, const char *name, pk_value value)
{
    json_out_member(&writer->json, name);
    transfer_plain_json(&writer->json, value);
}

/* The source's member as it was; false when it has none. */
static bool add_source(struct model_writer *writer, pk_value source, const char *name)
{
    pk_value value = workbench_member(source, name);

    if (pk_value_kind(value) == PK_MISSING)
        return false;
    add_plain(writer, name, value);
    return true;
}

/* {"AttributeName": …, "AttributeType": …} */
static void add_attribute(struct model_writer *writer, pk_slice name, enum pk_kind kind)
{
    struct pk_buf *out = &writer->json;

    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "AttributeName", name);
    json_out_member_text(out, "AttributeType", pk_slice_cstr(pk_kind_tag(kind)));
    pk_buf_add_byte(out, '}');
}

/* "KeyAttributes": {"PartitionKey": …, "SortKey"?: …} */
static void add_key(struct model_writer *writer, const struct pk_key_schema *key)
{
    struct pk_buf *out = &writer->json;

    json_out_member(out, "KeyAttributes");
    pk_buf_add_byte(out, '{');
    json_out_member(out, "PartitionKey");
    add_attribute(writer, key->hash[0].name, key->hash[0].type);
    if (key->range_count > 0) {
        json_out_member(out, "SortKey");
        add_attribute(writer, key->range[0].name, key->range[0].type);
    }
    pk_buf_add_byte(out, '}');
}

static enum pk_kind main_kind(struct model_writer *writer, const struct seen *seen)
{
    enum pk_kind best = PK_STRING;
    size_t found = 0;

    for (int kind = PK_NULL; kind <= PK_MAP; kind++) {
        found += seen->kinds[kind] > 0;
        if (seen->kinds[kind] > seen->kinds[best])
            best = (enum pk_kind)kind;
    }
    if (found > 1)
        transfer_export_note(writer->export,
                             "attribute '%.*s' is of several types; declared as %s, and Workbench "
                             "may not take the others",
                             PK_FMT(seen->name), pk_kind_tag(best));
    return best;
}

/* Declared ones as they were, then what else the items have. */
static void add_declarations(struct model_writer *writer)
{
    pk_value declared = workbench_member(writer->source, "NonKeyAttributes");
    struct pk_map known = PK_MAP_INIT;

    json_out_member(&writer->json, "NonKeyAttributes");
    pk_buf_add_byte(&writer->json, '[');
    for (uint32_t i = 0; pk_value_kind(declared) == PK_LIST && i < declared.len; i++) {
        json_out_element(&writer->json);
        transfer_plain_json(&writer->json, declared.u.items[i]);
        (void)pk_map_put(&known, workbench_text(declared.u.items[i], "AttributeName"), writer);
    }
    for (size_t i = 0; i < writer->seen_count; i++) {
        struct seen *seen = writer->seen[i];

        if (pk_map_get(&known, seen->name) != NULL)
            continue;
        json_out_element(&writer->json);
        add_attribute(writer, seen->name, main_kind(writer, seen));
    }
    pk_buf_add_byte(&writer->json, ']');
    pk_map_release(&known);
}

/* ---- indexes --------------------------------------------------------------------------------- */

static bool has_source_index(pk_value list, pk_slice name)
{
    for (uint32_t i = 0; pk_value_kind(list) == PK_LIST && i < list.len; i++) {
        if (pk_slice_equal(workbench_text(list.u.items[i], "IndexName"), name))
            return true;
    }
    return false;
}

/* Indexes cannot be changed, only added and dropped: equal names are equal indexes. */
static bool indexes_agree(const struct model_writer *writer, pk_value list)
{
    size_t count = pk_value_kind(list) == PK_LIST ? list.len : 0;

    if (count != writer->table->index_count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!has_source_index(list, writer->table->indexes[i].name))
            return false;
    }
    return true;
}

static void add_index(struct model_writer *writer, const struct pk_index *index)
{
    struct pk_buf *out = &writer->json;

    if (index->local)
        transfer_export_note(writer->export,
                             "local index '%.*s' is written as a global one with the table's "
                             "partition key: a model has no others",
                             PK_FMT(index->name));
    if (index->key.hash_count > 1 || index->key.range_count > 1)
        transfer_export_note(writer->export,
                             "index '%.*s' has a key of several attributes; a model holds the "
                             "first of each kind",
                             PK_FMT(index->name));
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "IndexName", index->name);
    add_key(writer, &index->key);
    api_add_projection(&writer->json, index);
    pk_buf_add_byte(out, '}');
}

static void add_indexes(struct model_writer *writer)
{
    pk_value source = workbench_member(writer->source, "GlobalSecondaryIndexes");

    if (indexes_agree(writer, source)) {
        (void)add_source(writer, writer->source, "GlobalSecondaryIndexes");
        return;
    }
    json_out_member(&writer->json, "GlobalSecondaryIndexes");
    pk_buf_add_byte(&writer->json, '[');
    for (size_t i = 0; i < writer->table->index_count; i++)
        add_index(writer, &writer->table->indexes[i]);
    pk_buf_add_byte(&writer->json, ']');
}

/* ---- items ----------------------------------------------------------------------------------- */

static void add_item(struct model_writer *writer, pk_view item)
{
    json_out_element(&writer->json);
    json_out_item(&writer->json, item);
}

/* The item that a facet's {"PK": {"S": …}} means; NULL when it is gone. */
static pk_view *item_of(struct model_writer *writer, pk_value typed_key)
{
    struct pk_error ignored = PK_ERROR_INIT;
    pk_value key;
    pk_view *item = NULL;

    if (cmd_literal_item_from_typed(writer->arena, typed_key, &key, &ignored) == PK_OK)
        item = pk_map_get(&writer->by_key, key_bytes(writer, pk_view_of(writer->arena, key)));
    pk_error_release(&ignored);
    return item;
}

/* The fixed text that a key alias begins with: "ACC#" of ACC#<id>, "#META#" of #META#playerID. */
static pk_slice alias_prefix(pk_slice alias)
{
    for (size_t i = 1; i < alias.len; i++) {
        if (alias.data[i] == '<')
            return pk_slice_of(alias.data, i);
        if (alias.data[i] == '#')
            return pk_slice_of(alias.data, i + 1);
    }
    return (pk_slice){NULL, 0};
}

static bool fits_alias(const struct model_writer *writer, pk_value facet, pk_view item)
{
    pk_value aliases = workbench_member(facet, "KeyAttributeAlias");
    const struct pk_key_schema *key = &writer->table->key;
    pk_slice hash = alias_prefix(workbench_text(aliases, "PartitionKeyAlias"));
    pk_slice range = alias_prefix(workbench_text(aliases, "SortKeyAlias"));
    pk_slice pk = pk_view_bytes(pk_view_member(item, key->hash[0].name));
    pk_slice sk = key->range_count == 0 ? (pk_slice){NULL, 0}
                                        : pk_view_bytes(pk_view_member(item, key->range[0].name));

    return hash.len + range.len > 0 && pk_slice_starts(pk, hash) && pk_slice_starts(sk, range);
}

/* Of an item that came with no facet: the first whose alias fits, else the first. */
static uint32_t facet_for(const struct model_writer *writer, pk_value facets, pk_view item)
{
    for (uint32_t i = 0; i < facets.len; i++) {
        if (fits_alias(writer, facets.u.items[i], item))
            return i;
    }
    return 0;
}

static bool is_placed(const struct model_writer *writer, pk_view item)
{
    return pk_map_get(&writer->placed, key_bytes(writer, item)) != NULL;
}

/* Items that the facet had, and new ones that belong to it unless the table has a place for them.
 */
static void add_facet_items(struct model_writer *writer, pk_value facets, uint32_t at)
{
    pk_value keys = workbench_member(facets.u.items[at], "TableData");

    json_out_member(&writer->json, "TableData");
    pk_buf_add_byte(&writer->json, '[');
    for (uint32_t i = 0; pk_value_kind(keys) == PK_LIST && i < keys.len; i++) {
        pk_view *item = item_of(writer, keys.u.items[i]);

        if (item != NULL)
            add_item(writer, *item);
    }
    for (size_t i = 0; i < writer->count && !writer->has_data; i++) {
        if (!is_placed(writer, writer->items[i]) &&
            facet_for(writer, facets, writer->items[i]) == at)
            add_item(writer, writer->items[i]);
    }
    pk_buf_add_byte(&writer->json, ']');
}

static void place_items(struct model_writer *writer, pk_value facets)
{
    for (uint32_t i = 0; i < facets.len; i++) {
        pk_value keys = workbench_member(facets.u.items[i], "TableData");

        for (uint32_t k = 0; pk_value_kind(keys) == PK_LIST && k < keys.len; k++) {
            pk_view *item = item_of(writer, keys.u.items[k]);

            if (item != NULL)
                (void)pk_map_put(&writer->placed, key_bytes(writer, *item), item);
        }
    }
}

static void add_facets(struct model_writer *writer, pk_value facets)
{
    json_out_member(&writer->json, "TableFacets");
    pk_buf_add_byte(&writer->json, '[');
    for (uint32_t i = 0; i < facets.len; i++) {
        pk_value facet = facets.u.items[i];

        json_out_element(&writer->json);
        pk_buf_add_byte(&writer->json, '{');
        for (uint32_t k = 0; pk_value_kind(facet) == PK_MAP && k < facet.len; k++) {
            if (pk_slice_is(facet.u.members[k].name, "TableData"))
                continue;
            json_out_member_slice(&writer->json, facet.u.members[k].name);
            transfer_plain_json(&writer->json, facet.u.members[k].value);
        }
        if (!writer->has_data || pk_value_kind(workbench_member(facet, "TableData")) != PK_MISSING)
            add_facet_items(writer, facets, i);
        pk_buf_add_byte(&writer->json, '}');
    }
    pk_buf_add_byte(&writer->json, ']');
}

static void add_table_data(struct model_writer *writer)
{
    json_out_member(&writer->json, "TableData");
    pk_buf_add_byte(&writer->json, '[');
    for (size_t i = 0; i < writer->count; i++) {
        if (!is_placed(writer, writer->items[i]))
            add_item(writer, writer->items[i]);
    }
    pk_buf_add_byte(&writer->json, ']');
}

/* ---- capacity -------------------------------------------------------------------------------- */

static bool billing_agrees(const struct model_writer *writer)
{
    bool provisioned = pk_slice_is(workbench_text(writer->source, "BillingMode"), "PROVISIONED");

    return pk_value_kind(writer->source) == PK_MAP &&
           provisioned == (writer->table->billing == PK_PROVISIONED);
}

static void add_billing(struct model_writer *writer)
{
    struct pk_buf *out = &writer->json;

    if (billing_agrees(writer)) {
        (void)add_source(writer, writer->source, "BillingMode");
        (void)add_source(writer, writer->source, "ProvisionedCapacitySettings");
        return;
    }
    if (writer->table->billing == PK_ON_DEMAND) {
        json_out_member_text(out, "BillingMode", PK_LIT("PAY_PER_REQUEST"));
        return;
    }
    json_out_member_text(out, "BillingMode", PK_LIT("PROVISIONED"));
    json_out_member(out, "ProvisionedCapacitySettings");
    pk_buf_printf(out,
                  "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":%lld,"
                  "\"WriteCapacityUnits\":%lld}}",
                  (long long)writer->table->throughput.read,
                  (long long)writer->table->throughput.write);
}

/* ---- the table and the model ----------------------------------------------------------------- */

/* Members that have their place; what else the source has follows. */
static const char table_members[] =
    "TableName KeyAttributes NonKeyAttributes TableFacets GlobalSecondaryIndexes TableData "
    "DataAccess SampleDataFormats BillingMode ProvisionedCapacitySettings";
static const char model_members[] = "ModelName ModelMetadata DataModel";

static void add_others(struct model_writer *writer, pk_value source, const char *known)
{
    for (uint32_t i = 0; pk_value_kind(source) == PK_MAP && i < source.len; i++) {
        if (transfer_has_word(known, source.u.members[i].name))
            continue;
        json_out_member_slice(&writer->json, source.u.members[i].name);
        transfer_plain_json(&writer->json, source.u.members[i].value);
    }
}

static void add_table(struct model_writer *writer)
{
    pk_value facets = workbench_member(writer->source, "TableFacets");
    bool has_facets = pk_value_kind(facets) == PK_LIST && facets.len > 0;

    writer->has_data = pk_value_kind(workbench_member(writer->source, "TableData")) != PK_MISSING;
    json_out_element(&writer->json);
    pk_buf_add_byte(&writer->json, '{');
    json_out_member_text(&writer->json, "TableName", writer->export->name);
    add_key(writer, &writer->table->key);
    add_declarations(writer);
    if (has_facets)
        place_items(writer, facets);
    if (pk_value_kind(facets) == PK_LIST)
        add_facets(writer, facets);
    add_indexes(writer);
    if (!has_facets || writer->has_data)
        add_table_data(writer);
    if (!add_source(writer, writer->source, "DataAccess") &&
        pk_value_kind(writer->source) == PK_MISSING)
        pk_buf_add_cstr(&writer->json, ",\"DataAccess\":{\"MySql\":{}}");
    (void)add_source(writer, writer->source, "SampleDataFormats");
    add_billing(writer);
    add_others(writer, writer->source, table_members);
    pk_buf_add_byte(&writer->json, '}');
}

static pk_slice now_text(const struct model_writer *writer)
{
    return pk_arena_printf(writer->arena, "%s",
                           cmd_time_to_second(writer->export->now_ms / 1000).text);
}

static void add_new_metadata(struct model_writer *writer)
{
    struct pk_buf *out = &writer->json;
    pk_slice now = now_text(writer);

    json_out_member(out, "ModelMetadata");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "Author", PK_LIT(""));
    json_out_member_text(out, "DateCreated", now);
    json_out_member_text(out, "DateLastModified", now);
    json_out_member_text(out, "Description", PK_LIT(""));
    json_out_member_text(out, "AWSService", PK_LIT("Amazon DynamoDB"));
    json_out_member_text(out, "Version", PK_LIT("3.0"));
    pk_buf_add_byte(out, '}');
}

static void open_model(struct model_writer *writer)
{
    pk_value metadata = workbench_member(writer->model, "ModelMetadata");

    pk_buf_add_byte(&writer->json, '{');
    if (pk_value_kind(writer->model) == PK_MAP) {
        (void)add_source(writer, writer->model, "ModelName");
        if (writer->changed && pk_value_kind(metadata) == PK_MAP)
            metadata = pk_value_with(writer->arena, metadata, PK_LIT("DateLastModified"),
                                     pk_value_string(now_text(writer)));
        if (pk_value_kind(metadata) != PK_MISSING)
            add_plain(writer, "ModelMetadata", metadata);
    } else {
        json_out_member_text(&writer->json, "ModelName", writer->export->name);
        add_new_metadata(writer);
    }
    json_out_member(&writer->json, "DataModel");
    pk_buf_add_byte(&writer->json, '[');
}

/* The model is one document: its text grows in `out` until the last table closes it. */
enum pk_code workbench_write(struct transfer_export *export, struct pk_error *err)
{
    struct model_writer writer = {
        .export = export,
        .arena = &export->arena,
        .table = export->table,
    };
    uint64_t digest;
    enum pk_code rc = collect(&writer, &digest, err);

    if (rc == PK_OK) {
        read_attachment(&writer, digest);
        writer.json = export->out;
        if (export->index == 0)
            open_model(&writer);
        add_table(&writer);
        if (export->index + 1 == export->count) {
            struct pk_buf pretty = PK_BUF_INIT;

            pk_buf_add_byte(&writer.json, ']');
            add_others(&writer, writer.model, model_members);
            pk_buf_add_byte(&writer.json, '}');
            cmd_wire_pretty(&pretty, pk_buf_slice(&writer.json));
            pk_buf_add_byte(&pretty, '\n');
            pk_buf_release(&writer.json);
            writer.json = pretty;
        }
        export->out = writer.json;
    }
    pk_map_release(&writer.by_key);
    pk_map_release(&writer.placed);
    pk_map_release(&writer.seen_by_name);
    return rc;
}
