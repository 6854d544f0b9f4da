/*
 * A condition is turned into branches, each of which fixes the hash key to one value and has
 * further conditions beside it: equality gives one branch, IN one a value, OR the branches of its
 * sides, AND the branches of one of its parts with the other parts added to each. What cannot be
 * written like that is a Scan.
 *
 * Branches of one hash value are read by one Query, so that no item comes twice: a single branch
 * lends the Query its condition on the range key, several become one filter.
 */
#include "commands/partiql/partiql_access.h"

#include <stdint.h>

struct branch {
    const struct pk_node *hash; /* the literal */
    struct partiql_conjuncts rest;
};

struct branches {
    struct branch *list;
    size_t count, cap;
};

struct chooser {
    struct partiql_plan *plan;
    const struct pk_key_schema *key;
    struct pk_arena *arena;
    struct pk_error *err;
};

const struct pk_key_schema *partiql_key_schema(const struct partiql_plan *plan)
{
    return plan->index != NULL ? &plan->index->key : &plan->table->key;
}

/* --- conditions on one attribute ------------------------------------------------------------- */

static bool is_attribute(const struct pk_node *node, pk_slice name)
{
    return node->op == PK_OP_PATH && node->path->count == 1 &&
           pk_slice_equal(node->path->steps[0].name, name);
}

const struct pk_node *partiql_equality(const struct pk_node *node, pk_slice name)
{
    if (node->op != PK_OP_EQ)
        return NULL;
    if (is_attribute(node->args[0], name) && node->args[1]->op == PK_OP_VALUE)
        return node->args[1];
    if (is_attribute(node->args[1], name) && node->args[0]->op == PK_OP_VALUE)
        return node->args[0];
    return NULL;
}

enum pk_code partiql_check_key_type(const struct pk_key_attr *attr, pk_view value,
                                    struct pk_span span, struct pk_error *err)
{
    if (pk_view_kind(value) == attr->type)
        return PK_OK;
    enum pk_code rc = pk_fail_at(err, PK_E_VALIDATION, span,
                                 "Key attribute's data type should match its data type in table's "
                                 "schema: Key %.*s",
                                 PK_FMT(attr->name));
    pk_error_hint(err, "%.*s has type %s, not %s", PK_FMT(attr->name), pk_kind_tag(attr->type),
                  pk_kind_tag(pk_view_kind(value)));
    return rc;
}

/* The operator with its sides exchanged: 5 < r is r > 5. PK_OP_TRUE: no contiguous range. */
static enum pk_op mirror(enum pk_op op)
{
    if (op == PK_OP_LT)
        return PK_OP_GT;
    if (op == PK_OP_LE)
        return PK_OP_GE;
    if (op == PK_OP_GT)
        return PK_OP_LT;
    if (op == PK_OP_GE)
        return PK_OP_LE;
    return op == PK_OP_EQ ? op : PK_OP_TRUE;
}

/* Reads the node as one contiguous range of the attribute. */
static bool range_term(const struct pk_node *node, pk_slice name, struct pk_key_term *out)
{
    *out = (struct pk_key_term){.attribute = name, .op = node->op, .span = node->span};
    if (node->count < 2)
        return false;
    if (node->op == PK_OP_BETWEEN) {
        out->values[0] = node->args[1]->value;
        out->values[1] = node->args[2]->value;
        return is_attribute(node->args[0], name) && node->args[1]->op == PK_OP_VALUE &&
               node->args[2]->op == PK_OP_VALUE;
    }
    if (mirror(node->op) == PK_OP_TRUE && node->op != PK_OP_BEGINS_WITH)
        return false;
    out->values[0] = node->args[1]->value;
    if (is_attribute(node->args[0], name) && node->args[1]->op == PK_OP_VALUE)
        return true;
    out->op = mirror(node->op);
    out->values[0] = node->args[0]->value;
    return out->op != PK_OP_TRUE && is_attribute(node->args[1], name) &&
           node->args[0]->op == PK_OP_VALUE;
}

static bool mentions(const struct pk_node *node, pk_slice name)
{
    if (node->op == PK_OP_PATH)
        return pk_slice_equal(node->path->steps[0].name, name);
    for (size_t i = 0; i < node->count; i++) {
        if (mentions(node->args[i], name))
            return true;
    }
    return false;
}

/* --- conjunctions ---------------------------------------------------------------------------- */

static void add_conjunct(struct partiql_conjuncts *out, struct pk_arena *arena,
                         struct pk_node *node)
{
    if (out->count == out->cap) {
        size_t cap = out->cap == 0 ? 4 : out->cap * 2;
        struct pk_node **list = PK_NEW_ARRAY(arena, struct pk_node *, cap);

        if (out->count > 0)
            memcpy(list, out->list, out->count * sizeof(struct pk_node *));
        out->list = list;
        out->cap = cap;
    }
    out->list[out->count++] = node;
}

