#include "shell/server/http.h"

#include <strings.h>

static pk_slice trim(pk_slice text)
{
    while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text.data++;
        text.len--;
    }
    while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t'))
        text.len--;
    return text;
}

pk_slice sh_http_header(const struct sh_http_request *request, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < request->header_count; i++) {
        const struct sh_http_header *header = &request->headers[i];

        if (header->name.len == len && strncasecmp(header->name.data, name, len) == 0)
            return trim(header->value);
    }
    return (pk_slice){NULL, 0};
}
