/*
 * Requests as bytes, through the API's pre-pass, its checks and the operations, on a store that has
 * something in it. An input is requests with the byte FF between them; the first byte of each picks
 * the operation. Answers must be JSON with a code that an input can cause, and what was written
 * must pass the store's check.
 *
 * What an answer gives for a later request cannot be guessed, so "@i" in a request stands for the
 * last iterator, "@t" for the last token, and so on (recalled[]).
 */
#include <cjson/cJSON.h>
#include <stdint.h>

#include "tests/fuzz/fuzz_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In a fixed order, so that kept inputs keep their meaning: add at the end. */
static const char *const operations[] = {
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
    "ExecuteStatement",
    "BatchExecuteStatement",
    "ExecuteTransaction",
    "CreateTable",
    "UpdateTable",
    "DescribeTable",
    "DeleteTable",
    "ListTables",
    "TagResource",
    "UntagResource",
    "ListTagsOfResource",
    "DescribeTimeToLive",
    "DescribeContinuousBackups",
    "DescribeLimits",
    "Pksk.Where",
    "Pksk.Collections",
    "Pksk.Sample",
    "Pksk.Check",
    "Pksk.TableStats",
    "Pksk.PutAttachment",
    "Pksk.GetAttachment",
    "NoSuchOperation",
    "Pksk.Settings",
    "UpdateTimeToLive",
    "ListStreams",
    "DescribeStream",
    "GetShardIterator",
    "GetRecords",
    "Pksk.IndexLag",
    "Pksk.Clock",
    "Pksk.Records",
    "Time", /* none: a minute passes */
};
enum {
    OPERATION_COUNT = sizeof(operations) / sizeof(*operations),
    REQUESTS_MAX = 16,
    MINUTE_MS = 60000
};

/* ---- what answers give ----------------------------------------------------------------------- */

static const struct {
    const char *member;
    char letter;
} recalled[] = {
    {"LatestStreamArn", 'a'},   {"TableArn", 'A'},         {"ShardIterator", 'i'},
    {"NextShardIterator", 'i'}, {"LastEvaluatedKey", 'k'}, {"SequenceNumber", 'n'},
    {"ShardId", 's'},           {"NextToken", 't'},
};
enum { RECALLED = sizeof(recalled) / sizeof(*recalled), LETTERS = 128 };

/* The text for each letter, owned; NULL: none yet. */
struct memory {
    char *text[LETTERS];
};

static void memory_release(struct memory *memory)
{
    for (size_t i = 0; i < LETTERS; i++)
        free(memory->text[i]);
}

static void remember_member(struct memory *memory, const cJSON *node)
{
    for (size_t i = 0; i < RECALLED && node->string != NULL; i++) {
        char **text = &memory->text[(unsigned char)recalled[i].letter];

        if (strcmp(recalled[i].member, node->string) != 0)
            continue;
        free(*text);
        *text = cJSON_IsString(node) ? pk_memdup_cstr(node->valuestring, strlen(node->valuestring))
                                     : cJSON_PrintUnformatted(node);
    }
}

/* Every member of the answer, at any depth; there are few levels above an item's own. */
static void remember(struct memory *memory, const cJSON *node, unsigned depth)
{
    const cJSON *child;

    if (depth > 8)
        return;
    cJSON_ArrayForEach(child, node)
    {
        remember_member(memory, child);
        remember(memory, child, depth + 1);
    }
}

static void recall(const struct memory *memory, pk_slice text, struct pk_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char letter = i + 1 < text.len ? (unsigned char)text.data[i + 1] : 0;

        if (text.data[i] == '@' && letter < LETTERS && memory->text[letter] != NULL) {
            pk_buf_add_cstr(out, memory->text[letter]);
            i++;
        } else {
            pk_buf_add_byte(out, (unsigned char)text.data[i]);
        }
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static void run(struct fuzz_store *store, struct memory *memory, pk_slice request)
{
    const char *operation = operations[(unsigned char)request.data[0] % OPERATION_COUNT];
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct pk_buf body = PK_BUF_INIT;
    cJSON *answer;

    if (strcmp(operation, "Time") == 0) {
        fuzz_store_pass(store, MINUTE_MS);
        return;
    }
    recall(memory, pk_slice_skip(request, 1), &body);
    fuzz_store_call(&store->backend, pk_slice_cstr(operation), pk_buf_slice(&body), NULL,
                    &response);
    answer = cJSON_Parse(response.body.data);
    remember(memory, answer, 0);
    cJSON_Delete(answer);
    cmd_response_release(&response);
    pk_buf_release(&body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_store store;
    struct memory memory = {{NULL}};
    pk_slice rest = pk_slice_of((const char *)data, size);

    fuzz_store_ready(&store);
    for (unsigned i = 0; i < REQUESTS_MAX && rest.len > 0; i++) {
        const char *end = memchr(rest.data, 0xFF, rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.data);

        if (len > 0)
            run(&store, &memory, pk_slice_of(rest.data, len));
        rest = pk_slice_skip(rest, len + 1);
    }
    memory_release(&memory);
    fuzz_store_reset(&store);
    return 0;
}
