/* Cells, clipping and columns; see canvas.h. */
#include "shell/panel/canvas.h"

#include <stdlib.h>
#include <wchar.h>

#include "engine/base/utf8.h"
#include "shell/render/text_safe.h"

static int clamp(int n, int low, int high)
{
    return n < low ? low : n > high ? high : n;
}

static const struct sh_cell BLANK = {.text = " ", .width = 1, .ink = SH_INK_TEXT};

void sh_canvas_reset(struct sh_canvas *canvas, const struct sh_look *look, int height, int width)
{
    height = clamp(height, 0, SH_CANVAS_ROWS_MAX);
    width = clamp(width, 0, SH_CANVAS_COLUMNS_MAX);
    if (height != canvas->height || width != canvas->width || canvas->cells == NULL) {
        sh_canvas_release(canvas);
        canvas->cells = pk_calloc((size_t)height * (size_t)width + 1, sizeof(*canvas->cells));
        canvas->height = height;
        canvas->width = width;
    }
    canvas->ascii = !look->utf8;
    for (int i = 0; i < height * width; i++)
        canvas->cells[i] = BLANK;
}

void sh_canvas_release(struct sh_canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct sh_canvas)SH_CANVAS_INIT;
}

static struct sh_cell *cell_at(const struct sh_canvas *canvas, int y, int x)
{
    if (y < 0 || x < 0 || y >= canvas->height || x >= canvas->width)
        return NULL;
    return &canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x];
}

const struct sh_cell *sh_canvas_at(const struct sh_canvas *canvas, int y, int x)
{
    return cell_at(canvas, y, x);
}

void sh_canvas_text(const struct sh_canvas *canvas, struct pk_buf *out)
{
    for (int y = 0; y < canvas->height; y++) {
        size_t solid = out->len;

        for (int x = 0; x < canvas->width; x++) {
            const struct sh_cell *cell = cell_at(canvas, y, x);

            pk_buf_add_cstr(out, cell->text);
            if (strcmp(cell->text, " ") != 0)
                solid = out->len;
        }
        out->len = solid; /* the newline ends the text again */
        pk_buf_add_byte(out, '\n');
    }
}

struct sh_area sh_area_whole(struct sh_canvas *canvas)
{
    return (struct sh_area){canvas, 0, 0, canvas->height, canvas->width};
}

struct sh_area sh_area_part(const struct sh_area *area, int y, int x, int height, int width)
{
    int top = clamp(y, 0, area->height);
    int left = clamp(x, 0, area->width);
    int bottom = clamp(y + height, top, area->height);
    int right = clamp(x + width, left, area->width);

    return (struct sh_area){area->canvas, area->y + top, area->x + left, bottom - top,
                            right - left};
}

/* Blanks the other half of a wide character that (y, x) is about to overwrite. */
static void split_wide(const struct sh_canvas *canvas, int y, int x)
{
    struct sh_cell *cell = cell_at(canvas, y, x);

    if (cell == NULL)
        return;
    if (cell->width == 0) {
        struct sh_cell *left = cell_at(canvas, y, x - 1);

        if (left != NULL)
            *left = (struct sh_cell){.text = " ", .width = 1, .ink = left->ink};
    } else if (cell->width == 2) {
        struct sh_cell *right = cell_at(canvas, y, x + 1);

        if (right != NULL)
            *right = (struct sh_cell){.text = " ", .width = 1, .ink = right->ink};
    }
}

/* Puts one cluster of 1 or 2 columns at a place of the area, if it is in there. */
static void set_cell(const struct sh_area *area, int y, int x, enum sh_ink ink,
                     const struct sh_cell *cluster)
{
    if (y < 0 || x < 0 || y >= area->height || x + cluster->width > area->width)
        return;

    struct sh_cell *cell = cell_at(area->canvas, area->y + y, area->x + x);

    if (cell == NULL ||
        cell_at(area->canvas, area->y + y, area->x + x + cluster->width - 1) == NULL)
        return;
    split_wide(area->canvas, area->y + y, area->x + x);
    if (cluster->width == 2)
        split_wide(area->canvas, area->y + y, area->x + x + 1);
    *cell = *cluster;
    cell->ink = (uint8_t)ink;
    if (cluster->width == 2)
        cell[1] = (struct sh_cell){.text = "", .width = 0, .ink = (uint8_t)ink};
}

