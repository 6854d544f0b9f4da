/* See the header. */
#include "tests/support/served.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"

extern char **environ;

const char *served_program(void)
{
    static char path[256];
    const char *config = getenv("CONFIG"), *given = getenv("PKSK");

    snprintf(path, sizeof(path), "build/%s/pksk", config == NULL ? "release" : config);
    return given == NULL ? path : given;
}

/* The child's standard input, and where both outputs go; the parent's ends close when something is
 * executed. */
static pid_t spawn(const char *argv[], int in, int out)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t pipe_signal;
    char **args;
    pid_t pid = -1;

    memcpy(&args, &argv, sizeof(args)); /* posix_spawn does not change them */
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
    if (posix_spawn(&pid, args[0], &files, &attributes, args, environ) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return pid;
}

static void write_line(struct served *served, const char *line)
{
    fprintf(served->in, "%s\n", line);
    fflush(served->in);
}

/* Reads lines until one has `text`. */
static bool read_until(struct served *served, const char *text, char *line, int size)
{
    while (fgets(line, size, served->out) != NULL)
        if (strstr(line, text) != NULL)
            return true;
    return false;
}

static bool read_url(struct served *served)
{
    char line[512], *at;
    size_t len;

    if (!read_until(served, "http://", line, sizeof(line)))
        return false;
    at = strstr(line, "http://");
    len = 7 + strcspn(at + 7, ",\"\n ");
    if (len >= sizeof(served->url))
        return false;
    memcpy(served->url, at, len);
    served->url[len] = '\0';
    return true;
}

bool served_start(struct served *served, const char *argv[], const char *first)
{
    int in[2], out[2];

    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        return false;
    argv[0] = served_program();
    served->pid = spawn(argv, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    served->in = fdopen(in[1], "w");
    served->out = fdopen(out[0], "r");
    if (served->pid > 0 && first != NULL)
        write_line(served, first);
    if (served->pid > 0 && read_url(served))
        return true;
    fprintf(stderr, "%s does not serve\n", argv[0]);
    if (served->pid > 0)
        served_end(served, SIGKILL, NULL);
    return false;
}

bool served_say(struct served *served, const char *line, const char *text)
{
    char answer[512];

    write_line(served, line);
    return read_until(served, text, answer, sizeof(answer));
}

static void show_rest(const struct served *served)
{
    char rest[512];

    while (fgets(rest, sizeof(rest), served->out) != NULL)
        fprintf(stderr, "pksk: %s", rest);
}

static bool as_asked(int status, int signal)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == signal;
    return status == 0 || (signal != 0 && WEXITSTATUS(status) == 128 + signal);
}

int served_end(struct served *served, int signal, double *millis)
{
    int64_t begin = pk_clock_real_us();
    int status = -1;

    if (signal != 0)
        kill(served->pid, signal);
    else
        fclose(served->in);
    waitpid(served->pid, &status, 0); /* what it prints fits into the pipe */
    if (signal != 0)
        fclose(served->in); /* not before: it could take that for its end */
    if (millis != NULL)
        *millis = (double)(pk_clock_real_us() - begin) / 1000;
    if (!as_asked(status, signal))
        show_rest(served);
    fclose(served->out);
    return status;
}
