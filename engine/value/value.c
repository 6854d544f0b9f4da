/*
 * Values as trees in an arena.
 *
 * The constructors keep the invariants of value.h: they sort members and drop repeats, so that
 * equality is a walk of two trees side by side. Functions that walk are recursive: whoever builds
 * trees from text limits their depth first (data-model.md §7).
 */
#include "engine/value.h"

#include <stdlib.h>

static uint32_t length(size_t n)
{
    if (n > UINT32_MAX)
        pk_bug("value of length %zu", n);
    return (uint32_t)n;
}

static pk_value of_bytes(enum pk_kind kind, pk_slice bytes)
{
    return (pk_value){.kind = (uint8_t)kind, .len = length(bytes.len), .u.bytes = bytes.data};
}

pk_value pk_value_missing(void)
{
    return (pk_value){.kind = PK_MISSING};
}

pk_value pk_value_null(void)
{
    return (pk_value){.kind = PK_NULL};
}

pk_value pk_value_bool(bool boolean)
{
    return (pk_value){.kind = PK_BOOL, .boolean = boolean};
}

pk_value pk_value_string(pk_slice text)
{
    return of_bytes(PK_STRING, text);
}

pk_value pk_value_binary(pk_slice bytes)
{
    return of_bytes(PK_BINARY, bytes);
}

pk_value pk_value_number(struct pk_arena *arena, const struct pk_num *num)
{
    char code[PK_NUM_CODE_MAX];
    size_t len = pk_num_encode(num, code);

    return of_bytes(PK_NUMBER, pk_arena_dup(arena, pk_slice_of(code, len)));
}

pk_value pk_value_int(struct pk_arena *arena, int64_t number)
{
    struct pk_num num;

    pk_num_from_int(number, &num);
    return pk_value_number(arena, &num);
}

struct pk_num pk_value_num(pk_value number)
{
    struct pk_num num = {0};
    pk_slice code = pk_value_bytes(number);

    if (pk_value_kind(number) != PK_NUMBER || !pk_num_decode(&code, &num))
        return (struct pk_num){0};
    return num;
}

/* --- containers ------------------------------------------------------------------------------ */

pk_value pk_value_list(const pk_value *items, size_t n)
{
    return (pk_value){.kind = PK_LIST, .len = length(n), .u.items = items};
}

/* Merges the sorted halves from[0, half) and from[half, n) into `to`; equal names keep their order.
 */
static void merge_members(struct pk_member *to, const struct pk_member *from, size_t half, size_t n)
{
    size_t left = 0, right = half;

    for (size_t i = 0; i < n; i++) {
        bool take_left =
            right == n || (left < half && pk_slice_compare(from[left].name, from[right].name) <= 0);
        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* Up to here insertion sort, which is the fastest for what most maps are and needs no scratch. */
enum { SORT_SMALL = 16 };

/* Stable, which qsort is not: the last of several equal names must stay the last. */
static void sort_members(struct pk_member *members, size_t n, struct pk_member *scratch)
{
    if (n <= SORT_SMALL) {
        for (size_t i = 1; i < n; i++) {
            struct pk_member moved = members[i];
            size_t at = i;
            for (; at > 0 && pk_slice_compare(members[at - 1].name, moved.name) > 0; at--)
                members[at] = members[at - 1];
            members[at] = moved;
        }
        return;
    }
    sort_members(members, n / 2, scratch);
    sort_members(members + n / 2, n - n / 2, scratch);
    memcpy(scratch, members, n * sizeof(*members));
    merge_members(members, scratch, n / 2, n);
}

pk_value pk_value_map(struct pk_member *members, size_t n)
{
    struct pk_member *scratch = n <= SORT_SMALL ? NULL : pk_calloc(n, sizeof(*members));
    size_t kept = 0;

    sort_members(members, n, scratch);
    free(scratch);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && pk_slice_equal(members[i].name, members[i + 1].name))
            continue;
        members[kept++] = members[i];
    }
    return (pk_value){.kind = PK_MAP, .len = length(kept), .u.members = members};
}

