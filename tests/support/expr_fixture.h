/*
 * What a table of expression cases needs around each row: an arena, placeholders written in the
 * notation of value_text.h, and the error.
 */
#ifndef TESTS_EXPR_FIXTURE_H
#define TESTS_EXPR_FIXTURE_H

#include "engine/expr.h"

struct expr_fixture {
    struct pk_arena arena;
    struct pk_placeholders placeholders;
    struct pk_error err;
};

/* names: "#a=name #b=other" or NULL; values: a map "{a: 1, b: 'x'}" for :a and :b, or NULL. */
void expr_fixture_init(struct expr_fixture *fixture, const char *names, const char *values);
void expr_fixture_release(struct expr_fixture *fixture);
struct pk_expr_source expr_fixture_source(struct expr_fixture *fixture, enum pk_expr_use use,
                                          const char *text);

/* A parse that must succeed: aborts with the message when it does not. */
struct pk_node *expr_fixture_condition(struct expr_fixture *fixture, const char *text);
struct pk_update expr_fixture_update(struct expr_fixture *fixture, const char *text);
struct pk_projection expr_fixture_projection(struct expr_fixture *fixture, const char *text);
struct pk_key_terms expr_fixture_key_terms(struct expr_fixture *fixture, const char *text);

/* Parses as `use` says; the message, "" when the parse succeeds. */
const char *expr_fixture_message(struct expr_fixture *fixture, enum pk_expr_use use,
                                 const char *text);

#endif
