/*
 * What a page of a query or scan takes from the partitions it walks: it is admitted by the first of
 * them, for the least charge, and pays each by the bytes it read there (partitions-capacity.md
 * §10.5, "Cost knowledge").
 */
#ifndef PK_OPS_READ_CHARGE_H
#define PK_OPS_READ_CHARGE_H

#include "engine/ops/capacity.h"
#include "engine/ops/read_plan.h"

/* The rows of one partition. */
struct pk_read_part {
    pk_slice row; /* the first of them, arena */
    uint64_t bytes;
};

struct pk_read_charge {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_partitions *map;
    bool backward;
    struct pk_demand demand;
    struct pk_read_part *parts; /* arena; empty as long as there is one partition */
    size_t count, cap;
    pk_slice border; /* where the next partition begins; backward: where this one does */
    uint64_t before; /* bytes of the parts that are finished */
};

/* Asks for admission: the exceptions of pk_capacity_admit(). */
PK_MUST_CHECK enum pk_code pk_read_charge_begin(struct pk_read_charge *charge,
                                                struct pk_engine *engine, struct pk_call *call,
                                                const struct pk_read *request,
                                                const struct pk_read_plan *plan,
                                                struct pk_error *err);
/* Before a row is read; bytes: of all rows before it. Cost: one comparison. */
void pk_read_charge_row(struct pk_read_charge *charge, pk_slice row, uint64_t bytes);
/* Once the page has been read, and cost so much in all; 0: it failed, and costs nothing. */
void pk_read_charge_end(struct pk_read_charge *charge, uint64_t bytes, int64_t milli);

#endif
