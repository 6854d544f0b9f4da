/* One JSON array of plain values, an object a line; and the JSON writing that jsonl shares. */
#include "engine/base/base64.h"
#include "engine/base/utf8.h"
#include "shell/render/render.h"
#include "shell/render/text_safe.h"

static void add_escape(struct pk_buf *out, uint32_t c)
{
    if (c == '"' || c == '\\') {
        pk_buf_add_byte(out, '\\');
        pk_buf_add_byte(out, (unsigned char)c);
    } else if (c == '\n') {
        pk_buf_add_cstr(out, "\\n");
    } else if (c == '\t') {
        pk_buf_add_cstr(out, "\\t");
    } else if (c == '\r') {
        pk_buf_add_cstr(out, "\\r");
    } else {
        pk_buf_printf(out, "\\u%04x", (unsigned)c);
    }
}

/* With its quotes. Controls above ASCII and direction marks are escaped too. */
static void add_string(struct pk_buf *out, pk_slice text)
{
    pk_buf_add_byte(out, '"');
    while (text.len > 0) {
        pk_slice before = text;
        uint32_t c = 0;

        if (!pk_utf8_take(&text, &c)) {
            /* only stored strings come here, and those are UTF-8; never write broken JSON */
            pk_buf_add_cstr(out, "\\ufffd");
            text = pk_slice_skip(text, 1);
        } else if (c < 0x20 || c == '"' || c == '\\' || sh_text_unsafe(c)) {
            add_escape(out, c);
        } else {
            pk_buf_add(out, pk_slice_of(before.data, before.len - text.len));
        }
    }
    pk_buf_add_byte(out, '"');
}

static void add_number(struct pk_buf *out, pk_value number)
{
    struct pk_num num = pk_value_num(number);
    char text[PK_NUM_TEXT_MAX];

    pk_buf_add(out, pk_slice_of(text, pk_num_format(&num, text)));
}

static void add_list(struct pk_buf *out, pk_value list)
{
    pk_buf_add_byte(out, '[');
    for (uint32_t i = 0; i < list.len; i++) {
        if (i > 0)
            pk_buf_add_cstr(out, ", ");
        sh_json_value(out, list.u.items[i]);
    }
    pk_buf_add_byte(out, ']');
}

static void add_member(struct pk_buf *out, const struct pk_member *member, bool first)
{
    if (!first)
        pk_buf_add_cstr(out, ", ");
    add_string(out, member->name);
    pk_buf_add_cstr(out, ": ");
    sh_json_value(out, member->value);
}

static void add_map(struct pk_buf *out, pk_value map)
{
    pk_buf_add_byte(out, '{');
    for (uint32_t i = 0; i < map.len; i++)
        add_member(out, &map.u.members[i], i == 0);
    pk_buf_add_byte(out, '}');
}

static void add_binary(struct pk_buf *out, pk_value binary)
{
    pk_buf_add_byte(out, '"');
    pk_base64_encode(out, pk_value_bytes(binary));
    pk_buf_add_byte(out, '"');
}

void sh_json_value(struct pk_buf *out, pk_value value)
{
    switch (pk_value_kind(value)) {
    case PK_MISSING:
    case PK_NULL:
        pk_buf_add_cstr(out, "null");
        return;
    case PK_BOOL:
        pk_buf_add_cstr(out, value.boolean ? "true" : "false");
        return;
    case PK_NUMBER:
        add_number(out, value);
        return;
    case PK_STRING:
        add_string(out, pk_value_bytes(value));
        return;
    case PK_BINARY:
        add_binary(out, value);
        return;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
        add_list(out, value);
        return;
    case PK_MAP:
        add_map(out, value);
        return;
    }
}

void sh_json_item(struct pk_buf *out, const struct cmd_items *items, pk_value row)
{
    struct pk_arena arena = PK_ARENA_INIT;
    const struct pk_member **members = sh_render_members(&arena, items, row);

    pk_buf_add_byte(out, '{');
    for (uint32_t i = 0; i < row.len; i++)
        add_member(out, members[i], i == 0);
    pk_buf_add_byte(out, '}');
    pk_arena_release(&arena);
}

void sh_json_row(struct pk_buf *out, const struct cmd_grid *grid, size_t row)
{
    struct pk_buf name = PK_BUF_INIT;

    pk_buf_add_byte(out, '{');
    for (size_t c = 0; c < grid->column_count; c++) {
        pk_slice cell = grid->cells[row * grid->column_count + c];

        pk_buf_clear(&name);
        sh_render_heading(&name, grid, c);
        if (c > 0)
            pk_buf_add_cstr(out, ", ");
        add_string(out, pk_buf_slice(&name));
        pk_buf_add_cstr(out, ": ");
        if (cell.data == NULL)
            pk_buf_add_cstr(out, "null");
        else
            add_string(out, cell);
    }
    pk_buf_add_byte(out, '}');
    pk_buf_release(&name);
}

/* "[]", or an object a line between the brackets. */
static void open_row(struct pk_buf *out, size_t row)
{
    pk_buf_add_cstr(out, row == 0 ? "[\n  " : ",\n  ");
}

static void close_array(struct pk_buf *out, size_t rows)
{
    pk_buf_add_cstr(out, rows == 0 ? "[]\n" : "\n]\n");
}

static void json_items(struct sh_render *render, const struct cmd_items *items)
{
    for (size_t r = 0; r < items->count; r++) {
        open_row(render->out, r);
        sh_json_item(render->out, items, items->rows[r]);
    }
    close_array(render->out, items->count);
}

static void json_grid(struct sh_render *render, const struct cmd_grid *grid)
{
    for (size_t r = 0; r < grid->row_count; r++) {
        open_row(render->out, r);
        sh_json_row(render->out, grid, r);
    }
    close_array(render->out, grid->row_count);
}

const struct sh_render_ops sh_render_json = {.items = json_items, .grid = json_grid};
