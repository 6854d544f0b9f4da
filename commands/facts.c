/* Facts as a header's value (facts.h). */
#include "commands/facts.h"

#include <stdlib.h>

#include "commands/api/api_json.h"
#include "commands/api/json_out.h"
#include "engine/base/utf8.h"

/* What may follow a hint: its closing quote and the object's brace. */
enum { AFTER_HINT = 2 };

static const enum pk_expr_use uses[] = {PK_EXPR_UPDATE, PK_EXPR_CONDITION, PK_EXPR_KEY_CONDITION,
                                        PK_EXPR_FILTER, PK_EXPR_PROJECTION};

/* "ADMITTED", "WOULD_REFUSE", "REFUSED"; "" for PK_VERDICT_NONE. */
static const char *verdict_name(enum pk_verdict verdict)
{
    switch (verdict) {
    case PK_VERDICT_NONE:
        return "";
    case PK_VERDICT_ADMITTED:
        return "ADMITTED";
    case PK_VERDICT_WOULD_REFUSE:
        return "WOULD_REFUSE";
    case PK_VERDICT_REFUSED:
        return "REFUSED";
    }
    pk_bug("no such verdict: %d", (int)verdict);
}

const char *cmd_facts_limit_name(enum pk_limit limit)
{
    switch (limit) {
    case PK_LIMIT_NONE:
        return "";
    case PK_LIMIT_KEY_RANGE:
        return "KeyRange";
    case PK_LIMIT_PROVISIONED:
        return "Provisioned";
    case PK_LIMIT_MAX_ON_DEMAND:
        return "MaxOnDemand";
    case PK_LIMIT_ACCOUNT:
        return "Account";
    }
    pk_bug("no such limit: %d", (int)limit);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void add_escaped(struct pk_buf *out, uint32_t c)
{
    if (c >= 0x10000)
        pk_buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                      0xdc00 + ((c - 0x10000) & 0x3ff));
    else if (c < 0x20 || c >= 0x7f)
        pk_buf_printf(out, "\\u%04x", c);
    else if (c == '"' || c == '\\')
        pk_buf_printf(out, "\\%c", (int)c);
    else
        pk_buf_add_byte(out, (unsigned char)c);
}

/* The hint, up to the character that would make the line too long or is no UTF-8. */
static void add_hint(struct pk_buf *out, size_t start, const char *hint)
{
    pk_slice rest = pk_slice_cstr(hint);
    uint32_t c;

    json_out_member(out, "Hint");
    pk_buf_add_byte(out, '"');
    while (pk_utf8_take(&rest, &c)) {
        size_t len = out->len;

        add_escaped(out, c);
        if (out->len - start + AFTER_HINT > CMD_FACTS_MAX) {
            out->len = len;
            break;
        }
    }
    pk_buf_add_byte(out, '"');
}

static void add_verdict(struct pk_buf *out, const struct pk_facts *facts)
{
    if (facts->verdict == PK_VERDICT_NONE)
        return;
    json_out_member_text(out, "Verdict", pk_slice_cstr(verdict_name(facts->verdict)));
    if (facts->limit != PK_LIMIT_NONE)
        json_out_member_text(out, "Limit", pk_slice_cstr(cmd_facts_limit_name(facts->limit)));
    if (facts->limit_index > 0) {
        json_out_member(out, "LimitIndex");
        json_out_uint(out, facts->limit_index);
    }
}

