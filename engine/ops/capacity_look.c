/* Snapshots (snapshot.h): figures are copied under the capacity's lock, keys decoded after it. */
#include <stdlib.h>
#include <string.h>

#include "engine/ops/capacity.h"
#include "engine/ops/stream_look.h"
#include "engine/ops/table_log.h"
#include "engine/snapshot.h"
#include "engine/store/key_code.h"
#include "engine/store/layout.h"
#include "engine/store/position.h"
#include "engine/table/descriptor.h"

struct looking {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_snapshot_request *request;
    struct pk_snapshot *snapshot;
    struct pk_capacity_side *side; /* under the lock */
    bool queues;
};

/* Accesses -------------------------------------------------------------------------------------*/

static void look_throttled(const struct pk_partition *partition, enum pk_access access,
                           struct pk_access_look *look)
{
    const uint64_t *by = partition->throttled[access];

    look->throttled[PK_LIMIT_KEY_RANGE] = by[PK_THROTTLE_KEY_RANGE];
    look->throttled[PK_LIMIT_PROVISIONED] = by[PK_THROTTLE_PROVISIONED];
    look->throttled[PK_LIMIT_MAX_ON_DEMAND] = by[PK_THROTTLE_MAX_ON_DEMAND];
    look->throttled[PK_LIMIT_ACCOUNT] = by[PK_THROTTLE_ACCOUNT];
}

/* Modes with shares: what a partition has of the table's throughput limits it, too. */
static bool has_share(const struct pk_admission *admission)
{
    return !admission->limits.on_demand && admission->limits.mode != PK_ADMISSION_GAC;
}

static struct pk_second last_second(const struct pk_partition_set *set,
                                    const struct pk_partition *partition)
{
    if (partition->history == NULL || set->seconds == 0)
        return (struct pk_second){.milli = {0}};
    return partition->history[(set->seconds - 1) % PK_HISTORY_SECONDS];
}

static struct pk_access_look look_partition_access(const struct pk_partition_set *set, size_t i,
                                                   enum pk_access access, int64_t now_ms)
{
    const struct pk_admission *admission = &set->admission[access];
    struct pk_admission_partition buckets = admission->partitions[i];
    struct pk_second last = last_second(set, &set->list[i]);
    struct pk_access_look look = {
        .limit = admission->limits.partition,
        .consumed_milli = last.milli[access],
        .admitted = last.admitted[access],
        .refused = last.refused[access],
    };

    pk_bucket_refill(&buckets.hard, now_ms);
    look.level_milli = buckets.hard.level;
    if (has_share(admission)) {
        pk_burst_refill(&buckets.share, now_ms);
        if (buckets.share.base.rate < look.limit)
            look.limit = buckets.share.base.rate;
        if (buckets.share.base.level < look.level_milli)
            look.level_milli = buckets.share.base.level;
        look.burst_milli = buckets.share.saved;
        look.burst_max_milli = buckets.share.saved_max;
    }
    look_throttled(&set->list[i], access, &look);
    return look;
}

static int64_t limit_of_all(const struct pk_admission *admission)
{
    const struct pk_admission_limits *limits = &admission->limits;

    if (!limits->on_demand)
        return limits->provisioned;
    return limits->max_on_demand > 0 && limits->max_on_demand < limits->quota
               ? limits->max_on_demand
               : limits->quota;
}

static struct pk_access_look look_access(const struct pk_capacity_side *side, enum pk_access access,
                                         int64_t now_ms)
{
    const struct pk_partition_set *set = &side->set;
    const struct pk_admission *admission = &set->admission[access];
    struct pk_burst table = admission->table;
    struct pk_access_look look = {
        .limit = limit_of_all(admission),
        .warm = side->growth[access].warm,
        .max = admission->limits.max_on_demand,
    };

    if (!admission->limits.on_demand) {
        pk_burst_refill(&table, now_ms);
        look.level_milli = table.base.level;
        look.burst_milli = table.saved;
        look.burst_max_milli = table.saved_max;
    }
    for (size_t i = 0; i < set->count; i++) {
        struct pk_second last = last_second(set, &set->list[i]);

        look.consumed_milli += last.milli[access];
        look.admitted += last.admitted[access];
        look.refused += last.refused[access];
        look_throttled(&set->list[i], access, &look);
    }
    return look;
}

/* Keys -----------------------------------------------------------------------------------------*/

