#include "commands/workload/traffic_pace.h"

enum { SECOND = 1000 };

int64_t traffic_pace_due(const struct traffic_pace *pace, uint64_t n)
{
    uint64_t k = n - pace->base_n, rate = (uint64_t)pace->rate, ms;

    if (k > UINT64_MAX / (4 * SECOND))
        return INT64_MAX;
    /* rounded up: what is due up to the end of a second is all of that second's */
    ms = pace->burst ? k / rate * SECOND + 1 : ((2 * k + 1) * SECOND + 2 * rate - 1) / (2 * rate);
    return ms > (uint64_t)(INT64_MAX - pace->base_ms) ? INT64_MAX : pace->base_ms + (int64_t)ms;
}

void traffic_pace_set_rate(struct traffic_pace *pace, int64_t now_ms, uint64_t n, int64_t rate)
{
    pace->base_ms = now_ms;
    pace->base_n = n;
    pace->rate = rate;
}

void traffic_pace_slip(struct traffic_pace *pace, int64_t by_ms)
{
    pace->base_ms += by_ms;
}
