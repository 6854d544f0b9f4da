/*
 * Static checks of trees that need neither text nor table (expressions.md §4, §7, §8). The parsers
 * call them where DynamoDB's order of faults wants it; trees built by hand pass through the
 * pk_expr_check_* functions of expr.h. Messages carry no prefix.
 */
#ifndef PK_EXPR_CHECK_H
#define PK_EXPR_CHECK_H

#include "engine/expr.h"

/* One comparison, BETWEEN, IN or function, with what lies under it: operand counts, distinct
 * operands, types of literals, in this order. */
PK_MUST_CHECK enum pk_code pk__check_primary(const struct pk_node *node, struct pk_arena *arena,
                                             struct pk_error *err);
/* Fails for an IN with too many members. */
PK_MUST_CHECK enum pk_code pk__check_in_count(const struct pk_node *node, struct pk_error *err);

#endif
