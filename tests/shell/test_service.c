/* The rules of operations.md §1, without a socket. Exact bodies and CRCs are the sheet's. */
#include <criterion/criterion.h>

#include "shell/server/accept.h"
#include "shell/server/gzip.h"
#include "shell/server/service.h"
#include "tests/support/engine_fixture.h"

static struct cmd_backend *backend;
static struct sh_service *service;

static struct pk_engine *engine;

static void open_service_with(const struct sh_service_options *options)
{
    struct pk_engine_options memory = {.memory = true, .no_ticker = true};
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_open(&memory, &engine, &err), PK_OK);
    backend = cmd_backend_local_new(engine);
    service = sh_service_new(backend, options);
}

static void open_service(void)
{
    static const char *const allowed[] = {"pksk.test"};

    open_service_with(&(struct sh_service_options){.host = "myhost",
                                                   .allowed_hosts = allowed,
                                                   .allowed_count = 1,
                                                   .cors_origin = "http://app.test"});
}

static void close_service(void)
{
    sh_service_free(service);
    cmd_backend_free(backend);
    pk_engine_close(engine);
}

TestSuite(service, .init = open_service, .fini = close_service);

/* ---- requests in a line ---------------------------------------------------------------------- */

enum { HEADERS = 10 };

#define AUTH                                                                                       \
    {"Authorization", "AWS4-HMAC-SHA256 Credential=a/20261201/us-east-1/dynamodb/aws4_request, "   \
                      "SignedHeaders=host;x-amz-date, Signature=b"},                               \
    {                                                                                              \
        "X-Amz-Date", "20261201T000000Z"                                                           \
    }
#define JSON                                                                                       \
    {                                                                                              \
        "Content-Type", "application/x-amz-json-1.0"                                               \
    }
#define TARGET(name)                                                                               \
    {                                                                                              \
        "X-Amz-Target", "DynamoDB_20120810." name                                                  \
    }

struct given {
    const char *method, *path;
    const char *headers[HEADERS][2];
    const char *body;
};

static void ask(const struct given *given, struct sh_http_answer *answer,
                struct sh_request_note *note)
{
    struct sh_http_header headers[HEADERS];
    struct sh_http_request request = {
        .version = PK_LIT("HTTP/1.1"),
        .method = pk_slice_cstr(given->method),
        .path = pk_slice_cstr(given->path == NULL ? "/" : given->path),
        .headers = headers,
        .body = given->body == NULL ? (pk_slice){NULL, 0} : pk_slice_cstr(given->body)};

    for (; given->headers[request.header_count][0] != NULL; request.header_count++) {
        const char *const *pair = given->headers[request.header_count];

        headers[request.header_count] =
            (struct sh_http_header){pk_slice_cstr(pair[0]), pk_slice_cstr(pair[1])};
    }
    *note = (struct sh_request_note){.status = 0};
    if (!sh_service_refuse(service, &request, answer))
        sh_service_answer(service, &request, answer, note);
}

/* "" when there is none. */
static const char *header_of(const struct sh_http_answer *answer, const char *wanted)
{
    const char *name, *value;

    for (size_t at = 0; sh_http_answer_next(answer, &at, &name, &value);)
        if (strcmp(name, wanted) == 0)
            return value;
    return "";
}

#define UNKNOWN "{\"__type\":\"com.amazon.coral.service#UnknownOperationException\"}"
#define SERIAL  "{\"__type\":\"com.amazon.coral.service#SerializationException\"}"
#define NO_TOKEN                                                                                   \
    "{\"__type\":\"com.amazon.coral.service#MissingAuthenticationTokenException\",\"message\":"    \
    "\"Request is missing Authentication Token\"}"
#define HOST                                                                                       \
    {                                                                                              \
        "Host", "localhost:8000"                                                                   \
    }

