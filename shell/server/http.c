#include "shell/server/http.h"

#include <strings.h>

enum { HEADERS_SMALL = 320 }; /* bytes: those of most answers */

/* ---- requests -------------------------------------------------------------------------------- */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

pk_slice sh_http_trim(pk_slice text)
{
    while (text.len > 0 && is_blank(text.data[0])) {
        text.data++;
        text.len--;
    }
    while (text.len > 0 && is_blank(text.data[text.len - 1]))
        text.len--;
    return text;
}

bool sh_http_is_word(pk_slice text, const char *name)
{
    return text.len == strlen(name) && strncasecmp(text.data, name, text.len) == 0;
}

pk_slice sh_http_header(const struct sh_http_request *request, const char *name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (sh_http_is_word(request->headers[i].name, name))
            return sh_http_trim(request->headers[i].value);
    return (pk_slice){NULL, 0};
}

size_t sh_http_header_count(const struct sh_http_request *request, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < request->header_count; i++)
        count += sh_http_is_word(request->headers[i].name, name);
    return count;
}

pk_slice sh_http_cut(pk_slice text, char stop, pk_slice *rest)
{
    const char *found = text.len == 0 ? NULL : memchr(text.data, stop, text.len);
    size_t len = found == NULL ? text.len : (size_t)(found - text.data);

    *rest = found == NULL ? (pk_slice){NULL, 0} : (pk_slice){found + 1, text.len - len - 1};
    return sh_http_trim((pk_slice){text.data, len});
}

/* ---- answers --------------------------------------------------------------------------------- */

void sh_http_answer_release(struct sh_http_answer *answer)
{
    pk_buf_release(&answer->body);
    pk_buf_release(&answer->headers);
    *answer = (struct sh_http_answer)SH_HTTP_ANSWER_INIT;
}

void sh_http_answer_add(struct sh_http_answer *answer, const char *name, pk_slice value)
{
    struct pk_buf *out = &answer->headers;
    size_t start;

    if (out->cap == 0)
        pk_buf_reserve(out, HEADERS_SMALL);
    pk_buf_add(out, (pk_slice){name, strlen(name) + 1});
    start = out->len;
    pk_buf_add(out, value);
    pk_buf_add_byte(out, '\0');
    for (size_t i = start; i + 1 < out->len; i++)
        if ((unsigned char)out->data[i] < ' ' || out->data[i] == 0x7f)
            out->data[i] = '?';
}

bool sh_http_answer_next(const struct sh_http_answer *answer, size_t *at, const char **name,
                         const char **value)
{
    if (*at >= answer->headers.len)
        return false;
    *name = answer->headers.data + *at;
    *value = *name + strlen(*name) + 1;
    *at = (size_t)(*value - answer->headers.data) + strlen(*value) + 1;
    return true;
}
