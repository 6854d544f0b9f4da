/*
 * Table definitions in CloudFormation, SAM and Serverless Framework files, YAML or JSON (spec §4):
 * AWS::DynamoDB::Table, AWS::DynamoDB::GlobalTable and AWS::Serverless::SimpleTable; every other
 * resource is skipped. A template holds no items.
 */
#include "commands/transfer/transfer.h"

#include "commands/transfer/cfn_resolve.h"
#include "commands/transfer/cfn_write.h"
#include "commands/transfer/json_scan.h"
#include "commands/transfer/table_json.h"
#include "commands/transfer/yaml_tree.h"

struct template_reader {
    struct transfer *transfer;
    struct cfn_template template;
    size_t tables;
};

static pk_value member(pk_value map, const char *name)
{
    return pk_value_get(map, pk_slice_cstr(name));
}

static bool detect(pk_slice text, pk_slice extension)
{
    struct json_walk walk;
    size_t value;

    if (json_scan_member(text, 0, "Resources", &value) ||
        json_scan_member(text, 0, "AWSTemplateFormatVersion", &value))
        return true;
    if (json_walk_open(&walk, text, 0))
        return false; /* other JSON */
    return transfer_has_word("yml yaml template", extension) ||
           memmem(text.data, text.len, "AWS::DynamoDB::", 15) != NULL ||
           memmem(text.data, text.len, "AWS::Serverless::SimpleTable", 28) != NULL;
}

/* ---- properties ------------------------------------------------------------------------------ */

/* The map with the member set; value missing: unchanged. */
static pk_value with(struct template_reader *reader, pk_value map, const char *name, pk_value value)
{
    if (pk_value_kind(value) == PK_MISSING)
        return map;
    return pk_value_with(reader->template.arena, map, pk_slice_cstr(name), value);
}

static pk_value without(struct template_reader *reader, pk_value map, const char *name)
{
    return pk_value_with(reader->template.arena, map, pk_slice_cstr(name), pk_value_missing());
}

/* {"a": value, "b": value}; a missing value leaves its member out. */
static pk_value pair(struct template_reader *reader, const char *a, pk_value first, const char *b,
                     pk_value second)
{
    pk_value map = with(reader, pk_value_map(NULL, 0), a, first);

    return with(reader, map, b, second);
}

static pk_value text(const char *literal)
{
    return pk_value_string(pk_slice_cstr(literal));
}

static bool is_on(pk_value value)
{
    return (pk_value_kind(value) == PK_BOOL && value.boolean != 0) ||
           (pk_value_kind(value) == PK_STRING &&
            transfer_has_word("true yes on", pk_value_bytes(value)));
}

/* Numbers that YAML hands over as text. */
static pk_value numbers(struct template_reader *reader, pk_value map)
{
    pk_value out = map;

    for (uint32_t i = 0; pk_value_kind(map) == PK_MAP && i < map.len; i++) {
        int64_t number = table_json_int(map.u.members[i].value, -1);

        if (number >= 0)
            out = pk_value_with(reader->template.arena, out, map.u.members[i].name,
                                pk_value_int(reader->template.arena, number));
    }
    return out;
}

/* What CreateTable wants in another form than the template has it. */
static pk_value common_properties(struct template_reader *reader, pk_value properties)
{
    pk_value stream = member(member(properties, "StreamSpecification"), "StreamViewType");
    pk_value protection = member(properties, "DeletionProtectionEnabled");

    if (pk_value_kind(stream) == PK_STRING)
        properties =
            with(reader, properties, "StreamSpecification",
                 pair(reader, "StreamEnabled", pk_value_bool(true), "StreamViewType", stream));
    if (pk_value_kind(protection) != PK_MISSING)
        properties =
            with(reader, properties, "DeletionProtectionEnabled", pk_value_bool(is_on(protection)));
    properties = with(reader, properties, "OnDemandThroughput",
                      numbers(reader, member(properties, "OnDemandThroughput")));
    return with(reader, properties, "WarmThroughput",
                numbers(reader, member(properties, "WarmThroughput")));
}

/* ---- AWS::DynamoDB::GlobalTable -------------------------------------------------------------- */

/* Where scaling begins: the seed, else the minimum. */
static pk_value starting_capacity(pk_value scaling)
{
    pk_value seed = member(scaling, "SeedCapacity");

    return pk_value_kind(seed) == PK_MISSING ? member(scaling, "MinCapacity") : seed;
}

static pk_value read_capacity(pk_value settings)
{
    pk_value fixed = member(settings, "ReadCapacityUnits");

    if (pk_value_kind(fixed) != PK_MISSING)
        return fixed;
    return starting_capacity(member(settings, "ReadCapacityAutoScalingSettings"));
}

