/*
 * Requests as Python with boto3: operations on the items of one table through its table resource,
 * with Key(…) and Attr(…) in place of expressions where these can say it; all else through the
 * client, in the API's own shapes.
 *
 * Key and Attr name their own placeholders (#n0, :v0), so either all conditions of a request are
 * written with them, or none is. They split a name at '.' and '[', and want a path on the left.
 */
#include "commands/explain/explain_code.h"
#include "commands/explain/explain_request.h"
#include "commands/wire.h"
#include "engine/base/base64.h"

struct python {
    struct pk_buf body;
    struct pk_arena *arena;
    bool uses_decimal, uses_key, uses_attr;
};

/* ---- literals -------------------------------------------------------------------------------- */

/* The bytes C0 80 are a NUL in the trees of the API's JSON. */
static size_t add_string_part(struct pk_buf *out, pk_slice text, size_t at)
{
    unsigned char c = (unsigned char)text.data[at];
    unsigned char after = at + 1 < text.len ? (unsigned char)text.data[at + 1] : 0;

    if (c == '"' || c == '\\')
        pk_buf_printf(out, "\\%c", c);
    else if (c == '\n')
        pk_buf_add_cstr(out, "\\n");
    else if (c < 0x20 || c == 0x7f)
        pk_buf_printf(out, "\\x%02x", c);
    else if (c == 0xc0 && after == 0x80)
        pk_buf_add_cstr(out, "\\x00");
    else if (c == 0xc2 && after >= 0x80 && after < 0xa0) /* control characters of Latin 1 */
        pk_buf_printf(out, "\\x%02x", after);
    else {
        pk_buf_add_byte(out, c);
        return 1;
    }
    return c >= 0xc0 ? 2 : 1;
}

static void add_string(struct pk_buf *out, pk_slice text)
{
    pk_buf_add_byte(out, '"');
    for (size_t i = 0; i < text.len;)
        i += add_string_part(out, text, i);
    pk_buf_add_byte(out, '"');
}

static void add_bytes(struct pk_buf *out, pk_slice bytes)
{
    pk_buf_add_cstr(out, "b\"");
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.data[i];

        if (c < 0x20 || c > 0x7e || c == '"' || c == '\\')
            pk_buf_printf(out, "\\x%02x", c);
        else
            pk_buf_add_byte(out, c);
    }
    pk_buf_add_byte(out, '"');
}

static void add_number(struct python *python, pk_value value)
{
    struct pk_num num = pk_value_num(value);
    char text[PK_NUM_TEXT_MAX];
    size_t len = pk_num_format(&num, text);

    if (memchr(text, '.', len) == NULL && len <= PK_NUM_DIGITS + 1) {
        pk_buf_add(&python->body, pk_slice_of(text, len));
        return;
    }
    python->uses_decimal = true;
    pk_buf_printf(&python->body, "Decimal(\"%.*s\")", (int)len, text);
}

static void add_value(struct python *python, pk_value value);

static void add_sequence(struct python *python, pk_value value, char open, char close)
{
    pk_buf_add_byte(&python->body, (unsigned char)open);
    for (uint32_t i = 0; i < value.len; i++) {
        pk_buf_add_cstr(&python->body, i == 0 ? "" : ", ");
        add_value(python, value.u.items[i]);
    }
    pk_buf_add_byte(&python->body, (unsigned char)close);
}

static void add_map(struct python *python, pk_value value)
{
    pk_buf_add_byte(&python->body, '{');
    for (uint32_t i = 0; i < value.len; i++) {
        pk_buf_add_cstr(&python->body, i == 0 ? "" : ", ");
        add_string(&python->body, value.u.members[i].name);
        pk_buf_add_cstr(&python->body, ": ");
        add_value(python, value.u.members[i].value);
    }
    pk_buf_add_byte(&python->body, '}');
}

