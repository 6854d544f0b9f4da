/* Changing over to an endpoint and back, within one shell. */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shell/connect.h"
#include "shell/prompt.h"
#include "shell/script.h"
#include "shell/serve.h"

TestSuite(connect);

struct fixture {
    struct sh sh;
    int fd;
    struct pk_engine *engine; /* of the endpoint */
    struct sh_endpoint *endpoint;
    const char *url;
};

static void serve_store(struct fixture *fixture)
{
    struct pk_engine_options options = {.memory = true};
    struct sh_serve_options serve = {.port_given = true}; /* port 0: any */
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_open(&options, &fixture->engine, &err), PK_OK, "%s", err.message);
    cr_assert_eq(sh_endpoint_open(fixture->engine, &serve, &fixture->endpoint, &err), PK_OK, "%s",
                 err.message);
    fixture->url = sh_endpoint_url(fixture->endpoint);
}

static void stop_serving(struct fixture *fixture)
{
    sh_endpoint_close(fixture->endpoint);
    pk_engine_close(fixture->engine);
    fixture->endpoint = NULL;
}

static void open_shell(struct fixture *fixture, const struct sh_options *options)
{
    struct sh_output output;
    struct pk_error err = PK_ERROR_INIT;

    fixture->fd = memfd_create("output", MFD_CLOEXEC);
    sh_output_init(&output, fixture->fd, fixture->fd);
    cr_assert_eq(sh_open(&fixture->sh, options, output, &err), PK_OK, "%s", err.message);
    fixture->sh.settings.footer_time = false;
}

static void close_shell(struct fixture *fixture)
{
    sh_close(&fixture->sh);
    close(fixture->fd);
}

/* Runs the statements; what they show, URL for the endpoint's. */
static void expect_shown(struct fixture *fixture, const char *statements, const char *expected)
{
    char text[4096] = "";
    off_t before = lseek(fixture->fd, 0, SEEK_END);
    struct pk_buf shown = PK_BUF_INIT;

    (void)sh_script_text(&fixture->sh, pk_slice_cstr(statements), NULL);
    cr_assert(pread(fixture->fd, text, sizeof(text) - 1, before) >= 0);
    for (const char *at = text; *at != '\0';) {
        bool url = fixture->url != NULL && strncmp(at, fixture->url, strlen(fixture->url)) == 0;

        pk_buf_add(&shown, url ? PK_LIT("URL") : pk_slice_of(at, 1));
        at += url ? strlen(fixture->url) : 1;
    }
    cr_expect_str_eq(shown.data == NULL ? "" : shown.data, expected, "%s\n%s\ninstead of\n%s",
                     statements, shown.data, expected);
    pk_buf_release(&shown);
}

static void expect_prompt(const struct fixture *fixture, const char *before, const char *after)
{
    struct pk_buf prompt = PK_BUF_INIT, expected = PK_BUF_INIT;

    sh_prompt(&prompt, &fixture->sh.context, NULL);
    pk_buf_printf(&expected, "%s%s%s", before,
                  fixture->sh.remote == NULL ? "" : fixture->url + strlen("http://"), after);
    cr_expect_str_eq(prompt.data, expected.data);
    pk_buf_release(&prompt);
    pk_buf_release(&expected);
}

static void run_connect(struct fixture *fixture)
{
    char statement[128];

    snprintf(statement, sizeof(statement), "connect %s", fixture->url);
    expect_shown(fixture, statement, " URL, another pksk\n");
}

