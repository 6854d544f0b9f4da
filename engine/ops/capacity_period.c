/* Metric periods: what was consumed in them lets on-demand tables grow and auto scaling act
 * (partitions-capacity.md §5.2, §5.3). */
#include "engine/ops/capacity_work.h"

#include "engine/ops/ddl.h"
#include "engine/ops/throughput.h"
#include "engine/table/descriptor.h"

enum {
    MS = 1000,
    PERIODS_MAX = 64 /* idle ones that are judged one by one; more change nothing any more */
};

static bool grow(struct pk_capacity_work *work, struct pk_capacity_side *side,
                 const int64_t *average)
{
    bool grown = false;

    for (int access = 0; access < PK_ACCESS_KINDS; access++)
        grown = pk_growth_period(&side->growth[access], average[access] / MS,
                                 (int64_t)work->sim.on_demand_growth_ms, work->now_ms) ||
                grown;
    return grown;
}

static const struct pk_index *index_of(const struct pk_table *table, uint32_t id)
{
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (table->indexes[i].id == id)
            return &table->indexes[i];
    }
    return NULL;
}

/* What to provision; of several periods the last word counts. */
static void scale(struct pk_capacity_side *side, const int64_t *average,
                  struct pk_capacity_verdict *verdict)
{
    int64_t wanted[PK_ACCESS_KINDS];

    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        int64_t *now = access == PK_ACCESS_READ ? &verdict->read : &verdict->write;
        int64_t before = *now > 0 ? *now : side->set.admission[access].limits.provisioned;

        wanted[access] = pk_autoscale_period(&side->scale[access], average[access], before);
        if (wanted[access] != before)
            *now = wanted[access];
    }
}

static void end_period(struct pk_capacity_work *work, struct pk_capacity_side *side,
                       struct pk_capacity_verdict *verdict)
{
    int64_t seconds = (int64_t)work->sim.metric_period_ms / MS, average[PK_ACCESS_KINDS];

    verdict->index_id = side->index_id;
    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        average[access] = side->period_milli[access] / (seconds < 1 ? 1 : seconds);
        side->period_milli[access] = 0;
    }
    if (work->table->billing == PK_ON_DEMAND)
        verdict->grown = grow(work, side, average) || verdict->grown;
    else
        scale(side, average, verdict);
}

void pk_capacity_end_periods(struct pk_capacity_work *work, struct pk_capacity_verdict *verdicts)
{
    struct pk_capacity *capacity = work->capacity;
    int64_t length = (int64_t)work->sim.metric_period_ms;

    for (size_t k = 0; work->now_ms - capacity->period_ms >= length; k++) {
        for (size_t i = 0; i < PK_CAPACITY_SIDES; i++) {
            if (capacity->sides[i].live)
                end_period(work, &capacity->sides[i], &verdicts[i]);
        }
        capacity->period_ms += length;
        if (k == PERIODS_MAX)
            capacity->period_ms += (work->now_ms - capacity->period_ms) / length * length;
    }
}

static struct pk_throughput *throughput_of(struct pk_table *table, pk_slice index)
{
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (pk_slice_equal(table->indexes[i].name, index))
            return &table->indexes[i].throughput;
    }
    return NULL;
}

static enum pk_code set_warm(struct pk_capacity_work *work, int64_t read, int64_t write,
                             struct pk_error *err)
{
    struct pk_table *now, *copy;
    enum pk_code rc = PK_OK;

    pthread_mutex_lock(&work->engine->catalog.ddl);
    now = pk_catalog_get(&work->engine->catalog, work->table->name);
    if (now != NULL && now->id == work->table->id &&
        (now->warm_read < read || now->warm_write < write)) {
        copy = pk_table_copy(now);
        copy->warm_read = read > now->warm_read ? read : now->warm_read;
        copy->warm_write = write > now->warm_write ? write : now->warm_write;
        rc = pk_ddl_publish(work->engine, copy, err);
        pk_table_unref(copy);
    }
    pk_table_unref(now);
    pthread_mutex_unlock(&work->engine->catalog.ddl);
    return rc;
}

/* By the quota of decreases, too; one that is not allowed is not made (§5.2). */
static enum pk_code provision(struct pk_capacity_work *work,
                              const struct pk_capacity_verdict *verdict, pk_slice index,
                              struct pk_error *err)
{
    struct pk_engine *engine = work->engine;
    struct pk_table *now, *copy;
    struct pk_throughput *throughput = NULL;
    enum pk_code rc = PK_OK;

    pthread_mutex_lock(&engine->catalog.ddl);
    now = pk_catalog_get(&engine->catalog, work->table->name);
    copy = now == NULL ? NULL : pk_table_copy(now);
    if (copy != NULL && copy->id == work->table->id && copy->billing == PK_PROVISIONED)
        throughput = index.data == NULL ? &copy->throughput : throughput_of(copy, index);
    if (throughput != NULL)
        rc = pk_throughput_change(throughput, verdict->read > 0 ? verdict->read : throughput->read,
                                  verdict->write > 0 ? verdict->write : throughput->write,
                                  pk_throughput_quota(engine), work->now_ms, err);
    if (rc == PK_OK && throughput != NULL)
        rc = pk_ddl_publish(engine, copy, err);
    pk_table_unref(copy);
    pk_table_unref(now);
    pthread_mutex_unlock(&engine->catalog.ddl);
    if (rc == PK_E_LIMIT_EXCEEDED) {
        pk_error_release(err);
        rc = PK_OK;
    }
    return rc;
}

static enum pk_code act_provisioned(struct pk_capacity_work *work,
                                    const struct pk_capacity_verdict *verdict,
                                    const struct pk_index *index, struct pk_error *err)
{
    struct pk_table *now;
    enum pk_code rc;

    if (verdict->read == 0 && verdict->write == 0)
        return PK_OK;
    rc = provision(work, verdict, index == NULL ? (pk_slice){NULL, 0} : index->name, err);
    now = pk_catalog_get(&work->engine->catalog, work->table->name);
    if (rc == PK_OK && now != NULL && now->id == work->table->id)
        rc = pk_capacity_fit(work->engine, now, err);
    pk_table_unref(now);
    return rc;
}

/* The warm throughput of a table is in its definition; an index' is what its partitions serve. */
enum pk_code pk_capacity_act(struct pk_capacity_work *work,
                             const struct pk_capacity_verdict *verdict, struct pk_error *err)
{
    const struct pk_index *index =
        verdict->index_id == 0 ? NULL : index_of(work->table, verdict->index_id);
    struct pk_capacity_side *side;
    int64_t read = 0, write = 0;
    enum pk_code rc = PK_OK;

    if (verdict->index_id != 0 && index == NULL)
        return PK_OK;
    if (!verdict->grown)
        return act_provisioned(work, verdict, index, err);
    pthread_mutex_lock(&work->capacity->lock);
    side = pk__capacity_side(work->capacity, verdict->index_id);
    if (side != NULL) {
        read = side->growth[PK_ACCESS_READ].warm;
        write = side->growth[PK_ACCESS_WRITE].warm;
    }
    pthread_mutex_unlock(&work->capacity->lock);
    if (index == NULL)
        rc = set_warm(work, read, write, err);
    return rc == PK_OK ? pk_capacity_split_evenly(work, verdict->index_id,
                                                  pk_capacity_needed(work, index, read, write), err)
                       : rc;
}
