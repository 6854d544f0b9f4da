/*
 * Collections: items by partition key, in the order they are stored in.
 *
 * The view asks for the rows around a key, a few windows of them; the cursor is a key, not a line,
 * so that writes above it do not move it. When it nears the end of what is loaded the view asks for
 * rows around it: the old answer is drawn until the new one is there.
 */
#include "shell/panel/collections.h"
#include "shell/panel/gauge.h"

enum {
    READS_FOLLOWED = 3, /* between two answers: more are traffic, which nobody could follow */
    ANSWERS_BUSY = 20   /* for which it then stays where it is */
};

struct line {
    const struct cmd_viewport_collection *collection;
    const struct cmd_viewport_row *row; /* NULL: the collection's own line */
};

struct drawing {
    struct sh_views *views;
    struct sh_collections *state;
    const struct sh_frame *frame;
    const struct sh_area *area;
    struct line *lines;
    int count;
    int name, sort;          /* widths of partition and sort keys, … */
    int items, bytes;        /* … of counts and of sizes */
    uint64_t most, most_row; /* bytes of the largest collection, of the largest row */
    bool keys;
};

/* ---- what came ------------------------------------------------------------------------------- */

static void go_to(struct sh_collections *state, const struct line *line)
{
    const struct cmd_viewport_row *row = line->row != NULL ? line->row
                                         : line->collection->row_count > 0
                                             ? &line->collection->rows[0]
                                             : NULL;

    sh_text_set(&state->cursor, row == NULL ? PK_LIT("") : row->key);
    state->on_header = line->row == NULL;
}

/* A search's answer: found, go on, begin anew, or give up. */
static void take_search(struct drawing *drawing)
{
    struct sh_collections *state = drawing->state;
    const struct cmd_viewport *viewport = drawing->frame->viewport;

    if (drawing->count > 0) {
        go_to(state, &drawing->lines[0]);
        state->cursor_row = 0;
        state->note = state->wrapped ? "found from the first key on" : NULL;
        sh_collections_ask(state, pk_buf_slice(&state->cursor), false);
    } else if (viewport->next.len > 0) {
        sh_text_set(&state->from, viewport->next);
        state->ticket++;
    } else if (!state->wrapped && state->from.len > 0) {
        state->wrapped = true;
        pk_buf_clear(&state->from);
        state->ticket++;
    } else {
        state->note = "not found";
        sh_collections_ask(state, pk_buf_slice(&state->cursor), false);
    }
}

/* Acts once on the answer to the latest request. */
static void take_answer(struct drawing *drawing)
{
    struct sh_collections *state = drawing->state;
    const struct cmd_viewport *viewport = drawing->frame->viewport;

    sh_text_set(&state->second, viewport->count > 1 && viewport->collections[1].row_count > 0
                                    ? viewport->collections[1].rows[0].key
                                    : viewport->next);
    if (drawing->frame->viewport_ticket != state->ticket || state->answered == state->ticket)
        return;
    state->answered = state->ticket;
    if (state->to_first && drawing->count > 0)
        go_to(state, &drawing->lines[0]);
    state->to_first = false;
    if (state->search.len > 0) {
        take_search(drawing);
    } else if (state->backward && drawing->count > 0) {
        int at = drawing->count - (state->short_of > 0 ? state->short_of : 1);

        go_to(state, &drawing->lines[at > 0 ? at : 0]);
    } else if (state->backward) {
        sh_collections_ask(state, PK_LIT(""), false); /* nothing is before: the first rows, then */
    }
    state->short_of = 0;
}

/* True for the first collection of an answer that begins in the middle of it: its own line is not
 * there yet, and is shown on top of the window instead. */
static bool begins_inside(const struct drawing *drawing, size_t i)
{
    const struct cmd_viewport *viewport = drawing->frame->viewport;

    return i == 0 && viewport->previous.len > 0 && !drawing->state->folded &&
           viewport->collections[i].row_count < viewport->collections[i].items;
}

