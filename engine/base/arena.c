/*
 * The bump allocator behind every request.
 *
 * Blocks form a list, the one being filled at its head. They start small, because most requests
 * are, and double up to a limit. A piece that is large compared with a block gets a block of its
 * own *behind* the head, so that what is left of the head is not lost.
 *
 * Invariant: next and end are both NULL, or lie in the head block (while there is none, in the
 * memory of pk_arena_on) and are aligned for any type.
 */
#include "engine/base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ALIGN = _Alignof(max_align_t),
    BLOCK_MIN = 4096 - 64, /* with malloc's own header still one page */
    BLOCK_MAX = 256 * 1024
};

struct pk_arena_block {
    struct pk_arena_block *older;
    size_t size; /* of data */
    max_align_t data[];
};

static struct pk_arena_block *block_new(size_t size)
{
    struct pk_arena_block *block = pk_malloc(sizeof(*block) + size);

    block->older = NULL;
    block->size = size;
    return block;
}

static void blocks_free(struct pk_arena_block *block)
{
    while (block != NULL) {
        struct pk_arena_block *older = block->older;
        free(block);
        block = older;
    }
}

static void fill_from(struct pk_arena *arena, struct pk_arena_block *head)
{
    arena->head = head;
    arena->next = (char *)head->data;
    arena->end = arena->next + head->size;
}

void pk_arena_release(struct pk_arena *arena)
{
    blocks_free(arena->head);
    *arena = (struct pk_arena)PK_ARENA_INIT;
}

void pk_arena_clear(struct pk_arena *arena)
{
    if (arena->head == NULL) {
        *arena = (struct pk_arena)PK_ARENA_INIT;
        return;
    }
    blocks_free(arena->head->older);
    arena->head->older = NULL;
    fill_from(arena, arena->head);
}

/* The rare half of pk_arena_alloc: the head has no room for size (aligned) bytes. */
static void *alloc_slow(struct pk_arena *arena, size_t size)
{
    size_t wanted = arena->head == NULL ? BLOCK_MIN : arena->head->size * 2;

    if (wanted > BLOCK_MAX)
        wanted = BLOCK_MAX;
    if (size > wanted / 4 && arena->head != NULL) {
        struct pk_arena_block *own = block_new(size);
        own->older = arena->head->older;
        arena->head->older = own;
        return own->data;
    }

    struct pk_arena_block *head = block_new(size > wanted ? size : wanted);
    head->older = arena->head;
    fill_from(arena, head);
    arena->next += size;
    return head->data;
}

void *pk_arena_alloc(struct pk_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        pk_bug("arena allocation of %zu bytes", size);
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (arena->next == NULL || size > (size_t)(arena->end - arena->next))
        return alloc_slow(arena, size);

    void *piece = arena->next;
    arena->next += size;
    return piece;
}

void *pk_arena_calloc(struct pk_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        pk_bug("arena allocation of %zu * %zu bytes", count, size);

    void *piece = pk_arena_alloc(arena, count * size);
    memset(piece, 0, count * size);
    return piece;
}

pk_slice pk_arena_dup(struct pk_arena *arena, pk_slice bytes)
{
    if (bytes.len == SIZE_MAX)
        pk_bug("arena copy of %zu bytes", bytes.len);

    char *copy = pk_arena_alloc(arena, bytes.len + 1);
    if (bytes.len != 0)
        memcpy(copy, bytes.data, bytes.len);
    copy[bytes.len] = '\0';
    return pk_slice_of(copy, bytes.len);
}

pk_slice pk_arena_vprintf(struct pk_arena *arena, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    if (len < 0)
        pk_bug("bad format '%s'", format);
    char *text = pk_arena_alloc(arena, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return pk_slice_of(text, (size_t)len);
}

pk_slice pk_arena_printf(struct pk_arena *arena, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    pk_slice text = pk_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
