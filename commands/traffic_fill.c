#include "commands/traffic_fill.h"

#include <stdio.h>

#include "commands/settings.h"
#include "commands/wait.h"
#include "commands/wire.h"

enum {
    BATCH_ITEMS = 25,       /* operations.md §8 */
    BATCH_BYTES = 12 << 20, /* of 16 MB of JSON */
    PAUSE_MIN_MS = 50,
    PAUSE_MAX_MS = 2000,
    TRIES_MAX = 30 /* without any progress */
};

struct fill {
    struct cmd_context *context;
    const struct traffic_plan *plan;
    uint64_t total, next, written;
    unsigned requests;
    int64_t milli;
    bool stands; /* the clock */
    struct pk_error *err;
};

/* ---- batches --------------------------------------------------------------------------------- */

/* The next items as a RequestItems object. */
static cJSON *next_batch(struct fill *fill)
{
    struct pk_buf json = PK_BUF_INIT;
    uint64_t ranges = fill->plan->has_range ? fill->plan->range.count : 1;
    cJSON *list, *items = cJSON_CreateObject();

    pk_buf_add_byte(&json, '[');
    for (int count = 0; count < BATCH_ITEMS && fill->next < fill->total && json.len < BATCH_BYTES;
         count++) {
        struct traffic_request request = {.op = TRAFFIC_PUT,
                                          .n = fill->next,
                                          .key = fill->next / ranges,
                                          .range = fill->next % ranges};

        pk_buf_add_cstr(&json, count == 0 ? "" : ",");
        pk_buf_add_cstr(&json, "{\"PutRequest\":{\"Item\":{");
        traffic_plan_item(fill->plan, &request, &json);
        pk_buf_add_cstr(&json, "}}}");
        fill->next++;
    }
    pk_buf_add_byte(&json, ']');
    list = cmd_wire_parse(pk_buf_slice(&json));
    pk_buf_release(&json);
    cmd_wire_set_named(items, fill->plan->table, list);
    return items;
}

/* Requests in a RequestItems or UnprocessedItems object. */
static uint64_t requests_in(const cJSON *items)
{
    const cJSON *table;
    uint64_t count = 0;

    cJSON_ArrayForEach(table, items) count += (uint64_t)cJSON_GetArraySize(table);
    return count;
}

static void add_units(struct fill *fill, const cJSON *answer)
{
    const cJSON *entry;

    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(answer, "ConsumedCapacity"))
        fill->milli += cmd_wire_milli(entry, "CapacityUnits");
}

static bool is_throttled(enum pk_code rc)
{
    return rc == PK_E_THROUGHPUT_EXCEEDED || rc == PK_E_THROTTLED || rc == PK_E_REQUEST_LIMIT;
}

/* Sends one batch; *items_take becomes what was left unprocessed. All of it throttled is no
 * failure. */
static enum pk_code send_once(struct fill *fill, cJSON **items_take)
{
    cJSON *request = cJSON_CreateObject(), *answer = NULL;
    uint64_t sent = requests_in(*items_take);
    enum pk_code rc;

    cmd_wire_set(request, "RequestItems", *items_take);
    cmd_wire_set_text(request, "ReturnConsumedCapacity", PK_LIT("TOTAL"));
    rc = cmd_call(fill->context, "BatchWriteItem", request, &answer, NULL, fill->err);
    fill->requests++;
    if (rc == PK_OK) {
        add_units(fill, answer);
        *items_take = cJSON_DetachItemFromObjectCaseSensitive(answer, "UnprocessedItems");
        fill->written += sent - requests_in(*items_take);
    } else {
        *items_take = cJSON_DetachItemFromObjectCaseSensitive(request, "RequestItems");
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    if (!is_throttled(rc))
        return rc;
    pk_error_release(fill->err);
    return PK_OK;
}

static enum pk_code give_up(const struct fill *fill, const char *why)
{
    pk_fail(fill->err, PK_E_THROTTLED, "%s: %llu of %llu items were written", why,
            (unsigned long long)fill->written, (unsigned long long)fill->total);
    pk_error_hint(fill->err, "clock advance 1s gives the table new capacity, throttle observe lets "
                             "everything through");
    return PK_E_THROTTLED;
}

static enum pk_code send_batch(struct fill *fill, cJSON *items)
{
    int pause = PAUSE_MIN_MS, tries = 0;
    enum pk_code rc;

    for (;;) {
        uint64_t before = fill->written;

        rc = send_once(fill, &items);
        if (rc != PK_OK || requests_in(items) == 0)
            break;
        tries = fill->written > before ? 0 : tries + 1;
        if (fill->stands && tries > 0)
            rc = give_up(fill, "the table is throttled and the clock stands still");
        else if (tries > TRIES_MAX)
            rc = give_up(fill, "the table takes no more writes");
        else if (!cmd_pause_ms(fill->context, pause))
            rc = pk_fail(fill->err, PK_E_CANCELLED, "cancelled");
        if (rc != PK_OK)
            break;
        pause = pause * 2 > PAUSE_MAX_MS ? PAUSE_MAX_MS : pause * 2;
    }
    cJSON_Delete(items);
    return rc;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void show_progress(const struct fill *fill)
{
    const struct cmd_progress *progress = &fill->context->progress;
    char text[160];

    if (progress->show == NULL)
        return;
    (void)snprintf(text, sizeof(text), "traffic fill: %llu of %llu items",
                   (unsigned long long)fill->written, (unsigned long long)fill->total);
    progress->show(progress->context, text);
}

static bool clock_stands(struct cmd_context *context)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject(), *answer = NULL;
    bool stands = cmd_call(context, "Pksk.Clock", request, &answer, NULL, &ignored) == PK_OK &&
                  cmd_wire_bool(answer, "Paused");

    cJSON_Delete(request);
    cJSON_Delete(answer);
    pk_error_release(&ignored);
    return stands;
}

static bool is_cancelled(const struct cmd_context *context)
{
    return context->cancel != NULL && atomic_load(context->cancel);
}

static void show(const struct fill *fill, struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    pk_slice items = cmd_format_count(arena, fill->written);
    pk_slice units = cmd_format_units(arena, fill->milli);

    cmd_result_text(result, CMD_BLOCK_FOOTER,
                    "%.*s item%s into %.*s \xC2\xB7 BatchWriteItem, %u request%s \xC2\xB7 %.*s WCU",
                    PK_FMT(items), fill->written == 1 ? "" : "s", PK_FMT(fill->plan->table),
                    fill->requests, fill->requests == 1 ? "" : "s", PK_FMT(units));
}

enum pk_code cmd_traffic_fill(struct cmd_context *context, const struct traffic_plan *plan,
                              struct cmd_result *result, struct pk_error *err)
{
    struct fill fill = {.context = context, .plan = plan, .err = err};
    enum pk_code rc = PK_OK;

    fill.total = plan->hash.count * (plan->has_range ? plan->range.count : 1);
    if (fill.total > CMD_FILL_MAX)
        return pk_fail(err, PK_E_USAGE, "that makes %llu items; a fill writes up to %d",
                       (unsigned long long)fill.total, CMD_FILL_MAX);
    fill.stands = clock_stands(context);
    while (rc == PK_OK && fill.next < fill.total) {
        if (is_cancelled(context))
            rc = pk_fail(err, PK_E_CANCELLED, "cancelled: %llu of %llu items were written",
                         (unsigned long long)fill.written, (unsigned long long)fill.total);
        else
            rc = send_batch(&fill, next_batch(&fill));
        show_progress(&fill);
    }
    if (rc == PK_OK)
        show(&fill, result);
    return rc;
}
