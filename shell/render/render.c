/* Choosing a renderer, and what the renderers share. */
#include "shell/render/render.h"

#include <stdlib.h>

#include "shell/render/text_safe.h"

static const struct sh_render_ops *ops_of(enum cmd_mode mode)
{
    switch (mode) {
    case CMD_MODE_TABLE:
        return &sh_render_table;
    case CMD_MODE_LINE:
        return &sh_render_line;
    case CMD_MODE_JSON:
        return &sh_render_json;
    case CMD_MODE_JSONL:
        return &sh_render_jsonl;
    case CMD_MODE_CSV:
        return &sh_render_csv;
    case CMD_MODE_MARKDOWN:
        return &sh_render_markdown;
    }
    return &sh_render_table;
}

void sh_style_begin(struct pk_buf *out, bool color, enum sh_style style)
{
    if (!color)
        return;
    switch (style) {
    case SH_STYLE_KEY:
        pk_buf_add_cstr(out, "\033[1m");
        break;
    case SH_STYLE_DIM:
        pk_buf_add_cstr(out, "\033[2m");
        break;
    case SH_STYLE_HINT:
        pk_buf_add_cstr(out, "\033[33m");
        break;
    case SH_STYLE_ERROR:
        pk_buf_add_cstr(out, "\033[31m");
        break;
    }
}

void sh_style_end(struct pk_buf *out, bool color)
{
    if (color)
        pk_buf_add_cstr(out, "\033[0m");
}

/* Lines of chatter, each with its indentation and colour of its own, so that a pager which cuts
 * between lines leaves no colour hanging. */
static void add_lines(struct sh_render *render, pk_slice text, const char *indent,
                      enum sh_style style)
{
    for (;;) {
        const char *newline = text.len == 0 ? NULL : memchr(text.data, '\n', text.len);
        pk_slice line = text;

        if (newline != NULL)
            line.len = (size_t)(newline - text.data);
        sh_style_begin(render->out, render->color, style);
        pk_buf_add_cstr(render->out, indent);
        sh_text_safe(render->out, line, SH_TEXT_LINES);
        sh_style_end(render->out, render->color);
        pk_buf_add_byte(render->out, '\n');
        if (newline == NULL)
            return;
        text = pk_slice_skip(text, line.len + 1);
    }
}

void sh_render_block(struct sh_render *render, enum cmd_mode mode, const struct cmd_block *block)
{
    switch (block->kind) {
    case CMD_BLOCK_ITEMS:
        ops_of(mode)->items(render, &block->items);
        return;
    case CMD_BLOCK_GRID:
        ops_of(mode)->grid(render, &block->grid);
        return;
    case CMD_BLOCK_TEXT:
        sh_text_safe(render->out, block->text, SH_TEXT_LINES);
        pk_buf_add_byte(render->out, '\n');
        return;
    case CMD_BLOCK_FOOTER:
    case CMD_BLOCK_NOTE:
        add_lines(render, block->text, " ", SH_STYLE_DIM);
        return;
    case CMD_BLOCK_HINT:
        add_lines(render, block->text, "  hint: ", SH_STYLE_HINT);
        return;
    }
}

bool sh_render_is_key(const struct cmd_items *items, pk_slice name)
{
    for (size_t i = 0; i < items->key_count; i++)
        if (pk_slice_equal(items->keys[i], name))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return pk_slice_compare(((const struct sh_column *)a)->name,
                            ((const struct sh_column *)b)->name);
}

static int by_rows(const void *a, const void *b)
{
    const struct sh_column *x = a;
    const struct sh_column *y = b;

    if (x->rows != y->rows)
        return x->rows < y->rows ? 1 : -1;
    return by_name(a, b);
}

static bool all_numbers(const struct cmd_items *items, pk_slice name)
{
    bool number = false;

    for (size_t i = 0; i < items->count; i++) {
        enum pk_kind kind = pk_value_kind(pk_value_get(items->rows[i], name));

        if (kind == PK_NUMBER)
            number = true;
        else if (kind != PK_NULL && kind != PK_MISSING)
            return false;
    }
    return number;
}

/* Every attribute of every row that is no key, as columns of one row each. */
static size_t collect(const struct cmd_items *items, struct sh_column *columns)
{
    size_t count = 0;

    for (size_t i = 0; i < items->count; i++) {
        pk_value row = items->rows[i];

        for (uint32_t m = 0; m < row.len; m++)
            if (!sh_render_is_key(items, row.u.members[m].name))
                columns[count++] = (struct sh_column){.name = row.u.members[m].name, .rows = 1};
    }
    return count;
}

/* Joins neighbours of one name; returns how many are left. */
static size_t merge(struct sh_column *columns, size_t count)
{
    size_t merged = 0;

    for (size_t i = 0; i < count; i++) {
        if (merged > 0 && pk_slice_equal(columns[merged - 1].name, columns[i].name))
            columns[merged - 1].rows++;
        else
            columns[merged++] = columns[i];
    }
    return merged;
}

struct sh_column *sh_render_columns(struct pk_arena *arena, const struct cmd_items *items,
                                    size_t *count)
{
    size_t members = items->key_count;

    for (size_t i = 0; i < items->count; i++)
        members += items->rows[i].len;

    struct sh_column *columns = PK_NEW_ARRAY(arena, struct sh_column, members + 1);
    struct sh_column *others = columns + items->key_count;
    size_t other_count = collect(items, others);

    for (size_t i = 0; i < items->key_count; i++)
        columns[i] = (struct sh_column){.name = items->keys[i], .key = true};
    qsort(others, other_count, sizeof(*others), by_name);
    other_count = merge(others, other_count);
    qsort(others, other_count, sizeof(*others), by_rows);
    *count = items->key_count + other_count;
    for (size_t i = 0; i < *count; i++)
        columns[i].right = all_numbers(items, columns[i].name);
    return columns;
}

const struct pk_member **sh_render_members(struct pk_arena *arena, const struct cmd_items *items,
                                           pk_value row)
{
    const struct pk_member **members =
        pk_arena_calloc(arena, (size_t)row.len + 1, sizeof(struct pk_member *));
    size_t count = 0;

    for (size_t k = 0; k < items->key_count; k++)
        for (uint32_t m = 0; m < row.len; m++)
            if (pk_slice_equal(row.u.members[m].name, items->keys[k]))
                members[count++] = &row.u.members[m];
    for (uint32_t m = 0; m < row.len; m++)
        if (!sh_render_is_key(items, row.u.members[m].name))
            members[count++] = &row.u.members[m];
    return members;
}

void sh_render_cell(struct pk_buf *out, pk_value value)
{
    if (pk_value_kind(value) == PK_MISSING)
        return;
    if (pk_value_kind(value) == PK_STRING) {
        sh_text_safe(out, pk_value_bytes(value), SH_TEXT_ONE_LINE);
        return;
    }

    struct pk_buf literal = PK_BUF_INIT;

    cmd_value_text(&literal, value);
    sh_text_safe(out, pk_buf_slice(&literal), SH_TEXT_ONE_LINE);
    pk_buf_release(&literal);
}

void sh_render_heading(struct pk_buf *out, const struct cmd_grid *grid, size_t column)
{
    const char *name = grid->columns[column];

    if (name == NULL || name[0] == '\0')
        pk_buf_printf(out, "column%zu", column + 1);
    else
        pk_buf_add_cstr(out, name);
}
