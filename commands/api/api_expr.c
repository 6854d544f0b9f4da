/* Expression parameters of a request (api_expr.h). */
#include "commands/api/api_expr.h"

#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/api_value.h"

enum {
    PLACEHOLDER_MAX = 255,     /* bytes of a key, sigil included */
    SUBSTITUTES_MAX = 2 << 20, /* bytes of both maps together: keys, names, values */
};

#define OPERATOR "ConditionalOperator"
#define TOO_LONG "The expression attribute map contains a key that is too long;"

const struct api_expr_rules api_expr_get = {
    .legacy = {"AttributesToGet"}, .uses = {PK_EXPR_PROJECTION}, .use_count = 1};
const struct api_expr_rules api_expr_put = {
    .legacy = {"Expected", OPERATOR}, .uses = {PK_EXPR_CONDITION}, .use_count = 1};
const struct api_expr_rules api_expr_update = {.legacy = {"AttributeUpdates", "Expected", OPERATOR},
                                               .uses = {PK_EXPR_UPDATE, PK_EXPR_CONDITION},
                                               .use_count = 2};
const struct api_expr_rules api_expr_query = {
    .legacy = {"AttributesToGet", "QueryFilter", OPERATOR, "KeyConditions"},
    .uses = {PK_EXPR_PROJECTION, PK_EXPR_FILTER, PK_EXPR_KEY_CONDITION},
    .use_count = 3};
const struct api_expr_rules api_expr_scan = {.legacy = {"AttributesToGet", "ScanFilter", OPERATOR},
                                             .uses = {PK_EXPR_PROJECTION, PK_EXPR_FILTER},
                                             .use_count = 2};
const struct api_expr_rules api_expr_action = {
    .uses = {PK_EXPR_CONDITION}, .use_count = 1, .idle_maps = true};
const struct api_expr_rules api_expr_update_action = {
    .uses = {PK_EXPR_UPDATE, PK_EXPR_CONDITION}, .use_count = 2, .idle_maps = true};
const struct api_expr_rules api_expr_get_action = {
    .uses = {PK_EXPR_PROJECTION}, .use_count = 1, .idle_maps = true};

/* ---- what may be given together ----------------------------------------------------------- */

static bool given(const struct cJSON *request, enum pk_expr_use use)
{
    return api_json_member(request, pk_expr_use_name(use)) != NULL;
}

static void add_word(struct pk_buf *out, const char *separator, const char *word)
{
    if (out->len > 0)
        pk_buf_add_cstr(out, separator);
    pk_buf_add_cstr(out, word);
}

/* The legacy parameters that clash with expressions. KeyConditions goes together with the other
 * expressions of a Query. */
static void list_legacy(const struct api_expr_rules *rules, const struct cJSON *request,
                        struct pk_buf *out)
{
    for (size_t i = 0; i < sizeof(rules->legacy) / sizeof(rules->legacy[0]); i++) {
        const char *name = rules->legacy[i];

        if (name == NULL)
            return;
        if (api_json_member(request, name) == NULL)
            continue;
        if (strcmp(name, "KeyConditions") == 0 && !given(request, PK_EXPR_KEY_CONDITION))
            continue;
        add_word(out, ", ", name);
    }
}

enum pk_code api_expr_fail_mixed(const char *legacy, const char *expressions, struct pk_error *err)
{
    return pk_fail(err, PK_E_VALIDATION,
                   "Can not use both expression and non-expression parameters in the same request: "
                   "Non-expression parameters: {%s} Expression parameters: {%s}",
                   legacy, expressions);
}

/* The operator joins the entries of a filter or of Expected, and wants two of them. */
static enum pk_code check_operator(const struct api_expr_rules *rules, const struct cJSON *request,
                                   struct pk_error *err)
{
    size_t count = 0;
    bool has_operator = false;

    for (size_t i = 0; i < sizeof(rules->legacy) / sizeof(rules->legacy[0]); i++) {
        const char *name = rules->legacy[i];

        if (name == NULL)
            break;
        if (strcmp(name, OPERATOR) == 0)
            has_operator = api_json_member(request, OPERATOR) != NULL;
        else if (strcmp(name, "Expected") == 0 || strstr(name, "Filter") != NULL)
            count = api_json_count(api_json_member(request, name));
    }
    if (!has_operator || count > 1)
        return PK_OK;
    if (count == 0)
        return pk_fail(err, PK_E_VALIDATION, OPERATOR " cannot be used without Filter or Expected");
    return pk_fail(err, PK_E_VALIDATION,
                   OPERATOR " can only be used when Filter or Expected has two or more elements");
}

static bool takes_values(const struct api_expr_rules *rules)
{
    return rules->use_count > 1 || rules->uses[0] != PK_EXPR_PROJECTION;
}

