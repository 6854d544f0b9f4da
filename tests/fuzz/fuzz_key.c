/* The key decoder on arbitrary bytes: a key that parses must build again to the same bytes. */
#include <stdint.h>

#include "engine/store/key_code.h"
#include "engine/store/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pk_slice key = pk_slice_of((const char *)data, size), rest = key;
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf again = PK_BUF_INIT;
    struct pk_layout_parts parts;
    pk_value value;

    while (pk_key_take_value(&rest, &arena, &value))
        pk_key_append_value(&again, value);
    if (!pk_slice_equal(pk_buf_slice(&again), pk_slice_of(key.data, key.len - rest.len)))
        pk_bug("a decoded key of %zu bytes encodes to something else", size);
    (void)pk_layout_parse(key, &arena, &parts);
    pk_buf_release(&again);
    pk_arena_release(&arena);
    return 0;
}
