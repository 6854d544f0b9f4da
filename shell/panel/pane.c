/*
 * Lines in a ring, each with the rows it takes at the width of the day. The view is said in rows
 * from the end, and moves along when something is added while it is scrolled back.
 */
#include "shell/panel/pane.h"

#include <stdlib.h>

#include "shell/panel/flow.h"

struct line {
    char *text;
    size_t len;
    int rows;
};

struct sh_pane {
    struct line lines[SH_PANE_LINES]; /* a ring */
    size_t first, count;
    size_t bytes;
    size_t lost;        /* lines that had to go */
    struct pk_buf open; /* the last line, which has no newline yet */
    int open_rows;      /* 0: it is empty */
    bool carriage;      /* the next byte begins the last line anew */
    char escape[16];    /* a sequence that is not complete */
    size_t escape_len;
    int columns, height;
    bool ascii;
    long rows;  /* of all lines at that width */
    long below; /* rows below the view */
    long blank; /* rows at the end that are kept empty, since it was cleared */
};

struct sh_pane *sh_pane_new(void)
{
    struct sh_pane *pane = pk_calloc(1, sizeof(*pane));

    pane->columns = 80;
    pane->height = 1;
    return pane;
}

void sh_pane_free(struct sh_pane *pane)
{
    if (pane == NULL)
        return;
    for (size_t i = 0; i < pane->count; i++)
        free(pane->lines[(pane->first + i) % SH_PANE_LINES].text);
    pk_buf_release(&pane->open);
    free(pane);
}

