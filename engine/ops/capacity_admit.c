/* Who is admitted, and what the queues of GSIs hold back; the exceptions are in capacity_error.c.
 */
#include <stdlib.h>

#include "engine/ops/capacity.h"
#include "engine/store/key_code.h"
#include "engine/store/layout.h"
#include "engine/store/position.h"

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
    pk_slice rest = pk_position_codes(position);
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
    return pk_layout_position(demand->row);
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
            pk__capacity_define(engine, capacity, demands[i].table);
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
        take_more(side, demand, pk_partition_set_find(&side->set, pk_layout_position(row)), milli);
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
