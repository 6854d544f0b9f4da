/* See the header. */
#include "shell/panel/item_text.h"

#include "commands/result.h"

enum { LINE_MAX_BYTES = 64 /* what is shorter stays on its line */ };

static void indent(struct pk_buf *out, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        pk_buf_add_cstr(out, "  ");
}

static void add_value(struct pk_buf *out, pk_value value, size_t depth);

static void add_elements(struct pk_buf *out, pk_value value, size_t depth)
{
    for (uint32_t i = 0; i < value.len; i++) {
        indent(out, depth);
        add_value(out, value.u.items[i], depth);
        pk_buf_add_byte(out, '\n');
    }
}

static void add_members(struct pk_buf *out, pk_value map, size_t depth)
{
    for (uint32_t i = 0; i < map.len; i++) {
        indent(out, depth);
        pk_buf_add(out, map.u.members[i].name);
        pk_buf_add_cstr(out, ": ");
        add_value(out, map.u.members[i].value, depth);
        pk_buf_add_byte(out, '\n');
    }
}

static void add_container(struct pk_buf *out, pk_value value, size_t depth)
{
    bool list = pk_value_kind(value) == PK_LIST;
    bool map = pk_value_kind(value) == PK_MAP;

    pk_buf_add_cstr(out, map ? "{\n" : list ? "[\n" : "<<\n");
    if (map)
        add_members(out, value, depth + 1);
    else
        add_elements(out, value, depth + 1);
    indent(out, depth);
    pk_buf_add_cstr(out, map ? "}" : list ? "]" : ">>");
}

static void add_value(struct pk_buf *out, pk_value value, size_t depth)
{
    struct pk_buf line = PK_BUF_INIT;

    switch (pk_value_kind(value)) {
    case PK_MISSING:
    case PK_NULL:
    case PK_BOOL:
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY:
        cmd_value_text(out, value);
        return;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        break;
    }
    cmd_value_text(&line, value);
    if (line.len <= LINE_MAX_BYTES)
        pk_buf_add(out, pk_buf_slice(&line));
    else
        add_container(out, value, depth);
    pk_buf_release(&line);
}

void sh_item_text(struct pk_buf *out, pk_value item)
{
    if (pk_value_kind(item) == PK_MAP)
        add_members(out, item, 0);
}
