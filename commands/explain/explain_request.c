#include "commands/explain/explain_request.h"

#include "commands/language/lex.h"
#include "commands/result.h"
#include "commands/wire.h"

/* ---- reading --------------------------------------------------------------------------------- */

static void read_names(struct explain_request *request)
{
    const cJSON *names =
        cJSON_GetObjectItemCaseSensitive(request->json, "ExpressionAttributeNames");
    struct pk_placeholders *to = &request->placeholders;
    const cJSON *node;

    to->names =
        PK_NEW_ARRAY(request->arena, struct pk_placeholder, (size_t)cJSON_GetArraySize(names));
    cJSON_ArrayForEach(node, names)
    {
        to->names[to->name_count++] = (struct pk_placeholder){
            .key = pk_slice_cstr(node->string),
            .name = cmd_wire_text(names, node->string),
        };
    }
}

static void read_values(struct explain_request *request)
{
    const cJSON *values =
        cJSON_GetObjectItemCaseSensitive(request->json, "ExpressionAttributeValues");
    struct pk_placeholders *to = &request->placeholders;
    const cJSON *node;

    to->values =
        PK_NEW_ARRAY(request->arena, struct pk_placeholder, (size_t)cJSON_GetArraySize(values));
    cJSON_ArrayForEach(node, values)
    {
        to->values[to->value_count++] = (struct pk_placeholder){
            .key = pk_slice_cstr(node->string),
            .value = pk_view_of(request->arena, cmd_wire_read_value(request->arena, node)),
        };
    }
}

/* The expression's text, data NULL when the request has none of that use. */
static pk_slice expression_of(const struct explain_request *request, enum pk_expr_use use)
{
    return cmd_wire_text(request->json, pk_expr_use_name(use));
}

static enum pk_code parse_use(struct explain_request *request, enum pk_expr_use use,
                              struct pk_error *err)
{
    struct pk_expr_source source = {use, expression_of(request, use), &request->placeholders,
                                    request->arena};
    struct pk_node *node = NULL;
    struct pk_update update;
    struct pk_projection projection;
    enum pk_code rc = PK_OK;

    switch (use) {
    case PK_EXPR_UPDATE:
        return pk_expr_parse_update(&source, &update, err);
    case PK_EXPR_PROJECTION:
        return pk_expr_parse_projection(&source, &projection, err);
    case PK_EXPR_KEY_CONDITION:
        request->has_key_terms = true;
        return pk_expr_parse_key_condition(&source, &request->key_terms, err);
    case PK_EXPR_CONDITION:
        rc = pk_expr_parse_condition(&source, &node, err);
        request->condition = node;
        return rc;
    case PK_EXPR_FILTER:
        rc = pk_expr_parse_condition(&source, &node, err);
        request->filter = node;
        return rc;
    }
    return rc;
}

enum pk_code explain_request_read(struct explain_request *request, const char *operation,
                                  const struct cJSON *json, struct pk_arena *arena,
                                  enum pk_expr_use *use, struct pk_error *err)
{
    *request = (struct explain_request){.operation = operation, .json = json, .arena = arena};
    read_names(request);
    read_values(request);
    for (int i = PK_EXPR_UPDATE; i <= PK_EXPR_PROJECTION; i++) {
        enum pk_code rc;

        *use = (enum pk_expr_use)i;
        if (expression_of(request, *use).data == NULL)
            continue;
        rc = parse_use(request, *use, err);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

/* ---- as text --------------------------------------------------------------------------------- */

void explain_name(struct pk_buf *out, pk_slice name)
{
    if (cmd_is_name(name)) {
        pk_buf_add(out, name);
        return;
    }
    cmd_quote_name(out, name);
}

static bool is_placeholder_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const struct pk_placeholder *find(const struct pk_placeholder *list, size_t count,
                                         pk_slice key)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_slice_equal(list[i].key, key))
            return &list[i];
    }
    return NULL;
}

/* Appends what the placeholder stands for; false when it stands for nothing. */
static bool add_meaning(const struct explain_request *request, pk_slice key, struct pk_buf *out)
{
    const struct pk_placeholders *all = &request->placeholders;
    const struct pk_placeholder *name = find(all->names, all->name_count, key);
    const struct pk_placeholder *value = find(all->values, all->value_count, key);

    if (name != NULL)
        explain_name(out, name->name);
    else if (value != NULL)
        cmd_value_text(out, pk_view_decode(request->arena, value->value));
    return name != NULL || value != NULL;
}

pk_slice explain_request_text(const struct explain_request *request, enum pk_expr_use use)
{
    pk_slice text = expression_of(request, use);
    struct pk_buf out = PK_BUF_INIT;
    pk_slice result;

    for (size_t pos = 0; pos < text.len;) {
        size_t end = pos + 1;
        pk_slice word;

        if (text.data[pos] == '#' || text.data[pos] == ':') {
            while (end < text.len && is_placeholder_byte(text.data[end]))
                end++;
        }
        word = pk_slice_of(text.data + pos, end - pos);
        if (word.len == 1 || !add_meaning(request, word, &out))
            pk_buf_add(&out, word);
        pos = end;
    }
    result = pk_arena_dup(request->arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return result;
}

pk_slice explain_request_key(const struct explain_request *request)
{
    const cJSON *key = cJSON_GetObjectItemCaseSensitive(request->json, "Key");
    struct pk_buf out = PK_BUF_INIT;
    const cJSON *node;
    pk_slice result;

    cJSON_ArrayForEach(node, key)
    {
        if (out.len > 0)
            pk_buf_add_cstr(&out, " AND ");
        explain_name(&out, pk_slice_cstr(node->string));
        pk_buf_add_cstr(&out, " = ");
        cmd_value_text(&out, cmd_wire_read_value(request->arena, node));
    }
    result = pk_arena_dup(request->arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return result;
}

/* ---- terms ----------------------------------------------------------------------------------- */

static size_t count_terms(const struct pk_node *node)
{
    size_t count = 0;

    if (node->op != PK_OP_AND)
        return 1;
    for (size_t i = 0; i < node->count; i++)
        count += count_terms(node->args[i]);
    return count;
}

static void add_terms(const struct pk_node *node, struct explain_terms *out)
{
    if (node->op != PK_OP_AND) {
        out->list[out->count++] = node;
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        add_terms(node->args[i], out);
}

void explain_terms_of(const struct pk_node *node, struct pk_arena *arena, struct explain_terms *out)
{
    *out = (struct explain_terms){NULL, 0};
    if (node == NULL)
        return;
    out->list = pk_arena_calloc(arena, count_terms(node), sizeof(*out->list));
    add_terms(node, out);
}

pk_slice explain_attribute(const struct pk_node *node)
{
    const struct pk_node *left = node->count > 0 ? node->args[0] : NULL;

    if (left == NULL || left->op != PK_OP_PATH || left->path->count != 1)
        return (pk_slice){NULL, 0};
    for (size_t i = 1; i < node->count; i++) {
        if (node->args[i]->op != PK_OP_VALUE)
            return (pk_slice){NULL, 0};
    }
    return left->path->steps[0].name;
}
