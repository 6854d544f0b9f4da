/* engine/base: what every other module stands on. */
#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/base64.h"
#include "engine/base/buf.h"
#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "engine/base/map.h"
#include "engine/base/rng.h"
#include "engine/base/utf8.h"
#include "engine/error.h"

/* --- slices ---------------------------------------------------------------------------------- */

Test(slice, order_and_prefixes)
{
    static const pk_slice sorted[] = {{NULL, 0},   {"\x00", 1}, {"\x00\x00", 2}, {"A", 1},
                                      {"a", 1},    {"ab", 2},   {"b", 1},        {"\x7f", 1},
                                      {"\x80", 1}, {"\xff", 1}, {"\xff\xff", 2}};
    int n = sizeof(sorted) / sizeof(sorted[0]);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int order = pk_slice_compare(sorted[i], sorted[j]);
            cr_expect_eq((order > 0) - (order < 0), (i > j) - (i < j), "rows %d and %d", i, j);
            cr_expect_eq(pk_slice_equal(sorted[i], sorted[j]), i == j);
        }
    }
    cr_expect(pk_slice_starts(PK_LIT("abc"), PK_LIT("ab")));
    cr_expect(pk_slice_starts(PK_LIT("abc"), PK_LIT("")));
    cr_expect_not(pk_slice_starts(PK_LIT("ab"), PK_LIT("abc")));
    cr_expect(pk_slice_is(pk_slice_skip(PK_LIT("abc"), 2), "c"));
    cr_expect_eq(pk_slice_skip(PK_LIT("abc"), 9).len, 0);
    cr_expect_null(pk_slice_skip((pk_slice){NULL, 0}, 3).data);
}

/* --- memory ---------------------------------------------------------------------------------- */

Test(mem, a_product_that_overflows_aborts, .signal = SIGABRT)
{
    pk_calloc(SIZE_MAX / 2, 4);
}

Test(mem, our_own_mistakes_abort, .signal = SIGABRT)
{
    struct pk_map map = PK_MAP_INIT;

    pk_map_put(&map, PK_LIT("key"), NULL);
}

/* Pieces of every size are aligned, keep what is written, and do not overlap. */
Test(arena, pieces_are_aligned_and_apart)
{
    enum { PIECES = 2000 };
    struct pk_arena arena = PK_ARENA_INIT;
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    struct pk_rng rng;

    pk_rng_seed(&rng, 1);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIECES; i++) {
            sizes[i] = (size_t)pk_rng_below(&rng, i % 100 == 0 ? 300000 : 300);
            pieces[i] = pk_arena_alloc(&arena, sizes[i]);
            cr_assert_eq((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
            memset(pieces[i], i & 0xff, sizes[i]);
        }
        for (int i = 0; i < PIECES; i++) {
            for (size_t j = 0; j < sizes[i]; j += 97)
                cr_assert_eq(pieces[i][j], i & 0xff, "round %d, piece %d", round, i);
        }
        pk_arena_clear(&arena);
    }
    pk_arena_release(&arena);
    cr_expect_null(arena.head);
    pk_arena_release(&arena);
}

Test(arena, begins_in_memory_of_the_callers)
{
    _Alignas(max_align_t) char memory[256];
    struct pk_arena arena = pk_arena_on(memory, sizeof(memory));
    char *first = pk_arena_alloc(&arena, 100);
    char *second = pk_arena_alloc(&arena, 100);
    char *large = pk_arena_alloc(&arena, 5000);
    char *after = pk_arena_alloc(&arena, 100);

    cr_expect_eq(first, memory);
    cr_expect_eq(second, memory + 112, "aligned, and behind the first");
    cr_expect(large < memory || large >= memory + sizeof(memory));
    cr_expect(after < memory || after >= memory + sizeof(memory));
    memset(large, 1, 5000);
    memset(after, 2, 100);
    pk_arena_release(&arena);
    cr_expect_null(arena.next);

    arena = pk_arena_on(memory, sizeof(memory));
    cr_expect_eq(pk_arena_alloc(&arena, 256), (void *)memory, "to the last byte");
    pk_arena_clear(&arena);
    first = pk_arena_alloc(&arena, 16);
    cr_expect(first < memory || first >= memory + sizeof(memory), "not used any more");
    pk_arena_release(&arena);
}

