/* The prompt's text; see prompt.h. */
#include "shell/prompt.h"

#include "shell/render/text_safe.h"

/* "https://host:port/" as "host:port". */
static void add_endpoint(struct pk_buf *out, const char *url)
{
    const char *host = strstr(url, "://");

    host = host == NULL ? url : host + 3;
    pk_buf_add_byte(out, ' ');
    sh_text_safe(out, pk_slice_of(host, strcspn(host, "/")), SH_TEXT_ONE_LINE);
}

void sh_prompt(struct pk_buf *out, const struct cmd_context *context, const char *open)
{
    size_t start = out->len;

    pk_buf_add_cstr(out, "pksk");
    if (context->backend != NULL && context->backend->endpoint != NULL)
        add_endpoint(out, context->backend->endpoint);
    if (context->table != NULL) {
        pk_buf_add_byte(out, ' ');
        sh_text_safe(out, pk_slice_cstr(context->table), SH_TEXT_ONE_LINE);
    }
    if (context->txn != NULL)
        pk_buf_add_byte(out, '*');
    if (open != NULL) {
        size_t width = sh_text_width(pk_slice_of(out->data + start, out->len - start));
        size_t own = strlen(open);

        out->len = start;
        sh_text_pad(out, width > own ? width - own : 0);
        pk_buf_add_cstr(out, open);
    }
    pk_buf_add_cstr(out, "> ");
}
