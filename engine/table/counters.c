/*
 * A cell is one pair of atomics. The cells of a table or index stand in chunks, each twice as large
 * as the one before; a chunk is never moved, so a cell can be found without a lock while others
 * are added. Slots are enough for all indexes a table can have. Relaxed order is enough for the
 * figures: nobody concludes from one that something else has happened.
 */
#include "engine/table/counters.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "engine/schema.h"
#include "engine/store/token_part.h"

/* One more GSI than there may be: created while another one goes. */
enum { SLOTS = PK_GSI_MAX + PK_LSI_MAX + 1 };
enum { CHUNKS = 11, FIRST_CHUNK = 16 };
enum { FORM_VERSION = 2, FORM_VERSION_UNCUT = 1, UNCUT_BYTES = 16, UNCUT_INDEX_BYTES = 20 };

/* Ids are below twice the most partitions there may be (partition_map.h). */
_Static_assert((FIRST_CHUNK << CHUNKS) - FIRST_CHUNK >= 2 * PK_PARTITIONS_MAX,
               "there are more partition ids than cells");

struct cell {
    atomic_int_least64_t items;
    atomic_int_least64_t bytes;
};

struct cells {
    struct cell *_Atomic chunks[CHUNKS]; /* as far as they are needed */
};

struct slot {
    atomic_uint id; /* of the index; 0: free */
    bool local;
    struct cells cells;
};

struct pk_counters {
    atomic_uint refs;
    atomic_uint moves; /* that have not ended */
    struct cells table;
    struct slot slots[SLOTS];
};

/* Cells ----------------------------------------------------------------------------------------*/

static uint32_t chunk_size(size_t chunk)
{
    return (uint32_t)FIRST_CHUNK << chunk;
}

/* The first partition id of the chunk. */
static uint32_t chunk_first(size_t chunk)
{
    return chunk_size(chunk) - FIRST_CHUNK;
}

static struct cell *chunk_of(const struct cells *cells, size_t chunk)
{
    return atomic_load_explicit(&cells->chunks[chunk], memory_order_acquire);
}

/* NULL when there is none. */
static struct cell *cell_of(const struct cells *cells, uint32_t partition)
{
    size_t chunk = 0;
    struct cell *first;

    while (chunk < CHUNKS && partition - chunk_first(chunk) >= chunk_size(chunk))
        chunk++;
    first = chunk == CHUNKS ? NULL : chunk_of(cells, chunk);
    return first == NULL ? NULL : &first[partition - chunk_first(chunk)];
}

static void grow(struct cells *cells, uint32_t next_id)
{
    for (size_t i = 0; i < CHUNKS && chunk_first(i) < next_id; i++) {
        if (chunk_of(cells, i) == NULL)
            atomic_store_explicit(&cells->chunks[i], pk_calloc(chunk_size(i), sizeof(struct cell)),
                                  memory_order_release);
    }
}

static void release(struct cells *cells)
{
    for (size_t i = 0; i < CHUNKS; i++)
        free(chunk_of(cells, i));
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

/* Goes from one partition to the next; its cell, or NULL after the last. */
static struct cell *next_cell(const struct cells *cells, uint32_t *partition)
{
    return cell_of(cells, (*partition)++);
}

static struct pk_tally total_of(const struct cells *cells)
{
    struct pk_tally total = {0, 0};
    const struct cell *cell;
    uint32_t partition = 0;

    while ((cell = next_cell(cells, &partition)) != NULL) {
        struct pk_tally one = read(cell);

        total.items += one.items;
        total.bytes += one.bytes;
    }
    return total;
}

static void clear(const struct cells *cells)
{
    struct cell *cell;
    uint32_t partition = 0;

    while ((cell = next_cell(cells, &partition)) != NULL) {
        atomic_store_explicit(&cell->items, 0, memory_order_relaxed);
        atomic_store_explicit(&cell->bytes, 0, memory_order_relaxed);
    }
}

static void copy(struct cells *to, const struct cells *from)
{
    const struct cell *cell;
    uint32_t partition = 0;

    while ((cell = next_cell(from, &partition)) != NULL) {
        grow(to, partition);
        add(cell_of(to, partition - 1), read(cell));
    }
}

/* Life -----------------------------------------------------------------------------------------*/

static void set_slot(struct slot *slot, struct pk_counted_index index)
{
    slot->local = index.partitions == 0;
    grow(&slot->cells, slot->local ? 1 : index.partitions);
    atomic_store_explicit(&slot->id, index.id, memory_order_release);
}

struct pk_counters *pk_counters_new(uint32_t partitions, const struct pk_counted_index *indexes,
                                    size_t index_count)
{
    struct pk_counters *counters = pk_calloc(1, sizeof(*counters));

    atomic_init(&counters->refs, 1);
    atomic_init(&counters->moves, 0);
    grow(&counters->table, partitions);
    for (size_t i = 0; i < index_count && i < SLOTS; i++)
        set_slot(&counters->slots[i], indexes[i]);
    return counters;
}

struct pk_counters *pk_counters_dup(const struct pk_counters *counters)
{
    struct pk_counters *made = pk_counters_new(0, NULL, 0);

    copy(&made->table, &counters->table);
    for (size_t i = 0; i < SLOTS; i++) {
        made->slots[i].local = counters->slots[i].local;
        atomic_init(&made->slots[i].id, atomic_load(&counters->slots[i].id));
        copy(&made->slots[i].cells, &counters->slots[i].cells);
    }
    return made;
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
    release(&counters->table);
    for (size_t i = 0; i < SLOTS; i++)
        release(&counters->slots[i].cells);
    free(counters);
}

/* Counting -------------------------------------------------------------------------------------*/

/* The index's cells, or NULL. */
static const struct cells *cells_of(const struct pk_counters *counters, uint32_t index_id)
{
    if (index_id == 0)
        return &counters->table;
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load_explicit(&counters->slots[i].id, memory_order_acquire) == index_id)
            return &counters->slots[i].cells;
    }
    return NULL;
}

