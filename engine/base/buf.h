/*
 * A growing byte buffer on the heap.
 *
 * Invariants: data is NULL exactly when cap is 0; otherwise len < cap and data[len] is NUL, so the
 * content can be printed as a C string.
 */
#ifndef PK_BASE_BUF_H
#define PK_BASE_BUF_H

#include <stdarg.h>
#include <stdint.h>

#include "engine/base/mem.h"
#include "engine/base/slice.h"

struct pk_buf {
    char *data;
    size_t len;
    size_t cap;
};

#define PK_BUF_INIT                                                                                \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

void pk_buf_release(struct pk_buf *buf);
/* Empties the buffer and keeps its memory. */
void pk_buf_clear(struct pk_buf *buf);
/* Room for `extra` more bytes; returns where they go. The length does not change. */
char *pk_buf_reserve(struct pk_buf *buf, size_t extra);
void pk_buf_add(struct pk_buf *buf, pk_slice bytes);
void pk_buf_add_cstr(struct pk_buf *buf, const char *text);
/* Inline, as output is written with it byte by byte. */
static inline void pk_buf_add_byte(struct pk_buf *buf, unsigned char byte)
{
    if (buf->cap - buf->len < 2)
        pk_buf_reserve(buf, 1);
    buf->data[buf->len++] = (char)byte;
    buf->data[buf->len] = '\0';
}
void pk_buf_add_u32be(struct pk_buf *buf, uint32_t number);
void pk_buf_add_u64be(struct pk_buf *buf, uint64_t number);
/* LEB128, 1 to 10 bytes. */
void pk_buf_add_varint(struct pk_buf *buf, uint64_t number);
void pk_buf_printf(struct pk_buf *buf, const char *format, ...) PK_PRINTF(2, 3);
void pk_buf_vprintf(struct pk_buf *buf, const char *format, va_list args) PK_PRINTF(2, 0);
/* The bytes, NUL-ended, now the caller's to free(); the buffer is empty afterwards. Never NULL. */
char *pk_buf_detach(struct pk_buf *buf);

static inline pk_slice pk_buf_slice(const struct pk_buf *buf)
{
    return (pk_slice){buf->data, buf->len};
}

/* Reads numbers off the front of *in. Each returns false, and changes nothing, when *in is too
 * short (or, for a varint, longer than 10 bytes or above 64 bits). */
bool pk_take_byte(pk_slice *in, unsigned char *byte);
bool pk_take_u32be(pk_slice *in, uint32_t *number);
bool pk_take_u64be(pk_slice *in, uint64_t *number);
bool pk_take_varint(pk_slice *in, uint64_t *number);
bool pk_take_bytes(pk_slice *in, size_t n, pk_slice *bytes);

#endif
