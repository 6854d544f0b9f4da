/*
 * Key conditions: from a condition's tree to terms (expressions.md §6, the checks that need no
 * schema), and from terms to a range of keys (the checks that need one).
 */
#include "engine/expr/expr_keycond.h"

/* ---- tree to terms ------------------------------------------------------------------------ */

static enum pk_code bad_operator(const struct pk_node *node, struct pk_error *err)
{
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "Invalid operator used in KeyConditionExpression: %s", pk_op_name(node->op));
}

static size_t count_operands(const struct pk_node *node, enum pk_op op)
{
    size_t count = 0;

    for (size_t i = 0; i < node->count; i++)
        count += node->args[i]->op == op;
    return count;
}

/* Checks that the condition compares exactly one top-level attribute with values. */
static enum pk_code check_shape(const struct pk_node *node, struct pk_error *err)
{
    bool first_is_key = node->op == PK_OP_BETWEEN || node->op == PK_OP_BEGINS_WITH;
    size_t paths = count_operands(node, PK_OP_PATH);

    if (count_operands(node, PK_OP_SIZE) > 0)
        return pk_fail_at(err, PK_E_VALIDATION, node->span,
                          "KeyConditionExpressions cannot contain nested operations");
    if (first_is_key && node->args[0]->op != PK_OP_PATH)
        return pk_fail_at(err, PK_E_VALIDATION, node->span,
                          "Invalid condition in KeyConditionExpression: %s operator must have the "
                          "key attribute as its first operand",
                          pk_op_name(node->op));
    if (paths > 1)
        return pk_fail_at(err, PK_E_VALIDATION, node->span,
                          "Invalid condition in KeyConditionExpression: Multiple attribute names "
                          "used in one condition");
    if (paths == 0)
        return pk_fail_at(
            err, PK_E_VALIDATION, node->span,
            "Invalid condition in KeyConditionExpression: No key attribute specified");
    for (size_t i = 0; i < node->count; i++) {
        if (node->args[i]->op == PK_OP_PATH && node->args[i]->path->count > 1)
            return pk_fail_at(
                err, PK_E_VALIDATION, node->args[i]->span,
                "KeyConditionExpressions cannot have conditions on nested attributes");
    }
    return PK_OK;
}

/* The operator with its operands exchanged: `:v > r` means `r < :v`. */
static enum pk_op mirrored(enum pk_op op)
{
    if (op == PK_OP_LT)
        return PK_OP_GT;
    if (op == PK_OP_GT)
        return PK_OP_LT;
    if (op == PK_OP_LE)
        return PK_OP_GE;
    return op == PK_OP_GE ? PK_OP_LE : op;
}

static enum pk_code add_term(const struct pk_node *node, struct pk_key_terms *terms,
                             struct pk_error *err)
{
    bool turned = node->args[0]->op != PK_OP_PATH;
    const struct pk_path *path = node->args[turned ? 1 : 0]->path;
    struct pk_key_term term = {
        .attribute = path->steps[0].name,
        .op = turned ? mirrored(node->op) : node->op,
        .span = node->span,
    };

    term.values[0] = node->args[turned ? 0 : 1]->value;
    if (node->count == 3)
        term.values[1] = node->args[2]->value;
    for (size_t i = 0; i < terms->count; i++) {
        if (pk_slice_equal(terms->terms[i].attribute, term.attribute))
            return pk_fail_at(err, PK_E_VALIDATION, node->span,
                              "Invalid KeyConditionExpression: KeyConditionExpressions must only "
                              "contain one condition per key");
    }
    terms->terms[terms->count++] = term;
    return PK_OK;
}

static enum pk_code walk(const struct pk_node *node, struct pk_key_terms *terms,
                         struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    switch (node->op) {
    case PK_OP_AND:
        for (size_t i = 0; i < node->count && rc == PK_OK; i++)
            rc = walk(node->args[i], terms, err);
        return rc;
    case PK_OP_EQ:
    case PK_OP_LT:
    case PK_OP_LE:
    case PK_OP_GT:
    case PK_OP_GE:
    case PK_OP_BETWEEN:
    case PK_OP_BEGINS_WITH:
        rc = check_shape(node, err);
        return rc != PK_OK ? rc : add_term(node, terms, err);
    case PK_OP_NE:
    case PK_OP_IN:
    case PK_OP_OR:
    case PK_OP_NOT:
    case PK_OP_EXISTS:
    case PK_OP_NOT_EXISTS:
    case PK_OP_ATTRIBUTE_TYPE:
    case PK_OP_CONTAINS:
    case PK_OP_PATH:
    case PK_OP_VALUE:
    case PK_OP_SIZE:
    case PK_OP_TRUE:
    case PK_OP_PLUS:
    case PK_OP_MINUS:
    case PK_OP_IF_NOT_EXISTS:
    case PK_OP_LIST_APPEND:
        break;
    }
    return bad_operator(node, err);
}

