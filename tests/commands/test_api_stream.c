/* Streams and TTL on the API: whole answers, pages, and what becomes of an iterator. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/api_fixture.h"

struct fixture {
    struct api_fixture api;
    char iterator[2049];
};

#define LABEL    "2100-01-01T12:00:00.000"
#define ARN      "arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/" LABEL
#define ZEROS    "0000000000000000000"
#define SHARD(n) "shardId-00000004102488000000-0000000" n

static void make_table(struct fixture *it, const char *view)
{
    char request[512];

    snprintf(request, sizeof(request),
             "{\"TableName\":\"Tab\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
             "{\"AttributeName\":\"p\",\"AttributeType\":\"S\"},{\"AttributeName\":\"r\","
             "\"AttributeType\":\"N\"}],\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":"
             "\"HASH\"},{\"AttributeName\":\"r\",\"KeyType\":\"RANGE\"}],\"StreamSpecification\":{"
             "\"StreamEnabled\":true,\"StreamViewType\":\"%s\"}}",
             view);
    api_must(&it->api, "CreateTable", request);
}

static void take_iterator(struct fixture *it, const char *member)
{
    cJSON *answer = cJSON_Parse(it->api.response.body.data);
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(answer, member);

    cr_assert(cJSON_IsString(text), "%s", it->api.response.body.data);
    snprintf(it->iterator, sizeof(it->iterator), "%s", text->valuestring);
    cJSON_Delete(answer);
}

static void begin_at(struct fixture *it, const char *shard, const char *type)
{
    char request[512];

    snprintf(request, sizeof(request),
             "{\"StreamArn\":\"" ARN "\",\"ShardId\":\"%s\",\"ShardIteratorType\":\"%s\"}", shard,
             type);
    api_must(&it->api, "GetShardIterator", request);
    take_iterator(it, "ShardIterator");
}

/* The answer's Records; the iterator moves on. */
static const char *records(struct fixture *it)
{
    static char text[4096];
    char request[2200];
    cJSON *answer;
    char *printed;

    snprintf(request, sizeof(request), "{\"ShardIterator\":\"%s\"}", it->iterator);
    api_must(&it->api, "GetRecords", request);
    answer = cJSON_Parse(it->api.response.body.data);
    printed = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(answer, "Records"));
    snprintf(text, sizeof(text), "%s", printed);
    cJSON_free(printed);
    if (cJSON_GetObjectItemCaseSensitive(answer, "NextShardIterator") != NULL)
        take_iterator(it, "NextShardIterator");
    else
        it->iterator[0] = '\0';
    cJSON_Delete(answer);
    return text;
}

/* Everything but the event's id, which is a hash. */
static void expect_record(const char *text, const char *rest)
{
    static const char head[] = "[{\"eventID\":\"";

    cr_assert(strncmp(text, head, strlen(head)) == 0, "%s", text);
    cr_assert_eq(strspn(text + strlen(head), "0123456789abcdef"), 32, "%s", text);
    cr_expect_str_eq(text + strlen(head) + 32, rest);
}

#define EVENT(name)                                                                                \
    "\",\"eventName\":\"" name                                                                     \
    "\",\"eventVersion\":\"1.1\",\"eventSource\":\"aws:dynamodb\",\"awsRegion\":\"us-east-1\","    \
    "\"dynamodb\":{\"ApproximateCreationDateTime\":"
#define KEYS ",\"Keys\":{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"}}"

Test(api_stream, records)
{
    struct fixture it = {.iterator = ""};

    api_open(&it.api);
    make_table(&it, "NEW_AND_OLD_IMAGES");
    begin_at(&it, SHARD("4"), "TRIM_HORIZON");
    api_must(
        &it.api, "PutItem",
        "{\"TableName\":\"Tab\",\"Item\":{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"},\"e\":{\"N\":"
        "\"1\"}}}");
    expect_record(
        records(&it),
        EVENT(
            "INSERT") "4102488000" KEYS
                      ",\"NewImage\":{\"e\":{\"N\":\"1\"},\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"}},"
                      "\"SequenceNumber\":\"100000000000000000001\",\"SizeBytes\":13,"
                      "\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"}}]");
    api_must(
        &it.api, "PutItem",
        "{\"TableName\":\"Tab\",\"Item\":{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"},\"e\":{\"N\":"
        "\"2\"}}}");
    expect_record(
        records(&it),
        EVENT(
            "MODIFY") "4102488000" KEYS
                      ",\"NewImage\":{\"e\":{\"N\":\"2\"},\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"}},"
                      "\"OldImage\":{\"e\":{\"N\":\"1\"},\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"}},"
                      "\"SequenceNumber\":\"100000000000000000002\",\"SizeBytes\":21,"
                      "\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"}}]");
    cr_assert_str_eq(records(&it), "[]");
    api_close(&it.api);
}

