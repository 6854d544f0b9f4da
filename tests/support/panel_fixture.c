/* See panel_fixture.h. */
#include "tests/support/panel_fixture.h"

enum { SECONDS = 300 };

/* 2026-08-13T12:00:07Z */
static const int64_t NOON = INT64_C(1786622407000);

void panel_fixture_release(struct panel_fixture *fixture)
{
    pk_arena_release(&fixture->arena);
}

/* ---- partitions ------------------------------------------------------------------------------ */

/* A small generator of its own: the goldens must not change when another one does. */
static uint32_t noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

struct shape {
    uint64_t items, bytes;
    int64_t read, write; /* units a second, about */
    int hot_for;         /* the last seconds run at the limit, and throttle */
    const char *key;
    uint32_t share;
};

static void add_history(struct panel_fixture *fixture, struct cmd_snapshot_partition *partition,
                        const struct shape *shape, size_t seconds)
{
    uint32_t state = partition->id * 7919u + 17u;

    partition->history_count = seconds;
    partition->read_milli = PK_NEW_ARRAY(&fixture->arena, int64_t, seconds);
    partition->write_milli = PK_NEW_ARRAY(&fixture->arena, int64_t, seconds);
    partition->refused = PK_NEW_ARRAY(&fixture->arena, uint32_t, seconds);
    for (size_t i = 0; i < seconds; i++) {
        bool hot = seconds - i <= (size_t)shape->hot_for;
        int64_t wave = 60 + (int64_t)(noise(&state) % 80);

        partition->read_milli[i] = hot ? partition->read.limit * 1000 : shape->read * wave * 10;
        partition->write_milli[i] = shape->write * wave * 10;
        partition->refused[i] = hot && seconds - i < (size_t)shape->hot_for ? 4783 : 0;
    }
}

static void shape_partition(struct panel_fixture *fixture, struct cmd_snapshot_partition *partition,
                            const struct shape *shape)
{
    bool hot = shape->hot_for > 0;

    partition->items = shape->items;
    partition->bytes = shape->bytes;
    partition->leader = (char)('a' + partition->number % 3);
    partition->read.limit = 3000;
    partition->write.limit = 1000;
    partition->read.consumed = hot ? 3000000 : shape->read * 1000;
    partition->write.consumed = shape->write * 1000;
    partition->read.admitted = (uint64_t)(hot ? 3000 : shape->read);
    partition->read.refused = hot ? 4783 : 0;
    partition->write.admitted = (uint64_t)shape->write;
    partition->read.throttled[CMD_LIMIT_KEY_RANGE] = hot ? 9566 : 0;
    partition->hot_seconds = (uint32_t)shape->hot_for;
    if (shape->key != NULL) {
        partition->hottest = PK_NEW_ARRAY(&fixture->arena, struct cmd_snapshot_key, 1);
        partition->hottest[0] = (struct cmd_snapshot_key){pk_slice_cstr(shape->key), shape->share};
        partition->hottest_count = 1;
    }
    add_history(fixture, partition, shape, SECONDS);
}

static void set_tokens(struct cmd_snapshot_partition *partition, uint32_t i, uint32_t n)
{
    uint64_t width = UINT64_MAX / n;

    partition->number = i;
    partition->id = i + 1;
    partition->parent = i + 1;
    partition->first_token = width * i + (i > 0 ? i : 0);
    partition->last_token = i + 1 == n ? UINT64_MAX : width * (i + 1) + i;
}

/* ---- collections ----------------------------------------------------------------------------- */

struct row {
    const char *hash, *sort, *item;
    uint64_t bytes;
    enum cmd_row_read read;
    uint32_t partition;
};

/* Rows of one partition key in a row become a collection. */
static void set_rows(struct panel_fixture *fixture, const struct row *rows, size_t count)
{
    struct cmd_viewport *viewport = &fixture->viewport;
    struct cmd_viewport_row *out =
        PK_NEW_ARRAY(&fixture->arena, struct cmd_viewport_row, count + 1);
    struct cmd_viewport_collection *last = NULL;

    viewport->collections =
        PK_NEW_ARRAY(&fixture->arena, struct cmd_viewport_collection, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (last == NULL || !pk_slice_is(last->hash, rows[i].hash)) {
            last = &viewport->collections[viewport->count++];
            last->hash = pk_slice_cstr(rows[i].hash);
            last->partition = rows[i].partition;
            last->rows = &out[i];
        }
        out[i] = (struct cmd_viewport_row){
            .key = pk_arena_printf(&fixture->arena, "{\"PK\":{\"S\":\"%s\"},\"SK\":{\"S\":\"%s\"}}",
                                   rows[i].hash, rows[i].sort),
            .sort = pk_slice_cstr(rows[i].sort),
            .bytes = rows[i].bytes,
            .item = pk_slice_cstr(rows[i].item),
            .read = rows[i].read};
        last->row_count++;
        last->items++;
        last->bytes += rows[i].bytes;
    }
}

