/*
 * The simulated clock: an operation of ours.
 *
 *   Pksk.Clock  {Action?: PAUSE | RESUME | ADVANCE | SET | SPEED, Value?: number text}
 *               → Now, Paused, Speed
 *
 * Value: milliseconds to advance by, milliseconds since 1970 to set to, or simulated seconds a real
 * one. Times are text, because a JSON number would be written with a fraction.
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"

static enum pk_code read_value(struct pk_arena *arena, const struct cJSON *request, int64_t max,
                               int64_t *value, struct pk_error *err)
{
    pk_slice text = api_get_text(arena, request, "Value");
    int64_t number = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || number > max)
            return pk_fail(err, PK_E_USAGE, "Value is a whole number up to %lld", (long long)max);
        number = number * 10 + (text.data[i] - '0');
    }
    if (text.len == 0 || number > max)
        return pk_fail(err, PK_E_USAGE, "Value is a whole number up to %lld", (long long)max);
    *value = number;
    return PK_OK;
}

static enum pk_code advance(struct api_call *call, const struct cJSON *request,
                            struct pk_error *err)
{
    struct pk_clock *clock = pk_engine_clock(call->engine);
    bool by = api_get_is(request, "Action", "ADVANCE");
    int64_t to_ms = 0;
    enum pk_code rc = read_value(call->call.arena, request, PK_CLOCK_MAX_MS, &to_ms, err);

    if (rc != PK_OK)
        return rc;
    if (by)
        to_ms += pk_clock_now(clock);
    return pk_engine_advance(call->engine, &call->call, to_ms, err);
}

static enum pk_code set_speed(struct api_call *call, const struct cJSON *request,
                              struct pk_error *err)
{
    int64_t speed = 0;
    enum pk_code rc = read_value(call->call.arena, request, PK_CLOCK_SPEED_MAX, &speed, err);

    return rc != PK_OK ? rc : pk_engine_clock_speed(call->engine, (uint32_t)speed, err);
}

enum pk_code api_pksk_clock(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                            struct pk_error *err)
{
    struct pk_clock *clock = pk_engine_clock(call->engine);
    struct pk_clock_state state;
    enum pk_code rc = PK_OK;

    if (api_get_is(request, "Action", "PAUSE"))
        rc = pk_engine_clock_pause(call->engine, err);
    else if (api_get_is(request, "Action", "RESUME"))
        rc = pk_engine_clock_resume(call->engine, err);
    else if (api_get_is(request, "Action", "SPEED"))
        rc = set_speed(call, request, err);
    else if (api_json_member(request, "Action") != NULL)
        rc = advance(call, request, err);
    if (rc != PK_OK)
        return rc;
    state = pk_clock_save(clock);
    json_out_member_text(out, "Now",
                         pk_arena_printf(call->call.arena, "%lld", (long long)pk_clock_now(clock)));
    json_out_member(out, "Paused");
    json_out_bool(out, state.paused);
    json_out_member(out, "Speed");
    json_out_uint(out, state.speed);
    return PK_OK;
}
