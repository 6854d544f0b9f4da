/*
 * Query and Scan: one page (operations.md §6, "Page rule").
 *
 * Entries are read in key order; each one's full stored size counts, then the limits are tested,
 * so the entry that crosses the megabyte belongs to the page; filter and projection change neither
 * count nor cost. The rows of the page come from one snapshot.
 */
#include "engine/ops/cost.h"
#include "engine/ops/read_charge.h"
#include "engine/ops/read_plan.h"
#include "engine/ops/start_key.h"
#include "engine/table/index.h"
#include "engine/table/partition_map.h"

enum { CANCEL_EVERY = 64 };

struct page {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_read *request;
    const struct pk_read_plan *plan;
    struct pk_read_result *result;
    struct pk_buf base; /* a fetched item's record */
    uint64_t bytes;     /* of the entries */
    uint64_t fetched_bytes;
    int64_t fetched_milli;
    pk_slice last_row; /* of the last entry read, when the page ended there */
    struct pk_read_charge charge;
    struct pk_reading reading;
    bool stopped; /* before the end of the range */
};

static enum pk_consistency consistency_of(const struct page *page)
{
    return page->request->consistent ? PK_STRONG : PK_EVENTUAL;
}

static enum pk_code fail_damaged(const struct page *page, struct pk_error *err)
{
    return pk_fail(err, PK_E_CORRUPT, "a row of table '%.*s' is damaged",
                   PK_FMT(page->plan->table->name));
}

/* Entries --------------------------------------------------------------------------------------*/

/* The whole item behind an LSI entry; it costs what reading it alone costs (indexes.md §6). */
static enum pk_code fetch(struct page *page, pk_view entry, pk_view *item, struct pk_error *err)
{
    struct pk_item_key key = pk_index_item_key(page->plan->table, entry, page->call->arena);
    struct pk_buf row = PK_BUF_INIT;
    size_t size = 0;
    bool found = false;
    enum pk_code rc;

    pk_layout_row(&row, page->plan->table->id, &key);
    rc = pk_snap_get(page->plan->snap, pk_buf_slice(&row), &page->base, &found, err);
    pk_buf_release(&row);
    if (rc != PK_OK)
        return rc;
    if (!found || !pk_record_open(pk_buf_slice(&page->base), item, &size))
        return fail_damaged(page, err);
    page->fetched_bytes += size;
    page->fetched_milli += pk_cost_read(size, consistency_of(page));
    return PK_OK;
}

static enum pk_code read_entry(struct page *page, const struct pk_iter *iter, pk_view *entry,
                               struct pk_error *err)
{
    const struct pk_read *request = page->request;
    pk_view item;
    size_t size = 0;
    bool passes;
    enum pk_code rc = PK_OK;

    if (!pk_record_open(pk_iter_value(iter), entry, &size))
        return fail_damaged(page, err);
    page->result->scanned++;
    page->bytes += size;
    item = *entry;
    if (page->plan->fetch)
        rc = fetch(page, *entry, &item, err);
    if (rc != PK_OK)
        return rc;
    passes = request->filter == NULL || pk_expr_test(request->filter, item);
    pk_reading_add(&page->reading, page->call->arena, pk_iter_key(iter), passes);
    if (!passes)
        return PK_OK;
    page->result->count++;
    if (request->select == PK_SELECT_COUNT)
        return PK_OK;
    return request->sink.item(request->sink.context, item, err);
}

static bool is_full(const struct page *page)
{
    const struct pk_read *request = page->request;

    return (request->limit != 0 && page->result->scanned >= request->limit) ||
           page->bytes + page->fetched_bytes >= PK_PAGE_BYTES;
}

static enum pk_code read_rows(struct page *page, struct pk_iter *iter, struct pk_error *err)
{
    bool backward = page->request->backward;
    enum pk_code rc = PK_OK;

    if (backward)
        pk_iter_seek_last(iter);
    else
        pk_iter_seek_first(iter);
    while (rc == PK_OK && pk_iter_valid(iter)) {
        pk_view entry = PK_VIEW_MISSING;

        if (page->result->scanned % CANCEL_EVERY == CANCEL_EVERY - 1) {
            rc = pk_call_check(page->call, err);
            if (rc != PK_OK)
                return rc;
        }
        pk_read_charge_row(&page->charge, pk_iter_key(iter), page->bytes);
        rc = read_entry(page, iter, &entry, err);
        if (rc != PK_OK)
            return rc;
        if (is_full(page)) {
            page->stopped = true;
            page->last_row = pk_arena_dup(page->call->arena, pk_iter_key(iter));
            page->result->last_key = pk_start_key_of(page->plan, entry, page->call->arena);
            break;
        }
        if (backward)
            pk_iter_prev(iter);
        else
            pk_iter_next(iter);
    }
    return pk_iter_status(iter, err);
}

