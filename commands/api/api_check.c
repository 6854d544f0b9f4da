/*
 * The walk over a request's member types, and reading members of a checked request (api_check.h).
 *
 * The walk follows the document's order, as the service's parser does. Recursion is bounded by
 * API_JSON_DEPTH_MAX.
 */
#include "commands/api/api_check.h"

#include <strings.h>

#include "commands/api/api_json.h"
#include "engine/base/base64.h"

#define JAVA_PACKAGE "com.amazonaws.dynamodb.v20120810."

/* ---- member types (errors.md §4) ---------------------------------------------------------- */

enum place { AS_MEMBER, AS_ELEMENT };

struct types {
    struct pk_arena *arena;
    struct pk_error *err;
};

static enum pk_code refuse(const struct types *types, const char *message)
{
    return pk_fail(types->err, PK_E_SERIALIZATION, "%s", message);
}

static const char *java_name(const struct api_type *type)
{
    switch (type->kind) {
    case API_STRING:
        return "String";
    case API_BOOLEAN:
        return "Boolean";
    case API_INTEGER:
        return "Integer";
    case API_LONG:
        return "Long";
    case API_BLOB:
    case API_VALUE:
    case API_STRUCTURE:
    case API_LIST:
    case API_MAP:
        break;
    }
    return type->java;
}

/* The type as Java writes it inside "Unrecognized collection type …". */
static pk_slice java_type(struct pk_arena *arena, const struct api_type *type)
{
    switch (type->kind) {
    case API_STRING:
    case API_BOOLEAN:
    case API_INTEGER:
    case API_LONG:
        return pk_arena_printf(arena, "java.lang.%s", java_name(type));
    case API_BLOB:
        return PK_LIT("java.nio.ByteBuffer");
    case API_VALUE:
    case API_STRUCTURE:
        return pk_arena_printf(arena, JAVA_PACKAGE "%s", type->java);
    case API_LIST:
        return pk_arena_printf(arena, "java.util.List<%s>", java_type(arena, type->element).data);
    case API_MAP:
        return pk_arena_printf(arena, "java.util.Map<java.lang.String, %s>",
                               java_type(arena, type->element).data);
    }
    return PK_LIT("");
}

static enum pk_code refuse_array(const struct types *types, const struct api_type *type)
{
    const char *class_word = type->kind == API_MAP ? "" : "class ";

    return pk_fail(types->err, PK_E_SERIALIZATION, "Unrecognized collection type %s%s", class_word,
                   java_type(types->arena, type).data);
}

/* "NUMBER_VALUE" and its like: Jackson's name of a scalar's token. */
static const char *token_name(const struct cJSON *node)
{
    switch (api_json_kind(node)) {
    case API_JSON_FALSE:
        return "FALSE_VALUE";
    case API_JSON_TRUE:
        return "TRUE_VALUE";
    case API_JSON_NUMBER:
        /* the text of a number never needs the arena */
        return strpbrk(api_json_text(NULL, node).data, ".eE") != NULL ? "DECIMAL_VALUE"
                                                                      : "NUMBER_VALUE";
    case API_JSON_STRING:
        return "STRING_VALUE";
    case API_JSON_NULL:
    case API_JSON_ARRAY:
    case API_JSON_OBJECT:
        break;
    }
    return "NULL_VALUE";
}

static enum pk_code refuse_scalar(const struct types *types, const struct api_type *type,
                                  const struct cJSON *node)
{
    return pk_fail(types->err, PK_E_SERIALIZATION, "%s cannot be converted to %s", token_name(node),
                   java_name(type));
}

/* 1 or 0 for the words that count as booleans, -1 for others. */
static int boolean_word(pk_slice word)
{
    static const char *const words[] = {"false", "true", "0", "1", "no", "yes"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strlen(words[i]) == word.len && strncasecmp(words[i], word.data, word.len) == 0)
            return (int)(i % 2);
    }
    return -1;
}

static enum pk_code check_blob(const struct types *types, const struct cJSON *node)
{
    pk_slice base64 = api_json_text(types->arena, node);
    pk_slice bytes;

    if (api_json_kind(node) != API_JSON_STRING)
        return refuse(types, "only base-64-encoded strings are convertible to bytes");
    switch (pk_base64_decode(types->arena, base64, &bytes)) {
    case PK_BASE64_OK:
        return PK_OK;
    case PK_BASE64_LENGTH:
        return pk_fail(types->err, PK_E_SERIALIZATION,
                       "Base64 encoded length is expected a multiple of 4 bytes but found: %zu",
                       base64.len);
    case PK_BASE64_INVALID:
        break;
    }
    return refuse(types, "Invalid last non-pad Base64 character dectected");
}

static enum pk_code check_scalar(const struct types *types, const struct api_type *type,
                                 const struct cJSON *node)
{
    enum api_json_kind kind = api_json_kind(node);

    if (kind == API_JSON_OBJECT)
        return refuse(types, "Start of structure or map found where not expected");
    if (kind == API_JSON_ARRAY)
        return refuse_array(types, type);
    if (type->kind == API_BLOB)
        return check_blob(types, node);
    if (type->kind == API_STRING)
        return kind == API_JSON_STRING ? PK_OK : refuse_scalar(types, type, node);
    if (type->kind != API_BOOLEAN)
        return kind == API_JSON_NUMBER ? PK_OK : refuse_scalar(types, type, node);
    if (kind == API_JSON_NUMBER)
        return refuse_scalar(types, type, node);
    if (kind == API_JSON_STRING && boolean_word(api_json_text(types->arena, node)) < 0)
        return refuse(types, "Unexpected token received from parser");
    return PK_OK;
}

