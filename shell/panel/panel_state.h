/* What the files of the panel share; private to them. */
#ifndef SH_PANEL_PANEL_STATE_H
#define SH_PANEL_PANEL_STATE_H

#include "shell/line.h"
#include "shell/panel/feed.h"
#include "shell/panel/layout.h"
#include "shell/panel/pane.h"
#include "shell/panel/panel.h"
#include "shell/panel/screen.h"
#include "shell/panel/traffic_knob.h"
#include "shell/panel/typed.h"

/* What the feed is connected to. */
struct sh_panel_place {
    unsigned connection; /* struct sh's */
    char *endpoint, *region, *profile;
};

struct sh_panel {
    struct sh *sh;
    struct sh_screen *screen;
    struct sh_line_screen line_screen; /* how the line editor reaches us */
    struct sh_views *views;
    struct sh_feed *feed;            /* NULL while the panel is off */
    const struct sh_feed_data *data; /* what is drawn */
    struct sh_panel_place place;
    char *table;         /* the current one when the prompt was last there, or NULL */
    struct pk_buf index; /* of it, that is looked at; empty: the table itself */
    struct pk_buf last;  /* what the last command did */
    struct sh_traffic_knob knob;
    struct pk_buf wish; /* a statement that a key asks for; empty: none */
    struct sh_pane *pane;
    struct sh_typed typed;
    struct sh_look look;
    struct sh_layout layout;
    struct sh_canvas canvas;      /* the whole screen */
    struct sh_canvas view_canvas; /* the view, drawn at most ten times a second */
    bool on;
    bool wanted;               /* as soon as there is a prompt */
    bool lent;                 /* another program has the terminal */
    bool focus;                /* keys go into the view */
    bool frozen;               /* the view keeps its frame */
    bool asking;               /* whether to reset: the next key answers */
    bool view_due;             /* must be drawn, at once: the line or a key has changed it … */
    bool all_due;              /* … and so must the rest */
    bool newer;                /* there is data that was not drawn */
    bool pane_due;             /* the output has changed */
    int64_t view_us, drawn_us; /* when each was drawn */
};

/* Takes the keys that are not the line's (panel_keys.c). True: F9 was among them, or one that
 * asks for a statement (wish). */
bool sh_panel_take_keys(void *panel, struct sh_keys *keys);

/* Takes how the screen may look from the settings and the terminal. */
void sh_panel_look(struct sh_panel *panel);

/* ---- panel_feed.c ---------------------------------------------------------------------------- */

void sh_panel_feed_open(struct sh_panel *panel);
void sh_panel_feed_close(struct sh_panel *panel);
/* Takes the newest data. True when it is not what was there before; what is frozen stays. */
bool sh_panel_feed_take(struct sh_panel *panel);
/* Tells the feed what the views want now. */
void sh_panel_feed_want(struct sh_panel *panel);

#endif