/* As the table resource takes it: plain Python, decimal for numbers with a fraction. */
static void add_value(struct python *python, pk_value value)
{
    switch (pk_value_kind(value)) {
    case PK_MISSING:
    case PK_NULL:
        pk_buf_add_cstr(&python->body, "None");
        return;
    case PK_BOOL:
        pk_buf_add_cstr(&python->body, value.boolean ? "True" : "False");
        return;
    case PK_NUMBER:
        add_number(python, value);
        return;
    case PK_STRING:
        add_string(&python->body, pk_value_bytes(value));
        return;
    case PK_BINARY:
        add_bytes(&python->body, pk_value_bytes(value));
        return;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        add_sequence(python, value, '{', '}');
        return;
    case PK_LIST:
        add_sequence(python, value, '[', ']');
        return;
    case PK_MAP:
        add_map(python, value);
        return;
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* A path as Attr wants it; false when a name holds what Attr splits at. */
static bool add_path(struct python *python, const struct pk_path *path)
{
    struct pk_buf text = PK_BUF_INIT;
    bool fits = true;

    for (size_t i = 0; i < path->count; i++) {
        pk_slice name = path->steps[i].name;

        if (name.data == NULL) {
            pk_buf_printf(&text, "[%llu]", (unsigned long long)path->steps[i].index);
            continue;
        }
        for (size_t k = 0; k < name.len; k++)
            fits = fits && name.data[k] != '.' && name.data[k] != '[' && name.data[k] != ']';
        pk_buf_add_cstr(&text, i == 0 ? "" : ".");
        pk_buf_add(&text, name);
    }
    pk_buf_add_cstr(&python->body, "Attr(");
    add_string(&python->body, pk_buf_slice(&text));
    pk_buf_add_byte(&python->body, ')');
    pk_buf_release(&text);
    python->uses_attr = true;
    return fits;
}

static bool add_operand(struct python *python, const struct pk_node *node)
{
    if (node->op == PK_OP_VALUE) {
        add_value(python, pk_view_decode(python->arena, node->value));
        return true;
    }
    if (node->op == PK_OP_PATH)
        return add_path(python, node->path);
    if (node->op == PK_OP_SIZE && node->args[0]->op == PK_OP_PATH) {
        bool fits = add_path(python, node->args[0]->path);

        pk_buf_add_cstr(&python->body, ".size()");
        return fits;
    }
    return false;
}

/* The method of a condition on its first operand; NULL: not one. */
static const char *method_of(enum pk_op op)
{
    static const struct {
        enum pk_op op;
        const char *method;
    } methods[] = {
        {PK_OP_EQ, "eq"},
        {PK_OP_NE, "ne"},
        {PK_OP_LT, "lt"},
        {PK_OP_LE, "lte"},
        {PK_OP_GT, "gt"},
        {PK_OP_GE, "gte"},
        {PK_OP_BETWEEN, "between"},
        {PK_OP_IN, "is_in"},
        {PK_OP_EXISTS, "exists"},
        {PK_OP_NOT_EXISTS, "not_exists"},
        {PK_OP_ATTRIBUTE_TYPE, "attribute_type"},
        {PK_OP_BEGINS_WITH, "begins_with"},
        {PK_OP_CONTAINS, "contains"},
    };

    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
        if (methods[i].op == op)
            return methods[i].method;
    }
    return NULL;
}

static bool add_condition(struct python *python, const struct pk_node *node);

/* & and | bind tighter than comparison in Python, and looser than a method call. */
static bool add_joined(struct python *python, const struct pk_node *node, const char *between)
{
    bool fits = true;

    for (size_t i = 0; i < node->count && fits; i++) {
        bool group = node->args[i]->op == PK_OP_AND || node->args[i]->op == PK_OP_OR;

        pk_buf_add_cstr(&python->body, i == 0 ? "" : between);
        pk_buf_add_cstr(&python->body, group ? "(" : "");
        fits = add_condition(python, node->args[i]);
        pk_buf_add_cstr(&python->body, group ? ")" : "");
    }
    return fits;
}

static bool add_call(struct python *python, const struct pk_node *node, const char *method)
{
    bool fits =
        node->count > 0 && node->args[0]->op != PK_OP_VALUE && add_operand(python, node->args[0]);

    pk_buf_printf(&python->body, ".%s(%s", method, node->op == PK_OP_IN ? "[" : "");
    for (size_t i = 1; i < node->count && fits; i++) {
        pk_buf_add_cstr(&python->body, i == 1 ? "" : ", ");
        fits = add_operand(python, node->args[i]);
    }
    pk_buf_add_cstr(&python->body, node->op == PK_OP_IN ? "])" : ")");
    return fits;
}

/* False when Attr cannot say it; what was appended is then the caller's to drop. */
static bool add_condition(struct python *python, const struct pk_node *node)
{
    const char *method = method_of(node->op);

    if (node->op == PK_OP_AND)
        return add_joined(python, node, " & ");
    if (node->op == PK_OP_OR)
        return add_joined(python, node, " | ");
    if (node->op == PK_OP_NOT) {
        bool fits;

        pk_buf_add_cstr(&python->body, "~(");
        fits = add_condition(python, node->args[0]);
        pk_buf_add_byte(&python->body, ')');
        return fits;
    }
    return method != NULL && add_call(python, node, method);
}

static bool add_key_terms(struct python *python, const struct pk_key_terms *terms)
{
    for (size_t i = 0; i < terms->count; i++) {
        const struct pk_key_term *term = &terms->terms[i];
        const char *method = method_of(term->op);

        if (method == NULL || memchr(term->attribute.data, '.', term->attribute.len) != NULL ||
            memchr(term->attribute.data, '[', term->attribute.len) != NULL)
            return false;
        pk_buf_add_cstr(&python->body, i == 0 ? "Key(" : " & Key(");
        add_string(&python->body, term->attribute);
        pk_buf_printf(&python->body, ").%s(", method);
        add_value(python, pk_view_decode(python->arena, term->values[0]));
        if (term->op == PK_OP_BETWEEN) {
            pk_buf_add_cstr(&python->body, ", ");
            add_value(python, pk_view_decode(python->arena, term->values[1]));
        }
        pk_buf_add_byte(&python->body, ')');
    }
    python->uses_key = true;
    /* three terms nest in parentheses, which a KeyConditionExpression takes only around one */
    return terms->count <= 2;
}

/* ---- the client: the API's own shapes -------------------------------------------------------- */

static void add_json(struct python *python, const cJSON *node);

/* {"B": "…"} and {"BS": […]} hold base64 in JSON and bytes in Python. An attribute of that name is
 * no confusion: its value is an object. */
static bool add_typed_binary(struct python *python, const cJSON *node)
{
    const cJSON *only = node->child;
    pk_slice bytes;

    if (only == NULL || only->next != NULL || strcmp(only->string, "B") != 0 ||
        !cJSON_IsString(only))
        return false;
    if (pk_base64_decode(python->arena, pk_slice_cstr(only->valuestring), &bytes) != PK_BASE64_OK)
        return false;
    pk_buf_add_cstr(&python->body, "{\"B\": ");
    add_bytes(&python->body, bytes);
    pk_buf_add_byte(&python->body, '}');
    return true;
}

static void add_object(struct python *python, const cJSON *node)
{
    const cJSON *member;

    if (add_typed_binary(python, node))
        return;
    pk_buf_add_byte(&python->body, '{');
    cJSON_ArrayForEach(member, node)
    {
        pk_value set = pk_value_missing();

        pk_buf_add_cstr(&python->body, member == node->child ? "" : ", ");
        add_string(&python->body, pk_slice_cstr(member->string));
        pk_buf_add_cstr(&python->body, ": ");
        if (strcmp(member->string, "BS") == 0 && cJSON_IsArray(member))
            set = cmd_wire_read_value(python->arena, node);
        if (pk_value_kind(set) == PK_BINARY_SET)
            add_sequence(python, set, '[', ']');
        else
            add_json(python, member);
    }
    pk_buf_add_byte(&python->body, '}');
}

static void add_json(struct python *python, const cJSON *node)
{
    const cJSON *element;

    if (cJSON_IsObject(node)) {
        add_object(python, node);
    } else if (cJSON_IsArray(node)) {
        pk_buf_add_byte(&python->body, '[');
        cJSON_ArrayForEach(element, node)
        {
            pk_buf_add_cstr(&python->body, element == node->child ? "" : ", ");
            add_json(python, element);
        }
        pk_buf_add_byte(&python->body, ']');
    } else if (cJSON_IsString(node)) {
        add_string(&python->body, pk_slice_cstr(node->valuestring));
    } else if (cJSON_IsBool(node)) {
        pk_buf_add_cstr(&python->body, cJSON_IsTrue(node) ? "True" : "False");
    } else if (cJSON_IsNull(node)) {
        pk_buf_add_cstr(&python->body, "None");
    } else {
        cmd_wire_print(&python->body, node);
    }
}

static void print_client(struct python *python, const struct explain_code *code)
{
    const cJSON *member;

    cJSON_ArrayForEach(member, code->request)
    {
        pk_buf_printf(&python->body, "    %s=", member->string);
        add_json(python, member);
        pk_buf_add_cstr(&python->body, ",\n");
    }
}

/* ---- the table resource ---------------------------------------------------------------------- */

static bool is_table_operation(const char *operation)
{
    static const char *const names[] = {"GetItem",    "PutItem", "UpdateItem",
                                        "DeleteItem", "Query",   "Scan"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(operation, names[i]) == 0)
            return true;
    }
    return false;
}

