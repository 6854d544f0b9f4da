/* Definitions and admission; time is in capacity_tick.c, the exceptions in capacity_error.c. */
#include "engine/ops/capacity.h"

#include <stdlib.h>

#include "engine/ops/table_log.h"
#include "engine/store/key_code.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"

enum { MS = 1000, TOKEN_LEN = 8 };

struct pk_capacity *pk_capacity_new(uint32_t table_id)
{
    struct pk_capacity *capacity = pk_calloc(1, sizeof(*capacity));

    capacity->table_id = table_id;
    if (pthread_mutex_init(&capacity->lock, NULL) != 0)
        pk_bug("a lock cannot be made");
    return capacity;
}

static void release_side(struct pk_capacity_side *side)
{
    if (side->live)
        pk_partition_set_release(&side->set);
    *side = (struct pk_capacity_side){.live = false};
}

void pk_capacity_free(struct pk_capacity *capacity)
{
    for (size_t i = 0; i < PK_CAPACITY_SIDES; i++)
        release_side(&capacity->sides[i]);
    pthread_mutex_destroy(&capacity->lock);
    free(capacity);
}

struct pk_capacity *pk_capacity_of(const struct pk_table *table)
{
    return pk_table_log(table)->capacity;
}

struct pk_capacity_side *pk__capacity_side(struct pk_capacity *capacity, uint32_t index_id)
{
    for (size_t i = 0; i < PK_CAPACITY_SIDES; i++) {
        struct pk_capacity_side *side = &capacity->sides[i];

        if (side->live && side->index_id == index_id)
            return side;
    }
    return NULL;
}

/* Definitions ----------------------------------------------------------------------------------*/

static struct pk_admission_limits limits_of(const struct pk_table *table,
                                            const struct pk_index *index, enum pk_access access,
                                            const struct pk_sim_settings *sim)
{
    const struct pk_throughput *throughput =
        index == NULL ? &table->throughput : &index->throughput;
    const struct pk_max_throughput *max = index == NULL ? &table->max : &index->max;
    bool read = access == PK_ACCESS_READ;
    int64_t most = read ? max->read : max->write;

    return (struct pk_admission_limits){
        .mode = (enum pk_admission_mode)sim->admission,
        .on_demand = table->billing == PK_ON_DEMAND,
        .provisioned = read ? throughput->read : throughput->write,
        .max_on_demand = most < 0 ? 0 : most,
        .quota = (int64_t)(read ? sim->quota_read : sim->quota_write),
        .partition = (int64_t)(read ? sim->partition_read : sim->partition_write),
        .burst_seconds = (int64_t)sim->burst_seconds,
        .spread = read && sim->read_spread != 0,
    };
}

static struct pk_split_rules rules_of(const struct pk_table *table, const struct pk_index *index,
                                      const struct pk_sim_settings *sim)
{
    struct pk_split_rules rules = {
        .heat = pk_heat_rules_aws(),
        .for_heat = sim->split_heat != 0,
        .collections =
            index == NULL && table->local_count > 0 ? PK_COLLECTIONS_WHOLE : PK_COLLECTIONS_CUT,
        .duration_ms = (int64_t)sim->split_duration_ms,
        .cooldown_ms = (int64_t)sim->split_cooldown_ms,
        .partitions_max = PK_PARTITIONS_MAX,
    };

    rules.heat.threshold_milli = (int64_t)sim->split_threshold;
    rules.heat.window_s = (int64_t)sim->split_window_ms / MS;
    rules.heat.single_item_milli = (int64_t)sim->split_single_item;
    rules.heat.isolate_min_milli = (int64_t)sim->split_isolate_min;
    rules.heat.monotonic_milli = (int64_t)sim->split_monotonic;
    rules.heat.no_isolation = sim->split_stream_block != 0 && table->billing == PK_PROVISIONED &&
                              table->stream != PK_STREAM_OFF;
    return rules;
}