static int compare_scalars(const void *a, const void *b)
{
    return pk_slice_compare(pk_value_bytes(*(const pk_value *)a),
                            pk_value_bytes(*(const pk_value *)b));
}

pk_value pk_value_set(enum pk_kind kind, pk_value *items, size_t n, bool *repeated)
{
    size_t kept = 0;

    if (n > 1)
        qsort(items, n, sizeof(*items), compare_scalars);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || compare_scalars(&items[kept - 1], &items[i]) != 0)
            items[kept++] = items[i];
    }
    if (repeated != NULL)
        *repeated = kept != n;
    return (pk_value){.kind = (uint8_t)kind, .len = length(kept), .u.items = items};
}

/* A larger copy of an array in an arena; what it grew out of stays behind as garbage. */
static void *grown(struct pk_arena *arena, const void *data, size_t len, size_t *cap, size_t size)
{
    *cap = *cap == 0 ? 8 : *cap * 2;

    void *bigger = pk_arena_calloc(arena, *cap, size);
    if (len != 0)
        memcpy(bigger, data, len * size);
    return bigger;
}

void pk_value_vec_add(struct pk_value_vec *vec, struct pk_arena *arena, pk_value value)
{
    if (vec->len == vec->cap)
        vec->data = grown(arena, vec->data, vec->len, &vec->cap, sizeof(*vec->data));
    vec->data[vec->len++] = value;
}

void pk_member_vec_add(struct pk_member_vec *vec, struct pk_arena *arena, pk_slice name,
                       pk_value value)
{
    if (vec->len == vec->cap)
        vec->data = grown(arena, vec->data, vec->len, &vec->cap, sizeof(*vec->data));
    vec->data[vec->len++] = (struct pk_member){name, value};
}

