#include "shell/server/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BACKLOG = 1024,
    CONNECTIONS_MAX = 10000, /* each may hold a body */
    STORE_FILES = 1100       /* LevelDB keeps 1,000 tables open, and we a few files more */
};

static enum pk_code fail_listen(const char *host, uint16_t port, const char *reason,
                                struct pk_error *err)
{
    return pk_fail(err, PK_E_IO, "cannot listen on %s port %u: %s", host, (unsigned)port, reason);
}

static int open_socket(const struct addrinfo *address)
{
    int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol);
    int on = 1;

    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;

    int failure = errno;

    close(fd);
    errno = failure;
    return -1;
}

static void add_url(struct pk_buf *url, const char *host, int fd)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    char port[8] = "0";

    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0 ||
        getnameinfo((struct sockaddr *)&address, len, NULL, 0, port, sizeof(port),
                    NI_NUMERICSERV) != 0)
        pk_bug("a listening socket has no address");
    pk_buf_printf(url, strchr(host, ':') == NULL ? "http://%s:%s" : "http://[%s]:%s", host, port);
}

enum pk_code sh_listen(const char *host, uint16_t port, int *fd, struct pk_buf *url,
                       struct pk_error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char service[8];
    int rc, failure = 0;

    snprintf(service, sizeof(service), "%u", (unsigned)port);
    rc = getaddrinfo(host, service, &hints, &found);
    if (rc != 0)
        return fail_listen(host, port, gai_strerror(rc), err);
    *fd = -1;
    for (const struct addrinfo *at = found; at != NULL && *fd < 0; at = at->ai_next) {
        *fd = open_socket(at);
        failure = errno;
    }
    freeaddrinfo(found);
    if (*fd < 0)
        return fail_listen(host, port, strerror(failure), err);
    add_url(url, host, *fd);
    return PK_OK;
}

unsigned sh_connection_limit(void)
{
    struct rlimit limit;
    rlim_t files, spare;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return CONNECTIONS_MAX;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        getrlimit(RLIMIT_NOFILE, &limit);
    files = limit.rlim_cur;
    spare = files / 2 < STORE_FILES ? files / 2 : STORE_FILES;
    return files - spare < CONNECTIONS_MAX ? (unsigned)(files - spare) : CONNECTIONS_MAX;
}
