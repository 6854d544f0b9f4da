/*
 * Who may ask: the checks of form with their texts, the file of keys, and signatures against
 * tests/vectors/sigv4.jsonl, which botocore computed (tests/support/sigv4_oracle.py).
 */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "engine/base/base64.h"
#include "shell/server/auth.h"
#include "tests/support/temp_dir.h"

TestSuite(auth);

enum { HEADERS_MAX = 16 };

#define KEYS_TEXT                                                                                  \
    "# two keys\n\nAKIDEXAMPLE wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\r\n  local \t x  \n"

/* ---- keys ------------------------------------------------------------------------------------ */

static void write_file(const char *path, pk_slice text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text.data, 1, text.len, file), text.len);
    fclose(file);
    cr_assert_eq(chmod(path, mode), 0);
}

static struct sh_auth_keys *load_keys(void)
{
    struct pk_error err = PK_ERROR_INIT;
    struct sh_auth_keys *keys = NULL;
    struct temp_dir dir;
    char path[96];

    temp_dir_make(&dir);
    snprintf(path, sizeof(path), "%s/keys", dir.path);
    write_file(path, PK_LIT(KEYS_TEXT), 0640);
    cr_assert_eq(sh_auth_keys_load(path, &keys, &err), PK_OK, "%s", err.message);
    temp_dir_remove(&dir);
    return keys;
}

static void expect_refused(const char *path, const char *message)
{
    struct pk_error err = PK_ERROR_INIT;
    struct sh_auth_keys *keys = NULL;

    cr_expect_eq(sh_auth_keys_load(path, &keys, &err), PK_E_USAGE);
    cr_expect_str_eq(err.message, message, "%s", err.message);
    cr_expect_null(keys);
    pk_error_release(&err);
}

Test(auth, files_of_keys_that_are_refused)
{
    static const struct {
        const char *text;
        const char *fault; /* after the path */
    } cases[] = {
        {"", " has no key: expected lines of 'KEYID SECRET'"},
        {"# a b\n \n", " has no key: expected lines of 'KEYID SECRET'"},
        {"a b\nsecret\n", " line 2: expected 'KEYID SECRET'"},
        {"a b c\n", " line 1: expected 'KEYID SECRET'"},
        {"\n\na b\r\na c", " line 4: the key id is there twice"},
        {"a/b c", " line 1: the key id has a character that no key id has"},
        {"a,b c", " line 1: the key id has a character that no key id has"},
        {"\303\244 c", " line 1: the key id has a character that no key id has"},
    };
    struct temp_dir dir;
    char path[96], message[256];

    temp_dir_make(&dir);
    snprintf(path, sizeof(path), "%s/keys", dir.path);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        write_file(path, pk_slice_cstr(cases[i].text), 0600);
        snprintf(message, sizeof(message), "'%s'%s", path, cases[i].fault);
        expect_refused(path, message);
    }
    write_file(path, PK_LIT("a b\0c"), 0600);
    snprintf(message, sizeof(message), "'%s' line 1: a NUL byte in the secret", path);
    expect_refused(path, message);
    temp_dir_remove(&dir);
}

Test(auth, files_of_keys_that_are_open_or_absent)
{
    static const mode_t modes[] = {0644, 0602, 0606};
    struct pk_error err = PK_ERROR_INIT;
    struct sh_auth_keys *keys = NULL;
    struct temp_dir dir;
    char path[96], message[256];

    temp_dir_make(&dir);
    snprintf(path, sizeof(path), "%s/keys", dir.path);
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        write_file(path, PK_LIT("a b\n"), modes[i]);
        snprintf(message, sizeof(message),
                 "'%s' holds secrets and is open to others: chmod o-rw '%s'", path, path);
        expect_refused(path, message);
    }
    temp_dir_remove(&dir);
    cr_expect_eq(sh_auth_keys_load(path, &keys, &err), PK_E_IO);
    snprintf(message, sizeof(message), "cannot read '%s': No such file or directory", path);
    cr_expect_str_eq(err.message, message, "%s", err.message);
    cr_expect_null(keys);
    pk_error_release(&err);
    sh_auth_keys_free(NULL);
}

