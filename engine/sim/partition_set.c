#include "engine/sim/partition_set.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/sim/partition.h"
#include "engine/store/position.h"

/* ---- making ---------------------------------------------------------------------------------- */

static struct pk_partition new_partition(uint32_t id, uint32_t parent, pk_slice first)
{
    return (struct pk_partition){.id = id,
                                 .parent = parent,
                                 .first = pk_memdup_cstr(first.data, first.len),
                                 .first_len = first.len};
}

void pk_partition_set_init(struct pk_partition_set *set, const struct pk_partition_setup *setup,
                           int64_t now_ms)
{
    *set = (struct pk_partition_set){.list = pk_calloc(setup->count, sizeof(*set->list)),
                                     .count = setup->count,
                                     .next_id = (uint32_t)setup->count,
                                     .rules = setup->rules};
    pk_rng_seed(&set->rng, setup->seed);
    if (setup->map != NULL)
        set->next_id = setup->map->next_id;
    for (int access = 0; access < PK_ACCESS_KINDS; access++)
        pk_admission_init(&set->admission[access], &setup->limits[access], setup->count, now_ms);
    for (uint32_t i = 0; i < setup->count; i++) {
        char token[PK_TOKEN_LEN];

        if (setup->map != NULL) {
            const struct pk_partition_entry *range = &setup->map->list[i];

            set->list[i] = new_partition(range->id, range->parent, range->first);
            continue;
        }
        pk_token_store(pk_partition_first(i, (uint32_t)setup->count), token);
        set->list[i] = new_partition(i, i, (pk_slice){token, i == 0 ? 0 : PK_TOKEN_LEN});
    }
}

static void release_partition(struct pk_partition *partition)
{
    free(partition->first);
    free(partition->boundary);
    free(partition->history);
    pk_heat_release(&partition->heat);
}

void pk_partition_set_release(struct pk_partition_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        release_partition(&set->list[i]);
    for (int access = 0; access < PK_ACCESS_KINDS; access++)
        pk_admission_release(&set->admission[access]);
    free(set->list);
    *set = (struct pk_partition_set){.count = 0};
}

/* ---- requests -------------------------------------------------------------------------------- */

static pk_slice first_of(const struct pk_partition *partition)
{
    return (pk_slice){partition->first, partition->first_len};
}

