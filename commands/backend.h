/*
 * Where operations run. Everything that happens is a DynamoDB API operation: a name and a request
 * in JSON go in, a response in JSON comes out, with facts beside it that the API lacks.
 *
 * Two implementations: the embedded engine (backend_local.c) and a remote endpoint over HTTP
 * (shell/client/remote.c). Names are those of the API ("GetItem"); our extensions are spelled
 * "Pksk.Where" and so on and travel under the target prefix Pksk_2026.
 */
#ifndef CMD_BACKEND_H
#define CMD_BACKEND_H

#include "engine/base/buf.h"
#include "engine/engine.h"

struct cmd_response {
    int http;           /* 200, or an error's status; 0: the endpoint could not be reached */
    struct pk_buf body; /* JSON; an error is {"__type": …, "message": …} */
    enum pk_code code;  /* PK_OK, or what the body says */
    bool has_facts;     /* false on a foreign endpoint */
    struct pk_facts facts;
    int64_t milli_units; /* consumed, of all tables together; 0 on an endpoint */
    int64_t micros;     /* the call's duration on the real clock, repetitions and pauses included */
    unsigned retries;   /* how often it was sent again */
    unsigned throttled; /* attempts that were refused as too many; the last one may be among them */
    /* Of an error, where there are facts: where in which text, and what was probably meant. For
     * PartiQL the text is the Statement; otherwise the expression parameter named by `use`. */
    bool has_span;
    enum pk_expr_use use;
    struct pk_span span;
    char *hint; /* owned, may be NULL */
};

#define CMD_RESPONSE_INIT                                                                          \
    {                                                                                              \
        .http = 0                                                                                  \
    }
void cmd_response_release(struct cmd_response *response);

struct cmd_backend;

struct cmd_backend_ops {
    /* Runs the operation. Never fails otherwise than through the response. Thread-safe. *cancel
     * (may be NULL) set to true makes a long read stop with code PK_E_CANCELLED. */
    void (*call)(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                 const atomic_bool *cancel, struct cmd_response *response);
    void (*free)(struct cmd_backend *backend);
    /* The same, but what is refused or lost is not sent again. NULL: call() never does that. */
    void (*call_once)(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                      const atomic_bool *cancel, struct cmd_response *response);
};

struct cmd_backend {
    const struct cmd_backend_ops *ops;
    const char *endpoint; /* URL, or NULL for the embedded engine */
    bool costs_money;     /* remote and not local: hints and completion read nothing there */
    bool extensions;      /* our own operations (Pksk.*) are there: the engine, or another pksk */
    /* Set while somebody waits at the keyboard who cannot cancel (completion): a call then gives up
     * soon and is not repeated. */
    bool hurried;
};

/* ---- what a server needs to know of the operations --------------------------------------------
 */

/* The operation an X-Amz-Target names ("DynamoDB_20120810.GetItem", "DynamoDBStreams_20120810.…",
 * "Pksk_2026.Where"), as call() takes it; data NULL when there is none such. Static text. */
pk_slice cmd_operation_of_target(pk_slice target);
/* True when the body is JSON that call() would read. */
bool cmd_body_is_json(pk_slice body);
/* Makes err the response: status, code and body. Takes what err owns. */
void cmd_response_fail_take(struct cmd_response *response, struct pk_error *err);

/* Runs the operation without repetitions, whatever the answer is: for traffic, which counts
 * refusals. On the engine its reads are not noted as the last one (viewport.h). */
void cmd_backend_call_once(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                           const atomic_bool *cancel, struct cmd_response *response);

/* A backend on the engine, which must outlive it. */
struct cmd_backend *cmd_backend_local_new(struct pk_engine *engine);
/* Which traffics its operations about them mean: none from the beginning. Borrowed. No call may be
 * running. */
struct traffics;
void cmd_backend_local_set_traffics(struct cmd_backend *backend, struct traffics *traffics);
void cmd_backend_free(struct cmd_backend *backend);

#endif
