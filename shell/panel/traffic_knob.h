/*
 * Which traffic the keys + - and s turn, and what they have asked for: the first one, until another
 * is chosen. It is remembered by its name, because traffics come and end.
 *
 * Keys come faster than data: for a second, what was asked for is taken to be so.
 */
#ifndef SH_PANEL_TRAFFIC_KNOB_H
#define SH_PANEL_TRAFFIC_KNOB_H

#include "shell/panel/feed.h"

/* {0} is valid: the first one. */
struct sh_traffic_knob {
    struct pk_buf name; /* empty: the first one */
    int64_t wished_us;  /* when a key asked for another rate or skew … */
    int64_t rate;       /* … and which */
    struct pk_buf skew;
};

void sh_traffic_knob_release(struct sh_traffic_knob *knob);
/* Its place among those of the data; 0 when it has ended, or there is none at all. */
size_t sh_traffic_knob_place(const struct sh_traffic_knob *knob, const struct sh_feed_data *data);
/* Chooses the one after it, after the last one the first. */
void sh_traffic_knob_next(struct sh_traffic_knob *knob, const struct sh_feed_data *data);
/* What '+', '-' (the rate) or 's' (the skew) makes of it: appends "2000/s" or "zipf(1.2)". The data
 * has a traffic. */
void sh_traffic_knob_turn(struct sh_traffic_knob *knob, const struct sh_feed_data *data,
                          uint32_t key, struct pk_buf *out);

#endif
