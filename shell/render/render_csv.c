/*
 * CSV by RFC 4180: a heading, CRLF, quotes where needed. Strings are the item's own bytes, also
 * when they hold newlines, except on a terminal, where they are made safe. Lists, maps and sets are
 * plain JSON; a missing attribute is an empty field.
 */
#include "shell/render/render.h"
#include "shell/render/text_safe.h"

static void add_field(struct sh_render *render, pk_slice text)
{
    bool quoted = false;
    struct pk_buf safe = PK_BUF_INIT;

    if (render->terminal) {
        sh_text_safe(&safe, text, SH_TEXT_ONE_LINE);
        text = pk_buf_slice(&safe);
    }
    for (size_t i = 0; i < text.len && !quoted; i++)
        quoted = strchr(",\"\r\n", text.data[i]) != NULL && text.data[i] != '\0';
    if (quoted)
        pk_buf_add_byte(render->out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"')
            pk_buf_add_byte(render->out, '"');
        pk_buf_add_byte(render->out, (unsigned char)text.data[i]);
    }
    if (quoted)
        pk_buf_add_byte(render->out, '"');
    pk_buf_release(&safe);
}

static void add_value(struct sh_render *render, pk_value value)
{
    struct pk_buf text = PK_BUF_INIT;

    switch (pk_value_kind(value)) {
    case PK_MISSING:
        break;
    case PK_STRING:
        pk_buf_add(&text, pk_value_bytes(value));
        break;
    case PK_BINARY: /* without the quotes of JSON */
        sh_json_value(&text, value);
        text.data[text.len - 1] = '\0';
        add_field(render, pk_slice_of(text.data + 1, text.len - 2));
        pk_buf_clear(&text);
        break;
    case PK_NULL:
    case PK_BOOL:
    case PK_NUMBER:
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        sh_json_value(&text, value);
        break;
    }
    add_field(render, pk_buf_slice(&text));
    pk_buf_release(&text);
}

static void end_row(struct sh_render *render)
{
    pk_buf_add_cstr(render->out, render->terminal ? "\n" : "\r\n");
}

static void csv_items(struct sh_render *render, const struct cmd_items *items)
{
    struct pk_arena arena = PK_ARENA_INIT;
    size_t count = 0;
    const struct sh_column *columns = sh_render_columns(&arena, items, &count);

    for (size_t c = 0; c < count; c++) {
        if (c > 0)
            pk_buf_add_byte(render->out, ',');
        add_field(render, columns[c].name);
    }
    if (count > 0)
        end_row(render);
    for (size_t r = 0; r < items->count; r++) {
        for (size_t c = 0; c < count; c++) {
            if (c > 0)
                pk_buf_add_byte(render->out, ',');
            add_value(render, pk_value_get(items->rows[r], columns[c].name));
        }
        end_row(render);
    }
    pk_arena_release(&arena);
}

static void csv_grid(struct sh_render *render, const struct cmd_grid *grid)
{
    struct pk_buf name = PK_BUF_INIT;

    for (size_t c = 0; c < grid->column_count; c++) {
        pk_buf_clear(&name);
        sh_render_heading(&name, grid, c);
        if (c > 0)
            pk_buf_add_byte(render->out, ',');
        add_field(render, pk_buf_slice(&name));
    }
    end_row(render);
    for (size_t r = 0; r < grid->row_count; r++) {
        for (size_t c = 0; c < grid->column_count; c++) {
            if (c > 0)
                pk_buf_add_byte(render->out, ',');
            add_field(render, grid->cells[r * grid->column_count + c]);
        }
        end_row(render);
    }
    pk_buf_release(&name);
}

const struct sh_render_ops sh_render_csv = {.items = csv_items, .grid = csv_grid};
