/*
 * Updates in two steps. First each action's new value is computed from the item as it was, then all
 * edits, sorted by path, are merged into the old tree in one walk. That walk is where list indexes
 * keep their meaning: it counts original elements, drops the removed ones and puts what lies past
 * the end behind them, in index order.
 */
#include "engine/expr/expr_update.h"

#include <stdlib.h>

#include "engine/expr/expr_paths.h"

static enum pk_code no_such_attribute(struct pk_error *err)
{
    return pk_fail(err, PK_E_VALIDATION,
                   "The provided expression refers to an attribute that does not exist in the "
                   "item");
}

static enum pk_code wrong_type(const struct pk_update *update, struct pk_error *err)
{
    if (update->attribute_updates)
        return pk_fail(err, PK_E_VALIDATION, "Type mismatch for attribute to update");
    return pk_fail(err, PK_E_VALIDATION,
                   "An operand in the update expression has an incorrect data type");
}

static enum pk_code invalid_path(struct pk_error *err)
{
    return pk_fail(err, PK_E_VALIDATION,
                   "The document path provided in the update expression is invalid for update");
}

static bool is_set(enum pk_kind kind)
{
    return kind == PK_STRING_SET || kind == PK_NUMBER_SET || kind == PK_BINARY_SET;
}

/* ---- computing values --------------------------------------------------------------------- */

struct context {
    const struct pk_update *update;
    struct pk_arena *arena;
    pk_value item; /* as it was; the key alone when there was none */
};

static pk_value resolve(const struct pk_path *path, pk_value item)
{
    pk_value at = item;

    for (size_t i = 0; i < path->count; i++) {
        const struct pk_path_step *step = &path->steps[i];

        if (!pk__step_is_index(step))
            at = pk_value_get(at, step->name);
        else if (pk_value_kind(at) == PK_LIST && step->index < at.len)
            at = at.u.items[step->index];
        else
            at = pk_value_missing();
    }
    return at;
}

static enum pk_code compute(const struct context *context, enum pk_op op, pk_value a, pk_value b,
                            pk_value *out, struct pk_error *err)
{
    enum pk_num_status status;
    struct pk_num x;
    struct pk_num y;
    struct pk_num sum;
    char text[200];

    if (pk_value_kind(a) != PK_NUMBER || pk_value_kind(b) != PK_NUMBER)
        return wrong_type(context->update, err);
    x = pk_value_num(a);
    y = pk_value_num(b);
    status = op == PK_OP_PLUS ? pk_num_add(&x, &y, &sum) : pk_num_subtract(&x, &y, &sum);
    if (status != PK_NUM_OK)
        return pk_fail(err, PK_E_VALIDATION, "%s",
                       pk_num_status_message(status, PK_LIT(""), text, sizeof(text)));
    *out = pk_value_number(context->arena, &sum);
    return PK_OK;
}

/* The elements of two lists, or the members of two sets, in one new array. */
static pk_value *join(struct pk_arena *arena, pk_value a, pk_value b, size_t *count)
{
    pk_value *items = PK_NEW_ARRAY(arena, pk_value, (size_t)a.len + b.len);

    if (a.len > 0)
        memcpy(items, a.u.items, a.len * sizeof(pk_value));
    if (b.len > 0)
        memcpy(items + a.len, b.u.items, b.len * sizeof(pk_value));
    *count = (size_t)a.len + b.len;
    return items;
}

static enum pk_code append(const struct context *context, pk_value a, pk_value b, pk_value *out,
                           struct pk_error *err)
{
    size_t count;
    pk_value *items;

    if (pk_value_kind(a) != PK_LIST || pk_value_kind(b) != PK_LIST)
        return wrong_type(context->update, err);
    items = join(context->arena, a, b, &count);
    *out = pk_value_list(items, count);
    return PK_OK;
}

static enum pk_code evaluate(const struct context *context, const struct pk_node *node,
                             pk_value *out, struct pk_error *err);

static enum pk_code evaluate_pair(const struct context *context, const struct pk_node *node,
                                  pk_value *out, struct pk_error *err)
{
    pk_value a;
    pk_value b;
    enum pk_code rc = evaluate(context, node->args[0], &a, err);

    if (rc == PK_OK)
        rc = evaluate(context, node->args[1], &b, err);
    if (rc != PK_OK)
        return rc;
    if (node->op == PK_OP_LIST_APPEND)
        return append(context, a, b, out, err);
    return compute(context, node->op, a, b, out, err);
}