/* The throughput that a table, or an index of that name in the replica, begins with. */
static pk_value global_throughput(struct template_reader *reader, pk_value object, pk_value replica)
{
    pk_value write = member(member(object, "WriteProvisionedThroughputSettings"),
                            "WriteCapacityAutoScalingSettings");

    return pair(reader, "ReadCapacityUnits",
                read_capacity(member(replica, "ReadProvisionedThroughputSettings")),
                "WriteCapacityUnits", starting_capacity(write));
}

static pk_value named_index(pk_value list, pk_value name)
{
    for (uint32_t i = 0; pk_value_kind(list) == PK_LIST && i < list.len; i++) {
        if (pk_value_equal(member(list.u.items[i], "IndexName"), name))
            return list.u.items[i];
    }
    return pk_value_missing();
}

static pk_value global_indexes(struct template_reader *reader, pk_value indexes, pk_value replica)
{
    struct pk_value_vec vec = {0};

    for (uint32_t i = 0; i < indexes.len; i++) {
        pk_value index = indexes.u.items[i];
        pk_value settings =
            named_index(member(replica, "GlobalSecondaryIndexes"), member(index, "IndexName"));

        pk_value_vec_add(&vec, reader->template.arena,
                         with(reader, index, "ProvisionedThroughput",
                              global_throughput(reader, index, settings)));
    }
    return pk_value_list(vec.data, vec.len);
}

static pk_value global_properties(struct template_reader *reader, pk_value properties)
{
    pk_value replicas = member(properties, "Replicas");
    pk_value replica = pk_value_kind(replicas) == PK_LIST && replicas.len > 0 ? replicas.u.items[0]
                                                                              : pk_value_missing();
    pk_value indexes = member(properties, "GlobalSecondaryIndexes");

    if (pk_value_kind(indexes) == PK_LIST)
        properties = with(reader, properties, "GlobalSecondaryIndexes",
                          global_indexes(reader, indexes, replica));
    if (pk_value_kind(replicas) == PK_LIST && replicas.len > 1)
        transfer_note(reader->transfer,
                      "a global table of %u replicas: one table is made, for one region",
                      replicas.len);
    return with(reader, properties, "ProvisionedThroughput",
                global_throughput(reader, properties, replica));
}

/* ---- AWS::Serverless::SimpleTable ------------------------------------------------------------ */

static pk_value one(struct template_reader *reader, pk_value value)
{
    pk_value *items = PK_NEW(reader->template.arena, pk_value);

    *items = value;
    return pk_value_list(items, 1);
}

static pk_value simple_properties(struct template_reader *reader, pk_value properties)
{
    pk_value key = member(properties, "PrimaryKey");
    pk_value name = member(key, "Name");
    pk_value type = member(key, "Type");
    const char *tag = "S";

    if (pk_value_kind(name) != PK_STRING)
        name = text("id");
    if (pk_value_kind(type) == PK_STRING && pk_slice_is(pk_value_bytes(type), "Number"))
        tag = "N";
    if (pk_value_kind(type) == PK_STRING && pk_slice_is(pk_value_bytes(type), "Binary"))
        tag = "B";
    properties = with(reader, properties, "KeySchema",
                      one(reader, pair(reader, "AttributeName", name, "KeyType", text("HASH"))));
    properties = with(reader, properties, "AttributeDefinitions",
                      one(reader, pair(reader, "AttributeName", name, "AttributeType", text(tag))));
    if (pk_value_kind(member(properties, "ProvisionedThroughput")) == PK_MISSING)
        properties = with(reader, properties, "BillingMode", text("PAY_PER_REQUEST"));
    return properties;
}

/* ---- resources ------------------------------------------------------------------------------- */

/* Members that have no effect on the table made here. */
static void note_left_out(struct template_reader *reader, pk_slice name, pk_value properties)
{
    static const char *const others[] = {
        "TimeToLiveSpecification",
        "PointInTimeRecoverySpecification",
        "SSESpecification",
        "KinesisStreamSpecification",
        "ImportSourceSpecification",
        "ContributorInsightsSpecification",
        "ResourcePolicy",
    };
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (pk_value_kind(member(properties, others[i])) != PK_MISSING)
            pk_buf_printf(&out, "%s%s", out.len == 0 ? "" : ", ", others[i]);
    }
    if (out.len > 0)
        transfer_note(reader->transfer, "table '%.*s': left out: %.*s", PK_FMT(name), (int)out.len,
                      out.data);
    pk_buf_release(&out);
}