Test(service, rules_in_their_order)
{
    static const struct {
        struct given given;
        int status;
        const char *body, *crc; /* NULL: not compared */
    } rows[] = {
        {{"GET", "/", {HOST}, NULL},
         200,
         "healthy: dynamodb.us-east-1.amazonaws.com ",
         "3128867991"},
        {{"GET", "/", {HOST, TARGET("ListTables")}, NULL}, 200, NULL, "3128867991"},
        {{"GET", "/health", {HOST}, NULL}, 404, NULL, "3552371480"},
        {{"PUT", "/", {HOST, JSON}, "{}"}, 404, "<UnknownOperationException/>\n", "3552371480"},
        {{"OPTIONS", "/", {HOST}, NULL}, 404, NULL, "3552371480"},
        {{"POST", "/", {HOST, {"Content-Type", "application/x-amz-json-1.1"}}, "{}"},
         404,
         NULL,
         "3552371480"},
        {{"POST", "/", {HOST}, "{}"}, 404, NULL, "3552371480"},
        {{"POST", "/x", {HOST, JSON, TARGET("ListTables"), AUTH}, "{}"}, 404, NULL, "3552371480"},
        {{"POST", "/", {HOST, JSON}, "{"}, 400, SERIAL, "3948637019"},
        {{"POST", "/", {HOST, JSON, TARGET("ListTables"), AUTH}, "{"}, 400, SERIAL, NULL},
        {{"POST", "/", {HOST, JSON}, "{}"}, 400, UNKNOWN, "1368724161"},
        {{"POST", "/", {HOST, JSON, TARGET("listTables"), AUTH}, "{}"}, 400, UNKNOWN, NULL},
        {{"POST", "/", {HOST, JSON, {"X-Amz-Target", "DynamoDB_20111205.ListTables"}, AUTH}, "{}"},
         400,
         UNKNOWN,
         NULL},
        {{"POST", "/", {HOST, JSON, TARGET("ListStreams"), AUTH}, "{}"}, 400, UNKNOWN, NULL},
        {{"POST", "/", {HOST, JSON, TARGET("Pksk.Clock"), AUTH}, "{}"}, 400, UNKNOWN, NULL},
        {{"POST",
          "/",
          {HOST, JSON, {"X-Amz-Target", "DynamoDBStreams_20120810.GetItem"}, AUTH},
          "{}"},
         400,
         UNKNOWN,
         NULL},
        {{"POST", "/", {HOST, JSON, TARGET("ListTables")}, "{}"}, 400, NO_TOKEN, NULL},
        {{"POST", "/", {HOST, JSON, TARGET("ListTables")}, ""}, 400, NO_TOKEN, NULL},
        {{"POST", "/", {HOST, JSON, TARGET("ListTables")}, "{"}, 400, SERIAL, NULL},
        {{"POST", "/", {HOST, JSON, TARGET("ListTables"), AUTH}, ""}, 400, SERIAL, NULL},
        {{"POST", "/", {HOST, TARGET("ListTables"), AUTH}, ""}, 400, SERIAL, NULL},
        {{"POST", "/", {HOST, JSON, TARGET("ListTables"), AUTH}, "{}"},
         200,
         "{\"TableNames\":[]}",
         "1315925753"},
        {{"POST",
          "/",
          {HOST,
           {"content-type", "application/json; charset=utf-8"},
           {"x-amz-target", "DynamoDB_20120810.ListTables"},
           AUTH},
          "{}"},
         200,
         "{\"TableNames\":[]}",
         NULL},
        {{"POST",
          "/",
          {HOST, JSON, {"X-Amz-Target", "DynamoDBStreams_20120810.ListStreams"}, AUTH},
          "{}"},
         200,
         "{\"Streams\":[]}",
         NULL},
        {{"POST", "/", {HOST, JSON, TARGET("DescribeEndpoints"), AUTH}, "{}"},
         200,
         "{\"Endpoints\":[{\"Address\":\"localhost:8000\",\"CachePeriodInMinutes\":1440}]}",
         NULL},
        {{"POST", "/", {HOST, JSON, {"X-Amz-Target", "Pksk_2026.Where"}, AUTH}, "[]"},
         400,
         NULL,
         NULL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
        struct sh_request_note note;

        ask(&rows[i].given, &answer, &note);
        cr_expect_eq(answer.status, rows[i].status, "row %zu: %d", i, answer.status);
        if (rows[i].body != NULL)
            cr_expect_str_eq(answer.body.data, rows[i].body, "row %zu: %s", i, answer.body.data);
        if (rows[i].crc != NULL)
            cr_expect_str_eq(header_of(&answer, "x-amz-crc32"), rows[i].crc, "row %zu: %s", i,
                             header_of(&answer, "x-amz-crc32"));
        cr_expect_eq(
            strspn(header_of(&answer, "x-amzn-RequestId"), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
            52, "row %zu", i);
        cr_expect_str_eq(header_of(&answer, "Access-Control-Allow-Origin"), "", "row %zu", i);
        sh_http_answer_release(&answer);
    }
}

Test(service, what_the_head_decides)
{
    static const struct {
        struct given given;
        int status; /* 0: not refused */
    } rows[] = {
        {{"POST", "/", {HOST, {"Content-Length", "16777216"}}, NULL}, 0},
        {{"POST", "/", {HOST, {"Content-Length", "16777217"}}, NULL}, 413},
        {{"POST", "/", {HOST, {"Content-Length", "99999999999999999999"}}, NULL}, 400},
        {{"POST", "/", {HOST, {"Content-Length", "-1"}}, NULL}, 400},
        {{"POST", "/", {HOST, {"Content-Length", ""}}, NULL}, 400},
        {{"POST", "/", {HOST, {"Content-Length", "2"}, {"content-length", "2"}}, NULL}, 400},
        {{"POST", "/", {HOST, {"Content-Length", "2"}, {"Transfer-Encoding", "chunked"}}, NULL},
         400},
        {{"POST", "/", {HOST, {"Transfer-Encoding", "chunked"}}, NULL}, 0},
        {{"POST", "/", {HOST, {"Transfer-Encoding", "gzip, chunked"}}, NULL}, 400},
        {{"POST",
          "/",
          {HOST, {"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}},
          NULL},
         400},
        {{"POST", "/", {HOST, {"Content-Length ", "2"}}, NULL}, 400},
        {{"POST", "/", {HOST, {"Content-Length2", ""}}, NULL}, 400}, /* folded */
        {{"POST", "/", {HOST, {"transfer-encodingchunked", ""}}, NULL}, 400},
        {{"POST", "/", {HOST, {"Xa: b", "y"}}, NULL}, 400},
        {{"POST", "/", {HOST, {"", "y"}}, NULL}, 400},
        {{"POST", "/", {HOST, {"X-\303\244", "y"}}, NULL}, 400},
        {{"POST", "/", {HOST, {"!#$%&'*+-.^_`|~1a", "y"}}, NULL}, 0},
        {{"POST", "/", {{"X", "y"}}, NULL}, 400},
        {{"POST", "/", {HOST, HOST}, NULL}, 400},
        {{"POST", "/", {{"Host", "evil.example"}}, NULL}, 403},
        {{"POST", "/", {{"Host", "localhost.evil.example"}}, NULL}, 403},
        {{"POST", "/", {{"Host", ""}}, NULL}, 403},
        {{"POST", "/", {{"Host", "1.2.3.4.evil.example"}}, NULL}, 403},
        {{"POST", "/", {{"Host", "127.0.0.1:8000"}}, NULL}, 0},
        {{"POST", "/", {{"Host", "192.168.1.7"}}, NULL}, 0},
        {{"POST", "/", {{"Host", "[::1]:8000"}}, NULL}, 0},
        {{"POST", "/", {{"Host", "a.LOCALHOST"}}, NULL}, 0},
        {{"POST", "/", {{"Host", "MyHost:1"}}, NULL}, 0},
        {{"POST", "/", {{"Host", "pksk.test"}}, NULL}, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
        struct sh_http_header headers[HEADERS];
        struct sh_http_request head = {
            .version = PK_LIT("HTTP/1.1"), .method = PK_LIT("POST"), .headers = headers};

        for (; rows[i].given.headers[head.header_count][0] != NULL; head.header_count++)
            headers[head.header_count] =
                (struct sh_http_header){pk_slice_cstr(rows[i].given.headers[head.header_count][0]),
                                        pk_slice_cstr(rows[i].given.headers[head.header_count][1])};
        cr_expect_eq(sh_service_refuse(service, &head, &answer), rows[i].status != 0, "row %zu", i);
        cr_expect_eq(answer.status, rows[i].status, "row %zu: %d", i, answer.status);
        sh_http_answer_release(&answer);
    }
}

Test(service, cors_only_for_the_origin_that_may)
{
    static const struct given asked = {"OPTIONS",
                                       "/",
                                       {HOST,
                                        {"Origin", "http://app.test"},
                                        {"Access-Control-Request-Headers", "x-amz-target"},
                                        {"Access-Control-Request-Method", "POST"}},
                                       NULL};
    static const struct given foreign = {
        "OPTIONS", "/", {HOST, {"Origin", "http://other.test"}}, NULL};
    static const struct given read = {
        "POST", "/", {HOST, {"Origin", "http://app.test"}, JSON, TARGET("ListTables"), AUTH}, "{}"};
    struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
    struct sh_request_note note;

    ask(&asked, &answer, &note);
    cr_expect_eq(answer.status, 200);
    cr_expect_eq(answer.body.len, 0);
    cr_expect_str_eq(header_of(&answer, "Access-Control-Allow-Origin"), "http://app.test");
    cr_expect_str_eq(header_of(&answer, "Access-Control-Max-Age"), "172800");
    cr_expect_str_eq(header_of(&answer, "Access-Control-Allow-Headers"), "x-amz-target");
    cr_expect_str_eq(header_of(&answer, "Access-Control-Allow-Methods"), "POST");
    sh_http_answer_release(&answer);

    ask(&foreign, &answer, &note);
    cr_expect_eq(answer.status, 404);
    cr_expect_str_eq(header_of(&answer, "Access-Control-Allow-Origin"), "");
    sh_http_answer_release(&answer);

    ask(&read, &answer, &note);
    cr_expect_eq(answer.status, 200);
    cr_expect_str_eq(header_of(&answer, "Access-Control-Allow-Origin"), "http://app.test");
    cr_expect_str_eq(header_of(&answer, "Access-Control-Expose-Headers"),
                     "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date");
    cr_expect_str_eq(header_of(&answer, "Access-Control-Max-Age"), "");
    sh_http_answer_release(&answer);
}

Test(service, bad_codings)
{
    static const struct given broken = {
        "POST", "/", {HOST, JSON, TARGET("ListTables"), AUTH, {"Content-Encoding", "gzip"}}, "{}"};
    static const struct given empty = {
        "POST", "/", {HOST, JSON, TARGET("ListTables"), AUTH, {"Content-Encoding", "gzip"}}, ""};
    static const struct given unknown = {
        "POST", "/", {HOST, JSON, TARGET("ListTables"), AUTH, {"Content-Encoding", "br"}}, "{}"};
    struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
    struct sh_request_note note;

    ask(&broken, &answer, &note);
    cr_expect_eq(answer.status, 500);
    cr_expect_str_eq(answer.body.data,
                     "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","
                     "\"message\":\"The request processing has failed because of an unknown error, "
                     "exception or failure.\"}");
    sh_http_answer_release(&answer);
    ask(&empty, &answer, &note);
    cr_expect_eq(answer.status, 500);
    sh_http_answer_release(&answer);
    ask(&unknown, &answer, &note);
    cr_expect_eq(answer.status, 400);
    sh_http_answer_release(&answer);
}

Test(service, gzip_of_several_members)
{
    struct pk_buf coded = PK_BUF_INIT, back = PK_BUF_INIT;
    bool too_long;

    sh_coding_encode(&coded, SH_CODING_GZIP, PK_LIT("{\"a\":"));
    sh_coding_encode(&coded, SH_CODING_GZIP, PK_LIT("1}"));
    cr_expect(sh_coding_decode(&back, SH_CODING_GZIP, pk_buf_slice(&coded), 8, &too_long));
    cr_expect_str_eq(back.data, "{\"a\":1}");
    pk_buf_clear(&back);
    cr_expect_not(sh_coding_decode(&back, SH_CODING_GZIP, pk_buf_slice(&coded), 6, &too_long));
    cr_expect(too_long);
    pk_buf_clear(&back);
    pk_buf_add_cstr(&coded, "junk");
    cr_expect_not(sh_coding_decode(&back, SH_CODING_GZIP, pk_buf_slice(&coded), 8, &too_long));
    pk_buf_release(&coded);
    pk_buf_release(&back);
}

/* As measured on the service. */
Test(service, coding_that_is_preferred)
{
    static const struct {
        const char *header, *coding; /* "": none */
    } rows[] = {
        {"", ""},
        {"identity", ""},
        {"br", ""},
        {"x-gzip", ""},
        {"\"gzip\"", ""},
        {"gzip br", ""},
        {"gzip:q=1", ""},
        {"gzip ;q=0", ""},
        {"gzip;nq=1;q=0 ", ""},
        {"*;q=0", ""},
        {"gzip, deflate", "gzip"},
        {"br, identity, deflate, gzip", "deflate"},
        {"GZIP, identity", "gzip"},
        {"dog, gzip ,, cat", "gzip"},
        {"br, gzip;q=0, deflate; q = 0.5 , identity;q=0", "deflate"},
        {"*", "gzip"},
        {"*, deflate;q=0.5", "gzip"},
        {"*, deflate", "deflate"},
        {"*, gzip;q=0.5", "deflate"},
        {"*;q=0.5,identity", "gzip"},
        {"deflate;q=0.5, gzip;q=31", "gzip"},
        {"gzip;q=31,deflate;q=51", "gzip"},
        {"deflate;q=0.5, gzip;q=0.2", "deflate"},
        {"deflate;q=0.5, gzip;q=1;q=0.2", "gzip"},
        {"deflate;q=0.5,gzip;q=0.", "deflate"},
        {"deflate;q=0.5,gzip;q=0.x", "gzip"},
        {"deflate;q=-0.5,gzip;q=0.2", "gzip"},
        {"gzip;q=0, gzip;q=1, gzip;q=0", "gzip"},
        {"br,identity;q=0.5,gzip;q=0.0000001", "gzip"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum sh_coding coding = SH_CODING_GZIP;
        const char *found = "";

        if (sh_accept_coding(pk_slice_cstr(rows[i].header), &coding))
            found = coding == SH_CODING_GZIP ? "gzip" : "deflate";
        cr_expect_str_eq(found, rows[i].coding, "%s: %s", rows[i].header, found);
    }
}

Test(service, codings_are_undone)
{
    struct pk_buf text = PK_BUF_INIT, coded = PK_BUF_INIT, back = PK_BUF_INIT;
    bool too_long;

    for (int i = 0; i < 3000; i++)
        pk_buf_printf(&text, "%d,", i);
    for (int coding = SH_CODING_GZIP; coding <= SH_CODING_DEFLATE; coding++) {
        pk_buf_clear(&coded);
        pk_buf_clear(&back);
        sh_coding_encode(&coded, (enum sh_coding)coding, pk_buf_slice(&text));
        cr_expect_lt(coded.len, text.len);
        cr_expect(sh_coding_decode(&back, (enum sh_coding)coding, pk_buf_slice(&coded), text.len,
                                   &too_long));
        cr_expect(back.len == text.len && memcmp(back.data, text.data, text.len) == 0);
        pk_buf_clear(&back);
        cr_expect_not(sh_coding_decode(&back, (enum sh_coding)coding, pk_buf_slice(&coded),
                                       text.len - 1, &too_long));
        cr_expect(too_long);
        pk_buf_clear(&back);
        cr_expect_not(sh_coding_decode(&back, (enum sh_coding)coding,
                                       (pk_slice){coded.data, coded.len - 1}, text.len, &too_long));
        cr_expect_not(too_long);
    }
    pk_buf_release(&text);
    pk_buf_release(&coded);
    pk_buf_release(&back);
}

Test(service, answers_without_a_body)
{
    static const struct given rows[] = {
        {"POST",
         "/",
         {HOST, JSON, TARGET("CreateTable"), AUTH},
         "{\"TableName\":\"abc\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
         "{\"AttributeName\":\"p\",\"AttributeType\":\"S\"}],\"KeySchema\":["
         "{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}]}"},
        {"POST",
         "/",
         {HOST, JSON, TARGET("TagResource"), AUTH},
         "{\"ResourceArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\",\"Tags\":["
         "{\"Key\":\"k\",\"Value\":\"v\"}]}"},
        {"POST",
         "/",
         {HOST, JSON, TARGET("UntagResource"), AUTH},
         "{\"ResourceArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\",\"TagKeys\":["
         "\"k\"]}"},
        {"POST",
         "/",
         {HOST, JSON, TARGET("DeleteItem"), AUTH},
         "{\"TableName\":\"abc\",\"Key\":{\"p\":{\"S\":\"x\"}}}"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
        struct sh_request_note note;

        ask(&rows[i], &answer, &note);
        cr_expect_eq(answer.status, 200, "row %zu", i);
        if (i == 1 || i == 2) {
            cr_expect_eq(answer.body.len, 0, "row %zu", i);
            cr_expect_str_eq(header_of(&answer, "x-amz-crc32"), "0", "row %zu", i);
        } else if (i == 3) {
            cr_expect_str_eq(answer.body.data, "{}");
        }
        sh_http_answer_release(&answer);
    }
}

Test(service, facts_when_asked_for)
{
    static const struct given create = {
        "POST",
        "/",
        {HOST, JSON, TARGET("CreateTable"), AUTH},
        "{\"TableName\":\"abc\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
        "{\"AttributeName\":\"p\",\"AttributeType\":\"S\"}],\"KeySchema\":["
        "{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}]}"};
    static const struct given put = {"POST",
                                     "/",
                                     {HOST, JSON, TARGET("PutItem"), AUTH, {"x-pksk-facts", "1"}},
                                     "{\"TableName\":\"abc\",\"Item\":{\"p\":{\"S\":\"x\"}}}"};
    struct sh_http_answer answer = SH_HTTP_ANSWER_INIT;
    struct sh_request_note note;

    ask(&create, &answer, &note);
    cr_assert_eq(answer.status, 200);
    cr_expect_str_eq(header_of(&answer, "X-Pksk-Facts"), "");
    sh_http_answer_release(&answer);
    ask(&put, &answer, &note);
    cr_expect_eq(answer.status, 200);
    cr_expect(strncmp(header_of(&answer, "X-Pksk-Facts"), "{\"Partition\":", 13) == 0);
    cr_expect_eq(note.milli_units, 1000);
    cr_expect(pk_slice_is(note.operation, "PutItem"));
    sh_http_answer_release(&answer);
}
