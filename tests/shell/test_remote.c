/*
 * The remote backend against a server that answers by script: what it sends, what it makes of
 * answers good and bad, and when it sends again.
 */
#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "shell/client/client.h"
#include "shell/client/remote.h"
#include "shell/client/retry.h"

/* ---- the server ------------------------------------------------------------------------------ */

enum { REQUEST_MAX = 65536, ANSWERS = 16 };

/* An answer is raw bytes; "" closes the connection, "!…" says the rest and closes it, "-" says
 * nothing until the client goes. */
struct server {
    int listener;
    unsigned port;
    pthread_t thread;
    const char *answers[ANSWERS]; /* NULL-ended */
    atomic_int served;
    char request[REQUEST_MAX]; /* the last one */
};

static size_t body_length(const char *head)
{
    const char *line = strcasestr(head, "\r\nContent-Length:");

    return line == NULL ? 0 : (size_t)strtoul(line + 17, NULL, 10);
}

/* One request into server->request; false when the client has gone. */
static bool read_request(struct server *server, int fd)
{
    char *text = pk_calloc(1, REQUEST_MAX);
    size_t len = 0;
    const char *end = NULL;
    ssize_t got = 1;

    while (got > 0 && (end == NULL || len < (size_t)(end + 4 - text) + body_length(text))) {
        got = recv(fd, text + len, REQUEST_MAX - 1 - len, 0);
        len += got > 0 ? (size_t)got : 0;
        end = strstr(text, "\r\n\r\n");
    }
    if (got > 0)
        memcpy(server->request, text, REQUEST_MAX);
    free(text);
    return got > 0;
}

static void send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);

        if (sent <= 0)
            return;
        bytes += sent;
        len -= (size_t)sent;
    }
}

/* Answers what comes over one connection. */
static void serve_connection(struct server *server, int fd)
{
    char rest[64];

    while (read_request(server, fd)) {
        const char *answer = server->answers[atomic_fetch_add(&server->served, 1)];

        if (answer == NULL || answer[0] == '\0')
            return;
        if (strcmp(answer, "-") == 0) {
            while (recv(fd, rest, sizeof(rest), 0) > 0)
                continue;
            return;
        }
        send_all(fd, answer + (answer[0] == '!'), strlen(answer) - (answer[0] == '!'));
        if (answer[0] == '!')
            return;
    }
}

static void *serve(void *context)
{
    struct server *server = context;
    int fd;

    while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
        serve_connection(server, fd);
        close(fd);
    }
    return NULL;
}

