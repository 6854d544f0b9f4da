/* clock: simulated time. */
#include <stdio.h>
#include <time.h>

#include "commands/args.h"
#include "commands/entries.h"
#include "commands/sim_settings.h"
#include "commands/time_text.h"
#include "commands/wait.h"
#include "commands/wire.h"
#include "commands/workload/traffic.h"

/* ---- time as text ---------------------------------------------------------------------------- */

/* The digits of text at *at, n of them; false when there are others. */
static bool take_digits(pk_slice text, size_t *at, size_t n, int *number)
{
    *number = 0;
    for (size_t i = 0; i < n; i++, (*at)++) {
        if (*at >= text.len || text.data[*at] < '0' || text.data[*at] > '9')
            return false;
        *number = *number * 10 + (text.data[*at] - '0');
    }
    return true;
}

static bool take_char(pk_slice text, size_t *at, char c)
{
    if (*at >= text.len || text.data[*at] != c)
        return false;
    (*at)++;
    return true;
}

static bool in_range(const struct tm *tm)
{
    struct tm copy = *tm;

    (void)timegm(&copy);
    return copy.tm_mday == tm->tm_mday && copy.tm_mon == tm->tm_mon &&
           copy.tm_hour == tm->tm_hour && copy.tm_min == tm->tm_min && copy.tm_sec == tm->tm_sec;
}

/* 2026-08-13, 2026-08-13T12:00, 2026-08-13T12:00:00 and with Z, which is what all of them are. */
static bool parse_time(pk_slice text, int64_t *ms)
{
    struct tm tm = {0};
    size_t at = 0;
    bool fine = take_digits(text, &at, 4, &tm.tm_year) && take_char(text, &at, '-') &&
                take_digits(text, &at, 2, &tm.tm_mon) && take_char(text, &at, '-') &&
                take_digits(text, &at, 2, &tm.tm_mday);

    if (fine && take_char(text, &at, 'T')) {
        fine = take_digits(text, &at, 2, &tm.tm_hour) && take_char(text, &at, ':') &&
               take_digits(text, &at, 2, &tm.tm_min);
        if (fine && take_char(text, &at, ':'))
            fine = take_digits(text, &at, 2, &tm.tm_sec);
        (void)take_char(text, &at, 'Z');
    }
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    if (!fine || at != text.len || !in_range(&tm))
        return false;
    *ms = (int64_t)timegm(&tm) * 1000;
    return *ms >= 0;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void set_action(cJSON *request, const char *action, int64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", (long long)value);
    cmd_wire_set_text(request, "Action", pk_slice_cstr(action));
    cmd_wire_set_text(request, "Value", pk_slice_cstr(text));
}

static enum pk_code parse_advance(struct cmd_words *words, cJSON *request, struct pk_error *err)
{
    uint64_t ms = 0;
    enum pk_code rc = cmd_words_duration(words, &ms, err);

    if (rc == PK_OK)
        set_action(request, "ADVANCE", (int64_t)ms);
    return rc;
}

static enum pk_code parse_set(struct cmd_words *words, cJSON *request, struct pk_error *err)
{
    struct pk_span span = words->token.span;
    int64_t ms = 0;
    pk_slice text;
    enum pk_code rc = cmd_words_take(words, "a time", &text, err);

    if (rc == PK_OK && !parse_time(text, &ms)) {
        rc = pk_fail_at(err, PK_E_USAGE, span, "expected a time");
        pk_error_hint(err, "a time is 2026-08-13T12:00:00Z, or 2026-08-13 for its midnight");
    }
    if (rc == PK_OK)
        set_action(request, "SET", ms);
    return rc;
}

static enum pk_code parse_speed(struct cmd_words *words, cJSON *request, struct pk_error *err)
{
    int64_t speed = 0;
    enum pk_code rc = cmd_words_number(words, PK_CLOCK_SPEED_MAX, &speed, err);

    if (rc == PK_OK)
        set_action(request, "SPEED", speed);
    return rc;
}

static enum pk_code parse_action(struct cmd_words *words, cJSON *request, struct pk_error *err)
{
    static const struct {
        const char *word;
        const char *action;
        enum pk_code (*parse)(struct cmd_words *words, cJSON *request, struct pk_error *err);
    } actions[] = {
        {"pause", "PAUSE", NULL}, {"resume", "RESUME", NULL},   {"advance", NULL, parse_advance},
        {"set", NULL, parse_set}, {"speed", NULL, parse_speed},
    };

    for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
        enum pk_code rc;

        if (!cmd_words_is(words, actions[i].word))
            continue;
        rc = cmd_words_next(words, err);
        if (rc == PK_OK && actions[i].parse != NULL)
            rc = actions[i].parse(words, request, err);
        else if (rc == PK_OK)
            cmd_wire_set_text(request, "Action", pk_slice_cstr(actions[i].action));
        return rc == PK_OK ? cmd_words_done(words, err) : rc;
    }
    return pk_fail_at(err, PK_E_USAGE, words->token.span,
                      "expected pause, resume, advance, set or speed");
}

/* ---- traffic on another pksk's clock --------------------------------------------------------- */

