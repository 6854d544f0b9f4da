/* Parameters from before expressions, turned into trees (api_legacy.h). */
#include "commands/api/api_legacy.h"

#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/api_value.h"

#define INVALID "One or more parameter values were invalid: "

/* ---- comparison operators ----------------------------------------------------------------- */

/* Types an operator takes, as bits by kind. */
#define BIT(kind) (1u << (kind))
#define SCALARS   (BIT(PK_STRING) | BIT(PK_NUMBER) | BIT(PK_BINARY))
#define ANY       0xFFFFu

enum { MANY = -1 }; /* one argument or more */

struct comparison {
    const char *name;
    int arguments;
    unsigned kinds;
    enum pk_op op;
};

static const struct comparison comparisons[] = {
    {"EQ", 1, ANY, PK_OP_EQ},
    {"NE", 1, ANY, PK_OP_NE},
    {"LE", 1, SCALARS, PK_OP_LE},
    {"LT", 1, SCALARS, PK_OP_LT},
    {"GE", 1, SCALARS, PK_OP_GE},
    {"GT", 1, SCALARS, PK_OP_GT},
    {"BETWEEN", 2, SCALARS, PK_OP_BETWEEN},
    {"BEGINS_WITH", 1, BIT(PK_STRING) | BIT(PK_BINARY), PK_OP_BEGINS_WITH},
    {"CONTAINS", 1, SCALARS, PK_OP_CONTAINS},
    {"NOT_CONTAINS", 1, SCALARS, PK_OP_NOT},
    {"IN", MANY, SCALARS, PK_OP_IN},
    {"NULL", 0, ANY, PK_OP_NOT_EXISTS},
    {"NOT_NULL", 0, ANY, PK_OP_EXISTS},
};

static const struct comparison *find_comparison(pk_slice name)
{
    for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
        if (pk_slice_is(name, comparisons[i].name))
            return &comparisons[i];
    }
    pk_bug("unchecked comparison operator"); /* the constraint stage knows the enum */
}

struct arguments {
    pk_value *values;
    size_t count;
};

static enum pk_code check_arguments(const struct comparison *comparison,
                                    const struct arguments *args, struct pk_error *err)
{
    bool fits = comparison->arguments == MANY ? args->count > 0
                                              : args->count == (size_t)comparison->arguments;
    int order;

    if (!fits)
        return pk_fail(err, PK_E_VALIDATION,
                       INVALID "Invalid number of argument(s) for the %s ComparisonOperator",
                       comparison->name);
    for (size_t i = 1; i < args->count; i++) {
        if (args->values[i].kind != args->values[0].kind)
            return pk_fail(err, PK_E_VALIDATION,
                           INVALID
                           "AttributeValues inside AttributeValueList must be of same type");
    }
    if (args->count > 0 && (comparison->kinds & BIT(args->values[0].kind)) == 0)
        return pk_fail(err, PK_E_VALIDATION,
                       INVALID "ComparisonOperator %s is not valid for %s AttributeValue type",
                       comparison->name, pk_kind_tag(pk_value_kind(args->values[0])));
    if (comparison->op == PK_OP_BETWEEN &&
        pk_value_compare(args->values[0], args->values[1], &order) && order > 0)
        return pk_fail(err, PK_E_VALIDATION,
                       "The BETWEEN condition was provided a range where the lower bound is "
                       "greater than the upper bound");
    return PK_OK;
}

static struct pk_node *call_node(struct pk_arena *arena, enum pk_op op, pk_slice attribute,
                                 const struct arguments *args)
{
    struct pk_node *node = pk_node_new(arena, op, 1 + args->count);

    node->args[0] = pk_node_path(arena, pk_path_name(arena, attribute));
    for (size_t i = 0; i < args->count; i++)
        node->args[1 + i] = pk_node_value(arena, pk_view_of(arena, args->values[i]));
    return node;
}

/* NOT_CONTAINS is false for an absent attribute, unlike NOT contains(). */
static struct pk_node *not_contains(struct pk_arena *arena, pk_slice attribute,
                                    const struct arguments *args)
{
    struct pk_node *exists = call_node(arena, PK_OP_EXISTS, attribute, &(struct arguments){0});
    struct pk_node *negation = pk_node_new(arena, PK_OP_NOT, 1);

    negation->args[0] = call_node(arena, PK_OP_CONTAINS, attribute, args);
    return pk_node_and(arena, exists, negation);
}

