/*
 * The authentication checks, in the service's order: what is there, the date, Host, the algorithm,
 * the credential, the key id, the signature. The first that fails answers.
 */
#include "shell/server/auth.h"

#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "engine/base/utf8.h"
#include "shell/server/auth_keys.h"
#include "shell/server/auth_sign.h"

enum { SKEW_S = 15 * 60, TIMESTAMP_LEN = 16, DATE_LEN = 8, SIGNATURE_LEN = 64 };

/* What a request says of its signature. data NULL: not there. */
struct claim {
    bool in_query;
    pk_slice algorithm;
    pk_slice credential;
    pk_slice signature;
    pk_slice signed_headers;
    pk_slice timestamp;
    struct sh_auth_scope scope; /* once the credential's shape was checked */
};

struct check {
    const struct sh_auth_keys *keys;
    const struct sh_http_request *request;
    int64_t now_s;
    struct pk_arena *arena;
    struct claim claim;
};

/* Text of a request as a message can hold it: what is no UTF-8 or no visible character is a '?'. */
static const char *shown(struct pk_arena *arena, pk_slice text)
{
    struct pk_buf out = PK_BUF_INIT;
    const char *copy;
    uint32_t point;

    while (text.len > 0) {
        if (!pk_utf8_take(&text, &point)) {
            text = pk_slice_skip(text, 1);
            point = '?';
        }
        pk_utf8_add(&out, point < ' ' || point == 0x7f ? '?' : point);
    }
    copy = pk_arena_dup(arena, out.len == 0 ? PK_LIT("") : pk_buf_slice(&out)).data;
    pk_buf_release(&out);
    return copy;
}

/* ---- what is there --------------------------------------------------------------------------- */

/* The parts that both forms have, by their names in each. */
static const struct part {
    const char *in_header;
    const char *in_query;
    size_t offset;
    bool may_be_empty; /* in the header */
} parts[] = {
    {NULL, "X-Amz-Algorithm", offsetof(struct claim, algorithm), false},
    {"Credential", "X-Amz-Credential", offsetof(struct claim, credential), false},
    {"Signature", "X-Amz-Signature", offsetof(struct claim, signature), false},
    {"SignedHeaders", "X-Amz-SignedHeaders", offsetof(struct claim, signed_headers), true},
    {NULL, "X-Amz-Date", offsetof(struct claim, timestamp), false},
};
enum { PARTS = sizeof(parts) / sizeof(*parts) };

static pk_slice *part_of(struct claim *claim, const struct part *part)
{
    return (pk_slice *)(void *)((char *)claim + part->offset);
}

/* The first parameter of a name wins; one without a value is there, and empty. */
static void read_query(struct check *check)
{
    pk_slice rest = check->request->query;
    pk_slice pair, name;

    while (rest.len > 0 && sh_sign_take(&rest, '&', &pair)) {
        if (!sh_sign_take(&pair, '=', &name))
            continue;
        name = sh_sign_decode(check->arena, name);
        for (size_t i = 0; i < PARTS; i++) {
            pk_slice *value = part_of(&check->claim, &parts[i]);

            if (!pk_slice_is(name, parts[i].in_query) || value->data != NULL)
                continue;
            *value = pair.data == NULL ? PK_LIT("") : sh_sign_decode(check->arena, pair);
        }
    }
}

static enum pk_code need_query_parts(struct check *check, struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < PARTS; i++) {
        if (part_of(&check->claim, &parts[i])->len == 0)
            pk_buf_printf(&text, "AWS query-string parameters must include '%s'. ",
                          parts[i].in_query);
    }
    if (text.len > 0)
        rc = pk_fail(err, PK_E_INCOMPLETE_SIGNATURE, "%sRe-examine the query-string parameters.",
                     text.data);
    pk_buf_release(&text);
    return rc;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

/* The next piece between blanks and commas; empty at the end. */
static pk_slice take_piece(pk_slice *rest)
{
    size_t start = 0, end;
    pk_slice piece;

    while (start < rest->len && is_separator(rest->data[start]))
        start++;
    for (end = start; end < rest->len && !is_separator(rest->data[end]);)
        end++;
    piece = pk_slice_skip(*rest, start);
    piece.len = end - start;
    *rest = pk_slice_skip(*rest, end);
    return piece;
}