static bool is_condition(const char *name)
{
    return strcmp(name, "KeyConditionExpression") == 0 || strcmp(name, "FilterExpression") == 0 ||
           strcmp(name, "ConditionExpression") == 0;
}

/* #n0 is what Key and Attr call their own. */
static bool is_taken(pk_slice key)
{
    return key.len > 2 && key.data[1] == 'n' && key.data[2] >= '0' && key.data[2] <= '9';
}

/* True when Key and Attr may be used beside the expressions that stay text. */
static bool may_build(const struct explain_code *code)
{
    const cJSON *names =
        cJSON_GetObjectItemCaseSensitive(code->request, "ExpressionAttributeNames");
    const cJSON *node;

    if (cJSON_HasObjectItem(code->request, "UpdateExpression"))
        return false;
    if (!cJSON_HasObjectItem(code->request, "ProjectionExpression"))
        return true;
    cJSON_ArrayForEach(node, names)
    {
        if (is_taken(pk_slice_cstr(node->string)))
            return false;
    }
    return true;
}

/* True when the text has the placeholder, and not only one that begins like it. */
static bool mentions(pk_slice text, pk_slice key)
{
    for (size_t i = 0; i + key.len <= text.len; i++) {
        pk_slice rest = pk_slice_skip(text, i);
        char after = rest.len > key.len ? rest.data[key.len] : ' ';

        if (pk_slice_starts(rest, key) && after != '_' && !(after >= '0' && after <= '9') &&
            !(after >= 'a' && after <= 'z') && !(after >= 'A' && after <= 'Z'))
            return true;
    }
    return false;
}

