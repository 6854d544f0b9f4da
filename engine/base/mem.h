/*
 * Memory that cannot fail, and the reaction to our own mistakes.
 *
 * Sizes that come from outside are limited before they reach these functions, so running out of
 * memory is a state no caller can handle: the process says so and aborts.
 */
#ifndef PK_BASE_MEM_H
#define PK_BASE_MEM_H

#include <stddef.h>

#define PK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define PK_MUST_CHECK          __attribute__((warn_unused_result))
#define PK_NORETURN            __attribute__((noreturn))

/* Never NULL, also for 0 bytes; the caller frees with free(). Aborts when memory is exhausted. */
void *pk_malloc(size_t size);
/* As pk_malloc for count * size zeroed bytes; a product that overflows aborts. */
void *pk_calloc(size_t count, size_t size);
/* As realloc for count * size bytes; the old block is gone afterwards. */
void *pk_realloc(void *block, size_t count, size_t size);
/* A NUL-ended heap copy of len bytes. */
char *pk_memdup_cstr(const char *data, size_t len);

/* Our own mistake: prints where and what to stderr and aborts. Not for bad input. */
#define pk_bug(...) pk_bug_at(__FILE__, __LINE__, __VA_ARGS__)
PK_NORETURN void pk_bug_at(const char *file, int line, const char *format, ...) PK_PRINTF(3, 4);

#endif
