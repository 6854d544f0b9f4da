/*
 * Whole responses, byte by byte: error bodies with namespace and spelling, descriptions, our own
 * operations, and what stands beside a response (facts, span, hint).
 *
 * What AWS answers to which request is tested/vectors' business (test_vectors.c).
 */
#include <criterion/criterion.h>

#include "tests/support/api_fixture.h"

static const struct cmd_response *call(struct api_fixture *it, const char *op, const char *request)
{
    (void)api_ask(it, op, request);
    return &it->response;
}

#define MUSIC                                                                                      \
    "{\"TableName\":\"Music\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":"       \
    "[{\"AttributeName\":\"p\",\"AttributeType\":\"S\"},"                                          \
    "{\"AttributeName\":\"r\",\"AttributeType\":\"N\"}],\"KeySchema\":"                            \
    "[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},"                                             \
    "{\"AttributeName\":\"r\",\"KeyType\":\"RANGE\"}]}"
#define ITEM "{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"},\"v\":{\"S\":\"old\"}}"
#define KEY  "{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"}}"

/* ---- bodies ------------------------------------------------------------------------------- */

static const struct body {
    const char *op;
    const char *request;
    int http;
    const char *body;
} bodies[] = {
    {"GetItem", "{\"TableName\":\"Music\",\"Key\":" KEY "}", 200, "{\"Item\":" ITEM "}"},
    {"GetItem", "{\"TableName\":\"Music\",\"Key\":" KEY ",\"ReturnConsumedCapacity\":\"TOTAL\"}",
     200,
     "{\"Item\":" ITEM ",\"ConsumedCapacity\":{\"TableName\":\"Music\",\"CapacityUnits\":0.5}}"},
    {"Query",
     "{\"TableName\":\"Music\",\"KeyConditionExpression\":\"p = :p\","
     "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"k\"}},\"Limit\":1}",
     200, "{\"Items\":[" ITEM "],\"Count\":1,\"ScannedCount\":1,\"LastEvaluatedKey\":" KEY "}"},
    {"Scan", "{\"TableName\":\"Music\",\"Select\":\"COUNT\"}", 200,
     "{\"Count\":1,\"ScannedCount\":1}"},
    {"Nope", "{}", 400, "{\"__type\":\"com.amazon.coral.service#UnknownOperationException\"}"},
    {"GetItem", "{", 400, "{\"__type\":\"com.amazon.coral.service#SerializationException\"}"},
    {"GetItem", "{\"TableName\":5}", 400,
     "{\"__type\":\"com.amazon.coral.service#SerializationException\","
     "\"Message\":\"NUMBER_VALUE cannot be converted to String\"}"},
    {"PutItem", "{\"TableName\":\"Music\",\"Item\":" ITEM ",\"ConditionExpression\":\"a = 5\"}",
     400,
     "{\"__type\":\"com.amazon.coral.validate#ValidationException\",\"message\":"
     "\"Invalid ConditionExpression: Syntax error; token: \\\"5\\\", near: \\\"= 5\\\"\"}"},
    {"GetItem", "{\"TableName\":\"None\",\"Key\":" KEY "}", 400,
     "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException\","
     "\"message\":\"Requested resource not found\"}"},
    {"DeleteItem",
     "{\"TableName\":\"Music\",\"Key\":" KEY ",\"ConditionExpression\":\"attribute_not_exists(p)\","
     "\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"}",
     400,
     "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\","
     "\"message\":\"The conditional request failed\",\"Item\":" ITEM "}"},
    {"TransactWriteItems",
     "{\"TransactItems\":[{\"Put\":{\"TableName\":\"Music\",\"Item\":{\"p\":{\"S\":\"n\"},"
     "\"r\":{\"N\":\"1\"}}}},{\"Delete\":{\"TableName\":\"Music\",\"Key\":" KEY
     ",\"ConditionExpression\":\"v = r\",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"}}]}",
     400,
     "{\"__type\":\"com.amazonaws.dynamodb.v20120810#TransactionCanceledException\","
     "\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"ConditionalCheckFailed\","
     "\"Message\":\"The conditional request failed\",\"Item\":" ITEM "}],"
     "\"Message\":\"Transaction cancelled, please refer cancellation reasons for specific reasons "
     "[None, ConditionalCheckFailed]\"}"},
    {"CreateTable", MUSIC, 400,
     "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ResourceInUseException\","
     "\"message\":\"Table already exists: Music\"}"},
    {"TransactWriteItems",
     "{\"ClientRequestToken\":\"t\",\"TransactItems\":[{\"Put\":{\"TableName\":\"Music\","
     "\"Item\":" ITEM "}}]}",
     200, "{}"},
    {"TransactWriteItems",
     "{\"TransactItems\":[{\"Put\":{\"Item\":" ITEM ",\"TableName\":\"Music\"}}],"
     "\"ClientRequestToken\":\"t\",\"ReturnConsumedCapacity\":\"TOTAL\"}",
     200,
     "{\"ConsumedCapacity\":[{\"TableName\":\"Music\",\"CapacityUnits\":2.0,"
     "\"ReadCapacityUnits\":2.0}]}"},
    {"TransactWriteItems",
     "{\"ClientRequestToken\":\"t\",\"TransactItems\":[{\"Delete\":{\"TableName\":\"Music\","
     "\"Key\":" KEY "}}]}",
     400,
     "{\"__type\":\"com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException\","
     "\"Message\":\"\"}"},
    {"DescribeEndpoints", "{}", 200,
     "{\"Endpoints\":[{\"Address\":\"localhost\",\"CachePeriodInMinutes\":1440}]}"},
};

