/* One pair of atomics a partition and a slot an index; slots are enough for all indexes a table can
 * have, so that they never move. Relaxed order is enough: nobody concludes from a figure that
 * something else has happened. */
#include "engine/table/counters.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "engine/schema.h"

/* One more GSI than there may be: created while another one goes. */
enum { SLOTS = PK_GSI_MAX + PK_LSI_MAX + 1 };
enum { FORM_VERSION = 1, CELL_BYTES = 16, INDEX_BYTES = 20 };

struct cell {
    atomic_int_least64_t items;
    atomic_int_least64_t bytes;
};

struct pk_counters {
    atomic_uint refs;
    uint32_t partitions;
    atomic_uint index_ids[SLOTS]; /* 0: free */
    struct cell *cells;           /* the partitions', then the slots' */
};

struct pk_counters *pk_counters_new(uint32_t partitions, const uint32_t *index_ids,
                                    size_t index_count)
{
    struct pk_counters *counters = pk_calloc(1, sizeof(*counters));

    atomic_init(&counters->refs, 1);
    counters->partitions = partitions;
    counters->cells = pk_calloc((size_t)partitions + SLOTS, sizeof(*counters->cells));
    for (size_t i = 0; i < SLOTS; i++)
        atomic_init(&counters->index_ids[i], i < index_count ? index_ids[i] : 0);
    return counters;
}

struct pk_counters *pk_counters_ref(struct pk_counters *counters)
{
    atomic_fetch_add_explicit(&counters->refs, 1, memory_order_relaxed);
    return counters;
}

void pk_counters_unref(struct pk_counters *counters)
{
    if (counters == NULL)
        return;
    if (atomic_fetch_sub_explicit(&counters->refs, 1, memory_order_acq_rel) > 1)
        return;
    free(counters->cells);
    free(counters);
}

static void add(struct cell *cell, struct pk_tally delta)
{
    if (delta.items != 0)
        atomic_fetch_add_explicit(&cell->items, delta.items, memory_order_relaxed);
    if (delta.bytes != 0)
        atomic_fetch_add_explicit(&cell->bytes, delta.bytes, memory_order_relaxed);
}

static struct pk_tally read(const struct cell *cell)
{
    return (struct pk_tally){
        .items = atomic_load_explicit(&cell->items, memory_order_relaxed),
        .bytes = atomic_load_explicit(&cell->bytes, memory_order_relaxed),
    };
}

/* The index's cell, or NULL. */
static struct cell *index_cell(const struct pk_counters *counters, uint32_t index_id)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load_explicit(&counters->index_ids[i], memory_order_acquire) == index_id)
            return &counters->cells[counters->partitions + i];
    }
    return NULL;
}

void pk_counters_add(struct pk_counters *counters, uint32_t partition, struct pk_tally delta)
{
    if (partition >= counters->partitions)
        pk_bug("partition %u of %u", partition, counters->partitions);
    add(&counters->cells[partition], delta);
}

void pk_counters_add_index(struct pk_counters *counters, uint32_t index_id, struct pk_tally delta)
{
    struct cell *cell = index_cell(counters, index_id);

    if (cell != NULL)
        add(cell, delta);
}

static void clear(struct cell *cell)
{
    atomic_store_explicit(&cell->items, 0, memory_order_relaxed);
    atomic_store_explicit(&cell->bytes, 0, memory_order_relaxed);
}

void pk_counters_add_slot(struct pk_counters *counters, uint32_t index_id)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load_explicit(&counters->index_ids[i], memory_order_relaxed) != 0)
            continue;
        clear(&counters->cells[counters->partitions + i]);
        atomic_store_explicit(&counters->index_ids[i], index_id, memory_order_release);
        return;
    }
    pk_bug("no slot is free to count index %u", index_id);
}

void pk_counters_remove_slot(struct pk_counters *counters, uint32_t index_id)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load_explicit(&counters->index_ids[i], memory_order_relaxed) == index_id)
            atomic_store_explicit(&counters->index_ids[i], 0, memory_order_release);
    }
}

