#include "commands/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/base64.h"

#define NUL_MARK "\xC0\x80"

/* ---- writing --------------------------------------------------------------------------------- */

/* A NUL-ended copy for cJSON, NULs as their mark; the caller frees it. */
static char *marked(pk_slice text)
{
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\0')
            pk_buf_add_cstr(&out, NUL_MARK);
        else
            pk_buf_add_byte(&out, (unsigned char)text.data[i]);
    }
    return pk_buf_detach(&out);
}

static cJSON *string_node(pk_slice text)
{
    char *copy = marked(text);
    cJSON *node = cJSON_CreateString(copy);

    free(copy);
    return node;
}

void cmd_wire_set(cJSON *object, const char *name, cJSON *value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, value);
}

void cmd_wire_set_named(cJSON *object, pk_slice name, cJSON *value)
{
    char *copy = marked(name);

    cmd_wire_set(object, copy, value);
    free(copy);
}

void cmd_wire_set_text(cJSON *object, const char *name, pk_slice text)
{
    cmd_wire_set(object, name, string_node(text));
}

void cmd_wire_set_int(cJSON *object, const char *name, int64_t number)
{
    char digits[32];

    if (number > INT32_MIN && number < INT32_MAX) {
        cmd_wire_set(object, name, cJSON_CreateNumber((double)number));
        return;
    }
    snprintf(digits, sizeof(digits), "%lld", (long long)number);
    cmd_wire_set(object, name, cJSON_CreateRaw(digits));
}

void cmd_wire_set_bool(cJSON *object, const char *name, bool boolean)
{
    cmd_wire_set(object, name, cJSON_CreateBool(boolean));
}

cJSON *cmd_wire_object(cJSON *object, const char *name)
{
    cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

    if (member == NULL)
        member = cJSON_AddObjectToObject(object, name);
    return member;
}

static cJSON *scalar_text(pk_value value)
{
    struct pk_buf out = PK_BUF_INIT;
    cJSON *node;

    if (pk_value_kind(value) == PK_STRING)
        return string_node(pk_value_bytes(value));
    if (pk_value_kind(value) == PK_NUMBER) {
        struct pk_num num = pk_value_num(value);
        char text[PK_NUM_TEXT_MAX];

        pk_buf_add(&out, pk_slice_of(text, pk_num_format(&num, text)));
    } else {
        pk_base64_encode(&out, pk_value_bytes(value));
    }
    node = string_node(pk_buf_slice(&out));
    pk_buf_release(&out);
    return node;
}

static cJSON *elements(pk_value value, cJSON *(*element)(pk_value))
{
    cJSON *array = cJSON_CreateArray();

    for (uint32_t i = 0; i < value.len; i++)
        cJSON_AddItemToArray(array, element(value.u.items[i]));
    return array;
}

static cJSON *content_of(pk_value value)
{
    switch (pk_value_kind(value)) {
    case PK_NULL:
        return cJSON_CreateTrue();
    case PK_BOOL:
        return cJSON_CreateBool(value.boolean != 0);
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY:
        return scalar_text(value);
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        return elements(value, scalar_text);
    case PK_LIST:
        return elements(value, cmd_wire_value);
    case PK_MAP:
        return cmd_wire_item(value);
    case PK_MISSING:
        break;
    }
    pk_bug("a missing value has no wire form");
}

cJSON *cmd_wire_value(pk_value value)
{
    cJSON *node = cJSON_CreateObject();

    cJSON_AddItemToObject(node, pk_kind_tag(pk_value_kind(value)), content_of(value));
    return node;
}

cJSON *cmd_wire_item(pk_value map)
{
    cJSON *node = cJSON_CreateObject();

    for (uint32_t i = 0; i < map.len; i++) {
        char *name = marked(map.u.members[i].name);

        cJSON_AddItemToObject(node, name, cmd_wire_value(map.u.members[i].value));
        free(name);
    }
    return node;
}

/* `text` with every `from` as `to`, appended. */
static void add_replaced(struct pk_buf *out, pk_slice text, const char *from, const char *to)
{
    size_t len = strlen(from);
    const char *found;

    while ((found = memmem(text.data, text.len, from, len)) != NULL) {
        size_t before = (size_t)(found - text.data);

        pk_buf_add(out, pk_slice_of(text.data, before));
        pk_buf_add_cstr(out, to);
        text = pk_slice_skip(text, before + len);
    }
    pk_buf_add(out, text);
}