void partiql_split(struct pk_node *condition, struct pk_arena *arena, struct partiql_conjuncts *out)
{
    if (condition == NULL)
        return;
    if (condition->op != PK_OP_AND) {
        add_conjunct(out, arena, condition);
        return;
    }
    for (size_t i = 0; i < condition->count; i++)
        partiql_split(condition->args[i], arena, out);
}

struct pk_node *partiql_join(const struct partiql_conjuncts *conjuncts, size_t skip,
                             struct pk_arena *arena)
{
    struct pk_node *joined = NULL;
    size_t kept = conjuncts->count - (skip < conjuncts->count);

    if (kept > 1)
        joined = pk_node_new(arena, PK_OP_AND, kept);
    for (size_t i = 0, n = 0; i < conjuncts->count; i++) {
        if (i == skip)
            continue;
        if (kept == 1)
            joined = conjuncts->list[i];
        else
            joined->args[n++] = conjuncts->list[i];
    }
    return joined;
}

/* --- branches -------------------------------------------------------------------------------- */

static struct branch *add_branch(const struct chooser *chooser, struct branches *out,
                                 const struct pk_node *hash)
{
    if (out->count == out->cap) {
        size_t cap = out->cap == 0 ? 4 : out->cap * 2;
        struct branch *list = PK_NEW_ARRAY(chooser->arena, struct branch, cap);

        if (out->count > 0)
            memcpy(list, out->list, out->count * sizeof(*list));
        out->list = list;
        out->cap = cap;
    }

    struct branch *branch = &out->list[out->count++];
    *branch = (struct branch){.hash = hash};
    return branch;
}

static bool find_branches(const struct chooser *chooser, struct pk_node *node,
                          struct branches *out);

static bool branches_of_in(const struct chooser *chooser, const struct pk_node *node,
                           struct branches *out)
{
    if (!is_attribute(node->args[0], chooser->key->hash[0].name))
        return false;
    for (size_t i = 1; i < node->count; i++) {
        if (node->args[i]->op != PK_OP_VALUE)
            return false;
    }
    for (size_t i = 1; i < node->count; i++)
        add_branch(chooser, out, node->args[i]);
    return true;
}

static bool branches_of_or(const struct chooser *chooser, const struct pk_node *node,
                           struct branches *out)
{
    for (size_t i = 0; i < node->count; i++) {
        if (!find_branches(chooser, node->args[i], out))
            return false;
    }
    return true;
}

/* An equality is the best part to take the hash value from, then the first that gives branches. */
static bool branches_of_and(const struct chooser *chooser, struct pk_node *node,
                            struct branches *out)
{
    struct partiql_conjuncts parts = {0};
    size_t first = out->count, chosen = SIZE_MAX;

    partiql_split(node, chooser->arena, &parts);
    for (size_t i = 0; i < parts.count && chosen == SIZE_MAX; i++) {
        const struct pk_node *value = partiql_equality(parts.list[i], chooser->key->hash[0].name);

        if (value != NULL) {
            add_branch(chooser, out, value);
            chosen = i;
        }
    }
    for (size_t i = 0; i < parts.count && chosen == SIZE_MAX; i++) {
        if (find_branches(chooser, parts.list[i], out))
            chosen = i;
        else
            out->count = first;
    }
    for (size_t b = first; b < out->count; b++) {
        for (size_t i = 0; i < parts.count; i++) {
            if (i != chosen)
                add_conjunct(&out->list[b].rest, chooser->arena, parts.list[i]);
        }
    }
    return chosen != SIZE_MAX;
}

static bool find_branches(const struct chooser *chooser, struct pk_node *node, struct branches *out)
{
    const struct pk_node *value = partiql_equality(node, chooser->key->hash[0].name);

    if (value != NULL)
        add_branch(chooser, out, value);
    else if (node->op == PK_OP_IN)
        return branches_of_in(chooser, node, out);
    else if (node->op == PK_OP_OR)
        return branches_of_or(chooser, node, out);
    else if (node->op == PK_OP_AND)
        return branches_of_and(chooser, node, out);
    else
        return false;
    return true;
}

/* --- groups ---------------------------------------------------------------------------------- */

/* Which conjunct becomes the Query's condition on the range key: an equality, else the first range.
 * SIZE_MAX: none. */
static size_t choose_range(const struct chooser *chooser, const struct partiql_conjuncts *rest,
                           struct pk_key_term *out)
{
    size_t chosen = SIZE_MAX;
    struct pk_key_term term;

