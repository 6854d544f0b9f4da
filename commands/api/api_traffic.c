/*
 * Traffics of the process that holds the store: operations of ours, so that a panel elsewhere can
 * show them and turn their knobs.
 *
 *   Pksk.Traffic      {} → Time, Traffic [TRAFFIC]
 *   Pksk.SetTraffic   {Name, Rate?: "2000/s", Skew?: "hot(80% USER#1)"} → Time, Traffic [TRAFFIC]
 *   Pksk.StopTraffic  {Name?} → Time, Traffic [TRAFFIC]: those that were stopped, without Name all
 *
 *   TRAFFIC = {Name, Operation: "get"|"mix(…)"|"replay", TableName, Keys, Skew, Rate, Seed, Size,
 *              Strong, State: "RUNNING"|"ENDED", Reason?, ForMs?, LeftMs?, Sent, Ok, Throttled,
 * Failed, WouldThrottle, Missed, OkPerSecond, ThrottledPerSecond, ReadMilli, WriteMilli, P50Micros,
 * P90Micros, P99Micros, MaxMicros, Throttles [{Reason, IndexName?, Partition?, Observed, Count}],
 *              Failures [{Name, Message, Count}]}
 *
 * A process without a shell has none. Milli: thousandths of a capacity unit.
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"
#include "commands/workload/traffic.h"

static void add_uint(struct pk_buf *out, const char *name, uint64_t number)
{
    json_out_member(out, name);
    json_out_uint(out, number);
}

static void add_int(struct pk_buf *out, const char *name, int64_t number)
{
    json_out_member(out, name);
    json_out_int(out, number);
}

static void add_bool(struct pk_buf *out, const char *name, bool boolean)
{
    json_out_member(out, name);
    json_out_bool(out, boolean);
}

static void add_plan(struct pk_buf *out, const struct traffic *traffic)
{
    struct pk_buf op = PK_BUF_INIT;
    const struct traffic_plan *plan = &traffic->plan;

    traffic_plan_op_text(plan, &op);
    json_out_member_text(out, "Name", pk_slice_cstr(traffic->name));
    json_out_member_text(out, "Operation", pk_buf_slice(&op));
    json_out_member_text(out, "TableName", plan->table);
    json_out_member_text(out, "Keys", plan->keys_text);
    json_out_member_text(out, "Skew", plan->skew_text);
    add_int(out, "Rate", traffic->pace.rate);
    add_uint(out, "Seed", plan->seed);
    add_uint(out, "Size", plan->size);
    add_bool(out, "Strong", plan->strong);
    pk_buf_release(&op);
}

static void add_state(struct pk_buf *out, const struct traffic *traffic, int64_t now_ms)
{
    json_out_member_text(out, "State", pk_slice_cstr(traffic->ended ? "ENDED" : "RUNNING"));
    if (traffic->why != NULL)
        json_out_member_text(out, "Reason", pk_slice_cstr(traffic->why));
    if (traffic->until_ms == INT64_MAX)
        return;
    add_int(out, "ForMs", traffic->until_ms - traffic->start_ms);
    add_int(out, "LeftMs",
            traffic->ended || now_ms > traffic->until_ms ? 0 : traffic->until_ms - now_ms);
}

static void add_counts(struct pk_buf *out, const struct traffic *traffic, int64_t now_ms)
{
    const struct traffic_tally *tally = &traffic->tally;
    uint64_t ok = 0, throttled = 0;

    traffic_tally_rates(tally, traffic_second(traffic, now_ms), &ok, &throttled);
    add_uint(out, "Sent", tally->sent);
    add_uint(out, "Ok", tally->ok);
    add_uint(out, "Throttled", tally->throttled);
    add_uint(out, "Failed", tally->failed);
    add_uint(out, "WouldThrottle", tally->would);
    add_uint(out, "Missed", traffic->missed);
    add_uint(out, "OkPerSecond", ok);
    add_uint(out, "ThrottledPerSecond", throttled);
    add_int(out, "ReadMilli", tally->read_milli);
    add_int(out, "WriteMilli", tally->write_milli);
    add_uint(out, "P50Micros", histogram_quantile(&tally->micros, 500));
    add_uint(out, "P90Micros", histogram_quantile(&tally->micros, 900));
    add_uint(out, "P99Micros", histogram_quantile(&tally->micros, 990));
    add_uint(out, "MaxMicros", tally->micros.max);
}

static void add_throttles(struct pk_buf *out, const struct traffic_tally *tally)
{
    json_out_member(out, "Throttles");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < tally->throttle_count; i++) {
        const struct traffic_throttle *throttle = &tally->throttles[i];

        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "Reason", pk_slice_cstr(throttle->reason));
        if (throttle->index != NULL)
            json_out_member_text(out, "IndexName", pk_slice_cstr(throttle->index));
        if (throttle->has_partition)
            add_uint(out, "Partition", throttle->partition);
        add_bool(out, "Observed", throttle->would);
        add_uint(out, "Count", throttle->count);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

static void add_failures(struct pk_buf *out, const struct traffic_tally *tally)
{
    json_out_member(out, "Failures");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < tally->failure_count; i++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "Name", pk_slice_cstr(tally->failures[i].name));
        json_out_member_text(out, "Message", pk_slice_cstr(tally->failures[i].message));
        add_uint(out, "Count", tally->failures[i].count);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

static void add_traffic(void *context, struct traffic *traffic, int64_t now_ms)
{
    struct pk_buf *out = context;

    json_out_element(out);
    pk_buf_add_byte(out, '{');
    add_plan(out, traffic);
    add_state(out, traffic, now_ms);
    add_counts(out, traffic, now_ms);
    add_throttles(out, &traffic->tally);
    add_failures(out, &traffic->tally);
    pk_buf_add_byte(out, '}');
}

static void begin_list(struct api_call *call, struct pk_buf *out)
{
    add_int(out, "Time", pk_clock_now(pk_engine_clock(call->engine)));
    json_out_member(out, "Traffic");
    pk_buf_add_byte(out, '[');
}

enum pk_code api_pksk_traffic(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    (void)request;
    (void)err;
    begin_list(call, out);
    if (call->traffics != NULL)
        traffics_each(call->traffics, (struct traffic_visitor){add_traffic, out});
    pk_buf_add_byte(out, ']');
    return PK_OK;
}

enum pk_code api_pksk_set_traffic(struct api_call *call, const struct cJSON *request,
                                  struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    pk_slice name = api_get_text(arena, request, "Name");
    pk_slice rate_text = api_get_text(arena, request, "Rate");
    pk_slice skew_text = api_get_text(arena, request, "Skew");
    struct traffic_change change = {NULL, NULL};
    struct traffic_skew skew;
    int64_t rate = 0;
    enum pk_code rc = PK_OK;

    if (call->traffics == NULL)
        return pk_fail(err, PK_E_USAGE, "no traffic is called '%.*s'", PK_FMT(name));
    if (rate_text.data != NULL) {
        rc = traffic_rate_parse(rate_text, &rate, err);
        change.rate = &rate;
    }
    if (rc == PK_OK && skew_text.data != NULL) {
        rc = traffic_skew_parse(skew_text, arena, &skew, err);
        change.skew = &skew;
    }
    if (rc == PK_OK)
        rc = traffics_set(call->traffics, name, &change, err);
    if (rc != PK_OK) {
        err->span = (struct pk_span){0, 0}; /* of a text that the caller has made */
        return rc;
    }
    return api_pksk_traffic(call, request, out, err);
}

enum pk_code api_pksk_stop_traffic(struct api_call *call, const struct cJSON *request,
                                   struct pk_buf *out, struct pk_error *err)
{
    pk_slice name = api_get_text(call->call.arena, request, "Name");
    struct traffic *traffic = NULL;
    size_t count = 0;

    begin_list(call, out);
    while (call->traffics != NULL && (name.data == NULL || count == 0) &&
           (traffic = traffics_take(call->traffics, name)) != NULL) {
        add_traffic(out, traffic, traffic->ended_ms);
        traffic_free(traffic);
        count++;
    }
    pk_buf_add_byte(out, ']');
    if (name.data != NULL && count == 0)
        return pk_fail(err, PK_E_USAGE, "no traffic is called '%.*s'", PK_FMT(name));
    return PK_OK;
}
