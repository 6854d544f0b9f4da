/* Arithmetic of partitions; nothing here has state. */
#include "engine/sim/partition.h"

/* 2^64 * n needs more than 64 bits. */
__extension__ typedef unsigned __int128 pk_wide;

struct pk_partition_limits pk_partition_limits_aws(void)
{
    return (struct pk_partition_limits){
        .read = 3000,
        .write = 1000,
        .bytes = UINT64_C(10) << 30,
        .on_demand_read = 12000,
        .on_demand_write = 4000,
    };
}

static uint64_t divide_up(pk_wide amount, pk_wide by)
{
    pk_wide parts = (amount + by - 1) / by;

    return parts > PK_PARTITIONS_MAX ? PK_PARTITIONS_MAX : (uint64_t)parts;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint32_t pk_partition_count(enum pk_partition_rule rule, int64_t read, int64_t write,
                            uint64_t bytes, const struct pk_partition_limits *limits)
{
    pk_wide r = read > 0 ? (pk_wide)read : 0;
    pk_wide w = write > 0 ? (pk_wide)write : 0;
    pk_wide r_limit = (pk_wide)limits->read;
    pk_wide w_limit = (pk_wide)limits->write;
    uint64_t count = larger(1, divide_up(bytes, limits->bytes));

    switch (rule) {
    case PK_PARTITION_SUM:
        /* ceil(r / r_limit + w / w_limit) without rounding twice */
        count = larger(count, divide_up(r * w_limit + w * r_limit, r_limit * w_limit));
        break;
    case PK_PARTITION_MAX:
        count = larger(count, divide_up(r, r_limit));
        count = larger(count, divide_up(w, w_limit));
        break;
    }
    return (uint32_t)count;
}
