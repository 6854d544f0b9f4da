/*
 * Query and Scan.
 *
 * Items are written into the response while the engine reads: projected into a scratch buffer when
 * there is a projection, else straight from the stored bytes. Order of checks: operations.md §6.
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_cost.h"
#include "commands/api/api_expr.h"
#include "commands/api/api_json.h"
#include "commands/api/api_legacy.h"
#include "commands/api/api_value.h"
#include "commands/api/json_out.h"

/* ---- items -------------------------------------------------------------------------------- */

struct page {
    struct pk_buf *out;
    const struct pk_projection *projection;
    struct pk_buf part; /* scratch of one projected item */
};

static enum pk_code add_item(void *context, pk_view item, struct pk_error *err)
{
    struct page *page = context;

    (void)err;
    json_out_element(page->out);
    if (page->projection == NULL) {
        json_out_item(page->out, item);
        return PK_OK;
    }
    pk_buf_clear(&page->part);
    pk_expr_project(page->projection, item, &page->part);
    json_out_item(page->out, pk_buf_slice(&page->part));
    return PK_OK;
}

/* ---- request ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum pk_select select;
} selects[] = {
    {"ALL_ATTRIBUTES", PK_SELECT_ALL},
    {"ALL_PROJECTED_ATTRIBUTES", PK_SELECT_PROJECTED},
    {"SPECIFIC_ATTRIBUTES", PK_SELECT_SPECIFIC},
    {"COUNT", PK_SELECT_COUNT},
};

static enum pk_select read_select(const struct cJSON *request)
{
    for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); i++) {
        if (api_get_is(request, "Select", selects[i].name))
            return selects[i].select;
    }
    return PK_SELECT_DEFAULT;
}

/* What a Select does not go together with. Query's texts carry the newer layer's prefix. */
static enum pk_code check_select(const struct cJSON *request, enum pk_select select,
                                 const char *prefix, struct pk_error *err)
{
    const char *projection =
        api_json_member(request, "ProjectionExpression") != NULL ? "ProjectionExpression"
        : api_json_member(request, "AttributesToGet") != NULL    ? "AttributesToGet"
                                                                 : NULL;
    const char *what = NULL;

    switch (select) {
    case PK_SELECT_DEFAULT:
        return PK_OK;
    case PK_SELECT_SPECIFIC:
        if (projection != NULL)
            return PK_OK;
        return pk_fail(err, PK_E_VALIDATION,
                       "%sMust specify the AttributesToGet or ProjectionExpression when choosing "
                       "to get SPECIFIC_ATTRIBUTES",
                       prefix);
    case PK_SELECT_ALL:
        what = "ALL_ATTRIBUTES";
        break;
    case PK_SELECT_PROJECTED:
        if (api_json_member(request, "IndexName") == NULL)
            return pk_fail(err, PK_E_VALIDATION,
                           "%sALL_PROJECTED_ATTRIBUTES can be used only when Querying using an "
                           "IndexName",
                           prefix);
        what = "ALL_PROJECTED_ATTRIBUTES";
        break;
    case PK_SELECT_COUNT:
        what = "only the Count";
        break;
    }
    if (projection == NULL)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION, "%sCannot specify the %s when choosing to get %s", prefix,
                   projection, what);
}

/* Number and duplicate messages stand alone, the others get a prefix (operations.md §6). */
static bool stands_alone(const char *message)
{
    static const char *const heads[] = {"The parameter cannot be converted", "Attempting to store",
                                        "Number overflow", "Number underflow",
                                        "One or more parameter values were invalid: An number set"};

    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        if (strncmp(message, heads[i], strlen(heads[i])) == 0)
            return true;
    }
    return strstr(message, "contains duplicates") != NULL;
}

static enum pk_code read_start_key(struct pk_arena *arena, const struct cJSON *request,
                                   struct pk_read *read, struct pk_error *err)
{
    const struct cJSON *key = api_json_member(request, "ExclusiveStartKey");
    enum pk_code rc;

