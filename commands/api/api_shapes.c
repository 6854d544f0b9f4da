/*
 * Shapes of requests, as data: members, types, ranges and enums of the service's model
 * (operations.md, errors.md §5).
 *
 * The order of members is the order in which constraint faults are listed. Enum values stand in the
 * order of AWS's messages.
 */
#include "commands/api/api_shapes.h"

#define MEMBERS(rows) .members = (rows), .member_count = sizeof(rows) / sizeof((rows)[0])
#define STRUCTURE(rows, name)                                                                      \
    {                                                                                              \
        .kind = API_STRUCTURE, .java = (name), MEMBERS(rows)                                       \
    }
#define ENUM(list)                                                                                 \
    {                                                                                              \
        .kind = API_STRING, .values = (list)                                                       \
    }
#define LIST(type, least, most)                                                                    \
    {                                                                                              \
        .kind = API_LIST, .element = &(type), .min = (least), .max = (most)                        \
    }
#define MAP(type)                                                                                  \
    {                                                                                              \
        .kind = API_MAP, .element = &(type)                                                        \
    }
#define INPUT(name, rows)                                                                          \
    const struct api_type name = {.kind = API_STRUCTURE, .java = "", MEMBERS(rows)}

/* ---- scalars ------------------------------------------------------------------------------ */

static const struct api_type text = {.kind = API_STRING};
static const struct api_type text_1_255 = {.kind = API_STRING, .min = 1, .max = 255};
static const struct api_type boolean = {.kind = API_BOOLEAN};
static const struct api_type units = {.kind = API_LONG, .has_min = true, .min = 1};
static const struct api_type not_negative = {.kind = API_LONG, .has_min = true};
static const struct api_type any_long = {.kind = API_LONG};
static const struct api_type limit = {.kind = API_INTEGER, .has_min = true, .min = 1};
static const struct api_type limit_newer = {
    .kind = API_INTEGER, .flags = API_NEWER, .has_min = true, .min = 1};
static const struct api_type limit_100 = {
    .kind = API_INTEGER, .has_min = true, .min = 1, .max = 100};
static const struct api_type segment = {.kind = API_INTEGER, .has_min = true, .max = 999999};
static const struct api_type total_segments = {
    .kind = API_INTEGER, .has_min = true, .min = 1, .max = 1000000};

/* Data operations take a name or an ARN, so that the least length is 1. */
static const struct api_type table = {
    .kind = API_STRING, .flags = API_PATTERN | API_ARN | API_TABLE, .min = 1, .max = 255};
/* Inside transactions its faults are listed with the others. */
static const struct api_type table_in_list = {
    .kind = API_STRING, .flags = API_PATTERN | API_ARN, .min = 1, .max = 255};
static const struct api_type control_table = {
    .kind = API_STRING, .flags = API_PATTERN | API_ARN | API_CONTROL_TABLE, .min = 3, .max = 255};
static const struct api_type name = {
    .kind = API_STRING, .flags = API_PATTERN, .min = 3, .max = 255};
static const struct api_type token = {.kind = API_STRING, .min = 1, .max = 36};

static const struct api_type cost_mode = ENUM("INDEXES, TOTAL, NONE");
static const struct api_type metrics_mode = ENUM("SIZE, NONE");
static const struct api_type return_values =
    ENUM("ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW");
static const struct api_type on_failure = ENUM("ALL_OLD, NONE");
static const struct api_type select_mode =
    ENUM("SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES");
static const struct api_type conditional_operator = ENUM("OR, AND");
static const struct api_type comparison =
    ENUM("IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, "
         "CONTAINS");
static const struct api_type update_action = ENUM("ADD, DELETE, PUT");

/* ---- values, names and legacy conditions -------------------------------------------------- */

static const struct api_type value;
static const struct api_type blob = {.kind = API_BLOB};
static const struct api_type texts = LIST(text, 0, 0);
static const struct api_type blobs = LIST(blob, 0, 0);
static const struct api_type value_list = LIST(value, 0, 0);
static const struct api_type value_map = MAP(value);
static const struct api_member value_rows[] = {
    {"S", &text, false},       {"N", &text, false},       {"B", &blob, false},
    {"M", &value_map, false},  {"L", &value_list, false}, {"BOOL", &boolean, false},
    {"NULL", &boolean, false}, {"SS", &texts, false},     {"NS", &texts, false},
    {"BS", &blobs, false},
};
static const struct api_type value = {
    .kind = API_VALUE, .java = "AttributeValue", MEMBERS(value_rows)};

static const struct api_type parameters = LIST(value, 1, 0);
static const struct api_type name_map = MAP(text);
static const struct api_type attributes_to_get = LIST(text, 1, 255);

