#include "engine/ops/throughput.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "engine/sim/growth.h"

#define DAY_MS  INT64_C(86400000)
#define HOUR_MS INT64_C(3600000)

enum { TIME_TEXT = 96 };

static struct pk_decreases decreases_of(const struct pk_throughput *throughput)
{
    return (struct pk_decreases){
        .day = throughput->decreased_ms / DAY_MS,
        .first_ms = throughput->first_decrease_ms,
        .last_ms = throughput->decreased_ms,
        .count = (uint32_t)throughput->decreases_today,
    };
}

int64_t pk_engine_decreases_today(struct pk_engine *engine, const struct pk_throughput *throughput)
{
    struct pk_decreases decreases = decreases_of(throughput);

    return pk_decreases_today(&decreases, pk_clock_now(&engine->clock));
}

/* True when the quota allows a decrease now. */
static bool may_fall(const struct pk_throughput *throughput, int64_t now_ms)
{
    struct pk_decreases decreases = decreases_of(throughput);

    return pk_decreases_allow(&decreases, now_ms);
}

bool pk_throughput_quota(struct pk_engine *engine)
{
    struct pk_sim_settings settings;

    pk_engine_settings(engine, &settings);
    return settings.decrease_quota != 0;
}

/* "Monday, February 13, 2023 at 10:25:39 AM Coordinated Universal Time" */
static void time_text(int64_t ms, char text[TIME_TEXT])
{
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    int hour;

    gmtime_r(&seconds, &tm);
    hour = tm.tm_hour % 12 == 0 ? 12 : tm.tm_hour % 12;
    snprintf(text, TIME_TEXT, "%s, %s %d, %d at %d:%02d:%02d %s Coordinated Universal Time",
             days[tm.tm_wday], months[tm.tm_mon], tm.tm_mday, tm.tm_year + 1900, hour, tm.tm_min,
             tm.tm_sec, tm.tm_hour < 12 ? "AM" : "PM");
}

/* The text as AWS has it. The next one may also be the first of the next day. */
static enum pk_code fail_quota(const struct pk_throughput *throughput, struct pk_error *err)
{
    int64_t next_ms = throughput->decreased_ms + HOUR_MS;
    int64_t midnight_ms = (throughput->decreased_ms / DAY_MS + 1) * DAY_MS;
    char last[TIME_TEXT], next[TIME_TEXT];

    time_text(throughput->decreased_ms, last);
    time_text(next_ms < midnight_ms ? next_ms : midnight_ms, next);
    return pk_fail(err, PK_E_LIMIT_EXCEEDED,
                   "Subscriber limit exceeded: Provisioned throughput decreases are limited within "
                   "a given UTC day. After the first 4 decreases, each subsequent decrease in the "
                   "same UTC day can be performed at most once every 3600 seconds. Number of "
                   "decreases today: %" PRId64 ". Last decrease at %s. Next decrease can be made "
                   "at %s",
                   throughput->decreases_today, last, next);
}

static void count_decrease(struct pk_throughput *throughput, int64_t now_ms)
{
    struct pk_decreases decreases = decreases_of(throughput);

    pk_decreases_add(&decreases, now_ms);
    throughput->first_decrease_ms = decreases.first_ms;
    throughput->decreased_ms = decreases.last_ms;
    throughput->decreases_today = decreases.count;
}

enum pk_code pk_throughput_change(struct pk_throughput *throughput, int64_t read, int64_t write,
                                  bool quota, int64_t now_ms, struct pk_error *err)
{
    bool falls = read < throughput->read || write < throughput->write;

    if (falls && quota && !may_fall(throughput, now_ms))
        return fail_quota(throughput, err);
    if (read > throughput->read || write > throughput->write)
        throughput->increased_ms = now_ms;
    if (falls)
        count_decrease(throughput, now_ms);
    throughput->read = read;
    throughput->write = write;
    return PK_OK;
}
