/*
 * The template is built as JSON, whose members keep their order, and turned into YAML at the end:
 * JSON strings are YAML strings too, so only the brackets change.
 */
#include "commands/transfer/cfn_write.h"

#include "commands/api/api_describe.h"
#include "commands/api/json_out.h"
#include "commands/transfer/json_scan.h"
#include "commands/wire.h"
#include "engine/base/map.h"

/* ---- the resource ---------------------------------------------------------------------------- */

/* In order of first use: the table's key, then the indexes'. */
static void add_definition(struct pk_buf *out, struct pk_map *known,
                           const struct pk_key_attr *attribute)
{
    if (pk_map_get(known, attribute->name) != NULL)
        return;
    (void)pk_map_put(known, attribute->name, out);
    json_out_element(out);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "AttributeName", attribute->name);
    json_out_member_text(out, "AttributeType", pk_slice_cstr(pk_kind_tag(attribute->type)));
    pk_buf_add_byte(out, '}');
}

static void add_definitions_of(struct pk_buf *out, struct pk_map *known,
                               const struct pk_key_schema *key)
{
    for (size_t i = 0; i < key->hash_count; i++)
        add_definition(out, known, &key->hash[i]);
    for (size_t i = 0; i < key->range_count; i++)
        add_definition(out, known, &key->range[i]);
}

static void add_definitions(struct pk_buf *out, const struct pk_table *table)
{
    struct pk_map known = PK_MAP_INIT;

    json_out_member(out, "AttributeDefinitions");
    pk_buf_add_byte(out, '[');
    add_definitions_of(out, &known, &table->key);
    for (size_t i = 0; i < table->index_count; i++)
        add_definitions_of(out, &known, &table->indexes[i].key);
    pk_buf_add_byte(out, ']');
    pk_map_release(&known);
}

static void add_throughput(struct pk_buf *out, const struct pk_throughput *throughput)
{
    json_out_member(out, "ProvisionedThroughput");
    pk_buf_add_byte(out, '{');
    json_out_member(out, "ReadCapacityUnits");
    json_out_int(out, throughput->read);
    json_out_member(out, "WriteCapacityUnits");
    json_out_int(out, throughput->write);
    pk_buf_add_byte(out, '}');
}

static void add_indexes(struct pk_buf *out, const struct pk_table *table, bool local)
{
    size_t count = local ? table->local_count : table->index_count - table->local_count;

    if (count == 0)
        return;
    json_out_member(out, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];

        if (index->local != local)
            continue;
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "IndexName", index->name);
        api_add_key_schema(out, &index->key);
        api_add_projection(out, index);
        if (!local && table->billing == PK_PROVISIONED)
            add_throughput(out, &index->throughput);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

static void add_stream(struct pk_buf *out, const struct pk_table *table)
{
    if (table->stream == PK_STREAM_OFF)
        return;
    json_out_member(out, "StreamSpecification");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "StreamViewType", pk_slice_cstr(pk_stream_view_name(table->stream)));
    pk_buf_add_byte(out, '}');
}

static void add_logical_id(struct pk_buf *out, pk_slice name)
{
    struct pk_buf id = PK_BUF_INIT;

    for (size_t i = 0; i < name.len; i++) {
        if (strchr("._-", name.data[i]) == NULL)
            pk_buf_add_byte(&id, (unsigned char)name.data[i]);
    }
    json_out_member_slice(out, id.len == 0 ? PK_LIT("Table") : pk_buf_slice(&id));
    pk_buf_release(&id);
}

static void add_resource(struct pk_buf *out, const struct transfer_export *export)
{
    const struct pk_table *table = export->table;
    bool on_demand = table->billing == PK_ON_DEMAND;

    add_logical_id(out, export->name);
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "Type", PK_LIT("AWS::DynamoDB::Table"));
    json_out_member(out, "Properties");
    pk_buf_add_byte(out, '{');
    json_out_member_text(out, "TableName", export->name);
    add_definitions(out, table);
    api_add_key_schema(out, &table->key);
    json_out_member_text(out, "BillingMode",
                         on_demand ? PK_LIT("PAY_PER_REQUEST") : PK_LIT("PROVISIONED"));
    if (!on_demand)
        add_throughput(out, &table->throughput);
    add_indexes(out, table, true);
    add_indexes(out, table, false);
    add_stream(out, table);
    if (table->deletion_protection) {
        json_out_member(out, "DeletionProtectionEnabled");
        json_out_bool(out, true);
    }
    pk_buf_add_cstr(out, "}}");
}

/* ---- YAML ------------------------------------------------------------------------------------ */

static void indent(struct pk_buf *out, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        pk_buf_add_cstr(out, "  ");
}

/* True when YAML reads the word as this text and as nothing else. */
static bool is_plain_word(pk_slice word)
{
    if (word.len == 0 || transfer_has_word("true false yes no on off null y n", word))
        return false;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

        if (!letter && (i == 0 || ((c < '0' || c > '9') && c != '-' && c != '.')) &&
            !(c == ':' && i + 1 < word.len && i > 0 && word.data[i + 1] != ' '))
            return false;
    }
    return true;
}

static void yaml_scalar(struct pk_buf *out, pk_slice json)
{
    bool text = json.data[0] == '"';
    pk_slice word = text ? pk_slice_of(json.data + 1, json.len - 2) : json;

    pk_buf_add_byte(out, ' ');
    pk_buf_add(out, text && is_plain_word(word) ? word : json);
    pk_buf_add_byte(out, '\n');
}

/* The container at pos, its members each on lines of their own; `inside` a list the first member
 * goes on behind the dash. */
static void yaml_container(struct pk_buf *out, pk_slice json, size_t pos, size_t depth)
{
    struct json_walk walk;
    pk_slice name = {NULL, 0};
    bool behind_dash = out->len > 0 && out->data[out->len - 1] == '-';
    size_t value;

    if (!json_walk_open(&walk, json, pos))
        return;
    if (!behind_dash)
        pk_buf_add_byte(out, '\n');
    while (json_walk_next(&walk, &name, &value)) {
        if (behind_dash)
            pk_buf_add_byte(out, ' ');
        else
            indent(out, depth);
        behind_dash = false;
        if (walk.object)
            pk_buf_printf(out, "%.*s:", PK_FMT(name));
        else
            pk_buf_add_byte(out, '-');
        if (json.data[value] == '{' || json.data[value] == '[')
            yaml_container(out, json, value, depth + 1);
        else
            yaml_scalar(out, pk_slice_of(json.data + value, walk.pos - value));
    }
}

enum pk_code cfn_write(struct transfer_export *export, struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;

    (void)err;
    if (export->index == 0)
        pk_buf_add_cstr(&export->out,
                        "{\"AWSTemplateFormatVersion\":\"2010-09-09\",\"Resources\":{");
    add_resource(&export->out, export);
    if (export->index + 1 < export->count)
        return PK_OK;
    pk_buf_add_cstr(&export->out, "}}");
    if (export->as_json) {
        cmd_wire_pretty(&text, pk_buf_slice(&export->out));
        pk_buf_add_byte(&text, '\n');
    } else {
        yaml_container(&text, pk_buf_slice(&export->out), 0, 0);
        text.len--; /* begins with a newline, which is taken off the front */
        memmove(text.data, text.data + 1, text.len);
        text.data[text.len] = '\0';
    }
    pk_buf_release(&export->out);
    export->out = text;
    transfer_export_note(export, "a template holds the definition, not the items");
    return PK_OK;
}
