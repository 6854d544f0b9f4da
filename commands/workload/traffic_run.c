/*
 * Sending: who takes which requests, and what their answers do to the traffic.
 *
 * A job is a few requests of one traffic, taken under the lock and sent without it. On a clock that
 * is advanced jobs are taken in the order of due time, then of start; on a running one the traffics
 * take turns.
 */
#include "commands/workload/traffic_run.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "commands/wire.h"
#include "commands/workload/traffic_tape.h"

enum {
    JOB_MAX = 32,
    THREADS_LOCAL_MAX = 4,
    SLACK_MS = 250,   /* real milliseconds that may be caught up with */
    LOOK_MS = 20,     /* the clock may be changed meanwhile */
    ASK_US = 1000000, /* another pksk is asked for its clock so often */
    FAILING_MAX = 10  /* requests in a row that meet no service */
};

struct job {
    struct traffic *traffic;
    size_t count;
    int64_t due_ms[JOB_MAX];
    struct traffic_request requests[JOB_MAX];
};

/* ---- due and over ---------------------------------------------------------------------------- */

static int64_t due_of(const struct traffic *traffic, uint64_t n)
{
    const struct traffic_tape *tape = traffic->plan.tape;

    if (n >= traffic_plan_count(&traffic->plan))
        return INT64_MAX;
    if (tape == NULL)
        return traffic_pace_due(&traffic->pace, n);
    return traffic->pace.base_ms + tape->entries[n].at_ms / traffic->speed;
}

int64_t traffic_run_due(const struct traffic *traffic)
{
    int64_t due_ms = traffic->ended ? INT64_MAX : due_of(traffic, traffic->next_n);

    return due_ms <= traffic->until_ms ? due_ms : INT64_MAX;
}

void traffic_run_end(struct traffic *traffic, int64_t now_ms, const char *why)
{
    traffic->ended = true;
    traffic->ended_ms = now_ms < traffic->until_ms ? now_ms : traffic->until_ms;
    if (why != NULL)
        traffic->why = pk_memdup_cstr(why, strlen(why));
}

void traffic_run_end_due(struct traffics *traffics, int64_t now_ms)
{
    for (struct traffic *traffic = traffics->first; traffic != NULL; traffic = traffic->next) {
        bool through = traffic->next_n >= traffic_plan_count(&traffic->plan);
        bool over = now_ms >= traffic->until_ms && traffic_run_due(traffic) == INT64_MAX;

        if (!traffic->ended && (over || through))
            traffic_run_end(traffic, now_ms, NULL);
    }
}

/* The one whose request is due first, of several the one started first; NULL: none is. */
static struct traffic *first_due(struct traffics *traffics, int64_t *due_ms)
{
    struct traffic *first = NULL;

    *due_ms = INT64_MAX;
    for (struct traffic *traffic = traffics->first; traffic != NULL; traffic = traffic->next) {
        int64_t due = traffic_run_due(traffic);

        if (due < *due_ms) {
            *due_ms = due;
            first = traffic;
        }
    }
    return first;
}

/* Of those with something due the one that has waited longest, so that one that cannot keep up does
 * not hold up the others. */
static struct traffic *next_waiting(struct traffics *traffics, int64_t now_ms)
{
    struct traffic *next = NULL;

    for (struct traffic *traffic = traffics->first; traffic != NULL; traffic = traffic->next) {
        if (traffic_run_due(traffic) <= now_ms && (next == NULL || traffic->served < next->served))
            next = traffic;
    }
    return next;
}

/* ---- taking ---------------------------------------------------------------------------------- */

static void record(struct traffics *traffics, const struct job *job, size_t i)
{
    struct traffic_recorder *recorder = &traffics->recorder;
    struct pk_buf line = PK_BUF_INIT;

    if (recorder->file == NULL || recorder->failure != 0)
        return;
    traffic_tape_write(
        &job->traffic->plan, &job->requests[i],
        job->due_ms[i] > recorder->start_ms ? job->due_ms[i] - recorder->start_ms : 0, &line);
    if (fwrite(line.data, 1, line.len, recorder->file) != line.len)
        recorder->failure = errno == 0 ? EIO : errno;
    recorder->count++;
    pk_buf_release(&line);
}