/* An upper bound for the number of terms. */
static size_t count_leaves(const struct pk_node *node)
{
    size_t count = 0;

    if (node->op != PK_OP_AND)
        return 1;
    for (size_t i = 0; i < node->count; i++)
        count += count_leaves(node->args[i]);
    return count;
}

enum pk_code pk_expr_parse_key_condition(const struct pk_expr_source *source,
                                         struct pk_key_terms *out, struct pk_error *err)
{
    struct pk_key_terms terms = {NULL, 0};
    struct pk_node *condition = NULL;
    enum pk_code rc = pk_expr_parse_condition(source, &condition, err);

    if (rc != PK_OK)
        return rc;
    terms.terms = PK_NEW_ARRAY(source->arena, struct pk_key_term, count_leaves(condition));
    rc = walk(condition, &terms, err);
    if (rc == PK_OK)
        *out = terms;
    return rc;
}

/* ---- terms to a range --------------------------------------------------------------------- */

struct binding {
    const struct pk_key_terms *terms;
    const struct pk_key_schema *key;
    bool legacy;
    const struct pk_key_term *hash[PK_KEY_PARTS_MAX]; /* by position in the schema; NULL: none */
    const struct pk_key_term *range[PK_KEY_PARTS_MAX];
};

static enum pk_code unsupported(struct pk_error *err)
{
    return pk_fail(err, PK_E_VALIDATION, "Query key condition not supported");
}

static enum pk_code missed(pk_slice name, struct pk_error *err)
{
    return pk_fail(err, PK_E_VALIDATION, "Query condition missed key schema element: %.*s",
                   PK_FMT(name));
}

static const struct pk_key_term *find_term(const struct pk_key_terms *terms, pk_slice name)
{
    for (size_t i = 0; i < terms->count; i++) {
        if (pk_slice_equal(terms->terms[i].attribute, name))
            return &terms->terms[i];
    }
    return NULL;
}

/* Two conditions on a schema without a range key are not one too many but an unsupported
 * condition. */
static enum pk_code check_number(const struct binding *binding, struct pk_error *err)
{
    size_t defined = (size_t)binding->key->hash_count + binding->key->range_count;
    size_t count = binding->terms->count;

    if (count <= (defined < 2 ? 2 : defined) && count > 0)
        return PK_OK;
    if (binding->legacy && defined <= 2)
        return pk_fail(err, PK_E_VALIDATION, "Conditions can be of length 1 or 2 only");
    if (count == 0)
        return missed(binding->key->hash[0].name, err);
    return pk_fail(err, PK_E_VALIDATION,
                   "The number of query conditions (%zu) exceeds the number of key attributes "
                   "defined in the schema (%zu)",
                   count, defined);
}

/* Only operators that select one piece of the key order; the parser lets no others through. The
 * values are of the schema's type. */
static enum pk_code check_term(const struct pk_key_attr *attr, const struct pk_key_term *term,
                               struct pk_error *err)
{
    enum pk_op op = term->op;

    if (op != PK_OP_BEGINS_WITH && op != PK_OP_BETWEEN && op != PK_OP_EQ &&
        !(op >= PK_OP_LT && op <= PK_OP_GE))
        return pk_fail(err, PK_E_VALIDATION,
                       "Attempted conditional constraint is not an indexable operation");
    if (pk_view_kind(term->values[0]) != attr->type ||
        (op == PK_OP_BETWEEN && pk_view_kind(term->values[1]) != attr->type))
        return pk_fail(err, PK_E_VALIDATION,
                       "One or more parameter values were invalid: Condition parameter type does "
                       "not match schema type");
    return PK_OK;
}

/* The service takes one key attribute after another: it is there, its operator can be used, its
 * values are of its type. Only then it looks at the next one. */
static enum pk_code place_hash(struct binding *binding, struct pk_error *err)
{
    const struct pk_key_schema *key = binding->key;
    enum pk_code rc = PK_OK;

    if (key->hash_count + key->range_count == 1 && binding->terms->count > 1)
        return unsupported(err);
    for (size_t i = 0; i < key->hash_count && rc == PK_OK; i++) {
        const struct pk_key_term *term = find_term(binding->terms, key->hash[i].name);

        if (term == NULL)
            return missed(key->hash[i].name, err);
        rc = check_term(&key->hash[i], term, err);
        if (rc == PK_OK && term->op != PK_OP_EQ)
            rc = unsupported(err);
        binding->hash[i] = term;
    }
    return rc;
}

static enum pk_code place_range(struct binding *binding, struct pk_error *err)
{
    const struct pk_key_schema *key = binding->key;
    const struct pk_key_attr *open = NULL;
    size_t placed = key->hash_count;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < key->range_count; i++) {
        binding->range[i] = find_term(binding->terms, key->range[i].name);
        if (binding->range[i] != NULL)
            placed++;
        else if (open == NULL)
            open = &key->range[i];
    }
    if (placed != binding->terms->count)
        return open == NULL ? unsupported(err) : missed(open->name, err);
    for (size_t i = 0; i < key->range_count && rc == PK_OK; i++) {
        if (binding->range[i] != NULL)
            rc = check_term(&key->range[i], binding->range[i], err);
    }
    return rc;
}

