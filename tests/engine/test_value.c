/* Value trees: sizes, orders, sets, maps, depth (data-model.md §3, §4, §6, §7). */
#include <criterion/criterion.h>

#include <stdio.h>

#include "engine/value.h"

static struct pk_arena arena; /* one process runs one test */

static pk_value str(const char *text)
{
    return pk_value_string(pk_slice_cstr(text));
}

static pk_value bin(const char *bytes, size_t len)
{
    return pk_value_binary(pk_slice_of(bytes, len));
}

static pk_value num(const char *text)
{
    struct pk_num number = {0};

    cr_assert_eq(pk_num_parse(pk_slice_cstr(text), &number), PK_NUM_OK, "%s", text);
    return pk_value_number(&arena, &number);
}

static pk_value list_of(size_t n, const pk_value *items)
{
    struct pk_value_vec vec = {0};

    for (size_t i = 0; i < n; i++)
        pk_value_vec_add(&vec, &arena, items[i]);
    return pk_value_list(vec.data, vec.len);
}

static pk_value set_of(enum pk_kind kind, size_t n, const pk_value *items)
{
    pk_value list = list_of(n, items);
    pk_value *copy = PK_NEW_ARRAY(&arena, pk_value, n);

    if (n != 0)
        memcpy(copy, list.u.items, n * sizeof(*copy));
    return pk_value_set(kind, copy, n, NULL);
}

static pk_value map_of(size_t n, const char *const *names, const pk_value *values)
{
    struct pk_member_vec vec = {0};

    for (size_t i = 0; i < n; i++)
        pk_member_vec_add(&vec, &arena, pk_slice_cstr(names[i]), values[i]);
    return pk_value_map(vec.data, vec.len);
}

#define LIST(...)                                                                                  \
    list_of(sizeof((pk_value[]){__VA_ARGS__}) / sizeof(pk_value), (pk_value[]){__VA_ARGS__})
#define SET(kind, ...)                                                                             \
    set_of(kind, sizeof((pk_value[]){__VA_ARGS__}) / sizeof(pk_value), (pk_value[]){__VA_ARGS__})

struct size_row {
    const char *what;
    pk_value value;
    size_t size;
};

Test(value, sizes)
{
    static const char *const a[] = {"a"}, *const ab[] = {"a", "b"}, *const pv[] = {"p", "v"};
    pk_value item = map_of(2, pv, (pk_value[]){str("k"), str("xxx")});
    const struct size_row rows[] = {
        {"missing", pk_value_missing(), 0},
        {"NULL", pk_value_null(), 1},
        {"BOOL", pk_value_bool(true), 1},
        {"N 0", num("0"), 1},
        {"N 1.5", num("1.5"), 3},
        {"N -123", num("-123"), 4},
        {"S é", str("\xC3\xA9"), 2},
        {"S 𝒳", str("\xF0\x9D\x92\xB3"), 4},
        {"S empty", str(""), 0},
        {"B", bin("\0\1\2", 3), 3},
        {"L []", pk_value_list(NULL, 0), 3},
        {"M {}", pk_value_map(NULL, 0), 3},
        {"L [a]", LIST(str("a")), 5},
        {"L [1]", LIST(num("1")), 6},
        {"L [[]]", LIST(pk_value_list(NULL, 0)), 7},
        {"M {a:x}", map_of(1, a, (pk_value[]){str("x")}), 6},
        {"M {a:x,b:y}", map_of(2, ab, (pk_value[]){str("x"), str("y")}), 9},
        {"SS", SET(PK_STRING_SET, str("a"), str("bc")), 3},
        {"NS", SET(PK_NUMBER_SET, num("1"), num("22"), num("333")), 7},
        {"BS", SET(PK_BINARY_SET, bin("\0", 1), bin("\0\0", 2)), 3},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t size = pk_value_size(rows[i].value);
        cr_expect_eq(size, rows[i].size, "%s takes %zu", rows[i].what, size);
    }
    cr_expect_eq(pk_item_size(item), 6);
    cr_expect_eq(pk_item_size(str("no item")), 0);
    pk_arena_release(&arena);
}

/* Rows in ascending order: every pair must agree. */
static void check_order(const char *what, const pk_value *rows, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int order = 99;
            cr_expect(pk_value_compare(rows[i], rows[j], &order), "%s", what);
            cr_expect_eq((order > 0) - (order < 0), (i > j) - (i < j), "%s: %d and %d", what, i, j);
            cr_expect_eq(pk_value_equal(rows[i], rows[j]), i == j, "%s: %d and %d", what, i, j);
        }
    }
}

#define COUNT(array) (int)(sizeof(array) / sizeof(array[0]))

