/*
 * The rules of operations.md §1. Their order is the order of the functions at the end, from
 * sh_service_answer() upwards: body size, CORS, GET, method and content type, JSON, target,
 * credentials, operation.
 */
#include "shell/server/service.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "commands/facts.h"
#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "engine/base/rng.h"
#include "shell/server/accept.h"
#include "shell/server/auth.h"
#include "shell/server/gzip.h"
#include "shell/server/host.h"

enum { REQUEST_ID_LEN = 52 };

struct sh_service {
    struct cmd_backend *backend;
    struct sh_service_options options;
    atomic_bool cancel;
    atomic_ullong answered; /* with the seed: the next request id */
    uint64_t seed;
};

struct sh_service *sh_service_new(struct cmd_backend *backend,
                                  const struct sh_service_options *options)
{
    struct sh_service *service = pk_calloc(1, sizeof(*service));

    service->backend = backend;
    service->options = *options;
    service->seed = (uint64_t)pk_clock_real_ms() << 20;
    return service;
}

void sh_service_free(struct sh_service *service)
{
    free(service);
}

void sh_service_cancel(struct sh_service *service)
{
    atomic_store(&service->cancel, true);
}

/* ---- parts of answers ------------------------------------------------------------------------ */

static void add_request_id(struct sh_service *service, struct sh_http_answer *answer)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    enum { PER_DRAW = 12 }; /* 36^12 < 2^63 */
    char id[REQUEST_ID_LEN];
    struct pk_rng rng;
    uint64_t draw = 0;

    pk_rng_seed(&rng, service->seed + atomic_fetch_add(&service->answered, 1));
    for (size_t i = 0; i < REQUEST_ID_LEN; i++) {
        if (i % PER_DRAW == 0)
            draw = pk_rng_next(&rng);
        id[i] = letters[draw % (sizeof(letters) - 1)];
        draw /= sizeof(letters) - 1;
    }
    sh_http_answer_add(answer, "x-amzn-RequestId", (pk_slice){id, sizeof(id)});
}

static void add_number(struct sh_http_answer *answer, const char *name, uint32_t number)
{
    char text[16];
    int len = snprintf(text, sizeof(text), "%u", number);

    sh_http_answer_add(answer, name, (pk_slice){text, (size_t)len});
}

/* The headers that every answer has; the body is complete. */
static void close_answer(struct sh_service *service, struct sh_http_answer *answer, int status)
{
    answer->status = status;
    sh_http_answer_add(answer, "Server", PK_LIT("pksk"));
    add_request_id(service, answer);
    add_number(answer, "x-amz-crc32", pk_hash_crc32(0, pk_buf_slice(&answer->body)));
}

static void answer_text(struct sh_service *service, struct sh_http_answer *answer, int status,
                        const char *text)
{
    pk_buf_add_cstr(&answer->body, text);
    close_answer(service, answer, status);
}

static void answer_closing(struct sh_service *service, struct sh_http_answer *answer, int status,
                           const char *text)
{
    answer->close = true;
    answer_text(service, answer, status, text);
}

static void add_content_type(const struct sh_http_request *request, struct sh_http_answer *answer)
{
    pk_slice type = sh_http_header(request, "Content-Type");
    const pk_slice usual = PK_LIT("application/x-amz-json-1.0");
    bool is_usual = type.len >= usual.len && strncasecmp(type.data, usual.data, usual.len) == 0;

    sh_http_answer_add(answer, "Content-Type", is_usual ? usual : PK_LIT("application/json"));
}

/* Compresses the body when it is large and the client can read that. */
static void encode_body(const struct sh_http_request *request, struct sh_http_answer *answer)
{
    struct pk_buf coded = PK_BUF_INIT;
    enum sh_coding coding = SH_CODING_GZIP;
    bool gzip;

    if (answer->body.len < SH_HTTP_ENCODE_MIN ||
        !sh_accept_coding(sh_http_header(request, "Accept-Encoding"), &coding))
        return;
    gzip = coding == SH_CODING_GZIP;
    sh_coding_encode(&coded, coding, pk_buf_slice(&answer->body));
    pk_buf_release(&answer->body);
    answer->body = coded;
    sh_http_answer_add(answer, "Content-Encoding", gzip ? PK_LIT("gzip") : PK_LIT("deflate"));
}