Test(auth, a_file_that_does_not_end)
{
    struct pk_error err = PK_ERROR_INIT;
    struct sh_auth_keys *keys = NULL;
    struct temp_dir dir;
    char path[96];
    char *text = pk_malloc(2 << 20);

    memset(text, '#', 2 << 20);
    temp_dir_make(&dir);
    snprintf(path, sizeof(path), "%s/keys", dir.path);
    write_file(path, pk_slice_of(text, 2 << 20), 0600);
    cr_expect_eq(sh_auth_keys_load(path, &keys, &err), PK_E_USAGE);
    cr_expect_not_null(strstr(err.message, "is too large for a file of keys"), "%s", err.message);
    pk_error_release(&err);
    temp_dir_remove(&dir);
    free(text);
}

/* ---- form ------------------------------------------------------------------------------------ */

#define SCOPE "20130609/us-east-1/dynamodb/aws4_request"
#define GOOD  "AWS4-HMAC-SHA256 Credential=a/" SCOPE ",SignedHeaders=host,Signature=b"
#define NOW   "20130609T095204Z"
#define QUERY                                                                                      \
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2F20130609%2Fus-east-1%2Fdynamodb%2F"     \
    "aws4_request&X-Amz-Date=" NOW "&X-Amz-SignedHeaders=host&X-Amz-Signature=b"
#define NEED_HEADER(name) "Authorization header requires '" name "' parameter. "
#define NEED_DATE                                                                                  \
    "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
#define NEED_QUERY(name) "AWS query-string parameters must include '" name "'. "
#define REEXAMINE        "Re-examine the query-string parameters."
#define BOTH                                                                                       \
    "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
#define MISSING "Request is missing Authentication Token"
#define BAD_DATE(text)                                                                             \
    "Date must be in ISO-8601 'basic format'. Got '" text                                          \
    "'. See http://en.wikipedia.org/wiki/ISO_8601"
#define HOST_UNSIGNED   "'Host' must be a 'SignedHeader' in the AWS Authorization."
#define ALGORITHM(text) "Unsupported AWS 'algorithm': '" text "' (only AWS4-HMAC-SHA256 for now). "
#define SHAPE(text)                                                                                \
    "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/"     \
    "term, got '" text "'"
#define HEADER_OF(credential)                                                                      \
    "AWS4-HMAC-SHA256 Credential=" credential ", SignedHeaders=host;x-amz-date, Signature=b"

struct form_case {
    const char *authorization;
    const char *query;
    const char *date; /* X-Amz-Date */
    enum pk_code code;
    const char *message;
};

