#include "engine/ops/viewport_window.h"

#include "engine/ops/start_key.h"
#include "engine/store/key_code.h"
#include "engine/store/layout.h"
#include "engine/store/position.h"

/* Rows passed one by one before a seek to the next collection is cheaper. */
enum { STEPS_TO_SKIP = 4 };

pk_slice pk_window_key(const struct pk_window *window)
{
    return pk_iter_key(window->iter);
}

bool pk_window_valid(const struct pk_window *window)
{
    return pk_iter_valid(window->iter);
}

static void arrive(struct pk_window *window)
{
    if (pk_window_valid(window))
        window->result->rows_read++;
}

void pk_window_next(struct pk_window *window)
{
    pk_iter_next(window->iter);
    arrive(window);
}

void pk_window_seek(struct pk_window *window, pk_slice to)
{
    if (to.len == 0)
        pk_iter_seek_first(window->iter);
    else
        pk_iter_seek(window->iter, to);
    arrive(window);
}

void pk_window_previous(struct pk_window *window)
{
    pk_iter_prev(window->iter);
    arrive(window);
}

void pk_window_seek_before(struct pk_window *window, pk_slice to)
{
    if (to.len == 0) {
        pk_iter_seek_last(window->iter);
    } else {
        pk_iter_seek_for_prev(window->iter, to);
        if (pk_window_valid(window) && pk_slice_equal(pk_window_key(window), to))
            pk_iter_prev(window->iter);
    }
    arrive(window);
}

pk_slice pk_window_codes(pk_slice row)
{
    return pk_position_codes(pk_layout_position(row));
}

pk_slice pk_window_collection(const struct pk_window *window, pk_slice row)
{
    pk_slice rest = pk_window_codes(row);
    pk_slice code;

    for (size_t i = 0; i < window->plan.key->hash_count; i++) {
        if (!pk_key_take_code(&rest, &code))
            return row; /* damaged: a collection of its own */
    }
    return pk_slice_of(row.data, row.len - rest.len);
}

bool pk_window_in(const struct pk_window *window, pk_slice collection)
{
    return pk_window_valid(window) && pk_slice_starts(pk_window_key(window), collection);
}

void pk_window_leave(struct pk_window *window, pk_slice collection)
{
    for (int i = 0; i < STEPS_TO_SKIP; i++) {
        if (!pk_window_in(window, collection))
            return;
        pk_window_next(window);
    }
    if (!pk_window_in(window, collection))
        return;
    pk_buf_clear(&window->scratch);
    pk_buf_add(&window->scratch, collection);
    pk_key_successor(&window->scratch);
    pk_window_seek(window, pk_buf_slice(&window->scratch));
}

pk_slice pk_window_keep(const struct pk_window *window, pk_slice bytes)
{
    return pk_arena_dup(window->call->arena, bytes);
}

enum pk_code pk_window_open_row(struct pk_window *window, pk_view *item, size_t *size,
                                struct pk_error *err)
{
    if (pk_record_open(pk_iter_value(window->iter), item, size))
        return PK_OK;
    return pk_fail(err, PK_E_CORRUPT, "a row of table '%.*s' is damaged",
                   PK_FMT(window->plan.table->name));
}

enum pk_code pk_window_take_key(struct pk_window *window, pk_value *out, struct pk_error *err)
{
    pk_view item = PK_VIEW_MISSING;
    size_t size;
    enum pk_code rc = pk_window_open_row(window, &item, &size, err);

    if (rc == PK_OK)
        *out = pk_start_key_of(&window->plan, item, window->call->arena);
    return rc;
}
