/*
 * Composing the screen, and turning it on and off; see panel.h.
 *
 * A key is answered by the next draw, which the line editor asks for before it waits: at once. The
 * view is drawn at most ten times a second, output that streams by at most thirty times.
 */
#include "shell/panel/panel.h"

#include <signal.h>
#include <stdlib.h>

#include "shell/panel/panel_state.h"
#include "shell/render/text_safe.h"
#include "shell/show.h"
#include "shell/signals.h"

enum {
    VIEW_US = 100000,
    OUTPUT_US = 33000,
    RUNNING_US = 200000, /* a statement that takes longer is said to run */
    WORDS_MAX = 300      /* of a completion that are listed */
};

/* ---- drawing --------------------------------------------------------------------------------- */

static void fill_frame(const struct sh_panel *panel, struct sh_frame *frame)
{
    *frame = (struct sh_frame){.last = pk_buf_slice(&panel->last),
                               .focus = panel->focus,
                               .frozen = panel->frozen,
                               .prompt = true,
                               .look = panel->look};
    sh_feed_fill(panel->data, frame);
    frame->traffic_chosen = sh_traffic_knob_place(&panel->knob, panel->data);
}

static void draw_view(struct sh_panel *panel, int rows, int columns, int64_t now_us)
{
    struct sh_frame frame;

    fill_frame(panel, &frame);
    sh_canvas_reset(&panel->view_canvas, &panel->look, rows, columns);
    sh_views_draw(panel->views, &panel->view_canvas, &frame);
    sh_panel_feed_want(panel);
    panel->view_us = now_us;
    panel->view_due = panel->newer = false;
}

/* "─ output ── … ─" */
static void draw_title(struct sh_panel *panel, const struct sh_area *area, int64_t now_us)
{
    struct pk_buf text = PK_BUF_INIT;
    int below = sh_pane_below(panel->pane);
    int row = panel->layout.title_row;

    if (row < 0)
        return;
    sh_put_repeat(area, sh_at(row, 0, area->width), SH_INK_RULE, panel->look.utf8 ? "─" : "-");
    pk_buf_add_cstr(&text, " output ");
    if (panel->layout.view_rows == 0)
        pk_buf_printf(&text, "· the panel needs %d rows and %d columns ", SH_LAYOUT_ROWS,
                      SH_LAYOUT_COLUMNS);
    if (below > 0)
        pk_buf_printf(&text, "· %d more row%s below: PgDn ", below, below == 1 ? "" : "s");
    if (panel->sh->running_us != 0 && now_us - panel->sh->running_us > RUNNING_US)
        pk_buf_add_cstr(&text, "· running, Ctrl-C stops it ");
    sh_put(area, row, 1, SH_INK_RULE, pk_buf_slice(&text));
    pk_buf_release(&text);
}

static void draw_keys(struct sh_panel *panel, int row)
{
    static const char question[] =
        " Reset: stop all traffic and begin the pictures anew? y yes, other keys no";
    struct sh_frame frame;

    if (row < 0)
        return;
    if (!panel->asking) {
        fill_frame(panel, &frame);
        sh_views_draw_keys(panel->views, &panel->canvas, row, &frame);
        return;
    }

    struct sh_area area = sh_area_whole(&panel->canvas);

    sh_put(&area, row, 0, SH_INK_WARN, pk_slice_cstr(question));
}

static void copy_view(struct sh_panel *panel)
{
    size_t width = (size_t)panel->canvas.width;
    int rows = panel->layout.view_rows < panel->view_canvas.height ? panel->layout.view_rows
                                                                   : panel->view_canvas.height;

    if (panel->view_canvas.width == panel->canvas.width && rows > 0)
        memcpy(panel->canvas.cells, panel->view_canvas.cells,
               (size_t)rows * width * sizeof(*panel->canvas.cells));
}