size_t pk_partition_set_find(const struct pk_partition_set *set, pk_slice position)
{
    size_t low = 0, high = set->count; /* list[low] begins at or before the position */

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (pk_slice_compare(first_of(&set->list[middle]), position) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

enum pk_throttle pk_partition_set_offer(struct pk_partition_set *set,
                                        const struct pk_access_request *request, int64_t now_ms)
{
    struct pk_partition *partition = &set->list[request->partition];
    struct pk_heat_sample *kept;
    enum pk_throttle throttle =
        pk_admission_check_at(&set->admission[request->access], request->partition,
                              request->replica, request->milli, now_ms);

    set->active = true;
    kept = pk_heat_offer(&partition->heat, &set->rng, request->position);
    if (kept != NULL)
        kept->hash_len = (uint32_t)request->hash_len(request->context, request->position);
    if (throttle != PK_THROTTLE_NONE) {
        partition->throttled[request->access][throttle]++;
        partition->running.refused[request->access]++;
    }
    if (throttle == PK_THROTTLE_KEY_RANGE)
        partition->heat.refused = true;
    return throttle;
}

void pk_partition_set_take_at(struct pk_partition_set *set, const struct pk_access_request *request,
                              int64_t milli)
{
    struct pk_heat *heat = &set->list[request->partition].heat;

    pk_admission_take_at(&set->admission[request->access], request->partition, request->replica,
                         milli);
    if (request->access == PK_ACCESS_READ)
        heat->read += milli;
    else
        heat->write += milli;
}

void pk_partition_set_take(struct pk_partition_set *set, enum pk_access access, size_t partition,
                           int64_t milli)
{
    pk_partition_set_take_at(
        set, &(struct pk_access_request){.access = access, .partition = partition}, milli);
}

/* ---- splits ---------------------------------------------------------------------------------- */

static void decide(struct pk_partition_set *set, size_t i, int64_t now_ms)
{
    struct pk_partition *partition = &set->list[i];
    pk_slice boundary;
    enum pk_split_verdict verdict =
        pk_heat_decide(&partition->heat, &set->rules.heat, set->rules.collections, &boundary);

    if (verdict == PK_SPLIT_AT)
        (void)pk_partition_set_begin_split(set, i, boundary, now_ms);
    else
        partition->refusal = verdict;
    pk_heat_clear(&partition->heat);
}

/* What is shown of the second that ends; before its heat is judged, which may begin a new window.
 */
static void note_second(const struct pk_partition_set *set, struct pk_partition *partition)
{
    struct pk_second *second = &partition->running;

    second->milli[PK_ACCESS_READ] = partition->heat.read;
    second->milli[PK_ACCESS_WRITE] = partition->heat.write;
    if (partition->history == NULL && partition->heat.offered > 0)
        partition->history = pk_calloc(PK_HISTORY_SECONDS, sizeof(*partition->history));
    if (partition->history != NULL)
        partition->history[set->seconds % PK_HISTORY_SECONDS] = *second;
    *second = (struct pk_second){.milli = {0}};
}

void pk_partition_set_pass(struct pk_partition_set *set, uint64_t seconds)
{
    for (size_t i = 0; i < set->count; i++) {
        struct pk_partition *partition = &set->list[i];

        for (uint64_t k = 0; partition->history != NULL && k < seconds && k < PK_HISTORY_SECONDS;
             k++)
            partition->history[(set->seconds + k) % PK_HISTORY_SECONDS] =
                (struct pk_second){.milli = {0}};
    }
    set->seconds += seconds;
}

void pk_partition_set_second(struct pk_partition_set *set, int64_t now_ms)
{
    int64_t read = set->admission[PK_ACCESS_READ].limits.partition;
    int64_t write = set->admission[PK_ACCESS_WRITE].limits.partition;

    for (int access = 0; access < PK_ACCESS_KINDS; access++)
        pk_admission_second(&set->admission[access], now_ms);
    for (size_t i = 0; i < set->count; i++) {
        struct pk_partition *partition = &set->list[i];
        bool ripe;

        note_second(set, partition);
        ripe = pk_heat_second(&partition->heat, &set->rules.heat, read, write);

        if (ripe && set->rules.for_heat && partition->state == PK_PARTITION_ACTIVE &&
            now_ms >= partition->cool_until_ms)
            decide(set, i, now_ms);
    }
    set->seconds++;
    set->active = false;
}

bool pk_partition_set_begin_split(struct pk_partition_set *set, size_t i, pk_slice boundary,
                                  int64_t now_ms)
{
    struct pk_partition *partition = &set->list[i];

    if (partition->state != PK_PARTITION_ACTIVE || set->count >= set->rules.partitions_max ||
        pk_slice_compare(boundary, first_of(partition)) <= 0 ||
        pk_partition_set_find(set, boundary) != i)
        return false;
    partition->state = PK_PARTITION_SPLITTING;
    partition->boundary = pk_memdup_cstr(boundary.data, boundary.len);
    partition->boundary_len = boundary.len;
    partition->split_due_ms = now_ms + set->rules.duration_ms;
    return true;
}

/* Children begin with full hard buckets and no heat; refusals of the parent were about its range.
 * What the parent did is the past of both. */
static void divide(struct pk_partition_set *set, size_t i, pk_slice boundary, int64_t now_ms)
{
    struct pk_partition parent = set->list[i];
    struct pk_partition *at;

    set->list = pk_realloc(set->list, set->count + 1, sizeof(*set->list));
    at = &set->list[i];
    memmove(at + 2, at + 1, (set->count - i - 1) * sizeof(*at));
    at[0] = new_partition(set->next_id, parent.id, first_of(&parent));
    at[1] = new_partition(set->next_id + 1, parent.id, boundary);
    at[0].cool_until_ms = at[1].cool_until_ms = now_ms + set->rules.cooldown_ms;
    memcpy(at[0].throttled, parent.throttled, sizeof(parent.throttled));
    for (size_t child = 0; child < 2 && parent.history != NULL; child++) {
        at[child].history = pk_calloc(PK_HISTORY_SECONDS, sizeof(*parent.history));
        memcpy(at[child].history, parent.history, PK_HISTORY_SECONDS * sizeof(*parent.history));
    }
    set->next_id += 2;
    set->count++;
    for (int access = 0; access < PK_ACCESS_KINDS; access++)
        pk_admission_split(&set->admission[access], i, now_ms);
    release_partition(&parent);
}

void pk_partition_set_sync(struct pk_partition_set *set, const struct pk_partitions *map,
                           int64_t now_ms)
{
    for (size_t i = 0; i < map->count; i++) {
        size_t at = pk_partition_set_find(set, map->list[i].first);

        if (!pk_slice_equal(first_of(&set->list[at]), map->list[i].first))
            divide(set, at, map->list[i].first, now_ms);
    }
    for (size_t i = 0; i < map->count && i < set->count; i++) {
        set->list[i].id = map->list[i].id;
        set->list[i].parent = map->list[i].parent;
    }
    set->next_id = map->next_id;
}

bool pk_partition_set_end_split(struct pk_partition_set *set, int64_t now_ms, size_t *i)
{
    size_t first = set->count;

    for (size_t at = 0; at < set->count; at++) {
        const struct pk_partition *partition = &set->list[at];

        if (partition->state == PK_PARTITION_SPLITTING && partition->split_due_ms <= now_ms &&
            (first == set->count || partition->split_due_ms < set->list[first].split_due_ms))
            first = at;
    }
    if (first == set->count)
        return false;
    divide(set, first, (pk_slice){set->list[first].boundary, set->list[first].boundary_len},
           now_ms);
    *i = first;
    return true;
}

int64_t pk_partition_set_due(const struct pk_partition_set *set)
{
    int64_t due = INT64_MAX;

    for (size_t i = 0; i < set->count; i++)
        if (set->list[i].state == PK_PARTITION_SPLITTING && set->list[i].split_due_ms < due)
            due = set->list[i].split_due_ms;
    return due;
}
