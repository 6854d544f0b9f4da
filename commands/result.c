#include "commands/result.h"

#include <stdio.h>

#include "commands/language/lex.h"
#include "engine/base/base64.h"

void cmd_result_init(struct cmd_result *result)
{
    *result = (struct cmd_result){.arena = PK_ARENA_INIT};
}

void cmd_result_release(struct cmd_result *result)
{
    pk_arena_release(&result->arena);
    cmd_result_init(result);
}

static struct cmd_block *add_block(struct cmd_result *result, enum cmd_block_kind kind)
{
    struct cmd_block *block = PK_NEW(&result->arena, struct cmd_block);

    block->kind = kind;
    if (result->last == NULL)
        result->first = block;
    else
        result->last->next = block;
    result->last = block;
    return block;
}

struct cmd_items *cmd_result_items(struct cmd_result *result)
{
    return &add_block(result, CMD_BLOCK_ITEMS)->items;
}

struct cmd_grid *cmd_result_grid(struct cmd_result *result, const char *const *columns,
                                 const enum cmd_align *aligns, size_t count)
{
    struct cmd_grid *grid = &add_block(result, CMD_BLOCK_GRID)->grid;

    grid->columns = PK_NEW_ARRAY(&result->arena, const char *, count);
    grid->aligns = PK_NEW_ARRAY(&result->arena, enum cmd_align, count);
    grid->column_count = count;
    for (size_t i = 0; i < count; i++) {
        grid->columns[i] = columns[i];
        grid->aligns[i] = aligns == NULL ? CMD_LEFT : aligns[i];
    }
    return grid;
}

/* An array of the grid's, with room for more rows: old_rows are kept, the rest is zero. */
static void *grown(struct cmd_result *result, const void *old, size_t old_rows, size_t rows,
                   size_t row_size)
{
    char *array = pk_arena_calloc(&result->arena, rows, row_size);

    if (old_rows > 0)
        memcpy(array, old, old_rows * row_size);
    return array;
}

static bool is_full(size_t rows)
{
    return (rows & (rows - 1)) == 0;
}

/* The cells grow by doubling: room is there exactly when row_count is no power of two. */
void cmd_grid_row(struct cmd_result *result, struct cmd_grid *grid, const pk_slice *cells)
{
    size_t n = grid->row_count;
    size_t width = grid->column_count;

    if (is_full(n)) {
        size_t rows = n == 0 ? 1 : 2 * n;

        grid->cells = grown(result, grid->cells, n, rows, width * sizeof(*grid->cells));
        if (grid->bars != NULL)
            grid->bars = grown(result, grid->bars, n, rows, width * sizeof(*grid->bars));
    }
    memcpy(grid->cells + n * width, cells, width * sizeof(*cells));
    grid->row_count++;
}

void cmd_grid_heading(struct cmd_result *result, struct cmd_grid *grid, size_t column,
                      const char *heading)
{
    if (grid->headings == NULL)
        grid->headings = PK_NEW_ARRAY(&result->arena, const char *, grid->column_count);
    grid->headings[column] = heading;
}

void cmd_grid_cut(struct cmd_grid *grid, size_t column)
{
    grid->cut = column + 1;
}

void cmd_grid_bar(struct cmd_result *result, struct cmd_grid *grid, size_t column, uint64_t part,
                  uint64_t whole)
{
    enum { FULL = 1000 };
    size_t rows = 1;
    uint64_t filled;

    while (rows < grid->row_count)
        rows *= 2;
    if (grid->bars == NULL)
        grid->bars = grown(result, NULL, 0, rows, grid->column_count * sizeof(*grid->bars));
    if (whole == 0 || part == 0)
        filled = 0;
    else if (part >= whole)
        filled = FULL;
    else /* so large that the product would not fit: a rougher share */
        filled = part > UINT64_MAX / FULL ? part / (whole / FULL) : part * FULL / whole;
    if (whole > part && filled >= FULL)
        filled = FULL - 1;
    if (filled == 0 && part > 0 && whole > 0)
        filled = 1;
    grid->bars[(grid->row_count - 1) * grid->column_count + column] = (uint16_t)(filled + 1);
}

void cmd_result_text(struct cmd_result *result, enum cmd_block_kind kind, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_block(result, kind)->text = pk_arena_vprintf(&result->arena, format, args);
    va_end(args);
}

void cmd_result_prepend_note(struct cmd_result *result, pk_slice text)
{
    struct cmd_block *block = PK_NEW(&result->arena, struct cmd_block);

    block->kind = CMD_BLOCK_NOTE;
    block->text = pk_arena_dup(&result->arena, text);
    block->next = result->first;
    result->first = block;
    if (result->last == NULL)
        result->last = block;
}

