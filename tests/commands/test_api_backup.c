/* Backups on the API: whole answers, pages, and a table that comes back. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/api_fixture.h"

#define ARN       "arn:aws:dynamodb:us-east-1:000000000000:table/"
#define BACKUP(n) ARN "Tab/backup/04102488000000-0000000" n
#define ERROR(name, message)                                                                       \
    "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" name "\",\"message\":\"" message "\"}"

static void make_table(struct api_fixture *it)
{
    api_must(it, "CreateTable",
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
    api_must(it, "UpdateTimeToLive",
             "{\"TableName\":\"Tab\",\"TimeToLiveSpecification\":{\"Enabled\":true,"
             "\"AttributeName\":\"x\"}}");
    api_must(it, "PutItem",
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
    struct api_fixture it;

    api_open(&it);
    make_table(&it);
    cr_expect_str_eq(
        api_ask(&it, "CreateBackup", "{\"TableName\":\"Tab\",\"BackupName\":\"daily\"}"),
        "{\"BackupDetails\":{" DETAILS("4", "daily", "10", "CREATING") "}}");
    api_ask(&it, "DescribeBackup", "{\"BackupArn\":\"" BACKUP("4") "\"}");
    cr_expect_str_eq(without_id(it.response.body.data), DESCRIPTION("AVAILABLE"), "%s",
                     it.response.body.data);
    api_ask(&it, "ListBackups", "{}");
    cr_expect_str_eq(without_id(it.response.body.data),
                     "{\"BackupSummaries\":[{\"TableName\":\"Tab\",\"TableArn\":\"" ARN
                     "Tab\"," DETAILS("4", "daily", "10", "AVAILABLE") "}]}");
    api_must(&it, "DeleteTable", "{\"TableName\":\"Tab\"}");
    api_ask(&it, "DeleteBackup", "{\"BackupArn\":\"" BACKUP("4") "\"}");
    cr_expect_str_eq(without_id(it.response.body.data), DESCRIPTION("DELETED"), "%s",
                     it.response.body.data);
    cr_expect_str_eq(api_ask(&it, "DescribeBackup", "{\"BackupArn\":\"" BACKUP("4") "\"}"),
                     ERROR("BackupNotFoundException", "Backup not found: " BACKUP("4")));
    cr_expect_eq(it.response.http, 400);
    api_close(&it);
}

#define SUMMARY                                                                                    \
    "\"RestoreSummary\":{\"SourceBackupArn\":\"" BACKUP(                                           \
        "4") "\",\"SourceTableArn\":\"" ARN "Tab\",\"RestoreDateTime\":4102488000.0,"              \
             "\"RestoreInProgress\":"

Test(api_backup, restore)
{
    struct api_fixture it;
    const char *body;

    api_open(&it);
    make_table(&it);
    api_must(&it, "CreateBackup", "{\"TableName\":\"Tab\",\"BackupName\":\"daily\"}");
    cr_expect_str_eq(api_ask(&it, "RestoreTableFromBackup",
                             "{\"TargetTableName\":\"Tab\",\"BackupArn\":\"" BACKUP("4") "\"}"),
                     ERROR("TableAlreadyExistsException", "Table already exists: Tab"));
    api_must(
        &it, "RestoreTableFromBackup",
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
    api_must(&it, "DescribeTable", "{\"TableName\":\"New\"}");
    body = it.response.body.data;
    cr_expect_not_null(strstr(body, "\"TableStatus\":\"ACTIVE\""), "%s", body);
    cr_expect_not_null(strstr(body, SUMMARY "false}"), "%s", body);
    cr_expect_not_null(strstr(body, "\"BillingMode\":\"PAY_PER_REQUEST\""), "%s", body);
    cr_expect_str_eq(api_ask(&it, "Query",
                             "{\"TableName\":\"New\",\"IndexName\":\"glo\","
                             "\"KeyConditionExpression\":\"g = :g\",\"ExpressionAttributeValues\":{"
                             "\":g\":{\"S\":\"G\"}}}"),
                     "{\"Items\":[{\"g\":{\"S\":\"G\"},\"p\":{\"S\":\"k\"},\"r\":{\"N\":\"1\"},"
                     "\"x\":{\"N\":\"5000000000\"}}],\"Count\":1,\"ScannedCount\":1}");
    api_close(&it);
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
    struct api_fixture it;

    api_open(&it);
    make_table(&it);
    api_must(&it, "CreateBackup", "{\"TableName\":\"Tab\",\"BackupName\":\"one\"}");
    api_must(&it, "CreateBackup", "{\"TableName\":\"Tab\",\"BackupName\":\"two\"}");
    api_must(&it, "CreateBackup", "{\"TableName\":\"" ARN "Tab\",\"BackupName\":\"three\"}");
    api_must(
        &it, "CreateTable",
        "{\"TableName\":\"Oth\",\"AttributeDefinitions\":[{\"AttributeName\":\"p\","
        "\"AttributeType\":\"S\"}],\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}],"
        "\"BillingMode\":\"PAY_PER_REQUEST\"}");
    cr_assert(pk_clock_set(pk_engine_clock(it.engine), API_NOON_MS + 500));
    api_must(&it, "CreateBackup", "{\"TableName\":\"Oth\",\"BackupName\":\"other\"}");
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const char *body = api_ask(&it, "ListBackups", lists[i].request);
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
    api_close(&it);
}
