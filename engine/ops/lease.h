/*
 * Somebody looks: a lease that each look renews and that runs out by itself. Real time, because a
 * paused clock does not stop people from leaving.
 */
#ifndef PK_OPS_LEASE_H
#define PK_OPS_LEASE_H

#include <stdatomic.h>

#include "engine/base/clock.h"

#define PK_LEASE_US INT64_C(30000000)

struct pk_lease {
    _Atomic int64_t until_us; /* pk_clock_real_us(); 0: nobody looks */
};

/* What the hot paths pay while nobody looks. True also for a lease that has run out and was not
 * ended yet. */
static inline bool pk_lease_is_taken(const struct pk_lease *lease)
{
    return atomic_load_explicit(&lease->until_us, memory_order_relaxed) != 0;
}

static inline bool pk_lease_is_over(const struct pk_lease *lease)
{
    int64_t until_us = atomic_load_explicit(&lease->until_us, memory_order_relaxed);

    return until_us != 0 && until_us <= pk_clock_real_us();
}

static inline void pk_lease_renew(struct pk_lease *lease)
{
    atomic_store_explicit(&lease->until_us, pk_clock_real_us() + PK_LEASE_US, memory_order_relaxed);
}

static inline void pk_lease_end(struct pk_lease *lease)
{
    atomic_store_explicit(&lease->until_us, 0, memory_order_relaxed);
}

#endif