/* Where the name is (*found) or would have to be inserted. */
static uint32_t member_index(pk_value map, pk_slice name, bool *found)
{
    uint32_t low = 0, high = map.len;

    *found = false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = pk_slice_compare(map.u.members[middle].name, name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

pk_value pk_value_get(pk_value map, pk_slice name)
{
    bool found;

    if (pk_value_kind(map) != PK_MAP)
        return pk_value_missing();

    uint32_t at = member_index(map, name, &found);
    return found ? map.u.members[at].value : pk_value_missing();
}

pk_value pk_value_with(struct pk_arena *arena, pk_value map, pk_slice name, pk_value value)
{
    bool found;
    uint32_t at = member_index(map, name, &found);
    bool keep = pk_value_kind(value) != PK_MISSING;

    if (!keep && !found)
        return map;

    uint32_t after = at + found; /* first of the members that follow */
    uint32_t len = map.len - found + keep;
    struct pk_member *members = PK_NEW_ARRAY(arena, struct pk_member, len);
    if (at > 0)
        memcpy(members, map.u.members, at * sizeof(*members));
    if (keep)
        members[at] = (struct pk_member){found ? map.u.members[at].name : name, value};
    if (after < map.len)
        memcpy(members + at + keep, map.u.members + after, (map.len - after) * sizeof(*members));
    return (pk_value){.kind = PK_MAP, .len = len, .u.members = members};
}

static pk_value dup_items(struct pk_arena *arena, pk_value list)
{
    pk_value *items = PK_NEW_ARRAY(arena, pk_value, list.len);

    for (uint32_t i = 0; i < list.len; i++)
        items[i] = pk_value_dup(arena, list.u.items[i]);
    list.u.items = items;
    return list;
}

static pk_value dup_members(struct pk_arena *arena, pk_value map)
{
    struct pk_member *members = PK_NEW_ARRAY(arena, struct pk_member, map.len);

    for (uint32_t i = 0; i < map.len; i++) {
        members[i].name = pk_arena_dup(arena, map.u.members[i].name);
        members[i].value = pk_value_dup(arena, map.u.members[i].value);
    }
    map.u.members = members;
    return map;
}

pk_value pk_value_dup(struct pk_arena *arena, pk_value value)
{
    switch (pk_value_kind(value)) {
    case PK_MISSING:
    case PK_NULL:
    case PK_BOOL:
        break;
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY:
        value.u.bytes = pk_arena_dup(arena, pk_value_bytes(value)).data;
        break;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
        return dup_items(arena, value);
    case PK_MAP:
        return dup_members(arena, value);
    }
    return value;
}

/* --- comparing ------------------------------------------------------------------------------- */

static bool equal_items(pk_value a, pk_value b)
{
    for (uint32_t i = 0; i < a.len; i++) {
        if (!pk_value_equal(a.u.items[i], b.u.items[i]))
            return false;
    }
    return true;
}

static bool equal_members(pk_value a, pk_value b)
{
    for (uint32_t i = 0; i < a.len; i++) {
        if (!pk_slice_equal(a.u.members[i].name, b.u.members[i].name) ||
            !pk_value_equal(a.u.members[i].value, b.u.members[i].value))
            return false;
    }
    return true;
}

bool pk_value_equal(pk_value a, pk_value b)
{
    if (a.kind != b.kind || a.len != b.len)
        return false;
    switch (pk_value_kind(a)) {
    case PK_MISSING:
        return false;
    case PK_NULL:
        return true;
    case PK_BOOL:
        return a.boolean == b.boolean;
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY:
        return pk_slice_equal(pk_value_bytes(a), pk_value_bytes(b));
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
        return equal_items(a, b);
    case PK_MAP:
        return equal_members(a, b);
    }
    return false;
}

bool pk_value_compare(pk_value a, pk_value b, int *order)
{
    enum pk_kind kind = pk_value_kind(a);

    if (a.kind != b.kind || (kind != PK_STRING && kind != PK_NUMBER && kind != PK_BINARY))
        return false;
    /* a number's code sorts by its bytes (num.h) */
    *order = pk_slice_compare(pk_value_bytes(a), pk_value_bytes(b));
    return true;
}

size_t pk_value_depth(pk_value value)
{
    enum pk_kind kind = pk_value_kind(value);
    size_t deepest = 1; /* the place for a first element counts, also when it is free */

    if (kind != PK_LIST && kind != PK_MAP)
        return 1;
    for (uint32_t i = 0; i < value.len; i++) {
        size_t depth =
            pk_value_depth(kind == PK_LIST ? value.u.items[i] : value.u.members[i].value);

        if (depth > deepest)
            deepest = depth;
    }
    return deepest + 1;
}

/* --- names of kinds -------------------------------------------------------------------------- */

struct kind_name {
    const char *tag;
    const char *long_name;
};

static const struct kind_name kind_names[] = {
    [PK_MISSING] = {"MISSING", "MISSING"},
    [PK_NULL] = {"NULL", "NULL"},
    [PK_BOOL] = {"BOOL", "BOOLEAN"},
    [PK_NUMBER] = {"N", "NUMBER"},
    [PK_STRING] = {"S", "STRING"},
    [PK_BINARY] = {"B", "BINARY"},
    [PK_STRING_SET] = {"SS", "SS"},
    [PK_NUMBER_SET] = {"NS", "NS"},
    [PK_BINARY_SET] = {"BS", "BS"},
    [PK_LIST] = {"L", "LIST"},
    [PK_MAP] = {"M", "MAP"},
};

const char *pk_kind_tag(enum pk_kind kind)
{
    return kind_names[kind].tag;
}

enum pk_kind pk_kind_from_tag(pk_slice tag)
{
    for (int kind = PK_NULL; kind <= PK_MAP; kind++) {
        if (pk_slice_is(tag, kind_names[kind].tag))
            return (enum pk_kind)kind;
    }
    return PK_MISSING;
}

const char *pk_kind_long_name(enum pk_kind kind)
{
    return kind_names[kind].long_name;
}
