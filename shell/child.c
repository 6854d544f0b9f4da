/* Spawning; see child.h. */
#include "shell/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "shell/signals.h"

extern char **environ;

static int spawn(pid_t *pid, char *command, int input)
{
    char shell[] = "sh";
    char flag[] = "-c";
    char *arguments[] = {shell, flag, command, NULL};
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;

    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    sh_signals_child(&attributes);
    if (input >= 0)
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);

    int failure = posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ);

    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

int sh_child_start(struct sh_child *child, const char *command, enum sh_child_input input)
{
    int ends[2] = {-1, -1};

    if (input == SH_CHILD_PIPE && pipe2(ends, O_CLOEXEC) != 0)
        return errno;

    char *copy = pk_memdup_cstr(command, strlen(command));
    int failure = spawn(&child->pid, copy, ends[0]);

    free(copy);
    if (ends[0] >= 0)
        close(ends[0]);
    if (failure != 0 && ends[1] >= 0)
        close(ends[1]);
    child->input = failure == 0 ? ends[1] : -1;
    return failure;
}

int sh_child_wait(struct sh_child *child)
{
    int status = 0;

    if (child->input >= 0)
        close(child->input);
    child->input = -1;
    while (waitpid(child->pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
