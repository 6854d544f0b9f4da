/*
 * What time does to capacity: seconds and metric periods end, splits that are under way become
 * definitions, on-demand tables grow, auto scaling acts, and full partitions split.
 *
 * Decisions are made under a capacity's lock, definitions are changed without it.
 */
#include <stdlib.h>

#include "engine/ops/capacity.h"
#include "engine/ops/ddl.h"
#include "engine/ops/size_split.h"
#include "engine/ops/split.h"
#include "engine/ops/table_log.h"
#include "engine/ops/throughput.h"
#include "engine/table/descriptor.h"

enum {
    MS = 1000,
    PERIODS_MAX = 64, /* idle ones that are judged one by one; more change nothing any more */
    TOKEN_LEN = 8
};

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

/* Work that needs a change of the definition ---------------------------------------------------*/

struct work {
    struct pk_engine *engine;
    struct pk_table *table;
    struct pk_capacity *capacity;
    int64_t now_ms;
    struct pk_sim_settings sim;
    struct pk_arena arena; /* of boundaries */
};

struct cut {
    pk_slice *boundaries; /* arena */
    size_t count, cap;
};

static void add_boundary(struct work *work, struct cut *cut, pk_slice boundary)
{
    if (cut->count == cut->cap) {
        size_t cap = cut->cap == 0 ? 8 : cut->cap * 2;
        pk_slice *more = PK_NEW_ARRAY(&work->arena, pk_slice, cap);

        for (size_t i = 0; i < cut->count; i++)
            more[i] = cut->boundaries[i];
        cut->boundaries = more;
        cut->cap = cap;
    }
    cut->boundaries[cut->count++] = pk_arena_dup(&work->arena, boundary);
}

static uint32_t id_at(const struct pk_capacity_side *side, pk_slice position)
{
    return side->set.list[pk_partition_set_find(&side->set, position)].id;
}

static void note_splits(struct work *work, const struct cut *cut, uint32_t index_id,
                        enum pk_split_cause cause, const uint32_t *parents)
{
    struct pk_capacity *capacity = work->capacity;

    for (size_t i = 0; i < cut->count; i++) {
        struct pk_capacity_side *side = pk__capacity_side(capacity, index_id);
        struct pk_split_note *note = &capacity->splits[capacity->split_count % PK_SPLITS_KEPT];
        size_t at;

        if (side == NULL)
            return;
        at = pk_partition_set_find(&side->set, cut->boundaries[i]);
        if (at == 0 || side->set.list[at].id == parents[i])
            continue;
        *note =
            (struct pk_split_note){.time_ms = work->now_ms,
                                   .index_id = index_id,
                                   .parent = parents[i],
                                   .children = {side->set.list[at - 1].id, side->set.list[at].id},
                                   .cause = cause};
        capacity->split_count++;
    }
}

/* What the definition did not divide after all (a border that it has, or would not have) is active
 * again, and left alone for a while. */
static void end_undivided(struct work *work, const struct cut *cut, uint32_t index_id)
{
    struct pk_capacity_side *side = pk__capacity_side(work->capacity, index_id);

    for (size_t i = 0; side != NULL && i < cut->count; i++) {
        struct pk_partition *partition =
            &side->set.list[pk_partition_set_find(&side->set, cut->boundaries[i])];

        if (partition->state != PK_PARTITION_SPLITTING ||
            !pk_slice_equal((pk_slice){partition->boundary, partition->boundary_len},
                            cut->boundaries[i]))
            continue;
        free(partition->boundary);
        partition->boundary = NULL;
        partition->boundary_len = 0;
        partition->state = PK_PARTITION_ACTIVE;
        partition->cool_until_ms = work->now_ms + side->set.rules.cooldown_ms;
    }
}

/* Publishes the borders; the definition then comes back to the partitions (pk_capacity_define). */
static enum pk_code make_splits(struct work *work, const struct cut *cut, uint32_t index_id,
                                enum pk_split_cause cause, struct pk_error *err)
{
    const struct pk_split split = {work->table->id, index_id, cut->boundaries, cut->count};
    uint32_t *parents;
    struct pk_capacity_side *side;
    enum pk_code rc;

