/* AttributeValues in JSON to values (api_value.h). */
#include "commands/api/api_value.h"

#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "engine/base/base64.h"
#include "engine/schema.h"

#define INVALID "One or more parameter values were invalid: "

static enum pk_code fail(struct pk_error *err, const char *message)
{
    return pk_fail(err, PK_E_VALIDATION, "%s", message);
}

static pk_slice decode_binary(struct pk_arena *arena, const struct cJSON *node)
{
    pk_slice bytes = {NULL, 0};

    /* api_check_types has seen that it decodes */
    if (pk_base64_decode(arena, api_json_text(arena, node), &bytes) != PK_BASE64_OK)
        pk_bug("unchecked base64");
    return bytes;
}

static enum pk_code read_number(struct pk_arena *arena, const struct cJSON *node, pk_value *out,
                                struct pk_error *err)
{
    pk_slice text = api_json_text(arena, node);
    struct pk_num num;
    enum pk_num_status status = pk_num_parse(text, &num);

    if (status != PK_NUM_OK) {
        size_t size = text.len + 200;
        char *message = pk_arena_alloc(arena, size);

        return fail(err, pk_num_status_message(status, text, message, size));
    }
    *out = pk_value_number(arena, &num);
    return PK_OK;
}

/* ---- sets --------------------------------------------------------------------------------- */

static const char *empty_set_message(enum pk_kind kind)
{
    if (kind == PK_STRING_SET)
        return INVALID "An string set  may not be empty";
    if (kind == PK_NUMBER_SET)
        return INVALID "An number set  may not be empty";
    return INVALID "Binary sets should not be empty";
}

static const char *null_in_set_message(enum pk_kind kind)
{
    if (kind == PK_STRING_SET)
        return INVALID "An string set may not have a null string as a member";
    if (kind == PK_NUMBER_SET)
        return INVALID "An number set may not have a null number as a member";
    return INVALID "An binary set may not have a null binary as a member";
}

/* Repeated members, echoed as they were sent (errors.md §9, older wording). */
static enum pk_code fail_repeated(struct pk_arena *arena, const struct cJSON *set,
                                  enum pk_kind kind, struct pk_error *err)
{
    struct pk_buf echo = PK_BUF_INIT;
    enum pk_code rc;

    if (kind == PK_NUMBER_SET)
        return fail(err, "Input collection contains duplicates");
    for (const struct cJSON *node = api_json_first(set); node != NULL; node = api_json_next(node)) {
        if (node != api_json_first(set)) /* the first may be empty */
            pk_buf_add_cstr(&echo, ", ");
        pk_buf_add(&echo, api_json_text(arena, node));
    }
    rc = pk_fail(err, PK_E_VALIDATION, INVALID "Input collection [%.*s]%s contains duplicates.",
                 PK_FMT(pk_buf_slice(&echo)), kind == PK_BINARY_SET ? "of type BS" : "");
    pk_buf_release(&echo);
    return rc;
}

static enum pk_code read_set_member(struct pk_arena *arena, const struct cJSON *node,
                                    enum pk_kind kind, pk_value *out, struct pk_error *err)
{
    if (kind == PK_NUMBER_SET)
        return read_number(arena, node, out, err);
    if (kind == PK_STRING_SET)
        *out = pk_value_string(api_json_text(arena, node));
    else
        *out = pk_value_binary(decode_binary(arena, node));
    return PK_OK;
}

static enum pk_code read_set(struct pk_arena *arena, const struct cJSON *set, enum pk_kind kind,
                             pk_value *out, struct pk_error *err)
{
    size_t count = api_json_count(set);
    pk_value *items = PK_NEW_ARRAY(arena, pk_value, count);
    bool repeated = false;
    size_t n = 0;

    if (count == 0)
        return fail(err, empty_set_message(kind));
    for (const struct cJSON *node = api_json_first(set); node != NULL; node = api_json_next(node)) {
        enum pk_code rc;

        if (api_json_kind(node) == API_JSON_NULL)
            return fail(err, null_in_set_message(kind));
        rc = read_set_member(arena, node, kind, &items[n++], err);
        if (rc != PK_OK)
            return rc;
    }
    *out = pk_value_set(kind, items, count, &repeated);
    return repeated ? fail_repeated(arena, set, kind, err) : PK_OK;
}

/* ---- values ------------------------------------------------------------------------------- */

static enum pk_code read_value(struct pk_arena *arena, const struct cJSON *node, pk_value *out,
                               struct pk_error *err);

static enum pk_code read_list(struct pk_arena *arena, const struct cJSON *list, pk_value *out,
                              struct pk_error *err)
{
    size_t count = api_json_count(list);
    pk_value *items = PK_NEW_ARRAY(arena, pk_value, count);
    size_t n = 0;

