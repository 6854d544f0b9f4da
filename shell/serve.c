#include "shell/serve.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/args.h"
#include "shell/panel/socket_server.h"
#include "shell/render/render_diag.h"
#include "shell/server/auth.h"
#include "shell/server/server.h"
#include "shell/shell.h"
#include "shell/signals.h"

enum { DURABLE_THREADS = 16 /* writers that can share a sync */ };

/* ---- the endpoint ---------------------------------------------------------------------------- */

struct sh_endpoint {
    struct pk_engine *engine;
    struct cmd_backend *backend;
    struct sh_auth_keys *keys;
    char *host;
    char *cors;
    char **allowed;
    size_t allowed_count;
    struct sh_server *server;
};

static void free_endpoint(struct sh_endpoint *endpoint)
{
    for (size_t i = 0; i < endpoint->allowed_count; i++)
        free(endpoint->allowed[i]);
    free(endpoint->allowed);
    free(endpoint->cors);
    free(endpoint->host);
    sh_auth_keys_free(endpoint->keys);
    cmd_backend_free(endpoint->backend);
    free(endpoint);
}

static char *copy(const char *text)
{
    return text == NULL ? NULL : pk_memdup_cstr(text, strlen(text));
}

/* The log goes to standard error, a line in one write, so that lines of two threads do not mix. */
static void log_line(void *context, pk_slice line)
{
    (void)context;
    if (write(STDERR_FILENO, line.data, line.len) < 0)
        return; /* nobody reads it */
}

static struct sh_endpoint *new_endpoint(struct pk_engine *engine,
                                        const struct sh_serve_options *serve)
{
    struct sh_endpoint *endpoint = pk_calloc(1, sizeof(*endpoint));

    endpoint->engine = engine;
    endpoint->backend = cmd_backend_local_new(engine);
    cmd_backend_local_set_traffics(endpoint->backend, serve->traffics);
    endpoint->host = copy(serve->host == NULL ? SH_SERVE_HOST : serve->host);
    endpoint->cors = copy(serve->cors);
    endpoint->allowed = pk_calloc(serve->allowed_count + 1, sizeof(*endpoint->allowed));
    for (size_t i = 0; i < serve->allowed_count; i++)
        endpoint->allowed[endpoint->allowed_count++] = copy(serve->allowed[i]);
    return endpoint;
}

enum pk_code sh_endpoint_open(struct pk_engine *engine, const struct sh_serve_options *serve,
                              struct sh_endpoint **out, struct pk_error *err)
{
    struct sh_endpoint *endpoint = new_endpoint(engine, serve);
    enum pk_code rc = PK_OK;

    if (serve->auth != NULL)
        rc = sh_auth_keys_load(serve->auth, &endpoint->keys, err);
    if (rc == PK_OK) {
        struct sh_server_options options = {
            .port = serve->port_given ? serve->port : SH_SERVE_PORT,
            .threads = serve->durable ? DURABLE_THREADS : 0,
            .service = {.host = endpoint->host,
                        .allowed_hosts = (const char *const *)endpoint->allowed,
                        .allowed_count = endpoint->allowed_count,
                        .cors_origin = endpoint->cors,
                        .keys = endpoint->keys},
            .log = serve->log,
            .log_line = log_line,
        };

        rc = sh_server_start(endpoint->backend, &options, &endpoint->server, err);
    }
    if (rc != PK_OK) {
        free_endpoint(endpoint);
        return rc;
    }
    pk_engine_set_url(engine, sh_endpoint_url(endpoint));
    *out = endpoint;
    return PK_OK;
}

void sh_endpoint_close(struct sh_endpoint *endpoint)
{
    if (endpoint == NULL)
        return;
    sh_server_stop(endpoint->server);
    pk_engine_set_url(endpoint->engine, NULL);
    free_endpoint(endpoint);
}

const char *sh_endpoint_url(const struct sh_endpoint *endpoint)
{
    return sh_server_url(endpoint->server);
}

void sh_endpoint_lines(const struct sh_endpoint *endpoint, struct pk_buf *out)
{
    const char *url = sh_endpoint_url(endpoint);
    const char *id = endpoint->keys == NULL ? "local" : "KEYID";
    const char *secret = endpoint->keys == NULL ? "local" : "SECRET";

    pk_buf_printf(out,
                  "boto3       boto3.resource(\"dynamodb\", endpoint_url=\"%s\", "
                  "region_name=\"us-east-1\", aws_access_key_id=\"%s\", "
                  "aws_secret_access_key=\"%s\")\n",
                  url, id, secret);
    pk_buf_printf(out,
                  "AWS CLI     AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s aws dynamodb "
                  "list-tables --region us-east-1 --endpoint-url %s\n",
                  id, secret, url);
    pk_buf_printf(out,
                  "JavaScript  new DynamoDBClient({endpoint: \"%s\", region: \"us-east-1\", "
                  "credentials: {accessKeyId: \"%s\", secretAccessKey: \"%s\"}})\n",
                  url, id, secret);
}

/* ---- pksk serve ------------------------------------------------------------------------------ */

static void complain(const struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;

    sh_diag_render(&text, &(struct sh_diag){.width = 0}, err);
    fputs(text.data, stderr);
    pk_buf_release(&text);
}

static void say_where(const struct pk_engine *engine, const struct sh_endpoint *endpoint)
{
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_printf(&text, "pksk serves %s at %s, up to %u connections; Ctrl-C ends it\n\n",
                  pk_engine_is_memory(engine) ? "a store in memory" : pk_engine_dir(engine),
                  sh_endpoint_url(endpoint), sh_server_connection_limit(endpoint->server));
    sh_endpoint_lines(endpoint, &text);
    fputs(text.data, stdout);
    fflush(stdout);
    pk_buf_release(&text);
}