/* What a position says of the key, as far as it goes. */
static pk_value key_of(const struct looking *looking, pk_slice position)
{
    const struct pk_key_schema *key = looking->snapshot->index == NULL
                                          ? &looking->snapshot->table->key
                                          : &looking->snapshot->index->key;
    struct pk_arena *arena = looking->call->arena;
    pk_slice rest = pk_position_codes(position);
    struct pk_member_vec members = {0};
    size_t count = (size_t)key->hash_count + key->range_count;

    for (size_t i = 0; i < count && rest.len > 0; i++) {
        const struct pk_key_attr *attr =
            i < key->hash_count ? &key->hash[i] : &key->range[i - key->hash_count];
        pk_value value;

        if (!pk_key_take_value(&rest, arena, &value))
            break;
        pk_member_vec_add(&members, arena, attr->name, value);
    }
    return members.len == 0 ? pk_value_missing() : pk_value_map(members.data, members.len);
}

static pk_slice kept(const struct looking *looking, pk_slice position)
{
    return pk_arena_dup(looking->call->arena, position);
}

/* Partitions -----------------------------------------------------------------------------------*/

static void look_history(const struct looking *looking, const struct pk_partition *partition,
                         struct pk_partition_look *look)
{
    const struct pk_partition_set *set = &looking->side->set;
    uint64_t count = looking->request->history;

    if (count > PK_SNAPSHOT_HISTORY_MAX)
        count = PK_SNAPSHOT_HISTORY_MAX;
    if (count > set->seconds)
        count = set->seconds;
    look->history = PK_NEW_ARRAY(looking->call->arena, struct pk_second_look, count);
    look->history_count = count;
    for (uint64_t i = 0; i < count && partition->history != NULL; i++) {
        const struct pk_second *second =
            &partition->history[(set->seconds - count + i) % PK_HISTORY_SECONDS];

        look->history[i] = (struct pk_second_look){
            second->milli[PK_ACCESS_READ], second->milli[PK_ACCESS_WRITE],
            second->refused[PK_ACCESS_READ] + second->refused[PK_ACCESS_WRITE]};
    }
}

static void look_hottest(const struct looking *looking, const struct pk_partition *partition,
                         struct pk_partition_look *look)
{
    struct pk_heat_top top[PK_SNAPSHOT_HOTTEST];

    look->hottest_count = pk_heat_hottest(&partition->heat, top, PK_SNAPSHOT_HOTTEST);
    for (size_t i = 0; i < look->hottest_count; i++)
        look->hottest[i] = (struct pk_hot_key){key_of(looking, kept(looking, top[i].position)),
                                               top[i].share_milli};
}

static struct pk_counts counts_of(struct pk_tally tally)
{
    return (struct pk_counts){tally.items < 0 ? 0 : (uint64_t)tally.items,
                              tally.bytes < 0 ? 0 : (uint64_t)tally.bytes};
}

static uint64_t token_at(const struct pk_partition *partition)
{
    return pk_position_token((pk_slice){partition->first, partition->first_len});
}

static void look_partition(const struct looking *looking, size_t i, int64_t now_ms,
                           struct pk_partition_look *look)
{
    const struct pk_partition_set *set = &looking->side->set;
    const struct pk_partition *partition = &set->list[i];
    const struct pk_counters *counters = pk_table_counters(looking->snapshot->table);
    uint32_t index_id = looking->side->index_id;
    bool ends_in_collection = i + 1 < set->count && set->list[i + 1].first_len > PK_TOKEN_LEN;

    *look = (struct pk_partition_look){
        .number = (uint32_t)i,
        .id = partition->id,
        .parent = partition->parent,
        .first_token = token_at(partition),
        .last_token =
            i + 1 == set->count ? UINT64_MAX : token_at(&set->list[i + 1]) - !ends_in_collection,
        .first_key = pk_value_missing(),
        .counts = counts_of(index_id == 0
                                ? pk_counters_partition(counters, partition->id)
                                : pk_counters_index_partition(counters, index_id, partition->id)),
        .splitting = partition->state == PK_PARTITION_SPLITTING,
        .split_due_ms = partition->state == PK_PARTITION_SPLITTING ? partition->split_due_ms : 0,
        .cool_until_ms = partition->cool_until_ms > now_ms ? partition->cool_until_ms : 0,
        .hot_seconds = (uint32_t)partition->heat.hot_run,
        .refusal = pk_split_verdict_name(partition->refusal),
        .read = look_partition_access(set, i, PK_ACCESS_READ, now_ms),
        .write = look_partition_access(set, i, PK_ACCESS_WRITE, now_ms),
    };
    if (partition->first_len > PK_TOKEN_LEN)
        look->first_key =
            key_of(looking, kept(looking, (pk_slice){partition->first, partition->first_len}));
    look_hottest(looking, partition, look);
    look_history(looking, partition, look);
}

