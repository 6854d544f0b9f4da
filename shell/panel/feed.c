/* The thread, what it was told to ask, and the data it leaves; see feed.h. */
#include "shell/panel/feed.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "shell/panel/feed_ask.h"

enum {
    GAP_US = 100000,        /* between the beginnings of two rounds, at least */
    PAUSE_MAX_US = 2000000, /* after a round that took long */
    FAILURE_US = 3000000,   /* how long a failure is told */
    RETRY_US = 500000,      /* after the source was lost */
    SENDINGS = 8,           /* that may wait */
    SHARE = 4               /* a round that took t is followed by a pause of SHARE * t */
};

/* Data and what keeps it alive. */
struct data {
    struct sh_feed_data shown; /* first: handed out, and cast back */
    atomic_uint refs;
    struct pk_arena arena; /* texts and the records' array */
    struct sh_feed_part *parts[SH_FEED_TAILS + 5];
    size_t part_count;
};

/* A request that somebody else than the feed wants to make. */
struct sending {
    char *operation, *request; /* owned */
};

struct sh_feed {
    struct sh_feed_source source;
    struct pk_engine *engine; /* of sh_feed_open, as what follows */
    struct traffics *traffics;
    pthread_t thread;
    atomic_bool cancel;
    int fd;
    pthread_mutex_t lock; /* guards all below but the thread's own */
    pthread_cond_t changed;
    bool ending;
    bool looking;               /* somebody wants something */
    bool fresh;                 /* the order has changed since the thread took it */
    bool urgent;                /* changes are wanted from now on: the next round does not wait */
    struct sh_feed_order order; /* as told */
    struct sending waiting[SENDINGS];
    size_t waiting_count;
    struct data *latest;

    struct sh_feed_order own; /* the thread's: what it asks */
    struct sh_feed_answers answers;
    struct cmd_backend *backend; /* NULL: not open */
    struct cmd_context context;
    uint64_t serial;
    struct pk_buf failure; /* of the last request that was somebody else's */
    int64_t failed_us;
};

/* Data -----------------------------------------------------------------------------------------*/

static struct data *data_new(void)
{
    struct data *data = pk_calloc(1, sizeof(*data));

    atomic_init(&data->refs, 1);
    return data;
}

void sh_feed_data_unref(const struct sh_feed_data *shown)
{
    struct data *data = (struct data *)(uintptr_t)shown;

    if (data == NULL || atomic_fetch_sub(&data->refs, 1) != 1)
        return;
    for (size_t i = 0; i < data->part_count; i++)
        sh_feed_part_unref(data->parts[i]);
    pk_arena_release(&data->arena);
    free(data);
}

static struct sh_feed_part *hold(struct data *data, struct sh_feed_part *part)
{
    if (part != NULL)
        data->parts[data->part_count++] = sh_feed_part_ref(part);
    return part;
}

/* The records of the last answers in one row. */
static void gather_records(struct data *data, const struct sh_feed_answers *answers)
{
    struct cmd_tail_record *records;
    size_t count = 0;
    size_t skip;

    for (size_t i = 0; i < answers->tail_count; i++)
        count += answers->tails[i]->tail.count;
    skip = count > SH_FRAME_RECORDS ? count - SH_FRAME_RECORDS : 0;
    records = PK_NEW_ARRAY(&data->arena, struct cmd_tail_record, count - skip);
    data->shown.records = records;
    data->shown.record_count = count - skip;
    for (size_t i = 0; i < answers->tail_count; i++) {
        const struct cmd_tail *tail = &hold(data, answers->tails[i])->tail;

        for (size_t k = 0; k < tail->count; k++) {
            if (skip > 0)
                skip--;
            else
                *records++ = tail->records[k];
        }
    }
}

static struct data *data_of(const struct sh_feed_answers *answers, uint64_t serial)
{
    struct data *data = data_new();
    struct sh_feed_data *shown = &data->shown;

    shown->serial = serial;
    shown->table = pk_arena_dup(&data->arena, pk_buf_slice(&answers->table));
    shown->trouble = pk_arena_dup(&data->arena, pk_buf_slice(&answers->trouble));
    shown->connected = answers->connected;
    shown->lost = answers->lost;
    if (hold(data, answers->snapshot) != NULL)
        shown->snapshot = &answers->snapshot->snapshot;
    (void)hold(data, answers->history);
    if (hold(data, answers->viewport) != NULL) {
        shown->viewport = &answers->viewport->viewport;
        shown->viewport_ticket = answers->viewport->ticket;
    }
    if (hold(data, answers->item) != NULL)
        shown->item = &answers->item->item;
    if (hold(data, answers->traffic) != NULL) {
        shown->traffic = answers->traffic->traffic;
        shown->traffic_count = answers->traffic->traffic_count;
    }
    gather_records(data, answers);
    return data;
}

