/*
 * A call first settles where the window begins (viewport_start.c), then walks forward from there,
 * and last counts the collections that the walk did not see whole.
 */
#include "engine/ops/propagate.h"
#include "engine/ops/start_key.h"
#include "engine/ops/viewport_window.h"
#include "engine/store/key_code.h"
#include "engine/table/partition_map.h"

/* Opening --------------------------------------------------------------------------------------*/

static enum pk_code find_index(struct pk_window *window, struct pk_error *err)
{
    struct pk_read_plan *plan = &window->plan;
    pk_slice name = window->request->index;

    plan->key = &plan->table->key;
    plan->partitions = &plan->table->partitions;
    if (name.data == NULL)
        return PK_OK;
    plan->index = pk_table_index(plan->table, name);
    if (plan->index == NULL || plan->index->status == PK_STATUS_DELETING)
        return pk_fail(err, PK_E_VALIDATION, "The table does not have the specified index: %.*s",
                       PK_FMT(name));
    plan->key = &plan->index->key;
    plan->partitions = &plan->index->partitions;
    return PK_OK;
}

static uint32_t source_id(const struct pk_window *window)
{
    return window->plan.index == NULL ? window->plan.table->id : window->plan.index->id;
}

static void set_range(struct pk_window *window)
{
    const struct pk_index *index = window->plan.index;
    enum pk_space space = PK_SPACE_TABLE;
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;

    if (index != NULL)
        space = index->local ? PK_SPACE_LSI : PK_SPACE_GSI;
    pk_layout_id(&lower, space, source_id(window));
    pk_buf_add(&upper, pk_buf_slice(&lower));
    pk_key_successor(&upper);
    window->plan.range.lower = pk_window_keep(window, pk_buf_slice(&lower));
    window->plan.range.upper = pk_window_keep(window, pk_buf_slice(&upper));
    pk_buf_release(&lower);
    pk_buf_release(&upper);
}

/* The bytes of `from`. A table that was dropped and made again meanwhile has other ones. */
static enum pk_code take_from(struct pk_window *window, struct pk_error *err)
{
    const struct pk_viewport_request *request = window->request;
    struct pk_place place = {0};
    enum pk_code rc;

    if (pk_value_kind(request->from) == PK_MISSING)
        return PK_OK;
    rc = pk_engine_where(window->engine, window->call,
                         &(struct pk_where){request->table, request->index, request->from}, &place,
                         err);
    if (rc == PK_OK && pk_slice_starts(place.stored_key, window->plan.range.lower))
        window->from = place.stored_key;
    return rc;
}

static enum pk_code open_window(struct pk_window *window, struct pk_error *err)
{
    const struct pk_viewport_request *request = window->request;
    const struct pk_propagate_source source = {request->table, request->index};
    struct pk_arena *arena = window->call->arena;
    enum pk_code rc = pk_propagate_snapshot(window->engine, &source, &window->plan.table,
                                            &window->plan.snap, err);

    if (rc == PK_OK)
        rc = find_index(window, err);
    if (rc != PK_OK)
        return rc;
    set_range(window);
    rc = take_from(window, err);
    if (rc != PK_OK)
        return rc;
    window->result->collections =
        PK_NEW_ARRAY(arena, struct pk_viewport_collection, request->limit);
    window->unseen = PK_NEW_ARRAY(arena, bool, request->limit);
    window->prefixes = PK_NEW_ARRAY(arena, pk_slice, request->limit);
    window->result->schema = *window->plan.key;
    window->countable = PK_VIEWPORT_COUNT_CALL_MAX;
    window->iter = pk_iter_new(window->plan.snap, window->plan.range, PK_ITER_QUERY);
    pk_read_notes_get(&window->engine->read_notes, window->plan.table->id, source_id(window), arena,
                      &window->seen);
    return PK_OK;
}

/* Rows -----------------------------------------------------------------------------------------*/

static bool is_key_attribute(const struct pk_window *window, pk_slice name)
{
    return pk_key_schema_has(window->plan.key, name) ||
           pk_key_schema_has(&window->plan.table->key, name);
}

/* As much of a text as fits, cut where a character begins; missing when that is nothing. */
static pk_value cut_text(pk_view value, size_t room)
{
    pk_slice text = pk_view_bytes(value);

    if (room > text.len)
        room = text.len;
    if (pk_view_kind(value) != PK_STRING || room == 0)
        return pk_value_missing();
    while (room > 0 && room < text.len && ((unsigned char)text.data[room] & 0xc0) == 0x80)
        room--;
    return pk_value_string(pk_slice_of(text.data, room));
}

