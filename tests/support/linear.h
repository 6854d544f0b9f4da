/*
 * Is a recorded history of one item linearizable: can each operation be given a moment between its
 * call and its answer so that, one after the other, they explain every answer?
 *
 * The algorithm is that of Wing and Gong with Lowe's memory of states already tried: it walks the
 * history, takes an operation that can come next, and goes back where none can. Cost: exponential
 * in the worst case; some milliseconds for hundreds of operations of sixteen clients.
 */
#ifndef TESTS_LINEAR_H
#define TESTS_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an item holds is a number; 0: there is no item. */
enum linear_kind {
    LINEAR_READ,     /* saw `before` */
    LINEAR_WRITE,    /* replaced `before` by `after`, which may be 0: a delete */
    LINEAR_WRITE_IF, /* did so because it held `before` */
    LINEAR_REFUSED,  /* did not, because it did not hold `before` */
    LINEAR_ADD       /* added something, which made it `after` out of `before` */
};

#define LINEAR_NEVER INT64_MAX

struct linear_op {
    int64_t called, answered; /* any clock; LINEAR_NEVER: no answer, so it happened or did not */
    enum linear_kind kind;
    bool before_unknown; /* the answer did not say */
    uint64_t before, after;
};

/* The history begins with the value `initial`. `ops` in any order. */
bool linear_check(const struct linear_op *ops, size_t count, uint64_t initial);

#endif