static const struct api_member condition_rows[] = {
    {"ComparisonOperator", &comparison, true},
    {"AttributeValueList", &value_list, false},
};
static const struct api_type condition = STRUCTURE(condition_rows, "Condition");
static const struct api_type condition_map = MAP(condition);

static const struct api_member expected_rows[] = {
    {"ComparisonOperator", &comparison, false},
    {"Value", &value, false},
    {"Exists", &boolean, false},
    {"AttributeValueList", &value_list, false},
};
static const struct api_type expected = STRUCTURE(expected_rows, "ExpectedAttributeValue");
static const struct api_type expected_map = MAP(expected);

static const struct api_member value_update_rows[] = {
    {"Action", &update_action, false},
    {"Value", &value, false},
};
static const struct api_type value_update = STRUCTURE(value_update_rows, "AttributeValueUpdate");
static const struct api_type value_update_map = MAP(value_update);

/* ---- single items ------------------------------------------------------------------------- */

static const struct api_member get_item_rows[] = {
    {"ReturnConsumedCapacity", &cost_mode, false},
    {"AttributesToGet", &attributes_to_get, false},
    {"Key", &value_map, true},
    {"TableName", &table, true},
    {"ConsistentRead", &boolean, false},
    {"ProjectionExpression", &text, false},
    {"ExpressionAttributeNames", &name_map, false},
};
INPUT(api_shape_get_item, get_item_rows);

/* What all writes of one item have. */
#define WRITE_ROWS                                                                                 \
    {"ReturnConsumedCapacity", &cost_mode, false}, {"TableName", &table, true},                    \
        {"ReturnValues", &return_values, false},                                                   \
        {"ReturnItemCollectionMetrics", &metrics_mode, false},                                     \
        {"ReturnValuesOnConditionCheckFailure", &on_failure, false},                               \
        {"Expected", &expected_map, false}, {"ConditionalOperator", &conditional_operator, false}, \
        {"ConditionExpression", &text, false}, {"ExpressionAttributeNames", &name_map, false},     \
    {                                                                                              \
        "ExpressionAttributeValues", &value_map, false                                             \
    }

static const struct api_member put_item_rows[] = {
    WRITE_ROWS,
    {"Item", &value_map, true},
};
INPUT(api_shape_put_item, put_item_rows);

static const struct api_member update_item_rows[] = {
    WRITE_ROWS,
    {"AttributeUpdates", &value_update_map, false},
    {"UpdateExpression", &text, false},
    {"Key", &value_map, true},
};
INPUT(api_shape_update_item, update_item_rows);

static const struct api_member delete_item_rows[] = {
    WRITE_ROWS,
    {"Key", &value_map, true},
};
INPUT(api_shape_delete_item, delete_item_rows);

/* ---- read sets ---------------------------------------------------------------------------- */

#define READ_ROWS                                                                                  \
    {"ReturnConsumedCapacity", &cost_mode, false}, {"TableName", &table, true},                    \
        {"IndexName", &name, false}, {"AttributesToGet", &attributes_to_get, false},               \
        {"Select", &select_mode, false}, {"ConditionalOperator", &conditional_operator, false},    \
        {"FilterExpression", &text, false}, {"ProjectionExpression", &text, false},                \
        {"ExpressionAttributeNames", &name_map, false},                                            \
        {"ExpressionAttributeValues", &value_map, false},                                          \
        {"ExclusiveStartKey", &value_map, false},                                                  \
    {                                                                                              \
        "ConsistentRead", &boolean, false                                                          \
    }

static const struct api_member query_rows[] = {
    READ_ROWS,
    {"Limit", &limit_newer, false},
    {"QueryFilter", &condition_map, false},
    {"KeyConditions", &condition_map, false},
    {"KeyConditionExpression", &text, false},
    {"ScanIndexForward", &boolean, false},
};
INPUT(api_shape_query, query_rows);

static const struct api_member scan_rows[] = {
    READ_ROWS,
    {"Limit", &limit, false},
    {"ScanFilter", &condition_map, false},
    {"Segment", &segment, false},
    {"TotalSegments", &total_segments, false},
};
INPUT(api_shape_scan, scan_rows);

/* ---- batches ------------------------------------------------------------------------------ */

static const struct api_type batch_keys = {
    .kind = API_LIST, .flags = API_NEWER, .element = &value_map, .min = 1, .max = 100};
