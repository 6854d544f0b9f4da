/*
 * Signature Version 4 of a request: AWS's documented canonical request, string to sign, signing key
 * and signature, for the service dynamodb. Pure functions of what was sent.
 */
#ifndef SH_SERVER_AUTH_SIGN_H
#define SH_SERVER_AUTH_SIGN_H

#include "engine/base/arena.h"
#include "shell/server/http.h"

#define SH_SIGN_ALGORITHM  "AWS4-HMAC-SHA256"
#define SH_SIGN_SERVICE    "dynamodb"
#define SH_SIGN_TERMINATOR "aws4_request"

/* Takes the part of *rest before the next separator, which is dropped. An empty last part counts;
 * false, and *rest is {NULL, 0}, when all were taken. */
bool sh_sign_take(pk_slice *rest, char separator, pk_slice *part);
/* A name or value of a query: %XX decoded, '+' a blank, a broken %XX as it stands. In the arena, or
 * the text itself when there is nothing to decode. */
pk_slice sh_sign_decode(struct pk_arena *arena, pk_slice text);

struct sh_sign_request {
    const struct sh_http_request *http;
    pk_slice signed_headers; /* names with ';' between them, as the client lists them */
    bool in_query;           /* X-Amz-Signature stands in the query, and is no part of it */
};

/*
 * Appends the canonical request:
 *   path     as sent, dot segments and doubled slashes resolved, each other byte than A-Za-z0-9-._~
 *            encoded (so '%' becomes '%25': all services but S3 encode twice)
 *   query    decoded and encoded again, sorted by encoded name and value
 *   headers  the signed ones in the client's order, names in lower case, values trimmed and runs
 *            of blanks made one, values of a repeated header with ',' between them
 *   body     its SHA-256
 * False when no signature can be right: a signed header is absent, or a signed
 * x-amz-content-sha256 is not the body's (UNSIGNED-PAYLOAD is S3's).
 */
bool sh_sign_canonical(const struct sh_sign_request *request, struct pk_arena *arena,
                       struct pk_buf *out);

/* The key of a day (YYYYMMDD) and region. */
void sh_sign_key(pk_slice secret, pk_slice date, pk_slice region, unsigned char key[32]);

/* The signature in lower-case hex and a NUL. timestamp: YYYYMMDDTHHMMSSZ; scope:
 * date/region/service/terminator. */
void sh_sign_signature(const unsigned char key[32], pk_slice timestamp, pk_slice scope,
                       pk_slice canonical, char hex[65]);

#endif
