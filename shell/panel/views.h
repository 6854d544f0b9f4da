/*
 * What the views share among themselves: their state and their rows. Others include view.h.
 *
 * A view draws into its area whatever the size, from the frame and its own state; it keeps in its
 * state what its keys need to know of what was drawn (rows, places). Scratch text lives in `arena`
 * until the next draw.
 */
#ifndef SH_PANEL_VIEWS_H
#define SH_PANEL_VIEWS_H

#include "shell/panel/item_pane.h"
#include "shell/panel/panel_model.h"
#include "shell/panel/tail_ring.h"
#include "shell/panel/view.h"

struct sh_view {
    const char *name;  /* "collections" */
    const char *brief; /* in the line of keys: "colls" */
    const char *help;  /* the line of keys while they go into the view: "key what  key what" */
    void (*draw)(struct sh_views *views, const struct sh_area *area, const struct sh_frame *frame);
    /* False: no use for it. NULL: for none. */
    bool (*key)(struct sh_views *views, const struct sh_key *key);
    /* Adds what it wants. */
    void (*needs)(const struct sh_views *views, struct sh_needs *needs);
};

extern const struct sh_view sh_view_heat;
extern const struct sh_view sh_view_collections;
extern const struct sh_view sh_view_stream;
extern const struct sh_view sh_view_indexes;
extern const struct sh_view sh_view_split;

struct sh_heat {
    uint32_t first;  /* partition number in the first row of the list */
    uint32_t count;  /* of the table, as last drawn */
    int rows;        /* of the list, as last drawn */
    uint32_t loaded; /* from this one on the snapshot was asked */
};

/* What is known of a collection since the view opened. */
struct sh_growth {
    uint64_t hash; /* of the partition key; 0: free */
    uint64_t items;
};
enum { SH_GROWTHS = 4096, SH_KINDS = 64 };

struct sh_collections {
    /* what is asked for; owned texts */
    struct pk_buf from, search;
    bool backward;
    uint32_t ticket, answered; /* of the request; of the last answer that was acted on */
    /* the line under the cursor */
    struct pk_buf cursor; /* API JSON of its row's key */
    bool on_header;       /* the collection's line above that row */
    int cursor_row;       /* where on the screen */
    int line;             /* its index, as last drawn */
    int move;             /* lines to move by when the next frame is drawn */
    int short_of;  /* lines that a move went beyond the first row: those of an answer to come */
    bool to_first; /* the answer awaited puts the cursor on its first line */
    /* following what is read: the window goes where the last read began */
    bool still;           /* a key has moved the cursor: it stays */
    bool read_known;      /* there was an answer: reads after it are followed */
    uint64_t last_read;   /* the number of the last one */
    int busy;             /* answers for which none is followed: there are too many */
    int rows;             /* of the list, as last drawn */
    bool folded;          /* collections only */
    struct pk_buf second; /* key of the second collection, where a search goes on */
    /* searching */
    bool typing;
    struct pk_buf typed;
    const char *note; /* "not found", or NULL */
    bool wrapped;     /* the search began anew at the first key */
    /* the item that is open */
    bool open, want_open; /* want: the row under the cursor, when the next frame is drawn */
    struct pk_buf open_key, open_title;
    struct sh_item_pane pane;
    /* since the view opened */
    struct sh_growth growths[SH_GROWTHS];
    size_t growth_count;
    bool drawn;                    /* an answer was drawn before … */
    uint32_t drawn_ticket;         /* … to this request, … */
    bool drawn_next;               /* … and had rows after it */
    struct pk_buf kinds[SH_KINDS]; /* prefixes in order of their first sight */
    size_t kind_count;
};

struct sh_stream {
    struct sh_tail_ring ring;
    bool paused;
    uint64_t last; /* paused: the number of the last record shown */
    int shown;     /* records, as last drawn */
};

struct sh_indexes {
    size_t first, shown, count; /* of the columns, as last drawn */
};

enum sh_pane { SH_PANE_HEAT, SH_PANE_COLLECTIONS, SH_PANE_STREAM, SH_PANES };

struct sh_views {
    enum sh_view_id front;
    struct pk_arena arena;
    struct sh_model *model;
    struct sh_heat heat;
    struct sh_collections collections;
    struct sh_stream stream;
    struct sh_indexes indexes;
    struct pk_buf table; /* "table.index" that is looked at */
    enum sh_pane pane;   /* of the split view: which part has the keys */
};

void sh_collections_release(struct sh_collections *state);

/* ---- drawing that views have in common ------------------------------------------------------- */

/* "─ title ───────────── note ─" across the area; strong: this part has the keys. */
void sh_put_rule(const struct sh_area *area, int y, const char *title, pk_slice note, bool strong);
/* Fills what is blank in a row of headings with a line, a blank beside each word. */
void sh_fill_rule(const struct sh_area *area, int y);
/* Text in the middle of an area that has nothing to show. */
void sh_put_nothing(const struct sh_area *area, pk_slice text);
/* "26.6K", "400": bytes in five columns. */
pk_slice sh_short_bytes(struct pk_arena *arena, uint64_t bytes);
/* "12,345", "1.2M": a count in six columns. */
pk_slice sh_short_count(struct pk_arena *arena, uint64_t n);
/* "12:00:07", of UTC. */
pk_slice sh_clock_text(struct pk_arena *arena, int64_t time_ms);
/* "340 ms", "12 s", "5 min". */
pk_slice sh_span_text(struct pk_arena *arena, int64_t ms);
/* Requests the limits refused since the partition began, and the reason most gave. */
uint64_t sh_throttled(const struct cmd_snapshot_partition *partition);
/* "12 KeyRange - 3 Account"; empty: none. */
pk_slice sh_throttle_text(struct pk_arena *arena, const struct cmd_snapshot_partition *partition);
/* The words of what limits did: "throttled", under observe "would throttle". */
const char *sh_throttle_word(const struct cmd_snapshot *snapshot);

/* The status line; see view.h. */
void sh_status_draw(struct pk_arena *arena, const struct sh_area *area,
                    const struct sh_frame *frame);
/* Heat as a part of the split view: a row a partition under headings, and the map as a picture
 * where the height is what sh_heat_picture_rows says. */
int sh_heat_picture_rows(const struct cmd_snapshot *snapshot);
void sh_heat_draw_rows(struct sh_views *views, const struct sh_area *area,
                       const struct sh_frame *frame, bool keys);
/* The same with a title row. keys: this part has them. */
void sh_collections_draw_pane(struct sh_views *views, const struct sh_area *area,
                              const struct sh_frame *frame, bool keys);
void sh_stream_draw_pane(struct sh_views *views, const struct sh_area *area,
                         const struct sh_frame *frame, bool keys);
/* The ink of items of that kind: by the prefix of the sort key. */
enum sh_ink sh_kind_ink(struct sh_collections *state, pk_slice sort);
/* Remembers how large the collections of an answer are that were not seen before. */
void sh_growth_see(struct sh_collections *state, const struct sh_frame *frame);
/* "+3" since then; empty: as it was. */
pk_slice sh_growth_text(struct pk_arena *arena, struct sh_collections *state,
                        const struct cmd_viewport_collection *collection);

/* The projector's large pictures: at most seven things. */
void sh_projector_heat(struct sh_views *views, const struct sh_area *area,
                       const struct sh_frame *frame);
void sh_projector_collections(struct sh_views *views, const struct sh_area *area,
                              const struct sh_frame *frame);

#endif
