/*
 * Before base64 a token is
 *   version byte, request digest (16), varint group, stored form of the key or nothing, check (16)
 * Both digests are truncated SHA-256. Tokens are not kept anywhere, so the form may change with any
 * version: then the version byte changes and old tokens become invalid.
 */
#include "commands/partiql/partiql_token.h"

#include "engine/base/base64.h"
#include "engine/base/hash.h"

enum { TOKEN_VERSION = 1, DIGEST = 16 };

static const char check_salt[] = "pksk NextToken";

static void add_part(struct pk_buf *out, pk_slice part)
{
    pk_buf_add_varint(out, part.len);
    pk_buf_add(out, part);
}

/* Appends a digest of what the token belongs to. */
static void add_request_digest(struct pk_buf *out, const struct partiql_plan *plan,
                               const struct partiql_binding *binding)
{
    unsigned char digest[32];
    struct pk_buf content = PK_BUF_INIT;

    add_part(&content, plan->table->uuid);
    add_part(&content, plan->table->name);
    add_part(&content, plan->statement->text);
    for (size_t i = 0; i < binding->param_count; i++)
        add_part(&content, pk_view_of(binding->arena, binding->params[i]));
    pk_hash_sha256(pk_buf_slice(&content), digest);
    for (size_t i = 0; i < DIGEST; i++)
        pk_buf_add_byte(out, digest[i]);
    pk_buf_release(&content);
}

static void check_of(pk_slice content, unsigned char out[32])
{
    struct pk_buf salted = PK_BUF_INIT;

    add_part(&salted, PK_LIT(check_salt));
    add_part(&salted, content);
    pk_hash_sha256(pk_buf_slice(&salted), out);
    pk_buf_release(&salted);
}

pk_slice partiql_token_write(const struct partiql_plan *plan, const struct partiql_binding *binding,
                             const struct partiql_cursor *cursor)
{
    struct pk_buf token = PK_BUF_INIT, text = PK_BUF_INIT;
    unsigned char check[32];

    pk_buf_add_byte(&token, TOKEN_VERSION);
    add_request_digest(&token, plan, binding);
    pk_buf_add_varint(&token, cursor->group);
    if (pk_value_kind(cursor->last_key) != PK_MISSING)
        pk_view_encode(&token, cursor->last_key);
    check_of(pk_buf_slice(&token), check);
    for (size_t i = 0; i < DIGEST; i++)
        pk_buf_add_byte(&token, check[i]);
    pk_base64_encode(&text, pk_buf_slice(&token));

    pk_slice out = pk_arena_dup(binding->arena, pk_buf_slice(&text));
    pk_buf_release(&token);
    pk_buf_release(&text);
    return out;
}

static bool is_intact(pk_slice bytes, pk_slice *content)
{
    unsigned char check[32];

    if (bytes.len < DIGEST)
        return false;
    *content = pk_slice_of(bytes.data, bytes.len - DIGEST);
    check_of(*content, check);
    return memcmp(check, bytes.data + content->len, DIGEST) == 0;
}

enum pk_code partiql_token_read(const struct partiql_plan *plan,
                                const struct partiql_binding *binding, pk_slice token,
                                struct partiql_cursor *cursor, struct pk_error *err)
{
    struct pk_buf expected = PK_BUF_INIT;
    unsigned char version = 0;
    pk_slice bytes, content, digest;
    uint64_t group = 0;
    bool matches;

    if (pk_base64_decode(binding->arena, token, &bytes) != PK_BASE64_OK ||
        !is_intact(bytes, &content) || !pk_take_byte(&content, &version) ||
        version != TOKEN_VERSION || !pk_take_bytes(&content, DIGEST, &digest) ||
        !pk_take_varint(&content, &group) || (content.len > 0 && !pk_view_check(content)))
        return pk_fail(err, PK_E_VALIDATION, "Invalid NextToken");

    add_request_digest(&expected, plan, binding);
    matches = pk_slice_equal(digest, pk_buf_slice(&expected));
    pk_buf_release(&expected);
    if (!matches)
        return pk_fail(err, PK_E_VALIDATION, "NextToken does not match request");
    cursor->group = (size_t)group;
    cursor->last_key =
        content.len == 0 ? pk_value_missing() : pk_view_decode(binding->arena, content);
    return PK_OK;
}
