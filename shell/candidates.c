#include "shell/candidates.h"

#include <string.h>
#include <strings.h>

#include "shell/render/text_safe.h"

/* Turns a candidate for line[start..cursor) into one for the editor's word, which begins elsewhere
 * when the two disagree about where words begin. NULL: it does not fit. */
static char *fit_candidate(const struct cmd_completion *completion, pk_slice candidate,
                           size_t word_start)
{
    struct pk_buf text = PK_BUF_INIT;

    if (completion->start < word_start) {
        pk_slice head =
            pk_slice_of(completion->line.data + completion->start, word_start - completion->start);

        if (candidate.len < head.len || strncasecmp(candidate.data, head.data, head.len) != 0)
            return NULL;
        candidate = pk_slice_skip(candidate, head.len);
    } else {
        pk_buf_add(&text,
                   pk_slice_of(completion->line.data + word_start, completion->start - word_start));
    }
    pk_buf_add(&text, candidate);
    return pk_buf_detach(&text);
}

/* The editor has strings, and draws them: a candidate with a NUL would end there, and one with
 * other characters that text_safe escapes would reach the terminal. */
static bool is_typable(pk_slice candidate)
{
    struct pk_buf safe = PK_BUF_INIT;
    bool same;

    sh_text_safe(&safe, candidate, SH_TEXT_ONE_LINE);
    same = pk_slice_equal(pk_buf_slice(&safe), candidate);
    pk_buf_release(&safe);
    return same;
}

void sh_candidates_find(struct sh_candidates *candidates, struct cmd_context *context,
                        pk_slice line, size_t start)
{
    struct pk_arena *arena = &candidates->arena;

    pk_arena_clear(arena);
    candidates->completion = (struct cmd_completion){
        .line = pk_arena_dup(arena, line), .start = start, .cursor = line.len, .arena = arena};
    candidates->next = 0;
    cmd_complete(context, &candidates->completion);
}

char *sh_candidates_next(struct sh_candidates *candidates, size_t word_start)
{
    const struct cmd_completion *completion = &candidates->completion;

    while (candidates->next < completion->count) {
        pk_slice candidate = completion->candidates[candidates->next++];
        char *text =
            is_typable(candidate) ? fit_candidate(completion, candidate, word_start) : NULL;

        if (text != NULL)
            return text;
    }
    return NULL;
}

bool sh_candidates_go_on(const struct sh_candidates *candidates)
{
    const struct cmd_completion *completion = &candidates->completion;

    if (completion->count != 1 || completion->candidates[0].len == 0)
        return false;

    pk_slice only = completion->candidates[0];

    return strchr("(.#/=:'", only.data[only.len - 1]) != NULL;
}

void sh_candidates_release(struct sh_candidates *candidates)
{
    pk_arena_release(&candidates->arena);
    *candidates = (struct sh_candidates){0};
}
