/*
 * Running plans on the engine. Rows are written as JSON while the engine reads.
 */
#ifndef PARTIQL_EXEC_H
#define PARTIQL_EXEC_H

#include "commands/partiql/partiql_token.h"
#include "engine/ops.h"

struct partiql_page {
    const struct partiql_plan *plan; /* GET, QUERY or SCAN */
    struct pk_buf *out;              /* rows are appended, comma-separated; it stands after a "[" */
    uint64_t limit;                  /* items evaluated; 0: none */
    bool consistent;
    struct partiql_cursor start; /* zero: at the beginning */
};

struct partiql_page_result {
    bool more; /* the limit or 1 MB was reached: `next` goes on */
    struct partiql_cursor next;
    pk_value last_key; /* LastEvaluatedKey, missing when there is none */
    struct pk_cost cost;
    struct pk_facts facts;
};

/* Reads one page. Fails as the engine's read does; what was appended until then stays. */
PK_MUST_CHECK enum pk_code partiql_read(struct pk_engine *engine, struct pk_call *call,
                                        const struct partiql_page *page,
                                        struct partiql_page_result *result, struct pk_error *err);

/* The row of an item as a JSON object: all of it, or the SELECT list. */
void partiql_row(const struct partiql_plan *plan, pk_view item, struct pk_buf *out);

/* The engine's write for INSERT, UPDATE, DELETE, and for the SELECT inside EXISTS. `arena` holds
 * what is built for it. */
struct pk_write partiql_write(const struct partiql_plan *plan, struct pk_arena *arena);
/* Appends the row that RETURNING asks for; false, and nothing appended, when there is none. */
bool partiql_returned_row(const struct partiql_plan *plan, const struct pk_write_result *result,
                          struct pk_buf *out);

/* Adds a cost to the sum of its table; costs of one table's requests become one. */
void partiql_add_cost(struct pk_cost *sum, const struct pk_cost *cost, struct pk_arena *arena);
void partiql_add_facts(struct pk_facts *sum, const struct pk_facts *facts);

#endif