static const struct api_member keys_rows[] = {
    {"Keys", &batch_keys, true},
    {"AttributesToGet", &attributes_to_get, false},
    {"ConsistentRead", &boolean, false},
    {"ProjectionExpression", &text, false},
    {"ExpressionAttributeNames", &name_map, false},
};
static const struct api_type keys = STRUCTURE(keys_rows, "KeysAndAttributes");
static const struct api_type keys_map = {
    .kind = API_MAP, .flags = API_NEWER | API_TABLE_KEYS, .element = &keys, .min = 1};

static const struct api_member batch_get_rows[] = {
    {"ReturnConsumedCapacity", &cost_mode, false},
    {"RequestItems", &keys_map, true},
};
INPUT(api_shape_batch_get_item, batch_get_rows);

static const struct api_member put_request_rows[] = {{"Item", &value_map, true}};
static const struct api_type put_request = STRUCTURE(put_request_rows, "PutRequest");
static const struct api_member delete_request_rows[] = {{"Key", &value_map, true}};
static const struct api_type delete_request = STRUCTURE(delete_request_rows, "DeleteRequest");
static const struct api_member write_request_rows[] = {
    {"PutRequest", &put_request, false},
    {"DeleteRequest", &delete_request, false},
};
static const struct api_type write_request = STRUCTURE(write_request_rows, "WriteRequest");
/* Its length is a constraint on the values of the map, reported there (API_VALUE_LENGTH). */
static const struct api_type write_requests = LIST(write_request, 1, 25);
static const struct api_type write_requests_map = {.kind = API_MAP,
                                                   .flags =
                                                       API_TABLE_KEYS | API_VALUE_LENGTH | API_LAST,
                                                   .element = &write_requests};

static const struct api_member batch_write_rows[] = {
    {"ReturnConsumedCapacity", &cost_mode, false},
    {"ReturnItemCollectionMetrics", &metrics_mode, false},
    {"RequestItems", &write_requests_map, true},
};
INPUT(api_shape_batch_write_item, batch_write_rows);

/* ---- transactions ------------------------------------------------------------------------- */

static const struct api_member get_rows[] = {
    {"Key", &value_map, true},
    {"TableName", &table_in_list, true},
    {"ProjectionExpression", &text, false},
    {"ExpressionAttributeNames", &name_map, false},
};
static const struct api_type get = STRUCTURE(get_rows, "Get");
static const struct api_member transact_get_rows[] = {{"Get", &get, true}};
static const struct api_type transact_get = STRUCTURE(transact_get_rows, "TransactGetItem");
static const struct api_type transact_gets = LIST(transact_get, 1, 100);

static const struct api_member transact_get_items_rows[] = {
    {"ReturnConsumedCapacity", &cost_mode, false},
    {"TransactItems", &transact_gets, true},
};
INPUT(api_shape_transact_get_items, transact_get_items_rows);

#define ACTION_ROWS                                                                                \
    {"TableName", &table_in_list, true},                                                           \
        {"ReturnValuesOnConditionCheckFailure", &on_failure, false},                               \
        {"ExpressionAttributeNames", &name_map, false},                                            \
    {                                                                                              \
        "ExpressionAttributeValues", &value_map, false                                             \
    }

static const struct api_member check_rows[] = {
    ACTION_ROWS,
    {"Key", &value_map, true},
    {"ConditionExpression", &text, true},
};
static const struct api_type check = STRUCTURE(check_rows, "ConditionCheck");
static const struct api_member put_rows[] = {
    ACTION_ROWS,
    {"Item", &value_map, true},
    {"ConditionExpression", &text, false},
};
static const struct api_type put = STRUCTURE(put_rows, "Put");
static const struct api_member update_rows[] = {
    ACTION_ROWS,
    {"Key", &value_map, true},
    {"UpdateExpression", &text, true},
    {"ConditionExpression", &text, false},
};
static const struct api_type update = STRUCTURE(update_rows, "Update");
static const struct api_member delete_rows[] = {
    ACTION_ROWS,
    {"Key", &value_map, true},
    {"ConditionExpression", &text, false},
};
static const struct api_type delete_action = STRUCTURE(delete_rows, "Delete");
static const struct api_member transact_write_rows[] = {
    {"ConditionCheck", &check, false},
    {"Put", &put, false},
    {"Update", &update, false},
    {"Delete", &delete_action, false},
};
static const struct api_type transact_write = STRUCTURE(transact_write_rows, "TransactWriteItem");
static const struct api_type transact_writes = LIST(transact_write, 1, 100);

static const struct api_member transact_write_items_rows[] = {
    {"ClientRequestToken", &token, false},
    {"ReturnConsumedCapacity", &cost_mode, false},
    {"ReturnItemCollectionMetrics", &metrics_mode, false},
    {"TransactItems", &transact_writes, true},
};
INPUT(api_shape_transact_write_items, transact_write_items_rows);

