/* Plain mutexes, one a stripe. */
#include "engine/ops/latch.h"

#include <stdlib.h>

#include "engine/base/hash.h"

void pk_latches_init(struct pk_latches *latches)
{
    for (size_t i = 0; i < PK_LATCH_STRIPES; i++)
        pthread_mutex_init(&latches->stripes[i], NULL);
}

void pk_latches_release(struct pk_latches *latches)
{
    for (size_t i = 0; i < PK_LATCH_STRIPES; i++)
        pthread_mutex_destroy(&latches->stripes[i]);
}

uint32_t pk_latch_stripe(pk_slice key)
{
    return (uint32_t)(pk_hash_fast(key) % PK_LATCH_STRIPES);
}

void pk_latch_lock(struct pk_latches *latches, uint32_t stripe)
{
    pthread_mutex_lock(&latches->stripes[stripe]);
}

void pk_latch_unlock(struct pk_latches *latches, uint32_t stripe)
{
    pthread_mutex_unlock(&latches->stripes[stripe]);
}

static int compare_stripes(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a;
    uint32_t second = *(const uint32_t *)b;

    return first < second ? -1 : first > second;
}

size_t pk_latch_order(uint32_t *stripes, size_t count)
{
    size_t kept = 0;

    if (count == 0)
        return 0;
    qsort(stripes, count, sizeof(*stripes), compare_stripes);
    for (size_t i = 1; i < count; i++) {
        if (stripes[i] != stripes[kept])
            stripes[++kept] = stripes[i];
    }
    return kept + 1;
}

void pk_latch_lock_many(struct pk_latches *latches, const uint32_t *stripes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pk_latch_lock(latches, stripes[i]);
}

void pk_latch_unlock_many(struct pk_latches *latches, const uint32_t *stripes, size_t count)
{
    for (size_t i = count; i > 0; i--)
        pk_latch_unlock(latches, stripes[i - 1]);
}

void pk_latch_lock_all(struct pk_latches *latches)
{
    for (uint32_t i = 0; i < PK_LATCH_STRIPES; i++)
        pk_latch_lock(latches, i);
}

void pk_latch_unlock_all(struct pk_latches *latches)
{
    for (uint32_t i = PK_LATCH_STRIPES; i > 0; i--)
        pk_latch_unlock(latches, i - 1);
}

void pk_latch_pass(struct pk_latches *latches)
{
    for (uint32_t i = 0; i < PK_LATCH_STRIPES; i++) {
        pk_latch_lock(latches, i);
        pk_latch_unlock(latches, i);
    }
}