/* {"#total": "total"} of those that the projection uses, or of all. */
static void add_names(struct python *python, const struct explain_code *code, bool built)
{
    const cJSON *names =
        cJSON_GetObjectItemCaseSensitive(code->request, "ExpressionAttributeNames");
    pk_slice projection = cmd_wire_text(code->request, "ProjectionExpression");
    const cJSON *node;
    size_t count = 0;

    cJSON_ArrayForEach(node, names)
    {
        pk_slice key = pk_slice_cstr(node->string);

        if (built && !mentions(projection, key))
            continue;
        pk_buf_add_cstr(&python->body, count++ == 0 ? "    ExpressionAttributeNames={" : ", ");
        add_string(&python->body, key);
        pk_buf_add_cstr(&python->body, ": ");
        add_string(&python->body, cmd_wire_text(names, node->string));
    }
    pk_buf_add_cstr(&python->body, count == 0 ? "" : "},\n");
}

static bool add_expression(struct python *python, const struct explain_request *request,
                           const char *name)
{
    if (strcmp(name, "KeyConditionExpression") == 0)
        return add_key_terms(python, &request->key_terms);
    return add_condition(python, strcmp(name, "FilterExpression") == 0 ? request->filter
                                                                       : request->condition);
}

static bool is_item(const char *name)
{
    return strcmp(name, "Key") == 0 || strcmp(name, "Item") == 0 ||
           strcmp(name, "ExclusiveStartKey") == 0 || strcmp(name, "ExpressionAttributeValues") == 0;
}

