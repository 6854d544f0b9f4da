/* See the header. One thread draws and listens to keys; the feed (feed.h) asks on another. */
#include "shell/panel/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "commands/wire.h"
#include "shell/client/remote.h"
#include "shell/panel/feed.h"
#include "shell/panel/knobs.h"
#include "shell/panel/screen.h"
#include "shell/panel/socket_client.h"
#include "shell/panel/traffic_knob.h"
#include "shell/panel/view_keys.h"
#include "shell/paths.h"
#include "shell/render/render_diag.h"
#include "shell/shell.h"
#include "shell/signals.h"

enum { FRAME_US = 100000 /* between two frames, unless a key was pressed */, CTRL_L = 0x0c };

struct watch {
    const struct sh_options *options;
    struct pk_buf dir; /* of the store; empty: an endpoint */
    struct sh_feed *feed;
    struct sh_screen *screen;
    struct sh_keys keys;
    struct sh_views *views;
    struct sh_look look;
    struct sh_canvas canvas;         /* the whole screen */
    struct sh_canvas view_canvas;    /* all but the line of keys */
    const struct sh_feed_data *data; /* a reference: what is shown */
    struct pk_buf table, index;      /* what is looked at; empty: the first one, the table itself */
    struct sh_traffic_knob knob;
    bool frozen;
    bool due;     /* something has changed */
    bool due_now; /* and it was a key */
    bool asking;  /* whether to reset: the next key answers */
    bool quit;
    int64_t drawn_us;
};

/* Where the data comes from --------------------------------------------------------------------*/

static enum pk_code open_source(void *context, const atomic_bool *cancel,
                                struct cmd_backend **backend, struct pk_error *err)
{
    const struct watch *watch = context;
    struct cmd_progress silent = {NULL, NULL};
    struct sh_aws_account account;
    enum pk_code rc;

    if (watch->dir.len > 0)
        return sh_socket_client_open(watch->dir.data, backend, err);
    rc = sh_aws_resolve(&watch->options->remote, sh_aws_environment(), &account, err);
    if (rc == PK_OK)
        rc = sh_remote_open_take(&account, silent, cancel, backend, err);
    return rc;
}

/* A directory that is not there is a name that was mistyped; a store that nobody has open is waited
 * for. */
static enum pk_code find_source(struct watch *watch, struct pk_error *err)
{
    struct stat found;

    if (sh_options_remote(watch->options)) {
        struct sh_aws_account account;
        enum pk_code rc =
            sh_aws_resolve(&watch->options->remote, sh_aws_environment(), &account, err);

        if (rc == PK_OK)
            sh_aws_account_release(&account);
        return rc;
    }
    if (watch->options->dir != NULL)
        pk_buf_add_cstr(&watch->dir, watch->options->dir);
    else if (!sh_path_of(&watch->dir, SH_PLACE_STORE))
        return pk_fail(err, PK_E_IO, "no home directory; name a store");
    if (stat(watch->dir.data, &found) != 0 || !S_ISDIR(found.st_mode))
        return pk_fail(err, PK_E_IO, "there is no store in '%s'", watch->dir.data);
    return PK_OK;
}

/* Drawing --------------------------------------------------------------------------------------*/

static void set_look(struct watch *watch)
{
    const char *no_color = getenv("NO_COLOR");
    bool plain = no_color != NULL && no_color[0] != '\0';

    watch->look = (struct sh_look){
        .colours = plain ? 0 : sh_screen_colours(watch->screen),
        .utf8 = !watch->options->ascii,
        .projector = watch->options->panel.projector,
        .theme = watch->options->panel.theme,
    };
}

static void ask_for_needs(struct watch *watch)
{
    struct sh_needs needs;
    const struct sh_feed_wants wants = {
        .table = pk_buf_slice(&watch->table),
        .index = pk_buf_slice(&watch->index),
        .needs = &needs,
    };

    sh_views_needs(watch->views, &needs);
    sh_feed_want(watch->feed, &wants);
}

static void draw_question(struct sh_canvas *canvas, int row)
{
    struct sh_area area = sh_area_whole(canvas);

    sh_put(
        &area, row, 0, SH_INK_WARN,
        PK_LIT(
            " Reset: stop all traffic, and begin the pictures anew?  y: yes  any other key: no"));
}