static void start_server(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);

    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(server->listener, (struct sockaddr *)&address, len), 0);
    cr_assert_eq(listen(server->listener, 16), 0);
    cr_assert_eq(getsockname(server->listener, (struct sockaddr *)&address, &len), 0);
    server->port = ntohs(address.sin_port);
    cr_assert_eq(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop_server(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
}

/* "HTTP/1.1 400 X", headers, body; the caller frees it. */
static char *answer_of(int status, const char *headers, const char *body)
{
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_printf(&out, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n%s\r\n%s", status, strlen(body),
                  headers, body);
    return pk_buf_detach(&out);
}

/* ---- the client ------------------------------------------------------------------------------ */

struct fixture {
    struct server server;
    struct cmd_backend *backend;
    char *owned[ANSWERS];
    size_t owned_count;
    char url[64];
    const char *variables[4];
};

static const char *get_variable(void *context, const char *name)
{
    const char *const *variables = context;
    size_t len = strlen(name);

    for (; *variables != NULL; variables++)
        if (strncmp(*variables, name, len) == 0 && (*variables)[len] == '=')
            return *variables + len + 1;
    return NULL;
}

static const char *own(struct fixture *fixture, char *answer_take)
{
    fixture->owned[fixture->owned_count++] = answer_take;
    return answer_take;
}

#define TABLES "{\"TableNames\":[]}"
#define FACTS                                                                                      \
    "X-Pksk-Facts: {\"Partition\":2,\"Touched\":1,\"Partitions\":4,\"Bytes\":7,\"Read\":1,"        \
    "\"Returned\":1}\r\n"

static enum pk_code open_backend(struct fixture *fixture, struct pk_error *err)
{
    struct sh_aws_account account;
    struct sh_aws_request request = {.endpoint = fixture->url};

    snprintf(fixture->url, sizeof(fixture->url), "http://127.0.0.1:%u", fixture->server.port);
    cr_assert_eq(sh_aws_resolve(&request,
                                (struct sh_aws_environment){get_variable, fixture->variables},
                                &account, err),
                 PK_OK);
    return sh_remote_open_take(&account, (struct cmd_progress){NULL, NULL}, NULL, &fixture->backend,
                               err);
}

/* The answers come after that to the first request. */
static void open_fixture(struct fixture *fixture, const char *first_headers)
{
    struct pk_error err = PK_ERROR_INIT;

    fixture->server.answers[0] = own(fixture, answer_of(200, first_headers, TABLES));
    start_server(&fixture->server);
    cr_assert_eq(open_backend(fixture, &err), PK_OK, "%s", err.message);
}

static void close_fixture(struct fixture *fixture)
{
    cmd_backend_free(fixture->backend);
    stop_server(&fixture->server);
    for (size_t i = 0; i < fixture->owned_count; i++)
        free(fixture->owned[i]);
}

static void add_answer(struct fixture *fixture, int status, const char *headers, const char *body)
{
    size_t i = 0;

    while (fixture->server.answers[i] != NULL)
        i++;
    fixture->server.answers[i] = own(fixture, answer_of(status, headers, body));
}

static void call(struct fixture *fixture, const char *operation, const char *request,
                 struct cmd_response *response)
{
    *response = (struct cmd_response)CMD_RESPONSE_INIT;
    fixture->backend->ops->call(fixture->backend, pk_slice_cstr(operation), pk_slice_cstr(request),
                                NULL, response);
}

static void expect_line(const struct fixture *fixture, const char *line)
{
    cr_expect_not_null(strstr(fixture->server.request, line), "%s\nis not in\n%s", line,
                       fixture->server.request);
}

/* ---- what is sent ---------------------------------------------------------------------------- */

Test(remote, requests_are_signed)
{
    struct fixture fixture = {.variables = {"AWS_ACCESS_KEY_ID=AKID",
                                            "AWS_SECRET_ACCESS_KEY=secret",
                                            "AWS_SESSION_TOKEN=tok/en+="}};
    struct cmd_response response;

    open_fixture(&fixture, "");
    add_answer(&fixture, 200, "", "{}");
    call(&fixture, "GetItem", "{\"TableName\":\"T\"}", &response);
    cr_expect_eq(response.http, 200);
    cr_expect_eq(response.code, PK_OK);
    cr_expect_str_eq(response.body.data, "{}");
    cr_expect_not(response.has_facts);
    cr_expect_eq(response.retries, 0U);
    expect_line(&fixture, "POST / HTTP/1.1\r\n");
    expect_line(&fixture, "\r\nContent-Type: application/x-amz-json-1.0\r\n");
    expect_line(&fixture, "\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\n");
    expect_line(&fixture, "\r\nX-Amz-Security-Token: tok/en+=\r\n");
    expect_line(&fixture, "\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AKID/");
    expect_line(&fixture, "/us-east-1/dynamodb/aws4_request, SignedHeaders=content-type;host;"
                          "x-amz-date;x-amz-security-token;x-amz-target, Signature=");
    expect_line(&fixture, "\r\n\r\n{\"TableName\":\"T\"}");
    cr_expect_null(strstr(fixture.server.request, "X-Pksk-Facts"));
    cr_expect_str_eq(fixture.backend->endpoint, fixture.url);
    cr_expect_not(fixture.backend->costs_money);
    cr_expect_not(fixture.backend->extensions);
    cmd_response_release(&response);
    close_fixture(&fixture);
}

Test(remote, operations_have_their_prefixes)
{
    static const char *const rows[][2] = {
        {"GetRecords", "DynamoDBStreams_20120810.GetRecords"},
        {"ListStreams", "DynamoDBStreams_20120810.ListStreams"},
        {"DescribeStream", "DynamoDBStreams_20120810.DescribeStream"},
        {"GetShardIterator", "DynamoDBStreams_20120810.GetShardIterator"},
        {"Pksk.Where", "Pksk_2026.Where"},
        {"DescribeTable", "DynamoDB_20120810.DescribeTable"},
    };
    struct fixture fixture = {.variables = {NULL}};

    open_fixture(&fixture, FACTS);
    cr_expect(fixture.backend->extensions);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cmd_response response;
        char line[96];

        add_answer(&fixture, 200, "", "{}");
        call(&fixture, rows[i][0], "{}", &response);
        snprintf(line, sizeof(line), "\r\nX-Amz-Target: %s\r\n", rows[i][1]);
        expect_line(&fixture, line);
        expect_line(&fixture, "\r\nX-Pksk-Facts: 1\r\n");
        expect_line(&fixture, "Credential=local/");
        cmd_response_release(&response);
    }
    close_fixture(&fixture);
}

