/* A Markdown table (the GitHub kind), to paste into a document. */
#include "shell/render/render.h"
#include "shell/render/text_safe.h"

static void add_cell(struct sh_render *render, pk_slice safe)
{
    pk_buf_add_byte(render->out, ' ');
    for (size_t i = 0; i < safe.len; i++) {
        if (safe.data[i] == '|')
            pk_buf_add_byte(render->out, '\\');
        pk_buf_add_byte(render->out, (unsigned char)safe.data[i]);
    }
    pk_buf_add_cstr(render->out, safe.len == 0 ? "|" : " |");
}

static void add_rule(struct sh_render *render, bool right)
{
    pk_buf_add_cstr(render->out, right ? "---:|" : "---|");
}

static void markdown_items(struct sh_render *render, const struct cmd_items *items)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf text = PK_BUF_INIT;
    size_t count = 0;
    const struct sh_column *columns = sh_render_columns(&arena, items, &count);

    for (size_t r = 0; r < items->count + 1 && items->count > 0; r++) {
        pk_buf_add_byte(render->out, '|');
        for (size_t c = 0; c < count; c++) {
            pk_buf_clear(&text);
            if (r == 0)
                sh_text_safe(&text, columns[c].name, SH_TEXT_ONE_LINE);
            else
                sh_render_cell(&text, pk_value_get(items->rows[r - 1], columns[c].name));
            add_cell(render, pk_buf_slice(&text));
        }
        pk_buf_add_byte(render->out, '\n');
        if (r > 0)
            continue;
        pk_buf_add_byte(render->out, '|');
        for (size_t c = 0; c < count; c++)
            add_rule(render, columns[c].right);
        pk_buf_add_byte(render->out, '\n');
    }
    pk_buf_release(&text);
    pk_arena_release(&arena);
}

static void grid_heading(struct sh_render *render, const struct cmd_grid *grid)
{
    pk_buf_add_byte(render->out, '|');
    for (size_t c = 0; c < grid->column_count; c++)
        add_cell(render, pk_slice_cstr(grid->columns[c]));
    pk_buf_add_cstr(render->out, "\n|");
    for (size_t c = 0; c < grid->column_count; c++)
        add_rule(render, grid->aligns[c] == CMD_RIGHT);
    pk_buf_add_byte(render->out, '\n');
}

static void markdown_grid(struct sh_render *render, const struct cmd_grid *grid)
{
    struct pk_buf text = PK_BUF_INIT;

    if (grid->row_count > 0)
        grid_heading(render, grid);
    for (size_t r = 0; r < grid->row_count; r++) {
        pk_buf_add_byte(render->out, '|');
        for (size_t c = 0; c < grid->column_count; c++) {
            pk_buf_clear(&text);
            sh_text_safe(&text, grid->cells[r * grid->column_count + c], SH_TEXT_ONE_LINE);
            add_cell(render, pk_buf_slice(&text));
        }
        pk_buf_add_byte(render->out, '\n');
    }
    pk_buf_release(&text);
}

const struct sh_render_ops sh_render_markdown = {.items = markdown_items, .grid = markdown_grid};
