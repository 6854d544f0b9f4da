/*
 * Indexes: the base table and its indexes side by side, a column each, so that what one write costs
 * and where it waits can be compared across. An index whose queue is full pushes back on the table,
 * which is said above the columns.
 */
#include "shell/panel/gauge.h"
#include "shell/panel/views.h"

enum {
    LABELS = 11, /* columns of the row names */
    LEAST = 22,  /* of a card */
    MOST = 46
};

/* A column: the base, or an index. */
struct card {
    const struct cmd_snapshot_index *index; /* NULL: the base */
    pk_slice name;
    uint64_t items, bytes;
    const struct cmd_snapshot_access *read, *write;
};

struct drawing {
    struct pk_arena *arena;
    const struct cmd_snapshot *snapshot;
    const struct sh_area *area;
    int x, y, width;
};

static bool queue_full(const struct cmd_snapshot_index *index)
{
    return index->queue_limit_milli > 0 && index->queue_milli >= index->queue_limit_milli;
}

/* ---- the rows of a card ---------------------------------------------------------------------- */

static void put(const struct drawing *drawing, enum sh_ink ink, pk_slice text)
{
    sh_put_cut(drawing->area, sh_at(drawing->y, drawing->x, drawing->width - 2), ink, text);
}

static void put_name(const struct drawing *drawing, const struct card *card)
{
    put(drawing, SH_INK_STRONG, card->name);
}

static void put_kind(const struct drawing *drawing, const struct card *card)
{
    const struct cmd_snapshot_index *index = card->index;

    if (index == NULL)
        put(drawing, SH_INK_DIM, PK_LIT("the table"));
    else
        put(drawing, pk_slice_is(index->status, "ACTIVE") ? SH_INK_DIM : SH_INK_WARN,
            pk_arena_printf(drawing->arena, "%s%s%.*s", index->local ? "LSI" : "GSI",
                            index->status.len > 0 ? " · " : "", PK_FMT(index->status)));
}

static void put_items(const struct drawing *drawing, const struct card *card)
{
    put(drawing, SH_INK_TEXT, cmd_format_count(drawing->arena, card->items));
}

static void put_size(const struct drawing *drawing, const struct card *card)
{
    put(drawing, SH_INK_TEXT, cmd_format_bytes(drawing->arena, card->bytes));
}

/* A bar, and the figure with its limit: "███▌   682 of 3,000". */
static void put_gauge(const struct drawing *drawing, enum sh_ink ink, int64_t milli,
                      int64_t limit_milli)
{
    int bar = drawing->width < 40 ? drawing->width - 19 : drawing->width / 2;
    bool full = limit_milli > 0 && milli >= limit_milli;
    pk_slice figure = cmd_format_units(drawing->arena, milli < 0 ? 0 : milli);

    if (limit_milli > 0) {
        sh_put_bar(drawing->area, sh_at(drawing->y, drawing->x, bar), ink,
                   sh_share(milli, limit_milli));
        figure = pk_arena_printf(
            drawing->arena, "%.*s of %.*s%s", PK_FMT(figure),
            PK_FMT(cmd_format_count(drawing->arena, (uint64_t)(limit_milli / 1000))),
            full ? " !" : "");
    } else {
        bar = -1;
    }
    sh_put_cut(drawing->area, sh_at(drawing->y, drawing->x + bar + 1, drawing->width - bar - 3),
               full ? SH_INK_ALERT : SH_INK_TEXT, figure);
}

static void put_reads(const struct drawing *drawing, const struct card *card)
{
    if (card->index != NULL && card->index->local)
        put(drawing, SH_INK_DIM, PK_LIT("with the table"));
    else
        put_gauge(drawing, SH_INK_READ, card->read->consumed, card->read->limit * 1000);
}

static void put_writes(const struct drawing *drawing, const struct card *card)
{
    if (card->index != NULL && card->index->local)
        put(drawing, SH_INK_DIM, PK_LIT("with the table"));
    else
        put_gauge(drawing, SH_INK_WRITE, card->write->consumed, card->write->limit * 1000);
}

/* True (and says so) where changes do not wait: in the table itself and in a local index. */
static bool is_at_once(const struct drawing *drawing, const struct card *card)
{
    if (card->index != NULL && !card->index->local)
        return false;
    put(drawing, SH_INK_DIM, card->index == NULL ? PK_LIT("–") : PK_LIT("none: same write"));
    return true;
}

static void put_waiting(const struct drawing *drawing, const struct card *card)
{
    if (!is_at_once(drawing, card))
        put(drawing, card->index->waiting > 0 ? SH_INK_WARN : SH_INK_GOOD,
            card->index->waiting > 0
                ? pk_arena_printf(drawing->arena, "%.*s change%s",
                                  PK_FMT(cmd_format_count(drawing->arena, card->index->waiting)),
                                  card->index->waiting == 1 ? "" : "s")
                : PK_LIT("none"));
}

static void put_lag(const struct drawing *drawing, const struct card *card)
{
    if (!is_at_once(drawing, card))
        put(drawing, card->index->waiting > 0 ? SH_INK_WARN : SH_INK_GOOD,
            card->index->waiting > 0 ? sh_span_text(drawing->arena, card->index->oldest_ms)
                                     : PK_LIT("up to date"));
}

static void put_queue(const struct drawing *drawing, const struct card *card)
{
    if (!is_at_once(drawing, card))
        put_gauge(drawing, queue_full(card->index) ? SH_INK_ALERT : SH_INK_WARN,
                  card->index->queue_milli, card->index->queue_limit_milli);
}

