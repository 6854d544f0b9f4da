/* Signals are let in while something is waited for, also when nothing has to be. */
#include <criterion/criterion.h>

#include <signal.h>
#include <unistd.h>

#include "shell/signals.h"

TestSuite(signals);

Test(signals, are_taken_though_a_descriptor_is_always_ready)
{
    int ends[2];
    struct pollfd ready = {.events = POLLIN};

    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "x", 1), 1);
    ready.fd = ends[0];
    signal(SIGINT, SIG_DFL); /* it is ignored in a shell's background job, and stays so */
    sh_signals_install();
    cr_assert_eq(kill(getpid(), SIGINT), 0);
    cr_expect_not(sh_signals_pending(SIGINT), "it is blocked");
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(sh_signals_wait(&ready, 1, 1000), 1);
        cr_expect_eq(sh_signals_pending(SIGINT), true, "round %d", i);
    }
    cr_expect(sh_signals_take(SIGINT));
    cr_expect_not(sh_signals_take(SIGINT));
    close(ends[0]);
    close(ends[1]);
}

Test(signals, end_the_waiting)
{
    sh_signals_install();
    cr_assert_eq(kill(getpid(), SIGWINCH), 0);
    cr_expect_eq(sh_signals_wait(NULL, 0, -1), 0);
    cr_expect(sh_signals_take(SIGWINCH));
}
