/*
 * AttributeValues in typed JSON ({"S":"x"}) to values.
 *
 * The JSON has passed api_check_types, so only what DynamoDB answers with a ValidationException is
 * left to find (data-model.md §1, §2): messages verbatim, in document order, within one value in
 * the order of the sheet.
 */
#ifndef CMD_API_VALUE_H
#define CMD_API_VALUE_H

#include "engine/value.h"

struct cJSON;

/* One AttributeValue. Fails with the bare message, and for more than 32 levels with the nesting
 * one. Text is borrowed from the JSON tree. */
PK_MUST_CHECK enum pk_code api_value_read(struct pk_arena *arena, const struct cJSON *node,
                                          pk_value *out, struct pk_error *err);
/* {name: AttributeValue, …}: an Item or a Key, as a map. */
PK_MUST_CHECK enum pk_code api_value_read_item(struct pk_arena *arena, const struct cJSON *node,
                                               pk_value *out, struct pk_error *err);
/* A list of AttributeValues (Parameters, AttributeValueList) into an arena array. */
PK_MUST_CHECK enum pk_code api_value_read_list(struct pk_arena *arena, const struct cJSON *node,
                                               pk_value **out, size_t *count, struct pk_error *err);

#endif
