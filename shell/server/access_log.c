#include "shell/server/access_log.h"

#include <stdio.h>
#include <time.h>

#include "commands/wire.h"
#include "engine/base/clock.h"
#include "shell/render/text_safe.h"

/* What a line says; texts are safe to show. */
struct line {
    char time[40]; /* ISO 8601, UTC */
    pk_slice operation;
    struct pk_buf tables;
    const char *error; /* its name, "" when there is none */
};

static void set_time(char *text, size_t size)
{
    int64_t ms = pk_clock_real_ms();
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    size_t len;

    gmtime_r(&seconds, &tm);
    len = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + len, size - len, ".%03dZ", (int)(ms % 1000));
}

static void add_text(struct pk_buf *out, const struct line *line,
                     const struct sh_request_note *note)
{
    pk_buf_printf(out, "%s %.*s %s %d%s%s %g units %lld us\n", line->time, PK_FMT(line->operation),
                  line->tables.data, note->status, line->error[0] == '\0' ? "" : " ", line->error,
                  (double)note->milli_units / 1000, (long long)note->micros);
}

/* Names have no character that JSON would escape: tables' are letters, digits and "_.-", of any
 * other text quotes and backslashes are replaced. */
static void add_json(struct pk_buf *out, const struct line *line,
                     const struct sh_request_note *note)
{
    size_t start;

    pk_buf_printf(out, "{\"time\":\"%s\",\"operation\":\"%.*s\",\"table\":\"", line->time,
                  PK_FMT(line->operation));
    start = out->len;
    pk_buf_add(out, pk_buf_slice(&line->tables));
    for (size_t i = start; i < out->len; i++)
        if (out->data[i] == '"' || out->data[i] == '\\')
            out->data[i] = '?';
    pk_buf_printf(out, "\",\"status\":%d,\"error\":\"%s\",\"units\":%g,\"micros\":%lld}\n",
                  note->status, line->error, (double)note->milli_units / 1000,
                  (long long)note->micros);
}

void sh_access_log_line(struct pk_buf *out, enum sh_log_form form,
                        const struct sh_http_request *request, const struct sh_request_note *note)
{
    struct line line = {.operation = note->operation, .tables = PK_BUF_INIT, .error = ""};
    struct pk_buf tables = PK_BUF_INIT;

    if (form == SH_LOG_NONE)
        return;
    set_time(line.time, sizeof(line.time));
    if (line.operation.data == NULL)
        line.operation = PK_LIT("-");
    else
        cmd_wire_tables(&tables, request->body);
    sh_text_safe(&line.tables, pk_buf_slice(&tables), SH_TEXT_ONE_LINE);
    if (line.tables.len == 0)
        pk_buf_add_byte(&line.tables, '-');
    if (note->code != PK_OK)
        line.error = pk_code_name(note->code);
    if (form == SH_LOG_TEXT)
        add_text(out, &line, note);
    else
        add_json(out, &line, note);
    pk_buf_release(&tables);
    pk_buf_release(&line.tables);
}
