/*
 * UpdateTable (operations.md §8). Faults of the request itself come first, then those that need
 * the table, in the order of the sheet's table. Creating and deleting an index is in ddl_index.c.
 */
#include "engine/ops/ddl.h"

#include <inttypes.h>

#include "engine/ops/capacity.h"
#include "engine/ops/ddl_index.h"
#include "engine/ops/stream_ddl.h"
#include "engine/ops/throughput.h"
#include "engine/table/descriptor.h"
#include "engine/table/table_spec.h"

#define PREFIX "One or more parameter values were invalid: "

/* The request alone ----------------------------------------------------------------------------*/

static bool does_nothing(const struct pk_table_change *change)
{
    return !change->billing_given && !change->throughput_given && !change->max_given &&
           !change->protection_given && !change->class_given && change->warm_read == 0 &&
           change->warm_write == 0 && change->index_count == 0 && !change->stream_given &&
           !change->encryption_given;
}

static enum pk_code check_index_list(const struct pk_table_change *change, struct pk_error *err)
{
    size_t built = 0;

    for (size_t i = 0; i < change->index_count; i++) {
        const struct pk_index_change *one = &change->indexes[i];

        if (one->kind == PK_INDEX_NOTHING)
            return pk_fail(err, PK_E_VALIDATION,
                           PREFIX "One of GlobalSecondaryIndexUpdate.Update, "
                                  "GlobalSecondaryIndexUpdate.Create, "
                                  "GlobalSecondaryIndexUpdate.Delete must not be null");
        for (size_t k = 0; k < i; k++) {
            if (pk_slice_equal(change->indexes[k].spec.name, one->spec.name))
                return pk_fail(err, PK_E_VALIDATION,
                               PREFIX "Only one global secondary index update per index is "
                                      "allowed simultaneously. Index: %.*s",
                               PK_FMT(one->spec.name));
        }
        if (one->kind != PK_INDEX_UPDATE)
            built++;
    }
    if (built > 1)
        return pk_fail(err, PK_E_LIMIT_EXCEEDED,
                       "Subscriber limit exceeded: Only 1 online index can be created or deleted "
                       "simultaneously per table");
    return PK_OK;
}

static enum pk_code check_request(const struct pk_table_change *change, struct pk_error *err)
{
    if (does_nothing(change))
        return pk_fail(err, PK_E_VALIDATION,
                       "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                       "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is "
                       "required");
    if (change->billing_given && change->billing == PK_PROVISIONED && !change->throughput_given)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "ProvisionedThroughput must be specified when BillingMode is "
                              "PROVISIONED");
    if (change->billing_given && change->billing == PK_ON_DEMAND && change->throughput_given)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
                              "when BillingMode is PAY_PER_REQUEST");
    return check_index_list(change, err);
}

/* Throughput -----------------------------------------------------------------------------------*/

/* what: "table", or "index g1". */
static enum pk_code fail_unchanged(const struct pk_throughput *now, const char *what,
                                   pk_slice index, struct pk_error *err)
{
    const char *blank = index.len > 0 ? " " : "";

    return pk_fail(err, PK_E_VALIDATION,
                   "The provisioned throughput for the %s%s%.*s will not change. The requested "
                   "value equals the current value. Current ReadCapacityUnits provisioned for the "
                   "%s: %" PRId64 ". Requested ReadCapacityUnits: %" PRId64
                   ". Current WriteCapacityUnits provisioned for the %s: %" PRId64
                   ". Requested WriteCapacityUnits: %" PRId64
                   ". Refer to the Amazon DynamoDB Developer Guide for current limits and how to "
                   "request higher limits.",
                   what, blank, PK_FMT(index), what, now->read, now->read, what, now->write,
                   now->write);
}

static bool same_throughput(const struct pk_throughput *a, const struct pk_throughput *b)
{
    return a->read == b->read && a->write == b->write;
}

static enum pk_code change_throughput(struct pk_engine *engine, struct pk_table *table,
                                      const struct pk_table_change *change, int64_t now_ms,
                                      struct pk_error *err)
{
    enum pk_code rc;