/* ---- what comes back ------------------------------------------------------------------------- */

Test(remote, facts_and_places_of_errors)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;

    open_fixture(&fixture, FACTS);
    add_answer(&fixture, 200, FACTS, "{}");
    call(&fixture, "Query", "{}", &response);
    cr_expect(response.has_facts);
    cr_expect_eq(response.facts.partition, 2U);
    cr_expect_eq(response.facts.bytes, 7U);
    cmd_response_release(&response);
    add_answer(&fixture, 400,
               "x-pksk-facts: {\"Partition\":0,\"Touched\":0,\"Partitions\":0,\"Bytes\":0,"
               "\"Read\":0,\"Returned\":0,\"Span\":[3,4],\"Use\":\"FilterExpression\","
               "\"Hint\":\"quote it\"}\r\n",
               "{\"__type\":\"com.amazon.coral.validate#ValidationException\",\"message\":\"m\"}");
    call(&fixture, "Query", "{}", &response);
    cr_expect_eq(response.code, PK_E_VALIDATION);
    cr_expect_eq(response.http, 400);
    cr_expect(response.has_span);
    cr_expect_eq(response.span.start, 3U);
    cr_expect_eq(response.span.len, 4U);
    cr_expect_eq(response.use, PK_EXPR_FILTER);
    cr_expect_str_eq(response.hint, "quote it");
    cmd_response_release(&response);
    close_fixture(&fixture);
}

struct error_row {
    int status;
    const char *body;
    enum pk_code code;
    const char *name, *message;
};

static const struct error_row errors[] = {
    {400,
     "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\","
     "\"message\":\"The conditional request failed\"}",
     PK_E_CONDITION_FAILED, "ConditionalCheckFailedException", "The conditional request failed"},
    {400, "{\"__type\":\"MadeUpException\",\"Message\":\"wait\"}", PK_E_FOREIGN,
     "MadeUpException", "wait"},
    {400, "{\"__type\":\"x#OddException:http://internal/\",\"message\":\"odd\"}", PK_E_FOREIGN,
     "OddException", "odd"},
    {400, "{\"__type\":\"com.amazon.coral.service#UnknownOperationException\"}",
     PK_E_UNKNOWN_OPERATION, "UnknownOperationException", "URL has no operation 'Frob'"},
    {404, "<html>not here</html>", PK_E_FOREIGN, "EndpointError",
     "URL answers with HTTP status 404: <html>not here</html>"},
    {403, "", PK_E_FOREIGN, "EndpointError", "URL answers with HTTP status 403"},
    {301, "{\"message\":\"Moved\"}", PK_E_FOREIGN, "EndpointError",
     "URL answers with HTTP status 301: {\"message\":\"Moved\"}"},
    {413, "", PK_E_FOREIGN, "EndpointError", "URL answers with HTTP status 413"},
};

