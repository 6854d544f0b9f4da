/*
 * A consumer of a stream as an application would write it, on the API alone: it reads all shards,
 * parents before children, while writers run; run under ThreadSanitizer.
 *
 * It keeps the last image of every item. Each record's OldImage must be the image it has, so a
 * record that is missed or repeated shows at once; sequences ascend within a shard; and in the end
 * what it has is what a Scan returns, and it has seen as many records as there were changes.
 * Somebody looks at how far behind it is meanwhile; when the writers have stopped that is exact.
 *
 *   race_stream [SECONDS] [SEED]       5 seconds by default
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/backend.h"
#include "engine/base/map.h"
#include "engine/base/rng.h"

enum { WRITERS = 4, KEYS = 40, SHARDS_MAX = 16 };

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "detect_deadlocks=0";
}

struct race {
    struct cmd_backend *backend;
    uint64_t seed;
    atomic_bool stop;
    atomic_uint_least64_t changes;
};

static uint64_t race_seed; /* for messages, set before threads start */

static PK_NORETURN void fail(const char *what, const char *text)
{
    fprintf(stderr, "race_stream: seed %" PRIu64 ": %s: %s\n", race_seed, what, text);
    abort();
}

/* The answer as a tree, the caller's; an error aborts. */
static cJSON *call(struct race *race, const char *operation, const char *request)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    cJSON *answer;

    race->backend->ops->call(race->backend, pk_slice_cstr(operation), pk_slice_cstr(request), NULL,
                             &response);
    if (response.http != 200)
        fail(operation, response.body.data);
    answer = cJSON_ParseWithLength(response.body.data, response.body.len);
    if (answer == NULL)
        fail("not JSON", response.body.data);
    cmd_response_release(&response);
    return answer;
}

static cJSON *callf(struct race *race, const char *operation, const char *format, ...)
    PK_PRINTF(3, 4);
static cJSON *callf(struct race *race, const char *operation, const char *format, ...)
{
    struct pk_buf request = PK_BUF_INIT;
    va_list args;
    cJSON *answer;

    va_start(args, format);
    pk_buf_vprintf(&request, format, args);
    va_end(args);
    answer = call(race, operation, request.data);
    pk_buf_release(&request);
    return answer;
}

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(node) ? node->valuestring : NULL;
}

/* ---- writers --------------------------------------------------------------------------------- */

struct writer {
    struct race *race;
    unsigned number;
    pthread_t thread;
};

/* Keys of its own; n grows, so every put changes something. */
static void *write_items(void *context)
{
    struct writer *writer = context;
    struct race *race = writer->race;
    bool there[KEYS] = {false};
    struct pk_rng rng;
    uint64_t n = 0;

    pk_rng_seed(&rng, race->seed + writer->number);
    while (!atomic_load(&race->stop)) {
        uint64_t key = pk_rng_below(&rng, KEYS);
        cJSON *answer;

        if (there[key] && pk_rng_below(&rng, 4) == 0) {
            answer =
                callf(race, "DeleteItem",
                      "{\"TableName\":\"Tab\",\"Key\":{\"p\":{\"S\":\"%u\"},\"s\":{\"N\":\"%" PRIu64
                      "\"}}}",
                      writer->number, key);
            there[key] = false;
        } else {
            answer = callf(
                race, "PutItem",
                "{\"TableName\":\"Tab\",\"Item\":{\"p\":{\"S\":\"%u\"},\"s\":{\"N\":\"%" PRIu64
                "\"},\"n\":{\"N\":\"%" PRIu64 "\"}}}",
                writer->number, key, n++);
            there[key] = true;
        }
        cJSON_Delete(answer);
        atomic_fetch_add(&race->changes, 1);
    }
    return NULL;
}

/* ---- the consumer ---------------------------------------------------------------------------- */

struct shard {
    char id[72];
    char parent[72];
    char last[48]; /* sequence */
    char *iterator;
    bool begun, ended;
};

struct consumer {
    struct race *race;
    char arn[256];
    struct shard shards[SHARDS_MAX];
    size_t count;
    struct pk_map images; /* by key: text of the item */
    uint64_t records;
    struct pk_rng rng;
};

