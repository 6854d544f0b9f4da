/*
 * The worker: one thread that runs what may take long, so that the main thread can listen to the
 * keyboard and to signals meanwhile. One job at a time; while it runs, messages come back in order
 * through a bounded queue, the last of them SH_MESSAGE_DONE.
 *
 * Functions marked (job) are called on the worker's thread, the others on the main thread.
 */
#ifndef SH_WORKER_H
#define SH_WORKER_H

#include "shell/output.h"

enum sh_message_kind {
    SH_MESSAGE_TEXT,     /* bytes for a stream */
    SH_MESSAGE_REDIRECT, /* results go to fd from here on; text: its name */
    SH_MESSAGE_ASK,      /* text: a yes/no question, waits for sh_worker_answer() */
    SH_MESSAGE_CALL,     /* act(context) is to be called, its answer goes to sh_worker_answer() */
    SH_MESSAGE_SYNC,     /* waits for sh_worker_answer(): all before it has been written */
    SH_MESSAGE_DONE      /* the job has ended */
};

struct sh_message {
    enum sh_message_kind kind;
    enum sh_stream stream;
    int fd;
    struct pk_buf text; /* owned */
    int (*act)(void *context);
    void *context;
};

struct sh_worker;

struct sh_worker *sh_worker_new(void);
/* Ends the thread; no job may be running. NULL is accepted. */
void sh_worker_free(struct sh_worker *worker);
/* Starts a job. None may be running. */
void sh_worker_start(struct sh_worker *worker, void (*job)(void *context), void *context);
/* Readable while messages wait. */
int sh_worker_fd(const struct sh_worker *worker);
/* The next message, the caller's to release (text); false: none waits. */
bool sh_worker_take(struct sh_worker *worker, struct sh_message *message);
void sh_worker_answer(struct sh_worker *worker, int answer);

/* True on the worker's own thread. */
bool sh_worker_current(const struct sh_worker *worker);
/* (job) Appends a message and takes its text. Waits while too much is queued. */
void sh_worker_post(struct sh_worker *worker, struct sh_message message);
/* (job) Posts an ASK, CALL or SYNC and waits for the answer. */
int sh_worker_ask(struct sh_worker *worker, struct sh_message message);

#endif
