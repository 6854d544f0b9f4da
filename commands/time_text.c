#include "commands/time_text.h"

#include <stdio.h>
#include <time.h>

static struct tm utc_of(int64_t seconds)
{
    time_t when = (time_t)seconds;
    struct tm tm = {0};

    gmtime_r(&when, &tm);
    return tm;
}

struct cmd_time_text cmd_time_of_day(int64_t ms)
{
    struct tm tm = utc_of(ms / 1000);
    struct cmd_time_text out;

    (void)strftime(out.text, sizeof(out.text), "%H:%M:%S", &tm);
    return out;
}

struct cmd_time_text cmd_time_to_second(int64_t seconds)
{
    struct tm tm = utc_of(seconds);
    struct cmd_time_text out;

    (void)strftime(out.text, sizeof(out.text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    return out;
}

struct cmd_time_text cmd_time_to_ms(int64_t ms)
{
    struct tm tm = utc_of(ms / 1000);
    struct cmd_time_text out;
    size_t len = strftime(out.text, sizeof(out.text), "%Y-%m-%dT%H:%M:%S", &tm);

    (void)snprintf(out.text + len, sizeof(out.text) - len, ".%03dZ", (int)(ms % 1000));
    return out;
}