/* The sequence that DescribeStream names is good before a record has it, and the first record is
 * read from there, after it too. */
Test(api_stream, sequence_of_an_empty_shard)
{
    static const char *const types[] = {"AT_SEQUENCE_NUMBER\",\"SequenceNumber\":\"1" ZEROS "1",
                                        "AFTER_SEQUENCE_NUMBER\",\"SequenceNumber\":\"1" ZEROS "1"};

    for (size_t i = 0; i < 2; i++) {
        struct fixture it = {.iterator = ""};

        api_open(&it.api);
        make_table(&it, "KEYS_ONLY");
        begin_at(&it, SHARD("4"), types[i]);
        api_must(&it.api, "PutItem",
                 "{\"TableName\":\"Tab\",\"Item\":{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"}}}");
        expect_record(records(&it),
                      EVENT("INSERT") "4102488000" KEYS ",\"SequenceNumber\":\"1" ZEROS
                                      "1\",\"SizeBytes\":5,\"StreamViewType\":"
                                      "\"KEYS_ONLY\"}}]");
        (void)api_ask(
            &it.api, "GetShardIterator",
            "{\"StreamArn\":\"" ARN "\",\"ShardId\":\"" SHARD(
                "4") "\","
                     "\"ShardIteratorType\":\"AT_SEQUENCE_NUMBER\",\"SequenceNumber\":\"1" ZEROS
                     "2\"}");
        cr_expect_eq(it.api.response.http, 400);
        api_close(&it.api);
    }
}

/* A deletion by TTL names who did it. */
Test(api_stream, expired)
{
    struct fixture it = {.iterator = ""};
    struct pk_call call_ = {0};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;

    api_open(&it.api);
    make_table(&it, "KEYS_ONLY");
    api_must(
        &it.api, "UpdateTimeToLive",
        "{\"TableName\":\"Tab\",\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":"
        "\"e\"}}");
    api_must(
        &it.api, "PutItem",
        "{\"TableName\":\"Tab\",\"Item\":{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"},\"e\":{\"N\":"
        "\"4102488010\"}}}");
    begin_at(&it, SHARD("4"), "LATEST");
    call_.arena = &arena;
    cr_assert_eq(
        pk_engine_advance(it.api.engine, &call_, INT64_C(4102488010000) + 48 * 3600000, &err),
        PK_OK);
    begin_at(&it, SHARD("4"), "TRIM_HORIZON");
    expect_record(
        records(&it),
        EVENT("REMOVE") "4102660810" KEYS
                        ",\"SequenceNumber\":\"100000000000000000002\",\"SizeBytes\":5,"
                        "\"StreamViewType\":\"KEYS_ONLY\"},\"userIdentity\":{\"PrincipalId\":"
                        "\"dynamodb.amazonaws.com\",\"Type\":\"Service\"}}]");
    pk_arena_release(&arena);
    api_close(&it.api);
}

