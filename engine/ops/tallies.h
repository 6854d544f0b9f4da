/* What a commit adds to a table's counters, kept until the commit has succeeded. */
#ifndef PK_OPS_TALLIES_H
#define PK_OPS_TALLIES_H

#include "engine/table/counters.h"

struct pk_tally_of {
    uint32_t index_id;  /* 0: of the table */
    uint32_t partition; /* its id; of an LSI 0 */
    struct pk_tally tally;
};
struct pk_tallies {
    struct pk_tally_of *list; /* owned */
    size_t count, cap;
};

void pk_tallies_add(struct pk_tallies *tallies, uint32_t index_id, uint32_t partition,
                    struct pk_tally tally);
/* Adds all of them to the counters. */
void pk_tallies_apply(const struct pk_tallies *tallies, struct pk_counters *counters);
/* Ready for the next commit. */
void pk_tallies_clear(struct pk_tallies *tallies);
void pk_tallies_release(struct pk_tallies *tallies);

#endif