/* What is due up to last_ms of that traffic, as much as a job holds. */
static void fill(struct traffics *traffics, struct traffic *traffic, int64_t last_ms, size_t most,
                 struct job *job)
{
    *job = (struct job){.traffic = traffic, .count = 0};
    while (job->count < most) {
        size_t i = job->count;

        job->due_ms[i] = traffic_run_due(traffic);
        if (job->due_ms[i] > last_ms)
            break;
        traffic_plan_nth(&traffic->plan, traffic->next_n++, &job->requests[i]);
        job->count++;
        record(traffics, job, i);
    }
    traffic->in_flight += (unsigned)job->count;
}

/* By seconds first: a jump of the clock may be thousands of years. */
static uint64_t requests_in(int64_t ms, int64_t rate)
{
    return (uint64_t)(ms / 1000 * rate + ms % 1000 * rate / 1000);
}

/* What is too late is left out: it would come faster than was asked. */
static void slip(struct traffic *traffic, int64_t now_ms, int64_t slack_ms)
{
    int64_t due_ms = traffic_run_due(traffic);
    int64_t asked_ms = now_ms < traffic->until_ms ? now_ms : traffic->until_ms;

    if (now_ms - due_ms <= slack_ms)
        return;
    traffic_pace_slip(&traffic->pace, now_ms - due_ms);
    if (traffic->plan.tape == NULL)
        traffic->missed += requests_in(asked_ms - due_ms, traffic->pace.rate);
}

/* For a running clock. False: nothing is due; *due_ms tells when. */
static bool take_running(struct traffics *traffics, const struct pk_clock_state *state,
                         int64_t now_ms, struct job *job, int64_t *due_ms)
{
    struct traffic *traffic = next_waiting(traffics, now_ms);

    if (traffic == NULL) {
        (void)first_due(traffics, due_ms);
        return false;
    }
    traffic->served = ++traffics->turns;
    slip(traffic, now_ms, SLACK_MS * (int64_t)state->speed);
    fill(traffics, traffic, now_ms, traffics->place.engine == NULL ? 1 : JOB_MAX, job);
    return job->count > 0;
}

/* For a clock that is advanced: what is due at one millisecond, of one traffic. */
static bool take_paused(struct traffics *traffics, int64_t now_ms, struct job *job)
{
    int64_t due_ms;
    struct traffic *traffic = first_due(traffics, &due_ms);

    if (traffic == NULL || due_ms > now_ms)
        return false;
    fill(traffics, traffic, due_ms, JOB_MAX, job);
    return true;
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Why all further requests would fail as this one did; NULL: they may not. */
static pk_slice hopeless(struct traffic *traffic, const struct cmd_response *response,
                         struct pk_buf *text)
{
    bool service = response->code != PK_E_UNREACHABLE && response->code != PK_E_IO &&
                   response->code != PK_E_CORRUPT && response->code != PK_E_FOREIGN;
    cJSON *body;
    pk_slice message;

    traffic->failing = service ? 0 : traffic->failing + 1;
    if (response->code == PK_E_NOT_FOUND) {
        pk_buf_printf(text, "table %.*s is gone", PK_FMT(traffic->plan.table));
        return pk_buf_slice(text);
    }
    if (response->code == PK_OK || traffic_is_throttled(response) ||
        response->code == PK_E_INTERNAL || response->code == PK_E_UNAVAILABLE ||
        response->code == PK_E_TXN_CONFLICT || response->code == PK_E_COLLECTION_SIZE ||
        (!service && traffic->failing < FAILING_MAX))
        return (pk_slice){NULL, 0};
    body = cmd_wire_parse(pk_buf_slice(&response->body));
    message = cmd_wire_text(body, "message");
    if (message.data == NULL)
        message = cmd_wire_text(body, "Message");
    pk_buf_printf(text, "%s: %.*s", pk_code_name(response->code), PK_FMT(message));
    cJSON_Delete(body);
    return pk_buf_slice(text);
}

/* Under the lock. A request that was cancelled by a stop is as if it had not been sent. */
static void note_answer(struct traffic *traffic, const struct traffic_request *request,
                        int64_t due_ms, const struct cmd_response *response)
{
    struct pk_buf text = PK_BUF_INIT;
    int64_t second = due_ms > traffic->start_ms ? (due_ms - 1 - traffic->start_ms) / 1000 : 0;
    pk_slice why;

    traffic->in_flight--;
    if (response->code == PK_E_CANCELLED && atomic_load(&traffic->cancel))
        return;
    traffic_tally_add(&traffic->tally, &traffic->plan, request->op, second, response);
    why = hopeless(traffic, response, &text);
    if (why.data != NULL && !traffic->ended)
        traffic_run_end(traffic, due_ms, why.data);
    pk_buf_release(&text);
}

static void send_one(struct traffics *traffics, const struct job *job, size_t i,
                     struct pk_buf *json)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    pk_slice operation;

    pk_buf_clear(json);
    traffic_plan_write(&job->traffic->plan, &job->requests[i], json, &operation);
    cmd_backend_call_once(traffics->place.backend, operation, pk_buf_slice(json),
                          &job->traffic->cancel, &response);
    pthread_mutex_lock(&traffics->lock);
    note_answer(job->traffic, &job->requests[i], job->due_ms[i], &response);
    pthread_mutex_unlock(&traffics->lock);
    cmd_response_release(&response);
}

