/*
 * Trees to the stored form and back, and the strict check of stored bytes.
 *
 * The form is canonical: the tree's invariants (value.h) give the order of members, and lengths are
 * written in as few bytes as possible. Only pk_view_check() insists on all of it; decoding accepts
 * whatever it can read safely.
 */
#include "engine/item.h"

#include "engine/base/utf8.h"
#include "engine/value/view_read.h"

/* --- encoding -------------------------------------------------------------------------------- */

/* Writes the length of the body that starts at `start` in front of it. One byte was kept free;
 * longer lengths move the body. */
static void close_body(struct pk_buf *out, size_t start)
{
    char length[10];
    size_t len = out->len - start;
    size_t n = 0;

    for (size_t rest = len; rest >= 0x80; rest >>= 7)
        length[n++] = (char)(unsigned char)(rest | 0x80);
    length[n] = (char)(unsigned char)(len >> (7 * n));
    if (n > 0) {
        pk_buf_reserve(out, n);
        memmove(out->data + start + n, out->data + start, len + 1); /* and the final NUL */
        out->len += n;
    }
    memcpy(out->data + start - 1, length, n + 1);
}

static size_t open_body(struct pk_buf *out, uint32_t count)
{
    pk_buf_add_byte(out, 0);
    size_t start = out->len;
    pk_buf_add_varint(out, count);
    return start;
}

void pk_view_encode(struct pk_buf *out, pk_value value)
{
    pk_buf_add_byte(out, value.kind);
    switch (pk_value_kind(value)) {
    case PK_MISSING:
        pk_bug("a missing value has no stored form");
    case PK_NULL:
        break;
    case PK_BOOL:
        pk_buf_add_byte(out, value.boolean != 0);
        break;
    case PK_NUMBER:
        pk_buf_add_byte(out, (unsigned char)value.len);
        pk_buf_add(out, pk_value_bytes(value));
        break;
    case PK_STRING:
    case PK_BINARY:
        pk_buf_add_varint(out, value.len);
        pk_buf_add(out, pk_value_bytes(value));
        break;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST: {
        size_t start = open_body(out, value.len);
        for (uint32_t i = 0; i < value.len; i++)
            pk_view_encode(out, value.u.items[i]);
        close_body(out, start);
        break;
    }
    case PK_MAP: {
        size_t start = open_body(out, value.len);
        for (uint32_t i = 0; i < value.len; i++) {
            pk_buf_add_varint(out, value.u.members[i].name.len);
            pk_buf_add(out, value.u.members[i].name);
            pk_view_encode(out, value.u.members[i].value);
        }
        close_body(out, start);
        break;
    }
    }
}

pk_view pk_view_of(struct pk_arena *arena, pk_value value)
{
    if (pk_value_kind(value) == PK_MISSING)
        return PK_VIEW_MISSING;

    struct pk_buf out = PK_BUF_INIT;
    pk_view_encode(&out, value);
    pk_view view = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return view;
}

/* --- decoding -------------------------------------------------------------------------------- */

static pk_value decode(struct pk_arena *arena, pk_view view, int levels);

static pk_value decode_items(struct pk_arena *arena, struct pk_view_iter *iter, int levels)
{
    pk_value *items = PK_NEW_ARRAY(arena, pk_value, iter->left);
    pk_value list = {.kind = (uint8_t)iter->kind, .u.items = items};
    pk_view element;

    while (pk_view_iter_next(iter, NULL, &element)) {
        items[list.len] = decode(arena, element, levels - 1);
        list.len += pk_value_kind(items[list.len]) != PK_MISSING;
    }
    return list;
}

static pk_value decode_members(struct pk_arena *arena, struct pk_view_iter *iter, int levels)
{
    struct pk_member *members = PK_NEW_ARRAY(arena, struct pk_member, iter->left);
    pk_value map = {.kind = PK_MAP, .u.members = members};
    pk_view value;
    pk_slice name;

    while (pk_view_iter_next(iter, &name, &value)) {
        members[map.len] = (struct pk_member){name, decode(arena, value, levels - 1)};
        map.len += pk_value_kind(members[map.len].value) != PK_MISSING;
    }
    return map;
}

