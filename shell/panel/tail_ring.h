/*
 * The last records of the tail, kept for scrolling back. Records come in frames that overlap or
 * leave gaps; a record is taken once, by its number. Texts are copied, and cut.
 */
#ifndef SH_PANEL_TAIL_RING_H
#define SH_PANEL_TAIL_RING_H

#include "commands/viewport.h"

enum {
    SH_TAIL_KEPT = 2000,   /* records */
    SH_TAIL_TEXT_MAX = 600 /* bytes of a record's texts: more than a line of any screen */
};

struct sh_tail_entry {
    struct cmd_tail_record record; /* its slices point into text */
    char *text;
};

struct sh_tail_ring {
    struct sh_tail_entry *entries; /* SH_TAIL_KEPT of them, made with the first record */
    size_t start, count;
    uint64_t last; /* the largest number taken */
    uint64_t lost; /* records the feeder never got, as last told */
};

void sh_tail_ring_release(struct sh_tail_ring *ring);
/* Takes records with larger numbers than were taken before. When the numbers begin anew (another
 * store), so does the ring. */
void sh_tail_ring_feed(struct sh_tail_ring *ring, const struct cmd_tail_record *records,
                       size_t count);
/* The i-th oldest, i < count. */
const struct cmd_tail_record *sh_tail_ring_at(const struct sh_tail_ring *ring, size_t i);

#endif