void pk_counters_add_index(struct pk_counters *counters, uint32_t index_id, uint32_t partition,
                           struct pk_tally delta)
{
    const struct cells *cells = cells_of(counters, index_id);
    struct cell *cell = cells == NULL ? NULL : cell_of(cells, partition);

    if (cells != NULL && cell == NULL)
        pk_bug("partition %u is not counted", partition);
    if (cell != NULL)
        add(cell, delta);
}

void pk_counters_add(struct pk_counters *counters, uint32_t partition, struct pk_tally delta)
{
    pk_counters_add_index(counters, 0, partition, delta);
}

void pk_counters_grow(struct pk_counters *counters, uint32_t index_id, uint32_t next_id)
{
    if (index_id == 0)
        grow(&counters->table, next_id);
    for (size_t i = 0; i < SLOTS && index_id != 0; i++) {
        if (atomic_load(&counters->slots[i].id) == index_id)
            grow(&counters->slots[i].cells, next_id);
    }
}

void pk_counters_add_slot(struct pk_counters *counters, struct pk_counted_index index)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load_explicit(&counters->slots[i].id, memory_order_relaxed) != 0)
            continue;
        clear(&counters->slots[i].cells);
        set_slot(&counters->slots[i], index);
        return;
    }
    pk_bug("no slot is free to count index %u", index.id);
}

void pk_counters_remove_slot(struct pk_counters *counters, uint32_t index_id)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load_explicit(&counters->slots[i].id, memory_order_relaxed) == index_id)
            atomic_store_explicit(&counters->slots[i].id, 0, memory_order_release);
    }
}

void pk_counters_clear(struct pk_counters *counters)
{
    clear(&counters->table);
    for (size_t i = 0; i < SLOTS; i++)
        clear(&counters->slots[i].cells);
}

struct pk_tally pk_counters_index_partition(const struct pk_counters *counters, uint32_t index_id,
                                            uint32_t partition)
{
    const struct cells *cells = cells_of(counters, index_id);
    const struct cell *cell = cells == NULL ? NULL : cell_of(cells, partition);

    return cell == NULL ? (struct pk_tally){0, 0} : read(cell);
}

struct pk_tally pk_counters_partition(const struct pk_counters *counters, uint32_t partition)
{
    return pk_counters_index_partition(counters, 0, partition);
}

struct pk_tally pk_counters_index(const struct pk_counters *counters, uint32_t index_id)
{
    const struct cells *cells = cells_of(counters, index_id);

    return cells == NULL ? (struct pk_tally){0, 0} : total_of(cells);
}

struct pk_tally pk_counters_total(const struct pk_counters *counters)
{
    return total_of(&counters->table);
}

void pk_counters_begin_move(struct pk_counters *counters)
{
    atomic_fetch_add(&counters->moves, 1);
}

void pk_counters_end_move(struct pk_counters *counters)
{
    atomic_fetch_sub(&counters->moves, 1);
}

bool pk_counters_are_moving(const struct pk_counters *counters)
{
    return atomic_load(&counters->moves) > 0;
}

/* Stored form ----------------------------------------------------------------------------------*/

