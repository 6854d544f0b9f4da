/*
 * What a write asks of the table and, where back-pressure is strict, of each GSI that it changes
 * (indexes.md §5, §9): their rows' partitions are asked at once, and a lack of one refuses it.
 *
 * A write whose condition fails pays for the greater of what is there and what would be
 * (partitions-capacity.md §2.3). The deletions of time to live pay nothing.
 */
#include "engine/ops/write.h"

enum { MILLI = 1000 };

static void add_demand(struct pk_write_step *step, const struct pk_index *index, pk_slice row,
                       int64_t milli)
{
    step->demands[step->demand_count++] = (struct pk_demand){.table = step->table,
                                                             .index = index,
                                                             .access = PK_ACCESS_WRITE,
                                                             .milli = milli,
                                                             .row = row};
}

/* An entry that moves is taken out in one place and put in in another. */
size_t pk_effect_demands(const struct pk_table *table, const struct pk_index_effect *effect,
                         struct pk_demand demands[2])
{
    struct pk_demand demand = {.table = table,
                               .index = effect->index,
                               .access = PK_ACCESS_WRITE,
                               .milli = (int64_t)effect->units * MILLI,
                               .row = effect->after.key};
    size_t count = 0;

    if (effect->units == 0)
        return 0;
    if (effect->before.key.data != NULL && effect->after.key.data != NULL &&
        !pk_slice_equal(effect->before.key, effect->after.key)) {
        demands[count] = demand;
        demands[count].row = effect->before.key;
        demands[count].milli = pk_cost_write(effect->before.size);
        demand.milli -= demands[count++].milli;
    } else if (effect->after.key.data == NULL) {
        demand.row = effect->before.key;
    }
    demands[count++] = demand;
    return count;
}

static int64_t table_milli(const struct pk_write_step *step, bool decided)
{
    uint64_t bytes = step->before_size > step->after_size ? step->before_size : step->after_size;
    int64_t times = step->mode == PK_WRITE_IN_TRANSACTION ? 2 : 1;
    int64_t milli = pk_cost_write(bytes);

    for (size_t i = 0; decided && i < step->table->local_count; i++)
        milli += (int64_t)step->effects[i].units * MILLI;
    return times * milli;
}

void pk_write_demand(struct pk_engine *engine, struct pk_call *call, struct pk_write_step *step,
                     bool decided)
{
    const struct pk_table *table = step->table;

    step->demand_count = 0;
    if (step->expired || !pk_capacity_asks(engine))
        return;
    step->demands = PK_NEW_ARRAY(call->arena, struct pk_demand,
                                 1 + 2 * (table->index_count - table->local_count));
    add_demand(step, NULL, step->row, table_milli(step, decided));
    for (size_t i = table->local_count; decided && i < table->index_count; i++) {
        struct pk_demand *first = &step->demands[step->demand_count];
        size_t count = pk_effect_demands(table, &step->effects[i], first);

        for (size_t k = 0; k < count; k++)
            first[k].queue = pk_capacity_queues(engine);
        step->demand_count += count;
    }
}

enum pk_code pk_write_admit(struct pk_engine *engine, struct pk_call *call,
                            struct pk_write_step *step, enum pk_code decided, struct pk_error *err)
{
    struct pk_error refused = PK_ERROR_INIT;

    if (decided != PK_OK && decided != PK_E_CONDITION_FAILED && decided != PK_E_DUPLICATE_ITEM)
        return decided;
    pk_write_demand(engine, call, step, decided == PK_OK);
    if (pk_capacity_admit(engine, step->demands, step->demand_count, &refused) == PK_OK)
        return decided;
    pk_error_move(err, &refused);
    return err->code;
}
