/*
 * The two walks over a request: member types, then constraints (api_check.h).
 *
 * The type walk follows the document's order, as the service's parser does; the constraint walk
 * follows the shape's. Recursion is bounded by API_JSON_DEPTH_MAX.
 */
#include "commands/api/api_check.h"

#include <inttypes.h>
#include <strings.h>

#include "commands/api/api_json.h"
#include "engine/base/base64.h"
#include "engine/base/utf8.h"

enum { FAULTS_MAX = 10 };

#define JAVA_PACKAGE "com.amazonaws.dynamodb.v20120810."
#define NAME_CHARS   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* ---- the AttributeValue as a structure ---------------------------------------------------- */

static const struct api_type av;
static const struct api_type av_text = {.kind = API_STRING};
static const struct api_type av_blob = {.kind = API_BLOB};
static const struct api_type av_bool = {.kind = API_BOOLEAN};
static const struct api_type av_texts = {.kind = API_LIST, .element = &av_text};
static const struct api_type av_blobs = {.kind = API_LIST, .element = &av_blob};
static const struct api_type av_list = {.kind = API_LIST, .element = &av};
static const struct api_type av_map = {.kind = API_MAP, .element = &av};
static const struct api_member av_rows[] = {
    {"S", &av_text, false},    {"N", &av_text, false},   {"B", &av_blob, false},
    {"M", &av_map, false},     {"L", &av_list, false},   {"BOOL", &av_bool, false},
    {"NULL", &av_bool, false}, {"SS", &av_texts, false}, {"NS", &av_texts, false},
    {"BS", &av_blobs, false},
};
static const struct api_type av = {.kind = API_VALUE,
                                   .java = "AttributeValue",
                                   .members = av_rows,
                                   .member_count = sizeof(av_rows) / sizeof(av_rows[0])};

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

