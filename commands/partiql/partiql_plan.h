/*
 * From a parsed statement to what the engine is asked.
 *
 * A plan binds a statement to its parameters and its table: it says which operation runs, with
 * which key, and what is left to test afterwards. Everything DynamoDB refuses before it reads an
 * item is refused here, in its order: parse (done), parameters, operand types, path components,
 * table, index, the rest (partiql.md §7).
 */
#ifndef PARTIQL_PLAN_H
#define PARTIQL_PLAN_H

#include "commands/partiql.h"
#include "commands/partiql/partiql_lower.h"

enum { PARTIQL_HASH_IN_MAX = 50 /* values of the hash key in one IN (partiql.md §3) */ };

enum partiql_operation {
    PARTIQL_GET, /* one item by its whole key */
    PARTIQL_QUERY,
    PARTIQL_SCAN,
    PARTIQL_INSERT,
    PARTIQL_UPDATE,
    PARTIQL_DELETE
};

/* One Query: the items of one hash value. */
struct partiql_group {
    struct pk_key_terms terms;    /* the hash key, then at most one on the range key */
    const struct pk_node *filter; /* NULL: none */
};

struct partiql_plan {
    enum partiql_operation operation;
    const struct partiql_statement *statement;
    const struct pk_table *table;
    const struct pk_index *index; /* NULL: the table itself */
    struct partiql_columns columns;
    struct partiql_group *groups; /* QUERY: distinct hash values in the order they are read */
    size_t group_count;
    bool backward;
    pk_value key;                 /* GET, UPDATE, DELETE */
    const struct pk_node *filter; /* GET, SCAN; NULL: none */
    pk_value item;                /* INSERT */
    struct pk_node *condition;    /* UPDATE, DELETE; NULL: none */
    struct pk_update update;      /* UPDATE */
    pk_slice reason;
};

struct partiql_binding {
    const struct partiql_schema_source *schema;
    const pk_value *params;
    size_t param_count;
    bool consistent;
    struct pk_arena *arena;
};

/* The plan lives in the arena; it borrows the statement, the parameters and the table. */
PK_MUST_CHECK enum pk_code partiql_plan(const struct partiql_statement *statement,
                                        const struct partiql_binding *binding,
                                        struct partiql_plan *out, struct pk_error *err);

/* A quoted name compared like a string (`WHERE PK = "a"`) that is no key attribute of the table
 * (NULL: not known): the node, or NULL. */
const struct partiql_node *partiql_quoted_suspect(const struct partiql_statement *statement,
                                                  const struct pk_table *table);
/* True when the node or anything below it is a function call. */
bool partiql_has_function(const struct pk_node *node);

#endif
