/*
 * NextToken: where a paged SELECT goes on, as opaque text.
 *
 * A token is bound to its table (by the table's UUID), statement and parameters, and carries a
 * check sum over all of it, so that one that was changed or made up is told from one that belongs
 * to another request (partiql.md §3).
 */
#ifndef PARTIQL_TOKEN_H
#define PARTIQL_TOKEN_H

#include "commands/partiql/partiql_plan.h"

/* Where to go on: in which group, after which item (missing: at the group's start). */
struct partiql_cursor {
    size_t group;
    pk_value last_key;
};

/* Text in the arena. */
pk_slice partiql_token_write(const struct partiql_plan *plan, const struct partiql_binding *binding,
                             const struct partiql_cursor *cursor);
/* PK_E_VALIDATION "Invalid NextToken" or "NextToken does not match request". */
PK_MUST_CHECK enum pk_code partiql_token_read(const struct partiql_plan *plan,
                                              const struct partiql_binding *binding, pk_slice token,
                                              struct partiql_cursor *cursor, struct pk_error *err);

#endif