void cmd_facts_write(struct pk_buf *out, const struct cmd_response *response)
{
    const struct pk_facts *facts = &response->facts;
    size_t start = out->len;

    pk_buf_add_byte(out, '{');
    json_out_member(out, "Partition");
    json_out_uint(out, facts->partition);
    json_out_member(out, "Touched");
    json_out_uint(out, facts->partitions_touched);
    json_out_member(out, "Partitions");
    json_out_uint(out, facts->partition_count);
    json_out_member(out, "Bytes");
    json_out_uint(out, facts->bytes);
    json_out_member(out, "Read");
    json_out_uint(out, facts->items_read);
    json_out_member(out, "Returned");
    json_out_uint(out, facts->items_returned);
    add_verdict(out, facts);
    if (response->has_span) {
        json_out_member(out, "Span");
        pk_buf_printf(out, "[%u,%u]", response->span.start, response->span.len);
        json_out_member_text(out, "Use", pk_slice_cstr(pk_expr_use_name(response->use)));
    }
    if (response->hint != NULL)
        add_hint(out, start, response->hint);
    pk_buf_add_byte(out, '}');
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_number(const struct cJSON *node, uint64_t max, uint64_t *number)
{
    int64_t value;

    if (node == NULL || api_json_kind(node) != API_JSON_NUMBER)
        return false;
    value = api_json_int(node);
    if (value < 0 || (uint64_t)value > max)
        return false;
    *number = (uint64_t)value;
    return true;
}

static bool read_u32(const struct cJSON *node, uint32_t *number)
{
    uint64_t value;

    if (!read_number(node, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool read_facts(const struct cJSON *root, struct pk_facts *facts)
{
    return read_u32(api_json_member(root, "Partition"), &facts->partition) &&
           read_u32(api_json_member(root, "Touched"), &facts->partitions_touched) &&
           read_u32(api_json_member(root, "Partitions"), &facts->partition_count) &&
           read_number(api_json_member(root, "Bytes"), INT64_MAX, &facts->bytes) &&
           read_number(api_json_member(root, "Read"), INT64_MAX, &facts->items_read) &&
           read_number(api_json_member(root, "Returned"), INT64_MAX, &facts->items_returned);
}

/* The text of a member that may be absent; false when it is no text. */
static bool read_word(struct pk_arena *arena, const struct cJSON *root, const char *name,
                      pk_slice *word)
{
    const struct cJSON *node = api_json_member(root, name);

    *word = PK_LIT("");
    if (node == NULL)
        return true;
    if (api_json_kind(node) != API_JSON_STRING)
        return false;
    *word = api_json_text(arena, node);
    return word->len > 0;
}

/* Limit and LimitIndex come with a verdict, or not at all. */
static bool read_verdict(struct pk_arena *arena, const struct cJSON *root, struct pk_facts *facts)
{
    const struct cJSON *index = api_json_member(root, "LimitIndex");
    pk_slice verdict, limit;
    int v = PK_VERDICT_REFUSED;
    int l = PK_LIMIT_ACCOUNT;

    if (!read_word(arena, root, "Verdict", &verdict) || !read_word(arena, root, "Limit", &limit))
        return false;
    while (v >= 0 && !pk_slice_is(verdict, verdict_name((enum pk_verdict)v)))
        v--;
    while (l >= 0 && !pk_slice_is(limit, cmd_facts_limit_name((enum pk_limit)l)))
        l--;
    if (v < 0 || l < 0 || (v == PK_VERDICT_NONE && (l != PK_LIMIT_NONE || index != NULL)))
        return false;
    facts->verdict = (enum pk_verdict)v;
    facts->limit = (enum pk_limit)l;
    return index == NULL || read_u32(index, &facts->limit_index);
}

static bool read_use(struct pk_arena *arena, const struct cJSON *node, enum pk_expr_use *use)
{
    pk_slice name;

    if (node == NULL || api_json_kind(node) != API_JSON_STRING)
        return false;
    name = api_json_text(arena, node);
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        if (pk_slice_is(name, pk_expr_use_name(uses[i]))) {
            *use = uses[i];
            return true;
        }
    }
    return false;
}

/* Span and Use come together or not at all. */
static bool read_place(struct pk_arena *arena, const struct cJSON *root,
                       struct cmd_response *response)
{
    const struct cJSON *span = api_json_member(root, "Span");
    const struct cJSON *use = api_json_member(root, "Use");
    const struct cJSON *start;

    if (span == NULL)
        return use == NULL;
    if (api_json_kind(span) != API_JSON_ARRAY || api_json_count(span) != 2)
        return false;
    start = api_json_first(span);
    response->has_span = true;
    return read_u32(start, &response->span.start) &&
           read_u32(api_json_next(start), &response->span.len) &&
           response->span.len <= UINT32_MAX - response->span.start &&
           read_use(arena, use, &response->use);
}

static bool read_hint(struct pk_arena *arena, const struct cJSON *root, pk_slice *hint)
{
    const struct cJSON *node = api_json_member(root, "Hint");

    if (node == NULL)
        return true;
    if (api_json_kind(node) != API_JSON_STRING)
        return false;
    *hint = api_json_text(arena, node);
    return hint->len > 0 && memchr(hint->data, '\0', hint->len) == NULL;
}

static bool read_line(struct pk_arena *arena, pk_slice text, struct cmd_response *response,
                      pk_slice *hint)
{
    struct pk_error err = PK_ERROR_INIT;
    const struct cJSON *root = NULL;
    enum pk_code rc = PK_E_SERIALIZATION;

    if (text.len <= CMD_FACTS_MAX)
        rc = api_json_parse(arena, text, &root, &err);
    pk_error_release(&err);
    return rc == PK_OK && api_json_kind(root) == API_JSON_OBJECT &&
           read_facts(root, &response->facts) && read_verdict(arena, root, &response->facts) &&
           read_place(arena, root, response) && read_hint(arena, root, hint);
}

bool cmd_facts_read(pk_slice text, struct cmd_response *response)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_response found = CMD_RESPONSE_INIT;
    pk_slice hint = {NULL, 0};
    bool ok = read_line(&arena, text, &found, &hint);

    if (ok) {
        response->has_facts = true;
        response->facts = found.facts;
        response->has_span = found.has_span;
        response->span = found.span;
        response->use = found.use;
        free(response->hint);
        response->hint = hint.len == 0 ? NULL : pk_memdup_cstr(hint.data, hint.len);
    }
    pk_arena_release(&arena);
    return ok;
}
