/*
 * Stream: changes as they come, the latest at the bottom. A wide window has a record a line, a
 * narrow one two: what happened to which item, and what became different. Scrolled back or paused
 * the view stays where it is while records go on arriving.
 */
#include "shell/panel/reader_rows.h"
#include "shell/panel/views.h"

enum {
    ONE_LINE = 100, /* columns from which a record is one line */
    PROJECTED = 6   /* records that a projector shows */
};

struct drawing {
    struct sh_views *views;
    struct sh_stream *state;
    const struct sh_frame *frame;
    const struct sh_area *area;
    int lines;      /* of a record */
    int event, key; /* column widths */
};

static enum sh_ink event_ink(pk_slice event)
{
    if (pk_slice_is(event, "INSERT"))
        return SH_INK_INSERT;
    return pk_slice_is(event, "REMOVE") ? SH_INK_REMOVE : SH_INK_MODIFY;
}

static pk_slice cause_text(pk_slice cause)
{
    if (pk_slice_is(cause, "TTL"))
        return PK_LIT("by TTL");
    return pk_slice_is(cause, "TRANSACTION") ? PK_LIT("in a transaction") : PK_LIT("");
}

/* "shard 3" of a name that ends in digits, else the partition. */
static pk_slice place_text(struct pk_arena *arena, const struct cmd_tail_record *record)
{
    if (record->shard.len == 0)
        return pk_arena_printf(arena, "p%u", record->partition);
    if (record->shard.len <= 8)
        return pk_arena_printf(arena, "shard %.*s", PK_FMT(record->shard));
    return pk_arena_printf(arena, "shard …%.*s", 6, record->shard.data + record->shard.len - 6);
}

/* Index behind the last record to show: all, or up to where the view was paused. */
static size_t end_of(const struct sh_stream *state)
{
    size_t end = state->ring.count;

    while (state->paused && end > 0 && sh_tail_ring_at(&state->ring, end - 1)->number > state->last)
        end--;
    return end;
}

static void put_two_lines(const struct drawing *drawing, int y,
                          const struct cmd_tail_record *record)
{
    const struct sh_area *area = drawing->area;
    struct pk_arena *arena = &drawing->views->arena;
    pk_slice cause = cause_text(record->cause);
    int cause_width = sh_width(area, cause);
    int x = sh_put(area, y, 1, SH_INK_DIM, sh_clock_text(arena, record->time_ms)) + 1;

    x = sh_put(area, y, x, event_ink(record->event), record->event) + 1;
    if (cause_width > 0 && x + 12 + cause_width < area->width)
        sh_put(area, y, area->width - cause_width - 1, SH_INK_WARN, cause);
    else
        cause_width = 0;
    sh_put_cut(area, sh_at(y, x, area->width - x - 1 - (cause_width > 0 ? cause_width + 1 : 0)),
               SH_INK_STRONG, record->key);
    sh_put_cut(area, sh_at(y + 1, 10, area->width - 11), SH_INK_TEXT, record->changes);
}

static void put_one_line(const struct drawing *drawing, int y, const struct cmd_tail_record *record)
{
    const struct sh_area *area = drawing->area;
    struct pk_arena *arena = &drawing->views->arena;
    pk_slice cause = cause_text(record->cause);
    int x = sh_put(area, y, 1, SH_INK_DIM, sh_clock_text(arena, record->time_ms)) + 1;

    sh_put(area, y, x, event_ink(record->event), record->event);
    x += 7;
    sh_put_cut(area, sh_at(y, x, drawing->key), SH_INK_STRONG, record->key);
    x += drawing->key + 1;
    sh_put_cut(area, sh_at(y, x, 13), SH_INK_DIM, place_text(arena, record));
    x += 14;
    if (cause.len > 0)
        x = sh_put(area, y, x, SH_INK_WARN, cause) + 2;
    sh_put_cut(area, sh_at(y, x, area->width - x - 1), SH_INK_TEXT, record->changes);
}

static pk_slice note_of(struct pk_arena *arena, const struct sh_stream *state, size_t end)
{
    pk_slice lost = state->ring.lost == 0
                        ? PK_LIT("")
                        : pk_arena_printf(arena, " · %.*s not seen",
                                          PK_FMT(sh_short_count(arena, state->ring.lost)));

    if (state->paused)
        return pk_arena_printf(arena, "paused · %zu newer%.*s", state->ring.count - end,
                               PK_FMT(lost));
    if (state->ring.count == 0)
        return PK_LIT("");
    return pk_arena_printf(arena, "%zu record%s%.*s", state->ring.count,
                           state->ring.count == 1 ? "" : "s", PK_FMT(lost));
}

