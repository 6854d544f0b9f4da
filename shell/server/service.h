/*
 * What the endpoint answers: the rules of operations.md §1 in their order, then the operation.
 *
 * Thread-safe; nothing here knows of sockets or of the library that has them. A request is looked
 * at twice: sh_service_refuse() sees its head, before the body is read, and stops what need not
 * be read; sh_service_answer() sees all of it.
 */
#ifndef SH_SERVER_SERVICE_H
#define SH_SERVER_SERVICE_H

#include "commands/backend.h"
#include "shell/server/http.h"

struct sh_auth_keys;

enum {
    SH_HTTP_BODY_MAX = 16 * 1024 * 1024, /* operations.md §1 */
    SH_HTTP_HEAD_MAX = 16 * 1024,        /* of the request line, and of the headers together */
    SH_HTTP_ENCODE_MIN = 4096            /* answers of this size are compressed when asked for */
};

/* All borrowed. */
struct sh_service_options {
    const char *host; /* what the endpoint listens on: a Host of that name is ours */
    const char *const *allowed_hosts; /* further names in Host */
    size_t allowed_count;
    const char *cors_origin;         /* may read answers in a browser; "*": any; NULL: none */
    const struct sh_auth_keys *keys; /* NULL: any well-formed credential */
};

struct sh_service;

/* Calls go to the backend, which must outlive it. */
struct sh_service *sh_service_new(struct cmd_backend *backend,
                                  const struct sh_service_options *options);
void sh_service_free(struct sh_service *service);
/* Makes calls that run stop soon. */
void sh_service_cancel(struct sh_service *service);

/* What a request was, for the log. */
struct sh_request_note {
    pk_slice operation; /* static; data NULL when it is none */
    int status;
    enum pk_code code;
    int64_t milli_units; /* consumed, reads and writes of all tables together */
    int64_t micros;      /* of the call */
};

/* True when the head alone decides; *answer is then complete. The body is not looked at. */
bool sh_service_refuse(struct sh_service *service, const struct sh_http_request *head,
                       struct sh_http_answer *answer);
/* Answers. *answer must be initialised and empty. Cost: the operation's. */
void sh_service_answer(struct sh_service *service, const struct sh_http_request *request,
                       struct sh_http_answer *answer, struct sh_request_note *note);
/* An answer with that status and no body, after which the connection is closed. */
void sh_service_answer_status(struct sh_service *service, int status,
                              struct sh_http_answer *answer);
/* An answer with that status and error, for what only the server can know (too many connections).
 */
void sh_service_answer_error(struct sh_service *service, enum pk_code code, const char *message,
                             struct sh_http_answer *answer);

#endif