/* The values map is there and no expression that could use it. */
static enum pk_code check_values_used(const struct api_expr_rules *rules,
                                      const struct cJSON *request, struct pk_error *err)
{
    struct pk_buf names = PK_BUF_INIT;
    enum pk_code rc;
    size_t count = 0;

    if (!takes_values(rules) || api_json_member(request, "ExpressionAttributeValues") == NULL)
        return PK_OK;
    for (size_t i = 0; i < rules->use_count; i++)
        if (rules->uses[i] != PK_EXPR_PROJECTION && given(request, rules->uses[i]))
            return PK_OK;
    for (size_t i = 0; i < rules->use_count; i++) {
        if (rules->uses[i] == PK_EXPR_PROJECTION)
            continue;
        add_word(&names, " and ", pk_expr_use_name(rules->uses[i]));
        count++;
    }
    rc = pk_fail(err, PK_E_VALIDATION,
                 "ExpressionAttributeValues can only be specified when using expressions: %s %s "
                 "null",
                 names.data, count == 1 ? "is" : "are");
    pk_buf_release(&names);
    return rc;
}

static bool has_expressions(const struct api_expr_rules *rules, const struct cJSON *request)
{
    for (size_t i = 0; i < rules->use_count; i++)
        if (given(request, rules->uses[i]))
            return true;
    return false;
}

/* Legacy parameters beside expressions. */
static enum pk_code check_generations(const struct api_expr_rules *rules,
                                      const struct cJSON *request, struct pk_error *err)
{
    struct pk_buf legacy = PK_BUF_INIT;
    struct pk_buf expressions = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    list_legacy(rules, request, &legacy);
    for (size_t i = 0; legacy.len > 0 && i < rules->use_count; i++) {
        if (given(request, rules->uses[i]))
            add_word(&expressions, ", ", pk_expr_use_name(rules->uses[i]));
    }
    if (expressions.len > 0)
        rc = api_expr_fail_mixed(legacy.data, expressions.data, err);
    pk_buf_release(&legacy);
    pk_buf_release(&expressions);
    return rc;
}

enum pk_code api_expr_check_mix(const struct api_expr_rules *rules, const struct cJSON *request,
                                struct pk_error *err)
{
    bool some = has_expressions(rules, request);
    enum pk_code rc = some ? check_generations(rules, request, err) : PK_OK;

    if (rc == PK_OK)
        rc = check_operator(rules, request, err);
    if (rc == PK_OK && !rules->idle_maps && !some &&
        api_json_member(request, "ExpressionAttributeNames") != NULL)
        rc = pk_fail(err, PK_E_VALIDATION,
                     "ExpressionAttributeNames can only be specified when using expressions");
    if (rc == PK_OK && !rules->idle_maps)
        rc = check_values_used(rules, request, err);
    return rc;
}

/* ---- placeholder maps --------------------------------------------------------------------- */

static bool is_id_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static enum pk_code check_key(const char *map, char sigil, pk_slice key, struct pk_error *err)
{
    bool good = key.len > 1 && key.data[0] == sigil;

    if (key.len > PLACEHOLDER_MAX && sigil == ':') /* this map does not tell the size */
        return pk_fail(err, PK_E_VALIDATION, "%s contains invalid key: " TOO_LONG, map);
    if (key.len > PLACEHOLDER_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "%s contains invalid key: " TOO_LONG " size of key: %zu", map, key.len);
    for (size_t i = 1; good && i < key.len; i++)
        good = is_id_char(key.data[i]);
    if (!good)
        return pk_fail(err, PK_E_VALIDATION, "%s contains invalid key: Syntax error; key: \"%.*s\"",
                       map, PK_FMT(key));
    return PK_OK;
}

/* Wraps the fault of a value: "<map> contains invalid value: … for key :x". */
static enum pk_code wrap(struct pk_error *err, const char *map, pk_slice key)
{
    struct pk_error inner = PK_ERROR_INIT;
    enum pk_code rc;

    pk_error_move(&inner, err);
    rc = pk_fail(err, inner.code, "%s contains invalid value: %s for key %.*s", map, inner.message,
                 PK_FMT(key));
    pk_error_release(&inner);
    return rc;
}

static enum pk_code read_name(struct pk_arena *arena, const struct cJSON *node,
                              struct pk_placeholder *out, struct pk_error *err)
{
    enum pk_code rc;

    out->key = api_json_name(arena, node);
    rc = check_key("ExpressionAttributeNames", '#', out->key, err);
    if (rc != PK_OK)
        return rc;
    out->name = api_json_text(arena, node);
    if (out->name.len == 0)
        (void)pk_fail(err, PK_E_VALIDATION, "Empty attribute name");
    else if (out->name.len > PK_NAME_MAX)
        (void)pk_fail(err, PK_E_VALIDATION,
                      "Attribute name is too large, must be less than 65536 bytes");
    else
        return PK_OK;
    return wrap(err, "ExpressionAttributeNames", out->key);
}

static enum pk_code read_value(struct pk_arena *arena, const struct cJSON *node,
                               struct pk_placeholder *out, struct pk_error *err)
{
    pk_value value;
    enum pk_code rc;

    out->key = api_json_name(arena, node);
    rc = check_key("ExpressionAttributeValues", ':', out->key, err);
    if (rc != PK_OK)
        return rc;
    if (api_value_read(arena, node, &value, err) != PK_OK)
        return wrap(err, "ExpressionAttributeValues", out->key);
    out->value = pk_view_of(arena, value);
    return PK_OK;
}