/* The row's message with the endpoint for URL. */
static void expect_message(const struct fixture *fixture, const char *message,
                           const struct pk_error *err)
{
    struct pk_buf expected = PK_BUF_INIT;

    if (strncmp(message, "URL", 3) == 0)
        pk_buf_printf(&expected, "%s%s", fixture->url, message + 3);
    else
        pk_buf_add_cstr(&expected, message);
    cr_expect_str_eq(err->message, expected.data);
    pk_buf_release(&expected);
}

Test(remote, errors_keep_their_names)
{
    struct fixture fixture = {.variables = {NULL}};

    open_fixture(&fixture, "");
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        struct cmd_context context = {.backend = fixture.backend};
        struct pk_error err = PK_ERROR_INIT;
        struct cmd_response response;

        add_answer(&fixture, errors[i].status, "", errors[i].body);
        call(&fixture, "Frob", "{}", &response);
        cr_expect_eq(response.code, errors[i].code, "%s: %d", errors[i].body, response.code);
        cr_expect_eq(response.http, errors[i].status, "%s: %d", errors[i].body, response.http);
        cr_expect_eq(cmd_take_error(&context, "Frob", &response, &err), errors[i].code);
        cr_expect_str_eq(pk_error_name(&err), errors[i].name);
        expect_message(&fixture, errors[i].message, &err);
        cr_expect_eq(response.retries, 0U, "%s", errors[i].body);
        cmd_response_release(&response);
        pk_error_release(&err);
    }
    close_fixture(&fixture);
}

Test(remote, a_clock_that_is_wrong_is_told)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;

    open_fixture(&fixture, "");
    add_answer(&fixture, 400, "Date: Tue, 01 Jan 2030 00:00:00 GMT\r\n",
               "{\"__type\":\"com.amazon.coral.service#InvalidSignatureException\","
               "\"message\":\"Signature expired\"}");
    call(&fixture, "GetItem", "{}", &response);
    cr_expect_eq(response.code, PK_E_INVALID_SIGNATURE);
    cr_expect(strstr(response.hint, "this machine's clock is ") == response.hint, "%s",
              response.hint);
    cmd_response_release(&response);
    close_fixture(&fixture);
}

/* ---- again ----------------------------------------------------------------------------------- */

#define THROTTLED                                                                                  \
    "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException\","     \
    "\"message\":\"slow\"}"

Test(remote, throttled_requests_are_sent_again)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;

    open_fixture(&fixture, "");
    add_answer(&fixture, 400, "", THROTTLED);
    add_answer(&fixture, 503, "", "{\"__type\":\"x#ServiceUnavailable\",\"message\":\"down\"}");
    add_answer(&fixture, 400, "", THROTTLED);
    add_answer(&fixture, 200, "", "{\"Count\":1}");
    call(&fixture, "Query", "{}", &response);
    cr_expect_eq(response.http, 200);
    cr_expect_eq(response.code, PK_OK);
    cr_expect_str_eq(response.body.data, "{\"Count\":1}");
    cr_expect_eq(response.retries, 3U);
    cr_expect_eq(response.throttled, 2U);
    cr_expect_null(response.hint);
    cmd_response_release(&response);
    close_fixture(&fixture);
}

Test(remote, at_last_the_error_is_the_answer)
{
    struct fixture fixture = {.variables = {"AWS_MAX_ATTEMPTS=3"}};
    struct cmd_response response;

    open_fixture(&fixture, "");
    for (int i = 0; i < 3; i++)
        add_answer(&fixture, 400, "", THROTTLED);
    add_answer(&fixture, 200, "", "{}");
    call(&fixture, "Query", "{}", &response);
    cr_expect_eq(response.code, PK_E_THROUGHPUT_EXCEEDED);
    cr_expect_eq(response.retries, 2U);
    cr_expect_eq(response.throttled, 3U);
    cr_expect_eq(strncmp(response.hint, "sent 3 times in ", 16), 0, "%s", response.hint);
    cr_expect_eq(atomic_load(&fixture.server.served), 4);
    cmd_response_release(&response);
    close_fixture(&fixture);
}