static const struct api_type *member_type(struct pk_arena *arena, const struct api_type *type,
                                          const struct cJSON *node)
{
    pk_slice name = api_json_name(arena, node);

    for (size_t i = 0; i < type->member_count; i++) {
        if (pk_slice_is(name, type->members[i].name))
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
        const struct api_type *expected = member_type(types->arena, type, node);
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
        return check_structure(types, &av, place, node);
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

/* ---- constraints (errors.md §5) ----------------------------------------------------------- */

/* Where a member is, from the leaf up. */
struct path {
    const struct path *parent;
    pk_slice text;
    bool member; /* a structure's member, whose first letter older messages write small */
};

struct faults {
    struct pk_buf text; /* joined by "; " */
    size_t count;
};

struct constraints {
    struct pk_arena *arena;
    struct faults all;
    struct faults table; /* those of a table name, which may stand alone */
    struct faults last;  /* those shown only when there is no other */
    bool missing;        /* some required member is absent */
    bool control;        /* the table name is that of a control operation */
};

static void add_path(struct pk_buf *out, const struct path *path, bool newer)
{
    if (path->parent != NULL) {
        add_path(out, path->parent, newer);
        pk_buf_add_byte(out, '.');
    }
    if (path->member && !newer && path->text.data[0] >= 'A' && path->text.data[0] <= 'Z') {
        pk_buf_add_byte(out, (unsigned char)(path->text.data[0] - 'A' + 'a'));
        pk_buf_add(out, pk_slice_skip(path->text, 1));
    } else {
        pk_buf_add(out, path->text);
    }
}

static void add_echo(struct constraints *all, struct pk_buf *out, const struct api_type *type,
                     const struct cJSON *node);

/* KeySchemaElement(attributeName=p, keyType=HASH) */
static void echo_structure(struct constraints *all, struct pk_buf *out, const struct api_type *type,
                           const struct cJSON *node)
{
    const char *separator = "";

    pk_buf_printf(out, "%s(", type->java);
    for (node = api_json_first(node); node != NULL; node = api_json_next(node)) {
        struct path path = {NULL, api_json_name(all->arena, node), true};
        const struct api_type *expected = member_type(all->arena, type, node);

        if (expected == NULL || api_json_kind(node) == API_JSON_NULL)
            continue;
        pk_buf_add_cstr(out, separator);
        add_path(out, &path, false);
        pk_buf_add_byte(out, '=');
        add_echo(all, out, expected, node);
        separator = ", ";
    }
    pk_buf_add_byte(out, ')');
}

static void echo_collection(struct constraints *all, struct pk_buf *out,
                            const struct api_type *type, const struct cJSON *node)
{
    const char *separator = "";

    pk_buf_add_byte(out, type->kind == API_LIST ? '[' : '{');
    for (node = api_json_first(node); node != NULL; node = api_json_next(node)) {
        pk_buf_add_cstr(out, separator);
        if (type->kind == API_MAP) {
            pk_buf_add(out, api_json_name(all->arena, node));
            pk_buf_add_byte(out, '=');
        }
        add_echo(all, out, type->element, node);
        separator = ", ";
    }
    pk_buf_add_byte(out, type->kind == API_LIST ? ']' : '}');
}

/* The value as Java prints it. */
static void add_echo(struct constraints *all, struct pk_buf *out, const struct api_type *type,
                     const struct cJSON *node)
{
    switch (api_json_kind(node)) {
    case API_JSON_NULL:
        pk_buf_add_cstr(out, "null");
        return;
    case API_JSON_FALSE:
    case API_JSON_TRUE:
        pk_buf_add_cstr(out, api_json_kind(node) == API_JSON_TRUE ? "true" : "false");
        return;
    case API_JSON_NUMBER:
        pk_buf_printf(out, "%" PRId64, api_json_int(node));
        return;
    case API_JSON_STRING:
        pk_buf_add(out, api_json_text(all->arena, node));
        return;
    case API_JSON_ARRAY:
    case API_JSON_OBJECT:
        break;
    }
    if (type->kind == API_VALUE)
        echo_structure(all, out, &av, node);
    else if (type->kind == API_STRUCTURE)
        echo_structure(all, out, type, node);
    else
        echo_collection(all, out, type, node);
}

static void add_to(struct faults *faults, pk_slice text)
{
    faults->count++;
    if (faults->count > FAULTS_MAX)
        return;
    if (faults->count > 1)
        pk_buf_add_cstr(&faults->text, "; ");
    pk_buf_add(&faults->text, text);
}

static void add_fault(struct constraints *all, unsigned flags, pk_slice text)
{
    if ((flags & API_LAST) != 0) {
        add_to(&all->last, text);
        return;
    }
    add_to(&all->all, text);
    if ((flags & (API_TABLE | API_CONTROL_TABLE)) != 0) {
        add_to(&all->table, text);
        all->control = (flags & API_CONTROL_TABLE) != 0;
    }
}

/* "Value 'v' at 'path' failed to satisfy constraint: …"; value NULL prints null. */
static void fault(struct constraints *all, const struct path *path, const struct api_type *type,
                  const struct cJSON *node, const char *constraint)
{
    bool newer = node != NULL && (type->flags & API_NEWER) != 0;
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_add_cstr(&text, "Value ");
    if (node == NULL) {
        pk_buf_add_cstr(&text, "null ");
    } else if (!newer) {
        pk_buf_add_byte(&text, '\'');
        add_echo(all, &text, type, node);
        pk_buf_add_cstr(&text, "' ");
    }
    pk_buf_add_cstr(&text, "at '");
    add_path(&text, path, newer);
    pk_buf_printf(&text, "' failed to satisfy constraint: %s", constraint);
    add_fault(all, node == NULL ? 0 : type->flags & ~(unsigned)API_LAST, pk_buf_slice(&text));
    pk_buf_release(&text);
}

PK_PRINTF(5, 6)
static void faultf(struct constraints *all, const struct path *path, const struct api_type *type,
                   const struct cJSON *node, const char *format, ...)
{
    va_list args;
    pk_slice text;

    va_start(args, format);
    text = pk_arena_vprintf(all->arena, format, args);
    va_end(args);
    fault(all, path, type, node, text.data);
}

static bool enum_has(const char *values, pk_slice word)
{
    while (*values != '\0') {
        size_t length = strcspn(values, ",");

        if (pk_slice_equal((pk_slice){values, length}, word))
            return true;
        values += length;
        values += strspn(values, ", ");
    }
    return false;
}

static bool is_name(pk_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\0' || strchr(NAME_CHARS, text.data[i]) == NULL)
            return false;
    }
    return true;
}

static void check_length(struct constraints *all, const struct path *path,
                         const struct api_type *type, const struct cJSON *node, size_t length)
{
    if (type->min > 0 && length < (size_t)type->min)
        faultf(all, path, type, node, "Member must have length greater than or equal to %" PRId64,
               type->min);
    if (type->max > 0 && length > (size_t)type->max)
        faultf(all, path, type, node, "Member must have length less than or equal to %" PRId64,
               type->max);
}

static void check_text(struct constraints *all, const struct path *path,
                       const struct api_type *type, const struct cJSON *node)
{
    pk_slice text = api_json_text(all->arena, node);
    pk_slice table = (type->flags & API_ARN) != 0 ? api_table_of(text) : text;

    if (type->values != NULL && !enum_has(type->values, text))
        faultf(all, path, type, node, "Member must satisfy enum value set: [%s]", type->values);
    if ((type->flags & API_PATTERN) != 0 && table.len > 0 && !is_name(table))
        fault(all, path, type, node,
              "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
    check_length(all, path, type, node, pk_utf8_utf16_length(table));
}

static void check_number(struct constraints *all, const struct path *path,
                         const struct api_type *type, const struct cJSON *node)
{
    int64_t number = api_json_int(node);

    if (type->has_min && number < type->min)
        faultf(all, path, type, node, "Member must have value greater than or equal to %" PRId64,
               type->min);
    if (type->max > 0 && number > type->max)
        faultf(all, path, type, node, "Member must have value less than or equal to %" PRId64,
               type->max);
}

static void check_member(struct constraints *all, const struct path *path,
                         const struct api_type *type, const struct cJSON *node);

static void check_members(struct constraints *all, const struct path *parent,
                          const struct api_type *type, const struct cJSON *node)
{
    for (size_t i = 0; i < type->member_count; i++) {
        const struct api_member *row = &type->members[i];
        const struct cJSON *member = api_json_member(node, row->name);
        struct path path = {parent, pk_slice_cstr(row->name), true};

        if (member != NULL) {
            check_member(all, &path, row->type, member);
        } else if (row->required) {
            fault(all, &path, row->type, NULL, "Member must not be null");
            all->missing = true;
        }
    }
}

static void check_elements(struct constraints *all, const struct path *parent,
                           const struct api_type *type, const struct cJSON *node)
{
    size_t index = 0;

    if (type->element->kind == API_VALUE || type->element->kind == API_BLOB)
        return;
    for (node = api_json_first(node); node != NULL; node = api_json_next(node)) {
        struct path key = {parent, {NULL, 0}, false};
        struct path path = {&key, PK_LIT("member"), false};

        if (type->kind == API_LIST)
            key.text = pk_arena_printf(all->arena, "%zu", ++index);
        else
            key.text = api_json_name(all->arena, node);
        if (api_json_kind(node) != API_JSON_NULL)
            check_member(all, &path, type->element, node);
        else if (type->element->kind == API_STRUCTURE)
            fault(all, &path, type->element, NULL, "Member must not be null");
    }
}

static void check_table_keys(struct constraints *all, const struct path *path,
                             const struct api_type *type, const struct cJSON *map)
{
    struct pk_buf text = PK_BUF_INIT;
    bool wrong = false;

    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        pk_slice table = api_table_of(api_json_name(all->arena, node));

        wrong = wrong || table.len < 3 || table.len > 255 || !is_name(table);
    }
    if (!wrong)
        return;
    pk_buf_add_cstr(&text, "Value '");
    api_json_canonical(&text, map, NULL);
    pk_buf_add_cstr(&text, "' at '");
    add_path(&text, path, false);
    pk_buf_add_cstr(
        &text, "' failed to satisfy constraint: Map keys must satisfy constraint: [Member must "
               "have length less than or equal to 255, Member must have length greater than "
               "or equal to 3, Member must satisfy regular expression pattern: "
               "[a-zA-Z0-9_.-]+]");
    add_fault(all, type->flags, pk_buf_slice(&text));
    pk_buf_release(&text);
}

/* The values' own length, told as a constraint of the map (BatchWriteItem). */
static void check_value_lengths(struct constraints *all, const struct path *path,
                                const struct api_type *type, const struct cJSON *map)
{
    const struct api_type *list = type->element;

    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        int64_t length = (int64_t)api_json_count(node);

        if (length >= list->min && length <= list->max)
            continue;
        faultf(all, path, type, map,
               "Map value must satisfy constraint: [Member must have length less than or equal to "
               "%" PRId64 ", Member must have length greater than or equal to %" PRId64 "]",
               list->max, list->min);
        return;
    }
}

