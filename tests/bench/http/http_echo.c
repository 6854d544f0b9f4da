#include "tests/bench/http/http_echo.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/buf.h"

enum { CONNECTIONS = 1024, IDLE_SECONDS = 120, CONNECTION_MEMORY = 48 * 1024 };

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *part,
                              size_t *part_len, void **state)
{
    const struct pk_buf *answer = context;
    struct pk_buf *body = *state;
    struct MHD_Response *response;
    union {
        const char *kept;
        void *given;
    } bytes = {.kept = answer->data};
    enum MHD_Result result;

    (void)url;
    (void)method;
    (void)version;
    if (body == NULL) {
        *state = pk_calloc(1, sizeof(*body));
        return MHD_YES;
    }
    if (*part_len > 0) {
        pk_buf_add(body, (pk_slice){part, *part_len});
        *part_len = 0;
        return MHD_YES;
    }
    response = MHD_create_response_from_buffer(answer->len, bytes.given, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", "application/x-amz-json-1.0");
    result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

static void completed(void *context, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode how)
{
    struct pk_buf *body = *state;

    (void)context;
    (void)connection;
    (void)how;
    if (body != NULL)
        pk_buf_release(body);
    free(body);
    *state = NULL;
}

int echo_main(size_t answer_bytes)
{
    struct pk_buf answer = PK_BUF_INIT;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = processors < 1 ? 1 : (unsigned)processors;
    struct MHD_OptionItem options[] = {
        {MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, NULL},
        {threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_Daemon *daemon;

    memset(pk_buf_reserve(&answer, answer_bytes), 'e', answer_bytes);
    answer.len = answer_bytes;
    daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_TURBO, 0, NULL,
                              NULL, handle, &answer, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
                              MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (daemon == NULL)
        return 1;
    printf("http://127.0.0.1:%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    for (;;)
        pause();
}
