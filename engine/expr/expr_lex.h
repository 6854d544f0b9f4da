/*
 * The lexer of expressions (expressions.md §1). It has no state: a token is asked for by position,
 * so a parser can look ahead at no cost. Keywords are names here; which ones count depends on the
 * grammar.
 */
#ifndef PK_EXPR_LEX_H
#define PK_EXPR_LEX_H

#include "engine/error.h"

enum pk_token_kind {
    PK_TOKEN_END,
    PK_TOKEN_NAME,      /* letter { letter | digit | "_" } */
    PK_TOKEN_NAME_REF,  /* "#" idchars */
    PK_TOKEN_VALUE_REF, /* ":" idchars */
    PK_TOKEN_INT,
    PK_TOKEN_EQ,
    PK_TOKEN_NE,
    PK_TOKEN_LT,
    PK_TOKEN_LE,
    PK_TOKEN_GT,
    PK_TOKEN_GE,
    PK_TOKEN_OPEN,
    PK_TOKEN_CLOSE,
    PK_TOKEN_OPEN_INDEX,
    PK_TOKEN_CLOSE_INDEX,
    PK_TOKEN_DOT,
    PK_TOKEN_COMMA,
    PK_TOKEN_PLUS,
    PK_TOKEN_MINUS,
    PK_TOKEN_UNKNOWN /* one character that starts no token */
};

struct pk_token {
    enum pk_token_kind kind;
    struct pk_span span;
};

/* The first token at or after the position; END (an empty span at the text's end) when only blanks
 * are left. The text is shorter than 4 GB. */
struct pk_token pk__lex(pk_slice text, size_t position);

static inline size_t pk__span_end(struct pk_span span)
{
    return (size_t)span.start + span.len;
}

static inline pk_slice pk__span_text(pk_slice text, struct pk_span span)
{
    return pk_slice_of(text.data + span.start, span.len);
}

/* From the start of one span to the end of another. */
static inline struct pk_span pk__span_join(struct pk_span first, struct pk_span last)
{
    return (struct pk_span){first.start, last.start + last.len - first.start};
}

#endif
