/* The growing buffer, and its counterpart: taking numbers off the front of a slice. */
#include "engine/base/buf.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAP_MIN = 64, VARINT_MAX = 10 };

void pk_buf_release(struct pk_buf *buf)
{
    free(buf->data);
    *buf = (struct pk_buf)PK_BUF_INIT;
}

void pk_buf_clear(struct pk_buf *buf)
{
    buf->len = 0;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

char *pk_buf_reserve(struct pk_buf *buf, size_t extra)
{
    if (extra > SIZE_MAX / 4 || buf->len > SIZE_MAX / 4)
        pk_bug("buffer of %zu + %zu bytes", buf->len, extra);

    size_t needed = buf->len + extra + 1;
    if (needed > buf->cap) {
        size_t cap = buf->cap < CAP_MIN ? CAP_MIN : buf->cap * 2;
        buf->cap = cap < needed ? needed : cap;
        buf->data = pk_realloc(buf->data, buf->cap, 1);
        buf->data[buf->len] = '\0';
    }
    return buf->data + buf->len;
}

static void advance(struct pk_buf *buf, size_t n)
{
    buf->len += n;
    buf->data[buf->len] = '\0';
}

void pk_buf_add(struct pk_buf *buf, pk_slice bytes)
{
    if (bytes.len == 0)
        return;
    memcpy(pk_buf_reserve(buf, bytes.len), bytes.data, bytes.len);
    advance(buf, bytes.len);
}

void pk_buf_add_cstr(struct pk_buf *buf, const char *text)
{
    pk_buf_add(buf, pk_slice_cstr(text));
}

void pk_buf_add_u32be(struct pk_buf *buf, uint32_t number)
{
    char *to = pk_buf_reserve(buf, 4);

    for (int i = 0; i < 4; i++)
        to[i] = (char)(unsigned char)(number >> (24 - 8 * i));
    advance(buf, 4);
}

void pk_buf_add_u64be(struct pk_buf *buf, uint64_t number)
{
    char *to = pk_buf_reserve(buf, 8);

    for (int i = 0; i < 8; i++)
        to[i] = (char)(unsigned char)(number >> (56 - 8 * i));
    advance(buf, 8);
}

void pk_buf_add_varint(struct pk_buf *buf, uint64_t number)
{
    char *to = pk_buf_reserve(buf, VARINT_MAX);
    size_t n = 0;

    while (number >= 0x80) {
        to[n++] = (char)(unsigned char)(number | 0x80);
        number >>= 7;
    }
    to[n++] = (char)(unsigned char)number;
    advance(buf, n);
}

void pk_buf_vprintf(struct pk_buf *buf, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    if (len < 0)
        pk_bug("bad format '%s'", format);
    vsnprintf(pk_buf_reserve(buf, (size_t)len), (size_t)len + 1, format, again);
    va_end(again);
    advance(buf, (size_t)len);
}

void pk_buf_printf(struct pk_buf *buf, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    pk_buf_vprintf(buf, format, args);
    va_end(args);
}

char *pk_buf_detach(struct pk_buf *buf)
{
    pk_buf_reserve(buf, 0);

    char *data = buf->data;
    *buf = (struct pk_buf)PK_BUF_INIT;
    return data;
}

bool pk_take_byte(pk_slice *in, unsigned char *byte)
{
    if (in->len < 1)
        return false;
    *byte = (unsigned char)in->data[0];
    *in = pk_slice_skip(*in, 1);
    return true;
}

static uint64_t big_endian(const char *from, int bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < bytes; i++)
        number = number << 8 | (unsigned char)from[i];
    return number;
}

bool pk_take_u32be(pk_slice *in, uint32_t *number)
{
    if (in->len < 4)
        return false;
    *number = (uint32_t)big_endian(in->data, 4);
    *in = pk_slice_skip(*in, 4);
    return true;
}

bool pk_take_u64be(pk_slice *in, uint64_t *number)
{
    if (in->len < 8)
        return false;
    *number = big_endian(in->data, 8);
    *in = pk_slice_skip(*in, 8);
    return true;
}

bool pk_take_varint(pk_slice *in, uint64_t *number)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < in->len && i < VARINT_MAX; i++) {
        uint64_t byte = (unsigned char)in->data[i];
        if (i == VARINT_MAX - 1 && byte > 1)
            return false;
        sum |= (byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *number = sum;
            *in = pk_slice_skip(*in, i + 1);
            return true;
        }
    }
    return false;
}

bool pk_take_bytes(pk_slice *in, size_t n, pk_slice *bytes)
{
    if (in->len < n)
        return false;
    *bytes = pk_slice_of(in->data, n);
    *in = pk_slice_skip(*in, n);
    return true;
}
