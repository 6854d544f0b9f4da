/* The order of precedence; see aws_profile.h. */
#include "shell/client/aws_profile.h"

#include <stdlib.h>
#include <strings.h>

#include "engine/base/buf.h"
#include "shell/client/aws_file.h"

enum { REGION_MAX = 64, SECRET_MAX = 8192, ATTEMPTS_MAX = 100 };

#define REGION_OF_OTHERS "us-east-1"
/* What a local endpoint gets that asks for none, and checks none. */
#define NO_CREDENTIALS "local"

struct lookup {
    struct sh_aws_environment environment;
    const struct sh_aws_request *request;
    struct sh_aws_file config, credentials;
    const char *profile;
    const char *config_section; /* of the profile in the file config; NULL: it has none */
    struct pk_arena *arena;
};

static const char *process_get(void *context, const char *name)
{
    (void)context;
    return getenv(name);
}

struct sh_aws_environment sh_aws_environment(void)
{
    return (struct sh_aws_environment){process_get, NULL};
}

void sh_aws_account_release(struct sh_aws_account *account)
{
    pk_arena_release(&account->arena);
    *account = (struct sh_aws_account){.region = NULL};
}

/* An empty variable counts as none, as it does for the SDKs. */
static const char *variable(const struct lookup *lookup, const char *name)
{
    const char *value = lookup->environment.get(lookup->environment.context, name);

    return value == NULL || value[0] == '\0' ? NULL : value;
}

/* ---- the profile ----------------------------------------------------------------------------- */

static const char *setting(const struct lookup *lookup, const char *name)
{
    const char *value = sh_aws_file_get(&lookup->credentials, lookup->profile, name);

    if (value == NULL && lookup->config_section != NULL)
        value = sh_aws_file_get(&lookup->config, lookup->config_section, name);
    return value;
}

/* Of option, variable and profile the first that says something. */
static const char *first_of(const struct lookup *lookup, const char *option, const char *name,
                            const char *key)
{
    const char *value = option;

    if (value == NULL)
        value = variable(lookup, name);
    return value == NULL ? setting(lookup, key) : value;
}

static enum pk_code load(struct lookup *lookup, struct sh_aws_file *file, const char *name,
                         const char *usual, struct pk_error *err)
{
    const char *path = variable(lookup, name);
    const char *home = variable(lookup, "HOME");

    if (path == NULL && home == NULL)
        return PK_OK;
    if (path == NULL)
        path = pk_arena_printf(lookup->arena, "%s/.aws/%s", home, usual).data;
    else if (path[0] == '~' && path[1] == '/' && home != NULL)
        path = pk_arena_printf(lookup->arena, "%s%s", home, path + 1).data;
    return sh_aws_file_load(file, path, err);
}

static void find_section(struct lookup *lookup)
{
    const char *section = pk_arena_printf(lookup->arena, "profile %s", lookup->profile).data;

    if (sh_aws_file_has(&lookup->config, section))
        lookup->config_section = section;
    else if (strcmp(lookup->profile, "default") == 0 && sh_aws_file_has(&lookup->config, "default"))
        lookup->config_section = "default";
}

static enum pk_code open_profile(struct lookup *lookup, struct pk_error *err)
{
    const char *profile = lookup->request->profile;
    enum pk_code rc = load(lookup, &lookup->config, "AWS_CONFIG_FILE", "config", err);

    if (rc == PK_OK)
        rc = load(lookup, &lookup->credentials, "AWS_SHARED_CREDENTIALS_FILE", "credentials", err);
    if (rc != PK_OK)
        return rc;
    if (profile == NULL)
        profile = variable(lookup, "AWS_PROFILE");
    if (profile == NULL)
        profile = variable(lookup, "AWS_DEFAULT_PROFILE");
    lookup->profile = profile == NULL ? "default" : profile;
    find_section(lookup);
    if (profile == NULL || lookup->config_section != NULL ||
        sh_aws_file_has(&lookup->credentials, profile))
        return PK_OK;
    pk_fail(err, PK_E_USAGE, "there is no profile '%s'", profile);
    pk_error_hint(err, "profiles stand in ~/.aws/config and ~/.aws/credentials");
    return PK_E_USAGE;
}

/* ---- region and endpoint --------------------------------------------------------------------- */

static bool is_region(const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= '0' && text[i] <= '9') ||
              text[i] == '-'))
            return false;
    return len > 0 && len <= REGION_MAX;
}