/* Not under the lock. The traffic lives as long as something of it is in flight; after the last
 * answer was noted it is not touched. */
static void send_job(struct traffics *traffics, const struct job *job)
{
    struct pk_buf json = PK_BUF_INIT;
    size_t i = 0;

    while (i < job->count && !atomic_load(&job->traffic->cancel))
        send_one(traffics, job, i++, &json);
    pk_buf_release(&json);
    pthread_mutex_lock(&traffics->lock);
    if (i < job->count)
        job->traffic->in_flight -= (unsigned)(job->count - i);
    pthread_cond_broadcast(&traffics->idle);
    pthread_mutex_unlock(&traffics->lock);
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool any_runs(const struct traffics *traffics)
{
    const struct traffic *traffic = traffics->first;

    while (traffic != NULL && traffic->ended)
        traffic = traffic->next;
    return traffic != NULL;
}

static void ask_clock(struct traffics *traffics)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct cmd_backend *backend = traffics->place.backend;
    int64_t now_ms = 0;
    cJSON *body;

    backend->ops->call(backend, PK_LIT("Pksk.Clock"), PK_LIT("{}"), &traffics->stop, &response);
    body = response.code == PK_OK ? cmd_wire_parse(pk_buf_slice(&response.body)) : NULL;
    if (body != NULL && cmd_wire_text(body, "Now").len > 0) {
        now_ms = strtoll(cmd_wire_text(body, "Now").data, NULL, 10);
        traffics_note_clock(traffics, now_ms, cmd_wire_bool(body, "Paused"),
                            (uint32_t)cmd_wire_int(body, "Speed", 1));
    }
    cJSON_Delete(body);
    cmd_response_release(&response);
}

/* True when it is time to ask another pksk for its clock; then it is asked now. Under the lock. */
static bool clock_is_old(struct traffics *traffics)
{
    int64_t now_us = pk_clock_real_us();

    if (traffics->place.engine != NULL || !traffics->place.backend->extensions ||
        !any_runs(traffics) || traffics->asking || now_us - traffics->asked_us < ASK_US)
        return false;
    traffics->asked_us = now_us;
    traffics->asking = true;
    return true;
}

static void wait_ms(struct traffics *traffics, int64_t ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&traffics->work, &traffics->lock, &until);
}

/* One thread watches the clock, the others sleep until it has found work. */
static void wait_for_work(struct traffics *traffics, const struct pk_clock_state *state,
                          int64_t wait)
{
    if (traffics->watched || !any_runs(traffics)) {
        pthread_cond_wait(&traffics->work, &traffics->lock);
        return;
    }
    traffics->watched = true;
    wait = state->paused ? LOOK_MS : (wait + state->speed - 1) / (int64_t)state->speed;
    wait_ms(traffics, wait < 1 ? 1 : wait > LOOK_MS ? LOOK_MS : wait);
    traffics->watched = false;
}

/* One round of a thread, under the lock, which it gives away meanwhile. */
static void turn(struct traffics *traffics)
{
    const struct pk_clock_state state = pk_clock_save(traffics->clock);
    int64_t now_ms = pk_clock_now(traffics->clock), due_ms = INT64_MAX;
    struct job job;

    if (!state.paused)
        traffic_run_end_due(traffics, now_ms);
    if (clock_is_old(traffics)) {
        pthread_mutex_unlock(&traffics->lock);
        ask_clock(traffics);
        pthread_mutex_lock(&traffics->lock);
        traffics->asking = false;
    } else if (!state.paused && take_running(traffics, &state, now_ms, &job, &due_ms)) {
        if (!traffics->watched)
            pthread_cond_signal(&traffics->work);
        pthread_mutex_unlock(&traffics->lock);
        send_job(traffics, &job);
        pthread_mutex_lock(&traffics->lock);
    } else {
        wait_for_work(traffics, &state, due_ms == INT64_MAX ? LOOK_MS : due_ms - now_ms);
    }
}

