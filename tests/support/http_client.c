/* See the header. */
#include "tests/support/http_client.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 120, CHUNK = 16384 };

void http_client_init(struct http_client *client, const char *url)
{
    *client = (struct http_client){.fd = -1};
    if (sscanf(url, "http://%63[^:]:%7[0-9]", client->host, client->port) != 2) {
        fprintf(stderr, "not a URL of a server: %s\n", url);
        abort();
    }
}

static void disconnect(struct http_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    pk_buf_clear(&client->in);
}

void http_client_release(struct http_client *client)
{
    disconnect(client);
    pk_buf_release(&client->in);
    pk_buf_release(&client->out);
}

bool http_client_connect(struct http_client *client)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    struct addrinfo *found = NULL;
    int on = 1;

    if (client->fd >= 0)
        return true;
    if (getaddrinfo(client->host, client->port, &hints, &found) != 0)
        return false;
    client->fd = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
    if (client->fd >= 0 && connect(client->fd, found->ai_addr, found->ai_addrlen) != 0)
        disconnect(client);
    freeaddrinfo(found);
    if (client->fd < 0)
        return false;
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return true;
}

static bool send_all(int fd, pk_slice bytes)
{
    while (bytes.len > 0) {
        ssize_t sent = send(fd, bytes.data, bytes.len, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes = pk_slice_skip(bytes, (size_t)sent);
    }
    return true;
}

static bool send_request(struct http_client *client, const char *operation, const char *body)
{
    struct pk_buf *out = &client->out;

    pk_buf_clear(out);
    pk_buf_printf(out,
                  "POST / HTTP/1.1\r\nHost: %s:%s\r\nContent-Type: application/x-amz-json-1.0\r\n"
                  "X-Amz-Target: %s%s\r\n"
                  "Authorization: AWS4-HMAC-SHA256 "
                  "Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
                  "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00\r\n"
                  "X-Amz-Date: 20260101T000000Z\r\nContent-Length: %zu\r\n\r\n%s",
                  client->host, client->port,
                  strchr(operation, '.') == NULL ? "DynamoDB_20120810." : "", operation,
                  strlen(body), body);
    return send_all(client->fd, pk_buf_slice(out));
}

/* Appends what comes next; false: nothing will. */
static bool receive(struct http_client *client)
{
    char *room = pk_buf_reserve(&client->in, CHUNK);
    ssize_t got = recv(client->fd, room, CHUNK, 0);

    if (got <= 0)
        return false;
    client->in.len += (size_t)got;
    client->in.data[client->in.len] = '\0';
    return true;
}

/* Receives a whole head; its length with the empty line, 0 when it does not come. */
static size_t receive_head(struct http_client *client)
{
    const char *end = NULL;

    do {
        if (client->in.len > 0)
            end = strstr(client->in.data, "\r\n\r\n");
    } while (end == NULL && receive(client));
    return end == NULL ? 0 : (size_t)(end - client->in.data) + 4;
}

/* The value of a header in a head that ends with an empty line; NULL: there is none. */
static const char *find_header(const char *head, const char *name)
{
    size_t len = strlen(name);

    for (const char *line = strstr(head, "\r\n"); line != NULL && strncmp(line, "\r\n\r\n", 4) != 0;
         line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, len) == 0 && line[2 + len] == ':')
            return line + 3 + len + strspn(line + 3 + len, " ");
    return NULL;
}

static int receive_answer(struct http_client *client, struct pk_buf *answer)
{
    size_t head = receive_head(client), length;
    const char *value;
    bool closes;
    int status = 0;

    if (head == 0 || sscanf(client->in.data, "HTTP/1.1 %d", &status) != 1)
        return HTTP_NO_ANSWER;
    value = find_header(client->in.data, "Content-Length");
    length = value == NULL ? 0 : (size_t)strtoul(value, NULL, 10);
    value = find_header(client->in.data, "Connection");
    closes = value != NULL && strncasecmp(value, "close", 5) == 0;
    while (client->in.len < head + length)
        if (!receive(client))
            return HTTP_NO_ANSWER;
    pk_buf_clear(answer);
    pk_buf_add(answer, pk_slice_of(client->in.data + head, length));
    pk_buf_clear(&client->in);
    if (closes)
        disconnect(client);
    return status;
}

int http_client_call(struct http_client *client, const char *operation, const char *body,
                     struct pk_buf *answer)
{
    int status = HTTP_NO_ANSWER;

    pk_buf_clear(answer);
    if (!http_client_connect(client))
        return HTTP_NOT_SENT;
    if (send_request(client, operation, body))
        status = receive_answer(client, answer);
    if (status == HTTP_NO_ANSWER)
        disconnect(client);
    return status;
}

int64_t http_answer_number(const struct pk_buf *answer, const char *name, int64_t missing)
{
    char member[64];
    const char *at;

    snprintf(member, sizeof(member), "\"%s\":{\"N\":\"", name);
    at = answer->len == 0 ? NULL : strstr(answer->data, member);
    return at == NULL ? missing : (int64_t)strtoll(at + strlen(member), NULL, 10);
}

bool http_answer_is_error(const struct pk_buf *answer, const char *name)
{
    const char *type = answer->len == 0 ? NULL : strstr(answer->data, "\"__type\":\"");
    const char *hash = type == NULL ? NULL : strchr(type, '#');

    return hash != NULL && strncmp(hash + 1, name, strlen(name)) == 0 &&
           hash[1 + strlen(name)] == '"';
}
