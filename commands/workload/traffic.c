/* The list of traffics; see traffic.h. */
#include "commands/workload/traffic.h"

#include <errno.h>
#include <stdlib.h>

#include "commands/language/lex.h"
#include "commands/workload/traffic_run.h"
#include "commands/workload/traffic_tape.h"
#include "engine/base/utf8.h"

/* ---- life ------------------------------------------------------------------------------------ */

void traffic_free(struct traffic *traffic)
{
    if (traffic == NULL)
        return;
    traffic_plan_release(&traffic->plan);
    traffic_tally_release(&traffic->tally);
    free(traffic->why);
    free(traffic);
}

struct traffics *traffics_new(void)
{
    struct traffics *traffics = pk_calloc(1, sizeof(*traffics));
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&traffics->lock, NULL);
    pthread_cond_init(&traffics->work, &monotonic);
    pthread_cond_init(&traffics->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pk_clock_init(&traffics->own_clock);
    traffics->clock = &traffics->own_clock;
    return traffics;
}

static void lock(struct traffics *traffics)
{
    pthread_mutex_lock(&traffics->lock);
}

static void unlock(struct traffics *traffics)
{
    pthread_mutex_unlock(&traffics->lock);
}

void traffics_leave(struct traffics *traffics)
{
    struct pk_error ignored = PK_ERROR_INIT;
    struct traffic *traffic;
    uint64_t count;
    bool was;

    while ((traffic = traffics_take(traffics, (pk_slice){NULL, 0})) != NULL)
        traffic_free(traffic);
    traffic_run_finish(traffics);
    if (traffics_record_end(traffics, &was, &count, &ignored) != PK_OK)
        pk_error_release(&ignored); /* who wants to know of it ends the recording first */
    traffics->place = (struct traffic_place){NULL, NULL, 0};
    traffics->clock = &traffics->own_clock;
}

void traffics_free(struct traffics *traffics)
{
    if (traffics == NULL)
        return;
    traffics_leave(traffics);
    pk_clock_release(&traffics->own_clock);
    pthread_cond_destroy(&traffics->idle);
    pthread_cond_destroy(&traffics->work);
    pthread_mutex_destroy(&traffics->lock);
    free(traffics);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Where the pointer to it is kept; *it is NULL when there is none. */
static struct traffic **find(struct traffics *traffics, pk_slice name)
{
    struct traffic **at = &traffics->first;

    while (*at != NULL && name.data != NULL && !pk_slice_is(name, (*at)->name))
        at = &(*at)->next;
    return at;
}

static enum pk_code fail_missing(struct traffics *traffics, pk_slice name, struct pk_error *err)
{
    struct pk_buf list = PK_BUF_INIT;

    for (const struct traffic *traffic = traffics->first; traffic != NULL; traffic = traffic->next)
        pk_buf_printf(&list, "%s%s", list.len == 0 ? "" : ", ", traffic->name);
    pk_fail(err, PK_E_USAGE, "no traffic is called '%.*s'", PK_FMT(name));
    if (list.len > 0)
        pk_error_hint(err, "there is %s", list.data);
    else
        pk_error_hint(err, "traffic start NAME op=… keys=… starts one");
    pk_buf_release(&list);
    return PK_E_USAGE;
}

/* ---- starting -------------------------------------------------------------------------------- */

static bool is_plain_name(pk_slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];

        if (c <= ' ' || c == '=' || c == '"' || c == '\'' || c == 0x7f)
            return false;
    }
    return name.len > 0 && name.len <= TRAFFIC_NAME_MAX && pk_utf8_valid(name);
}

/* Makes room for the name: one that has ended goes. Under the lock. */
static enum pk_code claim_name(struct traffics *traffics, pk_slice name, struct pk_error *err)
{
    struct traffic **at;

