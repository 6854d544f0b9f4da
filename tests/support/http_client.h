/*
 * A plain blocking HTTP/1.1 client for tests: one connection, kept alive, that speaks the DynamoDB
 * protocol with a credential that is accepted where none is checked. It retries nothing, so that a
 * test knows of every request what became of it.
 */
#ifndef TESTS_HTTP_CLIENT_H
#define TESTS_HTTP_CLIENT_H

#include <stdint.h>

#include "engine/base/buf.h"

enum {
    HTTP_NOT_SENT = -1, /* no connection could be made: the request was surely not carried out */
    HTTP_NO_ANSWER = 0  /* the connection ended before the answer did: carried out or not */
};

struct http_client {
    char host[64];
    char port[8];
    int fd; /* -1: not connected */
    struct pk_buf in, out;
};

/* Of "http://127.0.0.1:8000"; a URL of another form aborts. Connects with the first request. */
void http_client_init(struct http_client *client, const char *url);
void http_client_release(struct http_client *client);
/* Connects now, if not connected. */
bool http_client_connect(struct http_client *client);

/* POST of the body for that operation ("GetItem", or with its prefix "Pksk_2026.Check"). Returns
 * the status, or one of the above, and then the connection is closed. The answer's body replaces
 * what `answer` holds; it ends with a NUL. */
int http_client_call(struct http_client *client, const char *operation, const char *body,
                     struct pk_buf *answer);

/* The integer behind the first `"name":{"N":"`; `missing` when there is none. Enough of a parser
 * for answers that the test knows. */
int64_t http_answer_number(const struct pk_buf *answer, const char *name, int64_t missing);
/* Is it the error of that name: "ConditionalCheckFailedException"? */
bool http_answer_is_error(const struct pk_buf *answer, const char *name);

#endif