/* Current table, next page and schemas belong to the store that was left. */
Test(connect, there_and_back)
{
    struct fixture fixture = {.url = NULL};
    struct sh_options options = {.memory = true};

    serve_store(&fixture);
    open_shell(&fixture, &options);
    expect_shown(
        &fixture, "create table here (id S);\nput a {n: 1}\nput b {n: 2}\nset rows 1\nscan\n",
        " table here created · id (S) · on demand\n"
        " put · partition 3 of 4 · 6 B · 1 WCU\n"
        " put · partition 3 of 4 · 6 B · 1 WCU\n"
        " id  n\n b   2\n"
        " 1 item · Scan · all 4 partitions · 12 B read · 0.5 RCU eventual\n"
        " A Scan pays for what it reads, not for what it returns. With id known: query <id>\n"
        " there is more: type more\n");
    expect_prompt(&fixture, "pksk here", "> ");
    run_connect(&fixture);
    expect_prompt(&fixture, "pksk ", "> ");
    cr_expect_null(fixture.sh.context.engine);
    expect_shown(&fixture, "more\n",
                 "UsageError: the last result was complete: there is no more\n");
    expect_shown(&fixture, "create table there (k N);\nput 1 {m: 1}\nset rows 1000\n",
                 " table there created · k (N) · on demand\n"
                 " put · partition 2 of 4 · 6 B · 1 WCU\n");
    expect_prompt(&fixture, "pksk ", " there> ");
    expect_shown(&fixture, "connect\nconnect local\n",
                 " URL, another pksk\n store in memory, gone at exit\n");
    expect_shown(&fixture, "count scan from here\n",
                 "2\n 2 items counted · Scan · all 4 partitions · 12 B read · 0.5 RCU eventual\n"
                 " A Scan pays for what it reads, not for what it returns. With id known: query "
                 "<id>\n");
    cr_expect_null(fixture.sh.remote);
    close_shell(&fixture);
    stop_serving(&fixture);
}

/* The store of before stays current when nobody answers. */
Test(connect, a_failure_changes_nothing)
{
    struct fixture fixture = {.url = NULL};
    struct sh_options options = {.memory = true};
    struct sh_aws_request request = {.endpoint = NULL};
    struct pk_error err = PK_ERROR_INIT;
    char url[64];

    serve_store(&fixture);
    snprintf(url, sizeof(url), "%s", fixture.url);
    stop_serving(&fixture);
    fixture.url = NULL;
    open_shell(&fixture, &options);
    expect_shown(&fixture, "create table here (id S);\n",
                 " table here created · id (S) · on demand\n");
    request.endpoint = url;
    cr_expect_eq(sh_connect(&fixture.sh, &request, &err), PK_E_UNREACHABLE);
    cr_expect_not_null(strstr(err.message, "Connection refused"), "%s", err.message);
    cr_expect_null(fixture.sh.remote);
    expect_prompt(&fixture, "pksk here", "> ");
    expect_shown(&fixture, "count scan\n",
                 "0\n 0 items counted · Scan · all 4 partitions · 0.5 RCU eventual\n"
                 " A Scan pays for what it reads, not for what it returns. With id known: query "
                 "<id>\n");
    pk_error_release(&err);
    close_shell(&fixture);
}

/* A shell that began on an endpoint has no store open. */
Test(connect, from_the_start)
{
    struct fixture fixture = {.url = NULL};
    struct sh_options options = {.action = SH_RUN};

    serve_store(&fixture);
    options.remote.endpoint = fixture.url;
    open_shell(&fixture, &options);
    cr_expect_null(fixture.sh.engine);
    expect_prompt(&fixture, "pksk ", "> ");
    expect_shown(&fixture, "serve 0\n",
                 "UsageError: there is no store of this shell's own to serve\n");
    expect_shown(
        &fixture, "create table there (k N);\nwhere 1\n",
        " table there created · k (N) · on demand\n"
        " token      86bc43e556b1df28    simulated hash (MD5; AWS keeps its own to itself)\n"
        " partition  2 of 4, tokens 8000… to bfff…\n"
        " stored as  t · table 1 · 86bc43e556b1df28 · N 1\n");
    close_shell(&fixture);
    stop_serving(&fixture);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 8, CALLS = 100 };