/* The attributes outside of the key, as many as fit. */
static void shorten(struct pk_window *window, pk_view item, struct pk_viewport_row *row)
{
    struct pk_arena *arena = window->call->arena;
    struct pk_member_vec members = {0};
    size_t room = PK_VIEWPORT_ITEM_MAX;
    struct pk_view_iter iter;
    pk_slice name;
    pk_view value;

    pk_view_iter_init(&iter, item);
    while (row->cut.data == NULL && pk_view_iter_next(&iter, &name, &value)) {
        pk_value shown;
        size_t head = name.len < room ? name.len : room;

        if (is_key_attribute(window, name))
            continue;
        shown =
            value.len > room - head ? cut_text(value, room - head) : pk_view_decode(arena, value);
        if (value.len > room - head)
            row->cut = pk_window_keep(window, name);
        else
            room -= head + value.len;
        if (pk_value_kind(shown) != PK_MISSING)
            pk_member_vec_add(&members, arena, name, shown);
    }
    row->item = pk_view_of(arena, pk_value_map(members.data, members.len));
}

static enum pk_code add_row(struct pk_window *window, struct pk_viewport_collection *collection,
                            struct pk_error *err)
{
    struct pk_viewport_row *row = &collection->rows[collection->row_count];
    pk_view item = PK_VIEW_MISSING;
    size_t size = 0;
    enum pk_code rc = pk_window_open_row(window, &item, &size, err);

    if (rc != PK_OK)
        return rc;
    row->key = pk_start_key_of(&window->plan, item, window->call->arena);
    row->bytes = size;
    row->read = pk_rows_seen_find(&window->seen, pk_window_key(window));
    if (window->request->whole)
        row->item = pk_window_keep(window, item);
    else
        shorten(window, item, row);
    collection->row_count++;
    collection->items++;
    collection->bytes += size;
    window->shown++;
    return PK_OK;
}

/* Collections ----------------------------------------------------------------------------------*/

static enum pk_code begin_collection(struct pk_window *window, struct pk_viewport_row *rows,
                                     struct pk_error *err)
{
    struct pk_viewport *result = window->result;
    struct pk_viewport_collection *collection = &result->collections[result->count];
    struct pk_arena *arena = window->call->arena;
    const struct pk_key_schema *schema = window->plan.key;
    struct pk_member_vec members = {0};
    pk_view item = PK_VIEW_MISSING;
    size_t size;
    enum pk_code rc = pk_window_open_row(window, &item, &size, err);

    if (rc != PK_OK)
        return rc;
    for (size_t i = 0; i < schema->hash_count; i++) {
        pk_slice name = pk_window_keep(window, schema->hash[i].name);
        pk_view value = pk_window_keep(window, pk_view_member(item, name));

        pk_member_vec_add(&members, arena, name, pk_view_decode(arena, value));
    }
    collection->hash = pk_value_map(members.data, members.len);
    collection->partition =
        pk_partitions_find(window->plan.partitions, pk_layout_position(pk_window_key(window)));
    collection->rows = rows;
    window->prefixes[result->count] =
        pk_window_keep(window, pk_window_collection(window, pk_window_key(window)));
    result->count++;
    return PK_OK;
}

static bool is_over(const struct pk_window *window)
{
    return window->shown == window->request->limit ||
           (window->stop.len > 0 && pk_slice_compare(pk_window_key(window), window->stop) >= 0);
}

/* Walks on to where the window ends, which leaves the iterator at the first row behind it. */
static enum pk_code show(struct pk_window *window, struct pk_error *err)
{
    struct pk_viewport *result = window->result;
    struct pk_viewport_row *rows =
        PK_NEW_ARRAY(window->call->arena, struct pk_viewport_row, window->request->limit);
    uint64_t most = window->request->per_collection;
    enum pk_code rc = PK_OK;