static struct pk_capacity_side *free_side(struct pk_capacity *capacity)
{
    for (size_t i = 0; i < PK_CAPACITY_SIDES; i++) {
        if (!capacity->sides[i].live)
            return &capacity->sides[i];
    }
    pk_bug("no side is free for an index of table %u", capacity->table_id);
}

/* What is served at once when nothing has grown yet: what the partitions serve. */
static int64_t warm_of(const struct pk_table *table, const struct pk_index *index,
                       enum pk_access access, const struct pk_capacity_side *side)
{
    if (index != NULL)
        return side->set.admission[access].limits.partition * (int64_t)side->set.count;
    return access == PK_ACCESS_READ ? table->warm_read : table->warm_write;
}

/* What is counted stays as long as the limits do. */
static void define_scale(struct pk_autoscale *scale, const struct pk_scaling *from,
                         const struct pk_sim_settings *sim)
{
    int64_t period = (int64_t)sim->metric_period_ms;

    if (scale->min != from->min || scale->max != from->max ||
        scale->target_percent != from->target_percent)
        *scale = (struct pk_autoscale){
            .min = from->min, .max = from->max, .target_percent = from->target_percent};
    scale->up = ((int64_t)sim->autoscale_up_ms + period - 1) / period;
    scale->down = ((int64_t)sim->autoscale_down_ms + period - 1) / period;
}

enum { QUEUE_SECONDS = 5 }; /* of the index' write rate, unless gsi.queue_units says more */

static int64_t queue_max(const struct pk_admission_limits *limits,
                         const struct pk_capacity_side *side, const struct pk_sim_settings *sim)
{
    int64_t rate =
        limits->on_demand ? limits->partition * (int64_t)side->set.count : limits->provisioned;

    return (sim->gsi_queue_units > 0 ? (int64_t)sim->gsi_queue_units : QUEUE_SECONDS * rate) * MS;
}

/* A table that was there before begins anew when it is opened. */
static void save_up(struct pk_partition_set *set, const struct pk_sim_settings *sim)
{
    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        struct pk_admission *admission = &set->admission[access];

        admission->table.saved = admission->table.saved_max * (int64_t)sim->burst_initial / MS;
        for (size_t i = 0; i < admission->count; i++) {
            struct pk_burst *share = &admission->partitions[i].share;

            share->saved = share->saved_max * (int64_t)sim->burst_initial / MS;
        }
    }
}

struct definition {
    const struct pk_table *table;
    const struct pk_sim_settings *sim;
    int64_t now_ms;
};

static void define_side(struct pk_capacity *capacity, const struct definition *definition,
                        const struct pk_index *index)
{
    const struct pk_table *table = definition->table;
    uint32_t id = index == NULL ? 0 : index->id;
    struct pk_capacity_side *side = pk__capacity_side(capacity, id);
    const struct pk_partitions *map = index == NULL ? &table->partitions : &index->partitions;
    struct pk_partition_setup setup = {.count = map->count,
                                       .map = map,
                                       .seed = definition->sim->seed ^ table->id,
                                       .rules = rules_of(table, index, definition->sim)};
    bool first = side == NULL;

    for (int access = 0; access < PK_ACCESS_KINDS; access++)
        setup.limits[access] = limits_of(table, index, (enum pk_access)access, definition->sim);
    if (first) {
        side = free_side(capacity);
        side->index_id = id;
        side->live = true;
        pk_partition_set_init(&side->set, &setup, definition->now_ms);
        save_up(&side->set, definition->sim);
    } else {
        side->set.rules = setup.rules;
        for (int access = 0; access < PK_ACCESS_KINDS; access++)
            pk_admission_set_limits(&side->set.admission[access], &setup.limits[access],
                                    definition->now_ms);
        pk_partition_set_sync(&side->set, map, definition->now_ms);
    }
    side->queue_max_milli = queue_max(&setup.limits[PK_ACCESS_WRITE], side, definition->sim);
    define_scale(&side->scale[PK_ACCESS_READ],
                 index == NULL ? &table->throughput.scale_read : &index->throughput.scale_read,
                 definition->sim);
    define_scale(&side->scale[PK_ACCESS_WRITE],
                 index == NULL ? &table->throughput.scale_write : &index->throughput.scale_write,
                 definition->sim);
    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        struct pk_growth *growth = &side->growth[access];
        int64_t warm = warm_of(table, index, (enum pk_access)access, side);

        if (growth->warm < warm)
            growth->warm = warm;
        if (first)
            growth->changed_ms =
                table->billing == PK_ON_DEMAND ? table->on_demand_since_ms : table->created_ms;
    }
}