    if (cut->count == 0)
        return PK_OK;
    parents = PK_NEW_ARRAY(&work->arena, uint32_t, cut->count);
    pthread_mutex_lock(&work->capacity->lock);
    side = pk__capacity_side(work->capacity, index_id);
    for (size_t i = 0; i < cut->count && side != NULL; i++)
        parents[i] = id_at(side, cut->boundaries[i]);
    pthread_mutex_unlock(&work->capacity->lock);
    rc = pk_split_partitions(work->engine, &split, work->now_ms, err);
    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&work->capacity->lock);
    note_splits(work, cut, index_id, cause, parents);
    end_undivided(work, cut, index_id);
    pthread_mutex_unlock(&work->capacity->lock);
    return PK_OK;
}

/* Splits for heat and size, once their time has come. */
static enum pk_code finish_splits(struct work *work, uint32_t index_id, struct pk_error *err)
{
    struct cut heat = {NULL, 0, 0}, size = {NULL, 0, 0};
    struct pk_capacity_side *side;
    enum pk_code rc;

    pthread_mutex_lock(&work->capacity->lock);
    side = pk__capacity_side(work->capacity, index_id);
    for (size_t i = 0; side != NULL && i < side->set.count; i++) {
        const struct pk_partition *partition = &side->set.list[i];

        if (partition->state == PK_PARTITION_SPLITTING && partition->split_due_ms <= work->now_ms)
            add_boundary(work, partition->for_size ? &size : &heat,
                         (pk_slice){partition->boundary, partition->boundary_len});
    }
    pthread_mutex_unlock(&work->capacity->lock);
    rc = make_splits(work, &heat, index_id, PK_SPLIT_FOR_HEAT, err);
    return rc == PK_OK ? make_splits(work, &size, index_id, PK_SPLIT_FOR_SIZE, err) : rc;
}

/* Throughput splits ----------------------------------------------------------------------------*/

static uint64_t token_of(pk_slice position)
{
    uint64_t token = 0;

    for (size_t i = 0; i < TOKEN_LEN; i++)
        token = token << 8 | (i < position.len ? (unsigned char)position.data[i] : 0);
    return token;
}

/* The middle of a partition's tokens, as a position; false when it is all one token's. */
static bool middle_of(const struct pk_partition_set *set, size_t i, char middle[TOKEN_LEN])
{
    uint64_t first = token_of((pk_slice){set->list[i].first, set->list[i].first_len});
    uint64_t last = i + 1 == set->count
                        ? UINT64_MAX
                        : token_of((pk_slice){set->list[i + 1].first, set->list[i + 1].first_len});
    /* of [first, last], or of [first, last) when another partition begins there */
    uint64_t at = first + (last - first) / 2 + (i + 1 == set->count ? 1 : 0);

    if (at <= first || last - first < 2)
        return false;
    for (int k = TOKEN_LEN - 1; k >= 0; k--, at >>= 8)
        middle[k] = (char)(unsigned char)at;
    return true;
}

/* All partitions in two, until there are enough (§3.2). */
static enum pk_code split_evenly(struct work *work, uint32_t index_id, uint32_t needed,
                                 struct pk_error *err)
{
    for (;;) {
        struct cut cut = {NULL, 0, 0};
        struct pk_capacity_side *side;
        enum pk_code rc;

        pthread_mutex_lock(&work->capacity->lock);
        side = pk__capacity_side(work->capacity, index_id);
        if (side != NULL && side->set.count < needed && side->set.count * 2 <= PK_PARTITIONS_MAX) {
            for (size_t i = 0; i < side->set.count; i++) {
                char middle[TOKEN_LEN];

                if (middle_of(&side->set, i, middle))
                    add_boundary(work, &cut, (pk_slice){middle, TOKEN_LEN});
            }
        }
        pthread_mutex_unlock(&work->capacity->lock);
        if (cut.count == 0)
            return PK_OK;
        rc = make_splits(work, &cut, index_id, PK_SPLIT_FOR_THROUGHPUT, err);
        if (rc != PK_OK)
            return rc;
    }
}

/* What the throughput of a table or index needs (§3.1): provisioned by the sum rule, warm and on
 * demand by the greater of the two. */