Test(value, sort_orders)
{
    const pk_value strings[] = {str("A"),
                                str("a"),
                                str("ab"),
                                str("abc"),
                                str("b"),
                                str("z"),
                                str("\xC3\xA9"),
                                str("\xEF\xBF\xAE"),
                                str("\xF0\x9D\x92\xB3")};
    const pk_value numbers[] = {num("-1e10"), num("-10"),   num("-1"),  num("-0.001"), num("0"),
                                num("1e-50"), num("0.001"), num("1"),   num("1.5"),    num("2"),
                                num("10"),    num("99.99"), num("100"), num("1e10"),   num("1e50")};
    const pk_value binaries[] = {bin("\x00", 1),   bin("\0\0", 2),    bin("\x01", 1),
                                 bin("\x01\0", 2), bin("\x7f", 1),    bin("\x80", 1),
                                 bin("\xff", 1),   bin("\xff\xff", 2)};

    check_order("S", strings, COUNT(strings));
    check_order("N", numbers, COUNT(numbers));
    check_order("B", binaries, COUNT(binaries));
    pk_arena_release(&arena);
}

Test(value, different_kinds_are_neither_equal_nor_ordered)
{
    const pk_value values[] = {pk_value_null(),
                               pk_value_bool(false),
                               num("1"),
                               str("1"),
                               bin("1", 1),
                               SET(PK_STRING_SET, str("1")),
                               SET(PK_NUMBER_SET, num("1")),
                               SET(PK_BINARY_SET, bin("1", 1)),
                               LIST(str("1")),
                               pk_value_map(NULL, 0)};

    for (int i = 0; i < COUNT(values); i++) {
        for (int j = 0; j < COUNT(values); j++) {
            int order = 99;
            bool comparable = i == j && i >= 2 && i <= 4;
            cr_expect_eq(pk_value_equal(values[i], values[j]), i == j, "%d and %d", i, j);
            cr_expect_eq(pk_value_compare(values[i], values[j], &order), comparable, "%d %d", i, j);
            cr_expect_eq(order, comparable ? 0 : 99);
        }
    }
    cr_expect_not(pk_value_equal(pk_value_missing(), pk_value_missing()));
    cr_expect_not(pk_value_equal(pk_value_bool(true), pk_value_bool(false)));
    cr_expect(pk_value_equal(num("1"), num("1.00")));
    cr_expect(pk_value_equal(num("-0"), num("0")));
    cr_expect_not(pk_value_equal(LIST(str("a"), str("b")), LIST(str("b"), str("a"))));
    pk_arena_release(&arena);
}

Test(value, sets_are_sorted_and_distinct)
{
    pk_value items[] = {num("10"), num("9"), num("1.0"), num("-3"), num("1")};
    bool repeated = false;
    pk_value set = pk_value_set(PK_NUMBER_SET, items, 5, &repeated);
    static const char *const expected[] = {"-3", "1", "9", "10"};

    cr_expect(repeated);
    cr_assert_eq(set.len, 4);
    for (uint32_t i = 0; i < set.len; i++)
        cr_expect(pk_value_equal(set.u.items[i], num(expected[i])), "%s", expected[i]);

    pk_value pair[] = {str("b"), str("a")};
    pk_value strings = pk_value_set(PK_STRING_SET, pair, 2, &repeated);
    cr_expect_not(repeated);
    cr_expect(pk_value_equal(strings, SET(PK_STRING_SET, str("a"), str("b"))));
    cr_expect_eq(pk_value_set(PK_STRING_SET, NULL, 0, &repeated).len, 0);
    cr_expect_not(repeated);
    pk_arena_release(&arena);
}

Test(value, of_equal_names_the_last_stays)
{
    enum { NAMES = 300 };
    static char names[NAMES][8];
    struct pk_member_vec vec = {0};

    /* every name twice, in an order that is neither ascending nor descending */
    for (int i = 0; i < NAMES; i++) {
        int number = i * 7 % (NAMES / 2);
        snprintf(names[i], sizeof(names[i]), "n%03d", number);
        pk_member_vec_add(&vec, &arena, pk_slice_cstr(names[i]), pk_value_int(&arena, i));
    }
    pk_value map = pk_value_map(vec.data, vec.len);
    cr_assert_eq(map.len, NAMES / 2);
    for (uint32_t i = 0; i < map.len; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%03u", i);
        cr_expect(pk_slice_is(map.u.members[i].name, name));
    }
    for (int i = NAMES / 2; i < NAMES; i++) {
        pk_value found = pk_value_get(map, pk_slice_cstr(names[i]));
        cr_expect(pk_value_equal(found, pk_value_int(&arena, i)), "%s", names[i]);
    }
    pk_arena_release(&arena);
}