static bool has_index(const struct pk_table *table, uint32_t id)
{
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (table->indexes[i].id == id)
            return true;
    }
    return false;
}

/* Under the lock. */
static void define(struct pk_engine *engine, struct pk_capacity *capacity,
                   const struct pk_table *table)
{
    struct pk_sim_settings sim;
    const struct definition definition = {table, &sim, pk_clock_now(&engine->clock)};

    pk_engine_settings(engine, &sim);
    if (!capacity->defined) {
        capacity->second = definition.now_ms / MS;
        capacity->period_ms = definition.now_ms;
        capacity->defined = true;
    }
    for (size_t i = 0; i < PK_CAPACITY_SIDES; i++) {
        struct pk_capacity_side *side = &capacity->sides[i];

        if (side->live && side->index_id != 0 && !has_index(table, side->index_id))
            release_side(side);
    }
    define_side(capacity, &definition, NULL);
    for (size_t i = table->local_count; i < table->index_count; i++)
        define_side(capacity, &definition, &table->indexes[i]);
}

void pk_capacity_define(struct pk_engine *engine, const struct pk_table *table)
{
    struct pk_capacity *capacity = pk_capacity_of(table);

    pthread_mutex_lock(&capacity->lock);
    define(engine, capacity, table);
    pthread_mutex_unlock(&capacity->lock);
}

void pk_capacity_define_all(struct pk_engine *engine)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);

    for (size_t i = 0; i < count; i++) {
        if (pk_table_companion(tables[i]) != NULL)
            pk_capacity_define(engine, tables[i]);
    }
    pk_catalog_free_all(tables, count);
}

/* Admission ------------------------------------------------------------------------------------*/

bool pk_capacity_asks(const struct pk_engine *engine)
{
    return atomic_load_explicit(&engine->throttle, memory_order_relaxed) != PK_THROTTLING_OFF;
}

/* The capacities of the demands' tables, each once, in the order of their ids: the order in which
 * they are locked. */
static size_t collect(const struct pk_demand *demands, size_t count, struct pk_capacity **list)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        struct pk_capacity *capacity = pk_capacity_of(demands[i].table);
        size_t at = 0;

        while (at < found && list[at]->table_id < demands[i].table->id)
            at++;
        if (at < found && list[at] == capacity)
            continue;
        for (size_t k = found; k > at; k--)
            list[k] = list[k - 1];
        list[at] = capacity;
        found++;
    }
    return found;
}

/* How much of a position is its partition key's. */
static size_t hash_len(const void *context, pk_slice position)
{
    const struct pk_demand *demand = context;
    size_t codes = demand->index == NULL ? 1 : demand->index->key.hash_count;
    pk_slice rest = pk_slice_skip(position, position.len < TOKEN_LEN ? position.len : TOKEN_LEN);
    pk_slice code;

    for (size_t i = 0; i < codes; i++) {
        if (!pk_key_take_code(&rest, &code))
            break;
    }
    return position.len - rest.len;
}

static struct pk_capacity_side *side_of(const struct pk_demand *demand)
{
    return pk__capacity_side(pk_capacity_of(demand->table),
                             demand->index == NULL ? 0 : demand->index->id);
}

static pk_slice position_of(const struct pk_demand *demand)
{
    return pk_partition_position(demand->row);
}

