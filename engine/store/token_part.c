/* See the header. */
#include "engine/store/token_part.h"

/* 2^64 * n needs more than 64 bits. */
__extension__ typedef unsigned __int128 pk_wide;

uint32_t pk_partition_of(uint64_t token, uint32_t n)
{
    return (uint32_t)(((pk_wide)token * n) >> 64);
}

uint64_t pk_partition_first(uint32_t i, uint32_t n)
{
    return (uint64_t)((((pk_wide)i << 64) + n - 1) / n);
}

uint64_t pk_partition_last(uint32_t i, uint32_t n)
{
    return i + 1 >= n ? UINT64_MAX : pk_partition_first(i + 1, n) - 1;
}