static void publish(struct sh_feed *feed)
{
    struct data *data = data_of(&feed->answers, ++feed->serial);
    const uint64_t one = 1;
    struct data *before;

    pthread_mutex_lock(&feed->lock);
    before = feed->latest;
    feed->latest = data;
    pthread_mutex_unlock(&feed->lock);
    sh_feed_data_unref(&before->shown);
    if (write(feed->fd, &one, sizeof(one)) < 0)
        return; /* it is readable as it is */
}

const struct sh_feed_data *sh_feed_latest(struct sh_feed *feed)
{
    struct data *data;
    uint64_t count;
    /* First, so that what comes meanwhile makes it readable again. */
    ssize_t ignored = read(feed->fd, &count, sizeof(count));

    (void)ignored;
    pthread_mutex_lock(&feed->lock);
    data = feed->latest;
    atomic_fetch_add(&data->refs, 1);
    pthread_mutex_unlock(&feed->lock);
    return &data->shown;
}

int sh_feed_fd(const struct sh_feed *feed)
{
    return feed->fd;
}

void sh_feed_fill(const struct sh_feed_data *data, struct sh_frame *frame)
{
    frame->snapshot = data->snapshot;
    frame->viewport = data->viewport;
    frame->viewport_ticket = data->viewport_ticket;
    frame->records = data->records;
    frame->record_count = data->record_count;
    frame->records_lost = data->lost;
    frame->item = data->item;
    frame->traffic = data->traffic;
    frame->traffic_count = data->traffic_count;
    frame->trouble = data->trouble;
}

/* The thread -----------------------------------------------------------------------------------*/

static enum pk_code open_engine(void *context, const atomic_bool *cancel,
                                struct cmd_backend **backend, struct pk_error *err)
{
    struct sh_feed *feed = context;

    (void)cancel;
    (void)err;
    *backend = cmd_backend_local_new(feed->engine);
    cmd_backend_local_set_traffics(*backend, feed->traffics);
    return PK_OK;
}

static void close_backend(struct sh_feed *feed)
{
    cmd_context_release(&feed->context);
    cmd_backend_free(feed->backend);
    feed->backend = NULL;
}

static bool open_backend(struct sh_feed *feed)
{
    struct sh_feed_answers *answers = &feed->answers;
    struct pk_error err = PK_ERROR_INIT;
    enum pk_code rc;

    if (feed->backend != NULL)
        return true;
    rc = feed->source.open(feed->source.context, &feed->cancel, &feed->backend, &err);
    if (rc == PK_OK) {
        feed->backend->hurried = true; /* who waits for a frame looks at the trouble meanwhile */
        cmd_context_init(&feed->context, feed->backend, NULL);
        feed->context.cancel = &feed->cancel;
        sh_feed_answers_restart(answers);
        return true;
    }
    feed->backend = NULL;
    answers->connected = false;
    pk_buf_clear(&answers->trouble);
    pk_buf_printf(&answers->trouble, "connecting: %s", err.message);
    pk_error_release(&err);
    return false;
}

static void free_sending(struct sending *sending)
{
    free(sending->operation);
    free(sending->request);
}

/* Sends what waits, and keeps what is said of a failure. */
static void send_waiting(struct sh_feed *feed)
{
    struct sending sendings[SENDINGS];
    size_t count;

    pthread_mutex_lock(&feed->lock);
    count = feed->waiting_count;
    memcpy(sendings, feed->waiting, count * sizeof(sendings[0]));
    feed->waiting_count = 0;
    pthread_mutex_unlock(&feed->lock);
    for (size_t i = 0; i < count; i++) {
        struct pk_error err = PK_ERROR_INIT;

        sh_feed_ask_other(&feed->context, sendings[i].operation, pk_slice_cstr(sendings[i].request),
                          &err);
        if (err.code != PK_OK) {
            pk_buf_clear(&feed->failure);
            pk_buf_add_cstr(&feed->failure, err.message);
            feed->failed_us = pk_clock_real_us();
        }
        pk_error_release(&err);
        free_sending(&sendings[i]);
    }
}

static bool run_round(struct sh_feed *feed)
{
    struct pk_buf *trouble = &feed->answers.trouble;

    if (!open_backend(feed))
        return false;
    send_waiting(feed);
    if (!sh_feed_ask(&feed->context, &feed->own, &feed->answers)) {
        close_backend(feed);
        return false;
    }
    if (feed->failure.len > 0 && pk_clock_real_us() - feed->failed_us < FAILURE_US) {
        pk_buf_clear(trouble);
        pk_buf_add(trouble, pk_buf_slice(&feed->failure));
    }
    return true;
}

static struct timespec in_us(int64_t us)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += us / 1000000;
    at.tv_nsec += us % 1000000 * 1000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return at;
}

/* Under the lock. Waits until `least` has passed, unless it is urgent, and then until `most` has or
 * the order changes. */
