/*
 * Item sizes (data-model.md §6), of trees and of the stored form. Both follow the same table:
 *
 *   S, B bytes · BOOL, NULL 1 · N by its code · sets the sum of their members
 *   L 3 + (1 + element) each · M 3 + (1 + name + value) each · item (name + value) each
 */
#include "engine/item.h"

enum { SCALAR_SIZE = 1, CONTAINER_SIZE = 3, ELEMENT_SIZE = 1 };

static size_t members_size(pk_value map, size_t overhead)
{
    size_t size = 0;

    for (uint32_t i = 0; i < map.len; i++) {
        const struct pk_member *member = &map.u.members[i];
        size += overhead + member->name.len + pk_value_size(member->value);
    }
    return size;
}

size_t pk_value_size(pk_value value)
{
    size_t size = 0;

    switch (pk_value_kind(value)) {
    case PK_MISSING:
        return 0;
    case PK_NULL:
    case PK_BOOL:
        return SCALAR_SIZE;
    case PK_NUMBER:
        return pk_num_size(pk_value_bytes(value));
    case PK_STRING:
    case PK_BINARY:
        return value.len;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        for (uint32_t i = 0; i < value.len; i++)
            size += pk_value_size(value.u.items[i]);
        return size;
    case PK_LIST:
        for (uint32_t i = 0; i < value.len; i++)
            size += ELEMENT_SIZE + pk_value_size(value.u.items[i]);
        return CONTAINER_SIZE + size;
    case PK_MAP:
        return CONTAINER_SIZE + members_size(value, ELEMENT_SIZE);
    }
    return 0;
}

size_t pk_item_size(pk_value item)
{
    return pk_value_kind(item) == PK_MAP ? members_size(item, 0) : 0;
}

static size_t view_size(pk_view view, int levels);

/* Sum over a container's elements, each with its name (in maps) and `overhead`. */
static size_t elements_size(pk_view container, size_t overhead, int levels)
{
    struct pk_view_iter iter;
    pk_slice name = {NULL, 0};
    pk_view value;
    size_t size = 0;

    pk_view_iter_init(&iter, container);
    while (pk_view_iter_next(&iter, &name, &value))
        size += overhead + name.len + view_size(value, levels - 1);
    return size;
}

static size_t view_size(pk_view view, int levels)
{
    switch (levels == 0 ? PK_MISSING : pk_view_kind(view)) {
    case PK_MISSING:
        return 0;
    case PK_NULL:
    case PK_BOOL:
        return SCALAR_SIZE;
    case PK_NUMBER:
        return pk_num_size(pk_view_bytes(view));
    case PK_STRING:
    case PK_BINARY:
        return pk_view_bytes(view).len;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        return elements_size(view, 0, levels);
    case PK_LIST:
    case PK_MAP:
        return CONTAINER_SIZE + elements_size(view, ELEMENT_SIZE, levels);
    }
    return 0;
}

size_t pk_view_size(pk_view value)
{
    return view_size(value, PK_VIEW_DEPTH);
}

size_t pk_view_item_size(pk_view item)
{
    return pk_view_kind(item) == PK_MAP ? elements_size(item, 0, PK_VIEW_DEPTH) : 0;
}