static struct line *line_at(struct sh_pane *pane, size_t i)
{
    return &pane->lines[(pane->first + i) % SH_PANE_LINES];
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int rows_of(const struct sh_pane *pane, pk_slice text)
{
    struct sh_flow flow = {.columns = pane->columns, .ascii = pane->ascii, .mark = SIZE_MAX};

    return sh_flow(&flow, text);
}

static void drop_oldest(struct sh_pane *pane)
{
    struct line *line = line_at(pane, 0);

    pane->bytes -= line->len;
    pane->rows -= line->rows;
    pane->lost++;
    free(line->text);
    pane->first = (pane->first + 1) % SH_PANE_LINES;
    pane->count--;
}

/* Rows were added at the end: a view that is scrolled back stays where it is. */
static void grow(struct sh_pane *pane, long rows)
{
    long room = pane->blank > rows ? rows : pane->blank;

    pane->rows += rows;
    pane->blank -= room > 0 ? room : 0;
    if (pane->below > 0)
        pane->below += rows;
}

static void measure_open(struct sh_pane *pane)
{
    int rows = pane->open.len == 0 ? 0 : rows_of(pane, pk_buf_slice(&pane->open));

    if (rows != pane->open_rows)
        grow(pane, rows - pane->open_rows);
    pane->open_rows = rows;
}

static void end_line(struct sh_pane *pane)
{
    size_t len = pane->open.len;
    int rows = rows_of(pane, pk_buf_slice(&pane->open));

    grow(pane, rows - pane->open_rows);
    pane->open_rows = 0;
    while (pane->count == SH_PANE_LINES || (pane->count > 0 && pane->bytes + len > SH_PANE_BYTES))
        drop_oldest(pane);
    *line_at(pane, pane->count) = (struct line){
        .text = pk_memdup_cstr(len == 0 ? "" : pane->open.data, len), .len = len, .rows = rows};
    pane->count++;
    pane->bytes += len;
    pk_buf_clear(&pane->open);
}

/* A sequence is complete: SGR stays in the text, one that clears the screen is obeyed, others have
 * no meaning here. */
static void end_escape(struct sh_pane *pane)
{
    char final = pane->escape[pane->escape_len - 1];

    if (final == 'm')
        pk_buf_add(&pane->open, pk_slice_of(pane->escape, pane->escape_len));
    else if (final == 'J')
        sh_pane_clear(pane);
    pane->escape_len = 0;
}

/* What is longer than any sequence of ours is dropped as a whole. */
static void take_escape_byte(struct sh_pane *pane, char byte)
{
    bool full = pane->escape_len == sizeof(pane->escape);

    if (!full)
        pane->escape[pane->escape_len++] = byte;
    if (pane->escape_len == 2 && byte != '[')
        pane->escape_len = 0;
    else if (full && byte >= 0x40)
        pane->escape_len = 0;
    else if (pane->escape_len > 2 && byte >= 0x40)
        end_escape(pane);
}

static void take_byte(struct sh_pane *pane, char byte)
{
    if (pane->escape_len > 0 || byte == '\033') {
        take_escape_byte(pane, byte);
        return;
    }
    if (byte == '\n') {
        end_line(pane);
    } else if (byte == '\r') {
        pane->carriage = true;
        return;
    } else {
        if (pane->carriage)
            pk_buf_clear(&pane->open);
        pk_buf_add_byte(&pane->open, (unsigned char)byte);
        /* not in the middle of a character */
        if (pane->open.len >= SH_PANE_LINE_BYTES && ((unsigned char)byte & 0xc0) != 0x80)
            end_line(pane);
    }
    pane->carriage = false;
}

void sh_pane_write(struct sh_pane *pane, pk_slice bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        take_byte(pane, bytes.data[i]);
    measure_open(pane);
}

/* ---- the view -------------------------------------------------------------------------------- */

void sh_pane_clear(struct sh_pane *pane)
{
    if (pane->open.len > 0)
        end_line(pane);
    pane->blank = pane->height;
    pane->below = 0;
}

static long most_below(const struct sh_pane *pane)
{
    long most = pane->rows + pane->blank + (pane->lost > 0) - pane->height;

    return most < 0 ? 0 : most;
}

void sh_pane_scroll(struct sh_pane *pane, int rows)
{
    pane->below += rows;
    if (pane->below > most_below(pane))
        pane->below = most_below(pane);
    if (pane->below < 0)
        pane->below = 0;
}

void sh_pane_follow(struct sh_pane *pane)
{
    pane->below = 0;
}

int sh_pane_below(const struct sh_pane *pane)
{
    return (int)pane->below;
}

static void resize(struct sh_pane *pane, const struct sh_area *area)
{
    int columns = area->width < 1 ? 1 : area->width;
    int height = area->height;
    bool ascii = area->canvas->ascii;

    if (pane->blank > height)
        pane->blank = height;
    pane->height = height;
    if (columns != pane->columns || ascii != pane->ascii) {
        pane->columns = columns;
        pane->ascii = ascii;
        pane->rows = 0;
        for (size_t i = 0; i < pane->count; i++) {
            struct line *line = line_at(pane, i);

            line->rows = rows_of(pane, pk_slice_of(line->text, line->len));
            pane->rows += line->rows;
        }
        pane->open_rows = pane->open.len == 0 ? 0 : rows_of(pane, pk_buf_slice(&pane->open));
        pane->rows += pane->open_rows;
    }
    sh_pane_scroll(pane, 0);
}

/* Draws the part of a line that begins in row `top` that is in view. */
static void draw_line(const struct sh_pane *pane, const struct sh_area *area, pk_slice text,
                      long top)
{
    int y = top < 0 ? 0 : (int)top;
    struct sh_area part = sh_area_part(area, y, 0, area->height - y, area->width);
    struct sh_flow flow = {.columns = pane->columns,
                           .ascii = pane->ascii,
                           .area = &part,
                           .skip = top < 0 ? (int)-top : 0,
                           .mark = SIZE_MAX};

    sh_flow(&flow, text);
}

static void draw_lost(const struct sh_pane *pane, const struct sh_area *area, long row)
{
    struct pk_buf text = PK_BUF_INIT;

    if (pane->lost == 0 || row < 0)
        return;
    pk_buf_printf(&text, " %s %zu earlier line%s gone: at most %d lines and %d MB are kept", "…",
                  pane->lost, pane->lost == 1 ? " is" : "s are", SH_PANE_LINES,
                  SH_PANE_BYTES >> 20);
    sh_put_cut(area, sh_at((int)row, 0, area->width), SH_INK_DIM, pk_buf_slice(&text));
    pk_buf_release(&text);
}

void sh_pane_draw(struct sh_pane *pane, const struct sh_area *area)
{
    resize(pane, area);

    /* from the end upwards; what fits on one page begins at its top */
    long total = pane->rows + pane->blank + (pane->lost > 0);
    long bottom = (total < area->height ? total : area->height) + pane->below - pane->blank;

    bottom -= pane->open_rows;
    if (pane->open_rows > 0 && bottom < area->height)
        draw_line(pane, area, pk_buf_slice(&pane->open), bottom);
    for (size_t i = pane->count; i > 0 && bottom > 0; i--) {
        const struct line *line = line_at(pane, i - 1);

        bottom -= line->rows;
        if (bottom < area->height)
            draw_line(pane, area, pk_slice_of(line->text, line->len), bottom);
        if (i == 1)
            draw_lost(pane, area, bottom - 1);
    }
}