/* request NULL: expressions stay text. False when they must. */
static bool print_table(struct python *python, const struct explain_code *code,
                        const struct explain_request *request)
{
    const cJSON *member;
    bool fits = true;

    cJSON_ArrayForEach(member, code->request)
    {
        const char *name = member->string;

        if (strcmp(name, "TableName") == 0 ||
            (request != NULL && strcmp(name, "ExpressionAttributeValues") == 0))
            continue;
        if (strcmp(name, "ExpressionAttributeNames") == 0) {
            add_names(python, code, request != NULL);
            continue;
        }
        pk_buf_printf(&python->body, "    %s=", name);
        if (request != NULL && is_condition(name))
            fits = add_expression(python, request, name) && fits;
        else if (is_item(name))
            add_value(python, cmd_wire_read_item(python->arena, member));
        else
            add_json(python, member);
        pk_buf_add_cstr(&python->body, ",\n");
    }
    return fits;
}

static void print_resource(struct python *python, const struct explain_code *code)
{
    struct explain_request request;
    struct pk_error ignored = PK_ERROR_INIT;
    enum pk_expr_use use;

    if (may_build(code) &&
        explain_request_read(&request, code->operation, code->request, python->arena, &use,
                             &ignored) == PK_OK &&
        print_table(python, code, &request)) {
        pk_error_release(&ignored);
        return;
    }
    pk_error_release(&ignored);
    pk_buf_clear(&python->body);
    python->uses_key = python->uses_attr = python->uses_decimal = false;
    (void)print_table(python, code, NULL);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void add_imports(struct pk_buf *out, const struct python *python)
{
    if (python->uses_decimal)
        pk_buf_add_cstr(out, "from decimal import Decimal\n");
    pk_buf_add_cstr(out, "import boto3\n");
    if (python->uses_attr || python->uses_key)
        pk_buf_printf(
            out, "from boto3.dynamodb.conditions import %s%s%s\n", python->uses_attr ? "Attr" : "",
            python->uses_attr && python->uses_key ? ", " : "", python->uses_key ? "Key" : "");
}

static void add_connection(struct pk_buf *out, const struct explain_code *code, bool resource)
{
    pk_buf_printf(out, resource ? "table = boto3.resource(\"dynamodb\""
                                : "client = boto3.client(\"dynamodb\"");
    if (code->endpoint != NULL) {
        pk_buf_add_cstr(out, ", endpoint_url=");
        add_string(out, pk_slice_cstr(code->endpoint));
    }
    pk_buf_add_byte(out, ')');
    if (resource) {
        pk_buf_add_cstr(out, ".Table(");
        add_string(out, cmd_wire_text(code->request, "TableName"));
        pk_buf_add_byte(out, ')');
    }
    pk_buf_add_byte(out, '\n');
}

void explain_python_print(struct pk_buf *out, const struct explain_code *code,
                          struct pk_arena *arena)
{
    struct python python = {.body = PK_BUF_INIT, .arena = arena};
    bool resource = is_table_operation(code->operation);

    if (resource)
        print_resource(&python, code);
    else
        print_client(&python, code);
    add_imports(out, &python);
    add_connection(out, code, resource);
    pk_buf_printf(out, "response = %s.", resource ? "table" : "client");
    explain_add_words(out, pk_slice_cstr(code->operation), '_');
    if (python.body.len == 0) {
        pk_buf_add_cstr(out, "()");
    } else {
        pk_buf_add_cstr(out, "(\n");
        pk_buf_add(out, pk_buf_slice(&python.body));
        pk_buf_add_byte(out, ')');
    }
    pk_buf_release(&python.body);
}
