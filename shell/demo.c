#include "shell/demo.h"

#include "commands/args.h"
#include "shell/render/text_safe.h"

#define ECHO_PROMPT "pksk> "

/* What a script expects is no news to a room, so it is not echoed. */

/* ---- echo ------------------------------------------------------------------------------------ */

void sh_demo_begin(struct sh *sh)
{
    struct pk_buf before = sh->shown_last;

    if (sh->shown.len == 0)
        return;
    sh->shown_last = sh->shown;
    sh->shown = before;
    pk_buf_clear(&sh->shown);
}

/* Lines that are not empty, as they stand. */
static void add_comments(struct pk_buf *out, pk_slice text)
{
    while (text.len > 0) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.data);

        if (len > 0) {
            sh_text_safe(out, pk_slice_of(text.data, len), SH_TEXT_ONE_LINE);
            pk_buf_add_byte(out, '\n');
        }
        text = pk_slice_skip(text, end == NULL ? len : len + 1);
    }
}

void sh_demo_echo(struct sh *sh, pk_slice text, pk_slice body)
{
    struct pk_buf out = PK_BUF_INIT;
    size_t before = body.data == NULL ? text.len : (size_t)(body.data - text.data);
    size_t kept = sh->shown.len;

    if (!sh->settings.echo || cmd_word_is(cmd_word_at(body, 0), sh_expect_entry.name))
        return;
    add_comments(&out, pk_slice_of(text.data, before));
    if (body.data != NULL) {
        pk_buf_add_cstr(&out, ECHO_PROMPT);
        sh_text_safe(&out, body, SH_TEXT_LINES);
        pk_buf_add_byte(&out, '\n');
    }
    sh_emit_take(sh, sh->output.out_tty ? SH_RESULT : SH_CHATTER, &out);
    sh->shown.len = kept; /* an echo is no result */
    if (sh->output.out_tty && body.data != NULL && sh->settings.pace_ms > 0)
        (void)sh_sleep(sh, sh->settings.pace_ms);
}

/* ---- expect ---------------------------------------------------------------------------------- */

/* Blanks and newlines in a row become one blank, so that a table's widths do not matter. */
static void add_narrow(struct pk_buf *out, pk_slice text)
{
    bool blank = true;

    for (size_t i = 0; i < text.len; i++) {
        bool is_blank = text.data[i] == ' ' || text.data[i] == '\n' || text.data[i] == '\t';

        if (!is_blank || !blank)
            pk_buf_add_byte(out, is_blank ? ' ' : (unsigned char)text.data[i]);
        blank = is_blank;
    }
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->len--;
    pk_buf_add_cstr(out, "");
}

static enum pk_code expect_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    struct sh *sh = sh_of(context);
    struct pk_span span = {(uint32_t)statement->args,
                           (uint32_t)(statement->text.len - statement->args)};
    struct pk_buf wanted = PK_BUF_INIT, shown = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    (void)result;
    add_narrow(&wanted, pk_slice_skip(statement->text, statement->args));
    add_narrow(&shown, pk_buf_slice(&sh->shown_last));
    if (wanted.len == 0)
        rc = pk_fail_at(err, PK_E_USAGE, span, "expected a text that was shown");
    else if (memmem(shown.data, shown.len, wanted.data, wanted.len) == NULL)
        rc = pk_fail_at(err, PK_E_USAGE, span, "what was shown last has no such text");
    pk_buf_release(&wanted);
    pk_buf_release(&shown);
    return rc;
}

const struct cmd_entry sh_expect_entry = {
    .name = "expect",
    .group = CMD_GROUP_SHELL,
    .usage = "TEXT",
    .summary = "fail unless what the last statement has shown has this text in it",
    .detail = "For scripts that check their own figures. Blanks count as one: a table's widths do "
              "not matter.",
    .flags = CMD_READONLY,
    .run = expect_run,
};