/* if_not_exists evaluates its second operand only when it is needed. */
static enum pk_code evaluate(const struct context *context, const struct pk_node *node,
                             pk_value *out, struct pk_error *err)
{
    switch (node->op) {
    case PK_OP_VALUE:
        *out = pk_view_decode(context->arena, node->value);
        return PK_OK;
    case PK_OP_PATH:
        *out = resolve(node->path, context->item);
        return pk_value_kind(*out) == PK_MISSING ? no_such_attribute(err) : PK_OK;
    case PK_OP_IF_NOT_EXISTS:
        *out = resolve(node->args[0]->path, context->item);
        if (pk_value_kind(*out) != PK_MISSING)
            return PK_OK;
        return evaluate(context, node->args[1], out, err);
    case PK_OP_PLUS:
    case PK_OP_MINUS:
    case PK_OP_LIST_APPEND:
        return evaluate_pair(context, node, out, err);
    case PK_OP_SIZE:
    case PK_OP_EQ:
    case PK_OP_NE:
    case PK_OP_LT:
    case PK_OP_LE:
    case PK_OP_GT:
    case PK_OP_GE:
    case PK_OP_BETWEEN:
    case PK_OP_IN:
    case PK_OP_AND:
    case PK_OP_OR:
    case PK_OP_NOT:
    case PK_OP_EXISTS:
    case PK_OP_NOT_EXISTS:
    case PK_OP_ATTRIBUTE_TYPE:
    case PK_OP_BEGINS_WITH:
    case PK_OP_CONTAINS:
    case PK_OP_TRUE:
        break;
    }
    pk_bug("'%s' is not a value of an update", pk_op_name(node->op));
}

/* ADD: to nothing, the operand itself; else sum, union, or (AttributeUpdates) the longer list. */
static enum pk_code add(const struct context *context, pk_value old, pk_value operand,
                        pk_value *out, struct pk_error *err)
{
    enum pk_kind kind = pk_value_kind(operand);
    size_t count;
    pk_value *items;

    if (pk_value_kind(old) == PK_MISSING) {
        *out = operand;
        return PK_OK;
    }
    if (pk_value_kind(old) != kind)
        return wrong_type(context->update, err);
    if (kind == PK_LIST)
        return append(context, old, operand, out, err);
    if (!is_set(kind))
        return compute(context, PK_OP_PLUS, old, operand, out, err);
    items = join(context->arena, old, operand, &count);
    *out = pk_value_set(kind, items, count, NULL);
    return PK_OK;
}

/* DELETE: the members of old that the operand lacks. Missing, so that the attribute goes, when none
 * is left. Both sets are sorted. */
static enum pk_code subtract(const struct context *context, pk_value old, pk_value operand,
                             pk_value *out, struct pk_error *err)
{
    struct pk_value_vec left = {NULL, 0, 0};
    uint32_t at = 0;

    *out = pk_value_missing();
    if (pk_value_kind(old) == PK_MISSING)
        return PK_OK;
    if (pk_value_kind(old) != pk_value_kind(operand) || !is_set(pk_value_kind(old)))
        return wrong_type(context->update, err);
    for (uint32_t i = 0; i < old.len; i++) {
        int order = 1;

        while (at < operand.len && pk_value_compare(operand.u.items[at], old.u.items[i], &order) &&
               order < 0)
            at++;
        if (at == operand.len || order != 0)
            pk_value_vec_add(&left, context->arena, old.u.items[i]);
    }
    if (left.len > 0)
        *out = pk_value_set(pk_value_kind(old), left.data, left.len, NULL);
    return PK_OK;
}

/* ---- merging edits ------------------------------------------------------------------------ */

struct edit {
    const struct pk_path *path;
    pk_value value; /* PK_MISSING removes */
};

/* Sorted edits whose paths agree in their first `depth` steps. */
struct run {
    const struct edit *edits;
    size_t count;
    size_t depth;
};

static enum pk_code merge(struct run run, pk_value old, struct pk_arena *arena, pk_value *out,
                          struct pk_error *err);

static const struct pk_path_step *first_step(const struct run *run)
{
    return &run->edits[0].path->steps[run->depth];
}

/* Takes the edits with one next step off the front of the run. */
static struct run take_branch(struct run *run)
{
    struct run branch = {run->edits, 1, run->depth + 1};

    while (branch.count < run->count &&
           pk__step_compare(first_step(run), &run->edits[branch.count].path->steps[run->depth]) ==
               0)
        branch.count++;
    run->edits += branch.count;
    run->count -= branch.count;
    return branch;
}

static enum pk_code merge_map(struct run run, pk_value old, struct pk_arena *arena, pk_value *out,
                              struct pk_error *err)
{
    struct pk_member_vec members = {NULL, 0, 0};
    uint32_t at = 0;

    while (at < old.len || run.count > 0) {
        bool is_left = at < old.len;
        struct pk_member member = is_left ? old.u.members[at] : (struct pk_member){.value = {0}};
        pk_slice name = run.count > 0 ? first_step(&run)->name : member.name;
        int order = is_left ? pk_slice_compare(member.name, name) : 1;
        pk_value value = order <= 0 ? member.value : pk_value_missing();

        if (order < 0)
            name = member.name;
        if (order <= 0)
            at++;
        if (order >= 0 && run.count > 0) {
            enum pk_code rc = merge(take_branch(&run), value, arena, &value, err);

            if (rc != PK_OK)
                return rc;
        }
        if (pk_value_kind(value) != PK_MISSING)
            pk_member_vec_add(&members, arena, name, value);
    }
    *out = pk_value_map(members.data, members.len);
    return PK_OK;
}

