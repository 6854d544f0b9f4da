/*
 * Even parts of the range of tokens (partitions-capacity.md §10.2).
 *
 * Part i of n owns the tokens from ceil(i * 2^64 / n) up to the next one's first, so a token's part
 * is its share of the whole range. A table begins with such parts as its partitions; cut by
 * segments instead, the range makes a parallel scan.
 */
#ifndef PK_STORE_TOKEN_PART_H
#define PK_STORE_TOKEN_PART_H

#include <stdint.h>

/* No table or index gets more: the figures of each partition are kept in memory, and CreateTable
 * accepts 10^12 units. Far above the account quota of 40,000 units a table. */
enum { PK_PARTITIONS_MAX = 10000 };

/* The part of n (n > 0) that owns the token. */
uint32_t pk_partition_of(uint64_t token, uint32_t n);
/* First and last token of part i of n. */
uint64_t pk_partition_first(uint32_t i, uint32_t n);
uint64_t pk_partition_last(uint32_t i, uint32_t n);

#endif
