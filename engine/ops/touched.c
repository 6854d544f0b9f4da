/* A short list, searched from the start. */
#include "engine/ops/touched.h"

struct pk_touched pk_touched_new(struct pk_arena *arena, size_t max)
{
    return (struct pk_touched){PK_NEW_ARRAY(arena, struct pk_touched_partition, max), 0, false};
}

void pk_touched_add(struct pk_touched *touched, const struct pk_table *table,
                    const struct pk_facts *one, struct pk_facts *all)
{
    size_t at = 0;

    all->bytes += one->bytes;
    all->items_read += one->items_read;
    all->items_returned += one->items_returned;
    pk_facts_add_verdict(all, one);
    while (at < touched->count && (touched->list[at].table_id != table->id ||
                                   touched->list[at].partition != one->partition))
        at++;
    if (at < touched->count)
        return;
    if (touched->count == 0)
        all->partition = one->partition;
    else if (touched->list[0].table_id != table->id)
        touched->several_tables = true;
    touched->list[touched->count].table_id = table->id;
    touched->list[touched->count].partition = one->partition;
    touched->count++;
    all->partitions_touched = (uint32_t)touched->count;
    /* "2 of 4" has no meaning over several tables. */
    all->partition_count = touched->several_tables ? 0 : one->partition_count;
}
