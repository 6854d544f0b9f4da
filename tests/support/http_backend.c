/* See the header. */
#include "tests/support/http_backend.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/mem.h"
#include "tests/support/http_client.h"

struct http_backend {
    struct cmd_backend base; /* first member: the two are converted by casts */
    struct http_client client;
};

/* The X-Amz-Target of an operation. */
static const char *target_of(pk_slice operation, char out[], size_t size)
{
    static const char *const streams[] = {"ListStreams", "DescribeStream", "GetShardIterator",
                                          "GetRecords"};
    const pk_slice own = PK_LIT("Pksk.");
    const char *prefix = "DynamoDB_20120810";

    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
        if (pk_slice_equal(operation, pk_slice_cstr(streams[i])))
            prefix = "DynamoDBStreams_20120810";
    if (pk_slice_starts(operation, own)) {
        prefix = "Pksk_2026";
        operation = pk_slice_skip(operation, own.len);
    }
    snprintf(out, size, "%s.%.*s", prefix, PK_FMT(operation));
    return out;
}

static void backend_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                         const atomic_bool *cancel, struct cmd_response *response)
{
    struct http_backend *http = (struct http_backend *)backend;
    char target[128];
    char *body = pk_memdup_cstr(request.data, request.len);
    int status = http_client_call(&http->client, target_of(operation, target, sizeof(target)), body,
                                  &response->body);

    (void)cancel;
    response->http = status < 0 ? 0 : status;
    free(body);
}

static void backend_free(struct cmd_backend *backend)
{
    struct http_backend *http = (struct http_backend *)backend;

    http_client_release(&http->client);
    free(http);
}

struct cmd_backend *http_backend_new(const char *url)
{
    static const struct cmd_backend_ops ops = {.call = backend_call, .free = backend_free};
    struct http_backend *http = pk_calloc(1, sizeof(*http));

    http->base = (struct cmd_backend){.ops = &ops, .endpoint = url};
    http_client_init(&http->client, url);
    return &http->base;
}
