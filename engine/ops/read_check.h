/*
 * Which attributes an expression mentions, and whether it may: key attributes in filters, paths
 * into key attributes, what an index carries.
 */
#ifndef PK_OPS_READ_CHECK_H
#define PK_OPS_READ_CHECK_H

#include "engine/ops/core.h"

/* Fails when a path of the condition or projection (either may be NULL) leads into a key attribute
 * of the table or of one of its indexes: those are scalars. */
PK_MUST_CHECK enum pk_code pk_check_scalar_keys(const struct pk_table *table,
                                                const struct pk_node *condition,
                                                const struct pk_projection *projection,
                                                struct pk_error *err);
/* Fails when the filter mentions an attribute of that key. */
PK_MUST_CHECK enum pk_code pk_check_filter_keys(const struct pk_read *request,
                                                const struct pk_key_schema *key,
                                                struct pk_error *err);
/* Fails when the filter mentions an attribute that the index does not carry. */
PK_MUST_CHECK enum pk_code pk_check_filter_projected(const struct pk_table *table,
                                                     const struct pk_index *index,
                                                     const struct pk_node *filter,
                                                     struct pk_error *err);
/* The names of the projection's paths that the index does not carry, as "[a, b]"; appends nothing
 * when it carries all. */
void pk_check_unprojected(const struct pk_table *table, const struct pk_index *index,
                          const struct pk_projection *projection, struct pk_buf *names);

#endif