static void *thread_main(void *context)
{
    struct traffics *traffics = context;

    pthread_mutex_lock(&traffics->lock);
    while (!atomic_load(&traffics->stop))
        turn(traffics);
    pthread_mutex_unlock(&traffics->lock);
    return NULL;
}

static size_t threads_wanted(const struct traffic_place *place)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (place->threads > 0)
        return place->threads < TRAFFIC_THREADS_MAX ? place->threads : TRAFFIC_THREADS_MAX;
    if (place->engine == NULL)
        return TRAFFIC_THREADS_MAX; /* they wait for answers most of the time */
    return processors < 2                   ? 2
           : processors > THREADS_LOCAL_MAX ? THREADS_LOCAL_MAX
                                            : (size_t)processors;
}

/* ---- the actor ------------------------------------------------------------------------------- */

/* A traffic whose time is over has its end as the last thing that is due. */
static int64_t next_act(struct traffics *traffics)
{
    int64_t next_ms = INT64_MAX;

    pthread_mutex_lock(&traffics->lock);
    for (const struct traffic *traffic = traffics->first; traffic != NULL;
         traffic = traffic->next) {
        int64_t due_ms = traffic_run_due(traffic);

        if (due_ms == INT64_MAX && !traffic->ended)
            due_ms = traffic->until_ms;
        if (due_ms < next_ms)
            next_ms = due_ms;
    }
    pthread_mutex_unlock(&traffics->lock);
    return next_ms;
}

static bool take_step(struct traffics *traffics, int64_t now_ms, struct job *job)
{
    bool took;

    pthread_mutex_lock(&traffics->lock);
    took = take_paused(traffics, now_ms, job);
    if (!took)
        traffic_run_end_due(traffics, now_ms);
    pthread_mutex_unlock(&traffics->lock);
    return took;
}

void traffics_step(struct traffics *traffics, int64_t now_ms)
{
    struct job job;

    while (take_step(traffics, now_ms, &job))
        send_job(traffics, &job);
}

static int64_t actor_due(void *context)
{
    struct traffics *traffics = context;

    return pk_clock_save(traffics->clock).paused ? next_act(traffics) : INT64_MAX;
}

static void actor_run(void *context, int64_t now_ms)
{
    struct traffics *traffics = context;

    if (pk_clock_save(traffics->clock).paused)
        traffics_step(traffics, now_ms);
}

void traffics_note_clock(struct traffics *traffics, int64_t now_ms, bool paused, uint32_t speed)
{
    const struct pk_clock_state state = {.paused = paused,
                                         .speed = speed == 0 ? 1 : speed,
                                         .base_ms = now_ms,
                                         .base_real_ms = pk_clock_real_ms(),
                                         .now_ms = now_ms};

    pthread_mutex_lock(&traffics->lock);
    pk_clock_restore(&traffics->own_clock, &state);
    pthread_cond_broadcast(&traffics->work);
    pthread_mutex_unlock(&traffics->lock);
}

int64_t traffics_next_step(struct traffics *traffics)
{
    bool mine;

    pthread_mutex_lock(&traffics->lock);
    mine = traffics->first != NULL && traffics->place.engine == NULL;
    pthread_mutex_unlock(&traffics->lock);
    return mine && pk_clock_save(&traffics->own_clock).paused ? next_act(traffics) : INT64_MAX;
}

/* ---- life ------------------------------------------------------------------------------------ */

void traffic_run_begin(struct traffics *traffics)
{
    const struct pk_actor actor = {actor_due, actor_run, traffics};
    size_t wanted = threads_wanted(&traffics->place);

    while (traffics->thread_count < wanted &&
           pthread_create(&traffics->threads[traffics->thread_count], NULL, thread_main,
                          traffics) == 0)
        traffics->thread_count++;
    if (traffics->place.engine != NULL)
        pk_engine_set_actor(traffics->place.engine, &actor);
    pthread_mutex_lock(&traffics->lock);
    pthread_cond_broadcast(&traffics->work);
    pthread_mutex_unlock(&traffics->lock);
}

void traffic_run_finish(struct traffics *traffics)
{
    pthread_mutex_lock(&traffics->lock);
    atomic_store(&traffics->stop, true);
    pthread_cond_broadcast(&traffics->work);
    pthread_mutex_unlock(&traffics->lock);
    while (traffics->thread_count > 0)
        pthread_join(traffics->threads[--traffics->thread_count], NULL);
    atomic_store(&traffics->stop, false);
    if (traffics->place.engine != NULL)
        pk_engine_set_actor(traffics->place.engine, NULL);
}