static struct pk_node *comparison_node(struct pk_arena *arena, const struct comparison *comparison,
                                       pk_slice attribute, const struct arguments *args)
{
    if (comparison->op == PK_OP_NOT)
        return not_contains(arena, attribute, args);
    return call_node(arena, comparison->op, attribute, args);
}

/* ---- filters and key conditions ----------------------------------------------------------- */

/* {ComparisonOperator, AttributeValueList} */
static enum pk_code read_condition(struct pk_arena *arena, const struct cJSON *node,
                                   const struct comparison **comparison, struct arguments *args,
                                   struct pk_error *err)
{
    const struct cJSON *list = api_json_member(node, "AttributeValueList");
    enum pk_code rc;

    *comparison = find_comparison(api_get_text(arena, node, "ComparisonOperator"));
    *args = (struct arguments){0};
    if (list != NULL) {
        rc = api_value_read_list(arena, list, &args->values, &args->count, err);
        if (rc != PK_OK)
            return rc;
    }
    return check_arguments(*comparison, args, err);
}

/* Joins conditions by the request's ConditionalOperator. */
static struct pk_node *join(struct pk_arena *arena, const struct cJSON *request,
                            struct pk_node **nodes, size_t count)
{
    struct pk_node *joined;

    if (count <= 1)
        return count == 0 ? NULL : nodes[0];
    joined = pk_node_new(
        arena, api_get_is(request, "ConditionalOperator", "OR") ? PK_OP_OR : PK_OP_AND, count);
    for (size_t i = 0; i < count; i++)
        joined->args[i] = nodes[i];
    return joined;
}

enum pk_code api_legacy_filter(struct pk_arena *arena, const struct cJSON *request,
                               const char *name, struct pk_node **out, struct pk_error *err)
{
    const struct cJSON *map = api_json_member(request, name);
    struct pk_node **nodes = PK_NEW_ARRAY(arena, struct pk_node *, api_json_count(map));
    size_t n = 0;

    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        const struct comparison *comparison;
        struct arguments args;
        enum pk_code rc = read_condition(arena, node, &comparison, &args, err);

        if (rc != PK_OK)
            return rc;
        nodes[n++] = comparison_node(arena, comparison, api_json_name(arena, node), &args);
    }
    *out = join(arena, request, nodes, n);
    return PK_OK;
}

/* Operators that select no range of keys are refused with the schema at hand; their further
 * arguments are of no interest. */
static enum pk_code read_key_term(struct pk_arena *arena, const struct cJSON *node,
                                  struct pk_key_term *out, struct pk_error *err)
{
    const struct comparison *comparison;
    struct arguments args;
    enum pk_code rc = read_condition(arena, node, &comparison, &args, err);

    if (rc != PK_OK)
        return rc;
    out->attribute = api_json_name(arena, node);
    out->op = comparison->op;
    for (size_t i = 0; i < args.count && i < 2; i++)
        out->values[i] = pk_view_of(arena, args.values[i]);
    return PK_OK;
}

enum pk_code api_legacy_key_conditions(struct pk_arena *arena, const struct cJSON *request,
                                       struct pk_key_terms **out, struct pk_error *err)
{
    const struct cJSON *map = api_json_member(request, "KeyConditions");
    size_t count = api_json_count(map);
    /* an index may have more key attributes than two; the engine knows how many */
    size_t most = api_json_member(request, "IndexName") == NULL ? 2 : 2 * PK_KEY_PARTS_MAX;

    *out = NULL;
    if (map == NULL)
        return PK_OK;
    *out = PK_NEW(arena, struct pk_key_terms);
    (*out)->terms = PK_NEW_ARRAY(arena, struct pk_key_term, count);
    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        enum pk_code rc = read_key_term(arena, node, &(*out)->terms[(*out)->count++], err);

        if (rc != PK_OK)
            return rc;
    }
    if (count < 1 || count > most)
        return pk_fail(err, PK_E_VALIDATION, "Conditions can be of length 1 or 2 only");
    return PK_OK;
}

static enum pk_code check_name(pk_slice name, struct pk_error *err)
{
    if (name.len == 0)
        return pk_fail(err, PK_E_VALIDATION, "Empty attribute name");
    if (name.len > PK_NAME_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "Attribute name is too large, must be less than 65536 bytes");
    return PK_OK;
}