static void draw_all(struct sh_panel *panel, int64_t now_us)
{
    int rows = sh_screen_height(panel->screen);
    int columns = sh_screen_width(panel->screen);
    struct sh_line_view line;
    int y = 0;
    int x = 0;

    if (panel->all_due) {
        sh_line_look(panel->sh->line, &line);
        sh_typed_set(&panel->typed, &line, columns, !panel->look.utf8);
    }
    panel->layout = sh_layout(rows, columns, panel->typed.rows);

    const struct sh_layout *layout = &panel->layout;

    if (panel->view_due || layout->view_rows != panel->view_canvas.height ||
        columns != panel->view_canvas.width)
        draw_view(panel, layout->view_rows, columns, now_us);
    sh_canvas_reset(&panel->canvas, &panel->look, rows, columns);
    copy_view(panel);

    struct sh_area whole = sh_area_whole(&panel->canvas);
    struct sh_area pane = sh_area_part(&whole, layout->pane_row, 0, layout->pane_rows, columns);
    struct sh_area input = sh_area_part(&whole, layout->input_row, 0, layout->input_rows, columns);

    sh_pane_draw(panel->pane, &pane);
    draw_title(panel, &whole, now_us);
    draw_keys(panel, layout->keys_row);
    sh_typed_draw(&panel->typed, &input, &y, &x);
    sh_screen_show(panel->screen, &panel->canvas, &panel->look,
                   panel->focus ? -1 : layout->input_row + y, x);
    panel->all_due = panel->pane_due = false;
    panel->drawn_us = now_us;
}

/* When something is to be drawn that no key and no data announces; 0: now. */
static int64_t due_us(const struct sh_panel *panel, int64_t now_us)
{
    int64_t due = INT64_MAX;

    if (panel->view_due || panel->all_due)
        return 0;
    if (panel->newer || panel->sh->running_us != 0)
        due = panel->view_us + VIEW_US;
    if (panel->pane_due && panel->drawn_us + OUTPUT_US < due)
        due = panel->drawn_us + OUTPUT_US;
    return due <= now_us ? 0 : due;
}

static int draw(void *context)
{
    struct sh_panel *panel = context;
    int64_t now_us = pk_clock_real_us();
    int64_t due;

    if (panel->lent)
        return -1;
    panel->newer = sh_panel_feed_take(panel) || panel->newer;
    if (panel->newer && now_us - panel->view_us >= VIEW_US)
        panel->view_due = true;
    due = due_us(panel, now_us);
    if (due == 0) {
        draw_all(panel, now_us);
        due = due_us(panel, now_us);
    }
    return due == INT64_MAX ? -1 : (int)((due - now_us + 999) / 1000);
}

/* ---- what the line editor and the writer call ------------------------------------------------ */

static void write_output(void *context, pk_slice bytes)
{
    struct sh_panel *panel = context;

    sh_pane_write(panel->pane, bytes);
    panel->pane_due = true;
}

static void finish_line(void *context, const struct sh_line_view *view, const char *ending)
{
    struct sh_panel *panel = context;
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_add_cstr(&text, view->prompt);
    sh_text_safe(&text, view->text, SH_TEXT_LINES);
    pk_buf_add_cstr(&text, ending);
    pk_buf_add_byte(&text, '\n');
    sh_pane_follow(panel->pane);
    sh_pane_write(panel->pane, pk_buf_slice(&text));
    pk_buf_release(&text);
    panel->all_due = true;
}

static void list_words(void *context, const char *const *words, size_t count)
{
    struct sh_panel *panel = context;
    struct pk_buf text = PK_BUF_INIT;
    size_t shown = count < WORDS_MAX ? count : WORDS_MAX;
    size_t widest = 0;

    for (size_t i = 0; i < shown; i++) {
        size_t width = sh_text_width(pk_slice_cstr(words[i]));

        widest = width > widest ? width : widest;
    }

    size_t each = widest + 2;
    size_t columns = (size_t)sh_screen_width(panel->screen) / each;

    columns = columns == 0 ? 1 : columns;
    for (size_t i = 0; i < shown; i++) {
        bool last = i + 1 == shown || (i + 1) % columns == 0;

        pk_buf_add_cstr(&text, words[i]);
        sh_text_pad(&text, last ? 0 : each - sh_text_width(pk_slice_cstr(words[i])));
        if (last)
            pk_buf_add_byte(&text, '\n');
    }
    if (count > shown)
        pk_buf_printf(&text, " and %zu more\n", count - shown);
    sh_pane_follow(panel->pane);
    sh_pane_write(panel->pane, pk_buf_slice(&text));
    pk_buf_release(&text);
    panel->all_due = true;
}

