/*
 * Keys of the panel. At the prompt only function keys, PgUp and PgDn, and Ctrl-L are ours; once F7
 * has put the focus into the view, all are, until F7 or Esc.
 */
#include "shell/panel/knobs.h"
#include "shell/panel/panel_state.h"
#include "shell/panel/view_keys.h"

enum { CTRL_L = 0x0c };

/* ---- at any time ----------------------------------------------------------------------------- */

static void set_focus(struct sh_panel *panel, bool focus)
{
    panel->focus = focus && panel->layout.view_rows > 0;
    panel->view_due = true;
}

/* F2 to F7. */
static bool take_function_key(struct sh_panel *panel, enum sh_tty_key key)
{
    enum sh_view_id id;

    if (key == SH_TTY_F7)
        set_focus(panel, !panel->focus);
    else if (sh_view_of_key(key, &id))
        sh_panel_show(panel->sh, id);
    else
        return false;
    return true;
}

/* ---- at the prompt --------------------------------------------------------------------------- */

static bool take_prompt_key(struct sh_panel *panel, enum sh_tty_key key, uint32_t code)
{
    int page = panel->layout.pane_rows > 1 ? panel->layout.pane_rows - 1 : 1;

    if (key == SH_TTY_PAGE_UP) {
        sh_pane_scroll(panel->pane, page);
    } else if (key == SH_TTY_PAGE_DOWN) {
        sh_pane_scroll(panel->pane, -page);
    } else if (key == SH_TTY_TEXT && code == CTRL_L) {
        sh_pane_clear(panel->pane);
        sh_screen_redraw(panel->screen);
        panel->view_due = true;
    } else {
        return take_function_key(panel, key);
    }
    return true;
}

/* ---- knobs ----------------------------------------------------------------------------------- */

/* Knobs turn the traffic that is chosen, by the statement that one would type. */
static void wish_traffic(struct sh_panel *panel, uint32_t code)
{
    const struct sh_feed_data *data = panel->data;
    struct pk_buf *wish = &panel->wish;
    struct pk_buf value = PK_BUF_INIT;

    if (data->traffic_count == 0)
        return;
    sh_traffic_knob_turn(&panel->knob, data, code, &value);
    pk_buf_clear(wish);
    pk_buf_printf(wish, "traffic set %.*s %s=%.*s", PK_FMT(pk_buf_slice(&panel->knob.name)),
                  code == 's' ? "skew" : "rate", PK_FMT(pk_buf_slice(&value)));
    pk_buf_release(&value);
}

static void look_at_next_index(struct sh_panel *panel)
{
    pk_slice next = sh_knob_index(panel->data->snapshot, pk_buf_slice(&panel->index));

    pk_buf_clear(&panel->index);
    pk_buf_add(&panel->index, next);
    panel->frozen = false;
    sh_views_restart(panel->views);
}

/* What R means: no traffic any more, and pictures that begin now. Items are not touched. */
static void reset(struct sh_panel *panel)
{
    sh_views_restart(panel->views);
    panel->frozen = false;
    pk_buf_clear(&panel->wish);
    if (panel->data->traffic_count > 0)
        pk_buf_add_cstr(&panel->wish, "traffic stop");
}

/* Keys that the view has no use for. */
static void take_knob(struct sh_panel *panel, const struct sh_key *key)
{
    if (key->name == SH_KEY_ESCAPE) {
        set_focus(panel, false);
        return;
    }
    if (key->name != SH_KEY_CHAR)
        return;
    switch (key->code) {
    case 'f':
    case ' ':
        panel->frozen = !panel->frozen;
        return;
    case 'i':
        look_at_next_index(panel);
        return;
    case '+':
    case '-':
    case 's':
        wish_traffic(panel, key->code);
        return;
    case 'T':
        sh_traffic_knob_next(&panel->knob, panel->data);
        return;
    case 'R':
        panel->asking = true;
        return;
    default:
        return;
    }
}

static void answer(struct sh_panel *panel, enum sh_tty_key key, uint32_t code)
{
    panel->asking = false;
    if (key == SH_TTY_TEXT && (code == 'y' || code == 'Y'))
        reset(panel);
}

static void take_view_key(struct sh_panel *panel, enum sh_tty_key key, uint32_t code, bool pasting)
{
    struct sh_key translated;

    panel->view_due = true;
    if (panel->asking) {
        answer(panel, key, code);
        return;
    }
    /* what is pasted is text: something to search for, or nothing */
    if (pasting && !sh_views_typing(panel->views))
        return;
    if (take_function_key(panel, key) || !sh_view_key_of(key, code, &translated))
        return;
    if (pasting && translated.name != SH_KEY_CHAR)
        return;
    if (!sh_views_key(panel->views, &translated))
        take_knob(panel, &translated);
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool sh_panel_take_keys(void *context, struct sh_keys *keys)
{
    struct sh_panel *panel = context;
    size_t len = 0;
    uint32_t code = 0;
    enum sh_tty_key key;

    while ((key = sh_keys_peek(keys, &len, &code)) != SH_TTY_NONE) {
        if (key == SH_TTY_F9) {
            sh_keys_skip(keys, len);
            return true;
        }
        panel->all_due = true;
        if (panel->focus)
            take_view_key(panel, key, code, keys->pasting);
        else if (keys->pasting || !take_prompt_key(panel, key, code))
            return false;
        sh_keys_skip(keys, len);
        if (panel->wish.len > 0)
            return true;
    }
    return false;
}
