/*
 * Key conditions bound to a schema: which part of a key space a query reads.
 *
 * pk_expr_parse_key_condition() and the legacy KeyConditions give terms, each about one attribute.
 * Once the table or index is known the terms become a range: all hash values, equal values of
 * leading range attributes, then at most one bounded condition on the attribute that follows.
 */
#ifndef PK_EXPR_KEYCOND_H
#define PK_EXPR_KEYCOND_H

#include "engine/expr.h"
#include "engine/schema.h"

struct pk_key_range {
    pk_value hash[PK_KEY_PARTS_MAX];  /* schema's hash_count values, in schema order */
    pk_value equal[PK_KEY_PARTS_MAX]; /* of range[0] … range[equal_count - 1] */
    size_t equal_count;
    bool bounded;       /* there is a condition on range[equal_count] */
    enum pk_op op;      /* bounded: LT LE GT GE BETWEEN BEGINS_WITH */
    pk_value values[2]; /* bounded: the second only for BETWEEN */
};

/* Binds the terms to the key of a table or index. Checks count, attributes, operators, then types,
 * emptiness and sizes of the values (expressions.md §6, data-model.md §5 and §9). `legacy`: the
 * terms come from KeyConditions, which have messages of their own. The values point into the terms'
 * literals. */
PK_MUST_CHECK enum pk_code pk_keycond_bind(const struct pk_key_terms *terms,
                                           const struct pk_key_schema *key, bool legacy,
                                           struct pk_arena *arena, struct pk_key_range *out,
                                           struct pk_error *err);

#endif