static const struct {
    const char *operation;
    const char *request;
    const char *answer;
} pages[] = {
    {"ListStreams", "{}",
     "{\"Streams\":[{\"StreamArn\":\"" ARN "\",\"TableName\":\"Tab\",\"StreamLabel\":\"" LABEL
     "\"}]}"},
    {"ListStreams", "{\"ExclusiveStartStreamArn\":\"" ARN "\"}", "{\"Streams\":[]}"},
    {"DescribeStream", "{\"StreamArn\":\"" ARN "\",\"Limit\":1}",
     "{\"StreamDescription\":{\"StreamArn\":\"" ARN "\",\"StreamLabel\":\"" LABEL
     "\",\"StreamStatus\":\"ENABLED\",\"StreamViewType\":\"NEW_IMAGE\","
     "\"CreationRequestDateTime\":4102488000.0,\"TableName\":\"Tab\",\"KeySchema\":["
     "{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"r\",\"KeyType\":"
     "\"RANGE\"}],\"Shards\":[{\"ShardId\":\"" SHARD(
         "1") "\",\"SequenceNumberRange\":{"
              "\"StartingSequenceNumber\":\"100000000000000000001\"}}],\"LastEvaluatedShardId\":"
              "\"" SHARD("1") "\"}}"},
    {"DescribeStream", "{\"StreamArn\":\"" ARN "\",\"ExclusiveStartShardId\":\"" SHARD("3") "\"}",
     "{\"StreamDescription\":{\"StreamArn\":\"" ARN "\",\"StreamLabel\":\"" LABEL
     "\",\"StreamStatus\":\"ENABLED\",\"StreamViewType\":\"NEW_IMAGE\","
     "\"CreationRequestDateTime\":4102488000.0,\"TableName\":\"Tab\",\"KeySchema\":["
     "{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"r\",\"KeyType\":"
     "\"RANGE\"}],\"Shards\":[{\"ShardId\":\"" SHARD(
         "4") "\",\"SequenceNumberRange\":{"
              "\"StartingSequenceNumber\":\"100000000000000000001\"}}]}}"},
    {"DescribeStream",
     "{\"StreamArn\":\"" ARN
     "\",\"ShardFilter\":{\"Type\":\"CHILD_SHARDS\",\"ShardId\":\"" SHARD("1") "\"}}",
     "{\"StreamDescription\":{\"StreamArn\":\"" ARN "\",\"StreamLabel\":\"" LABEL
     "\",\"StreamStatus\":\"ENABLED\",\"StreamViewType\":\"NEW_IMAGE\","
     "\"CreationRequestDateTime\":4102488000.0,\"TableName\":\"Tab\",\"KeySchema\":["
     "{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"r\",\"KeyType\":"
     "\"RANGE\"}],\"Shards\":[]}}"},
};

Test(api_stream, pages)
{
    struct fixture it = {.iterator = ""};

    api_open(&it.api);
    make_table(&it, "NEW_IMAGE");
    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
        cr_expect_str_eq(api_ask(&it.api, pages[i].operation, pages[i].request), pages[i].answer,
                         "%s", pages[i].request);
    api_close(&it.api);
}

/* Disabled: the shard ends, and so does its iterator. Expired: the error of that name. */
Test(api_stream, ends)
{
    struct fixture it = {.iterator = ""};
    char request[2200];

    api_open(&it.api);
    make_table(&it, "KEYS_ONLY");
    api_must(&it.api, "PutItem",
             "{\"TableName\":\"Tab\",\"Item\":{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"}}}");
    begin_at(&it, SHARD("4"), "TRIM_HORIZON");
    api_must(&it.api, "UpdateTable",
             "{\"TableName\":\"Tab\",\"StreamSpecification\":{\"StreamEnabled\":false}}");
    cr_assert_not_null(strstr(api_ask(&it.api, "DescribeTable", "{\"TableName\":\"Tab\"}"),
                              "\"LatestStreamArn\":\"" ARN "\""));
    cr_assert_null(strstr(it.api.response.body.data, "StreamSpecification"));
    cr_assert_not_null(strstr(api_ask(&it.api, "DescribeStream", "{\"StreamArn\":\"" ARN "\"}"),
                              "\"StreamStatus\":\"DISABLED\""));
    cr_assert_not_null(strstr(it.api.response.body.data, "\"EndingSequenceNumber\""));
    snprintf(request, sizeof(request), "{\"ShardIterator\":\"%s\"}", it.iterator);
    cr_assert_neq(*records(&it), '\0');
    cr_assert_str_eq(it.iterator, "");
    cr_assert(pk_clock_set(pk_engine_clock(it.api.engine), INT64_C(4102488900001)));
    cr_assert_str_eq(api_ask(&it.api, "GetRecords", request),
                     "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ExpiredIteratorException\","
                     "\"message\":\"The provided iterator exceeds the maximum age allowed.\"}");
    api_close(&it.api);
}