    pk_window_seek(window, window->start);
    while (rc == PK_OK && pk_window_valid(window) && !is_over(window)) {
        size_t last = result->count - 1;

        if (result->count == 0 || !pk_window_in(window, window->prefixes[last])) {
            rc = begin_collection(window, rows + window->shown, err);
            last = result->count - 1;
        }
        if (rc == PK_OK)
            rc = add_row(window, &result->collections[last], err);
        if (rc != PK_OK)
            return rc;
        pk_window_next(window);
        if (result->collections[last].row_count == most &&
            pk_window_in(window, window->prefixes[last])) {
            window->unseen[last] = true;
            pk_window_leave(window, window->prefixes[last]);
        }
    }
    /* The last one may go on behind the window. */
    if (result->count > 0 && pk_window_in(window, window->prefixes[result->count - 1]))
        window->unseen[result->count - 1] = true;
    if (pk_window_valid(window))
        rc = pk_window_take_key(window, &result->next, err);
    return rc;
}

/* Looks before the window: is there a row, and is it of the first collection? */
static void look_back(struct pk_window *window)
{
    struct pk_viewport *result = window->result;
    pk_slice row;

    if (result->count == 0)
        return;
    pk_window_seek(window, window->start);
    row = pk_window_keep(window, pk_window_key(window));
    pk_window_seek_before(window, row);
    if (!pk_window_valid(window))
        return;
    result->previous = result->collections[0].rows[0].key;
    if (pk_window_in(window, window->prefixes[0]))
        window->unseen[0] = true;
}

static enum pk_code count_collection(struct pk_window *window, size_t i, struct pk_error *err)
{
    struct pk_viewport_collection *collection = &window->result->collections[i];
    uint64_t items = 0;
    uint64_t bytes = 0;

    pk_window_seek(window, window->prefixes[i]);
    while (pk_window_in(window, window->prefixes[i]) && items < PK_VIEWPORT_COUNT_MAX &&
           window->countable > 0) {
        pk_view item = PK_VIEW_MISSING;
        size_t size = 0;
        enum pk_code rc = pk_window_open_row(window, &item, &size, err);

        if (rc == PK_OK && items % 256 == 255)
            rc = pk_call_check(window->call, err);
        if (rc != PK_OK)
            return rc;
        items++;
        bytes += size;
        window->countable--;
        pk_window_next(window);
    }
    collection->more = pk_window_in(window, window->prefixes[i]);
    if (items > collection->items) {
        collection->items = items;
        collection->bytes = bytes;
    }
    return PK_OK;
}

static enum pk_code count_unseen(struct pk_window *window, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < window->result->count && rc == PK_OK; i++) {
        if (window->unseen[i])
            rc = count_collection(window, i, err);
    }
    return rc;
}

/* The call -------------------------------------------------------------------------------------*/

/* Where the last read of the table or index began. */
static enum pk_code show_read(struct pk_window *window, struct pk_error *err)
{
    pk_slice low = window->seen.low;

    window->result->last_read = window->seen.serial;
    if (low.len == 0 || !pk_slice_starts(low, window->plan.range.lower))
        return PK_OK;
    pk_window_seek(window, low);
    if (!pk_window_valid(window) || !pk_slice_equal(pk_window_key(window), low))
        return PK_OK;
    return pk_window_take_key(window, &window->result->read_from, err);
}

static enum pk_code fill(struct pk_window *window, struct pk_error *err)
{
    bool any = false;
    enum pk_code rc = pk_window_find_start(window, &any, err);

    if (rc == PK_OK && any)
        rc = show(window, err);
    if (rc == PK_OK && any)
        look_back(window);
    if (rc == PK_OK)
        rc = count_unseen(window, err);
    if (rc == PK_OK)
        rc = show_read(window, err);
    return rc == PK_OK ? pk_iter_status(window->iter, err) : rc;
}

enum pk_code pk_engine_viewport(struct pk_engine *engine, struct pk_call *call,
                                const struct pk_viewport_request *request,
                                struct pk_viewport *result, struct pk_error *err)
{
    struct pk_window window = {
        .engine = engine,
        .call = call,
        .request = request,
        .result = result,
        .plan = PK_READ_PLAN_INIT,
        .scratch = PK_BUF_INIT,
    };
    struct pk_viewport_request one = *request;
    enum pk_code rc;

    *result = (struct pk_viewport){.next = pk_value_missing(),
                                   .previous = pk_value_missing(),
                                   .read_from = pk_value_missing()};
    if (request->whole) {
        one.limit = 1;
        window.request = &one;
    }
    rc = open_window(&window, err);
    if (rc == PK_OK)
        rc = fill(&window, err);
    pk_iter_free(window.iter);
    pk_buf_release(&window.scratch);
    pk_read_plan_release(&window.plan);
    return rc;
}