    if (key == NULL)
        return PK_OK;
    rc = api_value_read_item(arena, key, &read->start_key, err);
    if (rc != PK_OK && !stands_alone(err->message))
        pk_error_prefix(err, "The provided starting key is invalid: ");
    return rc;
}

static void read_common(struct pk_arena *arena, const struct cJSON *request, struct pk_read *read)
{
    int64_t limit = 0;

    (void)api_get_int(request, "Limit", &limit);
    read->table = api_get_table(arena, request, "TableName");
    read->index = api_get_text(arena, request, "IndexName");
    read->limit = (uint64_t)limit;
    read->consistent = api_get_bool(request, "ConsistentRead");
    read->select = read_select(request);
}

/* ---- the read ----------------------------------------------------------------------------- */

typedef enum pk_code engine_read(struct pk_engine *engine, struct pk_call *call,
                                 const struct pk_read *request, struct pk_read_result *result,
                                 struct pk_error *err);

/* The expression that an engine's message is about, for the caret. */
static enum pk_expr_use use_of(const struct pk_error *err, enum pk_expr_use otherwise)
{
    if (err->message == NULL)
        return otherwise;
    if (strncmp(err->message, "Filter Expression", 17) == 0 ||
        strncmp(err->message, "Key attributes must be", 22) == 0)
        return PK_EXPR_FILTER;
    if (strstr(err->message, "does not project") != NULL)
        return PK_EXPR_PROJECTION;
    return otherwise;
}

static void add_result(struct pk_buf *out, const struct cJSON *request,
                       const struct pk_read_result *result)
{
    json_out_member(out, "Count");
    json_out_uint(out, result->count);
    json_out_member(out, "ScannedCount");
    json_out_uint(out, result->scanned);
    if (pk_value_kind(result->last_key) != PK_MISSING) {
        json_out_member(out, "LastEvaluatedKey");
        json_out_tree_item(out, result->last_key);
    }
    api_cost_add(out, api_cost_mode(request), &result->cost);
}

/* A read under way. */
struct reading {
    struct api_call *call;
    const struct cJSON *request;
    struct pk_buf *out;
    struct pk_read read;
};

static enum pk_code run(struct reading *it, engine_read *engine, struct pk_error *err)
{
    struct pk_read *read = &it->read;
    struct pk_buf *out = it->out;
    struct page page = {.out = out, .projection = read->projection, .part = PK_BUF_INIT};
    struct pk_read_result result = {0};
    enum pk_code rc;

    read->sink = (struct pk_sink){.item = add_item, .context = &page};
    if (read->select != PK_SELECT_COUNT) {
        json_out_member(out, "Items");
        pk_buf_add_byte(out, '[');
    }
    rc = engine(it->call->engine, &it->call->call, read, &result, err);
    pk_buf_release(&page.part);
    if (rc != PK_OK) {
        it->call->response->use =
            use_of(err, read->key_terms != NULL ? PK_EXPR_KEY_CONDITION : PK_EXPR_FILTER);
        return rc;
    }
    if (read->select != PK_SELECT_COUNT)
        pk_buf_add_byte(out, ']');
    api_facts(it->call, &result.facts, &result.cost, 1);
    add_result(out, it->request, &result);
    return PK_OK;
}

/* ---- Query -------------------------------------------------------------------------------- */

static enum pk_code check_key_condition_given(const struct cJSON *request, struct pk_error *err)
{
    if (api_json_member(request, "KeyConditions") != NULL ||
        api_json_member(request, "KeyConditionExpression") != NULL)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION,
                   "Either the KeyConditions or KeyConditionExpression parameter must be specified "
                   "in the request.");
}

