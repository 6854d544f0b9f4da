#include "commands/workload/traffic_tally.h"

#include <stdio.h>
#include <stdlib.h>

#include "commands/answer.h"
#include "commands/wire.h"

void traffic_tally_release(struct traffic_tally *tally)
{
    for (size_t i = 0; i < tally->throttle_count; i++)
        free(tally->throttles[i].index);
    for (size_t i = 0; i < tally->failure_count; i++) {
        free(tally->failures[i].name);
        free(tally->failures[i].message);
    }
    free(tally->throttles);
    tally->throttles = NULL;
    tally->throttle_count = 0;
    tally->failure_count = 0;
}

bool traffic_is_throttled(const struct cmd_response *response)
{
    return response->code == PK_E_THROUGHPUT_EXCEEDED || response->code == PK_E_THROTTLED ||
           response->code == PK_E_REQUEST_LIMIT;
}

/* ---- throttles ------------------------------------------------------------------------------- */

/* The text of a JSON string that follows the name; empty when it is not there. Reasons and ARNs
 * have no escapes. */
static pk_slice text_after(pk_slice body, const char *name)
{
    const char *found = body.len == 0 ? NULL : memmem(body.data, body.len, name, strlen(name));
    pk_slice rest;
    const char *end;

    if (found == NULL)
        return (pk_slice){NULL, 0};
    rest = pk_slice_skip(body, (size_t)(found - body.data) + strlen(name));
    end = memchr(rest.data, '"', rest.len);
    return end == NULL ? (pk_slice){NULL, 0} : pk_slice_of(rest.data, (size_t)(end - rest.data));
}

/* NAME of …:table/T/index/NAME */
static pk_slice index_of(pk_slice resource)
{
    const char *found =
        resource.len == 0 ? NULL : memmem(resource.data, resource.len, "/index/", 7);

    return found == NULL ? (pk_slice){NULL, 0}
                         : pk_slice_skip(resource, (size_t)(found - resource.data) + 7);
}

static const char *limit_words(enum pk_limit limit)
{
    switch (limit) {
    case PK_LIMIT_NONE:
        break;
    case PK_LIMIT_KEY_RANGE:
        return "KeyRangeThroughputExceeded";
    case PK_LIMIT_PROVISIONED:
        return "ProvisionedThroughputExceeded";
    case PK_LIMIT_MAX_ON_DEMAND:
        return "MaxOnDemandThroughputExceeded";
    case PK_LIMIT_ACCOUNT:
        return "AccountLimitExceeded";
    }
    return "ThroughputExceeded";
}

/* What the facts say of it; an answer that refuses has the words itself. */
static void observed(const struct traffic_plan *plan, enum traffic_op op,
                     const struct pk_facts *facts, struct traffic_throttle *throttle,
                     pk_slice *index)
{
    bool of_index = facts->limit_index > 0 && facts->limit_index <= plan->index_count;

    snprintf(throttle->reason, sizeof(throttle->reason), "%s%s%s", of_index ? "Index" : "Table",
             traffic_op_reads(op) ? "Read" : "Write", limit_words(facts->limit));
    *index = of_index ? plan->indexes[facts->limit_index - 1] : (pk_slice){NULL, 0};
}

static bool same(const struct traffic_throttle *a, const struct traffic_throttle *b, pk_slice index)
{
    if (a->would != b->would || a->has_partition != b->has_partition ||
        a->partition != b->partition || strcmp(a->reason, b->reason) != 0)
        return false;
    return a->index == NULL ? index.len == 0 : pk_slice_is(index, a->index);
}

static void count_throttle(struct traffic_tally *tally, struct traffic_throttle *throttle,
                           pk_slice index)
{
    if (tally->throttle_count >= TRAFFIC_THROTTLES_MAX) {
        throttle->has_partition = false;
        throttle->partition = 0;
    }
    for (size_t i = 0; i < tally->throttle_count; i++) {
        if (same(&tally->throttles[i], throttle, index)) {
            tally->throttles[i].count++;
            return;
        }
    }
    throttle->count = 1;
    throttle->index = index.len == 0 ? NULL : pk_memdup_cstr(index.data, index.len);
    tally->throttles =
        pk_realloc(tally->throttles, tally->throttle_count + 1, sizeof(*tally->throttles));
    tally->throttles[tally->throttle_count++] = *throttle;
}

static void add_throttle(struct traffic_tally *tally, const struct traffic_plan *plan,
                         enum traffic_op op, const struct cmd_response *response)
{
    struct traffic_throttle throttle = {.would = response->code == PK_OK};
    pk_slice body = pk_buf_slice(&response->body);
    pk_slice reason = {NULL, 0}, index = {NULL, 0};

