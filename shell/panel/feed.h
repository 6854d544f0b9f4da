/*
 * What the views are fed with: a thread that asks a backend what the view in front needs, at most
 * ten times a second, and keeps the newest answer. So a slow answer delays neither a key nor a
 * frame, and who does not look (sh_feed_rest, or a stopped process) asks nothing, so that the
 * engine's leases run out and it measures nothing any more.
 *
 * Answers that take long are asked for less often: a fifth of the time at most goes into asking.
 * What fails is told in `trouble` and asked again; the data of before stays until then.
 *
 * Every function may be called from any thread, but open and close.
 */
#ifndef SH_PANEL_FEED_H
#define SH_PANEL_FEED_H

#include "shell/panel/view.h"

struct sh_feed;

/* Where the data comes from: opened, and opened again after it was lost, on the feed's thread. */
struct sh_feed_source {
    /* A backend of the feed's own, to be freed by it. It may take its time, and ends when *cancel
     * becomes true. An error's message becomes the trouble that is shown. */
    enum pk_code (*open)(void *context, const atomic_bool *cancel, struct cmd_backend **backend,
                         struct pk_error *err);
    void *context;
};
/* The engine in this process, and the traffics that the shell makes (NULL: none). Both must outlive
 * the feed. */
struct traffics;
struct sh_feed *sh_feed_open(struct pk_engine *engine, struct traffics *traffics);
/* The context must outlive the feed. */
struct sh_feed *sh_feed_open_source(const struct sh_feed_source *source);
/* Ends the thread (a call that runs is cancelled) and frees the feed; data that was taken stays. */
void sh_feed_close(struct sh_feed *feed);

/* What to ask from now on; copied. Asked at once when it differs from before. */
struct sh_feed_wants {
    pk_slice table; /* empty: the first one by name */
    pk_slice index; /* empty: the table itself */
    const struct sh_needs *needs;
};
void sh_feed_want(struct sh_feed *feed, const struct sh_feed_wants *wants);
/* Sends a request of its own (a traffic's knob) before the next round, which comes at once; what it
 * answers is not kept, but a failure is told as trouble for a few seconds. A few may wait, more are
 * dropped. */
void sh_feed_send(struct sh_feed *feed, const char *operation, pk_slice request);
/* Nobody looks: asks nothing until the next sh_feed_want. */
void sh_feed_rest(struct sh_feed *feed);

/* One immutable set of answers. */
struct sh_feed_data {
    uint64_t serial; /* grows with each */
    pk_slice table;  /* whose data it is; empty: there is no table */
    /* As in struct sh_frame. */
    const struct cmd_snapshot *snapshot;
    const struct cmd_viewport *viewport;
    uint32_t viewport_ticket;
    const struct cmd_tail_record *records;
    size_t record_count;
    uint64_t lost; /* changes that went by unseen, all in all */
    const struct sh_item *item;
    const struct sh_traffic *traffic;
    size_t traffic_count;
    pk_slice trouble; /* empty: all is well */
    bool connected;   /* false: trouble says what is being waited for */
};
/* A reference to the newest one, never NULL (empty at first). */
const struct sh_feed_data *sh_feed_latest(struct sh_feed *feed);
void sh_feed_data_unref(const struct sh_feed_data *data);
/* Readable when there is a newer one than sh_feed_latest has given last: for poll. */
int sh_feed_fd(const struct sh_feed *feed);
/* Puts the data into a frame; the frame borrows from it. */
void sh_feed_fill(const struct sh_feed_data *data, struct sh_frame *frame);

#endif
