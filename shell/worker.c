/* Thread, queue and answers; see worker.h. */
#include "shell/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Rendered text that may wait before the job has to: results are large, terminals are slow. */
#define QUEUE_BYTES ((size_t)4 << 20)

struct entry {
    struct sh_message message;
    struct entry *next;
};

struct sh_worker {
    pthread_t thread;
    int event_fd;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    void (*job)(void *context); /* NULL: idle */
    void *context;
    bool ending;
    struct entry *first, *last;
    size_t queued; /* bytes of text */
    bool answered;
    int answer;
};

static void *run_jobs(void *argument)
{
    struct sh_worker *worker = argument;

    for (;;) {
        pthread_mutex_lock(&worker->lock);
        while (worker->job == NULL && !worker->ending)
            pthread_cond_wait(&worker->changed, &worker->lock);

        void (*job)(void *context) = worker->job;
        void *context = worker->context;

        pthread_mutex_unlock(&worker->lock);
        if (job == NULL)
            return NULL;
        job(context);
        pthread_mutex_lock(&worker->lock);
        worker->job = NULL;
        pthread_mutex_unlock(&worker->lock);
        sh_worker_post(worker, (struct sh_message){.kind = SH_MESSAGE_DONE, .fd = -1});
    }
}

struct sh_worker *sh_worker_new(void)
{
    struct sh_worker *worker = pk_calloc(1, sizeof(*worker));

    worker->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    if (worker->event_fd < 0 || pthread_create(&worker->thread, NULL, run_jobs, worker) != 0)
        pk_bug("cannot start a thread");
    return worker;
}

void sh_worker_free(struct sh_worker *worker)
{
    struct sh_message message;

    if (worker == NULL)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->ending = true;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    while (sh_worker_take(worker, &message))
        pk_buf_release(&message.text);
    close(worker->event_fd);
    pthread_mutex_destroy(&worker->lock);
    pthread_cond_destroy(&worker->changed);
    free(worker);
}

void sh_worker_start(struct sh_worker *worker, void (*job)(void *context), void *context)
{
    pthread_mutex_lock(&worker->lock);
    if (worker->job != NULL)
        pk_bug("a job is running");
    worker->job = job;
    worker->context = context;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

bool sh_worker_current(const struct sh_worker *worker)
{
    return pthread_equal(worker->thread, pthread_self()) != 0;
}

int sh_worker_fd(const struct sh_worker *worker)
{
    return worker->event_fd;
}

bool sh_worker_take(struct sh_worker *worker, struct sh_message *message)
{
    pthread_mutex_lock(&worker->lock);

    struct entry *entry = worker->first;

    if (entry != NULL) {
        worker->first = entry->next;
        worker->last = entry->next == NULL ? NULL : worker->last;
        worker->queued -= entry->message.text.len;
        pthread_cond_broadcast(&worker->changed);
    } else {
        uint64_t count = 0;

        /* under the lock, so that no post is missed between the look and the reset */
        if (read(worker->event_fd, &count, sizeof(count)) < 0)
            count = 0;
    }
    pthread_mutex_unlock(&worker->lock);
    if (entry == NULL)
        return false;
    *message = entry->message;
    free(entry);
    return true;
}

void sh_worker_post(struct sh_worker *worker, struct sh_message message)
{
    struct entry *entry = pk_calloc(1, sizeof(*entry));
    uint64_t one = 1;

    entry->message = message;
    pthread_mutex_lock(&worker->lock);
    while (worker->queued >= QUEUE_BYTES)
        pthread_cond_wait(&worker->changed, &worker->lock);
    worker->queued += message.text.len;
    if (worker->last == NULL)
        worker->first = entry;
    else
        worker->last->next = entry;
    worker->last = entry;
    if (write(worker->event_fd, &one, sizeof(one)) < 0)
        pk_bug("eventfd is full");
    pthread_mutex_unlock(&worker->lock);
}

int sh_worker_ask(struct sh_worker *worker, struct sh_message message)
{
    pthread_mutex_lock(&worker->lock);
    worker->answered = false;
    pthread_mutex_unlock(&worker->lock);
    sh_worker_post(worker, message);
    pthread_mutex_lock(&worker->lock);
    while (!worker->answered)
        pthread_cond_wait(&worker->changed, &worker->lock);

    int answer = worker->answer;

    pthread_mutex_unlock(&worker->lock);
    return answer;
}

void sh_worker_answer(struct sh_worker *worker, int answer)
{
    pthread_mutex_lock(&worker->lock);
    worker->answered = true;
    worker->answer = answer;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}
