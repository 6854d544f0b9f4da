/*
 * Tables: create, delete, tag (update is in ddl_update.c).
 *
 * Definitions change under the catalog's ddl lock. After a change is published the writers that
 * still use the old descriptor are waited for by passing through every latch once, so that when
 * the call returns nobody writes by an old definition.
 *
 * Tables are ready before the reply, unless table.create_delay is set; what is returned shows the
 * state in which DynamoDB would answer: CREATING, UPDATING, DELETING. What goes on with a table
 * that stays in one of them is in table_state.c.
 */
#include "engine/ops/ddl.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/ops/capacity.h"
#include "engine/ops/stream_ddl.h"
#include "engine/ops/table_log.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"
#include "engine/table/table_spec.h"

/* Shared with ddl_update.c ---------------------------------------------------------------------*/

struct pk_table *pk_ddl_need_table(struct pk_engine *engine, pk_slice name, struct pk_error *err)
{
    struct pk_table *table;

    if (pk_engine_need_store(engine, err) != PK_OK)
        return NULL;
    table = pk_catalog_get(&engine->catalog, name);
    if (table == NULL)
        (void)pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found: Table: %.*s not found",
                      PK_FMT(name));
    return table;
}

enum pk_code pk_ddl_check_idle(const struct pk_table *table, struct pk_error *err)
{
    if (pk_table_serves(table))
        return PK_OK;
    return pk_fail(err, PK_E_IN_USE,
                   "Attempt to change a resource which is still in use: Table is being %s: %.*s",
                   table->status == PK_STATUS_CREATING ? "created" : "deleted",
                   PK_FMT(table->name));
}

enum pk_partition_rule pk_ddl_rule(enum pk_count_rule rule, enum pk_billing billing)
{
    switch (rule) {
    case PK_COUNT_SUM:
        return PK_PARTITION_SUM;
    case PK_COUNT_MAX:
        return PK_PARTITION_MAX;
    case PK_COUNT_BY_MODE:
        break;
    }
    return billing == PK_PROVISIONED ? PK_PARTITION_SUM : PK_PARTITION_MAX;
}

uint32_t pk_ddl_partitions(const struct pk_engine *engine, const struct pk_table *table,
                           const struct pk_throughput *throughput)
{
    const struct pk_partition_limits *limits = &engine->partition_limits;
    enum pk_partition_rule rule = pk_ddl_rule(engine->partition_rule, table->billing);

    if (table->billing == PK_PROVISIONED)
        return pk_partition_count(rule, throughput->read, throughput->write, 0, limits);
    return pk_partition_count(rule, limits->on_demand_read, limits->on_demand_write, 0, limits);
}

struct pk_table *pk_ddl_answer(const struct pk_table *table, enum pk_status status)
{
    struct pk_table *answer = pk_table_copy(table);

    answer->status = status;
    if (status == PK_STATUS_UPDATING)
        return answer;
    for (size_t i = 0; i < answer->index_count; i++)
        answer->indexes[i].status = status;
    return answer;
}

/* Creating -------------------------------------------------------------------------------------*/

/* A name-based UUID (RFC 9562, version 8) of what is unique: the generator's seed and the id make
 * runs repeat, the time of creation keeps two stores apart. */
static void set_uuid(const struct pk_engine *engine, struct pk_table *table)
{
    struct pk_buf from = PK_BUF_INIT;
    unsigned char hash[32];
    char text[37];

    pk_buf_add_u64be(&from, engine->options.seed);
    pk_buf_add_u32be(&from, engine->catalog.next_id);
    pk_buf_add_u64be(&from, (uint64_t)table->created_ms);
    pk_buf_add(&from, table->name);
    pk_hash_sha256(pk_buf_slice(&from), hash);
    pk_buf_release(&from);
    hash[6] = (unsigned char)((hash[6] & 0x0f) | 0x80);
    hash[8] = (unsigned char)((hash[8] & 0x3f) | 0x80);
    snprintf(text, sizeof(text),
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", hash[0],
             hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7], hash[8], hash[9],
             hash[10], hash[11], hash[12], hash[13], hash[14], hash[15]);
    table->uuid = pk_arena_dup(pk_table_arena(table), pk_slice_cstr(text));
}

static void set_partitions(const struct pk_engine *engine, struct pk_table *table)
{
    struct pk_arena *arena = pk_table_arena(table);
    uint32_t count = pk_ddl_partitions(engine, table, &table->throughput);

    /* Warmed up on creation: as many as the warm throughput needs. */
    if (table->warm_read > 0 || table->warm_write > 0) {
        uint32_t warm = pk_partition_count(PK_PARTITION_MAX, table->warm_read, table->warm_write, 0,
                                           &engine->partition_limits);

        if (warm > count)
            count = warm;
    }
    pk_partitions_even(&table->partitions, count, arena);
    for (size_t i = 0; i < table->index_count; i++) {
        struct pk_index *index = &table->indexes[i];

        if (index->local)
            index->partitions = table->partitions;
        else
            pk_partitions_even(&index->partitions,
                               pk_ddl_partitions(engine, table, &index->throughput), arena);
    }
}

