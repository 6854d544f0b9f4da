#include "commands/entries.h"
#include "commands/page.h"

/* What was read but not shown costs nothing more; then the next page is asked for. */
static enum pk_code more_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    struct cmd_reading reading = {.page = context->page};
    struct cmd_footer footer = {.items = true};
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    if (reading.page == NULL)
        return pk_fail(err, PK_E_USAGE, "the last result was complete: there is no more");
    footer.operation = pk_arena_dup(&result->arena, pk_slice_cstr(reading.page->label)).data;
    footer.consistency = reading.page->consistency;
    footer.counted = reading.page->count;
    rc = cmd_page_read(context, &reading, result, err);
    footer.shown = reading.shown;
    if (rc == PK_OK && reading.usage.requests == 0)
        cmd_result_text(result, CMD_BLOCK_FOOTER, "%llu item%s \xC2\xB7 from the page already read",
                        (unsigned long long)reading.shown, reading.shown == 1 ? "" : "s");
    else if (reading.usage.requests > 0)
        cmd_footer_read(context, result, &reading.usage, &footer);
    if (rc == PK_OK)
        cmd_page_note(context, result);
    return rc;
}

const struct cmd_entry cmd_more_entry = {
    .name = "more",
    .group = CMD_GROUP_DATA,
    .usage = "",
    .summary = "the next page of the last result",
    .flags = CMD_READONLY | CMD_NO_TXN,
    .run = more_run,
};
