/* The seeded generator (SplitMix64): every simulation draws its chance from here, so that it
 * replays exactly. Not thread-safe, not for secrets. */
#ifndef PK_BASE_RNG_H
#define PK_BASE_RNG_H

#include <stdint.h>

struct pk_rng {
    uint64_t state;
};

void pk_rng_seed(struct pk_rng *rng, uint64_t seed);
uint64_t pk_rng_next(struct pk_rng *rng);
/* Uniform in [0, bound); bound > 0. */
uint64_t pk_rng_below(struct pk_rng *rng, uint64_t bound);

#endif
