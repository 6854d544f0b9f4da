#include "tests/bench/http/http_requests.h"

#include <stdlib.h>

#define KEY  "\"PK\":{\"S\":\"USER#@@@@@@@\"},\"SK\":{\"S\":\"ORDER#^^^^\"}"
#define USER "USER#@@@@@@@"

/* PK and SK, score and the name of body: what an item has besides its text. */
enum { ITEM_REST = 2 + 12 + 2 + 10 + 5 + 5 + 4 };

/* A page of 1 MB ends within a collection of 1 KB items, and so does Scan's with the small ones. */
const struct bench_table bench_small = {"small", 's', 200, 100};
const struct bench_table bench_large = {"large", 'l', 1024, 1100};

void bench_payload(char *to, size_t len)
{
    unsigned state = 1;

    for (size_t i = 0; i < len; i++) {
        state = state * 1103515245u + 12345u;
        to[i] = (char)('a' + (i % 2 == 0 ? (state >> 16) % 26 : 0));
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void add_item(struct pk_buf *out, const struct bench_table *table)
{
    size_t len = table->item_bytes - ITEM_REST;

    pk_buf_add_cstr(out, "{" KEY ",\"score\":{\"N\":\"1~~~~~~~\"},\"body\":{\"S\":\"");
    bench_payload(pk_buf_reserve(out, len), len);
    out->len += len;
    pk_buf_add_cstr(out, "\"}}");
}

static void add_put(struct pk_buf *out, const struct bench_table *table)
{
    pk_buf_printf(out, "{\"TableName\":\"%s\",\"Item\":", table->name);
    add_item(out, table);
    pk_buf_add_byte(out, '}');
}

static void add_get(struct pk_buf *out, const struct bench_table *table)
{
    pk_buf_printf(out, "{\"TableName\":\"%s\",\"Key\":{" KEY "}}", table->name);
}

static void add_update_members(struct pk_buf *out, const struct bench_table *table)
{
    pk_buf_printf(out,
                  "{\"TableName\":\"%s\",\"Key\":{" KEY "},"
                  "\"UpdateExpression\":\"SET score = score + :n\","
                  "\"ConditionExpression\":\"attribute_exists(PK) AND score >= :z\","
                  "\"ExpressionAttributeValues\":{\":n\":{\"N\":\"1\"},\":z\":{\"N\":\"0\"}}}",
                  table->name);
}

static void add_query(struct pk_buf *out, const struct bench_table *table)
{
    pk_buf_printf(out,
                  "{\"TableName\":\"%s\",\"KeyConditionExpression\":\"PK = :p\","
                  "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"" USER "\"}}}",
                  table->name);
}

static void add_scan(struct pk_buf *out, const struct bench_table *table)
{
    pk_buf_printf(out, "{\"TableName\":\"%s\"}", table->name);
}

static void add_batch(struct pk_buf *out, const struct bench_table *table)
{
    pk_buf_printf(out, "{\"RequestItems\":{\"%s\":[", table->name);
    for (size_t i = 0; i < REQUESTS_BATCH; i++) {
        pk_buf_add_cstr(out, i == 0 ? "{\"PutRequest\":{\"Item\":" : ",{\"PutRequest\":{\"Item\":");
        add_item(out, table);
        pk_buf_add_cstr(out, "}}");
    }
    pk_buf_add_cstr(out, "]}}");
}

static void add_transaction(struct pk_buf *out, const struct bench_table *table)
{
    pk_buf_add_cstr(out, "{\"TransactItems\":[");
    for (size_t i = 0; i < 4; i++) {
        pk_buf_add_cstr(out, i == 0 ? "{" : ",{");
        if (i % 2 == 0) {
            pk_buf_add_cstr(out, "\"Put\":");
            add_put(out, table);
        } else {
            pk_buf_add_cstr(out, "\"Update\":");
            add_update_members(out, table);
        }
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_cstr(out, "]}");
}

static void add_statement(struct pk_buf *out, const struct bench_table *table)
{
    pk_buf_printf(out,
                  "{\"Statement\":\"SELECT * FROM %s WHERE PK=? AND SK=?\","
                  "\"Parameters\":[{\"S\":\"" USER "\"},{\"S\":\"ORDER#^^^^\"}]}",
                  table->name);
}

/* The rows of a page of 1 MB: a page ends with the item that reaches it. */
enum { SMALL_PAGE = 5243, LARGE_PAGE = 1024 };

/* Reads first: they find both stores as they were loaded, not with as many old versions of a row as
 * each side came to write. */
const struct bench_operation bench_operations[] = {
    {"GetItem", "GetItem", &bench_small, add_get, {.gets = 1}, 1.8, 12},
    {"ExecuteStatement", "ExecuteStatement", &bench_small, add_statement, {.gets = 1}, 0, 0},
    {"Query 100 items", "Query", &bench_small, add_query, {.rows = 100}, 0, 15},
    {"Query 1 MB", "Query", &bench_large, add_query, {.rows = LARGE_PAGE}, 3, 0},
    {"Scan 1 MB", "Scan", &bench_small, add_scan, {.rows = SMALL_PAGE}, 0, 12},
    {"PutItem 200 B", "PutItem", &bench_small, add_put, {.gets = 1, .puts = 1}, 1.8, 8},
    {"PutItem 1 KB", "PutItem", &bench_large, add_put, {.gets = 1, .puts = 1}, 1.8, 0},
    {"UpdateItem, condition",
     "UpdateItem",
     &bench_small,
     add_update_members,
     {.gets = 1, .puts = 1},
     1.8,
     8},
    {"BatchWriteItem 25",
     "BatchWriteItem",
     &bench_small,
     add_batch,
     {.gets = REQUESTS_BATCH, .puts = REQUESTS_BATCH},
     0,
     8},
    {"TransactWriteItems 4",
     "TransactWriteItems",
     &bench_small,
     add_transaction,
     {.gets = 4, .puts = 4, .one_batch = true},
     0,
     0},
};
const size_t bench_operation_count = sizeof(bench_operations) / sizeof(bench_operations[0]);

/* ---- requests -------------------------------------------------------------------------------- */

/* The headers are those that an SDK sends, of the same length. Takes the body. */
static char *request_take(const char *target, struct pk_buf *body)
{
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_printf(
        &out,
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nAccept-Encoding: identity\r\n"
        "X-Amz-Target: DynamoDB_20120810.%s\r\n"
        "Content-Type: application/x-amz-json-1.0\r\n"
        "User-Agent: Boto3/1.26.27 Python/3.11.2 Linux/6.1.0-13-amd64 Botocore/1.29.27\r\n"
        "X-Amz-Date: 20260102T030405Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 "
        "Credential=AKIDEXAMPLE/20260102/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature="
        "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7\r\n"
        "amz-sdk-invocation-id: 8f2b4f2e-6a0f-4f5e-9f5c-0d6c1c1d2e3f\r\n"
        "amz-sdk-request: attempt=1\r\nContent-Length: %zu\r\n\r\n",
        target, body->len);
    pk_buf_add(&out, pk_buf_slice(body));
    pk_buf_release(body);
    return pk_buf_detach(&out);
}

char *bench_request(const struct bench_operation *operation)
{
    struct pk_buf body = PK_BUF_INIT;

    operation->add_body(&body, operation->table);
    return request_take(operation->target, &body);
}

char *bench_request_load(const struct bench_table *table)
{
    struct pk_buf body = PK_BUF_INIT;

    add_batch(&body, table);
    return request_take("BatchWriteItem", &body);
}

char *bench_request_create(const struct bench_table *table)
{
    struct pk_buf body = PK_BUF_INIT;

    pk_buf_printf(&body,
                  "{\"TableName\":\"%s\",\"BillingMode\":\"PAY_PER_REQUEST\","
                  "\"KeySchema\":[{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"},"
                  "{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],\"AttributeDefinitions\":"
                  "[{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"},"
                  "{\"AttributeName\":\"SK\",\"AttributeType\":\"S\"}]}",
                  table->name);
    return request_take("CreateTable", &body);
}
