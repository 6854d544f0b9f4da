#include "commands/traffic_show.h"

#include <stdlib.h>

#include "commands/settings.h"
#include "commands/sim_settings.h"
#include "commands/workload/traffic.h"

#define DOT " \xC2\xB7 "
enum { LIST_CELLS = 11, SUMMARY_CELLS = 3, SHOWN_THROTTLES = 12 };

static pk_slice buf_text(struct pk_arena *arena, struct pk_buf *buf)
{
    pk_slice text = pk_arena_dup(arena, pk_buf_slice(buf));

    pk_buf_release(buf);
    return text;
}

static pk_slice rate_text(struct pk_arena *arena, const struct traffic *traffic)
{
    pk_slice rate;

    if (traffic->plan.tape != NULL)
        return traffic->speed == 1 ? PK_LIT("as recorded")
                                   : pk_arena_printf(arena, "%u times as fast", traffic->speed);
    rate = cmd_format_count(arena, (uint64_t)traffic->pace.rate);
    return pk_arena_printf(arena, "%.*s/s", PK_FMT(rate));
}

static pk_slice op_text(struct pk_arena *arena, const struct traffic *traffic)
{
    struct pk_buf text = PK_BUF_INIT;

    traffic_plan_op_text(&traffic->plan, &text);
    return buf_text(arena, &text);
}

static pk_slice micros_text(struct pk_arena *arena, uint64_t micros)
{
    if (micros < 100)
        return pk_arena_printf(arena, "0.%03llu ms", (unsigned long long)micros);
    if (micros < 10000)
        return pk_arena_printf(arena, "%llu.%02llu ms", (unsigned long long)(micros / 1000),
                               (unsigned long long)(micros % 1000 / 10));
    return pk_arena_printf(arena, "%llu ms", (unsigned long long)(micros / 1000));
}

/* "30 s", "24.3 s": a time that was measured. */
static pk_slice lasted_text(struct pk_arena *arena, int64_t ms)
{
    if (ms <= 0)
        return PK_LIT("0 s");
    if (ms % 1000 == 0 || ms < 1000)
        return cmd_duration_text(arena, (uint64_t)ms);
    return pk_arena_printf(arena, "%lld.%lld s", (long long)(ms / 1000),
                           (long long)(ms % 1000 / 100));
}

void cmd_traffic_prepare(struct cmd_context *context)
{
    if (context->traffics == NULL)
        context->traffics = traffics_new();
}

size_t cmd_traffic_running(struct cmd_context *context)
{
    return context->traffics == NULL ? 0 : traffics_running(context->traffics);
}

/* "96"; under observe "96 would be". */
static pk_slice throttled_text(struct pk_arena *arena, const struct traffic_tally *tally)
{
    pk_slice throttled = cmd_format_count(arena, tally->throttled);
    pk_slice would = cmd_format_count(arena, tally->would);

    if (tally->would == 0)
        return throttled;
    if (tally->throttled == 0)
        return pk_arena_printf(arena, "%.*s would be", PK_FMT(would));
    return pk_arena_printf(arena, "%.*s and %.*s would be", PK_FMT(throttled), PK_FMT(would));
}

/* ---- the list -------------------------------------------------------------------------------- */

struct list {
    struct cmd_context *context;
    struct cmd_result *result;
    struct cmd_grid *grid; /* NULL: none so far */
    bool times;            /* latencies are shown */
};

static pk_slice left_text(struct pk_arena *arena, const struct traffic *traffic, int64_t now_ms)
{
    if (traffic->why != NULL)
        return PK_LIT("ended early");
    if (traffic->ended)
        return PK_LIT("ended");
    if (traffic->until_ms != INT64_MAX)
        return lasted_text(arena, traffic->until_ms - now_ms);
    return traffic->plan.tape != NULL ? PK_LIT("until it is replayed") : PK_LIT("until stopped");
}

static void begin_list(struct list *list)
{
    static const char *const columns[LIST_CELLS] = {"traffic", "does",        "table", "rate",
                                                    "ok/s",    "throttled/s", "ok",    "throttled",
                                                    "left",    "p50",         "p99"};
    static const enum cmd_align aligns[LIST_CELLS] = {CMD_LEFT,  CMD_LEFT,  CMD_LEFT,  CMD_RIGHT,
                                                      CMD_RIGHT, CMD_RIGHT, CMD_RIGHT, CMD_RIGHT,
                                                      CMD_LEFT,  CMD_RIGHT, CMD_RIGHT};

    if (list->grid == NULL)
        list->grid = cmd_result_grid(list->result, columns, aligns,
                                     list->times ? LIST_CELLS : LIST_CELLS - 2);
}

