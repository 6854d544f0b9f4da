/*
 * The rows around a key, grouped by partition key, for a view that shows a window of them
 * (looking.h). What a call reads depends on the window, not on the table.
 *
 * A call first settles where the window begins (backward and searching calls walk there), then
 * walks forward from there, and last counts the collections that the walk did not see whole.
 */
#include "engine/looking.h"
#include "engine/ops/propagate.h"
#include "engine/ops/start_key.h"
#include "engine/store/key_code.h"
#include "engine/table/partition_map.h"

enum {
    KEY_HEAD = 13,    /* space, id, token: before the values of a row's key */
    STEPS_TO_SKIP = 4 /* rows passed one by one before a seek to the next collection is cheaper */
};

struct window {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_viewport_request *request;
    struct pk_viewport *result;
    struct pk_read_plan plan; /* its range: everything of the table or index */
    struct pk_iter *iter;
    struct pk_rows_seen seen;
    struct pk_buf scratch;
    pk_slice from;  /* row key, as far as it was given; empty: none */
    pk_slice start; /* where the window begins; empty: at the first row */
    pk_slice stop;  /* a call backward ends before it; empty: no such end */
    uint64_t shown;
    uint64_t countable; /* rows that may still be counted */
    bool *unseen;       /* by collection: it was not walked whole */
    pk_slice *prefixes; /* by collection: what its rows' keys begin with */
};

/* Moving ---------------------------------------------------------------------------------------*/

static pk_slice key(const struct window *window)
{
    return pk_iter_key(window->iter);
}

static bool is_valid(const struct window *window)
{
    return pk_iter_valid(window->iter);
}

static void arrive(struct window *window)
{
    if (is_valid(window))
        window->result->rows_read++;
}

static void next(struct window *window)
{
    pk_iter_next(window->iter);
    arrive(window);
}

static void seek(struct window *window, pk_slice to)
{
    if (to.len == 0)
        pk_iter_seek_first(window->iter);
    else
        pk_iter_seek(window->iter, to);
    arrive(window);
}

/* The last row before the key; the last of all when it is empty. */
static void seek_before(struct window *window, pk_slice to)
{
    if (to.len == 0) {
        pk_iter_seek_last(window->iter);
    } else {
        pk_iter_seek_for_prev(window->iter, to);
        if (is_valid(window) && pk_slice_equal(key(window), to))
            pk_iter_prev(window->iter);
    }
    arrive(window);
}

/* What the keys of a row's collection begin with. */
static pk_slice collection_of(const struct window *window, pk_slice row)
{
    pk_slice rest = pk_slice_skip(row, KEY_HEAD);
    pk_slice code;

    for (size_t i = 0; i < window->plan.key->hash_count; i++) {
        if (!pk_key_take_code(&rest, &code))
            return row; /* damaged: a collection of its own */
    }
    return pk_slice_of(row.data, row.len - rest.len);
}

static bool is_in(const struct window *window, pk_slice collection)
{
    return is_valid(window) && pk_slice_starts(key(window), collection);
}

/* From a row of the collection to the first row behind it. */
static void leave(struct window *window, pk_slice collection)
{
    for (int i = 0; i < STEPS_TO_SKIP; i++) {
        if (!is_in(window, collection))
            return;
        next(window);
    }
    if (!is_in(window, collection))
        return;
    pk_buf_clear(&window->scratch);
    pk_buf_add(&window->scratch, collection);
    pk_key_successor(&window->scratch);
    seek(window, pk_buf_slice(&window->scratch));
}

static pk_slice keep(const struct window *window, pk_slice bytes)
{
    return pk_arena_dup(window->call->arena, bytes);
}

/* Opening --------------------------------------------------------------------------------------*/

static enum pk_code find_index(struct window *window, struct pk_error *err)
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

static uint32_t source_id(const struct window *window)
{
    return window->plan.index == NULL ? window->plan.table->id : window->plan.index->id;
}

