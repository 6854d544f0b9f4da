/*
 * What auto scaling may do to a table or GSI: kept in its descriptor. Who runs it asks the
 * descriptor each period (capacity.h).
 */
#include "engine/ops/ddl.h"
#include "engine/table/descriptor.h"

static enum pk_code check_scaling(const struct pk_scaling *scaling, enum pk_billing billing,
                                  struct pk_error *err)
{
    if (scaling == NULL || scaling->max == 0)
        return PK_OK;
    if (billing == PK_ON_DEMAND)
        return pk_fail(err, PK_E_VALIDATION,
                       "auto scaling needs provisioned throughput; the table "
                       "is on demand");
    if (pk_scaling_valid(scaling))
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION,
                   "auto scaling takes a minimum from 1, a maximum not below it, and a target of "
                   "%d to %d percent",
                   PK_SCALING_TARGET_LEAST, PK_SCALING_TARGET_MOST);
}

/* Borrowed from the table, or NULL and err filled. */
static struct pk_throughput *find_throughput(struct pk_table *table, pk_slice index,
                                             struct pk_error *err)
{
    if (index.data == NULL)
        return &table->throughput;
    for (size_t i = 0; i < table->index_count; i++) {
        if (!pk_slice_equal(table->indexes[i].name, index))
            continue;
        if (!table->indexes[i].local)
            return &table->indexes[i].throughput;
        pk_fail(err, PK_E_VALIDATION, "index %.*s is local: it uses the table's throughput",
                PK_FMT(index));
        return NULL;
    }
    pk_fail(err, PK_E_VALIDATION, "table %.*s has no index %.*s", PK_FMT(table->name),
            PK_FMT(index));
    return NULL;
}

static enum pk_code apply(struct pk_table *table, const struct pk_autoscale_change *change,
                          struct pk_error *err)
{
    struct pk_throughput *throughput = find_throughput(table, change->index, err);
    enum pk_code rc = throughput == NULL ? err->code : PK_OK;

    if (rc == PK_OK)
        rc = check_scaling(change->read, table->billing, err);
    if (rc == PK_OK)
        rc = check_scaling(change->write, table->billing, err);
    if (rc != PK_OK)
        return rc;
    if (change->read != NULL)
        throughput->scale_read = change->read->max == 0 ? (struct pk_scaling){0} : *change->read;
    if (change->write != NULL)
        throughput->scale_write = change->write->max == 0 ? (struct pk_scaling){0} : *change->write;
    return PK_OK;
}

enum pk_code pk_engine_set_autoscale(struct pk_engine *engine,
                                     const struct pk_autoscale_change *change,
                                     struct pk_table **table, struct pk_error *err)
{
    struct pk_table *old;
    struct pk_table *copy = NULL;
    enum pk_code rc;

    pthread_mutex_lock(&engine->catalog.ddl);
    old = pk_ddl_need_table(engine, change->table, err);
    rc = old == NULL ? err->code : pk_ddl_check_idle(old, err);
    if (rc != PK_OK)
        goto out;
    if (change->read == NULL && change->write == NULL) {
        *table = pk_table_ref(old);
        goto out;
    }
    copy = pk_table_copy(old);
    rc = apply(copy, change, err);
    if (rc == PK_OK)
        rc = pk_ddl_publish(engine, copy, err);
    if (rc == PK_OK)
        *table = pk_table_ref(copy);
out:
    pthread_mutex_unlock(&engine->catalog.ddl);
    pk_table_unref(old);
    pk_table_unref(copy);
    return rc;
}
