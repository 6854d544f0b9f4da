/* Plans as requests of the native API, for `explain`. */
#ifndef PARTIQL_NATIVE_H
#define PARTIQL_NATIVE_H

#include "commands/partiql/partiql_plan.h"

/* The operation's name and the request (the caller's) of group `which` of a QUERY, or of the
 * whole plan. */
const char *partiql_native(const struct partiql_plan *plan, size_t which, struct pk_arena *arena,
                           struct cJSON **request);
/* The name alone. */
const char *partiql_native_operation(const struct partiql_plan *plan);
/* What the native operation cannot do though PartiQL can, or NULL. */
const char *partiql_native_note(const struct partiql_plan *plan);

#endif
