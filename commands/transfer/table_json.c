#include "commands/transfer/table_json.h"

#include "commands/wire.h"

/* What CreateTable takes and is of use here. */
static const char *const members[] = {
    "TableName",           "KeySchema",      "AttributeDefinitions", "BillingMode",
    "StreamSpecification", "Tags",           "TableClass",           "DeletionProtectionEnabled",
    "OnDemandThroughput",  "WarmThroughput",
};
static const char *const index_members[] = {
    "IndexName", "KeySchema", "Projection", "OnDemandThroughput", "WarmThroughput",
};

int64_t table_json_int(pk_value value, int64_t other)
{
    struct pk_num num;
    int64_t number;

    if (pk_value_kind(value) == PK_NUMBER)
        num = pk_value_num(value);
    else if (pk_value_kind(value) != PK_STRING ||
             pk_num_parse(pk_value_bytes(value), &num) != PK_NUM_OK)
        return other;
    return pk_num_to_int(&num, &number) ? number : other;
}

static pk_value member(pk_value map, const char *name)
{
    return pk_value_get(map, pk_slice_cstr(name));
}

static void copy_members(cJSON *out, pk_value from, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pk_value value = member(from, names[i]);

        if (pk_value_kind(value) != PK_MISSING && pk_value_kind(value) != PK_NULL)
            cmd_wire_set(out, names[i], transfer_cjson(value));
    }
}

/* Throughput is sent for provisioned tables only: a description has zeros for on-demand ones. */
static void copy_throughput(cJSON *out, pk_value from)
{
    pk_value given = member(from, "ProvisionedThroughput");
    cJSON *throughput = cmd_wire_object(out, "ProvisionedThroughput");

    cmd_wire_set_int(throughput, "ReadCapacityUnits",
                     table_json_int(member(given, "ReadCapacityUnits"), 5));
    cmd_wire_set_int(throughput, "WriteCapacityUnits",
                     table_json_int(member(given, "WriteCapacityUnits"), 5));
}

static void copy_indexes(cJSON *out, const char *name, pk_value list, bool provisioned)
{
    cJSON *array;

    if (pk_value_kind(list) != PK_LIST || list.len == 0)
        return;
    array = cJSON_CreateArray();
    for (uint32_t i = 0; i < list.len; i++) {
        cJSON *index = cJSON_CreateObject();

        copy_members(index, list.u.items[i], index_members,
                     sizeof(index_members) / sizeof(*index_members));
        if (provisioned)
            copy_throughput(index, list.u.items[i]);
        cJSON_AddItemToArray(array, index);
    }
    cmd_wire_set(out, name, array);
}

/* CreateTable's default is PROVISIONED, and so is the meaning of a description without a mode. */
static bool is_on_demand(pk_value description)
{
    pk_value mode = member(description, "BillingMode");

    if (pk_value_kind(mode) != PK_STRING)
        mode = member(member(description, "BillingModeSummary"), "BillingMode");
    return pk_value_kind(mode) == PK_STRING && pk_slice_is(pk_value_bytes(mode), "PAY_PER_REQUEST");
}

static cJSON *create_request(pk_value description)
{
    cJSON *create = cJSON_CreateObject();
    bool on_demand = is_on_demand(description);
    pk_value class = member(member(description, "TableClassSummary"), "TableClass");

    copy_members(create, description, members, sizeof(members) / sizeof(*members));
    /* of a description: derived, and no request member of this shape */
    if (pk_value_kind(member(member(description, "WarmThroughput"), "Status")) != PK_MISSING)
        cJSON_DeleteItemFromObjectCaseSensitive(create, "WarmThroughput");
    if (pk_value_kind(class) == PK_STRING)
        cmd_wire_set_text(create, "TableClass", pk_value_bytes(class));
    cmd_wire_set_text(create, "BillingMode",
                      on_demand ? PK_LIT("PAY_PER_REQUEST") : PK_LIT("PROVISIONED"));
    if (!on_demand)
        copy_throughput(create, description);
    copy_indexes(create, "LocalSecondaryIndexes", member(description, "LocalSecondaryIndexes"),
                 false);
    copy_indexes(create, "GlobalSecondaryIndexes", member(description, "GlobalSecondaryIndexes"),
                 !on_demand);
    return create;
}

bool table_json_define(struct transfer *transfer, pk_value description)
{
    pk_value name = member(description, "TableName");
    pk_value schema = member(description, "KeySchema");

    if (pk_value_kind(name) != PK_STRING || pk_value_kind(schema) != PK_LIST || schema.len == 0)
        return false;
    transfer_define(transfer_table_get(transfer, pk_value_bytes(name)),
                    create_request(description));
    return true;
}