/* Every range condition but the last one used is an equality; *last is that one's position, or
 * range_count when there is none. */
static enum pk_code check_prefix(const struct binding *binding, size_t *last, struct pk_error *err)
{
    struct pk_buf names = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    *last = binding->key->range_count;
    for (size_t i = 0; i < binding->key->range_count; i++) {
        if (binding->range[i] != NULL)
            *last = i;
    }
    if (*last == binding->key->range_count)
        return PK_OK;
    for (size_t i = 0; i < *last; i++) {
        if (binding->range[i] == NULL || binding->range[i]->op != PK_OP_EQ)
            pk_buf_printf(&names, "%s%.*s", names.len > 0 ? ", " : "",
                          PK_FMT(binding->key->range[i].name));
    }
    if (names.len > 0)
        rc = pk_fail(err, PK_E_VALIDATION,
                     "RANGE key attributes %.*s must have equality conditions specified in the "
                     "query because a condition is present on key attribute %.*s",
                     PK_FMT(names), PK_FMT(binding->key->range[*last].name));
    pk_buf_release(&names);
    return rc;
}

static enum pk_code check_value(const struct pk_key_attr *attr, pk_view value, bool hash,
                                struct pk_error *err)
{
    size_t len = pk_view_bytes(value).len;

    if (attr->type == PK_NUMBER)
        return PK_OK;
    if (len == 0)
        return pk_fail(err, PK_E_VALIDATION,
                       "One or more parameter values are not valid. The AttributeValue for a key "
                       "attribute cannot contain an empty %s value. Key: %.*s",
                       attr->type == PK_STRING ? "string" : "binary", PK_FMT(attr->name));
    if (hash && len > PK_HASH_KEY_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "One or more parameter values were invalid: Size of hashkey has exceeded "
                       "the maximum size limit of2048 bytes");
    if (!hash && len > PK_RANGE_KEY_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "One or more parameter values were invalid: Aggregated size of all range "
                       "keys has exceeded the size limit of 1024 bytes");
    return PK_OK;
}

static enum pk_code check_values(const struct pk_key_attr *attr, const struct pk_key_term *term,
                                 bool hash, struct pk_error *err)
{
    enum pk_code rc = check_value(attr, term->values[0], hash, err);

    if (rc == PK_OK && term->op == PK_OP_BETWEEN)
        rc = check_value(attr, term->values[1], hash, err);
    return rc;
}

static enum pk_code check_all_values(const struct binding *binding, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < binding->key->hash_count && rc == PK_OK; i++)
        rc = check_values(&binding->key->hash[i], binding->hash[i], true, err);
    for (size_t i = 0; i < binding->key->range_count && rc == PK_OK; i++) {
        if (binding->range[i] != NULL)
            rc = check_values(&binding->key->range[i], binding->range[i], false, err);
    }
    return rc;
}

/* The range, from terms that passed all checks. */
static void fill(const struct binding *binding, size_t last, struct pk_arena *arena,
                 struct pk_key_range *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < binding->key->hash_count; i++)
        out->hash[i] = pk_view_decode(arena, binding->hash[i]->values[0]);
    if (last == binding->key->range_count)
        return;
    for (size_t i = 0; i <= last; i++) {
        const struct pk_key_term *term = binding->range[i];

        if (term->op == PK_OP_EQ) {
            out->equal[out->equal_count++] = pk_view_decode(arena, term->values[0]);
            continue;
        }
        out->bounded = true;
        out->op = term->op;
        out->values[0] = pk_view_decode(arena, term->values[0]);
        if (term->op == PK_OP_BETWEEN)
            out->values[1] = pk_view_decode(arena, term->values[1]);
    }
}

enum pk_code pk_keycond_bind(const struct pk_key_terms *terms, const struct pk_key_schema *key,
                             bool legacy, struct pk_arena *arena, struct pk_key_range *out,
                             struct pk_error *err)
{
    struct binding binding = {terms, key, legacy, {NULL}, {NULL}};
    enum pk_code rc = check_number(&binding, err);
    size_t last = 0;

    if (rc == PK_OK)
        rc = place_hash(&binding, err);
    if (rc == PK_OK)
        rc = place_range(&binding, err);
    if (rc == PK_OK)
        rc = check_prefix(&binding, &last, err);
    if (rc == PK_OK)
        rc = check_all_values(&binding, err);
    if (rc == PK_OK)
        fill(&binding, last, arena, out);
    return rc;
}

enum pk_code pk_expr_check_key_terms(const struct pk_key_terms *terms,
                                     const struct pk_key_schema *key, struct pk_arena *arena,
                                     struct pk_error *err)
{
    struct pk_key_range range;

    return pk_keycond_bind(terms, key, false, arena, &range, err);
}
