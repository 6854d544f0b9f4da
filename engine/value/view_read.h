/*
 * Reading the stored form (grammar: item.h) with bare pointers, for the files of this folder.
 *
 * Every function is given the end of the bytes and stays inside; NULL or false says that what was
 * asked for is not there. They are inline because a projection over a page of items calls them
 * hundreds of thousands of times.
 */
#ifndef PK_VALUE_VIEW_READ_H
#define PK_VALUE_VIEW_READ_H

#include "engine/item.h"

typedef const unsigned char *pk__bytes;

/* A length or count: at most 32 bits, since no value is larger. Advances *at only when it is there.
 */
static inline bool pk__read_varint(pk__bytes *at, pk__bytes end, size_t *number)
{
    pk__bytes p = *at;

    if (p < end && *p < 0x80) {
        *number = *p;
        *at = p + 1;
        return true;
    }

    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 35 && p < end; shift += 7) {
        uint64_t byte = *p++;
        sum |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            if (sum > UINT32_MAX)
                return false;
            *number = (size_t)sum;
            *at = p;
            return true;
        }
    }
    return false;
}

/* A varint length and the bytes it announces; *at moves behind them. */
static inline bool pk__read_block(pk__bytes *at, pk__bytes end, pk_slice *block)
{
    pk__bytes p = *at;
    size_t len;

    if (!pk__read_varint(&p, end, &len) || len > (size_t)(end - p))
        return false;
    *block = pk_slice_of((const char *)p, len);
    *at = p + len;
    return true;
}

static inline enum pk_kind pk__read_kind(pk__bytes at, pk__bytes end)
{
    return at < end && *at <= PK_MAP ? (enum pk_kind) * at : PK_MISSING;
}

/* The end of the value that starts at `at`, NULL when there is none. Contents are stepped over. */
static inline pk__bytes pk__value_end(pk__bytes at, pk__bytes end)
{
    pk_slice block;
    size_t size = 0;

    switch (pk__read_kind(at, end)) {
    case PK_MISSING:
        return NULL;
    case PK_NULL:
        size = 1;
        break;
    case PK_BOOL:
        size = 2;
        break;
    case PK_NUMBER:
        size = end - at < 2 ? 2 : 2 + (size_t)at[1];
        break;
    case PK_STRING:
    case PK_BINARY:
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        at++;
        return pk__read_block(&at, end, &block) ? at : NULL;
    }
    return size > (size_t)(end - at) ? NULL : at + size;
}

static inline pk__bytes pk__start(pk_slice bytes)
{
    return (pk__bytes)bytes.data;
}

/* NULL + 0 is undefined, so an empty slice ends where it starts. */
static inline pk__bytes pk__end(pk_slice bytes)
{
    return bytes.len == 0 ? pk__start(bytes) : pk__start(bytes) + bytes.len;
}

#endif