static void wait_for_turn(struct sh_feed *feed, int64_t least_us, int64_t most_us)
{
    struct timespec least = in_us(least_us);
    struct timespec most = in_us(most_us);

    while (!feed->ending && !feed->urgent &&
           pthread_cond_timedwait(&feed->changed, &feed->lock, &least) == 0)
        ;
    while (!feed->ending && !feed->fresh && feed->looking &&
           pthread_cond_timedwait(&feed->changed, &feed->lock, &most) == 0)
        ;
}

/* Under the lock. False: the feed is closed. */
static bool take_order(struct sh_feed *feed)
{
    if (!feed->looking)
        sh_tail_join_pause(&feed->answers.join);
    while (!feed->ending && !feed->looking)
        pthread_cond_wait(&feed->changed, &feed->lock);
    if (feed->fresh)
        sh_feed_order_set(&feed->own, feed->order.table, feed->order.index, &feed->order.needs);
    feed->fresh = feed->urgent = false;
    return !feed->ending;
}

static void *run(void *argument)
{
    struct sh_feed *feed = argument;

    pthread_mutex_lock(&feed->lock);
    while (take_order(feed)) {
        int64_t start_us = pk_clock_real_us();
        int64_t took_us;
        int64_t pause_us;
        bool fine;

        pthread_mutex_unlock(&feed->lock);
        fine = run_round(feed);
        publish(feed);
        took_us = pk_clock_real_us() - start_us;
        pause_us = SHARE * took_us > GAP_US - took_us ? SHARE * took_us : GAP_US - took_us;
        if (pause_us > PAUSE_MAX_US)
            pause_us = PAUSE_MAX_US;
        if (!fine)
            pause_us = RETRY_US;
        pthread_mutex_lock(&feed->lock);
        wait_for_turn(feed, took_us < GAP_US ? GAP_US - took_us : 0, pause_us);
    }
    pthread_mutex_unlock(&feed->lock);
    if (feed->backend != NULL)
        close_backend(feed);
    return NULL;
}

/* Life -----------------------------------------------------------------------------------------*/

static struct sh_feed *feed_new(void)
{
    struct sh_feed *feed = pk_calloc(1, sizeof(*feed));
    pthread_condattr_t monotonic;

    feed->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&feed->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&feed->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    feed->latest = data_of(&feed->answers, 0);
    return feed;
}

static struct sh_feed *start(struct sh_feed *feed)
{
    if (feed->fd < 0 || pthread_create(&feed->thread, NULL, run, feed) != 0)
        pk_bug("cannot start a thread");
    pthread_setname_np(feed->thread, "panel feed"); /* for who looks at what threads cost */
    return feed;
}

struct sh_feed *sh_feed_open(struct pk_engine *engine, struct traffics *traffics)
{
    struct sh_feed *feed = feed_new();

    feed->engine = engine;
    feed->traffics = traffics;
    feed->source = (struct sh_feed_source){open_engine, feed};
    return start(feed);
}

struct sh_feed *sh_feed_open_source(const struct sh_feed_source *source)
{
    struct sh_feed *feed = feed_new();

    feed->source = *source;
    return start(feed);
}

void sh_feed_close(struct sh_feed *feed)
{
    if (feed == NULL)
        return;
    atomic_store(&feed->cancel, true);
    pthread_mutex_lock(&feed->lock);
    feed->ending = true;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
    pthread_join(feed->thread, NULL);
    while (feed->waiting_count > 0)
        free_sending(&feed->waiting[--feed->waiting_count]);
    sh_feed_data_unref(&feed->latest->shown);
    sh_feed_order_release(&feed->order);
    sh_feed_order_release(&feed->own);
    sh_feed_answers_release(&feed->answers);
    pk_buf_release(&feed->failure);
    pthread_cond_destroy(&feed->changed);
    pthread_mutex_destroy(&feed->lock);
    close(feed->fd);
    free(feed);
}

void sh_feed_want(struct sh_feed *feed, const struct sh_feed_wants *wants)
{
    pthread_mutex_lock(&feed->lock);
    if (!feed->looking ||
        !sh_feed_order_is(&feed->order, wants->table, wants->index, wants->needs)) {
        if (wants->needs->tail && !(feed->looking && feed->order.needs.tail))
            feed->urgent = true;
        sh_feed_order_set(&feed->order, wants->table, wants->index, wants->needs);
        feed->fresh = true;
        feed->looking = true;
        pthread_cond_broadcast(&feed->changed);
    }
    pthread_mutex_unlock(&feed->lock);
}

void sh_feed_send(struct sh_feed *feed, const char *operation, pk_slice request)
{
    pthread_mutex_lock(&feed->lock);
    if (feed->waiting_count < SENDINGS) {
        feed->waiting[feed->waiting_count++] =
            (struct sending){.operation = pk_memdup_cstr(operation, strlen(operation)),
                             .request = pk_memdup_cstr(request.data, request.len)};
        feed->fresh = true;
        pthread_cond_broadcast(&feed->changed);
    }
    pthread_mutex_unlock(&feed->lock);
}

void sh_feed_rest(struct sh_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->looking = false;
    pthread_mutex_unlock(&feed->lock);
}