/* One of the two maps: its parameter, and how to read an entry. */
struct map_kind {
    const char *name;
    enum pk_code (*read)(struct pk_arena *arena, const struct cJSON *node,
                         struct pk_placeholder *out, struct pk_error *err);
};

struct entries {
    struct pk_placeholder *list;
    size_t count;
    size_t size; /* with that of the map before */
};

static enum pk_code read_map(struct pk_arena *arena, const struct cJSON *request,
                             const struct map_kind *kind, struct entries *out, struct pk_error *err)
{
    const struct cJSON *map = api_json_member(request, kind->name);
    size_t size = out->size;

    *out = (struct entries){.size = size};
    if (map == NULL)
        return PK_OK;
    if (api_json_count(map) == 0)
        return pk_fail(err, PK_E_VALIDATION, "%s must not be empty", kind->name);
    out->list = PK_NEW_ARRAY(arena, struct pk_placeholder, api_json_count(map));
    for (const struct cJSON *node = api_json_first(map); node != NULL; node = api_json_next(node)) {
        struct pk_placeholder *entry = &out->list[out->count++];
        enum pk_code rc = kind->read(arena, node, entry, err);

        if (rc != PK_OK)
            return rc;
        out->size += entry->key.len + entry->name.len;
        if (entry->value.len > 0)
            out->size += pk_view_size(entry->value);
    }
    if (out->size > SUBSTITUTES_MAX)
        return pk_fail(err, PK_E_VALIDATION, "%s exceeds max size", kind->name);
    return PK_OK;
}

/* A values map where no expression takes values is an unknown member, whose types nobody has seen.
 */
static enum pk_code read_maps(struct pk_arena *arena, const struct api_expr_rules *rules,
                              const struct cJSON *request, struct pk_placeholders *out,
                              struct pk_error *err)
{
    static const struct map_kind names = {"ExpressionAttributeNames", read_name};
    static const struct map_kind values = {"ExpressionAttributeValues", read_value};
    struct entries entries = {.size = 0};
    enum pk_code rc = read_map(arena, request, &names, &entries, err);

    if (rc != PK_OK)
        return rc;
    out->names = entries.list;
    out->name_count = entries.count;
    if (!takes_values(rules))
        return PK_OK;
    rc = read_map(arena, request, &values, &entries, err);
    if (rc != PK_OK)
        return rc;
    out->values = entries.list;
    out->value_count = entries.count;
    return PK_OK;
}

/* ---- expressions -------------------------------------------------------------------------- */

static enum pk_code parse(const struct pk_expr_source *source, struct api_exprs *out,
                          struct pk_error *err)
{
    switch (source->use) {
    case PK_EXPR_UPDATE:
        out->update = PK_NEW(source->arena, struct pk_update);
        return pk_expr_parse_update(source, out->update, err);
    case PK_EXPR_CONDITION:
        return pk_expr_parse_condition(source, &out->condition, err);
    case PK_EXPR_KEY_CONDITION:
        out->key_terms = PK_NEW(source->arena, struct pk_key_terms);
        return pk_expr_parse_key_condition(source, out->key_terms, err);
    case PK_EXPR_FILTER:
        return pk_expr_parse_condition(source, &out->filter, err);
    case PK_EXPR_PROJECTION:
        out->projection = PK_NEW(source->arena, struct pk_projection);
        return pk_expr_parse_projection(source, out->projection, err);
    }
    return PK_OK;
}

static bool has_use(const struct api_expr_rules *rules, enum pk_expr_use use)
{
    for (size_t i = 0; i < rules->use_count; i++) {
        if (rules->uses[i] == use)
            return true;
    }
    return false;
}

enum pk_code api_expr_parse(struct api_call *call, const struct api_expr_rules *rules,
                            const struct cJSON *request, struct api_exprs *out,
                            struct pk_error *err)
{
    /* the order in which faults win (expressions.md §10) */
    static const enum pk_expr_use order[] = {PK_EXPR_UPDATE, PK_EXPR_CONDITION,
                                             PK_EXPR_KEY_CONDITION, PK_EXPR_FILTER,
                                             PK_EXPR_PROJECTION};
    struct pk_arena *arena = call->call.arena;
    enum pk_code rc = read_maps(arena, rules, request, &out->placeholders, err);
    bool some = false;

    for (size_t i = 0; rc == PK_OK && i < sizeof(order) / sizeof(order[0]); i++) {
        struct pk_expr_source source = {
            .use = order[i], .placeholders = &out->placeholders, .arena = arena};

        if (!has_use(rules, order[i]) || !given(request, order[i]))
            continue;
        source.text = api_get_text(arena, request, pk_expr_use_name(order[i]));
        call->response->use = order[i];
        rc = parse(&source, out, err);
        some = true;
    }
    return rc == PK_OK && some ? pk_expr_check_unused(&out->placeholders, err) : rc;
}
