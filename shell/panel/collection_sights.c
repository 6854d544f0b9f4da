/* What the collections view remembers of what it saw: kinds of items, and how many there were. */
#include "shell/panel/views.h"

/* "ORDER" of "ORDER#1001": up to the first separator, or the letters in front. */
static pk_slice kind_of(pk_slice sort)
{
    size_t letters = 0;

    for (size_t i = 0; i < sort.len; i++) {
        if (strchr("#|:/~", sort.data[i]) != NULL)
            return pk_slice_of(sort.data, i);
        if (letters == i && (sort.data[i] < '0' || sort.data[i] > '9'))
            letters = i + 1;
    }
    return pk_slice_of(sort.data, letters);
}

enum sh_ink sh_kind_ink(struct sh_collections *state, pk_slice sort)
{
    pk_slice kind = kind_of(sort);
    size_t i = 0;

    if (kind.len > 32)
        kind.len = 32;
    while (i < state->kind_count && !pk_slice_equal(pk_buf_slice(&state->kinds[i]), kind))
        i++;
    if (i == SH_KINDS)
        return SH_INK_TEXT;
    if (i == state->kind_count) {
        pk_buf_add(&state->kinds[i], kind);
        state->kind_count++;
    }
    return (enum sh_ink)(SH_INK_PREFIX + i % SH_PREFIXES);
}

/* FNV-1a; never 0, which marks a free place. */
static uint64_t hash_of(pk_slice text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    return hash == 0 ? 1 : hash;
}

/* The place of that collection; NULL: no place is left. */
static struct sh_growth *place_of(struct sh_collections *state, pk_slice hash_key)
{
    uint64_t hash = hash_of(hash_key);
    size_t at = hash % SH_GROWTHS;

    while (state->growths[at].hash != hash && state->growths[at].hash != 0)
        at = (at + 1) % SH_GROWTHS;
    if (state->growths[at].hash == 0) {
        if (state->growth_count >= SH_GROWTHS * 3 / 4)
            return NULL;
        state->growth_count++;
        state->growths[at] = (struct sh_growth){hash, UINT64_MAX};
    }
    return &state->growths[at];
}

/* True when the collection was not there a frame ago: the same rows were asked for, and it did not
 * move in from below. */
static bool appeared(const struct sh_collections *state, const struct sh_frame *frame,
                     const struct cmd_viewport_collection *collection)
{
    const struct cmd_viewport *viewport = frame->viewport;
    bool last = collection == &viewport->collections[viewport->count - 1];

    return state->drawn && state->drawn_ticket == frame->viewport_ticket &&
           !(last && state->drawn_next);
}

void sh_growth_see(struct sh_collections *state, const struct sh_frame *frame)
{
    for (size_t i = 0; i < frame->viewport->count; i++) {
        const struct cmd_viewport_collection *collection = &frame->viewport->collections[i];
        struct sh_growth *growth = place_of(state, collection->hash);

        if (growth != NULL && growth->items == UINT64_MAX)
            growth->items = appeared(state, frame, collection) ? 0 : collection->items;
    }
    state->drawn = true;
    state->drawn_ticket = frame->viewport_ticket;
    state->drawn_next = frame->viewport->next.len > 0;
}

pk_slice sh_growth_text(struct pk_arena *arena, struct sh_collections *state,
                        const struct cmd_viewport_collection *collection)
{
    const struct sh_growth *growth = collection->more ? NULL : place_of(state, collection->hash);

    if (growth == NULL || growth->items == UINT64_MAX || growth->items == collection->items)
        return PK_LIT("");
    if (growth->items < collection->items)
        return pk_arena_printf(arena, "+%.*s",
                               PK_FMT(sh_short_count(arena, collection->items - growth->items)));
    return pk_arena_printf(arena, "-%.*s",
                           PK_FMT(sh_short_count(arena, growth->items - collection->items)));
}