static void put_back(const struct drawing *drawing, const struct card *card)
{
    if (card->index == NULL) {
        put(drawing, SH_INK_DIM, PK_LIT("–"));
        return;
    }
    if (card->index->throttled == 0)
        put(drawing, SH_INK_DIM, PK_LIT("0"));
    else
        put(drawing, SH_INK_ALERT,
            pk_arena_printf(drawing->arena, "%.*s table writes",
                            PK_FMT(cmd_format_count(drawing->arena, card->index->throttled))));
}

static const struct {
    const char *label;
    void (*put)(const struct drawing *drawing, const struct card *card);
} ROWS[] = {
    {"", put_name},
    {"", put_kind},
    {"items", put_items},
    {"size", put_size},
    {"reads/s", put_reads},
    {"writes/s", put_writes},
    {"in flight", put_waiting},
    {"lag", put_lag},
    {"queue", put_queue},
    {"refused", put_back},
};
enum { ROW_COUNT = sizeof(ROWS) / sizeof(*ROWS) };

/* ---- the view -------------------------------------------------------------------------------- */

static void draw_card(struct drawing *drawing, int top, const struct card *card)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        drawing->y = top + i + (i > 1 ? 1 : 0);
        ROWS[i].put(drawing, card);
    }
}

static void draw_labels(const struct drawing *drawing, int top)
{
    for (int i = 0; i < ROW_COUNT; i++)
        sh_put(drawing->area, top + i + (i > 1 ? 1 : 0), 1, SH_INK_RULE,
               pk_slice_cstr(ROWS[i].label));
    sh_put_repeat(drawing->area, sh_at(top + 2, 1, drawing->area->width - 2), SH_INK_RULE, "─");
}

/* One line for each index that is full: "by_total pushes back: its queue is full, …". */
static int draw_pressure(const struct drawing *drawing, int y)
{
    const struct cmd_snapshot *snapshot = drawing->snapshot;

    for (size_t i = 0; i < snapshot->index_count && y + ROW_COUNT < drawing->area->height; i++) {
        const struct cmd_snapshot_index *index = &snapshot->indexes[i];

        if (!queue_full(index))
            continue;
        sh_put_cut(
            drawing->area, sh_at(y++, 1, drawing->area->width - 2), SH_INK_ALERT,
            pk_arena_printf(
                drawing->arena, "! %.*s pushes back: its queue is full, so writes of %.*s %s",
                PK_FMT(index->name), PK_FMT(snapshot->table),
                snapshot->throttle == CMD_THROTTLE_ENFORCE ? "are refused" : "would be refused"));
    }
    return y;
}

static struct card card_of(const struct cmd_snapshot *snapshot, size_t i)
{
    const struct cmd_snapshot_index *index = i == 0 ? NULL : &snapshot->indexes[i - 1];

    if (index == NULL)
        return (struct card){NULL,
                             snapshot->table,
                             snapshot->items,
                             snapshot->bytes,
                             &snapshot->read,
                             &snapshot->write};
    return (struct card){index,        index->name,  index->items,
                         index->bytes, &index->read, &index->write};
}

static void draw(struct sh_views *views, const struct sh_area *area, const struct sh_frame *frame)
{
    struct sh_indexes *state = &views->indexes;
    struct drawing drawing = {.arena = &views->arena, .snapshot = frame->snapshot, .area = area};
    size_t most = frame->look.projector ? 3 : 99;
    int fit = (area->width - LABELS - 1) / LEAST;
    int top = 1;

    state->count = 1 + frame->snapshot->index_count;
    state->shown = fit < 1 ? 1 : (size_t)fit < state->count ? (size_t)fit : state->count;
    state->shown = state->shown < most ? state->shown : most;
    if (state->first > state->count - state->shown)
        state->first = state->count - state->shown;
    drawing.width = (area->width - LABELS - 1) / (int)state->shown;
    drawing.width = drawing.width > MOST ? MOST : drawing.width;
    sh_put_rule(area, 0, "indexes",
                state->shown < state->count
                    ? pk_arena_printf(&views->arena, "%zu to %zu of %zu · ←→ scrolls",
                                      state->first + 1, state->first + state->shown, state->count)
                    : PK_LIT(""),
                frame->focus);
    top = draw_pressure(&drawing, top);
    draw_labels(&drawing, top);
    for (size_t i = 0; i < state->shown; i++) {
        /* the base stays on the left */
        struct card card = card_of(frame->snapshot, i == 0 ? 0 : state->first + i);

        drawing.x = LABELS + 1 + (int)i * drawing.width;
        draw_card(&drawing, top, &card);
    }
    if (frame->snapshot->index_count == 0)
        sh_put_cut(area, sh_at(top + ROW_COUNT + 2, 1, area->width - 2), SH_INK_DIM,
                   PK_LIT("no indexes: alter table … add gsi … makes one"));
}

static bool key(struct sh_views *views, const struct sh_key *key)
{
    struct sh_indexes *state = &views->indexes;

    if (key->name == SH_KEY_LEFT)
        state->first -= state->first > 0 ? 1 : 0;
    else if (key->name == SH_KEY_RIGHT)
        state->first += state->first + state->shown < state->count ? 1 : 0;
    else if (key->name == SH_KEY_HOME)
        state->first = 0;
    else if (key->name == SH_KEY_END)
        state->first = state->count - state->shown;
    else
        return false;
    return true;
}

static void needs(const struct sh_views *views, struct sh_needs *needs)
{
    (void)views;
    needs->limit = 1; /* partitions are not shown */
    needs->history = 0;
}

const struct sh_view sh_view_indexes = {
    .name = "indexes",
    .brief = "idx",
    .help = "←→ scroll",
    .draw = draw,
    .key = key,
    .needs = needs,
};