static void flatten(struct drawing *drawing)
{
    const struct cmd_viewport *viewport = drawing->frame->viewport;
    size_t most = 0;

    for (size_t i = 0; i < viewport->count; i++)
        most += 1 + viewport->collections[i].row_count;
    drawing->lines = PK_NEW_ARRAY(&drawing->views->arena, struct line, most + 1);
    for (size_t i = 0; i < viewport->count; i++) {
        const struct cmd_viewport_collection *collection = &viewport->collections[i];

        if (!begins_inside(drawing, i))
            drawing->lines[drawing->count++] = (struct line){collection, NULL};
        for (size_t r = 0; r < collection->row_count && !drawing->state->folded; r++)
            if (collection->rows[r].sort.len > 0)
                drawing->lines[drawing->count++] = (struct line){collection, &collection->rows[r]};
    }
}

/* ---- where the cursor is --------------------------------------------------------------------- */

/* How well a line is the one under the cursor: 2 quite, 1 when its collection's own line is meant
 * and is not there, 0 not at all. */
static int match(const struct sh_collections *state, const struct line *line)
{
    const struct cmd_viewport_collection *collection = line->collection;
    pk_slice cursor = pk_buf_slice(&state->cursor);

    if (line->row != NULL)
        return !pk_slice_equal(line->row->key, cursor) ? 0 : state->on_header ? 1 : 2;
    for (size_t r = 0; r < collection->row_count && state->on_header; r++)
        if (pk_slice_equal(collection->rows[r].key, cursor))
            return 2;
    return 0;
}

/* The cursor's line; where its row is gone, the line it was on. At the very top it stays there,
 * whatever is put in before. */
static int locate(const struct drawing *drawing)
{
    const struct sh_collections *state = drawing->state;
    int found = state->line < drawing->count ? state->line : drawing->count - 1;
    int best = 0;

    if (state->cursor.len == 0 || (state->line == 0 && state->from.len == 0 && !state->backward))
        return 0;
    for (int i = 0; i < drawing->count && best < 2; i++)
        if (match(state, &drawing->lines[i]) > best) {
            best = match(state, &drawing->lines[i]);
            found = i;
        }
    return found;
}

static pk_slice key_at(const struct drawing *drawing, int i)
{
    const struct line *line = &drawing->lines[i];

    if (line->row != NULL)
        return line->row->key;
    return line->collection->row_count > 0 ? line->collection->rows[0].key : PK_LIT("");
}

/* Moves the cursor. Beyond the first line it asks for the rows before; what goes beyond the last is
 * kept until more is loaded. Returns the cursor's line. */
static int move(struct drawing *drawing)
{
    struct sh_collections *state = drawing->state;
    const struct cmd_viewport *viewport = drawing->frame->viewport;
    bool current = drawing->frame->viewport_ticket == state->ticket;
    int line = locate(drawing) + state->move;
    int last = drawing->count - 1;

    state->cursor_row += state->move;
    state->move = line > last && viewport->next.len > 0 ? line - last : 0;
    if (line < 0 && viewport->previous.len > 0 && (current || state->short_of > 0))
        state->short_of -= line;
    if (line < 0 && viewport->previous.len > 0 && current)
        sh_collections_ask(state, viewport->previous, true);
    return line < 0 ? 0 : line > last ? last : line;
}

/* The window onto the lines. */
struct window {
    int top;  /* the line in its first row, or in the second below … */
    int head; /* … the own line of the collection that it is in the middle of: 0 or 1 */
    int rows;
};

/* With the cursor where it was on the screen, as far as that can be. */
static struct window window_at(const struct drawing *drawing, int line, int rows)
{
    struct window window = {.top = line - drawing->state->cursor_row, .rows = rows};