Test(arena, copies_and_text)
{
    struct pk_arena arena = PK_ARENA_INIT;
    char *dirty = pk_arena_alloc(&arena, 100);

    memset(dirty, 0xff, 100);
    pk_arena_clear(&arena);
    uint64_t *zeroed = PK_NEW_ARRAY(&arena, uint64_t, 12);
    for (int i = 0; i < 12; i++)
        cr_expect_eq(zeroed[i], 0);
    pk_slice copy = pk_arena_dup(&arena, PK_LIT("a\0b"));
    cr_expect(pk_slice_equal(copy, PK_LIT("a\0b")));
    cr_expect_eq(copy.data[3], '\0');
    cr_expect_not_null(pk_arena_dup(&arena, (pk_slice){NULL, 0}).data);
    pk_slice text = pk_arena_printf(&arena, "%s-%d", "item", 42);
    cr_expect_str_eq(text.data, "item-42");
    cr_expect_eq(text.len, 7);
    pk_arena_release(&arena);
}

/* --- buffers --------------------------------------------------------------------------------- */

static void assert_sane(const struct pk_buf *buf)
{
    cr_assert_eq(buf->data == NULL, buf->cap == 0);
    cr_assert(buf->cap == 0 || (buf->len < buf->cap && buf->data[buf->len] == '\0'));
}

Test(buf, keeps_its_invariants)
{
    struct pk_buf buf = PK_BUF_INIT;

    assert_sane(&buf);
    pk_buf_clear(&buf);
    assert_sane(&buf);
    pk_buf_add(&buf, (pk_slice){NULL, 0});
    assert_sane(&buf);
    for (int i = 0; i < 300; i++) {
        pk_buf_add_byte(&buf, (unsigned char)i);
        assert_sane(&buf);
    }
    pk_buf_clear(&buf);
    assert_sane(&buf);
    pk_buf_add_cstr(&buf, "one ");
    pk_buf_add(&buf, PK_LIT("two "));
    pk_buf_printf(&buf, "%s %0500d", "three", 4);
    assert_sane(&buf);
    cr_expect_eq(buf.len, 4 + 4 + 6 + 500);
    cr_expect_eq(memcmp(buf.data, "one two three 000", 17), 0);

    char *text = pk_buf_detach(&buf);
    assert_sane(&buf);
    cr_expect_eq(strlen(text), 514);
    free(text);
    text = pk_buf_detach(&buf);
    cr_expect_str_eq(text, "");
    free(text);
    pk_buf_release(&buf);
}

Test(buf, numbers_go_in_and_come_out)
{
    static const uint64_t numbers[] = {0,          1,         127,        128,
                                       16383,      16384,     UINT32_MAX, UINT64_C(1) << 32,
                                       UINT64_MAX, INT64_MAX, 300,        UINT64_C(1) << 63};
    static const size_t lengths[] = {1, 1, 1, 2, 2, 3, 5, 5, 10, 9, 2, 10};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct pk_buf buf = PK_BUF_INIT;
        uint64_t number = 0;
        uint32_t half = 0;
        pk_buf_add_varint(&buf, numbers[i]);
        cr_expect_eq(buf.len, lengths[i]);
        for (size_t cut = 0; cut < buf.len; cut++) {
            pk_slice part = pk_slice_of(buf.data, cut);
            cr_expect_not(pk_take_varint(&part, &number));
            cr_expect_eq(part.len, cut);
        }
        pk_buf_add_u64be(&buf, numbers[i]);
        pk_buf_add_u32be(&buf, (uint32_t)numbers[i]);
        pk_slice in = pk_buf_slice(&buf);
        cr_expect(pk_take_varint(&in, &number) && number == numbers[i]);
        number = 0;
        cr_expect(pk_take_u64be(&in, &number) && number == numbers[i]);
        cr_expect(pk_take_u32be(&in, &half) && half == (uint32_t)numbers[i]);
        cr_expect_eq(in.len, 0);
        cr_expect_not(pk_take_u32be(&in, &half));
        cr_expect_not(pk_take_u64be(&in, &number));
        pk_buf_release(&buf);
    }
}

