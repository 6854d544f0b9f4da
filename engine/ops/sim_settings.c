#include "engine/ops/sim_settings.h"

#include <stddef.h>

#include "engine/store/layout.h"

/* Units and bytes: above any quota of AWS, and their products stay far below 64 bits. The seed:
 * JSON's numbers are exact up to there. */
#define UNITS_MAX UINT64_C(1000000000)
#define BYTES_MAX (UINT64_C(1) << 50)
#define SEED_MAX  ((UINT64_C(1) << 53) - 1)
/* Ten years of milliseconds. */
#define DURATION_MAX UINT64_C(315360000000)

#define FIELD(member) offsetof(struct pk_sim_settings, member)

const struct pk_sim_field pk_sim_fields[] = {
    {"lag.gsi", FIELD(gsi_lag_ms), DURATION_MAX, PK_SIM_DURATION},
    {"lag.gsi_jitter", FIELD(gsi_lag_jitter_ms), DURATION_MAX, PK_SIM_DURATION},
    {"lsi.collection_bytes", FIELD(collection_bytes), BYTES_MAX, PK_SIM_BYTES},
    {"ondemand.initial_rcu", FIELD(on_demand_read), UNITS_MAX, PK_SIM_COUNT},
    {"ondemand.initial_wcu", FIELD(on_demand_write), UNITS_MAX, PK_SIM_COUNT},
    {"partition.bytes", FIELD(partition_bytes), BYTES_MAX, PK_SIM_BYTES},
    {"partition.rcu", FIELD(partition_read), UNITS_MAX, PK_SIM_COUNT},
    {"partition.wcu", FIELD(partition_write), UNITS_MAX, PK_SIM_COUNT},
    {"seed", FIELD(seed), SEED_MAX, PK_SIM_COUNT},
    {"stream.iterator_ttl", FIELD(stream_iterator_ms), DURATION_MAX, PK_SIM_DURATION},
    {"stream.retention", FIELD(stream_retention_ms), DURATION_MAX, PK_SIM_DURATION},
    {"stream.rollover", FIELD(stream_rollover_ms), DURATION_MAX, PK_SIM_DURATION},
    {"table.create_delay", FIELD(table_create_delay_ms), DURATION_MAX, PK_SIM_DURATION},
    {"table.delete_delay", FIELD(table_delete_delay_ms), DURATION_MAX, PK_SIM_DURATION},
    {"ttl.delay", FIELD(ttl_delay_ms), DURATION_MAX, PK_SIM_DURATION},
    {"ttl.jitter", FIELD(ttl_jitter_ms), DURATION_MAX, PK_SIM_DURATION},
    {NULL, 0, 0, PK_SIM_COUNT},
};

static uint64_t least_of(const struct pk_sim_field *field)
{
    return field->kind == PK_SIM_DURATION ? 0 : 1;
}

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
        .ttl_delay_ms = UINT64_C(48) * 3600000,
        .stream_retention_ms = UINT64_C(24) * 3600000,
        .stream_iterator_ms = UINT64_C(15) * 60000,
    };
}

/* The caller holds catalog.ddl, or is alone. */
static void put_to_use(struct pk_engine *engine, const struct pk_sim_settings *settings)
{
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
}

static void in_use(const struct pk_engine *engine, struct pk_sim_settings *settings)
{
    const struct pk_partition_limits *limits = &engine->partition_limits;

    *settings = (struct pk_sim_settings){
        .partition_read = (uint64_t)limits->read,
        .partition_write = (uint64_t)limits->write,
        .partition_bytes = limits->bytes,
        .on_demand_read = (uint64_t)limits->on_demand_read,
        .on_demand_write = (uint64_t)limits->on_demand_write,
        .collection_bytes = atomic_load(&engine->collection_bytes_max),
        .seed = engine->options.seed,
        .gsi_lag_ms = atomic_load(&engine->gsi_lag_ms),
        .gsi_lag_jitter_ms = atomic_load(&engine->gsi_lag_jitter_ms),
        .table_create_delay_ms = atomic_load(&engine->table_create_delay_ms),
        .table_delete_delay_ms = atomic_load(&engine->table_delete_delay_ms),
        .ttl_delay_ms = atomic_load(&engine->ttl_delay_ms),
        .ttl_jitter_ms = atomic_load(&engine->ttl_jitter_ms),
        .stream_retention_ms = atomic_load(&engine->stream_retention_ms),
        .stream_iterator_ms = atomic_load(&engine->stream_iterator_ms),
        .stream_rollover_ms = atomic_load(&engine->stream_rollover_ms),
    };
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
        if (!pk_take_varint(&rest, &number) || number < least_of(field) || number > field->max)
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
    pthread_mutex_lock(&engine->catalog.ddl);
    in_use(engine, settings);
    pthread_mutex_unlock(&engine->catalog.ddl);
}

static enum pk_code check(const struct pk_sim_settings *settings, struct pk_error *err)
{
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL; field++) {
        uint64_t value = value_of(settings, field);

        if (value < least_of(field) || value > field->max)
            return pk_fail(err, PK_E_USAGE, "%s is a number from %llu to %llu", field->name,
                           (unsigned long long)least_of(field), (unsigned long long)field->max);
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
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_batch_release(&batch);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}
