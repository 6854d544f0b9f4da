/* profile: all settings of the simulation at once. */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/sim_settings.h"
#include "commands/wire.h"

static enum pk_code send(struct cmd_context *context, const char *name, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject(), *answer = NULL;
    enum pk_code rc;

    cJSON_AddStringToObject(request, "Profile", name);
    rc = cmd_call(context, "Pksk.Settings", request, &answer, NULL, err);
    if (rc == PK_E_UNKNOWN_OPERATION)
        rc = cmd_fail_foreign(context, "profile", err);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    return rc;
}

static enum pk_code say(struct cmd_context *context, const char *name, struct cmd_result *result,
                        struct pk_error *err)
{
    pk_slice cells[4];
    static const char *const shown[] = {"partition.rcu", "partition.wcu", "partition.bytes",
                                        "throttle"};

    for (size_t i = 0; i < 4; i++) {
        enum pk_code rc = cmd_sim_get(context, &result->arena, shown[i], &cells[i], err);

        if (rc != PK_OK)
            return rc;
    }
    cmd_result_text(result, CMD_BLOCK_NOTE,
                    "profile %s: a partition serves %.*s RCU and %.*s WCU and holds %.*s; "
                    "throttle %.*s",
                    name, PK_FMT(cells[0]), PK_FMT(cells[1]), PK_FMT(cells[2]), PK_FMT(cells[3]));
    return PK_OK;
}

static enum pk_code profile_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    const char *name = NULL;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && cmd_words_is(&words, "aws"))
        name = "aws";
    else if (rc == PK_OK && cmd_words_is(&words, "workshop"))
        name = "workshop";
    else if (rc == PK_OK)
        rc = pk_fail_at(err, PK_E_USAGE, words.token.span, "expected aws or workshop");
    if (rc == PK_OK)
        rc = cmd_words_next(&words, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc == PK_OK)
        rc = send(context, name, err);
    return rc == PK_OK ? say(context, name, result, err) : rc;
}

static void profile_complete(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    cmd_completion_add(completion, PK_LIT("aws"));
    cmd_completion_add(completion, PK_LIT("workshop"));
}

const struct cmd_entry cmd_profile_entry = {
    .name = "profile",
    .group = CMD_GROUP_WORLD,
    .usage = "aws|workshop",
    .summary = "set all limits and times of the simulation at once",
    .detail =
        "  profile aws        what AWS documents: 3000 RCU, 1000 WCU and 10 GB a partition\n"
        "  profile workshop   a hundredth of it, times of seconds, throttle enforce: for a room\n"
        "The seed stays. `set` shows what is set; tables keep the partitions they have.",
    .complete = profile_complete,
    .run = profile_run,
};