/* WarmThroughput's defaults (partitions-capacity.md §5.4). */
static void set_warm(const struct pk_engine *engine, struct pk_table *table)
{
    bool on_demand = table->billing == PK_ON_DEMAND;
    int64_t read = on_demand ? engine->partition_limits.on_demand_read : table->throughput.read;
    int64_t write = on_demand ? engine->partition_limits.on_demand_write : table->throughput.write;

    if (table->warm_read < read)
        table->warm_read = read;
    if (table->warm_write < write)
        table->warm_write = write;
}

enum pk_code pk_ddl_check_warm(const struct pk_table *table, int64_t read, int64_t write,
                               struct pk_error *err)
{
    const char *lower = NULL;

    if (read != 0 && read < table->warm_read)
        lower = "ReadUnitsPerSecond";
    else if (write != 0 && write < table->warm_write)
        lower = "WriteUnitsPerSecond";
    if (lower == NULL)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION,
                   "One or more parameter values were invalid: Requested %s for WarmThroughput for "
                   "table is lower than current WarmThroughput, decreasing WarmThroughput is not "
                   "supported",
                   lower);
}

/* With a delay it does not serve before the simulated clock has passed it. */
static void set_status(struct pk_engine *engine, struct pk_table *table)
{
    uint64_t delay_ms = atomic_load(&engine->table_create_delay_ms);

    if (delay_ms == 0)
        return;
    table->status = PK_STATUS_CREATING;
    table->until_ms = table->created_ms + (int64_t)delay_ms;
}

struct pk_table *pk_ddl_make(struct pk_engine *engine, const struct pk_table_spec *spec)
{
    struct pk_table *table = pk_table_spec_build(spec);

    table->created_ms = pk_clock_now(&engine->clock);
    if (table->billing == PK_ON_DEMAND)
        table->on_demand_since_ms = table->created_ms;
    set_uuid(engine, table);
    set_partitions(engine, table);
    set_warm(engine, table);
    set_status(engine, table);
    pk_stream_create(engine, table, table->created_ms);
    pk_catalog_number(&engine->catalog, table);
    pk_table_log_new(table);
    return table;
}

enum pk_code pk_engine_create_table(struct pk_engine *engine, const struct pk_table_spec *spec,
                                    struct pk_table **table, struct pk_error *err)
{
    struct pk_table *created = NULL;
    struct pk_table *existing;
    enum pk_code rc = pk_table_spec_check(spec, err);

    if (rc == PK_OK)
        rc = pk_engine_need_store(engine, err);
    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&engine->catalog.ddl);
    existing = pk_catalog_get(&engine->catalog, spec->name);
    if (existing != NULL) {
        rc = pk_fail(err, PK_E_IN_USE, "Table already exists: %.*s", PK_FMT(spec->name));
        goto out;
    }
    created = pk_ddl_make(engine, spec);
    rc = pk_ddl_check_warm(created, spec->warm_read, spec->warm_write, err);
    if (rc != PK_OK)
        goto out;
    rc = pk_catalog_add(&engine->catalog, engine->store, created, err);
    if (rc == PK_OK)
        *table = pk_ddl_answer(created, PK_STATUS_CREATING);
out:
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(existing);
    pk_table_unref(created);
    return rc;
}

/* Deleting -------------------------------------------------------------------------------------*/

/* No row of an index may be written once the rows are being deleted. */
static enum pk_code drop(struct pk_engine *engine, struct pk_table *old, struct pk_table *departed,
                         struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(old);
    enum pk_code rc;

    pthread_mutex_lock(&log->apply);
    rc = pk_catalog_drop(&engine->catalog, engine->store, old, departed, err);
    log->dropped = rc == PK_OK;
    pthread_mutex_unlock(&log->apply);
    return rc;
}

enum pk_code pk_ddl_drop(struct pk_engine *engine, struct pk_table *table, struct pk_error *err)
{
    struct pk_table *departed = pk_stream_depart(engine, table, pk_clock_now(&engine->clock));
    enum pk_code rc = drop(engine, table, departed, err);

    if (rc == PK_OK) {
        pk_latch_pass(&engine->latches);
        pk_catalog_written(&engine->catalog, table);
        atomic_store(&pk_table_log(table)->left, true);
    }
    pk_table_unref(departed);
    return rc;
}

/* Nobody reads or writes it any more, but it is there until the clock has passed the delay. */
static enum pk_code begin_drop(struct pk_engine *engine, const struct pk_table *table,
                               uint64_t delay_ms, struct pk_error *err)
{
    struct pk_table *copy = pk_table_copy(table);
    enum pk_code rc;

    copy->status = PK_STATUS_DELETING;
    copy->until_ms = pk_clock_now(&engine->clock) + (int64_t)delay_ms;
    rc = pk_ddl_publish(engine, copy, err);
    pk_table_unref(copy);
    return rc;
}

