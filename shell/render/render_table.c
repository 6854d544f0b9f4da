/*
 * Aligned columns. A leading blank in each row, two blanks between columns, none at the end.
 *
 * Items are cut to the terminal's width: first the widest attributes, then the keys, and what still
 * does not fit is cut off the row; "…" marks each place. Grids hold sentences and are not cut,
 * but for a column that says so; bars become shorter, and the gaps beside them, as far as that
 * helps.
 */
#include "shell/render/render.h"
#include "shell/render/text_safe.h"

enum {
    GAP = 2,
    GAP_NARROWEST = 1,
    BAR_WIDEST = 15,
    BAR_NARROWEST = 3,
    NARROWEST = 6,      /* columns of a cut attribute, "…" included */
    NARROWEST_TEXT = 20 /* the same of a grid */
};

struct cell {
    pk_slice text; /* safe */
    size_t width;
};

struct sheet {
    struct pk_arena arena;
    size_t columns, rows; /* rows: without the heading */
    size_t gap;           /* blanks between columns */
    struct cell *cells;   /* heading first, then row by row */
    size_t *widths;
    bool *rights;
    bool *keys;
};

static void sheet_init(struct sheet *sheet, size_t columns, size_t rows)
{
    *sheet = (struct sheet){.arena = PK_ARENA_INIT, .columns = columns, .rows = rows, .gap = GAP};
    sheet->cells = PK_NEW_ARRAY(&sheet->arena, struct cell, (rows + 1) * columns + 1);
    sheet->widths = PK_NEW_ARRAY(&sheet->arena, size_t, columns + 1);
    sheet->rights = PK_NEW_ARRAY(&sheet->arena, bool, columns + 1);
    sheet->keys = PK_NEW_ARRAY(&sheet->arena, bool, columns + 1);
}

/* row 0 is the heading. The text is copied. */
static void sheet_set(struct sheet *sheet, size_t row, size_t column, pk_slice safe)
{
    struct cell *cell = &sheet->cells[row * sheet->columns + column];

    cell->text = pk_arena_dup(&sheet->arena, safe);
    cell->width = sh_text_width(safe);
    if (cell->width > sheet->widths[column])
        sheet->widths[column] = cell->width;
}

static size_t total_width(const struct sheet *sheet, size_t cap, bool cap_keys)
{
    size_t total = 1;

    for (size_t c = 0; c < sheet->columns; c++) {
        bool capped = sheet->widths[c] > cap && (cap_keys || !sheet->keys[c]);

        total +=
            (c > 0 && sheet->widths[c] > 0 ? sheet->gap : 0) + (capped ? cap : sheet->widths[c]);
    }
    return total;
}

/* Lowers the widest columns to one common width, as little as needed. */
static void cap_widths(struct sheet *sheet, size_t width, bool cap_keys)
{
    size_t widest = 0;

    for (size_t c = 0; c < sheet->columns; c++)
        if (sheet->widths[c] > widest && (cap_keys || !sheet->keys[c]))
            widest = sheet->widths[c];

    /* total_width falls with the cap: halve the range between too wide and narrow enough */
    size_t low = NARROWEST;
    size_t high = widest > low ? widest : low;

    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        if (total_width(sheet, middle, cap_keys) <= width)
            low = middle;
        else
            high = middle - 1;
    }
    for (size_t c = 0; c < sheet->columns; c++)
        if (sheet->widths[c] > low && (cap_keys || !sheet->keys[c]))
            sheet->widths[c] = low;
}

static void fit(struct sheet *sheet, size_t width)
{
    if (width == 0 || total_width(sheet, SIZE_MAX, false) <= width)
        return;
    cap_widths(sheet, width, false);
    if (total_width(sheet, SIZE_MAX, false) > width)
        cap_widths(sheet, width, true);
}

/* One cell with its padding. left: columns that remain in the row (SIZE_MAX: no limit), lowered by
 * what was used; false when the row is full. */
static bool add_cell(struct sh_render *render, const struct sheet *sheet, size_t row, size_t c,
                     size_t *left)
{
    const struct cell *cell = &sheet->cells[row * sheet->columns + c];
    size_t room = sheet->widths[c] < *left ? sheet->widths[c] : *left;
    struct pk_buf text = PK_BUF_INIT;
    size_t used = sh_text_fit(&text, cell->text, room);
    bool bold = sheet->keys[c] && row > 0 && used > 0;

    if (sheet->rights[c])
        sh_text_pad(render->out, room - used);
    if (bold)
        sh_style_begin(render->out, render->color, SH_STYLE_KEY);
    pk_buf_add(render->out, pk_buf_slice(&text));
    if (bold)
        sh_style_end(render->out, render->color);
    if (!sheet->rights[c])
        sh_text_pad(render->out, room - used);
    pk_buf_release(&text);
    if (*left != SIZE_MAX)
        *left -= room;
    return *left > sheet->gap;
}

