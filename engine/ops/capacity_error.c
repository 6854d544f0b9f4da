/* What a refusal is called: exceptions and ThrottlingReasons (partitions-capacity.md §6). */
#include "engine/ops/capacity.h"

#include "engine/table/partition_map.h"

static const char *limit_name(enum pk_throttle throttle)
{
    switch (throttle) {
    case PK_THROTTLE_MAX_ON_DEMAND:
        return "MaxOnDemandThroughputExceeded";
    case PK_THROTTLE_ACCOUNT:
        return "AccountLimitExceeded";
    case PK_THROTTLE_KEY_RANGE:
        return "KeyRangeThroughputExceeded";
    case PK_THROTTLE_PROVISIONED:
        return "ProvisionedThroughputExceeded";
    case PK_THROTTLE_NONE:
        break;
    }
    return "";
}

/* A write of the table that its GSI has no room for. */
static bool is_back_pressure(const struct pk_demand *demand)
{
    return demand->index != NULL && demand->access == PK_ACCESS_WRITE;
}

static enum pk_code fail_key_range(const struct pk_demand *demand, struct pk_error *err)
{
    if (demand->table->billing == PK_PROVISIONED && !is_back_pressure(demand))
        return pk_fail(err, PK_E_THROUGHPUT_EXCEEDED,
                       "The level of configured provisioned throughput for the %s was exceeded. "
                       "Consider increasing your provisioning level with the UpdateTable API.",
                       demand->index == NULL ? "table" : "index");
    return pk_fail(err, PK_E_THROTTLED,
                   "Throughput exceeds the current capacity of your table or index. DynamoDB is "
                   "automatically scaling your table or index so please try again shortly. If "
                   "exceptions persist, check if you have a hot key.");
}

static enum pk_code fail_one(const struct pk_demand *demand, struct pk_error *err)
{
    switch (demand->refuse) {
    case PK_THROTTLE_MAX_ON_DEMAND:
        return pk_fail(err, PK_E_THROTTLED,
                       "Throughput exceeds the maximum OnDemandThroughput configured on table or "
                       "index");
    case PK_THROTTLE_ACCOUNT:
        return pk_fail(err, PK_E_THROTTLED,
                       "Throughput exceeds the current throughput limit for your account");
    case PK_THROTTLE_KEY_RANGE:
    case PK_THROTTLE_NONE:
        break;
    case PK_THROTTLE_PROVISIONED:
        return pk_fail(err, PK_E_THROUGHPUT_EXCEEDED,
                       "The level of configured provisioned throughput for the %s was exceeded. "
                       "Consider increasing your provisioning level with the UpdateTable API.",
                       demand->index == NULL ? "table" : "index");
    }
    return fail_key_range(demand, err);
}

static enum pk_limit limit_of(enum pk_throttle throttle)
{
    switch (throttle) {
    case PK_THROTTLE_NONE:
        break;
    case PK_THROTTLE_MAX_ON_DEMAND:
        return PK_LIMIT_MAX_ON_DEMAND;
    case PK_THROTTLE_ACCOUNT:
        return PK_LIMIT_ACCOUNT;
    case PK_THROTTLE_KEY_RANGE:
        return PK_LIMIT_KEY_RANGE;
    case PK_THROTTLE_PROVISIONED:
        return PK_LIMIT_PROVISIONED;
    }
    return PK_LIMIT_NONE;
}

/* From 1; 0: the table. */
static uint32_t index_number(const struct pk_demand *demand)
{
    return demand->index == NULL ? 0 : (uint32_t)(demand->index - demand->table->indexes) + 1;
}

static void add_reason(const struct pk_demand *demand, struct pk_error *err)
{
    pk_slice index = demand->index == NULL ? (pk_slice){NULL, 0} : demand->index->name;

    const struct pk_partitions *map =
        demand->index == NULL ? &demand->table->partitions : &demand->index->partitions;
    const struct pk_throttling_reason reason = {
        .write = demand->access == PK_ACCESS_WRITE,
        .name = limit_name(demand->refuse),
        .limit = (unsigned)limit_of(demand->refuse),
        .index_number = index_number(demand),
        .partition = pk_partitions_find(map, pk_layout_position(demand->row)),
        .partition_count = map->count,
    };

    pk_error_add_throttling(err, &reason, demand->table->name, index);
}

/* A reason that stands there already is not repeated: a transaction may meet one often. */
static bool is_first(const struct pk_demand *demands, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (demands[k].table == demands[i].table && demands[k].index == demands[i].index &&
            demands[k].access == demands[i].access && demands[k].refuse == demands[i].refuse)
            return false;
    }
    return true;
}

enum pk_code pk_capacity_fail(const struct pk_demand *demands, size_t count, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count; i++) {
        if (demands[i].refuse == PK_THROTTLE_NONE || !is_first(demands, i))
            continue;
        if (rc == PK_OK)
            rc = fail_one(&demands[i], err);
        add_reason(&demands[i], err);
    }
    return rc;
}

void pk_capacity_facts(const struct pk_demand *demands, size_t count, struct pk_facts *facts)
{
    for (size_t i = 0; i < count; i++) {
        const struct pk_demand *demand = &demands[i];
        struct pk_facts one = {.verdict = demand->taken ? PK_VERDICT_ADMITTED : PK_VERDICT_NONE};

        if (demand->refuse != PK_THROTTLE_NONE) {
            one.verdict = PK_VERDICT_WOULD_REFUSE;
            one.limit = limit_of(demand->refuse);
            one.limit_index = index_number(demand);
        }
        pk_facts_add_verdict(facts, &one);
    }
}
