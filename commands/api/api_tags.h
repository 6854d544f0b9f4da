/* A list of tags as TagResource and CreateTable take it (operations.md §9). */
#ifndef CMD_API_TAGS_H
#define CMD_API_TAGS_H

#include "engine/base/arena.h"
#include "engine/schema.h"

struct cJSON;

/* Reserved keys, characters that are not allowed, and more tags than a table may have are refused.
 * The texts are in the arena; NULL is an empty list. */
PK_MUST_CHECK enum pk_code api_tags_read(struct pk_arena *arena, const struct cJSON *list,
                                         const struct pk_tag **tags, size_t *count,
                                         struct pk_error *err);

#endif
