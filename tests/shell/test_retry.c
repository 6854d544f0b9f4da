/* Which failures are sent again, how often, and after which pauses. */
#include <criterion/criterion.h>

#include "shell/client/retry.h"

Test(retry, kinds_of_failures)
{
    static const struct {
        enum pk_code code;
        int http;
        enum sh_failure failure;
    } rows[] = {
        {PK_E_VALIDATION, 400, SH_FAILURE_FINAL},
        {PK_E_CONDITION_FAILED, 400, SH_FAILURE_FINAL},
        {PK_E_TXN_CANCELED, 400, SH_FAILURE_FINAL},
        {PK_E_THROUGHPUT_EXCEEDED, 400, SH_FAILURE_THROTTLED},
        {PK_E_THROTTLED, 400, SH_FAILURE_THROTTLED},
        {PK_E_REQUEST_LIMIT, 400, SH_FAILURE_THROTTLED},
        {PK_E_TXN_IN_PROGRESS, 400, SH_FAILURE_SERVER},
        {PK_E_LIMIT_EXCEEDED, 400, SH_FAILURE_SERVER},
        {PK_E_INTERNAL, 500, SH_FAILURE_SERVER},
        {PK_E_UNRECOGNIZED_CLIENT, 400, SH_FAILURE_LOST},
        {PK_E_IO, 500, SH_FAILURE_FINAL},
        {PK_E_FOREIGN, 400, SH_FAILURE_FINAL},
        {PK_E_FOREIGN, 429, SH_FAILURE_THROTTLED},
        {PK_E_FOREIGN, 503, SH_FAILURE_SERVER},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect_eq(sh_failure_of(rows[i].code, rows[i].http), rows[i].failure, "%s %d",
                     pk_code_name(rows[i].code), rows[i].http);
}

Test(retry, how_often)
{
    cr_expect_not(sh_retry_again(SH_FAILURE_FINAL, 1, 0));
    cr_expect(sh_retry_again(SH_FAILURE_THROTTLED, 9, 0));
    cr_expect_not(sh_retry_again(SH_FAILURE_THROTTLED, 10, 0));
    cr_expect(sh_retry_again(SH_FAILURE_SERVER, 9, 0));
    cr_expect(sh_retry_again(SH_FAILURE_LOST, 2, 0));
    cr_expect_not(sh_retry_again(SH_FAILURE_LOST, 3, 0));
    cr_expect(sh_retry_again(SH_FAILURE_THROTTLED, 19, 20));
    cr_expect_not(sh_retry_again(SH_FAILURE_LOST, 3, 20));
    cr_expect_not(sh_retry_again(SH_FAILURE_SERVER, 1, 1));
    cr_expect_not(sh_retry_again(SH_FAILURE_LOST, 1, 1));
}

Test(retry, pauses_double_up_to_a_cap)
{
    static const int64_t bounds[] = {50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 20000, 20000};

    for (unsigned n = 1; n <= sizeof(bounds) / sizeof(bounds[0]); n++)
        cr_expect_eq(sh_retry_bound_ms(n), bounds[n - 1], "%u", n);
    cr_expect_eq(sh_retry_bound_ms(4000000000U), 20000);
}

/* Full jitter: all of [0, bound] occurs, and no more. */
Test(retry, pauses_are_spread)
{
    struct pk_rng rng;
    bool seen[51] = {false};
    int64_t sum = 0;

    pk_rng_seed(&rng, 7);
    for (int i = 0; i < 2000; i++) {
        int64_t pause = sh_retry_pause_ms(&rng, 1);

        cr_assert(pause >= 0 && pause <= 50, "%lld", (long long)pause);
        seen[pause] = true;
        sum += pause;
    }
    for (int i = 0; i <= 50; i++)
        cr_expect(seen[i], "%d", i);
    cr_expect(sum > 2000 * 22 && sum < 2000 * 28, "%lld", (long long)sum);
}
