/* The client: epoll over blocking sockets that are only ever read without waiting (http_load.h). */
#include "tests/bench/http/http_load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/rng.h"

enum { MARKS_MAX = 128, HEAD_MAX = 4096, PART_MAX = 256 * 1024 };

struct mark {
    size_t at, digits;
    char kind; /* its byte */
};

struct client {
    int fd;
    char *request; /* its own copy, numbers written into it */
    char head[HEAD_MAX];
    size_t head_len;
    bool in_body;
    size_t body_len, body_left;
    double sent_us;
};

struct run {
    const struct load *load;
    size_t request_len;
    struct mark marks[MARKS_MAX];
    size_t mark_count;
    size_t items_each; /* that one request takes */
    struct pk_rng rng;
    size_t sent;
    double start_us;
    float *latencies;
    size_t latency_cap;
    struct client clients[LOAD_CONNECTIONS_MAX];
    char *part;
    struct load_result result;
};

double load_now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void die(const struct load *load, const char *what)
{
    fprintf(stderr, "bench-http: %s: %s: %s\n", load->who, what, strerror(errno));
    exit(1);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void find_marks(struct run *run)
{
    const char *text = run->load->request;

    for (size_t i = 0; i < run->request_len;) {
        size_t end = i;

        while (text[end] == text[i] && strchr("@^~", text[i]) != NULL)
            end++;
        if (end - i > 1) { /* a run */
            if (run->mark_count == MARKS_MAX)
                pk_bug("too many markers");
            run->marks[run->mark_count++] = (struct mark){i, end - i, text[i]};
            run->items_each += text[i] == '@';
        }
        i = end > i ? end : i + 1;
    }
}

static void write_number(char *to, size_t digits, size_t number)
{
    for (size_t i = digits; i > 0; i--) {
        to[i - 1] = (char)('0' + number % 10);
        number /= 10;
    }
}

static void write_keys(struct run *run, struct client *client)
{
    const struct load *load = run->load;
    size_t item = load->seconds > 0 ? pk_rng_below(&run->rng, load->items)
                                    : run->sent * run->items_each % load->items;
    bool taken = false;

    for (size_t i = 0; i < run->mark_count; i++) {
        const struct mark *mark = &run->marks[i];

        size_t number = item % load->collection;

        if (mark->kind == '@') {
            item = taken ? (item + 1) % load->items : item;
            taken = true;
            number = item / load->collection;
        } else if (mark->kind == '~') {
            number = pk_rng_next(&run->rng);
        }
        write_number(client->request + mark->at, mark->digits, number);
    }
}

static void send_request(struct run *run, struct client *client)
{
    write_keys(run, client);
    run->sent++;
    client->sent_us = load_now_us();
    for (size_t at = 0; at < run->request_len;) {
        ssize_t n = send(client->fd, client->request + at, run->request_len - at, MSG_NOSIGNAL);

        if (n < 0)
            die(run->load, "sending");
        at += (size_t)n;
    }
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Takes what belongs to the head; returns how many bytes that were. */
static size_t read_head(struct run *run, struct client *client, const char *bytes, size_t len)
{
    size_t room = HEAD_MAX - 1 - client->head_len, before = client->head_len;
    size_t take = len < room ? len : room;
    const char *end, *length;

    memcpy(client->head + client->head_len, bytes, take);
    client->head_len += take;
    client->head[client->head_len] = '\0';
    end = strstr(client->head, "\r\n\r\n");
    if (end == NULL) {
        if (take < len)
            die(run->load, "an answer without end of head");
        return take;
    }
    length = strcasestr(client->head, "\r\ncontent-length:");
    if (length == NULL || length > end)
        die(run->load, "an answer without its length");
    client->body_len = client->body_left = strtoul(length + 17, NULL, 10);
    client->in_body = true;
    return (size_t)(end - client->head) + 4 - before;
}

static void keep_latency(struct run *run, double us)
{
    if (run->result.requests == run->latency_cap) {
        run->latency_cap = run->latency_cap == 0 ? 4096 : run->latency_cap * 2;
        run->latencies = pk_realloc(run->latencies, run->latency_cap, sizeof(*run->latencies));
    }
    run->latencies[run->result.requests] = (float)us;
}

static void finish_answer(struct run *run, struct client *client)
{
    keep_latency(run, load_now_us() - client->sent_us);
    run->result.requests++;
    run->result.answer_bytes = client->body_len;
    if (memcmp(client->head, "HTTP/1.1 200", 12) != 0) {
        if (run->result.refused++ * 100 > run->result.requests + 100) {
            fprintf(stderr, "%s\n", client->head);
            die(run->load, "refused");
        }
    }
    client->head_len = 0;
    client->in_body = false;
}

/* Reads what is there; true when the answer is complete. */
static bool read_answer(struct run *run, struct client *client)
{
    for (;;) {
        ssize_t n = recv(client->fd, run->part, PART_MAX, MSG_DONTWAIT);
        size_t at = 0, body;

        if (n < 0 && errno == EAGAIN)
            return false;
        if (n <= 0)
            die(run->load, "the connection ended");
        if (!client->in_body)
            at = read_head(run, client, run->part, (size_t)n);
        body = (size_t)n - at;
        if (!client->in_body)
            continue;
        if (body > client->body_left)
            die(run->load, "more than the answer");
        client->body_left -= body;
        if (client->body_left == 0) {
            finish_answer(run, client);
            return true;
        }
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

static int connect_to(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0) {
        close(fd);
        return -1;
    }
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return fd;
}

static bool goes_on(const struct run *run)
{
    const struct load *load = run->load;

    return load->seconds > 0 ? load_now_us() - run->start_us < load->seconds * 1e6
                             : run->sent < load->requests;
}

/* Sends on every connection, then again on each whose answer has come. */
static void drive(struct run *run, int poll_fd)
{
    unsigned waiting = 0;
    struct epoll_event events[LOAD_CONNECTIONS_MAX];

    for (unsigned i = 0; i < run->load->connections && goes_on(run); i++, waiting++)
        send_request(run, &run->clients[i]);
    while (waiting > 0) {
        int count = epoll_wait(poll_fd, events, LOAD_CONNECTIONS_MAX, 60000);

        if (count == 0)
            die(run->load, "no answer within a minute");
        for (int i = 0; i < count; i++) {
            struct client *client = events[i].data.ptr;

            if (!read_answer(run, client))
                continue;
            if (goes_on(run))
                send_request(run, client);
            else
                waiting--;
        }
    }
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y;
}

static void open_clients(struct run *run, int poll_fd)
{
    for (unsigned i = 0; i < run->load->connections; i++) {
        struct client *client = &run->clients[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};

        client->fd = connect_to(run->load->port);
        if (client->fd < 0)
            die(run->load, "connecting");
        client->request = pk_memdup_cstr(run->load->request, run->request_len);
        epoll_ctl(poll_fd, EPOLL_CTL_ADD, client->fd, &event);
    }
}

struct load_result load_run(const struct load *load)
{
    struct run *run = pk_calloc(1, sizeof(*run));
    int poll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct load_result result;

    run->load = load;
    run->request_len = strlen(load->request);
    run->part = pk_malloc(PART_MAX);
    pk_rng_seed(&run->rng, (uint64_t)load_now_us());
    find_marks(run);
    open_clients(run, poll_fd);
    run->start_us = load_now_us();
    drive(run, poll_fd);
    result = run->result;
    result.wall_us = load_now_us() - run->start_us;
    if (result.requests > 0) {
        qsort(run->latencies, result.requests, sizeof(*run->latencies), compare);
        result.p50_us = (double)run->latencies[result.requests / 2];
    }
    for (unsigned i = 0; i < load->connections; i++) {
        close(run->clients[i].fd);
        free(run->clients[i].request);
    }
    close(poll_fd);
    free(run->latencies);
    free(run->part);
    free(run);
    return result;
}

bool load_ping(uint16_t port)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int fd = connect_to(port);
    char byte;
    bool answered = fd >= 0 && send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 &&
                    recv(fd, &byte, 1, 0) == 1;

    if (fd >= 0)
        close(fd);
    return answered;
}
