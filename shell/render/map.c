/*
 * A grid's map: rows of cells, a second each, shaded by how full it was. Where there are more
 * seconds than columns, a cell stands for several: it shows the fullest, and a mark if any had one.
 */
#include "shell/render/render.h"

#include "commands/time_text.h"
#include "shell/render/text_safe.h"

enum { UNLIMITED = 100, LEAST_CELLS = 10, NOTE_WIDEST = 24, SHADES = 5, GAP = 2 };

static const struct shade {
    unsigned from; /* thousandths */
    const char *utf8, *ascii, *legend;
} shades[SHADES] = {
    {0, " ", " ", NULL},
    {1, "\xE2\x96\x91", ".", "to 25%"},
    {250, "\xE2\x96\x92", ":", "50%"},
    {500, "\xE2\x96\x93", "*", "80%"},
    {800, "\xE2\x96\x88", "#", "more"},
};

struct drawing {
    struct sh_render *render;
    const struct cmd_map *map;
    size_t label, note; /* widths */
    size_t cells;       /* columns of the map */
    size_t each;        /* seconds of a cell */
};

/* The panel's symbol for what is refused, too. */
static const char *mark_of(const struct drawing *drawing)
{
    return drawing->render->ascii ? "!" : "\xE2\x95\xB3";
}

static size_t widest(const pk_slice *texts, size_t count)
{
    struct pk_buf safe = PK_BUF_INIT;
    size_t most = 0;

    for (size_t i = 0; i < count; i++) {
        size_t width;

        pk_buf_clear(&safe);
        sh_text_safe(&safe, texts[i], SH_TEXT_ONE_LINE);
        width = sh_text_width(pk_buf_slice(&safe));
        most = width > most ? width : most;
    }
    pk_buf_release(&safe);
    return most;
}

static struct drawing fit(struct sh_render *render, const struct cmd_map *map)
{
    struct drawing drawing = {.render = render, .map = map};
    size_t room = UNLIMITED;
    size_t taken;

    drawing.label = widest(map->labels, map->rows);
    drawing.note = widest(map->notes, map->rows);
    if (drawing.note > NOTE_WIDEST)
        drawing.note = NOTE_WIDEST;
    taken = 1 + drawing.label + GAP + (drawing.note > 0 ? GAP + drawing.note : 0) + 1;
    if (render->width > 0)
        room = render->width > taken + LEAST_CELLS ? render->width - taken : LEAST_CELLS;
    drawing.each = (map->columns + room - 1) / room;
    if (drawing.each == 0)
        drawing.each = 1;
    drawing.cells = (map->columns + drawing.each - 1) / drawing.each;
    return drawing;
}

/* The cells end with the last second; the first may stand for fewer. */
static void look_at(const struct drawing *drawing, size_t row, size_t cell, unsigned *level,
                    bool *mark)
{
    const struct cmd_map *map = drawing->map;
    size_t behind = (drawing->cells - 1 - cell) * drawing->each;
    size_t end = map->columns - behind;
    size_t start = end > drawing->each ? end - drawing->each : 0;

    *level = 0;
    *mark = false;
    for (size_t i = start; i < end; i++) {
        unsigned own = map->levels[row * map->columns + i];

        *level = own > *level ? own : *level;
        *mark = *mark || map->marks[row * map->columns + i];
    }
}

static const char *shade_of(const struct drawing *drawing, unsigned level)
{
    size_t i = SHADES - 1;

    while (i > 0 && level < shades[i].from)
        i--;
    return drawing->render->ascii ? shades[i].ascii : shades[i].utf8;
}

static void add_text(struct pk_buf *out, pk_slice text, size_t width)
{
    struct pk_buf safe = PK_BUF_INIT;

    sh_text_safe(&safe, text, SH_TEXT_ONE_LINE);
    sh_text_pad(out, width - sh_text_fit(out, pk_buf_slice(&safe), width));
    pk_buf_release(&safe);
}

static void trim(struct pk_buf *out)
{
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

static void add_row(const struct drawing *drawing, size_t row)
{
    struct pk_buf *out = drawing->render->out;

    pk_buf_add_byte(out, ' ');
    add_text(out, drawing->map->labels[row], drawing->label);
    sh_text_pad(out, GAP);
    for (size_t cell = 0; cell < drawing->cells; cell++) {
        unsigned level;
        bool mark;

        look_at(drawing, row, cell, &level, &mark);
        if (mark)
            sh_style_begin(out, drawing->render->color, SH_STYLE_ERROR);
        pk_buf_add_cstr(out, mark ? mark_of(drawing) : shade_of(drawing, level));
        if (mark)
            sh_style_end(out, drawing->render->color);
    }
    sh_text_pad(out, GAP);
    add_text(out, drawing->map->notes[row], drawing->note);
    trim(out);
    pk_buf_add_byte(out, '\n');
}

/* When it begins and ends, below its edges; a narrow one says the end only. */
static void add_axis(const struct drawing *drawing)
{
    struct pk_buf *out = drawing->render->out;
    const struct cmd_map *map = drawing->map;
    size_t width = strlen("00:00:00");
    bool both = drawing->cells >= 2 * width + 1;

    sh_text_pad(out, 1 + drawing->label + GAP);
    if (both)
        pk_buf_add_cstr(out,
                        cmd_time_of_day(map->end_ms - ((int64_t)map->columns - 1) * 1000).text);
    if (both)
        sh_text_pad(out, drawing->cells - 2 * width);
    pk_buf_add_cstr(out, cmd_time_of_day(map->end_ms).text);
    if (drawing->each > 1)
        pk_buf_printf(out, "  a column is %zu s", drawing->each);
    pk_buf_add_byte(out, '\n');
}

static void add_legend(const struct drawing *drawing)
{
    struct pk_buf *out = drawing->render->out;

    sh_style_begin(out, drawing->render->color, SH_STYLE_DIM);
    for (size_t i = 1; i < SHADES; i++)
        pk_buf_printf(out, " %s %s ", drawing->render->ascii ? shades[i].ascii : shades[i].utf8,
                      shades[i].legend);
    pk_buf_printf(out, "of %s  %s %s", drawing->map->full, mark_of(drawing), drawing->map->mark);
    sh_style_end(out, drawing->render->color);
    pk_buf_add_byte(out, '\n');
}

void sh_render_map(struct sh_render *render, const struct cmd_map *map)
{
    struct drawing drawing = fit(render, map);

    if (map->rows == 0 || map->columns == 0)
        return;
    if (map->head.len > 0) {
        pk_buf_add_byte(render->out, ' ');
        sh_text_safe(render->out, map->head, SH_TEXT_ONE_LINE);
        pk_buf_add_byte(render->out, '\n');
    }
    for (size_t row = 0; row < map->rows; row++)
        add_row(&drawing, row);
    add_axis(&drawing);
    add_legend(&drawing);
}
