/* The key code: order, inverses, stored bytes, tokens. */
#include "engine/store/key_code.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/base/rng.h"
#include "engine/store/store.h"

static struct pk_arena arena = PK_ARENA_INIT;

static pk_value number(const char *text)
{
    struct pk_num num;

    cr_assert_eq(pk_num_parse(pk_slice_cstr(text), &num), PK_NUM_OK, "%s", text);
    return pk_value_number(&arena, &num);
}

static pk_value binary(pk_slice bytes)
{
    return pk_value_binary(bytes);
}

static pk_slice code_of(pk_value value)
{
    struct pk_buf key = PK_BUF_INIT;
    pk_slice code;

    pk_key_append_value(&key, value);
    code = pk_arena_dup(&arena, pk_buf_slice(&key));
    pk_buf_release(&key);
    return code;
}

Test(key_code, stored_bytes)
{
    const struct {
        const char *name;
        pk_value value;
        pk_slice bytes;
    } rows[] = {
        {"S", pk_value_string(PK_LIT("USER#1")), PK_LIT("SUSER#1\0\1")},
        {"S with NUL", pk_value_string(PK_LIT("a\0b")),
         PK_LIT("Sa\0\xff"
                "b\0\1")},
        {"S of NULs", pk_value_string(PK_LIT("\0\0")), PK_LIT("S\0\xff\0\xff\0\1")},
        {"empty S", pk_value_string(PK_LIT("")), PK_LIT("S\0\1")},
        {"B", binary(PK_LIT("\x01\xff")), PK_LIT("B\x01\xff\0\1")},
        {"zero", number("0"), PK_LIT("N\x80")},
        {"one", number("1"), PK_LIT("N\xc1\x43\x02\0")},
        {"42", number("42"), PK_LIT("N\xc1\x43\x2b\0")},
        {"-1", number("-1"), PK_LIT("N\x3e\xbc\xfd\xff")},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pk_slice code = code_of(rows[i].value);

        cr_expect(pk_slice_equal(code, rows[i].bytes), "%s", rows[i].name);
        cr_expect(pk_slice_equal(code_of(rows[i].value), code), "%s", rows[i].name);
    }
    pk_arena_release(&arena);
}

Test(key_code, view_and_value_agree)
{
    const pk_value values[] = {pk_value_string(PK_LIT("x\0y")), binary(PK_LIT("\0")),
                               number("-2.5")};

    for (size_t i = 0; i < 3; i++) {
        struct pk_buf key = PK_BUF_INIT;

        pk_key_append_view(&key, pk_view_of(&arena, values[i]));
        cr_expect(pk_slice_equal(pk_buf_slice(&key), code_of(values[i])), "row %zu", i);
        pk_buf_release(&key);
    }
    pk_arena_release(&arena);
}

/* The worked orders of data-model.md §4. */
Test(key_code, documented_orders)
{
    static const char *const STRINGS[] = {"A", "a", "ab", "abc", "b", "z", "é", "￮", "𝒳"};
    static const char *const NUMBERS[] = {"-1e10", "-10",   "-1",  "-0.001", "0",
                                          "1e-50", "0.001", "1",   "1.5",    "2",
                                          "10",    "99.99", "100", "1e10",   "1e50"};
    const pk_slice BYTES[] = {PK_LIT("\0"),   PK_LIT("\0\0"), PK_LIT("\1"),   PK_LIT("\1\0"),
                              PK_LIT("\x7f"), PK_LIT("\x80"), PK_LIT("\xff"), PK_LIT("\xff\xff")};

    for (size_t i = 1; i < sizeof(STRINGS) / sizeof(STRINGS[0]); i++)
        cr_expect_lt(pk_slice_compare(code_of(pk_value_string(pk_slice_cstr(STRINGS[i - 1]))),
                                      code_of(pk_value_string(pk_slice_cstr(STRINGS[i])))),
                     0, "%s", STRINGS[i]);
    for (size_t i = 1; i < sizeof(NUMBERS) / sizeof(NUMBERS[0]); i++)
        cr_expect_lt(pk_slice_compare(code_of(number(NUMBERS[i - 1])), code_of(number(NUMBERS[i]))),
                     0, "%s", NUMBERS[i]);
    for (size_t i = 1; i < sizeof(BYTES) / sizeof(BYTES[0]); i++)
        cr_expect_lt(pk_slice_compare(code_of(binary(BYTES[i - 1])), code_of(binary(BYTES[i]))), 0,
                     "B row %zu", i);
    pk_arena_release(&arena);
}

