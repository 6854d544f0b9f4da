/* The table of views and what goes to whichever is in front; see view.h. */
#include "shell/panel/collections.h"

#include <stdlib.h>

static const struct sh_view *const VIEWS[SH_VIEWS] = {
    [SH_VIEW_HEAT] = &sh_view_heat,     [SH_VIEW_COLLECTIONS] = &sh_view_collections,
    [SH_VIEW_STREAM] = &sh_view_stream, [SH_VIEW_INDEXES] = &sh_view_indexes,
    [SH_VIEW_SPLIT] = &sh_view_split,
};

enum {
    FIRST_FUNCTION_KEY = 2,
    LEAST_WIDTH = 24, /* below, a view says that it does not fit */
    LEAST_HEIGHT = 2,
    TRAFFICS_SHOWN = 3,
    TRAFFIC_LEAST = 12 /* columns that a traffic in the line of keys is worth */
};

struct sh_views *sh_views_new(void)
{
    struct sh_views *views = pk_calloc(1, sizeof(*views));

    views->front = SH_VIEW_SPLIT;
    views->model = sh_model_new();
    views->arena = (struct pk_arena)PK_ARENA_INIT;
    return views;
}

void sh_views_free(struct sh_views *views)
{
    if (views == NULL)
        return;
    sh_model_free(views->model);
    sh_collections_release(&views->collections);
    sh_tail_ring_release(&views->stream.ring);
    pk_buf_release(&views->table);
    pk_arena_release(&views->arena);
    free(views);
}

void sh_views_restart(struct sh_views *views)
{
    uint32_t ticket = views->collections.ticket + 1; /* what was asked before answers nothing now */

    sh_model_clear(views->model);
    sh_collections_release(&views->collections);
    views->collections.ticket = ticket;
    sh_tail_ring_release(&views->stream.ring);
    views->stream = (struct sh_stream){0};
    views->heat = (struct sh_heat){0};
    views->indexes = (struct sh_indexes){0};
}

void sh_views_show(struct sh_views *views, enum sh_view_id id)
{
    views->front = id;
}

enum sh_view_id sh_views_front(const struct sh_views *views)
{
    return views->front;
}

bool sh_view_named(pk_slice name, enum sh_view_id *id)
{
    for (int i = 0; i < SH_VIEWS; i++)
        if (pk_slice_is(name, VIEWS[i]->name)) {
            *id = (enum sh_view_id)i;
            return true;
        }
    return false;
}

const char *sh_view_name(enum sh_view_id id)
{
    return VIEWS[id]->name;
}

int sh_view_function_key(enum sh_view_id id)
{
    return FIRST_FUNCTION_KEY + (int)id;
}

/* Another table or index is in the frame: what was remembered was of the one before. */
static void notice_table(struct sh_views *views, const struct cmd_snapshot *snapshot)
{
    pk_slice table = pk_arena_printf(&views->arena, "%.*s.%.*s", PK_FMT(snapshot->table),
                                     PK_FMT(snapshot->index));

    if (pk_slice_equal(pk_buf_slice(&views->table), table))
        return;
    if (views->table.len > 0)
        sh_views_restart(views);
    sh_text_set(&views->table, table);
}

/* What the views remember goes on whichever is in front, so that switching shows no gap. */
static void take_in(struct sh_views *views, const struct sh_frame *frame)
{
    if (frame->snapshot != NULL)
        notice_table(views, frame->snapshot);
    if (frame->snapshot != NULL && frame->snapshot->table.len > 0)
        sh_model_feed(views->model, frame->snapshot);
    sh_tail_ring_feed(&views->stream.ring, frame->records, frame->record_count);
    views->stream.ring.lost = frame->records_lost;
}

void sh_views_draw(struct sh_views *views, struct sh_canvas *canvas, const struct sh_frame *frame)
{
    struct sh_area whole = sh_area_whole(canvas);
    struct sh_area status = sh_area_part(&whole, 0, 0, 1, whole.width);
    struct sh_area view = sh_area_part(&whole, 1, 0, whole.height - 1, whole.width);

    pk_arena_clear(&views->arena);
    take_in(views, frame);
    sh_status_draw(&views->arena, &status, frame);
    if (view.height < 1 || view.width < 1)
        return;
    if (view.height < LEAST_HEIGHT || view.width < LEAST_WIDTH) {
        sh_put_cut(&view, sh_at(0, 0, view.width), SH_INK_DIM,
                   pk_arena_printf(&views->arena, "too small for %s", VIEWS[views->front]->name));
        return;
    }
    if (frame->snapshot == NULL) {
        sh_put_nothing(&view, frame->trouble.len > 0 ? frame->trouble : PK_LIT("waiting for data"));
        return;
    }
    VIEWS[views->front]->draw(views, &view, frame);
}

void sh_views_needs(const struct sh_views *views, struct sh_needs *needs)
{
    *needs = (struct sh_needs){.history = sh_model_wants(views->model), .limit = 64};
    VIEWS[views->front]->needs(views, needs);
}

bool sh_views_key(struct sh_views *views, const struct sh_key *key)
{
    const struct sh_view *view = VIEWS[views->front];

    return view->key != NULL && view->key(views, key);
}

bool sh_views_typing(const struct sh_views *views)
{
    bool front = views->front == SH_VIEW_COLLECTIONS ||
                 (views->front == SH_VIEW_SPLIT && views->pane == SH_PANE_COLLECTIONS);

    return front && views->collections.typing;
}