static size_t partition_of(const struct pk_demand *demand, const struct pk_partition_set *set)
{
    pk_slice position = position_of(demand);
    size_t at;

    if (demand->before && position.len == 0)
        return set->count - 1;
    at = pk_partition_set_find(set, position);
    if (demand->before && at > 0 &&
        pk_slice_equal(position, (pk_slice){set->list[at].first, set->list[at].first_len}))
        at--;
    return at;
}

/* Room in a queue is not a matter of time (indexes.md, "Admission"). */
static void offer_queue(struct pk_demand *demand, struct pk_capacity_side *side)
{
    if (side->queue_milli >= side->queue_max_milli) {
        demand->refuse =
            side->delayed_by != PK_THROTTLE_NONE ? side->delayed_by : PK_THROTTLE_PROVISIONED;
        side->blocked++;
        return;
    }
    side->queue_milli += demand->milli;
    demand->taken = true;
}

/* An index that is gone meanwhile limits nothing. */
static void offer(struct pk_demand *demand, int64_t now_ms)
{
    struct pk_capacity_side *side = side_of(demand);
    pk_slice position = position_of(demand);
    struct pk_access_request request = {.access = demand->access,
                                        .milli = demand->milli,
                                        .position = position,
                                        .hash_len = hash_len,
                                        .context = demand};

    demand->refuse = PK_THROTTLE_NONE;
    demand->taken = false;
    if (side == NULL)
        return;
    if (demand->queue) {
        offer_queue(demand, side);
        return;
    }
    request.partition = demand->at = partition_of(demand, &side->set);
    request.replica = demand->replica =
        pk_admission_replica(&side->set.admission[demand->access], demand->at, demand->eventual);
    if (demand->quiet)
        demand->refuse = pk_admission_check(&side->set.admission[demand->access], demand->at,
                                            demand->milli, now_ms);
    if (demand->refuse == PK_THROTTLE_NONE)
        demand->refuse = pk_partition_set_offer(&side->set, &request, now_ms);
    if (demand->refuse != PK_THROTTLE_NONE) {
        side->blocked +=
            demand->index != NULL && demand->access == PK_ACCESS_WRITE && !demand->quiet;
        return;
    }
    pk_partition_set_take_at(&side->set, &request, demand->milli);
    demand->taken = true;
}

static void take_more(struct pk_capacity_side *side, const struct pk_demand *demand, size_t at,
                      int64_t milli)
{
    const struct pk_access_request request = {
        .access = demand->access, .partition = at, .replica = demand->replica};

    pk_partition_set_take_at(&side->set, &request, milli);
}

static void give_back(struct pk_demand *demand)
{
    struct pk_capacity_side *side = side_of(demand);

    if (demand->taken && side != NULL && demand->queue)
        side->queue_milli -= demand->milli;
    else if (demand->taken && side != NULL)
        take_more(side, demand, demand->at, -demand->milli);
    demand->taken = false;
}

static void note_admitted(const struct pk_demand *demand)
{
    struct pk_capacity_side *side = side_of(demand);

    if (side == NULL || demand->queue)
        return;
    side->set.list[demand->at].running.admitted[demand->access]++;
    side->grown = side->grown || demand->access == PK_ACCESS_WRITE;
}

/* Under the locks. Each takes what it asks for at once, so that two that meet in one bucket do not
 * both get the last of it; a refusal of one gives all back. */
static bool offer_all(struct pk_demand *demands, size_t count, int64_t now_ms)
{
    bool refused = false;

    for (size_t i = 0; i < count; i++) {
        offer(&demands[i], now_ms);
        refused = refused || demands[i].refuse != PK_THROTTLE_NONE;
    }
    for (size_t i = 0; i < count; i++) {
        if (refused)
            give_back(&demands[i]);
        else
            note_admitted(&demands[i]);
    }
    return refused;
}

enum pk_code pk_capacity_admit(struct pk_engine *engine, struct pk_demand *demands, size_t count,
                               struct pk_error *err)
{
    struct pk_capacity *few[4], **list = few;
    bool refused;
    size_t tables;
    int64_t now_ms;

