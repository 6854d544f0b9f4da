/* Backups on the API: whole answers, pages, and a table that comes back. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "commands/backend.h"

struct fixture {
    struct pk_engine *engine;
    struct cmd_backend *backend;
    struct cmd_response response;
};

#define NOON INT64_C(4102488000000) /* 2100-01-01T12:00:00Z, where the clock stands */

static void open_fixture(struct fixture *it)
{
    struct pk_engine_options options = {.memory = true, .no_ticker = true};
    struct pk_error err = PK_ERROR_INIT;

    *it = (struct fixture){.response = CMD_RESPONSE_INIT};
    cr_assert_eq(pk_engine_open(&options, &it->engine, &err), PK_OK);
    pk_clock_pause(pk_engine_clock(it->engine));
    cr_assert(pk_clock_set(pk_engine_clock(it->engine), NOON));
    it->backend = cmd_backend_local_new(it->engine);
}

static void close_fixture(struct fixture *it)
{
    cmd_response_release(&it->response);
    cmd_backend_free(it->backend);
    pk_engine_close(it->engine);
}

static const char *call(struct fixture *it, const char *operation, const char *request)
{
    cmd_response_release(&it->response);
    it->response = (struct cmd_response)CMD_RESPONSE_INIT;
    it->backend->ops->call(it->backend, pk_slice_cstr(operation), pk_slice_cstr(request), NULL,
                           &it->response);
    return it->response.body.data;
}

static void must(struct fixture *it, const char *operation, const char *request)
{
    const char *body = call(it, operation, request);

    cr_assert_eq(it->response.http, 200, "%s: %s", operation, body);
}

#define ARN       "arn:aws:dynamodb:us-east-1:000000000000:table/"
#define BACKUP(n) ARN "Tab/backup/04102488000000-0000000" n
#define ERROR(name, message)                                                                       \
    "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" name "\",\"message\":\"" message "\"}"

static void make_table(struct fixture *it)
{
    must(it, "CreateTable",
         "{\"TableName\":\"Tab\",\"AttributeDefinitions\":[{\"AttributeName\":\"p\","
         "\"AttributeType\":\"S\"},{\"AttributeName\":\"r\",\"AttributeType\":\"N\"},{"
         "\"AttributeName\":\"g\",\"AttributeType\":\"S\"}],\"KeySchema\":[{\"AttributeName\":"
         "\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"r\",\"KeyType\":\"RANGE\"}],"
         "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":7},"
         "\"LocalSecondaryIndexes\":[{\"IndexName\":\"loc\",\"KeySchema\":[{\"AttributeName\":"
         "\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"g\",\"KeyType\":\"RANGE\"}],"
         "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}],"
         "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"glo\",\"KeySchema\":[{\"AttributeName\":"
         "\"g\",\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"INCLUDE\","
         "\"NonKeyAttributes\":[\"x\"]},\"ProvisionedThroughput\":{\"ReadCapacityUnits\":2,"
         "\"WriteCapacityUnits\":3}}],\"StreamSpecification\":{\"StreamEnabled\":true,"
         "\"StreamViewType\":\"NEW_IMAGE\"}}");
    must(it, "UpdateTimeToLive",
         "{\"TableName\":\"Tab\",\"TimeToLiveSpecification\":{\"Enabled\":true,"
         "\"AttributeName\":\"x\"}}");
    must(it, "PutItem",
         "{\"TableName\":\"Tab\",\"Item\":{\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"},"
         "\"g\":{\"S\":\"G\"},\"x\":{\"N\":\"5000000000\"}}}");
}

/* The table's id differs from run to run: the text without it. */
static const char *without_id(char *text)
{
    char *at;

    while ((at = strstr(text, "\"TableId\":\"")) != NULL)
        memmove(at, at + 49, strlen(at + 49) + 1); /* name, 36 characters, comma */
    return text;
}

#define DETAILS(n, name, bytes, status)                                                            \
    "\"BackupArn\":\"" BACKUP(n) "\",\"BackupName\":\"" name "\",\"BackupSizeBytes\":" bytes       \
                                 ",\"BackupStatus\":\"" status                                     \
                                 "\",\"BackupType\":\"USER\",\"BackupCreationDateTime\":"          \
                                 "4102488000.0"