Test(buf, bytes_of_numbers)
{
    struct pk_buf buf = PK_BUF_INIT;
    pk_slice in = PK_LIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
    pk_slice eleven = PK_LIT("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00");
    uint64_t number = 7;
    unsigned char byte;
    pk_slice bytes;

    pk_buf_add_u32be(&buf, 0x01020304);
    pk_buf_add_u64be(&buf, UINT64_C(0x05060708090a0b0c));
    pk_buf_add_varint(&buf, 300);
    cr_expect(pk_slice_equal(pk_buf_slice(&buf),
                             PK_LIT("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\xac\x02")));
    pk_buf_release(&buf);

    cr_expect_not(pk_take_varint(&in, &number), "more than 64 bits");
    cr_expect_not(pk_take_varint(&eleven, &number), "more than 10 bytes");
    cr_expect_eq(number, 7);
    cr_expect(pk_take_byte(&in, &byte) && byte == 0xff && in.len == 9);
    cr_expect(pk_take_bytes(&in, 9, &bytes) && bytes.len == 9 && in.len == 0);
    cr_expect_not(pk_take_bytes(&in, 1, &bytes));
    cr_expect_not(pk_take_byte(&in, &byte));
}

/* --- UTF-8 and base64 ------------------------------------------------------------------------ */

struct utf8_case {
    pk_slice text;
    bool valid;
    size_t utf16;
};

Test(utf8, validity_and_lengths)
{
    static const struct utf8_case cases[] = {
        {{"", 0}, true, 0},
        {{"a", 1}, true, 1},
        {{"a\0b", 3}, true, 3},
        {{"0123456789abcdef\xC3\xA9", 18}, true, 17},
        {{"\xC3\xA9", 2}, true, 1},
        {{"\xEF\xBF\xAE", 3}, true, 1},
        {{"\xF0\x9D\x92\xB3", 4}, true, 2},
        {{"\xED\x9F\xBF\xEE\x80\x80", 6}, true, 2},
        {{"\xF4\x8F\xBF\xBF", 4}, true, 2},
        {{"\x80", 1}, false, 0},
        {{"\xC3", 1}, false, 0},
        {{"\xC0\x80", 2}, false, 0},         /* overlong */
        {{"\xC1\xBF", 2}, false, 0},         /* overlong */
        {{"\xE0\x9F\xBF", 3}, false, 0},     /* overlong */
        {{"\xF0\x8F\xBF\xBF", 4}, false, 0}, /* overlong */
        {{"\xED\xA0\x80", 3}, false, 0},     /* surrogate */
        {{"\xF4\x90\x80\x80", 4}, false, 0}, /* above U+10FFFF */
        {{"\xF5\x80\x80\x80", 4}, false, 0},
        {{"\xE2\x82", 2}, false, 0},
        {{"\xE2\x28\xA1", 3}, false, 0},
        {{"0123456789abcde\xFF", 16}, false, 0},
        {{"01234567\xFF", 9}, false, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_expect_eq(pk_utf8_valid(cases[i].text), cases[i].valid, "row %zu", i);
        if (cases[i].valid)
            cr_expect_eq(pk_utf8_utf16_length(cases[i].text), cases[i].utf16, "row %zu", i);
    }
}

Test(utf8, every_code_point_round_trips)
{
    struct pk_buf buf = PK_BUF_INIT;

    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        uint32_t back = 0;
        if (point == 0xD800)
            point = 0xE000;
        pk_buf_clear(&buf);
        pk_utf8_add(&buf, point);
        pk_slice text = pk_buf_slice(&buf);
        if (!pk_utf8_take(&text, &back) || back != point || text.len != 0)
            cr_assert_fail("U+%04X became U+%04X", point, back);
    }
    pk_slice broken = PK_LIT("\xE2\x28\xA1");
    uint32_t point = 5;
    cr_expect_not(pk_utf8_take(&broken, &point));
    cr_expect_eq(broken.len, 3);
    cr_expect_eq(point, 5);
    pk_buf_release(&buf);
}

