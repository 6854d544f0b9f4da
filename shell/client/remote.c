/* Calls over HTTP; see remote.h. */
#include "shell/client/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "commands/answer.h"
#include "commands/facts.h"
#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "shell/client/client.h"
#include "shell/client/retry.h"

enum {
    TARGET_MAX = 128,
    SLICE_MS = 20,     /* a cancel is heard within */
    SHOWN_MS = 300,    /* pauses from here on are shown */
    SKEW_S = 300,      /* AWS takes signatures of 15 minutes */
    EXCERPT_MAX = 200, /* bytes of an answer that is none */
    HTTP_OK = 200
};

struct remote {
    struct cmd_backend backend; /* first: a backend is cast back to its struct remote */
    struct sh_aws_account account;
    struct sh_client *client;
    struct cmd_progress progress;
    bool probing; /* opening: not known yet whether it is another pksk */
};

/* One operation, however often it is sent. */
struct call {
    struct remote *remote;
    struct cmd_response *response;
    struct sh_client_request request;
    struct sh_client_answer answer;
    struct pk_rng rng;
    enum sh_failure failure; /* of the last attempt */
    unsigned attempts;
    bool once; /* it is not sent again, whatever comes */
    char target[TARGET_MAX];
};

/* ---- operations ------------------------------------------------------------------------------ */

