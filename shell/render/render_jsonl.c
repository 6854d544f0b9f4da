/* JSON lines: one object a line, nothing around them. */
#include "shell/render/render.h"

static void jsonl_items(struct sh_render *render, const struct cmd_items *items)
{
    for (size_t r = 0; r < items->count; r++) {
        sh_json_item(render->out, items, items->rows[r]);
        pk_buf_add_byte(render->out, '\n');
    }
}

static void jsonl_grid(struct sh_render *render, const struct cmd_grid *grid)
{
    for (size_t r = 0; r < grid->row_count; r++) {
        sh_json_row(render->out, grid, r);
        pk_buf_add_byte(render->out, '\n');
    }
}

const struct sh_render_ops sh_render_jsonl = {.items = jsonl_items, .grid = jsonl_grid};