void cmd_wire_print(struct pk_buf *out, const cJSON *node)
{
    char *text = cJSON_PrintUnformatted(node);

    if (text == NULL)
        pk_bug("a request could not be printed");
    add_replaced(out, pk_slice_cstr(text), NUL_MARK, "\\u0000");
    cJSON_free(text);
}

static void new_line(struct pk_buf *out, size_t depth)
{
    pk_buf_add_byte(out, '\n');
    for (size_t i = 0; i < depth; i++)
        pk_buf_add_cstr(out, "  ");
}

/* The string at pos, copied; returns the position behind it. */
static size_t copy_string(struct pk_buf *out, pk_slice json, size_t pos)
{
    size_t end = pos + 1;

    while (end < json.len && json.data[end] != '"')
        end += json.data[end] == '\\' ? 2 : 1;
    end = end < json.len ? end + 1 : json.len;
    pk_buf_add(out, pk_slice_of(json.data + pos, end - pos));
    return end;
}

void cmd_wire_pretty(struct pk_buf *out, pk_slice json)
{
    size_t depth = 0;

    for (size_t pos = 0; pos < json.len;) {
        char c = json.data[pos];
        char last = out->len > 0 ? out->data[out->len - 1] : '\0';

        if (c == '"') {
            pos = copy_string(out, json, pos);
            continue;
        }
        pos++;
        if (strchr(" \t\r\n", c) != NULL && c != '\0')
            continue;
        if (c == '}' || c == ']') {
            depth -= depth > 0;
            if (last != '{' && last != '[')
                new_line(out, depth);
        }
        pk_buf_add_byte(out, (unsigned char)c);
        while (pos < json.len && strchr(" \t\r\n", json.data[pos]) != NULL)
            pos++;
        if (c == ':')
            pk_buf_add_byte(out, ' ');
        if (c == '{' || c == '[')
            depth++;
        if (c == ',' || ((c == '{' || c == '[') && pos < json.len && json.data[pos] != '}' &&
                         json.data[pos] != ']'))
            new_line(out, depth);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

cJSON *cmd_wire_parse(pk_slice text)
{
    struct pk_buf copy = PK_BUF_INIT;
    cJSON *root;

    if (text.len == 0)
        return NULL;
    if (memmem(text.data, text.len, "\\u0000", 6) == NULL)
        return cJSON_ParseWithLength(text.data, text.len);
    /* "\\u0000" is an escaped backslash and digits: only an odd backslash begins an escape */
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\\' || i + 1 == text.len) {
            pk_buf_add_byte(&copy, (unsigned char)text.data[i]);
        } else if (pk_slice_starts(pk_slice_skip(text, i), PK_LIT("\\u0000"))) {
            pk_buf_add_cstr(&copy, NUL_MARK);
            i += 5;
        } else {
            pk_buf_add(&copy, pk_slice_of(text.data + i, 2));
            i++;
        }
    }
    root = cJSON_ParseWithLength(copy.data, copy.len);
    pk_buf_release(&copy);
    return root;
}

pk_slice cmd_wire_text(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(member) ? pk_slice_cstr(member->valuestring) : (pk_slice){NULL, 0};
}

int64_t cmd_wire_int(const cJSON *object, const char *name, int64_t other)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(member) ? (int64_t)member->valuedouble : other;
}

int64_t cmd_wire_milli(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(member) ? (int64_t)llround(member->valuedouble * 1000.0) : 0;
}

bool cmd_wire_is_read(const cJSON *capacity)
{
    return cJSON_GetObjectItemCaseSensitive(capacity, "ReadCapacityUnits") != NULL &&
           cJSON_GetObjectItemCaseSensitive(capacity, "WriteCapacityUnits") == NULL;
}