    if (!is_plain_name(name))
        return pk_fail(err, PK_E_USAGE,
                       "a traffic's name is 1 to %d letters without blanks, quotes and '='",
                       TRAFFIC_NAME_MAX);
    at = find(traffics, name);
    if (*at != NULL && (!(*at)->ended || (*at)->in_flight > 0)) {
        pk_fail(err, PK_E_USAGE, "a traffic called '%.*s' runs already", PK_FMT(name));
        pk_error_hint(err, "traffic stop %.*s ends it, traffic set %.*s rate=… changes it",
                      PK_FMT(name), PK_FMT(name));
        return PK_E_USAGE;
    }
    if (*at != NULL) {
        struct traffic *old = *at;

        *at = old->next;
        traffics->count--;
        traffic_free(old);
    }
    if (traffics->count == TRAFFICS_MAX)
        return pk_fail(err, PK_E_USAGE, "there are %d traffics already; traffic stop ends some",
                       TRAFFICS_MAX);
    return PK_OK;
}

static struct traffic *new_traffic(const struct traffics *traffics,
                                   const struct traffic_start *start)
{
    struct traffic *traffic = pk_calloc(1, sizeof(*traffic));
    int64_t now_ms = pk_clock_now(traffics->clock);

    memcpy(traffic->name, start->name.data, start->name.len);
    traffic->plan = *start->plan_take;
    *start->plan_take = (struct traffic_plan){.size = 0};
    traffic->plan.capacity = traffics->place.engine == NULL;
    traffic->pace = (struct traffic_pace){now_ms, 0, start->rate, start->burst};
    traffic->speed = start->speed;
    traffic->start_ms = now_ms;
    traffic->until_ms = start->for_ms == 0 ? INT64_MAX : now_ms + (int64_t)start->for_ms;
    atomic_init(&traffic->cancel, false);
    return traffic;
}

/* Behind the others: they stand in the order of their start. Under the lock. */
static void append(struct traffics *traffics, struct traffic *traffic)
{
    struct traffic **at = &traffics->first;

    while (*at != NULL)
        at = &(*at)->next;
    *at = traffic;
    traffics->count++;
}

/* It stays the same until it is left, and so is read without the lock. */
static void go_to(struct traffics *traffics, const struct traffic_place *place)
{
    if (traffics->place.backend != NULL)
        return;
    traffics->place = *place;
    if (place->engine != NULL)
        traffics->clock = pk_engine_clock(place->engine);
}

enum pk_code traffics_start(struct traffics *traffics, const struct traffic_place *place,
                            const struct traffic_start *start, struct pk_error *err)
{
    enum pk_code rc;

    lock(traffics);
    rc = claim_name(traffics, start->name, err);
    if (rc == PK_OK) {
        go_to(traffics, place);
        append(traffics, new_traffic(traffics, start));
    }
    unlock(traffics);
    traffic_plan_release(start->plan_take);
    if (rc == PK_OK)
        traffic_run_begin(traffics);
    return rc;
}

/* ---- changing and stopping ------------------------------------------------------------------- */

enum pk_code traffics_set(struct traffics *traffics, pk_slice name,
                          const struct traffic_change *change, struct pk_error *err)
{
    struct traffic *traffic;
    enum pk_code rc = PK_OK;

    lock(traffics);
    traffic = *find(traffics, name);
    if (traffic == NULL)
        rc = fail_missing(traffics, name, err);
    else if (traffic->ended)
        rc = pk_fail(err, PK_E_USAGE, "traffic '%.*s' has ended", PK_FMT(name));
    else if (traffic->plan.tape != NULL)
        rc = pk_fail(err, PK_E_USAGE, "a replay has its rate and its keys from the recording");
    if (rc == PK_OK && change->skew != NULL)
        rc = traffic_plan_set_skew(&traffic->plan, change->skew, err);
    if (rc == PK_OK && change->rate != NULL)
        traffic_pace_set_rate(&traffic->pace, pk_clock_now(traffics->clock), traffic->next_n,
                              *change->rate);
    pthread_cond_broadcast(&traffics->work);
    unlock(traffics);
    return rc;
}