static enum pk_code read_table(struct template_reader *reader, pk_slice id, pk_value resource,
                               struct pk_error *err)
{
    pk_slice type = cfn_text(&reader->template, member(resource, "Type"), PK_LIT(""));
    pk_value properties = cfn_resolve(&reader->template, member(resource, "Properties"));
    pk_slice name = cfn_text(&reader->template, member(properties, "TableName"), id);

    if (pk_value_kind(properties) != PK_MAP)
        properties = pk_value_map(NULL, 0);
    if (pk_slice_is(type, "AWS::DynamoDB::GlobalTable"))
        properties = global_properties(reader, properties);
    if (pk_slice_is(type, "AWS::Serverless::SimpleTable"))
        properties = simple_properties(reader, properties);
    properties = common_properties(reader, properties);
    properties = with(reader, properties, "TableName", pk_value_string(name));
    note_left_out(reader, name, properties);
    properties = without(reader, properties, "SSESpecification");
    if (!table_json_define(reader->transfer, properties))
        return pk_fail(err, PK_E_USAGE, "%s: table '%.*s' has no KeySchema",
                       reader->transfer->file.name, PK_FMT(id));
    reader->tables++;
    return PK_OK;
}

static bool is_table(struct template_reader *reader, pk_value resource)
{
    pk_slice type = cfn_text(&reader->template, member(resource, "Type"), PK_LIT(""));

    return transfer_has_word(
        "AWS::DynamoDB::Table AWS::DynamoDB::GlobalTable AWS::Serverless::SimpleTable", type);
}

static enum pk_code read_resources(struct template_reader *reader, struct pk_error *err)
{
    pk_value resources = reader->template.resources;
    enum pk_code rc = PK_OK;

    for (uint32_t i = 0; rc == PK_OK && pk_value_kind(resources) == PK_MAP && i < resources.len;
         i++) {
        if (is_table(reader, resources.u.members[i].value))
            rc = read_table(reader, resources.u.members[i].name, resources.u.members[i].value, err);
    }
    return rc;
}

/* Serverless files nest a template, or several, under `resources`. */
static pk_value find_template(struct template_reader *reader, pk_value root)
{
    pk_value nested = member(root, "resources");

    if (pk_value_kind(member(root, "Resources")) == PK_MAP || pk_value_kind(nested) == PK_MISSING)
        return root;
    if (pk_value_kind(nested) != PK_LIST)
        return nested;
    for (uint32_t i = 0; i < nested.len; i++) {
        reader->template.resources = member(nested.u.items[i], "Resources");
        for (uint32_t k = 0; pk_value_kind(reader->template.resources) == PK_MAP &&
                             k < reader->template.resources.len;
             k++) {
            if (is_table(reader, reader->template.resources.u.members[k].value))
                return nested.u.items[i];
        }
    }
    return root;
}

static enum pk_code read_tree(struct transfer *transfer, pk_value *root, struct pk_error *err)
{
    size_t pos = 0;

    if (transfer->file.text.data[json_scan_blanks(transfer->file.text, 0)] == '{')
        return transfer_parse(transfer, &transfer->arena, &pos, root, err);
    if (yaml_tree_read(&transfer->arena, transfer->file.text, root, err) != PK_OK)
        return transfer_file_place(&transfer->file, err);
    return PK_OK;
}

static enum pk_code read_file(struct transfer *transfer, struct pk_error *err)
{
    struct template_reader reader = {
        .transfer = transfer,
        .template = {.arena = &transfer->arena},
    };
    pk_value template;
    enum pk_code rc = read_tree(transfer, &reader.template.root, err);

    if (rc != PK_OK)
        return rc;
    template = find_template(&reader, reader.template.root);
    reader.template.resources = member(template, "Resources");
    reader.template.parameters = member(template, "Parameters");
    reader.template.mappings = member(template, "Mappings");
    reader.template.conditions = member(template, "Conditions");
    rc = read_resources(&reader, err);
    if (rc == PK_OK && reader.tables == 0)
        rc = pk_fail(err, PK_E_USAGE, "%s: there is no DynamoDB table in this template",
                     transfer->file.name);
    for (size_t i = 0; i < reader.template.unresolved_count; i++)
        transfer_note(transfer,
                      "'%.*s' cannot be resolved from the file alone; a placeholder "
                      "stands for it",
                      PK_FMT(reader.template.unresolved[i]));
    return rc;
}

const struct transfer_format transfer_cloudformation = {
    .name = "cloudformation",
    .also = "cfn yaml",
    .extensions = "yml yaml template",
    .detect = detect,
    .read = read_file,
    .write = cfn_write,
};
