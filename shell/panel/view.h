/*
 * The panel's views: drawing only. What they draw is one immutable frame; what they remember
 * between frames (scrolling, searching, history of partitions, growth) is theirs. Nothing here
 * knows a terminal, a thread or a backend:
 *
 *     feeder thread   asks for what sh_views_needs says, leaves the newest data
 *     drawing thread  sh_views_key, sh_views_draw, sh_views_needs: all on one thread
 *     the screen      copies cells of the canvas to the terminal
 *
 * A view is a row of a table (views.c); adding one means a file and a line.
 */
#ifndef SH_PANEL_VIEW_H
#define SH_PANEL_VIEW_H

#include "commands/snapshot.h"
#include "commands/viewport.h"
#include "shell/panel/canvas.h"

enum sh_view_id {
    SH_VIEW_HEAT,
    SH_VIEW_COLLECTIONS,
    SH_VIEW_STREAM,
    SH_VIEW_INDEXES,
    SH_VIEW_SPLIT, /* heat, collections and stream in one screen */
    SH_VIEWS
};

/* One running traffic, for the status line and the line of keys. */
struct sh_traffic {
    pk_slice name; /* "viral" */
    int64_t rate;  /* requests a second it was told to make */
    pk_slice skew; /* "hot(70% USER#1)"; empty: uniform */
};

/* An item opened in full: a viewport of that one row, so that looking consumes no units. */
struct sh_item {
    pk_slice key;  /* the key asked for: needs.item */
    pk_slice text; /* an attribute a line, nested values indented, as far as 400 KB go; not made
                      safe */
    bool found;
};

/* Everything a frame is drawn from. Immutable while it is drawn; NULL and 0: not there (yet). */
struct sh_frame {
    const struct cmd_snapshot *snapshot;
    const struct cmd_viewport *viewport;
    uint32_t viewport_ticket; /* of the needs that this viewport answers */
    /* The latest changes, oldest first, at most SH_FRAME_RECORDS. Frames may overlap and may leave
     * gaps: the stream view goes by number and keeps more than one frame has. */
    const struct cmd_tail_record *records;
    size_t record_count;
    uint64_t records_lost; /* that the feeder never got, since it began */
    const struct sh_item *item;
    const struct sh_traffic *traffic;
    size_t traffic_count;
    size_t traffic_chosen; /* the one that + - and s turn */

    pk_slice last;    /* the last command: "Query · partition 1 of 4 · 0.5 RCU"; empty: none */
    pk_slice trouble; /* "reconnecting …": shown in the status line; empty: all is well */
    bool focus;       /* keys go into the view */
    bool frozen;      /* the frame is held, new data waits */
    bool prompt; /* there is a prompt below (F7, F9 mean something); else keys are always ours */
    struct sh_look look;
};
enum { SH_FRAME_RECORDS = 500 };

/* What the view in front wants to be fed, at most ten times a second. Slices belong to the views
 * and live until the next sh_views_ call: a feeder copies them. */
struct sh_needs {
    uint32_t history; /* of the snapshot, seconds; it changes once a second only */
    uint32_t first, limit;
    uint32_t hot;    /* and so many of the hottest partitions, when there are more than `limit` */
    bool viewport;   /* ask for `rows`, with the current table (and index) filled in */
    uint32_t ticket; /* goes into the frame beside the answer */
    struct cmd_viewport_request rows;
    bool tail;
    pk_slice item; /* API JSON of a key to open in full; empty: none */
};

/* Keys as the views know them; the terminal's bytes are decoded elsewhere. */
enum sh_key_name {
    SH_KEY_CHAR,
    SH_KEY_UP,
    SH_KEY_DOWN,
    SH_KEY_LEFT,
    SH_KEY_RIGHT,
    SH_KEY_PAGE_UP,
    SH_KEY_PAGE_DOWN,
    SH_KEY_HOME,
    SH_KEY_END,
    SH_KEY_ENTER,
    SH_KEY_BACKSPACE,
    SH_KEY_TAB,
    SH_KEY_ESCAPE
};
struct sh_key {
    enum sh_key_name name;
    uint32_t code; /* CHAR: the code point */
};

struct sh_views;
struct sh_views *sh_views_new(void);
void sh_views_free(struct sh_views *views);

/* Brings a view to the front. */
void sh_views_show(struct sh_views *views, enum sh_view_id id);
enum sh_view_id sh_views_front(const struct sh_views *views);
/* "heat" → SH_VIEW_HEAT; false: there is no such view. */
bool sh_view_named(pk_slice name, enum sh_view_id *id);
const char *sh_view_name(enum sh_view_id id);
/* The function key that shows it: 2 … 6. */
int sh_view_function_key(enum sh_view_id id);

/* Forgets positions, history and growth: another endpoint is looked at. (Another table or index in
 * the frame does so by itself.) */
void sh_views_restart(struct sh_views *views);

/* Draws the status line into the canvas's first row and the view in front below it. Any size. */
void sh_views_draw(struct sh_views *views, struct sh_canvas *canvas, const struct sh_frame *frame);
/* Draws the line of keys into one row of a canvas (below the output, or the last row). */
void sh_views_draw_keys(const struct sh_views *views, struct sh_canvas *canvas, int row,
                        const struct sh_frame *frame);
/* What to feed, for the view in front at the size it was last drawn. */
void sh_views_needs(const struct sh_views *views, struct sh_needs *needs);

/* Gives the view in front a key. False: it has no use for it (the caller's keys: f, +, -, s, R, q;
 * Escape then means back to the prompt). */
bool sh_views_key(struct sh_views *views, const struct sh_key *key);
/* A search is being typed: every character key is the view's. */
bool sh_views_typing(const struct sh_views *views);

#endif