static void list_one(void *context, struct traffic *traffic, int64_t now_ms)
{
    struct list *list = context;
    struct pk_arena *arena = &list->result->arena;
    const struct traffic_tally *tally = &traffic->tally;
    uint64_t ok = 0, throttled = 0;
    pk_slice cells[LIST_CELLS];

    begin_list(list);
    if (!traffic->ended)
        traffic_tally_rates(tally, traffic_second(traffic, now_ms), &ok, &throttled);
    traffic->told = traffic->told || traffic->ended;
    cells[0] = pk_arena_dup(arena, pk_slice_cstr(traffic->name));
    cells[1] = op_text(arena, traffic);
    cells[2] = pk_arena_dup(arena, traffic->plan.table);
    cells[3] = rate_text(arena, traffic);
    cells[4] = cmd_format_count(arena, ok);
    cells[5] = cmd_format_count(arena, throttled);
    cells[6] = cmd_format_count(arena, tally->ok);
    cells[7] = throttled_text(arena, tally);
    cells[8] = left_text(arena, traffic, now_ms);
    cells[9] = micros_text(arena, histogram_quantile(&tally->micros, 500));
    cells[10] = micros_text(arena, histogram_quantile(&tally->micros, 990));
    cmd_grid_row(list->result, list->grid, cells);
}

void cmd_traffic_list(struct cmd_context *context, struct cmd_result *result)
{
    struct list list = {
        .context = context, .result = result, .times = context->settings->footer_time};

    if (context->traffics != NULL)
        traffics_each(context->traffics, (struct traffic_visitor){list_one, &list});
    if (list.grid == NULL)
        cmd_result_text(result, CMD_BLOCK_NOTE, "no traffic; help traffic tells how to start one");
}

/* ---- the summary ----------------------------------------------------------------------------- */

struct summary {
    struct cmd_result *result;
    struct cmd_grid *grid;
};

static void add_row(struct summary *summary, const char *label, pk_slice number, pk_slice remark)
{
    const pk_slice cells[SUMMARY_CELLS] = {pk_slice_cstr(label), number, remark};

    cmd_grid_row(summary->result, summary->grid, cells);
}

static void add_count(struct summary *summary, const char *label, uint64_t count, pk_slice remark)
{
    add_row(summary, label, cmd_format_count(&summary->result->arena, count), remark);
}

/* "31.3 % of the requests" */
static pk_slice share_text(struct pk_arena *arena, uint64_t part, uint64_t whole)
{
    uint64_t milli = whole == 0 ? 0 : part * 1000 / whole;

    return pk_arena_printf(arena, "%llu.%llu %% of the requests", (unsigned long long)(milli / 10),
                           (unsigned long long)(milli % 10));
}

static pk_slice throttle_text(struct pk_arena *arena, const struct traffic_throttle *throttle)
{
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_add_cstr(&text, throttle->reason[0] == '\0' ? "no reason told" : throttle->reason);
    if (throttle->index != NULL)
        pk_buf_printf(&text, " of index %s", throttle->index);
    if (throttle->has_partition)
        pk_buf_printf(&text, ", partition %u", throttle->partition);
    return buf_text(arena, &text);
}

/* The most frequent first; of equal ones that of the lower partition. */
static int by_count(const void *a, const void *b)
{
    const struct traffic_throttle *left = *(const struct traffic_throttle *const *)a;
    const struct traffic_throttle *right = *(const struct traffic_throttle *const *)b;

    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    if (left->partition != right->partition)
        return left->partition > right->partition ? 1 : -1;
    return strcmp(left->reason, right->reason);
}

/* Those that were refused, or those that would have been. */
static void add_throttles(struct summary *summary, const struct traffic_tally *tally, bool would)
{
    struct pk_arena *arena = &summary->result->arena;
    const struct traffic_throttle **rows =
        PK_NEW_ARRAY(arena, const struct traffic_throttle *, tally->throttle_count + 1);
    uint64_t others = 0;
    size_t count = 0;

    for (size_t i = 0; i < tally->throttle_count; i++)
        if (tally->throttles[i].would == would)
            rows[count++] = &tally->throttles[i];
    qsort(rows, count, sizeof(rows[0]), by_count);
    for (size_t i = 0; i < count; i++) {
        if (i < SHOWN_THROTTLES)
            add_count(summary, "", rows[i]->count, throttle_text(arena, rows[i]));
        else
            others += rows[i]->count;
    }
    if (others > 0)
        add_count(summary, "", others, PK_LIT("on other partitions"));
}

static void add_failures(struct summary *summary, const struct traffic_tally *tally)
{
    struct pk_arena *arena = &summary->result->arena;

    for (size_t i = 0; i < tally->failure_count; i++)
        add_count(summary, i == 0 ? "failed" : "", tally->failures[i].count,
                  pk_arena_printf(arena, "%s%s%s", tally->failures[i].name,
                                  tally->failures[i].message[0] == '\0' ? "" : ": ",
                                  tally->failures[i].message));
}

static void add_units(struct summary *summary, const struct traffic_tally *tally)
{
    struct pk_arena *arena = &summary->result->arena;
    bool both = tally->read_milli > 0 && tally->write_milli > 0;

    if (tally->read_milli > 0)
        add_row(summary, "units", cmd_format_units(arena, tally->read_milli), PK_LIT("RCU"));
    if (tally->write_milli > 0)
        add_row(summary, both ? "" : "units", cmd_format_units(arena, tally->write_milli),
                PK_LIT("WCU"));
}

