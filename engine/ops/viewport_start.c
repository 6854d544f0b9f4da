/*
 * Where the window begins: calls backward walk back to it, searching ones from collection to
 * collection.
 */
#include "engine/ops/viewport_window.h"

#include "engine/store/key_code.h"

/* Backward -------------------------------------------------------------------------------------*/

/* Goes back row by row. */
static void back_rows(struct pk_window *window)
{
    uint64_t n = 0;

    while (pk_window_valid(window) && n < window->request->limit) {
        n++;
        window->start = pk_window_keep(window, pk_window_key(window));
        pk_window_previous(window);
    }
}

/* Rows that a walk would show of the collection at hand, which it leaves. */
static uint64_t shown_of(struct pk_window *window, pk_slice collection)
{
    uint64_t n = 0;

    pk_window_seek(window, collection);
    while (pk_window_in(window, collection) && n < window->request->per_collection &&
           (window->stop.len == 0 || pk_slice_compare(pk_window_key(window), window->stop) < 0)) {
        n++;
        pk_window_next(window);
    }
    return n;
}

/* Goes back collection by collection, of each of which the first rows are shown. */
static void back_collections(struct pk_window *window)
{
    uint64_t n = 0;

    while (pk_window_valid(window) && n < window->request->limit) {
        pk_slice collection =
            pk_window_keep(window, pk_window_collection(window, pk_window_key(window)));
        uint64_t shown = shown_of(window, collection);

        if (n > 0 && n + shown > window->request->limit)
            return;
        n += shown;
        window->start = collection;
        pk_window_seek_before(window, collection);
    }
}

/* False when there is nothing before the key. */
static bool go_back(struct pk_window *window)
{
    window->stop = window->from;
    pk_window_seek_before(window, window->from);
    if (!pk_window_valid(window))
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

static bool matches(const struct pk_window *window, pk_slice collection)
{
    struct pk_arena arena = PK_ARENA_INIT;
    pk_slice rest = pk_window_codes(collection);
    bool found = false;
    pk_value value;

    while (!found && rest.len > 0 && pk_key_take_value(&rest, &arena, &value))
        found = value_has_text(value, window->request->search);
    pk_arena_release(&arena);
    return found;
}

/* Walks from collection to collection; true when one has the text, and start is there. Without one
 * in the bound, the result says where to go on. */
static enum pk_code search(struct pk_window *window, bool *found, struct pk_error *err)
{
    bool backward = window->request->backward;
    pk_slice collection = {NULL, 0};
    enum pk_code rc = PK_OK;

    *found = false;
    if (backward)
        pk_window_seek_before(window, window->from);
    else
        pk_window_seek(window, window->from);
    for (size_t n = 0; pk_window_valid(window) && n < PK_VIEWPORT_SEARCH_MAX; n++) {
        collection = pk_window_keep(window, pk_window_collection(window, pk_window_key(window)));
        *found = matches(window, collection);
        if (*found) {
            window->start = collection;
            return PK_OK;
        }
        rc = pk_call_check(window->call, err);
        if (rc != PK_OK)
            return rc;
        if (backward)
            pk_window_seek_before(window, collection);
        else
            pk_window_leave(window, collection);
    }
    if (!pk_window_valid(window))
        return PK_OK;
    if (!backward)
        return pk_window_take_key(window, &window->result->next, err);
    pk_window_seek(window, collection);
    return pk_window_take_key(window, &window->result->previous, err);
}

/* Forward, backward or to a text ---------------------------------------------------------------*/

enum pk_code pk_window_find_start(struct pk_window *window, bool *any, struct pk_error *err)
{
    *any = true;
    if (window->request->search.len > 0)
        return search(window, any, err);
    window->start = window->from;
    if (!window->request->backward)
        return PK_OK;
    *any = go_back(window);
    if (!*any) {
        pk_window_seek(window, window->from);
        return pk_window_valid(window) ? pk_window_take_key(window, &window->result->next, err)
                                       : PK_OK;
    }
    return PK_OK;
}
