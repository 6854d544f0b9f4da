/*
 * Partitions of an unsplit table: how many there are, and which tokens each owns
 * (partitions-capacity.md §3.1, §10.2).
 *
 * Partition i of n owns the tokens from ceil(i * 2^64 / n) up to the next one's first, so a token's
 * partition is its share of the whole range, and a split only halves such a range. The same cut,
 * by segments instead of partitions, makes a parallel scan.
 */
#ifndef PK_SIM_PARTITION_H
#define PK_SIM_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

enum pk_partition_rule {
    PK_PARTITION_SUM, /* the historic formula: reads and writes share a partition (provisioned) */
    PK_PARTITION_MAX  /* independent limits (on demand) */
};

/* No table gets more: the figures of each partition are kept in memory, and CreateTable accepts
 * 10^12 units. Far above the account quota of 40,000 units a table. */
enum { PK_PARTITIONS_MAX = 10000 };

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
/* The partition of n (n > 0) that owns the token. */
uint32_t pk_partition_of(uint64_t token, uint32_t n);
/* First and last token of partition i of n. */
uint64_t pk_partition_first(uint32_t i, uint32_t n);
uint64_t pk_partition_last(uint32_t i, uint32_t n);

#endif
