/*
 * Signed requests over HTTP, by libcurl. The library is loaded when the first client is opened, so
 * that a process that never connects anywhere does not carry it.
 *
 * A client is used by any number of threads: each request takes a connection that is idle, or makes
 * one. TLS certificates are always verified; redirects are not followed; an answer of more than
 * SH_CLIENT_BODY_MAX bytes is refused.
 */
#ifndef SH_CLIENT_CLIENT_H
#define SH_CLIENT_CLIENT_H

#include <stdatomic.h>

#include "engine/base/buf.h"
#include "shell/client/aws_profile.h"

enum {
    SH_CLIENT_BODY_MAX = 64 * 1024 * 1024, /* 16 MB of items, written as JSON */
    SH_CLIENT_CONNECT_MS = 10000,
    SH_CLIENT_SILENCE_S = 60, /* without a byte, in either direction */
    SH_CLIENT_HURRIED_MS = 1500
};

struct sh_client;

struct sh_client_request {
    const char *url;
    const char *target; /* the value of X-Amz-Target */
    pk_slice body;
    bool facts;                /* ask for X-Pksk-Facts */
    bool patient;              /* silence is no failure: what is asked may take long */
    bool hurried;              /* SH_CLIENT_HURRIED_MS, all in all */
    const atomic_bool *cancel; /* NULL: none */
};

enum sh_client_outcome {
    SH_CLIENT_ANSWERED,
    SH_CLIENT_LOST,   /* not reached, or the connection broke: another attempt may do */
    SH_CLIENT_FAILED, /* another attempt would do no better */
    SH_CLIENT_CANCELLED
};

struct sh_client_answer {
    long status;
    struct pk_buf body;
    char *facts; /* owned; the value of X-Pksk-Facts, NULL: not sent */
    bool has_crc;
    uint32_t crc;      /* x-amz-crc32 */
    int64_t date_s;    /* Date, seconds since 1970; -1: none */
    char failure[300]; /* what was in the way when it was not answered */
};

void sh_client_answer_release(struct sh_client_answer *answer);

/* The account must outlive the client. PK_E_UNREACHABLE when the library cannot be loaded. */
PK_MUST_CHECK enum pk_code sh_client_open(const struct sh_aws_account *account,
                                          struct sh_client **client, struct pk_error *err);
void sh_client_free(struct sh_client *client);

/* Sends once and waits; the answer's former content is released. Thread-safe. */
enum sh_client_outcome sh_client_post(struct sh_client *client,
                                      const struct sh_client_request *request,
                                      struct sh_client_answer *answer);

#endif