Test(api_messages, bodies)
{
    struct api_fixture it;

    api_open(&it);
    api_must(&it, "CreateTable", MUSIC);
    api_must(&it, "PutItem", "{\"TableName\":\"Music\",\"Item\":" ITEM "}");
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        const struct cmd_response *response = call(&it, bodies[i].op, bodies[i].request);

        cr_expect_eq(response->http, bodies[i].http, "row %zu", i);
        cr_expect_str_eq(response->body.data, bodies[i].body,
                         "row %zu, %s\n  wanted %s\n  got    %s", i, bodies[i].op, bodies[i].body,
                         response->body.data);
        cr_expect_eq(response->code == PK_OK, response->http == 200);
    }
    api_close(&it);
}

Test(api_messages, too_large_a_body_is_413_without_json)
{
    struct api_fixture it;
    size_t size = 16 * 1024 * 1024 + 1;
    char *body = pk_malloc(size);

    memset(body, ' ', size);
    api_open(&it);
    it.backend->ops->call(it.backend, PK_LIT("GetItem"), (pk_slice){body, size}, NULL,
                          &it.response);
    cr_expect_eq(it.response.http, 413);
    cr_expect_eq(it.response.code, PK_E_SERIALIZATION);
    cr_expect_eq(it.response.body.len, 0);
    api_close(&it);
    free(body);
}

/* ---- a reply that is too large ------------------------------------------------------------ */

enum { LARGE_ITEMS = 45, LARGE_RETURNED = 43, LARGE_BYTES = 390000 };

/* Items k10, k11, … of table Large, each of so many bytes. */
static void put_large_items(struct api_fixture *it)
{
    struct pk_buf request = PK_BUF_INIT;
    size_t text = LARGE_BYTES - strlen("p") - strlen("k10") - strlen("v");

    api_must(
        it, "CreateTable",
        "{\"TableName\":\"Large\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":"
        "[{\"AttributeName\":\"p\",\"AttributeType\":\"S\"}],\"KeySchema\":"
        "[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}]}");
    for (unsigned i = 10; i < 10 + LARGE_ITEMS; i++) {
        pk_buf_clear(&request);
        pk_buf_printf(&request,
                      "{\"TableName\":\"Large\",\"Item\":{\"p\":{\"S\":\"k%u\"},\"v\":{\"S\":\"",
                      i);
        memset(pk_buf_reserve(&request, text), 'x', text);
        request.len += text;
        pk_buf_add_cstr(&request, "\"}}}");
        api_must(it, "PutItem", request.data);
    }
    pk_buf_release(&request);
}

