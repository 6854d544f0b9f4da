/*
 * Which key the next request of a traffic asks for, as a number among the keys of its template.
 *
 * Everything is drawn from the seeded generator that the caller brings, with integers: the same
 * seed gives the same keys everywhere.
 */
#ifndef CMD_WORKLOAD_KEYGEN_H
#define CMD_WORKLOAD_KEYGEN_H

#include "engine/base/rng.h"
#include "engine/error.h"

enum keygen_skew {
    KEYGEN_UNIFORM,
    KEYGEN_ZIPF,      /* the n-th key is asked for n^-s as often as the first */
    KEYGEN_HOT,       /* one key has a share, the others divide the rest evenly */
    KEYGEN_SEQUENTIAL /* one after the other, again and again */
};

enum { KEYGEN_ZIPF_KEYS_MAX = 1000000 };

struct keygen_spec {
    enum keygen_skew skew;
    uint64_t keys;       /* > 0 */
    unsigned zipf_milli; /* the exponent in thousandths */
    unsigned hot_milli;  /* the hot key's share in thousandths, up to 1000 */
    uint64_t hot_key;
};

struct keygen {
    struct keygen_spec spec;
    uint64_t *cumulated; /* zipf: owned weights, summed up */
};

/* PK_E_USAGE for a zipf over too many keys, or a hot key that is none of them. */
PK_MUST_CHECK enum pk_code keygen_init(struct keygen *keygen, const struct keygen_spec *spec,
                                       struct pk_error *err);
void keygen_release(struct keygen *keygen);
/* The key of the n-th request, n from 0. Changes nothing but the generator: any thread may ask for
 * any request. */
uint64_t keygen_at(const struct keygen *keygen, uint64_t n, struct pk_rng *rng);

#endif
