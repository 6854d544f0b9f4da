/* Does a store hold what the clients of http_load.c know? */
#include "tests/support/http_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

enum { PAGE = 1000 };

/* What the store holds. */
struct seen {
    uint64_t values[LOAD_CLIENTS][LOAD_KEYS];
};

static bool fail(const char *what, const char *detail)
{
    fprintf(stderr, "verify: %s: %s\n", what, detail == NULL ? "" : detail);
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The parsed answer, for cJSON_Delete; NULL when it is not a success. */
static cJSON *ask(struct http_client *http, const char *operation, const char *body)
{
    struct pk_buf answer = PK_BUF_INIT;
    int status = http_client_call(http, operation, body, &answer);
    cJSON *tree = status == 200 ? cJSON_Parse(answer.data) : NULL;

    if (tree == NULL)
        fprintf(stderr, "verify: %s: %d %s\n", operation, status, answer.data);
    pk_buf_release(&answer);
    return tree;
}

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(member) ? member->valuestring : "";
}

/* The text of attribute name, in {"S": …} or {"N": …}. */
static const char *attribute(const cJSON *item, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, name);

    return value == NULL || value->child == NULL || !cJSON_IsString(value->child)
               ? ""
               : value->child->valuestring;
}

/* Whose key it is; false: nobody's. */
static bool read_key(const cJSON *item, const char *table, unsigned *client, unsigned *key)
{
    const char *text = attribute(item, strcmp(table, LOAD_TABLE) == 0 ? "SK" : "PK");

    return sscanf(text, "%2u#%3u", client, key) == 2 && *client < LOAD_CLIENTS &&
           *key < LOAD_KEYS && strcmp(load_table_of(*key), table) == 0;
}

/* An item must be whole: its attributes belong together. */
static bool add_item(struct seen *seen, const cJSON *item, const char *table)
{
    unsigned client = 0, key = 0;
    uint64_t value = strtoull(attribute(item, "val"), NULL, 10);
    struct load_item want = load_item_of(value);

    if (!read_key(item, table, &client, &key) || value == 0)
        return fail("an item that nobody wrote", table);
    if (strcmp(attribute(item, "grp"), want.group) != 0 ||
        strcmp(attribute(item, "txt"), want.text) != 0)
        return fail("an item was written in part", table);
    seen->values[client][key] = value;
    return true;
}

static bool scan(struct http_client *http, const char *table, struct seen *seen)
{
    char *start = NULL;
    bool good = true;

    do {
        struct pk_buf body = PK_BUF_INIT;
        const cJSON *item;
        cJSON *page;

        pk_buf_printf(&body, "{\"TableName\":\"%s\",\"ConsistentRead\":true,\"Limit\":%d%s%s}",
                      table, PAGE,
                      start == NULL ? "" : ",\"ExclusiveStartKey\":", start == NULL ? "" : start);
        cJSON_free(start);
        page = ask(http, "Scan", body.data);
        good = page != NULL;
        cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(page, "Items")) good =
            good && add_item(seen, item, table);
        start = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(page, "LastEvaluatedKey"));
        cJSON_Delete(page);
        pk_buf_release(&body);
    } while (good && start != NULL);
    cJSON_free(start);
    return good;
}