static void draw(struct watch *watch, int64_t now_us)
{
    struct sh_frame frame = {.focus = true, .frozen = watch->frozen, .look = watch->look};
    int height = sh_screen_height(watch->screen);
    int width = sh_screen_width(watch->screen);
    int rows = height > 1 ? height - 1 : height;

    sh_feed_fill(watch->data, &frame);
    frame.traffic_chosen = sh_traffic_knob_place(&watch->knob, watch->data);
    sh_canvas_reset(&watch->view_canvas, &watch->look, rows, width);
    sh_views_draw(watch->views, &watch->view_canvas, &frame);
    sh_canvas_reset(&watch->canvas, &watch->look, height, width);
    if (watch->view_canvas.cells != NULL)
        memcpy(watch->canvas.cells, watch->view_canvas.cells,
               (size_t)rows * (size_t)width * sizeof(*watch->canvas.cells));
    if (height > 1 && watch->asking)
        draw_question(&watch->canvas, height - 1);
    else if (height > 1)
        sh_views_draw_keys(watch->views, &watch->canvas, height - 1, &frame);
    sh_screen_show(watch->screen, &watch->canvas, &watch->look, -1, 0);
    watch->due = watch->due_now = false;
    watch->drawn_us = now_us;
    ask_for_needs(watch);
}

/* Draws what is due; how long to wait for more, -1: for as long as it takes. */
static int draw_due(struct watch *watch)
{
    int64_t now_us = pk_clock_real_us();
    int64_t next_us = watch->drawn_us + FRAME_US;

    if (watch->due_now || (watch->due && now_us >= next_us))
        draw(watch, now_us);
    if (!watch->due)
        return -1;
    return now_us >= next_us ? 0 : (int)((next_us - now_us + 999) / 1000);
}

/* Keys -----------------------------------------------------------------------------------------*/

static void look_at(struct watch *watch, pk_slice table, pk_slice index)
{
    struct pk_buf name = PK_BUF_INIT;

    pk_buf_add(&name, table); /* which may lie in the old one */
    pk_buf_clear(&watch->index);
    pk_buf_add(&watch->index, index);
    pk_buf_release(&watch->table);
    watch->table = name;
    watch->frozen = false;
    sh_views_restart(watch->views);
}

/* The table after this one, by name, and after the last one the first. */
static void next_table(struct watch *watch)
{
    const struct cmd_snapshot *snapshot = watch->data->snapshot;
    size_t next = 0;

    if (snapshot == NULL || snapshot->table_count == 0)
        return;
    for (size_t i = 0; i < snapshot->table_count; i++) {
        if (pk_slice_equal(snapshot->tables[i].name, watch->data->table))
            next = (i + 1) % snapshot->table_count;
    }
    look_at(watch, snapshot->tables[next].name, (pk_slice){NULL, 0});
}

/* Knobs turn the traffic that is chosen. */
static void turn_knob(struct watch *watch, uint32_t code)
{
    struct pk_buf text = PK_BUF_INIT;
    cJSON *request;

    if (watch->data->traffic_count == 0)
        return;
    sh_traffic_knob_turn(&watch->knob, watch->data, code, &text);
    request = cJSON_CreateObject();
    cmd_wire_set_text(request, "Name", pk_buf_slice(&watch->knob.name));
    cmd_wire_set_text(request, code == 's' ? "Skew" : "Rate", pk_buf_slice(&text));
    pk_buf_clear(&text);
    cmd_wire_print(&text, request);
    sh_feed_send(watch->feed, "Pksk.SetTraffic", pk_buf_slice(&text));
    pk_buf_release(&text);
    cJSON_Delete(request);
}

/* What R means: no traffic any more, and pictures that begin now. Items are not touched. */
static void reset(struct watch *watch)
{
    sh_views_restart(watch->views);
    watch->frozen = false;
    if (watch->data->traffic_count > 0)
        sh_feed_send(watch->feed, "Pksk.StopTraffic", PK_LIT("{}"));
}

/* Keys that the view in front has no use for. */
static void take_own_key(struct watch *watch, const struct sh_key *key)
{
    if (key->name != SH_KEY_CHAR)
        return;
    switch (key->code) {
    case 'q':
        watch->quit = true;
        break;
    case 'f':
    case ' ':
        watch->frozen = !watch->frozen;
        break;
    case '+':
    case '-':
    case 's':
        turn_knob(watch, key->code);
        break;
    case 'R':
        watch->asking = true;
        break;
    case 'T':
        sh_traffic_knob_next(&watch->knob, watch->data);
        break;
    case 't':
        next_table(watch);
        break;
    case 'i':
        look_at(watch, watch->data->table,
                sh_knob_index(watch->data->snapshot, pk_buf_slice(&watch->index)));
        break;
    default:
        break;
    }
}

