#include "commands/traffic_fill.h"

#include <stdio.h>

#include "commands/batch_send.h"
#include "commands/settings.h"
#include "commands/wait.h"
#include "commands/wire.h"

enum {
    BATCH_BYTES = 12 << 20, /* of 16 MB of JSON */
    PAUSE_MAX_MS = 2000
};

struct fill {
    struct cmd_context *context;
    const struct traffic_plan *plan;
    uint64_t total, next;
    struct cmd_batch_sender sender;
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
    for (int count = 0;
         count < CMD_BATCH_ITEMS && fill->next < fill->total && json.len < BATCH_BYTES; count++) {
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

static enum pk_code give_up(const struct fill *fill, const char *why)
{
    pk_fail(fill->err, PK_E_THROTTLED, "%s: %llu of %llu items were written", why,
            (unsigned long long)fill->sender.written, (unsigned long long)fill->total);
    pk_error_hint(fill->err, "clock advance 1s gives the table new capacity, throttle observe lets "
                             "everything through");
    return PK_E_THROTTLED;
}

static enum pk_code send_batch(struct fill *fill, cJSON *items_take)
{
    uint64_t left = 0;
    enum pk_code rc = cmd_batch_send(&fill->sender, items_take, &left, fill->err);

    if (rc != PK_OK || left == 0)
        return rc;
    return give_up(fill, fill->sender.waits_never
                             ? "the table is throttled and the clock stands still"
                             : "the table takes no more writes");
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void show_progress(const struct fill *fill)
{
    const struct cmd_progress *progress = &fill->context->progress;
    char text[160];

    if (progress->show == NULL)
        return;
    (void)snprintf(text, sizeof(text), "traffic fill: %llu of %llu items",
                   (unsigned long long)fill->sender.written, (unsigned long long)fill->total);
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

static void show(const struct fill *fill, struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    pk_slice items = cmd_format_count(arena, fill->sender.written);
    pk_slice units = cmd_format_units(arena, fill->sender.milli);

    cmd_result_text(result, CMD_BLOCK_FOOTER,
                    "%.*s item%s into %.*s \xC2\xB7 BatchWriteItem, %u request%s \xC2\xB7 %.*s WCU",
                    PK_FMT(items), fill->sender.written == 1 ? "" : "s", PK_FMT(fill->plan->table),
                    fill->sender.calls, fill->sender.calls == 1 ? "" : "s", PK_FMT(units));
}

enum pk_code cmd_traffic_fill(struct cmd_context *context, const struct traffic_plan *plan,
                              struct cmd_result *result, struct pk_error *err)
{
    struct fill fill = {
        .context = context,
        .plan = plan,
        .sender = {.context = context, .pause_max_ms = PAUSE_MAX_MS},
        .err = err,
    };
    enum pk_code rc = PK_OK;

    fill.total = plan->hash.count * (plan->has_range ? plan->range.count : 1);
    if (fill.total > CMD_FILL_MAX)
        return pk_fail(err, PK_E_USAGE, "that makes %llu items; a fill writes up to %d",
                       (unsigned long long)fill.total, CMD_FILL_MAX);
    fill.sender.waits_never = clock_stands(context);
    while (rc == PK_OK && fill.next < fill.total) {
        if (cmd_is_cancelled(context))
            rc = pk_fail(err, PK_E_CANCELLED, "cancelled: %llu of %llu items were written",
                         (unsigned long long)fill.sender.written, (unsigned long long)fill.total);
        else
            rc = send_batch(&fill, next_batch(&fill));
        show_progress(&fill);
    }
    if (rc == PK_OK)
        show(&fill, result);
    return rc;
}
