/*
 * The backend on the embedded engine, and what all backends share: releasing a response, freeing a
 * backend through its ops.
 */
#include "commands/backend.h"

#include <stdlib.h>

#include "commands/api/api.h"

struct local {
    struct cmd_backend backend; /* first: a backend is cast back to its struct local */
    struct api_host host;       /* what it points to is borrowed */
};

static void local_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                       const atomic_bool *cancel, struct cmd_response *response)
{
    struct local *local = (struct local *)backend;

    api_call(&local->host, operation, request, cancel, response);
}

/* For traffic: who looks at the table is to see what a person read. */
static void local_call_once(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                            const atomic_bool *cancel, struct cmd_response *response)
{
    struct api_host host = ((struct local *)backend)->host;

    host.unnoted = true;
    api_call(&host, operation, request, cancel, response);
}

static void local_free(struct cmd_backend *backend)
{
    free(backend);
}

static const struct cmd_backend_ops local_ops = {
    .call = local_call, .call_once = local_call_once, .free = local_free};

struct cmd_backend *cmd_backend_local_new(struct pk_engine *engine)
{
    struct local *local = pk_calloc(1, sizeof(*local));

    local->backend.ops = &local_ops;
    local->backend.extensions = true;
    local->host.engine = engine;
    return &local->backend;
}

void cmd_backend_local_set_traffics(struct cmd_backend *backend, struct traffics *traffics)
{
    ((struct local *)backend)->host.traffics = traffics;
}

void cmd_backend_call_once(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                           const atomic_bool *cancel, struct cmd_response *response)
{
    if (backend->ops->call_once != NULL)
        backend->ops->call_once(backend, operation, request, cancel, response);
    else
        backend->ops->call(backend, operation, request, cancel, response);
}

void cmd_backend_free(struct cmd_backend *backend)
{
    if (backend != NULL)
        backend->ops->free(backend);
}

void cmd_response_release(struct cmd_response *response)
{
    pk_buf_release(&response->body);
    free(response->hint);
    *response = (struct cmd_response)CMD_RESPONSE_INIT;
}
