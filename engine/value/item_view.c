/*
 * Walking the stored form in place.
 *
 * Everything here works on bytes that may be damaged: lengths are checked against the range that
 * holds them before they are used, and a container that ends early is read up to there.
 */
#include "engine/item.h"

#include "engine/value/view_read.h"

enum pk_kind pk_view_kind(pk_view view)
{
    return pk__read_kind(pk__start(view), pk__end(view));
}

bool pk_view_bool(pk_view view)
{
    return view.len >= 2 && pk_view_kind(view) == PK_BOOL && view.data[1] != 0;
}

pk_slice pk_view_bytes(pk_view view)
{
    pk__bytes at = pk__start(view);
    pk__bytes end = pk__end(view);
    enum pk_kind kind = pk__read_kind(at, end);
    pk_slice bytes;

    if (kind == PK_NUMBER && view.len >= 2 && (size_t)at[1] <= view.len - 2)
        return pk_slice_of(view.data + 2, at[1]);
    if ((kind == PK_STRING || kind == PK_BINARY) && (at++, pk__read_block(&at, end, &bytes)))
        return bytes;
    return PK_LIT("");
}

void pk_view_iter_init(struct pk_view_iter *iter, pk_view container)
{
    pk__bytes at = pk__start(container);
    pk__bytes end = pk__end(container);
    enum pk_kind kind = pk__read_kind(at, end);
    pk_slice body;
    size_t count;

    *iter = (struct pk_view_iter){.kind = kind};
    if (kind < PK_STRING_SET)
        return;
    at++;
    if (!pk__read_block(&at, end, &body))
        return;
    at = pk__start(body);
    end = pk__end(body);
    /* an element takes at least a byte: callers may trust `left` when they reserve room */
    if (!pk__read_varint(&at, end, &count) || count > (size_t)(end - at))
        return;
    iter->rest = pk_slice_of((const char *)at, (size_t)(end - at));
    iter->left = count;
}

bool pk_view_iter_next(struct pk_view_iter *iter, pk_slice *name, pk_view *value)
{
    if (iter->left == 0)
        return false;

    pk__bytes at = pk__start(iter->rest);
    pk__bytes end = pk__end(iter->rest);
    pk_slice own_name;
    pk__bytes next = NULL;
    if (iter->kind != PK_MAP || pk__read_block(&at, end, &own_name))
        next = pk__value_end(at, end);
    if (next == NULL) {
        iter->left = 0;
        return false;
    }

    if (iter->kind == PK_MAP && name != NULL)
        *name = own_name;
    *value = pk_slice_of((const char *)at, (size_t)(next - at));
    iter->rest = pk_slice_of((const char *)next, (size_t)(end - next));
    iter->left--;
    return true;
}

size_t pk_view_count(pk_view view)
{
    struct pk_view_iter iter;

    pk_view_iter_init(&iter, view);
    return iter.left;
}

pk_view pk_view_member(pk_view map, pk_slice name)
{
    struct pk_view_iter iter;

    pk_view_iter_init(&iter, map);
    if (iter.kind != PK_MAP)
        return PK_VIEW_MISSING;

    pk__bytes at = pk__start(iter.rest);
    pk__bytes end = pk__end(iter.rest);
    pk_slice found;
    for (; iter.left > 0 && pk__read_block(&at, end, &found); iter.left--) {
        pk__bytes next = pk__value_end(at, end);
        if (next == NULL)
            break;
        int order = pk_slice_compare(found, name);
        if (order == 0)
            return pk_slice_of((const char *)at, (size_t)(next - at));
        if (order > 0) /* names are sorted */
            break;
        at = next;
    }
    return PK_VIEW_MISSING;
}

pk_view pk_view_element(pk_view list, size_t index)
{
    struct pk_view_iter iter;
    pk_view value;

    pk_view_iter_init(&iter, list);
    if (iter.kind != PK_LIST || index >= iter.left)
        return PK_VIEW_MISSING;
    while (pk_view_iter_next(&iter, NULL, &value)) {
        if (index-- == 0)
            return value;
    }
    return PK_VIEW_MISSING;
}

/* The kind of a set's members; PK_MISSING for what is no set. */
static enum pk_kind member_kind(enum pk_kind set)
{
    if (set == PK_STRING_SET)
        return PK_STRING;
    if (set == PK_NUMBER_SET)
        return PK_NUMBER;
    return set == PK_BINARY_SET ? PK_BINARY : PK_MISSING;
}

bool pk_view_set_has(pk_view set, pk_view scalar)
{
    struct pk_view_iter iter;
    pk_view member;
    enum pk_kind kind = pk_view_kind(scalar);

    pk_view_iter_init(&iter, set);
    if (kind == PK_MISSING || member_kind(iter.kind) != kind)
        return false;
    while (pk_view_iter_next(&iter, NULL, &member)) {
        int order;
        if (!pk_view_compare(member, scalar, &order) || order > 0)
            return false;
        if (order == 0)
            return true;
    }
    return false;
}

bool pk_view_compare(pk_view a, pk_view b, int *order)
{
    enum pk_kind kind = pk_view_kind(a);

    if (kind != pk_view_kind(b) || (kind != PK_STRING && kind != PK_NUMBER && kind != PK_BINARY))
        return false;
    /* a number's code sorts by its bytes (num.h) */
    *order = pk_slice_compare(pk_view_bytes(a), pk_view_bytes(b));
    return true;
}