void cmd_result_hint_at(struct cmd_result *result, struct pk_span span, const char *format, ...)
{
    struct cmd_block *block = add_block(result, CMD_BLOCK_HINT);
    va_list args;

    va_start(args, format);
    block->text = pk_arena_vprintf(&result->arena, format, args);
    block->span = span;
    va_end(args);
}

/* ---- values as text -------------------------------------------------------------------------- */

static void number_text(struct pk_buf *out, pk_value value)
{
    struct pk_num num = pk_value_num(value);
    char text[PK_NUM_TEXT_MAX];
    size_t len = pk_num_format(&num, text);

    pk_buf_add(out, pk_slice_of(text, len));
}

static void sequence_text(struct pk_buf *out, pk_value value, const char *open, const char *close)
{
    pk_buf_add_cstr(out, open);
    for (uint32_t i = 0; i < value.len; i++) {
        if (i > 0)
            pk_buf_add_cstr(out, ", ");
        cmd_value_text(out, value.u.items[i]);
    }
    pk_buf_add_cstr(out, close);
}

static void map_text(struct pk_buf *out, pk_value value)
{
    pk_buf_add_byte(out, '{');
    for (uint32_t i = 0; i < value.len; i++) {
        if (i > 0)
            pk_buf_add_cstr(out, ", ");
        cmd_quote(out, value.u.members[i].name);
        pk_buf_add_cstr(out, ": ");
        cmd_value_text(out, value.u.members[i].value);
    }
    pk_buf_add_byte(out, '}');
}

void cmd_value_text(struct pk_buf *out, pk_value value)
{
    switch (pk_value_kind(value)) {
    case PK_MISSING:
        return;
    case PK_NULL:
        pk_buf_add_cstr(out, "null");
        return;
    case PK_BOOL:
        pk_buf_add_cstr(out, value.boolean ? "true" : "false");
        return;
    case PK_NUMBER:
        number_text(out, value);
        return;
    case PK_STRING:
        cmd_quote(out, pk_value_bytes(value));
        return;
    case PK_BINARY:
        pk_buf_add_cstr(out, "b64'");
        pk_base64_encode(out, pk_value_bytes(value));
        pk_buf_add_byte(out, '\'');
        return;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        sequence_text(out, value, "<<", ">>");
        return;
    case PK_LIST:
        sequence_text(out, value, "[", "]");
        return;
    case PK_MAP:
        map_text(out, value);
        return;
    }
}

void cmd_key_value_text(struct pk_buf *out, pk_value value)
{
    pk_slice text = pk_value_bytes(value);

    if (pk_value_kind(value) == PK_STRING && text.len > 0 && text.data[0] != '`' &&
        cmd_word_at(text, 0).len == text.len && text.data[text.len - 1] != '*' &&
        memmem(text.data, text.len, "..", 2) == NULL)
        pk_buf_add(out, text);
    else
        cmd_value_text(out, value);
}

/* ---- figures --------------------------------------------------------------------------------- */

pk_slice cmd_format_count(struct pk_arena *arena, uint64_t n)
{
    char digits[32];
    char out[48];
    size_t len = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
    size_t at = 0;

    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    return pk_arena_dup(arena, pk_slice_of(out, at));
}

/* One decimal above 1,023 B, rounded to the nearest tenth; whole bytes below. */
pk_slice cmd_format_bytes(struct pk_arena *arena, uint64_t bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB", "PB"};
    uint64_t scale = 1024;
    size_t unit = 0;
    uint64_t tenths;

    if (bytes < 1024)
        return pk_arena_printf(arena, "%llu B", (unsigned long long)bytes);
    while (bytes / scale >= 1024 && unit < 4) {
        scale *= 1024;
        unit++;
    }
    tenths = bytes / scale * 10 + (bytes % scale * 10 + scale / 2) / scale;
    if (tenths % 10 == 0)
        return pk_arena_printf(arena, "%llu %s", (unsigned long long)(tenths / 10), units[unit]);
    return pk_arena_printf(arena, "%llu.%llu %s", (unsigned long long)(tenths / 10),
                           (unsigned long long)(tenths % 10), units[unit]);
}

pk_slice cmd_format_whole_bytes(struct pk_arena *arena, uint64_t bytes)
{
    enum { MB = 1024 * 1024 };

    if (bytes >= MB)
        return cmd_format_bytes(arena, bytes);
    return pk_arena_printf(arena, "%.*s B", PK_FMT(cmd_format_count(arena, bytes)));
}

pk_slice cmd_format_units(struct pk_arena *arena, int64_t milli)
{
    uint64_t whole = (uint64_t)(milli < 0 ? 0 : milli);
    pk_slice count = cmd_format_count(arena, whole / 1000);
    unsigned rest = (unsigned)(whole % 1000);

    if (rest == 0)
        return count;
    if (rest % 100 == 0)
        return pk_arena_printf(arena, "%.*s.%u", PK_FMT(count), rest / 100);
    return pk_arena_printf(arena, "%.*s.%03u", PK_FMT(count), rest);
}
