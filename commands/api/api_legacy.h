/*
 * The parameters from before expressions: AttributesToGet, KeyConditions, QueryFilter, ScanFilter,
 * Expected, AttributeUpdates, ConditionalOperator (expressions.md §9).
 *
 * They become the same trees that expressions become, so the engine knows one form. Each function
 * makes all request-only checks of its parameter; an absent parameter gives NULL.
 */
#ifndef CMD_API_LEGACY_H
#define CMD_API_LEGACY_H

#include "engine/expr.h"
#include "engine/schema.h"

struct cJSON;

PK_MUST_CHECK enum pk_code api_legacy_attributes_to_get(struct pk_arena *arena,
                                                        const struct cJSON *request,
                                                        struct pk_projection **out,
                                                        struct pk_error *err);
/* name: QueryFilter or ScanFilter; joined by the request's ConditionalOperator. */
PK_MUST_CHECK enum pk_code api_legacy_filter(struct pk_arena *arena, const struct cJSON *request,
                                             const char *name, struct pk_node **out,
                                             struct pk_error *err);
PK_MUST_CHECK enum pk_code api_legacy_key_conditions(struct pk_arena *arena,
                                                     const struct cJSON *request,
                                                     struct pk_key_terms **out,
                                                     struct pk_error *err);
PK_MUST_CHECK enum pk_code api_legacy_expected(struct pk_arena *arena, const struct cJSON *request,
                                               struct pk_node **out, struct pk_error *err);
PK_MUST_CHECK enum pk_code api_legacy_updates(struct pk_arena *arena, const struct cJSON *request,
                                              struct pk_update **out, struct pk_error *err);

#endif