static void note_clock(struct cmd_context *context, const cJSON *answer)
{
    int64_t now_ms = 0;

    if (context->traffics != NULL && context->engine == NULL &&
        cmd_parse_count(cmd_wire_text(answer, "Now"), INT64_MAX, &now_ms))
        traffics_note_clock(context->traffics, now_ms, cmd_wire_bool(answer, "Paused"),
                            (uint32_t)cmd_wire_int(answer, "Speed", 1));
}

/* Sends the request and lets the traffic know. */
static enum pk_code call_clock(struct cmd_context *context, const cJSON *request, cJSON **answer,
                               struct pk_error *err)
{
    enum pk_code rc = cmd_call(context, "Pksk.Clock", request, answer, NULL, err);

    if (rc == PK_OK)
        note_clock(context, *answer);
    return rc;
}

/* The time that the request moves the clock to; false when it does not, or to no time that is one.
 */
static bool target_of(struct cmd_context *context, const cJSON *request, int64_t *to_ms)
{
    struct pk_error ignored = PK_ERROR_INIT;
    bool by = pk_slice_is(cmd_wire_text(request, "Action"), "ADVANCE");
    cJSON *nothing, *answer = NULL;
    int64_t now_ms = 0;

    if (!by && !pk_slice_is(cmd_wire_text(request, "Action"), "SET"))
        return false;
    *to_ms = 0;
    (void)cmd_parse_count(cmd_wire_text(request, "Value"), PK_CLOCK_MAX_MS, to_ms);
    nothing = cJSON_CreateObject();
    if (by && call_clock(context, nothing, &answer, &ignored) == PK_OK)
        (void)cmd_parse_count(cmd_wire_text(answer, "Now"), INT64_MAX, &now_ms);
    cJSON_Delete(nothing);
    cJSON_Delete(answer);
    pk_error_release(&ignored);
    *to_ms += now_ms;
    return true;
}

/* The traffic of this process acts at times that the other one's engine does not know: it is
 * stopped at each of them. Nothing is done where there is none. */
static enum pk_code step_traffic(struct cmd_context *context, cJSON *request, struct pk_error *err)
{
    enum pk_code rc = PK_OK;
    int64_t to_ms, due_ms;

    if (context->traffics == NULL || traffics_next_step(context->traffics) == INT64_MAX ||
        !target_of(context, request, &to_ms))
        return PK_OK;
    while (rc == PK_OK && (due_ms = traffics_next_step(context->traffics)) <= to_ms) {
        cJSON *step = cJSON_CreateObject(), *answer = NULL;

        set_action(step, "SET", due_ms);
        rc = call_clock(context, step, &answer, err);
        cJSON_Delete(step);
        cJSON_Delete(answer);
        if (rc == PK_OK)
            traffics_step(context->traffics, due_ms);
        if (rc == PK_OK && cmd_is_cancelled(context))
            rc = pk_fail(err, PK_E_CANCELLED, "cancelled");
    }
    set_action(request, "SET", to_ms);
    return rc;
}

static void show(const cJSON *answer, struct cmd_result *result)
{
    int64_t now_ms = 0;
    int64_t speed = cmd_wire_int(answer, "Speed", 1);

    (void)cmd_parse_count(cmd_wire_text(answer, "Now"), INT64_MAX, &now_ms);
    if (cmd_wire_bool(answer, "Paused"))
        cmd_result_text(result, CMD_BLOCK_NOTE, "%s, paused", cmd_time_to_ms(now_ms).text);
    else if (speed == 1)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%s, running", cmd_time_to_ms(now_ms).text);
    else
        cmd_result_text(result, CMD_BLOCK_NOTE, "%s, running %lld times as fast",
                        cmd_time_to_ms(now_ms).text, (long long)speed);
}

static enum pk_code clock_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);
    struct pk_span span = {(uint32_t)statement->args,
                           (uint32_t)(statement->text.len - statement->args)};

    if (rc == PK_OK && !cmd_words_at_end(&words))
        rc = parse_action(&words, request, err);
    if (rc == PK_OK)
        rc = step_traffic(context, request, err);
    if (rc == PK_OK) {
        rc = call_clock(context, request, &answer, err);
        if (rc == PK_E_UNKNOWN_OPERATION)
            rc = cmd_fail_foreign(context, "clock", err);
        if (rc == PK_E_USAGE && err->span.len == 0)
            err->span = span;
    }
    /* Where it was stopped nobody has chosen; clock alone tells. */
    if (rc == PK_OK && pk_slice_is(cmd_wire_text(request, "Action"), "PAUSE"))
        cmd_result_text(result, CMD_BLOCK_NOTE, "paused");
    else if (rc == PK_OK)
        show(answer, result);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    return rc;
}

const struct cmd_entry cmd_clock_entry = {
    .name = "clock",
    .group = CMD_GROUP_WORLD,
    .usage = "[pause | resume | advance DURATION | set TIME | speed N]",
    .summary = "simulated time: stop it, move it on, make it run faster",
    .detail =
        "  clock advance 48h               what becomes due on the way is done in its order\n"
        "  clock set 2026-08-13T12:00:00Z  forward, as time goes; back before there is a table\n"
        "  clock speed 60                  a minute a second\n"
        "The clock belongs to the store. Signatures and measured times use the real one.",
    .run = clock_run,
};
