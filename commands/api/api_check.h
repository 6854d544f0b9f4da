/*
 * Checking a request against the shape of its operation, before anything else looks at it.
 *
 * A shape (struct api_type, the tables in api_shapes.c) says what the service's model says: member
 * names, types, which are required, length and value ranges, enums. Two walks use it: the member
 * types, whose first fault is a SerializationException (errors.md §4), and the constraints, whose
 * faults are collected, up to ten, into one ValidationException (errors.md §5). Unknown members are
 * ignored, null members count as absent.
 */
#ifndef CMD_API_CHECK_H
#define CMD_API_CHECK_H

#include "engine/base/arena.h"
#include "engine/error.h"

struct cJSON;

enum api_kind {
    API_STRING,
    API_BOOLEAN,
    API_INTEGER,
    API_LONG,
    API_BLOB,
    API_VALUE, /* an AttributeValue */
    API_STRUCTURE,
    API_LIST,
    API_MAP
};

/* Flags of a type. */
enum {
    API_NEWER = 1,          /* the newer layer's wording: no echo, names as sent (errors.md §9) */
    API_PATTERN = 2,        /* a name: [a-zA-Z0-9_.-]+ */
    API_ARN = 4,            /* a table's ARN is accepted in place of its name */
    API_TABLE = 8,          /* a table name: its faults stand alone unless a member is missing */
    API_CONTROL_TABLE = 16, /* the same of a control operation: always alone, and named first */
    API_TABLE_KEYS = 32,    /* a map whose keys are table names */
    API_VALUE_LENGTH = 64,  /* a map that reports the length of its values itself */
    API_LAST = 128          /* a map whose key faults show only when there is no other */
};

struct api_member;

struct api_type {
    enum api_kind kind;
    unsigned flags;
    const char *java;               /* class name of a structure, for messages */
    const struct api_type *element; /* lists and maps */
    const struct api_member *members;
    size_t member_count;
    int64_t min, max;   /* length of strings, lists, maps; value of numbers. max 0: none */
    bool has_min;       /* of numbers, where min may be 0 */
    const char *values; /* an enum's values as the message lists them: "SIZE, NONE" */
};

struct api_member {
    const char *name;
    const struct api_type *type;
    bool required;
};

/* The type of a structure's member, by the node's name; NULL for an unknown one. */
const struct api_type *api_member_type(struct pk_arena *arena, const struct api_type *type,
                                       const struct cJSON *node);

/* Both answer PK_OK or fill err. `request` is an object. */
PK_MUST_CHECK enum pk_code api_check_types(struct pk_arena *arena, const struct api_type *shape,
                                           const struct cJSON *request, struct pk_error *err);
PK_MUST_CHECK enum pk_code api_check_constraints(struct pk_arena *arena,
                                                 const struct api_type *shape,
                                                 const struct cJSON *request, struct pk_error *err);

/* Reading members of a checked request. */
/* data NULL when absent. */
pk_slice api_get_text(struct pk_arena *arena, const struct cJSON *object, const char *name);
/* As api_get_text; an ARN is cut down to the table's name. */
pk_slice api_get_table(struct pk_arena *arena, const struct cJSON *object, const char *name);
pk_slice api_table_of(pk_slice name_or_arn);
/* False when absent. Strings such as "yes" are converted (errors.md §4). */
bool api_get_bool(const struct cJSON *object, const char *name);
/* False (and *out unchanged) when absent. */
bool api_get_int(const struct cJSON *object, const char *name, int64_t *out);
/* True when the member is there and is this text. */
bool api_get_is(const struct cJSON *object, const char *name, const char *text);

#endif
