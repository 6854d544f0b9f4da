/* Checks come in the order of operations.md §6: table, index, start key, conditions, start key
 * against conditions, filter, Select. */
#include "engine/ops/read_plan.h"

#include "engine/expr/expr_keycond.h"
#include "engine/ops/propagate.h"
#include "engine/ops/read_check.h"
#include "engine/ops/start_key.h"
#include "engine/store/key_code.h"

#define PREFIX "One or more parameter values were invalid: "

/* Table and index ------------------------------------------------------------------------------*/

static enum pk_code resolve(struct pk_engine *engine, const struct pk_read *request,
                            struct pk_read_plan *plan, struct pk_error *err)
{
    const struct pk_propagate_source source = {request->table, request->index};
    enum pk_code rc = pk_propagate_snapshot(engine, &source, &plan->table, &plan->snap, err);

    if (rc != PK_OK)
        return rc;
    plan->key = &plan->table->key;
    plan->partitions = &plan->table->partitions;
    if (request->index.data == NULL)
        return PK_OK;
    plan->index = pk_table_index(plan->table, request->index);
    if (plan->index == NULL || plan->index->status == PK_STATUS_DELETING)
        return pk_fail(err, PK_E_VALIDATION, "The table does not have the specified index: %.*s",
                       PK_FMT(request->index));
    if (plan->index->status == PK_STATUS_CREATING)
        return pk_fail(err, PK_E_VALIDATION,
                       "Cannot read from backfilling global secondary index: %.*s",
                       PK_FMT(request->index));
    if (!plan->index->local && request->consistent)
        return pk_fail(err, PK_E_VALIDATION,
                       "Consistent reads are not supported on global secondary indexes");
    plan->key = &plan->index->key;
    plan->partitions = &plan->index->partitions;
    return PK_OK;
}

void pk_read_plan_release(struct pk_read_plan *plan)
{
    pk_snap_free(plan->snap);
    pk_table_unref(plan->table);
    *plan = (struct pk_read_plan)PK_READ_PLAN_INIT;
}

static enum pk_space plan_space(const struct pk_read_plan *plan)
{
    if (plan->index == NULL)
        return PK_SPACE_TABLE;
    return plan->index->local ? PK_SPACE_LSI : PK_SPACE_GSI;
}

static uint32_t plan_id(const struct pk_read_plan *plan)
{
    return plan->index == NULL ? plan->table->id : plan->index->id;
}

/* Select ---------------------------------------------------------------------------------------*/

static enum pk_code check_projected(const struct pk_read *request, struct pk_read_plan *plan,
                                    struct pk_error *err)
{
    struct pk_buf names = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    pk_check_unprojected(plan->table, plan->index, request->projection, &names);
    if (names.len > 0 && plan->index->local)
        plan->fetch = true;
    else if (names.len > 0)
        rc = pk_fail(err, PK_E_VALIDATION, PREFIX "Global secondary index %.*s does not project %s",
                     PK_FMT(plan->index->name), names.data);
    pk_buf_release(&names);
    return rc;
}

static enum pk_code check_select(const struct pk_read *request, struct pk_read_plan *plan,
                                 struct pk_error *err)
{
    if (plan->index == NULL || plan->index->projection == PK_PROJECT_ALL)
        return PK_OK;
    switch (request->select) {
    case PK_SELECT_ALL:
        if (!plan->index->local)
            return pk_fail(err, PK_E_VALIDATION,
                           PREFIX "Select type ALL_ATTRIBUTES is not supported for global "
                                  "secondary index %.*s because its projection type is not ALL",
                           PK_FMT(plan->index->name));
        plan->fetch = true;
        return PK_OK;
    case PK_SELECT_DEFAULT:
    case PK_SELECT_SPECIFIC:
        return check_projected(request, plan, err);
    case PK_SELECT_PROJECTED:
    case PK_SELECT_COUNT:
        return PK_OK;
    }
    return PK_OK;
}

