/* URLs of endpoints; see url.h. */
#include "shell/client/url.h"

#include <arpa/inet.h>
#include <netinet/in.h>

enum { URL_MAX = 1024, PORT_MAX = 65535 };

#define AWS_PREFIX "dynamodb."
#define AWS_SUFFIX ".amazonaws.com"
#define CN_SUFFIX  ".amazonaws.com.cn"

static bool ends_with(pk_slice text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && memcmp(text.data + text.len - len, end, len) == 0;
}

/* Letters small, in the arena. */
static pk_slice lower(struct pk_arena *arena, pk_slice text)
{
    char *copy = pk_arena_alloc(arena, text.len + 1);

    for (size_t i = 0; i < text.len; i++)
        copy[i] =
            text.data[i] >= 'A' && text.data[i] <= 'Z' ? (char)(text.data[i] + 32) : text.data[i];
    copy[text.len] = '\0';
    return pk_slice_of(copy, text.len);
}

/* ---- this machine ---------------------------------------------------------------------------- */

/* host is NUL-ended. */
static bool is_local(pk_slice host)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (pk_slice_is(host, "localhost") || ends_with(host, ".localhost"))
        return true;
    if (inet_pton(AF_INET, host.data, &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127 || v4.s_addr == 0;
    if (inet_pton(AF_INET6, host.data, &v6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&v6) || IN6_IS_ADDR_UNSPECIFIED(&v6) ||
               (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
    return false;
}

/* ---- parsing --------------------------------------------------------------------------------- */

struct parts {
    pk_slice scheme;    /* empty: none */
    pk_slice authority; /* host and port as written */
    pk_slice host;
    pk_slice path; /* without '/' at its end */
};

static bool is_host_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

static bool is_port(pk_slice text)
{
    unsigned port = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || port > PORT_MAX)
            return false;
        port = port * 10 + (unsigned)(text.data[i] - '0');
    }
    return port > 0 && port <= PORT_MAX;
}

/* HOST, HOST:PORT, [V6], [V6]:PORT */
static bool split_authority(struct parts *parts)
{
    pk_slice text = parts->authority;
    size_t end = 0;

    if (text.len > 0 && text.data[0] == '[') {
        const char *close = memchr(text.data, ']', text.len);

        if (close == NULL)
            return false;
        parts->host = pk_slice_of(text.data + 1, (size_t)(close - text.data) - 1);
        end = (size_t)(close - text.data) + 1;
        for (size_t i = 0; i < parts->host.len; i++)
            if (strchr("0123456789abcdefABCDEF:.", parts->host.data[i]) == NULL)
                return false;
    } else {
        while (end < text.len && is_host_byte(text.data[end]))
            end++;
        parts->host = pk_slice_of(text.data, end);
    }
    if (parts->host.len == 0)
        return false;
    text = pk_slice_skip(text, end);
    return text.len == 0 || (text.data[0] == ':' && is_port(pk_slice_skip(text, 1)));
}

static bool is_path(pk_slice path)
{
    for (size_t i = 0; i < path.len; i++)
        if (!is_host_byte(path.data[i]) && strchr("/~%+", path.data[i]) == NULL)
            return false;
    return true;
}

static bool split(const char *text, struct parts *parts)
{
    const char *colon = strstr(text, "://");
    const char *rest = colon == NULL ? text : colon + 3;
    size_t len = strcspn(rest, "/");

    *parts = (struct parts){.authority = pk_slice_of(rest, len), .path = pk_slice_cstr(rest + len)};
    if (colon != NULL)
        parts->scheme = pk_slice_of(text, (size_t)(colon - text));
    while (parts->path.len > 0 && parts->path.data[parts->path.len - 1] == '/')
        parts->path.len--;
    return strlen(text) <= URL_MAX && split_authority(parts) && is_path(parts->path);
}

enum pk_code sh_url_parse(const char *text, struct pk_arena *arena, struct sh_url *url,
                          struct pk_error *err)
{
    struct parts parts;
    bool sound = split(text, &parts);
    pk_slice scheme = sound ? lower(arena, parts.scheme) : (pk_slice){NULL, 0};

    if (sound && parts.scheme.len > 0 && !pk_slice_is(scheme, "http") &&
        !pk_slice_is(scheme, "https"))
        return pk_fail(err, PK_E_USAGE, "'%s' is neither http nor https", text);
    if (!sound) {
        pk_fail(err, PK_E_USAGE, "'%s' is no URL of an endpoint", text);
        pk_error_hint(err, "http://localhost:8000, https://dynamodb.eu-west-1.amazonaws.com");
        return PK_E_USAGE;
    }
    url->host = lower(arena, parts.host);
    url->local = is_local(url->host);
    if (scheme.len == 0)
        scheme = url->local ? PK_LIT("http") : PK_LIT("https");
    url->text = pk_arena_printf(arena, "%.*s://%.*s%.*s", PK_FMT(scheme),
                                PK_FMT(lower(arena, parts.authority)), PK_FMT(parts.path))
                    .data;
    return PK_OK;
}

/* ---- AWS ------------------------------------------------------------------------------------- */

const char *sh_url_aws(const char *service, const char *region, struct pk_arena *arena)
{
    bool china = strncmp(region, "cn-", 3) == 0;

    return pk_arena_printf(arena, "https://%s.%s%s", service, region,
                           china ? CN_SUFFIX : AWS_SUFFIX)
        .data;
}

pk_slice sh_url_region(const struct sh_url *url)
{
    pk_slice host = url->host;
    const char *suffix = ends_with(host, CN_SUFFIX) ? CN_SUFFIX : AWS_SUFFIX;

    if (!pk_slice_starts(host, PK_LIT(AWS_PREFIX)) || !ends_with(host, suffix) ||
        host.len <= strlen(AWS_PREFIX) + strlen(suffix))
        return (pk_slice){NULL, 0};
    host = pk_slice_skip(host, strlen(AWS_PREFIX));
    host.len -= strlen(suffix);
    return memchr(host.data, '.', host.len) == NULL ? host : (pk_slice){NULL, 0};
}

const char *sh_url_streams(const struct sh_url *url, struct pk_arena *arena)
{
    const char *host = strstr(url->text, "://") + 3;

    if (sh_url_region(url).len == 0)
        return url->text;
    return pk_arena_printf(arena, "%.*sstreams.%s", (int)(host - url->text), url->text, host).data;
}