/* ---- PartiQL (partiql.md §9) -------------------------------------------------------------- */

static const struct api_type statement_text = {.kind = API_STRING, .min = 1, .max = 8192};
static const struct api_type next_token = {.kind = API_STRING, .min = 1, .max = 32768};

static const struct api_member execute_statement_rows[] = {
    {"ReturnConsumedCapacity", &cost_mode, false},
    {"ReturnValuesOnConditionCheckFailure", &on_failure, false},
    {"Statement", &statement_text, true},
    {"Parameters", &parameters, false},
    {"NextToken", &next_token, false},
    {"Limit", &limit, false},
    {"ConsistentRead", &boolean, false},
};
INPUT(api_shape_execute_statement, execute_statement_rows);

static const struct api_member statement_rows[] = {
    {"Statement", &statement_text, true},
    {"Parameters", &parameters, false},
    {"ConsistentRead", &boolean, false},
    {"ReturnValuesOnConditionCheckFailure", &on_failure, false},
};
static const struct api_type batch_statement = STRUCTURE(statement_rows, "BatchStatementRequest");
static const struct api_type batch_statements = LIST(batch_statement, 1, 25);
static const struct api_member batch_execute_rows[] = {
    {"ReturnConsumedCapacity", &cost_mode, false},
    {"Statements", &batch_statements, true},
};
INPUT(api_shape_batch_execute_statement, batch_execute_rows);

static const struct api_type transact_statement =
    STRUCTURE(statement_rows, "ParameterizedStatement");
static const struct api_type transact_statements = LIST(transact_statement, 1, 100);
static const struct api_member execute_transaction_rows[] = {
    {"ClientRequestToken", &token, false},
    {"ReturnConsumedCapacity", &cost_mode, false},
    {"TransactStatements", &transact_statements, true},
};
INPUT(api_shape_execute_transaction, execute_transaction_rows);

/* ---- tables ------------------------------------------------------------------------------- */

static const struct api_type attribute_type = ENUM("B, N, S");
static const struct api_type key_type = ENUM("HASH, RANGE");
static const struct api_type billing = ENUM("PROVISIONED, PAY_PER_REQUEST");
static const struct api_type projection_type = ENUM("ALL, INCLUDE, KEYS_ONLY");
static const struct api_type stream_view =
    ENUM("NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY");

static const struct api_member definition_rows[] = {
    {"AttributeName", &text_1_255, true},
    {"AttributeType", &attribute_type, true},
};
static const struct api_type definition = STRUCTURE(definition_rows, "AttributeDefinition");
static const struct api_type definitions = LIST(definition, 0, 0);

static const struct api_member key_element_rows[] = {
    {"AttributeName", &text_1_255, true},
    {"KeyType", &key_type, true},
};
static const struct api_type key_element = STRUCTURE(key_element_rows, "KeySchemaElement");
static const struct api_type table_key = LIST(key_element, 1, 2);
static const struct api_type global_key = LIST(key_element, 1, 8);

static const struct api_member throughput_rows[] = {
    {"WriteCapacityUnits", &units, true},
    {"ReadCapacityUnits", &units, true},
};
static const struct api_type throughput = STRUCTURE(throughput_rows, "ProvisionedThroughput");
static const struct api_member on_demand_rows[] = {
    {"MaxReadRequestUnits", &any_long, false},
    {"MaxWriteRequestUnits", &any_long, false},
};
static const struct api_type on_demand = STRUCTURE(on_demand_rows, "OnDemandThroughput");
static const struct api_member warm_rows[] = {
    {"ReadUnitsPerSecond", &units, false},
    {"WriteUnitsPerSecond", &units, false},
};
static const struct api_type warm = STRUCTURE(warm_rows, "WarmThroughput");

static const struct api_type non_key_attributes = LIST(text_1_255, 1, 20);
static const struct api_member projection_rows[] = {
    {"ProjectionType", &projection_type, false},
    {"NonKeyAttributes", &non_key_attributes, false},
};
static const struct api_type projection = STRUCTURE(projection_rows, "Projection");

static const struct api_member local_rows[] = {
    {"IndexName", &name, true},
    {"KeySchema", &table_key, true},
    {"Projection", &projection, true},
};
static const struct api_type local = STRUCTURE(local_rows, "LocalSecondaryIndex");
static const struct api_type locals = LIST(local, 0, 0);