#define DESCRIPTION(status)                                                                        \
    "{\"BackupDescription\":{\"BackupDetails\":{" DETAILS(                                         \
        "4", "daily", "10",                                                                        \
        status) "},\"SourceTableDetails\":{\"TableName\":\"Tab\",\"TableArn\":\"" ARN "Tab\","     \
                "\"TableSizeBytes\":10,\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":"       \
                "\"HASH\"},{"                                                                      \
                "\"AttributeName\":\"r\",\"KeyType\":\"RANGE\"}],\"TableCreationDateTime\":"       \
                "4102488000.0,"                                                                    \
                "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":7},"    \
                "\"ItemCount\":1,\"BillingMode\":\"PROVISIONED\"},\"SourceTableFeatureDetails\":{" \
                "\"LocalSecondaryIndexes\":[{\"IndexName\":\"loc\",\"KeySchema\":[{"               \
                "\"AttributeName\":"                                                               \
                "\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"g\",\"KeyType\":\"RANGE\"}],"    \
                "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}],\"GlobalSecondaryIndexes\":[" \
                "{"                                                                                \
                "\"IndexName\":\"glo\",\"KeySchema\":[{\"AttributeName\":\"g\",\"KeyType\":"       \
                "\"HASH\"}],"                                                                      \
                "\"Projection\":{\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"x\"]},"    \
                "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":2,\"WriteCapacityUnits\":3}}],"  \
                "\"StreamDescription\":{\"StreamEnabled\":true,\"StreamViewType\":\"NEW_IMAGE\"}," \
                "\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLED\",\"AttributeName\":"   \
                "\"x\"}}}}"

Test(api_backup, one)
{
    struct fixture it;

    open_fixture(&it);
    make_table(&it);
    cr_expect_str_eq(call(&it, "CreateBackup", "{\"TableName\":\"Tab\",\"BackupName\":\"daily\"}"),
                     "{\"BackupDetails\":{" DETAILS("4", "daily", "10", "CREATING") "}}");
    call(&it, "DescribeBackup", "{\"BackupArn\":\"" BACKUP("4") "\"}");
    cr_expect_str_eq(without_id(it.response.body.data), DESCRIPTION("AVAILABLE"), "%s",
                     it.response.body.data);
    call(&it, "ListBackups", "{}");
    cr_expect_str_eq(without_id(it.response.body.data),
                     "{\"BackupSummaries\":[{\"TableName\":\"Tab\",\"TableArn\":\"" ARN
                     "Tab\"," DETAILS("4", "daily", "10", "AVAILABLE") "}]}");
    must(&it, "DeleteTable", "{\"TableName\":\"Tab\"}");
    call(&it, "DeleteBackup", "{\"BackupArn\":\"" BACKUP("4") "\"}");
    cr_expect_str_eq(without_id(it.response.body.data), DESCRIPTION("DELETED"), "%s",
                     it.response.body.data);
    cr_expect_str_eq(call(&it, "DescribeBackup", "{\"BackupArn\":\"" BACKUP("4") "\"}"),
                     ERROR("BackupNotFoundException", "Backup not found: " BACKUP("4")));
    cr_expect_eq(it.response.http, 400);
    close_fixture(&it);
}

#define SUMMARY                                                                                    \
    "\"RestoreSummary\":{\"SourceBackupArn\":\"" BACKUP(                                           \
        "4") "\",\"SourceTableArn\":\"" ARN "Tab\",\"RestoreDateTime\":4102488000.0,"              \
             "\"RestoreInProgress\":"

Test(api_backup, restore)
{
    struct fixture it;
    const char *body;

    open_fixture(&it);
    make_table(&it);
    must(&it, "CreateBackup", "{\"TableName\":\"Tab\",\"BackupName\":\"daily\"}");
    cr_expect_str_eq(call(&it, "RestoreTableFromBackup",
                          "{\"TargetTableName\":\"Tab\",\"BackupArn\":\"" BACKUP("4") "\"}"),
                     ERROR("TableAlreadyExistsException", "Table already exists: Tab"));
    must(&it, "RestoreTableFromBackup",
         "{\"TargetTableName\":\"New\",\"BackupArn\":\"" BACKUP(
             "4") "\",\"BillingModeOverride\":\"PAY_PER_REQUEST\",\"LocalSecondaryIndexOverride\":"
                  "[],\"GlobalSecondaryIndexOverride\":[{\"IndexName\":\"glo\",\"KeySchema\":[{"
                  "\"AttributeName\":\"g\",\"KeyType\":\"HASH\"}],\"Projection\":{"
                  "\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"x\"]}}]}");
    body = it.response.body.data;
    cr_expect_not_null(strstr(body, "\"TableStatus\":\"CREATING\""), "%s", body);
    cr_expect_not_null(strstr(body, SUMMARY "true}"), "%s", body);
    cr_expect_not_null(strstr(body, "\"IndexName\":\"glo\""), "%s", body);
    cr_expect_null(strstr(body, "\"LocalSecondaryIndexes\""), "%s", body);
    cr_expect_null(strstr(body, "\"StreamSpecification\""), "%s", body);
    must(&it, "DescribeTable", "{\"TableName\":\"New\"}");
    body = it.response.body.data;
    cr_expect_not_null(strstr(body, "\"TableStatus\":\"ACTIVE\""), "%s", body);
    cr_expect_not_null(strstr(body, SUMMARY "false}"), "%s", body);
    cr_expect_not_null(strstr(body, "\"BillingMode\":\"PAY_PER_REQUEST\""), "%s", body);
    cr_expect_str_eq(call(&it, "Query",
                          "{\"TableName\":\"New\",\"IndexName\":\"glo\","
                          "\"KeyConditionExpression\":\"g = :g\",\"ExpressionAttributeValues\":{"
                          "\":g\":{\"S\":\"G\"}}}"),
                     "{\"Items\":[{\"g\":{\"S\":\"G\"},\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"},"
                     "\"x\":{\"N\":\"5000000000\"}}],\"Count\":1,\"ScannedCount\":1}");
    close_fixture(&it);
}

