/*
 * The worker under ThreadSanitizer: many jobs that post more than the queue holds, wait for
 * answers, and are cancelled, while the main thread takes, as sh_run() does.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shell/worker.h"

enum { JOBS = 15, MESSAGES = 30, MESSAGE_BYTES = 200000 };

struct job {
    struct sh_worker *worker;
    atomic_bool cancel;
    int answers;
};

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

static void run_job(void *context)
{
    struct job *job = context;

    require(sh_worker_current(job->worker), "a job runs on the worker's thread");
    for (int i = 0; i < MESSAGES && !atomic_load(&job->cancel); i++) {
        struct sh_message message = {.kind = SH_MESSAGE_TEXT, .fd = i};

        memset(pk_buf_reserve(&message.text, MESSAGE_BYTES), 'x', MESSAGE_BYTES);
        message.text.len = MESSAGE_BYTES;
        sh_worker_post(job->worker, message);
        if (i % 10 == 0)
            job->answers +=
                sh_worker_ask(job->worker, (struct sh_message){.kind = SH_MESSAGE_ASK, .fd = i});
    }
}

/* Takes messages until the job has ended; returns how many texts came. */
static int pump(struct job *job, int cancel_after)
{
    struct sh_message message;
    int texts = 0;

    for (;;) {
        struct pollfd ready = {.fd = sh_worker_fd(job->worker), .events = POLLIN};

        require(poll(&ready, 1, 60000) == 1, "a message comes");
        while (sh_worker_take(job->worker, &message)) {
            enum sh_message_kind kind = message.kind;

            require(kind != SH_MESSAGE_TEXT || message.fd == texts, "messages keep their order");
            texts += kind == SH_MESSAGE_TEXT;
            pk_buf_release(&message.text);
            if (texts == cancel_after)
                atomic_store(&job->cancel, true);
            if (kind == SH_MESSAGE_ASK)
                sh_worker_answer(job->worker, 1);
            if (kind == SH_MESSAGE_DONE)
                return texts;
        }
    }
}

int main(void)
{
    struct job job = {.worker = sh_worker_new()};

    for (int i = 0; i < JOBS; i++) {
        bool cancelled = i % 5 == 4;

        job.answers = 0;
        atomic_store(&job.cancel, false);
        sh_worker_start(job.worker, run_job, &job);

        int texts = pump(&job, cancelled ? 3 : -1);

        require(cancelled ? texts >= 3 : texts == MESSAGES, "all messages come");
        require(cancelled || job.answers == MESSAGES / 10, "all questions are answered");
        require(!sh_worker_current(job.worker), "this is the main thread");
    }
    sh_worker_free(job.worker);
    sh_worker_free(NULL);
    printf("%d jobs\n", JOBS);
    return 0;
}