static int columns_of(uint32_t c)
{
    if (c < 0x7f)
        return 1;

    int width = wcwidth((wchar_t)c);

    return width < 0 ? 1 : width > 2 ? 2 : width;
}

/* What our own symbols are in ASCII; anything else there is a question mark. */
static const struct {
    uint32_t code;
    char ascii;
} FALLBACKS[] = {
    {0x00b7, '-'}, /* · between facts */
    {0x00d7, 'x'}, /* × */
    {0x2013, '-'}, /* – of ranges, and for nothing */
    {0x2026, '~'}, /* … cut off */
    {0x203a, '>'}, /* › the row of the cursor */
    {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'}, {0x2265, '>'}, /* ≥ */
    {0x2500, '-'}, {0x2502, '|'}, {0x2514, '`'}, {0x252c, '+'}, {0x2534, '+'},
    {0x253c, '+'}, {0x250a, ':'},                /* ┊ read, not returned */
    {0x2573, '!'},                               /* ╳ refused */
    {0x2588, '#'}, {0x258c, '|'},                /* ▌ returned */
    {0x2591, ':'}, {0x2592, '+'}, {0x2593, '*'}, /* ░ ▒ ▓ */
    {0x25b6, '>'},
};

static char ascii_of(uint32_t c)
{
    if (c < 0x80)
        return (char)c;
    for (size_t i = 0; i < sizeof(FALLBACKS) / sizeof(*FALLBACKS); i++)
        if (FALLBACKS[i].code == c)
            return FALLBACKS[i].ascii;
    return '?';
}

/* Adds what combines with the cluster, as much as a cell holds. */
static void take_marks(pk_slice *text, struct sh_cell *cluster)
{
    pk_slice rest = *text;
    size_t len = strlen(cluster->text);
    uint32_t c = 0;

    for (int marks = 0; pk_utf8_take(&rest, &c) && columns_of(c) == 0; marks++) {
        size_t bytes = text->len - rest.len;

        if (marks < SH_CELL_MARKS && len + bytes < SH_CELL_BYTES) {
            memcpy(cluster->text + len, text->data, bytes);
            len += bytes;
        }
        *text = rest;
    }
}

/* Takes one cluster off the front of safe text. A mark with nothing before it to combine with sits
 * on a blank; in ASCII every other character is a question mark. */
static bool take_cluster(const struct sh_canvas *canvas, pk_slice *text, struct sh_cell *cluster)
{
    pk_slice rest = *text;
    uint32_t c = 0;

    if (rest.len == 0)
        return false;
    *cluster = (struct sh_cell){.text = "?", .width = 1};
    if (!pk_utf8_take(&rest, &c)) {
        *text = pk_slice_skip(*text, 1);
        return true;
    }
    if (canvas->ascii) {
        cluster->text[0] = ascii_of(c);
    } else {
        int columns = columns_of(c);
        size_t blank = columns == 0 ? 1 : 0;

        *cluster = (struct sh_cell){.text = " ", .width = (uint8_t)(columns == 0 ? 1 : columns)};
        memcpy(cluster->text + blank, text->data, text->len - rest.len);
    }
    *text = rest;
    take_marks(text, cluster);
    if (canvas->ascii)
        cluster->text[1] = '\0';
    return true;
}

/* Draws safe text in the place and says in which column it stopped; *text is what did not fit. */
static int put_safe(const struct sh_area *area, struct sh_spot place, enum sh_ink ink,
                    pk_slice *text)
{
    struct sh_cell cluster;
    int x = place.x;

    for (;;) {
        pk_slice rest = *text;

        if (!take_cluster(area->canvas, &rest, &cluster) ||
            x + cluster.width > place.x + place.width)
            return x;
        set_cell(area, place.y, x, ink, &cluster);
        x += cluster.width;
        *text = rest;
    }
}

/* Safe text of the beginning: no more than could be seen, so that a value of 400 KB costs what a
 * line costs. True when something was left out. */
static bool make_safe(struct pk_buf *safe, pk_slice text, int columns)
{
    size_t most = columns <= 0 ? 0 : ((size_t)columns + 1) * SH_CELL_BYTES;
    bool left_out = text.len > most;

    if (left_out) {
        text.len = most;
        /* not in the middle of a character, which would be shown as broken bytes */
        while (text.len > 0 && ((unsigned char)text.data[text.len] & 0xc0) == 0x80 &&
               most - text.len < 4)
            text.len--;
    }
    sh_text_safe(safe, text, SH_TEXT_ONE_LINE);
    return left_out;
}

int sh_put(const struct sh_area *area, int y, int x, enum sh_ink ink, pk_slice text)
{
    struct pk_buf safe = PK_BUF_INIT;

    make_safe(&safe, text, area->width - x);

    pk_slice rest = pk_buf_slice(&safe);
    int end = put_safe(area, sh_at(y, x, area->width - x), ink, &rest);

    pk_buf_release(&safe);
    return end;
}

/* Columns of safe text, counted up to one more than `most`. */
static int columns_up_to(const struct sh_canvas *canvas, pk_slice safe, int most)
{
    struct sh_cell cluster;
    int columns = 0;

    while (columns <= most && take_cluster(canvas, &safe, &cluster))
        columns += cluster.width;
    return columns;
}

size_t sh_fit(const struct sh_area *area, pk_slice safe, int columns)
{
    struct sh_cell cluster;
    pk_slice rest = safe;
    int used = 0;

    for (;;) {
        pk_slice before = rest;

        if (!take_cluster(area->canvas, &rest, &cluster))
            return safe.len;
        used += cluster.width;
        if (used > columns)
            return safe.len - before.len;
    }
}

int sh_width(const struct sh_area *area, pk_slice text)
{
    struct pk_buf safe = PK_BUF_INIT;

    make_safe(&safe, text, SH_CANVAS_COLUMNS_MAX);

    int columns = columns_up_to(area->canvas, pk_buf_slice(&safe), SH_CANVAS_COLUMNS_MAX);

    pk_buf_release(&safe);
    return columns;
}

int sh_put_cut(const struct sh_area *area, struct sh_spot place, enum sh_ink ink, pk_slice text)
{
    struct pk_buf safe = PK_BUF_INIT;

    place.width = clamp(place.width, 0, SH_CANVAS_COLUMNS_MAX);
    if (place.width == 0)
        return place.x;

    bool cut = make_safe(&safe, text, place.width);
    pk_slice rest = pk_buf_slice(&safe);
    int end = 0;

    if (!cut && columns_up_to(area->canvas, rest, place.width) <= place.width) {
        end = put_safe(area, place, ink, &rest);
    } else {
        place.width--;
        end = put_safe(area, place, ink, &rest);
        sh_put_repeat(area, sh_at(place.y, end++, 1), ink, area->canvas->ascii ? "~" : "…");
    }
    pk_buf_release(&safe);
    return end;
}

void sh_put_right(const struct sh_area *area, struct sh_spot place, enum sh_ink ink, pk_slice text)
{
    int columns = sh_width(area, text);

    if (columns < place.width)
        sh_put(area, place.y, place.x + place.width - columns, ink, text);
    else
        sh_put_cut(area, place, ink, text);
}

void sh_put_repeat(const struct sh_area *area, struct sh_spot place, enum sh_ink ink,
                   const char *symbol)
{
    pk_slice text = pk_slice_cstr(symbol);
    struct sh_cell cell;

    if (!take_cluster(area->canvas, &text, &cell))
        return;
    for (int x = place.x; x < place.x + place.width && x < area->width; x++)
        set_cell(area, place.y, x, ink, &cell);
}

void sh_put_ink(const struct sh_area *area, struct sh_spot place, enum sh_ink ink)
{
    for (int x = place.x; x < place.x + place.width && x < area->width; x++) {
        struct sh_cell *cell = NULL;

        if (place.y >= 0 && x >= 0 && place.y < area->height)
            cell = cell_at(area->canvas, area->y + place.y, area->x + x);
        if (cell != NULL)
            cell->ink = (uint8_t)ink;
    }
}
