/*
 * Errors as a person reads them:
 *
 *     ValidationException: expected operand after '+', found WHERE
 *       UPDATE Music SET Plays = Plays + WHERE Artist='Acme'
 *                                        ^^^^^
 *       hint: …
 *
 * The only place that draws carets. Messages come from below; this file decides what part of the
 * source is shown when it is long or has several lines.
 */
#ifndef SH_RENDER_RENDER_DIAG_H
#define SH_RENDER_RENDER_DIAG_H

#include "engine/base/buf.h"
#include "engine/error.h"

struct sh_diag {
    pk_slice source; /* the statement that err->span points into */
    size_t width;    /* columns the source line may take; 0: 100 */
    bool color;
    bool no_reasons; /* what became of a transaction's actions is shown elsewhere */
};

void sh_diag_render(struct pk_buf *out, const struct sh_diag *diag, const struct pk_error *err);
/* A hint about a statement that succeeded: the place in it (span, len 0: none), then the hint. */
void sh_diag_hint(struct pk_buf *out, const struct sh_diag *diag, struct pk_span span,
                  pk_slice hint);

#endif
