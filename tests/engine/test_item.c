/* The stored form: exact bytes, round trips of random values, views, damage, document paths. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/rng.h"
#include "engine/base/utf8.h"
#include "engine/item.h"

static struct pk_arena arena; /* one process runs one test */

/* --- random values --------------------------------------------------------------------------- */

static pk_slice random_text(struct pk_rng *rng)
{
    static const uint32_t points[] = {'a', 'b', 'z', ' ', 0, 0xE9, 0xFFEE, 0x1D4B3, '"', '\n'};
    struct pk_buf text = PK_BUF_INIT;
    uint64_t len = pk_rng_below(rng, pk_rng_below(rng, 20) == 0 ? 300 : 6);

    for (uint64_t i = 0; i < len; i++)
        pk_utf8_add(&text, points[pk_rng_below(rng, sizeof(points) / sizeof(points[0]))]);
    pk_slice copy = pk_arena_dup(&arena, pk_buf_slice(&text));
    pk_buf_release(&text);
    return copy;
}

static pk_slice random_bytes(struct pk_rng *rng)
{
    size_t len = (size_t)pk_rng_below(rng, 8);
    char *bytes = pk_arena_alloc(&arena, len);

    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(unsigned char)pk_rng_next(rng);
    return pk_slice_of(bytes, len);
}

static pk_value random_number(struct pk_rng *rng)
{
    char text[64];
    struct pk_num num = {0};

    snprintf(text, sizeof(text), "%s%llue%d", pk_rng_below(rng, 2) == 0 ? "-" : "",
             (unsigned long long)(pk_rng_next(rng) >> pk_rng_below(rng, 64)),
             (int)pk_rng_below(rng, 200) - 100);
    cr_assert_eq(pk_num_parse(pk_slice_cstr(text), &num), PK_NUM_OK, "%s", text);
    return pk_value_number(&arena, &num);
}

static pk_value random_scalar(struct pk_rng *rng, enum pk_kind kind)
{
    if (kind == PK_NUMBER)
        return random_number(rng);
    return kind == PK_STRING ? pk_value_string(random_text(rng))
                             : pk_value_binary(random_bytes(rng));
}

static pk_value random_set(struct pk_rng *rng)
{
    static const enum pk_kind members[] = {PK_STRING, PK_NUMBER, PK_BINARY};
    static const enum pk_kind sets[] = {PK_STRING_SET, PK_NUMBER_SET, PK_BINARY_SET};
    size_t which = (size_t)pk_rng_below(rng, 3);
    size_t n = (size_t)pk_rng_below(rng, 6) + 1;
    pk_value *items = PK_NEW_ARRAY(&arena, pk_value, n);

    for (size_t i = 0; i < n; i++)
        items[i] = random_scalar(rng, members[which]);
    return pk_value_set(sets[which], items, n, NULL);
}

static pk_value random_value(struct pk_rng *rng, int levels);

static pk_value random_map(struct pk_rng *rng, int levels)
{
    struct pk_member_vec vec = {0};
    uint64_t n = pk_rng_below(rng, pk_rng_below(rng, 30) == 0 ? 200 : 8);

    for (uint64_t i = 0; i < n; i++)
        pk_member_vec_add(&vec, &arena, random_text(rng), random_value(rng, levels - 1));
    return pk_value_map(vec.data, vec.len);
}

static pk_value random_list(struct pk_rng *rng, int levels)
{
    struct pk_value_vec vec = {0};
    uint64_t n = pk_rng_below(rng, 6);

    for (uint64_t i = 0; i < n; i++)
        pk_value_vec_add(&vec, &arena, random_value(rng, levels - 1));
    return pk_value_list(vec.data, vec.len);
}

static pk_value random_value(struct pk_rng *rng, int levels)
{
    switch (pk_rng_below(rng, levels <= 1 ? 6 : 8)) {
    case 0:
        return pk_value_null();
    case 1:
        return pk_value_bool(pk_rng_below(rng, 2) == 0);
    case 2:
        return random_number(rng);
    case 3:
        return random_scalar(rng, PK_STRING);
    case 4:
        return random_scalar(rng, PK_BINARY);
    case 5:
        return random_set(rng);
    case 6:
        return random_list(rng, levels);
    default:
        return random_map(rng, levels);
    }
}

/* --- exact bytes ----------------------------------------------------------------------------- */

#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

struct bytes_row {
    const char *what;
    pk_value value;
    pk_slice bytes;
};