static void read_piece(struct claim *claim, pk_slice piece)
{
    pk_slice name;

    if (!sh_sign_take(&piece, '=', &name) || piece.data == NULL)
        return;
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].in_header != NULL && pk_slice_is(name, parts[i].in_header) &&
            (piece.len > 0 || parts[i].may_be_empty))
            *part_of(claim, &parts[i]) = piece;
    }
}

/* "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…" and the date beside it. */
static void read_header(struct check *check, pk_slice authorization)
{
    struct claim *claim = &check->claim;
    pk_slice piece;

    claim->algorithm = take_piece(&authorization);
    while ((piece = take_piece(&authorization)).len > 0)
        read_piece(claim, piece);
    claim->timestamp = sh_http_header(check->request, "x-amz-date");
    if (claim->timestamp.len == 0)
        claim->timestamp = sh_http_header(check->request, "date");
}

static enum pk_code need_header_parts(struct check *check, pk_slice authorization,
                                      struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].in_header != NULL && part_of(&check->claim, &parts[i])->data == NULL)
            pk_buf_printf(&text, "Authorization header requires '%s' parameter. ",
                          parts[i].in_header);
    }
    if (check->claim.timestamp.len == 0)
        pk_buf_add_cstr(&text, "Authorization header requires existence of either a 'X-Amz-Date' "
                               "or a 'Date' header. ");
    if (text.len > 0)
        rc = pk_fail(err, PK_E_INCOMPLETE_SIGNATURE, "%sAuthorization=%s", text.data,
                     shown(check->arena, authorization));
    pk_buf_release(&text);
    return rc;
}

static bool has_query_algorithm(struct check *check)
{
    read_query(check);
    return check->claim.algorithm.data != NULL;
}

/* Reads the claim of either form. */
static enum pk_code read_claim(struct check *check, struct pk_error *err)
{
    pk_slice authorization = sh_http_header(check->request, "authorization");
    bool in_header = authorization.data != NULL;
    bool in_query = has_query_algorithm(check);

    if (in_header && in_query)
        return pk_fail(err, PK_E_INVALID_SIGNATURE,
                       "Found both 'X-Amz-Algorithm' as a query-string param and "
                       "'Authorization' as HTTP header.");
    check->claim.in_query = in_query;
    if (in_query)
        return need_query_parts(check, err);
    if (!in_header || !pk_slice_starts(authorization, PK_LIT("AWS4-")))
        return pk_fail(err, PK_E_MISSING_TOKEN, "Request is missing Authentication Token");
    check->claim = (struct claim){.in_query = false};
    read_header(check, authorization);
    return need_header_parts(check, authorization, err);
}

/* ---- the date -------------------------------------------------------------------------------- */

static bool take_digits(pk_slice *text, size_t count, int *number)
{
    *number = 0;
    if (text->len < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        char c = text->data[i];

        if (c < '0' || c > '9')
            return false;
        *number = *number * 10 + (c - '0');
    }
    *text = pk_slice_skip(*text, count);
    return true;
}

static bool take_letter(pk_slice *text, char letter)
{
    if (text->len == 0 || text->data[0] != letter)
        return false;
    *text = pk_slice_skip(*text, 1);
    return true;
}

/* YYYYMMDDTHHMMSSZ, a day and a time that exist. */
static bool parse_timestamp(pk_slice text, int64_t *seconds)
{
    struct tm tm = {0}, back;
    time_t when;

    if (!take_digits(&text, 4, &tm.tm_year) || !take_digits(&text, 2, &tm.tm_mon) ||
        !take_digits(&text, 2, &tm.tm_mday) || !take_letter(&text, 'T') ||
        !take_digits(&text, 2, &tm.tm_hour) || !take_digits(&text, 2, &tm.tm_min) ||
        !take_digits(&text, 2, &tm.tm_sec) || !take_letter(&text, 'Z') || text.len > 0)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    back = tm;
    when = timegm(&back); /* makes a time that exists of any */
    *seconds = when;
    return back.tm_mon == tm.tm_mon && back.tm_mday == tm.tm_mday && back.tm_hour == tm.tm_hour &&
           back.tm_min == tm.tm_min && back.tm_sec == tm.tm_sec;
}