    if (chooser->key->range_count == 0)
        return SIZE_MAX;
    for (size_t i = 0; i < rest->count; i++) {
        if (!range_term(rest->list[i], chooser->key->range[0].name, &term))
            continue;
        if (chosen != SIZE_MAX && (term.op != PK_OP_EQ || out->op == PK_OP_EQ))
            continue;
        chosen = i;
        *out = term;
    }
    return chosen;
}

static enum pk_code check_term(const struct pk_key_attr *attr, const struct pk_key_term *term,
                               struct pk_error *err)
{
    enum pk_code rc = partiql_check_key_type(attr, term->values[0], term->span, err);

    if (rc == PK_OK && term->op == PK_OP_BETWEEN)
        rc = partiql_check_key_type(attr, term->values[1], term->span, err);
    return rc;
}

static enum pk_code group_of_branch(const struct chooser *chooser, const struct branch *branch,
                                    struct partiql_group *group)
{
    struct pk_key_term *terms = group->terms.terms;
    size_t chosen = choose_range(chooser, &branch->rest, &terms[1]);

    group->filter = partiql_join(&branch->rest, chosen, chooser->arena);
    if (chosen == SIZE_MAX)
        return PK_OK;
    group->terms.count = 2;
    return check_term(&chooser->key->range[0], &terms[1], chooser->err);
}

/* A further condition that says nothing about the range key, beside another branch of the same hash
 * value, is refused (partiql.md §3). */
static enum pk_code check_overlap(const struct chooser *chooser, const struct branch *branch)
{
    for (size_t i = 0; i < branch->rest.count && chooser->key->range_count > 0; i++) {
        if (mentions(branch->rest.list[i], chooser->key->range[0].name))
            return PK_OK;
    }
    if (branch->rest.count == 0)
        return PK_OK;
    return pk_fail_at(chooser->err, PK_E_VALIDATION, branch->rest.list[0]->span,
                      "Overlapping conditions with range keys are not supported in where clause");
}

/* Several branches of one hash value: one filter, or none if one of them wants everything. */
static enum pk_code group_of_branches(const struct chooser *chooser,
                                      const struct branch *const *branches, size_t count,
                                      struct partiql_group *group)
{
    struct pk_node *any = pk_node_new(chooser->arena, PK_OP_OR, count);
    bool everything = false;

    for (size_t i = 0; i < count; i++) {
        enum pk_code rc = check_overlap(chooser, branches[i]);

        if (rc != PK_OK)
            return rc;
        any->args[i] = partiql_join(&branches[i]->rest, SIZE_MAX, chooser->arena);
        everything = everything || any->args[i] == NULL;
    }
    group->filter = everything ? NULL : any;
    return PK_OK;
}

static bool same_rest(const struct branch *a, const struct branch *b)
{
    return a->rest.count == b->rest.count &&
           (a->rest.count == 0 ||
            memcmp(a->rest.list, b->rest.list, a->rest.count * sizeof(struct pk_node *)) == 0);
}

/* The branches from `first` on with its hash value, repeats left out; each is marked by hash NULL
 * so that it is taken once. */
static size_t take_branches(struct branches *branches, size_t first, const struct branch **taken)
{
    pk_view value = branches->list[first].hash->value;
    size_t count = 0;

    for (size_t i = first; i < branches->count; i++) {
        struct branch *branch = &branches->list[i];
        bool repeated = false;

        if (branch->hash == NULL || !pk_view_equal(branch->hash->value, value))
            continue;
        branch->hash = NULL;
        for (size_t t = 0; t < count; t++)
            repeated = repeated || same_rest(taken[t], branch);
        if (!repeated)
            taken[count++] = branch;
    }
    return count;
}

/* All groups are checked before the first is read, else a later page would fail. */
static enum pk_code check_terms(const struct chooser *chooser, const struct partiql_group *group)
{
    enum pk_code rc = PK_OK;

    for (size_t count = 1; count <= group->terms.count && rc == PK_OK; count++) {
        struct pk_key_terms terms = {group->terms.terms, count};

        rc = pk_expr_check_key_terms(&terms, chooser->key, chooser->arena, chooser->err);
        if (rc != PK_OK)
            chooser->err->span = terms.terms[count - 1].span;
    }
    return rc;
}

static enum pk_code make_groups(const struct chooser *chooser, struct branches *branches)
{
    struct partiql_plan *plan = chooser->plan;
    const struct branch **taken =
        PK_NEW_ARRAY(chooser->arena, const struct branch *, branches->count);