    for (const struct cJSON *node = api_json_first(list); node != NULL;
         node = api_json_next(node)) {
        enum pk_code rc = read_value(arena, node, &items[n++], err);

        if (rc != PK_OK)
            return rc;
    }
    *out = pk_value_list(items, count);
    return PK_OK;
}

static enum pk_code check_name(pk_slice name, struct pk_error *err)
{
    if (name.len == 0)
        return fail(err, "Empty attribute name");
    if (name.len > PK_NAME_MAX)
        return fail(err, "Attribute name is too large, must be less than 65536 bytes");
    return PK_OK;
}

static enum pk_code read_map(struct pk_arena *arena, const struct cJSON *map, pk_value *out,
                             struct pk_error *err)
{
    size_t count = api_json_count(map);
    struct pk_member *members = PK_NEW_ARRAY(arena, struct pk_member, count);
    size_t n = 0;

    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        enum pk_code rc;

        members[n].name = api_json_name(arena, node);
        rc = check_name(members[n].name, err);
        if (rc == PK_OK)
            rc = read_value(arena, node, &members[n].value, err);
        if (rc != PK_OK)
            return rc;
        n++;
    }
    *out = pk_value_map(members, count);
    return PK_OK;
}

/* The one member that names a type; *count says how many there are. */
static const struct cJSON *tagged(struct pk_arena *arena, const struct cJSON *value,
                                  enum pk_kind *kind, size_t *count)
{
    const struct cJSON *found = NULL;

    *count = 0;
    for (const struct cJSON *node = api_json_first(value); node != NULL;
         node = api_json_next(node)) {
        enum pk_kind tag = pk_kind_from_tag(api_json_name(arena, node));

        if (tag == PK_MISSING || api_json_kind(node) == API_JSON_NULL)
            continue;
        found = node;
        *kind = tag;
        (*count)++;
    }
    return found;
}

static enum pk_code read_tagged(struct pk_arena *arena, const struct cJSON *node, enum pk_kind kind,
                                pk_value *out, struct pk_error *err)
{
    switch (kind) {
    case PK_NUMBER:
        return read_number(arena, node, out, err);
    case PK_STRING:
        *out = pk_value_string(api_json_text(arena, node));
        return PK_OK;
    case PK_BINARY:
        *out = pk_value_binary(decode_binary(arena, node));
        return PK_OK;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        return read_set(arena, node, kind, out, err);
    case PK_LIST:
        return read_list(arena, node, out, err);
    case PK_MAP:
        return read_map(arena, node, out, err);
    case PK_NULL:
    case PK_BOOL:
    case PK_MISSING:
        break;
    }
    pk_bug("an AttributeValue of kind %d", (int)kind);
}

static enum pk_code read_value(struct pk_arena *arena, const struct cJSON *node, pk_value *out,
                               struct pk_error *err)
{
    enum pk_kind kind = PK_MISSING;
    size_t count;
    const struct cJSON *member = tagged(arena, node, &kind, &count);

    if (member == NULL)
        return fail(err, "Supplied AttributeValue is empty, must contain exactly one of the "
                         "supported datatypes");
    if (count > 1)
        return fail(err, "Supplied AttributeValue has more than one datatypes set, must contain "
                         "exactly one of the supported datatypes");
    if (kind == PK_NULL && !api_get_bool(node, "NULL"))
        return fail(err, INVALID "Null attribute value types must have the value of true");
    if (kind == PK_NULL || kind == PK_BOOL) {
        *out = kind == PK_NULL ? pk_value_null() : pk_value_bool(api_get_bool(node, "BOOL"));
        return PK_OK;
    }
    return read_tagged(arena, member, kind, out, err);
}

static enum pk_code check_depth(pk_value value, size_t most, struct pk_error *err)
{
    if (pk_value_depth(value) > most)
        return fail(err, "Nesting Levels have exceeded supported limits: Attributes in the item "
                         "have nested levels beyond supported limit");
    return PK_OK;
}

enum pk_code api_value_read(struct pk_arena *arena, const struct cJSON *node, pk_value *out,
                            struct pk_error *err)
{
    enum pk_code rc = read_value(arena, node, out, err);

    return rc == PK_OK ? check_depth(*out, PK_NESTING_MAX, err) : rc;
}

enum pk_code api_value_read_item(struct pk_arena *arena, const struct cJSON *node, pk_value *out,
                                 struct pk_error *err)
{
    enum pk_code rc = read_map(arena, node, out, err);

    return rc == PK_OK ? check_depth(*out, PK_NESTING_MAX + 1, err) : rc;
}

enum pk_code api_value_read_list(struct pk_arena *arena, const struct cJSON *node, pk_value **out,
                                 size_t *count, struct pk_error *err)
{
    size_t n = 0;

    *count = api_json_count(node);
    *out = PK_NEW_ARRAY(arena, pk_value, *count);
    for (node = api_json_first(node); node != NULL; node = api_json_next(node)) {
        enum pk_code rc = api_value_read(arena, node, &(*out)[n++], err);

        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}
