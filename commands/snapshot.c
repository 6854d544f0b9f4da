/*
 * Pksk.Snapshot, asked and read (snapshot.h).
 *
 * The answer may come from any endpoint: numbers are brought into their range before they are
 * converted, and of every list only so much is read as the engine can have.
 */
#include "commands/snapshot.h"

#include "commands/wire.h"
#include "engine/schema.h"

/* What a list can have, and then some. */
enum {
    TABLES_MAX = 100,
    PARTITIONS_MAX = 10000,
    PAGE = 64, /* partitions of one answer */
    INDEXES_MAX = PK_GSI_MAX + PK_LSI_MAX,
    SPLITS_MAX = 256,
    READERS_MAX = 1024,
    HOTTEST_MAX = 16,
    HOT_MAX = 16,
    HISTORY_MAX = 300,
    SPEED_MAX = 1000000,
    SHARE_MAX = 1000,
    TEXT_MAX = 4096 /* a key of 2,048 and 1,024 bytes fits */
};
/* JSON's numbers are exact up to there. */
#define NUMBER_MAX INT64_C(9007199254740992)

const char *cmd_limit_name(enum cmd_limit limit)
{
    static const char *const names[CMD_LIMITS] = {"KeyRange", "Provisioned", "MaxOnDemand",
                                                  "Account"};

    return names[limit];
}

/* ---- members --------------------------------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int64_t clamped(const cJSON *node, int64_t least, int64_t most)
{
    double number = cJSON_IsNumber(node) ? node->valuedouble : 0.0;

    if (!(number > (double)least)) /* a NaN, too */
        return least > 0 || number < 0 ? least : 0;
    return number >= (double)most ? most : (int64_t)number;
}

/* Of what is never negative. */
static int64_t number_of(const cJSON *object, const char *name)
{
    return clamped(member(object, name), 0, NUMBER_MAX);
}

static uint32_t u32_of(const cJSON *object, const char *name, uint32_t most)
{
    return (uint32_t)clamped(member(object, name), 0, most);
}

/* A copy, cut where a character begins. */
static pk_slice text_of(struct pk_arena *arena, const cJSON *object, const char *name)
{
    pk_slice text = cmd_wire_text(object, name);

    if (text.len > TEXT_MAX) {
        text.len = TEXT_MAX;
        while (text.len > 0 && ((unsigned char)text.data[text.len] & 0xc0) == 0x80)
            text.len--;
    }
    return text.len == 0 ? (pk_slice){NULL, 0} : pk_arena_dup(arena, text);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Up to 16 digits; 0 for anything else. */
static uint64_t hex_of(const cJSON *object, const char *name)
{
    pk_slice text = cmd_wire_text(object, name);
    uint64_t number = 0;

    if (text.len > 16)
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = hex_digit(text.data[i]);

        if (digit < 0)
            return 0;
        number = number << 4 | (uint64_t)digit;
    }
    return number;
}

/* The list of that name, NULL when there is none, and how many of it are read. */
static const cJSON *list_of(const cJSON *object, const char *name, size_t most, size_t *count)
{
    const cJSON *list = member(object, name);
    size_t n = 0;

    *count = 0;
    if (!cJSON_IsArray(list))
        return NULL;
    for (const cJSON *node = list->child; node != NULL && n < most; node = node->next)
        n++;
    *count = n;
    return list;
}

/* Objects of one list, each read into a row. */
struct list {
    const char *name;
    size_t most, size; /* of rows, of a row */
    void (*read)(struct pk_arena *arena, const cJSON *node, void *row);
};