Test(remote, damaged_answers_are_asked_for_again)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;
    char header[64];

    snprintf(header, sizeof(header), "x-amz-crc32: %u\r\n", pk_hash_crc32(0, PK_LIT("{\"a\":1}")));
    open_fixture(&fixture, "");
    add_answer(&fixture, 200, header, "{\"a\":2}");
    add_answer(&fixture, 200, header, "{\"a\":1}");
    call(&fixture, "GetItem", "{}", &response);
    cr_expect_eq(response.code, PK_OK);
    cr_expect_str_eq(response.body.data, "{\"a\":1}");
    cr_expect_eq(response.retries, 1U);
    cmd_response_release(&response);
    for (int i = 0; i < 3; i++)
        add_answer(&fixture, 200, header, "{\"a\":2}");
    call(&fixture, "GetItem", "{}", &response);
    cr_expect_eq(response.code, PK_E_UNREACHABLE);
    cr_expect_not_null(strstr(response.body.data, "arrived damaged"));
    cmd_response_release(&response);
    close_fixture(&fixture);
}

/* On a connection of its own curl does not try again by itself. */
Test(remote, a_lost_answer_is_asked_for_three_times)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;

    open_fixture(&fixture, "Connection: close\r\n");
    fixture.server.answers[1] = "";
    fixture.server.answers[2] = "!HTTP/1.1 200 X\r\nContent-Length: 10\r\n\r\n{\"a\"";
    fixture.server.answers[3] = "";
    call(&fixture, "GetItem", "{}", &response);
    cr_expect_eq(response.code, PK_E_UNREACHABLE);
    cr_expect_eq(response.retries, 2U);
    cr_expect_eq(atomic_load(&fixture.server.served), 4);
    cr_expect_eq(strncmp(response.hint, "sent 3 times in ", 16), 0, "%s", response.hint);
    cmd_response_release(&response);
    close_fixture(&fixture);
}

Test(remote, an_answer_that_is_too_large)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;
    struct pk_buf large = PK_BUF_INIT;

    open_fixture(&fixture, "");
    pk_buf_printf(&large, "HTTP/1.1 200 X\r\nContent-Length: %d\r\n\r\n", SH_CLIENT_BODY_MAX + 1);
    memset(pk_buf_reserve(&large, SH_CLIENT_BODY_MAX + 1), 'x', SH_CLIENT_BODY_MAX + 1);
    large.len += SH_CLIENT_BODY_MAX + 1;
    large.data[large.len] = '\0';
    fixture.server.answers[1] = large.data;
    call(&fixture, "Scan", "{}", &response);
    cr_expect_eq(response.code, PK_E_UNREACHABLE);
    cr_expect_not_null(strstr(response.body.data, "larger than 64 MB"), "%s", response.body.data);
    cr_expect_eq(response.retries, 0U);
    cmd_response_release(&response);
    close_fixture(&fixture);
    pk_buf_release(&large);
}

/* ---- cancelling ------------------------------------------------------------------------------ */

static void *cancel_soon(void *context)
{
    struct timespec soon = {0, 200000000L};

    nanosleep(&soon, NULL);
    atomic_store((atomic_bool *)context, true);
    return NULL;
}

static void cancelled_call(struct fixture *fixture, struct cmd_response *response)
{
    atomic_bool cancel = false;
    pthread_t thread;
    int64_t start_us = pk_clock_real_us();

    *response = (struct cmd_response)CMD_RESPONSE_INIT;
    cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
    fixture->backend->ops->call(fixture->backend, PK_LIT("Query"), PK_LIT("{}"), &cancel, response);
    pthread_join(thread, NULL);
    cr_expect_eq(response->code, PK_E_CANCELLED);
    cr_expect_lt(pk_clock_real_us() - start_us, 2000000);
    cr_expect_null(response->hint);
}

