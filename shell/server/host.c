#include "shell/server/host.h"

#include <arpa/inet.h>
#include <strings.h>

/* The name without the port: "a.b:80" is "a.b", "[::1]:80" is "::1". */
static pk_slice name_of(pk_slice host)
{
    const char *end;

    if (host.len > 0 && host.data[0] == '[') {
        end = memchr(host.data, ']', host.len);
        return end == NULL ? host : (pk_slice){host.data + 1, (size_t)(end - host.data) - 1};
    }
    end = host.len == 0 ? NULL : memchr(host.data, ':', host.len);
    return end == NULL ? host : (pk_slice){host.data, (size_t)(end - host.data)};
}

static bool ends_with(pk_slice text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && strncasecmp(text.data + text.len - len, end, len) == 0;
}

static bool is_address(pk_slice name)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address; /* room for either kind */

    if (name.len >= sizeof(text))
        return false;
    memcpy(text, name.data, name.len);
    text[name.len] = '\0';
    return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}

bool sh_host_is(pk_slice host, const char *name)
{
    pk_slice bare = name_of(host);

    return bare.len == strlen(name) && strncasecmp(bare.data, name, bare.len) == 0;
}

bool sh_host_is_local(pk_slice host)
{
    return sh_host_is(host, "localhost") || ends_with(name_of(host), ".localhost") ||
           (host.len > 0 && is_address(name_of(host)));
}