static enum pk_code delete_table(struct pk_engine *engine, struct pk_table *table,
                                 struct pk_error *err)
{
    uint64_t delay_ms = atomic_load(&engine->table_delete_delay_ms);
    enum pk_code rc = pk_ddl_check_idle(table, err);

    if (rc != PK_OK)
        return rc;
    if (table->deletion_protection)
        return pk_fail(err, PK_E_VALIDATION,
                       "Resource cannot be deleted as it is currently protected against deletion. "
                       "Disable deletion protection first.");
    return delay_ms > 0 ? begin_drop(engine, table, delay_ms, err)
                        : pk_ddl_drop(engine, table, err);
}

enum pk_code pk_engine_delete_table(struct pk_engine *engine, pk_slice name,
                                    struct pk_table **table, struct pk_error *err)
{
    struct pk_table *old;
    enum pk_code rc;

    pthread_mutex_lock(&engine->catalog.ddl);
    old = pk_ddl_need_table(engine, name, err);
    rc = old == NULL ? err->code : delete_table(engine, old, err);
    if (rc == PK_OK)
        *table = pk_ddl_answer(old, PK_STATUS_DELETING);
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(old);
    return rc;
}

/* Tags -----------------------------------------------------------------------------------------*/

/* A new index reads the log from where it ends now: whoever writes by the new descriptor draws a
 * later sequence, and the writers of the old one are waited for before anything is copied. */
static void add_readers(struct pk_table *table, uint32_t first_id, struct pk_batch *batch)
{
    struct pk_table_log *log = pk_table_log(table);
    uint64_t next = pk_log_next(&log->log);

    pthread_mutex_lock(&log->apply);
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (table->indexes[i].id >= first_id)
            pk_cursor_stage_begin(&pk_table_log_add_reader(log, table->indexes[i].id, next)->cursor,
                                  next, batch);
    }
    pthread_mutex_unlock(&log->apply);
}

static void remove_readers(struct pk_table *table, uint32_t first_id)
{
    struct pk_table_log *log = pk_table_log(table);

    pthread_mutex_lock(&log->apply);
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (table->indexes[i].id < first_id)
            continue;
        pk_table_log_remove_reader(log, table->indexes[i].id);
        pk_counters_remove_slot(pk_table_counters(table), table->indexes[i].id);
    }
    pthread_mutex_unlock(&log->apply);
}

enum pk_code pk_ddl_publish(struct pk_engine *engine, struct pk_table *table, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    uint32_t first_id = engine->catalog.next_id;
    enum pk_code rc;

    pk_catalog_number(&engine->catalog, table);
    add_readers(table, first_id, &batch);
    rc = pk_catalog_replace(&engine->catalog, engine->store, table, &batch, err);
    if (rc == PK_OK) {
        pk_latch_pass(&engine->latches);
        pk_capacity_define(engine, table);
    } else {
        remove_readers(table, first_id);
    }
    pk_batch_release(&batch);
    return rc;
}

/* A copy to change, or NULL when there is no such table; the caller holds ddl. */
static struct pk_table *copy_to_tag(struct pk_engine *engine, pk_slice name, struct pk_error *err)
{
    struct pk_table *old = pk_catalog_get(&engine->catalog, name);
    struct pk_table *copy;

    if (engine->store == NULL || old == NULL) {
        if (pk_engine_need_store(engine, err) == PK_OK)
            (void)pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
        pk_table_unref(old);
        return NULL;
    }
    if (pk_ddl_check_idle(old, err) != PK_OK) {
        pk_table_unref(old);
        return NULL;
    }
    copy = pk_table_copy(old);
    pk_table_unref(old);
    return copy;
}

enum pk_code pk_engine_tag(struct pk_engine *engine, pk_slice table, const struct pk_tag *tags,
                           size_t count, struct pk_error *err)
{
    struct pk_table *copy;
    enum pk_code rc;

    pthread_mutex_lock(&engine->catalog.ddl);
    copy = copy_to_tag(engine, table, err);
    rc = err->code;
    if (copy != NULL) {
        pk_table_set_tags(copy, tags, count);
        if (copy->tag_count > PK_TAGS_MAX)
            rc = pk_fail(err, PK_E_VALIDATION,
                         "One or more parameter values were invalid: Too many tags: a table has "
                         "at most %d",
                         PK_TAGS_MAX);
        else
            rc = pk_ddl_publish(engine, copy, err);
    }
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(copy);
    return rc;
}

enum pk_code pk_engine_untag(struct pk_engine *engine, pk_slice table, const pk_slice *keys,
                             size_t count, struct pk_error *err)
{
    struct pk_table *copy;
    enum pk_code rc;

    pthread_mutex_lock(&engine->catalog.ddl);
    copy = copy_to_tag(engine, table, err);
    rc = err->code;
    if (copy != NULL) {
        pk_table_remove_tags(copy, keys, count);
        rc = pk_ddl_publish(engine, copy, err);
    }
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(copy);
    return rc;
}
