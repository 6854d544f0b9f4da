/*
 * What a query or scan will read: checked against the schema in DynamoDB's order (operations.md
 * §6), then a range of keys on a snapshot.
 */
#ifndef PK_OPS_READ_PLAN_H
#define PK_OPS_READ_PLAN_H

#include "engine/ops/core.h"

struct pk_read_plan {
    struct pk_table *table;       /* a reference */
    struct pk_snap *snap;         /* owned */
    const struct pk_index *index; /* NULL: the table itself */
    const struct pk_key_schema *key;
    const struct pk_partitions *partitions;
    struct pk_range range; /* arena */
    bool fetch;            /* an LSI does not carry all that is asked for: read the table, too */
};

#define PK_READ_PLAN_INIT                                                                          \
    {                                                                                              \
        .table = NULL                                                                              \
    }

PK_MUST_CHECK enum pk_code pk_read_plan_query(struct pk_engine *engine, struct pk_call *call,
                                              const struct pk_read *request,
                                              struct pk_read_plan *plan, struct pk_error *err);
PK_MUST_CHECK enum pk_code pk_read_plan_scan(struct pk_engine *engine, struct pk_call *call,
                                             const struct pk_read *request,
                                             struct pk_read_plan *plan, struct pk_error *err);
void pk_read_plan_release(struct pk_read_plan *plan);

#endif
