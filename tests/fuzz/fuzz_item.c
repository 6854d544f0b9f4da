/* The stored-item readers on arbitrary bytes: they may answer anything, but stay in range; what
 * pk_view_check() accepts must decode and encode to the same bytes. */
#include <stdint.h>

#include "engine/item.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(pk_view view, int depth)
{
    struct pk_view_iter iter;
    pk_slice name;
    pk_view value;

    (void)pk_view_bytes(view);
    (void)pk_view_bool(view);
    (void)pk_view_size(view);
    (void)pk_view_element(view, 1);
    (void)pk_view_member(view, PK_LIT("a"));
    if (depth == 0)
        return;
    pk_view_iter_init(&iter, view);
    while (pk_view_iter_next(&iter, &name, &value))
        walk(value, depth - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pk_view view = pk_slice_of((const char *)data, size);
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf again = PK_BUF_INIT;

    walk(view, 8);
    if (pk_view_check(view)) {
        pk_view_encode(&again, pk_view_decode(&arena, view));
        if (!pk_slice_equal(pk_buf_slice(&again), view))
            pk_bug("a checked value of %zu bytes does not survive a round trip", size);
    }
    pk_buf_release(&again);
    pk_arena_release(&arena);
    return 0;
}