Test(remote, a_transfer_can_be_cancelled)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;

    open_fixture(&fixture, "");
    fixture.server.answers[1] = "-";
    cancelled_call(&fixture, &response);
    cmd_response_release(&response);
    close_fixture(&fixture);
}

/* Of ten pauses one is longer than the time until the cancel. */
Test(remote, a_pause_can_be_cancelled)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;

    open_fixture(&fixture, "");
    for (int i = 0; i < 10; i++)
        add_answer(&fixture, 400, "", THROTTLED);
    cancelled_call(&fixture, &response);
    cr_expect_lt(response.retries, 9U);
    cmd_response_release(&response);
    close_fixture(&fixture);
}

Test(remote, who_is_in_a_hurry_gives_up_soon)
{
    struct fixture fixture = {.variables = {NULL}};
    struct cmd_response response;
    int64_t start_us;

    open_fixture(&fixture, "");
    fixture.server.answers[1] = "-";
    fixture.backend->hurried = true;
    start_us = pk_clock_real_us();
    call(&fixture, "ListTables", "{}", &response);
    cr_expect_eq(response.code, PK_E_UNREACHABLE);
    cr_expect_eq(response.retries, 0U);
    cr_expect_lt(pk_clock_real_us() - start_us, (SH_CLIENT_HURRIED_MS + 2000) * INT64_C(1000));
    cmd_response_release(&response);
    close_fixture(&fixture);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void expect_refused(int status, const char *body, enum pk_code code, const char *message)
{
    struct fixture fixture = {.variables = {NULL}};
    struct pk_error err = PK_ERROR_INIT;

    add_answer(&fixture, status, "", body);
    start_server(&fixture.server);
    cr_expect_eq(open_backend(&fixture, &err), code, "%s", body);
    expect_message(&fixture, message, &err);
    pk_error_release(&err);
    close_fixture(&fixture);
}

Test(remote, what_is_no_endpoint_is_refused)
{
    expect_refused(200, "<html>", PK_E_UNREACHABLE, "URL does not answer as DynamoDB does");
    expect_refused(200, "{\"Tables\":[]}", PK_E_UNREACHABLE,
                   "URL does not answer as DynamoDB does");
    expect_refused(404, "nothing", PK_E_FOREIGN, "URL answers with HTTP status 404: nothing");
    expect_refused(400, "{\"__type\":\"x#MissingAuthenticationTokenException\",\"message\":\"no\"}",
                   PK_E_MISSING_TOKEN, "no");
    expect_refused(400, "{\"__type\":\"x#ExpiredTokenException\",\"message\":\"old\"}",
                   PK_E_FOREIGN, "old");
}

Test(remote, who_may_not_list_tables_may_still_work)
{
    struct fixture fixture = {.variables = {NULL}};
    struct pk_error err = PK_ERROR_INIT;

    add_answer(
        &fixture, 400, "",
        "{\"__type\":\"com.amazon.coral.service#AccessDeniedException\",\"Message\":\"no\"}");
    start_server(&fixture.server);
    cr_expect_eq(open_backend(&fixture, &err), PK_OK);
    close_fixture(&fixture);
}

Test(remote, nobody_there)
{
    struct fixture fixture = {.variables = {NULL}};
    struct pk_error err = PK_ERROR_INIT;

    start_server(&fixture.server);
    stop_server(&fixture.server);
    cr_expect_eq(open_backend(&fixture, &err), PK_E_UNREACHABLE);
    cr_expect_not_null(strstr(err.message, ": Connection refused"), "%s", err.message);
    cr_expect_eq(strncmp(err.hint, "sent 3 times in ", 16), 0, "%s", err.hint);
    pk_error_release(&err);
}