/* Ranges ---------------------------------------------------------------------------------------*/

static void append_values(struct pk_buf *key, const pk_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pk_key_append_value(key, values[i]);
}

/* Everything with that partition key and the leading equal sort key values. */
static void query_prefix(const struct pk_read_plan *plan, const struct pk_key_range *range,
                         struct pk_buf *key)
{
    struct pk_gsi_key values = {range->hash, plan->key->hash_count, range->equal,
                                range->equal_count};

    if (plan->index != NULL && !plan->index->local) {
        pk_layout_gsi_collection(key, plan->index->id, &values);
        return;
    }
    pk_layout_collection(key, plan_space(plan), plan_id(plan), range->hash[0]);
    append_values(key, range->equal, range->equal_count);
}

/* Narrows [lower, upper), which holds the prefix, by the condition on the next sort key value. */
static void apply_bound(const struct pk_key_range *range, struct pk_buf *lower,
                        struct pk_buf *upper)
{
    struct pk_buf first = PK_BUF_INIT;
    struct pk_buf second = PK_BUF_INIT;

    pk_buf_add(&first, pk_buf_slice(lower));
    if (range->op == PK_OP_BEGINS_WITH)
        pk_key_append_begin(&first, range->values[0]);
    else
        pk_key_append_value(&first, range->values[0]);
    if (range->op == PK_OP_BETWEEN) {
        pk_buf_add(&second, pk_buf_slice(lower));
        pk_key_append_value(&second, range->values[1]);
    } else {
        pk_buf_add(&second, pk_buf_slice(&first));
    }
    if (range->op == PK_OP_GT)
        pk_key_successor(&first);
    if (range->op == PK_OP_LE || range->op == PK_OP_BETWEEN || range->op == PK_OP_BEGINS_WITH)
        pk_key_successor(&second);
    if (range->op != PK_OP_LT && range->op != PK_OP_LE) {
        pk_buf_clear(lower);
        pk_buf_add(lower, pk_buf_slice(&first));
    }
    if (range->op != PK_OP_GT && range->op != PK_OP_GE) {
        pk_buf_clear(upper);
        pk_buf_add(upper, pk_buf_slice(&second));
    }
    pk_buf_release(&first);
    pk_buf_release(&second);
}

/* Cuts the range off at the start key, which is not read again. */
static void apply_start(const struct pk_read *request, const struct pk_read_plan *plan,
                        struct pk_arena *arena, struct pk_buf *lower, struct pk_buf *upper)
{
    pk_slice row;

    if (pk_value_kind(request->start_key) == PK_MISSING)
        return;
    row = pk_start_key_row(plan, request->start_key, arena);
    if (request->backward && pk_slice_compare(row, pk_buf_slice(upper)) < 0) {
        pk_buf_clear(upper);
        pk_buf_add(upper, row);
    }
    if (!request->backward && pk_slice_compare(row, pk_buf_slice(lower)) >= 0) {
        pk_buf_clear(lower);
        pk_buf_add(lower, row);
        pk_buf_add_byte(lower, 0); /* the next possible key */
    }
}

static void set_range(struct pk_read_plan *plan, struct pk_arena *arena, struct pk_buf *lower,
                      struct pk_buf *upper)
{
    plan->range.lower = pk_arena_dup(arena, pk_buf_slice(lower));
    plan->range.upper = pk_arena_dup(arena, pk_buf_slice(upper));
    pk_buf_release(lower);
    pk_buf_release(upper);
}

static void range_of_query(const struct pk_read *request, struct pk_read_plan *plan,
                           const struct pk_key_range *range, struct pk_arena *arena)
{
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;

    query_prefix(plan, range, &lower);
    pk_buf_add(&upper, pk_buf_slice(&lower));
    pk_key_successor(&upper);
    if (range->bounded)
        apply_bound(range, &lower, &upper);
    apply_start(request, plan, arena, &lower, &upper);
    set_range(plan, arena, &lower, &upper);
}

