/*
 * The map as a drawing (SVG 1.1), for slides. Colours are steps of cividis, which people with and
 * without colour blindness see alike, from dark to bright; what throttled has a cross as well.
 */
#include "commands/heat.h"
#include "commands/ranges.h"
#include "commands/time_text.h"
#include "engine/base/utf8.h"

enum {
    TOP = 64,
    LEFT_LEAST = 110,
    LETTER = 7, /* about as wide as a letter of a label */
    BOTTOM = 84,
    RIGHT = 30,
    ROW_HEIGHT = 20,
    MAP_WIDTH = 900,
    WIDTH_LEAST = 640, /* the legend fits */
    CELL_LEAST = 3,
    CELL_MOST = 24,
    SHADES = 5
};

static const struct {
    unsigned from;
    const char *color, *legend;
} shades[SHADES] = {
    {0, "#f2f2f2", "nothing"}, {1, "#00204d", "to 25% of the limit"},
    {250, "#575d6d", "50%"},   {500, "#a69d75", "80%"},
    {800, "#ffea46", "more"},
};

struct drawing {
    struct pk_buf *out;
    const struct cmd_heat *heat;
    struct pk_arena arena;
    size_t left; /* where the map begins: beside the longest label */
    size_t cell; /* width */
    pk_slice *labels;
    size_t width, height;
};

/* Text between tags: markup is escaped, what no XML holds becomes U+FFFD. */
static void add_text(struct pk_buf *out, pk_slice text)
{
    while (text.len > 0) {
        pk_slice before = text;
        uint32_t c;

        if (!pk_utf8_take(&text, &c)) {
            text = pk_slice_skip(text, 1);
            c = 0;
        }
        if (c < 0x20 || c == 0x7f || (c & 0xfffe) == 0xfffe)
            pk_buf_add_cstr(out, "\xEF\xBF\xBD");
        else if (c == '<')
            pk_buf_add_cstr(out, "&lt;");
        else if (c == '>')
            pk_buf_add_cstr(out, "&gt;");
        else if (c == '&')
            pk_buf_add_cstr(out, "&amp;");
        else
            pk_buf_add(out, pk_slice_of(before.data, before.len - text.len));
    }
}

/* anchor: "start", "middle" or "end". */
static void text_at(struct drawing *drawing, size_t x, size_t y, const char *anchor, pk_slice text)
{
    pk_buf_printf(drawing->out, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"%s\">", x, y, anchor);
    add_text(drawing->out, text);
    pk_buf_add_cstr(drawing->out, "</text>\n");
}

static size_t shade_of(unsigned level)
{
    size_t i = SHADES - 1;

    while (i > 0 && level < shades[i].from)
        i--;
    return i;
}

static size_t row_top(size_t row)
{
    return TOP + row * ROW_HEIGHT;
}

static void add_rect(struct drawing *drawing, size_t row, size_t first, size_t end, size_t shade)
{
    pk_buf_printf(drawing->out,
                  "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%d\" fill=\"%s\"/>\n",
                  drawing->left + first * drawing->cell, row_top(row),
                  (end - first) * drawing->cell, ROW_HEIGHT - 2, shades[shade].color);
}

/* Neighbours of one shade are one rectangle. */
static void add_cells(struct drawing *drawing, size_t row)
{
    const struct cmd_heat *heat = drawing->heat;
    size_t first = 0;

    while (first < heat->seconds) {
        size_t shade = shade_of(cmd_heat_cell(heat, row, first).level);
        size_t end = first + 1;

        while (end < heat->seconds && shade_of(cmd_heat_cell(heat, row, end).level) == shade)
            end++;
        add_rect(drawing, row, first, end, shade);
        first = end;
    }
}

static void add_cross(struct drawing *drawing, size_t x, size_t y)
{
    size_t size = drawing->cell < 9 ? drawing->cell : 9;

    pk_buf_printf(drawing->out, "M%zu %zul%zu %zum0-%zul-%zu %zu", x, y, size, size, size, size,
                  size);
}

static void add_crosses(struct drawing *drawing, size_t row)
{
    const struct cmd_heat *heat = drawing->heat;
    bool any = false;

    for (size_t i = 0; i < heat->seconds; i++) {
        size_t size = drawing->cell < 9 ? drawing->cell : 9;

        if (cmd_heat_cell(heat, row, i).refused == 0)
            continue;
        if (!any)
            pk_buf_add_cstr(drawing->out, "<path class=\"x\" d=\"");
        any = true;
        add_cross(drawing, drawing->left + i * drawing->cell + (drawing->cell - size) / 2,
                  row_top(row) + (ROW_HEIGHT - 2 - size) / 2);
    }
    if (any)
        pk_buf_add_cstr(drawing->out, "\"/>\n");
}

/* The labels, and the room that they take. */
static void make_labels(struct drawing *drawing)
{
    const struct cmd_snapshot *snapshot = drawing->heat->snapshot;
    int digits = cmd_token_digits(snapshot);

    drawing->left = LEFT_LEAST;
    drawing->labels = PK_NEW_ARRAY(&drawing->arena, pk_slice, snapshot->count);
    for (size_t row = 0; row < snapshot->count; row++) {
        const struct cmd_snapshot_partition *partition = &snapshot->partitions[row];
        pk_slice range = cmd_range_text(&drawing->arena, partition, digits);
        size_t width;

        drawing->labels[row] =
            pk_arena_printf(&drawing->arena, "%u  %.*s", partition->number, PK_FMT(range));
        width = 24 + LETTER * drawing->labels[row].len;
        drawing->left = width > drawing->left ? width : drawing->left;
    }
}