    if (!change->throughput_given)
        return PK_OK;
    if (table->billing == PK_ON_DEMAND)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
                              "when BillingMode is PAY_PER_REQUEST");
    rc = pk_throughput_check(&change->throughput, (pk_slice){NULL, 0}, err);
    if (rc != PK_OK)
        return rc;
    if (same_throughput(&table->throughput, &change->throughput) && change->index_count == 0)
        return fail_unchanged(&table->throughput, "table", PK_LIT(""), err);
    rc = pk_throughput_change(&table->throughput, change->throughput.read, change->throughput.write,
                              pk_throughput_quota(engine), now_ms, err);
    if (rc != PK_OK)
        return rc;
    if (table->throughput.read > table->warm_read)
        table->warm_read = table->throughput.read;
    if (table->throughput.write > table->warm_write)
        table->warm_write = table->throughput.write;
    return PK_OK;
}

/* Billing --------------------------------------------------------------------------------------*/

static bool gives_throughput(const struct pk_table_change *change, pk_slice index)
{
    for (size_t i = 0; i < change->index_count; i++) {
        const struct pk_index_change *one = &change->indexes[i];

        if (one->kind == PK_INDEX_UPDATE && one->spec.throughput_given &&
            pk_slice_equal(one->spec.name, index))
            return true;
    }
    return false;
}

static enum pk_code to_provisioned(struct pk_table *table, const struct pk_table_change *change,
                                   struct pk_error *err)
{
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (!gives_throughput(change, table->indexes[i].name))
            return pk_fail(err, PK_E_VALIDATION,
                           PREFIX "ProvisionedThroughput must be specified for index: %.*s",
                           PK_FMT(table->indexes[i].name));
    }
    table->billing = PK_PROVISIONED;
    return PK_OK;
}

static void to_on_demand(const struct pk_engine *engine, struct pk_table *table, int64_t now_ms)
{
    const struct pk_partition_limits *limits = &engine->partition_limits;

    table->billing = PK_ON_DEMAND;
    table->on_demand_since_ms = now_ms;
    table->throughput.read = 0;
    table->throughput.write = 0;
    for (size_t i = table->local_count; i < table->index_count; i++) {
        table->indexes[i].throughput.read = 0;
        table->indexes[i].throughput.write = 0;
    }
    if (table->warm_read < limits->on_demand_read)
        table->warm_read = limits->on_demand_read;
    if (table->warm_write < limits->on_demand_write)
        table->warm_write = limits->on_demand_write;
}

static enum pk_code change_billing(const struct pk_engine *engine, struct pk_table *table,
                                   const struct pk_table_change *change, int64_t now_ms,
                                   struct pk_error *err)
{
    if (!change->billing_given || change->billing == table->billing)
        return PK_OK;
    if (change->billing == PK_PROVISIONED)
        return to_provisioned(table, change, err);
    to_on_demand(engine, table, now_ms);
    return PK_OK;
}

/* Indexes --------------------------------------------------------------------------------------*/

static struct pk_index *find_global(struct pk_table *table, pk_slice name)
{
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (pk_slice_equal(table->indexes[i].name, name))
            return &table->indexes[i];
    }
    return NULL;
}

static enum pk_code update_index(struct pk_engine *engine, struct pk_table *table,
                                 const struct pk_index_spec *spec, int64_t now_ms,
                                 struct pk_error *err)
{
    struct pk_index *index = find_global(table, spec->name);
    enum pk_code rc = PK_OK;

    if (index == NULL)
        return pk_fail(err, PK_E_VALIDATION, PREFIX "Global secondary index %.*s does not exist",
                       PK_FMT(spec->name));
    if ((index->status == PK_STATUS_CREATING && !index->backfilling) ||
        index->status == PK_STATUS_DELETING)
        return pk_fail(err, PK_E_IN_USE,
                       "Attempt to change a resource which is still in use: Table is being "
                       "updated: %.*s",
                       PK_FMT(table->name));
    if (spec->max.read >= 0)
        index->max.read = spec->max.read;
    if (spec->max.write >= 0)
        index->max.write = spec->max.write;
    if (!spec->throughput_given)
        return PK_OK;
    if (table->billing == PK_ON_DEMAND)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "ProvisionedThroughput should not be specified for index: %.*s when "
                              "BillingMode is PAY_PER_REQUEST",
                       PK_FMT(spec->name));
    rc = pk_throughput_check(&spec->throughput, spec->name, err);
    if (rc != PK_OK)
        return rc;
    if (same_throughput(&index->throughput, &spec->throughput))
        return fail_unchanged(&index->throughput, "index", spec->name, err);
    return pk_throughput_change(&index->throughput, spec->throughput.read, spec->throughput.write,
                                pk_throughput_quota(engine), now_ms, err);
}

