/*
 * A native request, understood: its expressions as trees, and as a person would write them, with
 * names and values in place of placeholders. What explain and its code printers look at.
 */
#ifndef CMD_EXPLAIN_REQUEST_H
#define CMD_EXPLAIN_REQUEST_H

#include "engine/base/buf.h"
#include "engine/expr.h"

struct cJSON;

/* Borrows the JSON; the rest lives in the arena. */
struct explain_request {
    const char *operation; /* "Query" */
    const struct cJSON *json;
    struct pk_arena *arena;
    struct pk_placeholders placeholders;
    bool has_key_terms;
    struct pk_key_terms key_terms;
    const struct pk_node *filter;    /* NULL: none */
    const struct pk_node *condition; /* NULL: none */
};

/* Parses the request's expressions. Fails as the API would, with the place in the expression's
 * text; *use tells which expression. */
PK_MUST_CHECK enum pk_code explain_request_read(struct explain_request *request,
                                                const char *operation, const struct cJSON *json,
                                                struct pk_arena *arena, enum pk_expr_use *use,
                                                struct pk_error *err);
/* The request's expression of that use as a person would write it; empty when there is none. */
pk_slice explain_request_text(const struct explain_request *request, enum pk_expr_use use);
/* PK = 'a' AND SK = 'b' of the request's Key. */
pk_slice explain_request_key(const struct explain_request *request);
/* A name, in backticks where the language needs them. */
void explain_name(struct pk_buf *out, pk_slice name);
/* Visits the conditions that must all hold: the operands of nested ANDs, else the node itself. */
struct explain_terms {
    const struct pk_node **list; /* arena */
    size_t count;
};
void explain_terms_of(const struct pk_node *node, struct pk_arena *arena,
                      struct explain_terms *out);
/* The top-level attribute that a comparison of a path with literals is about (path left of it, or a
 * function's first argument); data NULL when the node is anything else. */
pk_slice explain_attribute(const struct pk_node *node);

#endif