static const struct api_member global_rows[] = {
    {"IndexName", &name, true},
    {"KeySchema", &global_key, true},
    {"Projection", &projection, true},
    {"ProvisionedThroughput", &throughput, false},
    {"OnDemandThroughput", &on_demand, false},
    {"WarmThroughput", &warm, false},
};
static const struct api_type global = STRUCTURE(global_rows, "GlobalSecondaryIndex");
static const struct api_type globals = LIST(global, 0, 0);

static const struct api_member stream_rows[] = {
    {"StreamEnabled", &boolean, true},
    {"StreamViewType", &stream_view, false},
};
static const struct api_type stream = STRUCTURE(stream_rows, "StreamSpecification");

static const struct api_type tag_key = {.kind = API_STRING, .min = 1, .max = 128};
static const struct api_type tag_value = {.kind = API_STRING, .max = 256};
static const struct api_member tag_rows[] = {
    {"Key", &tag_key, true},
    {"Value", &tag_value, true},
};
static const struct api_type tag = STRUCTURE(tag_rows, "Tag");
static const struct api_type tags = LIST(tag, 0, 0);

static const struct api_type encryption_type = ENUM("AES256, KMS");
static const struct api_member encryption_rows[] = {
    {"Enabled", &boolean, false},
    {"SSEType", &encryption_type, false},
    {"KMSMasterKeyId", &text, false},
};
static const struct api_type encryption = STRUCTURE(encryption_rows, "SSESpecification");

static const struct api_type table_arn = {.kind = API_STRING, .min = 1, .max = 1024};
static const struct api_type settings_mode = ENUM("ENABLED, ENABLED_WITH_OVERRIDES, DISABLED");

static const struct api_member create_table_rows[] = {
    {"TableName", &control_table, true},
    {"AttributeDefinitions", &definitions, true},
    {"KeySchema", &table_key, true},
    {"BillingMode", &billing, false},
    {"ProvisionedThroughput", &throughput, false},
    {"GlobalSecondaryIndexes", &globals, false},
    {"LocalSecondaryIndexes", &locals, false},
    {"StreamSpecification", &stream, false},
    {"TableClass", &text, false},
    {"DeletionProtectionEnabled", &boolean, false},
    {"OnDemandThroughput", &on_demand, false},
    {"WarmThroughput", &warm, false},
    {"Tags", &tags, false},
    {"SSESpecification", &encryption, false},
    {"ResourcePolicy", &text, false},
    {"GlobalTableSourceArn", &table_arn, false},
    {"GlobalTableSettingsReplicationMode", &settings_mode, false},
};
INPUT(api_shape_create_table, create_table_rows);

static const struct api_member index_update_rows[] = {
    {"IndexName", &name, true},
    {"ProvisionedThroughput", &throughput, false},
    {"OnDemandThroughput", &on_demand, false},
    {"WarmThroughput", &warm, false},
};
static const struct api_type index_update =
    STRUCTURE(index_update_rows, "UpdateGlobalSecondaryIndexAction");
static const struct api_type index_create =
    STRUCTURE(global_rows, "CreateGlobalSecondaryIndexAction");
static const struct api_member index_delete_rows[] = {{"IndexName", &name, true}};
static const struct api_type index_delete =
    STRUCTURE(index_delete_rows, "DeleteGlobalSecondaryIndexAction");
static const struct api_member index_change_rows[] = {
    {"Update", &index_update, false},
    {"Create", &index_create, false},
    {"Delete", &index_delete, false},
};
static const struct api_type index_change =
    STRUCTURE(index_change_rows, "GlobalSecondaryIndexUpdate");
static const struct api_type index_changes = LIST(index_change, 0, 0);

static const struct api_member replica_rows[] = {{"RegionName", &text, true}};
static const struct api_type replica_create =
    STRUCTURE(replica_rows, "CreateReplicationGroupMemberAction");
static const struct api_type replica_update =
    STRUCTURE(replica_rows, "UpdateReplicationGroupMemberAction");
static const struct api_type replica_delete =
    STRUCTURE(replica_rows, "DeleteReplicationGroupMemberAction");
static const struct api_member replica_change_rows[] = {
    {"Create", &replica_create, false},
    {"Update", &replica_update, false},
    {"Delete", &replica_delete, false},
};
static const struct api_type replica_change =
    STRUCTURE(replica_change_rows, "ReplicationGroupUpdate");
static const struct api_type replica_changes = LIST(replica_change, 0, 0);

