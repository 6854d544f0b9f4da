/*
 * PartiQL trees to the engine's trees (expr.h): conditions, updates and projections become what the
 * text expressions of the API become. All faults that need no table are found here, with the
 * messages of partiql.md §3 and §5.
 */
#ifndef PARTIQL_LOWER_H
#define PARTIQL_LOWER_H

#include "commands/partiql/partiql_value.h"

/* One SELECT item. The result attribute `name` holds what lies at the path; steps from `tail` on
 * keep their containers around it: l[2].q is {"l[2]": {"q": …}}. */
struct partiql_column {
    const struct pk_path *path;
    pk_slice name;
    size_t tail;
};
struct partiql_columns {
    struct partiql_column *list; /* none for * */
    size_t count;
    struct pk_projection projection; /* the same paths, for the engine */
};

PK_MUST_CHECK enum pk_code partiql_lower_path(const struct partiql_scope *scope,
                                              const struct partiql_node *node,
                                              const struct pk_path **out, struct pk_error *err);
/* A condition of WHERE. */
PK_MUST_CHECK enum pk_code partiql_lower_condition(const struct partiql_scope *scope,
                                                   const struct partiql_node *node,
                                                   struct pk_node **out, struct pk_error *err);
/* The SET and REMOVE clauses of an UPDATE. */
PK_MUST_CHECK enum pk_code partiql_lower_update(const struct partiql_scope *scope,
                                                const struct partiql_statement *statement,
                                                struct pk_update *out, struct pk_error *err);
/* The SELECT list. */
PK_MUST_CHECK enum pk_code partiql_lower_columns(const struct partiql_scope *scope,
                                                 const struct partiql_statement *statement,
                                                 struct partiql_columns *out, struct pk_error *err);

/* "Unrecognized function: foo at 1:36:3" */
enum pk_code partiql_unknown_function(const struct partiql_scope *scope,
                                      const struct partiql_node *call, struct pk_error *err);

#endif
