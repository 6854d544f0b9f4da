/*
 * How many partitions a table begins with (partitions-capacity.md §3.1); which keys each owns is
 * in table/partition_map.h.
 */
#ifndef PK_SIM_PARTITION_H
#define PK_SIM_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/store/token_part.h"

enum pk_partition_rule {
    PK_PARTITION_SUM, /* the historic formula: reads and writes share a partition (provisioned) */
    PK_PARTITION_MAX  /* independent limits (on demand) */
};

/* What one partition serves in a second and holds, and what a new on-demand table must serve. */
struct pk_partition_limits {
    int64_t read;
    int64_t write;
    uint64_t bytes;
    int64_t on_demand_read;
    int64_t on_demand_write;
};

/* The limits of the `aws` profile. */
struct pk_partition_limits pk_partition_limits_aws(void);

/* Partitions for that throughput and size: 1 .. PK_PARTITIONS_MAX. */
uint32_t pk_partition_count(enum pk_partition_rule rule, int64_t read, int64_t write,
                            uint64_t bytes, const struct pk_partition_limits *limits);

#endif