static enum pk_code change_indexes(struct pk_engine *engine, struct pk_table *table,
                                   const struct pk_table_change *change, int64_t now_ms,
                                   struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < change->index_count && rc == PK_OK; i++) {
        const struct pk_index_change *one = &change->indexes[i];

        switch (one->kind) {
        case PK_INDEX_CREATE:
            rc = pk_ddl_create_index(engine, table, change, &one->spec, err);
            break;
        case PK_INDEX_UPDATE:
            rc = update_index(engine, table, &one->spec, now_ms, err);
            break;
        case PK_INDEX_DELETE:
            rc = pk_ddl_delete_index(table, one->spec.name, err);
            break;
        case PK_INDEX_NOTHING: /* refused before */
            break;
        }
    }
    return rc;
}

/* The whole ------------------------------------------------------------------------------------*/

static enum pk_code change_warm(struct pk_table *table, const struct pk_table_change *change,
                                struct pk_error *err)
{
    enum pk_code rc = pk_ddl_check_warm(table, change->warm_read, change->warm_write, err);

    if (rc != PK_OK)
        return rc;
    if (change->warm_read != 0)
        table->warm_read = change->warm_read;
    if (change->warm_write != 0)
        table->warm_write = change->warm_write;
    return PK_OK;
}

static enum pk_code apply(struct pk_engine *engine, struct pk_table *table,
                          const struct pk_table_change *change, int64_t now_ms,
                          struct pk_error *err)
{
    enum pk_code rc = change_billing(engine, table, change, now_ms, err);

    if (rc == PK_OK)
        rc = change_throughput(engine, table, change, now_ms, err);
    if (rc == PK_OK)
        rc = change_indexes(engine, table, change, now_ms, err);
    if (rc == PK_OK)
        rc = change_warm(table, change, err);
    if (rc == PK_OK && change->stream_given)
        rc = pk_stream_change(engine, table, change->stream, now_ms, err);
    if (rc != PK_OK)
        return rc;
    if (change->max_given)
        table->max = change->max;
    if (change->protection_given)
        table->deletion_protection = change->deletion_protection;
    if (change->class_given) {
        if (table->infrequent_access != change->infrequent_access)
            table->class_changed_ms = now_ms;
        table->infrequent_access = change->infrequent_access;
        table->class_given = true;
    }
    return PK_OK;
}

enum pk_code pk_engine_update_table(struct pk_engine *engine, const struct pk_table_change *change,
                                    struct pk_table **table, struct pk_error *err)
{
    struct pk_error late = PK_ERROR_INIT;
    struct pk_table *old;
    struct pk_table *copy = NULL;
    enum pk_code rc = check_request(change, err);

    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&engine->catalog.ddl);
    old = pk_ddl_need_table(engine, change->name, err);
    if (old == NULL) {
        rc = err->code;
        goto out;
    }
    rc = pk_ddl_check_idle(old, err);
    if (rc != PK_OK)
        goto out;
    copy = pk_table_copy(old);
    rc = apply(engine, copy, change, pk_clock_now(&engine->clock), err);
    if (rc == PK_OK)
        rc = pk_ddl_publish(engine, copy, err);
    if (rc == PK_OK)
        *table = pk_ddl_answer(copy, PK_STATUS_UPDATING);
out:
    pthread_mutex_unlock(&engine->catalog.ddl);
    /* More throughput than the partitions serve splits them (partitions-capacity.md §3.2). */
    if (rc == PK_OK && pk_capacity_fit(engine, copy, &late) != PK_OK)
        pk_error_release(&late);
    pk_table_unref(old);
    pk_table_unref(copy);
    return rc;
}
