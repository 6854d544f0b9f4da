#include "commands/page.h"

#include <stdlib.h>

#include "commands/item_commands.h"
#include "commands/names.h"
#include "commands/settings.h"
#include "commands/wait.h"
#include "commands/wire.h"

void cmd_page_free(struct cmd_page *page)
{
    if (page == NULL)
        return;
    free(page->operation);
    free(page->label);
    cJSON_Delete(page->json);
    pk_arena_release(&page->arena);
    pk_buf_release(&page->rest);
    free(page);
}

static char *heap_copy(const char *text)
{
    return pk_memdup_cstr(text, strlen(text));
}

static bool listed(const pk_slice *names, size_t count, pk_slice name)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_slice_equal(names[i], name))
            return true;
    }
    return false;
}

size_t cmd_key_names(const struct cmd_target *target, struct pk_arena *arena, pk_slice **names)
{
    const struct pk_key_schema *keys[2] = {cmd_target_key(target), &target->table->key};
    size_t count = 0;

    *names = PK_NEW_ARRAY(arena, pk_slice, 4 * PK_KEY_PARTS_MAX);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < (size_t)keys[k]->hash_count + keys[k]->range_count; i++) {
            const struct pk_key_attr *attribute = i < keys[k]->hash_count
                                                      ? &keys[k]->hash[i]
                                                      : &keys[k]->range[i - keys[k]->hash_count];

            if (!listed(*names, count, attribute->name))
                (*names)[count++] = pk_arena_dup(arena, attribute->name);
        }
    }
    return count;
}

static struct cmd_page *new_page(const char *operation, const char *label, struct cJSON *json,
                                 const struct cmd_target *target)
{
    struct cmd_page *page = pk_calloc(1, sizeof(*page));

    page->operation = heap_copy(operation);
    page->label = heap_copy(label);
    page->json = json;
    if (target != NULL && target->table != NULL)
        page->key_count = cmd_key_names(target, &page->arena, &page->keys);
    return page;
}

/* The page of a request, whose JSON it takes. */
static struct cmd_page *page_of_request(struct cmd_request *request)
{
    struct cmd_page *page =
        new_page(request->operation, request->operation, request->json, &request->target);

    request->json = NULL;
    page->count = request->count;
    page->limited = request->limited;
    page->pages = request->count ? CMD_PAGES_ALL : request->pages;
    page->consistency = request->strong ? CMD_STRONG : CMD_EVENTUAL;
    return page;
}

struct cmd_page *cmd_page_of_statement(struct cJSON *json, const char *label,
                                       const struct cmd_target *target)
{
    struct cmd_page *page = new_page("ExecuteStatement", label, json, target);

    page->consistency = cmd_wire_bool(json, "ConsistentRead") ? CMD_STRONG : CMD_EVENTUAL;
    return page;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* The items shown, growing in the result's arena. */
struct shown {
    struct pk_value_vec vec;
    size_t cap; /* SIZE_MAX: all */
};

static void keep_for_later(struct cmd_page *page, pk_value item)
{
    struct pk_buf stored = PK_BUF_INIT;

    pk_view_encode(&stored, item);
    pk_buf_add_varint(&page->rest, stored.len);
    pk_buf_add(&page->rest, pk_buf_slice(&stored));
    pk_buf_release(&stored);
    page->rest_count++;
}

static void take_kept(struct cmd_page *page, struct shown *shown, struct pk_arena *arena)
{
    while (page->rest_count > 0 && shown->vec.len < shown->cap) {
        pk_slice rest = pk_slice_skip(pk_buf_slice(&page->rest), page->rest_pos);
        size_t before = rest.len;
        pk_slice stored;
        uint64_t len;

        if (!pk_take_varint(&rest, &len) || !pk_take_bytes(&rest, (size_t)len, &stored))
            pk_bug("a kept item is malformed");
        page->rest_pos += before - rest.len;
        page->rest_count--;
        pk_value_vec_add(&shown->vec, arena, pk_view_decode(arena, pk_arena_dup(arena, stored)));
    }
    if (page->rest_count == 0) {
        pk_buf_clear(&page->rest);
        page->rest_pos = 0;
    }
}

static void take_answer(struct cmd_page *page, const cJSON *answer, struct shown *shown,
                        struct pk_arena *arena)
{
    static const char *const positions[][2] = {
        {"LastEvaluatedKey", "ExclusiveStartKey"},
        {"NextToken", "NextToken"},
    };
    size_t which = strcmp(page->operation, "ExecuteStatement") == 0 ? 1 : 0;
    const cJSON *next = cJSON_GetObjectItemCaseSensitive(answer, positions[which][0]);
    const cJSON *node;

    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "Items"))
    {
        pk_value item = cmd_wire_read_item(arena, node);

        if (shown->vec.len < shown->cap)
            pk_value_vec_add(&shown->vec, arena, item);
        else
            keep_for_later(page, item);
    }
    page->at_end = next == NULL;
    if (next != NULL)
        cmd_wire_set(page->json, positions[which][1], cJSON_Duplicate(next, true));
}

/* ---- the loop -------------------------------------------------------------------------------- */

static enum pk_code send_once(struct cmd_context *context, struct cmd_reading *reading,
                              struct shown *shown, struct cmd_result *result, struct pk_error *err)
{
    struct cmd_request bare = {.operation = reading->page->operation};
    struct cmd_request *request = reading->request != NULL ? reading->request : &bare;
    cJSON *answer = NULL;
    enum pk_code rc;

    request->json = reading->page->json; /* lent for the call */
    rc = cmd_send(context, request, &answer, &reading->usage, err);
    request->json = NULL;
    if (rc == PK_OK)
        take_answer(reading->page, answer, shown, &result->arena);
    cJSON_Delete(answer);
    return rc;
}

