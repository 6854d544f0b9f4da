/* When and how requests are sent again; see retry.h. */
#include "shell/client/retry.h"

/* Errors that say the requests are too many; the other retryable ones come from a server that is
 * busy with something else. */
static bool is_throttling(enum pk_code code)
{
    return code == PK_E_THROUGHPUT_EXCEEDED || code == PK_E_THROTTLED || code == PK_E_REQUEST_LIMIT;
}

enum sh_failure sh_failure_of(enum pk_code code, int http)
{
    if (is_throttling(code) || http == 429)
        return SH_FAILURE_THROTTLED;
    if (code == PK_E_UNRECOGNIZED_CLIENT)
        return SH_FAILURE_LOST; /* a key pair is known everywhere some seconds after it was made */
    if (code == PK_E_FOREIGN)
        return http >= 500 ? SH_FAILURE_SERVER : SH_FAILURE_FINAL;
    return code != PK_OK && pk_code_retryable(code) ? SH_FAILURE_SERVER : SH_FAILURE_FINAL;
}

bool sh_retry_again(enum sh_failure failure, unsigned failed, unsigned limit)
{
    unsigned most = limit == 0 ? SH_RETRY_ATTEMPTS : limit;

    switch (failure) {
    case SH_FAILURE_FINAL:
        return false;
    case SH_FAILURE_THROTTLED:
    case SH_FAILURE_SERVER:
        return failed < most;
    case SH_FAILURE_LOST:
        return failed < most && failed < SH_RETRY_LOST_ATTEMPTS;
    }
    return false;
}

int64_t sh_retry_bound_ms(unsigned failed)
{
    int64_t bound = SH_RETRY_BASE_MS;

    for (unsigned i = 1; i < failed && bound < SH_RETRY_CAP_MS; i++)
        bound *= 2;
    return bound < SH_RETRY_CAP_MS ? bound : SH_RETRY_CAP_MS;
}

int64_t sh_retry_pause_ms(struct pk_rng *rng, unsigned failed)
{
    return (int64_t)pk_rng_below(rng, (uint64_t)sh_retry_bound_ms(failed) + 1);
}