/* An array of rows, and how many. */
static void *read_list(struct pk_arena *arena, const cJSON *object, const struct list *list,
                       size_t *count)
{
    const cJSON *nodes = list_of(object, list->name, list->most, count);
    const cJSON *node = *count == 0 ? NULL : nodes->child;
    char *rows = pk_arena_calloc(arena, *count, list->size);

    for (size_t i = 0; i < *count; i++, node = node->next)
        list->read(arena, node, rows + i * list->size);
    return rows;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void read_access(const cJSON *node, struct cmd_snapshot_access *access)
{
    const cJSON *throttled = member(node, "Throttled");

    *access = (struct cmd_snapshot_access){
        .limit = number_of(node, "Limit"),
        .consumed = number_of(node, "Consumed"),
        .level_milli = clamped(member(node, "LevelMilli"), -NUMBER_MAX, NUMBER_MAX), /* a debt */
        .burst_milli = number_of(node, "BurstMilli"),
        .burst_max_milli = number_of(node, "BurstMaxMilli"),
        .admitted = (uint64_t)number_of(node, "Admitted"),
        .refused = (uint64_t)number_of(node, "Refused"),
        .warm = number_of(node, "Warm"),
        .max = number_of(node, "Max"),
    };
    for (int i = 0; i < CMD_LIMITS; i++)
        access->throttled[i] = (uint64_t)number_of(throttled, cmd_limit_name((enum cmd_limit)i));
}

static bool is_key_kind(enum pk_kind kind)
{
    return kind == PK_STRING || kind == PK_NUMBER || kind == PK_BINARY;
}

/* Values of the key's attributes, in their order, as they would be typed. */
static pk_slice key_text(struct pk_arena *arena, const cJSON *key)
{
    struct pk_buf out = PK_BUF_INIT;
    const cJSON *node;
    size_t parts = 0;
    pk_slice text;

    if (cJSON_IsObject(key)) {
        cJSON_ArrayForEach(node, key)
        {
            pk_value value =
                cJSON_IsObject(node) && node->child != NULL &&
                        is_key_kind(pk_kind_from_tag(pk_slice_cstr(node->child->string)))
                    ? cmd_wire_read_value(arena, node)
                    : pk_value_missing();

            if (pk_value_kind(value) == PK_MISSING || parts == 2 * PK_KEY_PARTS_MAX ||
                out.len > TEXT_MAX)
                break;
            if (parts++ > 0)
                pk_buf_add_byte(&out, ' ');
            cmd_key_value_text(&out, value);
        }
    }
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

static void read_hottest(struct pk_arena *arena, const cJSON *node, void *row)
{
    struct cmd_snapshot_key *key = row;

    key->text = key_text(arena, member(node, "Key"));
    key->share = u32_of(node, "Share", SHARE_MAX);
}

/* The numbers of one list stand at the end of `into`, its newest second last. */
static void read_seconds(const cJSON *list, int64_t *into, size_t count)
{
    int have = cJSON_GetArraySize(list);
    size_t skip = (size_t)have > count ? (size_t)have - count : 0;
    size_t at = (size_t)have > count ? 0 : count - (size_t)have;
    const cJSON *node = list->child;

    for (; node != NULL && skip > 0; skip--)
        node = node->next;
    for (; node != NULL && at < count; node = node->next)
        into[at++] = clamped(node, 0, NUMBER_MAX);
}

static void read_history(struct pk_arena *arena, const cJSON *history,
                         struct cmd_snapshot_partition *partition)
{
    static const char *const names[3] = {"Read", "Write", "Refused"};
    const cJSON *lists[3];
    int64_t *seconds[3];
    size_t count = 0;

    for (size_t i = 0; i < 3; i++) {
        size_t n;

        lists[i] = list_of(history, names[i], HISTORY_MAX, &n);
        count = n > count ? n : count;
    }
    for (size_t i = 0; i < 3; i++) {
        seconds[i] = PK_NEW_ARRAY(arena, int64_t, count);
        if (lists[i] != NULL)
            read_seconds(lists[i], seconds[i], count);
    }
    partition->history_count = count;
    partition->read_milli = seconds[0];
    partition->write_milli = seconds[1];
    partition->refused = PK_NEW_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        partition->refused[i] = seconds[2][i] > UINT32_MAX ? UINT32_MAX : (uint32_t)seconds[2][i];
}

static void read_partition(struct pk_arena *arena, const cJSON *node, void *row)
{
    static const struct list hottest = {"Hottest", HOTTEST_MAX, sizeof(struct cmd_snapshot_key),
                                        read_hottest};
    struct cmd_snapshot_partition *partition = row;
    pk_slice leader = cmd_wire_text(node, "Leader");

    *partition = (struct cmd_snapshot_partition){
        .number = u32_of(node, "Number", UINT32_MAX),
        .id = u32_of(node, "Id", UINT32_MAX),
        .parent = u32_of(node, "Parent", UINT32_MAX),
        .first_token = hex_of(node, "FirstToken"),
        .last_token = hex_of(node, "LastToken"),
        .first_key = text_of(arena, node, "FirstKey"),
        .items = (uint64_t)number_of(node, "Items"),
        .bytes = (uint64_t)number_of(node, "Bytes"),
        .splitting = cmd_wire_bool(node, "Splitting"),
        .split_due_ms = number_of(node, "SplitDue"),
        .cool_until_ms = number_of(node, "CooldownUntil"),
        .hot_seconds = u32_of(node, "HotSeconds", UINT32_MAX),
        .refusal = text_of(arena, node, "Refusal"),
        .leader = leader.len == 1 && leader.data[0] >= 'a' && leader.data[0] <= 'c' ? leader.data[0]
                                                                                    : 'a',
    };
    read_access(member(node, "Read"), &partition->read);
    read_access(member(node, "Write"), &partition->write);
    partition->hottest = read_list(arena, node, &hottest, &partition->hottest_count);
    read_history(arena, member(node, "History"), partition);
}

static void read_index(struct pk_arena *arena, const cJSON *node, void *row)
{
    struct cmd_snapshot_index *index = row;

    *index = (struct cmd_snapshot_index){
        .name = text_of(arena, node, "IndexName"),
        .local = cmd_wire_bool(node, "Local"),
        .status = text_of(arena, node, "Status"),
        .items = (uint64_t)number_of(node, "Items"),
        .bytes = (uint64_t)number_of(node, "Bytes"),
        .waiting = (uint64_t)number_of(node, "Waiting"),
        .oldest_ms = number_of(node, "OldestMs"),
        .queue_milli = number_of(node, "QueueMilli"),
        .queue_limit_milli = number_of(node, "QueueLimitMilli"),
        .throttled = (uint64_t)number_of(node, "Throttled"),
    };
    read_access(member(node, "Read"), &index->read);
    read_access(member(node, "Write"), &index->write);
}

static void read_table(struct pk_arena *arena, const cJSON *node, void *row)
{
    struct cmd_snapshot_table *table = row;

    table->name = text_of(arena, node, "TableName");
    table->items = (uint64_t)number_of(node, "Items");
    table->bytes = (uint64_t)number_of(node, "Bytes");
}

static void read_split(struct pk_arena *arena, const cJSON *node, void *row)
{
    struct cmd_snapshot_split *split = row;
    const cJSON *children = member(node, "Children");

    *split = (struct cmd_snapshot_split){
        .time_ms = number_of(node, "Time"),
        .partition = u32_of(node, "Partition", UINT32_MAX),
        .cause = text_of(arena, node, "Cause"),
    };
    for (int i = 0; i < 2 && cJSON_IsArray(children); i++)
        split->children[i] = (uint32_t)clamped(cJSON_GetArrayItem(children, i), 0, UINT32_MAX);
}

static void read_reader(struct pk_arena *arena, const cJSON *node, void *row)
{
    struct cmd_snapshot_reader *reader = row;

    *reader = (struct cmd_snapshot_reader){
        .number = u32_of(node, "Number", UINT32_MAX),
        .shard = text_of(arena, node, "ShardId"),
        .sequence = text_of(arena, node, "SequenceNumber"),
        .records = (uint64_t)number_of(node, "Records"),
        .waiting = (uint64_t)number_of(node, "Waiting"),
        .more = cmd_wire_bool(node, "More"),
        .oldest_ms = number_of(node, "OldestMs"),
        .quiet_ms = number_of(node, "QuietMs"),
    };
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void read_lists(struct pk_arena *arena, const cJSON *answer, struct cmd_snapshot *snapshot)
{
    static const struct list tables = {"Tables", TABLES_MAX, sizeof(*snapshot->tables), read_table};
    static const struct list partitions = {"Partitions", PARTITIONS_MAX,
                                           sizeof(*snapshot->partitions), read_partition};
    static const struct list hot = {"Hot", HOT_MAX, sizeof(*snapshot->hot), read_partition};
    static const struct list indexes = {"Indexes", INDEXES_MAX, sizeof(*snapshot->indexes),
                                        read_index};
    static const struct list splits = {"Splits", SPLITS_MAX, sizeof(*snapshot->splits), read_split};
    static const struct list readers = {"Readers", READERS_MAX, sizeof(*snapshot->readers),
                                        read_reader};

    snapshot->tables = read_list(arena, answer, &tables, &snapshot->table_count);
    snapshot->partitions = read_list(arena, answer, &partitions, &snapshot->count);
    snapshot->hot = read_list(arena, answer, &hot, &snapshot->hot_count);
    snapshot->indexes = read_list(arena, answer, &indexes, &snapshot->index_count);
    snapshot->splits = read_list(arena, answer, &splits, &snapshot->split_count);
    snapshot->readers = read_list(arena, answer, &readers, &snapshot->reader_count);
}

static enum cmd_throttle throttle_of(const cJSON *answer)
{
    pk_slice word = cmd_wire_text(answer, "Throttle");

    if (pk_slice_is(word, "enforce"))
        return CMD_THROTTLE_ENFORCE;
    return pk_slice_is(word, "observe") ? CMD_THROTTLE_OBSERVE : CMD_THROTTLE_OFF;
}

void cmd_snapshot_read(struct pk_arena *arena, const cJSON *answer, struct cmd_snapshot *snapshot)
{
    *snapshot = (struct cmd_snapshot){
        .time_ms = number_of(answer, "Time"),
        .paused = cmd_wire_bool(answer, "Paused"),
        .speed = u32_of(answer, "Speed", SPEED_MAX),
        .throttle = throttle_of(answer),
        .table = text_of(arena, answer, "TableName"),
        .index = text_of(arena, answer, "IndexName"),
        .on_demand = cmd_wire_bool(answer, "OnDemand"),
        .counting = cmd_wire_bool(answer, "Counting"),
        .items = (uint64_t)number_of(answer, "Items"),
        .bytes = (uint64_t)number_of(answer, "Bytes"),
        .partition_count = u32_of(answer, "PartitionCount", PARTITIONS_MAX),
    };
    read_access(member(answer, "Read"), &snapshot->read);
    read_access(member(answer, "Write"), &snapshot->write);
    read_lists(arena, answer, snapshot);
}

enum pk_code cmd_snapshot_take(struct cmd_context *context, struct pk_arena *arena,
                               const struct cmd_snapshot_request *request,
                               struct cmd_snapshot *snapshot, struct pk_error *err)
{
    uint32_t history = request->history > HISTORY_MAX ? HISTORY_MAX : request->history;
    cJSON *json = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    if (request->table.len > 0)
        cmd_wire_set_text(json, "TableName", request->table);
    if (request->index.len > 0)
        cmd_wire_set_text(json, "IndexName", request->index);
    if (history > 0)
        cmd_wire_set_int(json, "History", history);
    if (request->first > 0)
        cmd_wire_set_int(json, "First", request->first);
    if (request->limit > 0)
        cmd_wire_set_int(json, "Limit", request->limit);
    if (request->hot > 0)
        cmd_wire_set_int(json, "Hot", request->hot);
    rc = cmd_call(context, "Pksk.Snapshot", json, &answer, NULL, err);
    if (rc == PK_OK)
        cmd_snapshot_read(arena, answer, snapshot);
    cJSON_Delete(answer);
    cJSON_Delete(json);
    return rc;
}

enum pk_code cmd_snapshot_take_all(struct cmd_context *context, struct pk_arena *arena,
                                   const struct cmd_snapshot_request *request,
                                   struct cmd_snapshot *snapshot, struct pk_error *err)
{
    struct cmd_snapshot_request next = *request;
    enum pk_code rc;

    next.limit = request->limit < PAGE ? request->limit : PAGE;
    rc = cmd_snapshot_take(context, arena, &next, snapshot, err);
    while (rc == PK_OK && snapshot->count < request->limit &&
           snapshot->count < snapshot->partition_count) {
        struct cmd_snapshot more;
        struct cmd_snapshot_partition *both;
        size_t room = request->limit - snapshot->count;

        next.first = request->first + (uint32_t)snapshot->count;
        rc = cmd_snapshot_take(context, arena, &next, &more, err);
        if (rc != PK_OK || more.count == 0)
            break;
        more.count = more.count < room ? more.count : room;
        both = PK_NEW_ARRAY(arena, struct cmd_snapshot_partition, snapshot->count + more.count);
        memcpy(both, snapshot->partitions, snapshot->count * sizeof(*both));
        memcpy(both + snapshot->count, more.partitions, more.count * sizeof(*both));
        snapshot->partitions = both;
        snapshot->count += more.count;
    }
    return rc;
}
