/* trace on|off: whether the path of each request is shown before its result. */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/trace.h"

static enum pk_code trace_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    bool on = false, off = false;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && !cmd_words_at_end(&words)) {
        on = cmd_words_is(&words, "on");
        off = cmd_words_is(&words, "off");
        if (!on && !off)
            return pk_fail_at(err, PK_E_USAGE, words.token.span, "expected on or off");
        rc = cmd_words_next(&words, err);
    }
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    if (on || off)
        cmd_trace_set(context, on);
    cmd_result_text(result, CMD_BLOCK_NOTE, "%s",
                    cmd_trace_on(context) ? "trace is on: each request's path is shown before its "
                                            "result"
                                          : "trace is off");
    return PK_OK;
}

static void complete_trace(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    cmd_completion_add(completion, PK_LIT("on"));
    cmd_completion_add(completion, PK_LIT("off"));
}

const struct cmd_entry cmd_trace_entry = {
    .name = "trace",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[on|off]",
    .summary = "show each request's path: router, token, partition, admission, units, indexes",
    .detail = "Tokens are those of a simulated hash. Under throttle observe a request that would\n"
              "be refused says so. A foreign endpoint tells units alone.",
    .flags = CMD_READONLY,
    .complete = complete_trace,
    .run = trace_run,
};
