/* Collections: what was asked for, the keys, and the row of the view; view_collections.c draws. */
#include "shell/panel/collections.h"

#include "engine/base/utf8.h"

enum {
    ROWS_LEAST = 60, /* that are asked for */
    ROWS_MOST = 500
};

void sh_collections_release(struct sh_collections *state)
{
    struct pk_buf *const texts[] = {&state->from,      &state->search, &state->cursor,
                                    &state->second,    &state->typed,  &state->open_key,
                                    &state->open_title};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        pk_buf_release(texts[i]);
    for (size_t i = 0; i < SH_KINDS; i++)
        pk_buf_release(&state->kinds[i]);
    sh_item_pane_release(&state->pane);
    memset(state, 0, sizeof(*state));
}

void sh_text_set(struct pk_buf *buf, pk_slice text)
{
    bool same = text.len > 0 && text.data == buf->data;

    if (same) {
        buf->len = text.len;
        buf->data[text.len] = '\0';
        return;
    }
    pk_buf_clear(buf);
    pk_buf_add(buf, text);
}

void sh_collections_ask(struct sh_collections *state, pk_slice from, bool backward)
{
    sh_text_set(&state->from, from);
    pk_buf_clear(&state->search);
    state->backward = backward;
    state->ticket++;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool start_search(struct sh_collections *state, pk_slice from)
{
    state->note = NULL;
    state->wrapped = false;
    if (state->typed.len == 0)
        return true;
    sh_text_set(&state->from, from);
    sh_text_set(&state->search, pk_buf_slice(&state->typed));
    state->backward = false;
    state->ticket++;
    return true;
}

/* Takes the last character off. */
static void rub_out(struct pk_buf *text)
{
    if (text->len == 0)
        return;
    do {
        text->len--;
    } while (text->len > 0 && ((unsigned char)text->data[text->len] & 0xc0) == 0x80);
    text->data[text->len] = '\0';
}

static bool type_key(struct sh_collections *state, const struct sh_key *key)
{
    switch (key->name) {
    case SH_KEY_CHAR:
        if (key->code >= 0x20 && state->typed.len < 200)
            pk_utf8_add(&state->typed, key->code);
        break;
    case SH_KEY_BACKSPACE:
        rub_out(&state->typed);
        break;
    case SH_KEY_ENTER:
        state->typing = false;
        return start_search(state, pk_buf_slice(&state->cursor));
    case SH_KEY_ESCAPE:
        state->typing = false;
        pk_buf_clear(&state->typed);
        break;
    case SH_KEY_UP:
    case SH_KEY_DOWN:
    case SH_KEY_LEFT:
    case SH_KEY_RIGHT:
    case SH_KEY_PAGE_UP:
    case SH_KEY_PAGE_DOWN:
    case SH_KEY_HOME:
    case SH_KEY_END:
    case SH_KEY_TAB:
        break;
    }
    return true;
}

static bool char_key(struct sh_collections *state, uint32_t code)
{
    switch (code) {
    case '/':
        state->typing = true;
        state->note = NULL;
        pk_buf_clear(&state->typed);
        return true;
    case 'n':
        return start_search(state, pk_buf_slice(&state->second));
    case 'c':
        state->folded = !state->folded;
        state->on_header = state->on_header || state->folded;
        return true;
    }
    return false;
}

static bool go_far(struct sh_collections *state, bool to_end)
{
    state->still = to_end; /* from the first row on, what is read is followed again */
    pk_buf_clear(&state->cursor);
    state->line = 0;
    state->cursor_row = to_end ? state->rows - 1 : 0;
    state->short_of = 1;
    state->to_first = !to_end;
    sh_collections_ask(state, PK_LIT(""), to_end);
    return true;
}

static bool list_key(struct sh_collections *state, const struct sh_key *key)
{
    int page = state->rows > 1 ? state->rows - 1 : 1;

    state->still = true;
    switch (key->name) {
    case SH_KEY_UP:
        state->move--;
        return true;
    case SH_KEY_DOWN:
        state->move++;
        return true;
    case SH_KEY_PAGE_UP:
        state->move -= page;
        return true;
    case SH_KEY_PAGE_DOWN:
        state->move += page;
        return true;
    case SH_KEY_HOME:
        return go_far(state, false);
    case SH_KEY_END:
        return go_far(state, true);
    case SH_KEY_ENTER:
        state->want_open = true;
        return true;
    case SH_KEY_CHAR:
        return char_key(state, key->code);
    case SH_KEY_ESCAPE:
        if (state->note == NULL && state->typed.len == 0 && state->search.len == 0)
            return false;
        state->note = NULL;
        pk_buf_clear(&state->typed);
        if (state->search.len > 0)
            sh_collections_ask(state, pk_buf_slice(&state->cursor), false);
        return true;
    case SH_KEY_LEFT:
    case SH_KEY_RIGHT:
    case SH_KEY_BACKSPACE:
    case SH_KEY_TAB:
        return false;
    }
    return false;
}

static bool key(struct sh_views *views, const struct sh_key *key)
{
    struct sh_collections *state = &views->collections;

    if (state->typing)
        return type_key(state, key);
    if (state->open) {
        if (sh_item_pane_key(&state->pane, key))
            return true;
        if (key->name != SH_KEY_ESCAPE && key->name != SH_KEY_ENTER && key->name != SH_KEY_LEFT)
            return false;
        state->open = false;
        return true;
    }
    return list_key(state, key);
}

static void needs(const struct sh_views *views, struct sh_needs *needs)
{
    const struct sh_collections *state = &views->collections;
    int limit = state->rows * 3 + 20;

    needs->viewport = true;
    needs->ticket = state->ticket;
    needs->rows.from = pk_buf_slice(&state->from);
    needs->rows.backward = state->backward;
    needs->rows.search = pk_buf_slice(&state->search);
    needs->rows.per_collection = state->folded ? 1 : 0;
    needs->rows.limit = (uint32_t)(limit < ROWS_LEAST  ? ROWS_LEAST
                                   : limit > ROWS_MOST ? ROWS_MOST
                                                       : limit);
    if (state->open)
        needs->item = pk_buf_slice(&state->open_key);
}

const struct sh_view sh_view_collections = {
    .name = "collections",
    .brief = "colls",
    .help = "↑↓ PgUp PgDn scroll  Enter open  / search  n next  c fold  Home follow",
    .draw = sh_collections_draw,
    .key = key,
    .needs = needs,
};