static const struct form_case form_cases[] = {
    {GOOD, "", NOW, PK_OK, NULL},
    {NULL, QUERY, NULL, PK_OK, NULL},
    /* neither, both */
    {NULL, "", NOW, PK_E_MISSING_TOKEN, MISSING},
    {"AWS4", "", NOW, PK_E_MISSING_TOKEN, MISSING},
    {"", "", NOW, PK_E_MISSING_TOKEN, MISSING},
    {"Basic eDp5", "", NOW, PK_E_MISSING_TOKEN, MISSING},
    {"X", "X-Amz-Algorith", NOW, PK_E_MISSING_TOKEN, MISSING},
    {NULL, "X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d", NULL,
     PK_E_MISSING_TOKEN, MISSING},
    {"X", "X-Amz-Algorithm", NOW, PK_E_INVALID_SIGNATURE, BOTH},
    {GOOD, QUERY, NOW, PK_E_INVALID_SIGNATURE, BOTH},
    /* parts missing */
    {"AWS4-", "", NULL, PK_E_INCOMPLETE_SIGNATURE,
     NEED_HEADER("Credential") NEED_HEADER("Signature") NEED_HEADER("SignedHeaders") NEED_DATE
     "Authorization=AWS4-"},
    {"AWS4- Signature=b Credential=a", "", "a", PK_E_INCOMPLETE_SIGNATURE,
     NEED_HEADER("SignedHeaders") "Authorization=AWS4- Signature=b Credential=a"},
    {"AWS4- Signature=b,Credential=a", "", "a", PK_E_INCOMPLETE_SIGNATURE,
     NEED_HEADER("SignedHeaders") "Authorization=AWS4- Signature=b,Credential=a"},
    {"AWS4- Signature=b, Credential=a", "", "a", PK_E_INCOMPLETE_SIGNATURE,
     NEED_HEADER("SignedHeaders") "Authorization=AWS4- Signature=b, Credential=a"},
    {"AWS4- Signature=, Credential, SignedHeaders=", "", "a", PK_E_INCOMPLETE_SIGNATURE,
     NEED_HEADER("Credential")
         NEED_HEADER("Signature") "Authorization=AWS4- Signature=, Credential, SignedHeaders="},
    {GOOD, "", NULL, PK_E_INCOMPLETE_SIGNATURE, NEED_DATE "Authorization=" GOOD},
    {GOOD, "", "", PK_E_INCOMPLETE_SIGNATURE, NEED_DATE "Authorization=" GOOD},
    {NULL, "X-Amz-Algorithm", NULL, PK_E_INCOMPLETE_SIGNATURE,
     NEED_QUERY("X-Amz-Algorithm") NEED_QUERY("X-Amz-Credential") NEED_QUERY("X-Amz-Signature")
         NEED_QUERY("X-Amz-SignedHeaders") NEED_QUERY("X-Amz-Date") REEXAMINE},
    {NULL, "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d", NULL,
     PK_E_INCOMPLETE_SIGNATURE, NEED_QUERY("X-Amz-SignedHeaders") REEXAMINE},
    {NULL, "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-SignedHeaders=d", NOW,
     PK_E_INCOMPLETE_SIGNATURE, NEED_QUERY("X-Amz-Date") REEXAMINE},
    /* the date */
    {GOOD, "", "201", PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("201")},
    {GOOD, "", "20130609T095204", PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("20130609T095204")},
    {GOOD, "", "20130609T095204Z0", PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("20130609T095204Z0")},
    {GOOD, "", "20130631T095204Z", PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("20130631T095204Z")},
    {GOOD, "", "20130229T095204Z", PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("20130229T095204Z")},
    {GOOD, "", "20130609T240000Z", PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("20130609T240000Z")},
    {GOOD, "", "20130009T095204Z", PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("20130009T095204Z")},
    {GOOD, "", "Sun, 09 Jun 2013 09:52:04 GMT", PK_E_INCOMPLETE_SIGNATURE,
     BAD_DATE("Sun, 09 Jun 2013 09:52:04 GMT")},
    {GOOD, "", "2013\377\303\244\"\001", PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("2013?\303\244\"?")},
    {NULL,
     "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-SignedHeaders=d&"
     "X-Amz-Date=%00%C3%A4+x%2",
     NULL, PK_E_INCOMPLETE_SIGNATURE, BAD_DATE("?\303\244 x%2")},
    /* Host, algorithm */
    {"AWS4-X Credential=a,SignedHeaders=,Signature=b", "", NOW, PK_E_INVALID_SIGNATURE,
     HOST_UNSIGNED},
    {"AWS4-X Credential=a,SignedHeaders=hostx;x,Signature=b", "", NOW, PK_E_INVALID_SIGNATURE,
     HOST_UNSIGNED},
    {"AWS4-HMAC-SHA25 Credential=a,SignedHeaders=x;HoSt,Signature=b", "", NOW,
     PK_E_INCOMPLETE_SIGNATURE, ALGORITHM("AWS4-HMAC-SHA25")},
    {NULL,
     "X-Amz-Algorithm=AWS4-X&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-SignedHeaders=host&"
     "X-Amz-Date=" NOW,
     NULL, PK_E_INCOMPLETE_SIGNATURE, ALGORITHM("AWS4-X")},
    /* the credential */
    {HEADER_OF("a/b/c/d"), "", NOW, PK_E_INCOMPLETE_SIGNATURE, SHAPE("a/b/c/d")},
    {HEADER_OF("a"), "", NOW, PK_E_INCOMPLETE_SIGNATURE, SHAPE("a")},
    {HEADER_OF("/"), "", NOW, PK_E_INCOMPLETE_SIGNATURE, SHAPE("/")},
    {HEADER_OF("x/a/" SCOPE), "", NOW, PK_E_INCOMPLETE_SIGNATURE, SHAPE("x/a/" SCOPE)},
    {HEADER_OF("a/b/c//"), "", NOW, PK_E_INCOMPLETE_SIGNATURE, SHAPE("a/b/c//")},
    {HEADER_OF("a/" SCOPE "//"), "", NOW, PK_OK, NULL},
    {HEADER_OF("a/20130609/anywhere/dynamodb/aws4_request"), "", NOW, PK_OK, NULL},
    {HEADER_OF("a/b//d/e"), "", NOW, PK_E_INVALID_SIGNATURE,
     "Credential should be scoped to a valid region, not ''. "
     "Credential should be scoped to correct service: 'dynamodb'. "
     "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "
     "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
     "'b' != '20130609', from '20130609T095204Z'."},
    {HEADER_OF("a/20130609/c/DynamoDB/aws4_request"), "", NOW, PK_E_INVALID_SIGNATURE,
     "Credential should be scoped to correct service: 'dynamodb'. "},
    {HEADER_OF("a/20130608/c/dynamodb/aws4_request"), "", NOW, PK_E_INVALID_SIGNATURE,
     "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
     "'20130608' != '20130609', from '20130609T095204Z'."},
};

