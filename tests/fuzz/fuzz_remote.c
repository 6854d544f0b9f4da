/*
 * What comes from elsewhere to a shell on an endpoint: the facts beside an answer, the body of an
 * error, a snapshot of partitions, a URL that was typed, the files of profiles. The first byte says
 * which.
 *
 * Facts that are read must be written to what reads the same; a URL must be its own canonical form.
 */
#include <stdlib.h>

#include "commands/answer.h"
#include "commands/facts.h"
#include "commands/heat.h"
#include "commands/wire.h"
#include "engine/base/utf8.h"
#include "shell/client/aws_file.h"
#include "shell/client/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_facts(const struct cmd_response *a, const struct cmd_response *b)
{
    return a->facts.partition == b->facts.partition &&
           a->facts.partitions_touched == b->facts.partitions_touched &&
           a->facts.partition_count == b->facts.partition_count &&
           a->facts.bytes == b->facts.bytes && a->facts.items_read == b->facts.items_read &&
           a->facts.items_returned == b->facts.items_returned &&
           a->facts.verdict == b->facts.verdict && a->facts.limit == b->facts.limit &&
           a->facts.limit_index == b->facts.limit_index && a->has_span == b->has_span &&
           a->span.start == b->span.start && a->span.len == b->span.len && a->use == b->use;
}

/* A hint that grows by its escapes may be cut when it is written. */
static void check_facts(pk_slice text)
{
    struct cmd_response first = CMD_RESPONSE_INIT, second = CMD_RESPONSE_INIT;
    struct pk_buf out = PK_BUF_INIT;

    if (cmd_facts_read(text, &first)) {
        cmd_facts_write(&out, &first);
        if (out.len > CMD_FACTS_MAX || !cmd_facts_read(pk_buf_slice(&out), &second) ||
            !same_facts(&first, &second))
            pk_bug("facts are written as something else: %s", out.data);
    }
    pk_buf_release(&out);
    cmd_response_release(&first);
    cmd_response_release(&second);
}

/* What is read of it, drawn. */
static void check_snapshot(pk_slice text)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf out = PK_BUF_INIT;
    cJSON *answer = cmd_wire_parse(text);
    struct cmd_snapshot snapshot;
    struct cmd_heat heat;

    cmd_snapshot_read(&arena, answer, &snapshot);
    heat = cmd_heat_of(&snapshot);
    cmd_heat_svg(&out, &heat);
    if (!pk_utf8_valid(pk_buf_slice(&out)))
        pk_bug("a drawing is no UTF-8");
    cJSON_Delete(answer);
    pk_buf_release(&out);
    pk_arena_release(&arena);
}

static void check_url(const char *text)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct sh_url url = {.text = NULL}, again = {.text = NULL};

    if (sh_url_parse(text, &arena, &url, &err) == PK_OK &&
        (sh_url_parse(url.text, &arena, &again, &err) != PK_OK ||
         strcmp(url.text, again.text) != 0 || url.local != again.local))
        pk_bug("a URL changes when it is read again: %s", url.text);
    if (url.text != NULL)
        (void)sh_url_streams(&url, &arena);
    pk_error_release(&err);
    pk_arena_release(&arena);
}

static void check_file(pk_slice text)
{
    struct sh_aws_file file = {.first = NULL};

    sh_aws_file_parse(&file, text);
    for (const struct sh_aws_setting *s = file.first; s != NULL; s = s->next)
        if (!sh_aws_file_has(&file, s->section))
            pk_bug("a setting is in no section: %s", s->name);
    sh_aws_file_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pk_slice rest = pk_slice_of((const char *)data + (size > 0), size > 0 ? size - 1 : 0);
    char *text = pk_memdup_cstr(rest.data, rest.len);

    if (size > 0 && data[0] == 'f')
        check_facts(rest);
    else if (size > 0 && data[0] == 's')
        check_snapshot(rest);
    else if (size > 0 && data[0] == 'u')
        check_url(text);
    else if (size > 0 && data[0] == 'p')
        check_file(rest);
    else if (cmd_answer_code(rest) != PK_OK)
        (void)cmd_answer_has(rest, "__type");
    free(text);
    return 0;
}