/* ---- the line of keys ------------------------------------------------------------------------ */

/* "key what", the key in its own ink; returns the column behind, or x where there is no room. */
static int put_key(const struct sh_area *area, int x, const char *key, const char *what,
                   bool strong)
{
    int need = sh_width(area, pk_slice_cstr(key)) + 1 + sh_width(area, pk_slice_cstr(what));

    if (x + need > area->width)
        return x;
    x = sh_put(area, 0, x, SH_INK_KEY, pk_slice_cstr(key));
    x = sh_put(area, 0, x, strong ? SH_INK_STRONG : SH_INK_KEYS, PK_LIT(" "));
    return sh_put(area, 0, x, strong ? SH_INK_STRONG : SH_INK_KEYS, pk_slice_cstr(what)) + 1;
}

/* A view's help: "key what", two blanks between. */
static int put_help(const struct sh_area *area, int x, const char *help)
{
    while (*help != '\0') {
        const char *end = strstr(help, "  ");
        size_t len = end == NULL ? strlen(help) : (size_t)(end - help);
        const char *blank = memchr(help, ' ', len);
        size_t key = blank == NULL ? len : (size_t)(blank - help);

        if (x + sh_width(area, pk_slice_of(help, len)) > area->width)
            break;
        sh_put(area, 0, x, SH_INK_KEYS, pk_slice_of(help, len));
        sh_put_ink(area, sh_at(0, x, sh_width(area, pk_slice_of(help, key))), SH_INK_KEY);
        x += sh_width(area, pk_slice_of(help, len)) + 2;
        help += len + (end == NULL ? 0 : 2);
    }
    return x;
}

/* The first traffics; or, where keys are ours and there are several, the one that they turn. */
static pk_slice traffic_text(struct pk_arena *arena, const struct sh_frame *frame, bool ours)
{
    struct pk_buf text = PK_BUF_INIT;
    pk_slice kept;

    if (ours && frame->traffic_count > 1) {
        const struct sh_traffic *chosen = &frame->traffic[frame->traffic_chosen];

        return pk_arena_printf(arena, "›%.*s %.*s/s · %zu of %zu", PK_FMT(chosen->name),
                               PK_FMT(cmd_format_count(arena, (uint64_t)chosen->rate)),
                               frame->traffic_chosen + 1, frame->traffic_count);
    }
    for (size_t i = 0; i < frame->traffic_count && i < TRAFFICS_SHOWN; i++)
        pk_buf_printf(&text, "%s%.*s %.*s/s", i > 0 ? " · " : "", PK_FMT(frame->traffic[i].name),
                      PK_FMT(cmd_format_count(arena, (uint64_t)frame->traffic[i].rate)));
    if (frame->traffic_count > TRAFFICS_SHOWN)
        pk_buf_printf(&text, " · %zu more", frame->traffic_count - TRAFFICS_SHOWN);
    kept = pk_arena_dup(arena, text.len == 0 ? PK_LIT("") : pk_buf_slice(&text));
    pk_buf_release(&text);
    return kept;
}

/* At the right end, from x + 1 on at the earliest. */
static void put_traffic(const struct sh_area *area, int x, pk_slice text)
{
    int at = area->width - sh_width(area, text) - 1;

    if (text.len > 0 && x + TRAFFIC_LEAST < area->width)
        sh_put_cut(area, sh_at(0, at > x + 1 ? at : x + 1, area->width - x - 2), SH_INK_WARN, text);
}

static int put_own_help(const struct sh_views *views, const struct sh_area *area, int x,
                        const struct sh_frame *frame)
{
    x = put_help(area, x + (x > 1 ? 1 : 0), frame->prompt ? "Esc prompt" : "q quit");
    x = put_help(area, x, VIEWS[views->front]->help);
    x = put_help(area, x, frame->prompt ? "f freeze  i index" : "f freeze  t table  i index");
    return put_help(area, x,
                    frame->traffic_count > 1 ? "+- rate  s skew  T traffic  R reset"
                                             : "+- rate  s skew  R reset");
}

void sh_views_draw_keys(const struct sh_views *views, struct sh_canvas *canvas, int row,
                        const struct sh_frame *frame)
{
    struct sh_area whole = sh_area_whole(canvas);
    struct sh_area area = sh_area_part(&whole, row, 0, 1, whole.width);
    struct sh_area help;
    pk_slice traffic;
    bool ours = frame->focus || !frame->prompt;
    struct pk_arena arena = PK_ARENA_INIT;
    char key[8] = "F2";
    int x = 1;

    if (area.height == 0)
        return;
    traffic = traffic_text(&arena, frame, ours);
    help = area;
    if (ours && frame->traffic_count > 1) /* which one is turned must be seen */
        help.width -= sh_width(&area, traffic) + 2;
    sh_put_repeat(&area, sh_at(0, 0, area.width), SH_INK_KEYS, " ");
    for (int i = 0; i < SH_VIEWS && (!ours || !frame->prompt); i++) {
        key[1] = (char)('0' + FIRST_FUNCTION_KEY + i);
        x = put_key(&help, x, key, VIEWS[i]->brief, views->front == (enum sh_view_id)i);
    }
    if (ours) {
        x = put_own_help(views, &help, x, frame);
    } else {
        x = put_key(&help, x, "F7", "into view", false);
        x = put_key(&help, x, "F9", "off", false);
    }
    put_traffic(&area, x, traffic);
    pk_arena_release(&arena);
}
