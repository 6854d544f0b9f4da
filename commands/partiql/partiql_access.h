/* Choosing the access path of a read: GetItem, one Query a hash value, or Scan (partiql.md §3). */
#ifndef PARTIQL_ACCESS_H
#define PARTIQL_ACCESS_H

#include "commands/partiql/partiql_plan.h"

/* Fills operation, groups, key, filter and reason of a plan whose table, index and columns are set.
 * where: NULL when there is none. */
PK_MUST_CHECK enum pk_code partiql_choose_access(struct partiql_plan *plan, struct pk_node *where,
                                                 struct pk_arena *arena, struct pk_error *err);
/* The key of the table or index that the plan reads. */
const struct pk_key_schema *partiql_key_schema(const struct partiql_plan *plan);

/* The AND-level parts of a condition; a NULL condition has none. */
struct partiql_conjuncts {
    struct pk_node **list;
    size_t count, cap;
};
void partiql_split(struct pk_node *condition, struct pk_arena *arena,
                   struct partiql_conjuncts *out);
/* Their conjunction, without number `skip` (SIZE_MAX: all); NULL when nothing is left. */
struct pk_node *partiql_join(const struct partiql_conjuncts *conjuncts, size_t skip,
                             struct pk_arena *arena);
/* The literal v when the node is `name = v` or `v = name`; else NULL. */
const struct pk_node *partiql_equality(const struct pk_node *node, pk_slice name);
/* "Key attribute's data type should match …" unless the value has the attribute's type. */
PK_MUST_CHECK enum pk_code partiql_check_key_type(const struct pk_key_attr *attr, pk_view value,
                                                  struct pk_span span, struct pk_error *err);

#endif