bool cmd_wire_bool(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* A copy in the arena, the mark turned back into NUL. */
static pk_slice unmarked(struct pk_arena *arena, const char *text)
{
    size_t len = strlen(text);
    char *copy = pk_arena_alloc(arena, len);
    size_t at = 0;

    for (size_t i = 0; i < len; i++) {
        bool mark = i + 1 < len && memcmp(text + i, NUL_MARK, 2) == 0;

        copy[at++] = mark ? '\0' : text[i];
        i += mark;
    }
    return pk_slice_of(copy, at);
}

static pk_value read_scalar(struct pk_arena *arena, enum pk_kind kind, const cJSON *node)
{
    struct pk_num num;
    pk_slice bytes = {NULL, 0};

    if (!cJSON_IsString(node))
        return pk_value_missing();
    if (kind == PK_STRING)
        return pk_value_string(unmarked(arena, node->valuestring));
    bytes = pk_slice_cstr(node->valuestring);
    if (kind == PK_NUMBER)
        return pk_num_parse(bytes, &num) == PK_NUM_OK ? pk_value_number(arena, &num)
                                                      : pk_value_missing();
    if (bytes.len > 0 && pk_base64_decode(arena, bytes, &bytes) != PK_BASE64_OK)
        return pk_value_missing();
    return pk_value_binary(bytes);
}

static pk_value read_set(struct pk_arena *arena, enum pk_kind kind, const cJSON *node)
{
    enum pk_kind member = kind == PK_STRING_SET   ? PK_STRING
                          : kind == PK_NUMBER_SET ? PK_NUMBER
                                                  : PK_BINARY;
    struct pk_value_vec vec = {0};
    const cJSON *element;

    cJSON_ArrayForEach(element, node)
        pk_value_vec_add(&vec, arena, read_scalar(arena, member, element));
    return pk_value_set(kind, vec.data, vec.len, NULL);
}

static pk_value read_list(struct pk_arena *arena, const cJSON *node)
{
    struct pk_value_vec vec = {0};
    const cJSON *element;

    cJSON_ArrayForEach(element, node)
        pk_value_vec_add(&vec, arena, cmd_wire_read_value(arena, element));
    return pk_value_list(vec.data, vec.len);
}

pk_value cmd_wire_read_item(struct pk_arena *arena, const cJSON *node)
{
    struct pk_member_vec vec = {0};
    const cJSON *member;

    if (!cJSON_IsObject(node))
        return pk_value_missing();
    cJSON_ArrayForEach(member, node) pk_member_vec_add(&vec, arena, unmarked(arena, member->string),
                                                       cmd_wire_read_value(arena, member));
    return pk_value_map(vec.data, vec.len);
}

pk_value cmd_wire_read_value(struct pk_arena *arena, const cJSON *node)
{
    const cJSON *content = cJSON_IsObject(node) ? node->child : NULL;
    enum pk_kind kind;

    if (content == NULL)
        return pk_value_missing();
    kind = pk_kind_from_tag(pk_slice_cstr(content->string));
    switch (kind) {
    case PK_MISSING:
        return pk_value_missing();
    case PK_NULL:
        return pk_value_null();
    case PK_BOOL:
        return pk_value_bool(cJSON_IsTrue(content));
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY:
        return read_scalar(arena, kind, content);
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        return read_set(arena, kind, content);
    case PK_LIST:
        return read_list(arena, content);
    case PK_MAP:
        return cmd_wire_read_item(arena, content);
    }
    return pk_value_missing();
}

bool cmd_wire_is_whole(pk_value value)
{
    enum pk_kind kind = pk_value_kind(value);
    bool map = kind == PK_MAP, list = kind == PK_LIST || kind == PK_STRING_SET ||
                                      kind == PK_NUMBER_SET || kind == PK_BINARY_SET;
    bool whole = kind != PK_MISSING;

    for (size_t i = 0; whole && (map || list) && i < value.len; i++)
        whole = cmd_wire_is_whole(map ? value.u.members[i].value : value.u.items[i]);
    return whole;
}

/* ---- tables of a request --------------------------------------------------------------------- */

/* Adds the name unless it was the last one added. */
static void add_table(struct pk_buf *out, const char **last, const char *name)
{
    if (name == NULL || (*last != NULL && strcmp(*last, name) == 0))
        return;
    if (*last != NULL)
        pk_buf_add_byte(out, ',');
    pk_buf_add_cstr(out, name);
    *last = name;
}

void cmd_wire_tables(struct pk_buf *out, pk_slice request)
{
    cJSON *json = cmd_wire_parse(request);
    const cJSON *node, *action;
    const char *last = NULL;

    add_table(out, &last,
              cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "TableName")));
    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(json, "RequestItems"))
        add_table(out, &last, node->string);
    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(json, "TransactItems"))
        cJSON_ArrayForEach(action, node)
            add_table(out, &last,
                      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(action, "TableName")));
    cJSON_Delete(json);
}