static bool is_stream_operation(pk_slice operation)
{
    static const char *const names[] = {"ListStreams", "DescribeStream", "GetShardIterator",
                                        "GetRecords"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (pk_slice_is(operation, names[i]))
            return true;
    return false;
}

/* The request as HTTP has it: host and target go by the operation's group. */
static void address(struct call *call, pk_slice operation)
{
    const struct remote *remote = call->remote;
    const char *prefix = "DynamoDB_20120810";

    call->request.url = remote->account.url.text;
    call->request.facts = remote->probing || remote->backend.extensions;
    call->request.hurried = remote->backend.hurried;
    if (pk_slice_starts(operation, PK_LIT("Pksk."))) {
        prefix = "Pksk_2026";
        operation = pk_slice_skip(operation, 5);
        call->request.patient = true; /* `check` reads a whole store */
    } else if (is_stream_operation(operation)) {
        prefix = "DynamoDBStreams_20120810";
        call->request.url = remote->account.streams_url;
    }
    (void)snprintf(call->target, sizeof(call->target), "%s.%.*s", prefix, PK_FMT(operation));
    call->request.target = call->target;
}

/* ---- one attempt ----------------------------------------------------------------------------- */

static void fail(struct call *call, enum pk_code code, const char *format, ...) PK_PRINTF(3, 4);

static void fail(struct call *call, enum pk_code code, const char *format, ...)
{
    struct pk_buf message = PK_BUF_INIT;
    struct pk_error err = PK_ERROR_INIT;
    va_list args;

    va_start(args, format);
    pk_buf_vprintf(&message, format, args);
    va_end(args);
    pk_fail(&err, code, "%s", message.data);
    free(call->response->hint); /* a strange answer may have had one */
    cmd_response_fail_take(call->response, &err);
    pk_buf_release(&message);
}

static bool is_damaged(const struct sh_client_answer *answer)
{
    return answer->has_crc && pk_hash_crc32(0, pk_buf_slice(&answer->body)) != answer->crc;
}

/* An answer that is no error of DynamoDB's: a proxy's page, or another service. */
static void take_strange(struct call *call)
{
    const char *url = call->request.url;
    size_t len = call->answer.body.len < EXCERPT_MAX ? call->answer.body.len : EXCERPT_MAX;

    fail(call, PK_E_FOREIGN, "%s answers with HTTP status %ld%s%.*s", url, call->answer.status,
         len == 0 ? "" : ": ", (int)len, len == 0 ? "" : call->answer.body.data);
    call->response->http = (int)call->answer.status;
}

/* AWS refuses what is signed in another quarter of an hour, and says it in its own way. */
static void hint_clock(struct call *call)
{
    int64_t ahead = pk_clock_real_ms() / 1000 - call->answer.date_s;
    struct pk_buf hint = PK_BUF_INIT;

    if (call->response->hint != NULL || call->answer.date_s < 0 ||
        (ahead < SKEW_S && ahead > -SKEW_S))
        return;
    pk_buf_printf(&hint, "this machine's clock is %lld minutes %s the endpoint's",
                  (long long)(ahead < 0 ? -ahead : ahead) / 60, ahead > 0 ? "ahead of" : "behind");
    call->response->hint = pk_buf_detach(&hint);
}

static void take_answer(struct call *call)
{
    struct cmd_response *response = call->response;

    response->http = (int)call->answer.status;
    response->has_facts =
        call->answer.facts != NULL && cmd_facts_read(pk_slice_cstr(call->answer.facts), response);
    if (response->http == HTTP_OK) {
        pk_buf_release(&response->body);
        response->body = call->answer.body;
        call->answer.body = (struct pk_buf)PK_BUF_INIT;
        response->code = PK_OK;
        return;
    }
    response->code = cmd_answer_code(pk_buf_slice(&call->answer.body));
    if (response->code == PK_OK) {
        take_strange(call);
        return;
    }
    pk_buf_clear(&response->body);
    pk_buf_add(&response->body, pk_buf_slice(&call->answer.body));
    if (response->code == PK_E_FOREIGN || response->code == PK_E_INVALID_SIGNATURE)
        hint_clock(call);
}

static enum sh_failure take_outcome(struct call *call, enum sh_client_outcome outcome)
{
    const char *url = call->request.url;

    switch (outcome) {
    case SH_CLIENT_ANSWERED:
        if (is_damaged(&call->answer)) {
            fail(call, PK_E_UNREACHABLE, "an answer of %s arrived damaged: its checksum is another",
                 url);
            return SH_FAILURE_LOST;
        }
        take_answer(call);
        return call->response->code == PK_OK
                   ? SH_FAILURE_FINAL
                   : sh_failure_of(call->response->code, call->response->http);
    case SH_CLIENT_LOST:
        fail(call, PK_E_UNREACHABLE, "no answer from %s: %s", url, call->answer.failure);
        return SH_FAILURE_LOST;
    case SH_CLIENT_FAILED:
        fail(call, PK_E_UNREACHABLE, "no answer from %s: %s", url, call->answer.failure);
        return SH_FAILURE_FINAL;
    case SH_CLIENT_CANCELLED:
        fail(call, PK_E_CANCELLED, "cancelled");
        return SH_FAILURE_FINAL;
    }
    return SH_FAILURE_FINAL;
}

/* What an earlier attempt left beside the body. */
static void forget(struct cmd_response *response)
{
    free(response->hint);
    response->hint = NULL;
    response->has_facts = false;
    response->has_span = false;
}

static void attempt(struct call *call)
{
    enum sh_client_outcome outcome;

    forget(call->response);
    call->attempts++;
    outcome = sh_client_post(call->remote->client, &call->request, &call->answer);
    call->failure = take_outcome(call, outcome);
    call->response->throttled += call->failure == SH_FAILURE_THROTTLED;
}

/* ---- again ----------------------------------------------------------------------------------- */

static void show_pause(const struct call *call, int64_t pause_ms)
{
    const struct cmd_progress *progress = &call->remote->progress;
    char text[200];

    if (progress->show == NULL || call->remote->backend.hurried || pause_ms < SHOWN_MS)
        return;
    (void)snprintf(text, sizeof(text), "%s: attempt %u in %lld.%lld s",
                   call->failure == SH_FAILURE_THROTTLED ? "throttled"
                   : call->failure == SH_FAILURE_LOST    ? "no answer"
                                                         : "the endpoint is in trouble",
                   call->attempts + 1, (long long)pause_ms / 1000, (long long)pause_ms / 100 % 10);
    progress->show(progress->context, text);
}

static bool is_cancelled(const struct call *call)
{
    return call->request.cancel != NULL && atomic_load(call->request.cancel);
}

/* False, and the response says so, when cancelled meanwhile. */
static bool pause_before(struct call *call)
{
    int64_t pause_ms = sh_retry_pause_ms(&call->rng, call->attempts);
    int64_t end_us = pk_clock_real_us() + pause_ms * 1000;

    show_pause(call, pause_ms);
    while (!is_cancelled(call) && pk_clock_real_us() < end_us) {
        struct timespec slice = {0, SLICE_MS * 1000000L};

        nanosleep(&slice, NULL);
    }
    if (!is_cancelled(call))
        return true;
    fail(call, PK_E_CANCELLED, "cancelled");
    return false;
}

static bool goes_again(const struct call *call)
{
    return !call->request.hurried && !call->once &&
           sh_retry_again(call->failure, call->attempts, call->remote->account.attempts);
}

/* After several attempts the last error alone would tell too little. */
static void hint_attempts(const struct call *call)
{
    struct pk_buf hint = PK_BUF_INIT;

    if (call->attempts < 2 || call->response->code == PK_OK || call->response->hint != NULL ||
        call->response->code == PK_E_CANCELLED)
        return;
    pk_buf_printf(&hint, "sent %u times in %lld.%lld s", call->attempts,
                  (long long)call->response->micros / 1000000,
                  (long long)call->response->micros / 100000 % 10);
    call->response->hint = pk_buf_detach(&hint);
}

static void perform(struct call *call, pk_slice operation)
{
    int64_t start_us = pk_clock_real_us();

    call->answer.date_s = -1;
    pk_rng_seed(&call->rng, (uint64_t)start_us ^ (uint64_t)(uintptr_t)call);
    address(call, operation);
    attempt(call);
    while (goes_again(call) && pause_before(call))
        attempt(call);
    sh_client_answer_release(&call->answer);
    call->response->retries = call->attempts - 1;
    call->response->micros = pk_clock_real_us() - start_us;
    hint_attempts(call);
}

static void remote_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                        const atomic_bool *cancel, struct cmd_response *response)
{
    struct call call = {.remote = (struct remote *)(void *)backend,
                        .response = response,
                        .request = {.body = request, .cancel = cancel}};

    perform(&call, operation);
}