static const struct api_member update_table_rows[] = {
    {"TableName", &control_table, true},
    {"AttributeDefinitions", &definitions, false},
    {"BillingMode", &billing, false},
    {"ProvisionedThroughput", &throughput, false},
    {"GlobalSecondaryIndexUpdates", &index_changes, false},
    {"StreamSpecification", &stream, false},
    {"TableClass", &text, false},
    {"DeletionProtectionEnabled", &boolean, false},
    {"OnDemandThroughput", &on_demand, false},
    {"WarmThroughput", &warm, false},
    {"ReplicaUpdates", &replica_changes, false},
    {"SSESpecification", &encryption, false},
};
INPUT(api_shape_update_table, update_table_rows);

static const struct api_member only_table_rows[] = {{"TableName", &control_table, true}};
INPUT(api_shape_describe_table, only_table_rows);

static const struct api_member list_tables_rows[] = {
    {"ExclusiveStartTableName", &name, false},
    {"Limit", &limit_100, false},
};
INPUT(api_shape_list_tables, list_tables_rows);

/* ---- TTL and streams ---------------------------------------------------------------------- */

static const struct api_member ttl_rows[] = {
    {"Enabled", &boolean, true},
    {"AttributeName", &text_1_255, true},
};
static const struct api_type ttl = STRUCTURE(ttl_rows, "TimeToLiveSpecification");
static const struct api_member update_ttl_rows[] = {
    {"TableName", &control_table, true},
    {"TimeToLiveSpecification", &ttl, true},
};
INPUT(api_shape_update_time_to_live, update_ttl_rows);

static const struct api_type stream_arn = {.kind = API_STRING, .min = 37, .max = 1024};
static const struct api_type shard_id = {.kind = API_STRING, .min = 28, .max = 65};
static const struct api_type sequence_number = {.kind = API_STRING, .min = 21, .max = 40};
static const struct api_type iterator_text = {.kind = API_STRING, .min = 1, .max = 2048};
static const struct api_type iterator_type =
    ENUM("AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON");
static const struct api_type shard_filter_type = ENUM("CHILD_SHARDS");

static const struct api_member list_streams_rows[] = {
    {"TableName", &name, false},
    {"Limit", &limit_100, false},
    {"ExclusiveStartStreamArn", &stream_arn, false},
};
INPUT(api_shape_list_streams, list_streams_rows);

static const struct api_member shard_filter_rows[] = {
    {"Type", &shard_filter_type, false},
    {"ShardId", &shard_id, false},
};
static const struct api_type shard_filter = STRUCTURE(shard_filter_rows, "ShardFilter");
static const struct api_member describe_stream_rows[] = {
    {"StreamArn", &stream_arn, true},
    {"Limit", &limit_100, false},
    {"ExclusiveStartShardId", &shard_id, false},
    {"ShardFilter", &shard_filter, false},
};
INPUT(api_shape_describe_stream, describe_stream_rows);

static const struct api_member get_shard_iterator_rows[] = {
    {"StreamArn", &stream_arn, true},
    {"ShardId", &shard_id, true},
    {"ShardIteratorType", &iterator_type, true},
    {"SequenceNumber", &sequence_number, false},
};
INPUT(api_shape_get_shard_iterator, get_shard_iterator_rows);

static const struct api_member get_records_rows[] = {
    {"ShardIterator", &iterator_text, true},
    {"Limit", &limit, false},
};
INPUT(api_shape_get_records, get_records_rows);

/* ---- backups ------------------------------------------------------------------------------ */

static const struct api_type backup_arn = {.kind = API_STRING, .min = 37, .max = 1024};
static const struct api_type backup_type = ENUM("USER, SYSTEM, AWS_BACKUP, ALL");
static const struct api_type recovery_days = {
    .kind = API_INTEGER, .has_min = true, .min = 1, .max = 35};

static const struct api_member create_backup_rows[] = {
    {"TableName", &table_in_list, true},
    {"BackupName", &name, true},
};
INPUT(api_shape_create_backup, create_backup_rows);

static const struct api_member describe_backup_rows[] = {{"BackupArn", &backup_arn, true}};
INPUT(api_shape_describe_backup, describe_backup_rows);

static const struct api_member list_backups_rows[] = {
    {"TableName", &table_in_list, false},
    {"Limit", &limit_100, false},
    {"TimeRangeLowerBound", &any_long, false},
    {"TimeRangeUpperBound", &any_long, false},
    {"ExclusiveStartBackupArn", &backup_arn, false},
    {"BackupType", &backup_type, false},
};
INPUT(api_shape_list_backups, list_backups_rows);

#define RESTORE_ROWS                                                                               \
    {"TargetTableName", &name, true}, {"BillingModeOverride", &billing, false},                    \
        {"GlobalSecondaryIndexOverride", &globals, false},                                         \
        {"LocalSecondaryIndexOverride", &locals, false},                                           \
        {"ProvisionedThroughputOverride", &throughput, false},                                     \
        {"SSESpecificationOverride", &encryption, false},                                          \
    {                                                                                              \
        "OnDemandThroughputOverride", &on_demand, false                                            \
    }