/* Bytes from a small alphabet, so that prefixes and runs of 00, 01, FF are common. */
static pk_slice random_bytes(struct pk_rng *rng)
{
    static const char ALPHABET[] = {'\0', '\1', '\x7f', '\x80', '\xfe', '\xff', 'a', 'b'};
    size_t length = (size_t)pk_rng_below(rng, 7);
    char *bytes = pk_arena_alloc(&arena, length + 1);

    for (size_t i = 0; i < length; i++)
        bytes[i] = ALPHABET[pk_rng_below(rng, sizeof(ALPHABET))];
    return pk_slice_of(bytes, length);
}

static pk_value random_number(struct pk_rng *rng)
{
    char text[80];
    size_t at = 0;
    size_t digits = 1 + (size_t)pk_rng_below(rng, pk_rng_below(rng, 2) == 0 ? 3 : 38);

    if (pk_rng_below(rng, 2) == 0)
        text[at++] = '-';
    text[at++] = '.';
    for (size_t i = 0; i < digits; i++)
        text[at++] = (char)('0' + pk_rng_below(rng, 10));
    snprintf(text + at, sizeof(text) - at, "e%d",
             (int)pk_rng_below(rng, pk_rng_below(rng, 2) == 0 ? 5 : 190) - 90);
    return number(text);
}

