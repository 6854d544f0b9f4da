#include "engine/sim/admission.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"

enum {
    MILLI = 1000,
    BOOST_NONE = MILLI,
    BOOST_UP = 1500,  /* thousandths, for a second of throttling with room in the table */
    BOOST_DOWN = 800, /* for a second in which the table has reached its throughput */
};

/* ---- shares ---------------------------------------------------------------------------------- */

static bool has_shares(const struct pk_admission *admission)
{
    return !admission->limits.on_demand && admission->limits.mode != PK_ADMISSION_GAC;
}

/* In units a second; a share of less than one is one, else nothing would ever pass. */
static int64_t share_rate(const struct pk_admission *admission, int64_t boost_milli)
{
    int64_t equal = admission->limits.provisioned / (int64_t)admission->count;
    int64_t rate = equal * boost_milli / BOOST_NONE;

    return rate < 1 ? 1 : rate;
}

static int64_t share_seconds(const struct pk_admission *admission)
{
    return admission->limits.mode == PK_ADMISSION_STATIC ? 0 : admission->limits.burst_seconds;
}

static void set_share(struct pk_admission *admission, struct pk_admission_partition *partition,
                      int64_t now_ms)
{
    pk_burst_set_rate(&partition->share, share_rate(admission, partition->boost_milli),
                      share_seconds(admission), now_ms);
}

/* ---- init ------------------------------------------------------------------------------------ */

static struct pk_admission_partition new_partition(const struct pk_admission *admission,
                                                   int64_t now_ms)
{
    struct pk_bucket full = pk_bucket_full(admission->limits.partition, 1, now_ms);

    return (struct pk_admission_partition){
        .hard = full,
        .others = {full, full},
        .share = pk_burst_new(share_rate(admission, BOOST_NONE), share_seconds(admission), now_ms),
        .boost_milli = BOOST_NONE};
}

void pk_admission_init(struct pk_admission *admission, const struct pk_admission_limits *limits,
                       size_t count, int64_t now_ms)
{
    *admission = (struct pk_admission){
        .limits = *limits,
        .max_on_demand = pk_bucket_full(limits->max_on_demand, 1, now_ms),
        .quota = pk_bucket_full(limits->quota, 1, now_ms),
        .table = pk_burst_new(limits->provisioned, limits->burst_seconds, now_ms),
        .partitions = pk_calloc(count, sizeof(*admission->partitions)),
        .count = count};
    for (size_t i = 0; i < count; i++)
        admission->partitions[i] = new_partition(admission, now_ms);
}

void pk_admission_release(struct pk_admission *admission)
{
    free(admission->partitions);
    *admission = (struct pk_admission){.count = 0};
}

void pk_admission_set_limits(struct pk_admission *admission,
                             const struct pk_admission_limits *limits, int64_t now_ms)
{
    admission->limits = *limits;
    pk_bucket_set_rate(&admission->max_on_demand, limits->max_on_demand, 1, now_ms);
    pk_bucket_set_rate(&admission->quota, limits->quota, 1, now_ms);
    pk_burst_set_rate(&admission->table, limits->provisioned, limits->burst_seconds, now_ms);
    for (size_t i = 0; i < admission->count; i++) {
        pk_bucket_set_rate(&admission->partitions[i].hard, limits->partition, 1, now_ms);
        for (size_t k = 0; k < PK_REPLICAS - 1; k++)
            pk_bucket_set_rate(&admission->partitions[i].others[k], limits->partition, 1, now_ms);
        set_share(admission, &admission->partitions[i], now_ms);
    }
}

/* The parent's saved units and boost are divided: a split makes no throughput (§3.3, dilution). */
void pk_admission_split(struct pk_admission *admission, size_t i, int64_t now_ms)
{
    size_t behind = admission->count - i - 1;
    struct pk_admission_partition *at;

    admission->partitions =
        pk_realloc(admission->partitions, admission->count + 1, sizeof(*admission->partitions));
    at = &admission->partitions[i];
    memmove(at + 2, at + 1, behind * sizeof(*at));
    pk_burst_refill(&at->share, now_ms);
    at->share.base.level /= 2;
    at->share.base.rate /= 2;
    at->share.saved /= 2;
    at->hard = pk_bucket_full(admission->limits.partition, 1, now_ms);
    at->others[0] = at->others[1] = at->hard;
    at->throttled = false;
    at[1] = at[0];
    admission->count++;
}

/* ---- admission ------------------------------------------------------------------------------- */

static void refill(struct pk_admission *admission, struct pk_admission_partition *partition,
                   int64_t now_ms)
{
    pk_bucket_refill(&partition->hard, now_ms);
    if (admission->limits.on_demand) {
        pk_bucket_refill(&admission->max_on_demand, now_ms);
        pk_bucket_refill(&admission->quota, now_ms);
    } else {
        pk_burst_refill(&admission->table, now_ms);
        pk_burst_refill(&partition->share, now_ms);
    }
}

static struct pk_bucket *bucket_of(struct pk_admission_partition *partition,
                                   struct pk_replica replica)
{
    return replica.number == 0 ? &partition->hard : &partition->others[replica.number - 1];
}