Test(value, members_are_found_set_and_removed)
{
    static const char *const names[] = {"b", "d", "f"};
    pk_value map = map_of(3, names, (pk_value[]){num("1"), num("2"), num("3")});

    cr_expect_eq(pk_value_kind(pk_value_get(map, PK_LIT("c"))), PK_MISSING);
    cr_expect_eq(pk_value_kind(pk_value_get(str("x"), PK_LIT("c"))), PK_MISSING);
    cr_expect(pk_value_equal(pk_value_get(map, PK_LIT("d")), num("2")));

    static const char *const inserted[] = {"a", "c", "g", "d"};
    for (int i = 0; i < 4; i++) {
        pk_slice name = pk_slice_cstr(inserted[i]);
        pk_value more = pk_value_with(&arena, map, name, str("new"));
        cr_expect_eq(more.len, i == 3 ? 3 : 4, "%s", inserted[i]);
        cr_expect(pk_value_equal(pk_value_get(more, name), str("new")), "%s", inserted[i]);
        cr_expect(pk_value_equal(pk_value_get(more, PK_LIT("f")), num("3")), "%s", inserted[i]);
        pk_value less = pk_value_with(&arena, more, name, pk_value_missing());
        cr_expect_eq(pk_value_equal(less, map), i != 3, "%s", inserted[i]);
    }
    cr_expect(pk_value_equal(pk_value_with(&arena, map, PK_LIT("x"), pk_value_missing()), map));
    cr_expect_eq(map.len, 3);
    pk_arena_release(&arena);
}

Test(value, a_copy_borrows_nothing)
{
    struct pk_arena other = PK_ARENA_INIT;
    char text[] = "text", name[] = "name";
    struct pk_member member = {pk_slice_cstr(name), pk_value_string(pk_slice_cstr(text))};
    pk_value items[] = {pk_value_map(&member, 1), pk_value_int(&other, -7), pk_value_bool(true)};
    pk_value list = pk_value_list(items, 3);
    pk_value copy = pk_value_dup(&arena, list);

    cr_expect(pk_value_equal(copy, list));
    memset(text, '?', sizeof(text) - 1);
    memset(name, '?', sizeof(name) - 1);
    memset(items, 0, sizeof(items));
    pk_arena_release(&other);
    cr_expect(pk_value_equal(pk_value_get(copy.u.items[0], PK_LIT("name")), str("text")));
    cr_expect(pk_value_equal(copy.u.items[1], num("-7")));
    cr_expect(pk_value_equal(copy.u.items[2], pk_value_bool(true)));
    pk_arena_release(&arena);
}

Test(value, numbers_come_back)
{
    struct pk_num minus_seven = pk_value_num(pk_value_int(&arena, -7));
    struct pk_num none = pk_value_num(str("7"));
    int64_t number = 0;

    cr_expect(pk_num_to_int(&minus_seven, &number) && number == -7);
    cr_expect(pk_num_to_int(&none, &number) && number == 0);
    pk_arena_release(&arena);
}

Test(value, depth)
{
    static const char *const a[] = {"a"};
    pk_value nested = str("x");

    cr_expect_eq(pk_value_depth(str("x")), 1);
    cr_expect_eq(pk_value_depth(SET(PK_STRING_SET, str("x"))), 1);
    cr_expect_eq(pk_value_depth(pk_value_list(NULL, 0)), 2);
    cr_expect_eq(pk_value_depth(pk_value_map(NULL, 0)), 2);
    cr_expect_eq(pk_value_depth(LIST(num("1"))), 2);
    cr_expect_eq(pk_value_depth(LIST(num("1"), LIST(num("2")), num("3"))), 3);
    for (size_t i = 0; i < 31; i++) {
        cr_expect_eq(pk_value_depth(nested), i + 1);
        nested = i % 2 == 0 ? LIST(nested) : map_of(1, a, &nested);
    }
    cr_expect_eq(pk_value_depth(nested), 32);
    pk_arena_release(&arena);
}

Test(value, names_of_kinds)
{
    static const char *const tags[] = {"MISSING", "NULL", "BOOL", "N", "S", "B",
                                       "SS",      "NS",   "BS",   "L", "M"};
    static const char *const long_names[] = {"MISSING", "NULL",   "BOOLEAN", "NUMBER",
                                             "STRING",  "BINARY", "SS",      "NS",
                                             "BS",      "LIST",   "MAP"};

    for (int kind = PK_MISSING; kind <= PK_MAP; kind++) {
        cr_expect_str_eq(pk_kind_tag((enum pk_kind)kind), tags[kind]);
        cr_expect_str_eq(pk_kind_long_name((enum pk_kind)kind), long_names[kind]);
        cr_expect_eq(pk_kind_from_tag(pk_slice_cstr(tags[kind])), (enum pk_kind)kind);
    }
    cr_expect_eq(pk_kind_from_tag(PK_LIT("s")), PK_MISSING);
    cr_expect_eq(pk_kind_from_tag(PK_LIT("")), PK_MISSING);
}
