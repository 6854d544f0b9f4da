/*
 * Allocation that aborts instead of failing, and pk_bug().
 *
 * Both ends write with fputs to stderr and abort: at that point nothing else of the process can be
 * trusted, so there is no handler to call.
 */
#include "engine/base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PK_NORETURN static void out_of_memory(void)
{
    fputs("pksk: out of memory\n", stderr);
    abort();
}

static size_t checked_product(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        out_of_memory();
    return count * size;
}

void *pk_malloc(size_t size)
{
    void *block = malloc(size == 0 ? 1 : size);

    if (block == NULL)
        out_of_memory();
    return block;
}

void *pk_calloc(size_t count, size_t size)
{
    size_t bytes = checked_product(count, size);
    void *block = calloc(1, bytes == 0 ? 1 : bytes);

    if (block == NULL)
        out_of_memory();
    return block;
}

void *pk_realloc(void *block, size_t count, size_t size)
{
    size_t bytes = checked_product(count, size);
    void *moved = realloc(block, bytes == 0 ? 1 : bytes);

    if (moved == NULL)
        out_of_memory();
    return moved;
}

char *pk_memdup_cstr(const char *data, size_t len)
{
    if (len == SIZE_MAX)
        out_of_memory();

    char *copy = pk_malloc(len + 1);
    if (len != 0)
        memcpy(copy, data, len);
    copy[len] = '\0';
    return copy;
}

void pk_bug_at(const char *file, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "pksk: bug at %s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}