static pk_slice latency_text(struct pk_arena *arena, const struct histogram *micros)
{
    pk_slice p50 = micros_text(arena, histogram_quantile(micros, 500));
    pk_slice p90 = micros_text(arena, histogram_quantile(micros, 900));
    pk_slice p99 = micros_text(arena, histogram_quantile(micros, 990));
    pk_slice max = micros_text(arena, micros->max);

    return pk_arena_printf(arena, "p50 %.*s" DOT "p90 %.*s" DOT "p99 %.*s" DOT "max %.*s",
                           PK_FMT(p50), PK_FMT(p90), PK_FMT(p99), PK_FMT(max));
}

/* "viral: get on dashboard, 10,000/s, keys=USER#{1..300}, hot(70% USER#1), seed 7, for 30 s" */
static void add_head(const struct traffic *traffic, struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    const struct traffic_plan *plan = &traffic->plan;
    struct pk_buf text = PK_BUF_INIT;
    pk_slice op = op_text(arena, traffic), rate = rate_text(arena, traffic);
    pk_slice lasted = lasted_text(arena, traffic->ended_ms - traffic->start_ms);

    pk_buf_printf(&text, "%s: %.*s on %.*s, %.*s", traffic->name, PK_FMT(op), PK_FMT(plan->table),
                  PK_FMT(rate));
    if (plan->tape == NULL)
        pk_buf_printf(&text, ", keys=%.*s, %.*s, seed %llu", PK_FMT(plan->keys_text),
                      PK_FMT(plan->skew_text), (unsigned long long)plan->seed);
    if (plan->strong)
        pk_buf_add_cstr(&text, ", strong");
    pk_buf_printf(&text, ", for %.*s", PK_FMT(lasted));
    cmd_result_text(result, CMD_BLOCK_NOTE, "%s", text.data);
    pk_buf_release(&text);
    if (traffic->why != NULL)
        cmd_result_text(result, CMD_BLOCK_NOTE, "it ended early: %s", traffic->why);
}

void cmd_traffic_summary(struct cmd_context *context, const struct traffic *traffic,
                         struct cmd_result *result)
{
    static const char *const columns[SUMMARY_CELLS] = {"what", "count", "which"};
    static const enum cmd_align aligns[SUMMARY_CELLS] = {CMD_LEFT, CMD_RIGHT, CMD_LEFT};
    const struct traffic_tally *tally = &traffic->tally;
    struct pk_arena *arena = &result->arena;
    struct summary summary = {.result = result};

    add_head(traffic, result);
    summary.grid = cmd_result_grid(result, columns, aligns, SUMMARY_CELLS);
    summary.grid->headless = true;
    add_count(&summary, "requests", tally->sent, (pk_slice){NULL, 0});
    if (traffic->missed > 0)
        add_count(&summary, "not sent", traffic->missed,
                  PK_LIT("were asked for: it could not keep up"));
    add_count(&summary, "ok", tally->ok, (pk_slice){NULL, 0});
    if (tally->throttled > 0)
        add_count(&summary, "throttled", tally->throttled,
                  share_text(arena, tally->throttled, tally->sent));
    add_throttles(&summary, tally, false);
    if (tally->would > 0)
        add_count(&summary, "would throttle", tally->would,
                  share_text(arena, tally->would, tally->sent));
    add_throttles(&summary, tally, true);
    add_failures(&summary, tally);
    add_units(&summary, tally);
    if (context->settings->footer_time && tally->sent > 0)
        add_row(&summary, "latency", (pk_slice){NULL, 0}, latency_text(arena, &tally->micros));
}

/* ---- news ------------------------------------------------------------------------------------ */

static void tell(void *context, struct traffic *traffic, int64_t now_ms)
{
    struct cmd_result *result = context;
    struct pk_arena *arena = &result->arena;
    pk_slice sent = cmd_format_count(arena, traffic->tally.sent);
    pk_slice throttled = throttled_text(arena, &traffic->tally);

    (void)now_ms;
    if (!traffic->ended || traffic->told || traffic->in_flight > 0)
        return;
    traffic->told = true;
    cmd_result_text(result, CMD_BLOCK_NOTE,
                    "traffic %s has ended%s%s%s: %.*s request%s, %.*s throttled; traffic stop %s "
                    "tells more",
                    traffic->name, traffic->why == NULL ? "" : " early (",
                    traffic->why == NULL ? "" : traffic->why, traffic->why == NULL ? "" : ")",
                    PK_FMT(sent), traffic->tally.sent == 1 ? "" : "s", PK_FMT(throttled),
                    traffic->name);
}

void cmd_traffic_news(struct cmd_context *context, struct cmd_result *result)
{
    if (context->traffics != NULL)
        traffics_each(context->traffics, (struct traffic_visitor){tell, result});
}