static void *add_many(void *context)
{
    struct cmd_backend *backend = context;
    static const char request[] = "{\"TableName\":\"counters\",\"Key\":{\"id\":{\"S\":\"a\"}},"
                                  "\"UpdateExpression\":\"ADD n :one\","
                                  "\"ExpressionAttributeValues\":{\":one\":{\"N\":\"1\"}}}";
    size_t failed = 0;

    for (int i = 0; i < CALLS; i++) {
        struct cmd_response response = CMD_RESPONSE_INIT;

        backend->ops->call(backend, PK_LIT("UpdateItem"), PK_LIT(request), NULL, &response);
        failed += response.http != 200 || !response.has_facts;
        cmd_response_release(&response);
    }
    return failed == 0 ? NULL : context;
}

/* Each thread has a connection of its own; no request is lost, and none is sent twice. */
Test(connect, threads_share_a_backend)
{
    struct fixture fixture = {.url = NULL};
    struct sh_options options = {.action = SH_RUN};
    pthread_t threads[THREADS];

    serve_store(&fixture);
    options.remote.endpoint = fixture.url;
    open_shell(&fixture, &options);
    expect_shown(&fixture, "create table counters (id S);\n",
                 " table counters created · id (S) · on demand\n");
    for (size_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, add_many, fixture.sh.remote), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *failed = NULL;

        cr_assert_eq(pthread_join(threads[i], &failed), 0);
        cr_expect_null(failed);
    }
    expect_shown(&fixture, "mode jsonl\nget a select n\n",
                 "{\"n\": 800}\n"
                 " 1 item · GetItem · partition 3 of 4 · 6 B read · 0.5 RCU eventual\n");
    close_shell(&fixture);
    stop_serving(&fixture);
}

/* The traffic goes to the endpoint, by its clock; who leaves stops it. */
Test(connect, traffic_there)
{
    struct fixture fixture = {.url = NULL};
    struct sh_options options = {.memory = true};

    serve_store(&fixture);
    open_shell(&fixture, &options);
    run_connect(&fixture);
    expect_shown(&fixture,
                 "create table there (id S);\nclock pause\nclock set 2030-08-13\n"
                 "traffic start a op=put keys=K#{1..9} rate=10/s\nclock advance 2s\ntraffic\n",
                 " table there created \xC2\xB7 id (S) \xC2\xB7 on demand\n paused\n"
                 " 2030-08-13T00:00:00.000Z, paused\n"
                 " a runs when the clock is advanced; traffic stop a ends it\n"
                 " 2030-08-13T00:00:02.000Z, paused\n"
                 " traffic  does  table  rate  ok/s  throttled/s  ok  throttled  left\n"
                 " a        put   there  10/s    10            0  20          0  until stopped\n");
    expect_shown(&fixture, "connect local",
                 " 1 traffic was stopped\n store in memory, gone at exit\n");
    expect_shown(&fixture, "traffic", " no traffic; help traffic tells how to start one\n");
    close_shell(&fixture);
    stop_serving(&fixture);
}

/* What others ask the endpoint about traffics means those of the shell that serves. */
Test(connect, traffics_of_the_shell_that_serves)
{
    struct fixture fixture = {.url = NULL}, other = {.url = NULL};
    struct sh_options options = {.memory = true};

    open_shell(&fixture, &options);
    (void)sh_script_text(&fixture.sh,
                         PK_LIT("create table here (id S);\nclock pause\nserve 0\n"
                                "traffic start a op=put keys=K#{1..9} rate=10/s\n"),
                         NULL);
    open_shell(&other, &options);
    other.url = sh_endpoint_url(fixture.sh.endpoint);
    run_connect(&other);
    (void)sh_script_text(&other.sh,
                         PK_LIT("api Pksk.SetTraffic {\"Name\": \"a\", \"Rate\": \"30/s\"}"), NULL);
    (void)sh_script_text(&other.sh, PK_LIT("clock advance 2s"), NULL);
    expect_shown(&fixture, "traffic",
                 " traffic  does  table  rate  ok/s  throttled/s  ok  throttled  left\n"
                 " a        put   here   30/s    30            0  60          0  until stopped\n");
    close_shell(&other);
    close_shell(&fixture);
}