static const struct api_member restore_from_backup_rows[] = {
    RESTORE_ROWS,
    {"BackupArn", &backup_arn, true},
};
INPUT(api_shape_restore_from_backup, restore_from_backup_rows);

static const struct api_member restore_to_point_in_time_rows[] = {
    RESTORE_ROWS,
    {"SourceTableArn", &table_arn, false},
    {"SourceTableName", &table_in_list, false},
    {"UseLatestRestorableTime", &boolean, false},
    {"RestoreDateTime", &any_long, false},
};
INPUT(api_shape_restore_to_point_in_time, restore_to_point_in_time_rows);

static const struct api_member recovery_rows[] = {
    {"PointInTimeRecoveryEnabled", &boolean, true},
    {"RecoveryPeriodInDays", &recovery_days, false},
};
static const struct api_type recovery =
    STRUCTURE(recovery_rows, "PointInTimeRecoverySpecification");
static const struct api_member update_continuous_backups_rows[] = {
    {"TableName", &control_table, true},
    {"PointInTimeRecoverySpecification", &recovery, true},
};
INPUT(api_shape_update_continuous_backups, update_continuous_backups_rows);

/* ---- what a single store has none of ------------------------------------------------------ */

static const struct api_type limit_25 = {.kind = API_INTEGER, .has_min = true, .min = 1, .max = 25};

static const struct api_type export_token = {.kind = API_STRING};
static const struct api_type import_token = {.kind = API_STRING, .min = 112, .max = 1024};
static const struct api_member list_exports_rows[] = {
    {"TableArn", &table_arn, false},
    {"MaxResults", &limit_25, false},
    {"NextToken", &export_token, false},
};
INPUT(api_shape_list_exports, list_exports_rows);

static const struct api_member list_imports_rows[] = {
    {"TableArn", &table_arn, false},
    {"PageSize", &limit_25, false},
    {"NextToken", &import_token, false},
};
INPUT(api_shape_list_imports, list_imports_rows);

static const struct api_member list_global_tables_rows[] = {
    {"ExclusiveStartGlobalTableName", &name, false},
    {"Limit", &limit, false},
    {"RegionName", &text, false},
};
INPUT(api_shape_list_global_tables, list_global_tables_rows);

static const struct api_member list_contributor_insights_rows[] = {
    {"TableName", &table_in_list, false},
    {"NextToken", &text, false},
    {"MaxResults", &limit_100, false},
};
INPUT(api_shape_list_contributor_insights, list_contributor_insights_rows);

static const struct api_type export_arn = {.kind = API_STRING, .min = 37, .max = 1024};
static const struct api_member describe_export_rows[] = {{"ExportArn", &export_arn, true}};
INPUT(api_shape_describe_export, describe_export_rows);
static const struct api_member describe_import_rows[] = {{"ImportArn", &export_arn, true}};
INPUT(api_shape_describe_import, describe_import_rows);

static const struct api_type bucket = {.kind = API_STRING, .max = 255};
static const struct api_type bucket_prefix = {.kind = API_STRING, .max = 1024};
static const struct api_type bucket_key = {.kind = API_STRING, .min = 1, .max = 2048};
static const struct api_type export_format = ENUM("DYNAMODB_JSON, ION");
static const struct api_type export_type = ENUM("FULL_EXPORT, INCREMENTAL_EXPORT");
static const struct api_member export_table_rows[] = {
    {"TableArn", &table_arn, true},
    {"S3Bucket", &bucket, true},
    {"ExportTime", &any_long, false},
    {"ClientToken", &text, false},
    {"S3BucketOwner", &text, false},
    {"S3Prefix", &bucket_prefix, false},
    {"S3SseAlgorithm", &encryption_type, false},
    {"S3SseKmsKeyId", &bucket_key, false},
    {"ExportFormat", &export_format, false},
    {"ExportType", &export_type, false},
};
INPUT(api_shape_export_table, export_table_rows);

static const struct api_member global_table_rows[] = {{"GlobalTableName", &name, true}};
INPUT(api_shape_describe_global_table, global_table_rows);

static const struct api_member describe_contributor_insights_rows[] = {
    {"TableName", &table_in_list, true},
    {"IndexName", &name, false},
};
INPUT(api_shape_describe_contributor_insights, describe_contributor_insights_rows);

