/*
 * Keys of the panel. At the prompt only function keys, PgUp and PgDn, and Ctrl-L are ours; once F7
 * has put the focus into the view, all are, until F7 or Esc.
 */
#include "shell/panel/panel_state.h"

enum { CTRL_L = 0x0c, BACKSPACE = 0x7f };

/* ---- at any time ----------------------------------------------------------------------------- */

static bool view_of(enum sh_tty_key key, enum sh_view_id *id)
{
    if (key < SH_TTY_F1 || key > SH_TTY_F10)
        return false;
    for (int i = 0; i < SH_VIEWS; i++) {
        *id = (enum sh_view_id)i;
        if (sh_view_function_key(*id) == (int)(key - SH_TTY_F1) + 1)
            return true;
    }
    return false;
}

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
    else if (view_of(key, &id))
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

/* ---- in the view ----------------------------------------------------------------------------- */

/* False: a key that views do not know. */
static bool translate(enum sh_tty_key key, uint32_t code, struct sh_key *out)
{
    static const struct {
        enum sh_tty_key key;
        enum sh_key_name name;
    } names[] = {
        {SH_TTY_UP, SH_KEY_UP},           {SH_TTY_DOWN, SH_KEY_DOWN},
        {SH_TTY_LEFT, SH_KEY_LEFT},       {SH_TTY_RIGHT, SH_KEY_RIGHT},
        {SH_TTY_PAGE_UP, SH_KEY_PAGE_UP}, {SH_TTY_PAGE_DOWN, SH_KEY_PAGE_DOWN},
        {SH_TTY_HOME, SH_KEY_HOME},       {SH_TTY_END, SH_KEY_END},
        {SH_TTY_ESCAPE, SH_KEY_ESCAPE},
    };

    *out = (struct sh_key){.name = SH_KEY_CHAR, .code = code};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].key == key) {
            out->name = names[i].name;
            return true;
        }
    if (key != SH_TTY_TEXT)
        return false;
    if (code == '\r' || code == '\n')
        out->name = SH_KEY_ENTER;
    else if (code == '\t')
        out->name = SH_KEY_TAB;
    else if (code == BACKSPACE || code == '\b')
        out->name = SH_KEY_BACKSPACE;
    return out->name != SH_KEY_CHAR || code >= 0x20;
}

/* ---- knobs ----------------------------------------------------------------------------------- */

/* The next of 1, 2, 5, 10, 20, 50 …, upwards or downwards. */
static int64_t next_rate(int64_t rate, bool up)
{
    static const int64_t steps[] = {1, 2, 5, 10};
    int64_t unit = 1;

    while (rate > 10 * unit || (up && rate == 10 * unit))
        unit *= 10;
    if (up) {
        for (size_t i = 0; i < 4; i++)
            if (steps[i] * unit > rate)
                return steps[i] * unit;
    } else {
        for (size_t i = 4; i-- > 0;)
            if (steps[i] * unit < rate)
                return steps[i] * unit;
    }
    return up ? rate : 1;
}

/* The key that most requests go to, as it would be typed; empty: none is known. */
static pk_slice hottest_key(const struct cmd_snapshot *snapshot)
{
    pk_slice hottest = {NULL, 0};
    int64_t most = 0;

    for (size_t i = 0; snapshot != NULL && i < snapshot->count; i++) {
        const struct cmd_snapshot_partition *partition = &snapshot->partitions[i];
        int64_t units = partition->read.consumed + partition->write.consumed;

        if (partition->hottest_count > 0 && units > most) {
            most = units;
            hottest = partition->hottest[0].text;
        }
    }
    return hottest;
}

/* Skews go round: uniform, zipf(1.2), and where a hottest key is known hot(80% KEY). */
static void add_next_skew(struct pk_buf *out, const struct sh_panel *panel, pk_slice skew)
{
    pk_slice hot = hottest_key(panel->data->snapshot);

    if (skew.len == 0 || pk_slice_starts(skew, PK_LIT("uniform")))
        pk_buf_add_cstr(out, "zipf(1.2)");
    else if (pk_slice_starts(skew, PK_LIT("zipf")) && hot.len > 0)
        pk_buf_printf(out, "hot(80%% %.*s)", PK_FMT(hot));
    else
        pk_buf_add_cstr(out, "uniform");
}

/* Knobs turn the first traffic in the status line, by the statement that one would type. */
static void wish_traffic(struct sh_panel *panel, uint32_t code)
{
    const struct sh_traffic *traffic = panel->data->traffic;
    struct pk_buf *wish = &panel->wish;

    if (panel->data->traffic_count == 0)
        return;
    pk_buf_clear(wish);
    pk_buf_printf(wish, "traffic set %.*s ", PK_FMT(traffic->name));
    if (code == 's') {
        pk_buf_add_cstr(wish, "skew=");
        add_next_skew(wish, panel, traffic->skew);
    } else {
        pk_buf_printf(wish, "rate=%lld/s", (long long)next_rate(traffic->rate, code == '+'));
    }
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
    case '+':
    case '-':
    case 's':
        wish_traffic(panel, key->code);
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
    if (take_function_key(panel, key) || !translate(key, code, &translated))
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
