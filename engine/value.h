/*
 * Values: what an attribute can hold, as a small tree.
 *
 * A pk_value is 16 bytes, immutable once built and passed by value. Everything it points to lives
 * in the arena of the request that built it (or in longer-lived bytes that were decoded), so there
 * is nothing to free and nothing to count. What outlives a request is the stored form (item.h).
 *
 * Invariants: map members are sorted by the bytes of their names, without duplicates; set members
 * are sorted (S and B by bytes, N by value) and distinct; a number is its canonical code (num.h).
 * So equal values have identical trees, and identical stored bytes.
 */
#ifndef PK_VALUE_H
#define PK_VALUE_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/error.h"
#include "engine/num.h"

/* On disk as the tag of a stored value: do not change. PK_MISSING is never stored. */
enum pk_kind {
    PK_MISSING = 0, /* no value at all: an absent attribute. Distinct from PK_NULL */
    PK_NULL = 1,
    PK_BOOL = 2,
    PK_NUMBER = 3,
    PK_STRING = 4,
    PK_BINARY = 5,
    PK_STRING_SET = 6,
    PK_NUMBER_SET = 7,
    PK_BINARY_SET = 8,
    PK_LIST = 9,
    PK_MAP = 10
};

struct pk_member;

typedef struct pk_value {
    uint8_t kind;    /* enum pk_kind */
    uint8_t boolean; /* PK_BOOL */
    uint32_t len;    /* bytes of S, B, N code; members of sets, L, M */
    union {
        const char *bytes;               /* S, B, N (code) */
        const struct pk_value *items;    /* L and sets */
        const struct pk_member *members; /* M */
    } u;
} pk_value;

/* One attribute of an item, one entry of a map. */
struct pk_member {
    pk_slice name;
    pk_value value;
};

static inline enum pk_kind pk_value_kind(pk_value value)
{
    return (enum pk_kind)value.kind;
}

static inline pk_slice pk_value_bytes(pk_value value)
{
    return (pk_slice){value.u.bytes, value.len};
}

pk_value pk_value_missing(void);
pk_value pk_value_null(void);
pk_value pk_value_bool(bool boolean);
/* The bytes are borrowed: they must live as long as the value. */
pk_value pk_value_string(pk_slice text);
pk_value pk_value_binary(pk_slice bytes);
/* The code is copied into the arena. */
pk_value pk_value_number(struct pk_arena *arena, const struct pk_num *num);
pk_value pk_value_int(struct pk_arena *arena, int64_t number);
/* Takes an arena array of n values as the list's elements. */
pk_value pk_value_list(const pk_value *items, size_t n);
/* Takes an arena array of n members; sorts it in place. Of members with equal names the last one
 * given stays. */
pk_value pk_value_map(struct pk_member *members, size_t n);
/* Takes an arena array of n members of one scalar kind (kind names the set); sorts it in place and
 * drops repeats; *repeated (may be NULL) tells whether there were any. */
pk_value pk_value_set(enum pk_kind kind, pk_value *items, size_t n, bool *repeated);

/* The code of a PK_NUMBER, as a number. */
struct pk_num pk_value_num(pk_value number);

/* Growing arrays in an arena, for building lists, sets and maps of unknown length. */
struct pk_value_vec {
    pk_value *data;
    size_t len, cap;
};
struct pk_member_vec {
    struct pk_member *data;
    size_t len, cap;
};
void pk_value_vec_add(struct pk_value_vec *vec, struct pk_arena *arena, pk_value value);
void pk_member_vec_add(struct pk_member_vec *vec, struct pk_arena *arena, pk_slice name,
                       pk_value value);

/* A map's member by name (binary search), PK_MISSING when absent or when map is no map. */
pk_value pk_value_get(pk_value map, pk_slice name);
/* The map with the member set (or, for PK_MISSING, removed); shares the rest. O(members). */
pk_value pk_value_with(struct pk_arena *arena, pk_value map, pk_slice name, pk_value value);
/* A copy that borrows nothing but the arena. */
pk_value pk_value_dup(struct pk_arena *arena, pk_value value);

bool pk_value_equal(pk_value a, pk_value b);
/* Order within S, within N, within B. False when the two are not comparable. */
bool pk_value_compare(pk_value a, pk_value b, int *order);

/* Bytes by the item-size rules (data-model.md §6): of one value, and of an item (names included).
 */
size_t pk_value_size(pk_value value);
size_t pk_item_size(pk_value item);
/* Levels of nesting: a scalar is 1, a list or map is one more than its deepest element and, when
 * empty, 2: what DynamoDB limits is the number of containers in each other. */
size_t pk_value_depth(pk_value value);

/* "S", "N", "BOOL", …; "MISSING" for none. */
const char *pk_kind_tag(enum pk_kind kind);
/* The tag's kind; PK_MISSING when it is none. */
enum pk_kind pk_kind_from_tag(pk_slice tag);
/* "STRING", "NUMBER", … as some messages spell it (data-model.md §1). */
const char *pk_kind_long_name(enum pk_kind kind);

#endif