static const struct api_type policy_resource = {.kind = API_STRING, .min = 1, .max = 1283};
static const struct api_type policy_revision = {.kind = API_STRING, .min = 1, .max = 255};
static const struct api_member get_policy_rows[] = {{"ResourceArn", &policy_resource, true}};
INPUT(api_shape_get_resource_policy, get_policy_rows);
static const struct api_member delete_policy_rows[] = {
    {"ResourceArn", &policy_resource, true},
    {"ExpectedRevisionId", &policy_revision, false},
};
INPUT(api_shape_delete_resource_policy, delete_policy_rows);

static const struct api_member describe_kinesis_rows[] = {{"TableName", &table_in_list, true}};
INPUT(api_shape_describe_kinesis, describe_kinesis_rows);
static const struct api_member kinesis_rows[] = {
    {"TableName", &table_in_list, true},
    {"StreamArn", &stream_arn, true},
};
INPUT(api_shape_kinesis, kinesis_rows);

/* ---- tags --------------------------------------------------------------------------------- */

static const struct api_member tag_resource_rows[] = {
    {"ResourceArn", &text, false}, /* missing: a text of its own (operations.md §9) */
    {"Tags", &tags, true},
};
INPUT(api_shape_tag_resource, tag_resource_rows);

static const struct api_type tag_keys = LIST(tag_key, 0, 0);
static const struct api_member untag_resource_rows[] = {
    {"ResourceArn", &text, false},
    {"TagKeys", &tag_keys, true},
};
INPUT(api_shape_untag_resource, untag_resource_rows);

static const struct api_member list_tags_rows[] = {
    {"ResourceArn", &text, false},
    {"NextToken", &text, false},
};
INPUT(api_shape_list_tags_of_resource, list_tags_rows);

const struct api_type api_shape_empty = {.kind = API_STRUCTURE, .java = ""};

/* ---- our extensions ----------------------------------------------------------------------- */

static const struct api_member where_rows[] = {
    {"TableName", &table, true},
    {"IndexName", &name, false},
    {"Key", &value_map, true},
};
INPUT(api_shape_pksk_where, where_rows);

static const struct api_member collections_rows[] = {
    {"TableName", &table, true},
    {"IndexName", &name, false},
    {"Top", &limit, false},
};
INPUT(api_shape_pksk_collections, collections_rows);

static const struct api_member sample_rows[] = {
    {"TableName", &table, true},
    {"HashKey", &value, false},
    {"Limit", &limit, false},
};
INPUT(api_shape_pksk_sample, sample_rows);

static const struct api_member pksk_table_rows[] = {{"TableName", &table, true}};
INPUT(api_shape_pksk_table, pksk_table_rows);

static const struct api_member set_traffic_rows[] = {
    {"Name", &text, true},
    {"Rate", &text, false},
    {"Skew", &text, false},
};
INPUT(api_shape_pksk_set_traffic, set_traffic_rows);

static const struct api_member stop_traffic_rows[] = {{"Name", &text, false}};
INPUT(api_shape_pksk_stop_traffic, stop_traffic_rows);

static const struct api_member attachment_rows[] = {
    {"TableName", &table, true},
    {"Attachment", &text, false},
};
INPUT(api_shape_pksk_attachment, attachment_rows);

static const struct api_member viewport_rows[] = {
    {"TableName", &table, true},      {"IndexName", &name, false},    {"From", &value_map, false},
    {"Backward", &boolean, false},    {"Search", &text_1_255, false}, {"Limit", &limit, false},
    {"PerCollection", &limit, false}, {"Whole", &boolean, false},
};
INPUT(api_shape_pksk_viewport, viewport_rows);

static const struct api_member snapshot_rows[] = {
    {"TableName", &table, false},    {"IndexName", &name, false}, {"History", &not_negative, false},
    {"First", &not_negative, false}, {"Limit", &limit, false},    {"Hot", &not_negative, false},
};
INPUT(api_shape_pksk_snapshot, snapshot_rows);

static const struct api_member tail_rows[] = {
    {"TableName", &table, false}, {"After", &not_negative, false}, {"Limit", &limit, false},
    {"Newest", &boolean, false},  {"Back", &not_negative, false},
};
INPUT(api_shape_pksk_tail, tail_rows);

static const struct api_member target_rows[] = {
    {"Min", &units, true},
    {"Max", &units, true},
    {"Target", &units, true},
};
static const struct api_type target = STRUCTURE(target_rows, "Target");
static const struct api_member autoscale_rows[] = {
    {"TableName", &table, true}, {"IndexName", &name, false}, {"Read", &target, false},
    {"Write", &target, false},   {"Off", &boolean, false},
};
INPUT(api_shape_pksk_autoscale, autoscale_rows);
