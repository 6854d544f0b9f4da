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

#endif