    if (throttle.would) {
        observed(plan, op, &response->facts, &throttle, &index);
    } else {
        reason = text_after(body, "\"reason\":\"");
        index = index_of(text_after(body, "\"resource\":\""));
        snprintf(throttle.reason, sizeof(throttle.reason), "%.*s", PK_FMT(reason));
    }
    /* The other limits are those of the whole table: where it was met says nothing. */
    if (strstr(throttle.reason, "KeyRange") != NULL && response->has_facts &&
        response->facts.partition_count > 0 && index.len == 0) {
        throttle.has_partition = true;
        throttle.partition = response->facts.partition;
    }
    count_throttle(tally, &throttle, index);
}

/* ---- other errors ---------------------------------------------------------------------------- */

static void add_failure(struct traffic_tally *tally, const struct cmd_response *response)
{
    cJSON *body = cmd_wire_parse(pk_buf_slice(&response->body));
    pk_slice name = cmd_answer_type(body);
    pk_slice message = cmd_wire_text(body, "message");
    size_t i = 0;

    if (message.data == NULL)
        message = cmd_wire_text(body, "Message");
    if (name.len == 0)
        name = pk_slice_cstr(pk_code_name(response->code));
    while (i < tally->failure_count && !pk_slice_is(name, tally->failures[i].name))
        i++;
    if (i == TRAFFIC_ERRORS_MAX)
        i--;
    if (i == tally->failure_count) {
        tally->failures[i].name = pk_memdup_cstr(name.data, name.len);
        tally->failures[i].message =
            pk_memdup_cstr(message.len == 0 ? "" : message.data, message.len);
        tally->failure_count++;
    }
    tally->failures[i].count++;
    cJSON_Delete(body);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void begin_second(struct traffic_tally *tally, int64_t second)
{
    bool next = second == tally->second + 1;

    if (second <= tally->second)
        return;
    tally->last_ok = next ? tally->second_ok : 0;
    tally->last_throttled = next ? tally->second_throttled : 0;
    tally->second = second;
    tally->second_ok = 0;
    tally->second_throttled = 0;
}

/* Where an endpoint has no facts the answer's ConsumedCapacity tells: "CapacityUnits":0.5 */
static int64_t units_of(const struct cmd_response *response)
{
    static const char member[] = "\"CapacityUnits\":";
    const char *found;
    int64_t milli = 0, scale = 1000;

    if (response->milli_units != 0 || response->body.len == 0)
        return response->milli_units;
    found = memmem(response->body.data, response->body.len, member, sizeof(member) - 1);
    if (found == NULL)
        return 0;
    found += sizeof(member) - 1;
    for (; *found >= '0' && *found <= '9' && milli < INT32_MAX * INT64_C(1000); found++)
        milli = milli * 10 + (*found - '0') * 1000;
    if (*found == '.')
        found++;
    for (; *found >= '0' && *found <= '9' && scale > 1; found++)
        milli += (*found - '0') * (scale /= 10);
    return milli;
}

static void add_units(struct traffic_tally *tally, enum traffic_op op, int64_t milli)
{
    tally->ok_of[op]++;
    tally->milli_of[op] += milli;
    if (traffic_op_reads(op))
        tally->read_milli += milli;
    else
        tally->write_milli += milli;
}

void traffic_tally_add(struct traffic_tally *tally, const struct traffic_plan *plan,
                       enum traffic_op op, int64_t second, const struct cmd_response *response)
{
    bool throttled = traffic_is_throttled(response);
    bool would = response->has_facts && response->facts.verdict == PK_VERDICT_WOULD_REFUSE;

    begin_second(tally, second);
    tally->sent++;
    histogram_add(&tally->micros, response->micros > 0 ? (uint64_t)response->micros : 0);
    if (throttled || (would && response->code == PK_OK))
        add_throttle(tally, plan, op, response);
    if (throttled) {
        tally->throttled++;
        tally->second_throttled++;
    } else if (response->code != PK_OK) {
        tally->failed++;
        add_failure(tally, response);
    } else {
        tally->ok++;
        tally->would += would;
        tally->second_ok++;
        add_units(tally, op, units_of(response));
    }
}

void traffic_tally_rates(const struct traffic_tally *tally, int64_t second, uint64_t *ok,
                         uint64_t *throttled)
{
    bool last = second == tally->second, current = second == tally->second + 1;

    *ok = last ? tally->last_ok : current ? tally->second_ok : 0;
    *throttled = last ? tally->last_throttled : current ? tally->second_throttled : 0;
}