/* Names of the backups a list shows, and where it ends. */
static const struct list_case {
    const char *request;
    const char *names;
    const char *last; /* of the ARN; NULL: the list is complete */
} lists[] = {
    {"{}", "one two three other ", NULL},
    {"{\"Limit\":4}", "one two three other ", NULL},
    {"{\"Limit\":3}", "one two three ", BACKUP("6")},
    {"{\"Limit\":2}", "one two ", BACKUP("5")},
    {"{\"Limit\":2,\"ExclusiveStartBackupArn\":\"" BACKUP("5") "\"}", "three other ", NULL},
    {"{\"ExclusiveStartBackupArn\":\"" BACKUP("6") "\"}", "other ", NULL},
    {"{\"TableName\":\"Tab\"}", "one two three ", NULL},
    {"{\"TableName\":\"" ARN "Tab\",\"Limit\":1}", "one ", BACKUP("4")},
    {"{\"TableName\":\"Oth\"}", "other ", NULL},
    {"{\"TableName\":\"Oth\",\"Limit\":1}", "other ", NULL},
    {"{\"BackupType\":\"USER\"}", "one two three other ", NULL},
    {"{\"BackupType\":\"ALL\",\"Limit\":1}", "one ", BACKUP("4")},
    {"{\"BackupType\":\"SYSTEM\"}", "", NULL},
    {"{\"BackupType\":\"AWS_BACKUP\"}", "", NULL},
    {"{\"TimeRangeLowerBound\":4102488000}", "one two three other ", NULL},
    {"{\"TimeRangeLowerBound\":4102488000.001}", "other ", NULL},
    {"{\"TimeRangeLowerBound\":4102488000.5}", "other ", NULL},
    {"{\"TimeRangeLowerBound\":4102488000.501}", "", NULL},
    {"{\"TimeRangeUpperBound\":4102488000}", "", NULL},
    {"{\"TimeRangeUpperBound\":4.1024880005e9}", "one two three ", NULL},
    {"{\"TimeRangeUpperBound\":4102488001,\"TimeRangeLowerBound\":0}", "one two three other ",
     NULL},
};

static void add_names(const char *body, char *names)
{
    const char *at = body;

    names[0] = '\0';
    while ((at = strstr(at, "\"BackupName\":\"")) != NULL) {
        at += strlen("\"BackupName\":\"");
        strncat(names, at, strcspn(at, "\""));
        strcat(names, " ");
    }
}

Test(api_backup, lists)
{
    struct fixture it;

    open_fixture(&it);
    make_table(&it);
    must(&it, "CreateBackup", "{\"TableName\":\"Tab\",\"BackupName\":\"one\"}");
    must(&it, "CreateBackup", "{\"TableName\":\"Tab\",\"BackupName\":\"two\"}");
    must(&it, "CreateBackup", "{\"TableName\":\"" ARN "Tab\",\"BackupName\":\"three\"}");
    must(&it, "CreateTable",
         "{\"TableName\":\"Oth\",\"AttributeDefinitions\":[{\"AttributeName\":\"p\","
         "\"AttributeType\":\"S\"}],\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}],"
         "\"BillingMode\":\"PAY_PER_REQUEST\"}");
    cr_assert(pk_clock_set(pk_engine_clock(it.engine), NOON + 500));
    must(&it, "CreateBackup", "{\"TableName\":\"Oth\",\"BackupName\":\"other\"}");
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const char *body = call(&it, "ListBackups", lists[i].request);
        char names[256];
        char last[128] = "";

        add_names(body, names);
        cr_expect_str_eq(names, lists[i].names, "%s: %s", lists[i].request, body);
        if (lists[i].last != NULL)
            snprintf(last, sizeof(last), "\"LastEvaluatedBackupArn\":\"%s\"", lists[i].last);
        cr_expect_eq(strstr(body, "LastEvaluatedBackupArn") != NULL, lists[i].last != NULL, "%s",
                     lists[i].request);
        cr_expect_not_null(strstr(body, last), "%s: %s", lists[i].request, body);
    }
    close_fixture(&it);
}