void pk_counters_clear(struct pk_counters *counters)
{
    for (size_t i = 0; i < (size_t)counters->partitions + SLOTS; i++)
        clear(&counters->cells[i]);
}

struct pk_tally pk_counters_partition(const struct pk_counters *counters, uint32_t partition)
{
    if (partition >= counters->partitions)
        return (struct pk_tally){0, 0};
    return read(&counters->cells[partition]);
}

struct pk_tally pk_counters_index(const struct pk_counters *counters, uint32_t index_id)
{
    const struct cell *cell = index_cell(counters, index_id);

    return cell == NULL ? (struct pk_tally){0, 0} : read(cell);
}

struct pk_tally pk_counters_total(const struct pk_counters *counters)
{
    struct pk_tally total = {0, 0};

    for (uint32_t i = 0; i < counters->partitions; i++) {
        struct pk_tally one = read(&counters->cells[i]);

        total.items += one.items;
        total.bytes += one.bytes;
    }
    return total;
}

struct pk_counters *pk_counters_dup(const struct pk_counters *counters)
{
    struct pk_counters *copy = pk_counters_new(counters->partitions, NULL, 0);

    for (size_t i = 0; i < SLOTS; i++)
        atomic_init(&copy->index_ids[i], atomic_load(&counters->index_ids[i]));
    for (size_t i = 0; i < (size_t)counters->partitions + SLOTS; i++)
        add(&copy->cells[i], read(&counters->cells[i]));
    return copy;
}

static void store_tally(struct pk_buf *out, struct pk_tally tally)
{
    pk_buf_add_u64be(out, (uint64_t)tally.items);
    pk_buf_add_u64be(out, (uint64_t)tally.bytes);
}

void pk_counters_store(const struct pk_counters *counters, struct pk_buf *out)
{
    uint64_t indexes = 0;

    for (size_t i = 0; i < SLOTS; i++)
        indexes += atomic_load(&counters->index_ids[i]) != 0;
    pk_buf_add_byte(out, FORM_VERSION);
    pk_buf_add_varint(out, counters->partitions);
    for (uint32_t i = 0; i < counters->partitions; i++)
        store_tally(out, read(&counters->cells[i]));
    pk_buf_add_varint(out, indexes);
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load(&counters->index_ids[i]) == 0)
            continue;
        pk_buf_add_u32be(out, atomic_load(&counters->index_ids[i]));
        store_tally(out, read(&counters->cells[counters->partitions + i]));
    }
}

static struct pk_tally take_tally(pk_slice *in)
{
    uint64_t items = 0;
    uint64_t bytes = 0;

    if (!pk_take_u64be(in, &items) || !pk_take_u64be(in, &bytes))
        pk_bug("counters shorter than their checked length");
    return (struct pk_tally){(int64_t)items, (int64_t)bytes};
}

bool pk_counters_load(struct pk_counters *counters, pk_slice bytes)
{
    unsigned char version = 0;
    uint64_t partitions = 0;
    uint64_t indexes = 0;
    pk_slice cells;

    if (!pk_take_byte(&bytes, &version) || version != FORM_VERSION ||
        !pk_take_varint(&bytes, &partitions) || partitions != counters->partitions ||
        !pk_take_bytes(&bytes, (size_t)partitions * CELL_BYTES, &cells) ||
        !pk_take_varint(&bytes, &indexes) || bytes.len % INDEX_BYTES != 0 ||
        bytes.len / INDEX_BYTES != indexes)
        return false;
    for (uint32_t i = 0; i < counters->partitions; i++)
        add(&counters->cells[i], take_tally(&cells));
    while (bytes.len > 0) {
        uint32_t id = 0;

        if (!pk_take_u32be(&bytes, &id))
            pk_bug("counters shorter than their checked length");
        pk_counters_add_index(counters, id, take_tally(&bytes));
    }
    return true;
}
