#include "tests/bench/http/http_process.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/http/http_load.h"

extern char **environ;

enum { START_MS = 30000 };

static void die(const char *program, const char *what)
{
    fprintf(stderr, "bench-http: %s: %s: %s\n", program, what, strerror(errno));
    exit(1);
}

/* posix_spawn takes the arguments without const, and leaves them alone. */
static void spawn(struct process *process, const char *const *argv, int out)
{
    posix_spawn_file_actions_t actions;
    union {
        const char *const *given;
        char *const *taken;
    } arguments = {.given = argv};

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (posix_spawnp(&process->pid, argv[0], &actions, NULL, arguments.taken, environ) != 0)
        die(argv[0], "starting");
    posix_spawn_file_actions_destroy(&actions);
}

/* The number behind the last ':' of the URL in the first line. */
static uint16_t read_port(const struct process *process, const char *program)
{
    char line[1024];
    size_t len = 0;
    const char *url;

    while (len < sizeof(line) - 1 && read(process->out, line + len, 1) == 1 && line[len] != '\n')
        len++;
    line[len] = '\0';
    url = strstr(line, "http://");
    url = url == NULL ? NULL : strchr(url + 7, ':');
    if (url == NULL || !isdigit((unsigned char)url[1]))
        die(program, line);
    return (uint16_t)strtoul(url + 1, NULL, 10);
}

void process_start(struct process *process, const char *const *argv, uint16_t port)
{
    double start = load_now_us();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        die(argv[0], "a pipe");
    process->out = ends[0];
    spawn(process, argv, ends[1]);
    close(ends[1]);
    process->port = port != 0 ? port : read_port(process, argv[0]);
    while (!load_ping(process->port)) {
        if (load_now_us() - start > START_MS * 1000.0)
            die(argv[0], "no answer");
        usleep(2000);
    }
    process->first_answer_ms = (load_now_us() - start) / 1000;
}

void process_stop(struct process *process)
{
    kill(process->pid, SIGTERM);
    waitpid(process->pid, NULL, 0);
    close(process->out);
}

double process_cpu_us(const struct process *process)
{
    struct timespec time = {0, 0};
    clockid_t clock;

    if (clock_getcpuclockid(process->pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        die("a server", "its processor time");
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

double process_status_mb(const struct process *process, const char *field)
{
    char path[64], line[256];
    size_t len = strlen(field);
    double mb = -1;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)process->pid);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, field, len) == 0 && line[len] == ':')
            mb = strtod(line + len + 1, NULL) / 1024;
    }
    if (file != NULL)
        fclose(file);
    return mb;
}

uint16_t process_free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) != 0)
        die("a port", "none is free");
    close(fd);
    return ntohs(at.sin_port);
}