static void trim_blanks(struct pk_buf *out, size_t from)
{
    while (out->len > from && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

static void add_row(struct sh_render *render, const struct sheet *sheet, size_t row)
{
    size_t left = render->width > 1 ? render->width - 1 : SIZE_MAX;
    size_t start = render->out->len;

    pk_buf_add_byte(render->out, ' ');
    for (size_t c = 0; c < sheet->columns; c++) {
        if (c > 0 && sheet->widths[c] == 0)
            continue; /* nothing in it, not even a heading */
        if (c > 0) {
            sh_text_pad(render->out, sheet->gap);
            if (left != SIZE_MAX)
                left -= sheet->gap;
        }
        if (!add_cell(render, sheet, row, c, &left) && c + 1 < sheet->columns) {
            /* columns that found no room at all: say that there are more */
            if (left > 0)
                pk_buf_add_cstr(render->out, "…");
            break;
        }
    }
    trim_blanks(render->out, start);
    pk_buf_add_byte(render->out, '\n');
}

static void fill_row(struct sheet *sheet, const struct sh_column *columns, size_t row,
                     pk_value item)
{
    struct pk_buf text = PK_BUF_INIT;

    for (size_t c = 0; c < sheet->columns; c++) {
        pk_buf_clear(&text);
        sh_render_cell(&text, pk_value_get(item, columns[c].name));
        sheet_set(sheet, row, c, pk_buf_slice(&text));
    }
    pk_buf_release(&text);
}

static void table_items(struct sh_render *render, const struct cmd_items *items)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct sheet sheet;
    struct pk_buf text = PK_BUF_INIT;
    size_t count = 0;
    const struct sh_column *columns = sh_render_columns(&arena, items, &count);

    sheet_init(&sheet, count, items->count);
    for (size_t c = 0; c < count; c++) {
        pk_buf_clear(&text);
        sh_text_safe(&text, columns[c].name, SH_TEXT_ONE_LINE);
        sheet_set(&sheet, 0, c, pk_buf_slice(&text));
        sheet.rights[c] = columns[c].right;
        sheet.keys[c] = columns[c].key;
    }
    for (size_t r = 0; r < items->count; r++)
        fill_row(&sheet, columns, r + 1, items->rows[r]);
    fit(&sheet, render->width);
    for (size_t r = 0; r <= items->count && items->count > 0 && count > 0; r++)
        add_row(render, &sheet, r);
    for (size_t r = 0; r < items->count && count == 0; r++)
        pk_buf_add_cstr(render->out, " {}\n"); /* none has any of the attributes asked for */
    pk_buf_release(&text);
    pk_arena_release(&sheet.arena);
    pk_arena_release(&arena);
}

/* ---- grids ----------------------------------------------------------------------------------- */

static bool has_bar(const struct cmd_grid *grid, size_t column)
{
    for (size_t r = 0; grid->bars != NULL && r < grid->row_count; r++) {
        if (grid->bars[r * grid->column_count + column] > 0)
            return true;
    }
    return false;
}

/* The text of every cell of a column, and its heading. */
static void fill_column(struct sheet *sheet, const struct cmd_grid *grid, size_t c)
{
    struct pk_buf text = PK_BUF_INIT;

    if (!grid->headless)
        sheet_set(sheet, 0, c, pk_slice_cstr(sh_grid_heading(grid, c)));
    for (size_t r = 0; r < grid->row_count; r++) {
        pk_buf_clear(&text);
        sh_text_safe(&text, grid->cells[r * grid->column_count + c], SH_TEXT_ONE_LINE);
        sheet_set(sheet, r + 1, c, pk_buf_slice(&text));
    }
    pk_buf_release(&text);
}

/* Columns of the widest text of a column, its heading apart. */
static size_t texts_width(const struct sheet *sheet, size_t c)
{
    size_t width = 0;

    for (size_t r = 1; r <= sheet->rows; r++) {
        size_t own = sheet->cells[r * sheet->columns + c].width;

        width = own > width ? own : width;
    }
    return width;
}

/* Puts the bars before the texts of a column, which stand below each other at the right. */
static void add_bars(struct sheet *sheet, const struct cmd_grid *grid, size_t c,
                     const struct sh_render *render, size_t width)
{
    size_t texts = texts_width(sheet, c);
    struct pk_buf text = PK_BUF_INIT;

    for (size_t r = 1; r <= sheet->rows; r++) {
        const struct cell *cell = &sheet->cells[r * sheet->columns + c];
        uint16_t bar = grid->bars[(r - 1) * grid->column_count + c];

        pk_buf_clear(&text);
        if (bar > 0)
            sh_bar(&text, bar - 1U, width, render->ascii);
        else
            sh_text_pad(&text, width);
        sh_text_pad(&text, 1 + texts - cell->width);
        pk_buf_add(&text, cell->text);
        sheet_set(sheet, r, c, pk_buf_slice(&text));
    }
    sheet->rights[c] = false;
    pk_buf_release(&text);
}

/* Beside bars a column without a heading says more of the one before it, and stands below the same
 * heading. */
static void join_columns(struct sheet *sheet, size_t into, size_t c)
{
    size_t texts = texts_width(sheet, into);
    struct pk_buf text = PK_BUF_INIT;

    for (size_t r = 1; r <= sheet->rows; r++) {
        const struct cell *cell = &sheet->cells[r * sheet->columns + into];
        const struct cell *more = &sheet->cells[r * sheet->columns + c];

        pk_buf_clear(&text);
        if (sheet->rights[into])
            sh_text_pad(&text, texts - cell->width);
        pk_buf_add(&text, cell->text);
        if (!sheet->rights[into])
            sh_text_pad(&text, texts - cell->width);
        pk_buf_add_byte(&text, ' ');
        pk_buf_add(&text, more->text);
        sheet_set(sheet, r, into, pk_buf_slice(&text));
    }
    sheet->rights[into] = false;
    sheet->widths[c] = 0;
    pk_buf_release(&text);
}

static void join_unnamed(struct sheet *sheet)
{
    size_t into = 0;

    for (size_t c = 1; c < sheet->columns; c++) {
        if (sheet->widths[c] == 0)
            continue;
        if (sheet->cells[c].width == 0 && sheet->cells[into].width > 0)
            join_columns(sheet, into, c);
        else
            into = c;
    }
}

static void fill_grid(struct sheet *sheet, const struct sh_render *render,
                      const struct cmd_grid *grid, size_t bar)
{
    for (size_t c = 0; c < sheet->columns; c++) {
        sheet->widths[c] = 0;
        sheet->rights[c] = grid->aligns[c] == CMD_RIGHT;
        fill_column(sheet, grid, c);
        if (has_bar(grid, c))
            add_bars(sheet, grid, c, render, bar);
    }
    if (grid->bars != NULL)
        join_unnamed(sheet);
}

/* With bars as wide as the terminal allows, when it can be. */
static void fit_grid(struct sheet *sheet, const struct sh_render *render,
                     const struct cmd_grid *grid)
{
    size_t bar = BAR_WIDEST;

    fill_grid(sheet, render, grid, bar);
    if (grid->bars == NULL || render->width == 0)
        return;
    while (total_width(sheet, SIZE_MAX, false) >= render->width && bar > BAR_NARROWEST)
        fill_grid(sheet, render, grid, --bar);
    if (total_width(sheet, SIZE_MAX, false) >= render->width)
        sheet->gap = GAP_NARROWEST;
}

/* Narrows the column that may be cut until the row fits, or it cannot be narrower. */
static void cut_column(struct sheet *sheet, size_t column, size_t width)
{
    size_t total = total_width(sheet, SIZE_MAX, false);
    size_t *own = &sheet->widths[column];
    size_t least = *own < NARROWEST_TEXT ? *own : NARROWEST_TEXT;

    if (width > 0 && total > width)
        *own = *own - least > total - width ? *own - (total - width) : least;
}

static void table_grid(struct sh_render *render, const struct cmd_grid *grid)
{
    struct sh_render uncut = *render;
    struct sheet sheet;

    if (grid->map != NULL) {
        sh_render_map(render, grid->map);
        return;
    }
    uncut.width = 0;
    sheet_init(&sheet, grid->column_count, grid->row_count);
    fit_grid(&sheet, render, grid);
    if (grid->cut > 0)
        cut_column(&sheet, grid->cut - 1, render->width);
    for (size_t r = grid->headless ? 1 : 0; r <= grid->row_count && grid->row_count > 0; r++)
        add_row(&uncut, &sheet, r);
    pk_arena_release(&sheet.arena);
}

const struct sh_render_ops sh_render_table = {.items = table_items, .grid = table_grid};
