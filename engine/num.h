/*
 * DynamoDB numbers: decimal, up to 38 significant digits, 0 or 1E-130 <= |x| < 1E126
 * (data-model.md §2). Never a double.
 *
 * Two forms: struct pk_num to compute with, and the canonical code, a short byte string that is
 * what items and keys store. Equal numbers have identical codes, and memcmp of two codes is their
 * numeric order, also when more bytes follow in a composite key.
 *
 * On-disk grammar of the code (do not change):
 *   zero      80
 *   positive  C1 exponent digit… 00      exponent: base-100 exponent + 66, one byte
 *   negative  3E exponent digit… FF      every byte after the sign complemented
 * A digit is a base-100 digit plus one (01..64 hex); the last digit is never zero.
 */
#ifndef PK_NUM_H
#define PK_NUM_H

#include <stdint.h>

#include "engine/base/slice.h"

enum {
    PK_NUM_DIGITS = 38,
    PK_NUM_CODE_MAX = 24, /* sign, exponent, 20 base-100 digits (alignment may add one), end */
    PK_NUM_TEXT_MAX = 180 /* sign, "0.", 129 zeros, 38 digits; NUL included */
};

/* value = sign * 0.d1 d2 … dn * 10^exponent with d1 != 0 and dn != 0; zero has count 0, sign 0. */
struct pk_num {
    int8_t sign; /* -1, 0, 1 */
    uint8_t count;
    int16_t exponent;
    uint8_t digits[PK_NUM_DIGITS]; /* most significant first, 0..9 each */
};

enum pk_num_status {
    PK_NUM_OK = 0,
    PK_NUM_SYNTAX,    /* "The parameter cannot be converted to a numeric value: …" */
    PK_NUM_PRECISION, /* "Attempting to store more than 38 significant digits in a Number" */
    PK_NUM_OVERFLOW, /* "Number overflow. Attempting to store a number with magnitude larger …" */
    PK_NUM_UNDERFLOW
};

/* Reads decimal text by the rules of data-model.md §2, the exponent as a 64-bit integer. */
enum pk_num_status pk_num_parse(pk_slice text, struct pk_num *out);
void pk_num_from_int(int64_t value, struct pk_num *out);
/* False when the number has a fraction or does not fit. */
bool pk_num_to_int(const struct pk_num *num, int64_t *out);
/* Plain positional notation, NUL-ended; returns its length. */
size_t pk_num_format(const struct pk_num *num, char out[PK_NUM_TEXT_MAX]);

int pk_num_compare(const struct pk_num *a, const struct pk_num *b);
/* Exact; a result of more than 38 digits is PK_NUM_OVERFLOW (data-model.md §2). */
enum pk_num_status pk_num_add(const struct pk_num *a, const struct pk_num *b, struct pk_num *out);
enum pk_num_status pk_num_subtract(const struct pk_num *a, const struct pk_num *b,
                                   struct pk_num *out);

/* Writes the canonical code; returns its length. */
size_t pk_num_encode(const struct pk_num *num, char out[PK_NUM_CODE_MAX]);
/* Reads a code off the front of *in; false when malformed or not canonical (*in unchanged). */
bool pk_num_decode(pk_slice *in, struct pk_num *out);
/* Bytes of the number by the item-size rule (data-model.md §6), from its code. */
size_t pk_num_size(pk_slice code);

/* DynamoDB's message for a failed status; `text` is the number as written. The returned text is
 * formatted into out (at least 160 + text.len bytes are used; longer texts are cut). */
const char *pk_num_status_message(enum pk_num_status status, pk_slice text, char *out, size_t size);

#endif