static void add_header(struct sh_http_request *request, struct sh_http_header *headers,
                       const char *name, const char *value)
{
    if (value == NULL)
        return;
    headers[request->header_count++] =
        (struct sh_http_header){pk_slice_cstr(name), pk_slice_cstr(value)};
}

static void expect_answer(const char *name, enum pk_code rc, const struct pk_error *err,
                          enum pk_code code, const char *message)
{
    cr_expect_eq(rc, code, "%s: %s, not %s: %s", name, pk_code_name(rc), pk_code_name(code),
                 err->message == NULL ? "" : err->message);
    if (message == NULL || err->message == NULL)
        cr_expect(message == NULL && err->message == NULL, "%s", name);
    else
        cr_expect_str_eq(err->message, message, "%s:\n%s\n%s", name, err->message, message);
}

static void run_form(const struct sh_auth_keys *keys, const struct form_case *row, int64_t now_ms,
                     enum pk_code code, const char *message)
{
    struct sh_http_header headers[HEADERS_MAX];
    struct sh_http_request request = {.method = PK_LIT("POST"),
                                      .path = PK_LIT("/"),
                                      .query = pk_slice_cstr(row->query),
                                      .headers = headers,
                                      .body = PK_LIT("{}")};
    struct pk_error err = PK_ERROR_INIT;
    char name[32];

    add_header(&request, headers, "Host", "localhost:8000");
    add_header(&request, headers, "authorization", row->authorization);
    add_header(&request, headers, "x-amz-DATE", row->date);
    snprintf(name, sizeof(name), "form case %d", (int)(row - form_cases));
    expect_answer(name, sh_auth_check(keys, &request, now_ms, &err), &err, code, message);
    pk_error_release(&err);
}

/* The clock of half a century later: without keys it does not matter. */
Test(auth, form_without_keys)
{
    for (size_t i = 0; i < sizeof(form_cases) / sizeof(*form_cases); i++)
        run_form(NULL, &form_cases[i], INT64_C(3000000000000), form_cases[i].code,
                 form_cases[i].message);
}