static enum pk_code find_region(const struct lookup *lookup, struct sh_aws_account *account,
                                struct pk_error *err)
{
    const char *region = lookup->request->region;

    if (region == NULL)
        region = variable(lookup, "AWS_REGION");
    region = first_of(lookup, region, "AWS_DEFAULT_REGION", "region");
    if (region != NULL && !is_region(region))
        return pk_fail(err, PK_E_USAGE, "'%s' is no name of a region", region);
    account->region =
        region == NULL ? NULL : pk_arena_dup(&account->arena, pk_slice_cstr(region)).data;
    return PK_OK;
}

static bool ignores_configured(const struct lookup *lookup)
{
    const char *ignore = first_of(lookup, NULL, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
                                  "ignore_configured_endpoint_urls");

    return ignore != NULL && strcasecmp(ignore, "true") == 0;
}

/* NULL: AWS. */
static const char *configured_endpoint(const struct lookup *lookup)
{
    const char *services = setting(lookup, "services");
    const char *url = NULL;

    if (ignores_configured(lookup))
        return NULL;
    url = variable(lookup, "AWS_ENDPOINT_URL_DYNAMODB");
    if (url == NULL)
        url = variable(lookup, "AWS_ENDPOINT_URL");
    if (url == NULL && services != NULL)
        url = sh_aws_file_get(&lookup->config,
                              pk_arena_printf(lookup->arena, "services %s", services).data,
                              "dynamodb.endpoint_url");
    return url == NULL ? setting(lookup, "endpoint_url") : url;
}

static enum pk_code find_endpoint(const struct lookup *lookup, struct sh_aws_account *account,
                                  struct pk_error *err)
{
    const char *url = lookup->request->endpoint;
    pk_slice region;
    enum pk_code rc;

    if (url == NULL)
        url = configured_endpoint(lookup);
    if (url == NULL && account->region == NULL) {
        pk_fail(err, PK_E_USAGE, "neither an endpoint nor a region is known");
        pk_error_hint(err, "--endpoint http://localhost:8000, or --region eu-west-1 for AWS");
        return PK_E_USAGE;
    }
    if (url == NULL)
        url = sh_url_aws("dynamodb", account->region, lookup->arena);
    rc = sh_url_parse(url, &account->arena, &account->url, err);
    if (rc != PK_OK)
        return rc;
    region = sh_url_region(&account->url);
    if (account->region == NULL && region.len > 0)
        account->region = pk_arena_dup(&account->arena, region).data;
    if (account->region == NULL)
        account->region = REGION_OF_OTHERS;
    account->streams_url = sh_url_streams(&account->url, &account->arena);
    return PK_OK;
}

/* ---- credentials ----------------------------------------------------------------------------- */

struct keys {
    const char *id, *secret, *token;
};

static enum pk_code keys_of_environment(const struct lookup *lookup, struct keys *keys,
                                        struct pk_error *err)
{
    if (lookup->request->profile != NULL)
        return PK_OK;
    keys->id = variable(lookup, "AWS_ACCESS_KEY_ID");
    keys->secret = variable(lookup, "AWS_SECRET_ACCESS_KEY");
    keys->token = variable(lookup, "AWS_SESSION_TOKEN");
    if ((keys->id == NULL) == (keys->secret == NULL))
        return PK_OK;
    return pk_fail(err, PK_E_USAGE, "of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only %s is set",
                   keys->id != NULL ? "the first" : "the second");
}

/* All three come from one file. */
static enum pk_code keys_of_profile(const struct lookup *lookup, struct keys *keys,
                                    struct pk_error *err)
{
    const struct sh_aws_file *file = &lookup->credentials;
    const char *section = lookup->profile;

    if (sh_aws_file_get(file, section, "aws_access_key_id") == NULL &&
        lookup->config_section != NULL) {
        file = &lookup->config;
        section = lookup->config_section;
    }
    keys->id = sh_aws_file_get(file, section, "aws_access_key_id");
    keys->secret = sh_aws_file_get(file, section, "aws_secret_access_key");
    keys->token = sh_aws_file_get(file, section, "aws_session_token");
    if ((keys->id == NULL) == (keys->secret == NULL))
        return PK_OK;
    return pk_fail(err, PK_E_USAGE,
                   "profile '%s' has only one of aws_access_key_id and aws_secret_access_key",
                   lookup->profile);
}

