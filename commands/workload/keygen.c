#include "commands/workload/keygen.h"

#include <math.h>
#include <stdlib.h>

enum { WHOLE = 1000 };
/* Of the first key; the sum of a million stays far below 64 bits. Rounded to whole numbers, a
 * weight does not hang on the last bit of pow(). */
#define ZIPF_WEIGHT 4294967296.0

static void sum_weights(struct keygen *keygen)
{
    uint64_t sum = 0;

    keygen->cumulated = pk_calloc(keygen->spec.keys, sizeof(*keygen->cumulated));
    for (uint64_t i = 0; i < keygen->spec.keys; i++) {
        double weight =
            ZIPF_WEIGHT * pow((double)(i + 1), -(double)keygen->spec.zipf_milli / WHOLE);

        sum += weight < 1 ? 1 : (uint64_t)llround(weight);
        keygen->cumulated[i] = sum;
    }
}

enum pk_code keygen_init(struct keygen *keygen, const struct keygen_spec *spec,
                         struct pk_error *err)
{
    if (spec->skew == KEYGEN_ZIPF && spec->keys > KEYGEN_ZIPF_KEYS_MAX)
        return pk_fail(err, PK_E_USAGE, "zipf takes up to %d keys", KEYGEN_ZIPF_KEYS_MAX);
    if (spec->skew == KEYGEN_HOT && spec->hot_key >= spec->keys)
        return pk_fail(err, PK_E_USAGE, "the hot key is none of the template's");
    *keygen = (struct keygen){.spec = *spec};
    if (spec->skew == KEYGEN_ZIPF)
        sum_weights(keygen);
    return PK_OK;
}

void keygen_release(struct keygen *keygen)
{
    free(keygen->cumulated);
    *keygen = (struct keygen){.cumulated = NULL};
}

/* The first key whose cumulated weight is above the draw. */
static uint64_t draw_zipf(const struct keygen *keygen, struct pk_rng *rng)
{
    uint64_t low = 0, high = keygen->spec.keys - 1;
    uint64_t drawn = pk_rng_below(rng, keygen->cumulated[high]);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (keygen->cumulated[middle] > drawn)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static uint64_t draw_hot(const struct keygen_spec *spec, struct pk_rng *rng)
{
    uint64_t other;

    if (spec->keys == 1 || pk_rng_below(rng, WHOLE) < spec->hot_milli)
        return spec->hot_key;
    other = pk_rng_below(rng, spec->keys - 1);
    return other < spec->hot_key ? other : other + 1;
}

uint64_t keygen_at(const struct keygen *keygen, uint64_t n, struct pk_rng *rng)
{
    switch (keygen->spec.skew) {
    case KEYGEN_UNIFORM:
        return pk_rng_below(rng, keygen->spec.keys);
    case KEYGEN_ZIPF:
        return draw_zipf(keygen, rng);
    case KEYGEN_HOT:
        return draw_hot(&keygen->spec, rng);
    case KEYGEN_SEQUENTIAL:
        return n % keygen->spec.keys;
    }
    return 0;
}