static void range_of_scan(const struct pk_read *request, struct pk_read_plan *plan,
                          struct pk_arena *arena)
{
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    uint32_t n = request->total_segments;

    pk_layout_id(&lower, plan_space(plan), plan_id(plan));
    pk_buf_add(&upper, pk_buf_slice(&lower));
    pk_key_successor(&upper);
    if (n > 1) {
        pk_buf_clear(&lower);
        pk_layout_token(&lower, plan_space(plan), plan_id(plan),
                        pk_partition_first(request->segment, n));
        if (request->segment + 1 < n) {
            pk_buf_clear(&upper);
            pk_layout_token(&upper, plan_space(plan), plan_id(plan),
                            pk_partition_first(request->segment + 1, n));
        }
    }
    apply_start(request, plan, arena, &lower, &upper);
    set_range(plan, arena, &lower, &upper);
}

/* Query ----------------------------------------------------------------------------------------*/

static enum pk_code check_filter(const struct pk_read *request, const struct pk_read_plan *plan,
                                 struct pk_error *err)
{
    enum pk_code rc = pk_check_scalar_keys(plan->table, NULL, request->projection, err);

    if (rc == PK_OK && !request->key_filter_allowed)
        rc = pk_check_filter_keys(request, plan->key, err);
    return rc;
}

enum pk_code pk_read_plan_query(struct pk_engine *engine, struct pk_call *call,
                                const struct pk_read *request, struct pk_read_plan *plan,
                                struct pk_error *err)
{
    struct pk_key_range range = {0};
    bool restarted = pk_value_kind(request->start_key) != PK_MISSING;
    enum pk_code rc = resolve(engine, request, plan, err);

    if (rc == PK_OK && restarted)
        rc = pk_start_key_check(plan, request->start_key, false, err);
    if (rc == PK_OK)
        rc = pk_keycond_bind(request->key_terms, plan->key, request->legacy_keys, call->arena,
                             &range, err);
    if (rc != PK_OK)
        return rc;
    if (restarted)
        rc = pk_start_key_check_range(plan, request->start_key, &range, err);
    if (rc == PK_OK)
        rc = check_filter(request, plan, err);
    if (rc == PK_OK)
        rc = check_select(request, plan, err);
    if (rc == PK_OK && plan->index != NULL)
        rc = pk_check_filter_projected(plan->table, plan->index, request->filter, err);
    if (rc == PK_OK)
        rc = pk_check_scalar_keys(plan->table, request->filter, NULL, err);
    if (rc == PK_OK)
        range_of_query(request, plan, &range, call->arena);
    return rc;
}

/* Scan -----------------------------------------------------------------------------------------*/

static enum pk_code check_segment(const struct pk_read *request, const struct pk_read_plan *plan,
                                  struct pk_error *err)
{
    uint32_t n = request->total_segments;

    if (n == 0 ||
        pk_partition_of(pk_start_key_token(plan, request->start_key), n) == request->segment)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION,
                   "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                   "ExclusiveStartKey with correct Segment. TotalSegments: %u Segment: %u",
                   n, request->segment);
}

enum pk_code pk_read_plan_scan(struct pk_engine *engine, struct pk_call *call,
                               const struct pk_read *request, struct pk_read_plan *plan,
                               struct pk_error *err)
{
    enum pk_code rc = resolve(engine, request, plan, err);

    if (rc == PK_OK && pk_value_kind(request->start_key) != PK_MISSING) {
        rc = pk_start_key_check(plan, request->start_key, true, err);
        if (rc == PK_OK)
            rc = check_segment(request, plan, err);
    }
    if (rc == PK_OK)
        rc = pk_check_scalar_keys(plan->table, NULL, request->projection, err);
    if (rc == PK_OK)
        rc = check_select(request, plan, err);
    if (rc == PK_OK)
        rc = pk_check_scalar_keys(plan->table, request->filter, NULL, err);
    if (rc == PK_OK)
        range_of_scan(request, plan, call->arena);
    return rc;
}
