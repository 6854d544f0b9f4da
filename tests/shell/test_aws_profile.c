/* URLs, the files of profiles, and which of them is heard first. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "shell/client/aws_file.h"
#include "shell/client/aws_profile.h"

/* ---- URLs ------------------------------------------------------------------------------------ */

Test(aws_profile, urls)
{
    static const struct {
        const char *text, *url, *host;
        bool local;
        const char *region, *streams; /* NULL: none, the same */
    } rows[] = {
        {"http://localhost:8000", "http://localhost:8000", "localhost", true, NULL, NULL},
        {"localhost:8000", "http://localhost:8000", "localhost", true, NULL, NULL},
        {"HTTP://LocalHost:8000/", "http://localhost:8000", "localhost", true, NULL, NULL},
        {"127.0.0.2", "http://127.0.0.2", "127.0.0.2", true, NULL, NULL},
        {"http://[::1]:80/", "http://[::1]:80", "::1", true, NULL, NULL},
        {"[::ffff:127.0.0.1]:80", "http://[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", true, NULL,
         NULL},
        {"db.localhost", "http://db.localhost", "db.localhost", true, NULL, NULL},
        {"128.0.0.1:1", "https://128.0.0.1:1", "128.0.0.1", false, NULL, NULL},
        {"http://scylla.example:8043/alternator//", "http://scylla.example:8043/alternator",
         "scylla.example", false, NULL, NULL},
        {"localhost.example.com", "https://localhost.example.com", "localhost.example.com", false,
         NULL, NULL},
        {"https://dynamodb.eu-west-1.amazonaws.com", "https://dynamodb.eu-west-1.amazonaws.com",
         "dynamodb.eu-west-1.amazonaws.com", false, "eu-west-1",
         "https://streams.dynamodb.eu-west-1.amazonaws.com"},
        {"https://dynamodb.cn-north-1.amazonaws.com.cn",
         "https://dynamodb.cn-north-1.amazonaws.com.cn", "dynamodb.cn-north-1.amazonaws.com.cn",
         false, "cn-north-1", "https://streams.dynamodb.cn-north-1.amazonaws.com.cn"},
        {"https://dynamodb.amazonaws.com", "https://dynamodb.amazonaws.com",
         "dynamodb.amazonaws.com", false, NULL, NULL},
        {"https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com",
         "https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com",
         "vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com", false, NULL, NULL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct sh_url url = {.text = NULL};
        pk_slice region;

        cr_assert_eq(sh_url_parse(rows[i].text, &arena, &url, &err), PK_OK, "%s", rows[i].text);
        region = sh_url_region(&url);
        cr_expect_str_eq(url.text, rows[i].url);
        cr_expect(pk_slice_is(url.host, rows[i].host), "%s", rows[i].text);
        cr_expect_eq(url.local, rows[i].local, "%s", rows[i].text);
        cr_expect(pk_slice_is(region, rows[i].region == NULL ? "" : rows[i].region), "%s",
                  rows[i].text);
        cr_expect_str_eq(sh_url_streams(&url, &arena),
                         rows[i].streams == NULL ? rows[i].url : rows[i].streams);
        pk_arena_release(&arena);
    }
}

Test(aws_profile, what_is_no_url)
{
    static const char *const rows[] = {
        "",
        "http://",
        "http://:80",
        "http://a:0",
        "http://a:65536",
        "http://a:",
        "http://a:8x",
        "http://u@a",
        "http://u:p@a:80",
        "http://a?x=1",
        "http://a#x",
        "http://a b",
        "http://a\r\nX: y",
        "http://[::1",
        "http://[x]",
        "http://a/\"",
        "ftp://localhost",
        "file:///etc/passwd",
        "http://a/b?c",
        "http://\xC3\xBC",
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct sh_url url;

        cr_expect_eq(sh_url_parse(rows[i], &arena, &url, &err), PK_E_USAGE, "%s", rows[i]);
        cr_expect_not_null(err.message);
        pk_error_release(&err);
        pk_arena_release(&arena);
    }
}

Test(aws_profile, the_endpoints_of_aws)
{
    struct pk_arena arena = PK_ARENA_INIT;

    cr_expect_str_eq(sh_url_aws("dynamodb", "eu-west-1", &arena),
                     "https://dynamodb.eu-west-1.amazonaws.com");
    cr_expect_str_eq(sh_url_aws("streams.dynamodb", "cn-north-1", &arena),
                     "https://streams.dynamodb.cn-north-1.amazonaws.com.cn");
    pk_arena_release(&arena);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void expect_setting(const struct sh_aws_file *file, const char *section, const char *name,
                           const char *value)
{
    const char *found = sh_aws_file_get(file, section, name);

    if (value == NULL)
        cr_expect_null(found, "%s.%s is %s", section, name, found);
    else
        cr_expect_str_eq(found == NULL ? "(none)" : found, value, "%s.%s", section, name);
}

Test(aws_profile, files)
{
    struct sh_aws_file file = {.first = NULL};

    sh_aws_file_parse(&file, PK_LIT("lost = before any section\n"
                                    "# a comment\n"
                                    "[default]\r\n"
                                    "region=eu-west-1\r\n"
                                    "  \n"
                                    "aws_secret_access_key = a=b+c/d#e\n"
                                    "output = json ; why not\n"
                                    "[profile   my dev ]\n"
                                    "region = us-east-1\n"
                                    "region = us-east-2 # the later one\n"
                                    "empty =\n"
                                    "no equals sign\n"
                                    "= no name\n"
                                    "[services 'local']\n"
                                    "dynamodb =\n"
                                    "  endpoint_url = http://localhost:8000\n"
                                    "\tother = 1\n"
                                    "s3 = \n"
                                    "  endpoint_url = http://localhost:9000\n"
                                    "flat = x\n"
                                    "  under = flat is dropped\n"
                                    "[broken\n"
                                    "region = lost\n"
                                    "[default]\n"
                                    "ca_bundle = /ca.pem"));
    expect_setting(&file, "default", "region", "eu-west-1");
    expect_setting(&file, "default", "aws_secret_access_key", "a=b+c/d#e");
    expect_setting(&file, "default", "output", "json");
    expect_setting(&file, "default", "ca_bundle", "/ca.pem");
    expect_setting(&file, "default", "lost", NULL);
    expect_setting(&file, "profile my dev", "region", "us-east-2");
    expect_setting(&file, "profile my dev", "empty", NULL);
    expect_setting(&file, "services local", "dynamodb.endpoint_url", "http://localhost:8000");
    expect_setting(&file, "services local", "dynamodb.other", "1");
    expect_setting(&file, "services local", "s3.endpoint_url", "http://localhost:9000");
    expect_setting(&file, "services local", "flat.under", NULL);
    cr_expect(sh_aws_file_has(&file, "profile my dev"));
    cr_expect_not(sh_aws_file_has(&file, "broken"));
    cr_expect_not(sh_aws_file_has(&file, "profile"));
    sh_aws_file_release(&file);
}

/* ---- precedence ------------------------------------------------------------------------------ */

/* Variables as "NAME=value", NULL-ended. */
static const char *get_variable(void *context, const char *name)
{
    const char *const *variables = context;
    size_t len = strlen(name);

    for (; *variables != NULL; variables++)
        if (strncmp(*variables, name, len) == 0 && (*variables)[len] == '=')
            return *variables + len + 1;
    return NULL;
}

static const char config_text[] = "[default]\n"
                                  "region = eu-north-1\n"
                                  "[profile dev]\n"
                                  "region = eu-west-2\n"
                                  "services = here\n"
                                  "endpoint_url = http://dev.example\n"
                                  "max_attempts = 4\n"
                                  "[services here]\n"
                                  "dynamodb =\n"
                                  "  endpoint_url = http://localhost:7000\n"
                                  "[profile plain]\n"
                                  "aws_access_key_id = PLAINID\n"
                                  "aws_secret_access_key = plainsecret\n"
                                  "aws_session_token = plaintoken\n"
                                  "endpoint_url = http://plain.example/\n"
                                  "ca_bundle = /ca.pem\n"
                                  "[profile deaf]\n"
                                  "region = eu-west-3\n"
                                  "endpoint_url = http://deaf.example\n"
                                  "ignore_configured_endpoint_urls = TRUE\n"
                                  "[profile role]\n"
                                  "role_arn = arn:aws:iam::1:role/x\n"
                                  "aws_access_key_id = IGNORED\n"
                                  "aws_secret_access_key = ignored\n"
                                  "[profile half]\n"
                                  "aws_access_key_id = HALF\n";

static const char credentials_text[] = "[default]\n"
                                       "aws_access_key_id = DEFAULTID\n"
                                       "aws_secret_access_key = defaultsecret\n"
                                       "[dev]\n"
                                       "aws_access_key_id = DEVID\n"
                                       "aws_secret_access_key = devsecret\n"
                                       "[only]\n"
                                       "aws_access_key_id = ONLYID\n"
                                       "aws_secret_access_key = onlysecret\n"
                                       "[bad]\n"
                                       "aws_access_key_id = BAD ID\n"
                                       "aws_secret_access_key = badsecret\n";

struct home {
    char dir[64];
    char config[96], credentials[96], variable[80];
};

static void write_file(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    cr_assert_not_null(stream);
    cr_assert_geq(fputs(text, stream), 0);
    cr_assert_eq(fclose(stream), 0);
}

static void make_home(struct home *home)
{
    char path[96];

    snprintf(home->dir, sizeof(home->dir), "/tmp/pksk-aws-XXXXXX");
    cr_assert_not_null(mkdtemp(home->dir));
    snprintf(path, sizeof(path), "mkdir %s/.aws", home->dir);
    cr_assert_eq(system(path), 0);
    snprintf(home->config, sizeof(home->config), "%s/.aws/config", home->dir);
    snprintf(home->credentials, sizeof(home->credentials), "%s/.aws/credentials", home->dir);
    snprintf(home->variable, sizeof(home->variable), "HOME=%s", home->dir);
    write_file(home->config, config_text);
    write_file(home->credentials, credentials_text);
}

static void remove_home(const struct home *home)
{
    char command[96];

    snprintf(command, sizeof(command), "rm -rf %s", home->dir);
    cr_assert_eq(system(command), 0);
}

enum { VARIABLES = 6 };

struct row {
    struct sh_aws_request request;
    const char *variables[VARIABLES];
    /* "URL region id secret token attempts bundle", or the error's message */
    const char *expected;
};

static void describe(const struct sh_aws_account *account, struct pk_buf *out)
{
    pk_buf_printf(out, "%s %s %s %s %s %u %s", account->url.text, account->region, account->key_id,
                  account->secret, account->token == NULL ? "-" : account->token, account->attempts,
                  account->ca_bundle == NULL ? "-" : account->ca_bundle);
}

static void check_row(const struct home *home, const struct row *row)
{
    const char *variables[VARIABLES + 2] = {home->variable};
    struct sh_aws_account account;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < VARIABLES; i++)
        variables[i + 1] = row->variables[i];
    if (sh_aws_resolve(&row->request, (struct sh_aws_environment){get_variable, variables},
                       &account, &err) == PK_OK)
        describe(&account, &out);
    else
        pk_buf_add_cstr(&out, err.message);
    cr_expect_str_eq(out.data, row->expected);
    sh_aws_account_release(&account);
    pk_error_release(&err);
    pk_buf_release(&out);
}

#define LOCAL "http://localhost:8000"
#define KEYS  "AWS_ACCESS_KEY_ID=ENVID", "AWS_SECRET_ACCESS_KEY=envsecret"

static const struct row rows[] = {
    /* the endpoint */
    {{LOCAL, NULL, NULL}, {NULL}, LOCAL " eu-north-1 DEFAULTID defaultsecret - 0 -"},
    {{LOCAL, NULL, NULL},
     {"AWS_ENDPOINT_URL=http://e.example", "AWS_ENDPOINT_URL_DYNAMODB=http://d.example"},
     LOCAL " eu-north-1 DEFAULTID defaultsecret - 0 -"},
    {{NULL, "eu-west-1", NULL},
     {"AWS_ENDPOINT_URL=http://e.example", "AWS_ENDPOINT_URL_DYNAMODB=http://d.example"},
     "http://d.example eu-west-1 DEFAULTID defaultsecret - 0 -"},
    {{NULL, NULL, "dev"},
     {"AWS_ENDPOINT_URL=http://e.example"},
     "http://e.example eu-west-2 DEVID devsecret - 4 -"},
    {{NULL, NULL, "dev"}, {NULL}, "http://localhost:7000 eu-west-2 DEVID devsecret - 4 -"},
    {{NULL, NULL, "plain"},
     {NULL},
     "http://plain.example us-east-1 PLAINID plainsecret plaintoken 0 /ca.pem"},
    {{NULL, "us-west-2", NULL},
     {NULL},
     "https://dynamodb.us-west-2.amazonaws.com us-west-2 DEFAULTID defaultsecret - 0 -"},
    {{NULL, NULL, "dev"},
     {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true", "AWS_ENDPOINT_URL=http://e.example"},
     "https://dynamodb.eu-west-2.amazonaws.com eu-west-2 DEVID devsecret - 4 -"},
    {{NULL, NULL, "deaf"},
     {KEYS},
     "there are no credentials for https://dynamodb.eu-west-3.amazonaws.com"},
    {{NULL, NULL, NULL},
     {"AWS_PROFILE=deaf", KEYS},
     "https://dynamodb.eu-west-3.amazonaws.com eu-west-3 ENVID envsecret - 0 -"},
    {{NULL, NULL, "only"}, {NULL}, "neither an endpoint nor a region is known"},
    /* the region */
    {{LOCAL, "r-1", NULL},
     {"AWS_REGION=r-2", "AWS_DEFAULT_REGION=r-3"},
     LOCAL " r-1 DEFAULTID defaultsecret - 0 -"},
    {{LOCAL, NULL, NULL},
     {"AWS_REGION=r-2", "AWS_DEFAULT_REGION=r-3"},
     LOCAL " r-2 DEFAULTID defaultsecret - 0 -"},
    {{LOCAL, NULL, NULL}, {"AWS_DEFAULT_REGION=r-3"}, LOCAL " r-3 DEFAULTID defaultsecret - 0 -"},
    {{"https://dynamodb.eu-west-1.amazonaws.com", NULL, "only"},
     {NULL},
     "https://dynamodb.eu-west-1.amazonaws.com eu-west-1 ONLYID onlysecret - 0 -"},
    {{LOCAL, NULL, "only"}, {NULL}, LOCAL " us-east-1 ONLYID onlysecret - 0 -"},
    {{LOCAL, "a b", NULL}, {NULL}, "'a b' is no name of a region"},
    {{LOCAL, "x/y", NULL}, {NULL}, "'x/y' is no name of a region"},
    /* credentials */
    {{LOCAL, NULL, NULL},
     {KEYS, "AWS_SESSION_TOKEN=envtoken"},
     LOCAL " eu-north-1 ENVID envsecret envtoken 0 -"},
    {{LOCAL, NULL, "only"},
     {KEYS, "AWS_SESSION_TOKEN=envtoken"},
     LOCAL " us-east-1 ONLYID onlysecret - 0 -"},
    {{LOCAL, NULL, NULL}, {KEYS, "AWS_PROFILE=only"}, LOCAL " us-east-1 ENVID envsecret - 0 -"},
    {{LOCAL, NULL, NULL},
     {"AWS_SESSION_TOKEN=envtoken"},
     LOCAL " eu-north-1 DEFAULTID defaultsecret - 0 -"},
    {{LOCAL, NULL, NULL}, {"AWS_PROFILE=only"}, LOCAL " us-east-1 ONLYID onlysecret - 0 -"},
    {{LOCAL, NULL, NULL},
     {"AWS_DEFAULT_PROFILE=only", "AWS_PROFILE="},
     LOCAL " us-east-1 ONLYID onlysecret - 0 -"},
    {{LOCAL, NULL, NULL},
     {"AWS_ACCESS_KEY_ID=ENVID"},
     "of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only the first is set"},
    {{LOCAL, NULL, "half"},
     {NULL},
     "profile 'half' has only one of aws_access_key_id and aws_secret_access_key"},
    {{LOCAL, NULL, "bad"}, {NULL}, "the credentials hold blanks or are no ASCII text"},
    {{LOCAL, NULL, "nobody"}, {NULL}, "there is no profile 'nobody'"},
    {{LOCAL, NULL, NULL}, {"AWS_PROFILE=nobody"}, "there is no profile 'nobody'"},
    {{"http://far.example", NULL, "role"},
     {NULL},
     "profile 'role' gets its keys by role_arn, which pksk does not follow"},
    {{LOCAL, NULL, "role"}, {NULL}, LOCAL " us-east-1 local local - 0 -"},
    /* the files' places */
    {{LOCAL, NULL, NULL},
     {"AWS_SHARED_CREDENTIALS_FILE=/nowhere", "AWS_CONFIG_FILE=~/nowhere"},
     LOCAL " us-east-1 local local - 0 -"},
    {{"http://far.example", NULL, NULL},
     {"AWS_SHARED_CREDENTIALS_FILE=/nowhere"},
     "there are no credentials for http://far.example"},
    {{LOCAL, NULL, NULL}, {"AWS_CONFIG_FILE=/"}, "cannot read '/'"},
    /* attempts and the bundle */
    {{LOCAL, NULL, "dev"},
     {"AWS_MAX_ATTEMPTS=2", "AWS_CA_BUNDLE=/b.pem"},
     LOCAL " eu-west-2 DEVID devsecret - 2 /b.pem"},
    {{LOCAL, NULL, NULL}, {"AWS_MAX_ATTEMPTS=0"}, "attempts are 1 to 100, not '0'"},
    {{LOCAL, NULL, NULL}, {"AWS_MAX_ATTEMPTS=many"}, "'many' is no number of attempts"},
};

Test(aws_profile, precedence)
{
    struct home home;

    make_home(&home);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(&home, &rows[i]);
    remove_home(&home);
}