static pk_value random_value(struct pk_rng *rng, enum pk_kind kind)
{
    if (kind == PK_NUMBER)
        return random_number(rng);
    if (kind == PK_STRING)
        return pk_value_string(random_bytes(rng));
    return pk_value_binary(random_bytes(rng));
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

/* Pairs of values as a composite key: first component decides, then the second. */
Test(key_code, order_and_inverse_of_random_keys)
{
    static const enum pk_kind KINDS[] = {PK_STRING, PK_NUMBER, PK_BINARY};
    uint64_t seed = (uint64_t)time(NULL);
    struct pk_rng rng;

    cr_log_info("seed %llu", (unsigned long long)seed);
    pk_rng_seed(&rng, seed);
    for (int round = 0; round < 30000; round++) {
        enum pk_kind kinds[2] = {KINDS[pk_rng_below(&rng, 3)], KINDS[pk_rng_below(&rng, 3)]};
        struct pk_buf keys[2] = {PK_BUF_INIT, PK_BUF_INIT};
        pk_value values[2][2];
        int order = 0;

        for (size_t k = 0; k < 2; k++) {
            pk_slice rest;

            for (size_t c = 0; c < 2; c++) {
                values[k][c] = random_value(&rng, kinds[c]);
                if (k == 1 && c == 0 && pk_rng_below(&rng, 2) == 0)
                    values[1][0] = values[0][0];
                pk_key_append_value(&keys[k], values[k][c]);
            }
            rest = pk_buf_slice(&keys[k]);
            for (size_t c = 0; c < 2; c++) {
                pk_value back;

                cr_assert(pk_key_take_value(&rest, &arena, &back), "seed %llu round %d",
                          (unsigned long long)seed, round);
                cr_assert(pk_value_equal(back, values[k][c]), "seed %llu round %d",
                          (unsigned long long)seed, round);
            }
            cr_assert_eq(rest.len, 0);
        }
        for (size_t c = 0; c < 2 && order == 0; c++)
            cr_assert(pk_value_compare(values[0][c], values[1][c], &order));
        cr_assert_eq(sign(pk_slice_compare(pk_buf_slice(&keys[0]), pk_buf_slice(&keys[1]))),
                     sign(order), "seed %llu round %d", (unsigned long long)seed, round);
        pk_buf_release(&keys[0]);
        pk_buf_release(&keys[1]);
        pk_arena_clear(&arena);
    }
    pk_arena_release(&arena);
}

/* A range over pk_key_append_begin() holds a key exactly when its value begins so. */
Test(key_code, begin_is_begins_with)
{
    struct pk_rng rng;

    pk_rng_seed(&rng, 7);
    for (int round = 0; round < 20000; round++) {
        pk_slice bytes = random_bytes(&rng), other = random_bytes(&rng);
        size_t cut = (size_t)pk_rng_below(&rng, bytes.len + 1);
        bool is_cut = pk_rng_below(&rng, 2) == 0;
        pk_value whole = pk_value_binary(bytes);
        pk_value begin = pk_value_binary(is_cut ? pk_slice_of(bytes.data, cut) : other);
        struct pk_buf prefix = PK_BUF_INIT;
        struct pk_buf upper = PK_BUF_INIT;
        struct pk_range range;
        pk_slice key = code_of(whole);
        bool is_in;

        pk_key_append_begin(&prefix, begin);
        range = pk_range_prefix(pk_buf_slice(&prefix), &upper);
        is_in = pk_slice_compare(key, range.lower) >= 0 && pk_slice_compare(key, range.upper) < 0;
        cr_assert_eq(is_in, pk_slice_starts(pk_value_bytes(whole), pk_value_bytes(begin)),
                     "round %d", round);
        pk_buf_release(&prefix);
        pk_buf_release(&upper);
        pk_arena_clear(&arena);
    }
    pk_arena_release(&arena);
}

Test(key_code, malformed_codes_are_refused)
{
    const pk_slice rows[] = {
        PK_LIT(""),
        PK_LIT("S"),
        PK_LIT("Sab"),
        PK_LIT("Sab\0"),
        PK_LIT("Sab\0\2"),
        PK_LIT("Sab\0\xff"),
        PK_LIT("Xab\0\1"),
        PK_LIT("N"),
        PK_LIT("N\xc1\x43"),
        PK_LIT("N\xc1\x43\x02"),
        PK_LIT("N\xc1\x43\x01\0"),
        PK_LIT("B\0"),
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pk_slice in = rows[i], code;
        pk_value value;

        cr_expect_not(pk_key_take_value(&in, &arena, &value), "row %zu", i);
        cr_expect_not(pk_key_take_code(&in, &code), "row %zu", i);
        cr_expect_eq(in.len, rows[i].len, "row %zu", i);
        cr_expect_eq(in.data, rows[i].data, "row %zu", i);
    }
    pk_arena_release(&arena);
}

Test(key_code, take_code_splits)
{
    pk_slice in = PK_LIT("Sa\0\xff\0\1N\x80tail"), code;

    cr_assert(pk_key_take_code(&in, &code));
    cr_assert(pk_slice_equal(code, PK_LIT("Sa\0\xff\0\1")));
    cr_assert(pk_key_take_code(&in, &code));
    cr_assert(pk_slice_equal(code, PK_LIT("N\x80")));
    cr_assert(pk_slice_is(in, "tail"));
}

/* partitions-capacity.md §11.1 */
Test(key_code, token_vectors)
{
    static const struct {
        const char *key;
        bool is_number;
        uint64_t token;
        unsigned at16;
    } ROWS[] = {
        {"USER#1", false, 0xbd518ac7afbb7608, 11},
        {"USER#123", false, 0x6fecfbdc08fd7241, 6},
        {"USER#999", false, 0x2010f92c13f20a36, 2},
        {"USER#8842", false, 0x0a93dd7b454de86e, 0},
        {"CUST#1001", false, 0xedf39dbb898e4740, 14},
        {"ORDER#9901", false, 0xf1a4ddec452d2154, 15},
        {"Dog", false, 0xf7a0571aa72ac27c, 15},
        {"STATUS#SHIPPED", false, 0x7177eb56bc045f3d, 7},
        {"2026-08-13", false, 0xb233eeb82c7387da, 11},
        {"2026-08-13-0001", false, 0xbed2fe7bf7bca849, 11},
        {"2026-08-13-0002", false, 0x4881c3a7a62a3810, 4},
        {"2026-08-13-0003", false, 0xc2d9cbf58827108b, 12},
        {"USER#1#00", false, 0x10218a772e126ee5, 1},
        {"USER#1#07", false, 0x66b64e4ce7e537ab, 6},
        {"1", true, 0x86bc43e556b1df28, 8},
        {"2", true, 0xc74b82067996a9bc, 12},
        {"42", true, 0x2ced2079393ac765, 2},
        {"4.20e1", true, 0x2ced2079393ac765, 2}, /* the same number */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        pk_value key =
            ROWS[i].is_number ? number(ROWS[i].key) : pk_value_string(pk_slice_cstr(ROWS[i].key));

        cr_expect_eq(pk_key_token(key), ROWS[i].token, "%s", ROWS[i].key);
        cr_expect_eq(pk_key_token_many(&key, 1), ROWS[i].token, "%s", ROWS[i].key);
        cr_expect_eq(pk_key_token(key) >> 60, ROWS[i].at16, "%s", ROWS[i].key);
    }
    pk_arena_release(&arena);
}

/* MD5 over enc("a") and enc(1): md5(53 61 00 01 4e c1 43 02 00). */
Test(key_code, token_of_several_attributes)
{
    pk_value values[] = {pk_value_string(PK_LIT("a")), number("1")};

    cr_assert_eq(pk_key_token_many(values, 2), 0x1f29d23cd68ae289, "%016llx",
                 (unsigned long long)pk_key_token_many(values, 2));
    pk_arena_release(&arena);
}
