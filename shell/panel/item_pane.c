/* See item_pane.h. */
#include "shell/panel/item_pane.h"

#include <stdlib.h>

#include "shell/render/text_safe.h"

void sh_item_pane_release(struct sh_item_pane *pane)
{
    pk_buf_release(&pane->raw);
    pk_buf_release(&pane->safe);
    free(pane->starts);
    *pane = (struct sh_item_pane){0};
}

void sh_item_pane_set(struct sh_item_pane *pane, pk_slice text)
{
    if (pane->count > 0 && pk_slice_equal(pk_buf_slice(&pane->raw), text))
        return;
    pk_buf_clear(&pane->raw);
    pk_buf_add(&pane->raw, text);
    pk_buf_clear(&pane->safe);
    sh_text_safe(&pane->safe, text, SH_TEXT_LINES);
    for (size_t i = 0; i < pane->safe.len; i++)
        if (pane->safe.data[i] == '\t')
            pane->safe.data[i] = ' ';
    pane->width = 0; /* cut the lines when the width is known */
    pane->count = 0;
}

static void add_start(struct sh_item_pane *pane, size_t start)
{
    if (pane->count + 1 >= pane->cap) {
        pane->cap = pane->cap == 0 ? 64 : pane->cap * 2;
        pane->starts = pk_realloc(pane->starts, pane->cap, sizeof(*pane->starts));
    }
    pane->starts[pane->count++] = start;
}

/* Cuts one line of the text into lines that fit. */
static void wrap_line(struct sh_item_pane *pane, const struct sh_area *area, size_t start,
                      size_t end)
{
    do {
        pk_slice rest = pk_slice_of(pane->safe.data + start, end - start);
        size_t fit = sh_fit(area, rest, pane->width);

        add_start(pane, start);
        start += fit > 0 ? fit : end - start; /* not even one character fits: cut there */
    } while (start < end);
}

static void wrap(struct sh_item_pane *pane, const struct sh_area *area)
{
    size_t start = 0;

    pane->width = area->width;
    pane->count = 0;
    while (start < pane->safe.len) {
        const char *newline = memchr(pane->safe.data + start, '\n', pane->safe.len - start);
        size_t end = newline == NULL ? pane->safe.len : (size_t)(newline - pane->safe.data);

        wrap_line(pane, area, start, end);
        start = end + 1;
    }
    if (pane->count == 0)
        add_start(pane, 0);
}

static size_t last_top(const struct sh_item_pane *pane)
{
    size_t rows = pane->rows > 0 ? (size_t)pane->rows : 1;

    return pane->count > rows ? pane->count - rows : 0;
}

void sh_item_pane_draw(struct sh_item_pane *pane, const struct sh_area *area)
{
    if (area->width <= 0 || area->height <= 0)
        return;
    if (pane->width != area->width || pane->count == 0)
        wrap(pane, area);
    pane->rows = area->height;
    if (pane->top > last_top(pane))
        pane->top = last_top(pane);
    for (int y = 0; y < area->height && pane->top + (size_t)y < pane->count; y++) {
        size_t line = pane->top + (size_t)y;
        size_t start = pane->starts[line];
        size_t end = line + 1 < pane->count ? pane->starts[line + 1] : pane->safe.len;

        while (end > start && pane->safe.data[end - 1] == '\n')
            end--;
        sh_put(area, y, 0, SH_INK_TEXT, pk_slice_of(pane->safe.data + start, end - start));
    }
}

bool sh_item_pane_key(struct sh_item_pane *pane, const struct sh_key *key)
{
    size_t page = pane->rows > 1 ? (size_t)pane->rows - 1 : 1;

    switch (key->name) {
    case SH_KEY_UP:
        pane->top -= pane->top > 0 ? 1 : 0;
        return true;
    case SH_KEY_DOWN:
        pane->top++;
        break;
    case SH_KEY_PAGE_UP:
        pane->top -= pane->top > page ? page : pane->top;
        return true;
    case SH_KEY_PAGE_DOWN:
        pane->top += page;
        break;
    case SH_KEY_HOME:
        pane->top = 0;
        return true;
    case SH_KEY_END:
        pane->top = last_top(pane);
        return true;
    case SH_KEY_CHAR:
    case SH_KEY_LEFT:
    case SH_KEY_RIGHT:
    case SH_KEY_ENTER:
    case SH_KEY_BACKSPACE:
    case SH_KEY_TAB:
    case SH_KEY_ESCAPE:
        return false;
    }
    if (pane->top > last_top(pane))
        pane->top = last_top(pane);
    return true;
}