/* The operation's response, or an error, as the answer. Empties the response's body. */
static void answer_response(struct sh_service *service, const struct sh_http_request *request,
                            struct cmd_response *response, struct sh_http_answer *answer)
{
    if (sh_http_header(request, CMD_FACTS_HEADER).data != NULL) {
        struct pk_buf facts = PK_BUF_INIT;

        cmd_facts_write(&facts, response);
        sh_http_answer_add(answer, CMD_FACTS_HEADER, pk_buf_slice(&facts));
        pk_buf_release(&facts);
    }
    answer->body = response->body;
    response->body = (struct pk_buf)PK_BUF_INIT;
    add_content_type(request, answer);
    encode_body(request, answer);
    close_answer(service, answer, response->http);
}

void sh_service_answer_error(struct sh_service *service, enum pk_code code, const char *message,
                             struct sh_http_answer *answer)
{
    struct sh_http_request none = {.header_count = 0};
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct pk_error err = PK_ERROR_INIT;

    (void)pk_fail(&err, code, "%s", message);
    cmd_response_fail_take(&response, &err);
    answer->close = true;
    answer_response(service, &none, &response, answer);
    cmd_response_release(&response);
}

void sh_service_answer_status(struct sh_service *service, int status, struct sh_http_answer *answer)
{
    answer_closing(service, answer, status, "");
}

/* ---- the head -------------------------------------------------------------------------------- */

static size_t head_size(const struct sh_http_request *head)
{
    size_t size = 0;

    for (size_t i = 0; i < head->header_count; i++)
        size += head->headers[i].name.len + head->headers[i].value.len + 4; /* ": ", CR LF */
    return size;
}

/* The declared length of the body; false when the declaration is not to be trusted: it could hide
 * a second request. *length 0 when there is none. */
static bool read_length(const struct sh_http_request *head, uint64_t *length)
{
    size_t count = sh_http_header_count(head, "Content-Length");
    pk_slice text = sh_http_header(head, "Content-Length");
    pk_slice transfer = sh_http_header(head, "Transfer-Encoding");

    *length = 0;
    if (count > 1 || (count == 1 && transfer.data != NULL) ||
        sh_http_header_count(head, "Transfer-Encoding") > 1)
        return false;
    if (transfer.data != NULL)
        return transfer.len == 7 && strncasecmp(transfer.data, "chunked", 7) == 0;
    if (count == 1 && (text.len == 0 || text.len > 18))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        *length = *length * 10 + (uint64_t)(text.data[i] - '0');
    }
    return true;
}

static bool is_token_byte(char byte)
{
    if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '-')
        return true; /* nearly all */
    return byte > ' ' && byte <= '~' && strchr("\"(),/:;<=>?@[\\]{}", byte) == NULL;
}

static bool goes_on(pk_slice name, const char *start)
{
    size_t len = strlen(start);

    return name.len > len && strncasecmp(name.data, start, len) == 0;
}

/* A blank before the colon, or a header folded over two lines, could hide from us a length that
 * somebody before us has seen (RFC 9112 §5). The library appends what is folded to the name. */
static bool has_sound_names(const struct sh_http_request *head)
{
    for (size_t i = 0; i < head->header_count; i++) {
        pk_slice name = head->headers[i].name;

        if (name.len == 0 || goes_on(name, "Content-Length") || goes_on(name, "Transfer-Encoding"))
            return false;
        for (size_t at = 0; at < name.len; at++)
            if (!is_token_byte(name.data[at]))
                return false;
    }
    return true;
}

/* HTTP/1.0 knows none. */
static bool has_one_host(const struct sh_http_request *head)
{
    size_t count = sh_http_header_count(head, "Host");

    return count == 1 || (count == 0 && pk_slice_is(head->version, "HTTP/1.0"));
}

static bool is_host_allowed(const struct sh_service *service, const struct sh_http_request *head)
{
    pk_slice host = sh_http_header(head, "Host");
    const struct sh_service_options *options = &service->options;

    if (host.data == NULL) /* HTTP/1.0 */
        return true;
    if (sh_host_is_local(host) || sh_host_is(host, options->host))
        return true;
    for (size_t i = 0; i < options->allowed_count; i++)
        if (sh_host_is(host, options->allowed_hosts[i]))
            return true;
    return false;
}

