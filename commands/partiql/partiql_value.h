/* Literals and parameters of a statement to values (partiql.md §1, §4). */
#ifndef PARTIQL_VALUE_H
#define PARTIQL_VALUE_H

#include "commands/partiql/partiql_ast.h"

/* What a tree is read with: the statement's text for places, its parameters in textual order. */
struct partiql_scope {
    pk_slice text;
    struct pk_arena *arena;
    const pk_value *params;
    size_t param_count;
};

/* The two wordings of what is no literal: INSERT names what stands there, other statements its
 * kind. */
enum partiql_value_style { PQ_VALUE_INSERT, PQ_VALUE_OTHER };

PK_MUST_CHECK enum pk_code partiql_value(const struct partiql_scope *scope,
                                         const struct partiql_node *node,
                                         enum partiql_value_style style, pk_value *out,
                                         struct pk_error *err);
/* The item of an INSERT: a struct literal, each of whose members is a value of its own. */
PK_MUST_CHECK enum pk_code partiql_item(const struct partiql_scope *scope,
                                        const struct partiql_node *node, pk_value *out,
                                        struct pk_error *err);

#endif
