#include "engine/ops/sim_settings.h"

#include <stddef.h>

#include "engine/ops/capacity.h"
#include "engine/store/layout.h"

/* Units and bytes: above any quota of AWS, and their products stay far below 64 bits. The seed:
 * JSON's numbers are exact up to there. */
#define UNITS_MAX UINT64_C(1000000000)
#define BYTES_MAX (UINT64_C(1) << 50)
#define SEED_MAX  ((UINT64_C(1) << 53) - 1)
/* Ten years of milliseconds. */
#define DURATION_MAX UINT64_C(315360000000)

#define SECOND_MS UINT64_C(1000)
#define MINUTE_MS (60 * SECOND_MS)

#define FIELD(member) offsetof(struct pk_sim_settings, member)

static const char *const switches[] = {"off", "on"};
static const char *const throttlings[] = {"off", "observe", "enforce"};
static const char *const admission_modes[] = {"gac", "static", "burst", "adaptive"};
static const char *const backpressures[] = {"strict", "queue"};
static const char *const count_rules[] = {"mode", "sum", "max"};
static const char *const size_points[] = {"median_bytes", "range_mid"};

const struct pk_sim_field pk_sim_fields[] = {
    {"admission", FIELD(admission), 0, 3, PK_SIM_WORD, admission_modes},
    {"autoscale.down", FIELD(autoscale_down_ms), 1000, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"autoscale.up", FIELD(autoscale_up_ms), 1000, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"burst.initial", FIELD(burst_initial), 0, 1000, PK_SIM_SHARE, NULL},
    {"burst.seconds", FIELD(burst_seconds), 0, 86400, PK_SIM_COUNT, NULL},
    {"decrease.quota", FIELD(decrease_quota), 0, 1, PK_SIM_WORD, switches},
    {"gsi.backpressure", FIELD(gsi_queue), 0, 1, PK_SIM_WORD, backpressures},
    {"gsi.queue_units", FIELD(gsi_queue_units), 0, UNITS_MAX, PK_SIM_COUNT, NULL},
    {"lag.gsi", FIELD(gsi_lag_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"lag.gsi_jitter", FIELD(gsi_lag_jitter_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"lsi.collection_bytes", FIELD(collection_bytes), 1, BYTES_MAX, PK_SIM_BYTES, NULL},
    {"metric.period", FIELD(metric_period_ms), 1000, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"ondemand.growth", FIELD(on_demand_growth_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"ondemand.initial_rcu", FIELD(on_demand_read), 1, UNITS_MAX, PK_SIM_COUNT, NULL},
    {"ondemand.initial_wcu", FIELD(on_demand_write), 1, UNITS_MAX, PK_SIM_COUNT, NULL},
    {"partition.bytes", FIELD(partition_bytes), 1, BYTES_MAX, PK_SIM_BYTES, NULL},
    {"partition.count_rule", FIELD(partition_rule), 0, 2, PK_SIM_WORD, count_rules},
    {"partition.rcu", FIELD(partition_read), 1, UNITS_MAX, PK_SIM_COUNT, NULL},
    {"partition.wcu", FIELD(partition_write), 1, UNITS_MAX, PK_SIM_COUNT, NULL},
    {"quota.rcu", FIELD(quota_read), 1, UNITS_MAX, PK_SIM_COUNT, NULL},
    {"quota.wcu", FIELD(quota_write), 1, UNITS_MAX, PK_SIM_COUNT, NULL},
    {"read.spread", FIELD(read_spread), 0, 1, PK_SIM_WORD, switches},
    {"seed", FIELD(seed), 1, SEED_MAX, PK_SIM_COUNT, NULL},
    {"split.cooldown", FIELD(split_cooldown_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"split.duration", FIELD(split_duration_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"split.heat", FIELD(split_heat), 0, 1, PK_SIM_WORD, switches},
    {"split.isolate_min", FIELD(split_isolate_min), 1, 1000, PK_SIM_SHARE, NULL},
    {"split.monotonic", FIELD(split_monotonic), 1, 1000, PK_SIM_SHARE, NULL},
    {"split.single_item", FIELD(split_single_item), 1, 1000, PK_SIM_SHARE, NULL},
    {"split.size_point", FIELD(split_size_point), 0, 1, PK_SIM_WORD, size_points},
    {"split.stream_block", FIELD(split_stream_block), 0, 1, PK_SIM_WORD, switches},
    {"split.threshold", FIELD(split_threshold), 1, 1000, PK_SIM_SHARE, NULL},
    {"split.window", FIELD(split_window_ms), 1000, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"stream.iterator_ttl", FIELD(stream_iterator_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"stream.retention", FIELD(stream_retention_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"stream.rollover", FIELD(stream_rollover_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"table.create_delay", FIELD(table_create_delay_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"table.delete_delay", FIELD(table_delete_delay_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"throttle", FIELD(throttle), 0, 2, PK_SIM_WORD, throttlings},
    {"ttl.delay", FIELD(ttl_delay_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {"ttl.jitter", FIELD(ttl_jitter_ms), 0, DURATION_MAX, PK_SIM_DURATION, NULL},
    {NULL, 0, 0, 0, PK_SIM_COUNT, NULL},
};

static uint64_t value_of(const struct pk_sim_settings *settings, const struct pk_sim_field *field)
{
    uint64_t value;

    memcpy(&value, (const char *)settings + field->offset, sizeof(value));
    return value;
}

static void set_value(struct pk_sim_settings *settings, const struct pk_sim_field *field,
                      uint64_t value)
{
    memcpy((char *)settings + field->offset, &value, sizeof(value));
}

struct pk_sim_settings pk_sim_settings_aws(void)
{
    struct pk_partition_limits limits = pk_partition_limits_aws();

    return (struct pk_sim_settings){
        .partition_read = (uint64_t)limits.read,
        .partition_write = (uint64_t)limits.write,
        .partition_bytes = limits.bytes,
        .on_demand_read = (uint64_t)limits.on_demand_read,
        .on_demand_write = (uint64_t)limits.on_demand_write,
        .collection_bytes = UINT64_C(10) << 30,
        .seed = 1,
        .ttl_delay_ms = 48 * 60 * MINUTE_MS,
        .stream_retention_ms = 24 * 60 * MINUTE_MS,
        .stream_iterator_ms = UINT64_C(15) * MINUTE_MS,
        .throttle = PK_THROTTLING_OBSERVE,
        .admission = PK_ADMISSION_GAC,
        .burst_seconds = 300,
        .split_heat = 1,
        .split_threshold = 800,
        .split_window_ms = MINUTE_MS,
        .split_duration_ms = 5 * MINUTE_MS,
        .split_cooldown_ms = 5 * MINUTE_MS,
        .split_single_item = 900,
        .split_isolate_min = 10,
        .split_monotonic = 900,
        .split_size_point = PK_SIZE_MEDIAN_BYTES,
        .on_demand_growth_ms = 30 * MINUTE_MS,
        .metric_period_ms = MINUTE_MS,
        .autoscale_up_ms = 2 * MINUTE_MS,
        .autoscale_down_ms = 15 * MINUTE_MS,
        .decrease_quota = 1,
        .quota_read = 40000,
        .quota_write = 40000,
    };
}

struct pk_sim_settings pk_sim_settings_workshop(void)
{
    struct pk_sim_settings settings = pk_sim_settings_aws();

    settings.partition_read = 30;
    settings.partition_write = 10;
    settings.partition_bytes = UINT64_C(64) << 10;
    settings.on_demand_read = 120;
    settings.on_demand_write = 40;
    settings.collection_bytes = UINT64_C(64) << 10;
    settings.gsi_lag_ms = 500;
    settings.gsi_lag_jitter_ms = 500;
    settings.ttl_delay_ms = 10 * SECOND_MS;
    settings.throttle = PK_THROTTLING_ENFORCE;
    settings.burst_seconds = 10;
    settings.split_window_ms = 5 * SECOND_MS;
    settings.split_duration_ms = 2 * SECOND_MS;
    settings.split_cooldown_ms = 5 * SECOND_MS;
    settings.gsi_queue_units = 20;
    settings.on_demand_growth_ms = 30 * SECOND_MS;
    settings.metric_period_ms = SECOND_MS;
    settings.autoscale_up_ms = 2 * SECOND_MS;
    settings.autoscale_down_ms = 15 * SECOND_MS;
    settings.decrease_quota = 0;
    settings.quota_read = 400;
    settings.quota_write = 400;
    return settings;
}

/* The caller holds catalog.ddl, or is alone. */
static void put_to_use(struct pk_engine *engine, const struct pk_sim_settings *settings)
{
    engine->partition_rule = (enum pk_count_rule)settings->partition_rule;
    engine->partition_limits = (struct pk_partition_limits){
        .read = (int64_t)settings->partition_read,
        .write = (int64_t)settings->partition_write,
        .bytes = settings->partition_bytes,
        .on_demand_read = (int64_t)settings->on_demand_read,
        .on_demand_write = (int64_t)settings->on_demand_write,
    };
    atomic_store(&engine->collection_bytes_max, settings->collection_bytes);
    engine->options.seed = settings->seed;
    atomic_store(&engine->lag_seed, settings->seed);
    atomic_store(&engine->gsi_lag_ms, settings->gsi_lag_ms);
    atomic_store(&engine->gsi_lag_jitter_ms, settings->gsi_lag_jitter_ms);
    atomic_store(&engine->table_create_delay_ms, settings->table_create_delay_ms);
    atomic_store(&engine->table_delete_delay_ms, settings->table_delete_delay_ms);
    atomic_store(&engine->ttl_delay_ms, settings->ttl_delay_ms);
    atomic_store(&engine->ttl_jitter_ms, settings->ttl_jitter_ms);
    atomic_store(&engine->stream_retention_ms, settings->stream_retention_ms);
    atomic_store(&engine->stream_iterator_ms, settings->stream_iterator_ms);
    atomic_store(&engine->stream_rollover_ms, settings->stream_rollover_ms);
    pthread_mutex_lock(&engine->sim_lock);
    engine->sim = *settings;
    pthread_mutex_unlock(&engine->sim_lock);
    atomic_store(&engine->throttle, (unsigned)settings->throttle);
    atomic_store(&engine->gsi_queue, (unsigned)settings->gsi_queue);
}

enum pk_code pk_sim_settings_load(struct pk_engine *engine, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    struct pk_sim_settings settings;
    enum pk_code rc = PK_OK;

    settings = pk_sim_settings_aws();
    settings.seed = engine->options.seed;
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL && rc == PK_OK;
         field++) {
        bool found = false;
        uint64_t number = 0;
        pk_slice rest;

        pk_buf_clear(&key);
        pk_layout_meta(&key, PK_META_SETTING, pk_slice_cstr(field->name));
        rc = pk_store_get(engine->store, pk_buf_slice(&key), &value, &found, err);
        if (rc != PK_OK || !found)
            continue;
        rest = pk_buf_slice(&value);
        if (!pk_take_varint(&rest, &number) || number < field->least || number > field->max)
            rc = pk_fail(err, PK_E_CORRUPT, "the stored setting '%s' cannot be read", field->name);
        else
            set_value(&settings, field, number);
    }
    if (rc == PK_OK)
        put_to_use(engine, &settings);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

void pk_engine_settings(struct pk_engine *engine, struct pk_sim_settings *settings)
{
    pthread_mutex_lock(&engine->sim_lock);
    *settings = engine->sim;
    pthread_mutex_unlock(&engine->sim_lock);
}

static enum pk_code check(const struct pk_sim_settings *settings, struct pk_error *err)
{
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL; field++) {
        uint64_t value = value_of(settings, field);

        if (value < field->least || value > field->max)
            return pk_fail(err, PK_E_USAGE, "%s is a number from %llu to %llu", field->name,
                           (unsigned long long)field->least, (unsigned long long)field->max);
    }
    return PK_OK;
}

enum pk_code pk_engine_set_settings(struct pk_engine *engine,
                                    const struct pk_sim_settings *settings, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    enum pk_code rc = check(settings, err);

    if (rc == PK_OK)
        rc = pk_engine_need_store(engine, err);
    if (rc != PK_OK)
        return rc;
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL; field++) {
        pk_buf_clear(&key);
        pk_buf_clear(&value);
        pk_layout_meta(&key, PK_META_SETTING, pk_slice_cstr(field->name));
        pk_buf_add_varint(&value, value_of(settings, field));
        pk_batch_put(&batch, pk_buf_slice(&key), pk_buf_slice(&value));
    }
    pthread_mutex_lock(&engine->catalog.ddl);
    rc = pk_store_commit(engine->store, &batch, PK_COMMIT_SYNC, err);
    if (rc == PK_OK)
        put_to_use(engine, settings);
    if (rc == PK_OK)
        pk_capacity_define_all(engine);
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_batch_release(&batch);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}