bool sh_service_refuse(struct sh_service *service, const struct sh_http_request *head,
                       struct sh_http_answer *answer)
{
    uint64_t length = 0;

    if (head->path.len + head->query.len > SH_HTTP_HEAD_MAX)
        answer_closing(service, answer, 414, "");
    else if (head_size(head) > SH_HTTP_HEAD_MAX)
        answer_closing(service, answer, 431, "");
    else if (!has_sound_names(head) || !has_one_host(head) || !read_length(head, &length))
        answer_closing(service, answer, 400, "");
    else if (length > SH_HTTP_BODY_MAX)
        answer_closing(service, answer, 413, "");
    else if (!is_host_allowed(service, head))
        answer_closing(service, answer, 403,
                       "this Host is not served here; see pksk serve --allow-host\n");
    else
        return false;
    return true;
}

/* ---- CORS, GET ------------------------------------------------------------------------------- */

static void echo(const struct sh_http_request *request, const char *asked,
                 struct sh_http_answer *answer, const char *allowed)
{
    pk_slice value = sh_http_header(request, asked);

    if (value.data != NULL)
        sh_http_answer_add(answer, allowed, value);
}

/* Adds the headers of CORS when the origin may have them. True: the request was nothing but the
 * question for them. */
static bool answer_cors(struct sh_service *service, const struct sh_http_request *request,
                        struct sh_http_answer *answer)
{
    const char *allowed = service->options.cors_origin;
    pk_slice origin = sh_http_header(request, "Origin");

    if (allowed == NULL || origin.data == NULL ||
        (strcmp(allowed, "*") != 0 && !pk_slice_is(origin, allowed)))
        return false;
    sh_http_answer_add(answer, "Access-Control-Allow-Origin", pk_slice_cstr(allowed));
    sh_http_answer_add(answer, "Access-Control-Expose-Headers",
                       PK_LIT("x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"));
    if (!pk_slice_is(request->method, "OPTIONS"))
        return false;
    sh_http_answer_add(answer, "Access-Control-Max-Age", PK_LIT("172800"));
    echo(request, "Access-Control-Request-Headers", answer, "Access-Control-Allow-Headers");
    echo(request, "Access-Control-Request-Method", answer, "Access-Control-Allow-Methods");
    answer_text(service, answer, 200, "");
    return true;
}

/* A body that is not JSON by its header is nothing for us. */
static bool is_api_request(const struct sh_http_request *request)
{
    pk_slice type = sh_http_header(request, "Content-Type");
    size_t len = 0;

    if (!pk_slice_is(request->method, "POST") || !pk_slice_is(request->path, "/"))
        return false;
    while (len < type.len && type.data[len] != ';' && type.data[len] != ' ')
        len++;
    type.len = len;
    return request->body.len == 0 || pk_slice_is(type, "application/json") ||
           pk_slice_is(type, "application/x-amz-json-1.0");
}

/* ---- operations ------------------------------------------------------------------------------ */

/* An API request under way. */
struct exchange {
    struct sh_service *service;
    const struct sh_http_request *request;
    struct cmd_response response;
    struct pk_buf decoded; /* the body, when it came compressed */
    pk_slice body;         /* the request's, or the decoded one */
};

static void fail(struct exchange *exchange, enum pk_code code, const char *message)
{
    struct pk_error err = PK_ERROR_INIT;

    (void)pk_fail(&err, code, "%s", message);
    cmd_response_fail_take(&exchange->response, &err);
}

static bool is_coding(pk_slice coding, const char *name)
{
    return coding.len == strlen(name) && strncasecmp(coding.data, name, coding.len) == 0;
}

/* What cannot be decoded is an InternalServerError at AWS (operations.md §1). False: answered. */
static bool decode_body(struct exchange *exchange)
{
    pk_slice coding = sh_http_header(exchange->request, "Content-Encoding");
    bool gzip = is_coding(coding, "gzip"), too_long = false;

    exchange->body = exchange->request->body;
    if (coding.len == 0 || is_coding(coding, "identity"))
        return true;
    if (!gzip && !is_coding(coding, "deflate")) {
        fail(exchange, PK_E_VALIDATION, "Content-Encoding is none of gzip, deflate");
        return false;
    }
    if (!sh_coding_decode(&exchange->decoded, gzip ? SH_CODING_GZIP : SH_CODING_DEFLATE,
                          exchange->body, SH_HTTP_BODY_MAX, &too_long)) {
        fail(
            exchange, PK_E_INTERNAL,
            "The request processing has failed because of an unknown error, exception or failure.");
        if (too_long) {
            pk_buf_clear(&exchange->response.body);
            exchange->response.http = 413;
        }
        return false;
    }
    exchange->body = pk_buf_slice(&exchange->decoded);
    return true;
}