/* The elements of the lists that are a map's values. */
static void check_value_elements(struct constraints *all, const struct path *parent,
                                 const struct api_type *type, const struct cJSON *map)
{
    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        struct path key = {parent, api_json_name(all->arena, node), false};
        struct path path = {&key, PK_LIT("member"), false};

        check_elements(all, &path, type->element, node);
    }
}

static void check_collection_member(struct constraints *all, const struct path *path,
                                    const struct api_type *type, const struct cJSON *node)
{
    check_length(all, path, type, node, api_json_count(node));
    if ((type->flags & API_TABLE_KEYS) != 0)
        check_table_keys(all, path, type, node);
    if ((type->flags & API_VALUE_LENGTH) == 0) {
        check_elements(all, path, type, node);
        return;
    }
    check_value_lengths(all, path, type, node);
    check_value_elements(all, path, type, node);
}

static void check_member(struct constraints *all, const struct path *path,
                         const struct api_type *type, const struct cJSON *node)
{
    switch (type->kind) {
    case API_STRING:
        check_text(all, path, type, node);
        return;
    case API_INTEGER:
    case API_LONG:
        check_number(all, path, type, node);
        return;
    case API_STRUCTURE:
        check_members(all, path, type, node);
        return;
    case API_LIST:
    case API_MAP:
        check_collection_member(all, path, type, node);
        return;
    case API_BOOLEAN:
    case API_BLOB:
    case API_VALUE:
        return;
    }
}