static bool check(struct http_client *http)
{
    cJSON *result = ask(http, "Pksk_2026.Check", "{}");
    const cJSON *faults = cJSON_GetObjectItemCaseSensitive(result, "Faults");
    bool clean = cJSON_IsNumber(faults) && faults->valueint == 0;

    if (!clean && result != NULL) {
        char *text = cJSON_PrintUnformatted(result);

        fail("the store's own check", text);
        cJSON_free(text);
    }
    cJSON_Delete(result);
    return clean;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Index of the key in the write without answer; -1: not in it. */
static int place_in(const struct load_op *op, unsigned key)
{
    for (size_t i = 0; i < op->count; i++)
        if (op->keys[i] == key)
            return (int)i;
    return -1;
}

static bool accept(struct load_client *client, const uint64_t *seen)
{
    size_t moved = 0;
    char text[128];

    for (unsigned key = 0; key < LOAD_KEYS; key++) {
        int place = client->in_flight ? place_in(&client->flight, key) : -1;
        bool is_new = place >= 0 && seen[key] == client->flight.values[place];

        /* deleting what is not there changes nothing: such a key goes either way */
        moved += is_new;
        if (seen[key] == client->state[key] || is_new)
            continue;
        snprintf(text, sizeof(text),
                 "key %u of client %u has %" PRIu64 ", acknowledged was %" PRIu64, key,
                 client->number, seen[key], client->state[key]);
        return fail("an acknowledged write is lost, or one that never was is there", text);
    }
    if (client->in_flight && client->flight.kind == LOAD_TRANSACT && moved != client->flight.count)
        for (size_t i = 0; i < client->flight.count; i++) {
            unsigned key = client->flight.keys[i];

            if (seen[key] != client->state[key])
                return fail("a transaction was applied in part", load_table_of(key));
        }
    memcpy(client->state, seen, sizeof(client->state));
    client->in_flight = false;
    return true;
}

bool load_verify(struct load *load, const char *url)
{
    struct seen *seen = pk_calloc(1, sizeof(*seen));
    struct http_client http;
    bool good;

    http_client_init(&http, url);
    good = check(&http) && scan(&http, LOAD_TABLE, seen) && scan(&http, LOAD_OTHER_TABLE, seen);
    for (size_t i = 0; good && i < LOAD_CLIENTS; i++)
        good = accept(&load->clients[i], seen->values[i]);
    http_client_release(&http);
    free(seen);
    return good;
}

/* ---- the stream ------------------------------------------------------------------------------ */

static bool replay_record(struct seen *seen, const cJSON *record)
{
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(record, "dynamodb");
    const cJSON *image = cJSON_GetObjectItemCaseSensitive(data, "NewImage");
    const cJSON *old = cJSON_GetObjectItemCaseSensitive(data, "OldImage");
    unsigned client = 0, key = 0;

    if (!read_key(cJSON_GetObjectItemCaseSensitive(data, "Keys"), LOAD_TABLE, &client, &key))
        return fail("a record of no key", NULL);
    if (seen->values[client][key] != strtoull(attribute(old, "val"), NULL, 10))
        return fail("a record does not follow the one before it", text_of(record, "eventID"));
    seen->values[client][key] = 0;
    return image == NULL || add_item(seen, image, LOAD_TABLE);
}

static char *first_iterator(struct http_client *http, const char *arn, const char *shard)
{
    struct pk_buf body = PK_BUF_INIT;
    char *iterator;
    cJSON *answer;

    pk_buf_printf(
        &body, "{\"StreamArn\":\"%s\",\"ShardId\":\"%s\",\"ShardIteratorType\":\"TRIM_HORIZON\"}",
        arn, shard);
    answer = ask(http, "DynamoDBStreams_20120810.GetShardIterator", body.data);
    iterator =
        pk_memdup_cstr(text_of(answer, "ShardIterator"), strlen(text_of(answer, "ShardIterator")));
    cJSON_Delete(answer);
    pk_buf_release(&body);
    return iterator;
}

/* Until a page of an open shard is empty, or a closed one has no more. */
static bool replay_shard(struct http_client *http, char *iterator, struct seen *seen,
                         uint64_t *records)
{
    bool good = true, more = true;

    while (good && more) {
        struct pk_buf body = PK_BUF_INIT;
        const cJSON *record, *list;
        const char *next;
        cJSON *page;

        pk_buf_printf(&body, "{\"ShardIterator\":\"%s\"}", iterator);
        free(iterator);
        page = ask(http, "DynamoDBStreams_20120810.GetRecords", body.data);
        list = cJSON_GetObjectItemCaseSensitive(page, "Records");
        cJSON_ArrayForEach(record, list) good = good && replay_record(seen, record);
        *records += (uint64_t)cJSON_GetArraySize(list);
        next = text_of(page, "NextShardIterator");
        more = *next != '\0' && cJSON_GetArraySize(list) > 0;
        good = good && page != NULL;
        iterator = pk_memdup_cstr(next, strlen(next));
        cJSON_Delete(page);
        pk_buf_release(&body);
    }
    free(iterator);
    return good;
}

/* Shards are listed parents first. */
static bool replay(struct http_client *http, struct seen *seen, uint64_t *records)
{
    cJSON *table = ask(http, "DescribeTable", "{\"TableName\":\"" LOAD_TABLE "\"}");
    const char *arn = text_of(cJSON_GetObjectItemCaseSensitive(table, "Table"), "LatestStreamArn");
    struct pk_buf body = PK_BUF_INIT;
    const cJSON *shard;
    bool good = true;
    cJSON *stream;

    pk_buf_printf(&body, "{\"StreamArn\":\"%s\"}", arn);
    stream = ask(http, "DynamoDBStreams_20120810.DescribeStream", body.data);
    cJSON_ArrayForEach(shard,
                       cJSON_GetObjectItemCaseSensitive(
                           cJSON_GetObjectItemCaseSensitive(stream, "StreamDescription"), "Shards"))
        good = good && replay_shard(http, first_iterator(http, arn, text_of(shard, "ShardId")),
                                    seen, records);
    good = good && stream != NULL;
    cJSON_Delete(stream);
    cJSON_Delete(table);
    pk_buf_release(&body);
    return good;
}

bool load_verify_stream(const struct load *load, const char *url, uint64_t *records)
{
    struct seen *seen = pk_calloc(1, sizeof(*seen));
    struct http_client http;
    bool good;

    *records = 0;
    http_client_init(&http, url);
    good = replay(&http, seen, records);
    for (unsigned i = 0; good && i < LOAD_CLIENTS; i++)
        for (unsigned key = 0; good && key < LOAD_KEYS; key++)
            if (strcmp(load_table_of(key), LOAD_TABLE) == 0 &&
                seen->values[i][key] != load->clients[i].state[key])
                good = fail("the replayed stream is not the table", NULL);
    http_client_release(&http);
    free(seen);
    return good;
}