static void look_partitions(const struct looking *looking, int64_t now_ms)
{
    struct pk_snapshot *snapshot = looking->snapshot;
    size_t all = looking->side->set.count, first = looking->request->first;

    snapshot->partition_count = (uint32_t)all;
    snapshot->count = first >= all ? 0 : all - first;
    if (snapshot->count > looking->request->limit)
        snapshot->count = looking->request->limit;
    snapshot->partitions =
        PK_NEW_ARRAY(looking->call->arena, struct pk_partition_look, snapshot->count);
    for (size_t i = 0; i < snapshot->count; i++)
        look_partition(looking, first + i, now_ms, &snapshot->partitions[i]);
}

/* The hottest ----------------------------------------------------------------------------------*/

struct heat {
    size_t i;
    int64_t share; /* of its limit, thousandths: of reads or of writes, whichever is more */
    uint64_t refused;
};

static struct heat heat_of(const struct pk_partition_set *set, size_t i)
{
    struct pk_second last = last_second(set, &set->list[i]);
    struct heat heat = {.i = i};

    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        int64_t limit = set->admission[access].limits.partition;
        int64_t share = limit > 0 ? last.milli[access] / limit : 0;

        heat.share = share > heat.share ? share : heat.share;
        heat.refused += last.refused[access];
    }
    return heat;
}

static bool is_hotter(const struct heat *a, const struct heat *b)
{
    return a->share != b->share ? a->share > b->share : a->refused > b->refused;
}

static int by_number(const void *a, const void *b)
{
    const struct heat *first = a;
    const struct heat *second = b;

    return first->i < second->i ? -1 : first->i > second->i;
}

/* The hottest ones, at most `most`, in the order of their numbers. */
static size_t find_hottest(const struct pk_partition_set *set, struct heat *hottest, size_t most)
{
    size_t count = 0;

    for (size_t i = 0; i < set->count; i++) {
        struct heat heat = heat_of(set, i);
        size_t at = count;

        while (at > 0 && is_hotter(&heat, &hottest[at - 1]))
            at--;
        if (at >= most || (heat.share == 0 && heat.refused == 0))
            continue;
        if (count < most)
            count++;
        memmove(&hottest[at + 1], &hottest[at], (count - 1 - at) * sizeof(*hottest));
        hottest[at] = heat;
    }
    if (count > 0)
        qsort(hottest, count, sizeof(*hottest), by_number);
    return count;
}

static void look_hot(const struct looking *looking, int64_t now_ms)
{
    struct pk_snapshot *snapshot = looking->snapshot;
    size_t most = looking->request->hot;
    struct heat hottest[PK_SNAPSHOT_HOT_MAX];

    if (snapshot->count == snapshot->partition_count)
        return;
    most = most < PK_SNAPSHOT_HOT_MAX ? most : PK_SNAPSHOT_HOT_MAX;
    snapshot->hot_count = find_hottest(&looking->side->set, hottest, most);
    snapshot->hot =
        PK_NEW_ARRAY(looking->call->arena, struct pk_partition_look, snapshot->hot_count);
    for (size_t i = 0; i < snapshot->hot_count; i++)
        look_partition(looking, hottest[i].i, now_ms, &snapshot->hot[i]);
}

/* The rest -------------------------------------------------------------------------------------*/

static const char *cause_name(enum pk_split_cause cause)
{
    switch (cause) {
    case PK_SPLIT_FOR_HEAT:
        return "HEAT";
    case PK_SPLIT_FOR_SIZE:
        return "SIZE";
    case PK_SPLIT_FOR_THROUGHPUT:
        return "THROUGHPUT";
    }
    return "";
}

static void look_splits(const struct looking *looking, const struct pk_capacity *capacity)
{
    struct pk_snapshot *snapshot = looking->snapshot;
    uint64_t kept_count =
        capacity->split_count < PK_SPLITS_KEPT ? capacity->split_count : PK_SPLITS_KEPT;

    snapshot->splits = PK_NEW_ARRAY(looking->call->arena, struct pk_split_look, kept_count);
    for (uint64_t i = capacity->split_count - kept_count; i < capacity->split_count; i++) {
        const struct pk_split_note *note = &capacity->splits[i % PK_SPLITS_KEPT];

        if (note->index_id == looking->side->index_id)
            snapshot->splits[snapshot->split_count++] =
                (struct pk_split_look){.time_ms = note->time_ms,
                                       .partition = note->parent,
                                       .children = {note->children[0], note->children[1]},
                                       .cause = cause_name(note->cause)};
    }
}

