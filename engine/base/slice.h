/* A byte range: borrowed, never assumed NUL-ended. */
#ifndef PK_BASE_SLICE_H
#define PK_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct pk_slice {
    const char *data;
    size_t len;
} pk_slice;

/* The slice of a string literal. */
#define PK_LIT(text) ((pk_slice){(text), sizeof(text) - 1})

/* The two arguments of a "%.*s". */
#define PK_FMT(slice) (int)(slice).len, (slice).data

static inline pk_slice pk_slice_of(const char *data, size_t len)
{
    return (pk_slice){data, len};
}

static inline pk_slice pk_slice_cstr(const char *text)
{
    return (pk_slice){text, text == NULL ? 0 : strlen(text)};
}

static inline bool pk_slice_equal(pk_slice a, pk_slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool pk_slice_is(pk_slice a, const char *text)
{
    return pk_slice_equal(a, pk_slice_cstr(text));
}

static inline bool pk_slice_starts(pk_slice a, pk_slice prefix)
{
    return a.len >= prefix.len && (prefix.len == 0 || memcmp(a.data, prefix.data, prefix.len) == 0);
}

/* Order of unsigned bytes; a proper prefix sorts first. Negative, zero or positive. */
static inline int pk_slice_compare(pk_slice a, pk_slice b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared == 0 ? 0 : memcmp(a.data, b.data, shared);

    if (order != 0)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

/* The rest after the first n bytes; n is clamped. */
static inline pk_slice pk_slice_skip(pk_slice a, size_t n)
{
    if (n > a.len)
        n = a.len;
    if (n == 0)
        return a; /* data may be NULL */
    return (pk_slice){a.data + n, a.len - n};
}

#endif