static uint32_t needed_by(const struct work *work, const struct pk_index *index, int64_t warm_read,
                          int64_t warm_write)
{
    const struct pk_table *table = work->table;
    const struct pk_throughput *throughput =
        index == NULL ? &table->throughput : &index->throughput;
    struct pk_partition_limits limits = {.read = (int64_t)work->sim.partition_read,
                                         .write = (int64_t)work->sim.partition_write,
                                         .bytes = work->sim.partition_bytes};

    enum pk_partition_rule rule =
        pk_ddl_rule((enum pk_count_rule)work->sim.partition_rule, table->billing);

    if (table->billing == PK_PROVISIONED)
        return pk_partition_count(rule, throughput->read, throughput->write, 0, &limits);
    return pk_partition_count(rule, warm_read, warm_write, 0, &limits);
}

/* Metric periods -------------------------------------------------------------------------------*/

static bool grow(struct work *work, struct pk_capacity_side *side, const int64_t *average)
{
    bool grown = false;

    for (int access = 0; access < PK_ACCESS_KINDS; access++)
        grown = pk_growth_period(&side->growth[access], average[access] / MS,
                                 (int64_t)work->sim.on_demand_growth_ms, work->now_ms) ||
                grown;
    return grown;
}

struct verdict {
    uint32_t index_id;
    bool grown;
    int64_t read, write; /* what to provision; 0: no change */
};

static const struct pk_index *index_of(const struct pk_table *table, uint32_t id)
{
    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (table->indexes[i].id == id)
            return &table->indexes[i];
    }
    return NULL;
}

/* What to provision; of several periods the last word counts. */
static void scale(struct pk_capacity_side *side, const int64_t *average, struct verdict *verdict)
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

static void end_period(struct work *work, struct pk_capacity_side *side, struct verdict *verdict)
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

/* Judges the periods that have ended. */
static void end_periods(struct work *work, struct verdict *verdicts)
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

static enum pk_code set_warm(struct work *work, int64_t read, int64_t write, struct pk_error *err)
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
static enum pk_code provision(struct work *work, const struct verdict *verdict, pk_slice index,
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

static enum pk_code act_provisioned(struct work *work, const struct verdict *verdict,
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
static enum pk_code act(struct work *work, const struct verdict *verdict, struct pk_error *err)
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
    return rc == PK_OK
               ? split_evenly(work, verdict->index_id, needed_by(work, index, read, write), err)
               : rc;
}

/* One table ------------------------------------------------------------------------------------*/

static enum pk_code serve_sides(struct work *work, struct pk_error *err)
{
    enum pk_code rc = finish_splits(work, 0, err);

    for (size_t i = work->table->local_count; i < work->table->index_count && rc == PK_OK; i++)
        rc = finish_splits(work, work->table->indexes[i].id, err);
    return rc;
}

static enum pk_code tick_table(struct work *work, struct pk_error *err)
{
    struct verdict verdicts[PK_CAPACITY_SIDES] = {{.grown = false}};
    enum pk_code rc;

    pthread_mutex_lock(&work->capacity->lock);
    if (!work->capacity->defined) {
        pthread_mutex_unlock(&work->capacity->lock);
        return PK_OK;
    }
    pk__capacity_roll(work->capacity, work->now_ms);
    end_periods(work, verdicts);
    pthread_mutex_unlock(&work->capacity->lock);
    rc = pk_size_split(work->engine, work->table, work->now_ms, err);
    if (rc == PK_OK)
        rc = serve_sides(work, err);
    for (size_t i = 0; i < PK_CAPACITY_SIDES && rc == PK_OK; i++)
        rc = act(work, &verdicts[i], err);
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
        struct work work = {engine, tables[i], pk_capacity_of(tables[i]), now_ms,
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

enum pk_code pk_capacity_fit(struct pk_engine *engine, struct pk_table *table, struct pk_error *err)
{
    struct work work = {engine, table, pk_capacity_of(table), pk_clock_now(&engine->clock),
                        .arena = PK_ARENA_INIT};
    enum pk_code rc;

    pk_engine_settings(engine, &work.sim);
    rc = split_evenly(&work, 0, needed_by(&work, NULL, table->warm_read, table->warm_write), err);
    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++) {
        const struct pk_index *index = &table->indexes[i];

        if (table->billing == PK_PROVISIONED)
            rc = split_evenly(&work, index->id, needed_by(&work, index, 0, 0), err);
    }
    pk_arena_release(&work.arena);
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