/* On disk: these bytes may never change. */
Test(item, stored_bytes)
{
    pk_value strings[] = {pk_value_string(PK_LIT("b")), pk_value_string(PK_LIT("a"))};
    pk_value numbers[] = {pk_value_int(&arena, 10), pk_value_int(&arena, 0)};
    pk_value binaries[] = {pk_value_binary(PK_LIT("\xff"))};
    struct pk_member members[] = {{PK_LIT("b"), pk_value_bool(true)},
                                  {PK_LIT("a"), pk_value_list(strings, 1)}};
    pk_value list = pk_value_list(strings, 2);
    const struct bytes_row rows[] = {
        {"NULL", pk_value_null(), BYTES("\x01")},
        {"BOOL", pk_value_bool(false), BYTES("\x02\x00")},
        {"N", pk_value_int(&arena, 1), BYTES("\x03\x04\xC1\x43\x02\x00")},
        {"S", pk_value_string(PK_LIT("hi")), BYTES("\x04\x02hi")},
        {"S empty", pk_value_string(PK_LIT("")), BYTES("\x04\x00")},
        {"B", pk_value_binary(PK_LIT("\x00\x01")), BYTES("\x05\x02\x00\x01")},
        {"L", list,
         BYTES("\x09\x07\x02\x04\x01"
               "b"
               "\x04\x01"
               "a")},
        {"L empty", pk_value_list(NULL, 0), BYTES("\x09\x01\x00")},
        {"M empty", pk_value_map(NULL, 0), BYTES("\x0A\x01\x00")},
        {"M", pk_value_map(members, 2),
         BYTES("\x0A\x0D\x02\x01"
               "a"
               "\x09\x04\x01\x04\x01"
               "b"
               "\x01"
               "b"
               "\x02\x01")},
        {"NS", pk_value_set(PK_NUMBER_SET, numbers, 2, NULL),
         BYTES("\x07\x0A\x02\x03\x01\x80\x03\x04\xC1\x43\x0B\x00")},
        {"BS", pk_value_set(PK_BINARY_SET, binaries, 1, NULL), BYTES("\x08\x04\x01\x05\x01\xff")},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pk_view view = pk_view_of(&arena, rows[i].value);
        cr_expect(pk_view_equal(view, rows[i].bytes), "%s", rows[i].what);
        cr_expect(pk_view_check(view), "%s", rows[i].what);
    }
    cr_expect_eq(pk_view_of(&arena, pk_value_missing()).len, 0);
    cr_expect_not(pk_view_equal(PK_VIEW_MISSING, PK_VIEW_MISSING));
    pk_arena_release(&arena);
}

/* Bodies around the sizes where their length takes another byte. */
Test(item, body_lengths_of_every_width)
{
    static char text[70000];
    static const size_t sizes[] = {0,   100,   121,   122,   123,   124,   125,   126,   127,
                                   128, 16374, 16376, 16378, 16379, 16380, 16381, 16384, 70000};

    memset(text, 'x', sizeof(text));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        pk_value inner = pk_value_string(pk_slice_of(text, sizes[i]));
        pk_value outer = pk_value_list(&inner, 1);
        struct pk_member member = {PK_LIT("m"), pk_value_list(&outer, 1)};
        pk_view view = pk_view_of(&arena, pk_value_map(&member, 1));
        cr_expect(pk_view_check(view), "%zu", sizes[i]);
        pk_view list = pk_view_element(pk_view_member(view, PK_LIT("m")), 0);
        cr_expect_eq(pk_view_bytes(pk_view_element(list, 0)).len, sizes[i], "%zu", sizes[i]);
    }
    pk_arena_release(&arena);
}

struct check_row {
    const char *what;
    pk_slice bytes;
};