static enum pk_code merge_list(struct run run, pk_value old, struct pk_arena *arena, pk_value *out,
                               struct pk_error *err)
{
    struct pk_value_vec items = {NULL, 0, 0};
    uint32_t at = 0;

    while (at < old.len || run.count > 0) {
        pk_value value = at < old.len ? old.u.items[at] : pk_value_missing();

        /* An edit of the element at `at`; past the end, the next edit whatever its index. */
        if (run.count > 0 && (at >= old.len || first_step(&run)->index == at)) {
            enum pk_code rc = merge(take_branch(&run), value, arena, &value, err);

            if (rc != PK_OK)
                return rc;
        }
        if (at < old.len)
            at++;
        if (pk_value_kind(value) != PK_MISSING)
            pk_value_vec_add(&items, arena, value);
    }
    *out = pk_value_list(items.data, items.len);
    return PK_OK;
}

/* The value after the edits of the run; missing when it is gone. */
static enum pk_code merge(struct run run, pk_value old, struct pk_arena *arena, pk_value *out,
                          struct pk_error *err)
{
    if (run.edits[0].path->count == run.depth) {
        *out = run.edits[0].value;
        return PK_OK;
    }
    if (pk_value_kind(old) != (pk__step_is_index(first_step(&run)) ? PK_LIST : PK_MAP))
        return invalid_path(err);
    if (pk_value_kind(old) == PK_LIST)
        return merge_list(run, old, arena, out, err);
    return merge_map(run, old, arena, out, err);
}

/* ---- the whole update --------------------------------------------------------------------- */

static enum pk_code make_edit(const struct context *context, const struct pk_action *action,
                              struct edit *edit, struct pk_error *err)
{
    pk_value old = resolve(action->path, context->item);
    pk_value operand = pk_value_missing();
    enum pk_code rc = PK_OK;

    edit->path = action->path;
    edit->value = pk_value_missing();
    if (action->kind == PK_ACTION_REMOVE)
        return PK_OK;
    if (action->kind == PK_ACTION_SET)
        return evaluate(context, action->value, &edit->value, err);
    rc = evaluate(context, action->value, &operand, err);
    if (rc != PK_OK)
        return rc;
    if (action->kind == PK_ACTION_ADD)
        return add(context, old, operand, &edit->value, err);
    return subtract(context, old, operand, &edit->value, err);
}

static int compare_edits(const void *a, const void *b)
{
    return pk__path_compare(((const struct edit *)a)->path, ((const struct edit *)b)->path);
}

/* True when the update can create no attribute. */
static bool only_removes(const struct pk_update *update)
{
    for (size_t i = 0; i < update->count; i++) {
        if (update->actions[i].kind == PK_ACTION_SET || update->actions[i].kind == PK_ACTION_ADD)
            return false;
    }
    return update->count > 0;
}

enum pk_code pk_expr_apply_update(const struct pk_update *update, struct pk_arena *arena,
                                  pk_value key, pk_view old_item, pk_value *new_item,
                                  struct pk_error *err)
{
    struct context context = {update, arena, key};
    struct edit *edits;

    if (old_item.len == 0 && only_removes(update)) {
        *new_item = pk_value_missing();
        return PK_OK;
    }
    if (old_item.len > 0)
        context.item = pk_view_decode(arena, old_item);
    if (update->count == 0) {
        *new_item = context.item;
        return PK_OK;
    }
    edits = PK_NEW_ARRAY(arena, struct edit, update->count);
    for (size_t i = 0; i < update->count; i++) {
        enum pk_code rc = make_edit(&context, &update->actions[i], &edits[i], err);

        if (rc != PK_OK)
            return rc;
    }
    qsort(edits, update->count, sizeof(*edits), compare_edits);
    return merge((struct run){edits, update->count, 0}, context.item, arena, new_item, err);
}

enum pk_code pk_expr_check_update_keys(const struct pk_update *update, const pk_slice *key_names,
                                       size_t count, struct pk_error *err)
{
    for (size_t i = 0; i < update->count; i++) {
        const struct pk_path *path = update->actions[i].path;

        for (size_t k = 0; k < count; k++) {
            if (pk_slice_equal(path->steps[0].name, key_names[k]))
                return pk_fail_at(err, PK_E_VALIDATION, path->span,
                                  "One or more parameter values were invalid: Cannot update "
                                  "attribute %.*s. This attribute is part of the key",
                                  PK_FMT(key_names[k]));
        }
    }
    return PK_OK;
}