static size_t count_texts(const char *text, const char *word)
{
    size_t count = 0;

    while ((text = strstr(text, word)) != NULL) {
        text += strlen(word);
        count++;
    }
    return count;
}

Test(api_messages, batch_get_leaves_out_what_passes_16_mb)
{
    static const char left[] =
        "\"UnprocessedKeys\":{\"Large\":{\"ConsistentRead\":true,\"ExpressionAttributeNames\":"
        "{\"#p\":\"p\"},\"ProjectionExpression\":\"#p\",\"Keys\":[{\"p\":{\"S\":\"k53\"}},"
        "{\"p\":{\"S\":\"k54\"}}]}}}";
    struct api_fixture it;
    struct pk_buf request = PK_BUF_INIT;
    const char *unprocessed;

    api_open(&it);
    put_large_items(&it);
    pk_buf_add_cstr(&request, "{\"RequestItems\":{\"Large\":{\"ProjectionExpression\":\"#p\","
                              "\"ConsistentRead\":true,\"ExpressionAttributeNames\":{\"#p\":"
                              "\"p\"},\"Keys\":[");
    for (unsigned i = 10; i < 10 + LARGE_ITEMS; i++)
        pk_buf_printf(&request, "%s{\"p\":{\"S\":\"k%u\"}}", i == 10 ? "" : ",", i);
    pk_buf_add_cstr(&request, "]}}}");
    api_must(&it, "BatchGetItem", request.data);
    unprocessed = strstr(it.response.body.data, "\"UnprocessedKeys\"");
    cr_assert_not_null(unprocessed);
    cr_expect_str_eq(unprocessed, left);
    cr_expect_eq(count_texts(it.response.body.data, "{\"p\":{\"S\":"), LARGE_ITEMS);
    cr_expect_eq(count_texts(unprocessed, "{\"p\":{\"S\":"), LARGE_ITEMS - LARGE_RETURNED);
    pk_buf_release(&request);
    api_close(&it);
}

/* ---- beside the response ------------------------------------------------------------------ */

static const struct place {
    const char *request; /* of UpdateItem or Query, after the table's name */
    const char *op;
    enum pk_expr_use use;
    uint32_t start, len;
} places[] = {
    {"\"Key\":" KEY ",\"UpdateExpression\":\"SET v = 5\"", "UpdateItem", PK_EXPR_UPDATE, 8, 1},
    {"\"Key\":" KEY ",\"UpdateExpression\":\"REMOVE v\",\"ConditionExpression\":\"v == v\"",
     "UpdateItem", PK_EXPR_CONDITION, 3, 1},
    {"\"KeyConditionExpression\":\"p = 1\"", "Query", PK_EXPR_KEY_CONDITION, 4, 1},
    {"\"KeyConditionExpression\":\"p = :p\",\"ExpressionAttributeValues\":{\":p\":{\"S\":\"k\"}},"
     "\"ProjectionExpression\":\"v, ,r\"",
     "Query", PK_EXPR_PROJECTION, 3, 1},
};

Test(api_messages, place_of_a_fault)
{
    struct api_fixture it;

    api_open(&it);
    api_must(&it, "CreateTable", MUSIC);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct pk_buf request = PK_BUF_INIT;
        const struct cmd_response *response;

        pk_buf_printf(&request, "{\"TableName\":\"Music\",%s}", places[i].request);
        response = call(&it, places[i].op, request.data);
        cr_expect(response->has_span, "row %zu: %s", i, response->body.data);
        cr_expect_eq(response->use, places[i].use, "row %zu", i);
        cr_expect_eq(response->span.start, places[i].start, "row %zu: %u", i, response->span.start);
        cr_expect_eq(response->span.len, places[i].len, "row %zu: %u", i, response->span.len);
        pk_buf_release(&request);
    }
    api_close(&it);
}

