#include "commands/wait.h"

#include <stdio.h>
#include <time.h>

#include "commands/wire.h"

enum {
    STEP_MS = 50,      /* a cancel is heard within */
    FIRST_MS = 100,    /* local endpoints are quick */
    LONGEST_MS = 2000, /* DescribeTable costs nothing, and AWS takes seconds */
    LIMIT_MS = 600000,
    FIRST_ASK_MS = 20,
    LONGEST_ASK_MS = 1000
};

bool cmd_is_cancelled(const struct cmd_context *context)
{
    return context->cancel != NULL && atomic_load(context->cancel);
}

bool cmd_pause_ms(const struct cmd_context *context, int ms)
{
    for (; ms > 0 && !cmd_is_cancelled(context); ms -= STEP_MS) {
        struct timespec step = {.tv_nsec = (ms < STEP_MS ? ms : STEP_MS) * 1000000L};

        (void)nanosleep(&step, NULL);
    }
    return !cmd_is_cancelled(context);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void show(const struct cmd_context *context, pk_slice name, pk_slice status, int waited_ms)
{
    char text[400];

    if (context->progress.show == NULL)
        return;
    (void)snprintf(text, sizeof(text), "table %.*s: %.*s, %d s", PK_FMT(name), PK_FMT(status),
                   waited_ms / 1000);
    context->progress.show(context->progress.context, text);
}

/* *done: the table is as it shall be. */
static enum pk_code look(struct cmd_context *context, pk_slice name, enum cmd_wait_for what,
                         int waited_ms, bool *done, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    pk_slice status;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", name);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    cJSON_Delete(request);
    *done = rc == PK_E_NOT_FOUND && what == CMD_WAIT_GONE;
    if (*done)
        pk_error_release(err);
    if (rc == PK_OK) {
        status = cmd_wire_text(cJSON_GetObjectItemCaseSensitive(answer, "Table"), "TableStatus");
        *done = what == CMD_WAIT_ACTIVE && pk_slice_is(status, "ACTIVE");
        if (!*done)
            show(context, name, status, waited_ms);
    }
    cJSON_Delete(answer);
    return *done ? PK_OK : rc;
}

enum pk_code cmd_wait_table(struct cmd_context *context, pk_slice name, enum cmd_wait_for what,
                            struct pk_error *err)
{
    int pause = FIRST_MS;
    bool done = context->backend->extensions;

    for (int waited = 0; !done; waited += pause) {
        enum pk_code rc = look(context, name, what, waited, &done, err);

        if (rc != PK_OK || done)
            return rc;
        if (waited >= LIMIT_MS)
            return pk_fail(err, PK_E_INTERNAL, "table '%.*s' does not %s within ten minutes",
                           PK_FMT(name), what == CMD_WAIT_GONE ? "go" : "become ACTIVE");
        if (!cmd_pause_ms(context, pause))
            return pk_fail(err, PK_E_CANCELLED, "cancelled; the endpoint goes on with table '%.*s'",
                           PK_FMT(name));
        pause = pause * 2 < LONGEST_MS ? pause * 2 : LONGEST_MS;
    }
    return PK_OK;
}

/* ---- anything -------------------------------------------------------------------------------- */

static void show_waiting(const struct cmd_context *context, const char *what)
{
    char text[400];

    if (context->progress.show == NULL)
        return;
    (void)snprintf(text, sizeof(text), "waiting for %s", what);
    context->progress.show(context->progress.context, text);
}

enum pk_code cmd_wait(struct cmd_context *context, const struct cmd_wait *wait,
                      struct pk_error *err)
{
    int pause = FIRST_ASK_MS;
    bool done = false;
    enum pk_code rc = wait->ask(context, wait->state, &done, err);

    while (rc == PK_OK && !done) {
        show_waiting(context, wait->what);
        (void)cmd_pause_ms(context, pause);
        pause = 2 * pause < LONGEST_ASK_MS ? 2 * pause : LONGEST_ASK_MS;
        if (cmd_is_cancelled(context))
            return pk_fail(err, PK_E_CANCELLED, "no longer waiting for %s, which goes on",
                           wait->what);
        rc = wait->ask(context, wait->state, &done, err);
    }
    return rc;
}
