/*
 * The HTTP server: libmicrohttpd between sockets and the service. A request is answered on the
 * thread that read it; a hand-over to another would cost more than most operations.
 *
 * What is bounded: bodies and heads (service.h), the time a connection may be silent and the time a
 * request may take to arrive, the number of connections (the next gets 503), and the memory that
 * bodies and answers hold together (past it a request gets 503, which SDKs send again).
 */
#ifndef SH_SERVER_SERVER_H
#define SH_SERVER_SERVER_H

#include "shell/server/access_log.h"
#include "shell/server/listen.h"

struct sh_server;

struct sh_server_options {
    uint16_t port;    /* 0: any that is free */
    unsigned threads; /* 0: one a processor */
    struct sh_service_options service;
    enum sh_log_form log;
    /* Gets the line of each request; called from the server's threads, several at once. */
    void (*log_line)(void *context, pk_slice line);
    void *log_context;
};

/* Listens on service.host and answers from threads of its own until it is stopped. What the options
 * point to must live until then. PK_E_IO when it cannot listen. */
PK_MUST_CHECK enum pk_code sh_server_start(struct cmd_backend *backend,
                                           const struct sh_server_options *options,
                                           struct sh_server **server, struct pk_error *err);
/* Refuses who comes from now on, lets what is under way come to its end (uploads are cut off
 * after two seconds, calls told to stop after five), closes all connections and frees the server.
 * Whoever got an answer can rely on it; who got none cannot know. After it no thread calls the
 * backend. NULL is accepted. */
void sh_server_stop(struct sh_server *server);
/* How it is reached: "http://127.0.0.1:8000". */
const char *sh_server_url(const struct sh_server *server);
unsigned sh_server_connection_limit(const struct sh_server *server);

#endif
