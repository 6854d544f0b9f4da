/* The steps of a signature, as AWS documents them for all services but S3. */
#include "shell/server/auth_sign.h"

#include <stdlib.h>
#include <strings.h>

#include "engine/base/hash.h"

enum { HASH_LEN = 32, HEX_LEN = 64 };

static const char hex_digits[] = "0123456789abcdef";

static void to_hex(const unsigned char bytes[HASH_LEN], char hex[HEX_LEN + 1])
{
    for (int i = 0; i < HASH_LEN; i++) {
        hex[2 * i] = hex_digits[bytes[i] >> 4];
        hex[2 * i + 1] = hex_digits[bytes[i] & 15];
    }
    hex[HEX_LEN] = '\0';
}

static void hash_hex(pk_slice bytes, char hex[HEX_LEN + 1])
{
    unsigned char hash[HASH_LEN];

    pk_hash_sha256(bytes, hash);
    to_hex(hash, hex);
}

bool sh_sign_take(pk_slice *rest, char separator, pk_slice *part)
{
    const char *end;

    if (rest->data == NULL)
        return false;
    end = memchr(rest->data, separator, rest->len);
    if (end == NULL) {
        *part = *rest;
        *rest = (pk_slice){NULL, 0};
    } else {
        *part = pk_slice_of(rest->data, (size_t)(end - rest->data));
        *rest = pk_slice_skip(*rest, part->len + 1);
    }
    return true;
}

/* ---- percent signs --------------------------------------------------------------------------- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

pk_slice sh_sign_decode(struct pk_arena *arena, pk_slice text)
{
    char *out;
    size_t len = 0;

    if (text.len == 0 ||
        (memchr(text.data, '%', text.len) == NULL && memchr(text.data, '+', text.len) == NULL))
        return text;
    out = pk_arena_alloc(arena, text.len);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (c == '%' && i + 2 < text.len && hex_value(text.data[i + 1]) >= 0 &&
            hex_value(text.data[i + 2]) >= 0) {
            c = (char)(hex_value(text.data[i + 1]) << 4 | hex_value(text.data[i + 2]));
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        out[len++] = c;
    }
    return pk_slice_of(out, len);
}

static bool is_unreserved(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

static void add_encoded(struct pk_buf *out, pk_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (is_unreserved(text.data[i]))
            pk_buf_add_byte(out, c);
        else
            pk_buf_printf(out, "%%%02X", (unsigned)c);
    }
}

static pk_slice encoded(struct pk_arena *arena, pk_slice text)
{
    struct pk_buf buf = PK_BUF_INIT;
    pk_slice kept;

    add_encoded(&buf, sh_sign_decode(arena, text));
    kept = buf.len == 0 ? PK_LIT("") : pk_arena_dup(arena, pk_buf_slice(&buf));
    pk_buf_release(&buf);
    return kept;
}

/* ---- path and query -------------------------------------------------------------------------- */

static void cut_segment(struct pk_buf *out, size_t root)
{
    while (out->len > root && out->data[out->len - 1] != '/')
        out->len--;
    if (out->len > root)
        out->len--;
    if (out->data != NULL)
        out->data[out->len] = '\0';
}

static void add_path(struct pk_buf *out, pk_slice path)
{
    bool open = path.len > 0 && path.data[path.len - 1] == '/';
    size_t root = out->len;
    pk_slice segment;

    while (sh_sign_take(&path, '/', &segment)) {
        if (segment.len == 0 || pk_slice_is(segment, "."))
            continue;
        if (pk_slice_is(segment, "..")) {
            cut_segment(out, root);
            continue;
        }
        pk_buf_add_byte(out, '/');
        add_encoded(out, segment);
    }
    if (open || out->len == root)
        pk_buf_add_byte(out, '/');
}

struct parameter {
    pk_slice name; /* both encoded */
    pk_slice value;
};

static int parameter_order(const void *a, const void *b)
{
    const struct parameter *left = a;
    const struct parameter *right = b;
    int order = pk_slice_compare(left->name, right->name);

    return order != 0 ? order : pk_slice_compare(left->value, right->value);
}

/* Fills `all` with the query's parameters, sorted; how many. */
static size_t read_parameters(const struct sh_sign_request *request, struct pk_arena *arena,
                              struct parameter *all)
{
    pk_slice rest = request->http->query;
    pk_slice pair, name;
    size_t count = 0;

    while (sh_sign_take(&rest, '&', &pair)) {
        if (pair.len == 0)
            continue;
        sh_sign_take(&pair, '=', &name);
        name = encoded(arena, name);
        if (request->in_query && pk_slice_is(name, "X-Amz-Signature"))
            continue;
        all[count].name = name;
        all[count].value = encoded(arena, pair);
        count++;
    }
    if (count > 1)
        qsort(all, count, sizeof(*all), parameter_order);
    return count;
}

static void add_query(struct pk_buf *out, const struct sh_sign_request *request,
                      struct pk_arena *arena)
{
    pk_slice query = request->http->query;
    size_t most = 1;
    struct parameter *all;
    size_t count;