static pk_value decode(struct pk_arena *arena, pk_view view, int levels)
{
    struct pk_view_iter iter;

    switch (levels == 0 ? PK_MISSING : pk_view_kind(view)) {
    case PK_MISSING:
        break;
    case PK_NULL:
        return pk_value_null();
    case PK_BOOL:
        return pk_value_bool(pk_view_bool(view));
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY: {
        pk_slice bytes = pk_view_bytes(view);
        return (pk_value){
            .kind = (uint8_t)pk_view_kind(view), .len = (uint32_t)bytes.len, .u.bytes = bytes.data};
    }
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
        pk_view_iter_init(&iter, view);
        return decode_items(arena, &iter, levels);
    case PK_MAP:
        pk_view_iter_init(&iter, view);
        return decode_members(arena, &iter, levels);
    }
    return pk_value_missing();
}

pk_value pk_view_decode(struct pk_arena *arena, pk_view view)
{
    return decode(arena, view, PK_VIEW_DEPTH);
}

/* --- the strict check ------------------------------------------------------------------------ */

/* As pk__read_varint, for the shortest form only: the last byte of several is not zero. */
static bool check_varint(pk__bytes *at, pk__bytes end, size_t *number)
{
    pk__bytes start = *at;

    return pk__read_varint(at, end, number) && (*at - start == 1 || (*at)[-1] != 0);
}

static bool check_block(pk__bytes *at, pk__bytes end, pk_slice *block)
{
    pk__bytes p = *at;
    size_t len;

    return check_varint(&p, end, &len) && pk__read_block(at, end, block);
}

static bool check_number(pk__bytes *at, pk__bytes end)
{
    struct pk_num num;

    if (end - *at < 1 || (size_t)(end - *at - 1) < **at)
        return false;
    pk_slice code = pk_slice_of((const char *)*at + 1, **at);
    *at += 1 + code.len;
    return pk_num_decode(&code, &num) && code.len == 0;
}

/* A set member has the set's kind and lies above the one before it. */
static bool check_set_order(enum pk_kind set, pk_view before, pk_view member)
{
    enum pk_kind kind = pk_view_kind(member);
    int order;

    if ((set == PK_STRING_SET && kind != PK_STRING) ||
        (set == PK_NUMBER_SET && kind != PK_NUMBER) || (set == PK_BINARY_SET && kind != PK_BINARY))
        return false;
    return before.len == 0 || (pk_view_compare(before, member, &order) && order < 0);
}

static bool check_value(pk__bytes *at, pk__bytes end, int levels);

/* What follows the body length of a container: count and elements, exactly filling the body. */
static bool check_body(enum pk_kind kind, pk_slice body, int levels)
{
    pk__bytes at = pk__start(body);
    pk__bytes end = pk__end(body);
    pk_slice name, name_before = {NULL, 0};
    pk_view before = PK_VIEW_MISSING;
    size_t count;

    if (!check_varint(&at, end, &count) || (count == 0 && kind != PK_LIST && kind != PK_MAP))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (kind == PK_MAP) {
            if (!check_block(&at, end, &name) || !pk_utf8_valid(name) ||
                (i > 0 && pk_slice_compare(name_before, name) >= 0))
                return false;
            name_before = name;
        }
        pk__bytes start = at;
        if (!check_value(&at, end, levels - 1))
            return false;
        pk_view member = pk_slice_of((const char *)start, (size_t)(at - start));
        if (kind != PK_LIST && kind != PK_MAP && !check_set_order(kind, before, member))
            return false;
        before = member;
    }
    return at == end;
}

static bool check_value(pk__bytes *at, pk__bytes end, int levels)
{
    enum pk_kind kind = pk__read_kind(*at, end);
    pk_slice block;

    if (kind == PK_MISSING || levels == 0)
        return false;
    ++*at;
    switch (kind) {
    case PK_MISSING:
    case PK_NULL:
        return true;
    case PK_BOOL:
        return *at < end && *(*at)++ <= 1;
    case PK_NUMBER:
        return check_number(at, end);
    case PK_STRING:
        return check_block(at, end, &block) && pk_utf8_valid(block);
    case PK_BINARY:
        return check_block(at, end, &block);
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        break;
    }
    return check_block(at, end, &block) && check_body(kind, block, levels);
}

bool pk_view_check(pk_slice bytes)
{
    pk__bytes at = pk__start(bytes);
    pk__bytes end = pk__end(bytes);

    return check_value(&at, end, PK_VIEW_DEPTH) && at == end;
}
