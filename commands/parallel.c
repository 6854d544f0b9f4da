#include "commands/parallel.h"

#include <pthread.h>
#include <stdlib.h>

#include "commands/trace.h"
#include "commands/wire.h"

enum { THREADS = 8 };

struct work {
    struct cmd_context *context;
    pk_slice operation;
    struct cmd_parcel *parcels;
    struct pk_buf *bodies;
    size_t count;
    atomic_size_t next;
};

static void *work_on(void *argument)
{
    struct work *work = argument;

    for (;;) {
        size_t i = atomic_fetch_add(&work->next, 1);

        if (i >= work->count)
            return NULL;
        work->context->backend->ops->call(work->context->backend, work->operation,
                                          pk_buf_slice(&work->bodies[i]), work->context->cancel,
                                          &work->parcels[i].response);
    }
}

/* The calling thread works too; one that cannot be started is not missed. */
static void run(struct work *work)
{
    pthread_t threads[THREADS - 1];
    size_t started = 0;

    while (started < THREADS - 1 && started + 1 < work->count &&
           pthread_create(&threads[started], NULL, work_on, work) == 0)
        started++;
    work_on(work);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

void cmd_call_all(struct cmd_context *context, const char *operation, struct cmd_parcel *parcels,
                  size_t count)
{
    struct work work = {.context = context,
                        .operation = pk_slice_cstr(operation),
                        .parcels = parcels,
                        .bodies = pk_calloc(count, sizeof(*work.bodies)),
                        .count = count};

    for (size_t i = 0; i < count; i++)
        cmd_wire_print(&work.bodies[i], parcels[i].request);
    run(&work);
    for (size_t i = 0; i < count; i++)
        cmd_trace_add(context, operation, parcels[i].request, &parcels[i].response);
    for (size_t i = 0; i < count; i++)
        pk_buf_release(&work.bodies[i]);
    free(work.bodies);
}