/* In the order of their tokens. */
static const struct row DASHBOARD[] = {
    {"USER#999", "ORDER#55", "total 12.5", 27, CMD_ROW_UNREAD, 0},
    {"USER#999", "PROFILE", "name 'Grace'", 27, CMD_ROW_UNREAD, 0},
    {"USER#123", "ORDER#1001", "total 45", 29, CMD_ROW_RETURNED, 1},
    {"USER#123", "ORDER#1002", "total 12.5", 30, CMD_ROW_FILTERED, 1},
    {"USER#123", "ORDER#1003", "tags <<'new'>> · total 30", 36, CMD_ROW_RETURNED, 1},
    {"USER#123", "PAYMENT#5", "status 'paid'", 31, CMD_ROW_UNREAD, 1},
    {"USER#123", "PROFILE", "name 'Alice'", 400, CMD_ROW_UNREAD, 1},
    {"USER#204", "PROFILE", "name 'Barbara'", 398, CMD_ROW_UNREAD, 1},
    {"USER#1", "PROFILE", "name 'Ada' · plan 'team' · seats 40", 400, CMD_ROW_UNREAD, 2},
    {"USER#17", "PROFILE", "name 'Edsger'", 412, CMD_ROW_UNREAD, 3},
    {"USER#17", "SESSION#a", "expires 1786629607", 44, CMD_ROW_UNREAD, 3},
};

/* ---- records --------------------------------------------------------------------------------- */

struct change {
    int ago;
    const char *event, *key, *changes, *cause;
    uint32_t partition;
};
static const struct change CHANGES[] = {
    {9, "INSERT", "USER#17 SESSION#a", "expires – → 1786629607", "USER", 3},
    {7, "MODIFY", "USER#123 PROFILE", "name 'Alicia' → 'Alice' · seen – → 1786622400", "USER", 1},
    {4, "INSERT", "ACCOUNT#9 LEDGER#1", "amount – → -25", "TRANSACTION", 0},
    {4, "MODIFY", "ACCOUNT#9 BALANCE", "amount 100 → 75", "TRANSACTION", 0},
    {2, "INSERT", "USER#123 ORDER#1003", "total – → 30 · tags – → <<'new'>>", "USER", 1},
    {1, "MODIFY", "USER#999 ORDER#55", "total 9.99 → 12.5", "USER", 0},
    {0, "REMOVE", "USER#7 SESSION#a", "expires 1786600000 → –", "TTL", 2},
};

static void set_records(struct panel_fixture *fixture)
{
    size_t count = sizeof(CHANGES) / sizeof(*CHANGES);
    struct cmd_tail_record *records = PK_NEW_ARRAY(&fixture->arena, struct cmd_tail_record, count);

    for (size_t i = 0; i < count; i++)
        records[i] = (struct cmd_tail_record){
            .number = i + 1,
            .time_ms = fixture->snapshot.time_ms - CHANGES[i].ago * 1000,
            .table = fixture->snapshot.table,
            .event = pk_slice_cstr(CHANGES[i].event),
            .cause = pk_slice_cstr(CHANGES[i].cause),
            .shard = pk_arena_printf(&fixture->arena, "shardId-00000001786622000000-%08x",
                                     CHANGES[i].partition),
            .key = pk_slice_cstr(CHANGES[i].key),
            .changes = pk_slice_cstr(CHANGES[i].changes),
            .partition = CHANGES[i].partition};
    fixture->frame.records = records;
    fixture->frame.record_count = count;
}

/* ---- whole frames ---------------------------------------------------------------------------- */

