/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). */
#include "engine/base/rng.h"

#include "engine/base/mem.h"

void pk_rng_seed(struct pk_rng *rng, uint64_t seed)
{
    rng->state = seed;
}

uint64_t pk_rng_next(struct pk_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t pk_rng_below(struct pk_rng *rng, uint64_t bound)
{
    if (bound == 0)
        pk_bug("random number below 0");

    /* 2^64 mod bound values at the low end are drawn again, so that no remainder is favoured */
    uint64_t unfair = (UINT64_MAX - bound + 1) % bound;
    uint64_t drawn;
    do {
        drawn = pk_rng_next(rng);
    } while (drawn < unfair);
    return drawn % bound;
}