struct base64_case {
    const char *bytes;
    const char *text;
};

Test(base64, vectors_of_rfc_4648)
{
    static const struct base64_case cases[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xfb\xff\xbe", "+/++"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_buf buf = PK_BUF_INIT;
        pk_slice bytes;
        pk_base64_encode(&buf, pk_slice_cstr(cases[i].bytes));
        cr_expect(pk_slice_is(pk_buf_slice(&buf), cases[i].text), "%s", cases[i].text);
        cr_expect_eq(pk_base64_decode(&arena, pk_slice_cstr(cases[i].text), &bytes), PK_BASE64_OK);
        cr_expect(pk_slice_is(bytes, cases[i].bytes), "%s", cases[i].text);
        pk_buf_release(&buf);
    }
    pk_arena_release(&arena);
}

Test(base64, what_is_wrong_is_refused)
{
    static const char *const lengths[] = {"Z", "Zg", "Zg=", "Zm9vY", "Zg==="};
    static const char *const invalid[] = {"Zh==", "Zm9=", "Z===",  "====",     "Zg=a",   "Z=g=",
                                          "Zm 9", "Zm-_", "Zm9\n", "Zg==Zm9v", "Zm9\xc3"};
    struct pk_arena arena = PK_ARENA_INIT;
    pk_slice bytes;

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        cr_expect_eq(pk_base64_decode(&arena, pk_slice_cstr(lengths[i]), &bytes), PK_BASE64_LENGTH,
                     "%s", lengths[i]);
    for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
        cr_expect_eq(pk_base64_decode(&arena, pk_slice_cstr(invalid[i]), &bytes), PK_BASE64_INVALID,
                     "%s", invalid[i]);
    pk_arena_release(&arena);
}

/* --- hashes and chance ----------------------------------------------------------------------- */

struct token_case {
    char type;
    const char *key;
    uint64_t token;
};

