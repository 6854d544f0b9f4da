#include "commands/transfer/csv_cell.h"

#include "commands/api/json_out.h"
#include "commands/literal.h"
#include "commands/transfer/transfer.h"
#include "engine/base/base64.h"

/* ---- rows ------------------------------------------------------------------------------------ */

struct field_vec {
    struct csv_field *data;
    size_t len, cap;
};

static void add_field(struct field_vec *vec, struct pk_arena *arena, struct csv_field field)
{
    if (vec->len == vec->cap) {
        struct csv_field *grown;

        vec->cap = vec->cap == 0 ? 16 : 2 * vec->cap;
        grown = PK_NEW_ARRAY(arena, struct csv_field, vec->cap);
        if (vec->len > 0)
            memcpy(grown, vec->data, vec->len * sizeof(*grown));
        vec->data = grown;
    }
    vec->data[vec->len++] = field;
}

static bool at_end(pk_slice text, size_t pos)
{
    return pos >= text.len || text.data[pos] == ',' || text.data[pos] == '\n' ||
           pk_slice_starts(pk_slice_skip(text, pos), PK_LIT("\r\n"));
}

/* Doubled quotes stand for one. */
static pk_slice undouble(struct pk_arena *arena, pk_slice text)
{
    char *data;
    size_t len = 0;

    if (text.len == 0 || memchr(text.data, '"', text.len) == NULL)
        return text;
    data = pk_arena_alloc(arena, text.len);
    for (size_t i = 0; i < text.len; i++) {
        data[len++] = text.data[i];
        if (text.data[i] == '"')
            i++;
    }
    return pk_slice_of(data, len);
}

static enum pk_code read_quoted(struct pk_arena *arena, pk_slice text, size_t *pos,
                                struct csv_field *field, struct pk_error *err)
{
    struct pk_span opener = {(uint32_t)*pos, 1};
    size_t end = *pos + 1;

    while (end < text.len &&
           (text.data[end] != '"' || pk_slice_starts(pk_slice_skip(text, end), PK_LIT("\"\""))))
        end += text.data[end] == '"' ? 2 : 1;
    if (end >= text.len)
        return pk_fail_at(err, PK_E_USAGE, opener, "this \" is never closed");
    field->quoted = true;
    field->text = undouble(arena, pk_slice_of(text.data + *pos + 1, end - *pos - 1));
    *pos = end + 1;
    if (!at_end(text, *pos))
        return pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)*pos, 1},
                          "expected a comma or the end of the line after the closing \"");
    return PK_OK;
}

enum pk_code csv_row(struct pk_arena *arena, pk_slice text, size_t *pos, struct csv_field **fields,
                     size_t *count, struct pk_error *err)
{
    struct field_vec vec = {0};

    for (;;) {
        struct csv_field field = {.quoted = false};

        if (*pos < text.len && text.data[*pos] == '"') {
            enum pk_code rc = read_quoted(arena, text, pos, &field, err);

            if (rc != PK_OK)
                return rc;
        } else {
            size_t start = *pos;

            while (!at_end(text, *pos))
                *pos += 1;
            field.text = pk_slice_of(text.data + start, *pos - start);
        }
        add_field(&vec, arena, field);
        if (*pos >= text.len || text.data[*pos] != ',')
            break;
        *pos += 1;
    }
    if (*pos < text.len && text.data[*pos] == '\r')
        *pos += 1;
    if (*pos < text.len)
        *pos += 1;
    *fields = vec.data;
    *count = vec.len;
    return PK_OK;
}

bool csv_is_canonical_number(pk_slice text)
{
    char digits[PK_NUM_TEXT_MAX];
    struct pk_num num;

    if (text.len == 0 || text.len >= PK_NUM_TEXT_MAX || pk_num_parse(text, &num) != PK_NUM_OK)
        return false;
    return pk_slice_equal(text, pk_slice_of(digits, pk_num_format(&num, digits)));
}

/* ---- reading a value ------------------------------------------------------------------------- */

static pk_value wrap(struct pk_arena *arena, enum pk_kind kind, pk_value json)
{
    struct pk_member *member = PK_NEW(arena, struct pk_member);

    member->name = pk_slice_cstr(pk_kind_tag(kind));
    member->value = json;
    return pk_value_map(member, 1);
}

static bool is_kind_of(struct csv_kind kind, pk_value value)
{
    return kind.json || pk_value_kind(value) == kind.kind;
}