static void resize(void *context)
{
    struct sh_panel *panel = context;

    sh_screen_resize(panel->screen);
    panel->view_due = panel->all_due = true;
}

static void suspend(void *context)
{
    struct sh_panel *panel = context;

    sh_screen_leave(panel->screen);
    sh_signals_suspend();
    sh_screen_return(panel->screen);
    panel->view_due = panel->all_due = true;
}

static void note_change(void *context)
{
    struct sh_panel *panel = context;

    panel->all_due = true;
}

/* ---- on and off ------------------------------------------------------------------------------ */

static struct sh_panel *panel_new(struct sh *sh)
{
    struct sh_panel *panel = pk_calloc(1, sizeof(*panel));

    panel->sh = sh;
    panel->views = sh_views_new();
    panel->pane = sh_pane_new();
    panel->line_screen = (struct sh_line_screen){.context = panel,
                                                 .take_keys = sh_panel_take_keys,
                                                 .changed = note_change,
                                                 .draw = draw,
                                                 .list = list_words,
                                                 .finish = finish_line,
                                                 .resize = resize,
                                                 .suspend = suspend};
    return panel;
}

void sh_panel_look(struct sh_panel *panel)
{
    struct sh_look before = panel->look;
    const char *no_color = getenv("NO_COLOR");
    bool plain = no_color != NULL && no_color[0] != '\0';

    panel->look.colours = plain ? 0 : sh_screen_colours(panel->screen);
    panel->look.utf8 = !sh_ascii(panel->sh);
    if (before.utf8 != panel->look.utf8 || before.colours != panel->look.colours)
        panel->view_due = panel->all_due = true;
}

enum pk_code sh_panel_on(struct sh *sh, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    if (sh_panel_is_on(sh))
        return PK_OK;
    if (!sh_interactive(sh) && !sh->prompt_follows)
        return pk_fail(err, PK_E_USAGE, "the panel needs a prompt, and this is none");
    if (sh->panel == NULL)
        sh->panel = panel_new(sh);

    struct sh_panel *panel = sh->panel;

    panel->wanted = !sh_interactive(sh);
    if (panel->wanted)
        return PK_OK;
    if (panel->screen == NULL)
        rc = sh_screen_open(&panel->screen, err);
    else
        sh_screen_return(panel->screen);
    if (rc != PK_OK)
        return rc;
    sh_panel_look(panel);
    sh_line_draw_on(sh->line, &panel->line_screen);
    sh->output.sink = (struct sh_output_sink){write_output, panel};
    panel->on = panel->view_due = panel->all_due = true;
    panel->focus = panel->asking = panel->frozen = false;
    sh_panel_feed_open(panel);
    sh_panel_follow(sh);
    return PK_OK;
}

void sh_panel_begin(struct sh *sh)
{
    if (sh->panel != NULL && sh->panel->wanted)
        sh_panel_obey_key(sh);
}

void sh_panel_off(struct sh *sh)
{
    if (sh->panel != NULL)
        sh->panel->wanted = false;
    if (!sh_panel_is_on(sh))
        return;
    sh->panel->on = false;
    sh->output.sink = (struct sh_output_sink){NULL, NULL};
    sh_panel_feed_close(sh->panel);
    sh_screen_leave(sh->panel->screen);
    sh_line_draw_on(sh->line, NULL);
}

bool sh_panel_is_on(const struct sh *sh)
{
    return sh->panel != NULL && sh->panel->on;
}

void sh_panel_obey_key(struct sh *sh)
{
    struct pk_error err = PK_ERROR_INIT;

    if (sh_panel_is_on(sh) && sh->panel->wish.len > 0)
        return; /* the loop asks for it */
    if (sh_panel_is_on(sh))
        sh_panel_off(sh);
    else if (sh_panel_on(sh, &err) != PK_OK)
        sh_note(sh, "%s", err.message);
    pk_error_release(&err);
}

