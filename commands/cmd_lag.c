/* lag: how long a change takes to reach the GSIs. */
#include <stdio.h>

#include "commands/args.h"
#include "commands/entries.h"
#include "commands/sim_settings.h"

static enum pk_code set_ms(struct cmd_context *context, const char *name, uint64_t ms,
                           struct pk_error *err)
{
    char text[32];

    snprintf(text, sizeof(text), "%llums", (unsigned long long)ms);
    return cmd_sim_set(context, pk_slice_cstr(name), pk_slice_cstr(ms == 0 ? "0" : text), err);
}

static enum pk_code show(struct cmd_context *context, struct cmd_result *result,
                         struct pk_error *err)
{
    pk_slice lag, jitter;
    enum pk_code rc;

    if (!context->backend->extensions)
        return cmd_fail_foreign(context, "lag", err);
    rc = cmd_sim_get(context, &result->arena, "lag.gsi", &lag, err);
    if (rc == PK_OK)
        rc = cmd_sim_get(context, &result->arena, "lag.gsi_jitter", &jitter, err);
    if (rc != PK_OK)
        return rc;
    if (pk_slice_is(lag, "0") && pk_slice_is(jitter, "0"))
        cmd_result_text(result, CMD_BLOCK_NOTE,
                        "no lag: a read of a gsi sees every write that came before it");
    else if (pk_slice_is(jitter, "0"))
        cmd_result_text(result, CMD_BLOCK_NOTE, "a change reaches a gsi after %.*s", PK_FMT(lag));
    else
        cmd_result_text(result, CMD_BLOCK_NOTE,
                        "a change reaches a gsi after %.*s, up to %.*s more by chance", PK_FMT(lag),
                        PK_FMT(jitter));
    return PK_OK;
}

static enum pk_code parse_gsi(struct cmd_words *words, uint64_t *lag, uint64_t *jitter,
                              struct pk_error *err)
{
    enum pk_code rc = cmd_words_next(words, err);

    if (rc == PK_OK)
        rc = cmd_words_duration(words, lag, err);
    if (rc == PK_OK && cmd_words_is(words, "jitter")) {
        rc = cmd_words_next(words, err);
        if (rc == PK_OK)
            rc = cmd_words_duration(words, jitter, err);
    }
    return rc;
}

static enum pk_code lag_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    uint64_t lag = 0, jitter = 0;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && cmd_words_at_end(&words))
        return show(context, result, err);
    if (rc == PK_OK && cmd_words_is(&words, "off"))
        rc = cmd_words_next(&words, err);
    else if (rc == PK_OK && cmd_words_is(&words, "gsi"))
        rc = parse_gsi(&words, &lag, &jitter, err);
    else if (rc == PK_OK)
        rc = pk_fail_at(err, PK_E_USAGE, words.token.span, "expected gsi or off");
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc == PK_OK)
        rc = set_ms(context, "lag.gsi", lag, err);
    if (rc == PK_OK)
        rc = set_ms(context, "lag.gsi_jitter", jitter, err);
    if (rc == PK_E_USAGE)
        cmd_point_at(err, statement->text, pk_slice_skip(statement->text, statement->args));
    if (rc == PK_OK)
        rc = show(context, result, err);
    return rc;
}

const struct cmd_entry cmd_lag_entry = {
    .name = "lag",
    .group = CMD_GROUP_WORLD,
    .usage = "[gsi DURATION [jitter DURATION] | off]",
    .summary = "how long a change takes to reach the global indexes",
    .detail = "  lag gsi 2s               a gsi shows a write two seconds later\n"
              "  lag gsi 500ms jitter 1s  and up to a second more, by chance (set seed)\n"
              "  lag off                  a read of a gsi sees every write that came before it",
    .run = lag_run,
};