static void wait_for_signal(void)
{
    while (!sh_signals_pending(SIGINT) && !sh_signals_pending(SIGTERM) &&
           !sh_signals_pending(SIGHUP)) {
        sh_signals_wait(NULL, 0, -1);
        if (sh_signals_take(SIGTSTP))
            sh_signals_suspend();
    }
}

/* All threads share one heap. With one each (the default) the blocks that LevelDB's cache takes and
 * gives back leave gaps in all of them: 131 MB instead of 101 after random reads of a million small
 * items. Small pieces come from a cache of the thread's own either way. */
static void share_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
}

/* A store that has no place for the socket is served all the same. */
static struct sh_socket_server *listen_to_panels(const struct sh_endpoint *endpoint)
{
    struct sh_socket_server *panels = NULL;
    struct pk_error err = PK_ERROR_INIT;

    (void)!sh_socket_server_start(endpoint->backend, pk_engine_dir(endpoint->engine), &panels,
                                  &err);
    pk_error_release(&err);
    return panels;
}

int sh_serve(const struct sh_options *options)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_engine *engine = NULL;
    struct sh_endpoint *endpoint = NULL;
    struct sh_socket_server *panels = NULL;
    int status = SH_EXIT_STORE;

    share_heap();
    if (sh_open_engine(options, &engine, &err) == PK_OK &&
        sh_endpoint_open(engine, &options->serve, &endpoint, &err) == PK_OK) {
        panels = listen_to_panels(endpoint);
        say_where(engine, endpoint);
        wait_for_signal();
        status = SH_EXIT_FINE;
    } else {
        complain(&err);
    }
    sh_socket_server_stop(panels);
    sh_endpoint_close(endpoint);
    pk_engine_close(engine);
    pk_error_release(&err);
    return status;
}

/* ---- serve at the prompt --------------------------------------------------------------------- */

/* [HOST:]PORT, the host in brackets when it has colons itself. */
static bool read_address(pk_slice text, struct pk_arena *arena, struct sh_serve_options *serve)
{
    size_t at = text.len;
    pk_slice host;

    while (at > 0 && text.data[at - 1] != ':')
        at--;
    if (!sh_port_parse(pk_slice_skip(text, at), &serve->port))
        return false;
    serve->port_given = true;
    if (at == 0)
        return true;
    host = (pk_slice){text.data, at - 1};
    if (host.len > 2 && host.data[0] == '[' && host.data[host.len - 1] == ']')
        host = (pk_slice){host.data + 1, host.len - 2};
    serve->host = pk_arena_dup(arena, host).data;
    return host.len > 0;
}

static enum pk_code stop_serving(struct sh *sh, struct cmd_result *result, struct pk_error *err)
{
    if (sh->endpoint == NULL)
        return pk_fail(err, PK_E_USAGE, "nothing is served");
    cmd_result_text(result, CMD_BLOCK_NOTE, "%s is not served any more",
                    sh_endpoint_url(sh->endpoint));
    sh_endpoint_close(sh->endpoint);
    sh->endpoint = NULL;
    return PK_OK;
}

static enum pk_code start_serving(struct sh *sh, struct sh_serve_options *serve,
                                  struct cmd_result *result, struct pk_error *err)
{
    struct pk_buf lines = PK_BUF_INIT;
    enum pk_code rc;

    if (sh->endpoint != NULL)
        return pk_fail(err, PK_E_USAGE, "this store is served already, at %s; see serve stop",
                       sh_endpoint_url(sh->endpoint));
    if (sh->engine == NULL)
        return pk_fail(err, PK_E_USAGE, "there is no store of this shell's own to serve");
    serve->durable = sh->options.durable;
    serve->traffics = sh->context.traffics;
    rc = sh_endpoint_open(sh->engine, serve, &sh->endpoint, err);
    if (rc != PK_OK)
        return rc;
    sh_endpoint_lines(sh->endpoint, &lines);
    cmd_result_text(result, CMD_BLOCK_TEXT, "%s", lines.data);
    cmd_result_text(result, CMD_BLOCK_NOTE, "serving %s", sh_endpoint_url(sh->endpoint));
    pk_buf_release(&lines);
    return PK_OK;
}

static enum pk_code serve_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    struct sh *sh = sh_of(context);
    struct sh_serve_options serve = {.log = SH_LOG_NONE};
    struct pk_span span = {(uint32_t)statement->args,
                           (uint32_t)(statement->text.len - statement->args)};
    struct cmd_words words;
    pk_slice word = {NULL, 0};
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && !cmd_words_at_end(&words))
        rc = cmd_words_take(&words, "[HOST:]PORT or stop", &word, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    if (cmd_word_is(word, "stop"))
        return stop_serving(sh, result, err);
    if (word.data != NULL && !read_address(word, &result->arena, &serve))
        return pk_fail_at(err, PK_E_USAGE, span,
                          "expected [HOST:]PORT, a port from 0 to 65535, or stop");
    return start_serving(sh, &serve, result, err);
}

static void complete_serve(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    cmd_completion_add(completion, PK_LIT("stop"));
}

const struct cmd_entry sh_serve_entry = {
    .name = "serve",
    .group = CMD_GROUP_WORLD,
    .usage = "[[HOST:]PORT] | stop",
    .summary = "serve this store to SDKs over HTTP",
    .detail =
        "Without HOST only this machine can connect; without PORT it is 8000, and 0 takes any\n"
        "that is free. The prompt stays usable. `pksk serve --help` has more.",
    .complete = complete_serve,
    .run = serve_run,
};