static void add_rows(struct drawing *drawing)
{
    for (size_t row = 0; row < drawing->heat->snapshot->count; row++) {
        text_at(drawing, drawing->left - 8, row_top(row) + 13, "end", drawing->labels[row]);
        add_cells(drawing, row);
        add_crosses(drawing, row);
    }
}

/* A tick every 10 seconds, or every minute of a long one. */
static void add_time_axis(struct drawing *drawing)
{
    const struct cmd_heat *heat = drawing->heat;
    size_t y = row_top(heat->snapshot->count);
    size_t step = drawing->cell * 10 >= 70 ? 10 : 60;
    int64_t first_ms = heat->end_ms - ((int64_t)heat->seconds - 1) * 1000;

    for (size_t i = 0; i < heat->seconds; i++) {
        int64_t second = first_ms / 1000 + (int64_t)i;
        size_t x = drawing->left + i * drawing->cell;

        if (second % (int64_t)step != 0 && !(i == 0 && heat->seconds < step))
            continue;
        pk_buf_printf(drawing->out, "<path class=\"a\" d=\"M%zu %zuv5\"/>\n", x, y);
        text_at(drawing, x, y + 18, "middle",
                pk_slice_cstr(cmd_time_of_day(first_ms + (int64_t)i * 1000).text));
    }
    text_at(drawing, drawing->left + heat->seconds * drawing->cell / 2, y + 38, "middle",
            PK_LIT("simulated time, a column is a second"));
}

static void add_legend(struct drawing *drawing)
{
    size_t y = drawing->height - 14;
    size_t x = 20;

    for (size_t i = 0; i < SHADES; i++) {
        pk_buf_printf(drawing->out,
                      "<rect x=\"%zu\" y=\"%zu\" width=\"14\" height=\"14\" fill=\"%s\"/>\n", x,
                      y - 11, shades[i].color);
        text_at(drawing, x + 20, y, "start", pk_slice_cstr(shades[i].legend));
        x += 34 + 8 * strlen(shades[i].legend);
    }
    pk_buf_add_cstr(drawing->out, "<path class=\"x\" d=\"");
    drawing->cell = drawing->cell < 9 ? 9 : drawing->cell;
    add_cross(drawing, x, y - 9);
    pk_buf_add_cstr(drawing->out, "\"/>\n");
    text_at(drawing, x + 16, y, "start",
            drawing->heat->snapshot->throttle == CMD_THROTTLE_OBSERVE ? PK_LIT("would throttle")
                                                                      : PK_LIT("throttled"));
}

static void add_title(struct drawing *drawing)
{
    const struct cmd_snapshot *snapshot = drawing->heat->snapshot;
    pk_slice keys = cmd_heat_keys(drawing->heat, 3, &drawing->arena);
    pk_slice title =
        pk_arena_printf(&drawing->arena, "Heat of %.*s%s%.*s by partition", PK_FMT(snapshot->table),
                        snapshot->index.len > 0 ? "." : "", PK_FMT(snapshot->index));

    pk_buf_add_cstr(drawing->out, "<title>");
    add_text(drawing->out, title);
    pk_buf_add_cstr(drawing->out, "</title>\n<g font-size=\"17\">");
    text_at(drawing, 20, 26, "start", title);
    pk_buf_add_cstr(drawing->out, "</g>\n");
    if (keys.len > 0)
        text_at(drawing, 20, 46, "start",
                pk_arena_printf(&drawing->arena, "hottest: %.*s", PK_FMT(keys)));
}

void cmd_heat_svg(struct pk_buf *out, const struct cmd_heat *heat)
{
    struct drawing drawing = {.out = out, .heat = heat, .arena = PK_ARENA_INIT};
    size_t cell = heat->seconds == 0 ? CELL_MOST : MAP_WIDTH / heat->seconds;

    drawing.cell = cell < CELL_LEAST ? CELL_LEAST : cell > CELL_MOST ? CELL_MOST : cell;
    make_labels(&drawing);
    drawing.width = drawing.left + RIGHT + heat->seconds * drawing.cell;
    if (drawing.width < WIDTH_LEAST)
        drawing.width = WIDTH_LEAST;
    drawing.height = TOP + heat->snapshot->count * ROW_HEIGHT + BOTTOM;
    pk_buf_printf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
                  "viewBox=\"0 0 %zu %zu\" font-family=\"sans-serif\" font-size=\"12\" "
                  "fill=\"#222\">\n<style>.x{stroke:#ff3b30;stroke-width:1.8;fill:none}"
                  ".a{stroke:#222;fill:none}</style>\n",
                  drawing.width, drawing.height, drawing.width, drawing.height);
    pk_buf_printf(out, "<rect width=\"%zu\" height=\"%zu\" fill=\"#fff\"/>\n", drawing.width,
                  drawing.height);
    add_title(&drawing);
    add_rows(&drawing);
    add_time_axis(&drawing);
    add_legend(&drawing);
    pk_buf_add_cstr(out, "</svg>\n");
    pk_arena_release(&drawing.arena);
}