/* Each replica counts a unit for 4 KB, whatever is billed. */
static int64_t at_replica(struct pk_replica replica, int64_t milli)
{
    return replica.eventual ? 2 * milli : milli;
}

static bool partition_has(struct pk_admission_partition *partition, struct pk_replica replica,
                          int64_t milli)
{
    return pk_bucket_has(bucket_of(partition, replica), at_replica(replica, milli));
}

static enum pk_throttle check_on_demand(const struct pk_admission *admission,
                                        struct pk_admission_partition *partition,
                                        struct pk_replica replica, int64_t milli)
{
    if (admission->limits.max_on_demand > 0 && !pk_bucket_has(&admission->max_on_demand, milli))
        return PK_THROTTLE_MAX_ON_DEMAND;
    if (!pk_bucket_has(&admission->quota, milli))
        return PK_THROTTLE_ACCOUNT;
    return partition_has(partition, replica, milli) ? PK_THROTTLE_NONE : PK_THROTTLE_KEY_RANGE;
}

static enum pk_throttle check_provisioned(const struct pk_admission *admission,
                                          struct pk_admission_partition *partition,
                                          struct pk_replica replica, int64_t milli)
{
    if (!partition_has(partition, replica, milli))
        return PK_THROTTLE_KEY_RANGE;
    if (!has_shares(admission))
        return pk_burst_has(&admission->table, milli) ? PK_THROTTLE_NONE : PK_THROTTLE_PROVISIONED;
    if (pk_burst_has(&partition->share, milli))
        return PK_THROTTLE_NONE;
    partition->throttled = true;
    return PK_THROTTLE_PROVISIONED;
}

struct pk_replica pk_admission_replica(struct pk_admission *admission, size_t i, bool eventual)
{
    struct pk_admission_partition *partition = &admission->partitions[i];
    struct pk_replica replica = {0, false};

    if (!admission->limits.spread || !eventual)
        return replica;
    replica = (struct pk_replica){partition->turn, true};
    partition->turn = (uint8_t)((partition->turn + 1) % PK_REPLICAS);
    return replica;
}

enum pk_throttle pk_admission_check_at(struct pk_admission *admission, size_t i,
                                       struct pk_replica replica, int64_t milli, int64_t now_ms)
{
    struct pk_admission_partition *partition = &admission->partitions[i];

    refill(admission, partition, now_ms);
    if (replica.number > 0)
        pk_bucket_refill(bucket_of(partition, replica), now_ms);
    return admission->limits.on_demand ? check_on_demand(admission, partition, replica, milli)
                                       : check_provisioned(admission, partition, replica, milli);
}

enum pk_throttle pk_admission_check(struct pk_admission *admission, size_t i, int64_t milli,
                                    int64_t now_ms)
{
    return pk_admission_check_at(admission, i, (struct pk_replica){0, false}, milli, now_ms);
}

void pk_admission_take_at(struct pk_admission *admission, size_t i, struct pk_replica replica,
                          int64_t milli)
{
    struct pk_admission_partition *partition = &admission->partitions[i];

    admission->consumed += milli;
    pk_bucket_take(bucket_of(partition, replica), at_replica(replica, milli));
    if (admission->limits.on_demand) {
        pk_bucket_take(&admission->max_on_demand, milli);
        pk_bucket_take(&admission->quota, milli);
    } else if (has_shares(admission)) {
        pk_burst_take(&partition->share, milli);
    } else {
        pk_burst_take(&admission->table, milli);
    }
}

void pk_admission_take(struct pk_admission *admission, size_t i, int64_t milli)
{
    pk_admission_take_at(admission, i, (struct pk_replica){0, false}, milli);
}

/* boost * by / 1000, between an equal share and what makes the share the partition's limit. */
static int64_t moved_boost(const struct pk_admission *admission, int64_t boost_milli, int64_t by)
{
    int64_t most = admission->limits.partition * (int64_t)admission->count * BOOST_NONE /
                   (admission->limits.provisioned < 1 ? 1 : admission->limits.provisioned);
    int64_t boost = boost_milli * by / MILLI;

    boost = boost > most ? most : boost;
    return boost < BOOST_NONE ? BOOST_NONE : boost;
}

void pk_admission_second(struct pk_admission *admission, int64_t now_ms)
{
    bool room = admission->consumed < admission->limits.provisioned * MILLI;

    for (size_t i = 0; i < admission->count; i++) {
        struct pk_admission_partition *partition = &admission->partitions[i];
        bool up = room && partition->throttled;

        partition->throttled = false;
        if (!has_shares(admission) || admission->limits.mode != PK_ADMISSION_ADAPTIVE ||
            (room && !up))
            continue;
        partition->boost_milli =
            moved_boost(admission, partition->boost_milli, up ? BOOST_UP : BOOST_DOWN);
        partition->share.base.rate = share_rate(admission, partition->boost_milli);
        set_share(admission, partition, now_ms);
    }
    admission->consumed = 0;
}

void pk_admission_grants(int64_t tokens, const int64_t *demands, size_t count, int64_t *grants)
{
    int64_t total = 0;

    for (size_t i = 0; i < count; i++)
        total += demands[i];
    for (size_t i = 0; i < count; i++)
        grants[i] = total <= tokens ? demands[i] : tokens * demands[i] / total;
}