static void set_range(struct window *window)
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
    window->plan.range.lower = keep(window, pk_buf_slice(&lower));
    window->plan.range.upper = keep(window, pk_buf_slice(&upper));
    pk_buf_release(&lower);
    pk_buf_release(&upper);
}

/* The bytes of `from`. A table that was dropped and made again meanwhile has other ones. */
static enum pk_code take_from(struct window *window, struct pk_error *err)
{
    const struct pk_viewport_request *request = window->request;
    struct pk_place place = {0};
    enum pk_code rc;

    if (pk_value_kind(request->from) == PK_MISSING)
        return PK_OK;
    rc = pk_engine_where(window->engine, window->call, request->table, request->index,
                         request->from, &place, err);
    if (rc == PK_OK && pk_slice_starts(place.stored_key, window->plan.range.lower))
        window->from = place.stored_key;
    return rc;
}

static enum pk_code open_window(struct window *window, struct pk_error *err)
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

static enum pk_code open_row(struct window *window, pk_view *item, size_t *size,
                             struct pk_error *err)
{
    if (pk_record_open(pk_iter_value(window->iter), item, size))
        return PK_OK;
    return pk_fail(err, PK_E_CORRUPT, "a row of table '%.*s' is damaged",
                   PK_FMT(window->plan.table->name));
}

/* The key of the row at hand, as a request gives it. */
static enum pk_code take_key(struct window *window, pk_value *out, struct pk_error *err)
{
    pk_view item = PK_VIEW_MISSING;
    size_t size;
    enum pk_code rc = open_row(window, &item, &size, err);

    if (rc == PK_OK)
        *out = pk_start_key_of(&window->plan, item, window->call->arena);
    return rc;
}

static bool is_key_attribute(const struct window *window, pk_slice name)
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
static void shorten(struct window *window, pk_view item, struct pk_viewport_row *row)
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
            row->cut = keep(window, name);
        else
            room -= head + value.len;
        if (pk_value_kind(shown) != PK_MISSING)
            pk_member_vec_add(&members, arena, name, shown);
    }
    row->item = pk_view_of(arena, pk_value_map(members.data, members.len));
}

static enum pk_code add_row(struct window *window, struct pk_viewport_collection *collection,
                            struct pk_error *err)
{
    struct pk_viewport_row *row = &collection->rows[collection->row_count];
    pk_view item = PK_VIEW_MISSING;
    size_t size = 0;
    enum pk_code rc = open_row(window, &item, &size, err);

    if (rc != PK_OK)
        return rc;
    row->key = pk_start_key_of(&window->plan, item, window->call->arena);
    row->bytes = size;
    row->read = pk_rows_seen_find(&window->seen, key(window));
    if (window->request->whole)
        row->item = keep(window, item);
    else
        shorten(window, item, row);
    collection->row_count++;
    collection->items++;
    collection->bytes += size;
    window->shown++;
    return PK_OK;
}

/* Collections ----------------------------------------------------------------------------------*/

static enum pk_code begin_collection(struct window *window, struct pk_viewport_row *rows,
                                     struct pk_error *err)
{
    struct pk_viewport *result = window->result;
    struct pk_viewport_collection *collection = &result->collections[result->count];
    struct pk_arena *arena = window->call->arena;
    const struct pk_key_schema *schema = window->plan.key;
    struct pk_member_vec members = {0};
    pk_view item = PK_VIEW_MISSING;
    size_t size;
    enum pk_code rc = open_row(window, &item, &size, err);

    if (rc != PK_OK)
        return rc;
    for (size_t i = 0; i < schema->hash_count; i++) {
        pk_slice name = keep(window, schema->hash[i].name);
        pk_view value = keep(window, pk_view_member(item, name));

        pk_member_vec_add(&members, arena, name, pk_view_decode(arena, value));
    }
    collection->hash = pk_value_map(members.data, members.len);
    collection->partition =
        pk_partitions_find(window->plan.partitions, pk_partition_position(key(window)));
    collection->rows = rows;
    window->prefixes[result->count] = keep(window, collection_of(window, key(window)));
    result->count++;
    return PK_OK;
}

