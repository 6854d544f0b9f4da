/* An endpoint's URL, taken apart. */
#ifndef SH_CLIENT_URL_H
#define SH_CLIENT_URL_H

#include "engine/base/arena.h"
#include "engine/error.h"

struct sh_url {
    const char *text; /* as requests need it: scheme, authority and path, no '/' at its end */
    pk_slice host;    /* of the URL, in small letters; of an IPv6 address without the brackets */
    bool local;       /* the host is this machine: reading there costs no money */
};

/* Reads http://HOST[:PORT][/PATH] or https://…; without a scheme it is http for this machine and
 * https for others. Everything lives in the arena. PK_E_USAGE for anything else: a user, a query
 * or a fragment have no place in it. */
PK_MUST_CHECK enum pk_code sh_url_parse(const char *text, struct pk_arena *arena,
                                        struct sh_url *url, struct pk_error *err);

/* The endpoint of AWS in that region; `service` is "dynamodb" or "streams.dynamodb". */
const char *sh_url_aws(const char *service, const char *region, struct pk_arena *arena);
/* The region in the name of a host of AWS ("dynamodb.eu-west-1.amazonaws.com"); len 0: none. */
pk_slice sh_url_region(const struct sh_url *url);
/* Where the stream operations of the endpoint are: a host of their own on AWS, else the same. */
const char *sh_url_streams(const struct sh_url *url, struct pk_arena *arena);

#endif
