/*
 * A bump allocator. A request owns one arena for syntax trees, values, plans and scratch, and frees
 * all of it at once. Nothing in it is freed alone.
 *
 * Not thread-safe: one arena belongs to one thread at a time.
 */
#ifndef PK_BASE_ARENA_H
#define PK_BASE_ARENA_H

#include <stdarg.h>

#include "engine/base/mem.h"
#include "engine/base/slice.h"

struct pk_arena_block;

struct pk_arena {
    struct pk_arena_block *head; /* newest block first */
    char *next;
    char *end;
};

#define PK_ARENA_INIT                                                                              \
    {                                                                                              \
        NULL, NULL, NULL                                                                           \
    }

/* An arena that takes its first `size` bytes from `memory`, aligned for any type: the stack, where
 * most requests find all they need. The memory must live until the arena is released or cleared,
 * which ends its use. */
static inline struct pk_arena pk_arena_on(void *memory, size_t size)
{
    return (struct pk_arena){NULL, memory, (char *)memory + size};
}

/* Frees every block. The arena is empty and usable afterwards. */
void pk_arena_release(struct pk_arena *arena);
/* As release, but keeps the newest block for reuse. */
void pk_arena_clear(struct pk_arena *arena);
/* size bytes, aligned for any type, not zeroed; never NULL. */
void *pk_arena_alloc(struct pk_arena *arena, size_t size);
/* count * size zeroed bytes; a product that overflows aborts. */
void *pk_arena_calloc(struct pk_arena *arena, size_t count, size_t size);
/* A copy of the bytes, followed by a NUL that the slice does not count. */
pk_slice pk_arena_dup(struct pk_arena *arena, pk_slice bytes);
/* Formatted text, NUL-ended (the slice does not count it). */
pk_slice pk_arena_printf(struct pk_arena *arena, const char *format, ...) PK_PRINTF(2, 3);
pk_slice pk_arena_vprintf(struct pk_arena *arena, const char *format, va_list args) PK_PRINTF(2, 0);

/* One zeroed object of the type / an array of n of them. */
#define PK_NEW(arena, type)          ((type *)pk_arena_calloc((arena), 1, sizeof(type)))
#define PK_NEW_ARRAY(arena, type, n) ((type *)pk_arena_calloc((arena), (n), sizeof(type)))

#endif