static void take_key(struct watch *watch, enum sh_tty_key tty, uint32_t code, bool pasting)
{
    enum sh_view_id id;
    struct sh_key key;

    if (watch->asking) {
        watch->asking = false;
        if (tty == SH_TTY_TEXT && (code == 'y' || code == 'Y') && !pasting)
            reset(watch);
        return;
    }
    if (sh_view_of_key(tty, &id)) {
        sh_views_show(watch->views, id);
        return;
    }
    if (tty == SH_TTY_TEXT && code == CTRL_L) {
        sh_screen_redraw(watch->screen);
        return;
    }
    if (!sh_view_key_of(tty, code, &key))
        return;
    /* what is pasted is text: something to search for, or nothing */
    if (pasting && (key.name != SH_KEY_CHAR || !sh_views_typing(watch->views)))
        return;
    if (!sh_views_key(watch->views, &key))
        take_own_key(watch, &key);
}

static void take_keys(struct watch *watch)
{
    enum sh_tty_key key;
    size_t len = 0;
    uint32_t code = 0;

    while ((key = sh_keys_peek(&watch->keys, &len, &code)) != SH_TTY_NONE && !watch->quit) {
        take_key(watch, key, code, watch->keys.pasting);
        sh_keys_skip(&watch->keys, len);
        watch->due = watch->due_now = true;
    }
    if (watch->keys.gone)
        watch->quit = true;
}

/* The loop -------------------------------------------------------------------------------------*/

static void take_signals(struct watch *watch)
{
    if (sh_signals_take(SIGWINCH)) {
        sh_screen_resize(watch->screen);
        watch->due = watch->due_now = true;
    }
    if (sh_signals_take(SIGTSTP)) {
        sh_screen_leave(watch->screen);
        sh_signals_suspend();
        sh_screen_return(watch->screen);
        watch->due = watch->due_now = true;
    }
    if (sh_signals_pending(SIGINT) || sh_signals_pending(SIGTERM) || sh_signals_pending(SIGHUP))
        watch->quit = true;
}

/* A frozen frame is held, whatever comes. */
static void take_data(struct watch *watch)
{
    const struct sh_feed_data *newest = sh_feed_latest(watch->feed);

    if (watch->frozen && watch->data->serial > 0) {
        sh_feed_data_unref(newest);
        return;
    }
    sh_feed_data_unref(watch->data);
    watch->data = newest;
    watch->due = true;
}

static void watch_until_quit(struct watch *watch)
{
    watch->due = watch->due_now = true;
    while (!watch->quit) {
        int timeout_ms = draw_due(watch);
        struct pollfd ready[2] = {
            {.fd = watch->keys.fd, .events = POLLIN},
            {.fd = sh_feed_fd(watch->feed), .events = POLLIN},
        };

        sh_signals_wait(ready, 2, timeout_ms);
        take_signals(watch);
        if (ready[1].revents != 0)
            take_data(watch);
        if (ready[0].revents != 0) {
            (void)sh_keys_wait(&watch->keys, 0);
            take_keys(watch);
        }
    }
}

static int run(struct watch *watch, struct pk_error *err)
{
    const struct sh_feed_source source = {open_source, watch};
    enum pk_code rc = find_source(watch, err);

    if (rc == PK_OK)
        rc = sh_screen_open(&watch->screen, err);
    if (rc != PK_OK)
        return rc == PK_E_USAGE ? SH_EXIT_USAGE : SH_EXIT_STORE;
    set_look(watch);
    watch->views = sh_views_new();
    sh_views_show(watch->views, watch->options->panel.view);
    if (watch->options->panel.table != NULL)
        pk_buf_add_cstr(&watch->table, watch->options->panel.table);
    watch->feed = sh_feed_open_source(&source);
    watch->data = sh_feed_latest(watch->feed);
    sh_keys_init(&watch->keys, 0);
    watch_until_quit(watch);
    return SH_EXIT_FINE;
}

static int exit_status(int status)
{
    if (sh_signals_pending(SIGTERM))
        return SH_EXIT_SIGNAL + SIGTERM;
    if (sh_signals_pending(SIGHUP))
        return SH_EXIT_SIGNAL + SIGHUP;
    return status;
}

static void complain(const struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;

    sh_diag_render(&text, &(struct sh_diag){.width = 0}, err);
    fputs(text.data, stderr);
    pk_buf_release(&text);
}

int sh_watch(const struct sh_options *options)
{
    struct watch watch = {.options = options};
    struct pk_error err = PK_ERROR_INIT;
    int status = run(&watch, &err);

    sh_screen_close(watch.screen);
    if (err.code != PK_OK)
        complain(&err);
    sh_feed_data_unref(watch.data);
    sh_feed_close(watch.feed);
    sh_views_free(watch.views);
    sh_canvas_release(&watch.canvas);
    sh_canvas_release(&watch.view_canvas);
    pk_buf_release(&watch.dir);
    pk_buf_release(&watch.table);
    pk_buf_release(&watch.index);
    sh_traffic_knob_release(&watch.knob);
    pk_error_release(&err);
    return exit_status(status);
}
