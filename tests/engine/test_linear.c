/* The checker of histories, on histories of which the answer is known. */
#include <criterion/criterion.h>

#include "engine/base/rng.h"
#include "tests/support/linear.h"

TestSuite(linear);

#define READ(from, to, value)                                                                      \
    {                                                                                              \
        .called = from, .answered = to, .kind = LINEAR_READ, .before = value                       \
    }
#define PUT(from, to, value)                                                                       \
    {                                                                                              \
        .called = from, .answered = to, .kind = LINEAR_WRITE, .before_unknown = true,              \
        .after = value                                                                             \
    }
#define SWAP(from, to, old, value)                                                                 \
    {                                                                                              \
        .called = from, .answered = to, .kind = LINEAR_WRITE, .before = old, .after = value        \
    }
#define CAS(from, to, old, value)                                                                  \
    {                                                                                              \
        .called = from, .answered = to, .kind = LINEAR_WRITE_IF, .before = old, .after = value     \
    }
#define REFUSED(from, to, old)                                                                     \
    {                                                                                              \
        .called = from, .answered = to, .kind = LINEAR_REFUSED, .before = old                      \
    }
#define ADD(from, to, value)                                                                       \
    {                                                                                              \
        .called = from, .answered = to, .kind = LINEAR_ADD, .before = (value)-1, .after = value    \
    }

enum { OPS_MAX = 6 };

static const struct {
    const char *name;
    bool linearizable;
    size_t count;
    struct linear_op ops[OPS_MAX];
} histories[] = {
    {"nothing", true, 0, {{0}}},
    {"one after the other", true, 3, {PUT(0, 1, 5), READ(2, 3, 5), READ(4, 5, 5)}},
    {"a stale read", false, 3, {PUT(0, 1, 5), PUT(2, 3, 6), READ(4, 5, 5)}},
    {"a read beside the write sees the old value",
     true,
     3,
     {PUT(0, 1, 5), PUT(2, 6, 6), READ(3, 4, 5)}},
    {"or the new one", true, 3, {PUT(0, 1, 5), PUT(2, 6, 6), READ(3, 4, 6)}},
    {"but not the new one and then the old one",
     false,
     4,
     {PUT(0, 1, 5), PUT(2, 9, 6), READ(3, 4, 6), READ(5, 6, 5)}},
    {"the other way about", true, 4, {PUT(0, 1, 5), PUT(2, 9, 6), READ(3, 4, 5), READ(5, 6, 6)}},
    {"two readers that disagree on the order of two writes",
     false,
     6,
     {PUT(0, 9, 1), PUT(0, 9, 2), READ(1, 2, 1), READ(3, 4, 2), READ(5, 6, 1), READ(7, 8, 2)}},
    {"two writers at once", true, 4, {PUT(0, 9, 1), PUT(0, 9, 2), READ(1, 2, 2), READ(10, 11, 1)}},
    {"a value that nobody wrote", false, 2, {PUT(0, 1, 5), READ(2, 3, 7)}},
    {"a lost write", false, 2, {PUT(0, 1, 5), READ(2, 3, 0)}},
    {"a delete", true, 3, {PUT(0, 1, 5), SWAP(2, 3, 5, 0), READ(4, 5, 0)}},
    {"a delete that returned what was gone",
     false,
     3,
     {PUT(0, 1, 5), PUT(2, 3, 6), SWAP(4, 5, 5, 0)}},
    {"two conditions on the same value hold",
     false,
     3,
     {PUT(0, 1, 5), CAS(2, 9, 5, 6), CAS(2, 9, 5, 7)}},
    {"of two one is refused", true, 3, {PUT(0, 1, 5), CAS(2, 9, 5, 6), REFUSED(2, 9, 5)}},
    {"refused without a reason", false, 2, {PUT(0, 1, 5), REFUSED(2, 3, 5)}},
    {"a chain in the wrong order of its calls",
     true,
     4,
     {CAS(0, 9, 2, 3), CAS(1, 9, 1, 2), PUT(2, 9, 1), READ(10, 11, 3)}},
    {"counting", true, 4, {ADD(0, 5, 2), ADD(0, 5, 1), ADD(3, 8, 3), READ(9, 10, 3)}},
    {"the same number twice", false, 3, {ADD(0, 5, 1), ADD(0, 5, 1), READ(9, 10, 1)}},
    {"without an answer it has happened",
     true,
     3,
     {PUT(0, 1, 5), PUT(2, LINEAR_NEVER, 6), READ(20, 21, 6)}},
    {"or has not", true, 3, {PUT(0, 1, 5), PUT(2, LINEAR_NEVER, 6), READ(20, 21, 5)}},
    {"or happens late",
     true,
     4,
     {PUT(0, 1, 5), PUT(2, LINEAR_NEVER, 6), READ(20, 21, 5), READ(22, 23, 6)}},
    {"but once",
     false,
     5,
     {PUT(0, 1, 5), PUT(2, LINEAR_NEVER, 6), READ(20, 21, 6), PUT(22, 23, 5), READ(24, 25, 6)}},
    {"and not before its call", false, 3, {PUT(0, 1, 5), READ(2, 3, 6), PUT(4, LINEAR_NEVER, 6)}},
    {"a condition without an answer may have failed",
     true,
     3,
     {PUT(0, 1, 5), CAS(2, LINEAR_NEVER, 5, 6), READ(20, 21, 5)}},
    {"or held", true, 3, {PUT(0, 1, 5), CAS(2, LINEAR_NEVER, 5, 6), READ(20, 21, 6)}},
    {"an addition without an answer",
     true,
     3,
     {PUT(0, 1, 5),
      {.called = 2,
       .answered = LINEAR_NEVER,
       .kind = LINEAR_ADD,
       .before_unknown = true,
       .after = 1},
      READ(20, 21, 6)}},
};

Test(linear, known_histories)
{
    for (size_t i = 0; i < sizeof(histories) / sizeof(*histories); i++)
        cr_expect_eq(linear_check(histories[i].ops, histories[i].count, 0),
                     histories[i].linearizable, "%s", histories[i].name);
}

/* Operations that happen at random moments around their calls and answers, by sixteen clients. */
static void make_history(struct linear_op *ops, size_t count, uint64_t seed)
{
    struct pk_rng rng;
    uint64_t value = 0;

    pk_rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) {
        int64_t moment = (int64_t)i * 10;
        uint64_t dice = pk_rng_below(&rng, 4);

        ops[i] = (struct linear_op){.called = moment - (int64_t)pk_rng_below(&rng, 80),
                                    .answered = moment + (int64_t)pk_rng_below(&rng, 80),
                                    .kind = dice == 0   ? LINEAR_READ
                                            : dice == 1 ? LINEAR_WRITE_IF
                                                        : LINEAR_WRITE,
                                    .before = value};
        if (ops[i].kind != LINEAR_READ)
            value = ops[i].after = pk_rng_below(&rng, 5);
        ops[i].before_unknown = dice == 2;
    }
}

Test(linear, random_histories_hold)
{
    enum { OPS = 200 };
    static struct linear_op ops[OPS];

    for (uint64_t seed = 1; seed <= 10; seed++) {
        make_history(ops, OPS, seed);
        cr_expect(linear_check(ops, OPS, 0), "seed %llu", (unsigned long long)seed);
        ops[OPS / 2].kind = LINEAR_READ;
        ops[OPS / 2].before = 77; /* which nobody wrote */
        cr_expect_not(linear_check(ops, OPS, 0), "seed %llu", (unsigned long long)seed);
    }
}