void sh_panel_close(struct sh *sh)
{
    struct sh_panel *panel = sh->panel;

    if (panel == NULL)
        return;
    sh_panel_off(sh);
    sh_screen_close(panel->screen);
    sh_views_free(panel->views);
    sh_pane_free(panel->pane);
    sh_typed_release(&panel->typed);
    pk_buf_release(&panel->index);
    pk_buf_release(&panel->last);
    pk_buf_release(&panel->wish);
    sh_traffic_knob_release(&panel->knob);
    free(panel->table);
    sh_canvas_release(&panel->canvas);
    sh_canvas_release(&panel->view_canvas);
    free(panel);
    sh->panel = NULL;
}

/* " 3 items · Query · partition 1 of 4 · 95 B read · 0.5 RCU eventual · 0.2 ms" without what was
 * counted in items, bytes and time: those are in the output below. */
void sh_panel_last(struct sh *sh, pk_slice footer)
{
    static const char dot[] = " · ";
    struct pk_buf *last;

    if (!sh_panel_is_on(sh))
        return;
    last = &sh->panel->last;
    pk_buf_clear(last);
    while (footer.len > 0) {
        const char *end = memmem(footer.data, footer.len, dot, sizeof(dot) - 1);
        size_t len = end == NULL ? footer.len : (size_t)(end - footer.data);
        pk_slice part = pk_slice_of(footer.data, len);
        bool counted = part.data[0] == ' ' || (part.data[0] >= '0' && part.data[0] <= '9');

        if (!counted || memmem(part.data, part.len, "CU", 2) != NULL) {
            pk_buf_add_cstr(last, last->len == 0 ? "" : dot);
            pk_buf_add(last, part);
        }
        footer = pk_slice_skip(footer, end == NULL ? len : len + sizeof(dot) - 1);
    }
    sh->panel->view_due = true;
}

void sh_panel_show(struct sh *sh, enum sh_view_id id)
{
    sh_views_show(sh->panel->views, id);
    sh->panel->view_due = sh->panel->all_due = true;
}

bool sh_panel_wish(struct sh *sh, struct pk_buf *statement)
{
    if (!sh_panel_is_on(sh) || sh->panel->wish.len == 0)
        return false;
    pk_buf_clear(statement);
    pk_buf_add(statement, pk_buf_slice(&sh->panel->wish));
    pk_buf_clear(&sh->panel->wish);
    return true;
}

bool sh_panel_text(const struct sh *sh, struct pk_buf *out)
{
    if (!sh_panel_is_on(sh) || sh->panel->canvas.cells == NULL)
        return false;
    sh_canvas_text(&sh->panel->canvas, out);
    return true;
}

/* ---- the main loop --------------------------------------------------------------------------- */

int sh_panel_draw(struct sh *sh)
{
    return sh_panel_is_on(sh) ? draw(sh->panel) : -1;
}

void sh_panel_fds(const struct sh *sh, struct pollfd fds[2])
{
    bool ours = sh_panel_is_on(sh) && !sh->panel->lent;

    fds[0] = (struct pollfd){.fd = ours ? sh_line_fd(sh->line) : -1, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = ours ? sh_feed_fd(sh->panel->feed) : -1, .events = POLLIN};
}

void sh_panel_pump(struct sh *sh)
{
    if (!sh_panel_is_on(sh) || sh->panel->lent)
        return;
    if (sh_signals_take(SIGWINCH))
        resize(sh->panel);
    if (sh_line_pump(sh->line))
        sh_panel_obey_key(sh);
}

void sh_panel_suspend(struct sh *sh)
{
    if (sh_panel_is_on(sh) && !sh->panel->lent)
        suspend(sh->panel);
    else
        sh_signals_suspend();
}

void sh_panel_lend(struct sh *sh)
{
    if (!sh_panel_is_on(sh))
        return;
    sh->panel->lent = true;
    sh_screen_leave(sh->panel->screen);
}

void sh_panel_take_back(struct sh *sh)
{
    struct sh_panel *panel = sh->panel;

    if (!sh_panel_is_on(sh) || !panel->lent)
        return;
    panel->lent = false;
    sh_screen_return(panel->screen);
    panel->view_due = panel->all_due = true;
}