/* ---- AttributesToGet ---------------------------------------------------------------------- */

enum pk_code api_legacy_attributes_to_get(struct pk_arena *arena, const struct cJSON *request,
                                          struct pk_projection **out, struct pk_error *err)
{
    const struct cJSON *list = api_json_member(request, "AttributesToGet");
    pk_slice *names = PK_NEW_ARRAY(arena, pk_slice, api_json_count(list));
    size_t n = 0;

    *out = NULL;
    if (list == NULL)
        return PK_OK;
    *out = PK_NEW(arena, struct pk_projection);
    (*out)->paths = PK_NEW_ARRAY(arena, const struct pk_path *, api_json_count(list));
    for (const struct cJSON *node = api_json_first(list); node != NULL;
         node = api_json_next(node)) {
        pk_slice name = api_json_text(arena, node);

        if (name.len > PK_NAME_MAX)
            return check_name(name, err);
        for (size_t i = 0; i < n; i++) {
            if (pk_slice_equal(names[i], name))
                return pk_fail(err, PK_E_VALIDATION,
                               INVALID "Duplicate value in attribute name: %.*s", PK_FMT(name));
        }
        names[n++] = name;
        (*out)->paths[(*out)->count++] = pk_path_name(arena, name);
    }
    return PK_OK;
}

/* ---- Expected ----------------------------------------------------------------------------- */

/* One entry of Expected, its parts found but not yet judged. */
struct expectation {
    pk_slice attribute;
    const struct cJSON *value;
    const struct cJSON *list;
    const struct cJSON *exists;
    bool exists_value;
    const struct comparison *comparison; /* NULL: none */
    struct arguments args;
};

PK_PRINTF(2, 3)
static enum pk_code fail_expected(struct pk_error *err, const char *format, ...)
{
    enum pk_code rc;
    struct pk_buf text = PK_BUF_INIT;
    va_list args;

    va_start(args, format);
    pk_buf_vprintf(&text, format, args);
    va_end(args);
    rc = pk_fail(err, PK_E_VALIDATION, INVALID "%s", text.data);
    pk_buf_release(&text);
    return rc;
}

/* The checks of expressions.md §9, in their order. */
static enum pk_code check_expectation(const struct expectation *it, struct pk_error *err)
{
    if (it->value != NULL && it->list != NULL)
        return fail_expected(err,
                             "Value and AttributeValueList cannot be used together for Attribute: "
                             "%.*s",
                             PK_FMT(it->attribute));
    if (it->comparison != NULL && it->exists != NULL)
        return fail_expected(err,
                             "Exists and ComparisonOperator cannot be used together for Attribute: "
                             "%.*s",
                             PK_FMT(it->attribute));
    if (it->comparison != NULL) {
        if (it->comparison->arguments != 0 && it->value == NULL && it->list == NULL)
            return fail_expected(err,
                                 "Value or AttributeValueList must be used with "
                                 "ComparisonOperator: %s for Attribute: %.*s",
                                 it->comparison->name, PK_FMT(it->attribute));
        return check_arguments(it->comparison, &it->args, err);
    }
    if (it->list != NULL)
        return fail_expected(
            err,
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: %.*s",
            PK_FMT(it->attribute));
    if (it->exists_value && it->value == NULL)
        return fail_expected(err, "Value must be provided when Exists is %s for Attribute: %.*s",
                             it->exists == NULL ? "null" : "true", PK_FMT(it->attribute));
    if (!it->exists_value && it->value != NULL)
        return fail_expected(err, "Value cannot be used when Exists is false for Attribute: %.*s",
                             PK_FMT(it->attribute));
    return PK_OK;
}

static enum pk_code read_expectation(struct pk_arena *arena, const struct cJSON *node,
                                     struct expectation *out, struct pk_error *err)
{
    const struct cJSON *op = api_json_member(node, "ComparisonOperator");
    enum pk_code rc = PK_OK;

    *out = (struct expectation){
        .attribute = api_json_name(arena, node),
        .value = api_json_member(node, "Value"),
        .list = api_json_member(node, "AttributeValueList"),
        .exists = api_json_member(node, "Exists"),
    };
    out->exists_value = out->exists == NULL || api_get_bool(node, "Exists");
    out->comparison = op == NULL ? NULL : find_comparison(api_json_text(arena, op));
    if (out->list != NULL)
        rc = api_value_read_list(arena, out->list, &out->args.values, &out->args.count, err);
    if (rc == PK_OK && out->value != NULL) {
        out->args.values = PK_NEW(arena, pk_value);
        out->args.count = 1;
        rc = api_value_read(arena, out->value, out->args.values, err);
    }
    return rc == PK_OK ? check_expectation(out, err) : rc;
}

