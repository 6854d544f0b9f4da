/*
 * Authentication on arbitrary requests and files of keys. The first byte picks: 'k' and the text of
 * a file, else a request as lines: method, path, query, headers "name:value", an empty line, body.
 *
 * Who is accepted with keys is accepted without them; a refusal says why, in UTF-8; and a canonical
 * query is its own canonical form.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "shell/server/auth.h"
#include "shell/server/auth_sign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADERS_MAX = 64 };
#define SIGNED_AT_MS INT64_C(1440938160000) /* what the seeds were signed at */

static void check_refusal(const struct pk_error *err)
{
    if (err->message == NULL || err->message[0] == '\0' ||
        !pk_utf8_valid(pk_slice_cstr(err->message)))
        pk_bug("a refusal without a text: %s", pk_code_name(err->code));
    if (err->code != PK_E_MISSING_TOKEN && err->code != PK_E_INCOMPLETE_SIGNATURE &&
        err->code != PK_E_INVALID_SIGNATURE && err->code != PK_E_UNRECOGNIZED_CLIENT)
        pk_bug("a refusal of another kind: %s", pk_code_name(err->code));
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* NULL when the file is refused. */
static struct sh_auth_keys *load(pk_slice text)
{
    struct pk_error err = PK_ERROR_INIT;
    struct sh_auth_keys *keys = NULL;
    int fd = memfd_create("keys", MFD_CLOEXEC);
    char path[64];

    if (fd < 0 || fchmod(fd, 0600) != 0 || write(fd, text.data, text.len) != (ssize_t)text.len)
        pk_bug("no file of keys");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (sh_auth_keys_load(path, &keys, &err) != PK_OK &&
        (err.code != PK_E_USAGE || !pk_utf8_valid(pk_slice_cstr(err.message))))
        pk_bug("a file of keys fails otherwise: %s: %s", pk_code_name(err.code), err.message);
    pk_error_release(&err);
    close(fd);
    return keys;
}

/* ---- requests -------------------------------------------------------------------------------- */

static pk_slice take_line(pk_slice *text)
{
    pk_slice line;

    return sh_sign_take(text, '\n', &line) ? line : PK_LIT("");
}

static void read_headers(pk_slice *text, struct sh_http_header *headers, size_t *count)
{
    pk_slice line;

    while ((line = take_line(text)).len > 0) {
        struct sh_http_header header;

        if (*count == HEADERS_MAX || !sh_sign_take(&line, ':', &header.name))
            continue;
        header.value = line.data == NULL ? PK_LIT("") : line;
        headers[(*count)++] = header;
    }
}

static void canonical_query(pk_slice query, struct pk_buf *out)
{
    const struct sh_http_request request = {.query = query};
    const struct sh_sign_request sign = {.http = &request, .in_query = true};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf canonical = PK_BUF_INIT;
    pk_slice rest;

    if (!sh_sign_canonical(&sign, &arena, &canonical))
        pk_bug("no header is signed, and one is missed");
    rest = pk_buf_slice(&canonical);
    take_line(&rest);
    take_line(&rest);
    pk_buf_add(out, take_line(&rest));
    pk_buf_release(&canonical);
    pk_arena_release(&arena);
}

static void check_query(pk_slice query)
{
    struct pk_buf once = PK_BUF_INIT, twice = PK_BUF_INIT;

    canonical_query(query, &once);
    canonical_query(pk_buf_slice(&once), &twice);
    if (!pk_slice_equal(pk_buf_slice(&once), pk_buf_slice(&twice)))
        pk_bug("'%s' becomes '%s'", once.data, twice.data);
    pk_buf_release(&once);
    pk_buf_release(&twice);
}

static enum pk_code ask(const struct sh_auth_keys *keys, const struct sh_http_request *request)
{
    struct pk_error err = PK_ERROR_INIT;
    enum pk_code rc = sh_auth_check(keys, request, SIGNED_AT_MS, &err);

    if (rc != PK_OK)
        check_refusal(&err);
    pk_error_release(&err);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sh_auth_keys *keys; /* until the process ends */
    struct sh_http_header headers[HEADERS_MAX];
    struct sh_http_request request = {.headers = headers};
    pk_slice rest = pk_slice_of((const char *)data, size);

    if (keys == NULL)
        keys = load(PK_LIT("AKIDEXAMPLE wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\nlocal x\n"));
    if (pk_slice_starts(rest, PK_LIT("k"))) {
        sh_auth_keys_free(load(pk_slice_skip(rest, 1)));
        return 0;
    }
    rest = pk_slice_skip(rest, 1);
    request.method = take_line(&rest);
    request.path = take_line(&rest);
    request.query = take_line(&rest);
    read_headers(&rest, headers, &request.header_count);
    request.body = rest;
    check_query(request.query);
    if (ask(keys, &request) == PK_OK && ask(NULL, &request) != PK_OK)
        pk_bug("accepted with keys, and not without");
    return 0;
}
