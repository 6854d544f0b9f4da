/*
 * The stored form of values and items, walked in place.
 *
 * A pk_view is the bytes of exactly one encoded value. Reading from it allocates nothing and copies
 * nothing. Because the encoding is canonical (value.h), two values are equal exactly when their
 * bytes are. Filters, projections, size accounting and JSON output all work on views.
 *
 * Grammar (on disk: do not change; docs/storage-format.md):
 *   value  = kind byte, body            kind: enum pk_kind
 *   NULL   = (nothing)
 *   BOOL   = byte 0 or 1
 *   N      = length byte, code          (num.h)
 *   S, B   = varint length, bytes
 *   sets   = varint body length, varint count, { value }      members in set order
 *   L      = varint body length, varint count, { value }
 *   M      = varint body length, varint count, { varint name length, name, value } in name order
 *
 * Malformed bytes never make a reader leave its range: accessors then answer PK_MISSING or false,
 * and pk_view_check() says whether a whole value is well formed.
 */
#ifndef PK_ITEM_H
#define PK_ITEM_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/value.h"

/* One encoded value; len 0 is PK_MISSING. */
typedef pk_slice pk_view;

enum { PK_VIEW_DEPTH = 40 };

#define PK_VIEW_MISSING ((pk_view){NULL, 0})

/* Appends the stored form. PK_MISSING may not be encoded. */
void pk_view_encode(struct pk_buf *out, pk_value value);
/* The stored form, in the arena. PK_VIEW_MISSING for PK_MISSING. */
pk_view pk_view_of(struct pk_arena *arena, pk_value value);
/* The value as a tree; strings, binaries and numbers point into the view's bytes. Of damaged bytes,
 * or below PK_VIEW_DEPTH levels, what can be read. */
pk_value pk_view_decode(struct pk_arena *arena, pk_view view);
/* True when the bytes are exactly one well-formed canonical value of at most PK_VIEW_DEPTH levels.
 */
bool pk_view_check(pk_slice bytes);

enum pk_kind pk_view_kind(pk_view view);
bool pk_view_bool(pk_view view);
/* Bytes of an S or B, code of an N; empty for other kinds. */
pk_slice pk_view_bytes(pk_view view);
/* Members of a set, list or map; 0 for other kinds. */
size_t pk_view_count(pk_view view);
/* A map's member by name; missing when absent or not a map. O(members before it). */
pk_view pk_view_member(pk_view map, pk_slice name);
/* A list's element; missing when out of range or not a list. */
pk_view pk_view_element(pk_view list, size_t index);
/* True when a set holds the scalar (of matching kind). */
bool pk_view_set_has(pk_view set, pk_view scalar);

/* Walks a list, set or map; the values handed out lie in the container's bytes. */
struct pk_view_iter {
    pk_slice rest;
    size_t left;
    enum pk_kind kind;
};
void pk_view_iter_init(struct pk_view_iter *iter, pk_view container);
/* The next element; *name is set for maps (may be NULL when not wanted). False at the end. */
bool pk_view_iter_next(struct pk_view_iter *iter, pk_slice *name, pk_view *value);

static inline bool pk_view_equal(pk_view a, pk_view b)
{
    return pk_slice_equal(a, b) && a.len != 0;
}

/* Order within S, within N, within B. False when the two are not comparable. */
bool pk_view_compare(pk_view a, pk_view b, int *order);
/* Bytes by the item-size rules; for an item (a map at the top) use pk_view_item_size. */
size_t pk_view_size(pk_view value);
size_t pk_view_item_size(pk_view item);

/* A document path, names resolved: a.b[0]. */
struct pk_path_step {
    pk_slice name; /* data NULL: a list index */
    uint64_t index;
};
struct pk_path {
    struct pk_path_step *steps; /* arena; at least one, the first is a name */
    size_t count;
    struct pk_span span; /* in the text it was written in */
};

/* The value at the path, missing when it leads nowhere (expressions.md §2). */
pk_view pk_path_resolve(const struct pk_path *path, pk_view item);
/* "[m, x, [0]]", the form of DynamoDB's messages. */
pk_slice pk_path_print(const struct pk_path *path, struct pk_arena *arena);
/* "m.x[0]", the form a person writes; names that need it in backticks. */
pk_slice pk_path_text(const struct pk_path *path, struct pk_arena *arena);

#endif