    if (query.len == 0)
        return;
    for (size_t i = 0; i < query.len; i++)
        most += query.data[i] == '&';
    all = PK_NEW_ARRAY(arena, struct parameter, most);
    count = read_parameters(request, arena, all);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            pk_buf_add_byte(out, '&');
        pk_buf_add(out, all[i].name);
        pk_buf_add_byte(out, '=');
        pk_buf_add(out, all[i].value);
    }
}

/* ---- headers --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void add_collapsed(struct pk_buf *out, pk_slice value)
{
    size_t start = out->len;
    bool blank = false;

    for (size_t i = 0; i < value.len; i++) {
        if (is_blank(value.data[i])) {
            blank = true;
            continue;
        }
        if (blank && out->len > start)
            pk_buf_add_byte(out, ' ');
        blank = false;
        pk_buf_add_byte(out, (unsigned char)value.data[i]);
    }
}

static bool same_name(pk_slice a, pk_slice b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp(a.data, b.data, a.len) == 0);
}

static void add_lower(struct pk_buf *out, pk_slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        pk_buf_add_byte(out, (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
}

static bool add_header(struct pk_buf *out, const struct sh_http_request *http, pk_slice name)
{
    bool found = false;

    add_lower(out, name);
    pk_buf_add_byte(out, ':');
    for (size_t i = 0; i < http->header_count; i++) {
        if (!same_name(http->headers[i].name, name))
            continue;
        if (found)
            pk_buf_add_byte(out, ',');
        found = true;
        add_collapsed(out, http->headers[i].value);
    }
    pk_buf_add_byte(out, '\n');
    return found;
}

/* A name listed again and again would make the work quadratic; no honest list is longer than the
 * headers there are. */
static bool add_headers(struct pk_buf *out, const struct sh_sign_request *request)
{
    pk_slice rest = request->signed_headers;
    pk_slice name;

    for (size_t count = 0; sh_sign_take(&rest, ';', &name); count++) {
        if (count == request->http->header_count || !add_header(out, request->http, name))
            return false;
    }
    return true;
}

/* ---- the steps ------------------------------------------------------------------------------- */

static bool is_signed(const struct sh_sign_request *request, const char *header)
{
    pk_slice rest = request->signed_headers;
    pk_slice name;

    while (sh_sign_take(&rest, ';', &name)) {
        if (same_name(name, pk_slice_cstr(header)))
            return true;
    }
    return false;
}

bool sh_sign_canonical(const struct sh_sign_request *request, struct pk_arena *arena,
                       struct pk_buf *out)
{
    char body_hash[HEX_LEN + 1];

    pk_buf_add(out, request->http->method);
    pk_buf_add_byte(out, '\n');
    add_path(out, request->http->path);
    pk_buf_add_byte(out, '\n');
    add_query(out, request, arena);
    pk_buf_add_byte(out, '\n');
    if (!add_headers(out, request))
        return false;
    pk_buf_add_byte(out, '\n');
    add_lower(out, request->signed_headers);
    hash_hex(request->http->body, body_hash);
    pk_buf_printf(out, "\n%s", body_hash);
    return !is_signed(request, "x-amz-content-sha256") ||
           pk_slice_is(sh_http_header(request->http, "x-amz-content-sha256"), body_hash);
}

void sh_sign_key(pk_slice secret, pk_slice date, pk_slice region, unsigned char key[HASH_LEN])
{
    const pk_slice parts[] = {date, region, PK_LIT(SH_SIGN_SERVICE), PK_LIT(SH_SIGN_TERMINATOR)};
    struct pk_buf first = PK_BUF_INIT;
    char last[HASH_LEN];

    pk_buf_add_cstr(&first, "AWS4");
    pk_buf_add(&first, secret);
    pk_hash_hmac_sha256(pk_buf_slice(&first), parts[0], key);
    for (size_t i = 1; i < sizeof(parts) / sizeof(*parts); i++) {
        memcpy(last, key, sizeof(last));
        pk_hash_hmac_sha256(pk_slice_of(last, sizeof(last)), parts[i], key);
    }
    explicit_bzero(first.data, first.cap);
    pk_buf_release(&first);
}

void sh_sign_signature(const unsigned char key[HASH_LEN], pk_slice timestamp, pk_slice scope,
                       pk_slice canonical, char hex[HEX_LEN + 1])
{
    struct pk_buf text = PK_BUF_INIT;
    unsigned char signature[HASH_LEN];
    char hash[HEX_LEN + 1];

    hash_hex(canonical, hash);
    pk_buf_printf(&text, SH_SIGN_ALGORITHM "\n%.*s\n%.*s\n%s", PK_FMT(timestamp), PK_FMT(scope),
                  hash);
    pk_hash_hmac_sha256(pk_slice_of((const char *)key, HASH_LEN), pk_buf_slice(&text), signature);
    to_hex(signature, hex);
    pk_buf_release(&text);
}
