#include "commands/args.h"
#include "commands/entries.h"

static enum pk_code version_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    (void)context;
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    cmd_result_text(result, CMD_BLOCK_TEXT, "pksk %s", PKSK_VERSION);
    return PK_OK;
}

const struct cmd_entry cmd_version_entry = {
    .name = "version",
    .group = CMD_GROUP_SHELL,
    .usage = "",
    .summary = "the version of pksk",
    .flags = CMD_READONLY,
    .run = version_run,
};