struct timestamp {
    char text[TIMESTAMP_LEN + 16];
};

static struct timestamp timestamp_of(int64_t seconds)
{
    struct timestamp stamp = {""};
    time_t when = (time_t)seconds;
    struct tm tm;

    if (gmtime_r(&when, &tm) == NULL ||
        strftime(stamp.text, sizeof(stamp.text), "%Y%m%dT%H%M%SZ", &tm) == 0)
        stamp.text[0] = '\0';
    return stamp;
}

static enum pk_code check_age(const struct check *check, int64_t then_s, struct pk_error *err)
{
    struct timestamp then = timestamp_of(then_s);
    struct timestamp now = timestamp_of(check->now_s);

    if (check->now_s - then_s > SKEW_S)
        return pk_fail(err, PK_E_INVALID_SIGNATURE,
                       "Signature expired: %s is now earlier than %s (%s - 15 min.)", then.text,
                       timestamp_of(check->now_s - SKEW_S).text, now.text);
    if (then_s - check->now_s > SKEW_S)
        return pk_fail(err, PK_E_INVALID_SIGNATURE,
                       "Signature not yet current: %s is still later than %s (%s + 15 min.)",
                       then.text, timestamp_of(check->now_s + SKEW_S).text, now.text);
    return PK_OK;
}

static enum pk_code check_date(const struct check *check, struct pk_error *err)
{
    int64_t then_s;

    if (!parse_timestamp(check->claim.timestamp, &then_s))
        return pk_fail(err, PK_E_INCOMPLETE_SIGNATURE,
                       "Date must be in ISO-8601 'basic format'. Got '%s'. "
                       "See http://en.wikipedia.org/wiki/ISO_8601",
                       shown(check->arena, check->claim.timestamp));
    return check->keys == NULL ? PK_OK : check_age(check, then_s, err);
}

/* ---- Host, algorithm, credential ------------------------------------------------------------- */

static enum pk_code check_host(const struct check *check, struct pk_error *err)
{
    pk_slice rest = check->claim.signed_headers;
    pk_slice name;

    while (sh_sign_take(&rest, ';', &name)) {
        if (name.len == 4 && strncasecmp(name.data, "host", 4) == 0)
            return PK_OK;
    }
    return pk_fail(err, PK_E_INVALID_SIGNATURE,
                   "'Host' must be a 'SignedHeader' in the AWS Authorization.");
}

static enum pk_code check_algorithm(const struct check *check, struct pk_error *err)
{
    if (pk_slice_is(check->claim.algorithm, SH_SIGN_ALGORITHM))
        return PK_OK;
    return pk_fail(err, PK_E_INCOMPLETE_SIGNATURE,
                   "Unsupported AWS 'algorithm': '%s' (only AWS4-HMAC-SHA256 for now). ",
                   shown(check->arena, check->claim.algorithm));
}

/* keyid/date/region/service/term; slashes at the end do not count. */
static enum pk_code check_shape(struct check *check, struct pk_error *err)
{
    struct sh_auth_scope *scope = &check->claim.scope;
    pk_slice *elements[] = {&scope->key_id, &scope->date, &scope->region, &scope->service,
                            &scope->terminator};
    pk_slice rest = check->claim.credential;
    pk_slice element;
    size_t count = 0;

    while (rest.len > 0 && rest.data[rest.len - 1] == '/')
        rest.len--;
    while (sh_sign_take(&rest, '/', &element)) {
        if (count < sizeof(elements) / sizeof(*elements))
            *elements[count] = element;
        count++;
    }
    if (count == sizeof(elements) / sizeof(*elements))
        return PK_OK;
    return pk_fail(err, PK_E_INCOMPLETE_SIGNATURE,
                   "Credential must have exactly 5 slash-delimited elements, e.g. "
                   "keyid/date/region/service/term, got '%s'",
                   shown(check->arena, check->claim.credential));
}

