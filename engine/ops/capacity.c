/* What a table has, by its definition and the settings; who is admitted is in capacity_admit.c,
 * what time does in capacity_tick.c. */
#include "engine/ops/capacity.h"

#include <stdlib.h>

#include "engine/ops/table_log.h"
#include "engine/store/key_code.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"

enum { MS = 1000 };

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

void pk__capacity_define(struct pk_engine *engine, struct pk_capacity *capacity,
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
    pk__capacity_define(engine, capacity, table);
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
