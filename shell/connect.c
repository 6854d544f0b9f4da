/* Changing the backend; see connect.h. */
#include "shell/connect.h"

#include <stdlib.h>

#include "commands/args.h"
#include "commands/traffic_show.h"
#include "shell/client/remote.h"
#include "shell/paths.h"

static char *copy(const char *text)
{
    return text == NULL ? NULL : pk_memdup_cstr(text, strlen(text));
}

void sh_connect_forget(struct sh *sh)
{
    free(sh->asked.endpoint);
    free(sh->asked.region);
    free(sh->asked.profile);
    sh->asked = (struct sh_asked){NULL, NULL, NULL};
}

static void remember(struct sh *sh, const struct sh_aws_request *request)
{
    struct sh_asked asked = {copy(request->endpoint), copy(request->region),
                             copy(request->profile)};

    sh_connect_forget(sh);
    sh->asked = asked;
}

/* The statement that runs is a part of neither backend: what it still needs is in its result. */
static void change(struct sh *sh, struct cmd_backend *remote, struct cmd_backend *backend,
                   struct pk_engine *engine)
{
    struct cmd_backend *before = sh->remote;

    sh->connections++;
    sh->remote = remote;
    cmd_context_connect(&sh->context, backend, engine);
    cmd_backend_free(before);
}

enum pk_code sh_connect(struct sh *sh, const struct sh_aws_request *request, struct pk_error *err)
{
    struct sh_aws_account account;
    struct cmd_backend *remote = NULL;
    enum pk_code rc = sh_aws_resolve(request, sh_aws_environment(), &account, err);

    if (rc == PK_OK)
        rc = sh_remote_open_take(&account, sh->context.progress, &sh->cancel, &remote, err);
    if (rc == PK_OK) {
        remember(sh, request);
        change(sh, remote, remote, NULL);
    }
    return rc;
}

enum pk_code sh_connect_local(struct sh *sh, struct pk_error *err)
{
    enum pk_code rc = sh_open_store(sh, err);

    if (rc == PK_OK) {
        sh_connect_forget(sh);
        change(sh, NULL, sh->backend, sh->engine);
    }
    return rc;
}

void sh_connect_describe(const struct sh *sh, struct pk_buf *out)
{
    if (sh->remote != NULL) {
        pk_buf_add_cstr(out, sh->remote->endpoint);
        if (sh->remote->extensions)
            pk_buf_add_cstr(out, ", another pksk");
    } else if (pk_engine_is_memory(sh->engine)) {
        pk_buf_add_cstr(out, "store in memory, gone at exit");
    } else {
        pk_buf_add_cstr(out, "store ");
        sh_path_short(out, pk_engine_dir(sh->engine));
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

struct target {
    pk_slice url, region, profile; /* NUL-ended in the result's arena, or without data */
    struct pk_span span;           /* of all of it */
    bool local;
};

/* A word after its keyword. */
static enum pk_code take_named(struct cmd_words *words, const char *what, pk_slice *value,
                               struct pk_error *err)
{
    enum pk_code rc;

    if (value->data != NULL)
        return pk_fail_at(err, PK_E_USAGE, words->token.span, "%s is given twice", what);
    rc = cmd_words_next(words, err);
    return rc == PK_OK ? cmd_words_take(words, what, value, err) : rc;
}

static enum pk_code parse(const struct cmd_statement *statement, struct pk_arena *arena,
                          struct target *target, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    target->span = (struct pk_span){(uint32_t)statement->args,
                                    (uint32_t)(statement->text.len - statement->args)};
    if (rc == PK_OK && cmd_words_is(&words, "local")) {
        target->local = true;
        rc = cmd_words_next(&words, err);
    } else if (rc == PK_OK && !cmd_words_at_end(&words) && !cmd_words_is(&words, "region") &&
               !cmd_words_is(&words, "profile")) {
        rc = cmd_words_take(&words, "an endpoint's URL, or local", &target->url, err);
    }
    while (rc == PK_OK && !target->local && !cmd_words_at_end(&words)) {
        if (cmd_words_is(&words, "region"))
            rc = take_named(&words, "a region", &target->region, err);
        else if (cmd_words_is(&words, "profile"))
            rc = take_named(&words, "a profile", &target->profile, err);
        else
            return pk_fail_at(err, PK_E_USAGE, words.token.span, "expected region or profile");
    }
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

static const char *text_of(struct pk_arena *arena, pk_slice word)
{
    return word.data == NULL ? NULL : pk_arena_dup(arena, word).data;
}

static enum pk_code connect_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    struct sh *sh = sh_of(context);
    struct target target = {.local = false};
    struct pk_buf text = PK_BUF_INIT;
    enum pk_code rc = parse(statement, &result->arena, &target, err);
    struct sh_aws_request request;
    size_t stopped;

    if (rc != PK_OK)
        return rc;
    request = (struct sh_aws_request){.endpoint = text_of(&result->arena, target.url),
                                      .region = text_of(&result->arena, target.region),
                                      .profile = text_of(&result->arena, target.profile)};
    stopped = cmd_traffic_running(context);
    if (target.local)
        rc = sh_connect_local(sh, err);
    else if (target.span.len > 0)
        rc = sh_connect(sh, &request, err);
    if (rc != PK_OK) {
        if (err->span.len == 0)
            err->span = target.span;
        return rc;
    }
    if (stopped > 0 && target.span.len > 0)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%zu traffic%s stopped", stopped,
                        stopped == 1 ? " was" : "s were");
    sh_connect_describe(sh, &text);
    cmd_result_text(result, CMD_BLOCK_NOTE, "%s", text.data);
    if (sh->remote != NULL && !sh->remote->extensions)
        cmd_result_text(result, CMD_BLOCK_NOTE,
                        "what looks inside a store (where, collections, check, clock, lag) is not "
                        "to be had there");
    pk_buf_release(&text);
    return PK_OK;
}

static void complete(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    cmd_completion_add(completion, PK_LIT("local"));
    cmd_completion_add(completion, PK_LIT("http://localhost:8000"));
    cmd_completion_add(completion, PK_LIT("region"));
    cmd_completion_add(completion, PK_LIT("profile"));
}

const struct cmd_entry sh_connect_entry = {
    .name = "connect",
    .group = CMD_GROUP_SHELL,
    .usage = "[URL] [region R] [profile P] | local",
    .summary = "send statements to an endpoint, or to the embedded engine again",
    .detail = "  connect http://localhost:8000       another pksk, DynamoDB Local, dynalite\n"
              "  connect profile work                AWS, by a profile of ~/.aws\n"
              "  connect region eu-west-1            AWS, with the credentials of the environment\n"
              "  connect local                       the store of this process\n"
              "Alone it tells where statements go. Credentials, region and endpoint come from the "
              "environment and ~/.aws as for the AWS CLI.",
    .flags = CMD_READONLY | CMD_NO_TXN,
    .complete = complete,
    .run = connect_run,
};
