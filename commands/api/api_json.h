/*
 * Request JSON: strict, and without losing a digit or a NUL.
 *
 * Refused are bad UTF-8, control bytes, bad escapes, too much nesting, malformed numbers and
 * repeated member names. The tree is made of cJSON's nodes, which have no length; so two things are
 * marked in their strings by bytes no UTF-8 text contains: a NUL is C0 80, and a number is a string
 * that begins with C1. Readers therefore use the accessors below, never cJSON's own fields.
 *
 * The tree lives in the arena and is never deleted.
 */
#ifndef CMD_API_JSON_H
#define CMD_API_JSON_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/error.h"

struct cJSON;

enum {
    API_JSON_BODY_MAX = 16 * 1024 * 1024, /* operations.md §1 */
    API_JSON_DEPTH_MAX = 1000
};

enum api_json_kind {
    API_JSON_NULL,
    API_JSON_FALSE,
    API_JSON_TRUE,
    API_JSON_NUMBER,
    API_JSON_STRING,
    API_JSON_ARRAY,
    API_JSON_OBJECT
};

/* PK_E_SERIALIZATION with an empty message (errors.md §1) and a hint saying what is wrong. */
PK_MUST_CHECK enum pk_code api_json_parse(struct pk_arena *arena, pk_slice body,
                                          const struct cJSON **root, struct pk_error *err);

enum api_json_kind api_json_kind(const struct cJSON *node);
/* A string's content (NULs restored) or a number's text as written; else empty. Borrowed from the
 * tree, or in the arena. */
pk_slice api_json_text(struct pk_arena *arena, const struct cJSON *node);
/* The name under which the node is a member of its object. */
pk_slice api_json_name(struct pk_arena *arena, const struct cJSON *node);
/* A number as an integer: fractions go to the lower integer, what does not fit saturates. */
int64_t api_json_int(const struct cJSON *node);
/* The member of that name; NULL when absent or null, or when object is no object. */
const struct cJSON *api_json_member(const struct cJSON *object, const char *name);
/* Walks an array or object: the first and the next node, NULL at the end. */
const struct cJSON *api_json_first(const struct cJSON *node);
const struct cJSON *api_json_next(const struct cJSON *node);
size_t api_json_count(const struct cJSON *node);
/* Appends JSON that depends on content only: members sorted, no blanks. The top-level member named
 * `skip` (may be NULL) is left out. */
void api_json_canonical(struct pk_buf *out, const struct cJSON *node, const char *skip);

#endif