static struct pk_node *expectation_node(struct pk_arena *arena, const struct expectation *it)
{
    if (it->comparison != NULL)
        return comparison_node(arena, it->comparison, it->attribute, &it->args);
    return call_node(arena, it->exists_value ? PK_OP_EQ : PK_OP_NOT_EXISTS, it->attribute,
                     &it->args);
}

enum pk_code api_legacy_expected(struct pk_arena *arena, const struct cJSON *request,
                                 struct pk_node **out, struct pk_error *err)
{
    const struct cJSON *map = api_json_member(request, "Expected");
    struct pk_node **nodes = PK_NEW_ARRAY(arena, struct pk_node *, api_json_count(map));
    size_t n = 0;

    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        struct expectation it;
        enum pk_code rc = read_expectation(arena, node, &it, err);

        if (rc != PK_OK)
            return rc;
        nodes[n++] = expectation_node(arena, &it);
    }
    *out = join(arena, request, nodes, n);
    return PK_OK;
}

/* ---- AttributeUpdates --------------------------------------------------------------------- */

static bool is_set(enum pk_kind kind)
{
    return kind == PK_STRING_SET || kind == PK_NUMBER_SET || kind == PK_BINARY_SET;
}

static enum pk_code check_update(pk_slice action, pk_value value, struct pk_error *err)
{
    enum pk_kind kind = pk_value_kind(value);

    if (kind == PK_MISSING) {
        if (pk_slice_is(action, "DELETE"))
            return PK_OK;
        return pk_fail(err, PK_E_VALIDATION,
                       INVALID
                       "Only DELETE action is allowed when no attribute value is specified");
    }
    if (pk_slice_is(action, "DELETE") && !is_set(kind))
        return pk_fail(err, PK_E_VALIDATION,
                       INVALID "DELETE action with value is not supported for the type %s",
                       pk_kind_tag(kind));
    if (pk_slice_is(action, "ADD") && !is_set(kind) && kind != PK_NUMBER && kind != PK_LIST)
        return pk_fail(err, PK_E_VALIDATION, INVALID "ADD action is not supported for the type %s",
                       pk_kind_tag(kind));
    return PK_OK;
}

static enum pk_action_kind action_kind(pk_slice action, pk_value value)
{
    if (pk_slice_is(action, "ADD"))
        return PK_ACTION_ADD;
    if (pk_slice_is(action, "DELETE"))
        return pk_value_kind(value) == PK_MISSING ? PK_ACTION_REMOVE : PK_ACTION_DELETE;
    return PK_ACTION_SET;
}

static enum pk_code read_update(struct pk_arena *arena, const struct cJSON *node,
                                struct pk_action *out, struct pk_error *err)
{
    const struct cJSON *member = api_json_member(node, "Value");
    pk_slice action = api_get_text(arena, node, "Action"); /* absent: PUT */
    pk_value value = pk_value_missing();
    enum pk_code rc = PK_OK;

    if (member != NULL)
        rc = api_value_read(arena, member, &value, err);
    if (rc == PK_OK)
        rc = check_update(action, value, err);
    if (rc != PK_OK)
        return rc;
    out->kind = action_kind(action, value);
    out->path = pk_path_name(arena, api_json_name(arena, node));
    if (out->kind != PK_ACTION_REMOVE)
        out->value = pk_node_value(arena, pk_view_of(arena, value));
    return PK_OK;
}

enum pk_code api_legacy_updates(struct pk_arena *arena, const struct cJSON *request,
                                struct pk_update **out, struct pk_error *err)
{
    const struct cJSON *map = api_json_member(request, "AttributeUpdates");

    *out = NULL;
    if (map == NULL)
        return PK_OK;
    *out = PK_NEW(arena, struct pk_update);
    (*out)->attribute_updates = true;
    (*out)->actions = PK_NEW_ARRAY(arena, struct pk_action, api_json_count(map));
    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        enum pk_code rc = check_name(api_json_name(arena, node), err);

        if (rc != PK_OK)
            return rc;
        rc = read_update(arena, node, &(*out)->actions[(*out)->count++], err);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}
