/*
 * One round of asking: what a feed's thread does between two pauses. Each answer is a part, made
 * once and never changed, counted by references, because frames of several rounds share it.
 */
#ifndef SH_PANEL_FEED_ASK_H
#define SH_PANEL_FEED_ASK_H

#include <stdatomic.h>

#include "shell/panel/tail_join.h"
#include "shell/panel/view.h"

enum { SH_FEED_TAILS = 16 /* answers with changes that a frame goes together from */ };

struct sh_feed_part {
    atomic_uint refs;
    struct pk_arena arena; /* what the members below point to */
    struct cmd_snapshot snapshot;
    struct cmd_viewport viewport;
    uint32_t ticket; /* of the viewport */
    struct cmd_tail tail;
    struct sh_item item;
    struct sh_traffic *traffic;
    size_t traffic_count;
};
struct sh_feed_part *sh_feed_part_ref(struct sh_feed_part *part);
/* NULL is accepted. */
void sh_feed_part_unref(struct sh_feed_part *part);

/* What to ask, in memory of its own. */
struct sh_feed_order {
    struct pk_arena arena;
    pk_slice table, index;
    struct sh_needs needs; /* its slices, too, lie in the arena */
};
void sh_feed_order_set(struct sh_feed_order *order, pk_slice table, pk_slice index,
                       const struct sh_needs *needs);
bool sh_feed_order_is(const struct sh_feed_order *order, pk_slice table, pk_slice index,
                      const struct sh_needs *needs);
void sh_feed_order_release(struct sh_feed_order *order);

/* The newest answers; references, NULL: none. */
struct sh_feed_answers {
    struct pk_buf table; /* whose they are */
    struct pk_buf index;
    struct sh_feed_part *snapshot;
    struct sh_feed_part *history; /* the last snapshot with a history */
    struct sh_feed_part *viewport;
    struct sh_feed_part *item;
    struct sh_feed_part *traffic;
    struct sh_feed_part *tails[SH_FEED_TAILS]; /* oldest first */
    size_t tail_count;
    struct sh_tail_join join; /* of which they are the last */
    uint64_t lost;
    int64_t history_us, item_us, traffic_us; /* when they were asked, on the real clock */
    struct pk_buf trouble;                   /* empty: all is well */
    bool connected;
};
void sh_feed_answers_release(struct sh_feed_answers *answers);
/* Another source: what came from the old one is no use any more, but stays to be seen. */
void sh_feed_answers_restart(struct sh_feed_answers *answers);

/* Asks what the order says. False when the backend could not be reached: then nothing changed but
 * `trouble` and `connected`. */
bool sh_feed_ask(struct cmd_context *context, const struct sh_feed_order *order,
                 struct sh_feed_answers *answers);

/* Sends somebody else's request; its answer is not kept. */
void sh_feed_ask_other(struct cmd_context *context, const char *operation, pk_slice request,
                       struct pk_error *err);

#endif