static void start(struct panel_fixture *fixture)
{
    *fixture = (struct panel_fixture){.arena = PK_ARENA_INIT};
    fixture->snapshot.time_ms = NOON;
    fixture->snapshot.speed = 1;
    fixture->snapshot.throttle = CMD_THROTTLE_ENFORCE;
    fixture->snapshot.on_demand = true;
    fixture->frame = (struct sh_frame){.snapshot = &fixture->snapshot,
                                       .viewport = &fixture->viewport,
                                       .prompt = true,
                                       .look = {.colours = 256, .utf8 = true}};
}

static void set_partitions(struct panel_fixture *fixture, uint32_t n)
{
    fixture->snapshot.partitions =
        PK_NEW_ARRAY(&fixture->arena, struct cmd_snapshot_partition, n + 1);
    fixture->snapshot.count = n;
    fixture->snapshot.partition_count = n;
    for (uint32_t i = 0; i < n; i++)
        set_tokens(&fixture->snapshot.partitions[i], i, n);
}

static void sum_up(struct panel_fixture *fixture)
{
    struct cmd_snapshot *snapshot = &fixture->snapshot;

    for (size_t i = 0; i < snapshot->count; i++) {
        const struct cmd_snapshot_partition *partition = &snapshot->partitions[i];

        snapshot->items += partition->items;
        snapshot->bytes += partition->bytes;
        snapshot->read.admitted += partition->read.admitted;
        snapshot->read.refused += partition->read.refused;
        snapshot->read.consumed += partition->read.consumed;
        snapshot->write.admitted += partition->write.admitted;
        snapshot->write.consumed += partition->write.consumed;
    }
    snapshot->read.limit = 12000;
    snapshot->write.limit = 4000;
}

static void set_indexes(struct panel_fixture *fixture)
{
    struct cmd_snapshot_index *indexes =
        PK_NEW_ARRAY(&fixture->arena, struct cmd_snapshot_index, 3);

    indexes[0] = (struct cmd_snapshot_index){.name = PK_LIT("by_total"),
                                             .status = PK_LIT("ACTIVE"),
                                             .items = 118,
                                             .bytes = 14200,
                                             .waiting = 1204,
                                             .oldest_ms = 340,
                                             .queue_milli = 20000,
                                             .queue_limit_milli = 20000,
                                             .read = {.limit = 3000, .consumed = 12000},
                                             .write = {.limit = 40, .consumed = 40000},
                                             .throttled = 311};
    indexes[1] = (struct cmd_snapshot_index){.name = PK_LIT("by_name"),
                                             .status = PK_LIT("ACTIVE"),
                                             .items = 301,
                                             .bytes = 31000,
                                             .queue_limit_milli = 20000,
                                             .read = {.limit = 3000, .consumed = 0},
                                             .write = {.limit = 1000, .consumed = 28000}};
    indexes[2] = (struct cmd_snapshot_index){.name = PK_LIT("by_date"),
                                             .local = true,
                                             .status = PK_LIT("ACTIVE"),
                                             .items = 306,
                                             .bytes = 40100};
    fixture->snapshot.indexes = indexes;
    fixture->snapshot.index_count = 3;
}

/* Two applications, one of which has stopped, and one that has only begun. */
static void set_readers(struct panel_fixture *fixture)
{
    const struct cmd_snapshot_reader readers[] = {
        {.number = 1,
         .shard = PK_LIT("shardId-00000001786622000000-00000001"),
         .sequence = PK_LIT("100000000000000004711"),
         .records = 311},
        {.number = 2,
         .shard = PK_LIT("shardId-00000001786622000000-00000002"),
         .waiting = 12,
         .oldest_ms = 4000},
        {.number = 3,
         .shard = PK_LIT("shardId-00000001786622000000-00000001"),
         .sequence = PK_LIT("100000000000000000042"),
         .records = 40,
         .waiting = 31000,
         .more = true,
         .oldest_ms = 5400000,
         .quiet_ms = 47000},
    };

    fixture->snapshot.reader_count = sizeof(readers) / sizeof(*readers);
    fixture->snapshot.readers =
        PK_NEW_ARRAY(&fixture->arena, struct cmd_snapshot_reader, fixture->snapshot.reader_count);
    memcpy(fixture->snapshot.readers, readers, sizeof(readers));
}

