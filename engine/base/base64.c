/*
 * Base64 with padding. Decoding is strict: no blanks, padding only at the end, and the bits that
 * padding leaves over must be zero, as DynamoDB demands ("Invalid last non-pad Base64 character",
 * errors.md §4).
 */
#include "engine/base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void pk_base64_encode(struct pk_buf *out, pk_slice bytes)
{
    const unsigned char *from = (const unsigned char *)bytes.data;

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t group = bytes.len - i < 3 ? bytes.len - i : 3;
        uint32_t bits = (uint32_t)from[i] << 16;
        if (group > 1)
            bits |= (uint32_t)from[i + 1] << 8;
        if (group > 2)
            bits |= from[i + 2];

        char text[4] = {alphabet[bits >> 18], alphabet[bits >> 12 & 63],
                        group > 1 ? alphabet[bits >> 6 & 63] : '=',
                        group > 2 ? alphabet[bits & 63] : '='};
        pk_buf_add(out, pk_slice_of(text, sizeof(text)));
    }
}

/* The six bits a character stands for, or -1. */
static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

/* Decodes four characters, the last `padding` of which are '='. */
static bool decode_group(const char *text, size_t padding, unsigned char out[3])
{
    uint32_t bits = 0;

    for (size_t i = 0; i < 4; i++) {
        int six = i < 4 - padding ? sextet(text[i]) : 0;
        if (six < 0)
            return false;
        bits = bits << 6 | (uint32_t)six;
    }
    if ((bits & ((UINT32_C(1) << (8 * padding)) - 1)) != 0)
        return false;
    out[0] = (unsigned char)(bits >> 16);
    out[1] = (unsigned char)(bits >> 8);
    out[2] = (unsigned char)bits;
    return true;
}

enum pk_base64_status pk_base64_decode(struct pk_arena *arena, pk_slice text, pk_slice *bytes)
{
    if (text.len % 4 != 0)
        return PK_BASE64_LENGTH;

    size_t padding = 0;
    while (padding < 2 && padding < text.len && text.data[text.len - 1 - padding] == '=')
        padding++;

    char *out = pk_arena_alloc(arena, text.len / 4 * 3 + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i += 4) {
        size_t missing = i + 4 == text.len ? padding : 0;
        unsigned char group[3];
        if (!decode_group(text.data + i, missing, group))
            return PK_BASE64_INVALID;
        memcpy(out + len, group, 3 - missing);
        len += 3 - missing;
    }
    out[len] = '\0';
    *bytes = pk_slice_of(out, len);
    return PK_BASE64_OK;
}
