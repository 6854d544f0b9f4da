/* One attribute a line, nothing cut; a blank line between items. */
#include "shell/render/render.h"
#include "shell/render/text_safe.h"

static void add_pair(struct sh_render *render, pk_slice name, size_t width, bool key,
                     pk_slice value)
{
    pk_buf_add_byte(render->out, ' ');
    if (key)
        sh_style_begin(render->out, render->color, SH_STYLE_KEY);
    pk_buf_add(render->out, name);
    if (key)
        sh_style_end(render->out, render->color);
    if (value.len > 0) {
        sh_text_pad(render->out, width - sh_text_width(name) + 2);
        pk_buf_add(render->out, value);
    }
    pk_buf_add_byte(render->out, '\n');
}

static pk_slice safe_name(struct pk_arena *arena, pk_slice name)
{
    struct pk_buf text = PK_BUF_INIT;

    sh_text_safe(&text, name, SH_TEXT_ONE_LINE);
    name = pk_arena_dup(arena, pk_buf_slice(&text));
    pk_buf_release(&text);
    return name;
}

static void line_item(struct sh_render *render, const struct cmd_items *items, pk_value row)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf value = PK_BUF_INIT;
    const struct pk_member **members = sh_render_members(&arena, items, row);
    pk_slice *names = PK_NEW_ARRAY(&arena, pk_slice, (size_t)row.len + 1);
    size_t width = 0;

    for (uint32_t m = 0; m < row.len; m++) {
        names[m] = safe_name(&arena, members[m]->name);
        if (sh_text_width(names[m]) > width)
            width = sh_text_width(names[m]);
    }
    for (uint32_t m = 0; m < row.len; m++) {
        pk_buf_clear(&value);
        sh_render_cell(&value, members[m]->value);
        add_pair(render, names[m], width, sh_render_is_key(items, members[m]->name),
                 pk_buf_slice(&value));
    }
    pk_buf_release(&value);
    pk_arena_release(&arena);
}

static void line_items(struct sh_render *render, const struct cmd_items *items)
{
    for (size_t r = 0; r < items->count; r++) {
        if (r > 0)
            pk_buf_add_byte(render->out, '\n');
        line_item(render, items, items->rows[r]);
    }
}

static size_t heading_width(const struct cmd_grid *grid)
{
    size_t width = 0;

    for (size_t c = 0; c < grid->column_count; c++) {
        size_t own = sh_text_width(pk_slice_cstr(grid->columns[c]));

        width = own > width ? own : width;
    }
    return width;
}

/* Pairs of name and value already are lines, and so are the rows of a map. */
static void line_grid(struct sh_render *render, const struct cmd_grid *grid)
{
    struct pk_buf value = PK_BUF_INIT;
    size_t width = heading_width(grid);

    if (grid->headless || grid->map != NULL) {
        sh_render_table.grid(render, grid);
        return;
    }
    for (size_t r = 0; r < grid->row_count; r++) {
        if (r > 0)
            pk_buf_add_byte(render->out, '\n');
        for (size_t c = 0; c < grid->column_count; c++) {
            pk_buf_clear(&value);
            sh_text_safe(&value, grid->cells[r * grid->column_count + c], SH_TEXT_ONE_LINE);
            if (value.len > 0)
                add_pair(render, pk_slice_cstr(grid->columns[c]), width, false,
                         pk_buf_slice(&value));
        }
    }
    pk_buf_release(&value);
}

const struct sh_render_ops sh_render_line = {.items = line_items, .grid = line_grid};
