/*
 * What time does to capacity: seconds and metric periods end, splits that are under way become
 * definitions, on-demand tables grow, auto scaling acts, and full partitions split.
 */
#include "engine/ops/capacity_work.h"
#include "engine/ops/size_split.h"

enum { MS = 1000 };

/* Seconds --------------------------------------------------------------------------------------*/

static void end_second(struct pk_capacity_side *side, int64_t now_ms)
{
    for (int access = 0; access < PK_ACCESS_KINDS; access++)
        side->period_milli[access] += side->set.admission[access].consumed;
    pk_partition_set_second(&side->set, now_ms);
}

/* The first second ends what was under way, the next one ends its heat; then nothing changes. */
void pk__capacity_roll(struct pk_capacity *capacity, int64_t now_ms)
{
    int64_t gap = now_ms / MS - capacity->second;

    if (gap <= 0)
        return;
    for (size_t i = 0; i < PK_CAPACITY_SIDES; i++) {
        struct pk_capacity_side *side = &capacity->sides[i];
        int64_t singly = gap < 2 ? gap : 2;

        if (!side->live)
            continue;
        for (int64_t k = 1; k <= singly; k++)
            end_second(side, (capacity->second + k) * MS);
        pk_partition_set_pass(&side->set, (uint64_t)(gap - singly));
    }
    capacity->second = now_ms / MS;
}

/* One table ------------------------------------------------------------------------------------*/

static enum pk_code serve_sides(struct pk_capacity_work *work, struct pk_error *err)
{
    enum pk_code rc = pk_capacity_finish_splits(work, 0, err);

    for (size_t i = work->table->local_count; i < work->table->index_count && rc == PK_OK; i++)
        rc = pk_capacity_finish_splits(work, work->table->indexes[i].id, err);
    return rc;
}

static enum pk_code tick_table(struct pk_capacity_work *work, struct pk_error *err)
{
    struct pk_capacity_verdict verdicts[PK_CAPACITY_SIDES] = {{.grown = false}};
    enum pk_code rc;

    pthread_mutex_lock(&work->capacity->lock);
    if (!work->capacity->defined) {
        pthread_mutex_unlock(&work->capacity->lock);
        return PK_OK;
    }
    pk__capacity_roll(work->capacity, work->now_ms);
    pk_capacity_end_periods(work, verdicts);
    pthread_mutex_unlock(&work->capacity->lock);
    rc = pk_size_split(work->engine, work->table, work->now_ms, err);
    if (rc == PK_OK)
        rc = serve_sides(work, err);
    for (size_t i = 0; i < PK_CAPACITY_SIDES && rc == PK_OK; i++)
        rc = pk_capacity_act(work, &verdicts[i], err);
    return rc;
}

enum pk_code pk_capacity_tick(struct pk_engine *engine, int64_t now_ms, bool *more,
                              struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables;
    enum pk_code rc = PK_OK;

    (void)more;
    if (!pk_capacity_asks(engine))
        return PK_OK;
    tables = pk_catalog_all(&engine->catalog, &count);
    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        struct pk_capacity_work work = {engine, tables[i], pk_capacity_of(tables[i]), now_ms,
                                        .arena = PK_ARENA_INIT};

        pk_engine_settings(engine, &work.sim);
        rc = tick_table(&work, err);
        /* dropped meanwhile */
        if (rc == PK_E_NOT_FOUND) {
            pk_error_release(err);
            rc = PK_OK;
        }
        pk_arena_release(&work.arena);
    }
    pk_catalog_free_all(tables, count);
    return rc;
}

/* When it is due -------------------------------------------------------------------------------*/

/* Heat lasts as long as its seconds do, and a period as long as something was consumed in it. */
static bool is_under_way(const struct pk_capacity_side *side)
{
    if (side->set.active || side->queue_milli > 0)
        return true;
    for (size_t i = 0; i < side->set.count; i++) {
        if (side->set.list[i].heat.hot_run > 0 || side->set.list[i].heat.count > 0)
            return true;
    }
    return false;
}

/* Auto scaling counts idle periods, too, until it has come to its minimum. */
static bool waits_for_period(const struct pk_capacity_side *side, const struct pk_table *table)
{
    for (int access = 0; access < PK_ACCESS_KINDS; access++) {
        const struct pk_autoscale *one = &side->scale[access];
        int64_t provisioned = side->set.admission[access].limits.provisioned;

        if (table->billing == PK_ON_DEMAND
                ? side->period_milli[access] > 0
                : one->max > 0 && (side->period_milli[access] > 0 || provisioned > one->min))
            return true;
    }
    return false;
}

static int64_t due_of(const struct pk_capacity *capacity, const struct pk_capacity_side *side,
                      const struct pk_table *table, int64_t period)
{
    int64_t due = pk_partition_set_due(&side->set);
    int64_t next = INT64_MAX;

    if (is_under_way(side))
        next = (capacity->second + 1) * MS;
    else if (waits_for_period(side, table))
        next = capacity->period_ms + period;
    return due < next ? due : next;
}

int64_t pk_capacity_next_due(struct pk_engine *engine)
{
    size_t count = 0;
    struct pk_table **tables;
    struct pk_sim_settings sim;
    int64_t next = INT64_MAX;

    if (!pk_capacity_asks(engine))
        return INT64_MAX;
    pk_engine_settings(engine, &sim);
    tables = pk_catalog_all(&engine->catalog, &count);
    for (size_t i = 0; i < count; i++) {
        struct pk_capacity *capacity = pk_capacity_of(tables[i]);

        pthread_mutex_lock(&capacity->lock);
        for (size_t k = 0; k < PK_CAPACITY_SIDES; k++) {
            const struct pk_capacity_side *side = &capacity->sides[k];
            int64_t due = side->live
                              ? due_of(capacity, side, tables[i], (int64_t)sim.metric_period_ms)
                              : INT64_MAX;

            next = due < next ? due : next;
        }
        pthread_mutex_unlock(&capacity->lock);
    }
    pk_catalog_free_all(tables, count);
    return next;
}