/* The records that end with the one before `end`, the last at the bottom; few stand at the top. */
static void draw_records(struct drawing *drawing, const struct sh_area *list, size_t end)
{
    struct sh_stream *state = drawing->state;
    size_t fit = (size_t)(list->height / drawing->lines);
    size_t first = 0;
    int most = list->width / 3;

    if (drawing->frame->look.projector && fit > PROJECTED)
        fit = PROJECTED;
    first = end > fit ? end - fit : 0;

    drawing->area = list;
    drawing->key = 12;
    for (size_t i = first; i < end; i++) {
        int width = sh_width(list, sh_tail_ring_at(&state->ring, i)->key);

        if (width > drawing->key)
            drawing->key = width < most ? width : most;
    }
    state->shown = (int)fit;
    for (size_t i = first; i < end; i++) {
        int y = (int)(i - first) * drawing->lines;

        if (drawing->lines > 1)
            put_two_lines(drawing, y, sh_tail_ring_at(&state->ring, i));
        else
            put_one_line(drawing, y, sh_tail_ring_at(&state->ring, i));
    }
}

void sh_stream_draw_pane(struct sh_views *views, const struct sh_area *area,
                         const struct sh_frame *frame, bool keys)
{
    struct drawing drawing = {.views = views,
                              .state = &views->stream,
                              .frame = frame,
                              .area = area,
                              .lines = area->width >= ONE_LINE || area->height < 3 ? 1 : 2};
    size_t end = end_of(drawing.state);
    bool projector = frame->look.projector;
    int readers = projector ? 0 : sh_reader_rows(frame->snapshot, area->height);
    struct sh_area list = sh_area_part(area, 1, 0, area->height - 1 - readers, area->width);

    if (projector && area->height > 3 * PROJECTED)
        drawing.lines = 3;
    sh_put_rule(area, 0, "stream", note_of(&views->arena, drawing.state, end), keys);
    if (list.height < 1)
        return;
    if (drawing.state->ring.count == 0)
        sh_put_nothing(&list, PK_LIT("no changes since the panel opened"));
    draw_records(&drawing, &list, end);
    if (readers > 0) {
        struct sh_area rows = sh_area_part(area, area->height - readers, 0, readers, area->width);

        sh_reader_rows_draw(&views->arena, &rows, frame->snapshot);
    }
}

static void draw(struct sh_views *views, const struct sh_area *area, const struct sh_frame *frame)
{
    sh_stream_draw_pane(views, area, frame, frame->focus);
}

/* Moves the last record shown by that many, and follows again at the end. */
static bool scroll(struct sh_stream *state, long by)
{
    size_t count = state->ring.count;
    size_t least = (size_t)state->shown < count ? (size_t)state->shown : count;
    long end = (long)end_of(state) + by;

    if (count == 0)
        return true;
    if (end >= (long)count) {
        state->paused = false;
        return true;
    }
    if (end < (long)least)
        end = (long)least;
    state->paused = end < (long)count;
    if (end > 0)
        state->last = sh_tail_ring_at(&state->ring, (size_t)end - 1)->number;
    return true;
}

static bool pause_key(struct sh_stream *state)
{
    state->paused = !state->paused;
    if (state->ring.count > 0)
        state->last = sh_tail_ring_at(&state->ring, state->ring.count - 1)->number;
    return true;
}

static bool key(struct sh_views *views, const struct sh_key *key)
{
    struct sh_stream *state = &views->stream;
    long page = state->shown > 1 ? state->shown - 1 : 1;

    switch (key->name) {
    case SH_KEY_UP:
        return scroll(state, -1);
    case SH_KEY_DOWN:
        return scroll(state, 1);
    case SH_KEY_PAGE_UP:
        return scroll(state, -page);
    case SH_KEY_PAGE_DOWN:
        return scroll(state, page);
    case SH_KEY_HOME:
        return scroll(state, -(long)SH_TAIL_KEPT);
    case SH_KEY_END:
        return scroll(state, SH_TAIL_KEPT);
    case SH_KEY_CHAR:
        return key->code == 'p' && pause_key(state);
    case SH_KEY_LEFT:
    case SH_KEY_RIGHT:
    case SH_KEY_ENTER:
    case SH_KEY_BACKSPACE:
    case SH_KEY_TAB:
    case SH_KEY_ESCAPE:
        return false;
    }
    return false;
}

static void needs(const struct sh_views *views, struct sh_needs *needs)
{
    (void)views;
    needs->tail = true;
}

const struct sh_view sh_view_stream = {
    .name = "stream",
    .brief = "stream",
    .help = "↑↓ PgUp PgDn scroll back  End latest  p pause",
    .draw = draw,
    .key = key,
    .needs = needs,
};