static const struct shape HOT[] = {
    {70, 27238, 682, 12, 0, "USER#44", 21},
    {84, 32154, 803, 9, 0, "USER#123", 34},
    {79, 31642, 700, 15, 38, "USER#1", 904},
    {73, 29184, 732, 8, 0, "USER#17", 28},
};

void panel_fixture_hot(struct panel_fixture *fixture)
{
    start(fixture);
    fixture->snapshot.table = PK_LIT("dashboard");
    set_partitions(fixture, 4);
    for (size_t i = 0; i < 4; i++)
        shape_partition(fixture, &fixture->snapshot.partitions[i], &HOT[i]);
    sum_up(fixture);
    set_indexes(fixture);
    set_readers(fixture);
    set_rows(fixture, DASHBOARD, sizeof(DASHBOARD) / sizeof(*DASHBOARD));
    set_records(fixture);
    fixture->traffic[0] = (struct sh_traffic){PK_LIT("viral"), 10000, PK_LIT("hot(70% USER#1)")};
    fixture->frame.traffic = fixture->traffic;
    fixture->frame.traffic_count = 1;
    fixture->frame.last = PK_LIT("Query · partition 1 of 4 · 0.5 RCU");
}

void panel_fixture_provisioned(struct panel_fixture *fixture)
{
    panel_fixture_hot(fixture);
    fixture->snapshot.on_demand = false;
    fixture->snapshot.paused = true;
    for (size_t i = 0; i < 4; i++) {
        struct cmd_snapshot_access *read = &fixture->snapshot.partitions[i].read;

        read->burst_max_milli = 900000;
        read->burst_milli = i == 2 ? 0 : 900000 - (int64_t)i * 117000;
        read->throttled[CMD_LIMIT_PROVISIONED] = i == 2 ? 12 : 0;
    }
}

/* The children know what came after the split only. */
static void set_child(struct panel_fixture *fixture, struct cmd_snapshot_partition *child,
                      const struct shape *shape, size_t seconds)
{
    shape_partition(fixture, child, shape);
    add_history(fixture, child, shape, seconds);
    child->parent = 3;
    child->cool_until_ms = fixture->snapshot.time_ms + 268000;
}

void panel_fixture_split(struct panel_fixture *fixture)
{
    static const struct shape children[] = {{41, 16400, 2400, 15, 0, "USER#1", 961},
                                            {38, 15242, 310, 11, 0, "USER#88", 40}};
    struct cmd_snapshot_partition *partitions = NULL;
    struct cmd_snapshot_split *split = NULL;

    start(fixture);
    fixture->snapshot.table = PK_LIT("dashboard");
    fixture->snapshot.time_ms = NOON + 32000;
    set_partitions(fixture, 5);
    partitions = fixture->snapshot.partitions;
    for (uint32_t i = 0; i < 2; i++) {
        set_tokens(&partitions[i], i, 4);
        shape_partition(fixture, &partitions[i], &HOT[i]);
    }
    set_tokens(&partitions[4], 3, 4);
    partitions[4].number = 4;
    shape_partition(fixture, &partitions[4], &HOT[3]);
    for (uint32_t i = 0; i < 2; i++) {
        set_tokens(&partitions[2 + i], 4 + i, 8);
        partitions[2 + i].number = 2 + i;
        partitions[2 + i].id = 5 + i;
        set_child(fixture, &partitions[2 + i], &children[i], 32);
    }
    sum_up(fixture);
    split = PK_NEW(&fixture->arena, struct cmd_snapshot_split);
    *split = (struct cmd_snapshot_split){NOON + 500, 3, {5, 6}, PK_LIT("HEAT")};
    fixture->snapshot.splits = split;
    fixture->snapshot.split_count = 1;
    set_rows(fixture, DASHBOARD, sizeof(DASHBOARD) / sizeof(*DASHBOARD));
    set_records(fixture);
}

void panel_fixture_no_table(struct panel_fixture *fixture)
{
    start(fixture);
    fixture->frame.viewport = NULL;
}

void panel_fixture_empty(struct panel_fixture *fixture)
{
    start(fixture);
    fixture->snapshot.table = PK_LIT("orders");
    set_partitions(fixture, 1);
    fixture->snapshot.partitions[0].leader = 'a';
    fixture->snapshot.partitions[0].read.limit = 3000;
    fixture->snapshot.partitions[0].write.limit = 1000;
}

