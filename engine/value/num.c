/*
 * 38-digit decimals (data-model.md §2 and §6): reading, writing, adding, and the canonical code.
 *
 * Invariant of every struct pk_num made here: the first and the last digit are not zero, count is
 * at most PK_NUM_DIGITS, and exponent lies in EXPONENT_MIN..EXPONENT_MAX; so a number has one form,
 * and range checks happen in one place, finish().
 */
#include "engine/num.h"

#include <stdio.h>

#include "engine/base/mem.h"

enum {
    EXPONENT_MIN = -129, /* 1E-130 = 0.1 * 10^-129 */
    EXPONENT_MAX = 126,  /* 9.99…E+125 = 0.999… * 10^126 */
    /* an exact sum spans from the first digit of the larger operand, with a carry before it, to the
     * last digit of the smaller one */
    SUM_DIGITS = 1 + EXPONENT_MAX - EXPONENT_MIN + PK_NUM_DIGITS,

    CODE_ZERO = 0x80,
    CODE_POSITIVE = 0xC1,
    CODE_NEGATIVE = 0x3E,
    CODE_BIAS = 66,
    CODE_DIGITS = 20 /* base-100 digits */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Makes *out of n digits 0.d1d2… * 10^exponent. Strips zeros at both ends; the range is checked
 * before the precision. */
static enum pk_num_status finish(int sign, const uint8_t *digits, size_t n, int64_t exponent,
                                 struct pk_num *out)
{
    while (n > 0 && digits[0] == 0) {
        digits++;
        n--;
        exponent--;
    }
    while (n > 0 && digits[n - 1] == 0)
        n--;

