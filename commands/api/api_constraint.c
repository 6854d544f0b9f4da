/*
 * The walk that collects a request's constraint faults into one message (api_check.h, errors.md
 * §5).
 *
 * It follows the shape's order. Three lists are kept, because faults of the table name may stand
 * alone and those of BatchWriteItem's table names show only when there is no other.
 */
#include "commands/api/api_check.h"

#include <inttypes.h>

#include "commands/api/api_json.h"
#include "engine/base/utf8.h"

enum { FAULTS_MAX = 10 };

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* ---- faults ------------------------------------------------------------------------------ */

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

/* ---- the value as Java prints it ---------------------------------------------------------- */

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
        const struct api_type *expected = api_member_type(all->arena, type, node);

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
    if (type->kind == API_VALUE || type->kind == API_STRUCTURE)
        echo_structure(all, out, type, node);
    else
        echo_collection(all, out, type, node);
}

/* ---- collecting --------------------------------------------------------------------------- */

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

/* ---- the walk ----------------------------------------------------------------------------- */

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