Test(api_messages, facts_and_hint)
{
    struct api_fixture it;
    const struct cmd_response *response;

    api_open(&it);
    api_must(&it, "CreateTable", MUSIC);
    api_must(&it, "PutItem", "{\"TableName\":\"Music\",\"Item\":" ITEM "}");
    response = call(&it, "GetItem", "{\"TableName\":\"Music\",\"Key\":" KEY "}");
    cr_expect(response->has_facts);
    cr_expect_eq(response->facts.items_read, 1);
    cr_expect_eq(response->facts.items_returned, 1);
    cr_expect_eq(response->facts.bytes, 9); /* p k, r 1, v old: 2 + 3 + 4 */
    cr_expect_gt(response->facts.partition_count, 0);
    response = call(&it, "GetItem", "{\"a\":1,\"a\":2}");
    cr_expect_str_eq(response->hint, "the request has the member 'a' twice");
    api_close(&it);
}

Test(api_messages, cancel)
{
    struct api_fixture it;
    atomic_bool cancel;

    atomic_init(&cancel, true);
    api_open(&it);
    api_must(&it, "CreateTable", MUSIC);
    api_must(&it, "PutItem", "{\"TableName\":\"Music\",\"Item\":" ITEM "}");
    cmd_response_release(&it.response);
    it.backend->ops->call(it.backend, PK_LIT("Scan"), PK_LIT("{\"TableName\":\"Music\"}"), &cancel,
                          &it.response);
    cr_expect_eq(it.response.code, PK_E_CANCELLED, "%s", it.response.body.data);
    api_close(&it);
}

/* ---- descriptions ------------------------------------------------------------------------- */

#define THROUGHPUT(read, write)                                                                    \
    "\"ProvisionedThroughput\":{\"NumberOfDecreasesToday\":0,\"ReadCapacityUnits\":" read          \
    ",\"WriteCapacityUnits\":" write "}"
#define ARN "\"arn:aws:dynamodb:us-east-1:000000000000:table/Orders"

static const char orders[] =
    "{\"TableName\":\"Orders\",\"AttributeDefinitions\":["
    "{\"AttributeName\":\"p\",\"AttributeType\":\"S\"},"
    "{\"AttributeName\":\"r\",\"AttributeType\":\"N\"},"
    "{\"AttributeName\":\"d\",\"AttributeType\":\"B\"}],"
    "\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},"
    "{\"AttributeName\":\"r\",\"KeyType\":\"RANGE\"}],"
    "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":6},"
    "\"LocalSecondaryIndexes\":[{\"IndexName\":\"byDate\",\"KeySchema\":"
    "[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"d\",\"KeyType\":"
    "\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"x\"]}}],"
    "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"global\",\"KeySchema\":"
    "[{\"AttributeName\":\"d\",\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"ALL\"},"
    "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":7,\"WriteCapacityUnits\":8}}],"
    "\"TableClass\":\"STANDARD\",\"DeletionProtectionEnabled\":true,"
    "\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":\"NEW_IMAGE\"}}";

static const char described[] =
    "\"AttributeDefinitions\":["
    "{\"AttributeName\":\"p\",\"AttributeType\":\"S\"},"
    "{\"AttributeName\":\"r\",\"AttributeType\":\"N\"},"
    "{\"AttributeName\":\"d\",\"AttributeType\":\"B\"}],\"TableName\":\"Orders\","
    "\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},"
    "{\"AttributeName\":\"r\",\"KeyType\":\"RANGE\"}],\"TableStatus\":\"%s\","
    "\"CreationDateTime\":4102488000.0," THROUGHPUT("5", "6") ",\"TableSizeBytes\":0,"
                                                              "\"ItemCount\":0,\"TableArn\":" ARN
                                                              "\",\"TableId\":\"";

