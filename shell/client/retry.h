/*
 * Sending again: which failures, how often, and after which pause.
 *
 * As the SDKs do for DynamoDB: exponential backoff with full jitter, the pause before the n-th
 * repetition being uniform in [0, min(20 s, 50 ms · 2^(n-1)]. Which errors of an answer are worth
 * it stands in the error table (engine/error.h); an answer of a server in trouble always is.
 * What could not be sent, or was lost on its way, is sent again a few times only: an endpoint that
 * is not there is to be said soon.
 */
#ifndef SH_CLIENT_RETRY_H
#define SH_CLIENT_RETRY_H

#include "engine/base/rng.h"
#include "engine/error.h"

enum {
    SH_RETRY_ATTEMPTS = 10,     /* of a request that is throttled, or meets a server in trouble */
    SH_RETRY_LOST_ATTEMPTS = 3, /* of one that got no answer */
    SH_RETRY_BASE_MS = 50,
    SH_RETRY_CAP_MS = 20000
};

enum sh_failure {
    SH_FAILURE_FINAL,     /* it would be the same again */
    SH_FAILURE_THROTTLED, /* too many requests */
    SH_FAILURE_SERVER,    /* the server is in trouble */
    SH_FAILURE_LOST       /* no answer, or a damaged one */
};

/* Of an answer that is an error: its code in our table (PK_E_FOREIGN: not in it) and status. */
enum sh_failure sh_failure_of(enum pk_code code, int http);

/* May a request that failed so for the n-th time be sent again? limit: the largest number of
 * attempts, 0: ours. */
bool sh_retry_again(enum sh_failure failure, unsigned failed, unsigned limit);
/* The pause after it failed for the n-th time, n >= 1. */
int64_t sh_retry_pause_ms(struct pk_rng *rng, unsigned failed);
/* The longest pause that can come out of it. */
int64_t sh_retry_bound_ms(unsigned failed);

#endif
