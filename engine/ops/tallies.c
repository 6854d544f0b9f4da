/* Neighbours in a commit are mostly of one partition: they share an entry. */
#include "engine/ops/tallies.h"

#include <stdlib.h>

void pk_tallies_add(struct pk_tallies *tallies, uint32_t index_id, uint32_t partition,
                    struct pk_tally tally)
{
    struct pk_tally_of *last = tallies->count == 0 ? NULL : &tallies->list[tallies->count - 1];

    if (last == NULL || last->index_id != index_id || last->partition != partition) {
        if (tallies->count == tallies->cap) {
            tallies->cap = 2 * tallies->cap + 16;
            tallies->list = pk_realloc(tallies->list, tallies->cap, sizeof(*tallies->list));
        }
        last = &tallies->list[tallies->count++];
        *last = (struct pk_tally_of){.index_id = index_id, .partition = partition};
    }
    last->tally.items += tally.items;
    last->tally.bytes += tally.bytes;
}

void pk_tallies_apply(const struct pk_tallies *tallies, struct pk_counters *counters)
{
    for (size_t i = 0; i < tallies->count; i++)
        pk_counters_add_index(counters, tallies->list[i].index_id, tallies->list[i].partition,
                              tallies->list[i].tally);
}

void pk_tallies_clear(struct pk_tallies *tallies)
{
    tallies->count = 0;
}

void pk_tallies_release(struct pk_tallies *tallies)
{
    free(tallies->list);
    *tallies = (struct pk_tallies){0};
}