static const char described_rest[] =
    "\",\"WarmThroughput\":{\"ReadUnitsPerSecond\":5,\"WriteUnitsPerSecond\":6,"
    "\"Status\":\"ACTIVE\"},\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":"
    "\"NEW_IMAGE\"},\"LatestStreamLabel\":\"2100-01-01T12:00:00.000\",\"LatestStreamArn\":" ARN
    "/stream/2100-01-01T12:00:00.000\","
    "\"TableClassSummary\":{\"TableClass\":\"STANDARD\"},"
    "\"LocalSecondaryIndexes\":[{\"IndexName\":\"byDate\",\"KeySchema\":"
    "[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"d\",\"KeyType\":"
    "\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"x\"]},"
    "\"IndexSizeBytes\":0,\"ItemCount\":0,\"IndexArn\":" ARN "/index/byDate\"}],"
    "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"global\",\"KeySchema\":"
    "[{\"AttributeName\":\"d\",\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"ALL\"},"
    "\"IndexSizeBytes\":0,\"ItemCount\":0,\"IndexArn\":" ARN "/index/global\",\"IndexStatus\":"
    "\"%s\"," THROUGHPUT("7", "8") "}],\"DeletionProtectionEnabled\":true}}";

/* The id between the two parts is random, of UUID form. */
static void expect_description(const struct cmd_response *response, const char *member,
                               const char *status)
{
    struct pk_buf head = PK_BUF_INIT;
    struct pk_buf tail = PK_BUF_INIT;
    const size_t id = 36;

    pk_buf_printf(&head, "{\"%s\":{", member);
    pk_buf_printf(&head, described, status);
    pk_buf_printf(&tail, described_rest, status);
    cr_expect_eq(response->body.len, head.len + id + tail.len, "%s", response->body.data);
    cr_expect(pk_slice_starts(pk_buf_slice(&response->body), pk_buf_slice(&head)), "%s",
              response->body.data);
    cr_expect_str_eq(response->body.data + head.len + id, tail.data);
    pk_buf_release(&head);
    pk_buf_release(&tail);
}

Test(api_messages, table_description)
{
    struct api_fixture it;

    api_open(&it);
    expect_description(call(&it, "CreateTable", orders), "TableDescription", "CREATING");
    expect_description(call(&it, "DescribeTable", "{\"TableName\":\"Orders\"}"), "Table", "ACTIVE");
    api_must(&it, "UpdateTable", "{\"TableName\":\"Orders\",\"BillingMode\":\"PAY_PER_REQUEST\"}");
    api_must(&it, "DescribeTable", "{\"TableName\":\"Orders\"}");
    cr_expect_not_null(strstr(it.response.body.data,
                              "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\","
                              "\"LastUpdateToPayPerRequestDateTime\":4102488000.0}"));
    cr_expect_not_null(strstr(it.response.body.data, THROUGHPUT("0", "0")));
    api_must(&it, "UpdateTable", "{\"TableName\":\"Orders\",\"DeletionProtectionEnabled\":false}");
    api_must(&it, "UpdateTable",
             "{\"TableName\":\"Orders\",\"TableClass\":\"STANDARD_INFREQUENT_ACCESS\"}");
    api_must(&it, "DescribeTable", "{\"TableName\":\"Orders\"}");
    cr_expect_not_null(strstr(it.response.body.data,
                              "\"TableClassSummary\":{\"TableClass\":\"STANDARD_INFREQUENT_ACCESS"
                              "\",\"LastUpdateDateTime\":4102488000.0}"));
    api_must(&it, "DeleteTable", "{\"TableName\":\"Orders\"}");
    cr_expect(
        strncmp(it.response.body.data,
                "{\"TableDescription\":{\"TableName\":\"Orders\",\"TableStatus\":\"DELETING\","
                "\"ProvisionedThroughput\":",
                85) == 0,
        "%s", it.response.body.data);
    cr_expect_null(strstr(it.response.body.data, "KeySchema"));
    cr_expect_null(strstr(it.response.body.data, "CreationDateTime"));
    api_close(&it);
}