/* JSON text: typed as it says, else plain; a plain list where a set is stated is that set. */
static enum pk_code read_json(struct pk_arena *arena, struct csv_kind kind, pk_slice text,
                              pk_value *value, struct pk_error *err)
{
    struct cmd_literal literal = {.source = text, .mode = CMD_LITERAL_JSON, .arena = arena};
    bool is_set =
        kind.kind == PK_STRING_SET || kind.kind == PK_NUMBER_SET || kind.kind == PK_BINARY_SET;
    size_t pos = 0;
    enum pk_code rc = cmd_literal_parse(&literal, &pos, value, err);

    err->span = (struct pk_span){0, 0}; /* in the field's text, which the file does not have */
    if (rc != PK_OK)
        return rc;
    if (pos < text.len)
        return pk_fail(err, PK_E_USAGE, "more than one JSON value");
    if (!kind.json && is_set && pk_value_kind(*value) == PK_LIST)
        *value = wrap(arena, kind.kind, *value);
    if (cmd_literal_is_typed(*value))
        rc = cmd_literal_from_typed(arena, *value, value, err);
    if (rc == PK_OK && !is_kind_of(kind, *value))
        rc = pk_fail(err, PK_E_USAGE, "expected a value of type %s, found %s",
                     pk_kind_tag(kind.kind), pk_kind_tag(pk_value_kind(*value)));
    return rc;
}

static enum pk_code read_binary(struct pk_arena *arena, pk_slice text, pk_value *value,
                                struct pk_error *err)
{
    pk_slice bytes = {NULL, 0};

    if (text.len != 0 && pk_base64_decode(arena, text, &bytes) != PK_BASE64_OK)
        return pk_fail(err, PK_E_USAGE, "this is not base64");
    *value = pk_value_binary(bytes);
    return PK_OK;
}

static enum pk_code read_bool(pk_slice text, pk_value *value, struct pk_error *err)
{
    bool is_true = cmd_word_is(text, "true");

    if (!is_true && !cmd_word_is(text, "false"))
        return pk_fail(err, PK_E_USAGE, "expected true or false");
    *value = pk_value_bool(is_true);
    return PK_OK;
}

enum pk_code csv_cell_read(struct pk_arena *arena, struct csv_kind kind, pk_slice text,
                           pk_value *value, struct pk_error *err)
{
    if (kind.json)
        return read_json(arena, kind, text, value, err);
    switch (kind.kind) {
    case PK_NUMBER:
        return cmd_literal_number(arena, text, (struct pk_span){0, 0}, value, err);
    case PK_BINARY:
        return read_binary(arena, text, value, err);
    case PK_BOOL:
        return read_bool(text, value, err);
    case PK_NULL:
        *value = pk_value_null();
        return PK_OK;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        return read_json(arena, kind, text, value, err);
    case PK_MISSING:
    case PK_STRING:
        break;
    }
    *value = pk_value_string(text);
    return PK_OK;
}

/* ---- writing a value ------------------------------------------------------------------------- */

/* A field that is empty but there is written "", so that it differs from an attribute that is
 * missing. */
void csv_text_write(struct pk_buf *out, pk_slice text)
{
    bool quote = text.len == 0;

    for (size_t i = 0; i < text.len && !quote; i++)
        quote = text.data[i] != '\0' && strchr(",\"\r\n", text.data[i]) != NULL;
    if (!quote) {
        pk_buf_add(out, text);
        return;
    }
    pk_buf_add_byte(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"')
            pk_buf_add_byte(out, '"');
        pk_buf_add_byte(out, (unsigned char)text.data[i]);
    }
    pk_buf_add_byte(out, '"');
}

/* Plain JSON where reading it gives the value back. */
static bool is_plain_cell(pk_value value)
{
    bool is_set = pk_value_kind(value) == PK_STRING_SET || pk_value_kind(value) == PK_NUMBER_SET ||
                  pk_value_kind(value) == PK_BINARY_SET;

    return is_set || (transfer_is_plain(value) && !cmd_literal_is_typed(value));
}

static void write_json(struct pk_buf *out, struct csv_kind kind, pk_value value)
{
    struct pk_buf json = PK_BUF_INIT;

    if (kind.json || !is_plain_cell(value))
        json_out_tree_value(&json, value);
    else
        transfer_plain_json(&json, value);
    csv_text_write(out, pk_buf_slice(&json));
    pk_buf_release(&json);
}

void csv_cell_write(struct pk_buf *out, struct csv_kind kind, pk_value value)
{
    struct pk_buf text = PK_BUF_INIT;

    if (pk_value_kind(value) == PK_MISSING)
        return;
    if (kind.json) {
        write_json(out, kind, value);
        return;
    }
    switch (pk_value_kind(value)) {
    case PK_MISSING:
        break;
    case PK_STRING:
        csv_text_write(out, pk_value_bytes(value));
        break;
    case PK_BINARY:
        pk_base64_encode(&text, pk_value_bytes(value));
        csv_text_write(out, pk_buf_slice(&text));
        pk_buf_release(&text);
        break;
    case PK_NULL:
    case PK_BOOL:
    case PK_NUMBER:
        transfer_plain_json(out, value);
        break;
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        write_json(out, kind, value);
        break;
    }
}