static bool wants_more(const struct cmd_reading *reading, const struct shown *shown)
{
    const struct cmd_page *page = reading->page;

    if (page->at_end || page->rest_count > 0)
        return false;
    if (page->pages > 0)
        return reading->usage.requests < (uint64_t)page->pages;
    if (page->pages == CMD_PAGES_ALL)
        return true;
    if (page->limited)
        return reading->usage.requests < 1;
    return shown->vec.len < shown->cap;
}

static bool any_has(const pk_value *rows, size_t count, pk_slice name)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_value_kind(pk_value_get(rows[i], name)) != PK_MISSING)
            return true;
    }
    return count == 0;
}

void cmd_show_items(struct cmd_result *result, pk_value *rows, size_t count, const pk_slice *keys,
                    size_t key_count)
{
    struct cmd_items *items = cmd_result_items(result);

    items->rows = rows;
    items->count = count;
    items->keys = PK_NEW_ARRAY(&result->arena, pk_slice, key_count);
    for (size_t i = 0; i < key_count; i++) {
        if (any_has(rows, count, keys[i]))
            items->keys[items->key_count++] = pk_arena_dup(&result->arena, keys[i]);
    }
}

static void keep_or_free(struct cmd_context *context, struct cmd_page *page)
{
    if (context->page != page)
        cmd_page_free(context->page);
    context->page = NULL;
    if (page->at_end && page->rest_count == 0)
        cmd_page_free(page);
    else
        context->page = page;
}

enum pk_code cmd_page_read(struct cmd_context *context, struct cmd_reading *reading,
                           struct cmd_result *result, struct pk_error *err)
{
    struct cmd_page *page = reading->page;
    bool capped = page->pages == 0 && !page->limited;
    struct shown shown = {.cap = capped ? (size_t)context->settings->rows : SIZE_MAX};
    enum pk_code rc = PK_OK;

    take_kept(page, &shown, &result->arena);
    while (rc == PK_OK && wants_more(reading, &shown)) {
        if (cmd_is_cancelled(context))
            rc = pk_fail(err, PK_E_CANCELLED, "cancelled");
        else
            rc = send_once(context, reading, &shown, result, err);
    }
    reading->shown = shown.vec.len;
    if (!page->count)
        cmd_show_items(result, shown.vec.data, shown.vec.len, page->keys, page->key_count);
    reading->page = NULL;
    if (rc != PK_OK && reading->usage.requests == 0 && page->rest_count == 0)
        page->at_end = true; /* nothing was read: nothing to go on with */
    keep_or_free(context, page);
    return rc;
}

void cmd_page_note(struct cmd_context *context, struct cmd_result *result)
{
    if (context->page != NULL)
        cmd_result_text(result, CMD_BLOCK_NOTE, "there is more: type more");
}

/* ---- query and scan -------------------------------------------------------------------------- */

/* Nothing was read: the key may have been meant otherwise. */
static void hint_key(struct cmd_context *context, const struct cmd_request *request,
                     struct cmd_result *result)
{
    pk_slice hash = cmd_target_key(&request->target)->hash[0].name;
    pk_slice nearest;

    cmd_hint_wildcard(context, request, result);
    if (request->named.len > 0 && cmd_attribute_known(context, request->target.table,
                                                      request->named, &result->arena, &nearest))
        cmd_result_hint_at(result, request->key_span,
                           "'%.*s' was read as the value of %.*s; to ask by the attribute: an "
                           "index with it as its key, or scan where …",
                           PK_FMT(request->named), PK_FMT(hash));
}

/* A filter that cannot match is worth a hint, not advice on how to ask cheaper. */
static void add_read_footer(struct cmd_context *context, const struct cmd_request *request,
                            const struct cmd_reading *reading, struct cmd_result *result)
{
    struct cmd_footer footer = {
        .operation = request->operation,
        .consistency = request->strong ? CMD_STRONG : CMD_EVENTUAL,
        .items = true,
        .counted = request->count,
        .shown = reading->shown,
    };
    struct cmd_unknown unknown = {.span = {0, 0}};

    if (reading->usage.count == 0)
        cmd_find_unknown(context, request, &result->arena, &unknown);
    if (strcmp(request->operation, "Scan") == 0 && unknown.span.len == 0)
        footer.advice = cmd_scan_advice(request, result);
    cmd_footer_read(context, result, &reading->usage, &footer);
    if (unknown.span.len > 0)
        cmd_result_hint_at(result, unknown.span, "%.*s", PK_FMT(unknown.text));
    else if (reading->usage.scanned == 0)
        hint_key(context, request, result);
}

static enum pk_code run_read(struct cmd_context *context, struct cmd_request *request,
                             struct cmd_result *result, struct pk_error *err)
{
    struct cmd_reading reading = {.page = page_of_request(request), .request = request};
    enum pk_code rc = cmd_page_read(context, &reading, result, err);

    if (reading.usage.requests == 0)
        return rc;
    if (request->count)
        cmd_result_text(result, CMD_BLOCK_TEXT, "%llu", (unsigned long long)reading.usage.count);
    add_read_footer(context, request, &reading, result);
    if (rc == PK_OK)
        cmd_page_note(context, result);
    return rc;
}

enum pk_code cmd_run_reading(struct cmd_context *context, const struct cmd_statement *statement,
                             cmd_request_builder *build, struct cmd_result *result,
                             struct pk_error *err)
{
    struct cmd_request request;
    enum pk_code rc;

    cmd_request_init(&request);
    rc = build(context, statement, &request, err);
    if (rc == PK_OK)
        rc = run_read(context, &request, result, err);
    cmd_request_release(&request);
    return rc;
}