/* Results --------------------------------------------------------------------------------------*/

static void report_cost(const struct page *page)
{
    struct pk_cost *cost = &page->result->cost;
    int64_t milli = pk_cost_read(page->bytes, consistency_of(page));

    *cost = pk_cost_new(page->call->arena, page->plan->table, false);
    if (page->plan->index == NULL) {
        cost->table_milli = milli;
        return;
    }
    cost->table_milli = page->fetched_milli;
    pk_cost_add_index(cost, page->call->arena, page->plan->index, milli);
}

/* The number of the last partition that has to do with a range. */
static uint32_t last_partition(const struct pk_partitions *partitions, const struct pk_range *range)
{
    pk_slice position = pk_layout_position(range->lower);
    pk_slice id = pk_slice_of(range->lower.data, range->lower.len - position.len);

    if (!pk_slice_starts(range->upper, id))
        return partitions->count - 1;
    return pk_partitions_find_before(partitions, pk_layout_position(range->upper));
}

/* A page passes all partitions of its range, also those without rows, up to where it ended. */
static void report_facts(const struct page *page)
{
    const struct pk_read *request = page->request;
    const struct pk_partitions *partitions = page->plan->partitions;
    struct pk_facts *facts = &page->result->facts;
    uint32_t first = pk_partitions_find(partitions, pk_layout_position(page->plan->range.lower));
    uint32_t last = last_partition(partitions, &page->plan->range);

    if (page->stopped) {
        uint32_t end = pk_partitions_find(partitions, pk_layout_position(page->last_row));

        *(request->backward ? &first : &last) = end;
    }
    facts->partition_count = partitions->count;
    facts->partition = first;
    facts->partitions_touched = last < first ? 1 : last - first + 1;
    facts->bytes = page->bytes + page->fetched_bytes;
    facts->items_read = page->result->scanned;
    facts->items_returned = request->select == PK_SELECT_COUNT ? 0 : page->result->count;
}

/* For those who look at the table. */
static void note_reading(struct page *page)
{
    const struct pk_read_plan *plan = page->plan;

    pk_read_notes_put(&page->engine->read_notes, plan->table->id,
                      plan->index == NULL ? plan->table->id : plan->index->id, &page->reading);
}

static enum pk_code read_page(struct page *page, struct pk_error *err)
{
    enum pk_code rc = pk_read_charge_begin(&page->charge, page->engine, page->call, page->request,
                                           page->plan, err);
    struct pk_iter *iter;

    if (rc != PK_OK)
        return rc;
    page->reading.wanted =
        !page->call->unnoted && pk_lease_is_taken(&page->engine->read_notes.lease);
    page->reading.goes_on = pk_value_kind(page->request->start_key) != PK_MISSING;
    iter = pk_iter_new(page->plan->snap, page->plan->range, PK_ITER_QUERY);
    rc = read_rows(page, iter, err);
    pk_iter_free(iter);
    pk_buf_release(&page->base);
    if (rc != PK_OK) {
        pk_read_charge_end(&page->charge, 0, 0);
        return rc;
    }
    note_reading(page);
    report_cost(page);
    report_facts(page);
    pk_read_charge_end(&page->charge, page->bytes, pk_cost_total(&page->result->cost));
    pk_capacity_facts(&page->charge.demand, 1, &page->result->facts);
    return PK_OK;
}

typedef enum pk_code make_plan(struct pk_engine *engine, struct pk_call *call,
                               const struct pk_read *request, struct pk_read_plan *plan,
                               struct pk_error *err);

static enum pk_code run(struct page *page, make_plan *plan_of, struct pk_error *err)
{
    struct pk_read_plan plan = PK_READ_PLAN_INIT;
    enum pk_code rc = plan_of(page->engine, page->call, page->request, &plan, err);

    *page->result = (struct pk_read_result){.last_key = pk_value_missing()};
    page->plan = &plan;
    if (rc == PK_OK)
        rc = pk_call_check(page->call, err);
    if (rc == PK_OK)
        rc = read_page(page, err);
    pk_read_plan_release(&plan);
    return rc;
}

enum pk_code pk_engine_query(struct pk_engine *engine, struct pk_call *call,
                             const struct pk_read *request, struct pk_read_result *result,
                             struct pk_error *err)
{
    struct page page = {.engine = engine, .call = call, .request = request, .result = result};

    return run(&page, pk_read_plan_query, err);
}

enum pk_code pk_engine_scan(struct pk_engine *engine, struct pk_call *call,
                            const struct pk_read *request, struct pk_read_result *result,
                            struct pk_error *err)
{
    struct page page = {.engine = engine, .call = call, .request = request, .result = result};

    return run(&page, pk_read_plan_scan, err);
}
