/*
 * An HTTP request as it came and the answer to it, with no library in between: what decides about a
 * request (service.h, auth.h) is told everything by these and can be tested without a socket.
 */
#ifndef SH_SERVER_HTTP_H
#define SH_SERVER_HTTP_H

#include "engine/base/buf.h"

struct sh_http_header {
    pk_slice name; /* as sent */
    pk_slice value;
};

/* Everything is borrowed from the connection, for the time of the request. */
struct sh_http_request {
    pk_slice version; /* "HTTP/1.1" */
    pk_slice method;
    pk_slice path;  /* as sent: not decoded, without the query */
    pk_slice query; /* as sent: not decoded, without the '?'; empty when there is none */
    const struct sh_http_header *headers;
    size_t header_count;
    pk_slice body;
};

/* The value of the first header of that name, any case, without blanks around it; data NULL when
 * there is none. */
pk_slice sh_http_header(const struct sh_http_request *request, const char *name);
/* How many headers there are of that name, any case. */
size_t sh_http_header_count(const struct sh_http_request *request, const char *name);

/* For headers that are lists: the text without blanks around it; the trimmed text before the first
 * `stop`, with what follows it in *rest; whether the text is that word, any case. */
pk_slice sh_http_trim(pk_slice text);
pk_slice sh_http_cut(pk_slice text, char stop, pk_slice *rest);
bool sh_http_is_word(pk_slice text, const char *word);

struct sh_http_answer {
    int status;
    struct pk_buf body;
    struct pk_buf headers; /* name NUL value NUL, … */
    bool close;            /* the connection is not to be used again */
};

#define SH_HTTP_ANSWER_INIT                                                                        \
    {                                                                                              \
        .status = 0                                                                                \
    }
void sh_http_answer_release(struct sh_http_answer *answer);
/* Adds a header. What cannot stand in one (control bytes) becomes '?'. */
void sh_http_answer_add(struct sh_http_answer *answer, const char *name, pk_slice value);
/* The header at *at, which moves behind it; false at the end. Start with *at = 0. */
bool sh_http_answer_next(const struct sh_http_answer *answer, size_t *at, const char **name,
                         const char **value);

#endif
