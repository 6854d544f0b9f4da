/* See the header. Rows of an LSI lie in the table's partitions, and take from them. */
#include "engine/ops/read_charge.h"

#include "engine/ops/cost.h"
#include "engine/table/partition_map.h"

/* The bound at which reading begins; empty: the end of all rows. */
static pk_slice first_row(const struct pk_read_charge *charge, const struct pk_range *range)
{
    size_t id = range->lower.len - pk_layout_position(range->lower).len;

    if (!charge->backward)
        return range->lower;
    return pk_slice_starts(range->upper, pk_slice_of(range->lower.data, id)) ? range->upper
                                                                             : (pk_slice){NULL, 0};
}

enum pk_code pk_read_charge_begin(struct pk_read_charge *charge, struct pk_engine *engine,
                                  struct pk_call *call, const struct pk_read *request,
                                  const struct pk_read_plan *plan, struct pk_error *err)
{
    bool global = plan->index != NULL && !plan->index->local;

    *charge = (struct pk_read_charge){
        .engine = engine,
        .call = call,
        .map = plan->partitions,
        .backward = request->backward,
    };
    charge->demand = (struct pk_demand){
        .table = plan->table,
        .index = global ? plan->index : NULL,
        .access = PK_ACCESS_READ,
        .milli = pk_cost_read(0, request->consistent ? PK_STRONG : PK_EVENTUAL),
        .row = first_row(charge, &plan->range),
        .eventual = !request->consistent,
        .before = request->backward,
    };
    return pk_capacity_admit(engine, &charge->demand, 1, err);
}

static bool is_beyond(const struct pk_read_charge *charge, pk_slice position)
{
    int order;

    if (charge->border.data == NULL)
        return false;
    order = pk_slice_compare(position, charge->border);
    return charge->backward ? order < 0 : order >= 0;
}

static void add_part(struct pk_read_charge *charge, pk_slice row)
{
    if (charge->count == charge->cap) {
        size_t cap = charge->cap == 0 ? 4 : charge->cap * 2;
        struct pk_read_part *more = PK_NEW_ARRAY(charge->call->arena, struct pk_read_part, cap);

        for (size_t i = 0; i < charge->count; i++)
            more[i] = charge->parts[i];
        charge->parts = more;
        charge->cap = cap;
    }
    charge->parts[charge->count++] =
        (struct pk_read_part){.row = pk_arena_dup(charge->call->arena, row)};
}

void pk_read_charge_row(struct pk_read_charge *charge, pk_slice row, uint64_t bytes)
{
    pk_slice position = pk_layout_position(row);
    uint32_t number;

    if (!charge->demand.taken || charge->map->count == 1)
        return;
    if (charge->count > 0 && !is_beyond(charge, position))
        return;
    if (charge->count > 0)
        charge->parts[charge->count - 1].bytes = bytes - charge->before;
    charge->before = bytes;
    add_part(charge, row);
    number = pk_partitions_find(charge->map, position);
    charge->border = (pk_slice){NULL, 0};
    if (charge->backward)
        charge->border = charge->map->list[number].first;
    else if (number + 1 < charge->map->count)
        charge->border = charge->map->list[number + 1].first;
}

void pk_read_charge_end(struct pk_read_charge *charge, uint64_t bytes, int64_t milli)
{
    int64_t left = milli;

    if (charge->count > 0)
        charge->parts[charge->count - 1].bytes = bytes - charge->before;
    for (size_t i = 0; i < charge->count && bytes > 0; i++) {
        const struct pk_read_part *part = &charge->parts[i];
        int64_t share = (int64_t)((uint64_t)milli * part->bytes / bytes);

        /* the last one takes what rounding leaves */
        if (i + 1 == charge->count)
            share = left;
        pk_capacity_take(&charge->demand, part->row, share);
        left -= share;
    }
    /* The least charge was taken where it was admitted. */
    pk_capacity_settle(&charge->demand, left);
}
