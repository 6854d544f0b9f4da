/*
 * UTF-8 by its definition (RFC 3629). The second byte of a sequence decides about overlong forms,
 * surrogates and values above U+10FFFF; the table of lead bytes is spelled out in sequence_start().
 */
#include "engine/base/utf8.h"

/* What a lead byte announces: bytes of the sequence, and the range of the second one. */
struct sequence {
    unsigned char len; /* 0: no lead byte */
    unsigned char low, high;
};

static struct sequence sequence_start(unsigned char lead)
{
    if (lead < 0x80)
        return (struct sequence){1, 0, 0};
    if (lead >= 0xC2 && lead <= 0xDF)
        return (struct sequence){2, 0x80, 0xBF};
    if (lead == 0xE0)
        return (struct sequence){3, 0xA0, 0xBF};
    if (lead == 0xED)
        return (struct sequence){3, 0x80, 0x9F};
    if (lead >= 0xE1 && lead <= 0xEF)
        return (struct sequence){3, 0x80, 0xBF};
    if (lead == 0xF0)
        return (struct sequence){4, 0x90, 0xBF};
    if (lead >= 0xF1 && lead <= 0xF3)
        return (struct sequence){4, 0x80, 0xBF};
    if (lead == 0xF4)
        return (struct sequence){4, 0x80, 0x8F};
    return (struct sequence){0, 0, 0};
}

/* Bytes of the valid sequence at the front of text (not empty), 0 when there is none. */
static size_t sequence_length(pk_slice text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    struct sequence start = sequence_start(bytes[0]);

    if (start.len <= 1)
        return start.len;
    if (start.len > text.len || bytes[1] < start.low || bytes[1] > start.high)
        return 0;
    for (size_t i = 2; i < start.len; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    }
    return start.len;
}

/* Length of the run of ASCII bytes at the front, counted in whole words. */
static size_t ascii_run(pk_slice text)
{
    size_t n = 0;
    uint64_t word;

    while (text.len - n >= sizeof(word)) {
        memcpy(&word, text.data + n, sizeof(word));
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            break;
        n += sizeof(word);
    }
    return n;
}

bool pk_utf8_valid(pk_slice text)
{
    text = pk_slice_skip(text, ascii_run(text));
    while (text.len > 0) {
        size_t len = sequence_length(text);
        if (len == 0)
            return false;
        text = pk_slice_skip(text, len);
        if (len > 1)
            text = pk_slice_skip(text, ascii_run(text));
    }
    return true;
}

bool pk_utf8_take(pk_slice *text, uint32_t *code_point)
{
    if (text->len == 0)
        return false;

    size_t len = sequence_length(*text);
    if (len == 0)
        return false;

    const unsigned char *bytes = (const unsigned char *)text->data;
    uint32_t point = len == 1 ? bytes[0] : bytes[0] & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++)
        point = point << 6 | (bytes[i] & 0x3Fu);
    *code_point = point;
    *text = pk_slice_skip(*text, len);
    return true;
}

void pk_utf8_add(struct pk_buf *out, uint32_t code_point)
{
    if (code_point < 0x80) {
        pk_buf_add_byte(out, (unsigned char)code_point);
        return;
    }

    int tail = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    pk_buf_add_byte(out, (unsigned char)(lead[tail] | code_point >> (6 * tail)));
    while (tail-- > 0)
        pk_buf_add_byte(out, (unsigned char)(0x80 | (code_point >> (6 * tail) & 0x3F)));
}

size_t pk_utf8_utf16_length(pk_slice text)
{
    size_t units = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        /* one unit for a first byte; a code point above U+FFFF, whose first byte is F0 or more,
         * takes a surrogate pair */
        units += (byte & 0xC0) != 0x80;
        units += byte >= 0xF0;
    }
    return units;
}