static enum pk_code check_type(const struct types *types, const struct api_type *type,
                               enum place place, const struct cJSON *node);

const struct api_type *api_member_type(struct pk_arena *arena, const struct api_type *type,
                                       const struct cJSON *node)
{
    pk_slice name = api_json_name(arena, node);

    for (size_t i = 0; i < type->member_count; i++) {
        const char *known = type->members[i].name;

        if (name.len > 0 && name.data[0] == known[0] && pk_slice_is(name, known))
            return type->members[i].type;
    }
    return NULL;
}

static enum pk_code check_structure(const struct types *types, const struct api_type *type,
                                    enum place place, const struct cJSON *node)
{
    enum api_json_kind kind = api_json_kind(node);

    if (kind == API_JSON_ARRAY)
        return refuse_array(types, type);
    if (kind != API_JSON_OBJECT)
        return refuse(types, place == AS_MEMBER ? "Unexpected field type"
                                                : "Unexpected value type in payload");
    for (node = api_json_first(node); node != NULL; node = api_json_next(node)) {
        const struct api_type *expected = api_member_type(types->arena, type, node);
        enum pk_code rc = expected == NULL ? PK_OK : check_type(types, expected, AS_MEMBER, node);

        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static enum pk_code check_collection(const struct types *types, const struct api_type *type,
                                     enum place place, const struct cJSON *node)
{
    enum api_json_kind kind = api_json_kind(node);

    if (kind == API_JSON_OBJECT && type->kind == API_LIST)
        return refuse(types, "Start of structure or map found where not expected");
    if (kind == API_JSON_ARRAY && type->kind == API_MAP)
        return refuse_array(types, type);
    if (kind != API_JSON_OBJECT && kind != API_JSON_ARRAY)
        return refuse(types, place == AS_MEMBER ? "Unexpected field type"
                                                : "Unexpected value type in payload");
    for (node = api_json_first(node); node != NULL; node = api_json_next(node)) {
        enum pk_code rc = check_type(types, type->element, AS_ELEMENT, node);

        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static enum pk_code check_type(const struct types *types, const struct api_type *type,
                               enum place place, const struct cJSON *node)
{
    if (api_json_kind(node) == API_JSON_NULL)
        return PK_OK;
    switch (type->kind) {
    case API_STRING:
    case API_BOOLEAN:
    case API_INTEGER:
    case API_LONG:
    case API_BLOB:
        return check_scalar(types, type, node);
    case API_VALUE:
    case API_STRUCTURE:
        return check_structure(types, type, place, node);
    case API_LIST:
    case API_MAP:
        return check_collection(types, type, place, node);
    }
    return PK_OK;
}

enum pk_code api_check_types(struct pk_arena *arena, const struct api_type *shape,
                             const struct cJSON *request, struct pk_error *err)
{
    struct types types = {arena, err};

    return check_structure(&types, shape, AS_MEMBER, request);
}

/* ---- reading a checked request ------------------------------------------------------------ */

pk_slice api_get_text(struct pk_arena *arena, const struct cJSON *object, const char *name)
{
    const struct cJSON *node = api_json_member(object, name);

    return node == NULL ? (pk_slice){NULL, 0} : api_json_text(arena, node);
}

/* arn:aws:dynamodb:<region>:<account>:table/<name> */
pk_slice api_table_of(pk_slice name_or_arn)
{
    const char *table;

    if (!pk_slice_starts(name_or_arn, PK_LIT("arn:")))
        return name_or_arn;
    table = memmem(name_or_arn.data, name_or_arn.len, ":table/", 7);
    if (table == NULL)
        return name_or_arn;
    return pk_slice_skip(name_or_arn, (size_t)(table - name_or_arn.data) + 7);
}

pk_slice api_get_table(struct pk_arena *arena, const struct cJSON *object, const char *name)
{
    return api_table_of(api_get_text(arena, object, name));
}

bool api_get_bool(const struct cJSON *object, const char *name)
{
    const struct cJSON *node = api_json_member(object, name);

    if (node == NULL)
        return false;
    if (api_json_kind(node) == API_JSON_STRING) /* a word: has no NUL, needs no arena */
        return boolean_word(api_json_text(NULL, node)) == 1;
    return api_json_kind(node) == API_JSON_TRUE;
}

bool api_get_int(const struct cJSON *object, const char *name, int64_t *out)
{
    const struct cJSON *node = api_json_member(object, name);

    if (node == NULL)
        return false;
    *out = api_json_int(node);
    return true;
}

bool api_get_is(const struct cJSON *object, const char *name, const char *text)
{
    const struct cJSON *node = api_json_member(object, name);

    return node != NULL && api_json_kind(node) == API_JSON_STRING &&
           pk_slice_is(api_json_text(NULL, node), text);
}