static void find_shards(struct consumer *to)
{
    cJSON *list = call(to->race, "ListStreams", "{\"TableName\":\"Tab\"}");
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(list, "Streams"), 0);
    cJSON *answer;
    const cJSON *node;

    snprintf(to->arn, sizeof(to->arn), "%s", text_of(first, "StreamArn"));
    cJSON_Delete(list);
    answer = callf(to->race, "DescribeStream", "{\"StreamArn\":\"%s\"}", to->arn);
    cJSON_ArrayForEach(node,
                       cJSON_GetObjectItemCaseSensitive(
                           cJSON_GetObjectItemCaseSensitive(answer, "StreamDescription"), "Shards"))
    {
        struct shard *shard = &to->shards[to->count++];
        const char *parent = text_of(node, "ParentShardId");

        if (to->count == SHARDS_MAX)
            fail("too many shards", "");
        snprintf(shard->id, sizeof(shard->id), "%s", text_of(node, "ShardId"));
        snprintf(shard->parent, sizeof(shard->parent), "%s", parent == NULL ? "" : parent);
    }
    cJSON_Delete(answer);
}

static bool is_ready(const struct consumer *of, const struct shard *shard)
{
    for (size_t i = 0; i < of->count; i++) {
        if (strcmp(of->shards[i].id, shard->parent) == 0)
            return of->shards[i].ended;
    }
    return true;
}

static void set_iterator(struct shard *shard, const cJSON *answer, const char *member)
{
    const char *text = text_of(answer, member);

    free(shard->iterator);
    shard->iterator = text == NULL ? NULL : pk_memdup_cstr(text, strlen(text));
    shard->ended = text == NULL;
}

static char *print(const cJSON *object, const char *name)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, name);

    return node == NULL ? NULL : cJSON_PrintUnformatted(node);
}

static void take_record(struct consumer *to, struct shard *shard, const cJSON *record)
{
    const cJSON *change = cJSON_GetObjectItemCaseSensitive(record, "dynamodb");
    char *key = print(change, "Keys");
    char *old = print(change, "OldImage");
    char *new = print(change, "NewImage");
    char *known = pk_map_remove(&to->images, pk_slice_cstr(key));
    const char *sequence = text_of(change, "SequenceNumber");

    if (strcmp(sequence, shard->last) <= 0)
        fail("a sequence does not ascend", sequence);
    snprintf(shard->last, sizeof(shard->last), "%s", sequence);
    if ((known == NULL) != (old == NULL) || (known != NULL && strcmp(known, old) != 0))
        fail("the old image is not what was before", key);
    if (new != NULL)
        pk_map_put(&to->images, pk_slice_cstr(key), new);
    to->records++;
    free(known);
    free(old);
    free(key);
}

/* One call of one shard; true when there was something. */
static bool read_shard(struct consumer *to, struct shard *shard)
{
    cJSON *answer;
    const cJSON *record;
    bool any = false;

    if (!shard->begun && is_ready(to, shard)) {
        answer = callf(to->race, "GetShardIterator",
                       "{\"StreamArn\":\"%s\",\"ShardId\":\"%s\",\"ShardIteratorType\":"
                       "\"TRIM_HORIZON\"}",
                       to->arn, shard->id);
        set_iterator(shard, answer, "ShardIterator");
        shard->begun = true;
        cJSON_Delete(answer);
    }
    if (shard->iterator == NULL)
        return false;
    answer = callf(to->race, "GetRecords", "{\"ShardIterator\":\"%s\",\"Limit\":%" PRIu64 "}",
                   shard->iterator, 1 + pk_rng_below(&to->rng, 100));
    cJSON_ArrayForEach(record, cJSON_GetObjectItemCaseSensitive(answer, "Records"))
    {
        take_record(to, shard, record);
        any = true;
    }
    set_iterator(shard, answer, "NextShardIterator");
    cJSON_Delete(answer);
    return any;
}

/* What is left after the writers have finished. */
static void drain(struct consumer *to)
{
    bool any = true;

    while (any) {
        any = false;
        for (size_t i = 0; i < to->count; i++)
            any = read_shard(to, &to->shards[i]) || any;
    }
}

