/* Signal flags; see signals.h. */
#include "shell/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int OURS[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};

/* What a write that fails tells by its error: a store that may grow no further (ulimit -f) ends no
 * shell. */
static const int FAULTS[] = {SIGPIPE, SIGXFSZ};

enum { COUNT = sizeof(OURS) / sizeof(OURS[0]), FAULT_COUNT = sizeof(FAULTS) / sizeof(FAULTS[0]) };

static volatile sig_atomic_t flags[COUNT];
static sigset_t outside; /* the mask the process was started with: open in sh_signals_wait */

static void on_signal(int signal)
{
    for (int i = 0; i < COUNT; i++)
        if (OURS[i] == signal)
            flags[i] = 1;
}

static void set_handler(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void sh_signals_install(void)
{
    sigset_t ours;

    sigemptyset(&ours);
    for (int i = 0; i < COUNT; i++) {
        struct sigaction before;

        /* nohup and a shell's background jobs have them ignored: leave that */
        if (sigaction(OURS[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN)
            continue;
        sigaddset(&ours, OURS[i]);
        set_handler(OURS[i], on_signal);
    }
    for (int i = 0; i < FAULT_COUNT; i++)
        set_handler(FAULTS[i], SIG_IGN);
    sigprocmask(SIG_BLOCK, &ours, &outside);
    for (int i = 0; i < COUNT; i++)
        sigdelset(&outside, OURS[i]);
}

int sh_signals_wait(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    struct timespec limit = {timeout_ms / 1000, (timeout_ms % 1000) * 1000000L};
    int ready = ppoll(fds, count, timeout_ms < 0 ? NULL : &limit, &outside);

    /* where a descriptor is ready at once, no signal was let in: a flood must not keep Ctrl-C out */
    if (ready > 0) {
        limit = (struct timespec){0, 0};
        ppoll(NULL, 0, &limit, &outside);
    }
    return ready < 0 ? 0 : ready;
}

bool sh_signals_pending(int signal)
{
    for (int i = 0; i < COUNT; i++)
        if (OURS[i] == signal)
            return flags[i] != 0;
    return false;
}

bool sh_signals_take(int signal)
{
    bool found = sh_signals_pending(signal);

    for (int i = 0; i < COUNT; i++)
        if (OURS[i] == signal)
            flags[i] = 0;
    return found;
}

void sh_signals_suspend(void)
{
    sigset_t stop;

    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    set_handler(SIGTSTP, SIG_DFL);
    kill(getpid(), SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, NULL); /* stops here */
    sigprocmask(SIG_BLOCK, &stop, NULL);
    set_handler(SIGTSTP, on_signal);
}

void sh_signals_child(posix_spawnattr_t *attributes)
{
    sigset_t defaults;

    sigemptyset(&defaults);
    for (int i = 0; i < COUNT; i++)
        sigaddset(&defaults, OURS[i]);
    for (int i = 0; i < FAULT_COUNT; i++)
        sigaddset(&defaults, FAULTS[i]);
    posix_spawnattr_setsigdefault(attributes, &defaults);
    posix_spawnattr_setsigmask(attributes, &outside);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}