/* The setting by which the profile gets keys from elsewhere; NULL: none. */
static const char *elsewhere(const struct lookup *lookup)
{
    static const char *const names[] = {"role_arn", "sso_session", "sso_start_url",
                                        "credential_process", "web_identity_token_file"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (setting(lookup, names[i]) != NULL)
            return names[i];
    return NULL;
}

static enum pk_code fail_without_keys(const struct lookup *lookup, const char *url,
                                      struct pk_error *err)
{
    const char *how = elsewhere(lookup);

    if (how != NULL) {
        pk_fail(err, PK_E_USAGE, "profile '%s' gets its keys by %s, which pksk does not follow",
                lookup->profile, how);
        pk_error_hint(err,
                      "eval \"$(aws configure export-credentials --profile %s --format env)\" puts "
                      "them into the environment",
                      lookup->profile);
        return PK_E_USAGE;
    }
    pk_fail(err, PK_E_USAGE, "there are no credentials for %s", url);
    pk_error_hint(err, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a --profile");
    return PK_E_USAGE;
}

/* What goes into a header is one word of printable ASCII. */
static bool is_word(const char *text)
{
    size_t len = text == NULL ? 1 : strlen(text);

    for (size_t i = 0; text != NULL && i < len; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return len > 0 && len <= SECRET_MAX;
}

static const char *keep(struct sh_aws_account *account, const char *text)
{
    return text == NULL ? NULL : pk_arena_dup(&account->arena, pk_slice_cstr(text)).data;
}

static enum pk_code find_credentials(const struct lookup *lookup, struct sh_aws_account *account,
                                     struct pk_error *err)
{
    struct keys keys = {NULL, NULL, NULL};
    enum pk_code rc = keys_of_environment(lookup, &keys, err);

    if (rc == PK_OK && keys.id == NULL)
        keys.token = NULL;
    if (rc == PK_OK && keys.id == NULL && elsewhere(lookup) == NULL)
        rc = keys_of_profile(lookup, &keys, err);
    if (rc != PK_OK)
        return rc;
    if (keys.id == NULL && !account->url.local)
        return fail_without_keys(lookup, account->url.text, err);
    if (!is_word(keys.id) || !is_word(keys.secret) || !is_word(keys.token))
        return pk_fail(err, PK_E_USAGE, "the credentials hold blanks or are no ASCII text");
    account->key_id = keep(account, keys.id == NULL ? NO_CREDENTIALS : keys.id);
    account->secret = keep(account, keys.id == NULL ? NO_CREDENTIALS : keys.secret);
    account->token = keep(account, keys.token);
    return PK_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum pk_code find_attempts(const struct lookup *lookup, struct sh_aws_account *account,
                                  struct pk_error *err)
{
    const char *text = first_of(lookup, NULL, "AWS_MAX_ATTEMPTS", "max_attempts");
    unsigned number = 0;

    if (text == NULL)
        return PK_OK;
    for (const char *c = text; *c != '\0' && number <= ATTEMPTS_MAX; c++) {
        if (*c < '0' || *c > '9')
            return pk_fail(err, PK_E_USAGE, "'%s' is no number of attempts", text);
        number = number * 10 + (unsigned)(*c - '0');
    }
    if (number == 0 || number > ATTEMPTS_MAX)
        return pk_fail(err, PK_E_USAGE, "attempts are 1 to %d, not '%s'", ATTEMPTS_MAX, text);
    account->attempts = number;
    return PK_OK;
}

static enum pk_code resolve(struct lookup *lookup, struct sh_aws_account *account,
                            struct pk_error *err)
{
    enum pk_code rc = open_profile(lookup, err);

    if (rc == PK_OK)
        rc = find_region(lookup, account, err);
    if (rc == PK_OK)
        rc = find_endpoint(lookup, account, err);
    if (rc == PK_OK)
        rc = find_credentials(lookup, account, err);
    if (rc == PK_OK)
        rc = find_attempts(lookup, account, err);
    if (rc == PK_OK)
        account->ca_bundle = keep(account, first_of(lookup, NULL, "AWS_CA_BUNDLE", "ca_bundle"));
    return rc;
}

enum pk_code sh_aws_resolve(const struct sh_aws_request *request,
                            struct sh_aws_environment environment, struct sh_aws_account *account,
                            struct pk_error *err)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct lookup lookup = {.environment = environment, .request = request, .arena = &arena};
    enum pk_code rc;

    *account = (struct sh_aws_account){.region = NULL};
    rc = resolve(&lookup, account, err);
    sh_aws_file_release(&lookup.config);
    sh_aws_file_release(&lookup.credentials);
    pk_arena_release(&arena);
    if (rc != PK_OK)
        sh_aws_account_release(account);
    return rc;
}