    if (!pk_capacity_asks(engine) || count == 0)
        return PK_OK;
    if (count > sizeof(few) / sizeof(*few))
        list = pk_calloc(count, sizeof(*list));
    tables = collect(demands, count, list);
    for (size_t i = 0; i < tables; i++)
        pthread_mutex_lock(&list[i]->lock);
    now_ms = pk_clock_now(&engine->clock);
    for (size_t i = 0; i < count; i++) {
        struct pk_capacity *capacity = pk_capacity_of(demands[i].table);

        if (!capacity->defined)
            define(engine, capacity, demands[i].table);
        pk__capacity_roll(capacity, now_ms);
    }
    refused = offer_all(demands, count, now_ms);
    for (size_t i = tables; i > 0; i--)
        pthread_mutex_unlock(&list[i - 1]->lock);
    if (list != few)
        free(list);
    if (!refused || atomic_load(&engine->throttle) != PK_THROTTLING_ENFORCE)
        return PK_OK;
    return pk_capacity_fail(demands, count, err);
}

void pk_capacity_settle(const struct pk_demand *demand, int64_t milli)
{
    struct pk_capacity *capacity;
    struct pk_capacity_side *side;

    if (!demand->taken || milli == demand->milli)
        return;
    capacity = pk_capacity_of(demand->table);
    pthread_mutex_lock(&capacity->lock);
    side = side_of(demand);
    if (side != NULL)
        take_more(side, demand, partition_of(demand, &side->set), milli - demand->milli);
    pthread_mutex_unlock(&capacity->lock);
}

void pk_capacity_take(const struct pk_demand *demand, pk_slice row, int64_t milli)
{
    struct pk_capacity *capacity;
    struct pk_capacity_side *side;

    if (!demand->taken || milli == 0)
        return;
    capacity = pk_capacity_of(demand->table);
    pthread_mutex_lock(&capacity->lock);
    side = side_of(demand);
    if (side != NULL)
        take_more(side, demand, pk_partition_set_find(&side->set, pk_partition_position(row)),
                  milli);
    pthread_mutex_unlock(&capacity->lock);
}

/* Back-pressure ---------------------------------------------------------------------------------*/

bool pk_capacity_queues(const struct pk_engine *engine)
{
    return pk_capacity_asks(engine) && atomic_load(&engine->gsi_queue) != 0;
}

bool pk_capacity_delays(const struct pk_engine *engine)
{
    return pk_capacity_queues(engine) && atomic_load(&engine->throttle) == PK_THROTTLING_ENFORCE;
}

/* KeyRange before Provisioned before MaxOnDemand before Account. */
static int rank_of(enum pk_throttle throttle)
{
    switch (throttle) {
    case PK_THROTTLE_KEY_RANGE:
        return 4;
    case PK_THROTTLE_PROVISIONED:
        return 3;
    case PK_THROTTLE_MAX_ON_DEMAND:
        return 2;
    case PK_THROTTLE_ACCOUNT:
        return 1;
    case PK_THROTTLE_NONE:
        break;
    }
    return 0;
}

void pk_capacity_dequeue(const struct pk_demand *demands, size_t count, int64_t milli)
{
    struct pk_capacity *capacity = pk_capacity_of(demands[0].table);
    struct pk_capacity_side *side;
    enum pk_throttle delay = PK_THROTTLE_NONE;

    for (size_t i = 0; i < count; i++) {
        if (rank_of(demands[i].refuse) > rank_of(delay))
            delay = demands[i].refuse;
    }
    pthread_mutex_lock(&capacity->lock);
    side = side_of(&demands[0]);
    if (side != NULL) {
        if (delay != PK_THROTTLE_NONE)
            side->delayed_by = delay;
        side->queue_milli = milli < side->queue_milli ? side->queue_milli - milli : 0;
    }
    pthread_mutex_unlock(&capacity->lock);
}