    if (window.top + rows > drawing->count)
        window.top = drawing->count - rows;
    if (window.top < 0)
        window.top = 0;
    if (drawing->lines[window.top].row == NULL || rows < 2)
        return window;
    if (window.top < line && window.top > 0)
        window.top++; /* the collection's line takes a row */
    window.head = drawing->lines[window.top].row != NULL ? 1 : 0;
    return window;
}

/* Moves the cursor, asks for more a window before the loaded rows end, and says what is seen. */
static struct window settle(struct drawing *drawing, int rows)
{
    struct sh_collections *state = drawing->state;
    int line = move(drawing);

    state->cursor_row = state->cursor_row < 0       ? 0
                        : state->cursor_row >= rows ? rows - 1
                                                    : state->cursor_row;
    if (line - state->cursor_row + 2 * rows > drawing->count &&
        drawing->frame->viewport->next.len > 0 &&
        drawing->frame->viewport_ticket == state->ticket) {
        int from = line - state->cursor_row - rows;

        if (from > rows / 2 || state->backward)
            sh_collections_ask(state, key_at(drawing, from > 0 ? from : 0), false);
    }

    struct window window = window_at(drawing, line, rows);

    state->cursor_row = line - window.top + window.head;
    state->line = line;
    go_to(state, &drawing->lines[line]);
    return window;
}

/* True when the row is among those of the window that was drawn last. */
static bool is_in_sight(const struct drawing *drawing, pk_slice row_key)
{
    const struct sh_collections *state = drawing->state;
    int top = state->line - state->cursor_row;

    for (int i = top < 0 ? 0 : top; i < drawing->count && i < top + state->rows; i++) {
        const struct cmd_viewport_row *row = drawing->lines[i].row;

        if (row != NULL && pk_slice_equal(row->key, row_key))
            return true;
    }
    return false;
}

/* Goes where the last read began, unless it is in sight, or somebody moves the cursor here. Under
 * traffic, which reads all the time, it stays. */
