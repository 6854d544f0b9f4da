/* Which partitions an operation on several items touched, for the facts beside its result. */
#ifndef PK_OPS_TOUCHED_H
#define PK_OPS_TOUCHED_H

#include "engine/ops.h"

struct pk_touched {
    struct pk_touched_partition {
        uint32_t table_id;
        uint32_t partition;
    } * list; /* arena */
    size_t count;
    bool several_tables;
};

/* Room for at most max operations. */
struct pk_touched pk_touched_new(struct pk_arena *arena, size_t max);
/* Adds one operation's facts to those of all. */
void pk_touched_add(struct pk_touched *touched, const struct pk_table *table,
                    const struct pk_facts *one, struct pk_facts *all);

#endif