/* With keys the same faults come first; that the file has no such key comes after them. */
Test(auth, form_with_keys)
{
    static const int64_t then = INT64_C(1370771524000); /* NOW */
    struct sh_auth_keys *keys = load_keys();

    for (size_t i = 0; i < sizeof(form_cases) / sizeof(*form_cases); i++) {
        if (form_cases[i].code == PK_OK)
            run_form(keys, &form_cases[i], then, PK_E_UNRECOGNIZED_CLIENT,
                     "The security token included in the request is invalid.");
        else
            run_form(keys, &form_cases[i], then, form_cases[i].code, form_cases[i].message);
    }
    sh_auth_keys_free(keys);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(node) ? node->valuestring : NULL;
}

static struct sh_http_request read_request(const cJSON *row, struct pk_arena *arena,
                                           struct sh_http_header *headers)
{
    struct sh_http_request request = {.method = pk_slice_cstr(text_of(row, "method")),
                                      .path = pk_slice_cstr(text_of(row, "path")),
                                      .query = pk_slice_cstr(text_of(row, "query")),
                                      .headers = headers};
    const cJSON *header;

    cJSON_ArrayForEach(header, cJSON_GetObjectItemCaseSensitive(row, "headers"))
    {
        cr_assert_lt(request.header_count, HEADERS_MAX);
        add_header(&request, headers, header->child->valuestring, header->child->next->valuestring);
    }
    cr_assert_eq(pk_base64_decode(arena, pk_slice_cstr(text_of(row, "body64")), &request.body),
                 PK_BASE64_OK);
    return request;
}

static enum pk_code code_named(const char *name)
{
    static const enum pk_code codes[] = {PK_E_MISSING_TOKEN, PK_E_INCOMPLETE_SIGNATURE,
                                         PK_E_INVALID_SIGNATURE, PK_E_UNRECOGNIZED_CLIENT};

    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        if (strcmp(pk_code_name(codes[i]), name) == 0)
            return codes[i];
    }
    return PK_OK;
}

static void run_row(const struct sh_auth_keys *keys, const cJSON *row)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct sh_http_header headers[HEADERS_MAX];
    struct sh_http_request request = read_request(row, &arena, headers);
    struct pk_error err = PK_ERROR_INIT;
    int64_t now_ms = (int64_t)cJSON_GetObjectItemCaseSensitive(row, "now_ms")->valuedouble;

    expect_answer(text_of(row, "name"), sh_auth_check(keys, &request, now_ms, &err), &err,
                  code_named(text_of(row, "expect")), text_of(row, "message"));
    pk_error_release(&err);
    cr_expect_eq(sh_auth_check(NULL, &request, now_ms, &err), PK_OK, "without keys, %s: %s",
                 text_of(row, "name"), err.message);
    pk_error_release(&err);
    pk_arena_release(&arena);
}

/* Each row twice: the second time the signing key is at hand. */
static unsigned run_rows(const struct sh_auth_keys *keys)
{
    FILE *file = fopen("tests/vectors/sigv4.jsonl", "r");
    char *line = NULL;
    size_t room = 0;
    unsigned count = 0;

    cr_assert_not_null(file);
    for (; getline(&line, &room, file) > 0; count++) {
        cJSON *row = cJSON_Parse(line);

        cr_assert_not_null(row, "line %u", count + 1);
        run_row(keys, row);
        run_row(keys, row);
        cJSON_Delete(row);
    }
    free(line);
    fclose(file);
    return count;
}

Test(auth, signatures_as_botocore_makes_them)
{
    struct sh_auth_keys *keys = load_keys();

    cr_expect_eq(run_rows(keys), 81);
    sh_auth_keys_free(keys);
}

static void *run_rows_thread(void *keys)
{
    run_rows(keys);
    return NULL;
}

Test(auth, threads_share_the_keys)
{
    struct sh_auth_keys *keys = load_keys();
    pthread_t threads[4];

    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, run_rows_thread, keys), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    sh_auth_keys_free(keys);
}