enum pk_code api_query(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                       struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct reading it = {.call = call, .request = request, .out = out};
    struct pk_read *read = &it.read;
    struct api_exprs exprs = {0};
    struct pk_node *filter = NULL;
    struct pk_projection *attributes = NULL;
    struct pk_key_terms *conditions = NULL;
    enum pk_code rc = api_expr_check_mix(&api_expr_query, request, err);

    read_common(arena, request, read);
    read->backward = api_json_member(request, "ScanIndexForward") != NULL &&
                     !api_get_bool(request, "ScanIndexForward");
    if (rc == PK_OK)
        rc = check_select(request, read->select, "1 validation error detected: ", err);
    if (rc == PK_OK)
        rc = api_legacy_filter(arena, request, "QueryFilter", &filter, err);
    if (rc == PK_OK)
        rc = api_legacy_attributes_to_get(arena, request, &attributes, err);
    if (rc == PK_OK)
        rc = read_start_key(arena, request, read, err);
    if (rc == PK_OK)
        rc = check_key_condition_given(request, err);
    if (rc == PK_OK)
        rc = api_expr_parse(call, &api_expr_query, request, &exprs, err);
    if (rc == PK_OK)
        rc = api_legacy_key_conditions(arena, request, &conditions, err);
    if (rc != PK_OK)
        return rc;
    read->key_terms = conditions != NULL ? conditions : exprs.key_terms;
    read->legacy_keys = conditions != NULL;
    read->filter = filter != NULL ? filter : exprs.filter;
    read->legacy_filter = filter != NULL;
    read->projection = attributes != NULL ? attributes : exprs.projection;
    return run(&it, pk_engine_query, err);
}

/* ---- Scan --------------------------------------------------------------------------------- */

static enum pk_code read_segments(const struct cJSON *request, struct pk_read *read,
                                  struct pk_error *err)
{
    int64_t segment = 0;
    int64_t total = 0;
    bool has_segment = api_get_int(request, "Segment", &segment);
    bool has_total = api_get_int(request, "TotalSegments", &total);

    if (has_segment && !has_total)
        return pk_fail(err, PK_E_VALIDATION,
                       "The TotalSegments parameter is required but was not present in the request "
                       "when Segment parameter is present");
    if (has_total && !has_segment)
        return pk_fail(err, PK_E_VALIDATION,
                       "The Segment parameter is required but was not present in the request when "
                       "parameter TotalSegments is present");
    if (has_segment && segment >= total)
        return pk_fail(err, PK_E_VALIDATION,
                       "The Segment parameter is zero-based and must be less than parameter "
                       "TotalSegments: Segment: %d is not less than TotalSegments: %d",
                       (int)segment, (int)total);
    read->segment = (uint32_t)segment;
    read->total_segments = (uint32_t)total;
    return PK_OK;
}

enum pk_code api_scan(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                      struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    struct reading it = {.call = call, .request = request, .out = out};
    struct pk_read *read = &it.read;
    struct api_exprs exprs = {0};
    struct pk_node *filter = NULL;
    struct pk_projection *attributes = NULL;
    enum pk_code rc = api_expr_check_mix(&api_expr_scan, request, err);

    read_common(arena, request, read);
    if (rc == PK_OK)
        rc = check_select(request, read->select, "", err);
    if (rc == PK_OK)
        rc = api_legacy_attributes_to_get(arena, request, &attributes, err);
    if (rc == PK_OK)
        rc = api_legacy_filter(arena, request, "ScanFilter", &filter, err);
    if (rc == PK_OK)
        rc = read_start_key(arena, request, read, err);
    if (rc == PK_OK)
        rc = read_segments(request, read, err);
    if (rc == PK_OK)
        rc = api_expr_parse(call, &api_expr_scan, request, &exprs, err);
    if (rc != PK_OK)
        return rc;
    read->filter = filter != NULL ? filter : exprs.filter;
    read->legacy_filter = filter != NULL;
    read->projection = attributes != NULL ? attributes : exprs.projection;
    return run(&it, pk_engine_scan, err);
}