static void follow(struct drawing *drawing)
{
    struct sh_collections *state = drawing->state;
    const struct cmd_viewport *viewport = drawing->frame->viewport;
    bool later = state->read_known && viewport->last_read > state->last_read;
    uint64_t reads = later ? viewport->last_read - state->last_read : 0;

    if (!drawing->keys)
        state->still = false;
    if (viewport->last_read > 0)
        state->last_read = viewport->last_read;
    state->read_known = true;
    if (reads > READS_FOLLOWED)
        state->busy = ANSWERS_BUSY;
    else if (state->busy > 0)
        state->busy--;
    if (reads == 0 || state->busy > 0 || state->still || state->open || state->typing ||
        state->search.len > 0 || viewport->read_from.len == 0 ||
        is_in_sight(drawing, viewport->read_from))
        return;
    state->to_first = true;
    state->cursor_row = 0;
    state->short_of = 0;
    sh_collections_ask(state, viewport->read_from, false);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void widen(const struct drawing *drawing, int *width, pk_slice text, int most)
{
    int one = sh_width(drawing->area, text);

    one = one < most ? one : most;
    *width = one > *width ? one : *width;
}

static pk_slice items_text(const struct drawing *drawing,
                           const struct cmd_viewport_collection *collection)
{
    return pk_arena_printf(&drawing->views->arena, "%.*s%s",
                           PK_FMT(sh_short_count(&drawing->views->arena, collection->items)),
                           collection->more ? "+" : "");
}

static void measure_line(struct drawing *drawing, const struct line *line)
{
    struct pk_arena *arena = &drawing->views->arena;
    const struct cmd_viewport_collection *collection = line->collection;
    const struct cmd_viewport_row *row = line->row;
    int third = drawing->area->width / 3;

    if (collection->bytes > drawing->most)
        drawing->most = collection->bytes;
    if (row == NULL) {
        widen(drawing, &drawing->name, collection->hash, third);
        widen(drawing, &drawing->items, items_text(drawing, collection), 8);
        widen(drawing, &drawing->bytes, cmd_format_bytes(arena, collection->bytes), 10);
        return;
    }
    widen(drawing, &drawing->sort, row->sort, third);
    widen(drawing, &drawing->bytes, cmd_format_bytes(arena, row->bytes), 10);
    if (row->bytes > drawing->most_row)
        drawing->most_row = row->bytes;
}

/* How wide the columns of the lines in sight are. */
static void measure(struct drawing *drawing, const struct window *window)
{
    struct line head = {drawing->lines[window->top].collection, NULL};

    drawing->name = drawing->sort = 8;
    drawing->items = 2;
    drawing->bytes = 5;
    measure_line(drawing, &head);
    for (int i = window->top; i < drawing->count && i < window->top + window->rows; i++)
        measure_line(drawing, &drawing->lines[i]);
    /* rows begin two columns later and have no count: their sizes stand under those above */
    if (drawing->name + 1 + drawing->items < drawing->sort + 2)
        drawing->name = drawing->sort + 1 - drawing->items;
    drawing->sort = drawing->name + drawing->items - 1;
}

static void put_read_mark(const struct drawing *drawing, int y, enum cmd_row_read read)
{
    if (read == CMD_ROW_RETURNED)
        sh_put_repeat(drawing->area, sh_at(y, 1, 1), SH_INK_LIT, "▌");
    else if (read == CMD_ROW_FILTERED)
        sh_put_repeat(drawing->area, sh_at(y, 1, 1), SH_INK_DIM, "┊");
}

static void put_found(const struct drawing *drawing, int y, int x, int width, pk_slice text)
{
    pk_slice wanted = pk_buf_slice(&drawing->state->typed);

    if (drawing->state->typing || wanted.len == 0 || wanted.len > text.len)
        return;
    for (size_t i = 0; i + wanted.len <= text.len; i++)
        if (memcmp(text.data + i, wanted.data, wanted.len) == 0) {
            int at = sh_width(drawing->area, pk_slice_of(text.data, i));
            int n = sh_width(drawing->area, wanted);

            sh_put_ink(drawing->area, sh_at(y, x + at, at + n < width ? n : width - at),
                       SH_INK_FOUND);
            return;
        }
}

/* "USER#123    5   526 B ████▋  +1   p1" */
static void put_collection(const struct drawing *drawing, int y, const struct line *line)
{
    const struct cmd_viewport_collection *collection = line->collection;
    const struct sh_area *area = drawing->area;
    struct pk_arena *arena = &drawing->views->arena;
    const struct cmd_viewport_row *only =
        collection->row_count == 1 && collection->rows[0].sort.len == 0 ? &collection->rows[0]
                                                                        : NULL;
    int x = 1 + drawing->name + 1;
    int room = area->width - x - drawing->items - drawing->bytes - 2;
    int bar = room / 2 < 4 ? 4 : room / 2 > 20 ? 20 : room / 2;
    pk_slice growth = sh_growth_text(arena, drawing->state, collection);

    if (only != NULL)
        put_read_mark(drawing, y, only->read);
    sh_put_cut(area, sh_at(y, only != NULL ? 3 : 1, drawing->name - (only != NULL ? 2 : 0)),
               SH_INK_STRONG, collection->hash);
    put_found(drawing, y, only != NULL ? 3 : 1, drawing->name, collection->hash);
    if (only == NULL)
        sh_put_right(area, sh_at(y, x, drawing->items), SH_INK_TEXT,
                     items_text(drawing, collection));
    x += drawing->items + 1;
    sh_put_right(area, sh_at(y, x, drawing->bytes), SH_INK_TEXT,
                 cmd_format_bytes(arena, collection->bytes));
    x += drawing->bytes + 1;
    sh_put_bar(area, sh_at(y, x, bar), SH_INK_READ,
               sh_share((int64_t)collection->bytes, (int64_t)drawing->most));
    x += bar + 1;
    if (growth.len > 0)
        x = sh_put(area, y, x, growth.data[0] == '+' ? SH_INK_GOOD : SH_INK_REMOVE, growth) + 1;
    if (only != NULL)
        sh_put_cut(area, sh_at(y, x, area->width - x - 1), SH_INK_DIM, only->item);
    else if (area->width - x > 5)
        sh_put_right(area, sh_at(y, area->width - 5, 4), SH_INK_DIM,
                     pk_arena_printf(arena, "p%u", collection->partition));
}

/* "▌ ORDER#1001   29 B  total 45" */
static void put_row(const struct drawing *drawing, int y, const struct line *line)
{
    const struct cmd_viewport_row *row = line->row;
    const struct sh_area *area = drawing->area;
    struct pk_arena *arena = &drawing->views->arena;
    bool dim = row->read == CMD_ROW_FILTERED;
    enum sh_ink ink = dim ? SH_INK_DIM : sh_kind_ink(drawing->state, row->sort);
    int x = 1 + drawing->name + 1 + drawing->items + 1;

    put_read_mark(drawing, y, row->read);
    sh_put_cut(area, sh_at(y, 3, drawing->sort), row->read == CMD_ROW_RETURNED ? SH_INK_LIT : ink,
               row->sort);
    sh_put_right(area, sh_at(y, x, drawing->bytes), dim ? SH_INK_DIM : SH_INK_TEXT,
                 cmd_format_bytes(arena, row->bytes));
    x += drawing->bytes + 1;
    if (area->width >= 100) {
        sh_put_bar(area, sh_at(y, x, 8), dim ? SH_INK_DIM : ink,
                   sh_share((int64_t)row->bytes, (int64_t)drawing->most_row));
        x += 9;
    }
    sh_put_cut(area, sh_at(y, x, area->width - x - 1), dim ? SH_INK_DIM : SH_INK_TEXT, row->item);
}

static void draw_lines(struct drawing *drawing, const struct sh_area *list)
{
    struct window window = settle(drawing, list->height);
    struct line head = {drawing->lines[window.top].collection, NULL};

    drawing->area = list;
    measure(drawing, &window);
    if (window.head > 0)
        put_collection(drawing, 0, &head);
    for (int y = window.head; y < list->height; y++) {
        int i = window.top + y - window.head;
        const struct line *line = &drawing->lines[i];

        if (i >= drawing->count)
            break;

        if (line->row == NULL)
            put_collection(drawing, y, line);
        else
            put_row(drawing, y, line);
        if (drawing->keys && i == drawing->state->line) {
            sh_put_repeat(list, sh_at(y, 0, 1), SH_INK_CURSOR, "›");
            sh_put_ink(list, sh_at(y, 0, list->width), SH_INK_CURSOR);
        }
    }
}

/* ---- the parts of the view ------------------------------------------------------------------- */

static void draw_item(struct drawing *drawing, const struct sh_area *area)
{
    struct sh_collections *state = drawing->state;
    const struct sh_item *item = drawing->frame->item;
    struct sh_area body = sh_area_part(area, 1, 1, area->height - 1, area->width - 2);
    bool here = item != NULL && pk_slice_equal(item->key, pk_buf_slice(&state->open_key));
    pk_slice note = PK_LIT("Esc closes");

    if (here && item->found) {
        sh_item_pane_set(&state->pane, item->text);
        sh_item_pane_draw(&state->pane, &body);
        if (state->pane.count > (size_t)body.height)
            note = pk_arena_printf(&drawing->views->arena, "line %zu of %zu · Esc closes",
                                   state->pane.top + 1, state->pane.count);
    } else {
        sh_put_nothing(&body, here ? PK_LIT("the item is gone") : PK_LIT("reading …"));
    }
    sh_put_rule(area, 0, "", note, drawing->keys);
    sh_put(area, 0, 1, SH_INK_RULE, PK_LIT(" "));

    int end = sh_put_cut(area, sh_at(0, 2, area->width / 2), SH_INK_STRONG,
                         pk_buf_slice(&state->open_title));

    sh_put(area, 0, end, SH_INK_RULE, PK_LIT(" "));
}

/* Opens the row under the cursor; of a collection, its first. */
static void open_row(struct drawing *drawing)
{
    struct sh_collections *state = drawing->state;
    const struct line *line = &drawing->lines[state->line];
    const struct cmd_viewport_row *row = line->row;

    state->want_open = false;
    if (row == NULL && line->collection->row_count > 0)
        row = &line->collection->rows[0];
    if (row == NULL)
        return;
    sh_item_pane_release(&state->pane);
    sh_text_set(&state->open_key, row->key);
    pk_buf_clear(&state->open_title);
    pk_buf_printf(&state->open_title, "%.*s%s%.*s · %.*s", PK_FMT(line->collection->hash),
                  row->sort.len > 0 ? " " : "", PK_FMT(row->sort),
                  PK_FMT(cmd_format_bytes(&drawing->views->arena, row->bytes)));
    state->open = true;
}

/* The last row, while a search is typed or has something to say. Returns its height. */
static int draw_search(const struct drawing *drawing, const struct sh_area *area)
{
    const struct sh_collections *state = drawing->state;
    int y = area->height - 1;
    int x = 1;

    if (!drawing->keys || (!state->typing && state->note == NULL && state->search.len == 0))
        return 0;
    x = sh_put(area, y, x, SH_INK_STRONG, PK_LIT("/"));
    x = sh_put_cut(area, sh_at(y, x, area->width - x - 28), SH_INK_TEXT,
                   pk_buf_slice(&state->typed));
    if (state->typing)
        sh_put_repeat(area, sh_at(y, x, 1), SH_INK_CURSOR, " ");
    else
        sh_put(area, y, x + 2, SH_INK_WARN,
               state->note != NULL ? pk_slice_cstr(state->note) : PK_LIT("searching …"));
    return 1;
}

static pk_slice note_of(const struct drawing *drawing)
{
    struct pk_arena *arena = &drawing->views->arena;
    const struct cmd_snapshot *snapshot = drawing->frame->snapshot;

    if (drawing->area->width < 60)
        return PK_LIT("");
    return pk_arena_printf(arena, "%.*s items · %.*s · in order of the key's hash",
                           PK_FMT(cmd_format_count(arena, snapshot->items)),
                           PK_FMT(cmd_format_bytes(arena, snapshot->bytes)));
}

void sh_collections_draw_pane(struct sh_views *views, const struct sh_area *area,
                              const struct sh_frame *frame, bool keys)
{
    struct drawing drawing = {
        .views = views, .state = &views->collections, .frame = frame, .area = area, .keys = keys};

    sh_put_rule(area, 0, "collections", note_of(&drawing), keys);
    drawing.state->rows = area->height - 1;
    if (area->height < 2)
        return;
    if (frame->viewport == NULL) {
        sh_put_nothing(area, frame->snapshot->table.len == 0 ? PK_LIT("no table yet")
                                                             : PK_LIT("reading …"));
        return;
    }
    flatten(&drawing);
    take_answer(&drawing);
    follow(&drawing);

    int search = draw_search(&drawing, area);
    struct sh_area list = sh_area_part(area, 1, 0, area->height - 1 - search, area->width);

    if (drawing.state->open) {
        draw_item(&drawing, area);
        return;
    }
    sh_growth_see(drawing.state, frame);
    if (drawing.count > 0 && list.height > 0)
        draw_lines(&drawing, &list);
    else if (list.height > 0 && drawing.state->search.len == 0)
        sh_put_nothing(&list, PK_LIT("no items yet"));
    if (drawing.state->want_open && drawing.count > 0)
        open_row(&drawing);
}

void sh_collections_draw(struct sh_views *views, const struct sh_area *area,
                         const struct sh_frame *frame)
{
    if (frame->look.projector)
        sh_projector_collections(views, area, frame);
    else
        sh_collections_draw_pane(views, area, frame, frame->focus);
}
