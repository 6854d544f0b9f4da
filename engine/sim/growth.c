#include "engine/sim/growth.h"

enum { HUNDRED = 100, MILLI = 1000 };
static const int64_t HOUR_MS = INT64_C(3600000);
static const int64_t DAY_MS = INT64_C(86400000);

/* ---- on demand ------------------------------------------------------------------------------- */

bool pk_growth_period(struct pk_growth *growth, int64_t average, int64_t interval_ms,
                      int64_t now_ms)
{
    int64_t wanted;

    if (average > growth->peak)
        growth->peak = average;
    wanted = 2 * growth->peak;
    if (wanted <= growth->warm || now_ms - growth->changed_ms < interval_ms)
        return false;
    growth->warm = wanted < 2 * growth->warm ? wanted : 2 * growth->warm;
    growth->changed_ms = now_ms;
    return true;
}

/* ---- auto scaling ---------------------------------------------------------------------------- */

/* consumed / target, rounded up, within the limits. */
static int64_t wanted(const struct pk_autoscale *autoscale, int64_t average_milli)
{
    int64_t divisor = MILLI * autoscale->target_percent;
    int64_t units = (average_milli * HUNDRED + divisor - 1) / divisor;

    units = units > autoscale->max ? autoscale->max : units;
    return units < autoscale->min ? autoscale->min : units;
}

int64_t pk_autoscale_period(struct pk_autoscale *autoscale, int64_t average_milli,
                            int64_t provisioned)
{
    int64_t used = average_milli * HUNDRED; /* of provisioned * MILLI, in percent */
    int64_t whole = provisioned * MILLI;
    int64_t low = autoscale->target_percent - PK_AUTOSCALE_DOWN_PERCENT;
    int64_t up = autoscale->up > 0 ? autoscale->up : PK_AUTOSCALE_UP;
    int64_t down = autoscale->down > 0 ? autoscale->down : PK_AUTOSCALE_DOWN;

    if (autoscale->max == 0)
        return provisioned;
    autoscale->above = used > autoscale->target_percent * whole ? autoscale->above + 1 : 0;
    autoscale->below = used <= low * whole ? autoscale->below + 1 : 0;
    if (autoscale->above < up && autoscale->below < down)
        return provisioned;
    autoscale->above = autoscale->below = 0;
    return wanted(autoscale, average_milli);
}

/* ---- decreases ------------------------------------------------------------------------------- */

static bool is_today(const struct pk_decreases *decreases, int64_t now_ms)
{
    return decreases->count > 0 && decreases->day == now_ms / DAY_MS;
}

bool pk_decreases_allow(const struct pk_decreases *decreases, int64_t now_ms)
{
    if (!is_today(decreases, now_ms))
        return true;
    if (now_ms - decreases->first_ms < HOUR_MS)
        return decreases->count < PK_DECREASES_AT_FIRST;
    return now_ms - decreases->last_ms >= HOUR_MS;
}

void pk_decreases_add(struct pk_decreases *decreases, int64_t now_ms)
{
    if (!is_today(decreases, now_ms))
        *decreases = (struct pk_decreases){.day = now_ms / DAY_MS, .first_ms = now_ms};
    decreases->last_ms = now_ms;
    decreases->count++;
}

uint32_t pk_decreases_today(const struct pk_decreases *decreases, int64_t now_ms)
{
    return is_today(decreases, now_ms) ? decreases->count : 0;
}