    plan->groups = PK_NEW_ARRAY(chooser->arena, struct partiql_group, branches->count);
    for (size_t i = 0; i < branches->count; i++) {
        const struct pk_node *hash = branches->list[i].hash;

        if (hash == NULL)
            continue;
        enum pk_code rc =
            partiql_check_key_type(&chooser->key->hash[0], hash->value, hash->span, chooser->err);
        if (rc != PK_OK)
            return rc;

        struct partiql_group *group = &plan->groups[plan->group_count++];
        size_t count = take_branches(branches, i, taken);
        group->terms.terms = PK_NEW_ARRAY(chooser->arena, struct pk_key_term, 2);
        group->terms.count = 1;
        group->terms.terms[0] = (struct pk_key_term){.attribute = chooser->key->hash[0].name,
                                                     .op = PK_OP_EQ,
                                                     .values = {hash->value},
                                                     .span = hash->span};
        rc = count == 1 ? group_of_branch(chooser, taken[0], group)
                        : group_of_branches(chooser, taken, count, group);
        if (rc == PK_OK)
            rc = check_terms(chooser, group);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

/* --- the choice ------------------------------------------------------------------------------ */

static pk_value decode(const struct chooser *chooser, pk_view value)
{
    return pk_view_decode(chooser->arena, value);
}

/* A single group that fixes the whole key of a table is a GetItem. */
static void make_get(const struct chooser *chooser)
{
    struct partiql_plan *plan = chooser->plan;
    const struct pk_key_schema *key = chooser->key;
    const struct partiql_group *group = &plan->groups[0];
    struct pk_member *members = PK_NEW_ARRAY(chooser->arena, struct pk_member, 2);
    size_t count = 1 + key->range_count;

    if (plan->group_count != 1 || plan->index != NULL || group->terms.count != count ||
        (count == 2 && group->terms.terms[1].op != PK_OP_EQ))
        return;
    for (size_t i = 0; i < count; i++)
        members[i] = (struct pk_member){group->terms.terms[i].attribute,
                                        decode(chooser, group->terms.terms[i].values[0])};
    plan->key = pk_value_map(members, count);
    plan->filter = group->filter;
    plan->operation = PARTIQL_GET;
}

static pk_slice explain_query(const struct chooser *chooser)
{
    const struct partiql_plan *plan = chooser->plan;
    pk_slice hash = chooser->key->hash[0].name;

    if (plan->operation == PARTIQL_GET && chooser->key->range_count == 0)
        return pk_arena_printf(chooser->arena, "WHERE fixes %.*s, the whole key", PK_FMT(hash));
    if (plan->operation == PARTIQL_GET)
        return pk_arena_printf(chooser->arena, "WHERE fixes %.*s and %.*s, the whole key",
                               PK_FMT(hash), PK_FMT(chooser->key->range[0].name));
    if (plan->group_count > 1)
        return pk_arena_printf(chooser->arena,
                               "WHERE allows %zu values for %.*s, the partition key: one Query "
                               "each",
                               plan->group_count, PK_FMT(hash));
    if (plan->groups[0].terms.count > 1)
        return pk_arena_printf(chooser->arena,
                               "WHERE fixes %.*s, the partition key, and a range of %.*s",
                               PK_FMT(hash), PK_FMT(chooser->key->range[0].name));
    return pk_arena_printf(chooser->arena, "WHERE fixes %.*s, the partition key", PK_FMT(hash));
}

static enum pk_code check_hash_list(const struct chooser *chooser, const struct pk_node *node)
{
    enum pk_code rc = PK_OK;

    if (node->op == PK_OP_IN && node->count - 1 > PARTIQL_HASH_IN_MAX &&
        is_attribute(node->args[0], chooser->key->hash[0].name))
        return pk_fail_at(chooser->err, PK_E_VALIDATION, node->span,
                          "The IN operator is provided with too many operands; number of "
                          "operands: %zu",
                          node->count - 1);
    for (size_t i = 0; i < node->count && rc == PK_OK; i++)
        rc = check_hash_list(chooser, node->args[i]);
    return rc;
}

enum pk_code partiql_choose_access(struct partiql_plan *plan, struct pk_node *where,
                                   struct pk_arena *arena, struct pk_error *err)
{
    struct chooser chooser = {plan, partiql_key_schema(plan), arena, err};
    struct branches branches = {0};
    enum pk_code rc = PK_OK;

    plan->operation = PARTIQL_SCAN;
    plan->filter = where;
    if (where == NULL) {
        plan->reason = PK_LIT("there is no WHERE");
        return PK_OK;
    }
    rc = check_hash_list(&chooser, where);
    if (rc != PK_OK)
        return rc;
    if (!find_branches(&chooser, where, &branches)) {
        plan->reason = pk_arena_printf(arena, "WHERE fixes no value for %.*s, the partition key",
                                       PK_FMT(chooser.key->hash[0].name));
        return PK_OK;
    }
    rc = make_groups(&chooser, &branches);
    if (rc != PK_OK)
        return rc;
    plan->operation = PARTIQL_QUERY;
    plan->filter = NULL;
    make_get(&chooser);
    plan->reason = explain_query(&chooser);
    return PK_OK;
}