    if (n == 0) {
        *out = (struct pk_num){0};
        return PK_NUM_OK;
    }
    if (exponent > EXPONENT_MAX)
        return PK_NUM_OVERFLOW;
    if (exponent < EXPONENT_MIN)
        return PK_NUM_UNDERFLOW;
    if (n > PK_NUM_DIGITS)
        return PK_NUM_PRECISION;
    *out =
        (struct pk_num){.sign = (int8_t)sign, .count = (uint8_t)n, .exponent = (int16_t)exponent};
    memcpy(out->digits, digits, n);
    return PK_NUM_OK;
}

/* --- text ------------------------------------------------------------------------------------ */

/* What pk_num_parse has seen of the digits before the "e". Texts of any length are read: of the
 * significant digits one more than fits is kept. */
struct mantissa {
    uint8_t digits[PK_NUM_DIGITS + 1];
    size_t kept;     /* of them; 0 while only zeros were seen */
    bool too_long;   /* a digit that is not zero did not fit */
    int64_t total;   /* digits written */
    int64_t leading; /* zeros before the first significant digit */
    int64_t whole;   /* digits before the point */
};

static void mantissa_add(struct mantissa *m, char c)
{
    uint8_t digit = (uint8_t)(c - '0');

    m->total++;
    if (m->kept == 0 && digit == 0)
        m->leading++;
    else if (m->kept < sizeof(m->digits))
        m->digits[m->kept++] = digit;
    else if (digit != 0)
        m->too_long = true;
}

/* digits [. digits*] | . digits */
static bool take_mantissa(pk_slice *text, struct mantissa *m)
{
    while (text->len > 0 && is_digit(text->data[0])) {
        mantissa_add(m, text->data[0]);
        *text = pk_slice_skip(*text, 1);
    }
    m->whole = m->total;
    if (text->len > 0 && text->data[0] == '.') {
        *text = pk_slice_skip(*text, 1);
        while (text->len > 0 && is_digit(text->data[0])) {
            mantissa_add(m, text->data[0]);
            *text = pk_slice_skip(*text, 1);
        }
    }
    return m->total > 0;
}

static int take_sign(pk_slice *text)
{
    if (text->len == 0 || (text->data[0] != '-' && text->data[0] != '+'))
        return 1;

    int sign = text->data[0] == '-' ? -1 : 1;
    *text = pk_slice_skip(*text, 1);
    return sign;
}

/* [+-]? digits, as a 64-bit integer: more is no number to DynamoDB. */
static bool take_exponent(pk_slice *text, int64_t *exponent)
{
    bool negative = take_sign(text) < 0;
    uint64_t limit = (uint64_t)INT64_MAX + negative;
    uint64_t sum = 0;

    if (text->len == 0)
        return false;
    while (text->len > 0 && is_digit(text->data[0])) {
        uint64_t digit = (uint64_t)(text->data[0] - '0');
        if (sum > (limit - digit) / 10)
            return false;
        sum = sum * 10 + digit;
        *text = pk_slice_skip(*text, 1);
    }
    /* far outside the range is all the same; a quarter of it leaves room for the sum that follows
     */
    if (sum > INT64_MAX / 4)
        sum = INT64_MAX / 4;
    *exponent = negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

/* A written zero is checked by the exponent of its last digit: 0e126 overflows, 0.0e126 does not.
 */
static enum pk_num_status zero_status(int64_t last_digit_exponent)
{
    if (last_digit_exponent >= EXPONENT_MAX)
        return PK_NUM_OVERFLOW;
    if (last_digit_exponent < EXPONENT_MIN - 1)
        return PK_NUM_UNDERFLOW;
    return PK_NUM_OK;
}

enum pk_num_status pk_num_parse(pk_slice text, struct pk_num *out)
{
    struct mantissa m = {.kept = 0};
    int64_t exponent = 0;
    int sign = take_sign(&text);

    if (!take_mantissa(&text, &m))
        return PK_NUM_SYNTAX;
    if (text.len > 0 && (text.data[0] == 'e' || text.data[0] == 'E')) {
        text = pk_slice_skip(text, 1);
        if (!take_exponent(&text, &exponent))
            return PK_NUM_SYNTAX;
    }
    if (text.len > 0)
        return PK_NUM_SYNTAX;

    if (m.kept == 0) {
        enum pk_num_status status = zero_status(exponent - (m.total - m.whole));
        if (status == PK_NUM_OK)
            *out = (struct pk_num){0};
        return status;
    }

    struct pk_num num;
    enum pk_num_status status =
        finish(sign, m.digits, m.kept, exponent + m.whole - m.leading, &num);
    if (status == PK_NUM_OK && m.too_long)
        status = PK_NUM_PRECISION;
    if (status == PK_NUM_OK)
        *out = num;
    return status;
}

size_t pk_num_format(const struct pk_num *num, char out[PK_NUM_TEXT_MAX])
{
    char *to = out;
    int whole = num->exponent;

    if (num->sign < 0)
        *to++ = '-';
    if (whole <= 0)
        *to++ = '0';
    for (int i = 0; i < whole; i++)
        *to++ = (char)('0' + (i < num->count ? num->digits[i] : 0));
    if (num->count > whole) {
        *to++ = '.';
        for (int i = whole; i < num->count; i++)
            *to++ = (char)('0' + (i >= 0 ? num->digits[i] : 0));
    }
    *to = '\0';
    return (size_t)(to - out);
}

/* --- integers -------------------------------------------------------------------------------- */

void pk_num_from_int(int64_t value, struct pk_num *out)
{
    uint8_t digits[20];
    size_t n = sizeof(digits);
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

    while (rest > 0) {
        digits[--n] = (uint8_t)(rest % 10);
        rest /= 10;
    }

    size_t count = sizeof(digits) - n;
    if (finish(value < 0 ? -1 : 1, digits + n, count, (int64_t)count, out) != PK_NUM_OK)
        pk_bug("an integer is no number");
}

bool pk_num_to_int(const struct pk_num *num, int64_t *out)
{
    uint64_t limit = (uint64_t)INT64_MAX + (num->sign < 0);
    uint64_t sum = 0;

    if (num->count > num->exponent || num->exponent > 19)
        return false;
    for (int i = 0; i < num->exponent; i++) {
        uint64_t digit = i < num->count ? num->digits[i] : 0;
        if (sum > (limit - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *out = num->sign < 0 ? (int64_t)-sum : (int64_t)sum;
    return true;
}

/* --- order and sums -------------------------------------------------------------------------- */

static int compare_magnitude(const struct pk_num *a, const struct pk_num *b)
{
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent ? -1 : 1;

    size_t shared = a->count < b->count ? a->count : b->count;
    int order = memcmp(a->digits, b->digits, shared);
    if (order != 0)
        return order < 0 ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

int pk_num_compare(const struct pk_num *a, const struct pk_num *b)
{
    if (a->sign != b->sign)
        return a->sign < b->sign ? -1 : 1;
    if (a->sign == 0)
        return 0;
    return a->sign * compare_magnitude(a, b);
}

/* The digits of a plus (or, for factor -1, minus) those of b, in cells that start at 10^(top-1);
 * |a| >= |b|, so that no borrow leaves the first cell. */
static void sum_digits(const struct pk_num *a, const struct pk_num *b, int factor, uint8_t *cells,
                       int n)
{
    int top = a->exponent + 1;
    int carry = 0;

    for (int i = n - 1; i >= 0; i--) {
        int at_a = i - 1;
        int at_b = i - (top - b->exponent);
        int sum = carry;

        if (at_a >= 0 && at_a < a->count)
            sum += a->digits[at_a];
        if (at_b >= 0 && at_b < b->count)
            sum += factor * b->digits[at_b];
        carry = sum < 0 ? -1 : sum > 9;
        cells[i] = (uint8_t)(sum - 10 * carry);
    }
}

enum pk_num_status pk_num_add(const struct pk_num *a, const struct pk_num *b, struct pk_num *out)
{
    uint8_t cells[SUM_DIGITS];

    if (a->sign == 0 || b->sign == 0) {
        *out = a->sign == 0 ? *b : *a;
        return PK_NUM_OK;
    }
    if (compare_magnitude(a, b) < 0) {
        const struct pk_num *larger = b;
        b = a;
        a = larger;
    }

    int low_a = a->exponent - a->count;
    int low_b = b->exponent - b->count;
    int top = a->exponent + 1;
    int n = top - (low_a < low_b ? low_a : low_b);
    sum_digits(a, b, a->sign * b->sign, cells, n);

    /* AWS reports a result of more than 38 digits as an overflow */
    enum pk_num_status status = finish(a->sign, cells, (size_t)n, top, out);
    return status == PK_NUM_PRECISION ? PK_NUM_OVERFLOW : status;
}

enum pk_num_status pk_num_subtract(const struct pk_num *a, const struct pk_num *b,
                                   struct pk_num *out)
{
    struct pk_num negated = *b;

    negated.sign = (int8_t)-negated.sign;
    return pk_num_add(a, &negated, out);
}

/* --- canonical code -------------------------------------------------------------------------- */

/* The exponent in base 100, rounded up: 0.d1d2… * 10^exponent = 0.D1D2… * 100^result. */
static int centesimal(int exponent)
{
    return exponent >= 0 ? (exponent + 1) / 2 : -(-exponent / 2);
}

size_t pk_num_encode(const struct pk_num *num, char out[PK_NUM_CODE_MAX])
{
    unsigned char flip = num->sign < 0 ? 0xFF : 0;
    size_t len = 0;

    if (num->sign == 0) {
        out[0] = (char)(unsigned char)CODE_ZERO;
        return 1;
    }

    int exponent = centesimal(num->exponent);
    out[len++] = (char)(unsigned char)(num->sign > 0 ? CODE_POSITIVE : CODE_NEGATIVE);
    out[len++] = (char)(unsigned char)((exponent + CODE_BIAS) ^ flip);
    /* an odd exponent puts a zero before the first digit, so that pairs meet the decimal point */
    for (int i = num->exponent - 2 * exponent; i < num->count; i += 2) {
        int tens = i < 0 ? 0 : num->digits[i];
        int ones = i + 1 < num->count ? num->digits[i + 1] : 0;
        out[len++] = (char)(unsigned char)((tens * 10 + ones + 1) ^ flip);
    }
    out[len++] = (char)flip;
    return len;
}

bool pk_num_decode(pk_slice *in, struct pk_num *out)
{
    const unsigned char *code = (const unsigned char *)in->data;
    uint8_t digits[2 * CODE_DIGITS];
    size_t n = 0;

    if (in->len > 0 && code[0] == CODE_ZERO) {
        *out = (struct pk_num){0};
        *in = pk_slice_skip(*in, 1);
        return true;
    }
    if (in->len < 4 || (code[0] != CODE_POSITIVE && code[0] != CODE_NEGATIVE))
        return false;

    unsigned flip = code[0] == CODE_NEGATIVE ? 0xFF : 0;
    int exponent = 2 * ((int)(code[1] ^ flip) - CODE_BIAS);
    size_t at = 2;
    for (; at < in->len && (code[at] ^ flip) != 0; at++) {
        unsigned digit = (code[at] ^ flip) - 1;
        if (digit > 99 || n == sizeof(digits))
            return false;
        digits[n++] = (uint8_t)(digit / 10);
        digits[n++] = (uint8_t)(digit % 10);
    }
    /* canonical: an end, and no base-100 digit of zero at either side */
    if (at == in->len || n == 0 || digits[0] + digits[1] == 0 || digits[n - 2] + digits[n - 1] == 0)
        return false;

    struct pk_num num;
    if (finish(flip == 0 ? 1 : -1, digits, n, exponent, &num) != PK_NUM_OK)
        return false;
    *out = num;
    *in = pk_slice_skip(*in, at + 1);
    return true;
}

size_t pk_num_size(pk_slice code)
{
    if (code.len < 3)
        return 1; /* zero */
    /* sign and end are not counted; the exponent is the "1 +", and a negative number pays one more
     */
    return code.len - ((unsigned char)code.data[0] == CODE_NEGATIVE ? 1 : 2);
}

const char *pk_num_status_message(enum pk_num_status status, pk_slice text, char *out, size_t size)
{
    int shown = text.len < size ? (int)text.len : (int)size;

    switch (status) {
    case PK_NUM_OK:
        snprintf(out, size, "%s", "");
        break;
    case PK_NUM_SYNTAX:
        snprintf(out, size, "The parameter cannot be converted to a numeric value%s%.*s",
                 text.len == 0 ? "" : ": ", shown, text.len == 0 ? "" : text.data);
        break;
    case PK_NUM_PRECISION:
        snprintf(out, size, "Attempting to store more than 38 significant digits in a Number");
        break;
    case PK_NUM_OVERFLOW:
        snprintf(out, size,
                 "Number overflow. Attempting to store a number with magnitude larger than "
                 "supported range");
        break;
    case PK_NUM_UNDERFLOW:
        snprintf(out, size,
                 "Number underflow. Attempting to store a number with magnitude smaller than "
                 "supported range");
        break;
    }
    return out;
}
