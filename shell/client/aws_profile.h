/*
 * Where requests go and who signs them: from options, the environment and the files of profiles, in
 * the order of the AWS SDKs.
 *
 *   profile      --profile, AWS_PROFILE, AWS_DEFAULT_PROFILE, "default"
 *   endpoint     --endpoint, AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, the profile's services
 *                section (dynamodb: endpoint_url), its endpoint_url, AWS in the region;
 *                AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true leaves out all but the first and last
 *   region       --region, AWS_REGION, AWS_DEFAULT_REGION, the profile's, the one in the name of a
 *                host of AWS, us-east-1 for an endpoint of somebody else
 *   credentials  AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN (not with
 *                --profile), the profile's; for a local endpoint a pair that stands for none
 *   attempts     AWS_MAX_ATTEMPTS, the profile's max_attempts
 *   CA bundle    AWS_CA_BUNDLE, the profile's ca_bundle
 *
 * The files are those of AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE, else credentials and
 * config in ~/.aws. Roles, SSO and credential processes are not followed: that is an error, which
 * says how to get at their keys.
 */
#ifndef SH_CLIENT_AWS_PROFILE_H
#define SH_CLIENT_AWS_PROFILE_H

#include "shell/client/url.h"

/* What was asked for; each may be NULL. */
struct sh_aws_request {
    const char *endpoint, *region, *profile;
};

/* The environment: a variable's value, NULL when it is not set. */
struct sh_aws_environment {
    const char *(*get)(void *context, const char *name);
    void *context;
};
/* That of the process. */
struct sh_aws_environment sh_aws_environment(void);

struct sh_aws_account {
    struct pk_arena arena; /* holds all of it */
    struct sh_url url;
    const char *streams_url;
    const char *region;
    const char *key_id, *secret;
    const char *token;     /* NULL: none */
    const char *ca_bundle; /* NULL: the system's */
    unsigned attempts;     /* 0: not said */
};

void sh_aws_account_release(struct sh_aws_account *account);
/* PK_E_USAGE says what is missing or malformed, PK_E_IO which file cannot be read; the account is
 * empty then. Secrets stand in no message. */
PK_MUST_CHECK enum pk_code sh_aws_resolve(const struct sh_aws_request *request,
                                          struct sh_aws_environment environment,
                                          struct sh_aws_account *account, struct pk_error *err);

#endif