Test(item, what_is_not_canonical_is_refused)
{
    static const struct check_row rows[] = {
        {"nothing", BYTES("")},
        {"missing", BYTES("\x00")},
        {"unknown kind", BYTES("\x0B")},
        {"byte after the value", BYTES("\x01\x01")},
        {"BOOL of 2", BYTES("\x02\x02")},
        {"BOOL without byte", BYTES("\x02")},
        {"N of no length", BYTES("\x03")},
        {"N that is cut", BYTES("\x03\x04\xC1\x43\x02")},
        {"N with a tail", BYTES("\x03\x02\x80\x80")},
        {"N not canonical", BYTES("\x03\x05\xC1\x43\x02\x01\x00")},
        {"S with a long length", BYTES("\x04\x81\x00x")},
        {"S that is cut", BYTES("\x04\x02x")},
        {"S not UTF-8", BYTES("\x04\x01\xff")},
        {"name not UTF-8", BYTES("\x0A\x04\x01\x01\xff\x01")},
        {"empty set", BYTES("\x06\x01\x00")},
        {"set of the wrong kind", BYTES("\x06\x04\x01\x05\x01x")},
        {"set out of order", BYTES("\x06\x07\x02\x04\x01"
                                   "b"
                                   "\x04\x01"
                                   "a")},
        {"set with a repeat", BYTES("\x06\x07\x02\x04\x01"
                                    "a"
                                    "\x04\x01"
                                    "a")},
        {"map out of order", BYTES("\x0A\x07\x02\x01"
                                   "b"
                                   "\x01\x01"
                                   "a"
                                   "\x01")},
        {"map with a repeat", BYTES("\x0A\x07\x02\x01"
                                    "a"
                                    "\x01\x01"
                                    "a"
                                    "\x01")},
        {"body longer than its elements", BYTES("\x09\x03\x01\x01\x01")},
        {"body shorter than its count", BYTES("\x09\x02\x02\x01")},
        {"huge length", BYTES("\x09\xff\xff\xff\xff\x0f\x00")},
        {"length above 32 bits", BYTES("\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
        {"huge count", BYTES("\x09\x05\xff\xff\xff\xff\x0f")},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect_not(pk_view_check(rows[i].bytes), "%s", rows[i].what);
}

/* Lists in lists, written by hand: level n has n containers. */
static pk_view nested_lists(size_t levels)
{
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_add(&out, PK_LIT("\x09\x01\x00"));
    for (size_t i = 1; i < levels; i++) {
        struct pk_buf outer = PK_BUF_INIT;
        pk_buf_add_byte(&outer, PK_LIST);
        pk_buf_add_varint(&outer, out.len + 1);
        pk_buf_add_varint(&outer, 1);
        pk_buf_add(&outer, pk_buf_slice(&out));
        pk_buf_release(&out);
        out = outer;
    }
    pk_view view = pk_arena_dup(&arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return view;
}

Test(item, depth_is_limited)
{
    pk_view deep = nested_lists(20000);

    cr_expect(pk_view_check(nested_lists(PK_VIEW_DEPTH)));
    cr_expect_not(pk_view_check(nested_lists(PK_VIEW_DEPTH + 1)));
    cr_expect_not(pk_view_check(deep));
    cr_expect_eq(pk_value_depth(pk_view_decode(&arena, deep)),
                 PK_VIEW_DEPTH + 1); /* the last one is empty */
    cr_expect_eq(pk_view_size(nested_lists(2)), 7);
    cr_expect_eq(pk_view_size(deep), PK_VIEW_DEPTH * 4 - 1 + 1);
    pk_arena_release(&arena);
}

/* --- views against trees --------------------------------------------------------------------- */

static void check_view(pk_value value, pk_view view, const char *where);

static void check_members(pk_value map, pk_view view, const char *where)
{
    struct pk_view_iter iter;
    pk_slice name;
    pk_view member;
    uint32_t n = 0;

    for (pk_view_iter_init(&iter, view); pk_view_iter_next(&iter, &name, &member); n++) {
        cr_assert_lt(n, map.len, "%s", where);
        cr_assert(pk_slice_equal(name, map.u.members[n].name), "%s", where);
        cr_assert(pk_view_equal(pk_view_member(view, name), member), "%s", where);
        check_view(map.u.members[n].value, member, where);
    }
    cr_assert_eq(n, map.len, "%s", where);
    cr_assert_eq(pk_view_member(view, PK_LIT("no such name")).len, 0, "%s", where);
}

static void check_elements(pk_value list, pk_view view, const char *where)
{
    struct pk_view_iter iter;
    pk_view element;
    uint32_t n = 0;
    bool set = pk_value_kind(list) != PK_LIST;

    for (pk_view_iter_init(&iter, view); pk_view_iter_next(&iter, NULL, &element); n++) {
        cr_assert_lt(n, list.len, "%s", where);
        check_view(list.u.items[n], element, where);
        cr_assert_eq(pk_view_equal(pk_view_element(view, n), element), !set, "%s", where);
        cr_assert_eq(pk_view_set_has(view, element), set, "%s", where);
    }
    cr_assert_eq(n, list.len, "%s", where);
    cr_assert_eq(pk_view_element(view, n).len, 0, "%s", where);
    cr_assert_not(pk_view_set_has(view, PK_LIT("\x04\x04gone")), "%s", where);
    cr_assert_not(pk_view_set_has(view, PK_LIT("\x01")), "%s", where);
}

static void check_view(pk_value value, pk_view view, const char *where)
{
    cr_assert_eq(pk_view_kind(view), pk_value_kind(value), "%s", where);
    switch (pk_value_kind(value)) {
    case PK_MISSING:
    case PK_NULL:
        break;
    case PK_BOOL:
        cr_assert_eq(pk_view_bool(view), value.boolean != 0, "%s", where);
        break;
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY:
        cr_assert(pk_slice_equal(pk_view_bytes(view), pk_value_bytes(value)), "%s", where);
        break;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
        cr_assert_eq(pk_view_count(view), value.len, "%s", where);
        check_elements(value, view, where);
        break;
    case PK_MAP:
        cr_assert_eq(pk_view_count(view), value.len, "%s", where);
        check_members(value, view, where);
        break;
    }
}

/* Encoding and decoding is the identity, equality is memcmp, and a view answers as the tree does.
 */
Test(item, random_values_round_trip)
{
    const uint64_t seed = 20250101;

    for (uint64_t round = 0; round < 2000; round++) {
        struct pk_rng rng;
        char where[64];
        pk_rng_seed(&rng, seed + round);
        snprintf(where, sizeof(where), "seed %llu", (unsigned long long)(seed + round));

        pk_value value = random_value(&rng, 4), other = random_value(&rng, 2);
        pk_view view = pk_view_of(&arena, value), other_view = pk_view_of(&arena, other);
        cr_assert(pk_view_check(view), "%s", where);
        check_view(value, view, where);
        pk_value back = pk_view_decode(&arena, view);
        cr_assert(pk_value_equal(back, value), "%s", where);
        cr_assert(pk_view_equal(pk_view_of(&arena, back), view), "%s", where);
        cr_assert_eq(pk_view_equal(view, other_view), pk_value_equal(value, other), "%s", where);
        cr_assert_eq(pk_view_size(view), pk_value_size(value), "%s", where);
        cr_assert_eq(pk_view_item_size(view), pk_item_size(value), "%s", where);
        cr_assert(pk_value_equal(pk_value_dup(&arena, value), value), "%s", where);

        int order = 0, order_of_views = 0;
        bool comparable = pk_value_compare(value, other, &order);
        cr_assert_eq(pk_view_compare(view, other_view, &order_of_views), comparable, "%s", where);
        cr_assert_eq(order < 0, order_of_views < 0, "%s", where);
        cr_assert_eq(order > 0, order_of_views > 0, "%s", where);
        pk_arena_clear(&arena);
    }
    pk_arena_release(&arena);
}

/* --- damage ---------------------------------------------------------------------------------- */

/* Asks everything there is to ask; returns what pk_view_check says. The bytes are copied to a block
 * of their exact size, so that AddressSanitizer sees a read beyond them. */
static bool survive(pk_slice bytes)
{
    struct pk_buf out = PK_BUF_INIT;
    char *copy = pk_memdup_cstr(bytes.data, bytes.len);
    char *exact = pk_realloc(copy, bytes.len == 0 ? 1 : bytes.len, 1);
    pk_view view = pk_slice_of(exact, bytes.len), value;
    struct pk_view_iter iter;
    pk_slice name;
    int order;

    bool well_formed = pk_view_check(view);
    pk_view_bool(view);
    pk_view_bytes(view);
    pk_view_size(view);
    pk_view_item_size(view);
    pk_view_compare(view, view, &order);
    pk_view_set_has(view, PK_LIT("\x04\x01q"));
    pk_view_member(view, PK_LIT("q"));
    pk_view_element(view, 3);
    cr_assert_leq(pk_view_count(view), bytes.len);
    pk_view_iter_init(&iter, view);
    while (pk_view_iter_next(&iter, &name, &value))
        cr_assert(value.data >= exact && value.data + value.len <= exact + bytes.len);
    pk_value tree = pk_view_decode(&arena, view);
    if (pk_value_kind(tree) != PK_MISSING) {
        pk_view_encode(&out, tree);
        if (well_formed)
            cr_assert(pk_view_equal(pk_buf_slice(&out), view),
                      "check accepts only canonical bytes");
    }
    pk_buf_release(&out);
    free(exact);
    return well_formed;
}

Test(item, no_prefix_is_well_formed)
{
    const uint64_t seed = 7;

    for (uint64_t round = 0; round < 60; round++) {
        struct pk_rng rng;
        pk_rng_seed(&rng, seed + round);
        pk_view view = pk_view_of(&arena, random_value(&rng, 3));
        for (size_t len = 0; len < view.len; len++)
            cr_assert_not(survive(pk_slice_of(view.data, len)), "seed %llu, %zu of %zu bytes",
                          (unsigned long long)(seed + round), len, view.len);
        cr_assert(survive(view));
        pk_arena_clear(&arena);
    }
    pk_arena_release(&arena);
}

Test(item, flipped_bytes_do_no_harm)
{
    const uint64_t seed = 99;
    size_t refused = 0;

    for (uint64_t round = 0; round < 3000; round++) {
        struct pk_rng rng;
        pk_rng_seed(&rng, seed + round);
        pk_view view = pk_view_of(&arena, random_value(&rng, 4));
        struct pk_buf damaged = PK_BUF_INIT;
        pk_buf_add(&damaged, view);
        for (uint64_t flips = pk_rng_below(&rng, 4) + 1; flips > 0; flips--)
            damaged.data[pk_rng_below(&rng, damaged.len)] = (char)(unsigned char)pk_rng_next(&rng);
        refused += !survive(pk_buf_slice(&damaged));
        pk_buf_release(&damaged);
        pk_arena_clear(&arena);
    }
    cr_expect_gt(refused, 1000, "seed %llu", (unsigned long long)seed);
    pk_arena_release(&arena);
}

/* --- document paths -------------------------------------------------------------------------- */

struct path_row {
    struct pk_path_step steps[4];
    size_t count;
    const char *printed;
    const char *text;
    pk_slice value; /* len 0: leads nowhere */
};

#define NAME(text)                                                                                 \
    {                                                                                              \
        {text, sizeof(text) - 1}, 0                                                                \
    }
#define INDEX(n)                                                                                   \
    {                                                                                              \
        {NULL, 0}, n                                                                               \
    }

Test(path, resolves_and_prints)
{
    pk_value inner[] = {pk_value_string(PK_LIT("zero")), pk_value_int(&arena, 1)};
    struct pk_member of_m[] = {{PK_LIT("x"), pk_value_list(inner, 2)},
                               {PK_LIT("y z"), pk_value_null()}};
    struct pk_member of_item[] = {{PK_LIT("m"), pk_value_map(of_m, 2)},
                                  {PK_LIT("_l9"), pk_value_list(inner, 1)},
                                  {PK_LIT(""), pk_value_bool(true)}};
    pk_view item = pk_view_of(&arena, pk_value_map(of_item, 3));
    static struct path_row rows[] = {
        {{NAME("m"), NAME("x"), INDEX(0)}, 3, "[m, x, [0]]", "m.x[0]", BYTES("\x04\x04zero")},
        {{NAME("m"), NAME("x"), INDEX(1)},
         3,
         "[m, x, [1]]",
         "m.x[1]",
         BYTES("\x03\x04\xC1\x43\x02\x00")},
        {{NAME("m"), NAME("x"), INDEX(2)}, 3, "[m, x, [2]]", "m.x[2]", BYTES("")},
        {{NAME("m"), NAME("y z")}, 2, "[m, y z]", "m.`y z`", BYTES("\x01")},
        {{NAME("_l9"), INDEX(0)}, 2, "[_l9, [0]]", "_l9[0]", BYTES("\x04\x04zero")},
        {{NAME("_l9"), NAME("x")}, 2, "[_l9, x]", "_l9.x", BYTES("")},
        {{NAME("m"), INDEX(0)}, 2, "[m, [0]]", "m[0]", BYTES("")},
        {{NAME("m"), NAME("x"), INDEX(0), NAME("a")}, 4, "[m, x, [0], a]", "m.x[0].a", BYTES("")},
        {{NAME("gone"), NAME("x")}, 2, "[gone, x]", "gone.x", BYTES("")},
        {{NAME("9l"), INDEX(UINT64_MAX)},
         2,
         "[9l, [18446744073709551615]]",
         "`9l`[18446744073709551615]",
         BYTES("")},
        {{NAME("")}, 1, "[]", "``", BYTES("\x02\x01")},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_path path = {rows[i].steps, rows[i].count, {0, 0}};
        pk_view found = pk_path_resolve(&path, item);
        cr_expect(pk_slice_equal(found, rows[i].value), "%s", rows[i].text);
        cr_expect_str_eq(pk_path_print(&path, &arena).data, rows[i].printed);
        cr_expect_str_eq(pk_path_text(&path, &arena).data, rows[i].text);
    }
    pk_arena_release(&arena);
}