static bool is_over(const struct window *window)
{
    return window->shown == window->request->limit ||
           (window->stop.len > 0 && pk_slice_compare(key(window), window->stop) >= 0);
}

/* Walks on to where the window ends, which leaves the iterator at the first row behind it. */
static enum pk_code show(struct window *window, struct pk_error *err)
{
    struct pk_viewport *result = window->result;
    struct pk_viewport_row *rows =
        PK_NEW_ARRAY(window->call->arena, struct pk_viewport_row, window->request->limit);
    uint64_t most = window->request->per_collection;
    enum pk_code rc = PK_OK;

    seek(window, window->start);
    while (rc == PK_OK && is_valid(window) && !is_over(window)) {
        size_t last = result->count - 1;

        if (result->count == 0 || !is_in(window, window->prefixes[last])) {
            rc = begin_collection(window, rows + window->shown, err);
            last = result->count - 1;
        }
        if (rc == PK_OK)
            rc = add_row(window, &result->collections[last], err);
        if (rc != PK_OK)
            return rc;
        next(window);
        if (result->collections[last].row_count == most && is_in(window, window->prefixes[last])) {
            window->unseen[last] = true;
            leave(window, window->prefixes[last]);
        }
    }
    /* The last one may go on behind the window. */
    if (result->count > 0 && is_in(window, window->prefixes[result->count - 1]))
        window->unseen[result->count - 1] = true;
    if (is_valid(window))
        rc = take_key(window, &result->next, err);
    return rc;
}

/* Looks before the window: is there a row, and is it of the first collection? */
static void look_back(struct window *window)
{
    struct pk_viewport *result = window->result;
    pk_slice row;

    if (result->count == 0)
        return;
    seek(window, window->start);
    row = keep(window, key(window));
    seek_before(window, row);
    if (!is_valid(window))
        return;
    result->previous = result->collections[0].rows[0].key;
    if (is_in(window, window->prefixes[0]))
        window->unseen[0] = true;
}

static enum pk_code count_collection(struct window *window, size_t i, struct pk_error *err)
{
    struct pk_viewport_collection *collection = &window->result->collections[i];
    uint64_t items = 0;
    uint64_t bytes = 0;

    seek(window, window->prefixes[i]);
    while (is_in(window, window->prefixes[i]) && items < PK_VIEWPORT_COUNT_MAX &&
           window->countable > 0) {
        pk_view item = PK_VIEW_MISSING;
        size_t size = 0;
        enum pk_code rc = open_row(window, &item, &size, err);

        if (rc == PK_OK && items % 256 == 255)
            rc = pk_call_check(window->call, err);
        if (rc != PK_OK)
            return rc;
        items++;
        bytes += size;
        window->countable--;
        next(window);
    }
    collection->more = is_in(window, window->prefixes[i]);
    if (items > collection->items) {
        collection->items = items;
        collection->bytes = bytes;
    }
    return PK_OK;
}

static enum pk_code count_unseen(struct window *window, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < window->result->count && rc == PK_OK; i++) {
        if (window->unseen[i])
            rc = count_collection(window, i, err);
    }
    return rc;
}

/* Backward -------------------------------------------------------------------------------------*/

/* Goes back row by row. */
static void back_rows(struct window *window)
{
    uint64_t n = 0;

    while (is_valid(window) && n < window->request->limit) {
        n++;
        window->start = keep(window, key(window));
        pk_iter_prev(window->iter);
        arrive(window);
    }
}

/* Rows that a walk would show of the collection at hand, which it leaves. */
static uint64_t shown_of(struct window *window, pk_slice collection)
{
    uint64_t n = 0;

    seek(window, collection);
    while (is_in(window, collection) && n < window->request->per_collection &&
           (window->stop.len == 0 || pk_slice_compare(key(window), window->stop) < 0)) {
        n++;
        next(window);
    }
    return n;
}

