/* throttle: what is done with requests that exceed a capacity. */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/sim_settings.h"

static enum pk_code show(struct cmd_context *context, struct cmd_result *result,
                         struct pk_error *err)
{
    static const char *const means[][2] = {
        {"off", "throttle is off: nothing is counted but ConsumedCapacity"},
        {"observe", "throttle is observe: all is executed, and counted what would be refused"},
        {"enforce", "throttle is enforce: what exceeds a capacity is refused, as AWS does"},
    };
    pk_slice value;
    enum pk_code rc = cmd_sim_get(context, &result->arena, "throttle", &value, err);

    for (size_t i = 0; i < sizeof(means) / sizeof(*means) && rc == PK_OK; i++) {
        if (pk_slice_is(value, means[i][0]))
            cmd_result_text(result, CMD_BLOCK_NOTE, "%s", means[i][1]);
    }
    return rc;
}

static enum pk_code throttle_run(struct cmd_context *context, const struct cmd_statement *statement,
                                 struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    struct pk_span span;
    pk_slice value;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && cmd_words_at_end(&words))
        return show(context, result, err);
    span = words.token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(&words, "off, observe or enforce", &value, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    rc = cmd_sim_set(context, PK_LIT("throttle"), value, err);
    if (rc == PK_E_USAGE)
        err->span = span;
    return rc == PK_OK ? show(context, result, err) : rc;
}

static void throttle_complete(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    cmd_completion_add(completion, PK_LIT("off"));
    cmd_completion_add(completion, PK_LIT("observe"));
    cmd_completion_add(completion, PK_LIT("enforce"));
}

const struct cmd_entry cmd_throttle_entry = {
    .name = "throttle",
    .group = CMD_GROUP_WORLD,
    .usage = "[off|observe|enforce]",
    .summary = "what is done with requests that exceed a capacity",
    .detail =
        "  throttle observe   execute them, and count what would have been refused (default)\n"
        "  throttle enforce   refuse them with the exception AWS gives\n"
        "  throttle off       count nothing but ConsumedCapacity\n"
        "Heat and splits of partitions are real in observe and in enforce.",
    .complete = throttle_complete,
    .run = throttle_run,
};
