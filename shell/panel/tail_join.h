/*
 * Answers of Pksk.Tail joined to one row of a table's changes, each of them once and in order: what
 * the first one finds by looking back, what follows, and what is there after the store was opened
 * again, whose numbers begin anew.
 *
 * Numbers of a frame's records ascend over all that: those of before the first one lie below it.
 */
#ifndef SH_PANEL_TAIL_JOIN_H
#define SH_PANEL_TAIL_JOIN_H

#include "commands/viewport.h"

enum { SH_TAIL_BACK = 100 /* records looked back on: a screenful */ };

/* {0}: nothing was asked yet, of any table. */
struct sh_tail_join {
    bool begun;
    uint64_t last;               /* where the tail goes on */
    uint64_t opened;             /* of which opening of the store its numbers are … */
    uint64_t base;               /* … and what the openings before have counted */
    uint64_t highest; /* sequence that came */
    uint64_t back[SH_TAIL_BACK]; /* sequences of those looked back on, ascending */
    size_t back_count;
};

/* Another table: its changes begin above those of the one before. */
void sh_tail_join_turn(struct sh_tail_join *join);
/* Nobody asks for a while: the next request looks back again. */
void sh_tail_join_pause(struct sh_tail_join *join);
/* What to ask next, of `table`. */
struct cmd_tail_request sh_tail_join_request(const struct sh_tail_join *join, pk_slice table);
/* Takes the answer: its records get their numbers, those that came before are taken out. False: it
 * is of another opening than the question and of no use; the next request asks from the first. */
bool sh_tail_join_take(struct sh_tail_join *join, struct cmd_tail *tail);

#endif