static void remote_call_once(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                             const atomic_bool *cancel, struct cmd_response *response)
{
    struct call call = {.remote = (struct remote *)(void *)backend,
                        .response = response,
                        .request = {.body = request, .cancel = cancel},
                        .once = true};

    perform(&call, operation);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void remote_free(struct cmd_backend *backend)
{
    struct remote *remote = (struct remote *)(void *)backend;

    sh_client_free(remote->client);
    sh_aws_account_release(&remote->account);
    free(remote);
}

static const struct cmd_backend_ops remote_ops = {
    .call = remote_call, .free = remote_free, .call_once = remote_call_once};

/* May one work with an endpoint that answers so to ListTables? A user who must not list tables may
 * still use one. */
static bool is_usable(const struct cmd_response *response)
{
    if (response->http == HTTP_OK)
        return cmd_answer_has(pk_buf_slice(&response->body), "TableNames");
    return response->code == PK_E_ACCESS_DENIED ||
           sh_failure_of(response->code, response->http) == SH_FAILURE_THROTTLED;
}

static enum pk_code probe(struct remote *remote, const atomic_bool *cancel, struct pk_error *err)
{
    struct cmd_context context = {.backend = &remote->backend};
    struct cmd_response response = CMD_RESPONSE_INIT;
    enum pk_code rc = PK_OK;

    remote->probing = true;
    remote_call(&remote->backend, PK_LIT("ListTables"), PK_LIT("{\"Limit\":1}"), cancel, &response);
    remote->probing = false;
    remote->backend.extensions = response.has_facts;
    if (!is_usable(&response)) {
        if (response.http == HTTP_OK)
            rc = pk_fail(err, PK_E_UNREACHABLE, "%s does not answer as DynamoDB does",
                         remote->backend.endpoint);
        else
            rc = cmd_take_error(&context, "ListTables", &response, err);
    }
    cmd_response_release(&response);
    return rc;
}

enum pk_code sh_remote_open_take(struct sh_aws_account *account, struct cmd_progress progress,
                                 const atomic_bool *cancel, struct cmd_backend **backend,
                                 struct pk_error *err)
{
    struct remote *remote = pk_calloc(1, sizeof(*remote));
    enum pk_code rc;

    remote->account = *account;
    *account = (struct sh_aws_account){.region = NULL};
    remote->progress = progress;
    remote->backend.ops = &remote_ops;
    remote->backend.endpoint = remote->account.url.text;
    remote->backend.costs_money = !remote->account.url.local;
    rc = sh_client_open(&remote->account, &remote->client, err);
    if (rc == PK_OK)
        rc = probe(remote, cancel, err);
    if (rc != PK_OK) {
        remote_free(&remote->backend);
        return rc;
    }
    *backend = &remote->backend;
    return PK_OK;
}