static void look_indexes(const struct looking *looking, struct pk_capacity *capacity,
                         int64_t now_ms)
{
    const struct pk_table *table = looking->snapshot->table;
    struct pk_index_look *looks =
        PK_NEW_ARRAY(looking->call->arena, struct pk_index_look, table->index_count);

    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];
        const struct pk_capacity_side *side =
            index->local ? NULL : pk__capacity_side(capacity, index->id);

        looks[i].index = index;
        looks[i].counts = counts_of(pk_counters_index(pk_table_counters(table), index->id));
        if (side == NULL)
            continue;
        looks[i].read = look_access(side, PK_ACCESS_READ, now_ms);
        looks[i].write = look_access(side, PK_ACCESS_WRITE, now_ms);
        looks[i].blocked = side->blocked;
        looks[i].queue_milli = side->queue_milli;
        looks[i].queue_limit_milli = looking->queues ? side->queue_max_milli : 0;
    }
    looking->snapshot->indexes = looks;
}

static enum pk_code look_lags(const struct looking *looking, struct pk_error *err)
{
    const struct pk_table *table = looking->snapshot->table;
    enum pk_code rc = PK_OK;

    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++)
        rc = pk_engine_index_lag(looking->engine, looking->call, table, &table->indexes[i],
                                 &looking->snapshot->indexes[i].lag, err);
    return rc;
}

static void look(struct looking *looking)
{
    struct pk_snapshot *snapshot = looking->snapshot;
    struct pk_capacity *capacity = pk_capacity_of(snapshot->table);
    int64_t now_ms = pk_clock_now(&looking->engine->clock);

    pthread_mutex_lock(&capacity->lock);
    if (capacity->defined)
        pk__capacity_roll(capacity, now_ms);
    looking->side = pk__capacity_side(capacity, snapshot->index == NULL ? 0 : snapshot->index->id);
    if (looking->side != NULL) {
        snapshot->read = look_access(looking->side, PK_ACCESS_READ, now_ms);
        snapshot->write = look_access(looking->side, PK_ACCESS_WRITE, now_ms);
        look_partitions(looking, now_ms);
        look_hot(looking, now_ms);
        look_splits(looking, capacity);
    }
    if (snapshot->index == NULL)
        look_indexes(looking, capacity, now_ms);
    pthread_mutex_unlock(&capacity->lock);
}

static enum pk_code find_index(struct pk_snapshot *snapshot, pk_slice name, struct pk_error *err)
{
    if (name.data == NULL)
        return PK_OK;
    snapshot->index = pk_table_index(snapshot->table, name);
    if (snapshot->index == NULL)
        return pk_fail(err, PK_E_VALIDATION, "The table does not have the specified index: %.*s",
                       PK_FMT(name));
    /* A local index lies in the table's partitions. */
    if (snapshot->index->local)
        snapshot->index = NULL;
    return PK_OK;
}

enum pk_code pk_engine_snapshot(struct pk_engine *engine, struct pk_call *call,
                                const struct pk_snapshot_request *request,
                                struct pk_snapshot *snapshot, struct pk_error *err)
{
    struct looking looking = {engine, call, request, snapshot, NULL, pk_capacity_queues(engine)};
    struct pk_counters *counters;
    enum pk_code rc;

    *snapshot = (struct pk_snapshot){.table = NULL};
    rc = pk_engine_need_table(engine, request->table, &snapshot->table, err);
    if (rc == PK_OK)
        rc = find_index(snapshot, request->index, err);
    if (rc != PK_OK)
        return rc;
    if (!pk_capacity_of(snapshot->table)->defined)
        pk_capacity_define(engine, snapshot->table);
    counters = pk_table_counters(snapshot->table);
    snapshot->counting = atomic_load(&engine->recount.running);
    snapshot->counts =
        counts_of(snapshot->index == NULL ? pk_counters_total(counters)
                                          : pk_counters_index(counters, snapshot->index->id));
    look(&looking);
    if (snapshot->index != NULL)
        return PK_OK;
    rc = look_lags(&looking, err);
    return rc == PK_OK ? pk_stream_look(engine, call, snapshot, err) : rc;
}

void pk_snapshot_release(struct pk_snapshot *snapshot)
{
    if (snapshot->table != NULL)
        pk_table_unref(snapshot->table);
    snapshot->table = NULL;
}