/* partitions-capacity.md §11.1 */
Test(hash, simulated_partition_tokens)
{
    static const struct token_case cases[] = {
        {'S', "USER#1", 0xbd518ac7afbb7608},
        {'S', "USER#123", 0x6fecfbdc08fd7241},
        {'S', "USER#999", 0x2010f92c13f20a36},
        {'S', "USER#8842", 0x0a93dd7b454de86e},
        {'S', "CUST#1001", 0xedf39dbb898e4740},
        {'S', "ORDER#9901", 0xf1a4ddec452d2154},
        {'S', "Dog", 0xf7a0571aa72ac27c},
        {'S', "STATUS#SHIPPED", 0x7177eb56bc045f3d},
        {'S', "2026-08-13", 0xb233eeb82c7387da},
        {'S', "2026-08-13-0001", 0xbed2fe7bf7bca849},
        {'S', "2026-08-13-0002", 0x4881c3a7a62a3810},
        {'S', "2026-08-13-0003", 0xc2d9cbf58827108b},
        {'S', "USER#1#00", 0x10218a772e126ee5},
        {'S', "USER#1#07", 0x66b64e4ce7e537ab},
        {'N', "1", 0x86bc43e556b1df28},
        {'N', "2", 0xc74b82067996a9bc},
        {'N', "42", 0x2ced2079393ac765},
        {0, "", 0xd41d8cd98f00b204},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        cr_expect_eq(pk_hash_md5_64(cases[i].type, pk_slice_cstr(cases[i].key)), cases[i].token,
                     "%c %s", cases[i].type, cases[i].key);
}

Test(hash, sequential_keys_spread_over_partitions)
{
    static const size_t expected[] = {2547, 2449, 2505, 2499};
    size_t counts[4] = {0};

    for (int i = 1; i <= 10000; i++) {
        char key[32];
        int len = snprintf(key, sizeof(key), "2026-08-13-%04d", i);
        counts[pk_hash_md5_64('S', pk_slice_of(key, (size_t)len)) >> 62]++;
    }
    for (int i = 0; i < 4; i++)
        cr_expect_eq(counts[i], expected[i], "partition %d: %zu", i, counts[i]);
}

/* RFC 4231, cases 1, 2 and 6, and a key as long as a block (hmac.new of Python). */
Test(hash, hmac_sha256)
{
    static const struct {
        char key_byte;
        size_t key_len;
        const char *text;
        const char *hex;
    } cases[] = {
        {0x0b, 20, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {(char)0xaa, 131, "Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {'k', 64, "", "83026a325aaee70e36cfe607536aa1054104ad1077c36134810d4ccded1ccd3b"},
    };
    char key[131], hex[65];
    unsigned char out[32];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(key, cases[i].key_byte, sizeof(key));
        pk_hash_hmac_sha256(pk_slice_of(key, cases[i].key_len), pk_slice_cstr(cases[i].text), out);
        for (size_t j = 0; j < sizeof(out); j++)
            snprintf(hex + 2 * j, 3, "%02x", out[j]);
        cr_expect_str_eq(hex, cases[i].hex, "case %zu: %s", i, hex);
    }
    pk_hash_hmac_sha256(PK_LIT("Jefe"), PK_LIT("what do ya want for nothing?"), out);
    cr_expect_eq(out[0], 0x5b);
    cr_expect_eq(out[31], 0x43);
}

Test(hash, sha256_and_crc32)
{
    static const unsigned char abc[32] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                          0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                          0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                          0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    unsigned char out[32];

    pk_hash_sha256(PK_LIT("abc"), out);
    cr_expect_eq(memcmp(out, abc, sizeof(abc)), 0);
    cr_expect_eq(pk_hash_crc32(0, PK_LIT("123456789")), 0xcbf43926);
    cr_expect_eq(pk_hash_crc32(pk_hash_crc32(0, PK_LIT("1234")), PK_LIT("56789")), 0xcbf43926);
    cr_expect_eq(pk_hash_crc32(17, (pk_slice){NULL, 0}), 17);
}

/* Neither the high nor the low bits of the fast hash pile up, and every byte counts. */
Test(hash, fast_hash_spreads)
{
    size_t low[64] = {0}, high[64] = {0};

    for (uint32_t i = 0; i < 64000; i++) {
        uint64_t hash = pk_hash_fast(pk_slice_of((const char *)&i, sizeof(i)));
        low[hash & 63]++;
        high[hash >> 58]++;
    }
    for (int i = 0; i < 64; i++) {
        cr_expect(low[i] > 800 && low[i] < 1200, "low %d: %zu", i, low[i]);
        cr_expect(high[i] > 800 && high[i] < 1200, "high %d: %zu", i, high[i]);
    }
    char text[40] = {0};
    for (size_t i = 0; i < sizeof(text); i++) {
        pk_slice bytes = pk_slice_of(text, sizeof(text));
        uint64_t before = pk_hash_fast(bytes);
        text[i] = 1;
        cr_expect_neq(pk_hash_fast(bytes), before, "byte %zu", i);
        cr_expect_neq(pk_hash_fast(pk_slice_of(text, i)), pk_hash_fast(pk_slice_of(text, i + 1)));
    }
}

Test(rng, is_splitmix64)
{
    static const uint64_t expected[] = {UINT64_C(6457827717110365317),
                                        UINT64_C(3203168211198807973),
                                        UINT64_C(9817491932198370423)};
    struct pk_rng rng;
    size_t counts[7] = {0};

    pk_rng_seed(&rng, 1234567);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(pk_rng_next(&rng), expected[i]);
    for (int i = 0; i < 7000; i++)
        counts[pk_rng_below(&rng, 7)]++;
    for (int i = 0; i < 7; i++)
        cr_expect(counts[i] > 850 && counts[i] < 1150, "%d: %zu", i, counts[i]);
    cr_expect_eq(pk_rng_below(&rng, 1), 0);
}

/* --- the map --------------------------------------------------------------------------------- */

/* Random puts and removes of 512 keys, against an array that says what must be there. */
Test(map, agrees_with_an_array)
{
    enum { KEYS = 512 };
    static int truth[KEYS], stamps[20000];
    const uint64_t seed = 7;
    struct pk_map map = PK_MAP_INIT;
    struct pk_rng rng;
    size_t live = 0;

    pk_rng_seed(&rng, seed);
    cr_expect_null(pk_map_get(&map, PK_LIT("x")));
    cr_expect_null(pk_map_remove(&map, PK_LIT("x")));
    for (int round = 1; round < 20000; round++) {
        int at = (int)pk_rng_below(&rng, KEYS);
        char text[16];
        /* key 0 is the empty string */
        pk_slice key = pk_slice_of(text, at == 0 ? 0 : (size_t)snprintf(text, 16, "k%d", at));
        void *expected = truth[at] == 0 ? NULL : &stamps[truth[at]];
        cr_assert_eq(pk_map_get(&map, key), expected, "seed %llu", (unsigned long long)seed);
        if (pk_rng_below(&rng, 2) == 0) {
            cr_assert_eq(pk_map_put(&map, key, &stamps[round]), expected);
            live += truth[at] == 0;
            truth[at] = round;
        } else {
            cr_assert_eq(pk_map_remove(&map, key), expected);
            live -= truth[at] != 0;
            truth[at] = 0;
        }
        cr_assert_eq(map.used, live);
    }

    size_t cursor = 0, seen = 0;
    pk_slice key;
    void *value;
    while (pk_map_next(&map, &cursor, &key, &value)) {
        int at = key.len == 0 ? 0 : atoi(key.data + 1);
        cr_expect_eq(value, &stamps[truth[at]]);
        seen++;
    }
    cr_expect_eq(seen, live);
    pk_map_release(&map);
    cr_expect_eq(map.cap, 0);
}

/* --- the clock ------------------------------------------------------------------------------- */

Test(clock, runs_pauses_and_jumps)
{
    struct pk_clock clock;

    pk_clock_init(&clock);
    int64_t start = pk_clock_now(&clock);
    int64_t real = pk_clock_real_ms();
    cr_expect(start <= real && real - start < 60000);

    pk_clock_pause(&clock);
    int64_t paused = pk_clock_now(&clock);
    cr_expect(paused >= start);
    cr_expect_eq(pk_clock_now(&clock), paused);
    cr_expect_not(pk_clock_set(&clock, paused - 1));
    cr_expect_not(pk_clock_set(&clock, PK_CLOCK_MAX_MS + 1));
    cr_expect_eq(pk_clock_now(&clock), paused);
    cr_expect(pk_clock_set(&clock, paused + 86400000));
    cr_expect_eq(pk_clock_now(&clock), paused + 86400000);

    pk_clock_resume(&clock);
    int64_t resumed = pk_clock_now(&clock);
    cr_expect(resumed >= paused + 86400000 && resumed < paused + 86400000 + 60000);
    cr_expect_not(pk_clock_set(&clock, paused));
    cr_expect(pk_clock_set(&clock, resumed + 1000000));
    cr_expect(pk_clock_now(&clock) >= resumed + 1000000);
    pk_clock_release(&clock);
}

/* The wall clock set back an hour is the offset lowered by an hour: time stands still. */
Test(clock, never_goes_backwards)
{
    struct pk_clock clock;

    pk_clock_init(&clock);
    int64_t before = pk_clock_now(&clock);
    clock.base_real_ms += 3600000;
    cr_expect_eq(pk_clock_now(&clock), before);
    cr_expect_eq(pk_clock_now(&clock), before);
    int64_t us = pk_clock_real_us();
    cr_expect(pk_clock_real_us() >= us);
    pk_clock_release(&clock);
}

/* --- errors ---------------------------------------------------------------------------------- */

Test(error, the_table_of_kinds)
{
    cr_expect_str_eq(pk_code_name(PK_OK), "None");
    cr_expect_eq(pk_code_http(PK_OK), 200);
    cr_expect_str_eq(pk_code_name(PK_E_VALIDATION), "ValidationException");
    cr_expect_str_eq(pk_code_namespace(PK_E_VALIDATION), "com.amazon.coral.validate");
    cr_expect_str_eq(pk_code_namespace(PK_E_SERIALIZATION), "com.amazon.coral.service");
    cr_expect_str_eq(pk_code_namespace(PK_E_NOT_FOUND), "com.amazonaws.dynamodb.v20120810");
    cr_expect_str_eq(pk_code_name(PK_E_MISSING_TOKEN), "MissingAuthenticationTokenException");
    cr_expect_str_eq(pk_code_namespace(PK_E_INVALID_SIGNATURE), "com.amazon.coral.service");
    cr_expect(pk_code_retryable(PK_E_UNRECOGNIZED_CLIENT));
    cr_expect_str_eq(pk_code_name(PK_E_CANCELLED), "Cancelled");
    cr_expect_str_eq(pk_code_namespace(PK_E_CANCELLED), "pksk");
    cr_expect_eq(pk_code_http(PK_E_INTERNAL), 500);
    cr_expect(pk_code_retryable(PK_E_THROTTLED));
    cr_expect_not(pk_code_retryable(PK_E_CONDITION_FAILED));
    cr_expect_eq(pk_code_named(PK_LIT("ValidationException")), PK_E_VALIDATION);
    cr_expect_eq(pk_code_named(PK_LIT("StoreInUse")), PK_E_LOCKED);
    cr_expect_eq(pk_code_named(PK_LIT("None")), PK_OK);
    cr_expect_eq(pk_code_named(PK_LIT("validationexception")), PK_OK);
}

Test(error, an_error_of_somebody_else_has_its_own_name)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_error moved = PK_ERROR_INIT;

    pk_fail(&err, PK_E_FOREIGN, "no");
    cr_expect_str_eq(pk_error_name(&err), "EndpointError");
    pk_error_set_name(&err, PK_LIT("MadeUpException"));
    cr_expect_str_eq(pk_error_name(&err), "MadeUpException");
    pk_error_move(&moved, &err);
    cr_expect_str_eq(pk_error_name(&moved), "MadeUpException");
    cr_expect_null(err.name);
    pk_fail(&moved, PK_E_USAGE, "again");
    cr_expect_str_eq(pk_error_name(&moved), "UsageError");
    pk_error_release(&moved);
}

Test(error, filled_moved_and_released)
{
    struct pk_error err = PK_ERROR_INIT, other = PK_ERROR_INIT;

    cr_expect_eq(pk_fail(&other, PK_E_IO, "old"), PK_E_IO);
    cr_expect_eq(pk_fail_at(&err, PK_E_USAGE, (struct pk_span){3, 4}, "bad '%s'", "x"), PK_E_USAGE);
    pk_error_hint(&err, "try %d", 1);
    pk_error_hint(&err, "try %d", 2);
    pk_error_set_item(&err, PK_LIT("item"));
    err.reasons = pk_calloc(2, sizeof(*err.reasons));
    err.reason_count = 2;
    err.reasons[1].message = pk_memdup_cstr("why", 3);
    err.reasons[1].item = pk_memdup_cstr("old", 3);
    pk_error_move(&other, &err);
    cr_expect_eq(err.code, PK_OK);
    cr_expect_null(err.message);
    cr_expect_eq(other.code, PK_E_USAGE);
    cr_expect_eq(other.span.start, 3);
    cr_expect_eq(other.span.len, 4);
    cr_expect_str_eq(other.hint, "try 2");
    cr_expect_eq(other.item_len, 4);
    pk_error_prefix(&other, "here: ");
    cr_expect_str_eq(other.message, "here: bad 'x'");

    /* the new message may be made of the old one */
    pk_fail(&other, PK_E_VALIDATION, "%s!", other.message);
    cr_expect_str_eq(other.message, "here: bad 'x'!");
    cr_expect_null(other.hint);
    cr_expect_null(other.item);
    cr_expect_eq(other.reason_count, 0);
    cr_expect_eq(other.span.len, 0);
    pk_error_release(&other);
    cr_expect_null(other.message);
}