static void store_cells(struct pk_buf *out, const struct cells *cells)
{
    struct pk_buf list = PK_BUF_INIT;
    const struct cell *cell;
    uint32_t partition = 0;
    uint64_t count = 0;

    while ((cell = next_cell(cells, &partition)) != NULL) {
        struct pk_tally tally = read(cell);

        if (tally.items == 0 && tally.bytes == 0)
            continue;
        pk_buf_add_varint(&list, partition - 1);
        pk_buf_add_u64be(&list, (uint64_t)tally.items);
        pk_buf_add_u64be(&list, (uint64_t)tally.bytes);
        count++;
    }
    pk_buf_add_varint(out, count);
    pk_buf_add(out, pk_buf_slice(&list));
    pk_buf_release(&list);
}

void pk_counters_store(const struct pk_counters *counters, struct pk_buf *out)
{
    uint64_t indexes = 0;

    for (size_t i = 0; i < SLOTS; i++)
        indexes += atomic_load(&counters->slots[i].id) != 0;
    pk_buf_add_byte(out, FORM_VERSION);
    store_cells(out, &counters->table);
    pk_buf_add_varint(out, indexes);
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load(&counters->slots[i].id) == 0)
            continue;
        pk_buf_add_u32be(out, atomic_load(&counters->slots[i].id));
        store_cells(out, &counters->slots[i].cells);
    }
}

static bool take_tally(pk_slice *in, struct pk_tally *tally)
{
    uint64_t items = 0;
    uint64_t bytes = 0;

    if (!pk_take_u64be(in, &items) || !pk_take_u64be(in, &bytes))
        return false;
    *tally = (struct pk_tally){(int64_t)items, (int64_t)bytes};
    return true;
}

/* cells NULL: passes over them. */
static bool load_cells(const struct cells *cells, pk_slice *in)
{
    uint64_t count = 0;

    if (!pk_take_varint(in, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct pk_tally tally = {0, 0};
        struct cell *cell = NULL;
        uint64_t partition = 0;

        if (!pk_take_varint(in, &partition) || partition > UINT32_MAX || !take_tally(in, &tally))
            return false;
        if (cells == NULL)
            continue;
        cell = cell_of(cells, (uint32_t)partition);
        if (cell == NULL)
            return false;
        add(cell, tally);
    }
    return true;
}

static bool load_all(const struct pk_counters *counters, pk_slice bytes)
{
    uint64_t indexes = 0;

    if (!load_cells(&counters->table, &bytes) || !pk_take_varint(&bytes, &indexes))
        return false;
    for (uint64_t i = 0; i < indexes; i++) {
        uint32_t id = 0;

        if (!pk_take_u32be(&bytes, &id) || !load_cells(cells_of(counters, id), &bytes))
            return false;
    }
    return bytes.len == 0;
}

/* Partition i is the one of id i: what is stored is older than any split. *gsis: there are some. */
static bool load_uncut(struct pk_counters *counters, pk_slice bytes, bool *gsis)
{
    uint64_t partitions = 0;
    uint64_t indexes = 0;
    pk_slice cells;

    if (!pk_take_varint(&bytes, &partitions) || partitions > PK_PARTITIONS_MAX ||
        cell_of(&counters->table, (uint32_t)partitions - 1) == NULL ||
        !pk_take_bytes(&bytes, (size_t)partitions * UNCUT_BYTES, &cells) ||
        !pk_take_varint(&bytes, &indexes) || bytes.len % UNCUT_INDEX_BYTES != 0 ||
        bytes.len / UNCUT_INDEX_BYTES != indexes)
        return false;
    for (uint32_t i = 0; i < partitions; i++) {
        struct pk_tally tally = {0, 0};

        if (take_tally(&cells, &tally))
            pk_counters_add(counters, i, tally);
    }
    for (uint64_t i = 0; i < indexes; i++) {
        struct pk_tally tally = {0, 0};
        uint32_t id = 0;

        if (!pk_take_u32be(&bytes, &id) || !take_tally(&bytes, &tally))
            return false;
        for (size_t k = 0; k < SLOTS; k++) {
            if (atomic_load(&counters->slots[k].id) != id)
                continue;
            if (counters->slots[k].local)
                pk_counters_add_index(counters, id, 0, tally);
            else
                *gsis = true;
        }
    }
    return true;
}

enum pk_counters_loaded pk_counters_load(struct pk_counters *counters, pk_slice bytes)
{
    unsigned char version = 0;
    bool gsis = false;
    bool loaded = false;

    if (pk_take_byte(&bytes, &version) && version == FORM_VERSION)
        loaded = load_all(counters, bytes);
    else if (version == FORM_VERSION_UNCUT)
        loaded = load_uncut(counters, bytes, &gsis);
    if (!loaded) {
        pk_counters_clear(counters);
        return PK_COUNTERS_DAMAGED;
    }
    return gsis ? PK_COUNTERS_WITHOUT_GSIS : PK_COUNTERS_LOADED;
}