/* Goes back collection by collection, of each of which the first rows are shown. */
static void back_collections(struct window *window)
{
    uint64_t n = 0;

    while (is_valid(window) && n < window->request->limit) {
        pk_slice collection = keep(window, collection_of(window, key(window)));
        uint64_t shown = shown_of(window, collection);

        if (n > 0 && n + shown > window->request->limit)
            return;
        n += shown;
        window->start = collection;
        seek_before(window, collection);
    }
}

/* False when there is nothing before the key. */
static bool go_back(struct window *window)
{
    window->stop = window->from;
    seek_before(window, window->from);
    if (!is_valid(window))
        return false;
    if (window->request->per_collection > 0)
        back_collections(window);
    else
        back_rows(window);
    return true;
}

/* Searching ------------------------------------------------------------------------------------*/

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has_text(pk_slice in, pk_slice text)
{
    for (size_t i = 0; i + text.len <= in.len; i++) {
        size_t same = 0;

        while (same < text.len && lower(in.data[i + same]) == lower(text.data[same]))
            same++;
        if (same == text.len)
            return true;
    }
    return false;
}

static bool value_has_text(pk_value value, pk_slice text)
{
    char digits[PK_NUM_TEXT_MAX];
    struct pk_num num;

    if (pk_value_kind(value) != PK_NUMBER)
        return has_text(pk_value_bytes(value), text);
    num = pk_value_num(value);
    return has_text(pk_slice_of(digits, pk_num_format(&num, digits)), text);
}

static bool matches(const struct window *window, pk_slice collection)
{
    struct pk_arena arena = PK_ARENA_INIT;
    pk_slice rest = pk_slice_skip(collection, KEY_HEAD);
    bool found = false;
    pk_value value;

    while (!found && rest.len > 0 && pk_key_take_value(&rest, &arena, &value))
        found = value_has_text(value, window->request->search);
    pk_arena_release(&arena);
    return found;
}

/* Walks from collection to collection; true when one has the text, and start is there. Without one
 * in the bound, the result says where to go on. */
static enum pk_code search(struct window *window, bool *found, struct pk_error *err)
{
    bool backward = window->request->backward;
    pk_slice collection = {NULL, 0};
    enum pk_code rc = PK_OK;

    *found = false;
    if (backward)
        seek_before(window, window->from);
    else
        seek(window, window->from);
    for (size_t n = 0; is_valid(window) && n < PK_VIEWPORT_SEARCH_MAX; n++) {
        collection = keep(window, collection_of(window, key(window)));
        *found = matches(window, collection);
        if (*found) {
            window->start = collection;
            return PK_OK;
        }
        rc = pk_call_check(window->call, err);
        if (rc != PK_OK)
            return rc;
        if (backward)
            seek_before(window, collection);
        else
            leave(window, collection);
    }
    if (!is_valid(window))
        return PK_OK;
    if (!backward)
        return take_key(window, &window->result->next, err);
    seek(window, collection);
    return take_key(window, &window->result->previous, err);
}

/* The call -------------------------------------------------------------------------------------*/

/* Finds where the window begins; false when nothing is to be shown. */
static enum pk_code find_start(struct window *window, bool *any, struct pk_error *err)
{
    *any = true;
    if (window->request->search.len > 0)
        return search(window, any, err);
    window->start = window->from;
    if (!window->request->backward)
        return PK_OK;
    *any = go_back(window);
    if (!*any) {
        seek(window, window->from);
        return is_valid(window) ? take_key(window, &window->result->next, err) : PK_OK;
    }
    return PK_OK;
}

/* Where the last read of the table or index began. */
static enum pk_code show_read(struct window *window, struct pk_error *err)
{
    pk_slice low = window->seen.low;

    window->result->last_read = window->seen.serial;
    if (low.len == 0 || !pk_slice_starts(low, window->plan.range.lower))
        return PK_OK;
    seek(window, low);
    if (!is_valid(window) || !pk_slice_equal(key(window), low))
        return PK_OK;
    return take_key(window, &window->result->read_from, err);
}

static enum pk_code fill(struct window *window, struct pk_error *err)
{
    bool any = false;
    enum pk_code rc = find_start(window, &any, err);

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
    struct window window = {
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
