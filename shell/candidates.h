/*
 * What the word being typed may become, as an editor wants it: one string after the other, none of
 * which could do the terminal harm. Knows no editor.
 */
#ifndef SH_CANDIDATES_H
#define SH_CANDIDATES_H

#include "commands/cmd.h"

/* Zero is empty. */
struct sh_candidates {
    struct pk_arena arena; /* of the completion */
    struct cmd_completion completion;
    size_t next; /* to hand out */
};

/* Asks for what may stand at the end of the line (the whole statement up to the cursor) in place of
 * the word that begins at start. May ask the backend, so the context must be nobody else's now. */
void sh_candidates_find(struct sh_candidates *candidates, struct cmd_context *context,
                        pk_slice line, size_t start);
/* The next one, for an editor whose word begins at word_start of the line; the caller's, for
 * free(). NULL: there are no more. */
char *sh_candidates_next(struct sh_candidates *candidates, size_t word_start);
/* Whether there is one only and the word goes on behind it: a blank would be in the way. */
bool sh_candidates_go_on(const struct sh_candidates *candidates);
void sh_candidates_release(struct sh_candidates *candidates);

#endif