static void compare(struct consumer *of)
{
    cJSON *answer = call(of->race, "Scan", "{\"TableName\":\"Tab\"}");
    const cJSON *item;
    size_t items = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(answer, "Items"))
    {
        char *text = cJSON_PrintUnformatted(item);
        struct pk_buf key = PK_BUF_INIT;
        const char *known;
        char *p = print(item, "p");
        char *s = print(item, "s");

        pk_buf_printf(&key, "{\"p\":%s,\"s\":%s}", p, s);
        known = pk_map_get(&of->images, pk_slice_cstr(key.data));
        if (known == NULL || strcmp(known, text) != 0)
            fail("the table has another item", text);
        items++;
        pk_buf_release(&key);
        free(p);
        free(s);
        free(text);
    }
    if (items != of->images.used)
        fail("the consumer has items that the table has not", "");
    if (of->records != atomic_load(&of->race->changes))
        fail("there were more or fewer records than changes", "");
    cJSON_Delete(answer);
}

/* Records that wait for all readers together; *more: at least so many. */
static uint64_t look(struct race *race, bool *more)
{
    cJSON *answer = call(race, "Pksk.Snapshot", "{\"TableName\":\"Tab\",\"Limit\":1}");
    const cJSON *reader;
    double waiting = 0;

    *more = false;
    cJSON_ArrayForEach(reader, cJSON_GetObjectItemCaseSensitive(answer, "Readers"))
    {
        waiting += cJSON_GetObjectItemCaseSensitive(reader, "Waiting")->valuedouble;
        *more = *more || cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(reader, "More"));
    }
    cJSON_Delete(answer);
    return (uint64_t)waiting;
}

static void *keep_looking(void *context)
{
    struct race *race = context;
    bool more;

    while (!atomic_load(&race->stop)) {
        if (look(race, &more) > atomic_load(&race->changes) + WRITERS)
            fail("more records wait than there are", "");
    }
    return NULL;
}

/* Nothing is written any more. */
static void expect_waiting(const struct consumer *of)
{
    uint64_t waiting = 0;
    bool more = true;

    while (more)
        waiting = look(of->race, &more);
    if (waiting != atomic_load(&of->race->changes) - of->records)
        fail("another number of records waits than was not read", "");
}

static void release(struct consumer *consumer)
{
    size_t cursor = 0;
    pk_slice key;
    void *image = NULL;

    for (size_t i = 0; i < consumer->count; i++)
        free(consumer->shards[i].iterator);
    while (pk_map_next(&consumer->images, &cursor, &key, &image))
        free(image);
    pk_map_release(&consumer->images);
}

int main(int argc, char **argv)
{
    struct pk_engine_options options = {.memory = true};
    struct race race = {.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    struct consumer consumer = {.race = &race};
    struct writer writers[WRITERS];
    struct pk_error err = PK_ERROR_INIT;
    struct pk_engine *engine = NULL;
    pthread_t looker;
    int64_t end_us;

    race_seed = race.seed;
    if (pk_engine_open(&options, &engine, &err) != PK_OK)
        fail("open", err.message);
    race.backend = cmd_backend_local_new(engine);
    cJSON_Delete(call(&race, "CreateTable",
                      "{\"TableName\":\"Tab\",\"BillingMode\":\"PAY_PER_REQUEST\","
                      "\"AttributeDefinitions\":[{\"AttributeName\":\"p\",\"AttributeType\":\"S\"},"
                      "{\"AttributeName\":\"s\",\"AttributeType\":\"N\"}],\"KeySchema\":["
                      "{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"s\","
                      "\"KeyType\":\"RANGE\"}],\"StreamSpecification\":{\"StreamEnabled\":true,"
                      "\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"}}"));
    pk_rng_seed(&consumer.rng, race.seed);
    find_shards(&consumer);
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.race = &race, .number = i};
        pthread_create(&writers[i].thread, NULL, write_items, &writers[i]);
    }
    pthread_create(&looker, NULL, keep_looking, &race);
    end_us = pk_clock_real_us() + (argc > 1 ? strtol(argv[1], NULL, 10) : 5) * INT64_C(1000000);
    while (pk_clock_real_us() < end_us) {
        for (size_t i = 0; i < consumer.count; i++)
            (void)read_shard(&consumer, &consumer.shards[i]);
    }
    atomic_store(&race.stop, true);
    for (unsigned i = 0; i < WRITERS; i++)
        pthread_join(writers[i].thread, NULL);
    pthread_join(looker, NULL);
    expect_waiting(&consumer);
    drain(&consumer);
    expect_waiting(&consumer);
    compare(&consumer);
    printf("race_stream: seed %" PRIu64 ": %" PRIu64 " records, none missed or repeated\n",
           race.seed, consumer.records);
    release(&consumer);
    cmd_backend_free(race.backend);
    pk_engine_close(engine);
    return 0;
}