Test(api_messages, names_of_attribute_updates)
{
    struct pk_buf request = PK_BUF_INIT;
    struct api_fixture it;

    api_open(&it);
    api_must(&it, "CreateTable", MUSIC);
    for (size_t len = 65535; len <= 65536; len++) {
        pk_buf_clear(&request);
        pk_buf_add_cstr(&request,
                        "{\"TableName\":\"Music\",\"Key\":" KEY ",\"AttributeUpdates\":{\"");
        for (size_t i = 0; i < len; i++)
            pk_buf_add_byte(&request, 'n');
        pk_buf_add_cstr(&request, "\":{\"Value\":{\"S\":\"v\"}}}}");
        cr_expect_str_eq(call(&it, "UpdateItem", request.data)->body.data,
                         len == 65535
                             ? "{}"
                             : "{\"__type\":\"com.amazon.coral.validate#ValidationException\","
                               "\"message\":\"Attribute name is too large, must be less than 65536 "
                               "bytes\"}");
    }
    pk_buf_release(&request);
    api_close(&it);
}

/* ---- our own operations ------------------------------------------------------------------- */

static const struct body inside[] = {
    {"Pksk.Where", "{\"TableName\":\"Music\",\"Key\":" KEY "}", 200,
     "{\"Token\":\"de06a156d85e5404\",\"Partition\":3,\"Partitions\":1,\"PartitionCount\":4,"
     "\"PartitionId\":3,"
     "\"FirstToken\":\"c000000000000000\",\"LastToken\":\"ffffffffffffffff\","
     "\"StoredKey\":\"7400000001de06a156d85e5404536b00014ec1430200\",\"Parts\":["
     "{\"Name\":\"space\",\"Hex\":\"74\"},{\"Name\":\"id\",\"Hex\":\"00000001\"},"
     "{\"Name\":\"token\",\"Hex\":\"de06a156d85e5404\"},"
     "{\"Name\":\"key\",\"Hex\":\"536b00014ec1430200\"}]}"},
    {"Pksk.Collections", "{\"TableName\":\"Music\",\"Top\":5}", 200,
     "{\"Collections\":[{\"HashKey\":{\"S\":\"k\"},\"Items\":1,\"Bytes\":9,\"Partition\":3}],"
     "\"Total\":1}"},
    {"Pksk.Sample", "{\"TableName\":\"Music\",\"Limit\":1}", 200, "{\"Items\":[" ITEM "]}"},
    {"Pksk.Sample", "{\"TableName\":\"Music\",\"HashKey\":{\"S\":\"z\"}}", 200, "{\"Items\":[]}"},
    {"Pksk.TableStats", "{\"TableName\":\"Music\"}", 200,
     "{\"Counting\":false,\"Items\":1,\"Bytes\":9,\"Indexes\":[],\"Partitions\":["
     "{\"Items\":0,\"Bytes\":0},{\"Items\":0,\"Bytes\":0},{\"Items\":0,\"Bytes\":0},"
     "{\"Items\":1,\"Bytes\":9}]}"},
    {"Pksk.Check", "{}", 200,
     "{\"Lines\":[],\"Tables\":1,\"Items\":1,\"IndexEntries\":0,\"Backups\":0,\"Bytes\":9,"
     "\"Faults\":0}"},
};

Test(api_messages, looking_inside)
{
    struct api_fixture it;

    api_open(&it);
    api_must(&it, "CreateTable", MUSIC);
    api_must(&it, "PutItem", "{\"TableName\":\"Music\",\"Item\":" ITEM "}");
    for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
        const struct cmd_response *response = call(&it, inside[i].op, inside[i].request);

        cr_expect_eq(response->http, inside[i].http, "row %zu", i);
        cr_expect_str_eq(response->body.data, inside[i].body,
                         "row %zu, %s\n  wanted %s\n  got    %s", i, inside[i].op, inside[i].body,
                         response->body.data);
    }
    api_close(&it);
}