/* The hottest of all, of which most are not loaded. */
static void set_hot(struct panel_fixture *fixture, const struct shape *hot)
{
    static const uint32_t numbers[] = {131, 4711, 7300, 9998};
    struct cmd_snapshot *snapshot = &fixture->snapshot;

    snapshot->hot_count = sizeof(numbers) / sizeof(*numbers);
    snapshot->hot =
        PK_NEW_ARRAY(&fixture->arena, struct cmd_snapshot_partition, snapshot->hot_count);
    for (size_t i = 0; i < snapshot->hot_count; i++) {
        set_tokens(&snapshot->hot[i], numbers[i], snapshot->partition_count);
        shape_partition(fixture, &snapshot->hot[i], hot);
    }
}

void panel_fixture_many(struct panel_fixture *fixture, uint32_t partitions, uint32_t first,
                        uint32_t loaded)
{
    static const struct shape hot = {900, 412000, 900, 20, 12, "DEVICE#7 2026-08-13", 620};
    struct shape cool = {800, 380000, 40, 20, 0, NULL, 0};

    start(fixture);
    fixture->snapshot.table = PK_LIT("telemetry");
    fixture->snapshot.throttle = CMD_THROTTLE_OBSERVE;
    set_partitions(fixture, loaded);
    fixture->snapshot.partition_count = partitions;
    for (uint32_t i = 0; i < loaded; i++) {
        set_tokens(&fixture->snapshot.partitions[i], first + i, partitions);
        cool.read = 10 + (first + i) % 11 * 150;
        shape_partition(fixture, &fixture->snapshot.partitions[i],
                        (first + i) % 37 == 20 ? &hot : &cool);
    }
    if (partitions == 10000)
        set_hot(fixture, &hot);
    sum_up(fixture);
}

void panel_fixture_collections(struct panel_fixture *fixture, size_t collections)
{
    struct row *rows = NULL;

    start(fixture);
    fixture->snapshot.table = PK_LIT("dashboard");
    rows = PK_NEW_ARRAY(&fixture->arena, struct row, collections * 3);
    for (size_t i = 0; i < collections * 3; i++) {
        static const char *const sorts[] = {"ORDER#1", "ORDER#2", "PROFILE"};

        rows[i] = (struct row){pk_arena_printf(&fixture->arena, "USER#%05zu", i / 3).data,
                               sorts[i % 3],
                               "total 1",
                               20 + i % 7,
                               CMD_ROW_UNREAD,
                               0};
    }
    set_partitions(fixture, 1);
    set_rows(fixture, rows, collections * 3);
    fixture->snapshot.items = collections * 3;
}

void panel_fixture_hostile(struct panel_fixture *fixture)
{
    static const struct row rows[] = {
        {"\033[2J\033[31mRED", "a\r\nb", "x '\033]0;title\007'", 10, CMD_ROW_RETURNED, 0},
        {"日本語テーブル", "注文#一", "名前 '太郎' · 値段 12", 20, CMD_ROW_FILTERED, 0},
        {"日本語テーブル", "配送#二", "状態 '発送済み'", 22, CMD_ROW_UNREAD, 0},
        {"e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85\xcc\x86\xcc\x87", "\xcc\x81mark first", "zalgo",
         30, CMD_ROW_UNREAD, 0},
        {"bad \xff\xfe bytes", "\xc3", "cut \xe6\x97", 40, CMD_ROW_RETURNED, 0},
        {"👩‍👩‍👧 family", "❤️ heart", "flag 🇩🇪", 50, CMD_ROW_UNREAD, 0},
        {"\xe2\x80\xaeright to left", "tab\there", "nul \xc0\x80", 60, CMD_ROW_UNREAD, 0},
    };

    panel_fixture_hot(fixture);
    fixture->viewport = (struct cmd_viewport){0};
    set_rows(fixture, rows, sizeof(rows) / sizeof(*rows));
    fixture->snapshot.table = PK_LIT("日本\033[5m");
    fixture->snapshot.partitions[2].hottest[0].text = PK_LIT("キー\033[7m#1");
    fixture->snapshot.partitions[1].first_key = PK_LIT("境界\n");
    fixture->snapshot.indexes[0].name = PK_LIT("\033[0mby_全体");
    fixture->frame.last = PK_LIT("\033cQuery");
    fixture->traffic[0].name = PK_LIT("\033[31mウイルス");
}