static enum pk_code fail_with(const struct faults *faults, struct pk_error *err)
{
    size_t count = faults->count < FAULTS_MAX ? faults->count : FAULTS_MAX;

    return pk_fail(err, PK_E_VALIDATION, "%zu validation error%s detected: %s", count,
                   count == 1 ? "" : "s", faults->text.data);
}

static enum pk_code verdict(const struct constraints *all, struct pk_error *err)
{
    if (all->table.count > 0 && (all->control || !all->missing))
        return fail_with(&all->table, err);
    if (all->all.count > 0)
        return fail_with(&all->all, err);
    if (all->last.count > 0)
        return fail_with(&all->last, err);
    return PK_OK;
}

enum pk_code api_check_constraints(struct pk_arena *arena, const struct api_type *shape,
                                   const struct cJSON *request, struct pk_error *err)
{
    struct constraints all = {.arena = arena};
    enum pk_code rc;

    if (shape->member_count > 0 && (shape->members[0].type->flags & API_CONTROL_TABLE) != 0 &&
        api_json_member(request, shape->members[0].name) == NULL)
        return pk_fail(err, PK_E_VALIDATION,
                       "The parameter 'TableName' is required but was not present in the request");
    check_members(&all, NULL, shape, request);
    rc = verdict(&all, err);
    pk_buf_release(&all.all.text);
    pk_buf_release(&all.table.text);
    pk_buf_release(&all.last.text);
    return rc;
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