/* The endpoint is what the client calls it, and only here that is known. */
static void answer_endpoints(struct exchange *exchange)
{
    static const char sound[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
    pk_slice host = sh_http_header(exchange->request, "Host");
    struct pk_buf *body = &exchange->response.body;

    if (exchange->response.http != 200 || host.len == 0)
        return;
    for (size_t i = 0; i < host.len; i++)
        if (memchr(sound, host.data[i], sizeof(sound) - 1) == NULL)
            return;
    pk_buf_clear(body);
    pk_buf_printf(body, "{\"Endpoints\":[{\"Address\":\"%.*s\",\"CachePeriodInMinutes\":1440}]}",
                  PK_FMT(host));
}

/* Two operations have no body at AWS, where others without a member have "{}" (operations.md §1).
 */
static bool answers_nothing(pk_slice operation)
{
    return pk_slice_is(operation, "TagResource") || pk_slice_is(operation, "UntagResource");
}

/* The order matters only when several things are wrong: a body that is no JSON comes first, then
 * the target, then the credentials. So the body is parsed here only for a request that fails. */
static void call(struct exchange *exchange, struct sh_request_note *note)
{
    struct sh_service *service = exchange->service;
    struct pk_error err = PK_ERROR_INIT;
    pk_slice target = sh_http_header(exchange->request, "X-Amz-Target");
    pk_slice operation = cmd_operation_of_target(target);
    enum pk_code rc = PK_OK;

    if (operation.data == NULL)
        rc = pk_fail(&err, PK_E_UNKNOWN_OPERATION, "%s", "");
    else
        rc = sh_auth_check(service->options.keys, exchange->request, pk_clock_real_ms(), &err);
    if (rc != PK_OK && exchange->body.len > 0 && !cmd_body_is_json(exchange->body))
        (void)pk_fail(&err, PK_E_SERIALIZATION, "%s", "");
    if (rc != PK_OK) {
        cmd_response_fail_take(&exchange->response, &err);
        return;
    }
    note->operation = operation;
    service->backend->ops->call(service->backend, operation, exchange->body, &service->cancel,
                                &exchange->response);
    if (pk_slice_is(operation, "DescribeEndpoints"))
        answer_endpoints(exchange);
    if (exchange->response.http == 200 && answers_nothing(operation))
        pk_buf_clear(&exchange->response.body);
    note->micros = exchange->response.micros;
    note->milli_units = exchange->response.milli_units;
}

static void answer_operation(struct sh_service *service, const struct sh_http_request *request,
                             struct sh_http_answer *answer, struct sh_request_note *note)
{
    struct exchange exchange = {
        .service = service, .request = request, .response = CMD_RESPONSE_INIT};

    if (decode_body(&exchange))
        call(&exchange, note);
    note->code = exchange.response.code;
    answer_response(service, request, &exchange.response, answer);
    pk_buf_release(&exchange.decoded);
    cmd_response_release(&exchange.response);
}

void sh_service_answer(struct sh_service *service, const struct sh_http_request *request,
                       struct sh_http_answer *answer, struct sh_request_note *note)
{
    *note = (struct sh_request_note){.status = 0};
    if (request->body.len > SH_HTTP_BODY_MAX) /* sent in chunks, else its head was refused */
        answer_closing(service, answer, 413, "");
    else if (answer_cors(service, request, answer))
        ; /* answered */
    else if (pk_slice_is(request->method, "GET") && pk_slice_is(request->path, "/"))
        answer_text(service, answer, 200, "healthy: dynamodb.us-east-1.amazonaws.com ");
    else if (!is_api_request(request))
        answer_text(service, answer, 404, "<UnknownOperationException/>\n");
    else
        answer_operation(service, request, answer, note);
    note->status = answer->status;
}
