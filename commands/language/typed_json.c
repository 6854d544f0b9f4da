/* DynamoDB JSON, read as a plain tree, into the values it stands for. */
#include "commands/literal.h"

#include "engine/base/base64.h"

bool cmd_literal_is_typed(pk_value value)
{
    return pk_value_kind(value) == PK_MAP && value.len == 1 &&
           pk_kind_from_tag(value.u.members[0].name) != PK_MISSING;
}

static enum pk_code typed_binary(struct pk_arena *arena, pk_value text, pk_value *out,
                                 struct pk_error *err)
{
    pk_slice bytes = {NULL, 0};

    if (pk_value_kind(text) != PK_STRING)
        return pk_fail(err, PK_E_USAGE, "a value of type B is base64 text in DynamoDB JSON");
    if (text.len != 0 && pk_base64_decode(arena, pk_value_bytes(text), &bytes) != PK_BASE64_OK)
        return pk_fail(err, PK_E_USAGE, "a value of type B is not base64");
    *out = pk_value_binary(bytes);
    return PK_OK;
}

/* A scalar of the kind from its JSON form. */
static enum pk_code typed_scalar(struct pk_arena *arena, enum pk_kind kind, pk_value json,
                                 pk_value *out, struct pk_error *err)
{
    if (kind == PK_BINARY)
        return typed_binary(arena, json, out, err);
    if (kind == PK_NUMBER && pk_value_kind(json) == PK_STRING)
        return cmd_literal_number(arena, pk_value_bytes(json), (struct pk_span){0, 0}, out, err);
    if (pk_value_kind(json) != kind)
        return pk_fail(err, PK_E_USAGE, "a value of type %s is %s in DynamoDB JSON",
                       pk_kind_tag(kind),
                       kind == PK_BOOL ? "true or false" : "text in double quotes");
    *out = json;
    return PK_OK;
}

static enum pk_code typed_set(struct pk_arena *arena, enum pk_kind kind, pk_value json,
                              pk_value *out, struct pk_error *err)
{
    enum pk_kind member = kind == PK_STRING_SET   ? PK_STRING
                          : kind == PK_NUMBER_SET ? PK_NUMBER
                                                  : PK_BINARY;
    struct pk_value_vec vec = {0};
    bool repeated = false;

    if (pk_value_kind(json) != PK_LIST || json.len == 0)
        return pk_fail(err, PK_E_USAGE, "a value of type %s is a list that is not empty",
                       pk_kind_tag(kind));
    for (uint32_t i = 0; i < json.len; i++) {
        pk_value value;
        enum pk_code rc = typed_scalar(arena, member, json.u.items[i], &value, err);

        if (rc != PK_OK)
            return rc;
        pk_value_vec_add(&vec, arena, value);
    }
    *out = pk_value_set(kind, vec.data, vec.len, &repeated);
    if (repeated)
        return pk_fail(err, PK_E_USAGE, "a set holds a value twice");
    return PK_OK;
}

static enum pk_code typed_list(struct pk_arena *arena, pk_value json, pk_value *out,
                               struct pk_error *err)
{
    struct pk_value_vec vec = {0};

    if (pk_value_kind(json) != PK_LIST)
        return pk_fail(err, PK_E_USAGE, "a value of type L is a list");
    for (uint32_t i = 0; i < json.len; i++) {
        pk_value value;
        enum pk_code rc = cmd_literal_from_typed(arena, json.u.items[i], &value, err);

        if (rc != PK_OK)
            return rc;
        pk_value_vec_add(&vec, arena, value);
    }
    *out = pk_value_list(vec.data, vec.len);
    return PK_OK;
}

enum pk_code cmd_literal_item_from_typed(struct pk_arena *arena, pk_value typed, pk_value *out,
                                         struct pk_error *err)
{
    struct pk_member_vec vec = {0};

    if (pk_value_kind(typed) != PK_MAP)
        return pk_fail(err, PK_E_USAGE, "an item or a value of type M is a map");
    for (uint32_t i = 0; i < typed.len; i++) {
        pk_value value;
        enum pk_code rc = cmd_literal_from_typed(arena, typed.u.members[i].value, &value, err);

        if (rc != PK_OK)
            return rc;
        pk_member_vec_add(&vec, arena, typed.u.members[i].name, value);
    }
    *out = pk_value_map(vec.data, vec.len);
    return PK_OK;
}

enum pk_code cmd_literal_from_typed(struct pk_arena *arena, pk_value typed, pk_value *out,
                                    struct pk_error *err)
{
    enum pk_kind kind;
    pk_value json;

    if (!cmd_literal_is_typed(typed))
        return pk_fail(err, PK_E_USAGE,
                       "not DynamoDB JSON: a value is a map with one type, {\"S\": …}");
    kind = pk_kind_from_tag(typed.u.members[0].name);
    json = typed.u.members[0].value;
    switch (kind) {
    case PK_NULL:
        *out = pk_value_null();
        return PK_OK;
    case PK_BOOL:
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY:
        return typed_scalar(arena, kind, json, out, err);
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        return typed_set(arena, kind, json, out, err);
    case PK_LIST:
        return typed_list(arena, json, out, err);
    case PK_MAP:
        return cmd_literal_item_from_typed(arena, json, out, err);
    case PK_MISSING:
        break;
    }
    pk_bug("a typed value without a type");
}