/* It leaves the list first, so that nobody else can take it while its requests are waited for. */
struct traffic *traffics_take(struct traffics *traffics, pk_slice name)
{
    struct traffic **at;
    struct traffic *traffic;

    lock(traffics);
    traffic_run_end_due(traffics, pk_clock_now(traffics->clock));
    at = find(traffics, name);
    traffic = *at;
    if (traffic != NULL) {
        *at = traffic->next;
        traffic->next = NULL;
        traffics->count--;
        if (!traffic->ended) {
            traffic_run_end(traffic, pk_clock_now(traffics->clock), NULL);
            atomic_store(&traffic->cancel, true);
        }
        while (traffic->in_flight > 0)
            pthread_cond_wait(&traffics->idle, &traffics->lock);
    }
    unlock(traffics);
    return traffic;
}

void traffics_end_table(struct traffics *traffics, pk_slice table, const char *why)
{
    lock(traffics);
    for (struct traffic *traffic = traffics->first; traffic != NULL; traffic = traffic->next)
        if (!traffic->ended && pk_slice_equal(traffic->plan.table, table))
            traffic_run_end(traffic, pk_clock_now(traffics->clock), why);
    unlock(traffics);
}

void traffics_each(struct traffics *traffics, struct traffic_visitor visitor)
{
    int64_t now_ms;

    lock(traffics);
    now_ms = pk_clock_now(traffics->clock);
    traffic_run_end_due(traffics, now_ms);
    for (struct traffic *traffic = traffics->first; traffic != NULL; traffic = traffic->next)
        visitor.visit(visitor.context, traffic, now_ms);
    unlock(traffics);
}

size_t traffics_running(struct traffics *traffics)
{
    size_t running = 0;

    lock(traffics);
    for (const struct traffic *traffic = traffics->first; traffic != NULL; traffic = traffic->next)
        running += !traffic->ended;
    unlock(traffics);
    return running;
}

int64_t traffic_second(const struct traffic *traffic, int64_t now_ms)
{
    int64_t at_ms = traffic->ended ? traffic->ended_ms : now_ms;

    return (at_ms - traffic->start_ms) / 1000;
}

/* ---- recording ------------------------------------------------------------------------------- */

/* Opens the file and writes its first line; errno's value when that fails. */
static int open_record(struct traffic_recorder *recorder, const char *path, int64_t now_ms)
{
    struct pk_buf head = PK_BUF_INIT;
    FILE *file = fopen(path, "we");

    if (file == NULL)
        return errno;
    *recorder = (struct traffic_recorder){file, now_ms, 0, 0};
    traffic_tape_write_head(&head);
    if (fwrite(head.data, 1, head.len, file) != head.len)
        recorder->failure = errno;
    pk_buf_release(&head);
    return 0;
}

enum pk_code traffics_record(struct traffics *traffics, const char *path, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    lock(traffics);
    if (traffics->recorder.file != NULL) {
        rc = pk_fail(err, PK_E_USAGE, "a recording is under way; traffic record - ends it");
    } else {
        int failure = open_record(&traffics->recorder, path, pk_clock_now(traffics->clock));

        if (failure != 0)
            rc = pk_fail(err, PK_E_IO, "cannot write '%s': %s", path, strerror(failure));
    }
    unlock(traffics);
    return rc;
}

enum pk_code traffics_record_end(struct traffics *traffics, bool *was, uint64_t *count,
                                 struct pk_error *err)
{
    struct traffic_recorder recorder;

    lock(traffics);
    recorder = traffics->recorder;
    traffics->recorder = (struct traffic_recorder){NULL, 0, 0, 0};
    unlock(traffics);
    *was = recorder.file != NULL;
    *count = recorder.count;
    if (recorder.file != NULL && fclose(recorder.file) != 0 && recorder.failure == 0)
        recorder.failure = errno;
    if (recorder.failure == 0)
        return PK_OK;
    return pk_fail(err, PK_E_IO, "the recording is not whole: %s", strerror(recorder.failure));
}