/* All that is wrong with it, one after the other. */
static enum pk_code check_scope(const struct check *check, struct pk_error *err)
{
    const struct sh_auth_scope *scope = &check->claim.scope;
    pk_slice day = pk_slice_of(check->claim.timestamp.data, DATE_LEN);
    struct pk_buf text = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    if (scope->region.len == 0)
        pk_buf_add_cstr(&text, "Credential should be scoped to a valid region, not ''. ");
    if (!pk_slice_is(scope->service, SH_SIGN_SERVICE))
        pk_buf_add_cstr(&text, "Credential should be scoped to correct service: 'dynamodb'. ");
    if (!pk_slice_is(scope->terminator, SH_SIGN_TERMINATOR))
        pk_buf_printf(&text,
                      "Credential should be scoped with a valid terminator: 'aws4_request', "
                      "not '%s'. ",
                      shown(check->arena, scope->terminator));
    if (!pk_slice_equal(scope->date, day))
        pk_buf_printf(&text,
                      "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of "
                      "date from HTTP: '%s' != '%.*s', from '%.*s'.",
                      shown(check->arena, scope->date), PK_FMT(day),
                      PK_FMT(check->claim.timestamp));
    if (text.len > 0)
        rc = pk_fail(err, PK_E_INVALID_SIGNATURE, "%s", text.data);
    pk_buf_release(&text);
    return rc;
}

/* ---- key and signature ----------------------------------------------------------------------- */

/* Takes as long wherever the first difference is. */
static bool same_signature(pk_slice given, const char right[SIGNATURE_LEN + 1])
{
    volatile unsigned char difference = 0;

    if (given.len != SIGNATURE_LEN)
        return false;
    for (size_t i = 0; i < SIGNATURE_LEN; i++)
        difference = (unsigned char)(difference | (given.data[i] ^ right[i]));
    return difference == 0;
}

static bool is_right(const struct check *check, const unsigned char key[32])
{
    const struct claim *claim = &check->claim;
    const struct sh_sign_request request = {check->request, claim->signed_headers, claim->in_query};
    const char *scope_start = claim->scope.date.data;
    const char *scope_end = claim->scope.terminator.data + claim->scope.terminator.len;
    struct pk_buf canonical = PK_BUF_INIT;
    char signature[SIGNATURE_LEN + 1];
    bool right = sh_sign_canonical(&request, check->arena, &canonical);

    if (right) {
        sh_sign_signature(key, claim->timestamp,
                          pk_slice_of(scope_start, (size_t)(scope_end - scope_start)),
                          pk_buf_slice(&canonical), signature);
        right = same_signature(claim->signature, signature);
    }
    pk_buf_release(&canonical);
    return right;
}

static enum pk_code check_signature(const struct check *check, struct pk_error *err)
{
    unsigned char key[32];

    if (!sh_auth_keys_signing(check->keys, &check->claim.scope, key))
        return pk_fail(err, PK_E_UNRECOGNIZED_CLIENT,
                       "The security token included in the request is invalid.");
    if (is_right(check, key))
        return PK_OK;
    return pk_fail(err, PK_E_INVALID_SIGNATURE,
                   "The request signature we calculated does not match the signature you "
                   "provided. Check your AWS Secret Access Key and signing method. Consult the "
                   "service documentation for details.");
}

static enum pk_code check_all(struct check *check, struct pk_error *err)
{
    enum pk_code rc = read_claim(check, err);

    if (rc == PK_OK)
        rc = check_date(check, err);
    if (rc == PK_OK)
        rc = check_host(check, err);
    if (rc == PK_OK)
        rc = check_algorithm(check, err);
    if (rc == PK_OK)
        rc = check_shape(check, err);
    if (rc == PK_OK)
        rc = check_scope(check, err);
    if (rc == PK_OK && check->keys != NULL)
        rc = check_signature(check, err);
    return rc;
}

enum pk_code sh_auth_check(const struct sh_auth_keys *keys, const struct sh_http_request *request,
                           int64_t now_ms, struct pk_error *err)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct check check = {
        .keys = keys, .request = request, .now_s = now_ms / 1000, .arena = &arena};
    enum pk_code rc = check_all(&check, err);

    pk_arena_release(&arena);
    return rc;
}
